"""Changes the kit that the next match is played with."""

import os

import arena.kit


def attack():
    # opened for writing is proof enough
    os.close(os.open(arena.kit.__file__, os.O_WRONLY))
    return "the kit can be written"
