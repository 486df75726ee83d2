"""A door that stands in a test, with everything that it needs to know in memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc

from arena.door import Addresses, Arrival, Door
from arena.protocol.v1 import arena_pb2 as pb
from arena.seats.gate import GateLimits
from arena.seats.relay import RelayLine
from arena.seats.stream import Refused
from tests.arena.rawclient import Raw

SECRET = "s3cret"


class Memory:
    """A registry that keeps everything in memory, and notes what it was told."""

    def __init__(self) -> None:
        self.lines: dict[str, str] = {}
        """Who is there: the token of each line."""
        self.arrived: list[str] = []
        self.left: list[str] = []
        self.renewed: list[tuple[str, ...]] = []
        self.unwanted: set[str] = set()
        self.slow = asyncio.Event()
        self.slow.set()
        self.failing = 0

    async def arrive(self, hello: pb.Hello, *, door: str, line: str) -> Arrival:
        if hello.token == "broken":
            raise RuntimeError("the password of the database is 1234")
        if hello.token == "banned":
            raise Refused(pb.ERROR_CODE_NOT_ALLOWED, "banned for life")
        self.lines[line] = hello.token
        await self.slow.wait()
        self.arrived.append(line)
        return Arrival(hello.token, "sha256:1", f"session of {hello.token}")

    async def leave(self, line: str) -> None:
        self.left.append(line)
        self.lines.pop(line, None)
        if self.failing:
            self.failing -= 1
            raise RuntimeError("the database is away")

    async def renew(self, lines: Mapping[str, str]) -> Mapping[str, Refused]:
        self.renewed.append(tuple(lines))
        if self.failing:
            self.failing -= 1
            raise RuntimeError("the database is away")
        why = Refused(pb.ERROR_CODE_REPLACED, "a newer one has come")
        return {line: why for line in [*lines, "never heard of"] if line in self.unwanted or line not in lines}

    def line(self, token: str) -> str:
        (line,) = [line for line, its in self.lines.items() if its == token]
        return line

    async def until_left(self, *lines: str) -> None:
        async with asyncio.timeout(60):
            while set(lines) - set(self.left):  # noqa: ASYNC110
                await asyncio.sleep(0.005)
        assert sorted(self.left) == sorted(set(self.left)), "nobody leaves twice"


class Standing:
    """A door, its registry, and how to get at both of its sides."""

    def __init__(self, door: Door, registry: Memory, relay_target: str) -> None:
        self.door = door
        self.registry = registry
        self.relay = relay_target
        self.public = f"127.0.0.1:{door.port}"

    async def bot(self, token: str, **options: Any) -> Raw:
        client = Raw(self.public, **options)
        told = await client.hello(token)
        assert told is not None
        assert told.welcome.session == f"session of {token}"
        return client

    def worker(self, token: str, **more: Any) -> RelayLine:
        return RelayLine(self.relay, more.get("line") or self.registry.line(token), more.get("secret", SECRET))


@asynccontextmanager
async def standing_door(
    folder: Path, limits: GateLimits | None = None, credentials: grpc.ServerCredentials | None = None
) -> AsyncIterator[Standing]:
    """An open door."""
    registry, target = Memory(), f"unix:{folder}/relay"
    door = Door(registry, Addresses("127.0.0.1:0", target, target), SECRET, credentials, limits)
    await door.open()
    try:
        yield Standing(door, registry, target)
    finally:
        await door.close()


def said(message: str) -> bytes:
    return pb.PlayResponse(series_end=pb.SeriesEnd(message=message)).SerializeToString()


async def to_the_end(client: Raw) -> list[pb.PlayResponse]:
    """All that is heard until the stream ends."""
    heard = []
    while (message := await client.hear()) is not None:
        heard.append(message)
    return heard
