"""Reads what the site keeps."""

import pathlib


def attack():
    return pathlib.Path(TARGETS["folder"], "secret").read_text()
