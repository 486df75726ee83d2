"""Reads and writes the kernel's keyring."""

import ctypes


def attack():
    libc = ctypes.CDLL(None, use_errno=True)
    key = libc.syscall(TARGETS["add_key"], b"user", b"bluff", b"x", 1, -2)
    if key < 0:
        raise OSError(ctypes.get_errno(), "add_key")
    return key
