"""More memory than it has."""


def attack():
    return len(bytearray(b"x") * (700 << 20))
