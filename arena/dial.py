"""The line from a bot to the arena: dials, carries a `arena.conversation.Conversation`, dials again when it is lost.

``python -m arena.dial FILE`` plays the bot of a file on the line that the environment describes: that is how
``arena play`` and the site's sandbox start a bot in a process of its own.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc

from arena.conversation import Conversation, Report, Tell
from arena.kit import Bot, BotError, load_bot
from arena.protocol.v1 import arena_pb2 as pb
from arena.protocol.v1.arena_pb2_grpc import ArenaServiceStub

ADDRESS_VARIABLE = "ARENA_ADDRESS"
"""Environment: where a launched bot dials to, ``unix:/path`` or ``host:port``."""

TICKET_VARIABLE = "ARENA_TICKET"
"""Environment: the ticket that a launched bot shows; good for one stream."""

LONGEST_WAIT = 60.0
"""The most seconds between two attempts to reach the arena."""

CHANNEL_OPTIONS: tuple[tuple[str, Any], ...] = (
    # waiting for a table can take hours; the pings keep the line open and show when it is dead
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.ping_timeout_ms", 10_000),  # the one above alone still waits for this one's minute
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
    # a door that opens again is found soon
    ("grpc.initial_reconnect_backoff_ms", 500),
    ("grpc.max_reconnect_backoff_ms", 10_000),
    # the records of a long block come in one message
    ("grpc.max_receive_message_length", 64 * 1024 * 1024),
    ("grpc.use_local_subchannel_pool", 1),
)

LAUNCHED_OPTIONS = tuple(option for option in CHANNEL_OPTIONS if "keepalive" not in option[0])
"""Without pings: a bot that the arena has frozen for a while must not take the silence for a lost line."""

_FINAL = {
    pb.ERROR_CODE_UNAUTHENTICATED,
    pb.ERROR_CODE_WRONG_GAME,
    pb.ERROR_CODE_NOT_ALLOWED,
    pb.ERROR_CODE_PROTOCOL,
}

Sleep = Callable[[float], Awaitable[Any]]


class DialError(Exception):
    """The arena cannot be played with, and dialling again would not help. The message is for the author."""


class Replaced(DialError):
    """A newer line of the same bot has taken this one's place: to dial again would push that one out."""


class LineLost(Exception):
    """The line broke before the series was over."""


def _channel(target: str, tls: bool | grpc.ChannelCredentials) -> grpc.aio.Channel:
    if tls is False:
        return grpc.aio.insecure_channel(target, options=CHANNEL_OPTIONS)
    credentials = grpc.ssl_channel_credentials() if tls is True else tls
    return grpc.aio.secure_channel(target, credentials, options=CHANNEL_OPTIONS)


async def _carry(
    channel: grpc.aio.Channel, conversation: Conversation, pool: ThreadPoolExecutor | None, tell: Tell | None = None
) -> None:
    """Carry the conversation over one stream until the arena ends it.

    Raises:
        LineLost: the stream ended before the series was over.
        DialError: the arena refused this program.
    """
    call = ArenaServiceStub(channel).Play()  # type: ignore[no-untyped-call]
    try:
        await call.write(conversation.hello())
        while (message := await call.read()) is not grpc.aio.EOF:
            if pool is None:
                replies = conversation.receive(message)
            else:
                replies = await _think(conversation, message, pool, tell)
            for reply in replies:
                await call.write(reply)
        # nothing more will be said on this side either: the status of the stream comes after both ends are closed
        await call.done_writing()
        code, details = await call.code(), await call.details()
    except grpc.aio.AioRpcError as error:
        code, details = error.code(), error.details()
    except asyncio.InvalidStateError as error:
        raise LineLost("the line was closed") from error
    finally:
        call.cancel()
    refusal = conversation.error
    if refusal is not None and not conversation.over:
        if refusal.code == pb.ERROR_CODE_REPLACED:
            raise Replaced(refusal.message)
        if refusal.code in _FINAL:
            raise DialError(refusal.message)
    if code in (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED, grpc.StatusCode.UNIMPLEMENTED):
        raise DialError(details or code.name)
    if not conversation.over:
        reason = refusal.message if refusal is not None else details
        raise LineLost(reason or "the arena closed the line")


async def _think(
    conversation: Conversation, message: pb.PlayResponse, pool: ThreadPoolExecutor, tell: Tell | None
) -> list[pb.PlayRequest]:
    """What to say to ``message``. A bot that is late is reported while it still thinks: it may do so for ever."""
    began = time.monotonic()
    thinking = asyncio.get_running_loop().run_in_executor(pool, conversation.receive, message)
    limit = message.question.deadline_ms / 1000
    if not limit or tell is None:
        return await thinking
    place = f"decision {message.question.decision} of {conversation.match}"
    next_word = limit
    while True:
        done, _ = await asyncio.wait({thinking}, timeout=began + next_word - time.monotonic())
        took = time.monotonic() - began
        if done:
            if took > limit:
                tell(Report("late", f"your bot was late by {_seconds(took - limit)} at {place}"))
            return thinking.result()
        tell(
            Report(
                "late", f"your bot is late at {place}: it had {_seconds(limit)}, and has thought for {_seconds(took)}"
            )
        )
        next_word = max(2 * took, took + 1.0)


