"""A raw client at the table that misbehaves: it costs only itself, and the record tells what happened."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
import resource
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import grpc
import pytest

from arena import chance, wire
from arena.clock import WallClock
from arena.exchange import Withheld, bind, unveil
from arena.protocol.v1 import arena_pb2 as pb
from arena.protocol.v1 import three_coins_pb2 as coins
from arena.record import Record
from arena.referee import Gone
from arena.rules import at_seat, heard
from arena.seats import Line, LineLost, LineSeat, Listener, stream
from arena.seats.line import ANSWER_LOG_BYTES, LOG_BYTES
from arena.table import Limits, Penalty, Player
from arena.verify import fold, verify
from tests.arena.rawclient import Decide, Raw
from tests.arena.tables import GAME, faults, kinds, moves, playing

LIMITS = Limits(ready_ms=5_000, move_ms=2_000, bank_ms=0)
PLAYER = Player("somebody", "sha256:00")
BID = pb.Move(three_coins=coins.ThreeCoinsMove(bid=1))


@pytest.fixture(params=["unix", "tcp"])
async def listener(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Listener]:
    address = "127.0.0.1:0" if request.param == "tcp" else f"unix:{tmp_path}/s"
    async with Listener(address) as listening:
        yield listening


@pytest.fixture
async def unix(tmp_path: Path) -> AsyncIterator[Listener]:
    async with Listener(f"unix:{tmp_path}/s") as listening:
        yield listening


@pytest.fixture(autouse=True)
def no_complaints(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Whatever a client does is no error of ours, and nothing for our log."""
    yield
    assert not [record.getMessage() for record in caplog.get_records("call") if record.levelno >= logging.ERROR]


async def arrive(listener: Listener, **options: Any) -> tuple[Raw, Line]:
    ticket, line = listener.expect(PLAYER)
    client = Raw(listener.target, **options)
    told = await client.hello(ticket)
    assert told is not None
    assert told.welcome.bot == "somebody"
    assert told.welcome.version == "sha256:00"
    return client, await line


Bad = Callable[[Raw, pb.Question], Awaitable[Any]]


async def table(
    listener: Listener,
    decides: Sequence[Decide | None],
    *,
    limits: Limits | None = LIMITS,
    penalty: Penalty = "forfeit",
) -> tuple[Record, list[Raw], list[LineSeat]]:
    """A match of raw clients; the streams are ended after it."""
    arrived = [await arrive(listener) for _ in decides]
    seats = [LineSeat(GAME, line) for _, line in arrived]
    bots = [asyncio.ensure_future(client.play(decide)) for (client, _), decide in zip(arrived, decides, strict=True)]
    async with asyncio.timeout(30), WallClock() as clock:
        record = await playing(clock, seats, limits=limits, penalty=penalty)
    verify(record)
    for _, line in arrived:
        line.close()  # type: ignore[attr-defined]
    await asyncio.wait(bots, timeout=5)
    for bot in bots:
        bot.cancel()
    await asyncio.gather(*bots, return_exceptions=True)
    for client, _ in arrived:
        await client.hang_up()
    return record, [client for client, _ in arrived], seats


def at(decision: int, bad: Bad) -> Decide:
    """Good until the question of this number, and then ``bad`` once."""

    async def decide(client: Raw, question: pb.Question) -> Any:
        if question.decision == decision:
            return await bad(client, question)
        return await client.answer(question)

    return decide


# ---- coming in -----------------------------------------------------------------------------------


async def refused(client: Raw, code: int, words: str) -> None:
    """The stream ends with this error, and in order."""
    while (message := await client.hear()) is not None:
        last = message
    assert last.error.code == code
    assert words in last.error.message
    assert await client.call.code() == grpc.StatusCode.OK


