"""Groups, each a round robin of its own, and then a knockout of those who were the first in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from arena.pairing import sizes
from arena.pairing.extra import Tie, play_on
from arena.pairing.format import Field, Format, Script, Step
from arena.pairing.knockout import Lines, check_knockout, play_knockout, shapes
from arena.pairing.model import Entrant, FormatError, Played, Row
from arena.pairing.round_robin import natural_rounds, read_annulled, tables_of_round
from arena.pairing.scores import is_extra
from arena.pairing.standings import Bucket, Order, by_score, make_rows, rank


@dataclass(frozen=True)
class Groups(Format):
    """The best of each group play a knockout."""

    size: int = 4
    """A group has at most so many, and the groups differ by at most one."""
    qualify: int = 2
    """How many of each group go on."""
    rounds: int | None = None
    """Of each group; None: until everybody has met everybody."""
    least: int = 2
    most: int = 2
    advance: int = 1
    """How many of each table of the knockout go on."""

    def check(self, count: int) -> None:
        sizes.check_sizes(self.least, self.most)
        if self.size < self.least or self.qualify < 1 or (self.rounds is not None and self.rounds < 1):
            raise FormatError("a group has enough members for a table, at least one round, and at least one goes on")
        if count < self.least:
            raise FormatError(f"this tournament needs at least {self.least} entrants")
        smallest = sizes.even(count, self._groups(count))[0]
        if smallest < max(self.least, self.qualify + 1):
            raise FormatError(f"a group would have {smallest} members, which is too few for {self.qualify} to go on")
        check_knockout(self._groups(count) * self.qualify, self.least, self.most, self.advance)

    def length(self, count: int) -> int | None:
        largest = sizes.even(count, self._groups(count))[-1]
        plan = shapes(self._groups(count) * self.qualify, self.least, self.most, self.advance)
        return None if plan is None else (self.rounds or natural_rounds(largest, self.most)) + len(plan)

    def groups(self, entrants: Sequence[Entrant], played: Sequence[Played]) -> tuple[tuple[Row, ...], ...]:
        field, _ = self._run(entrants, played, "")
        members = sizes.heats(field.ids, self._groups(len(field.ids)))
        count = self.rounds or max(natural_rounds(len(group), self.most) for group in members)
        over = sum(not is_extra(played) for played in field.played)
        # a knockout that follows says nothing of how the groups stand
        field.played = field.played[: next((at for at, one in enumerate(field.played) if _is_knockout(one)), None)]
        rows = []
        for group in members:
            lines = read_annulled(field, group, min(over + 1, count))
            own = [one for one in field.entrants if one.id in lines]
            rows.append(make_rows(own, by_score(rank(lines)), lines, {}, field.number))
        return tuple(rows)

    def _groups(self, count: int) -> int:
        return -(-count // self.size)

    def script(self, field: Field) -> Script:
        groups = sizes.heats(field.ids, self._groups(len(field.ids)))
        natural = max(natural_rounds(len(members), self.most) for members in groups)
        count = self.rounds or natural
        for number in range(1, count + 1):
            tables = [
                table
                for at, members in enumerate(groups)
                if number <= (self.rounds or natural_rounds(len(members), self.most))
                for table in tables_of_round(field, members, f"G{letter(at)}", number, count, self.least, self.most)
            ]
            if tables:
                draw = partial(field.round, f"groups, round {number} of {count}", tables, field.ids)
                yield Step(draw, partial(self._order, field, groups, count))
        ties = [
            Tie(f"G{letter(at)}", self._ranked(field, members, count), self.qualify)
            for at, members in enumerate(groups)
        ]
        order = partial(self._order, field, groups, count)
        yield from play_on(field, "groups, extra series", ties, self.least, self.most, field.ids, order)
        ranked = [[one for part in tie.groups for one in field.ranked(part)] for tie in ties]
        lines = self._lines(ranked)
        third: dict[int, list[int]] = {}
        for members in ranked:
            for place, entrant in enumerate(members):
                if entrant not in lines:
                    third.setdefault(place, []).append(entrant)
        out = [Bucket(third[place], 0, place) for place in sorted(third)]
        return (yield from play_knockout(field, lines, self.least, self.most, self.advance, out))

    def _order(self, field: Field, groups: Sequence[Sequence[int]], count: int) -> Order:
        """How the groups stand: the first of all of them, then the second of all, and so on."""
        places: dict[int, list[int]] = {}
        for members in groups:
            place = 0
            for part in self._ranked(field, members, count):
                places.setdefault(place, []).extend(part)
                place += len(part)
        return Order(tuple(Bucket(places[place], 0, place) for place in sorted(places)))

    def _ranked(self, field: Field, members: Sequence[int], count: int) -> list[list[int]]:
        over = sum(not is_extra(played) for played in field.played)
        return rank(read_annulled(field, members, min(over + 1, count)))

    def _lines(self, ranked: Sequence[Sequence[int]]) -> Lines:
        """The lines of the knockout: the first of all groups, then the second of all, and so on.

        The second ones are moved on by so many groups that as few as possible meet again at once; and the third ones.
        """
        count = len(ranked) * self.qualify
        plan = shapes(count, self.least, self.most, self.advance)
        assert plan is not None
        tables = sizes.heats(range(plan[0].byes, count), plan[0].tables)
        group = {entrant: at for at, members in enumerate(ranked) for entrant in members}
        lines: Lines = []

        def again(lines: Lines) -> int:
            met = [[lines[line] for line in table if line < len(lines)] for table in tables]
            return sum(len(table) - len({group[one] for one in table if one is not None}) for table in met)

        for place in range(self.qualify):
            row = [members[place] for members in ranked]
            turned = ([*lines, *row[turn:], *row[:turn]] for turn in range(len(row)))
            lines = min(turned, key=again)
        return lines


def _is_knockout(played: Played) -> bool:
    return any(result.table.name.startswith("K") for result in played.results)


def letter(number: int) -> str:
    """The name of a group: A, B, …, Z, AA, AB, …"""
    return chr(ord("A") + number) if number < 26 else letter(number // 26 - 1) + letter(number % 26)
