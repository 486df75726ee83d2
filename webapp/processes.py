"""Keeps processes running: starts them, merges what they print, starts them again, stops them in order.

What is run, and with which settings, is the matter of ``webapp/supervisor.py``.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import time
from asyncio.subprocess import DEVNULL, STDOUT, Process
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TextIO, TypeVar

from arena.lifeline import leash

T = TypeVar("T")


class GaveUp(Exception):
    """A service will not run. The message tells why, for the person at the terminal."""


@dataclass(frozen=True)
class Service:
    """One process that should run."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    ready: Callable[[], Awaitable[bool]] | None = None
    """Whether it answers already; without this, a service is ready as soon as it has been started."""
    patience: float = 5.0
    """Seconds that it may take to end by itself when asked to."""
    quiet: bool = False
    """Whether what it says is of interest only once it has failed."""


class Printer:
    """Prints lines with the name of the one who said them, in a colour of its own on a terminal."""

    _COLOURS = (36, 33, 32, 35, 34, 96, 93, 92)

    def __init__(self, out: TextIO | None = None) -> None:
        self._out = sys.stdout if out is None else out
        self._colour = self._out.isatty() and "NO_COLOR" not in os.environ
        self._names: dict[str, int] = {}

    def line(self, name: str, text: str) -> None:
        label = f"{name:<9} | "
        if self._colour:
            colour = self._names.setdefault(name, self._COLOURS[len(self._names) % len(self._COLOURS)])
            label = f"\x1b[{colour}m{label}\x1b[0m"
        self._write(label + text)

    def headline(self, text: str) -> None:
        self._write(f"\n\x1b[1m{text}\x1b[0m\n" if self._colour else f"\n{text}\n")

    def _write(self, text: str) -> None:
        # A reader that has gone away (`| head`) is no reason to stop the site.
        with contextlib.suppress(BrokenPipeError):
            print(text, file=self._out, flush=True)


@dataclass(frozen=True)
class Limits:
    """When to start a service again, in seconds, and when to leave it."""

    first_delay: float = 0.25
    longest_delay: float = 10.0
    settled_after: float = 30.0
    """A service that once ran this long has proven that it can: it is started again for ever."""
    deaths: int = 5
    """One that has not is left after so many deaths, if they came within ``settled_after``."""


class _Keeper:
    """Looks after one service."""

    def __init__(self, service: Service, printer: Printer, limits: Limits) -> None:
        self.service = service
        self.last_lines: deque[str] = deque(maxlen=20)
        self._printer = printer
        self._limits = limits
        self._process: Process | None = None
        self._stopping = asyncio.Event()

    def say(self, text: str) -> None:
        self._printer.line(self.service.name, text)

    def last_words(self) -> str:
        return " The last it said:" + "".join(f"\n    {line}" for line in self.last_lines) if self.last_lines else ""

    async def run_once(self) -> int:
        """Run it until it ends; returns its exit code, negative for a signal."""
        # A pipe of our own: asyncio's would hold up `wait` as long as anybody, a stray grandchild say, keeps it open.
        receiving, sending = os.pipe()
        try:
            process = await asyncio.create_subprocess_exec(
                *leash(self.service.command),
                stdin=DEVNULL,
                stdout=sending,
                stderr=STDOUT,
                env={**os.environ, **self.service.environment},
                # Ctrl-C reaches every process of the terminal's group. Here it shall reach the supervisor alone,
                # which then stops the others in order.
                start_new_session=True,
            )
        finally:
            os.close(sending)
        self._process = process
        reading = asyncio.create_task(self._read(receiving))
        try:
            code = await process.wait()
            # Whatever it had started, and did not take along:
            _signal_group(process.pid, signal.SIGKILL)
            await asyncio.wait([reading], timeout=1.0)
            return code
        finally:
            self._process = None
            reading.cancel()

    async def keep(self) -> None:
        """Run it, again and again, until `stop` is called. Raises `GaveUp`."""
        limits = self._limits
        settled, in_a_row = False, 0
        deaths: deque[float] = deque(maxlen=limits.deaths)
        while not self._stopping.is_set():
            started = time.monotonic()
            code = await self.run_once()
            if self._stopping.is_set():
                return
            now = time.monotonic()
            lived = now - started
            if lived >= limits.settled_after:
                settled, in_a_row = True, 0
            in_a_row += 1
            deaths.append(now)
            how = _how_it_ended(code)
            if not settled and len(deaths) == limits.deaths and now - deaths[0] <= limits.settled_after:
                raise GaveUp(
                    f"{self.service.name} {how}, and that {limits.deaths} times within {now - deaths[0]:.0f} seconds."
                    + self.last_words()
                )
            if self.service.quiet:
                for line in self.last_lines:
                    self.say(line)
            delay = min(limits.longest_delay, limits.first_delay * 2 ** (in_a_row - 1))
            self.say(f"{how} after {lived:.1f} s; starting it again in {delay:g} s")
            await asyncio.sleep(delay)

    async def stop(self, hurry: asyncio.Event) -> None:
        """Ask it to end, and insist after its patience is over or once somebody is in a hurry."""
        self._stopping.set()
        process = self._process
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGTERM)
        ended = asyncio.ensure_future(process.wait())
        waits = [ended, asyncio.ensure_future(hurry.wait())]
        await asyncio.wait(waits, timeout=self.service.patience, return_when=asyncio.FIRST_COMPLETED)
        if not ended.done():
            if not hurry.is_set():
                self.say(f"has not ended within {self.service.patience:g} s, so it is killed")
            _signal_group(process.pid, signal.SIGKILL)
            await ended
        waits[1].cancel()

    async def _read(self, pipe: int) -> None:
        output = asyncio.StreamReader()
        loop = asyncio.get_running_loop()
        transport, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(output), os.fdopen(pipe, "rb", buffering=0)
        )
        with contextlib.closing(transport):
            await self._read_lines(output)

    async def _read_lines(self, output: asyncio.StreamReader) -> None:
        rest = b""
        while chunk := await output.read(65536):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                self._heard(line)
            if len(rest) > 65536:
                self._heard(rest)
                rest = b""
        if rest:
            self._heard(rest)

    def _heard(self, line: bytes) -> None:
        text = line.decode(errors="replace").rstrip()
        if text:
            self.last_lines.append(text)
            if not self.service.quiet:
                self.say(text)


