"""What it takes to play for real in a test: bots that play, doors, workers, and programs that dial in."""

from __future__ import annotations

import contextlib
import hashlib
import os
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from django.conf import settings
from django.db import connection

from arena import record as records
from arena.lifeline import leash
from arena.record import Record
from arena.verify import check_name, verify
from tests.services import free_port
from tests.webapp.making import make_user
from webapp.bots import services as bots
from webapp.bots.models import Bot, Connection, Version
from webapp.bots.services import ensure_house_bots
from webapp.matches import services
from webapp.matches.models import Block, Match, Ruleset, Series
from webapp.matches.rulesets import ensure_rulesets

ROOT = Path(__file__).parents[2]
GAME = "three_coins"

PLAIN = 'GAME = "three_coins"\n\n\ndef choose(view):\n    return view.legal[0]\n'
"""The smallest bot there is. It plays the same in every process."""


def until(true: Callable[[], object], seconds: float = 60.0, what: Callable[[], object] = lambda: "") -> None:
    """Wait for something to become true; ``what`` is said when it does not."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, what()
        time.sleep(0.02)


# ---- bots ----------------------------------------------------------------------------------------


def rules(preset: str = "duel") -> Ruleset:
    ensure_rulesets()
    return Ruleset.objects.get(key=f"{GAME}/{preset}")


def house(*names: str) -> list[Version]:
    """The house's own bots, from their files."""
    ensure_house_bots()
    return [_active(Bot.objects.get(game=GAME, name=name, house=True)) for name in names]


def hosted(name: str, source: str = PLAIN, *, house: bool = True) -> Version:
    """A bot that our machine runs, from this source."""
    owner = None if house else make_user(f"author-of-{name}")
    bot = Bot.objects.create(game=GAME, name=name, house=house, owner=owner, kind=Bot.Kind.HOSTED)
    digest = "sha256:" + hashlib.sha256(source.encode()).hexdigest()
    bot.active_version = Version.objects.create(
        bot=bot, digest=digest, number=1, source=source.encode(), filename=f"{name}.py"
    )
    bot.save()
    return bot.active_version


def remote(name: str, *, tables: int = 1, author: str = "") -> tuple[Version, str]:
    """A bot that dials in, and its token."""
    bot = bots.create_bot(owner=make_user(author or f"author-of-{name}"), game=GAME, name=name)
    Bot.objects.filter(pk=bot.pk).update(max_tables=tables)
    token = bots.issue_token(bot=bot, by=_owner(bot))
    return bots.declare_version(bot=bot, label="1"), token


def _owner(bot: Bot):
    assert bot.owner is not None
    return bot.owner


def _active(bot: Bot) -> Version:
    assert bot.active_version is not None
    return bot.active_version


def series_of(
    versions: Sequence[Version], *, planned: int | None = None, preset: str = "", rated: bool = True, **fields: object
) -> Series:
    """A waiting series; nobody is rung for it."""
    row = rules(preset or ("duel" if len(versions) == 2 else "classic"))
    series = services.create_series(ruleset=row, versions=versions, planned=planned or len(versions), rated=rated)
    if fields:
        Series.objects.filter(pk=series.pk).update(**fields)
        series.refresh_from_db()
    return series


# ---- what was played --------------------------------------------------------------------------------


def record_of(match: Match) -> Record:
    return records.read(zlib.decompress(bytes(match.record)))


def check_series(series: Series) -> list[Match]:
    """That a finished series is whole: every match once, closed, and with a record that verifies."""
    series.refresh_from_db()
    assert series.state == Series.State.FINISHED, (series.state, series.note)
    matches = list(series.matches.select_related("block", "ruleset").order_by("number"))
    assert [match.number for match in matches] == list(range(1, series.planned + 1))
    for match in matches:
        check_match(match)
    assert not series.blocks.filter(state=Block.State.OPEN).exists()
    assert not Connection.objects.filter(series=series).exists()
    return matches


