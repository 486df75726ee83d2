"""Looks at the processes of this machine."""

import os


def attack():
    return [name for name in os.listdir("/proc") if name == str(TARGETS["runner"])][0]
