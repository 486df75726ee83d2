"""The door: who comes in, who is connected with whom, and whose fault it is when one of the three ends is gone."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterable, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

from arena import door as door_module
from arena.clock import WallClock
from arena.door import Addresses, Door
from arena.protocol.v1 import arena_pb2 as pb
from arena.referee import PlatformFailure
from arena.seats import LineLost, LineSeat, relay
from arena.seats.gate import GateLimits
from arena.seats.relay import RelayLine
from arena.seats.stream import SERVICE
from arena.table import Limits
from arena.verify import verify
from tests.arena.rawclient import Raw
from tests.arena.standing import SECRET, Memory, Standing, said, standing_door, to_the_end
from tests.arena.tables import GAME, faults, kinds, playing


@pytest.fixture
async def standing(tmp_path: Path) -> AsyncIterator[Standing]:
    async with standing_door(tmp_path) as found:
        yield found


@pytest.fixture(autouse=True)
def complaints(caplog: pytest.LogCaptureFixture) -> Iterator[list[str]]:
    """Whatever happens at the other ends is no error of ours, and nothing for our log: but for these beginnings."""
    expected: list[str] = []
    yield expected
    found = [record.getMessage() for record in caplog.get_records("call") if record.levelno >= logging.ERROR]
    assert sorted(set(found)) == sorted(expected)


# ---- coming in and leaving -----------------------------------------------------------------------


async def test_many_lines_each_with_its_own_worker(standing: Standing) -> None:
    async def series(number: int) -> None:
        client = await standing.bot(f"bot {number}")
        worker = standing.worker(f"bot {number}")
        for turn in range(5):
            await worker.send(said(f"{number}/{turn}"))
            assert (await client.until("series_end")).message == f"{number}/{turn}"
            await client.say(nonce=pb.Nonce(nonce=b"%d/%d" % (number, turn)))
            got = pb.PlayRequest.FromString(await worker.receive())
            assert got.nonce.nonce == b"%d/%d" % (number, turn)
        await worker.close()
        assert await to_the_end(client) == []
        assert await client.call.code() == grpc.StatusCode.OK
        await client.hang_up()

    async with asyncio.timeout(30):
        await asyncio.gather(*(series(number) for number in range(60)))
    await standing.registry.until_left(*standing.registry.arrived)
    assert len(standing.registry.left) == 60


async def test_messages_pass_unread(standing: Standing) -> None:
    """Garbage is the bot's fault at the table, and reaches it; the door does not care."""
    async with await standing.bot("a") as client:
        worker = standing.worker("a")
        await client.say(b"\xff\xff")
        assert await worker.receive() == b"\xff\xff"
        await worker.close()


async def test_who_is_refused_hears_why_and_was_never_there(standing: Standing) -> None:
    async with Raw(standing.public) as client:
        told = await client.hello("banned")
        assert told is not None
        assert (told.error.code, told.error.message) == (pb.ERROR_CODE_NOT_ALLOWED, "banned for life")
        assert await client.hear() is None
    assert standing.registry.left == []
    assert standing.door._lines == {}


async def test_an_error_of_ours_is_told_without_its_words(
    standing: Standing, caplog: pytest.LogCaptureFixture, complaints: list[str]
) -> None:
    complaints.append("a bot's stream ended by an error of the arena")
    async with Raw(standing.public) as client:
        told = await client.hello("broken")
        assert told is not None
        assert told.error.code == pb.ERROR_CODE_UNAVAILABLE
        assert "1234" not in str(client.heard)
        assert "1234" not in (await client.call.details() or "")
    assert "1234" in caplog.text


@pytest.mark.parametrize("how", ["hang_up", "half_close", "cancel"])
async def test_whoever_goes_has_left(standing: Standing, how: str) -> None:
    client = await standing.bot("a")
    line = standing.registry.line("a")
    if how == "half_close":
        await client.call.done_writing()
        assert await to_the_end(client) == []
    elif how == "cancel":
        client.call.cancel()
    else:
        await client.hang_up()
    await standing.registry.until_left(line)
    assert standing.door._lines == {}
    await client.hang_up()


