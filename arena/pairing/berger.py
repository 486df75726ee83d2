"""The Berger tables: a round robin of duels in the order that FIDE publishes (Handbook C.05, Annex 1)."""

from __future__ import annotations

Pairs = tuple[tuple[int, int], ...]


def berger(count: int) -> tuple[Pairs, ...]:
    """The rounds of a round robin of ``count`` players, numbered from 1; the first of each pair has the first seat.

    With an odd number one has a bye in each round: it is in no pair.

    >>> berger(4)
    (((1, 4), (2, 3)), ((4, 3), (1, 2)), ((2, 4), (3, 1)))
    """
    last = count + count % 2  # who plays the last number has the bye, if there is no such player
    ring = last - 1
    rounds = []
    for number in range(ring):
        anchor = number * (last // 2) % ring
        pairs = [(last, anchor + 1) if number % 2 else (anchor + 1, last)]
        pairs += [((anchor + step) % ring + 1, (anchor - step) % ring + 1) for step in range(1, last // 2)]
        rounds.append(tuple(pair for pair in pairs if max(pair) <= count))
    return tuple(rounds)
