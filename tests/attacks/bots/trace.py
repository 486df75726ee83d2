"""Takes hold of the process that started it."""

import ctypes
import os


def attack():
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.ptrace(0x4206, os.getppid(), None, None) != 0:
        raise OSError(ctypes.get_errno(), "ptrace")
    libc.ptrace(17, os.getppid(), None, None)
    return "seized"
