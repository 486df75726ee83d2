"""Where the bots of a series come from: a process of ours, or a line that hangs on a door."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from django.conf import settings

from arena.exchange import Party
from arena.hosted import HostedBot
from arena.package import stored_package, unpack
from arena.protocol.v1 import arena_pb2 as pb
from arena.record import Step
from arena.referee import Gone, Seat
from arena.rules import AnyGame
from arena.seats import LineLost, LineSeat, Listener
from arena.seats.relay import RelayLine
from arena.siblings import ENTRY
from arena.table import Player, Question
from webapp.bots.models import Bot, Connection, Version
from webapp.database import in_database
from webapp.matches import services
from webapp.matches.services import Claim, Missing

POLL_SECONDS = 0.1

PATIENCE_SECONDS = 2.0
"""How long a worker waits for a remote bot that had a line when its table was made, or whose lines are all taken."""

RETURN_SECONDS = 15.0
"""How long a worker waits for the remote bots of a series that the platform broke off: they have to dial again."""


class Absent(Exception):
    """A bot that the series needs is not there: it cannot be played."""

    def __init__(self, reason: str, seats: tuple[int, ...] = ()) -> None:
        super().__init__(reason)
        self.seats = seats
        """The series seats of those who are not connected."""


class Busy(Exception):
    """The lines of a remote bot are all at other tables: the series is to be played later."""


class Sitter(Seat, Party, Protocol):
    """What the referee asks in a match, and what is known of it afterwards."""

    log: list[str]
    """What it wrote for its author."""
    log_decisions: list[int]
    """For each line the number of the question with whose answer it came."""
    asked: Question | None
    """The newest question."""
    answered: Any | None
    """The move that came as the answer to it, if it could be read."""

    async def tell_block(self, block: str, commitment: bytes, hashes: Sequence[bytes]) -> None:
        """Tell a process that comes later what everybody is bound to."""


@runtime_checkable
class Reader(Protocol):
    """A seat that reads along: what it makes of the steps must go through the game's ``view``."""

    def follow(self, steps: Sequence[Step]) -> None:
        """A match begins, whose steps will be written down there."""

    def stepped(self) -> None:
        """There is something new."""


class Chair(Protocol):
    """One bot, or a person, over one series: it sits down for every match and rises after it."""

    async def open(self) -> None:
        """Get ready for the series.

        Raises:
            PlatformFailure: our own fault.
        """

    async def sit(self) -> Sitter:
        """The seat for the next match."""

    async def rise(self) -> str:
        """The match is over. What the bot wrote apart from its log lines, for its author's eyes."""

    async def close(self) -> None:
        """The series is over for this bot."""


Seating = Callable[[Claim, AnyGame], Chair]
"""Where the process that plays with people gets the chair of a person from."""


def player_of(version: Version) -> Player:
    """Who plays, as records name it: a person has no version."""
    return Player(version.bot.name, None if version.bot.is_person else version.digest)


def hosted_chair(version: Version, *, game: AnyGame, folder: Path, listener: Listener) -> Chair:
    """The chair of a bot that our machine runs; ``folder`` and ``listener`` are for this seat alone."""
    # without a source, whose author has left meanwhile, it is an empty file, out of which comes no bot
    package = stored_package(bytes(version.source or b""), version.filename if version.source else ENTRY)
    unpack(package, folder)
    return HostedBot(game, player_of(version), folder, package.entry, listener)


class RemoteChair:
    """A remote bot: one line for the whole series, found again when the bot loses it and comes back."""

    def __init__(self, connection: Connection, *, claim: Claim, game: AnyGame) -> None:
        self._claim = claim
        self._game = game
        self._connection = connection
        self.farewell = "the series is over"
        """What the bot is told when the line is closed."""
        self._line: RelayLine | None = None
        self._seat: LineSeat | None = None

    async def open(self) -> None:
        """Take hold of the line at its door."""
        self._line = RelayLine(self._connection.door, self._connection.line, settings.ARENA_SECRET)
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
        try:
            # before the goodbye: the bot dials again at once, and would be told that it sits at a table already
            await in_database(services.release_line)(claim=self._claim, connection=self._connection.pk)
        finally:
            if self._seat is not None and self._line is not None:
                await self._seat.part(pb.PlayResponse(series_end=pb.SeriesEnd(message=self.farewell)))
                await self._line.close()

    async def _await_return(self, lost: LineLost) -> RelayLine:
        """Wait until the bot hangs on some door again."""
        assert self._line is not None
        gone = self._line
        await gone.close()
        deadline = time.monotonic() + settings.ARENA_GRACE_SECONDS
        while time.monotonic() < deadline:
            where = await in_database(services.whereabouts)(claim=self._claim, connection=self._connection.pk)
            if where is None:
                raise Gone(f"{lost}, and it did not come back")
            if where[1] and where != (gone.door, gone.name):
                self._line = RelayLine(*where, settings.ARENA_SECRET)
                return self._line
            await asyncio.sleep(POLL_SECONDS)
        raise Gone(f"{lost}, and it did not come back within {settings.ARENA_GRACE_SECONDS:.0f} s")


async def find_lines(claim: Claim, versions: Mapping[int, Version], seconds: float) -> dict[int, Connection]:
    """The lines of the remote bots among these versions, by seat; waits so long for those that are not free.

    Raises:
        Absent: a bot does not hang on any door.
        Busy: all that are missing are at other tables.
        ClaimLost: the series is somebody else's by now.
    """
    remote = {seat: version for seat, version in versions.items() if version.bot.kind == Bot.Kind.REMOTE}
    if not remote:
        return {}
    deadline = time.monotonic() + seconds
    while True:
        found = await in_database(services.take_lines)(claim=claim, versions=remote)
        if not isinstance(found, Missing):
            return found
        if time.monotonic() >= deadline:
            if found.absent:
                verb = "was" if len(found.absent) == 1 else "were"
                raise Absent(f"{' and '.join(found.absent)} {verb} not connected", found.seats)
            raise Busy(f"{' and '.join(found.busy)}: at other tables")
        await asyncio.sleep(POLL_SECONDS)


async def open_all(chairs: list[Chair]) -> None:
    """Open all chairs at the same time; when one cannot be opened, its reason is raised after all have been tried."""
    for result in await asyncio.gather(*(chair.open() for chair in chairs), return_exceptions=True):
        if isinstance(result, BaseException):
            raise result
