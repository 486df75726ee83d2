"""What a hostile bot would try, tried by ourselves from behind the walls, before any stranger's code is run."""

from __future__ import annotations

import ctypes
import json
import os
import resource
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from arena import runtime
from arena.sandbox.kernel import libc

_TRACE_SEIZE = 0x4206
_NEW_USER_NAMESPACE = 0x10000000


def main(order: dict[str, Any]) -> None:
    """Try everything, and print what succeeded: for each attempt true or false, and for ``own``, which must."""
    results = {name: _succeeds(attempt) for name, attempt in attempts(order).items()}
    print(json.dumps(results), flush=True)


def _succeeds(attempt: Callable[[], object]) -> bool:
    try:
        return bool(attempt())
    except (OSError, ValueError):
        return False


def attempts(order: dict[str, Any]) -> dict[str, Callable[[], object]]:
    """The attempts by name; each returns whether it succeeded, or raises OSError."""
    return {
        "own": lambda: _connected(socket.AF_UNIX, order["own"]),
        "tcp": lambda: _connected(socket.AF_INET, ("127.0.0.1", order["port"])),
        "socket": lambda: _connected(socket.AF_UNIX, order["socket"]),
        "abstract": lambda: _connected(socket.AF_UNIX, "\0" + order["abstract"]),
        "read": lambda: Path(order["canary"]).read_bytes(),
        "write": lambda: Path(__file__).with_name("probe.tmp").write_bytes(b"!") and _remove("probe.tmp"),
        "fork": _forks,
        "exec": _executes,
        "signal": lambda: _done(os.kill, os.getppid(), 0),
        "stop": lambda: os.pidfd_open(os.getppid()),
        "affinity": lambda: _done(os.sched_setaffinity, os.getppid(), os.sched_getaffinity(0)),
        "limits": lambda: bool(resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE)),
        "trace": lambda: libc is not None and libc.ptrace(_TRACE_SEIZE, os.getppid(), None, None) == 0,
        "root": lambda: os.geteuid() == 0 or os.getegid() == 0,
        "privileges": _has_capabilities,
        "memory": lambda: resource.getrlimit(resource.RLIMIT_AS)[1] != runtime.MEMORY_BYTES,
        # the last one: whoever is in a new namespace has all privileges there
        "namespace": lambda: libc is not None and libc.unshare(_NEW_USER_NAMESPACE) == 0,
    }


def _done(attempt: Callable[..., object], *arguments: object) -> bool:
    attempt(*arguments)
    return True


def _connected(family: int, address: Any) -> bool:
    with socket.socket(family, socket.SOCK_STREAM) as trying:
        trying.settimeout(1.0)
        trying.connect(address)
        return True


def _remove(name: str) -> bool:
    Path(__file__).with_name(name).unlink()
    return True


def _forks() -> bool:
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return True


def _executes() -> bool:
    os.posix_spawn(sys.executable, [sys.executable, "-c", "pass"], {})
    return True


def _has_capabilities() -> bool:
    assert libc is not None
    header = ctypes.create_string_buffer((0x20080522).to_bytes(4, sys.byteorder) + bytes(4), 8)
    held = ctypes.create_string_buffer(24)
    if libc.capget(header, held) != 0:  # the filter does not allow even the question
        return False
    return any(held.raw[0:8] + held.raw[12:20])
