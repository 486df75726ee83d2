"""More memory than it has."""


def attack():
    return len(b"x" * (700 << 20))
