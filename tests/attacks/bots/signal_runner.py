"""Sends a signal to the process that referees."""

import os


def attack():
    os.kill(TARGETS["runner"], 0)
    return "reached"
