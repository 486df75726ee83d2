"""How long a hosted bot takes to sit down, against a bare ``python -c "import grpc"`` in the same run.

    python -m bench.startup

The first match of a series starts a locked-in process for each seat, the later ones fork it: from the start of the one
or the other until all have said Hello, divided by the seats. A numpy bot is compared with ``import grpc, numpy``.
Then how many hosted matches are played in a minute when every core plays series.
"""

from __future__ import annotations

import asyncio
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import NamedTuple

from arena import chance
from arena.clock import WallClock
from arena.games import find_game
from arena.hosted import HostedBot
from arena.referee import Luck, Terms, play
from arena.rules import ruleset
from arena.sandbox.detect import detect
from arena.seats import Listener
from arena.table import Limits, Player
from bots import house_bots

GAME = find_game("three_coins")
RULES = ruleset(GAME, "duel")
ROUNDS = 5
LATER = 8
"""Matches after the first one, in each round."""
PLAY_SECONDS = 10.0
MATCHES = 12
"""Of a series, where matches a minute are counted."""

BARE = "import grpc"
PLAIN = 'GAME = "three_coins"\ndef choose(view):\n    return view.legal[0]\n'
WITH_NUMPY = "import numpy\n" + PLAIN


class Cost(NamedTuple):
    """Of starting one seat, in seconds."""

    wall: float
    cpu: float


def _cpu() -> float:
    """Processor time of this process and of the children that it has waited for."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


def floor(code: str) -> Cost:
    """A bare interpreter."""
    began, used = time.perf_counter(), _cpu()
    subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603
    return Cost(time.perf_counter() - began, _cpu() - used)


async def _sit(source: str, seats: int, matches: int) -> tuple[float, float]:
    """Wall time of the first start and, on average, of the later ones."""
    with tempfile.TemporaryDirectory(prefix="arena-") as name:
        async with AsyncExitStack() as stack:
            bots = await _bots(stack, Path(name), [source] * seats)
            began = time.perf_counter()
            await asyncio.gather(*(bot.open() for bot in bots))
            await asyncio.gather(*(bot.sit() for bot in bots))
            first = time.perf_counter() - began
            later = 0.0
            for _ in range(matches - 1):
                await asyncio.gather(*(bot.rise() for bot in bots))
                began = time.perf_counter()
                await asyncio.gather(*(bot.sit() for bot in bots))
                later += time.perf_counter() - began
            await asyncio.gather(*(bot.rise() for bot in bots))
            await asyncio.gather(*(bot.close() for bot in bots))
    return first, later / max(1, matches - 1)


async def _bots(stack: AsyncExitStack, folder: Path, sources: list[str]) -> list[HostedBot]:
    bots = []
    for seat, source in enumerate(sources):
        files = _write(folder / str(seat), source)
        listener = await stack.enter_async_context(Listener(f"unix:{folder}/{seat}.s"))
        bots.append(HostedBot(GAME, Player(f"bot {seat}", None), files, "bot.py", listener))
    return bots


def _write(folder: Path, source: str) -> Path:
    folder.mkdir()
    (folder / "bot.py").write_text(source)
    return folder


def seated(source: str, seats: int) -> tuple[Cost, Cost]:
    """What a seat costs in the first match of a series, and in each later one."""
    before = _cpu()
    first, _ = asyncio.run(_sit(source, seats, 1))
    once = _cpu() - before
    before = _cpu()
    _, later = asyncio.run(_sit(source, seats, 1 + LATER))
    often = _cpu() - before
    return Cost(first / seats, once / seats), Cost(later / seats, max(0.0, often - once) / LATER / seats)


def compare(name: str, source: str, bare: str, tables: tuple[int, ...]) -> None:
    """Measure in turn, and print medians and ratios to the floor."""
    floors: list[Cost] = []
    costs: dict[int, list[tuple[Cost, Cost]]] = {seats: [] for seats in tables}
    for _ in range(ROUNDS):
        floors.append(floor(bare))
        for seats in tables:
            costs[seats].append(seated(source, seats))
    print(f'{name}: python -c "{bare}" takes {_told(floors)}')
    for seats, measured in costs.items():
        for when, index, most in (("the first match", 0, 1.5), ("a later match", 1, 0.3)):
            of_kind = [pair[index] for pair in measured]
            wall = _median([cost.wall / least.wall for cost, least in zip(of_kind, floors, strict=True)])
            cpu = _median([cost.cpu / least.cpu for cost, least in zip(of_kind, floors, strict=True)])
            print(
                f"  {seats} seats, {when:15}  {_told(of_kind)} a seat:"
                f"  {wall:.2f} of the floor, {cpu:.2f} in processor time  (target {most})"
            )


def _told(costs: list[Cost]) -> str:
    wall, cpu = _median([cost.wall for cost in costs]), _median([cost.cpu for cost in costs])
    return f"{wall * 1000:.0f} ms ({cpu * 1000:.0f} ms processor)"


_median: Callable[[list[float]], float] = statistics.median


async def _series(seconds: float) -> int:
    """Series of house bots, one after the other; how many matches."""
    played, began = 0, time.perf_counter()
    bots = house_bots(GAME.name)
    sources = [bots[name].read_text() for name in ("random", "honest")]
    while time.perf_counter() - began < seconds:
        with tempfile.TemporaryDirectory(prefix="arena-") as name:
            async with AsyncExitStack() as stack, WallClock() as clock:
                seats = await _bots(stack, Path(name), sources)
                await asyncio.gather(*(bot.open() for bot in seats))
                for number in range(1, MATCHES + 1):
                    sitting = await asyncio.gather(*(bot.sit() for bot in seats))
                    luck = Luck(chance.digest(b"%d" % number), (b"", b""))
                    players = tuple(Player(f"bot {seat}", None) for seat in range(2))
                    await play(GAME, Terms(f"m-{number}", RULES, players, Limits()), sitting, luck, clock=clock)
                    await asyncio.gather(*(bot.rise() for bot in seats))
                    played += 1
                await asyncio.gather(*(bot.close() for bot in seats))
    return played


def matches_a_minute() -> float:
    """With a process that plays series on every core."""
    command = [sys.executable, "-m", "bench.startup", "play"]
    began = time.perf_counter()
    workers = [
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603
        for _ in range(os.cpu_count() or 1)
    ]
    played = sum(int(worker.communicate()[0]) for worker in workers)
    return played * 60 / (time.perf_counter() - began)


def main(arguments: list[str]) -> None:
    """Measure and print; or play series."""
    if arguments[:1] == ["play"]:
        print(asyncio.run(_series(PLAY_SECONDS)))
        return
    found = detect()
    print(f"the sandbox is {'strong' if found.strong else f'not strong: {found.why}'}")
    compare("a plain bot", PLAIN, BARE, (2, 4))
    compare("a numpy bot", WITH_NUMPY, "import grpc, numpy", (2,))
    print(f"hosted matches a minute on {os.cpu_count()} cores, {MATCHES} a series: {matches_a_minute():,.0f}")


if __name__ == "__main__":
    main(sys.argv[1:])
