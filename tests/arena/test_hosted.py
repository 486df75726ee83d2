"""Bots in processes of ours, which do what they should not: it costs only them, and nothing of it is left."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import psutil
import pytest

from arena import hosted
from arena.clock import WallClock
from arena.hosted import HostedBot
from arena.referee import PlatformFailure
from arena.sandbox import cell, places
from arena.sandbox.cell import OUTPUT_BYTES
from arena.sandbox.walls import ALL, NONE, Walls
from arena.seats import Listener
from arena.table import Limits, Player
from tests.arena.houses import GOOD, LONG, House, ours, second
from tests.arena.tables import GAME, faults, kinds, playing, scripted

OUTER = NONE._replace(outer=True)


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    """Whatever a bot has started is gone when its series is over."""
    before = {process.pid for process in psutil.process_iter()}
    yield
    left = [process for process in psutil.process_iter() if process.pid not in before and ours(process)]
    assert not left


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    standing = House(tmp_path)
    yield standing
    await standing.close()


def descendants(of: int | None = None) -> list[psutil.Process]:
    """Of a runner, or of this process those that are of a hosted bot."""
    found = psutil.Process(of).children(recursive=True)
    return found if of is not None else [process for process in found if ours(process)]


# ---- good ones -----------------------------------------------------------------------------------


async def test_good_bots_play_match_after_match(house: House) -> None:
    await house.open(GOOD, GOOD + "\nprint('loaded')\n", GOOD)
    for _ in range(3):
        record = await house.match(limits=Limits())
        assert not faults(record)
        assert house.printed == ["", "loaded\n", ""]
    assert len(descendants()) == 3, "the warm ones; those of the matches have ended"


async def test_memory_of_one_match_is_not_seen_in_the_next(house: House) -> None:
    memory = """
import builtins, os, sys, threading
from arena.games import three_coins
print("seen:", getattr(builtins, "seen", 0), getattr(three_coins, "seen", 0), os.environ.get("SEEN", 0),
      sys.modules.get("seen", 0), threading.active_count())
builtins.seen = three_coins.seen = sys.modules["seen"] = 1
os.environ["SEEN"] = "1"
threading.Thread(target=threading.Event().wait, daemon=True).start()
"""
    await house.open(GOOD + memory, GOOD)
    for _ in range(3):
        assert not faults(await house.match())
        assert house.printed[0].startswith("seen: 0 0 0 0 1"), house.printed[0]


DEVICE, PIPE, SOCKET = "2", "1", "12"
"""What `fstat` calls them."""


@pytest.mark.parametrize("walls", [ALL, NONE], ids=["all walls", "no walls"])
async def test_no_secret_of_ours_is_seen_and_no_file_of_ours_is_open(
    house: House, walls: Walls, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = """
import os
print(sorted(os.environ))
for path in ("/proc/self/environ", f"/proc/{os.getppid()}/environ"):
    if os.path.exists(path):
        print(open(path).read())
for fd in range(1024):
    try:
        found = os.fstat(fd)
        print("fd", fd, os.readlink(f"/proc/self/fd/{fd}") if os.path.exists("/proc") else found.st_mode >> 12)
    except OSError:
        pass
