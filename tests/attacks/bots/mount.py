"""Mounts something over what is there."""

import ctypes


def attack():
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(0x20000) or libc.mount(b"none", b"/", None, 0x40000 | 0x4000, None):
        raise OSError(ctypes.get_errno(), "mount")
    if libc.mount(b"tmpfs", b"/tmp", b"tmpfs", 0, None):
        raise OSError(ctypes.get_errno(), "mount")
    return "mounted"
