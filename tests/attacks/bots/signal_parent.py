"""Sends a signal to the process that started it."""

import os


def attack():
    os.kill(os.getppid(), 0)
    return "reached"
