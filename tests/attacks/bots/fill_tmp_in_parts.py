"""Fills the disk with files that are each small enough."""


def attack():
    for part in range(32):
        with open(f"/tmp/{TARGETS['word']}-{part}", "wb") as file:
            file.write(bytes(2 << 20))
    return "64 MiB in /tmp"
