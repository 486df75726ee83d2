"""Processes, as many as there can be."""

import os
import time


def attack():
    for _ in range(150):
        if os.fork() == 0:
            time.sleep(30)
            os._exit(0)
    return "150 processes"
