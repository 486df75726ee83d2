"""The steps of a replay in chunks: what the page changes from step to step, for one viewer, in one language.

A record never changes, so neither does a chunk: whoever has it keeps it. Its address names the viewer, the language,
and the edition of the program that drew it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation

import arena
import webapp
from webapp.matches.replay import NoSuchStep, Replay

SIZE = 16
"""Steps in a chunk: some 15 seconds of a replay, and some 20 kB."""

PARTS = (
    *("title", "part", "caption", "felt", "marks", "kinds"),
    *("moments", "story", "signature", "strip", "clocks", "faults"),
)
"""The parts of a page that change with the step: each has a template of this name, and a place on the page."""

YEAR = 365 * 24 * 3600


@cache
def edition() -> str:
    """A name for all that decides what a chunk looks like: the program, its templates and its catalogues."""
    digest = sha256()
    for package in (arena, webapp):
        folder = Path(str(package.__file__)).parent
        for path in sorted(folder.rglob("*")):
            if path.suffix in {".py", ".html", ".mo", ".json"} and "migrations" not in path.parts:
                digest.update(f"{path.relative_to(folder)}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:12]


class Source(NamedTuple):
    """Where the steps of a replay come from."""

    name: Hashable
    """Sources with the same name show the same."""
    step: Callable[[int], Replay]
    """What is shown of a step. Raises `NoSuchStep`."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Source) and other.name == self.name

    def __hash__(self) -> int:
        return hash(self.name)


@lru_cache(maxsize=64)
def _text(source: Source, number: int, language: str) -> bytes:
    with translation.override(language):
        first = number * SIZE
        shown = source.step(first)
        last = min(first + SIZE - 1, shown.last)
        before: dict[str, str] = {}
        steps: list[dict[str, str]] = []
        for step in range(first, last + 1):
            shown = shown if step == first else source.step(step)
            made = {part: render_to_string(f"matches/parts/{part}.html", {"replay": shown}).strip() for part in PARTS}
            # what stays as it was is not said again
            steps.append({part: html for part, html in made.items() if before.get(part) != html})
            before = made
    return json.dumps({"first": first, "steps": steps}, ensure_ascii=False, separators=(",", ":")).encode()


def chunk(*, source: Source, number: int, language: str) -> bytes:
    """The chunk with this number, from 0, as JSON: each step has the parts that differ from the step before.

    Raises:
        NoSuchStep: there are not so many.
    """
    if language not in dict(settings.LANGUAGES):
        raise NoSuchStep(language)
    return _text(source, number, language)


def answer(*, source: Source, number: int, language: str, wanted: str, private: bool = False) -> HttpResponse:
    """A chunk as it is sent; ``wanted`` is the edition that was asked for.

    Raises:
        NoSuchStep: there are not so many.
    """
    response = HttpResponse(chunk(source=source, number=number, language=language), content_type="application/json")
    # from the address, not from the reader: so nothing else has to be looked at to know which answer it is
    response["Content-Language"] = language
    kept = f"{'private' if private else 'public'}, max-age={YEAR}, immutable"
    # a page of another edition is still open somewhere: it gets what we have, and shall not keep it
    response["Cache-Control"] = kept if wanted == edition() else "no-store"
    return response


def address(name: str, *arguments: str) -> str:
    """Where the chunks are, for scripts: they put the viewer's key for ``KEY`` and a number for ``0.json``."""
    return reverse(name, args=[*arguments, edition(), translation.get_language() or settings.LANGUAGE_CODE, "KEY", 0])


def blind(request: HttpRequest) -> bool:
    """Whether somebody wants to see a match without being told how it ends."""
    return request.GET.get("spoiler") == "0"
