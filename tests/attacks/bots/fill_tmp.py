"""Fills the disk where temporary files lie."""

import os


def attack():
    with open(f"/tmp/{TARGETS['word']}", "wb") as file:
        os.set_blocking(file.fileno(), True)
        file.writelines(bytes(1 << 20) for _ in range(64))
    return "64 MiB in /tmp"
