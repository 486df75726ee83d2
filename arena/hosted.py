"""Bots that our machine runs: for each seat of a series a warm process (`arena.warm`), for each match a fork of it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import secrets
import signal
import sys
from pathlib import Path
from typing import Any, NoReturn

from arena.lifeline import relations
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

END_SECONDS = 1.0
"""How long our own part of it may take to end a match's processes, or itself, when it is told to."""

OUTPUT_BYTES = 65_536
"""What is kept of what a bot prints in a match; the rest is read, no faster than need be, and thrown away."""

OUTPUT_PAUSE = 0.002
"""Seconds between two looks at the output of a bot that has printed enough."""


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
        self._warm: _Warm | None = None
        self._line: StreamLine | None = None
        self._seat: LineSeat | None = None

    async def open(self) -> None:
        """Start the warm process.

        Raises:
            PlatformFailure: it does not start.
        """
        self._warm = _Warm()
        await self._warm.open()

    async def sit(self) -> LineSeat:
        """Fork a process for the next match. A bot that does not come gives a seat that is gone."""
        if self._warm is None or self._warm.ended:
            # a bot may have killed it in its last match; that has cost it that match, and costs nobody this one
            await self.close()
            await self.open()
        assert self._warm is not None
        ticket, arriving = self._listener.expect(self._player)
        order = {"file": str(self._file), "game": self._game.name, "target": self._listener.target, "ticket": ticket}
        exiting = await self._warm.play(order)
        either: set[asyncio.Future[Any]] = {arriving, exiting}
        await asyncio.wait(either, timeout=DIAL_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        if arriving.done():
            self._line = arriving.result()
            self._seat = LineSeat(self._game, _HostedLine(self._line, exiting))
            return self._seat
        arriving.cancel()
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
        return "" if self._warm is None else (await self._warm.stop()).replace("\0", "\N{REPLACEMENT CHARACTER}")

    async def close(self) -> None:
        """End the warm process, and with it whatever is left of its children."""
        warm, self._warm = self._warm, None
        if warm is not None:
            await warm.close()


class _Warm:
    """Our end of a process that runs `arena.warm`."""

    def __init__(self) -> None:
        self.ended = False
        self._process: asyncio.subprocess.Process | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._exit: asyncio.Future[str] | None = None
        """How the process of the present match ends."""
        self._output = bytearray()
        self._fence = b""
        """Stands behind the last that was printed in a match; random, and told to nobody before."""
        self._fenced: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def open(self) -> None:
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "arena.warm", str(os.getpid())),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=_environment(),
            start_new_session=True,
        )
        self._tasks = [asyncio.ensure_future(self._read_answers()), asyncio.ensure_future(self._read_output())]
        await asyncio.wait({self._ready}, timeout=WARM_SECONDS)
        if not self._ready.done():
            raise PlatformFailure(f"a process for a hosted bot was not ready in {WARM_SECONDS:g} s")
        await self._ready

    async def play(self, order: dict[str, str]) -> asyncio.Future[str]:
        """Have a match's process forked; gives how it will have ended."""
        self._exit = asyncio.get_running_loop().create_future()
        self._output.clear()
        self._fence = b""
        self._fenced = asyncio.get_running_loop().create_future()
        await self._order({"play": order})
        return self._exit

    async def stop(self) -> str:
        """See that the present match's process has ended, giving it a moment; what was printed."""
        if self._exit is None:
            return ""
        await asyncio.wait({self._exit}, timeout=EXIT_SECONDS)
        with contextlib.suppress(PlatformFailure):
            if not self._exit.done():
                await self._order({"stop": True})
                await asyncio.wait({self._exit}, timeout=END_SECONDS)
            if self._exit.done() and not self.ended:
                self._fence = secrets.token_hex(16).encode()
                await self._order({"fence": self._fence.decode()})
                await asyncio.wait({self._fenced}, timeout=END_SECONDS)
        if self.ended or not self._exit.done():
            # whatever was done to it by the bot: the next match gets another one
            await self.close(seconds=0)
        self._exit = None
        printed = bytes(self._output).partition(self._fence)[0] if self._fence else bytes(self._output)
        return printed[:OUTPUT_BYTES].decode(errors="replace")

    async def close(self, *, seconds: float = END_SECONDS) -> None:
        """End it, and everything that it has started. Seen through to its end also when it is cancelled."""
        self.ended = True
        closing, cancelled = asyncio.ensure_future(self._close(seconds)), False
        while not closing.done():
            try:
                await asyncio.shield(closing)
            except asyncio.CancelledError:
                cancelled = True
        if cancelled:
            raise asyncio.CancelledError

    async def _close(self, seconds: float) -> None:
        if self._process is not None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            exiting = asyncio.ensure_future(self._process.wait())
            await asyncio.wait({exiting}, timeout=seconds)
            if self._process.returncode is None:
                self._process.kill()
            if await exiting != 0:
                _end_session(self._process.pid)
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=EXIT_SECONDS)  # everything that could write has ended
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
            elif self._exit is not None and not self._exit.done():
                self._exit.set_result(answer["exit"])
        self.ended = True
        if not self._ready.done():
            told = self._output.decode(errors="replace")[-500:]
            self._ready.set_exception(PlatformFailure(f"a process for a hosted bot did not start: {told}"))
        # only we end a warm process; where it ended otherwise, whoever waits for a match of it must not wait for ever
        if self._exit is not None and not self._exit.done():
            self._exit.set_result("killed together with its parent")

    async def _read_output(self) -> None:
        assert self._process is not None
        assert self._process.stderr is not None
        most = OUTPUT_BYTES + 32  # the fence
        before = b""
        while chunk := await self._process.stderr.read(65_536):
            self._output += chunk[: most - len(self._output)]
            recent = before + chunk
            if self._fence and self._fence in recent and not self._fenced.done():
                self._fenced.set_result(None)
            before = recent[-32:]
            if len(self._output) >= OUTPUT_BYTES:
                await asyncio.sleep(OUTPUT_PAUSE)


def _end_session(leader: int) -> None:
    """Kill what is left of the processes that a warm process has started and could not end itself."""
    for process, _, session in relations():
        if session == leader:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)


class _HostedLine:
    """A `Line` that knows how the process at its other end ended."""

    def __init__(self, line: StreamLine, exiting: asyncio.Future[str]) -> None:
        self._line = line
        self._exiting = exiting

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
