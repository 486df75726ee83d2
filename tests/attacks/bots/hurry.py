"""Puts itself before all others."""

import os


def attack():
    os.setpriority(os.PRIO_PROCESS, 0, -5)
    return os.nice(0)