def check_match(match: Match) -> None:
    record = record_of(match)
    verify(record)
    check_name(record, match.record_name)
    assert record.match == match.name
    assert match.block.state == Block.State.CLOSED
    assert record.fairness.commitment == match.block.commitment
    entries = list(match.entries.select_related("bot", "version").order_by("seat"))
    assert [(entry.bot.name, entry.version.digest) for entry in entries] == [
        (player.bot, player.version) for player in record.players
    ]
    assert tuple(entry.place for entry in entries) == record.outcome.places
    assert tuple(entry.score for entry in entries) == record.outcome.scores


# ---- processes -----------------------------------------------------------------------------------


def database_url() -> str:
    """The database of the tests, as processes are told of it."""
    found = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{found['NAME']}"
    return f"postgresql://{found['USER']}@/{found['NAME']}?host={found['OPTIONS']['host']}"


class Program:
    """A process that ends with the test, and what it said."""

    def __init__(self, *command: str, **environment: str) -> None:
        self.log = Path(tempfile.mkstemp(suffix=".log")[1])
        clean = {name: value for name, value in os.environ.items() if not name.startswith("ARENA_")}
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                leash(command),
                cwd=ROOT,
                env={**clean, "PYTHONUNBUFFERED": "1", **environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def said(self) -> str:
        return self.log.read_text(errors="replace")

    def until(self, text: str, seconds: float = 60.0, times: int = 1) -> None:
        until(lambda: self.said().count(text) >= times or self.process.poll() is not None, seconds, self.said)
        assert self.said().count(text) >= times, self.said()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@contextlib.contextmanager
def program(*command: str, **environment: str) -> Iterator[Program]:
    running = Program(*command, **environment)
    try:
        yield running
    finally:
        running.kill()
        running.log.unlink()


def arena_environment(data: Path, **more: str) -> dict[str, str]:
    """What our processes need to play on the database of the tests."""
    return {
        "ARENA_DATA": str(data),
        "ARENA_SECRET": settings.ARENA_SECRET,
        "DATABASE_URL": database_url(),
        "DJANGO_SETTINGS_MODULE": "webapp.settings",
        **more,
    }


def celery_worker(
    data: Path, broker: str, app: str = "webapp", **more: str
) -> contextlib.AbstractContextManager[Program]:
    """A worker with one process, on the queue of the test."""
    command = (sys.executable, "-m", "celery", "-A", app, "--quiet", "worker", "--concurrency", "1")
    return program(
        *command, "--without-gossip", "--without-mingle", **arena_environment(data, BROKER_URL=broker, **more)
    )


class DoorProcess(Program):
    """A door; ``address`` is where bots dial."""

    def __init__(self, data: Path, name: str = "door", port: int = 0, **more: str) -> None:
        self.port = port or free_port()
        self.address = f"127.0.0.1:{self.port}"
        where = {"ARENA_DOOR_LISTEN": self.address, "ARENA_DOOR_RELAY": f"unix:{data}/{name}.sock", **more}
        super().__init__(*(sys.executable, "-m", "webapp", "door"), **arena_environment(data, **where))
        self.until("the door is open")


@contextlib.contextmanager
def door(data: Path, name: str = "door", port: int = 0, **more: str) -> Iterator[DoorProcess]:
    running = DoorProcess(data, name, port, **more)
    try:
        yield running
    finally:
        running.kill()
        running.log.unlink()


@contextlib.contextmanager
def dialling(address: str, token: str, *, source: str = PLAIN, tables: int = 1) -> Iterator[Program]:
    """A program of an author, on the author's machine."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "bot.py")
        file.write_text(source)
        command = [sys.executable, "-m", "arena.cli", "connect", str(file), "--server", address]
        with program(*command, "--tables", str(tables), ARENA_TOKEN=token) as running:
            yield running


def connected(version: Version, lines: int = 1) -> None:
    """Wait until a bot's lines hang on a door."""
    until(
        lambda: Connection.objects.filter(bot=version.bot, state=Connection.State.WAITING).count() >= lines,
        what=lambda: f"{version.bot.name} is not connected",
    )
