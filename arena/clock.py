"""Time: the wall's for real play, and one that stands still until it is moved, for tests."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Iterable
from typing import Any

BEAT = 0.01
"""Seconds between two looks at whether this process gets to run."""

NOTICED = 0.02
"""Seconds: a beat that comes later than this is a stall."""


class WallClock:
    """The real time, and how much of it this process slept through without wanting to.

    Use it as an async context manager: its heart beats on the running loop, so that a stall of the loop, the
    process or the machine shows as a beat that came too late.
    """

    def __init__(self) -> None:
        self._stalls: deque[tuple[float, float]] = deque(maxlen=1000)
        self._heart: asyncio.Task[None] | None = None

    async def __aenter__(self) -> WallClock:
        self._heart = asyncio.create_task(self._beat())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._heart is not None:
            self._heart.cancel()
            await asyncio.gather(self._heart, return_exceptions=True)

    def now(self) -> float:
        """Seconds of a monotonic clock."""
        return time.perf_counter()

    async def wait(self, tasks: set[asyncio.Task[Any]], within: float | None) -> None:
        """Return when one of ``tasks`` is done, or after ``within`` seconds."""
        await asyncio.wait(tasks, timeout=within, return_when=asyncio.FIRST_COMPLETED)

    async def drain(self) -> None:
        """Let the loop read what has arrived: the wire's own thread needs a moment to hand it over."""
        for _ in range(3):
            await asyncio.sleep(0.001)

    def stalled(self, since: float) -> float:
        """Seconds since the moment ``since`` that this process missed."""
        return _missed(self._stalls, since)

    async def _beat(self) -> None:
        last = self.now()
        while True:
            await asyncio.sleep(BEAT)
            now = self.now()
            if now - last > BEAT + NOTICED:
                self._stalls.append((now, now - last - BEAT))
            last = now


class FakeClock:
    """A clock for tests. It moves only when `advance` is called, and wakes whoever waited for that moment."""

    def __init__(self) -> None:
        self._now = 0.0
        self._drained = 0
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []
        self._stalls: list[tuple[float, float]] = []

    def now(self) -> float:
        """Seconds since the clock was made."""
        return self._now

    async def advance(self, seconds: float) -> None:
        """Move on, moment by moment, letting everybody act whose moment has come."""
        goal = self._now + seconds
        await self._settle()
        while due := [at for at, _ in self._sleepers if at <= goal]:
            self._now = max(self._now, min(due))
            self._wake()
            await self._settle()
        self._now = goal
        await self._settle()

    def stall(self, seconds: float) -> None:
        """Pretend that this process did not get to run for ``seconds``, until now; time has passed meanwhile."""
        self._now += seconds
        self._stalls.append((self._now, seconds))
        self._wake()

    async def sleep(self, seconds: float) -> None:
        """Return when the clock has moved on by ``seconds``."""
        if seconds <= 0:
            return
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._sleepers.append((self._now + seconds, future))
        await future

    async def wait(self, tasks: set[asyncio.Task[Any]], within: float | None) -> None:
        """Return when one of ``tasks`` is done, or when the clock has moved on by ``within`` seconds."""
        if within is None:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            return
        alarm = asyncio.ensure_future(self.sleep(within))
        try:
            await asyncio.wait({alarm, *tasks}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            alarm.cancel()
            await asyncio.gather(alarm, return_exceptions=True)

    async def drain(self) -> None:
        """Let every task that can go on go on."""
        for _ in range(20):
            self._drained += 1
            await asyncio.sleep(0)

    async def _settle(self) -> None:
        """Return when nobody drains any more, nor is about to do anything else."""
        quiet, before = 0, self._drained
        while quiet < 40:
            await asyncio.sleep(0)
            quiet, before = (quiet + 1, before) if self._drained == before else (0, self._drained)

    def stalled(self, since: float) -> float:
        """Seconds of pretended stalls since the moment ``since``."""
        return _missed(self._stalls, since)

    def _wake(self) -> None:
        for at, future in self._sleepers:
            if at <= self._now and not future.done():
                future.set_result(None)
        self._sleepers = [(at, future) for at, future in self._sleepers if not future.done()]


def _missed(stalls: Iterable[tuple[float, float]], since: float) -> float:
    """How much of the stalls, each with its end and its length, falls into the time after ``since``."""
    return sum(min(length, end - since) for end, length in stalls if end > since)
