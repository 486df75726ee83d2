"""How many of the published 95 % intervals hold what they promise: tables of bots whose strength is known.

``python -m bench.coverage`` simulates Plackett-Luce tables: the order of a table is that of its players' skills, each
with a Gumbel-distributed luck. Then the share of pairs between two of the players, 1 against 2, is as the model of
`arena.ratings` has it, while the scores at a table of more than two are not independent, as at a real one. Skills are
drawn anew for every leaderboard. Every bot plays the given number of blocks, and is the anchor of all others once: as
many intervals as pairs.

In the last rows each block is two matches with one luck and one result, which is the worst that sharing luck can do.
The exit code is 1 when a cell lies outside ``CELL``, or all cells of one table size together outside ``POOLED``.
"""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.ratings import ALGORITHM, ELO_PER_NAT, QUANTILE_95, Results, fit

SEATS = (2, 4, 10)
BLOCKS = (20, 50, 100, 200, 500, 1000)
POOLED_FROM = 50
"""Blocks a bot from which on cells count in the pool of their table size."""

LEADERBOARDS = {20: 120, 200: 14}
"""How many are simulated for a cell, by their number of bots: 22,800 intervals or more."""

CELL, POOLED = (91.0, 99.0), (93.0, 97.0)


class Row(NamedTuple):
    """One line of the table."""

    seats: int
    sd: float
    """Elo, of the skills."""
    bots: int
    matches: int
    """In each block, all with the same result."""


class Cell(NamedTuple):
    """What was found for some leaderboards."""

    intervals: int
    published: float
    """Per cent of the intervals that held."""
    error: float
    """The standard error of that: leaderboards are what repeats independently."""
    information: float
    """Per cent for the inverse information by itself, 1.96 standard errors to each side."""


def rows() -> Iterator[Row]:
    """All lines, in their order."""
    for seats in SEATS:
        for sd in (350.0, 100.0):
            for bots in LEADERBOARDS:
                yield Row(seats, sd, bots, 1)
    for seats in SEATS:
        yield Row(seats, 350.0, 20, 2)


def play(random: np.random.Generator, skills: NDArray[np.float64], row: Row, blocks: int) -> Results:
    """Matches in which everybody plays in that many blocks."""
    who = random.permuted(np.tile(np.arange(row.bots), (blocks, 1)), axis=1).reshape(-1, row.seats)
    luck = random.gumbel(size=who.shape)
    place = 1 + np.argsort(np.argsort(-(skills[who] + luck), axis=1), axis=1)
    block = np.repeat(np.arange(len(who)), row.seats)
    match = np.concatenate([block + copy * len(who) for copy in range(row.matches)])
    again = [np.tile(column.ravel(), row.matches) for column in (block, who, place)]
    return Results.of(match, *again)


def cell(row: Row, blocks: int) -> Cell:
    """Simulate the leaderboards of one cell."""
    random = np.random.default_rng([row.seats, int(row.sd), row.bots, row.matches, blocks])
    published, information = [], []
    pairs = np.triu_indices(row.bots, 1)
    for _ in range(LEADERBOARDS[row.bots]):
        skills = random.normal(0, row.sd / ELO_PER_NAT, row.bots)
        rated = fit(play(random, skills, row, blocks), anchor=0)
        error = np.abs(np.subtract.outer(rated.nats - skills, rated.nats - skills))[pairs]
        published.append(np.mean(error <= QUANTILE_95 * np.sqrt(rated.variance[pairs])))
        own = np.diagonal(rated.covariance)
        plain = (np.add.outer(own, own) - 2 * rated.covariance)[pairs]
        information.append(np.mean(error <= QUANTILE_95 * np.sqrt(plain)))
    count = len(published)
    return Cell(
        count * len(pairs[0]),
        100 * float(np.mean(published)),
        100 * float(np.std(published, ddof=1)) / count**0.5,
        100 * float(np.mean(information)),
    )


def main() -> int:
    """Simulate and print, as a table of docs/ratings.md."""
    began = time.perf_counter()
    print(f"{ALGORITHM}: per cent of nominal 95 % intervals that hold; in brackets the inverse information by itself\n")
    print("| seats | skill sd | bots | " + " | ".join(f"{blocks} blocks" for blocks in BLOCKS) + " |")
    print("| ---: " * (3 + len(BLOCKS)) + "|")
    pool: dict[int, list[Cell]] = defaultdict(list)
    everything: list[Cell] = []
    for row in rows():
        cells = [cell(row, blocks) for blocks in BLOCKS]
        everything += cells
        if row.matches == 1:
            pool[row.seats] += [one for one, blocks in zip(cells, BLOCKS, strict=True) if blocks >= POOLED_FROM]
        name = f"{row.seats}" + (", luck twice" if row.matches > 1 else "")
        shown = " | ".join(f"{one.published:.1f} ({one.information:.1f})" for one in cells)
        print(f"| {name} | {row.sd:.0f} | {row.bots} | {shown} |", flush=True)
    print(f"\nIn each cell {min(one.intervals for one in everything):,} intervals or more, ", end="")
    print(f"and a standard error of {max(one.error for one in everything):.1f} points or less.")
    low, high = (worst(one.published for one in everything) for worst in (min, max))
    good = CELL[0] <= low and high <= CELL[1]
    print(f"All cells: {low:.1f} to {high:.1f}.")
    for seats, cells in pool.items():
        shares = [sum(getattr(c, name) for c in cells) / len(cells) for name in ("published", "information")]
        intervals = sum(one.intervals for one in cells)
        print(
            f"{seats} seats, from {POOLED_FROM} blocks up, all together: {shares[0]:.1f} ({shares[1]:.1f}) "
            f"of {intervals:,} intervals"
        )
        good &= POOLED[0] <= shares[0] <= POOLED[1]
    print(f"{time.perf_counter() - began:.0f} seconds")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
