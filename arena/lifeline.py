"""Processes that end with the one that started them, however that one ends.

A process killed with SIGKILL cannot clean up behind itself. On Linux the kernel does it: it sends a signal
to each child that asked for one when its parent goes. Elsewhere nothing like it exists, and asking does nothing.
Only the standard library is imported here.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Sequence

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
# Loaded here because `die_with_parent` runs between fork and exec, where as little as possible should happen.
_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def die_with_parent(parent: int | None = None, by: signal.Signals = signal.SIGKILL) -> None:
    """Have the kernel send this process a signal (SIGKILL, or ``by``) as soon as its parent is gone.

    ``parent`` is the process id that the caller expects above itself. Give it wherever it is known: the parent may
    have died before this call, and only the comparison can tell. The setting survives exec, and a fork drops it.

    The kernel watches the *thread* that forked. So start such children from a thread that lives as long as the
    process does, in practice the main one.
    """
    if _libc is None:
        return
    if _libc.prctl(_PR_SET_PDEATHSIG, int(by), 0, 0, 0) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    if parent is not None and os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


def adopt_orphans() -> None:
    """Have whatever a descendant of this process leaves behind become its child, so that it can be found and ended."""
    if _libc is not None and _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def relations() -> list[tuple[int, int, int]]:
    """Process, parent and session of all processes there are; those that have ended and wait for reaping included."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):  # noqa: PTH208  # pathlib takes longer than this module may
        try:
            with open(f"/proc/{name}/stat", "rb") as stat:  # noqa: PTH123
                # behind the name, in which anything can stand: state, parent, group, session
                _, parent, _, session, *_ = stat.read().rpartition(b")")[2].split()
        except OSError:
            continue  # ended meanwhile
        found.append((int(name), int(parent), int(session)))
    return found


def leash(command: Sequence[str]) -> list[str]:
    """The command line that runs ``command`` as a child which ends with this process. It costs 20 ms.

    This instead of a function called between fork and exec: such a function is not safe once there are threads.
    """
    return [sys.executable, "-IS", __file__, str(os.getpid()), *command]


if __name__ == "__main__":
    die_with_parent(int(sys.argv[1]))
    os.execvp(sys.argv[2], sys.argv[2:])  # noqa: S606
