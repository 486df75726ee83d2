"""Rules on paths, TCP, signals and abstract sockets that a process puts upon itself for good (Linux's Landlock).

A second wall behind bubblewrap's view of the file system, and the only one of its kind where there is no bubblewrap.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import struct
from collections.abc import Iterable

from arena.sandbox.kernel import call, libc

_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446
_READ_FILE, _READ_FOLDER, _WRITE_FILE, _TRUNCATE = 1 << 2, 1 << 3, 1 << 1, 1 << 14
_DEVICES = 1 << 6 | 1 << 9 | 1 << 10 | 1 << 11
"""Making character devices, sockets, pipes and block devices."""


def version() -> int:
    """The version of Landlock that the kernel speaks; 0 for none."""
    if libc is None:
        return 0
    try:
        return call(_CREATE, None, 0, 1)
    except OSError:
        return 0


def restrict(readable: Iterable[str], writable: Iterable[str]) -> None:
    """Allow this process to read what lies under ``readable``, also to write under ``writable``, and nothing else.

    What does not exist is passed over. TCP, signals to processes outside and abstract sockets of theirs are
    forbidden as far as the kernel's version can. Needs `kernel.no_new_privileges` first.

    Raises:
        OSError: the kernel has no Landlock.
    """
    speaks = version()
    handled = (1 << 13) - 1
    for since, bit in ((2, 13), (3, 14), (5, 15)):
        if speaks >= since:
            handled |= 1 << bit
    tcp = 3 if speaks >= 4 else 0
    scoped = 3 if speaks >= 6 else 0
    size = 24 if speaks >= 6 else 16 if speaks >= 4 else 8
    attributes = ctypes.create_string_buffer(struct.pack("QQQ", handled, tcp, scoped), 24)
    rules = call(_CREATE, attributes, size, 0)
    try:
        for paths, rights in (
            (readable, _READ_FILE | _READ_FOLDER),
            (writable, handled & ~(1 << 0) & ~_DEVICES & ~(1 << 15)),
        ):
            for path in paths:
                with contextlib.suppress(FileNotFoundError):
                    _allow(rules, path, rights & handled)
        call(_RESTRICT, rules, 0)
    finally:
        os.close(rules)


def _allow(rules: int, path: str, rights: int) -> None:
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        if not os.path.isdir(path):  # noqa: PTH112
            rights &= _WRITE_FILE | _READ_FILE | _TRUNCATE
        beneath = 1
        call(_ADD_RULE, rules, beneath, ctypes.create_string_buffer(struct.pack("=Qi", rights, place), 12), 0)
    finally:
        os.close(place)
