"""The worker's end of a remote bot's line: a stream to the door that holds it."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import grpc

from arena.referee import PlatformFailure
from arena.seats.line import LineLost
from arena.seats.post import Inbox, Outbox

METHOD = "/arena.relay.Relay/Sit"
"""The door's internal rpc: the bytes of `PlayResponse` in, those of `PlayRequest` out, nothing changed."""

SECRET_KEY, LINE_KEY = "arena-secret", "arena-line"
"""Metadata of that rpc: the secret that workers and doors share, and which of the door's lines is meant."""

BOT_LOST = grpc.StatusCode.ABORTED
"""The status with which the door says that the bot's own side of the line has ended. Every other one is our fault."""

MOST_BYTES = 64 * 1024 * 1024
"""The longest message that goes between worker and door: the records of a long block come in one."""

OPTIONS: tuple[tuple[str, Any], ...] = (
    ("grpc.max_receive_message_length", MOST_BYTES),
    # a door or a worker that stands still is noticed within seconds: while it does, no bot can be judged
    ("grpc.keepalive_time_ms", 2_000),
    ("grpc.keepalive_timeout_ms", 3_000),
    ("grpc.http2.ping_timeout_ms", 3_000),  # the one above alone still waits for this one's minute
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.http2.min_ping_interval_without_data_ms", 1_000),
    ("grpc.http2.bdp_probe", 0),
    ("grpc.so_reuseport", 0),
    # each line has a connection of its own, which ends with it
    ("grpc.use_local_subchannel_pool", 1),
)
"""Of both ends."""

GOODBYE = b""
"""What a worker says last when it leaves in order. To end without it is to be lost; no other message is empty."""

PARTING_SECONDS = 1.0


class RelayLine:
    """A `Line` to a bot that hangs on a door.

    Args:
        door: the door's internal address.
        line: which line of that door.
        secret: what workers and doors share.
    """

    def __init__(self, door: str, line: str, secret: str) -> None:
        self.door = door
        self.name = line
        self._channel = grpc.aio.insecure_channel(door, options=OPTIONS)
        sit: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = self._channel.stream_stream(METHOD)
        self._call = sit(metadata=((SECRET_KEY, secret), (LINE_KEY, line)))
        self._inbox = Inbox()
        self._outbox = Outbox(self._call.write)
        self._reader = asyncio.ensure_future(self._read())

    async def send(self, message: bytes) -> None:
        """Send one serialized message. Cancelled, it has not been sent."""
        if self._inbox.ended is not None:
            raise self._inbox.ended.with_traceback(None)
        await self._outbox.put(message)

    async def receive(self) -> bytes:
        """The next serialized message."""
        return await self._inbox.get()

    async def close(self) -> None:
        """Leave the table in order: the door then ends the bot's stream."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._outbox.put(GOODBYE), PARTING_SECONDS)
        if await self._outbox.flush(PARTING_SECONDS):
            with contextlib.suppress(grpc.RpcError, asyncio.InvalidStateError):
                await self._call.done_writing()
                await asyncio.wait({self._reader}, timeout=PARTING_SECONDS)
        self._outbox.break_off()
        self._reader.cancel()
        await self._channel.close()

    async def _read(self) -> None:
        try:
            async for message in self._call:
                await self._inbox.put(message)
            ended: Exception = LineLost("its line was closed")
        except grpc.aio.AioRpcError as error:
            ended = _meaning(error)
        except asyncio.CancelledError:
            self._inbox.end(PlatformFailure("its line was closed by us"))
            raise
        self._inbox.end(ended)


def _meaning(error: grpc.aio.AioRpcError) -> Exception:
    if error.code() == BOT_LOST:
        return LineLost(error.details() or "its line was lost")
    return PlatformFailure(f"the door that held a bot's line failed ({error.code().name.lower()})")
