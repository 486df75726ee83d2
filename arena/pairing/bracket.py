"""Brackets, so that they can be drawn: which tables there are, who sits there, and from which table they came.

Nothing is decided here. A knockout notes its stages while its script runs, those that are still to come as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

Part = Literal["knockout", "upper", "lower"]


class Box(NamedTuple):
    """A table of a bracket, or a bye."""

    name: str
    """Of the table; empty for a bye."""
    entrants: tuple[int | None, ...]
    """None: not known yet, or nobody."""
    sources: tuple[int | None, ...]
    """For each of them the box of the column before where they come from; None: they come from elsewhere."""
    passed: frozenset[int]
    """Who goes on."""
    over: bool


class Column(NamedTuple):
    """A stage."""

    stage: str
    """In words, like `Round.stage`."""
    boxes: tuple[Box, ...]


class Bracket(NamedTuple):
    """A knockout, or one half of a double elimination. The grand finals are columns of the upper half."""

    part: Part
    columns: tuple[Column, ...]


@dataclass
class Stage:
    """What a script notes of a stage."""

    part: Part
    prefix: str
    """Of the names of its tables."""
    name: str
    byes: int
    """How many of the first lines have one."""
    seats: Sequence[Sequence[int]]
    """The lines at each table."""
    advance: int
    lines: Sequence[int | None] | None = None
    """Who has each line; None: it has not begun."""
    seated: Mapping[str, Sequence[int]] | None = None
    """Who sat at each table that was played, where that is over."""
    passed: Sequence[Sequence[int]] | None = None
    """Who went on from each table, when it is over."""


def read_brackets(stages: Sequence[Stage], drawn: Mapping[str, Sequence[int]]) -> tuple[Bracket, ...]:
    """The brackets of these stages.

    Args:
        stages: in the order in which they are played.
        drawn: who sits at the tables that are being played, by their names.
    """
    parts: list[Part] = ["knockout", "upper", "lower"]
    found = []
    for part in parts:
        columns: list[Column] = []
        before: Stage | None = None
        for stage in stages:
            if stage.part == part:
                columns.append(_column(stage, before, columns[-1].boxes if columns else (), drawn))
                before = stage
        if columns:
            found.append(Bracket(part, tuple(columns)))
    return tuple(found)


def _column(stage: Stage, before: Stage | None, boxes: Sequence[Box], drawn: Mapping[str, Sequence[int]]) -> Column:
    lines = stage.lines if stage.lines is not None else [None] * (stage.byes + sum(map(len, stage.seats)))
    again = before is not None and before.prefix == "F1"  # both play the second grand final, whoever won the first
    where = {one: at for at, box in enumerate(boxes) for one in (box.entrants if again else box.passed)}
    made = []
    for number, seats in enumerate(stage.seats, start=1):
        name = f"{stage.prefix}.{number}"
        planned = [lines[line] for line in seats]
        actual = (stage.seated or {}).get(name) or drawn.get(name)
        # a table may have been changed since it was planned, where those would have met again who need not
        entrants = planned if actual is None or set(actual) <= set(planned) else list(actual)
        by_line = [_source(before, line) for line in seats]
        sources = [by_line[at] if entrant is None else where.get(entrant) for at, entrant in enumerate(entrants)]
        passed = frozenset(stage.passed[number - 1]) if stage.passed is not None else frozenset()
        made.append(Box(name, tuple(entrants), tuple(sources), passed, stage.passed is not None))
    for line in range(stage.byes):
        entrant = lines[line]
        source = where.get(entrant) if entrant is not None else _source(before, line)
        made.append(Box("", (entrant,), (source,), frozenset(filter(None, [entrant])), stage.passed is not None))
    return Column(stage.name, tuple(made))


def _source(before: Stage | None, line: int) -> int | None:
    """The box of the stage before from which somebody takes this line."""
    if before is None:
        return None
    tables = len(before.seats)
    if line < before.byes:
        return tables + line
    place, table = divmod(line - before.byes, tables)
    return table if place < before.advance else None