"""
    monkeypatch.setenv("ARENA_SECRET", "very-secret-indeed")
    monkeypatch.setenv("DATABASE_URL", "postgres://very-secret-indeed")
    house.walls = walls
    await house.open(GOOD + look, GOOD)
    assert not faults(await house.match())
    printed = house.printed[0]
    assert "very-secret-indeed" not in printed
    assert "ARENA_SECRET" not in printed
    assert "DATABASE_URL" not in printed
    files = dict(line.split()[1:] for line in printed.splitlines() if line.startswith("fd "))
    assert files.pop("0") == ("/dev/null" if walls == NONE else DEVICE)
    assert files.pop("1") == files.pop("2")
    assert not [name for name in files.values() if name.startswith(("socket:", "pipe:", SOCKET, PIPE))], files


# ---- bad ones ------------------------------------------------------------------------------------


async def test_what_raises_at_import_is_gone_and_its_author_reads_why(house: House) -> None:
    await house.open("print('before')\n1 / 0\n", GOOD)
    for _ in range(2):
        record = await house.match()
        assert kinds(record) == [(0, "gone", "forfeit")]
        assert "its process ended before it said Hello (exit status 1)" in faults(record)[0].detail
        assert "before" in house.printed[0]
        assert "/bot/bot.py:2: ZeroDivisionError: division by zero" in house.printed[0]


async def test_what_loops_at_import_is_gone_in_time(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosted, "DIAL_SECONDS", 2.0)
    await house.open("print('looping')\nwhile True: pass\n")
    for _ in range(2):
        record = await house.match(beside=scripted(()))  # it is there at once, however little time there is
        assert kinds(record) == [(0, "gone", "forfeit")]
        assert "its process said no Hello within 2 s" in faults(record)[0].detail
        assert house.printed[0] == "looping\n"


ENDS = {
    "sys.exit(7)": "its process ended (exit status 7)",
    "os._exit(7)": "its process ended (exit status 7)",
    "os.kill(os.getpid(), signal.SIGKILL)": "its process ended (killed by SIGKILL)",
    "os.kill(os.getpid(), signal.SIGTERM)": "its process ended (killed by SIGTERM)",
    "os.kill(os.getppid(), signal.SIGKILL)": "its process ended (killed together with its parent)",
    "os.kill(os.getppid(), signal.SIGSTOP); os._exit(0)": "stream broke",
}


@pytest.mark.parametrize("what", ENDS)
async def test_what_ends_itself_is_gone_and_the_next_match_is_played(
    house: House, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when it takes its warm parent along: otherwise whoever loses would have every series broken off."""
    if "STOP" not in what:  # the parent tells how it ended, be it late
        monkeypatch.setattr(hosted, "EXIT_SECONDS", 30.0)
    house.walls = NONE
    await house.open(second(what), GOOD)
    for _ in range(1 if "STOP" in what else 2):
        record = await house.match()
        ((seat, kind, _),) = kinds(record)
        assert (seat, kind) == (0, "gone")
        assert ENDS[what] in faults(record)[0].detail or "it closed its stream" in faults(record)[0].detail
        assert record.outcome.places == (2, 1)


async def test_an_exit_with_last_words(house: House) -> None:
    await house.open(second("sys.stdout.write('last words'); sys.exit(7)"), GOOD)
    await house.match()
    assert "last words" in house.printed[0]
    assert "SystemExit: 7" in house.printed[0]


async def test_megabytes_are_thrown_away(house: House) -> None:
    loud = "\nprint('x' * 5_000_000)\nprint('the end')\n"
    await house.open(GOOD + loud, GOOD + "\nprint('quiet')\n")
    for _ in range(2):
        record = await house.match()
        assert not [step for step in faults(record) if step.seat == 1]
        assert house.printed == ["x" * OUTPUT_BYTES, "quiet\n"]


