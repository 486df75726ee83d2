"""Messages on their way in and out of a line, so that nobody who waits for one can spoil it or be flooded by it."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable

MOST_READ_AHEAD = 64
"""Messages that wait to be asked for; the far end's further ones wait at its own side."""

MOST_BYTES_READ_AHEAD = 128 * 1024
"""The same in bytes; the message that goes beyond is the last."""

MOST_UNSENT = 16
"""Messages that wait for a far end that does not read; whoever has more to say waits too."""


class Inbox:
    """What has arrived and was not asked for yet. One side puts, the other gets; both can be cancelled."""

    def __init__(self) -> None:
        self._messages: deque[bytes] = deque()
        self._bytes = 0
        self._ended: Exception | None = None
        self._arrival = asyncio.Event()
        self._room = asyncio.Event()

    @property
    def ended(self) -> Exception | None:
        """Why nothing more will arrive; None as long as something can."""
        return self._ended

    async def put(self, message: bytes) -> None:
        """Add a message, as soon as there is room."""
        while len(self._messages) >= MOST_READ_AHEAD or self._bytes >= MOST_BYTES_READ_AHEAD:
            self._room.clear()
            await self._room.wait()
        self._messages.append(message)
        self._bytes += len(message)
        self._arrival.set()

    def end(self, why: Exception) -> None:
        """Nothing more will arrive. The first reason stands."""
        self._ended = self._ended or why
        self._arrival.set()

    async def get(self) -> bytes:
        """The next message; when there is none and will be none, the reason for that is raised."""
        while not self._messages:
            if self._ended is not None:
                raise self._ended.with_traceback(None)
            self._arrival.clear()
            await self._arrival.wait()
        message = self._messages.popleft()
        self._bytes -= len(message)
        self._room.set()
        return message


class Outbox:
    """What is to be sent, in order. A write that has begun is never cancelled: half of it may be on its way.

    Args:
        write: writes one message to the far end; raises when that is not there any more.
    """

    def __init__(self, write: Callable[[bytes], Awaitable[object]]) -> None:
        self._write = write
        self._messages: deque[bytes] = deque()
        self._broken = False
        self._writer: asyncio.Task[None] | None = None
        self._room = asyncio.Event()

    async def put(self, message: bytes) -> None:
        """See that ``message`` will be sent. Cancelled while it waits for room, it is not sent at all."""
        while len(self._messages) >= MOST_UNSENT:
            self._room.clear()
            await self._room.wait()
        if self._broken:
            return  # the far end is gone, and the reading side says how
        self._messages.append(message)
        if self._writer is None or self._writer.done():
            self._writer = asyncio.ensure_future(self._write_all())

    async def flush(self, seconds: float) -> bool:
        """Wait until everything is sent, ``seconds`` at most; whether it was."""
        if self._writer is not None:
            await asyncio.wait({self._writer}, timeout=seconds)
        return not self._messages and not self._broken

    def break_off(self) -> None:
        """Send nothing more."""
        self._broken = True
        self._messages.clear()
        self._room.set()
        if self._writer is not None:
            self._writer.cancel()

    async def _write_all(self) -> None:
        try:
            while self._messages:
                await self._write(self._messages[0])
                self._messages.popleft()
                self._room.set()
        except Exception:  # noqa: BLE001  # grpc.aio raises a whole family here, and all of it means one thing
            self._broken = True
            self._messages.clear()
            self._room.set()
