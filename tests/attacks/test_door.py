"""Attacks on the door: each first does its harm where what holds it off is taken away, and then does not.

All come from this machine. Somebody else's address is a detour through 127.0.0.2.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from arena import door as door_module
from arena.clock import WallClock
from arena.protocol.v1 import arena_pb2 as pb
from arena.record import MovesStep
from arena.seats import LineSeat, stream
from arena.seats.gate import Full, Gate, GateLimits, address_of
from arena.table import Limits
from arena.verify import verify
from tests.arena.rawclient import PLAY, Raw
from tests.arena.standing import Standing, standing_door
from tests.arena.tables import GAME, faults, kinds, playing
from tests.attacks import rawhttp2
from tests.attacks.rawhttp2 import Connection

NOTHING = GateLimits(0, 0, 0, 0, 0)


@contextlib.asynccontextmanager
async def detour(target: str, source: str = "127.0.0.2") -> AsyncIterator[str]:
    """Another address to dial, through which one comes from ``source``."""
    host, _, port = target.rpartition(":")
    tasks: set[asyncio.Task[None]] = set()

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while some := await reader.read(65_536):
                writer.write(some)
                await writer.drain()
        except ConnectionError:
            pass
        finally:
            writer.close()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there = await asyncio.open_connection(host, int(port), local_addr=(source, 0))
        tasks.update({asyncio.ensure_future(carry(reader, there[1])), asyncio.ensure_future(carry(there[0], writer))})

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    try:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0)  # what was closed is let go of by the loop


class Silence:
    """Somebody who opens streams, says nothing on them, and opens another one for each that ends."""

    def __init__(self, target: str, streams: int) -> None:
        self.open = 0
        self.ended = 0
        given = [("grpc.use_local_subchannel_pool", 1)]
        self._channels = [grpc.aio.insecure_channel(target, options=given) for _ in range(1 + streams // 60)]
        self._tasks = [
            asyncio.ensure_future(self._hold(self._channels[number % len(self._channels)])) for number in range(streams)
        ]

    async def _hold(self, channel: grpc.aio.Channel) -> None:
        while True:
            call: Any = channel.stream_stream(PLAY)()
            self.open += 1
            with contextlib.suppress(grpc.RpcError, asyncio.InvalidStateError):
                while await call.read() is not grpc.aio.EOF:
                    pass
            self.open -= 1
            self.ended += 1
            await asyncio.sleep(0.05)

    async def __aenter__(self) -> Silence:
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for channel in self._channels:
            await channel.close()


async def eventually(true: Callable[[], object], seconds: float = 60.0) -> None:
    async with asyncio.timeout(seconds):
        while not true():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def play_a_match(standing: Standing, target: str = "") -> None:
    """Two real bots get in, from wherever, and play a match to its end."""
    clients = [Raw(target or standing.public) for _ in range(2)]
    for number, client in enumerate(clients):
        told = await client.hello(f"real {number}")
        assert told is not None
        assert told.WhichOneof("message") == "welcome", told
    bots = [asyncio.ensure_future(client.play()) for client in clients]
    workers = [standing.worker(f"real {number}") for number in range(2)]
    async with asyncio.timeout(120), WallClock() as clock:
        record = await playing(clock, [LineSeat(GAME, worker) for worker in workers])
        for worker in workers:
            await worker.close()
        await asyncio.gather(*bots)
    verify(record)
    assert not faults(record)
    for client in clients:
        await client.hang_up()


# ---- all places taken ----------------------------------------------------------------------------


async def test_silent_streams_keep_everybody_out_where_they_need_not_make_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_gate: Gate) -> None:
        raise Full("full")

    monkeypatch.setattr(Gate, "_make_room", full)
    async with (
        standing_door(tmp_path, NOTHING._replace(streams=100)) as standing,
        Silence(standing.public, 150),
    ):
        await eventually(lambda: standing.door._gate.streams == 100)
        for _ in range(3):
            async with Raw(standing.public) as client:
                assert await client.turned_away() == (grpc.StatusCode.RESOURCE_EXHAUSTED, "full")


async def test_silent_streams_push_out_each_other_and_real_bots_play(tmp_path: Path) -> None:
    """Also where addresses are not told apart, as behind a proxy."""
    async with (
        standing_door(tmp_path, NOTHING._replace(streams=100)) as standing,
        Silence(standing.public, 150) as silence,
    ):
        await eventually(lambda: standing.door._gate.streams == 100 and silence.ended > 100)
        await play_a_match(standing)
        assert standing.door._gate.streams <= 100


async def test_without_a_limit_one_address_has_as_many_streams_as_it_likes(tmp_path: Path) -> None:
    async with standing_door(tmp_path, NOTHING) as standing, Silence(standing.public, 300):
        await eventually(lambda: standing.door._gate.streams == 300)


async def test_one_address_has_so_many_streams_and_others_are_not_touched(tmp_path: Path) -> None:
    limits = NOTHING._replace(streams=60, address_streams=20)
    async with (
        standing_door(tmp_path, limits) as standing,
        detour(standing.public) as elsewhere,
        Silence(standing.public, 100) as silence,
    ):
        await eventually(lambda: silence.ended > 100)
        assert standing.door._gate.streams <= 20
        await play_a_match(standing, elsewhere)


async def test_an_address_whose_streams_all_play_is_told_so(tmp_path: Path) -> None:
    async with (
        standing_door(tmp_path, NOTHING._replace(address_streams=2)) as standing,
        await standing.bot("a"),
        await standing.bot("b"),
        detour(standing.public) as elsewhere,
    ):
        async with Raw(standing.public) as third:
            why = "127.0.0.1 has 2 streams open, as many as it may; close one first"
            assert await third.turned_away() == (grpc.StatusCode.RESOURCE_EXHAUSTED, why)
        async with Raw(elsewhere) as other:
            told = await other.hello("c")
            assert told is not None
            assert told.welcome.bot == "c"


async def test_a_health_watch_takes_a_place_and_gives_it_up(tmp_path: Path) -> None:
    """It never says anything, and would otherwise hold its place for ever."""
    async with (
        standing_door(tmp_path, NOTHING._replace(streams=2)) as standing,
        grpc.aio.insecure_channel(standing.public) as channel,
    ):
        stub: Any = health_pb2_grpc.HealthStub(channel)
        watches = []
        for _ in range(2):  # one after the other, so that the first is the oldest
            watches.append(stub.Watch(health_pb2.HealthCheckRequest()))
            assert (await watches[-1].read()).status == health_pb2.HealthCheckResponse.SERVING
        async with await standing.bot("a"):
            with pytest.raises(grpc.aio.AioRpcError) as error:
                await watches[0].read()
            assert error.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
            async with await standing.bot("b"):
                with pytest.raises(grpc.aio.AioRpcError) as error:
                    await stub.Check(health_pb2.HealthCheckRequest())
                assert error.value.details() == "this door is full; dial again in a moment"


# ---- dialling without end ------------------------------------------------------------------------


async def guess(target: str, token: str) -> str:
    """Dial with a token that is none; what is said to that."""
    async with Raw(target) as client:
        with contextlib.suppress(grpc.RpcError, asyncio.InvalidStateError):
            await client.say(hello=pb.Hello(token=token))
        _code, details = await client.turned_away()
        return details or client.of("error")[0].message


async def test_who_guesses_tokens_is_shut_out_for_a_while_and_nobody_else(tmp_path: Path) -> None:
    async with standing_door(tmp_path, NOTHING) as standing:
        said = [await guess(standing.public, "banned") for _ in range(12)]
        assert said == ["banned for life"] * 12  # and so on, for as long as he likes
    async with standing_door(tmp_path, NOTHING._replace(address_failures=5)) as standing:
        said = [await guess(standing.public, "banned") for _ in range(12)]
        assert said[:5] == ["banned for life"] * 5
        assert all(one.startswith("127.0.0.1 was refused 5 times within a minute") for one in said[5:])
        # the right one does not help now: else he would find it all the same
        assert (await guess(standing.public, "a")).startswith("127.0.0.1 was refused")
        async with detour(standing.public) as elsewhere:
            await play_a_match(standing, elsewhere)


async def test_our_own_errors_are_held_against_nobody(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with standing_door(tmp_path, NOTHING._replace(address_failures=3)) as standing:
        for _ in range(5):
            assert await guess(standing.public, "broken") == "the arena made an error; dial again in a moment"
        async with await standing.bot("a"):
            pass
    assert "1234" in caplog.text


async def test_a_program_that_dials_in_a_loop_is_slowed_down(tmp_path: Path) -> None:
    async with standing_door(tmp_path, NOTHING._replace(token_attempts=5)) as standing:
        for _ in range(5):
            async with await standing.bot("loop"):
                pass
        assert await guess(standing.public, "loop") == (
            "this token has dialled 5 times within a minute; dial again in a moment"
        )
        assert len(standing.registry.arrived) == 5
        async with await standing.bot("another"):
            pass
    async with standing_door(tmp_path, NOTHING._replace(address_attempts=5)) as standing:
        for number in range(5):
            async with await standing.bot(f"loop {number}"):
                pass
        assert (await guess(standing.public, "loop")).startswith("127.0.0.1 has dialled 5 times within a minute")


# ---- slowly, or half -----------------------------------------------------------------------------


async def test_a_stream_that_says_nothing_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "HELLO_SECONDS", 0.2)
    async with standing_door(tmp_path) as standing, Raw(standing.public) as client:
        told = await client.hear()
        assert told is not None
        assert (told.error.code, told.error.message) == (
            pb.ERROR_CODE_PROTOCOL,
            "no Hello came within 0.2 seconds",
        )
        assert await client.hear() is None


async def test_a_hello_that_comes_byte_by_byte_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "HELLO_SECONDS", 0.4)
    async with standing_door(tmp_path) as standing:
        connection = await Connection.open(standing.public)
        await connection.begin()
        await connection.call(PLAY)
        await connection.send(rawhttp2.DATA, b"\0" + (1000).to_bytes(4, "big"), stream=1)
        began = time.monotonic()
        hearing = asyncio.ensure_future(_until_stream_ends(connection))
        while not hearing.done():
            assert time.monotonic() - began < 60
            await connection.send(rawhttp2.DATA, b"x", stream=1)
            await asyncio.sleep(0.02)
        assert standing.door._gate.streams == 0
        await connection.close()


async def _until_stream_ends(connection: Connection) -> None:
    while (heard := await connection.hear()) is not None:
        ended = heard.kind == rawhttp2.HEADERS and heard.flags & 1
        if heard.stream == 1 and (ended or heard.kind == rawhttp2.RST_STREAM):
            return


@pytest.mark.parametrize("how", ["nothing", "half a preface", "half a call"])
async def test_a_connection_that_says_nothing_whole_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    given = dict(door_module.STRANGERS)
    assert 1_000 <= given["grpc.server_handshake_timeout_ms"] <= 30_000
    assert 1_000 <= given["grpc.max_connection_idle_ms"] <= 60_000
    quick = given | {"grpc.server_handshake_timeout_ms": 1_000, "grpc.max_connection_idle_ms": 1_000}
    monkeypatch.setattr(door_module, "STRANGERS", tuple(quick.items()))
    async with standing_door(tmp_path) as standing:
        connection = await Connection.open(standing.public)
        if how == "half a preface":
            connection.writer.write(rawhttp2.PREFACE[:10])
        elif how == "half a call":
            await connection.begin()
            await connection.send(rawhttp2.HEADERS, b"\x10", stream=1)  # and the rest of it never
        await connection.until_closed(60)
        await connection.close()
        await play_a_match(standing)


async def test_who_pings_without_end_is_hung_up_on(tmp_path: Path) -> None:
    async with standing_door(tmp_path) as standing:
        connection = await Connection.open(standing.public)
        await connection.begin()
        pings = [rawhttp2.frame(rawhttp2.PING, number.to_bytes(8, "big")) for number in range(6)]
        connection.writer.write(b"".join(pings))
        await connection.until_closed(60)
        assert [heard.payload for heard in connection.frames if b"too_many_pings" in heard.payload]
        await connection.close()
        await play_a_match(standing)


# ---- what cannot be read -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "why"),
    [
        (b"\xff\xff\xff", "the first message cannot be read as a PlayRequest"),
        (b"", "the first message of a stream is a Hello"),
        (pb.PlayRequest(nonce=pb.Nonce(nonce=b"x")), "the first message of a stream is a Hello"),
        (pb.PlayRequest(hello=pb.Hello(token="x" * 5000)), "a Hello has at most 4096 bytes, not 5006"),
        (pb.PlayRequest(hello=pb.Hello(token="a\r\nb")), "the field token of Hello has a control character in it"),
    ],
)
async def test_a_first_message_that_is_no_hello_is_told_what_is_wrong(
    tmp_path: Path, message: pb.PlayRequest | bytes, why: str
) -> None:
    async with standing_door(tmp_path) as standing, Raw(standing.public) as client:
        await client.say(message)
        told = await client.hear()
        assert told is not None
        assert (told.error.code, told.error.message) == (pb.ERROR_CODE_PROTOCOL, why)
        assert standing.registry.arrived == []


async def test_a_first_message_beyond_all_measure_is_not_even_taken_in(tmp_path: Path) -> None:
    async with standing_door(tmp_path) as standing:
        async with Raw(standing.public) as client:
            with contextlib.suppress(grpc.RpcError, asyncio.InvalidStateError):
                await client.say(b"x" * 70_000)
            assert await client.call.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
        await play_a_match(standing)


async def test_noise_is_nobodys_trouble(tmp_path: Path) -> None:
    dice = random.Random(7)
    async with standing_door(tmp_path, GateLimits(address_failures=0)) as standing:
        for _ in range(60):
            async with Raw(standing.public) as client:
                with contextlib.suppress(grpc.RpcError, asyncio.InvalidStateError):
                    for _ in range(dice.randrange(1, 4)):
                        await client.say(dice.randbytes(dice.randrange(200)))
                    while await client.hear() is not None:
                        pass
        assert standing.registry.arrived == []
        await play_a_match(standing)
        await eventually(lambda: standing.door._gate.streams == 0)


# ---- at the table --------------------------------------------------------------------------------


async def test_nobody_answers_for_another_seat(tmp_path: Path) -> None:
    """What one seat sends while another is asked is not taken for the other's: a stream is a seat."""
    async with standing_door(tmp_path) as standing:
        liar, honest = await standing.bot("liar"), await standing.bot("honest")

        async def decide(client: Raw, question: pb.Question) -> None:
            await client.answer(question, question.legal[0 if client is liar else -1])
            if client is liar:
                for decision in range(1, question.decision + 1):  # once more, for whoever may be asked about it
                    await client.say(answer=pb.Answer(decision=decision, move=question.legal[0]))

        bots = [asyncio.ensure_future(client.play(decide)) for client in (liar, honest)]
        workers = [standing.worker("liar"), standing.worker("honest")]
        async with asyncio.timeout(30), WallClock() as clock:
            seats = [LineSeat(GAME, worker) for worker in workers]
            record = await playing(clock, seats, limits=Limits(5_000, 5_000, 0))
            for worker in workers:
                await worker.close()
            await asyncio.gather(*bots)
        verify(record)
        assert not faults(record)
        hidden = [step.moves for step in record.steps if isinstance(step, MovesStep) and len(step.moves) == 2]
        assert hidden
        assert {moves[0] for moves in hidden} == {"hide 0"}
        assert all(moves[1] != "hide 0" for moves in hidden[:1])
        await liar.hang_up()
        await honest.hang_up()


