"""The channels that are watched now: one reader of Redis for all spectators, one history for each channel.

A spectator holds a place in that history and nothing else. So memory does not grow with slow readers: who falls behind
what is kept is told that there is a gap, and goes on from there.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Callable, Iterable
from typing import NamedTuple, cast

from redis.asyncio import Redis
from redis.exceptions import RedisError

from webapp.live.channels import KEPT, key, stands

log = logging.getLogger(__name__)

BLOCK_MS = 150
"""How long one reading waits for news; a channel that has just been opened is heard of after this at the latest."""

LINGER_SECONDS = 20.0
"""A channel is kept so long after its last spectator has left: pages come back."""

Id = tuple[int, int]
"""A number of Redis, ``1764500000000-0``."""

START: Id = (0, 0)

Rows = list[tuple[bytes, dict[bytes, bytes]]]
"""What Redis answers: numbers and fields."""


class Entry(NamedTuple):
    """A message of a channel."""

    id: Id
    kind: str
    data: bytes


class NoSuchChannel(Exception):
    """Nothing was ever said there, or it was long ago."""


class Channel:
    """What was said on a channel, as far as it concerns spectators, and who waits for more."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.last: Id = START
        self.dropped: Id = START
        """The newest message that a spectator should have heard and that is kept no more."""
        self.watchers = 0
        self.left_at = 0.0
        self.loaded = False
        self._news = asyncio.Event()

    def take(self, entries: Iterable[Entry]) -> None:
        """Add what was said, and wake those who wait."""
        for entry in entries:
            if entry.id > self.last:
                self.last = entry.id  # first, so that one that cannot be taken in is not met again
                self.keep(entry)
        self._news.set()
        self._news = asyncio.Event()

    def news(self) -> asyncio.Event:
        """Is set when something has been said after this call."""
        return self._news

    def told_as(self, number: Id) -> Id:
        """The number by which a spectator is told a message, and with which he comes back."""
        return number

    def keep(self, entry: Entry) -> None:
        """Take in one message."""
        raise NotImplementedError

    async def after(self, place: Id, language: str) -> list[Entry]:
        """What a spectator at this place does not know yet, the oldest first."""
        raise NotImplementedError


class Log(Channel):
    """A channel of which everything is heard, as it was said."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.history: deque[Entry] = deque(maxlen=KEPT)

    def keep(self, entry: Entry) -> None:
        """Take in one message."""
        if len(self.history) == KEPT:
            self.dropped = self.history[0].id
        self.history.append(entry)

    async def after(self, place: Id, language: str) -> list[Entry]:
        """All that is kept; of changes of the page only the last one."""
        found = []
        changed = False
        for entry in reversed(self.history):
            if entry.id <= place:
                break
            if entry.kind != "changed" or not changed:
                found.append(entry)
            changed = changed or entry.kind == "changed"
        return found[::-1]


class Hub:
    """All channels that somebody watches."""

    def __init__(self, url: str, make: Callable[[str], Channel] = Log) -> None:
        self._make = make
        self._redis = Redis.from_url(url, socket_connect_timeout=2, socket_timeout=5)
        self.channels: dict[str, Channel] = {}
        self.connected = False
        self._wanted = asyncio.Event()

    async def open(self, name: str) -> Channel:
        """The channel, with one watcher more; give it back with `leave`.

        Raises:
            NoSuchChannel: it is a capability, and nothing is known of it.
        """
        channel = self.channels.get(name)
        if channel is None:
            channel = self._make(name)
            if not stands(name):
                # looked up before it is anybody's: guessing leaves nothing behind
                await self._load(channel)
                if channel.last == START:
                    raise NoSuchChannel(name)
            channel = self.channels.setdefault(name, channel)
        channel.watchers += 1
        self._wanted.set()
        return channel

    def leave(self, channel: Channel) -> None:
        """One watcher less. Where nothing was said there is nothing to come back to: of any name that somebody asks for
        nothing is left behind, however many he asks for.
        """
        channel.watchers -= 1
        channel.left_at = asyncio.get_running_loop().time()
        if not channel.watchers and channel.last == START and self.channels.get(channel.name) is channel:
            del self.channels[channel.name]

    async def run(self) -> None:
        """Read for ever, whatever happens to Redis."""
        told = False
        while True:
            try:
                await self._read()
                self.connected, told = True, False
            except (RedisError, OSError) as error:
                self.connected = False
                if not told:
                    log.warning("live pages stand still: %s", error)
                told = True
                await asyncio.sleep(0.5)
            except Exception:  # without its reader the whole process would stand still, and seem to be well
                log.exception("what was said could not be taken in")
                await asyncio.sleep(0.5)

    async def say_alive(self, key: str, said: str, seconds: int) -> None:
        """Leave word for the pages that this process is there. Nothing happens where Redis is not."""
        with contextlib.suppress(RedisError, OSError):
            await self._redis.set(key, said, ex=seconds)

    async def close(self) -> None:
        """Let go of Redis."""
        await self._redis.aclose()

    async def _read(self) -> None:
        self._forget_unwatched()
        if not self.channels:
            self._wanted.clear()
            await self._redis.ping()
            self.connected = True
            try:
                await asyncio.wait_for(self._wanted.wait(), 5)
            except TimeoutError:
                return
        for channel in list(self.channels.values()):
            if not channel.loaded:
                await self._load(channel)
        wanted = {key(name): channel for name, channel in self.channels.items() if channel.loaded}
        places = {name: "{}-{}".format(*channel.last) for name, channel in wanted.items()}
        if not places:
            return
        answer = await self._redis.xread(
            cast(dict[str | bytes | memoryview, int | str | bytes | memoryview], places), count=500, block=BLOCK_MS
        )
        for name, rows in _pairs(answer):
            wanted[name.decode()].take(map(_entry, rows))

    async def _load(self, channel: Channel) -> None:
        rows = cast(Rows, await self._redis.xrange(key(channel.name)))
        channel.loaded = True
        if len(rows) >= KEPT:
            channel.dropped = _before(_entry(rows[0]).id)
        channel.take(map(_entry, rows))

    def _forget_unwatched(self) -> None:
        now = asyncio.get_running_loop().time()
        for name, channel in list(self.channels.items()):
            if not channel.watchers and now - channel.left_at > LINGER_SECONDS:
                del self.channels[name]


def _pairs(answer: object) -> list[tuple[bytes, Rows]]:
    """The answer of XREAD, which is a list in one version of Redis' protocol and a mapping in the other."""
    if isinstance(answer, dict):
        return [(name, rows[0] if rows and isinstance(rows[0], list) else rows) for name, rows in answer.items()]
    return cast(list[tuple[bytes, Rows]], answer or [])


def _entry(row: tuple[bytes, dict[bytes, bytes]]) -> Entry:
    number, fields = row
    return Entry(read_id(number.decode()) or START, fields[b"kind"].decode(), fields[b"data"])


def _before(number: Id) -> Id:
    """The greatest number that is less."""
    return (number[0], number[1] - 1) if number[1] else (number[0] - 1, 1 << 62)


def read_id(text: str) -> Id | None:
    """A number as Redis writes it; None where it is none."""
    left, dash, right = text.partition("-")
    if dash and left.isdecimal() and right.isdecimal() and text.isascii() and len(text) <= 40:
        return int(left), int(right)
    return None
