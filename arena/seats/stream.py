"""The server's end of a bot's stream, and the server that bots dial."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import grpc
from google.protobuf.message import DecodeError

from arena.protocol.v1 import arena_pb2 as pb
from arena.seats.gate import Full, Gate, GateLimits
from arena.seats.line import LineLost
from arena.seats.post import Inbox, Outbox
from arena.wire import MAX_MESSAGE_BYTES

log = logging.getLogger(__name__)

HELLO_SECONDS = 10.0
"""How long a stream may be silent before its Hello."""

HELLO_BYTES = 4096
"""The longest Hello. Nothing more is taken in from a stream before it has said one."""

SERVICE = "arena.protocol.v1.ArenaService"

SERVER_OPTIONS: tuple[tuple[str, Any], ...] = (
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.so_reuseport", 0),
    # a line that has died without a word is noticed within a minute, also where the system's own keepalive is off
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.ping_timeout_ms", 10_000),  # the one above alone still waits for this one's minute
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
    ("grpc.max_concurrent_streams", 64),
    # no more than the usual window is taken in for a bot whose messages nobody has asked for
    ("grpc.http2.bdp_probe", 0),
)

OPEN = GateLimits(0, 0, 0, 0, 0)
"""A gate that lets everybody in."""

FLUSH_SECONDS = 1.0
"""How long a bot that does not read may hold up the end of its stream."""


class StreamLine:
    """A `Line` over one stream that a bot has opened. Read by a task of its own, so that receiving can be cancelled."""

    def __init__(self, requests: AsyncIterator[bytes], context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        self._inbox = Inbox()
        self._outbox = Outbox(context.write)
        self._known = asyncio.Event()
        self._over = asyncio.Event()
        self._reader = asyncio.ensure_future(self._read(requests))

    async def send(self, message: bytes) -> None:
        """Send one serialized message. Cancelled, it has not been sent."""
        if self._inbox.ended is not None:
            raise self._inbox.ended.with_traceback(None)
        await self._outbox.put(message)

    async def receive(self) -> bytes:
        """The next serialized message."""
        return await self._inbox.get()

    def read_on(self) -> None:
        """Its first message was a Hello: what follows may be read ahead."""
        self._known.set()

    def push(self, why: str) -> None:
        """Have whoever waits for its Hello turn it away."""
        self._inbox.end(Refused(pb.ERROR_CODE_TOO_MANY, why))

    async def refuse(self, refused: Refused) -> None:
        """Tell the bot why it is turned away."""
        error = pb.Error(code=refused.code, message=str(refused))
        await self._outbox.put(pb.PlayResponse(error=error).SerializeToString())
        await self.flush()

    def close(self) -> None:
        """End the stream from our side, in order."""
        self._over.set()

    async def until_over(self) -> None:
        """Return when `close` has been called, or the bot has ended its side. What it sent before can still be read."""
        await self._over.wait()
        await self.flush()

    async def flush(self) -> None:
        """Wait until all is sent, or the bot has shown that it does not read."""
        await self._outbox.flush(FLUSH_SECONDS)

    def drop(self, why: str) -> None:
        """The stream is no more: stop reading, and let whoever waits for a message know."""
        self._reader.cancel()
        self._outbox.break_off()
        self._inbox.end(LineLost(why))
        self._over.set()

    async def _read(self, requests: AsyncIterator[bytes]) -> None:
        try:
            async for message in requests:
                await self._inbox.put(message)
                await self._known.wait()
            lost = LineLost("it closed its stream")
        except Exception as error:  # noqa: BLE001  # grpc.aio raises a whole family here, and all of it means one thing
            lost = LineLost(f"its stream broke ({type(error).__name__})")
        self._inbox.end(lost)
        self._over.set()


Receive = Callable[[pb.Hello, StreamLine], Awaitable[None]]
"""Handles a stream from its Hello on; the stream ends when it returns.

Raises `Refused` to turn the bot away."""


class Refused(Exception):
    """A bot is turned away; the message says what to do."""

    def __init__(self, code: pb.ErrorCode, message: str) -> None:
        super().__init__(message)
        self.code = code


def play_handler(receive: Receive, gate: Gate | None = None) -> grpc.GenericRpcHandler:
    """The Play rpc. Messages stay serialized, so that garbage is a bot's fault at a table and not a broken rpc.

    Args:
        receive: what is done with a stream that has said Hello.
        gate: who may open one at all; None for everybody.
    """
    entrance = gate or Gate(OPEN)

    async def play(requests: AsyncIterator[bytes], context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        line = StreamLine(requests, context)
        try:
            await _admit(entrance, context.peer(), line, receive)
        except Refused as refused:
            await line.refuse(refused)
        except Full as full:
            await line.refuse(Refused(pb.ERROR_CODE_TOO_MANY, str(full)))
            context.set_code(grpc.StatusCode.RESOURCE_EXHAUSTED)
            context.set_details(str(full))
        except LineLost:
            return
        finally:
            line.drop("its stream has ended")

    method: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(play)
    return grpc.method_handlers_generic_handler(SERVICE, {"Play": method})


async def _admit(gate: Gate, peer: str, line: StreamLine, receive: Receive) -> None:
    """Have a stream received that has said Hello; how it ends is held against where it came from.

    Raises:
        Full: there are too many.
        Refused: it was turned away.
        LineLost: it is gone.
    """
    entered = gate.enter(peer, line.push)
    try:
        hello = await _hello(line)
        entered.spoke(hello.token)
        line.read_on()
        await receive(hello, line)
    except Refused as refused:
        if refused.code != pb.ERROR_CODE_UNAVAILABLE:
            entered.fail()
        raise
    except (Full, LineLost):
        raise
    except Exception:
        # what went wrong in here is not for strangers
        log.exception("a bot's stream ended by an error of the arena")
        raise Refused(pb.ERROR_CODE_UNAVAILABLE, "the arena made an error; dial again in a moment") from None
    finally:
        entered.leave()


async def _hello(line: StreamLine) -> pb.Hello:
    try:
        first = await asyncio.wait_for(line.receive(), HELLO_SECONDS)
        if len(first) > HELLO_BYTES:
            raise Refused(pb.ERROR_CODE_PROTOCOL, f"a Hello has at most {HELLO_BYTES} bytes, not {len(first)}")
        message = pb.PlayRequest.FromString(first)
    except TimeoutError:
        raise Refused(pb.ERROR_CODE_PROTOCOL, f"no Hello came within {HELLO_SECONDS:g} seconds") from None
    except DecodeError:
        raise Refused(pb.ERROR_CODE_PROTOCOL, "the first message cannot be read as a PlayRequest") from None
    if message.WhichOneof("message") != "hello":
        raise Refused(pb.ERROR_CODE_PROTOCOL, "the first message of a stream is a Hello")
    for field, value in message.hello.ListFields():
        if not value.isprintable():
            raise Refused(pb.ERROR_CODE_PROTOCOL, f"the field {field.name} of Hello has a control character in it")
    return message.hello
