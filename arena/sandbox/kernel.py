"""Linux system calls that Python 3.11 has no functions for."""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Any

libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None

_PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS = 4, 38
_CLONE_NEWNS = 0x00020000
_MS_NOSUID, _MS_NODEV, _MS_NOEXEC = 2, 4, 8
_CAPSET = {"x86_64": 126, "aarch64": 91}


def call(number: int, *arguments: Any) -> int:
    """A system call by its number. Raises OSError."""
    assert libc is not None
    plain = [ctypes.c_long(argument) if isinstance(argument, int) else argument for argument in arguments]
    return _checked(libc.syscall(ctypes.c_long(number), *plain))


def _checked(result: int) -> int:
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return result


def no_new_privileges() -> None:
    """Nothing that this process starts can ever have more rights than itself."""
    assert libc is not None
    _checked(libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))


def hide_memory() -> None:
    """No other process of the same user may read or trace this one, and it leaves no core file."""
    assert libc is not None
    _checked(libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0))


def own_tmp(size: int, files: int) -> None:
    """An empty /tmp that only this process sees and that is gone with it: ``size`` bytes, ``files`` inodes."""
    assert libc is not None
    _checked(libc.unshare(_CLONE_NEWNS))
    options = f"size={size},nr_inodes={files},mode=1777"
    flags = _MS_NOSUID | _MS_NODEV | _MS_NOEXEC
    _checked(libc.mount(b"tmpfs", b"/tmp", b"tmpfs", ctypes.c_ulong(flags), options.encode()))


def drop_capabilities() -> None:
    """Give up every capability of this thread."""
    header = ctypes.create_string_buffer((0x20080522).to_bytes(4, sys.byteorder) + bytes(4), 8)
    call(_CAPSET[os.uname().machine], header, ctypes.create_string_buffer(bytes(24), 24))