async def test_a_wrong_ticket_is_refused(listener: Listener) -> None:
    listener.expect(PLAYER)
    async with Raw(listener.target) as client:
        await client.say(hello=pb.Hello(token="guessed", game="three_coins"))
        await refused(client, pb.ERROR_CODE_UNAUTHENTICATED, "this ticket is unknown")


async def test_a_ticket_is_good_for_one_stream(unix: Listener) -> None:
    ticket, line = unix.expect(PLAYER)
    async with Raw(unix.target) as first, Raw(unix.target) as second:
        assert await first.hello(ticket)
        await second.say(hello=pb.Hello(token=ticket))
        await refused(second, pb.ERROR_CODE_UNAUTHENTICATED, "was used before")
        assert line.done()
        await line.result().send(pb.PlayResponse(series_end=pb.SeriesEnd(message="still there")).SerializeToString())
        assert (await first.until("series_end")).message == "still there"


async def test_a_ticket_for_which_nobody_waits_is_worth_nothing(unix: Listener) -> None:
    ticket, line = unix.expect(PLAYER)
    line.cancel()
    async with Raw(unix.target) as client:
        await client.say(hello=pb.Hello(token=ticket))
        await refused(client, pb.ERROR_CODE_UNAUTHENTICATED, "unknown")


@pytest.mark.parametrize(
    ("first", "words"),
    [
        (b"\xff\xff\xff garbage", "cannot be read"),
        (b"", "first message of a stream is a Hello"),
        (pb.PlayRequest(ready=pb.Ready()).SerializeToString(), "first message of a stream is a Hello"),
        (b"\xfa\x07\x03abc", "first message of a stream is a Hello"),  # a field that nobody knows
        (pb.PlayRequest(hello=pb.Hello(token="a\0b")).SerializeToString(), "field token of Hello has a control"),
        (
            pb.PlayRequest(hello=pb.Hello(version="\x1b[31m")).SerializeToString(),
            "field version of Hello has a control",
        ),
        (b"\x0a\x03\x0a\x01\xff", "cannot be read"),  # a token that is no UTF-8
    ],
)
async def test_what_is_no_hello_is_refused_with_the_reason(unix: Listener, first: bytes, words: str) -> None:
    async with Raw(unix.target) as client:
        await client.say(first)
        await refused(client, pb.ERROR_CODE_PROTOCOL, words)


async def test_a_stream_without_a_hello_is_ended(unix: Listener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "HELLO_SECONDS", 0.1)
    async with Raw(unix.target) as client:
        await refused(client, pb.ERROR_CODE_PROTOCOL, "no Hello came within 0.1 seconds")


async def test_who_hangs_up_before_or_at_hello_harms_nobody(unix: Listener) -> None:
    for number in range(20):
        client = Raw(unix.target)
        if number % 2:
            await client.say(hello=pb.Hello(token="x"))
        if number % 3:
            await client.call.done_writing()
        await client.hang_up()
    record, _, _ = await table(unix, [None, None])
    assert not faults(record)


async def test_who_half_closes_right_after_hello_is_gone_and_not_waited_for(unix: Listener) -> None:
    ticket, line = unix.expect(PLAYER)
    async with Raw(unix.target) as client, asyncio.timeout(60):
        await client.say(hello=pb.Hello(token=ticket))
        await client.call.done_writing()
        seat = LineSeat(GAME, await line)
        with pytest.raises(Gone, match="it closed its stream"):
            await seat.commit("b")


# ---- at the table --------------------------------------------------------------------------------


async def test_good_raw_clients_play_a_match(listener: Listener) -> None:
    record, clients, seats = await table(listener, [None, None, None], limits=Limits())
    assert not faults(record)
    for number, client in enumerate(clients):
        (end,) = client.of("match_end")
        assert tuple(end.places) == record.outcome.places
        own = [step.moves[number] for step in moves(record) if number in step.moves]
        told = [event for part in (*client.of("question"), end) for event in part.events]
        perceived = heard([event for step in fold(record) for event in step.events], at_seat(number))
        assert told == [wire.event_to_proto(GAME, event) for event in perceived]
        assert len(client.of("question")) == len(own)
        assert [question.decision for question in client.of("question")] == list(range(1, len(own) + 1))
        assert all(0 < question.deadline_ms <= 11_000 for question in client.of("question"))
    assert all(seat.present for seat in seats)


