"""The command that runs the whole site, as a person runs it."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.services import free_port

pytestmark = pytest.mark.timeout(400)


class Site:
    """A supervisor in a process of its own, and what it prints."""

    def __init__(self, data: Path, *options: str, **environment: str) -> None:
        self.data = data
        self.log = Path(tempfile.mkstemp(suffix=".log")[1])
        self.door = free_port()
        self._seen: set[psutil.Process] = set()
        clean = {name: value for name, value in os.environ.items() if not name.startswith("ARENA_")}
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "webapp.supervisor", *options],
                env={**clean, "ARENA_DATA": str(data), "ARENA_DOOR_LISTEN": f"127.0.0.1:{self.door}", **environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def said(self) -> str:
        return self.log.read_text(errors="replace")

    def until(self, text: str, seconds: float = 120) -> None:
        deadline = time.monotonic() + seconds
        while text not in self.said():
            assert self.process.poll() is None, self.said()
            assert time.monotonic() < deadline, self.said()
            time.sleep(0.05)

    def ends(self, seconds: float = 120) -> int:
        return self.process.wait(seconds)

    def processes(self) -> list[psutil.Process]:
        """All that run on this data folder, whoever their parent is by now, except the supervisor."""
        with contextlib.suppress(psutil.NoSuchProcess):
            self._seen.update(psutil.Process(self.process.pid).children(recursive=True))
        found = [process for process in self._seen if _alive(process)]
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                # Redis writes its title over its environment.
                own = process.environ().get("ARENA_DATA") == str(self.data) or f"{self.data}/" in " ".join(
                    process.cmdline()
                )
                if own and process.pid != self.process.pid and _alive(process):
                    found.append(process)
        return list(dict.fromkeys(found))


def _alive(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@contextlib.contextmanager
def site(data: Path, *options: str, **environment: str) -> Iterator[Site]:
    running = Site(data, *options, **environment)
    try:
        yield running
    finally:
        running.process.kill()
        running.process.wait()
        running.log.unlink()


def test_the_whole_site_starts_answers_and_is_gone_when_it_is_killed(tmp_path: Path) -> None:
    port = free_port()
    data = tmp_path / "data"
    with site(data, "--port", str(port)) as running:
        running.until("Bluff Arena is ready")
        assert f"ready at http://127.0.0.1:{port}; bots dial 127.0.0.1:{running.door}." in running.said()
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=60) as answer:
            assert answer.status == 200
            assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        running.until("ready.\n")  # the worker: now its pool has forked too
        before = running.processes()
        names = " ".join(" ".join(process.cmdline()) for process in before)
        for part in ("redis", "webapp door", "celery", "webapp scheduler", "granian"):
            assert part in names
        assert len([process for process in before if "celery" in process.cmdline()]) >= 2

        running.process.send_signal(signal.SIGKILL)
        running.process.wait()
        deadline = time.monotonic() + 30
        while left := running.processes():
            assert time.monotonic() < deadline, left
            time.sleep(0.02)
        for number in (port, running.door):
            with socket.socket() as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(("127.0.0.1", number))

    # Nothing that was left behind, a lock, a socket, a half-written file, keeps the next one from starting;
    # and that one ends in good order when it is asked to; nothing is played then, which a worker would want to end.
    with site(data, "--port", str(port), ARENA_LADDER_PAUSE="100000") as running:
        running.until("Bluff Arena is ready")
        running.until("ready.\n")
        running.process.send_signal(signal.SIGINT)
        assert running.ends() == 0
        assert "stopped" in running.said().splitlines()[-1]
        assert "killed" not in running.said()
        assert running.processes() == []


def test_secrets_are_made_once_and_for_their_owner_only(tmp_path: Path) -> None:
    data = tmp_path / "data"
    seen = []
    for _ in range(2):
        with site(data, "--only", "prepare") as running:
            assert running.ends() == 0, running.said()
            said = running.said()
        seen.append({path.name: path.read_text() for path in data.glob("*.txt")})
    assert seen[0] == seen[1]
    assert set(seen[0]) == {"secret_key.txt", "arena_secret.txt"}
    assert all(len(secret) >= 50 for secret in seen[0].values())
    assert [path.stat().st_mode & 0o777 for path in (data, *data.glob("*.txt"))] == [0o700, 0o600, 0o600]
    assert not any(secret in said for secret in seen[0].values())


def test_a_second_start_on_the_same_folder_is_refused(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with site(data, "--only", "worker") as first:
        first.until("ready.\n")
        second = Site(tmp_path / "data", "--only", "worker")
        assert second.ends() == 1
        said = re.sub(r"\s+", " ", second.said())
        assert (
            f"the data folder {data} is in use: a Bluff Arena already runs on it (process {first.process.pid})" in said
        )
        assert first.process.poll() is None


def test_a_taken_port_is_named_together_with_the_option_that_changes_it(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with site(tmp_path / "data", "--port", str(port)) as running:
            assert running.ends() == 1
            assert f"port {port} is taken by another program. Choose another one with --port." in running.said()


def test_a_data_folder_with_a_long_name_works(tmp_path: Path) -> None:
    data = tmp_path / ("a rather long name " * 5)
    with site(data, "--only", "worker") as running:
        running.until("ready.\n")
        running.process.send_signal(signal.SIGTERM)
        assert running.ends() == 0


def test_a_data_folder_that_cannot_be_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with site(tmp_path / "file" / "data", "--only", "worker") as running:
        assert running.ends() == 1
        assert "cannot be written (Not a directory). ARENA_DATA names another one." in running.said()


@pytest.mark.parametrize("option", ["--host", "--port", "--workers", "--only"])
def test_the_help_names_every_option(option: str) -> None:
    told = subprocess.run(
        [sys.executable, "-m", "webapp.supervisor", "--help"], capture_output=True, text=True, check=True
    )
    assert option in told.stdout
