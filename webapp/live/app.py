"""The streaming process: ``GET /live/<channel>`` answers with server-sent events, for as long as somebody listens.

It knows channels, and nothing of the site: no database, no session, no cookie. A page of the site alone may read it
from another port, by the origin that the browser tells.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import multiprocessing
import time
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

import django
from django.http.request import validate_host
from django.template.loader import get_template
from django.utils import translation
from redis.exceptions import RedisError

from arena.lifeline import die_with_parent
from webapp.live import health, settings
from webapp.live.board import Board
from webapp.live.channels import is_channel, is_public
from webapp.live.connections import Connections, client_address
from webapp.live.hub import START, Channel, Entry, Hub, Id, Log, NoSuchChannel, read_id
from webapp.live.lines import end_when_nothing_is_taken

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Headers = Iterable[tuple[bytes, bytes]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

log = logging.getLogger(__name__)

HEARTBEAT_SECONDS = 15.0
"""So often something is sent, that proxies keep the line and a lost browser is found out."""

STALLED_SECONDS = 20.0
"""Who takes nothing for so long is cut off, and may come back to where it was."""

BEAT_SECONDS = 0.3
"""What is public is told at whole multiples of this, by the wall's clock: of what happens within a beat a spectator
sees the last, and from when he is told it he can tell no more closely how long somebody thought."""

ROOT = "/live/"
LANGUAGES = dict(settings.LANGUAGES)


class App:
    """An ASGI application."""

    def __init__(self) -> None:
        self.hub = Hub(settings.ARENA_LIVE_REDIS, _channel)
        self.connections = Connections(
            most=settings.ARENA_LIVE_CONNECTIONS, most_of_address=settings.ARENA_LIVE_ADDRESS_CONNECTIONS
        )
        self._tasks: list[asyncio.Task[None]] = []
        self._bounded = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or begin and end with the server."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            await self._answer(scope, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                self._tasks = [asyncio.create_task(self.hub.run()), asyncio.create_task(self._say_alive())]
                await send({"type": "lifespan.startup.complete"})
            else:
                for task in self._tasks:
                    task.cancel()
                await self.hub.close()
                await send({"type": "lifespan.shutdown.complete"})
                return

    async def _say_alive(self) -> None:
        while True:
            said = health.written(spectators=self.connections.count, channels=len(self.hub.channels))
            await self.hub.say_alive(health.KEY, said, health.FORGOTTEN_SECONDS)
            await asyncio.sleep(health.EVERY_SECONDS)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not self._bounded:
            self._bounded = True
            end_when_nothing_is_taken(STALLED_SECONDS)
        asked = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        host = asked.get("host", "")
        name = scope["path"].removeprefix(ROOT)
        if not validate_host(_hostname(host), settings.ALLOWED_HOSTS):
            await _refuse(send, 400, "This host is not served here.")
        elif scope["method"] not in {"GET", "HEAD"}:
            await _refuse(send, 405, "Only GET is answered here.")
        elif scope["path"] == f"{ROOT}healthz":
            await self._tell_health(send)
        elif not scope["path"].startswith(ROOT) or not is_channel(name):
            await _refuse(send, 404, "Nothing is live here.")
        else:
            await self._stream(name, scope, asked, receive, send)

    async def _tell_health(self, send: Send) -> None:
        healthy = self.hub.connected
        said = {"ok": healthy, "connections": self.connections.count, "channels": len(self.hub.channels)}
        await _refuse(send, 200 if healthy else 503, json.dumps(said), "application/json")

    async def _stream(self, name: str, scope: Scope, asked: dict[str, str], receive: Receive, send: Send) -> None:
        client = scope.get("client") or ("", 0)
        address = client_address(str(client[0]), asked.get("x-forwarded-for", ""), settings.TRUSTED_PROXIES)
        allowed = _allowed_origin(asked.get("origin", ""), asked.get("host", ""))
        if not self.connections.enter(address):
            await _refuse(send, 429, "Too many pages are watching from here.", headers=allowed)
            return
        try:
            try:
                channel = await self.hub.open(name)
            except NoSuchChannel:
                await _refuse(send, 404, "Nothing is live here.", headers=allowed)
                return
            except (RedisError, OSError):
                await _refuse(send, 503, "Nothing is live at the moment.", headers=allowed)
                return
            try:
                query = parse_qs(scope["query_string"].decode("latin-1"))
                # a page that opens the stream anew by itself cannot set the header
                place = read_id(asked.get("last-event-id", "") or query.get("after", [""])[-1])
                language = query.get("language", [""])[-1]
                if language not in LANGUAGES:
                    language = settings.LANGUAGE_CODE
                if scope["method"] == "HEAD":
                    await _refuse(send, 200, "", "text/event-stream", headers=allowed)
                    return
                await self._until_gone(self._tell(channel, place, language, send, allowed), receive)
            finally:
                self.hub.leave(channel)
        finally:
            self.connections.leave(address)

    async def _until_gone(self, telling: Any, receive: Receive) -> None:
        """Tell until the browser has gone, or cannot be told more."""
        task = asyncio.ensure_future(telling)
        gone = asyncio.ensure_future(_disconnected(receive))
        try:
            await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for one in (task, gone):
                one.cancel()
            ended = await asyncio.gather(task, gone, return_exceptions=True)
            for error in ended:
                if isinstance(error, Exception) and not isinstance(error, (TimeoutError, OSError, RuntimeError)):
                    log.error("a stream ended with an error", exc_info=error)

    async def _tell(self, channel: Channel, place: Id | None, language: str, send: Send, headers: Headers) -> None:
        await send(
            {
                "type": "http.response.start",
                "status": 200,
                "headers": [
                    (b"content-type", b"text/event-stream; charset=utf-8"),
                    (b"cache-control", b"no-store"),
                    (b"x-accel-buffering", b"no"),
                    (b"x-content-type-options", b"nosniff"),
                    *headers,
                ],
            }
        )
        await _say(send, b"retry: 1000\n\n")
        if place is not None and place < channel.dropped:
            await _say(send, b"event: gap\ndata:\n\n")
        place = place or START
        while True:
            if is_public(channel.name):
                await asyncio.sleep(until_the_beat(time.time()))
            news = channel.news()
            for entry in await channel.after(place, language):
                await _say(send, event_text(entry._replace(id=channel.told_as(entry.id))))
                place = max(place, entry.id)
            try:
                await asyncio.wait_for(news.wait(), HEARTBEAT_SECONDS)
            except TimeoutError:
                await _say(send, b":\n\n")
            if place < channel.dropped:
                await _say(send, b"event: gap\ndata:\n\n")


def _channel(name: str) -> Channel:
    return Board(name) if name.startswith("series-") else Log(name)


def until_the_beat(now: float) -> float:
    """How many seconds it is until public channels are told what has happened."""
    return BEAT_SECONDS - now % BEAT_SECONDS


def event_text(entry: Entry) -> bytes:
    """A message as a server-sent event."""
    data = entry.data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").replace(b"\n", b"\ndata: ")
    return b"id: %d-%d\nevent: %s\ndata: %s\n\n" % (*entry.id, entry.kind.encode(), data)


async def _say(send: Send, text: bytes) -> None:
    """Send a piece. Raises `TimeoutError` when the reader takes nothing for too long."""
    async with asyncio.timeout(STALLED_SECONDS):
        await send({"type": "http.response.body", "body": text, "more_body": True})


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _refuse(
    send: Send,
    status: int,
    text: str,
    kind: str = "text/plain; charset=utf-8",
    headers: Headers = (),
) -> None:
    start = [(b"content-type", kind.encode()), (b"cache-control", b"no-store"), *headers]
    with contextlib.suppress(OSError, RuntimeError):
        await send({"type": "http.response.start", "status": status, "headers": start})
        await send({"type": "http.response.body", "body": text.encode()})


def _hostname(host: str) -> str:
    """The name in a Host header, as ``ALLOWED_HOSTS`` writes it."""
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdecimal() else host).lower()


def _allowed_origin(origin: str, host: str) -> list[tuple[bytes, bytes]]:
    """Lets a page of the site read what it asks for from this port; nobody else's."""
    scheme, port = settings.ARENA_LIVE_ORIGIN
    with contextlib.suppress(ValueError):  # what has brackets or a port that are none
        parts = urlsplit(origin if origin.isascii() else "")
        if (parts.scheme, parts.port) == (scheme, port) and _hostname(parts.netloc) == _hostname(host):
            return [(b"access-control-allow-origin", origin.encode()), (b"vary", b"Origin")]
    return [(b"vary", b"Origin")]


def make() -> App:
    """The application, for the server; it ends with the process that started this one, however that ends."""
    if (server := multiprocessing.parent_process()) is not None:
        die_with_parent(server.pid)
    django.setup()
    get_template("live/table.html")
    for language in LANGUAGES:  # read now, and not while spectators wait for the first picture
        with translation.override(language):
            translation.gettext("a person")
    return App()