async def test_who_goes_while_it_is_let_in_leaves_after_it_was_let_in(standing: Standing) -> None:
    """Otherwise the registry would name a line that nobody holds."""
    standing.registry.slow.clear()
    client = Raw(standing.public)
    await client.say(hello=pb.Hello(token="a"))
    async with asyncio.timeout(60):
        while not standing.registry.lines:  # noqa: ASYNC110
            await asyncio.sleep(0.005)
    line = standing.registry.line("a")
    await client.hang_up()
    await asyncio.sleep(0.1)
    assert standing.registry.left == []
    standing.registry.slow.set()
    await standing.registry.until_left(line)
    assert standing.registry.lines == {}


async def test_a_registry_that_fails_does_not_bring_the_door_down(
    standing: Standing, monkeypatch: pytest.MonkeyPatch, complaints: list[str]
) -> None:
    complaints += ["a line could not be forgotten; its lease will run out", "the lines' leases could not be renewed"]
    monkeypatch.setattr(door_module, "RENEW_SECONDS", 0.01)
    first = await standing.bot("a")
    line = standing.registry.line("a")
    standing.registry.failing = 2
    keeping = asyncio.ensure_future(standing.door.keep())
    async with asyncio.timeout(60):
        while standing.registry.failing or len(standing.registry.renewed) < 5:  # noqa: ASYNC110
            await asyncio.sleep(0.005)
    keeping.cancel()
    standing.registry.failing = 1
    await first.hang_up()
    await standing.registry.until_left(line)
    async with await standing.bot("b") as second:
        await standing.worker("b").send(said("hello"))
        assert (await second.until("series_end")).message == "hello"


async def test_lines_that_shall_not_stand_are_closed_and_told(
    standing: Standing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door_module, "RENEW_SECONDS", 0.01)
    standing.registry.slow.set()
    async with await standing.bot("good") as good, await standing.bot("bad") as bad:
        standing.registry.slow.clear()
        third = Raw(standing.public)
        await third.say(hello=pb.Hello(token="not yet in"))
        async with asyncio.timeout(60):
            while len(standing.registry.lines) < 3:  # noqa: ASYNC110
                await asyncio.sleep(0.005)
        line = standing.registry.line("bad")
        standing.registry.unwanted.add(line)
        keeping = asyncio.ensure_future(standing.door.keep())
        (told,) = await to_the_end(bad)
        assert (told.error.code, told.error.message) == (pb.ERROR_CODE_REPLACED, "a newer one has come")
        await standing.registry.until_left(line)
        assert set(standing.registry.renewed[0]) == {line, standing.registry.line("good")}, "who is in, and nobody else"
        keeping.cancel()
        standing.registry.slow.set()
        await standing.worker("good").send(said("still there"))
        assert (await good.until("series_end")).message == "still there"
        await third.hang_up()


# ---- workers -------------------------------------------------------------------------------------


@pytest.mark.parametrize("secret", ["", "wrong", "S3CRET", "s3cret2", "é"[:0] + "s3cre"])
async def test_a_worker_without_the_secret_is_turned_away(standing: Standing, secret: str) -> None:
    async with await standing.bot("a") as client:
        worker = standing.worker("a", secret=secret)
        with pytest.raises(PlatformFailure, match="unauthenticated"):
            await worker.receive()
        await worker.close()
        right = standing.worker("a")
        await right.send(said("untouched"))
        assert (await client.until("series_end")).message == "untouched"


async def test_no_metadata_is_no_secret_either(standing: Standing) -> None:
    async with await standing.bot("a"), grpc.aio.insecure_channel(standing.relay) as channel:
        call: Any = channel.stream_stream(relay.METHOD)()
        assert await call.code() == grpc.StatusCode.UNAUTHENTICATED


def test_a_door_has_a_secret() -> None:
    with pytest.raises(ValueError, match="secret"):
        Door(Memory(), Addresses("127.0.0.1:0", "unix:/x", "unix:/x"), "")


