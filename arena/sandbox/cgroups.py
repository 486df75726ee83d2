"""Limits on all processes and all memory of a bot together (Linux control groups, both versions).

The one thing that the limits of a single process cannot do: memory that is in no address space, such as files in
/tmp and what the kernel itself keeps for a process. Used where this process may make groups, done without elsewhere.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from arena import runtime

_ROOT = Path("/sys/fs/cgroup")
_PERIOD_US = 100_000
_PROCESSES = 16
"""Besides a bot's threads: its warm process, and bubblewrap's own."""

_LIMITS_1: dict[str, dict[str, int]] = {
    "memory": {"memory.limit_in_bytes": runtime.MEMORY_BYTES},
    "pids": {"pids.max": runtime.THREADS + _PROCESSES},
    "cpu": {"cpu.cfs_period_us": _PERIOD_US, "cpu.cfs_quota_us": _PERIOD_US, "cpu.shares": 512},
}
"""Of version 1, where each controller has a tree of its own: one processor's time, and half of our own share of it."""

_LIMITS_2 = {
    "memory.max": str(runtime.MEMORY_BYTES),
    "memory.swap.max": "0",
    "pids.max": str(runtime.THREADS + _PROCESSES),
    "cpu.max": f"{_PERIOD_US} {_PERIOD_US}",
    "cpu.weight": "50",
}

_number = itertools.count()


class Cgroup:
    """The group of one bot, in every tree in which there is one for it."""

    def __init__(self, folders: Sequence[Path]) -> None:
        """Use `make`."""
        self._folders = folders

    def take(self, processes: Sequence[int]) -> None:
        """Put these processes into the group; what they start from now on is born there."""
        for folder in self._folders:
            for process in processes:
                with contextlib.suppress(ProcessLookupError):
                    (folder / "cgroup.procs").write_text(str(process))

    def killed_for_memory(self) -> int:
        """How many processes of the group the kernel has ended because it was out of memory."""
        for folder in self._folders:
            for name in ("memory.events", "memory.oom_control"):
                with contextlib.suppress(OSError):
                    for line in (folder / name).read_text().splitlines():
                        if line.startswith("oom_kill "):
                            return int(line.split()[1])
        return 0

    def remove(self) -> None:
        """Take the empty group away; one in which something still dies is waited for a moment."""
        deadline = time.monotonic() + 0.5
        for folder in self._folders:
            while True:
                try:
                    folder.rmdir()
                except FileNotFoundError:
                    break
                except OSError:
                    if time.monotonic() > deadline:
                        break  # the next start sweeps it away
                    time.sleep(0.005)
                else:
                    break


def make() -> Cgroup | None:
    """A new group with all limits; None where none can be made."""
    name = f"arena-bot-{os.getpid()}-{next(_number)}"
    folders = []
    try:
        for base, limits in _bases().items():
            folder = base / name
            folder.mkdir()
            folders.append(folder)
            for file, value in limits:
                with contextlib.suppress(FileNotFoundError):  # swap is not counted everywhere
                    (folder / file).write_text(value)
    except OSError:
        Cgroup(folders).remove()
        return None
    return Cgroup(folders) if folders else None


def controllers() -> tuple[str, ...]:
    """What can be limited here, of memory, pids and cpu."""
    return tuple(file.partition(".")[0] for limits in _bases().values() for file, _ in limits[:1]) if _bases() else ()


@cache
def _bases() -> dict[Path, tuple[tuple[str, str], ...]]:
    """The folders in which a group of ours can be made, with the limits that it gets there."""
    own = _own_groups()
    found: dict[Path, tuple[tuple[str, str], ...]] = {}
    for controller, limits in _LIMITS_1.items():
        if controller in own:
            folder = _ROOT / controller / own[controller].lstrip("/")
            if _can_make_in(folder, next(iter(limits))):
                found[folder] = tuple((file, str(value)) for file, value in limits.items())
    if not found and "" in own:
        # a group with processes in it cannot limit groups below it, so ours go beside it where they may
        folder = _ROOT / own[""].lstrip("/")
        for base in (folder.parent, folder):
            if base.is_relative_to(_ROOT):
                with contextlib.suppress(OSError):
                    (base / "cgroup.subtree_control").write_text("+memory +pids +cpu")
                if _can_make_in(base, "memory.max"):
                    found[base] = tuple(_LIMITS_2.items())
                    break
    for base in found:
        _sweep(base)
    return found


def _own_groups() -> dict[str, str]:
    """The group of this process by controller; version 2 under the empty name."""
    groups = {}
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, names, path = line.split(":", 2)
            for name in names.split(","):
                groups[name] = path
    return groups


def _can_make_in(base: Path, file: str) -> bool:
    trial = base / f"arena-bot-{os.getpid()}-try"
    try:
        trial.mkdir()
    except OSError:
        return False
    try:
        return os.access(trial / file, os.W_OK)
    finally:
        with contextlib.suppress(OSError):
            trial.rmdir()


def _sweep(base: Path) -> None:
    """Take away what workers that were killed have left."""
    for left in base.glob("arena-bot-*"):
        owner = left.name.split("-")[2]
        if not Path("/proc", owner).exists():
            with contextlib.suppress(OSError):
                left.rmdir()
