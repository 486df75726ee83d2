"""Leaves something in shared memory."""

import _posixshmem
import os


def attack():
    name = f"/{TARGETS['word']}"
    os.close(_posixshmem.shm_open(name, os.O_CREAT | os.O_RDWR, mode=0o600))
    _posixshmem.shm_unlink(name)
    return "a segment"
