"""Hostile bots. Each first breaks out where the walls before it are taken away, since else its test would prove
nothing; then all walls stand, it is contained, its author reads so, and the match goes on to its end."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import platform
import secrets
import socket
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import psutil
import pytest

from arena import hosted
from arena.clock import WallClock
from arena.sandbox.places import places
from arena.sandbox.walls import ALL, NONE, Walls
from arena.seats import Listener
from arena.table import Limits, Player
from tests.arena.houses import GOOD, House, ours, second
from tests.arena.tables import faults, kinds, playing, scripted

HERE = Path(__file__).parent
PRELUDE = (HERE / "prelude.py").read_text()


def without(*names: str) -> Walls:
    """All walls but these."""
    return ALL._replace(**dict.fromkeys(names, False))


FILES = without("outer", "landlock")
PARENT = without("seccomp", "landlock", "uid")

ATTACKS = {
    "abstract_socket": FILES,
    "anonymous_file": without("seccomp"),
    "become_root": without("uid", "seccomp"),
    "change_runtime": FILES,
    "daemon": without("seccomp"),
    "data_folder": FILES,
    "environment": FILES,
    "execute": without("seccomp", "landlock"),
    "exhaust_files": without("limits"),
    "file_locks": without("seccomp"),
    "fill_elsewhere": FILES,
    "fill_inodes": NONE,
    "fill_tmp": NONE,
    "fill_tmp_in_parts": NONE,
    "fork_bomb": without("seccomp", "limits", "cgroup"),
    "home": FILES,
    "hurry": NONE,
    "io_uring": without("seccomp", "limits"),
    "keyring": without("seccomp"),
    "limit_parent": PARENT,
    "memory_bomb": without("limits", "cgroup"),
    "mount": PARENT,
    "netlink": without("seccomp"),
    "other_bot": FILES,
    "other_socket": without("outer"),
    "outlive": FILES,
    "pidfd_parent": PARENT,
    "pin_parent": PARENT,
    "postgresql": without("outer"),
    "processes": FILES,
    "raise_limits": without("limits"),
    "read_memory": PARENT,
    "redis": without("outer"),
    "shadow": FILES,
    "shared_memory": NONE,
    "signal_by_kernel": without("seccomp"),
    "signal_parent": PARENT,
    "signal_runner": without("outer", "landlock", "seccomp"),
    "symlink": FILES,
    "system_v": without("seccomp"),
    "tcp": without("outer", "landlock", "seccomp"),
    "thread_bomb": without("limits", "cgroup"),
    "trace": PARENT,
    "udp": without("outer", "landlock", "seccomp"),
    "user_namespace": without("seccomp"),
}
"""The hostile bots by the walls among which they break out."""


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    """Whatever a bot has started is gone when its series is over."""
    before = {process.pid for process in psutil.process_iter()}
    yield
    left = [process for process in psutil.process_iter() if process.pid not in before and ours(process)]
    assert not left


@pytest.fixture
async def targets(tmp_path: Path, redis_url: str, postgresql_url: str) -> AsyncIterator[dict[str, Any]]:
    """Everything worth attacking, for real: servers, files, processes."""
    word, abstract = f"bluff-{secrets.token_hex(4)}", secrets.token_hex(8)
    site = tmp_path / "site"
    site.mkdir()
    (site / "secret").write_text("the secret of the site")

    async def greet(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"hello from outside")
        writer.close()

    tcp = await asyncio.start_server(greet, "127.0.0.1", 0)
    unix = await asyncio.start_unix_server(greet, f"\0{abstract}")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.bind(("127.0.0.1", 0))
        yield {
            "word": word,
            "folder": str(site),
            "secret": secret_of_ours(),
            "port": tcp.sockets[0].getsockname()[1],
            "udp": udp.getsockname()[1],
            "abstract": abstract,
            "redis": urlsplit(redis_url).path,
            "postgresql": parse_qs(urlsplit(postgresql_url).query)["host"][0] + "/.s.PGSQL.5432",
            "other_socket": str(tmp_path / "house" / "1.s"),
            "other_bot": str(tmp_path / "house" / "1" / "bot.py"),
            "home": str(Path.home()),
            "runner": os.getpid(),
            "python": places().python,
            "add_key": {"x86_64": 248, "aarch64": 217}[platform.machine()],
            "clone": {"x86_64": 56, "aarch64": 220}[platform.machine()],
        }
    for server in (tcp, unix):
        server.close()
        await server.wait_closed()
    sweep(word)


def secret_of_ours() -> str:
    """Something of the environment that this process was started with, which is what others can see of it."""
    return max(Path("/proc/self/environ").read_text().split("\0"), key=len)


def sweep(word: str) -> None:
    """Take away what hostile bots have left where no walls stood."""
    for left in Path("/tmp").glob(f"{word}*"):
        left.unlink()


@contextlib.asynccontextmanager
async def house(
    folder: Path, walls: Walls, *sources: str, targets: dict[str, Any] | None = None
) -> AsyncIterator[House]:
    """A table of bots among these walls."""
    standing = House(folder, walls)
    try:
        await standing.open(*sources, files={"targets.json": json.dumps(targets)} if targets else {})
        yield standing
    finally:
        await standing.close()


def attacker(name: str) -> str:
    return PRELUDE + (HERE / "bots" / f"{name}.py").read_text()


def test_every_hostile_bot_is_tried() -> None:
    assert {file.stem for file in (HERE / "bots").glob("*.py")} == set(ATTACKS) | {"dial_twice"}


@pytest.mark.parametrize("name", ATTACKS)
async def test_it_breaks_out_without_the_walls_and_is_contained_by_them(
    name: str, tmp_path: Path, targets: dict[str, Any]
) -> None:
    others, beside = ([GOOD], []) if name in AMONG_OTHERS else ([], scripted(()))
    async with house(
        tmp_path / "open", ATTACKS[name], attacker(name), *others, targets=targets | opened(tmp_path)
    ) as loose:
        await loose.match(limits=PATIENT, beside=beside)
        assert loose.printed[0].startswith("BROKE OUT"), loose.printed[0]
    async with house(tmp_path / "house", ALL, attacker(name), GOOD, targets=targets) as locked:
        for _ in range(2 if name in AGAIN else 1):
            record = await locked.match(limits=PATIENT)
            assert "BROKE OUT" not in locked.printed[0]
            assert locked.printed[0].startswith("contained: "), locked.printed[0]
            assert not faults(record), "it plays on, and so do the others"
            assert locked.printed[1] == ""


PATIENT = Limits(10_000, 20_000, 0)

AMONG_OTHERS = {"other_bot", "other_socket", "processes"}
"""Those that attack another bot of the house. The rest break out beside a script too, which is there at once."""

AGAIN = {"fill_tmp_in_parts", "fill_inodes", "memory_bomb", "thread_bomb"}
"""Those whose next match must begin with nothing of theirs left: they are contained at the same point again."""


def opened(tmp_path: Path) -> dict[str, str]:
    """Where the other bot is in the house without walls."""
    return {
        "other_socket": str(tmp_path / "open" / "1.s"),
        "other_bot": str(tmp_path / "open" / "1" / "bot.py"),
    }


# ---- what ends the attacker ----------------------------------------------------------------------


async def judged(tmp_path: Path, walls: Walls, source: str, **limits: Any) -> tuple[Any, str]:
    """The first fault, which must be the attacker's and only his, and what he printed."""
    async with house(tmp_path / secrets.token_hex(2), walls, source, GOOD) as standing:
        record = await standing.match(**limits)
        assert {step.seat for step in faults(record)} == {0}
        assert record.outcome.places == (2, 1)
        # nobody is charged for it in the next match: it is played again in the same way
        assert kinds(await standing.match(**limits)) == kinds(record)
        return faults(record)[0], standing.printed[0]


