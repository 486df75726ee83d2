"""Knockout: at each table some go on, and the others are out.

The whole way is fixed by the seeding before it begins. A stage has *lines*, 1 for the favourite, and who comes from a
table of the stage before takes a line of it; a line stays empty when somebody leaves or does not show up. Duels have
byes in the first stage only, for the favourites, so that a power of two is left; of larger tables the first ones, which
have the favourites, are smaller by one, and there are byes only where the game cannot be played like that.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import NamedTuple

from arena.pairing import scores, sizes
from arena.pairing.bracket import Part, Stage
from arena.pairing.extra import Tie, play_on
from arena.pairing.format import Field, Format, Script, Step
from arena.pairing.model import FormatError, PlayedError, Round
from arena.pairing.standings import Bucket, Groups, Order, by_value

Lines = list[int | None]
"""Who has each line of a stage, the favourite's first; None where nobody has it."""


class Shape(NamedTuple):
    """How many of the first lines have a bye, and how many tables the others sit at."""

    byes: int
    tables: int
    advance: int
    """How many of each table go on."""


@dataclass(frozen=True)
class SingleElimination(Format):
    """Who is not among the first ``advance`` of a table is out."""

    least: int = 2
    most: int = 2
    advance: int = 1
    """At the final table it is one, of course."""

    def check(self, count: int) -> None:
        check_knockout(count, self.least, self.most, self.advance)

    def length(self, count: int) -> int | None:
        plan = shapes(count, self.least, self.most, self.advance)
        return None if plan is None else len(plan)

    def script(self, field: Field) -> Script:
        return (yield from play_knockout(field, list(field.ids), self.least, self.most, self.advance, []))


def check_knockout(count: int, least: int, most: int, advance: int) -> None:
    """Refuse a knockout that cannot be played.

    Raises:
        FormatError: says why.
    """
    sizes.check_sizes(least, most)
    if not 1 <= advance < most:
        raise FormatError(f"of a table of {most}, 1 to {most - 1} can go on, not {advance}")
    if count < least:
        raise FormatError(f"this knockout needs at least {least} entrants")
    if shapes(count, least, most, advance) is None:
        raise FormatError(
            f"{count} entrants cannot be brought down to one final table of {least} to {most} when {advance} of each "
            "table go on; let the tables have fewer seats, or others go on"
        )


