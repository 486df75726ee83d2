"""Writes wherever it can."""

import pathlib


def attack():
    for folder in (TARGETS["folder"], "/", "/run", "/kit", "/etc", "/dev", "/usr/lib"):
        try:
            path = pathlib.Path(folder, TARGETS["word"])
            path.write_bytes(b"x")
            return str(path)
        except OSError as error:
            last = error
    raise last
