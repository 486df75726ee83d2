"""Has the kernel send a signal to the process that started it."""

import fcntl
import os


def attack():
    reading, writing = os.pipe()
    fcntl.fcntl(reading, fcntl.F_SETOWN, os.getppid())
    return "reached"