def message(**fields: Any) -> Bad:
    async def bad(client: Raw, _question: pb.Question) -> None:
        await client.say(**fields)

    return bad


def raw(content: bytes) -> Bad:
    async def bad(client: Raw, _question: pb.Question) -> None:
        await client.say(content)

    return bad


def answer(move: pb.Move | None = None, **more: Any) -> Bad:
    async def bad(client: Raw, question: pb.Question) -> None:
        await client.answer(question, move, **more)

    return bad


async def wrong_id(client: Raw, question: pb.Question) -> None:
    await client.answer(question, decision=question.decision + 1)


async def no_move(client: Raw, question: pb.Question) -> None:
    await client.say(answer=pb.Answer(decision=question.decision))


async def nothing(_client: Raw, _question: pb.Question) -> None:
    """Silence."""


async def half_close(client: Raw, _question: pb.Question) -> None:
    await client.call.done_writing()


async def hang_up(client: Raw, _question: pb.Question) -> str:
    await client.hang_up()
    return "gone"


async def cancel(client: Raw, _question: pb.Question) -> str:
    client.call.cancel()
    return "gone"


async def oversize(client: Raw, question: pb.Question) -> str:
    await client.answer(question, log=["x" * 70_000])
    return "cut off"


HIDE = coins.ThreeCoinsMove(hide=4_000_000_000)
BAD: dict[str, tuple[Bad, str, str]] = {
    "garbage": (raw(b"\xff\xfe\xfd"), "unreadable", "3 bytes came that are no PlayRequest"),
    "empty": (raw(b""), "unreadable", "an answer to decision 2 was due, not a message of no known kind"),
    "unknown oneof": (raw(b"\xfa\x07\x03abc"), "unreadable", "was due, not a message of no known kind"),
    "second hello": (message(hello=pb.Hello(token="x")), "unreadable", "was due, not hello"),
    "ready again": (message(ready=pb.Ready()), "unreadable", "was due, not ready"),
    "nonce": (message(nonce=pb.Nonce(nonce=b"n")), "unreadable", "was due, not nonce"),
    "no move": (no_move, "unreadable", "the answer has no move"),
    "empty move": (answer(pb.Move(three_coins=coins.ThreeCoinsMove())), "unreadable", "says nothing"),
    "unknown game": (answer(pb.Move()), "unreadable", "a move of no game"),
    "unknown word": (
        answer(pb.Move(three_coins=coins.ThreeCoinsMove(word=77))),
        "unreadable",
        "the word 77 is unknown",
    ),
    "unspecified word": (
        answer(pb.Move(three_coins=coins.ThreeCoinsMove(word=0))),
        "unreadable",
        "the word 0 is unknown",
    ),
    "wrong id": (wrong_id, "unreadable", "it answers decision 3, which was never asked; the last one is 2"),
    "illegal": (answer(pb.Move(three_coins=coins.ThreeCoinsMove(bid=99))), "illegal", "bid 99: only 9 coins"),
    "enormous": (answer(pb.Move(three_coins=HIDE)), "illegal", "hide 4000000000: the fists are closed"),
    "silence": (nothing, "late", "no answer; it had 2000 ms to move (after "),
    "half-close": (half_close, "gone", "it closed its stream"),
    "hang up": (hang_up, "gone", "stream"),
    "cancel": (cancel, "gone", "stream"),
    "oversize": (oversize, "gone", "stream"),
}


