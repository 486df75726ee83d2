"""The streaming process in tests: a real one, and a listener that hears server-sent events."""

from __future__ import annotations

import contextlib
import os
import queue
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import redis

from arena.lifeline import leash
from tests.services import free_port
from webapp.live import channels
from webapp.supervisor import redis_binary

ROOT = Path(__file__).parents[2]


class Said(NamedTuple):
    """A server-sent event."""

    id: str
    kind: str
    data: str


@contextlib.contextmanager
def streaming(
    redis_url: str, *, port: int | None = None, kill: bool = False, module: str = "webapp.live", **environment: str
) -> Iterator[str]:
    """Runs the streaming process, or what ``module`` makes of it; yields its address, to which the name of a channel is
    added.

    Nothing that it could find a database by is in its environment. Its end is asked for, or comes by ``kill`` at once.
    """
    port = port or free_port()
    own = {"PATH": os.environ["PATH"], "CACHE_URL": redis_url, "ARENA_BASE_URL": "http://127.0.0.1:8000", **environment}
    command = [sys.executable, "-m", module, "--port", str(port)]
    process = subprocess.Popen(leash(command), cwd=ROOT, env=own)
    try:
        root = f"http://127.0.0.1:{port}/live/"
        deadline = time.monotonic() + 60
        while True:
            with contextlib.suppress(OSError), urllib.request.urlopen(f"{root}healthz", timeout=5) as answer:
                if answer.status == 200:
                    break
            assert process.poll() is None, "the streaming process has ended"
            assert time.monotonic() < deadline, "the streaming process does not answer"
            time.sleep(0.05)
        yield root
    finally:
        (process.kill if kill else process.terminate)()
        process.wait(60)


@contextlib.contextmanager
def redis_at(folder: Path) -> Iterator[str]:
    """Runs a Redis that finds again what the one before it in this folder has kept; yields its URL."""
    path = folder / "redis.sock"
    options = ["--port", "0", "--unixsocket", str(path), "--dir", str(folder), "--save", "", "--appendonly", "yes"]
    process = subprocess.Popen(leash([redis_binary(), *options]), stdout=subprocess.DEVNULL)
    try:
        with redis.Redis.from_url(f"unix://{path}") as client:
            deadline = time.monotonic() + 60
            while True:
                with contextlib.suppress(redis.ConnectionError, redis.BusyLoadingError):
                    client.ping()
                    break
                assert time.monotonic() < deadline
                time.sleep(0.02)
        yield f"unix://{path}"
    finally:
        process.terminate()
        process.wait(60)


def said_in(url: str, channel: str) -> list[tuple[str, bytes]]:
    """All that is kept of a channel, as Redis has it."""
    assert channels.flush(60)
    with redis.Redis.from_url(url) as client:
        return [(row[b"kind"].decode(), row[b"data"]) for _, row in client.xrange(channels.key(channel))]


class Listener:
    """One spectator: hears a channel in a thread of its own."""

    def __init__(self, url: str, *, after: str = "", origin: str = "") -> None:
        host, _, path = url.removeprefix("http://").partition("/")
        name, _, port = host.partition(":")
        # HTTP/1.0, so that the answer comes as it is, and not in chunks
        lines = [f"GET /{path} HTTP/1.0", f"Host: {host}"]
        lines += [f"Last-Event-ID: {after}"] if after else []
        lines += [f"Origin: {origin}"] if origin else []
        self._socket = socket.create_connection((name, int(port)), 60)
        self._file = self._socket.makefile("rb")
        self._socket.sendall("\r\n".join([*lines, "", ""]).encode())
        self.status = int(self._file.readline().split()[1])
        self.headers: dict[str, str] = {}
        while line := self._file.readline().decode().strip():
            field, _, value = line.partition(": ")
            self.headers[field.lower()] = value
        self._bytes = bytearray(b"" if self.status == 200 else self._file.read())
        self._heard: queue.Queue[Said | None] = queue.Queue()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        fields: dict[str, list[str]] = {}
        with contextlib.suppress(OSError):
            while raw := self._file.readline():
                self._bytes += raw
                line = raw.decode().rstrip("\n")
                if line and not line.startswith(":"):
                    name, _, value = line.partition(": ")
                    fields.setdefault(name.rstrip(":"), []).append(value)
                elif not line and "event" in fields:
                    data = "\n".join(fields.get("data", []))
                    self._heard.put(Said(fields.get("id", [""])[-1], fields["event"][-1], data))
                    fields = {}
        self._heard.put(None)

    @property
    def bytes(self) -> bytes:
        """All that has come so far."""
        return bytes(self._bytes)

    def next(self, seconds: float = 60) -> Said:
        """The next message. Fails when none comes, or the line ends before."""
        said = self._heard.get(timeout=seconds)
        assert said is not None, "the stream has ended"
        return said

    def until(self, kind: str, seconds: float = 60) -> Said:
        """The next message of this kind."""
        while (said := self.next(seconds)).kind != kind:
            pass
        return said

    def so_far(self) -> list[Said]:
        """What has been heard and not been asked for, without waiting."""
        found = []
        with contextlib.suppress(queue.Empty):
            while (said := self._heard.get_nowait()) is not None:
                found.append(said)
        return found

    def close(self) -> None:
        """Hang up."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join(10)
        self._file.close()
        self._socket.close()
