"""Whether strangers' programs may run here."""

from __future__ import annotations

from typing import NamedTuple


class Hosting(NamedTuple):
    """What this machine can do for hosted bots."""

    strong: bool
    """There is a wall around a hosted bot that holds against a stranger."""
    why: str
    """Where there is none: what is missing, and what an organiser can do about it."""


def hosting() -> Hosting:
    """How hosted bots are kept here."""
    return Hosting(strong=True, why="")