@pytest.mark.parametrize("name", BAD)
async def test_a_client_that_misbehaves_costs_only_itself(unix: Listener, name: str) -> None:
    bad, kind, detail = BAD[name]
    record, clients, _ = await table(unix, [at(2, bad), None, None])
    assert kinds(record) == [(0, kind, "forfeit")]
    assert record.outcome.places[0] == 3
    told = faults(record)[0].detail
    assert detail in told
    assert re.search(r"after \d+\.\d ms", told), "when it happened, to the millisecond"
    assert len(moves(record)) > 3, "the others played on"
    if kind != "gone":
        (end,) = clients[0].of("match_end")
        assert not end.places
        assert [(fault.seat, fault.detail) for fault in end.faults] == [(0, told)]
        assert clients[0].heard[-1].WhichOneof("message") == "match_end", "and it heard nothing more"
    for client in clients[1:]:
        assert tuple(client.of("match_end")[0].places) == record.outcome.places


async def test_in_practice_it_can_go_on_after_garbage(unix: Listener) -> None:
    record, clients, _ = await table(unix, [at(2, BAD["garbage"][0]), None], penalty="default")
    assert kinds(record) == [(0, "unreadable", "default")]
    assert tuple(clients[0].of("match_end")[0].places) == record.outcome.places


async def test_a_second_answer_changes_nothing_and_is_not_taken_for_the_next_one(unix: Listener) -> None:
    async def twice(client: Raw, question: pb.Question) -> None:
        await client.answer(question)
        await client.answer(question, question.legal[-1])

    record, _, _ = await table(unix, [twice, None])
    assert not faults(record)
    first = [step.moves[0] for step in moves(record) if 0 in step.moves]
    once, _, _ = await table(unix, [None, None])
    assert first == [step.moves[0] for step in moves(once) if 0 in step.moves]


async def test_a_late_answer_to_an_old_decision_is_ignored_and_not_misread(unix: Listener) -> None:
    late: list[pb.Question] = []

    async def decide(client: Raw, question: pb.Question) -> None:
        if question.decision == 2:
            late.append(question)  # too late for this one
        elif question.decision == 3:
            await client.answer(late[0], late[0].legal[-1])
            await client.answer(question)
        else:
            await client.answer(question)

    record, _, _ = await table(unix, [decide, None], penalty="default")
    assert kinds(record) == [(0, "late", "default")]


async def test_a_flood_costs_only_the_flooder_and_no_memory(unix: Listener) -> None:
    sent = [0]

    async def flood(client: Raw, question: pb.Question) -> str:
        stale = pb.PlayRequest(answer=pb.Answer(decision=question.decision - 1, move=BID, log=["x" * 500]))
        content = stale.SerializeToString()
        try:
            while sent[0] < 100_000:
                await client.say(content)
                sent[0] += 1
        except (grpc.RpcError, asyncio.InvalidStateError):
            pass
        return "done"

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    record, _, _ = await table(unix, [at(2, flood), None, None], limits=Limits(5_000, 5_000, 0))
    assert kinds(record) == [(0, "unreadable", "forfeit")]
    assert "100 answers to earlier decisions came" in faults(record)[0].detail
    assert sent[0] < 20_000, "it is not read on, so it has to wait"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000, "kilobytes"


async def test_a_flood_before_it_is_asked_waits_at_the_far_end(unix: Listener) -> None:
    """Nobody asks it anything, and nobody reads more than a little ahead of the asking."""
    client, _line = await arrive(unix)
    content = pb.PlayRequest(answer=pb.Answer(log=["x" * 1000])).SerializeToString()
    sent = 0
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(1.0):
            while sent < 100_000:
                await client.say(content)
                sent += 1
    assert sent < 2_000
    await client.hang_up()