async def test_who_answers_what_was_never_asked_costs_only_himself(tmp_path: Path) -> None:
    async with standing_door(tmp_path) as standing:
        liar, honest = await standing.bot("liar"), await standing.bot("honest")

        async def decide(client: Raw, question: pb.Question) -> None:
            number = question.decision + (7 if client is liar else 0)
            await client.say(answer=pb.Answer(decision=number, move=question.legal[0]))

        bots = [asyncio.ensure_future(client.play(decide)) for client in (liar, honest)]
        workers = [standing.worker("liar"), standing.worker("honest")]
        async with asyncio.timeout(30), WallClock() as clock:
            record = await playing(clock, [LineSeat(GAME, worker) for worker in workers])
            for worker in workers:
                await worker.close()
            await asyncio.gather(*bots)
        assert kinds(record) == [(0, "unreadable", "forfeit")]
        assert record.outcome.places == (2, 1)
        await liar.hang_up()
        await honest.hang_up()


# ---- the gate's own arithmetic -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("peer", "address"),
    [
        ("ipv4:192.0.2.7:50000", "192.0.2.7"),
        ("ipv6:%5B2001:db8:1:2:3:4:5:6%5D:50000", "2001:db8:1:2::/64"),
        ("ipv6:[2001:db8:1:2::9]:50000", "2001:db8:1:2::/64"),
        ("ipv6:%5B::ffff:192.0.2.7%5D:50000", "192.0.2.7"),
        ("ipv6:%5Bfe80::1%25eth0%5D:50000", "fe80::/64"),
        ("unix:", ""),
        ("unix:/run/door", ""),
        ("ipv4:what:1", ""),
    ],
)
def test_whom_a_stream_is_counted_against(peer: str, address: str) -> None:
    assert address_of(peer) == address


