"""Bots that are programs of their own: started here, they dial in with the ticket that they were given."""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import signal
import sys
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

from arena import record
from arena.dial import ADDRESS_VARIABLE, TICKET_VARIABLE
from arena.local.contest import Absent, ContestError, Entrant
from arena.protocol.v1 import arena_pb2 as pb
from arena.record import Record
from arena.referee import Luck
from arena.rules import AnyGame
from arena.seats import LineSeat, Listener
from arena.seats.stream import StreamLine

ARRIVAL_SECONDS = 30.0
"""How long a program may take from its start to its Hello."""

FAREWELL_SECONDS = 2.0
"""How long it may take from the end of the series to its own end."""


class Programs:
    """The programs of one series, as an async context manager: when it is left, they are gone."""

    def __init__(self, game: AnyGame, entrants: Mapping[int, Entrant]) -> None:
        self.game = game
        self.entrants = entrants
        self._folder = ""
        self._listener: Listener | None = None
        self._processes: list[asyncio.subprocess.Process] = []
        self._lines: list[StreamLine] = []
        self._seats: dict[int, LineSeat] = {}

    async def __aenter__(self) -> Programs:
        if self.entrants:
            self._folder = tempfile.mkdtemp(prefix="arena-")
            self._listener = Listener(f"unix:{self._folder}/door")
            await self._listener.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        for line in self._lines:
            line.close()
        for process in self._processes:
            if process.returncode is None:
                _kill(process.pid)
            await process.wait()
        if self._listener is not None:
            await self._listener.__aexit__(None, None, None)
            shutil.rmtree(self._folder, ignore_errors=True)

    async def seats(self) -> dict[int, LineSeat]:
        """Start every program; their seats, by the number of the entrant.

        Raises:
            ContestError: one cannot be started, ends early or does not dial in.
        """
        for number, entrant in self.entrants.items():
            line = await self._launch(entrant)
            self._lines.append(line)
            self._seats[number] = LineSeat(self.game, line)
        return self._seats

    async def _launch(self, entrant: Entrant) -> StreamLine:
        assert self._listener is not None
        assert entrant.command is not None
        ticket, arrived = self._listener.expect(entrant.player)
        address = {ADDRESS_VARIABLE: self._listener.target, TICKET_VARIABLE: ticket}
        try:
            process = await asyncio.create_subprocess_exec(
                *shlex.split(entrant.command),
                env=os.environ | address,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=sys.__stderr__,
                start_new_session=True,
            )
        except OSError as error:
            raise ContestError(f"{entrant.command}: cannot be started: {error.strerror or error}") from error
        self._processes.append(process)
        ended = asyncio.ensure_future(process.wait())
        first: list[asyncio.Future[Any]] = [ended, arrived]
        await asyncio.wait(first, timeout=ARRIVAL_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        ended.cancel()
        if arrived.done():
            return arrived.result()
        arrived.cancel()
        if process.returncode is not None:
            raise Absent(f"{entrant.command}: ended with code {process.returncode} before it had dialled in")
        raise Absent(f"{entrant.command}: did not dial in within {ARRIVAL_SECONDS:.0f} seconds")

    async def dismiss(self) -> None:
        """Tell every program that the series is over, and give it a moment to end by itself."""
        for seat in self._seats.values():
            await seat.part(pb.PlayResponse(series_end=pb.SeriesEnd(message="the series is over")))
        for line in self._lines:
            line.close()
        ends = [asyncio.ensure_future(process.wait()) for process in self._processes]
        if ends:
            await asyncio.wait(ends, timeout=FAREWELL_SECONDS)

    @staticmethod
    async def reveal(seat: LineSeat, block: str, luck: Luck, records: Sequence[Record]) -> None:
        """Show a program what the luck of a block was made of."""
        shown = pb.BlockReveal(
            block=block, seed=luck.seed, nonces=luck.nonces, records=[record.write(one) for one in records]
        )
        await seat.part(pb.PlayResponse(block_reveal=shown))


def _kill(pid: int) -> None:
    """End a program together with whatever it has started; it leads a group of its own."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
