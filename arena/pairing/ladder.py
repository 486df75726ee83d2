"""Tables of the ladder: who needs a match, and whom it may meet."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

UNIFORM_SHARE = 0.2
"""The share of ladder tables that are drawn without looking at who needs matches most."""

ANCHOR_SHARE = 0.1
"""The share of ladder tables at which the anchor sits for certain. The rating scale hangs on it."""


class Candidate(NamedTuple):
    """A version that could sit at a ladder table now."""

    version: int
    """Its id."""
    author: int | None
    """None for the house: its bots may meet each other."""
    matches: int
    """Rated matches that it has played on this leaderboard."""
    anchor: bool = False


def ladder_table(candidates: Sequence[Candidate], size: int, random: Random) -> list[Candidate]:
    """Up to ``size`` of the candidates, no two of one author, in the order of their seats.

    The one with the fewest matches sits down first, so that nobody starves and a new bot is rated soon; the others
    are drawn. Fewer than two candidates that may meet give an empty table.
    """
    rest = list(candidates)
    random.shuffle(rest)
    if random.random() >= UNIFORM_SHARE:
        neediest = min(rest, key=lambda candidate: candidate.matches, default=None)
        rest.sort(key=lambda candidate: candidate is not neediest)
    if random.random() < ANCHOR_SHARE:
        rest[1:] = sorted(rest[1:], key=lambda candidate: not candidate.anchor)
    table: list[Candidate] = []
    for candidate in rest:
        if len(table) < size and not _same_author(candidate, table):
            table.append(candidate)
    random.shuffle(table)
    return table if len(table) >= 2 else []


def _same_author(candidate: Candidate, table: Sequence[Candidate]) -> bool:
    return candidate.author is not None and any(other.author == candidate.author for other in table)
