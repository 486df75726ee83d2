"""Pins the process that started it to a processor."""

import os


def attack():
    os.sched_setaffinity(os.getppid(), os.sched_getaffinity(os.getppid()))
    return "pinned"