class Supervisor:
    """Runs services side by side; leaving it stops them, the last one first.

    >>> async with Supervisor(printer) as supervisor:
    ...     supervisor.start(service)
    ...     await supervisor.ready()
    ...     await supervisor.forever()
    """

    def __init__(self, printer: Printer, limits: Limits | None = None) -> None:
        self._printer = printer
        self._limits = limits or Limits()
        self._kept: list[tuple[_Keeper, asyncio.Task[None]]] = []
        self._hurry = asyncio.Event()

    async def __aenter__(self) -> Supervisor:
        return self

    async def __aexit__(self, *_: object) -> None:
        for keeper, task in reversed(self._kept):
            await keeper.stop(self._hurry)
            # It may be waiting to start its service again; and whether it gave up is known by now.
            await asyncio.wait([task], timeout=2.0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    def hurry(self) -> None:
        """Let nothing end in its own time any more."""
        self._hurry.set()

    async def run(self, service: Service) -> None:
        """Run this one to its end. Raises `GaveUp` if that is not a good end."""
        keeper = _Keeper(service, self._printer, self._limits)
        task = asyncio.create_task(keeper.run_once())
        try:
            code = await self._unless_one_gives_up(task)
        finally:
            if not task.done():
                await keeper.stop(self._hurry)
                task.cancel()
        if code != 0:
            raise GaveUp(f"{service.name} {_how_it_ended(code)}." + keeper.last_words())

    def start(self, service: Service) -> None:
        """Start this one and keep it running."""
        keeper = _Keeper(service, self._printer, self._limits)
        self._kept.append((keeper, asyncio.create_task(keeper.keep())))

    async def ready(self) -> None:
        """Wait until all that were started are ready. Raises `GaveUp` if one will not run."""
        for keeper, _ in self._kept:
            if keeper.service.ready is not None:
                await self._unless_one_gives_up(asyncio.create_task(_until(keeper.service.ready)))

    async def forever(self) -> None:
        """Wait for a service that will not run. Raises `GaveUp`."""
        await self._unless_one_gives_up(asyncio.create_task(asyncio.Event().wait()))

    async def _unless_one_gives_up(self, task: asyncio.Task[T]) -> T:
        keeping = [kept for _, kept in self._kept]
        try:
            await asyncio.wait([task, *keeping], return_when=asyncio.FIRST_COMPLETED)
            for kept in keeping:
                if kept.done():
                    await kept
            return await task
        except BaseException:
            task.cancel()
            raise


async def _until(ready: Callable[[], Awaitable[bool]]) -> None:
    while not await ready():  # noqa: ASYNC110
        await asyncio.sleep(0.1)


def _signal_group(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, number)


def _how_it_ended(code: int) -> str:
    if code < 0:
        return f"was killed by {signal.Signals(-code).name}"
    return f"ended with exit code {code}"
