"""What came of each series: who beat whom by how much, and what each of its entrants gets for it.

In a match of n the score of one over another is 1, 1/2 or 0 by their places, and the points are the sum of the n - 1
scores, divided by n - 1: so a place in the middle is worth 1/2 at every table. A series counts the mean of its
matches. Who did not take part in a match stands behind all who did, and gets nothing against others who did not either.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from fractions import Fraction
from typing import NamedTuple

from arena.pairing.model import Played, Result

ZERO, ONE = Fraction(0), Fraction(1)


class Duel(NamedTuple):
    """What one did to another in a series."""

    opponent: int
    score: Fraction
    """The mean over the matches, from 0 to 1."""
    met: bool
    """Whether both took part in a match. If not, it was won or lost by default."""


class Line(NamedTuple):
    """What a round was for one entrant."""

    table: str | None
    """None for a bye."""
    points: Fraction
    duels: tuple[Duel, ...]
    present: bool
    """Whether it took part in a match."""


def showed_up(result: Result) -> frozenset[int]:
    """Who took part in at least one match of the series."""
    seats = result.table.seats
    return frozenset(seats[seat] for places in result.matches for seat, place in enumerate(places) if place is not None)


def read_result(result: Result, annulled: Collection[int] = ()) -> dict[int, Line]:
    """The line of each entrant at the table, except for those whose results count for nobody."""
    seats = result.table.seats
    counted = [seat for seat, entrant in enumerate(seats) if entrant not in annulled]
    present = showed_up(result)
    lines: dict[int, Line] = {}
    for own in counted:
        duels = tuple(_duel(result, own, other, present) for other in counted if other != own)
        total = sum((duel.score for duel in duels), ZERO)
        points = total / len(duels) if duels else ZERO
        lines[seats[own]] = Line(result.table.name, points, duels, seats[own] in present)
    return lines


def _duel(result: Result, own: int, other: int, present: frozenset[int]) -> Duel:
    halves = 0
    for places in result.matches:
        mine, theirs = places[own], places[other]
        if mine is not None:
            halves += 2 if theirs is None or mine < theirs else int(mine == theirs)
    opponent = result.table.seats[other]
    met = opponent in present and result.table.seats[own] in present
    return Duel(opponent, Fraction(halves, 2 * len(result.matches)) if halves else ZERO, met)


def shares(result: Result) -> dict[int, Fraction]:
    """The points of each entrant at the table."""
    return {entrant: line.points for entrant, line in read_result(result).items()}


def read_lines(
    entrants: Iterable[int], rounds: Iterable[Played], bye: Fraction = ZERO, annulled: Collection[int] = ()
) -> dict[int, list[Line | None]]:
    """The lines of each entrant, one for each round; None where it was not in. Extra series are left out.

    Args:
        entrants: whose lines are wanted.
        rounds: that are over.
        bye: the points of a bye.
        annulled: whose results count for nobody.
    """
    lines: dict[int, list[Line | None]] = {entrant: [] for entrant in entrants}
    for played in rounds:
        if is_extra(played):
            continue
        here: dict[int, Line] = {entrant: Line(None, bye, (), present=False) for entrant in played.byes}
        for result in played.results:
            here.update(read_result(result, annulled))
        for entrant, own in lines.items():
            own.append(here.get(entrant))
    return lines


def extra_points(rounds: Iterable[Played]) -> dict[int, list[Fraction]]:
    """What each got in its extra series, in their order; a bye among the tied counts as a win."""
    points: dict[int, list[Fraction]] = {}
    for played in rounds:
        if is_extra(played):
            got = {entrant: own for result in played.results for entrant, own in shares(result).items()}
            for entrant, own in got.items():
                points.setdefault(entrant, []).append(own)
    return points


def is_extra(played: Played) -> bool:
    """Whether a round only decides ties."""
    return any(result.table.extra for result in played.results)


def total(lines: Iterable[Line | None]) -> Fraction:
    """The points in these lines."""
    return sum((line.points for line in lines if line is not None), ZERO)


def meetings(rounds: Iterable[Played]) -> dict[int, dict[int, int]]:
    """How often each met each other over a table, extra series included. Both must have shown up."""
    met: dict[int, dict[int, int]] = {}
    for played in rounds:
        for result in played.results:
            present = showed_up(result)
            for one in present:
                own = met.setdefault(one, {})
                for other in present:
                    if other != one:
                        own[other] = own.get(other, 0) + 1
    return met


def seats_sat(rounds: Iterable[Played]) -> dict[int, list[int]]:
    """How often each has sat on each seat in the first match of a series."""
    sat: dict[int, list[int]] = {}
    for played in rounds:
        for result in played.results:
            for seat, entrant in enumerate(result.table.seats):
                own = sat.setdefault(entrant, [])
                own.extend([0] * (seat + 1 - len(own)))
                own[seat] += 1
    return sat


Points = Mapping[int, Fraction]
"""By entrant."""
