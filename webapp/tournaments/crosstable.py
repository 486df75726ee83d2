"""Who against whom: of a round robin, and of each group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from arena.pairing import FormatError, Row
from arena.pairing.groups import letter
from arena.pairing.scores import read_result
from arena.pairing.standings import in_decimals
from webapp.tournaments import facts
from webapp.tournaments.models import Entrant
from webapp.tournaments.selectors import Whole

MOST = 24
"""More entrants would be wider than any screen."""

LEVELS = 4
"""So many shades a score above nothing has."""


class Cell(NamedTuple):
    """What one entrant did to another."""

    score: str
    """The mean over their series; empty where they have not met."""
    level: int
    """Its shade: 0 for none of the points, `LEVELS` for all of them."""
    series: int | None
    """The newest in which they met."""


class CrossRow(NamedTuple):
    """A line of it."""

    entrant: Entrant
    cells: tuple[Cell | None, ...]
    """In the order of the lines; None on the diagonal."""
    points: str
    place: int | None


class Crosstable(NamedTuple):
    """Of all, or of a group."""

    group: str
    """Its letter, or letters; empty where it is of all."""
    rows: tuple[CrossRow, ...]


def crosstables_of(*, whole: Whole, standings: Sequence[Row]) -> list[Crosstable]:
    """Who against whom, in the order of the standings; none where it would be too wide, or says nothing. No query."""
    tournament, entrants = whole.tournament, whole.entrants
    if not tournament.begun:
        return []
    if tournament.form["format"] == "round-robin":
        groups: Sequence[Sequence[Row]] = [standings]
    elif tournament.form["format"] == "groups":
        try:
            form = facts.form_of(tournament)
            groups = form.groups(facts.paired(entrants.values()), facts.played_in(whole.rounds))
        except FormatError:
            return []
    else:
        return []
    scores = _scores(whole)
    letters = [letter(number) if len(groups) > 1 else "" for number in range(len(groups))]
    return [
        Crosstable(letter, _rows(rows, scores, entrants))
        for letter, rows in zip(letters, groups, strict=True)
        if 2 <= len(rows) <= MOST
    ]


Scores = Mapping[tuple[int, int], Sequence[tuple[Fraction, int]]]


def _scores(whole: Whole) -> Scores:
    """By two entrants what the one got over the other, and in which series; a knockout that follows is left out."""
    got: dict[tuple[int, int], list[tuple[Fraction, int]]] = {}
    for pairing in (table for row in reversed(whole.rounds) for table in row.pairings.all()):
        if pairing.extra or pairing.places is None or pairing.name.startswith("K"):
            continue
        for one, line in read_result(facts.result(pairing)).items():
            for duel in line.duels:
                got.setdefault((one, duel.opponent), []).append((duel.score, pairing.series_id))
    return got


def _rows(rows: Sequence[Row], scores: Scores, entrants: Mapping[int, Entrant]) -> tuple[CrossRow, ...]:
    def cell(one: int, other: int) -> Cell | None:
        if one == other:
            return None
        found = scores.get((one, other), [])
        if not found:
            return Cell("", 0, None)
        mean = sum((score for score, _ in found), Fraction(0)) / len(found)
        return Cell(in_decimals(mean), round(mean * LEVELS), found[-1][1])

    return tuple(
        CrossRow(
            entrants[row.entrant],
            tuple(cell(row.entrant, other.entrant) for other in rows),
            in_decimals(row.points),
            row.place,
        )
        for row in rows
    )
