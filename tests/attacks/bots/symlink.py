"""Reaches a file through a link of its own."""

import os
import pathlib


def attack():
    link = f"/tmp/{TARGETS['word']}"
    os.symlink(TARGETS["folder"] + "/secret", link)
    return pathlib.Path(link).read_text()