async def test_a_client_that_never_reads_costs_only_itself(unix: Listener) -> None:
    """Its window is full after a while. It is late again and again, and nobody waits longer for it."""
    client, line = await arrive(unix, **{"http2.bdp_probe": 0})
    other, other_line = await arrive(unix)
    seats = [LineSeat(GAME, line), LineSeat(GAME, other_line)]
    good = asyncio.ensure_future(other.play())
    await client.say(ready=pb.Ready(match="m-1"))  # and not a word more, nor is anything read
    async with asyncio.timeout(120), WallClock() as clock:
        began = time.monotonic()
        record = await playing(clock, seats, limits=Limits(5_000, 200, 0), penalty="default")
        taken = time.monotonic() - began
        big = pb.PlayResponse(series_end=pb.SeriesEnd(message="x" * 60_000))
        for _ in range(40):
            before = time.monotonic()
            await seats[0].part(big)
            assert time.monotonic() - before < 30
            if time.monotonic() - before > 0.5:
                break
        else:
            pytest.fail("it takes in everything, and so it reads")
        again = await playing(clock, seats, limits=Limits(2_000, 2_000, 0), match="m-2", number=2)
    assert {step.kind for step in faults(record) if step.seat == 0} == {"late"}
    own = [step for step in moves(record) if 0 in step.moves]
    assert len([step for step in faults(record) if step.seat == 0]) == len(own)
    assert taken < 0.2 * len(own) + 5, "a second each, were it waited for until it reads"
    assert [(step.seat, step.kind) for step in faults(again)] == [(0, "late")]
    good.cancel()
    await client.hang_up()
    await other.hang_up()


async def test_log_lines_are_kept_and_cut(unix: Listener) -> None:
    lines = ["first", "a\0b", "é" * 10_000, "never seen"]

    async def talk(client: Raw, question: pb.Question) -> None:
        await client.answer(question, log=lines if question.decision == 1 else ["z" * 5000])

    record, _, seats = await table(unix, [talk, None], limits=Limits())
    assert not faults(record)
    log = seats[0].log
    assert log[:2] == ["first", "a\N{REPLACEMENT CHARACTER}b"]
    assert log[2] == "é" * len(log[2])
    assert sum(len(line.encode()) + 1 for line in log[:3]) <= ANSWER_LOG_BYTES + 1
    assert log[3] == "z" * ANSWER_LOG_BYTES
    assert sum(len(line.encode()) + 1 for line in log) <= LOG_BYTES + 1
    assert not seats[1].log


# ---- the exchange over the wire ------------------------------------------------------------------


async def test_hash_and_nonce_over_the_wire(unix: Listener) -> None:
    arrived = [await arrive(unix) for _ in range(4)]
    seats = [LineSeat(GAME, line) for _, line in arrived]

    async def partner(client: Raw, hashed: bytes, nonce: bytes | None) -> None:
        await client.until("block_opening")
        await client.say(nonce_hash=pb.NonceHash(hash=hashed))
        told = await client.until("block_commitment")
        assert told.commitment == chance.digest(b"s" * 32)
        assert told.send_nonce
        if nonce is not None:
            await client.say(nonce=pb.Nonce(nonce=nonce))

    good, long = chance.digest(b"n"), b"x" * 33
    doing = [(good, b"n"), (good, b"m"), (chance.digest(long), long), (good, None)]
    partners = [asyncio.ensure_future(partner(client, *does)) for (client, _), does in zip(arrived, doing, strict=True)]
    async with WallClock() as clock:
        binding = await bind(seats, "b", draw_seed=lambda: b"s" * 32, clock=clock, seconds=30)
        with pytest.raises(Withheld) as withheld:
            await unveil(seats, "b", binding, clock=clock, seconds=2)
    await asyncio.gather(*partners)
    assert [(fault.seat, fault.kind) for fault in withheld.value.faults] == [
        (1, "unreadable"),
        (2, "unreadable"),
        (3, "late"),
    ]
    for client, _ in arrived:
        await client.hang_up()