async def test_a_line_that_is_not_there_is_a_lost_one(standing: Standing) -> None:
    worker = standing.worker("", line="0" * 32)
    with pytest.raises(LineLost, match="its line is not there any more"):
        await worker.receive()
    with pytest.raises(LineLost):
        await worker.send(said("x"))
    await worker.close()


async def test_one_worker_sits_at_a_line(standing: Standing) -> None:
    async with await standing.bot("a") as client:
        first = standing.worker("a")
        await first.send(said("first"))
        assert (await client.until("series_end")).message == "first"
        second = standing.worker("a")
        with pytest.raises(PlatformFailure, match="failed_precondition"):
            await second.receive()
        await second.close()
        await client.say(ready=pb.Ready())
        assert pb.PlayRequest.FromString(await first.receive()).HasField("ready")
        await first.close()


async def test_a_worker_that_comes_as_soon_as_the_registry_knows_finds_the_line(standing: Standing) -> None:
    """And the bot is welcomed first."""
    standing.registry.slow.clear()
    async with Raw(standing.public) as client:
        await client.say(hello=pb.Hello(token="a"))
        async with asyncio.timeout(60):
            while not standing.registry.lines:  # noqa: ASYNC110
                await asyncio.sleep(0.005)
        worker = standing.worker("a")
        await worker.send(said("to the table"))
        await asyncio.sleep(0.1)
        standing.registry.slow.set()
        assert [(await client.hear() or pb.PlayResponse()).WhichOneof("message") for _ in range(2)] == [
            "welcome",
            "series_end",
        ]
        await worker.close()


async def test_a_worker_that_waits_for_a_bot_that_goes_hears_so(standing: Standing) -> None:
    standing.registry.slow.clear()
    client = Raw(standing.public)
    await client.say(hello=pb.Hello(token="a"))
    async with asyncio.timeout(60):
        while not standing.registry.lines:  # noqa: ASYNC110
            await asyncio.sleep(0.005)
        worker = standing.worker("a")
        while not any(held.taken for held in standing.door._lines.values()):  # noqa: ASYNC110
            await asyncio.sleep(0.005)
        await client.hang_up()
        with pytest.raises(LineLost):
            await worker.receive()
    standing.registry.slow.set()
    await worker.close()


async def test_what_a_bot_said_before_it_went_is_still_heard(standing: Standing) -> None:
    async with await standing.bot("a") as client:
        worker = standing.worker("a")
        await worker.send(said("x"))
        await client.until("series_end")  # now the worker is on the line
        for number in range(30):
            await client.say(nonce=pb.Nonce(nonce=b"%d" % number))
        await client.call.done_writing()
        for number in range(30):
            assert pb.PlayRequest.FromString(await worker.receive()).nonce.nonce == b"%d" % number
        with pytest.raises(LineLost, match="it closed its stream"):
            await worker.receive()
        await worker.close()


async def test_records_of_a_long_block_pass(standing: Standing) -> None:
    async with await standing.bot("a", max_receive_message_length=64 * 1024 * 1024) as client:
        worker = standing.worker("a")
        reveal = pb.BlockReveal(block="b", records=["x" * 1_000_000] * 10)
        await worker.send(pb.PlayResponse(block_reveal=reveal).SerializeToString())
        assert await client.until("block_reveal") == reveal
        await worker.close()


# ---- who is lost? --------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["hang_up", "cancel", "oversize"])
async def test_a_lost_bot_is_a_lost_line(standing: Standing, how: str) -> None:
    client = await standing.bot("a")
    worker = standing.worker("a")
    await worker.send(said("x"))
    await client.until("series_end")
    if how == "hang_up":
        await client.hang_up()
    elif how == "cancel":
        client.call.cancel()
    else:
        await client.say(b"x" * 70_000)
    async with asyncio.timeout(60):
        with pytest.raises(LineLost, match="stream"):
            await worker.receive()
        with pytest.raises(LineLost, match="stream"):
            await worker.send(said("x"))
    await worker.close()
    await client.hang_up()


