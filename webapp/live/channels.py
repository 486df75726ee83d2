"""Where what happens now is written down for those who watch: an append log for each channel, in Redis.

For who has something to tell, anywhere in the site::

    publish("home", "changed")
    publish("series-12", "frame", lambda: frame_text(…))    # made where it is sent, off the caller's thread
    publish(seat, "question", text, keep_seconds=7200)      # seat = seat_channel(), made once and kept

`publish` never raises, never waits and never fails a match: a thread of its own sends what was said, in order. Losing
Redis loses only liveness. Messages that do not get through while it is away are sent when it is back, the newest
`QUEUED` of them.

A channel is named in one of three ways:

* **public**: ``home``, ``series-<pk>``, ``tournament-<slug>``, ``leaderboard-<key>``. Anybody may read what is said
  there, so only what everybody may know is said there.
* **one's own**: ``own-<digest>``, from `webapp.live.news.own_channel`: a name that only the site can reckon, for pages
  that one author alone may see. It is there whether something was said or not, and only ``changed`` is said there.
* **a capability**: ``seat-<token>``, made by `seat_channel`. Who knows the name may read it. A name that was never
  published to (or whose last message is older than its ``keep_seconds``) is answered with 404, like one that is no
  name at all: so publish something, be it an empty ``open``, before the name is handed out.

Readers are browsers: ``new EventSource(live_url + channel)``, where ``live_url`` comes from `webapp.live.address`. A
message arrives as the server-sent event ``kind`` with ``data`` (text in UTF-8; line breaks are kept), and the number
that Redis gave it as its id. A reader that comes back with ``Last-Event-ID`` hears what came after it; one that comes
for the first time hears all that is kept. If something in between is kept no more, the event ``gap`` comes first:
fetch the whole anew. Of ``changed`` (something on this page is different now) only the last one is sent.
"""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import re
import secrets
import threading
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

import redis
from django.conf import settings

log = logging.getLogger(__name__)

KEPT = 2000
"""Messages that are kept of a channel; the oldest are dropped."""

KEEP_SECONDS = 3600
"""How long a channel is kept after its last message."""

QUEUED = 5000
"""Messages of this process that may wait to be sent; the oldest are dropped."""

TIMEOUT_SECONDS = 2.0
BATCH = 200

_PUBLIC = re.compile(r"home|series-[1-9][0-9]{0,17}|(tournament|leaderboard)-[A-Za-z0-9_.-]{1,100}")
_OWN = re.compile(r"own-[A-Za-z0-9_-]{43}")
_CAPABILITY = re.compile(r"seat-[A-Za-z0-9_-]{43,86}")
_KIND = re.compile(r"[a-z][a-z_]{0,31}")

Data = bytes | str | Callable[[], bytes | str]


def is_public(channel: str) -> bool:
    """May anybody read this channel, whether something was said there or not?"""
    return _PUBLIC.fullmatch(channel) is not None


def stands(channel: str) -> bool:
    """Is this channel there for who knows its name, whether something was said there or not?"""
    return is_public(channel) or _OWN.fullmatch(channel) is not None


def is_channel(channel: str) -> bool:
    """Is this a name that a channel can have?"""
    return stands(channel) or _CAPABILITY.fullmatch(channel) is not None


def seat_channel() -> str:
    """A new channel that nobody can guess."""
    return f"seat-{secrets.token_urlsafe(32)}"


def key(channel: str) -> str:
    """Where Redis keeps the channel."""
    return f"live:{channel}"


def redis_url() -> str:
    """The Redis of the channels, as the redis package writes it; empty where there is none."""
    return str(settings.ARENA_LIVE_REDIS)


def publish(channel: str, kind: str, data: Data = b"", *, keep_seconds: int = KEEP_SECONDS, kept: int = KEPT) -> None:
    """Say something on a channel, which keeps ``kept`` messages then. Returns at once, and never raises for Redis."""
    assert is_channel(channel), channel
    assert _KIND.fullmatch(kind), kind
    if redis_url():
        _sender().say(_Message(channel, kind, data, keep_seconds, kept))


def flush(seconds: float = 1.0) -> bool:
    """Wait until what was published to this Redis has been sent, but not for longer. Returns whether it was."""
    return _current is None or _current.url != redis_url() or _current.flush(seconds)


class _Message(NamedTuple):
    channel: str
    kind: str
    data: Data
    keep_seconds: int
    kept: int


class _Sender:
    """The thread that sends what this process publishes."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._waiting: deque[_Message] = deque(maxlen=QUEUED)
        self._news = threading.Condition()
        self._busy = False
        self._stopped = False
        self._redis = redis.Redis.from_url(
            url, socket_timeout=TIMEOUT_SECONDS, socket_connect_timeout=TIMEOUT_SECONDS, retry=None
        )
        threading.Thread(target=self._run, name="live", daemon=True).start()

    def say(self, message: _Message) -> None:
        with self._news:
            self._waiting.append(message)
            self._news.notify_all()

    def flush(self, seconds: float) -> bool:
        with self._news:
            return self._news.wait_for(lambda: not self._waiting and not self._busy, seconds)

    def stop(self) -> None:
        """Send no more."""
        with self._news:
            self._stopped = True
            self._news.notify_all()

    def _run(self) -> None:
        while not self._stopped:
            with self._news:
                self._busy = False
                self._news.notify_all()
                self._news.wait_for(lambda: bool(self._waiting) or self._stopped)
            if not self._reach():
                break
            with self._news:
                batch = [self._waiting.popleft() for _ in range(min(BATCH, len(self._waiting)))]
                self._busy = True
            # what is lost on the way may have arrived: it is not sent twice
            self._send(batch)
        self._redis.close()

    def _reach(self) -> bool:
        """Wait until Redis answers, while messages queue up."""
        told = False
        pause = threading.Event()
        while not self._stopped:
            try:
                return bool(self._redis.ping())
            except (redis.RedisError, OSError) as error:
                if not told:
                    log.warning("live pages stand still: %s", error)
                told = True
                pause.wait(0.5)
        return False

    def _send(self, batch: list[_Message]) -> None:
        pipe = self._redis.pipeline(transaction=False)
        keep: dict[str, int] = {}
        for message in batch:
            try:
                data = message.data() if callable(message.data) else message.data
            except Exception:  # one page that stands still is better than all of them
                log.exception("a message for %s could not be made", message.channel.partition("-")[0])
                continue
            fields: dict[str | bytes, str | bytes] = {"kind": message.kind, "data": data}
            pipe.xadd(key(message.channel), fields, maxlen=message.kept, approximate=False)  # type: ignore[arg-type]
            keep[message.channel] = message.keep_seconds
        for channel, seconds in keep.items():
            pipe.expire(key(channel), seconds)
        try:
            pipe.execute()
        except (redis.RedisError, OSError) as error:
            log.warning("live pages missed something: %s", error)


_current: _Sender | None = None
_starting = threading.Lock()


def _sender() -> _Sender:
    """The sender of this process."""
    global _current
    found = _current
    if found is None or found.url != redis_url():
        with _starting:
            if _current is None or _current.url != redis_url():
                if _current is not None:
                    _current.stop()
                _current = _Sender(redis_url())
            found = _current
    return found


def _forget() -> None:
    """A fork has this process' memory, but not its thread."""
    global _current, _starting
    _current, _starting = None, threading.Lock()


os.register_at_fork(after_in_child=_forget)


@atexit.register
def _finish() -> None:
    with contextlib.suppress(Exception):
        flush(1.0)
