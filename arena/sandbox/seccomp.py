"""The list of allowed system calls, as a program for the kernel's own filter (seccomp, classic BPF).

Written with ctypes, since no package for it is kept well. Everything that is not allowed fails with EPERM, so that
an author reads of it; only a call by the numbers of another architecture ends the process.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Sequence

from arena.sandbox.kernel import call, libc
from arena.sandbox.syscalls import ARCHITECTURES, JUDGED, SECCOMP, numbers

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN, _AND = 0x20, 0x15, 0x35, 0x45, 0x06, 0x54
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000
_EPERM, _ENOSYS, _EAFNOSUPPORT = 1, 38, 97
_CLONE_THREAD = 0x10000

_IOCTLS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
"""TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX."""

_PRCTLS = (15, 16, 0x53564D41)
"""PR_SET_NAME, PR_GET_NAME, and PR_SET_VMA, by which allocators name their memory."""

_FCNTLS_DENIED = (8, 10, 15, 5, 6, 7, 36, 37, 38, 1024, 1025, 1026)
"""F_SETOWN, F_SETSIG, F_SETOWN_EX: signals to anybody, sent by the kernel. Then all locks, leases and notices on files
(F_GETLK, F_SETLK, F_SETLKW, the same for open files, F_SETLEASE, F_GETLEASE, F_NOTIFY): two bots that read the same
library could tell each other their hands by them."""

Step = tuple[int, int, int, int]


def supported(machine: str | None = None) -> bool:
    """Whether the filter is written for this architecture."""
    return (machine or os.uname().machine) in ARCHITECTURES


def program(machine: str, own: int) -> list[Step]:
    """The filter of the process ``own`` (its id as it sees it itself), as code, two jumps and a number a step."""
    known = numbers(machine)

    def allow_where(index: int, values: Sequence[int], error: int = _EPERM) -> list[Step]:
        """Judge the lower half of an argument, which is all that the kernel reads of these."""
        checks: list[Step] = [(_LOAD, 0, 0, 16 + 8 * index)]
        for position, value in enumerate(values):
            checks.append((_EQUAL, len(values) - position, 0, value))
        return [*checks, (_RETURN, 0, 0, _ERROR | error), (_RETURN, 0, 0, _ALLOW)]

    judged: dict[str, list[Step]] = {
        # threads, no processes
        "clone": [
            (_LOAD, 0, 0, 16),
            (_ANY_BIT, 1, 0, _CLONE_THREAD),
            (_RETURN, 0, 0, _ERROR | _EPERM),
            (_RETURN, 0, 0, _ALLOW),
        ],
        # its flags lie in memory, where no filter can read: libc then takes clone
        "clone3": [(_RETURN, 0, 0, _ERROR | _ENOSYS)],
        "fcntl": [
            (_LOAD, 0, 0, 24),
            *((_EQUAL, len(_FCNTLS_DENIED) - n, 0, value) for n, value in enumerate(_FCNTLS_DENIED)),
            (_RETURN, 0, 0, _ALLOW),
            (_RETURN, 0, 0, _ERROR | _EPERM),
        ],
        "ioctl": allow_where(1, _IOCTLS),
        # only itself
        "kill": allow_where(0, (own,)),
        "tgkill": allow_where(0, (own,)),
        "prctl": allow_where(0, _PRCTLS),
        "prlimit64": allow_where(0, (0, own)),
        "sched_setaffinity": allow_where(0, (0, own)),
        "socket": allow_where(0, (1,), _EAFNOSUPPORT),
        "socketpair": allow_where(0, (1,), _EAFNOSUPPORT),
    }
    steps: list[Step] = [
        (_LOAD, 0, 0, 4),
        (_EQUAL, 1, 0, ARCHITECTURES[machine]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, 0),
        # the second set of numbers of x86_64 ("x32")
        (_AT_LEAST, 0, 1, 0x40000000),
        (_RETURN, 0, 0, _KILL),
    ]
    for name in JUDGED:
        steps += [(_EQUAL, 0, len(judged[name]), known[name]), *judged[name]]
    plain = [number for name, number in known.items() if name not in JUDGED]
    for number in plain:
        steps += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ALLOW)]
    return [*steps, (_RETURN, 0, 0, _ERROR | _EPERM)]


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_void_p))


def filter_calls() -> None:
    """Put the filter upon this process and all its threads, for good. Needs `kernel.no_new_privileges` first.

    Raises:
        OSError: the kernel does not take it.
    """
    machine = os.uname().machine
    code = b"".join(struct.pack("HBBI", *step) for step in program(machine, os.getpid()))
    buffer = ctypes.create_string_buffer(code, len(code))
    described = _Program(len(code) // 8, ctypes.addressof(buffer))
    set_filter, all_threads = 1, 1
    if libc is None:
        raise OSError(_ENOSYS, "no seccomp here")
    call(SECCOMP[machine], set_filter, all_threads, ctypes.byref(described))
