"""A bot without the kit: it says whatever a test wants, bytes that are no message included."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any

import grpc

from arena.protocol.v1 import arena_pb2 as pb

PLAY = "/arena.protocol.v1.ArenaService/Play"

Decide = Callable[["Raw", pb.Question], Awaitable[Any]]
"""Answers a question, well or badly. Whatever it returns but None ends the bot."""


class Raw:
    """One stream, in bytes."""

    def __init__(self, target: str, credentials: grpc.ChannelCredentials | None = None, **options: Any) -> None:
        given = [("grpc.use_local_subchannel_pool", 1), *((f"grpc.{name}", value) for name, value in options.items())]
        self.channel = (
            grpc.aio.insecure_channel(target, options=given)
            if credentials is None
            else grpc.aio.secure_channel(target, credentials, options=given)
        )
        call: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = self.channel.stream_stream(PLAY)
        self.call = call()
        self.heard: list[pb.PlayResponse] = []

    async def __aenter__(self) -> Raw:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.hang_up()

    async def say(self, message: pb.PlayRequest | bytes | None = None, **fields: Any) -> None:
        """Send a message, its bytes, or one with the given field."""
        if message is None:
            message = pb.PlayRequest(**fields)
        await self.call.write(message if isinstance(message, bytes) else message.SerializeToString())

    async def hello(self, token: str, **more: Any) -> pb.PlayResponse | None:
        """Say Hello; what comes back."""
        await self.say(hello=pb.Hello(token=token, game=more.pop("game", "three_coins"), **more))
        return await self.hear()

    async def hear(self) -> pb.PlayResponse | None:
        """The next message, or None at the end of the stream."""
        async with asyncio.timeout(60):
            got = await self.call.read()
        if not isinstance(got, bytes):
            return None
        message = pb.PlayResponse.FromString(got)
        self.heard.append(message)
        return message

    async def until(self, kind: str) -> Any:
        """Pass over messages until one of this kind; its content."""
        while (message := await self.hear()) is not None:
            if message.WhichOneof("message") == kind:
                return getattr(message, kind)
        raise AssertionError(f"the stream ended before {kind}")

    async def turned_away(self) -> tuple[grpc.StatusCode, str]:
        """Read to the end of a stream that is refused; its status, and what was said with it."""
        with contextlib.suppress(grpc.RpcError, asyncio.InvalidStateError):
            while await self.hear() is not None:
                pass
        return await self.call.code(), await self.call.details() or ""

    async def answer(self, question: pb.Question, move: pb.Move | None = None, **more: Any) -> None:
        """Answer with the first legal move, or as told."""
        content = {"decision": question.decision, "move": move or question.legal[0]} | more
        await self.say(answer=pb.Answer(**content))

    async def hang_up(self) -> None:
        """Be gone without a word."""
        await self.channel.close()

    async def play(self, decide: Decide | None = None) -> None:
        """Be a good bot to the end of the stream, but for what ``decide`` does."""
        while (message := await self.hear()) is not None:
            which = message.WhichOneof("message")
            if which == "match_start":
                await self.say(ready=pb.Ready(match=message.match_start.match))
            elif which == "question":
                if decide is None:
                    await self.answer(message.question)
                elif await decide(self, message.question) is not None:
                    return

    def of(self, kind: str) -> list[Any]:
        """All messages of this kind that were heard."""
        return [getattr(message, kind) for message in self.heard if message.WhichOneof("message") == kind]
