"""Who sits where: over a series, and from series to series."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import permutations
from random import Random


def seat_orders(players: int, matches: int) -> list[tuple[int, ...]]:
    """The orders of a series that treats all seats alike: in order ``o``, player ``o[s]`` sits on seat s.

    All orders for two or three players where the series is long enough for them, else the rotations. Matches on
    the same luck go through these orders once.
    """
    if players <= 3 and matches >= math.factorial(players):
        return list(permutations(range(players)))
    return [tuple((seat + turn) % players for seat in range(players)) for turn in range(players)]


def balanced_seats(members: Sequence[int], sat: Mapping[int, Sequence[int]], random: Random) -> tuple[int, ...]:
    """The members of a table in the order of their seats: those who sat on a seat often sit elsewhere now.

    The order has the smallest possible sum, over all members, of how often each sat on its seat before; which of
    several such orders is left to ``random``.

    Args:
        members: who is at the table.
        sat: how often each of them sat on each seat; seats that are not mentioned, never.
        random: draws among equals.
    """
    members = random.sample(members, len(members))
    cost = [[(sat.get(member, ())[seat : seat + 1] or (0,))[0] for seat in range(len(members))] for member in members]
    # best[m]: the cheapest way to give seats 0, 1, … to the members in the bit set m
    best: dict[int, tuple[int, tuple[int, ...]]] = {0: (0, ())}
    for seat in range(len(members)):
        after: dict[int, tuple[int, tuple[int, ...]]] = {}
        for seated, (total, order) in best.items():
            for number, member in enumerate(members):
                more = seated | 1 << number
                now = total + cost[number][seat]
                if more != seated and (more not in after or now < after[more][0]):
                    after[more] = (now, (*order, member))
        best = after
    return best[(1 << len(members)) - 1][1]