async def test_garbage_instead_of_a_hash(unix: Listener) -> None:
    arrived = [await arrive(unix) for _ in range(3)]
    seats = [LineSeat(GAME, line) for _, line in arrived]
    await arrived[0][0].say(b"\xff")
    await arrived[1][0].say(nonce=pb.Nonce(nonce=b"too soon"))
    await arrived[2][0].hang_up()
    async with WallClock() as clock:
        with pytest.raises(Withheld) as withheld:
            await bind(seats, "b", draw_seed=lambda: b"s" * 32, clock=clock, seconds=5)
    assert [(fault.seat, fault.kind) for fault in withheld.value.faults] == [
        (0, "unreadable"),
        (1, "unreadable"),
        (2, "gone"),
    ]
    assert "nonce_hash was due, not nonce" in withheld.value.faults[1].detail
    for client, _ in arrived:
        await client.hang_up()


# ---- several matches on one stream ---------------------------------------------------------------


async def test_what_comes_late_in_one_match_does_no_harm_in_the_next(unix: Listener) -> None:
    """Its Ready, and its answer to a question of a high number, arrive in the midst of the next match."""
    client, line = await arrive(unix)
    other, other_line = await arrive(unix)
    seats = [LineSeat(GAME, line), LineSeat(GAME, other_line)]
    good = asyncio.ensure_future(other.play())

    async def bad() -> None:
        starts = [await client.until("match_start") for _ in range(2)]
        # the first match is over by forfeit: its Ready was not waited for
        await client.say(ready=pb.Ready(match=starts[0].match))
        await asyncio.sleep(0.1)
        await client.say(ready=pb.Ready(match=starts[1].match))
        asked = None
        for _ in range(3):
            asked = await client.until("question")
            await client.answer(asked) if asked.decision < 3 else None
        await client.until("match_end")  # the third was not answered
        third = await client.until("match_start")
        assert asked is not None
        await client.say(ready=pb.Ready(match=third.match))
        await client.answer(asked)
        await client.play()

    clumsy = asyncio.ensure_future(bad())
    async with asyncio.timeout(30), WallClock() as clock:
        first = await playing(clock, seats, limits=Limits(1_000, 1_000, 0))
        second = await playing(clock, seats, limits=Limits(10_000, 1_000, 0), match="m-2", number=2)
        third = await playing(clock, seats, limits=Limits(10_000, 10_000, 0), match="m-3", number=3)
    assert kinds(first) == [(0, "late", "forfeit")]
    assert "to get ready" in faults(first)[0].detail
    assert kinds(second) == [(0, "late", "forfeit")]
    assert "to move" in faults(second)[0].detail
    assert not faults(third)
    for task in (clumsy, good):
        task.cancel()
    await client.hang_up()
    await other.hang_up()


async def test_a_late_ready_in_practice_is_not_taken_for_an_answer(unix: Listener) -> None:
    client, line = await arrive(unix)
    other, other_line = await arrive(unix)
    seats = [LineSeat(GAME, line), LineSeat(GAME, other_line)]
    good = asyncio.ensure_future(other.play())

    async def slow() -> None:
        await client.until("question")
        await client.say(ready=pb.Ready(match=client.of("match_start")[0].match))
        await client.answer(client.of("question")[0])
        await client.play()

    sluggish = asyncio.ensure_future(slow())
    async with asyncio.timeout(30), WallClock() as clock:
        record = await playing(clock, seats, limits=Limits(1_000, 10_000, 0), penalty="default")
    assert kinds(record) == [(0, "late", "default")]
    for task in (sluggish, good):
        task.cancel()
    await client.hang_up()
    await other.hang_up()


# ---- lost and come back --------------------------------------------------------------------------


