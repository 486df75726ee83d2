"""Remote bots in real processes, behind a real door: in another language, over TLS, and over a cable that is cut."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.record import FaultStep
from tests.node import node_bots
from tests.webapp.cable import Cable
from tests.webapp.playing import (
    PLAIN,
    Program,
    check_series,
    connected,
    dialling,
    door,
    hosted,
    house,
    program,
    record_of,
    remote,
    series_of,
    until,
)
from webapp.matches.models import Entry, Series
from webapp.matches.runner import run_series

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("let_go_of_the_database")]

SLOW = """
import time

GAME = "three_coins"


def choose(view):
    time.sleep(0.2)
    return view.legal[0]
"""


@pytest.fixture(scope="module")
def bots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return node_bots(tmp_path_factory.mktemp("node"))


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an authority of our own, and a certificate that it has signed for this machine."""
    folder = tmp_path_factory.mktemp("tls")

    def openssl(command: str) -> None:
        subprocess.run(["openssl", *command.split()], cwd=folder, check=True, capture_output=True)

    openssl("req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=ours -keyout ca.key -out ca.pem")
    openssl("req -newkey rsa:2048 -nodes -subj /CN=door -keyout door.key -out door.csr")
    (folder / "names").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1")
    openssl("x509 -req -in door.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out door.pem")
    return folder


@contextlib.contextmanager
def node(bots: Path, address: str, token: str, *options: str) -> Iterator[Program]:
    """The bot for Node, dialling in."""
    command = ["node", str(bots / "three_coins.js"), "--server", address, *options]
    with program(*command, ARENA_TOKEN=token) as running:
        yield running


def run(series: Series) -> None:
    run_series(series.pk, "worker")


def test_bots_in_two_languages_and_a_hosted_one_at_one_table_over_tls(
    tmp_path: Path, bots: Path, authority: Path
) -> None:
    script, script_token = remote("script")
    snake, snake_token = remote("snake")
    series = series_of([script, snake, *house("calculator")], planned=6)
    tls = {"ARENA_DOOR_CERTIFICATE": f"{authority}/door.pem", "ARENA_DOOR_KEY": f"{authority}/door.key"}
    trusting = {"GRPC_DEFAULT_SSL_ROOTS_FILE_PATH": f"{authority}/ca.pem"}
    (tmp_path / "snake.py").write_text(PLAIN)
    connect = [sys.executable, "-m", "arena.cli", "connect", str(tmp_path / "snake.py"), "--tls"]
    with door(tmp_path, **tls) as running:
        here = f"localhost:{running.port}"
        with (
            node(bots, here, script_token, "--version", "1", "--ca", f"{authority}/ca.pem") as one,
            program(*connect, "--server", here, ARENA_TOKEN=snake_token, **trusting) as two,
        ):
            connected(script)
            connected(snake)
            run(series)
            matches = check_series(series)
            assert len(matches) == 6
            assert not Entry.objects.exclude(fault="").exists(), (one.said(), two.said())
            assert Entry.objects.filter(match__rated=True).count() == 18
            for bot in (one, two):
                assert "NOT FAIR" not in bot.said()
            one.until("seed and nonces are as committed to", times=6)
            # and it dials again for the next series
            one.until("waiting for a table", times=2)


def test_the_bot_for_node_says_why_it_is_refused_and_ends(tmp_path: Path, bots: Path) -> None:
    remote("script")
    with door(tmp_path) as running, node(bots, running.address, "ba_" + "x" * 40) as bot:
        until(lambda: bot.process.poll() is not None, what=bot.said)
        assert bot.process.returncode == 1
        assert "There is no such token." in bot.said()


@pytest.mark.parametrize("language", ["python", "node"])
def test_a_line_that_is_cut_and_mended_costs_time_and_nothing_else(tmp_path: Path, bots: Path, language: str) -> None:
    far, token = remote("far")
    with door(tmp_path) as running, Cable(running.port) as cable, contextlib.ExitStack() as stack:
        if language == "node":
            bot = stack.enter_context(node(bots, cable.address, token, "--version", "1"))
        else:
            bot = stack.enter_context(dialling(cable.address, token))
        connected(far)
        series = series_of([far, hosted("slow", SLOW)], planned=2)
        cutting = threading.Thread(target=_cut_for_a_while, args=(bot, cable, 2.0))
        cutting.start()
        run(series)
        cutting.join()
        check_series(series)
        bot.until("connected again, at the same table")
        assert not Entry.objects.exclude(fault="").exists(), bot.said()
        assert "NOT FAIR" not in bot.said()
        slowest = max(Entry.objects.filter(bot=far.bot).values_list("slowest_ms", flat=True))
        assert 900 < slowest < 11_000, "its clock went on"


def _cut_for_a_while(bot: Program, cable: Cable, seconds: float) -> None:
    bot.until("begins: ")
    cable.cut()
    time.sleep(seconds)
    cable.mend()


@pytest.mark.parametrize("why", ["grace", "clock"])
def test_a_line_that_stays_cut_is_gone_and_nobody_else(tmp_path: Path, settings: Any, why: str) -> None:
    """When the grace is over, or when the bot's own clock has run out before that."""
    settings.ARENA_GRACE_SECONDS = 1.0 if why == "grace" else 120.0
    far, token = remote("far")
    near, near_token = remote("near")
    with contextlib.ExitStack() as stack:
        running = stack.enter_context(door(tmp_path))
        cable = stack.enter_context(Cable(running.port))
        bot = stack.enter_context(dialling(cable.address, token))
        other = stack.enter_context(dialling(running.address, near_token))
        connected(far)
        connected(near)
        times = {"move_ms": 120_000, "bank_ms": 0} if why == "grace" else {"move_ms": 4_000, "bank_ms": 500}
        series = series_of([far, near, hosted("slow", SLOW)], planned=1, **times)
        cutting = threading.Thread(target=_cut_for_good, args=(bot, cable))
        cutting.start()
        began = time.monotonic()
        run(series)
        cutting.join()
        assert time.monotonic() - began < 60, "the longer of the two times was not waited for"
        (match,) = check_series(series)
        (fault,) = [step for step in record_of(match).steps if isinstance(step, FaultStep)]
        places = {entry.bot.name: (entry.place, entry.fault) for entry in match.entries.select_related("bot")}
        assert places["far"] == (3, "gone"), fault
        assert {places[name][1] for name in ("near", "slow")} == {""}
        assert "NOT FAIR" not in other.said()
        # nothing is held against it: once its line is mended it plays on
        cable.mend()
        connected(far)


def _cut_for_good(bot: Program, cable: Cable) -> None:
    bot.until("begins: ")
    cable.cut()
