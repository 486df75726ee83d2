"""Tables of the ladder: who needs a match most, and with whom a match tells most.

A table is drawn in two steps. `seed` is who sits down first: whoever has waited too long, else the one whose rating
is known worst. `fill` draws the others. What a game between i and j tells about the difference of the two is in
proportion to its information p (1 - p), and it is told most about where least is known: so each is drawn in
proportion to p (1 - p) Var(x_i - x_j), i being who sat down first. A fifth of the tables looks at none of this, so
that every pair meets sooner or later, however sure the ratings are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from random import Random
from typing import NamedTuple

UNIFORM_SHARE = 0.2
"""The share of ladder tables that are drawn without looking at what is known of whom."""

ANCHOR_SHARE = 0.1
"""The share of ladder tables at which the anchor sits for certain. The rating scale hangs on it."""

PRIOR_ELO = 350.0
"""The standard error of a rating before the first match: the prior's of `arena.ratings`."""


class Candidate(NamedTuple):
    """A version that could sit at a ladder table now."""

    version: int
    """Its id."""
    author: int | None
    """The person behind it. None for the house: its bots may meet each other."""
    elo: float
    """Its rating, or a guess: nothing but the choice of opponents depends on it."""
    error: float
    """The standard error of the rating in Elo; infinite for who has none yet."""
    matches: int
    """Rated matches that it has played on this leaderboard."""
    waited: float
    """Tables that were drawn since it sat at one; infinite for who never has."""
    anchor: bool = False


def seed(candidates: Sequence[Candidate], random: Random) -> Candidate | None:
    """Who sits down first; None where there is nobody.

    Among n candidates, who has waited for n tables or more is overdue, and so is a newcomer; whoever has waited
    longest goes first. So nobody waits for 2 n tables, newcomers apart: before him only those go who have waited as
    long or longer, each of them once.
    """
    if not candidates:
        return None
    mixed = random.sample(list(candidates), len(candidates))
    longest = max(mixed, key=lambda candidate: candidate.waited)
    if longest.waited >= len(mixed):
        return longest
    if random.random() < UNIFORM_SHARE:
        return mixed[0]
    # of those without a rating, the one of whom least has been seen
    return max(mixed, key=lambda candidate: (candidate.error, -candidate.matches, candidate.waited))


def fill(
    first: Candidate, candidates: Sequence[Candidate], deviation: Mapping[int, float], size: int, random: Random
) -> list[Candidate]:
    """Up to ``size`` of the candidates, ``first`` among them, no two of one author, in the order of their seats.

    ``deviation`` has, by version, the standard deviation of the difference to the first one, in Elo; for whom it has
    none, nothing is known. Fewer than two candidates that may meet give an empty table.
    """
    others = [candidate for candidate in candidates if candidate.version != first.version]
    uniform = random.random() < UNIFORM_SHARE
    # the smallest of independent exponential times at these rates: drawing in proportion, without putting back
    order = {
        candidate.version: random.expovariate(1.0 if uniform else _worth(first, candidate, deviation))
        for candidate in others
    }
    anchored = random.random() < ANCHOR_SHARE
    others.sort(key=lambda candidate: (not (anchored and candidate.anchor), order[candidate.version]))
    table = [first]
    for candidate in others:
        if len(table) < size and not _same_author(candidate, table):
            table.append(candidate)
    random.shuffle(table)
    return table if len(table) >= 2 else []


def table_size(number: int, least: int, most: int) -> int:
    """How many seats the ladder's table with this number has: all sizes in turn, so that each is played as often."""
    return least + number % (most - least + 1)


def _worth(first: Candidate, other: Candidate, deviation: Mapping[int, float]) -> float:
    """What a game of the two would tell, up to a factor: p (1 - p) Var(difference), at least a little."""
    unknown = math.hypot(min(first.error, PRIOR_ELO), min(other.error, PRIOR_ELO))
    p = 1 / (1 + 10 ** (min(abs(other.elo - first.elo), 4000) / 400))
    return max(p * (1 - p) * deviation.get(other.version, unknown) ** 2, 1e-9)


def _same_author(candidate: Candidate, table: Sequence[Candidate]) -> bool:
    return candidate.author is not None and any(other.author == candidate.author for other in table)
