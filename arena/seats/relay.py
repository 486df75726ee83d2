"""The worker's end of a remote bot's line: a stream to the door that holds it."""

from __future__ import annotations

import asyncio
import contextlib

import grpc

from arena.referee import PlatformFailure
from arena.seats.line import LineLost

METHOD = "/arena.relay.Relay/Sit"
"""The door's internal rpc: the bytes of `PlayResponse` in, those of `PlayRequest` out, nothing changed."""

SECRET_KEY, LINE_KEY = "arena-secret", "arena-line"
"""Metadata of that rpc: the secret that workers and doors share, and which of the door's lines is meant."""

BOT_LOST = grpc.StatusCode.ABORTED
"""The status with which the door says that the bot's own side of the line has ended. Every other one is our fault."""

_INBOX = 64


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
        self._channel = grpc.aio.insecure_channel(door)
        sit: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = self._channel.stream_stream(METHOD)
        self._call = sit(metadata=((SECRET_KEY, secret), (LINE_KEY, line)))
        self._inbox: asyncio.Queue[bytes | Exception] = asyncio.Queue(_INBOX)
        self._ended: Exception | None = None
        self._reader = asyncio.ensure_future(self._read())

    async def send(self, message: bytes) -> None:
        """Send one serialized message."""
        try:
            await self._call.write(message)
        except (grpc.RpcError, asyncio.InvalidStateError) as error:
            # why it ended is what the reader finds out
            await asyncio.wait({self._reader}, timeout=1.0)
            raise self._ended or PlatformFailure("the way to the door broke") from error

    async def receive(self) -> bytes:
        """The next serialized message."""
        if self._ended is not None and self._inbox.empty():
            raise self._ended
        message = await self._inbox.get()
        if isinstance(message, Exception):
            raise message
        return message

    async def close(self) -> None:
        """Leave the table in order: the door then ends the bot's stream."""
        with contextlib.suppress(grpc.RpcError, asyncio.InvalidStateError):
            await self._call.done_writing()
            await asyncio.wait({self._reader}, timeout=1.0)
        self._reader.cancel()
        await self._channel.close()

    async def _read(self) -> None:
        try:
            async for message in self._call:
                await self._inbox.put(message)
            ended: Exception = LineLost("its line was closed")
        except grpc.aio.AioRpcError as error:
            ended = _meaning(error)
        self._ended = ended
        await self._inbox.put(ended)


def _meaning(error: grpc.aio.AioRpcError) -> Exception:
    if error.code() == BOT_LOST:
        return LineLost(error.details() or "its line was lost")
    return PlatformFailure(f"the door that held a bot's line failed ({error.code().name.lower()})")