def test_a_place_is_given_back_once_and_attempts_are_forgotten_with_time() -> None:
    now = 0.0
    pushed: list[str] = []
    gate = Gate(GateLimits(2, 0, 6, 3, 0), clock=lambda: now)

    def enter(peer: str) -> Any:
        return gate.enter(f"ipv4:{peer}:1", lambda _why: pushed.append(peer))

    passes = [enter("1.1.1.1"), enter("1.1.1.1"), enter("2.2.2.2")]
    assert pushed == ["1.1.1.1"]
    with pytest.raises(Full, match="said nothing yet"):
        passes[0].spoke("t")  # its Hello came too late
    passes[1].spoke("t")
    passes[2].spoke("t")
    with pytest.raises(Full, match="full"):
        enter("3.3.3.3")
    for _ in range(2):
        for one in passes:
            one.leave()
    assert gate.streams == 0

    for _ in range(2):
        enter("1.1.1.1").leave()
    with pytest.raises(Full, match=r"1\.1\.1\.1 was refused 3 times"):
        enter("1.1.1.1")
    now += 21
    enter("1.1.1.1").leave()
    with pytest.raises(Full):
        enter("1.1.1.1")


def test_the_silent_of_who_has_most_of_them_make_room() -> None:
    pushed: list[str] = []
    gate = Gate(NOTHING._replace(streams=10))
    for name in ["1.1.1.1", *["2.2.2.2"] * 9, *["2.2.2.2"] * 50, "3.3.3.3"]:
        gate.enter(f"ipv4:{name}:1", lambda _why, name=name: pushed.append(name))
    assert pushed == ["2.2.2.2"] * 51
    assert gate.streams == 10
