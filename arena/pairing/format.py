"""What all forms of a tournament share: how they are asked, and how one is written down.

A form is written as a script: a generator that yields a `Step` for each round, and goes on when the round is over.
That reads like the rules, and there is no state to keep: whoever asks what comes next has it run from the start
through the rounds that are over. A step makes its draw only when it is asked to, so that this costs little.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from random import Random
from typing import NamedTuple

from arena.pairing import scores, standings
from arena.pairing.bracket import Bracket, Stage, read_brackets
from arena.pairing.model import Entrant, Finished, FormatError, Played, PlayedError, Result, Round, Row, Table
from arena.pairing.seats import balanced_seats
from arena.pairing.standings import Lines, Order


class Step(NamedTuple):
    """A round that is to be played, in the making."""

    draw: Callable[[], Round]
    order: Callable[[], Order]
    """How it stands before this round."""


Script = Generator[Step, None, Order]
"""The rounds of a tournament one after the other. Ends with the order in which it ends."""


class Field:
    """The entrants, and the rounds that are over so far. The latter grow while a script runs."""

    def __init__(self, entrants: Iterable[Entrant], seed: str) -> None:
        self.entrants = sorted(entrants, key=lambda entrant: (entrant.rank, entrant.id))
        self.ids = [entrant.id for entrant in self.entrants]
        """The favourite first."""
        self.rank = {entrant: place for place, entrant in enumerate(self.ids)}
        self.played: list[Played] = []
        self.stages: list[Stage] = []
        """Of brackets, as far as they are fixed."""
        self._by_id = {entrant.id: entrant for entrant in self.entrants}
        self._seed = seed

    @property
    def number(self) -> int:
        """Of the next round."""
        return len(self.played) + 1

    def ranked(self, entrants: Iterable[int]) -> list[int]:
        """These entrants, the favourite first."""
        return sorted(entrants, key=self.rank.__getitem__)

    def is_in(self, entrant: int) -> bool:
        """Whether it can be drawn for the next round."""
        who = self._by_id[entrant]
        return who.since <= self.number and (who.until is None or self.number < who.until)

    def left_by(self, number: int) -> set[int]:
        """Who left before the round of this number was drawn."""
        return {entrant.id for entrant in self.entrants if entrant.until is not None and entrant.until <= number}

    def dice(self) -> Random:
        """What is left to chance in the next round, a new generator for each call."""
        return Random(f"{self._seed}/{self.number}")  # noqa: S311  # the draw is public, and has to be repeatable

    def tables(self, named: Iterable[tuple[str, Sequence[int]]], *, extra: bool = False) -> tuple[Table, ...]:
        """Tables of these names and members, who sit where they have sat least."""
        sat, dice = scores.seats_sat(self.played), self.dice()
        return tuple(Table(name, balanced_seats(members, sat, dice), extra) for name, members in named)

    def round(self, stage: str, tables: Iterable[Table], within: Iterable[int]) -> Round:
        """The next round, in which those of ``within`` who sit at no table have a bye."""
        tables = tuple(tables)
        seated = {entrant for table in tables for entrant in table.seats}
        byes = tuple(self.ranked(entrant for entrant in within if entrant not in seated and self.is_in(entrant)))
        return Round(self.number, stage, tables, byes)


class Format(ABC):
    """A form of tournament, with everything about it that does not depend on who takes part."""

    least: int
    """The smallest table that can be played."""
    most: int
    """The largest, for which the draw aims."""

    def next_round(self, entrants: Sequence[Entrant], played: Sequence[Played], seed: str) -> Round | Finished:
        """What is to be played now.

        The same arguments give the same answer, whatever the order of the entrants is.

        Args:
            entrants: all of them, also those who have left.
            played: the rounds that are over, from the first.
            seed: of the draw, any text; it may be public.

        Raises:
            FormatError: it cannot be played like that.
            PlayedError: these rounds are none of this tournament.
        """
        field, step = self._run(entrants, played, seed)
        if isinstance(step, Step):
            return step.draw()
        rows = self._rows(field, step)
        won = bool(rows) and rows[0].place == 1 and (step.alive is None or bool(step.alive))
        return Finished(rows[0].entrant if won else None, rows)

    def standings(self, entrants: Sequence[Entrant], played: Sequence[Played]) -> tuple[Row, ...]:
        """How it stands after these rounds.

        Raises:
            FormatError, PlayedError: as `next_round`.
        """
        field, step = self._run(entrants, played, "")
        return self._rows(field, step.order() if isinstance(step, Step) else step)

    def brackets(
        self, entrants: Sequence[Entrant], played: Sequence[Played], drawn: Mapping[str, Sequence[int]]
    ) -> tuple[Bracket, ...]:
        """The brackets after these rounds, for a drawing; none where there is no knockout, or not yet.

        Args:
            entrants: all of them.
            played: the rounds that are over.
            drawn: who sits at the tables that are being played, by their names.

        Raises:
            FormatError, PlayedError: as `next_round`.
        """
        field, _ = self._run(entrants, played, "")
        return read_brackets(field.stages, drawn)

    def groups(self, entrants: Sequence[Entrant], played: Sequence[Played]) -> tuple[tuple[Row, ...], ...]:
        """How each group stands; none where there are no groups.

        Raises:
            FormatError, PlayedError: as `next_round`.
        """
        return ()

    def length(self, count: int) -> int | None:
        """How many rounds so many entrants take, without extra series; None where that depends on the play."""
        return None

    @abstractmethod
    def check(self, count: int) -> None:
        """Refuse a tournament of so many entrants, if it cannot be played.

        Raises:
            FormatError: says why.
        """

    @abstractmethod
    def script(self, field: Field) -> Script:
        """The tournament."""

    def lines(self, field: Field) -> Lines:
        """The rounds of each entrant."""
        return scores.read_lines(field.ids, field.played)

    takes_late_entries = False
    """Whether an entrant may come after the first round."""

    def _run(self, entrants: Sequence[Entrant], played: Sequence[Played], seed: str) -> tuple[Field, Step | Order]:
        field = Field(entrants, seed)
        self._check_entrants(field)
        script = self.script(field)
        try:
            step = next(script)
            for number, over in enumerate(played, start=1):
                _check_played(number, over, field)
                field.played.append(over)
                step = next(script)
        except StopIteration as ended:
            if len(field.played) < len(played):
                raise PlayedError(f"this tournament was over after {len(field.played)} rounds") from None
            order: Order = ended.value
            return field, order
        return field, step

    def _check_entrants(self, field: Field) -> None:
        if len(field.rank) < len(field.ids):
            raise FormatError("two entrants have the same id")
        late = [entrant for entrant in field.entrants if entrant.since > 1]
        if late and not self.takes_late_entries:
            raise FormatError("nobody can enter this tournament after its first round")
        self.check(len(field.ids) - len(late))

    def _rows(self, field: Field, order: Order) -> tuple[Row, ...]:
        extra = scores.extra_points(field.played)
        return standings.make_rows(field.entrants, order, self.lines(field), extra, field.number)


def _check_played(number: int, over: Played, field: Field) -> None:
    seated = [entrant for result in over.results for entrant in result.table.seats]
    names = [result.table.name for result in over.results]
    if not set(seated) | set(over.byes) <= set(field.ids):
        raise PlayedError(f"round {number}: somebody played who is no entrant")
    if len(set(seated) | set(over.byes)) < len(seated) + len(over.byes):
        raise PlayedError(f"round {number}: somebody sat at two tables")
    if not names or len(set(names)) < len(names):
        raise PlayedError(f"round {number}: there are no tables, or two of one name")
    for result in over.results:
        _check_result(number, result)


def _check_result(number: int, result: Result) -> None:
    for places in result.matches:
        if len(places) != len(result.table.seats) or any(place is not None and place < 1 for place in places):
            raise PlayedError(f"round {number}, table {result.table.name}: each seat has a place from 1, or None")
