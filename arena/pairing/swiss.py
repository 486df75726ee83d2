"""The Swiss system, for tables: in each round those play who have as many points and have not met."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import combinations, islice
from math import lcm
from operator import mul

from arena.pairing import scores, sizes
from arena.pairing.extra import decide_first
from arena.pairing.format import Field, Format, Script, Step
from arena.pairing.grouping import group, total
from arena.pairing.model import FormatError, Round
from arena.pairing.standings import Lines, by_score, rank

BYES_TRIED = 40
"""So many ways of giving the byes are tried, until nobody has to meet again."""

FINEST = 10**6
"""Differences of points are told apart to the millionth."""


@dataclass(frozen=True)
class Swiss(Format):
    """Some rounds; the winner has the most points."""

    rounds: int
    least: int = 2
    most: int = 4

    takes_late_entries = True

    def check(self, count: int) -> None:
        sizes.check_sizes(self.least, self.most)
        if self.rounds < 1:
            raise FormatError("a Swiss tournament has at least one round")
        if count < self.least:
            raise FormatError(f"a Swiss tournament needs at least {self.least} entrants in its first round")

    def length(self, count: int) -> int:
        return self.rounds

    def lines(self, field: Field) -> Lines:
        return scores.read_lines(field.ids, field.played, bye=scores.ONE)

    def script(self, field: Field) -> Script:
        for number in range(1, self.rounds + 1):
            if sum(map(field.is_in, field.ids)) < self.least:
                break
            yield Step(partial(self._draw, field, number), lambda: by_score(rank(self.lines(field))))
        groups = rank(self.lines(field))
        yield from decide_first(field, groups, self.least, self.most)
        return by_score(groups)

    def _draw(self, field: Field, number: int) -> Round:
        there = [entrant for entrant in field.ids if field.is_in(entrant)]
        tables = _best_of_byes(field, there, self.lines(field), self.least, self.most)
        named = [(f"S{number}.{table}", members) for table, members in enumerate(tables, start=1)]
        return field.round(f"round {number} of {self.rounds}", field.tables(named), there)


def _best_of_byes(field: Field, there: list[int], lines: Lines, least: int, most: int) -> list[list[int]]:
    """Tables for ``there`` but for those who get the byes."""
    byes, parts = sizes.split(len(there), least, most)
    points = {entrant: scores.total(own) for entrant, own in lines.items()}
    had = {entrant: sum(line is not None and line.table is None for line in own) for entrant, own in lines.items()}
    # a bye goes to who has had the fewest, of these to who has the fewest points, of these to the least favourite
    queue = sorted(there, key=lambda entrant: (had[entrant], points[entrant], -field.rank[entrant]))
    fewest = sum(had[entrant] for entrant in queue[:byes])
    best: tuple[int, list[list[int]]] | None = None
    for out in islice(combinations(queue, byes), BYES_TRIED):
        if sum(had[entrant] for entrant in out) > fewest:
            continue
        seated = [entrant for entrant in there if entrant not in out]
        again, tables = _tables(field, seated, points, parts)
        if best is None or again < best[0]:
            best = again, tables
        if again == 0:
            break
    assert best is not None
    return best[1]


def _tables(
    field: Field, seated: Sequence[int], points: scores.Points, parts: Sequence[int]
) -> tuple[int, list[list[int]]]:
    """How many meet again, counted as often as they have met; and the tables, the one of the leaders first."""
    dice = field.dice()
    met = scores.meetings(field.played)
    if not field.played:
        return 0, sizes.heats(seated, len(parts))
    if not any(points[entrant] for entrant in seated):  # everybody is level: as if it began now
        ordered = [one for table in sizes.heats(seated, len(parts)) for one in table]
        cuts = [len(table) for table in sizes.heats(seated, len(parts))]
    else:
        ordered = sorted(dice.sample(seated, len(seated)), key=lambda entrant: -points[entrant])
        cuts = list(reversed(parts))
    again = []
    for entrant in ordered:
        own = met.get(entrant, {})
        again.append([own.get(other, 0) for other in ordered])
    apart = _spread([points[entrant] for entrant in ordered])
    unlike = _unlike(field, ordered, max(parts))
    # lexicographic: one more meeting outweighs every spread, and any spread every seat
    seat_bound = 1 + sum(map(sum, unlike))
    spread_bound = seat_bound * (1 + sum(map(sum, apart)))
    cost = [
        [m * spread_bound + s * seat_bound + u for m, s, u in zip(*rows, strict=True)]
        for rows in zip(again, apart, unlike, strict=True)
    ]
    start, at = [], 0
    for size in cuts:
        start.append(list(range(at, at + size)))
        at += size
    found = group(cost, start, spread_bound, dice)
    tables = [[ordered[member] for member in sorted(table)] for table in found]
    tables.sort(key=lambda table: (-sum(points[entrant] for entrant in table) / len(table), field.rank[table[0]]))
    return total(again, found), tables


def _spread(points: Sequence[Fraction]) -> list[list[int]]:
    """The squares of the differences of points, as whole numbers."""
    unit = min(lcm(*(own.denominator for own in points)), FINEST)
    whole = [round(own * unit) for own in points]
    kinds = {one: {other: (one - other) ** 2 for other in set(whole)} for one in set(whole)}
    return [list(map(kinds[own].__getitem__, whole)) for own in whole]


def _unlike(field: Field, ordered: Sequence[int], seats: int) -> list[list[int]]:
    """How much two have sat on the same seats too often: they compete for the others."""
    sat = scores.seats_sat(field.played)
    excess = []
    for entrant in ordered:
        own = [*sat.get(entrant, ()), *[0] * seats][:seats]
        excess.append(tuple(seats * count - sum(own) for count in own))
    kinds = {one: {other: max(0, sum(map(mul, one, other))) for other in set(excess)} for one in set(excess)}
    unlike = [list(map(kinds[own].__getitem__, excess)) for own in excess]
    for at, row in enumerate(unlike):
        row[at] = 0  # between two, never between one and itself
    return unlike
