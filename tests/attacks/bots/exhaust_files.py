"""Opens files until no more can be opened."""

import os


def attack():
    files = []
    try:
        for _ in range(500):
            files.append(os.open("/dev/null", os.O_RDONLY))
    finally:
        for file in files:
            os.close(file)
    return "500 files"
