"""Reads the memory of the process that started it."""

import ctypes
import os


def attack():
    libc = ctypes.CDLL(None, use_errno=True)
    here = ctypes.create_string_buffer(8)
    vector = (ctypes.c_size_t * 2)(ctypes.addressof(here), 8)
    if libc.process_vm_readv(os.getppid(), vector, 1, vector, 1, 0) < 0:
        raise OSError(ctypes.get_errno(), "process_vm_readv")
    return "read"
