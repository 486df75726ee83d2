"""The line from a bot to the arena, over real sockets; nobody waits for a real clock."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest

from arena import record
from arena.conversation import Report
from arena.dial import DialError, LineLost, dial, play_stream
from arena.kit import Bot
from arena.protocol.v1 import arena_pb2 as pb
from arena.referee import Luck
from arena.seats import Listener
from arena.seats.stream import SERVER_OPTIONS, Refused, StreamLine, play_handler
from tests.arena.series import PLAYERS, series

Act = Callable[[pb.Hello, StreamLine], Awaitable[None]]


class First(Bot):
    """Plays the first legal move."""

    game = "three_coins"

    def choose(self, view: Any) -> Any:
        return view.legal[0]


@asynccontextmanager
async def arena(tmp_path: Path, *acts: Act) -> AsyncIterator[str]:
    """A server at which the first stream is handled by the first act, and so on."""
    script = list(acts)

    async def receive(hello: pb.Hello, line: StreamLine) -> None:
        if not script:
            raise Refused(pb.ERROR_CODE_NOT_ALLOWED, "nobody else was expected")
        await script.pop(0)(hello, line)
        await line.flush()

    server = grpc.aio.server(options=SERVER_OPTIONS)
    server.add_generic_rpc_handlers((play_handler(receive),))
    target = f"unix:{tmp_path}/door"
    server.add_insecure_port(target)
    await server.start()
    try:
        yield target
    finally:
        await server.stop(None)
    assert script == [], "every act was played"


async def say(line: StreamLine, **message: Any) -> None:
    await line.send(pb.PlayResponse(**message).SerializeToString())


def welcome_then_end(hellos: list[pb.Hello], session: str = "s-1", *, over: bool = True) -> Act:
    async def act(hello: pb.Hello, line: StreamLine) -> None:
        hellos.append(hello)
        await say(line, welcome=pb.Welcome(bot="a", session=session))
        if over:
            await say(line, series_end=pb.SeriesEnd(message="over"))

    return act


def refuse(hellos: list[pb.Hello], code: pb.ErrorCode) -> Act:
    async def act(hello: pb.Hello, _line: StreamLine) -> None:
        hellos.append(hello)
        raise Refused(code, "go away")

    return act


async def call(target: str, waits: list[float], **options: Any) -> Any:
    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    given: dict[str, Any] = {"game": "three_coins", "token": "t", "once": True, "sleep": sleep}
    return await asyncio.wait_for(dial(First, target=target, **(given | options)), 120)


async def test_a_lost_line_is_dialled_again_with_the_session(tmp_path: Path) -> None:
    hellos: list[pb.Hello] = []
    waits: list[float] = []
    acts = [welcome_then_end(hellos, over=False), welcome_then_end(hellos)]
    async with arena(tmp_path, *acts) as target:
        (conversation,) = await call(target, waits)
    assert conversation.over
    assert [hello.resume for hello in hellos] == ["", "s-1"]
    assert [0.5 <= wait <= 1 for wait in waits] == [True]


async def test_a_session_that_was_given_up_is_begun_anew(tmp_path: Path) -> None:
    hellos: list[pb.Hello] = []
    acts = [
        welcome_then_end(hellos, over=False),
        refuse(hellos, pb.ERROR_CODE_UNAUTHENTICATED),
        welcome_then_end(hellos, "s-2"),
    ]
    async with arena(tmp_path, *acts) as target:
        await call(target, [])
    assert [hello.resume for hello in hellos] == ["", "s-1", ""]


async def test_the_wait_grows_while_the_arena_is_closed_and_has_a_bound(tmp_path: Path) -> None:
    hellos: list[pb.Hello] = []
    waits: list[float] = []
    reports: list[Report] = []
    acts = [refuse(hellos, pb.ERROR_CODE_UNAVAILABLE)] * 9
    async with arena(tmp_path, *acts, welcome_then_end(hellos)) as target:
        await call(target, waits, tell=reports.append)
    limits = [2.0, 4, 8, 16, 32, 60, 60, 60, 60]
    assert all(limit / 2 <= wait <= limit for limit, wait in zip(limits, waits, strict=True))
    assert reports[0].text == "go away"  # said once, as the arena said it
    assert all("go away" not in report.text for report in reports if report.kind == "line")


async def test_nobody_there_is_tried_again_for_days(tmp_path: Path) -> None:
    class Enough(Exception):
        pass

    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 1100:  # two to this power is more than a float holds
            raise Enough

    with pytest.raises(Enough):
        await call(f"unix:{tmp_path}/nobody", [], sleep=sleep)
    assert max(waits) <= 60


@pytest.mark.parametrize("code", [pb.ERROR_CODE_UNAUTHENTICATED, pb.ERROR_CODE_WRONG_GAME, pb.ERROR_CODE_NOT_ALLOWED])
async def test_a_refusal_is_final(tmp_path: Path, code: pb.ErrorCode) -> None:
    async with arena(tmp_path, refuse([], code)) as target:
        with pytest.raises(DialError, match="go away"):
            await call(target, [])


async def test_several_tables_are_several_streams(tmp_path: Path) -> None:
    hellos: list[pb.Hello] = []
    async with arena(tmp_path, *[welcome_then_end(hellos)] * 3) as target:
        conversations = await call(target, [], tables=3, version="7")
    assert len(conversations) == 3
    assert {hello.version for hello in hellos} == {"7"}


async def test_stopping_lets_a_series_end_and_leaves_an_idle_table_at_once(tmp_path: Path) -> None:
    stopping, seated = asyncio.Event(), asyncio.Event()
    reports: list[Report] = []

    async def at_a_table(_hello: pb.Hello, line: StreamLine) -> None:
        await say(line, welcome=pb.Welcome(bot="a", session="s-1"))
        await say(line, series_start=pb.SeriesStart(series="series 1", matches=1))
        await asyncio.wait_for(stopping.wait(), 60)
        await say(line, series_end=pb.SeriesEnd(message="played to its end"))

    async def idle(_hello: pb.Hello, line: StreamLine) -> None:
        await say(line, welcome=pb.Welcome(bot="a", session="s-2"))
        await line.until_over()

    def tell(report: Report) -> None:
        reports.append(report)
        if report.kind == "series":
            loop.call_soon_threadsafe(seated.set)

    loop = asyncio.get_running_loop()
    async with arena(tmp_path, at_a_table, idle) as target:
        dialling = asyncio.ensure_future(call(target, [], tables=2, once=False, stopping=stopping, tell=tell))
        await asyncio.wait_for(seated.wait(), 60)
        stopping.set()
        (ended,) = await dialling
    assert ended.over
    assert "the series is played to its end first" in [report.text for report in reports]


@pytest.mark.parametrize("reveal", [None, Luck(b"x" * 32, ())], ids=["fair", "unfair"])
async def test_a_whole_series_and_its_check(tmp_path: Path, reveal: Luck | None) -> None:
    reports: list[Report] = []
    async with Listener(f"unix:{tmp_path}/door") as listener:
        tickets = [listener.expect(player) for player in PLAYERS]
        bots = [
            asyncio.ensure_future(call(listener.target, [], token=ticket, tell=reports.append)) for ticket, _ in tickets
        ]
        played = record.read(await series(tickets, reveal))
        conversations = [conversation for (conversation,) in await asyncio.gather(*bots)]
    assert [step for step in played.steps if isinstance(step, record.FaultStep)] == []
    assert [conversation.matches for conversation in conversations] == [1, 1]
    verdicts = {report.kind for report in reports} & {"fair", "unfair"}
    assert verdicts == ({"fair"} if reveal is None else {"unfair"})


async def test_a_process_of_its_own_plays_one_stream(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("GAME = 'three_coins'\ndef choose(view):\n    return view.legal[0]\n")
    async with Listener(f"unix:{tmp_path}/door") as listener:
        tickets = [listener.expect(player) for player in PLAYERS]
        processes = [
            await asyncio.create_subprocess_exec(
                sys.executable,
                *("-m", "arena.dial", str(path)),
                env=os.environ | {"ARENA_ADDRESS": listener.target, "ARENA_TICKET": ticket},
            )
            for ticket, _ in tickets
        ]
        played = record.read(await series(tickets))
        codes = [await process.wait() for process in processes]
    assert codes == [0, 0]
    assert [step for step in played.steps if isinstance(step, record.FaultStep)] == []


async def test_play_stream_says_when_the_line_broke_or_the_ticket_is_wrong(tmp_path: Path) -> None:
    def stream(target: str) -> Any:
        return play_stream(First, game="three_coins", target=target, token="t")

    async with arena(tmp_path, welcome_then_end([], over=False), refuse([], pb.ERROR_CODE_UNAUTHENTICATED)) as target:
        with pytest.raises(LineLost):
            await asyncio.to_thread(stream, target)
        with pytest.raises(DialError, match="go away"):
            await asyncio.to_thread(stream, target)


def test_the_program_says_how_it_is_used_and_what_went_wrong(tmp_path: Path) -> None:
    def run(*arguments: str, **environment: str) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-m", "arena.dial", *arguments],
            env=os.environ | environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stderr

    code, said = run("mine.py")
    assert (code, said.startswith("usage: ARENA_ADDRESS=")) == (2, True)
    code, said = run(str(tmp_path / "mine.py"), ARENA_ADDRESS="unix:/nowhere", ARENA_TICKET="t")
    assert (code, said) == (1, f"arena.dial: {tmp_path / 'mine.py'}: No such file or directory\n")