def _seconds(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms" if seconds < 10 else f"{seconds:.0f} s"


def play_stream(
    make: Callable[[], Bot],
    *,
    game: str,
    target: str,
    token: str,
    tell: Tell | None = None,
) -> Conversation:
    """Play one stream to its end, once, with the bot thinking in this very thread. For processes that are launched.

    Args:
        make: makes the bot of each match.
        game: the code name of the game that it plays.
        target: ``unix:/path`` or ``host:port``.
        token: the ticket that the process was started with.
        tell: is called with everything that the author may want to know.

    Raises:
        DialError: the arena refused this program.
        LineLost: the line broke before the series was over.
    """
    conversation = Conversation(make, game=game, token=token, tell=tell)

    async def carry() -> None:
        async with grpc.aio.insecure_channel(target, options=LAUNCHED_OPTIONS) as channel:
            await _carry(channel, conversation, None)

    asyncio.run(carry())
    return conversation


async def dial(
    make: Callable[[], Bot],
    *,
    game: str,
    target: str,
    token: str,
    version: str = "",
    tls: bool | grpc.ChannelCredentials = False,
    tables: int = 1,
    once: bool = False,
    tell: Tell | None = None,
    sleep: Sleep = asyncio.sleep,
    stopping: asyncio.Event | None = None,
) -> list[Conversation]:
    """Play series after series, at several tables at once, and dial again whenever the line is lost.

    Args:
        make: makes the bot of each match; called in several threads when there are several tables.
        game: the code name of the game that it plays.
        target: ``host:port``.
        token: the bot's token.
        version: the author's own label for this build.
        tls: whether the line is encrypted, or the credentials for that.
        tables: how many tables to sit at; each has its own thread.
        once: end after one series at each table; the conversations are returned then.
        tell: is called, from several threads, with everything that the author may want to know.
        sleep: waits so many seconds before the next attempt.
        stopping: once set, a line that waits for a table is closed at once, and one at a table when its series is over.

    Raises:
        DialError: the arena refused this program, or other ones have taken all of its lines' places.
    """

    say: Tell = tell or (lambda report: None)
    stop = stopping or asyncio.Event()
    talking: dict[int, Conversation] = {}
    left = tables

    async def at_table(channel: grpc.aio.Channel, table: int) -> Conversation:
        nonlocal left
        pool = ThreadPoolExecutor(1, thread_name_prefix="bot")
        try:
            while True:
                conversation = Conversation(make, game=game, token=token, version=version, tell=tell)
                talking[table] = conversation
                await _play_series(channel, conversation, pool, say, sleep, stop)
                if once or stop.is_set():
                    return conversation
        except Replaced:
            left -= 1
            if not left:
                raise
            say(Report("line", f"this table is given up; {left} of {tables} go on"))
            return conversation
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    async with _channel(target, tls) as channel:
        tasks = [asyncio.ensure_future(at_table(channel, table)) for table in range(tables)]

        async def leave_idle_tables() -> None:
            await stop.wait()
            for table, task in enumerate(tasks):
                if table in talking and talking[table].seated:
                    say(Report("line", "the series is played to its end first"))
                else:
                    task.cancel()

        leaving = asyncio.ensure_future(leave_idle_tables())
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
            return [task.result() for task in tasks if not task.cancelled()]
        finally:
            for task in (leaving, *tasks):
                task.cancel()
            await asyncio.gather(leaving, *tasks, return_exceptions=True)


async def _play_series(
    channel: grpc.aio.Channel,
    conversation: Conversation,
    pool: ThreadPoolExecutor,
    tell: Tell,
    sleep: Sleep,
    stop: asyncio.Event,
) -> None:
    """One series, over as many lines as it takes."""
    failures = 0
    while conversation.seated or not stop.is_set():
        resuming = bool(conversation.session)
        try:
            await _carry(channel, conversation, pool, tell)
        except DialError:
            if not resuming or conversation.welcomed:
                raise
            # the arena has given the seat up meanwhile: begin anew, as somebody who was never there
            conversation.forget_session()
            continue
        except LineLost as lost:
            failures = 0 if conversation.welcomed else failures + 1
            if conversation.error is not None and not conversation.welcomed:
                again = "dialling again"  # the arena has said itself what is wrong, and that was told
            else:
                again = f"the line was lost ({lost}); dialling again"
            wait = min(LONGEST_WAIT, 2.0 ** min(failures, 16)) * random.uniform(0.5, 1.0)  # noqa: S311  # spreads the rush
            tell(Report("line", f"{again} in {wait:.0f} s"))
            await sleep(wait)
        else:
            return


def main(arguments: list[str]) -> int:
    """``python -m arena.dial FILE``; 0 when the stream came to its end, 1 when it did not, 2 for wrong usage."""
    target, token = os.environ.get(ADDRESS_VARIABLE), os.environ.get(TICKET_VARIABLE)
    if len(arguments) != 1 or not target or not token:
        print(f"usage: {ADDRESS_VARIABLE}=… {TICKET_VARIABLE}=… python -m arena.dial FILE", file=sys.stderr)
        return 2
    try:
        make = load_bot(arguments[0])
        play_stream(make, game=make.game, target=target, token=token, tell=_to_stderr)
    except (BotError, DialError, LineLost) as error:
        print(f"arena.dial: {error}", file=sys.stderr)
        return 1
    return 0


def _to_stderr(report: Report) -> None:
    if report.kind in ("log", "bot-error", "error", "unfair"):
        print(report.text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
