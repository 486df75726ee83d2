"""Bots that our machine runs, locked in: for each seat of a series a cell (`arena.sandbox`), for each match a fork."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, NoReturn

from arena.protocol.v1 import arena_pb2 as pb
from arena.referee import PlatformFailure
from arena.rules import AnyGame
from arena.sandbox.cell import EXIT_SECONDS, Cell
from arena.sandbox.walls import ALL, Walls
from arena.seats import LineLost, LineSeat, Listener
from arena.seats.stream import StreamLine
from arena.table import Player

DIAL_SECONDS = 10.0
"""How long a bot may take from the fork to its Hello: its own imports fall into this time."""

IDLE_SECONDS = 0.02
"""How long a bot may go on after an answer, as long as nothing else is asked of it; then it is frozen until it is.

Otherwise it could think, or just burn the processor, while the clocks of others run. Most questions come sooner, and
then nothing has to be done at all."""


class HostedBot:
    """One seat's bot over one series. Open it, then `sit` and `rise` for each match, then `close`.

    Args:
        game: the game it plays.
        player: its name and version.
        folder: its files, and nothing else; nobody writes there any more.
        entry: the file in it with the bot, as a relative path.
        listener: where its processes dial in. Behind the outer wall they see nothing else, so no other bot's
            listener may be the same.
        walls: for tests, which take walls away to show what each is good for.
    """

    def __init__(
        self, game: AnyGame, player: Player, folder: Path, entry: str, listener: Listener, *, walls: Walls = ALL
    ) -> None:
        self._game = game
        self._player = player
        self._folder = folder
        self._entry = entry
        self._listener = listener
        self._walls = walls
        self._cell: Cell | None = None
        self._line: StreamLine | None = None
        self._seat: LineSeat | None = None

    async def open(self) -> None:
        """Start the warm process.

        Raises:
            PlatformFailure: it does not start.
        """
        name = self._game.name
        imports = ("arena.dial", "arena.kit", f"arena.games.{name}", f"arena.wire.{name}")
        self._cell = Cell(self._folder, self._listener.target.removeprefix("unix:"), self._walls, imports=imports)
        await self._cell.open()

    async def sit(self) -> LineSeat:
        """Fork a process for the next match. A bot that does not come gives a seat that is gone.

        Raises:
            PlatformFailure: it could not be locked in, and was not run.
        """
        if self._cell is None or self._cell.ended:
            # a bot may have killed it in its last match; that has cost it that match, and costs nobody this one
            await self.close()
            await self.open()
        assert self._cell is not None
        cell = self._cell
        ticket, arriving = self._listener.expect(self._player)
        file = f"{cell.bot}/{self._entry}"
        exiting = await cell.run({"file": file, "game": self._game.name, "target": cell.target, "ticket": ticket})
        either: set[asyncio.Future[Any]] = {arriving, exiting}
        await asyncio.wait(either, timeout=DIAL_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        if arriving.done():
            self._line = arriving.result()
            self._seat = LineSeat(self._game, _HostedLine(self._line, exiting, cell))
            return self._seat
        arriving.cancel()
        if cell.unlocked:
            raise PlatformFailure(f"a hosted bot could not be locked in: {await self.rise()}")
        if exiting.done():
            return LineSeat(self._game, _NoLine(f"its process ended before it said Hello ({exiting.result()})"))
        return LineSeat(self._game, _NoLine(f"its process said no Hello within {DIAL_SECONDS:g} s"))

    async def rise(self) -> str:
        """End the process of the match that is over; what it printed, for its author's eyes."""
        if self._line is not None and self._seat is not None:
            await self._seat.part(pb.PlayResponse(series_end=pb.SeriesEnd(message="the match is over")))
            self._line.close()
        self._line = self._seat = None
        # no database takes a NUL in a text
        return "" if self._cell is None else (await self._cell.stop()).replace("\0", "\N{REPLACEMENT CHARACTER}")

    async def close(self) -> None:
        """End the warm process, and with it whatever is left of its children."""
        cell, self._cell = self._cell, None
        if cell is not None:
            await cell.close()


class _HostedLine:
    """A `Line` that knows how the process at its other end ended, and freezes it while nothing is asked of it."""

    def __init__(self, line: StreamLine, exiting: asyncio.Future[str], cell: Cell) -> None:
        self._line = line
        self._exiting = exiting
        self._cell = cell
        self._frozen = False
        self._idle: asyncio.TimerHandle | None = None

    async def send(self, message: bytes) -> None:
        self._wake()
        try:
            await self._line.send(message)
        except LineLost as lost:
            await self._explain(lost)

    async def receive(self) -> bytes:
        self._wake()
        try:
            message = await self._line.receive()
        except LineLost as lost:
            await self._explain(lost)
        self._idle = asyncio.get_running_loop().call_later(IDLE_SECONDS, self._freeze)
        return message

    def _wake(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None
        if self._frozen:
            self._frozen = False
            self._cell.thaw()

    def _freeze(self) -> None:
        if not self._exiting.done():
            self._frozen = True
            self._cell.freeze()

    async def _explain(self, lost: LineLost) -> NoReturn:
        await asyncio.wait({self._exiting}, timeout=EXIT_SECONDS)
        if not self._exiting.done():
            raise lost
        raise LineLost(f"its process ended ({self._exiting.result()})") from lost


class _NoLine:
    """A `Line` to a bot that never came."""

    def __init__(self, why: str) -> None:
        self._lost = LineLost(why)

    async def send(self, _message: bytes) -> None:
        raise self._lost

    async def receive(self) -> bytes:
        raise self._lost


__all__ = ["DIAL_SECONDS", "HostedBot"]