async def test_a_bot_that_comes_back_is_told_all_and_plays_on(unix: Listener) -> None:
    ticket, returned = unix.expect(PLAYER)
    client, line = await arrive(unix)
    lost: list[LineLost] = []

    async def redial(error: LineLost) -> Line:
        lost.append(error)
        return await returned

    async def lose(client: Raw, question: pb.Question) -> Any:
        if question.decision < 3:
            return await client.answer(question)
        await client.hang_up()
        return "lost"

    other, other_line = await arrive(unix)
    seats = [LineSeat(GAME, line, redial=redial), LineSeat(GAME, other_line)]
    good = asyncio.ensure_future(other.play())
    back = Raw(unix.target)

    async def away_and_back() -> None:
        await client.play(lose)
        await asyncio.sleep(0.6)
        await back.hello(ticket)
        await back.play()

    bot = asyncio.ensure_future(away_and_back())
    async with asyncio.timeout(30), WallClock() as clock:
        record = await playing(clock, seats, limits=Limits(10_000, 5_000, 500))
    assert not faults(record)
    assert len(lost) == 1
    slow = [step.ms[0] for step in moves(record) if step.ms and 0 in step.ms]
    assert 600 <= slow[2] < 5_000, "the clock ran on, and no faster"
    assert max(slow[:2] + slow[3:]) < 600
    (again,) = back.of("match_start")
    asked = client.of("question")
    told = [event for question in asked for event in question.events]
    assert list(again.so_far) == told, "all that it had perceived, and each once"
    first = back.of("question")[0]
    assert (first.decision, list(first.events)) == (3, [])
    assert first.view == asked[-1].view
    assert asked[-1].deadline_ms == 5_500
    assert first.deadline_ms <= 4_900, "what it was away is gone"
    assert seats[0].present
    for task in (bot, good):
        task.cancel()
    await back.hang_up()
    await other.hang_up()


@pytest.mark.parametrize("penalty", ["forfeit", "default"])
async def test_a_bot_that_does_not_come_back_is_gone_when_its_time_is_up(unix: Listener, penalty: Penalty) -> None:
    client, line = await arrive(unix)
    other, other_line = await arrive(unix)

    async def redial(_lost: LineLost) -> Line:
        await asyncio.Event().wait()
        raise AssertionError

    seats = [LineSeat(GAME, line, redial=redial), LineSeat(GAME, other_line)]
    bots = [asyncio.ensure_future(client.play(at(2, hang_up))), asyncio.ensure_future(other.play())]
    async with asyncio.timeout(30), WallClock() as clock:
        record = await playing(clock, seats, limits=Limits(10_000, 500, 0), penalty=penalty)
    assert {step.kind for step in faults(record)} == {"gone"}
    told = re.fullmatch(
        r"its line is lost; no answer; it had 500 ms to move \(after ([\d.]+) ms\)", faults(record)[0].detail
    )
    assert told is not None
    assert 500 <= float(told[1]) < 5_000
    assert not seats[0].present
    for task in bots:
        task.cancel()
    await other.hang_up()


async def test_a_bot_that_is_lost_while_it_is_told_again_may_come_back_once_more(unix: Listener) -> None:
    client, line = await arrive(unix)
    other, other_line = await arrive(unix)
    returns = [unix.expect(PLAYER) for _ in range(3)]
    waiting = iter([line for _, line in returns])

    async def redial(_lost: LineLost) -> Line:
        return await next(waiting)

    seats = [LineSeat(GAME, line, redial=redial), LineSeat(GAME, other_line)]
    good = asyncio.ensure_future(other.play())
    last = Raw(unix.target)

    async def unlucky() -> None:
        await client.play(at(2, hang_up))
        for ticket, _ in returns[:2]:
            async with Raw(unix.target) as again:
                await again.hello(ticket)
                await again.until("match_start")  # and lost before it was ready
        await last.hello(returns[2][0])
        await last.play()

    bot = asyncio.ensure_future(unlucky())
    async with asyncio.timeout(30), WallClock() as clock:
        record = await playing(clock, seats, limits=Limits(10_000, 20_000, 0))
    assert not faults(record)
    assert last.of("question")[0].decision == 2
    await asyncio.wait_for(bot, 5) if bot.done() else bot.cancel()
    good.cancel()
    await last.hang_up()
    await other.hang_up()
