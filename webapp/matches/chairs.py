"""Where the bots of a series come from: a process of ours, or a line that hangs on a door."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Protocol

from asgiref.sync import sync_to_async
from django.conf import settings
from django.utils import timezone

from arena.hosted import HostedBot
from arena.protocol.v1 import arena_pb2 as pb
from arena.referee import Gone
from arena.rules import AnyGame
from arena.seats import LineLost, LineSeat, Listener
from arena.seats.relay import RelayLine
from arena.table import Player
from webapp.bots.models import Bot, Connection, Version

RETURN_POLL_SECONDS = 0.1


class Absent(Exception):
    """A remote bot has no free line: its series cannot be played now."""


class Chair(Protocol):
    """One bot over one series: it sits down for every match and rises after it."""

    async def open(self) -> None:
        """Get ready for the series.

        Raises:
            Absent: the bot is not there.
            PlatformFailure: our own fault.
        """

    async def sit(self) -> LineSeat:
        """The seat for the next match."""

    async def rise(self) -> str:
        """The match is over. What the bot wrote apart from its log lines, for its author's eyes."""

    async def close(self) -> None:
        """The series is over."""


def chair_for(version: Version, *, series: int, game: AnyGame, folder: Path, listener: Listener) -> Chair:
    """The chair of a version: ``folder`` is private to the series."""
    if version.bot.kind == Bot.Kind.REMOTE:
        return RemoteChair(version, series=series, game=game)
    file = folder / f"{version.pk}.py"
    file.write_bytes(bytes(version.source or b""))
    return HostedBot(game, Player(version.bot.name, version.digest), file, listener)


class RemoteChair:
    """A remote bot: one line for the whole series, found again when the bot loses it and comes back."""

    def __init__(self, version: Version, *, series: int, game: AnyGame) -> None:
        self._version = version
        self._series = series
        self._game = game
        self._connection = 0
        self._line: RelayLine | None = None
        self._seat: LineSeat | None = None

    async def open(self) -> None:
        """Take one of the bot's waiting lines."""
        connection = await sync_to_async(_reserve)(self._version, self._series)
        if connection is None:
            raise Absent(f"{self._version.bot.name} had no line waiting for a table")
        self._connection = connection.pk
        self._line = RelayLine(connection.door, connection.line, settings.ARENA_SECRET)
        self._seat = LineSeat(self._game, self._line, redial=self._await_return)

    async def sit(self) -> LineSeat:
        """The same seat for every match."""
        assert self._seat is not None
        return self._seat

    async def rise(self) -> str:
        """A remote bot's output stays with its author."""
        return ""

    async def close(self) -> None:
        """Say goodbye, and let the door end the stream."""
        if self._seat is not None and self._line is not None:
            end = pb.SeriesEnd(message="the series is over")
            await self._seat.part(pb.PlayResponse(series_end=end))
            await self._line.close()

    async def _await_return(self, lost: LineLost) -> RelayLine:
        """Wait until the bot hangs on some door again."""
        assert self._line is not None
        gone = self._line
        await gone.close()
        deadline = timezone.now() + timedelta(seconds=settings.ARENA_GRACE_SECONDS)
        while timezone.now() < deadline:
            where = await sync_to_async(_whereabouts)(self._connection, self._series)
            if where is None:
                raise Gone(f"{lost}, and it did not come back")
            if where[1] and where != (gone.door, gone.name):
                self._line = RelayLine(*where, settings.ARENA_SECRET)
                return self._line
            await asyncio.sleep(RETURN_POLL_SECONDS)
        raise Gone(f"{lost}, and it did not come back within {settings.ARENA_GRACE_SECONDS:.0f} s")


def _reserve(version: Version, series: int) -> Connection | None:
    """One of the version's waiting lines, from now on at the table of this series."""
    waiting = Connection.objects.filter(
        version=version, state=Connection.State.WAITING, lease_until__gt=timezone.now()
    ).order_by("since")
    for connection in waiting:
        taken = Connection.objects.filter(pk=connection.pk, state=Connection.State.WAITING).update(
            state=Connection.State.SEATED, series=series
        )
        if taken:
            return connection
    return None


def _whereabouts(connection: int, series: int) -> tuple[str, str] | None:
    """Door and line of a seated bot; empty while it is on no door; None when its seat was given up."""
    return Connection.objects.filter(pk=connection, series=series).values_list("door", "line").first()


async def open_all(chairs: list[Chair]) -> None:
    """Open all chairs at the same time; when one cannot be opened, its reason is raised after all have been tried."""
    for result in await asyncio.gather(*(chair.open() for chair in chairs), return_exceptions=True):
        if isinstance(result, BaseException):
            raise result
