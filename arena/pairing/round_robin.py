"""Everybody meets everybody: duels by the Berger tables, larger tables as evenly as can be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from arena.pairing import designs, scores, sizes
from arena.pairing.berger import berger
from arena.pairing.extra import decide_first
from arena.pairing.format import Field, Format, Script, Step
from arena.pairing.model import FormatError, Table
from arena.pairing.standings import Lines, by_score, rank


@dataclass(frozen=True)
class RoundRobin(Format):
    """The winner has the most points when everybody has met everybody."""

    rounds: int | None = None
    """None: as many as it takes. More begin again, in duels with the seats exchanged; fewer stop early."""
    least: int = 2
    most: int = 2

    def check(self, count: int) -> None:
        sizes.check_sizes(self.least, self.most)
        if self.rounds is not None and self.rounds < 1:
            raise FormatError("a round robin has at least one round")
        if count < self.least:
            raise FormatError(f"this round robin needs at least {self.least} entrants")

    def length(self, count: int) -> int:
        return self.rounds or natural_rounds(count, self.most)

    def lines(self, field: Field) -> Lines:
        over = sum(not scores.is_extra(played) for played in field.played)
        return read_annulled(field, field.ids, min(over + 1, self._count(field)))

    def _count(self, field: Field) -> int:
        return self.rounds or natural_rounds(len(field.ids), self.most)

    def script(self, field: Field) -> Script:
        count = self._count(field)
        for number in range(1, count + 1):
            tables = tables_of_round(field, field.ids, "R", number, count, self.least, self.most)
            if tables:
                draw = partial(field.round, f"round {number} of {count}", tables, field.ids)
                yield Step(draw, lambda: by_score(rank(self.lines(field))))
        groups = rank(self.lines(field))
        yield from decide_first(field, groups, self.least, self.most)
        return by_score(groups)


def natural_rounds(entrants: int, most: int) -> int:
    """In how many rounds everybody meets everybody; at larger tables, as good as."""
    return len(berger(entrants)) if most == 2 else designs.natural_rounds(entrants, most)


def tables_of_round(
    field: Field, members: Sequence[int], prefix: str, number: int, count: int, least: int, most: int
) -> list[Table]:
    """The tables of one round of the round robin of ``members``.

    Args:
        field: where it is played. Who has left is missing at its tables, which may then be too small to be played.
        members: the favourite first.
        prefix: of the tables' names.
        number: which round, from 1.
        count: how many there are.
        least: the smallest table.
        most: the largest.
    """
    if most == 2:
        cycle, at = divmod(number - 1, natural_rounds(len(members), most))
        turn = -1 if cycle % 2 else 1
        seated = [[members[player - 1] for player in pair[::turn]] for pair in berger(len(members))[at]]
    else:
        planned = designs.schedule(len(members), least, most, count, number - 1)
        seated = [[members[player] for player in table] for table in planned]
    there = [(f"{prefix}{number}.{at}", list(filter(field.is_in, table))) for at, table in enumerate(seated, start=1)]
    playable = [(name, table) for name, table in there if len(table) >= least]
    if most == 2:
        return [Table(name, tuple(table)) for name, table in playable]
    return list(field.tables(playable))


def read_annulled(field: Field, members: Sequence[int], last: int) -> Lines:
    """The rounds of each of ``members``, in which nothing counts against those who left before round ``last``."""
    return scores.read_lines(members, field.played, annulled=field.left_by(last))
