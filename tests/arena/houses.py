"""Hosted bots at a table, for tests."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import psutil

from arena.clock import WallClock
from arena.hosted import HostedBot
from arena.record import Record
from arena.referee import Seat
from arena.sandbox.walls import ALL, Walls
from arena.seats import Listener
from arena.table import Limits, Penalty, Player
from arena.verify import verify
from tests.arena.tables import GAME, playing

LIMITS = Limits(ready_ms=10_000, move_ms=3_000, bank_ms=0)

GOOD = """
GAME = "three_coins"
def choose(view):
    return view.legal[0]
"""

SECOND_MOVE = """
import os, signal, subprocess, sys, threading, time
GAME = "three_coins"
asked = 0
def choose(view):
    global asked
    asked += 1
    if asked == 2:
        {what}
    return view.legal[0]
"""


def second(what: str) -> str:
    """A bot that does something at its second question."""
    return SECOND_MOVE.format(what=what)


LONG = f"9{os.getpid()}"
"""Seconds that no other test sleeps."""


class House:
    """Plays matches of hosted bots over one series."""

    def __init__(self, folder: Path, walls: Walls = ALL) -> None:
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self.walls = walls
        self.listening = contextlib.AsyncExitStack()
        self.bots: list[HostedBot] = []
        self.printed: list[str] = []

    async def open(self, *sources: str, files: Mapping[str, str] | None = None) -> None:
        """A bot of each source; ``files`` lie beside all of them."""
        for number, source in enumerate(sources):
            folder = self.folder / str(len(self.bots))
            folder.mkdir()
            (folder / "bot.py").write_text(source)
            for name, content in (files or {}).items():
                (folder / name).write_text(content)
            listener = await self.listening.enter_async_context(Listener(f"unix:{self.folder}/{len(self.bots)}.s"))
            player = Player(f"bot {number}", f"sha256:{number}")
            self.bots.append(HostedBot(GAME, player, folder, "bot.py", listener, walls=self.walls))
        await asyncio.gather(*(bot.open() for bot in self.bots))

    async def match(
        self, *, limits: Limits = LIMITS, penalty: Penalty = "forfeit", beside: Sequence[Seat] = ()
    ) -> Record:
        """A match of all its bots, and of who sits ``beside`` them."""
        async with asyncio.timeout(90), WallClock() as clock:
            seats = [*await asyncio.gather(*(bot.sit() for bot in self.bots)), *beside]
            record = await playing(clock, seats, limits=limits, penalty=penalty)
            self.printed = list(await asyncio.gather(*(bot.rise() for bot in self.bots)))
        verify(record)
        return record

    async def close(self) -> None:
        await asyncio.gather(*(bot.close() for bot in self.bots), return_exceptions=True)
        await self.listening.aclose()


def ours(process: psutil.Process) -> bool:
    try:
        command = " ".join(process.cmdline())
        return process.status() != psutil.STATUS_ZOMBIE and (
            (f"[{os.getpid()}, [" in command and process.name() != "bwrap") or f"sleep {LONG}" in command
        )
    except psutil.Error:
        return False
