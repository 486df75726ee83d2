"""How many tables, of which sizes, and who is spread over them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from arena.pairing.model import FormatError

MOST_SEATS = 6
"""The largest table of a tournament."""

T = TypeVar("T")


def check_sizes(least: int, most: int) -> None:
    """Refuse table sizes that make no sense.

    Raises:
        FormatError: says why.
    """
    if not 2 <= least <= most <= MOST_SEATS:
        raise FormatError(f"tables have 2 to {MOST_SEATS} seats, the smallest not more than the largest")


def split(count: int, least: int, most: int) -> tuple[int, tuple[int, ...]]:
    """How many get a bye, and the sizes of the tables, ascending.

    As few byes as possible, and then as few tables. The sizes differ by at most one.

    >>> split(9, 2, 4), split(9, 2, 2), split(1, 2, 4)
    ((0, (3, 3, 3)), (1, (2, 2, 2, 2)), (1, ()))
    """
    for byes in range(count - least + 1):
        seated = count - byes
        tables = -(-seated // most)
        if seated // tables >= least:
            return byes, even(seated, tables)
    return count, ()


def even(count: int, parts: int) -> tuple[int, ...]:
    """``count`` in so many parts, which differ by at most one, ascending."""
    small, larger = divmod(count, parts)
    return (small,) * (parts - larger) + (small + 1,) * larger


def heats(members: Sequence[T], tables: int) -> list[list[T]]:
    """The members, the favourite first, spread over tables of equal strength.

    They are dealt in rows of one for each table: the first half of the rows from the first table to the last, the
    other half from the last to the first. When the last row is short, the first tables, which have the favourites,
    are the smaller ones.

    >>> heats(range(1, 17), 4)
    [[1, 5, 12, 16], [2, 6, 11, 15], [3, 7, 10, 14], [4, 8, 9, 13]]
    """
    rows = -(-len(members) // tables)
    dealt: list[list[T]] = [[] for _ in range(tables)]
    for at, member in enumerate(members):
        row, column = divmod(at, tables)
        back = 2 * row >= rows or (row + 1) * tables > len(members)
        dealt[tables - 1 - column if back else column].append(member)
    return dealt
