"""Points and tie-breaks, and the table that is made of them. ``docs/tournaments.md`` defines every column."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from typing import NamedTuple

from arena.pairing.model import Decision, Entrant, Row, Status
from arena.pairing.scores import ZERO, Line, Points, total

Groups = list[list[int]]
"""Entrants from the best to the last; those in one list share a place."""

Lines = Mapping[int, Sequence[Line | None]]
"""The rounds of each entrant."""


class Bucket(NamedTuple):
    """Some who share a place."""

    entrants: Sequence[int]
    stage: int = 0
    """How far they came, where somebody is thrown out: the more, the further. 0: not beyond the groups."""
    spot: int = 0
    """Their place at the table that threw them out."""
    scored: bool = False
    """Whether points and tie-breaks set them apart from others of the same stage."""


class Order(NamedTuple):
    """How a tournament stands."""

    buckets: tuple[Bucket, ...]
    """From the best to the last; everybody is in one."""
    alive: frozenset[int] | None = None
    """Who has not been thrown out; None where nobody is."""


def by_score(groups: Groups) -> Order:
    """The order that `rank` found."""
    return Order(tuple(Bucket(group, scored=True) for group in groups))


class Breaks(NamedTuple):
    """What ties are broken by."""

    points: Points
    buchholz: Points
    sonneborn: Points


def read_breaks(lines: Lines) -> Breaks:
    """The points and tie-breaks of everybody whose lines are given."""
    points = {entrant: total(own) for entrant, own in lines.items()}
    return Breaks(
        points,
        {entrant: buchholz_cut_1(points, entrant, own) for entrant, own in lines.items()},
        {entrant: sonneborn_berger(points, entrant, own) for entrant, own in lines.items()},
    )


def buchholz_cut_1(points: Points, entrant: int, own: Sequence[Line | None]) -> Fraction:
    """The sum over the rounds of the mean points of the opponents met there, but for the round with the least.

    A round in which nobody was met counts the entrant's own points.
    """
    rounds = []
    for line in own:
        met = [points[duel.opponent] for duel in line.duels if duel.met] if line else []
        rounds.append(sum(met, ZERO) / len(met) if met else points[entrant])
    return sum(rounds, ZERO) - min(rounds, default=ZERO)


def sonneborn_berger(points: Points, entrant: int, own: Sequence[Line | None]) -> Fraction:
    """The sum over the rounds of the mean, over the opponents, of the score against one times the points of that one.

    An opponent who was not met counts with the entrant's own points, and so does a bye.
    """
    sum_ = ZERO
    for line in own:
        if line is None:
            continue
        if line.table is None:
            sum_ += line.points * points[entrant]
            continue
        worth = (duel.score * points[duel.opponent if duel.met else entrant] for duel in line.duels)
        if line.duels:
            sum_ += sum(worth, ZERO) / len(line.duels)
    return sum_


def among(lines: Lines, tied: Sequence[int]) -> dict[int, Fraction] | None:
    """The mean, over the others of ``tied``, of the mean score in the meetings with each.

    None unless everybody has met everybody of them: otherwise it would depend on the draw who gains by it.
    """
    if len(tied) < 2:
        return None
    scores: dict[int, dict[int, list[Fraction]]] = {entrant: {} for entrant in tied}
    for entrant, against in scores.items():
        for line in lines[entrant]:
            for duel in line.duels if line else ():
                if duel.met and duel.opponent in scores:
                    against.setdefault(duel.opponent, []).append(duel.score)
        if len(against) < len(tied) - 1:
            return None
    return {
        entrant: sum((sum(each, ZERO) / len(each) for each in against.values()), ZERO) / (len(tied) - 1)
        for entrant, against in scores.items()
    }


def rank(lines: Lines) -> Groups:
    """Everybody by points and tie-breaks; who is level in all of them shares a place."""
    breaks = read_breaks(lines)
    groups = _split([sorted(lines)], lambda group: breaks.points)
    groups = _split(groups, lambda group: among(lines, group))
    groups = _split(groups, lambda group: breaks.buchholz)
    return _split(groups, lambda group: breaks.sonneborn)


def _split(groups: Groups, rate: Callable[[list[int]], Points | None]) -> Groups:
    made: Groups = []
    for group in groups:
        values = rate(group)
        if values is None:
            made.append(group)
        else:
            made += by_value(group, values)
    return made


def by_value(group: Sequence[int], values: Points) -> Groups:
    """The group in parts of equal value, the highest first."""
    ranked = sorted(group, key=lambda entrant: (-values[entrant], entrant))
    return [list(part) for _, part in groupby(ranked, key=lambda entrant: values[entrant])]


def make_rows(
    entrants: Sequence[Entrant], order: Order, lines: Lines, extra: Mapping[int, Sequence[Fraction]], upto: int
) -> tuple[Row, ...]:
    """The standings.

    Args:
        entrants: all of them.
        order: how they stand.
        lines: their rounds.
        extra: what each got in its extra series.
        upto: the number of the next round; who leaves before it has withdrawn.
    """
    by_id = {entrant.id: entrant for entrant in entrants}
    breaks = read_breaks(lines)
    level = {entrant: among(lines, tied) for tied in by_value(sorted(lines), breaks.points) for entrant in tied}
    rows: list[Row] = []
    found: list[Bucket] = []

    def add(entrant: int, place: int | None, bucket: Bucket, *, first: bool) -> None:
        mates = level[entrant]
        row = Row(
            place=place,
            entrant=entrant,
            points=breaks.points[entrant],
            among=None if mates is None else mates[entrant],
            buchholz=breaks.buchholz[entrant],
            sonneborn=breaks.sonneborn[entrant],
            played=sum(line is not None and line.present for line in lines[entrant]),
            status=_status(by_id[entrant], order, upto),
            decision="",
            behind=None,
        )
        if rows and first:
            before = rows[-1]
            why = _decision(found[-1], before, bucket, row, extra)
            row = row._replace(decision=why, behind=before.entrant)
        rows.append(row)
        found.append(bucket)

    place = 1
    for bucket in order.buckets:
        stay = [entrant for entrant in bucket.entrants if not by_id[entrant].disqualified]
        for number, entrant in enumerate(sorted(stay, key=lambda one: (by_id[one].rank, one))):
            add(entrant, place, bucket, first=number == 0)
        place += len(stay)
    for bucket in order.buckets:
        for entrant in bucket.entrants:
            if by_id[entrant].disqualified:
                add(entrant, None, bucket, first=False)
    return tuple(rows)


def _status(entrant: Entrant, order: Order, upto: int) -> Status:
    if entrant.disqualified:
        return "disqualified"
    if entrant.until is not None and entrant.until <= upto:
        return "withdrawn"
    return "in" if order.alive is None or entrant.id in order.alive else "out"


def _decision(
    above: Bucket, before: Row, bucket: Bucket, row: Row, extra: Mapping[int, Sequence[Fraction]]
) -> Decision:
    if above.stage != bucket.stage:
        return "stage"
    if above.spot != bucket.spot:
        return "place at the table" if bucket.stage else "place in the group"
    if above.scored and before.points != row.points:
        return "points"
    if above.scored and before.among != row.among:
        return "among the tied"
    if above.scored and before.buchholz != row.buchholz:
        return "Buchholz"
    if above.scored and before.sonneborn != row.sonneborn:
        return "Sonneborn-Berger"
    if extra.get(before.entrant) != extra.get(row.entrant):
        return "extra series"
    return "seeding"


_WORDS: dict[Decision, str] = {
    "stage": "{other} came further than {name}",
    "place at the table": "{name} came as far as {other}, but took a lower place at its last table",
    "place in the group": "{name} took a lower place in its group than {other} in its own",
    "points": "{name} has {points}, {other} {others}",
    "among the tied": "{name} and {other} have {points}; in the meetings of all who have these, "
    "{name} scored {among}, {other} {more}",
    "Buchholz": "{name} and {other} have {points}; those whom {name} met have fewer, by Buchholz cut 1: "
    "{buchholz} against {bigger}",
    "Sonneborn-Berger": "{name} and {other} have {points} and the same Buchholz cut 1; those whom {name} beat "
    "have fewer, by Sonneborn-Berger: {sonneborn} against {higher}",
    "extra series": "{name} and {other} were level; {other} won the extra series",
    "seeding": "{name} and {other} were level, also after the extra series; {other} was seeded better",
    "": "",
}


def explain(row: Row, before: Row | None, names: Mapping[int, str]) -> str:
    """Why a row stands where it stands, in a sentence; empty for the first, and for who shares a place.

    Args:
        row: the row.
        before: the row of ``row.behind``; None where there is none.
        names: of the entrants.
    """
    if before is None or row.behind is None:
        return ""
    return _WORDS[row.decision].format(
        name=names[row.entrant],
        other=names[row.behind],
        points=_points(row.points),
        others=in_decimals(before.points),
        among=in_decimals(row.among),
        more=in_decimals(before.among),
        buchholz=in_decimals(row.buchholz),
        bigger=in_decimals(before.buchholz),
        sonneborn=in_decimals(row.sonneborn),
        higher=in_decimals(before.sonneborn),
    )


def _points(value: Fraction) -> str:
    return f"{in_decimals(value)} point{'' if value == 1 else 's'}"


def in_decimals(value: Fraction | None) -> str:
    """A number as people read it: up to three decimals, none that say nothing; a dash for None.

    >>> in_decimals(Fraction(7, 2)), in_decimals(Fraction(2, 3)), in_decimals(Fraction(4))
    ('3.5', '0.667', '4')
    """
    if value is None:
        return "–"
    text = f"{float(value):.3f}"
    return text.rstrip("0").rstrip(".")
