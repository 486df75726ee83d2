"""How much a match over the wire costs, beside a bare gRPC echo between two processes. ``python -m bench.wire``

The bare echo is one bidirectional stream on a Unix socket: the server writes as many bytes as a question has, the
client answers with as many as an answer has, and neither looks at them. Over the wire such processes play
Three Coins: two bots of the kit, each in its process, through all of it: referee, view, messages, kit, record.
"""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from typing import Any

import grpc

from arena import chance
from arena.clock import WallClock
from arena.dial import dial, play_stream
from arena.games import find_game
from arena.protocol.v1 import arena_pb2 as pb
from arena.record import MovesStep
from arena.referee import Luck, Terms, play
from arena.rules import ruleset
from arena.seats import LineSeat, Listener
from arena.table import Limits, Player
from bench.referee import Random
from bench.rounds import in_turn

SECONDS = 1.0
"""Of each measurement."""

QUESTION_BYTES, ANSWER_BYTES = 200, 12
"""About what they are in a duel of Three Coins."""

GAME = find_game("three_coins")
RULES = ruleset(GAME, "duel")
PLAYERS = (Player("a", None), Player("b", None))
ECHO = "/bench.Echo/Echo"


def client(what: str, target: str, *arguments: str) -> subprocess.Popen[bytes]:
    """The other process."""
    return subprocess.Popen([sys.executable, "-m", "bench.wire", what, target, *arguments])  # noqa: S603


# ---- the floor -----------------------------------------------------------------------------------


def echoed() -> tuple[int, float]:
    """Round trips of the bare stream."""
    return asyncio.run(_echoed())


async def _echoed() -> tuple[int, float]:
    measured: asyncio.Future[tuple[int, float]] = asyncio.get_running_loop().create_future()

    async def echo(requests: AsyncIterator[bytes], context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        question, trips = b"q" * QUESTION_BYTES, 0
        await anext(requests)
        began = time.perf_counter()
        while time.perf_counter() - began < SECONDS:
            await context.write(question)
            await anext(requests)
            trips += 1
        measured.set_result((trips, time.perf_counter() - began))

    service, method = ECHO.strip("/").split("/")
    handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(echo)
    server = grpc.aio.server()
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, {method: handler}),))
    with tempfile.TemporaryDirectory() as folder:
        target = f"unix:{folder}/s"
        server.add_insecure_port(target)
        await server.start()
        with client("echo", target) as process:
            result = await measured
            await server.stop(grace=1.0)
            await asyncio.to_thread(process.wait)
    return result


async def _echo(target: str) -> None:
    async with grpc.aio.insecure_channel(target) as channel:
        call: Any = channel.stream_stream(ECHO)()
        answer = b"a" * ANSWER_BYTES
        await call.write(answer)
        while await call.read() is not grpc.aio.EOF:
            await call.write(answer)


# ---- a match -------------------------------------------------------------------------------------


def hosted() -> tuple[int, float]:
    """Decisions of matches over the wire, one after the other, with a time limit; a bot is its line."""
    return asyncio.run(_played("hosted"))


def remote() -> tuple[int, float]:
    """The same with bots that think in a thread of their own, so that their line stays awake meanwhile."""
    return asyncio.run(_played("remote"))


async def _played(how: str) -> tuple[int, float]:
    with tempfile.TemporaryDirectory() as folder:
        async with Listener(f"unix:{folder}/s") as listener, WallClock() as clock:
            tickets = [listener.expect(player) for player in PLAYERS]
            with contextlib.ExitStack() as stack:
                bots = [stack.enter_context(client(how, listener.target, ticket)) for ticket, _ in tickets]
                lines = [await line for _, line in tickets]
                seats = [LineSeat(GAME, line) for line in lines]
                decisions, number, began = 0, 0, time.perf_counter()
                while time.perf_counter() - began < SECONDS:
                    luck = Luck(chance.digest(b"%d" % number), (b"", b""))
                    number += 1
                    terms = Terms(f"m-{number}", RULES, PLAYERS, Limits(), number=number)
                    record = await play(GAME, terms, seats, luck, clock=clock)
                    decisions += sum(len(step.moves) for step in record.steps if isinstance(step, MovesStep))
                taken = time.perf_counter() - began
                for seat, line in zip(seats, lines, strict=True):
                    await seat.part(pb.PlayResponse(series_end=pb.SeriesEnd(message="enough")))
                    line.close()
                for bot in bots:
                    await asyncio.to_thread(bot.wait)
    return decisions, taken


def main(arguments: list[str]) -> None:
    """Measure and print; or be the other process."""
    if arguments[:1] == ["echo"]:
        asyncio.run(_echo(arguments[1]))
    elif arguments[:1] == ["hosted"]:
        play_stream(Random, game=GAME.name, target=arguments[1], token=arguments[2])
    elif arguments[:1] == ["remote"]:
        asyncio.run(dial(Random, game=GAME.name, target=arguments[1], token=arguments[2], once=True))
    else:
        print(f"a Unix socket between two processes, grpcio {grpc.__version__}, Python {sys.version.split()[0]}")
        ways = [
            ("bare gRPC echo, one stream", echoed),
            ("matches over the wire, as hosted bots", hosted),
            ("matches over the wire, as remote bots", remote),
        ]
        in_turn(ways, unit="round trips")


if __name__ == "__main__":
    main(sys.argv[1:])
