"""Reads another bot's program."""

import pathlib


def attack():
    return pathlib.Path(TARGETS["other_bot"]).read_text()