async def test_what_prints_for_ever_is_read_no_faster_than_need_be(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise its printing would be our runner's whole work."""
    monkeypatch.setattr(cell, "OUTPUT_PAUSE", 0.1)
    forever = "import threading\ndef f():\n while True: print('x' * 1000)\nthreading.Thread(target=f).start()\n"
    await house.open(GOOD + forever)
    await house.bots[0].sit()
    bot = max(descendants(), key=lambda process: process.create_time())
    async with asyncio.timeout(60):
        while bot.io_counters().write_chars <= OUTPUT_BYTES:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    await asyncio.sleep(1.0)
    assert OUTPUT_BYTES < bot.io_counters().write_chars < 5_000_000
    printed = await house.bots[0].rise()
    assert len(printed) == OUTPUT_BYTES
    assert set(printed) == {"x", "\n"}


async def test_bytes_that_are_no_text_are_kept_as_well_as_can_be(house: House) -> None:
    await house.open(GOOD + "\nimport os\nos.write(1, b'a\\xff\\x00b')\n", GOOD)
    await house.match()
    assert house.printed[0] == "a\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}b"


async def test_output_stays_with_its_match(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Written in the very last moment, it is there, and nothing of it is there again in the next match."""
    monkeypatch.setattr(cell, "OUTPUT_PAUSE", 0.1)
    late = """
import os, secrets
from arena.kit import Bot
class Late(Bot):
    game = "three_coins"
    def choose(self, view):
        return view.legal[0]
    def on_end(self, end):
        os.write(2, secrets.token_hex(4).encode() * 14_000)
        os._exit(0)
"""
    await house.open(late, GOOD)
    words = set()
    for _ in range(4):
        await house.match()
        word = house.printed[0][:8]
        assert house.printed[0] == word * (OUTPUT_BYTES // 8)
        words.add(word)
    assert len(words) == 4


CHILDREN = {
    "a fork": "os.fork() or time.sleep(LONG_SLEEP)",
    "a daemon": "os.fork() or (os.setsid(), os.fork() and os._exit(0), time.sleep(LONG_SLEEP))",
    "a command": "subprocess.Popen(['sleep', 'LONG_SLEEP'])",
    "a command of its own": "subprocess.Popen(['sleep', 'LONG_SLEEP'], start_new_session=True, env={})",
}
CHILDREN = {name: what.replace("LONG_SLEEP", LONG) for name, what in CHILDREN.items()}


@pytest.mark.parametrize(
    ("name", "walls"), [*((name, NONE) for name in CHILDREN), *((name, OUTER) for name in ("a fork", "a daemon"))]
)
async def test_children_end_with_their_match(house: House, name: str, walls: Walls) -> None:
    house.walls = walls
    await house.open(second(CHILDREN[name]), GOOD)
    for _ in range(2):
        record = await house.match()
        if name != "a fork":
            assert not faults(record)
        assert len(descendants()) == 2, descendants()


@pytest.mark.parametrize("name", ["a fork", "a command"])
async def test_children_of_what_kills_its_parent_end_too(house: House, name: str) -> None:
    house.walls = NONE
    await house.open(second(f"{CHILDREN[name]}; os.kill(os.getppid(), signal.SIGKILL)"), GOOD)
    record = await house.match()
    assert kinds(record)[0][:2] == (0, "gone")
    await house.close()
    assert not descendants()


@pytest.mark.parametrize("name", ["a fork", "a command"])
async def test_children_of_what_stops_its_parent_end_too(house: House, name: str) -> None:
    """They hold its output open, which nobody waits for."""
    house.walls = NONE
    await house.open(second(f"{CHILDREN[name]}; os.kill(os.getppid(), signal.SIGSTOP)"), GOOD)
    await house.match()
    await house.close()
    assert not descendants()


async def test_threads_and_a_deaf_ear_do_not_keep_a_match_alive(house: House) -> None:
    deaf = """
import signal, threading, time
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
threading.Thread(target=time.sleep, args=(98765,)).start()
from arena.kit import Bot
class Deaf(Bot):
    game = "three_coins"
    def choose(self, view):
        return view.legal[0]
    def on_end(self, end):
        time.sleep(98765)
"""
    await house.open(deaf, GOOD)
    for _ in range(2):
        began = time.monotonic()
        record = await house.match()
        assert not faults(record)
        assert time.monotonic() - began < 60
        assert len(descendants()) == 2


async def test_a_slow_answer_is_late_and_in_practice_no_more_than_that(house: House) -> None:
    await house.open(second("time.sleep(2.5)"), GOOD)
    record = await house.match(limits=Limits(5_000, 1_000, 0), penalty="default")
    assert faults(record)[0].kind == "late"
    assert faults(record)[0].seat == 0
    assert len([step for step in faults(record) if step.seat == 0]) < 6, "it catches up"
    assert not [step for step in faults(record) if step.seat == 1]


async def test_a_bot_that_dials_twice_or_says_hello_again_gains_nothing(house: House) -> None:
    again = """
import os, sys, gc, grpc
GAME = "three_coins"
def choose(view):
    return view.legal[0]
"""
    await house.open(again, GOOD)
    assert not faults(await house.match())


# ---- ends of ours --------------------------------------------------------------------------------


async def test_a_series_closed_in_the_middle_of_a_match_leaves_nothing(house: House) -> None:
    house.walls = NONE
    await house.open(second(f"{CHILDREN['a command']}; time.sleep(98765)"), GOOD)
    async with WallClock() as clock:
        seats = list(await asyncio.gather(*(bot.sit() for bot in house.bots)))
        match = asyncio.ensure_future(playing(clock, seats, limits=Limits(5_000, 60_000, 0)))
        async with asyncio.timeout(60):
            while not any("sleep" in process.cmdline() for process in descendants()):  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        began = time.monotonic()
        await house.close()
        assert time.monotonic() - began < 30
        assert not descendants()
        match.cancel()
        await asyncio.gather(match, return_exceptions=True)


@pytest.mark.parametrize("walls", [NONE, OUTER], ids=["no walls", "outer wall"])
async def test_a_closing_that_is_cancelled_is_seen_through(house: House, walls: Walls) -> None:
    house.walls = walls
    await house.open(second(f"{CHILDREN['a fork']}; time.sleep({LONG})"), GOOD)
    await asyncio.gather(*(bot.sit() for bot in house.bots))
    closing = asyncio.ensure_future(house.close())
    for _ in range(3):
        await asyncio.sleep(0.001)
        closing.cancel()
    await asyncio.gather(closing, return_exceptions=True)
    assert closing.cancelled()
    assert not descendants()


async def test_a_warm_process_that_does_not_start_is_our_fault(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    where = places.places()._replace(python="/bin/false")
    monkeypatch.setattr(cell, "places", lambda: where)
    with pytest.raises(PlatformFailure, match="did not start"):
        await house.open(GOOD)


async def test_closing_what_was_never_opened(tmp_path: Path) -> None:
    async with Listener(f"unix:{tmp_path}/s") as listener:
        await HostedBot(GAME, Player("x", None), tmp_path, "x.py", listener).close()


RUNNER = """
import asyncio, sys
sys.path.insert(0, ".")
from pathlib import Path
from arena.clock import WallClock
from arena.sandbox.walls import Walls
from arena.table import Limits
from tests.arena.tables import playing
from tests.arena.houses import GOOD, House, second
from tests.arena.test_hosted import CHILDREN
async def main():
    folder = Path(sys.argv[1])
    async with WallClock() as clock:
        house = House(folder, Walls(*map(int, sys.argv[3])))
        await house.open(second(CHILDREN[sys.argv[2]] + "; time.sleep(98765)"), GOOD)
        seats = [await bot.sit() for bot in house.bots]
        print("playing", flush=True)
        await playing(clock, seats, limits=Limits(5_000, 60_000, 0))
asyncio.run(main())
"""


@pytest.mark.parametrize(
    ("name", "walls"), [("a command", NONE), ("a command of its own", NONE), ("a fork", OUTER), ("a daemon", OUTER)]
)
def test_nothing_outlives_a_runner_that_is_killed(tmp_path: Path, name: str, walls: Walls) -> None:
    arguments = [str(tmp_path), name, "".join(str(int(wall)) for wall in walls)]
    runner = subprocess.Popen([sys.executable, "-c", RUNNER, *arguments], stdout=subprocess.PIPE)
    try:
        assert runner.stdout is not None
        assert runner.stdout.readline() == b"playing\n"
        deadline = time.monotonic() + 60
        bubblewraps = 2 if walls.outer else 0
        while len(every := descendants(runner.pid)) < 5 + bubblewraps:  # two warm ones, two bots, a child of one
            assert time.monotonic() < deadline
            time.sleep(0.02)
        os.kill(runner.pid, signal.SIGKILL)
        _, alive = psutil.wait_procs(every, timeout=60)
        assert not [process for process in alive if process.status() != psutil.STATUS_ZOMBIE]
    finally:
        runner.kill()
        runner.wait()
        runner.stdout.close()