@pytest.fixture
def an_end_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """How a process has ended is told by its parent, which may be late on a busy machine."""
    monkeypatch.setattr(hosted, "EXIT_SECONDS", 30.0)


@pytest.mark.usefixtures("an_end_is_waited_for")
async def test_memory_that_no_limit_of_a_process_counts_is_counted_by_the_group(tmp_path: Path) -> None:
    bomb = second("globals().update(kept=b'x' * (700 << 20))")
    async with house(tmp_path / "open", without("limits", "cgroup"), bomb, GOOD) as loose:
        assert not faults(await loose.match(limits=PATIENT))
    fault, _ = await judged(tmp_path, without("limits"), bomb, limits=PATIENT)
    assert fault.kind == "gone"
    assert "its memory was used up" in fault.detail


async def test_an_author_reads_that_the_memory_was_not_enough(tmp_path: Path) -> None:
    fault, printed = await judged(tmp_path, ALL, "kept = b'x' * (700 << 20)\n" + GOOD)
    assert fault.kind == "gone"
    assert "MemoryError" in printed


@pytest.mark.usefixtures("an_end_is_waited_for")
async def test_processor_time_is_used_up(tmp_path: Path) -> None:
    burn = second("import resource; resource.setrlimit(resource.RLIMIT_CPU, (1, 2))\n        while True: pass")
    fault, _ = await judged(tmp_path, ALL, burn, limits=PATIENT)
    assert fault.kind == "gone"
    assert "killed by SIGXCPU (its processor time was used up)" in fault.detail


