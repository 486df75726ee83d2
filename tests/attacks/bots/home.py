"""Looks into the homes of this machine."""

import os


def attack():
    return os.listdir(TARGETS["home"])
