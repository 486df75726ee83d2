"""Chances to win between equals, from nothing but what everybody has left.

These are models, and small ones: nobody plays better than another, and what happens next does not depend on who sits
where. They serve to weigh the steps of one match against each other, not to foretell anything.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import accumulate
from math import comb, prod
from typing import Literal

Goal = Literal["last", "first", "most"]
"""Who wins: the last one to have any; the first to have none; who has most when the first one has none."""

POSITIONS = 10_000
"""The most positions that are looked at for one table; lives are counted in twos, threes … where there are more."""

AHEAD = 40
"""How many rounds of a race are looked at; what lies further off decides no more."""


def lasting(lives: Sequence[int], goal: Goal) -> tuple[float, ...]:
    """Each player's chance, where every round costs one of them, as likely as any other, one life.

    Exact, over all that can follow. An equal end shares the win.

    >>> lasting([1, 1], "last"), lasting([2, 1], "last"), lasting([2, 1], "first")
    ((0.5, 0.5), (0.75, 0.25), (0.25, 0.75))
    """
    if goal == "last" and 0 in lives:  # who has none is out
        own = iter(lasting([own for own in lives if own], goal))
        return tuple(next(own) if has else 0.0 for has in lives)
    unit = 1
    while comb(-(-max(lives) // unit) + len(lives), len(lives)) > POSITIONS:
        unit += 1
    counted = [-(-own // unit) for own in lives]
    by_lives = _shares(tuple(sorted(counted)), goal)
    return tuple(by_lives[own] for own in counted)


@lru_cache(maxsize=4 * POSITIONS)
def _shares(lives: tuple[int, ...], goal: Goal) -> dict[int, float]:
    """The chance of a player, by what he has left; ``lives`` ascend."""
    if len(lives) == 1 or lives[0] == 0:
        best = lives[-1] if goal == "most" else lives[0]
        return {own: 1 / lives.count(best) if own == best else 0.0 for own in lives}
    kinds = dict.fromkeys(lives)
    chances = dict.fromkeys(lives, 0.0)
    place = 0
    for hit in kinds:
        of_them = lives.count(hit)
        # who has none left is out, unless that is how the match ends
        rest = () if hit == 1 and goal == "last" else (hit - 1,)
        after = _shares(lives[:place] + rest + lives[place + 1 :], goal)
        for own in kinds:
            if own != hit:
                chances[own] += of_them * after[own]
        if of_them > 1:
            chances[hit] += (of_them - 1) * after[hit]
        if rest:
            chances[hit] += after[hit - 1]
        place += of_them
    return {own: chance / len(lives) for own, chance in chances.items()}


def race(points: Sequence[int], rounds: int, prize: int, now: int | None = None) -> tuple[float, ...]:
    """Each player's chance to have most points in the end, where every round gives one of them, by lot, the prize.

    The present round gives ``now`` instead. Each player is taken to win as many of the rounds as he would by lot alone,
    whatever the others win; equal points count half against each other. With no round left, the points decide.

    >>> race([3, 1], 0, 1), race([1, 1], 7, 1)
    ((1.0, 0.0), (0.5, 0.5))
    """
    ahead = min(rounds, AHEAD)
    now = prize if now is None else now
    ends = [_ends(own, ahead, prize, now, 1 / len(points)) for own in points]
    below = [_below(end) for end in ends]
    chances = []
    for seat, end in enumerate(ends):
        others = [*below[:seat], *below[seat + 1 :]]
        chances.append(sum(chance * prod(other(value) for other in others) for value, chance in end))
    whole = sum(chances)
    return tuple(chance / whole for chance in chances)


def _ends(own: int, rounds: int, prize: int, now: int, lot: float) -> list[tuple[int, float]]:
    """Where a player may stand after so many rounds, ascending, and how likely that is."""
    if not rounds:
        return [(own, 1.0)]
    later = rounds - 1
    chances: dict[int, float] = {}
    for won in range(later + 1):
        chance = comb(later, won) * lot**won * (1 - lot) ** (later - won)
        if chance > 1e-9:
            for first, likely in ((now, lot), (0, 1 - lot)):
                value = own + first + prize * won
                chances[value] = chances.get(value, 0.0) + chance * likely
    return sorted(chances.items())


def _below(end: list[tuple[int, float]]) -> Callable[[int], float]:
    values = [value for value, _ in end]
    sums = [0.0, *accumulate(chance for _, chance in end)]
    return lambda value: (sums[bisect_left(values, value)] + sums[bisect_right(values, value)]) / 2