DOOR = """
import asyncio, sys
sys.path.insert(0, ".")
from arena.door import Addresses, Arrival, Door
lines = []
class Registry:
    async def arrive(self, hello, *, door, line):
        print("line", line, flush=True)
        return Arrival("a", "", "s")
    async def leave(self, line): pass
    async def renew(self, lines): return {}
async def main():
    door = Door(Registry(), Addresses("127.0.0.1:0", sys.argv[1], sys.argv[1]), "s3cret")
    await door.open()
    print("port", door.port, flush=True)
    await asyncio.Event().wait()
asyncio.run(main())
"""


def started(code: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", code, *arguments], stdout=subprocess.PIPE, text=True)


def told(process: subprocess.Popen[str], word: str) -> str:
    assert process.stdout is not None
    while line := process.stdout.readline():
        if line.startswith(word + " "):
            return line.removeprefix(word).strip()
    raise AssertionError(f"it never said {word}")


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    assert process.stdout is not None
    process.stdout.close()


def quickly(options: Iterable[tuple[str, Any]]) -> tuple[tuple[str, Any], ...]:
    """The same, with a keepalive that is too quick for real life."""
    times = ("grpc.keepalive_time_ms", "grpc.keepalive_timeout_ms", "grpc.http2.ping_timeout_ms")
    given = dict(options)
    assert all(given[time] >= 1_000 for time in times)
    return tuple((given | dict.fromkeys(times, 1_000)).items())


BOT = """
import asyncio, sys
sys.path.insert(0, ".")
from tests.arena.rawclient import Raw
from tests.arena.standing import SECRET, Memory, Standing, said, to_the_end
async def main():
    await Raw(sys.argv[1]).hello("a")
    print("welcome now", flush=True)
    await asyncio.Event().wait()
asyncio.run(main())
"""


async def test_a_bot_that_falls_silent_altogether_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As behind a cable that was cut: nothing comes, not even the end of the connection."""
    monkeypatch.setattr(door_module, "SERVER_OPTIONS", quickly(door_module.SERVER_OPTIONS))
    registry, target = Memory(), f"unix:{tmp_path}/relay"
    door = Door(registry, Addresses("127.0.0.1:0", target, target), SECRET)
    await door.open()
    process = started(BOT, f"127.0.0.1:{door.port}")
    try:
        assert await asyncio.to_thread(told, process, "welcome") == "now"
        worker = RelayLine(target, registry.line("a"), SECRET)
        os.kill(process.pid, signal.SIGSTOP)
        async with asyncio.timeout(60):
            with pytest.raises(LineLost):
                await worker.receive()
        await registry.until_left(*registry.arrived)
        await worker.close()
    finally:
        end(process)
        await door.close()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
async def test_a_lost_door_is_nobodys_fault(
    tmp_path: Path, number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one that stands still: a bot behind it cannot be judged."""
    monkeypatch.setattr(relay, "OPTIONS", quickly(relay.OPTIONS))
    target = f"unix:{tmp_path}/r"
    process = started(DOOR, target)
    try:
        port = await asyncio.to_thread(told, process, "port")
        async with Raw(f"127.0.0.1:{port}") as client, asyncio.timeout(60):
            await client.hello("a")
            line = await asyncio.to_thread(told, process, "line")
            worker = RelayLine(target, line, SECRET)
            await worker.send(said("x"))
            assert (await client.until("series_end")).message == "x"
            os.kill(process.pid, number)
            with pytest.raises(PlatformFailure, match="door"):
                await worker.receive()
            with pytest.raises(PlatformFailure, match="door"):
                await worker.send(said("x"))
            await worker.close()
    finally:
        end(process)


async def test_a_door_that_is_not_there_is_our_fault(tmp_path: Path) -> None:
    worker = RelayLine(f"unix:{tmp_path}/nobody", "x", SECRET)
    async with asyncio.timeout(60):
        with pytest.raises(PlatformFailure):
            await worker.receive()
    await worker.close()


WORKER = """
import asyncio, sys
sys.path.insert(0, ".")
from arena.protocol.v1 import arena_pb2 as pb
from arena.seats.relay import RelayLine
async def main():
    line = RelayLine(sys.argv[1], sys.argv[2], "s3cret")
    await line.send(pb.PlayResponse(series_end=pb.SeriesEnd(message="hello")).SerializeToString())
    await line.receive()
    print("sitting now", flush=True)
    await asyncio.Event().wait()
asyncio.run(main())
"""


async def test_a_lost_worker_is_told_to_the_bot_which_is_free_again(standing: Standing) -> None:
    client = await standing.bot("a")
    line = standing.registry.line("a")
    process = started(WORKER, standing.relay, line)
    try:
        assert (await client.until("series_end")).message == "hello"
        await client.say(ready=pb.Ready())
        assert await asyncio.to_thread(told, process, "sitting") == "now"
        process.kill()
        async with asyncio.timeout(60):
            (last,) = await to_the_end(client)
        assert last.error.code == pb.ERROR_CODE_UNAVAILABLE
        assert "the arena lost this table; it counts for nobody" in last.error.message
        await standing.registry.until_left(line)
    finally:
        end(process)
        await client.hang_up()


async def test_a_lost_worker_is_noticed_also_while_a_flooding_bot_is_carried_up(standing: Standing) -> None:
    client = await standing.bot("a")
    line = standing.registry.line("a")
    worker = standing.worker("a")
    await worker.send(said("x"))
    await client.until("series_end")

    async def flood() -> None:
        while True:
            await client.say(nonce=pb.Nonce(nonce=b"x" * 1000))

    flooding = asyncio.ensure_future(flood())
    await asyncio.sleep(0.2)
    worker._reader.cancel()
    await worker._channel.close()
    await standing.registry.until_left(line)
    flooding.cancel()
    await asyncio.gather(flooding, return_exceptions=True)
    await client.hang_up()


# ---- matches through a door ----------------------------------------------------------------------


async def test_a_match_of_remote_bots_one_of_which_comes_back(standing: Standing) -> None:
    clients = [await standing.bot("a"), await standing.bot("b")]
    workers = [standing.worker("a"), standing.worker("b")]

    async def redial(lost: LineLost) -> RelayLine:
        async with asyncio.timeout(60):
            while "back" not in standing.registry.lines.values():  # noqa: ASYNC110
                await asyncio.sleep(0.005)
        await workers[0].close()
        workers[0] = standing.worker("back")
        return workers[0]

    async def lose(client: Raw, question: pb.Question) -> Any:
        if question.decision < 3:
            return await client.answer(question)
        await client.hang_up()
        return "lost"

    back = Raw(standing.public)

    async def away_and_back() -> None:
        await clients[0].play(lose)
        await back.hello("back")
        await back.play()

    bots = [asyncio.ensure_future(away_and_back()), asyncio.ensure_future(clients[1].play())]
    seats = [LineSeat(GAME, workers[0], redial=redial), LineSeat(GAME, workers[1])]
    async with asyncio.timeout(30), WallClock() as clock:
        record = await playing(clock, seats, limits=Limits(2_000, 5_000, 0))
        verify(record)
        for worker in workers:
            await worker.close()
        await asyncio.gather(*bots)
    assert not faults(record)
    assert tuple(back.of("match_end")[0].places) == record.outcome.places
    await back.hang_up()
    await clients[1].hang_up()


async def test_a_remote_bot_that_never_reads_cannot_have_its_match_broken_off(standing: Standing) -> None:
    """A write to it that is given up must not take the line with it: the door would seem to have failed."""
    deaf = await standing.bot("deaf", **{"http2.bdp_probe": 0})
    good = await standing.bot("good")
    playing_on = asyncio.ensure_future(good.play())
    workers = [standing.worker("deaf"), standing.worker("good")]
    seats = [LineSeat(GAME, worker) for worker in workers]
    await deaf.say(ready=pb.Ready(match="m-1"))
    big = pb.PlayResponse(series_end=pb.SeriesEnd(message="x" * 60_000))
    async with asyncio.timeout(120), WallClock() as clock:
        for _ in range(100):
            began = clock.now()
            await seats[0].part(big)
            if clock.now() - began > 0.5:
                break
        else:
            pytest.fail("it takes in everything, and so it reads")
        record = await playing(clock, seats, limits=Limits(2_000, 1_000, 0))
        again = await playing(clock, seats, limits=Limits(2_000, 1_000, 0), match="m-2", number=2)
        for worker in workers:
            await worker.close()
    assert kinds(record) == kinds(again) == [(0, "late", "forfeit")]
    playing_on.cancel()
    await deaf.hang_up()
    await good.hang_up()


# ---- closing -------------------------------------------------------------------------------------


async def test_a_closing_door_tells_its_bots_and_its_workers(standing: Standing) -> None:
    seated, waiting = await standing.bot("a"), await standing.bot("b")
    deaf = await standing.bot("deaf")
    lines = list(standing.registry.lines)
    worker = standing.worker("a")
    await worker.send(said("x"))
    assert (await seated.until("series_end")).message == "x"
    closing = asyncio.ensure_future(standing.door.close())
    for client in (seated, waiting):
        (last,) = await to_the_end(client)
        assert last.error.code == pb.ERROR_CODE_UNAVAILABLE
        assert "dial again" in last.error.message
    with pytest.raises(PlatformFailure, match="door"):
        await worker.receive()
    async with asyncio.timeout(60):
        await closing
    assert sorted(standing.registry.left) == sorted(lines)
    await worker.close()
    for client in (seated, waiting, deaf):
        await client.hang_up()


# ---- services, limits, TLS -----------------------------------------------------------------------


async def healthy(channel: grpc.aio.Channel, service: str) -> Any:
    stub: Any = health_pb2_grpc.HealthStub(channel)
    return (await stub.Check(health_pb2.HealthCheckRequest(service=service))).status


async def test_health_of_an_open_door_and_of_a_closing_one(standing: Standing) -> None:
    async with grpc.aio.insecure_channel(standing.public) as channel:
        for service in ("", SERVICE):
            assert await healthy(channel, service) == health_pb2.HealthCheckResponse.SERVING
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await healthy(channel, "no.such.Service")
        assert error.value.code() == grpc.StatusCode.NOT_FOUND
        stub: Any = health_pb2_grpc.HealthStub(channel)
        watching = stub.Watch(health_pb2.HealthCheckRequest(service=SERVICE))
        assert (await watching.read()).status == health_pb2.HealthCheckResponse.SERVING
        closing = asyncio.ensure_future(standing.door.close())
        assert (await watching.read()).status == health_pb2.HealthCheckResponse.NOT_SERVING
        watching.cancel()
        await closing


async def test_reflection_shows_the_service_to_a_real_client(standing: Standing) -> None:
    def ask() -> tuple[set[str], list[str]]:
        with grpc.insecure_channel(standing.public) as channel:
            database = ProtoReflectionDescriptorDatabase(channel)
            services = set(database.get_services())
            file = database.FindFileContainingSymbol(SERVICE)
            return services, [method.name for method in file.service[0].method]

    services, methods = await asyncio.to_thread(ask)
    assert services == {SERVICE, "grpc.health.v1.Health", "grpc.reflection.v1alpha.ServerReflection"}
    assert methods == ["Play"]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, ...]:
    """The key and the certificate of a door, and the certificate of the authority that has signed it."""
    folder = tmp_path_factory.mktemp("tls")

    def openssl(command: str) -> None:
        subprocess.run(["openssl", *command.split()], cwd=folder, check=True, capture_output=True)

    openssl("req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=ours -keyout ca.key -out ca.pem")
    openssl("req -newkey rsa:2048 -nodes -subj /CN=door -keyout door.key -out door.csr")
    (folder / "names").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1")
    openssl("x509 -req -in door.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out door.pem")
    return tuple((folder / name).read_bytes() for name in ("door.key", "door.pem", "ca.pem"))


