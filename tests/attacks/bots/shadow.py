"""Reads the machine's passwords."""

import pathlib


def attack():
    return len(pathlib.Path("/etc/shadow").read_text())
