"""Bots that our machine runs: for each seat of a series a warm process (`arena.warm`), for each match a fork of it."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any, NoReturn

from arena.protocol.v1 import arena_pb2 as pb
from arena.referee import PlatformFailure
from arena.rules import AnyGame
from arena.seats import LineLost, LineSeat, Listener
from arena.seats.stream import StreamLine
from arena.table import Player

WARM_SECONDS = 20.0
"""How long a warm process may take to be ready; it runs only our own code until then."""

DIAL_SECONDS = 10.0
"""How long a bot may take from the fork to its Hello: its own imports fall into this time."""

EXIT_SECONDS = 0.5
"""How long a bot's process may live on after its match."""

OUTPUT_BYTES = 65_536
"""What is kept of what a bot prints in a match; the rest is read and thrown away."""


class HostedBot:
    """One seat's bot over one series. Open it, then `sit` and `rise` for each match, then `close`.

    Args:
        game: the game it plays.
        player: its name and version.
        file: its program, one Python file.
        listener: where its processes dial in.
    """

    def __init__(self, game: AnyGame, player: Player, file: Path, listener: Listener) -> None:
        self._game = game
        self._player = player
        self._file = file
        self._listener = listener
        self._process: asyncio.subprocess.Process | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._exits: asyncio.Queue[str] = asyncio.Queue()
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._output = bytearray()
        self._line: StreamLine | None = None
        self._seat: LineSeat | None = None
        self._playing = False

    async def open(self) -> None:
        """Start the warm process.

        Raises:
            PlatformFailure: it does not start.
        """
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "arena.warm", str(os.getpid())),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=_environment(),
        )
        self._tasks = [asyncio.ensure_future(self._read_answers()), asyncio.ensure_future(self._read_output())]
        try:
            await asyncio.wait_for(asyncio.shield(self._ready), WARM_SECONDS)
        except TimeoutError:
            raise PlatformFailure(f"a process for a hosted bot was not ready in {WARM_SECONDS:.0f} s") from None

    async def sit(self) -> LineSeat:
        """Fork a process for the next match. A bot that does not come gives a seat that is gone."""
        self._output.clear()
        ticket, arriving = self._listener.expect(self._player)
        self._playing = True
        order = {"file": str(self._file), "game": self._game.name, "target": self._listener.target, "ticket": ticket}
        await self._order({"play": order})
        exiting = asyncio.ensure_future(self._exits.get())
        either: set[asyncio.Future[Any]] = {arriving, exiting}
        await asyncio.wait(either, timeout=DIAL_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        if arriving.done():
            exiting.cancel()
            self._line = arriving.result()
            self._seat = LineSeat(self._game, _HostedLine(self._line, self._exits))
            return self._seat
        arriving.cancel()
        if exiting.done():
            self._playing = False
            return LineSeat(self._game, _NoLine(f"its process ended before it said Hello ({exiting.result()})"))
        exiting.cancel()
        return LineSeat(self._game, _NoLine(f"its process said no Hello within {DIAL_SECONDS:.0f} s"))

    async def rise(self) -> str:
        """End the process of the match that is over; what it printed, for its author's eyes."""
        if self._line is not None and self._seat is not None:
            await self._seat.part(pb.PlayResponse(series_end=pb.SeriesEnd(message="the match is over")))
            self._line.close()
        self._line = self._seat = None
        if self._playing:
            try:
                await asyncio.wait_for(self._exits.get(), EXIT_SECONDS)
            except TimeoutError:
                await self._order({"stop": True})
                await self._exits.get()
            self._playing = False
        return self._output.decode(errors="replace")

    async def close(self) -> None:
        """End the warm process, and with it whatever is left of its children."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _order(self, order: dict[str, Any]) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(order).encode() + b"\n")
            await self._process.stdin.drain()
        except ConnectionError as error:
            raise PlatformFailure("the process for a hosted bot is gone") from error

    async def _read_answers(self) -> None:
        assert self._process is not None
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            answer = json.loads(line)
            if "ready" in answer:
                self._ready.set_result(None)
            else:
                self._exits.put_nowait(answer["exit"])
        if not self._ready.done():
            told = self._output.decode(errors="replace")[-500:]
            self._ready.set_exception(PlatformFailure(f"a process for a hosted bot did not start: {told}"))
        # only we end a warm process; where it ended otherwise, whoever waits for a match of it must not wait for ever
        self._exits.put_nowait("killed together with its parent")

    async def _read_output(self) -> None:
        assert self._process is not None
        assert self._process.stderr is not None
        while chunk := await self._process.stderr.read(8192):
            self._output += chunk[: OUTPUT_BYTES - len(self._output)]


class _HostedLine:
    """A `Line` that knows how the process at its other end ended."""

    def __init__(self, line: StreamLine, exits: asyncio.Queue[str]) -> None:
        self._line = line
        self._exits = exits

    async def send(self, message: bytes) -> None:
        try:
            await self._line.send(message)
        except LineLost as lost:
            await self._explain(lost)

    async def receive(self) -> bytes:
        try:
            return await self._line.receive()
        except LineLost as lost:
            await self._explain(lost)

    async def _explain(self, lost: LineLost) -> NoReturn:
        try:
            how = await asyncio.wait_for(self._exits.get(), EXIT_SECONDS)
        except TimeoutError:
            raise lost from None
        self._exits.put_nowait(how)  # whoever ends the match reads it too
        raise LineLost(f"its process ended ({how})") from lost


class _NoLine:
    """A `Line` to a bot that never came."""

    def __init__(self, why: str) -> None:
        self._lost = LineLost(why)

    async def send(self, _message: bytes) -> None:
        raise self._lost

    async def receive(self) -> bytes:
        raise self._lost


def _environment() -> dict[str, str]:
    """What a hosted bot's process sees of ours: the way to Python, and no secret of the house."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "TZ", "VIRTUAL_ENV") if name in os.environ}
    return kept | {
        "PYTHONUNBUFFERED": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "GRPC_VERBOSITY": "NONE",
    }