async def test_over_tls(tmp_path: Path, certificate: tuple[bytes, ...]) -> None:
    registry, target = Memory(), f"unix:{tmp_path}/relay"
    credentials = grpc.ssl_server_credentials([certificate[:2]])
    door = Door(registry, Addresses("127.0.0.1:0", target, target), SECRET, credentials)
    await door.open()
    trusting = grpc.ssl_channel_credentials(certificate[2])
    async with Raw(f"localhost:{door.port}", trusting) as client:
        told = await client.hello("a")
        assert told is not None
        assert told.welcome.bot == "a"
        worker = RelayLine(target, registry.line("a"), SECRET)
        await worker.send(said("encrypted"))
        assert (await client.until("series_end")).message == "encrypted"
        await worker.close()
    async with grpc.aio.secure_channel(f"localhost:{door.port}", trusting) as channel:
        assert await healthy(channel, SERVICE) == health_pb2.HealthCheckResponse.SERVING

    def ask() -> tuple[set[str], int]:
        """As grpcurl does: over a channel of its own, knowing nothing of the protos."""
        with grpc.secure_channel(f"localhost:{door.port}", trusting) as channel:
            database = ProtoReflectionDescriptorDatabase(channel)
            file = database.FindFileContainingSymbol("arena.protocol.v1.PlayRequest")
            return set(database.get_services()), len(file.message_type)

    services, messages = await asyncio.to_thread(ask)
    assert SERVICE in services
    assert messages > 20
    # nobody gets in without it, or by trusting somebody else
    for wrong in (None, grpc.ssl_channel_credentials()):
        async with Raw(f"localhost:{door.port}", wrong) as client:
            with contextlib.suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
                assert await client.hello("b") is None
            assert await client.call.code() == grpc.StatusCode.UNAVAILABLE
    assert len(registry.arrived) == 1
    await door.close()


