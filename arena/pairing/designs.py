"""A round robin of tables of more than two: everybody meets everybody as evenly as can be.

For some numbers there are designs in which every pair meets equally often, in rounds in which everybody plays: q * q
players at tables of q are the lines of the affine plane over the field of q elements; eight players at tables of four
the planes of the affine space over the field of two (everybody meets everybody three times in seven rounds); fifteen
players at tables of three the schoolgirls of Kirkman (1850). For all others there is a search.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import combinations
from random import Random

from arena.pairing import sizes
from arena.pairing.grouping import group

Tables = tuple[tuple[int, ...], ...]
"""The tables of a round, of players from 0. Who is at none of them has a bye."""

POLISHED = 40
"""Up to so many players, rounds are made better when all of them are known."""

SWEEPS = 4
"""So many times, or until that changes nothing any more."""

_FOUR = ((0, 0, 0, 0), (0, 1, 2, 3), (0, 2, 3, 1), (0, 3, 1, 2))
"""Multiplication in the field of four elements; adding is the exclusive or."""


_SCHOOLGIRLS = ((14, 0, 7), (1, 2, 4), (3, 8, 12), (5, 11, 13), (6, 9, 10))
"""The first day. The others add 1 to 6, modulo seven, to 0 … 6, likewise to 7 … 13, and leave 14 as it is."""


def design(count: int, size: int) -> tuple[Tables, ...] | None:
    """The rounds of a design in which every pair meets equally often; None where none is known here."""
    if size in (3, 4, 5) and count == size * size:
        return _affine_plane(size)
    if (count, size) == (8, 4):
        return _affine_space()
    if (count, size) == (15, 3):
        return tuple(tuple(tuple(_later(girl, day) for girl in row) for row in _SCHOOLGIRLS) for day in range(7))
    return None


def _later(girl: int, day: int) -> int:
    return girl if girl == 14 else girl // 7 * 7 + (girl + day) % 7


def _affine_plane(q: int) -> tuple[Tables, ...]:
    add: Callable[[int, int], int] = (lambda a, b: a ^ b) if q == 4 else (lambda a, b: (a + b) % q)
    times: Callable[[int, int], int] = (lambda a, b: _FOUR[a][b]) if q == 4 else (lambda a, b: a * b % q)
    field = range(q)
    columns = tuple(tuple(q * x + y for y in field) for x in field)
    slopes = tuple(tuple(tuple(q * x + add(times(m, x), c) for x in field) for c in field) for m in field)
    return (*slopes, columns)


def _affine_space() -> tuple[Tables, ...]:
    halves = [tuple(p for p in range(8) if (p & mask).bit_count() % 2 == 0) for mask in range(1, 8)]
    return tuple((half, tuple(p for p in range(8) if p not in half)) for half in halves)


def natural_rounds(count: int, most: int) -> int:
    """In how many rounds everybody can have met everybody once, or as good as."""
    known = design(count, most)
    return len(known) if known else -(-(count - 1) // (most - 1))


def schedule(count: int, least: int, most: int, rounds: int, number: int) -> Tables:
    """The tables of one round of a round robin; the same for the same arguments.

    Args:
        count: players, who are numbered from 0.
        least: the smallest table.
        most: the largest.
        rounds: how many there will be.
        number: which of them, from 0.
    """
    known = design(count, most)
    if known is not None:
        return known[number % len(known)]
    if count <= POLISHED:
        return _polished(count, least, most, rounds)[number]
    for before in range(number):  # one after the other, so that they are found in the cache and not by recursion
        _searched(count, least, most, before)
    return _searched(count, least, most, number)


@lru_cache(maxsize=1024)
def _searched(count: int, least: int, most: int, number: int) -> Tables:
    """The tables of a round that was found with regard to the earlier ones."""
    met, byes = [[0] * count for _ in range(count)], [0] * count
    for before in range(number):
        _note(met, byes, _searched(count, least, most, before), 1)
    return _next_tables(met, byes, least, most, _dice(number))


@lru_cache(maxsize=64)
def _polished(count: int, least: int, most: int, rounds: int) -> tuple[Tables, ...]:
    """All rounds, each made better with regard to all others."""
    made = [_searched(count, least, most, number) for number in range(rounds)]
    met, byes = [[0] * count for _ in range(count)], [0] * count
    for tables in made:
        _note(met, byes, tables, 1)
    for sweep in range(1, SWEEPS + 1):
        before = list(made)
        for number, tables in enumerate(before):
            _note(met, byes, tables, -1)
            seated = sorted(player for table in tables for player in table)
            made[number] = _even_out(met, seated, [list(table) for table in tables], _dice(number, sweep))
            _note(met, byes, made[number], 1)
        if made == before:
            break
    return tuple(made)


def _dice(number: int, sweep: int = 0) -> Random:
    """Of the search, always the same ones: a schedule depends on nothing but the numbers."""
    return Random(f"round robin/{number}/{sweep}")  # noqa: S311  # no luck that anybody could want to know


def _next_tables(met: Sequence[Sequence[int]], byes: Sequence[int], least: int, most: int, random: Random) -> Tables:
    """The tables of one more round.

    Args:
        met: how often any two have met.
        byes: how many byes each has had.
        least: the smallest table.
        most: the largest.
        random: draws among equals.
    """
    players = random.sample(range(len(met)), len(met))
    out, parts = sizes.split(len(players), least, most)
    players.sort(key=lambda player: byes[player])
    seated = players[out:]
    start, at = [], 0
    for size in parts:
        start.append(seated[at : at + size])
        at += size
    return _even_out(met, sorted(seated), start, random)


def _even_out(met: Sequence[Sequence[int]], seated: list[int], start: list[list[int]], random: Random) -> Tables:
    """The same players at tables at which those meet who have met least.

    A pair that has met m times adds (m + 1)^2 - m^2 = 2 m + 1 to the sum of the squares, which is to be small: as the
    number of meetings is given, m itself is the cost.
    """
    index = {player: number for number, player in enumerate(seated)}
    cost = [[met[a][b] for b in seated] for a in seated]
    taboo = 1 + min((cost[a][b] for a, b in combinations(range(len(seated)), 2)), default=0)
    found = group(cost, [[index[player] for player in table] for table in start], taboo, random)
    return tuple(sorted(tuple(sorted(seated[member] for member in table)) for table in found))


def _note(met: list[list[int]], byes: list[int], tables: Tables, sign: int) -> None:
    seated: set[int] = set()
    for table in tables:
        seated.update(table)
        for a, b in combinations(table, 2):
            met[a][b] += sign
            met[b][a] += sign
    for player in range(len(byes)):
        byes[player] += sign * (player not in seated)