async def test_an_endless_loop_at_import_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosted, "DIAL_SECONDS", 1.5)
    async with house(tmp_path / "h", ALL, "while True: pass") as standing:
        for _ in range(2):
            record = await standing.match(beside=scripted(()))  # it is there at once, however little time there is
            assert kinds(record) == [(0, "gone", "forfeit")]
            assert "said no Hello" in faults(record)[0].detail


async def test_an_endless_loop_in_a_move_is_late(tmp_path: Path) -> None:
    fault, _ = await judged(tmp_path, ALL, second("while True: pass"))
    assert fault.kind == "late"


async def test_a_message_of_megabytes_breaks_its_own_line(tmp_path: Path) -> None:
    huge = """
from arena.conversation import Conversation
from arena.protocol.v1 import arena_pb2 as pb
receive = Conversation.receive
def bloated(self, message):
    replies = receive(self, message)
    for reply in replies:
        if reply.WhichOneof("message") == "answer":
            reply.answer.log.append("x" * 9_000_000)
    return replies
Conversation.receive = bloated
"""
    fault, _ = await judged(tmp_path, ALL, huge + GOOD)
    assert fault.kind == "gone"


async def test_messages_that_mean_nothing_are_unreadable(tmp_path: Path) -> None:
    empty = """
from arena.conversation import Conversation
from arena.protocol.v1 import arena_pb2 as pb
receive = Conversation.receive
def nonsense(self, message):
    return [pb.PlayRequest() if r.WhichOneof("message") == "answer" else r for r in receive(self, message)]
Conversation.receive = nonsense
"""
    fault, _ = await judged(tmp_path, ALL, empty + GOOD)
    assert fault.kind == "unreadable"


async def test_its_ticket_is_good_for_one_chair(tmp_path: Path) -> None:
    """Not even with its own ticket does it get a second line; with one that nobody has used it would."""
    async with Listener(f"unix:{tmp_path}/other") as other:
        ticket, line = other.expect(Player("the other", None))
        free = {"listener": other.target, "ticket": ticket}
        async with house(
            tmp_path / "open", without("outer", "landlock"), attacker("dial_twice"), GOOD, targets=free
        ) as loose:
            await loose.match(limits=PATIENT)
            assert loose.printed[0] == "BROKE OUT: the other\n"
        await line
    async with house(
        tmp_path / "house", ALL, attacker("dial_twice"), GOOD, targets={"listener": "", "ticket": ""}
    ) as locked:
        assert not faults(await locked.match(limits=PATIENT))
        assert "this ticket is unknown, or was used before" in locked.printed[0]


# ---- what is left for the next match, and for the others -----------------------------------------


async def test_nothing_in_tmp_is_seen_by_the_next_match(tmp_path: Path) -> None:
    remember = "import os\nprint(sorted(os.listdir('/tmp')))\nopen('/tmp/remembered', 'w').write('x')\n"
    async with house(tmp_path / "h", ALL, GOOD + remember, GOOD + remember) as locked:
        for _ in range(3):
            assert not faults(await locked.match(limits=PATIENT))
            assert locked.printed == ["[]\n", "[]\n"]


@pytest.mark.parametrize("idle", [3600.0, hosted.IDLE_SECONDS], ids=["never frozen", "frozen"])
async def test_a_bot_that_is_not_asked_does_not_run(
    idle: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would burn the processor while the clocks of others run."""
    monkeypatch.setattr(hosted, "IDLE_SECONDS", idle)
    burning = "def ponder():\n    while True: pass\n" + second("threading.Thread(target=ponder, daemon=True).start()")
    async with house(tmp_path / "h", ALL, burning, second("time.sleep(1.5)")) as standing, WallClock() as clock:
        seats = [await bot.sit() for bot in standing.bots]
        playing_now = asyncio.ensure_future(playing(clock, seats, limits=PATIENT))
        stopped = set()
        while not playing_now.done():
            await asyncio.sleep(0.05)
            for process in psutil.Process().children(recursive=True):
                with contextlib.suppress(psutil.Error):
                    if process.status() == psutil.STATUS_STOPPED:
                        stopped.add(process.pid)
        assert not faults(await playing_now), "what was frozen goes on when it is asked"
        for bot in standing.bots:
            await bot.rise()
    assert bool(stopped) == (idle < 1)