async def test_a_taken_address_is_an_error_of_the_system(standing: Standing, tmp_path: Path) -> None:
    other = Door(Memory(), Addresses(standing.public, f"unix:{tmp_path}/x", ""), SECRET)
    with pytest.raises(OSError, match="cannot listen"):
        await other.open()
    await other.close()


async def test_one_connection_has_so_many_streams_and_no_more(standing: Standing) -> None:
    async with grpc.aio.insecure_channel(standing.public) as channel:
        calls: list[Any] = []

        def dial() -> None:
            call: Any = channel.stream_stream("/arena.protocol.v1.ArenaService/Play")()
            hello = pb.PlayRequest(hello=pb.Hello(token=f"{len(calls)}"))
            calls.append(call)
            writing = asyncio.ensure_future(call.write(hello.SerializeToString()))
            writing.add_done_callback(lambda task: task.cancelled() or task.exception())

        for _ in range(70):
            dial()
        async with asyncio.timeout(60):
            while len(standing.registry.arrived) < 64:  # noqa: ASYNC110
                await asyncio.sleep(0.005)
            await asyncio.sleep(0.1)
            assert len(standing.registry.arrived) == 64
            # those that came in: who waits has no place to give away
            for line in standing.registry.arrived[:6]:
                calls[int(standing.registry.lines[line])].cancel()
            # of those that wait, some come in now; and as their own library may have sent all of them away, some more
            for _ in range(6):
                dial()
            while len(standing.registry.arrived) == 64:  # noqa: ASYNC110
                await asyncio.sleep(0.005)
        for call in calls:
            call.cancel()


async def test_a_full_door_says_so(tmp_path: Path) -> None:
    registry, target = Memory(), f"unix:{tmp_path}/relay"
    door = Door(registry, Addresses("127.0.0.1:0", target, target), SECRET, limits=GateLimits(streams=3))
    await door.open()
    standing = Standing(door, registry, target)
    clients = [await standing.bot(f"{number}") for number in range(3)]
    async with Raw(standing.public) as one_more:
        full = "this door is full; dial again in a moment"
        assert await one_more.turned_away() == (grpc.StatusCode.RESOURCE_EXHAUSTED, full)
    await clients[0].hang_up()
    await registry.until_left(registry.arrived[0])
    async with await standing.bot("room again"):
        pass
    for client in clients:
        await client.hang_up()
    await door.close()