@lru_cache(maxsize=4096)
def shapes(count: int, least: int, most: int, advance: int) -> tuple[Shape, ...] | None:
    """The stages of a knockout of so many lines; None where there is no way to a final table."""
    if count <= most:
        return (Shape(0, 1, 1),) if count >= least else None
    smallest = max(least, advance + 1)
    for byes in _byes(count, smallest, most):
        tables = -(-(count - byes) // most)
        if (count - byes) // tables >= smallest:
            rest = shapes(byes + tables * advance, least, most, advance)
            if rest is not None:
                return (Shape(byes, tables, advance), *rest)
    return None


def _byes(count: int, smallest: int, most: int) -> Sequence[int]:
    if most == 2:
        half = 1 << (count - 1).bit_length() - 1  # the largest power of two below
        return (2 * half - count,)
    return range(count - smallest + 1)


class Ended(NamedTuple):
    """What came of a stage."""

    lines: Lines
    """Of the next one."""
    behind: Groups
    """Who played and did not go on, by place at the table, the better first."""
    gone: list[int]
    """Who had left before, or did not show up."""


def play_knockout(
    field: Field, lines: Lines, least: int, most: int, advance: int, out: list[Bucket]
) -> Generator[Step, None, Order]:
    """A knockout from its first stage to its champion.

    Args:
        field: where it is played.
        lines: of the first stage.
        least: the smallest table.
        most: the largest.
        advance: how many of each table go on.
        out: those who are out already, from the best to the last.
    """
    plan = shapes(len(lines), least, most, advance)
    assert plan is not None
    names = [*(f"stage {number} of {len(plan)}" for number in range(1, len(plan))), "final"]
    stages = plan_stages(field, "knockout", plan, names, len(lines))
    for number, (shape, stage) in enumerate(zip(plan, stages, strict=True), start=1):
        stage.lines = lines
        tables = [[lines[line] for line in table] for table in stage.seats]
        order = partial(standing, lines, out)
        ended = yield from play_stage(field, stage, tables, lines, least, order)
        out[:0] = fallen(ended, number)
        lines = [*lines[: shape.byes], *ended.lines]
    return standing(lines, out)


def plan_stages(field: Field, part: Part, plan: Sequence[Shape], names: Sequence[str], count: int) -> list[Stage]:
    """Note the stages of a bracket of ``count`` lines that is fixed before it is played."""
    stages = []
    for number, (shape, name) in enumerate(zip(plan, names, strict=True), start=1):
        seats = sizes.heats(range(shape.byes, count), shape.tables)
        stages.append(Stage(part, f"{part[0].upper()}{number}", name, shape.byes, seats, shape.advance))
        count = shape.byes + shape.tables * shape.advance
    field.stages += stages
    return stages


def fallen(ended: Ended, stage: int) -> list[Bucket]:
    """The buckets of those who are out since this stage."""
    behind = [Bucket(group, stage, spot) for spot, group in enumerate(ended.behind, start=1)]
    return [*behind, *([Bucket(ended.gone, stage, len(behind) + 1)] if ended.gone else [])]


def standing(lines: Lines, out: Sequence[Bucket], more: Sequence[int] = ()) -> Order:
    """How it stands: who is in stands before who is out."""
    alive = [entrant for entrant in (*lines, *more) if entrant is not None]
    top = max((bucket.stage for bucket in out), default=0) + 1
    return Order((*([Bucket(alive, top)] if alive else ()), *out), frozenset(alive))


def play_stage(
    field: Field,
    stage: Stage,
    tables: Sequence[Sequence[int | None]],
    within: Sequence[int | None],
    least: int,
    order: Callable[[], Order],
    redraw: Callable[[Sequence[Sequence[int]]], Sequence[Sequence[int]]] | None = None,
) -> Generator[Step, None, Ended]:
    """The series of a stage, and the extra series at its tables that need one.

    Args:
        field: where it is played.
        stage: its names, and how many of each table go on. Where no more than that are there, nothing is played. What
            comes of it is noted there.
        tables: who would sit where if nobody had left.
        within: who is in the tournament.
        least: the smallest table; at a smaller one the better seeded go on.
        order: how the tournament stands meanwhile.
        redraw: changes who sits where.
    """
    prefix, advance = stage.prefix, stage.advance
    everybody = [entrant for entrant in within if entrant is not None]
    there = [[one for one in table if one is not None and field.is_in(one)] for table in tables]
    gone = [one for table in tables for one in table if one is not None and not field.is_in(one)]
    ties = {
        number: Tie(f"{prefix}.{number}", [[one] for one in field.ranked(table)], min(advance, len(table)))
        for number, table in enumerate(there, start=1)
    }
    playing = {number: table for number, table in enumerate(there, start=1) if len(table) >= max(least, advance + 1)}
    if playing:
        yield Step(partial(_draw, field, prefix, stage.name, playing, everybody, redraw), order)
        results = {result.table.name: result for result in field.played[-1].results}
        stage.seated = {name: result.table.seats for name, result in results.items()}
        for number in playing:
            result = results.get(f"{prefix}.{number}")
            if result is None:
                raise PlayedError(f"round {field.number - 1} has no table {prefix}.{number}")
            present = scores.showed_up(result)
            gone += field.ranked(set(result.table.seats) - present)
            groups = by_value(list(present), scores.shares(result))
            ties[number] = Tie(f"{prefix}.{number}", groups, min(advance, len(present)))
        extra = f"{stage.name}, extra series"
        yield from play_on(field, extra, list(ties.values()), least, sizes.MOST_SEATS, everybody, order)
    passed = [[one for group in tie.groups for one in field.ranked(group)][: tie.wanted] for tie in ties.values()]
    stage.passed = passed
    lines = [table[place] if place < len(table) else None for place in range(advance) for table in passed]
    behind: dict[int, list[int]] = {}
    for tie in ties.values():
        place = 0
        for group in tie.groups:
            if place >= tie.wanted:
                behind.setdefault(place, []).extend(group)
            place += len(group)
    return Ended(lines, [behind[place] for place in sorted(behind)], gone)


def _draw(
    field: Field,
    prefix: str,
    name: str,
    playing: dict[int, list[int]],
    within: Sequence[int],
    redraw: Callable[[Sequence[Sequence[int]]], Sequence[Sequence[int]]] | None,
) -> Round:
    members = list(playing.values()) if redraw is None else redraw(list(playing.values()))
    named = zip((f"{prefix}.{number}" for number in playing), members, strict=True)
    return field.round(name, field.tables(named), within)
