# Everything the project does, on any machine with make and Python 3.11 or newer. `make` alone lists the targets.
# Nothing is installed outside this folder, except Debian's chromium, nodejs and npm by `make test` as root when there
# are none.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.DELETE_ON_ERROR:
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help

PYTHON ?= python3
BIN := .venv/bin
# Tests wait a good deal for the processes that they start.
JOBS ?= $(shell expr $$(nproc 2>/dev/null || echo 2) + 2)
ARGS ?=
PIP_INSTALL := -m pip install --quiet --disable-pip-version-check --no-input
UV_COMPILE = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes
PROTOS = $(shell find protos -name '*.proto' 2>/dev/null)
export PIP_ROOT_USER_ACTION := ignore

.PHONY: help up test test-all check screenshots bench format protos messages lock clean site dev chromium node

help:  ## list the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /make \1\t/' | expand -t 16

up: site  ## run the whole site here; ARGS="--port 8080" and the like go to it (--help lists them)
	@# The leash ends the site even when make is killed: nobody would be left to stop it.
	exec $(BIN)/python -IS arena/lifeline.py $$PPID $(BIN)/python -m webapp.supervisor $(ARGS)

test: dev chromium node  ## run all tests; ARGS="tests/webapp -k login -n0" and the like go to pytest
	@exec $(BIN)/python -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder $(ARGS)

test-all: dev chromium node  ## the same, and where "test" tries enough of many cases, all of them; takes much longer
	@exec $(BIN)/python -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder --all --timeout 3600 $(ARGS)

check: dev .tools/protoc/stamp  ## lint, formatting, types, import contracts, protos, generated code, migrations, translations
	@failed=
	run() { echo "== $$*"; "$$@" || failed="$$failed\n   $$*"; }
	run $(BIN)/ruff check
	run $(BIN)/ruff format --check
	run $(BIN)/mypy
	run $(BIN)/lint-imports --no-logo
	if [ -n "$(PROTOS)" ]; then
		run $(BIN)/buf lint
		run $(MAKE) drift
	fi
	run $(BIN)/python -m webapp makemigrations --check --dry-run
	run $(BIN)/python -m webapp messages --check
	[ -z "$$failed" ] || { printf "\nThese have failed:$$failed\n"; exit 1; }

screenshots: dev chromium node  ## take a picture of every page, and put them on one page: screenshots/index.html
	@$(BIN)/python -m pytest -n0 -q tests/webapp/gallery.py
	@echo "See screenshots/index.html"

bench: dev  ## measure the referee, the wire, the start of hosted bots, the rating fit, how fast versions are told apart, spectators, and pages with few and many matches
	@for what in referee wire startup ratings "compare --quick" spectators "pages --many 100000 --repeats 5"; do
		echo "== $$what"
		$(BIN)/python -m bench.$$what
	done

format: dev  ## put the code into its standard form
	@$(BIN)/ruff check --fix
	$(BIN)/ruff format

# The oldest generator whose stubs load on all the versions of protobuf that we allow, so that bot authors can
# install the kit beside packages of their own. It cannot live in .venv: it wants an old protobuf for itself.
PROTOC = .tools/protoc/bin/python -m grpc_tools.protoc -I protos --python_out=$(1) --pyi_out=$(1) --grpc_python_out=$(1) $(PROTOS)

protos: .tools/protoc/stamp  ## generate arena/protocol/v1 from protos/
	@$(call PROTOC,.)

.PHONY: drift
drift: .tools/protoc/stamp
	@fresh=$$(mktemp -d); trap 'rm -rf "$$fresh"' EXIT
	$(call PROTOC,$$fresh)
	cd "$$fresh"
	for file in $$(find . -type f); do
		diff -u "$(CURDIR)/$$file" "$$file" || { echo "$$file is not what protos/ says: run make protos"; exit 1; }
	done

messages: dev  ## collect the texts of the site into webapp/locale, and compile their translations
	@$(BIN)/python -m webapp messages

lock: dev  ## resolve the dependencies in pyproject.toml anew, within the locks; ARGS=--upgrade takes newer ones
	@$(UV_COMPILE) $(ARGS) --extra site --extra build --extra dev pyproject.toml -o requirements/dev.lock
	$(UV_COMPILE) $(ARGS) --extra site --extra build -c requirements/dev.lock pyproject.toml -o requirements/site.lock
	$(UV_COMPILE) $(ARGS) requirements/protoc.in -o requirements/protoc.lock

clean:  ## remove what was installed and generated here, but never the data folder
	@rm -rf .venv .tools .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist build
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# ---- environments ---------------------------------------------------------------------------------
# .venv has what the site needs, or that and what the tests need on top, in the very same versions. A stamp is
# newer than the lock it was installed from.

site: .venv/site.stamp .venv/self.stamp
dev: .venv/dev.stamp .venv/self.stamp

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || {
		echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11 ..." >&2; exit 1; }
	$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || {
		echo "This Python cannot make environments. On Debian: apt-get install python3-venv" >&2; exit 1; }
	echo "making .venv (this takes a minute, once)" >&2
	$(PYTHON) -m venv --clear .venv

.venv/site.stamp: requirements/site.lock | $(BIN)/python
	@$(BIN)/python $(PIP_INSTALL) --require-hashes -r $<
	touch $@

.venv/dev.stamp: requirements/dev.lock | $(BIN)/python
	@$(BIN)/python $(PIP_INSTALL) --require-hashes -r $<
	touch $@ .venv/site.stamp

# The project itself, editable. Goes after an environment, hence .NOTPARALLEL.
.venv/self.stamp: pyproject.toml
	@$(BIN)/python $(PIP_INSTALL) --no-deps --no-build-isolation -e .
	touch $@

.tools/protoc/stamp: requirements/protoc.lock | $(BIN)/python
	@$(BIN)/python -m venv --clear .tools/protoc
	.tools/protoc/bin/python $(PIP_INSTALL) --require-hashes -r $<
	touch $@

# The browser tests drive a real Chromium.
chromium:
	@for name in chromium chromium-browser google-chrome; do
		if command -v $$name >/dev/null; then exit 0; fi
	done
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
		echo "installing chromium, which the browser tests need" >&2
		apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends chromium >/dev/null
	else
		echo "The browser tests need Chromium. On Debian: sudo apt-get install chromium" >&2; exit 1
	fi

# The tests of the bots in JavaScript run them.
node:
	@if command -v node >/dev/null && command -v npm >/dev/null; then exit 0; fi
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
		echo "installing nodejs and npm, which the tests of the Node bots need" >&2
		apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends nodejs npm >/dev/null
	else
		echo "The tests of the Node bots need Node and npm. On Debian: sudo apt-get install nodejs npm" >&2; exit 1
	fi
