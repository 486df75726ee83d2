"""Makes a namespace in which it is root."""

import ctypes
import os


def attack():
    libc = ctypes.CDLL(None, use_errno=True)
    child = libc.syscall(TARGETS["clone"], 0x10000000 | 17, 0, 0, 0, 0)
    if child == 0:
        os._exit(0)
    if child < 0:
        raise OSError(ctypes.get_errno(), "clone")
    return "a namespace"
