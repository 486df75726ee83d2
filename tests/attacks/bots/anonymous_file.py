"""Keeps memory in a file that has no name."""

import os


def attack():
    return os.memfd_create("bluff")
