"""Leaves a process that nobody knows of."""

import os
import time


def attack():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(30)
        os._exit(0)
    return "left"
