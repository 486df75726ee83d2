"""Becomes another program."""

import os


def attack():
    os.posix_spawn(TARGETS["python"], [TARGETS["python"], "-c", "pass"], {})
    return "started"
