"""HTTP/2 by hand, as no library would speak it: frames that stop in the middle, and pings without end."""

from __future__ import annotations

import asyncio
import struct
from typing import NamedTuple

DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY = 0, 1, 3, 4, 6, 7

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


class Frame(NamedTuple):
    """One frame that came."""

    kind: int
    flags: int
    stream: int
    payload: bytes


class Connection:
    """A connection to a gRPC server."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.frames: list[Frame] = []

    @classmethod
    async def open(cls, target: str) -> Connection:
        """Connect, and say nothing."""
        host, _, port = target.rpartition(":")
        return cls(*await asyncio.open_connection(host, int(port)))

    async def begin(self) -> None:
        """The preface and empty settings."""
        self.writer.write(PREFACE)
        await self.send(SETTINGS)

    async def send(self, kind: int, payload: bytes = b"", *, flags: int = 0, stream: int = 0) -> None:
        """One frame."""
        self.writer.write(frame(kind, payload, flags=flags, stream=stream))
        await self.writer.drain()

    async def call(self, path: str, stream: int = 1) -> None:
        """Open a stream for a gRPC call."""
        fields = {":method": "POST", ":scheme": "http", ":path": path, ":authority": "arena"}
        fields |= {"content-type": "application/grpc", "te": "trailers"}
        await self.send(HEADERS, b"".join(_literal(*field) for field in fields.items()), flags=4, stream=stream)

    async def hear(self) -> Frame | None:
        """The next frame, None when the server has closed the connection."""
        try:
            head = await self.reader.readexactly(9)
            length = int.from_bytes(head[:3], "big")
            payload = await self.reader.readexactly(length)
        except (asyncio.IncompleteReadError, ConnectionError):
            return None
        heard = Frame(head[3], head[4], int.from_bytes(head[5:], "big"), payload)
        self.frames.append(heard)
        return heard

    async def until_closed(self, seconds: float) -> None:
        """Wait until the server has closed the connection."""
        async with asyncio.timeout(seconds):
            while await self.hear() is not None:
                pass

    async def close(self) -> None:
        """Be gone."""
        self.writer.close()
        await asyncio.gather(self.writer.wait_closed(), return_exceptions=True)


def frame(kind: int, payload: bytes = b"", *, flags: int = 0, stream: int = 0) -> bytes:
    """The bytes of a frame."""
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def _literal(name: str, value: str) -> bytes:
    """A header field, never indexed, uncompressed; no part of it is longer than 126 bytes."""
    return b"\x10" + bytes([len(name)]) + name.encode() + bytes([len(value)]) + value.encode()
