"""Double elimination: who is thrown out of the upper bracket falls into the lower one, and from there is out.

The lower bracket is drawn anew for each stage: byes go to the better seeded, and those meet who have met least. It
plays once after each stage of the upper bracket, and again while more are in it than will fall next.

The grand final is a duel of the winners of both brackets. The winner of the upper one has not lost yet: if it loses
the grand final, a second one decides.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from functools import partial

from arena.pairing import scores, sizes
from arena.pairing.bracket import Stage
from arena.pairing.format import Field, Format, Script, Step
from arena.pairing.grouping import group
from arena.pairing.knockout import Lines, check_knockout, fallen, plan_stages, play_stage, shapes, standing
from arena.pairing.model import FormatError
from arena.pairing.standings import Bucket


@dataclass(frozen=True)
class DoubleElimination(Format):
    """Who twice is not among the first ``advance`` of a table is out."""

    least: int = 2
    most: int = 2
    advance: int = 1
    """At the last table of each bracket it is one."""

    def check(self, count: int) -> None:
        check_knockout(count, self.least, self.most, self.advance)
        if self.least > 2:
            raise FormatError("double elimination ends with a duel, so that tables of two must be possible")

    def script(self, field: Field) -> Script:
        plan = shapes(len(field.ids), self.least, self.most, self.advance)
        assert plan is not None
        lines: Lines = list(field.ids)
        lower = _Lower(field, self.most, self.advance)
        names = [*(f"upper bracket, stage {number} of {len(plan)}" for number in range(1, len(plan)))]
        stages = plan_stages(field, "upper", plan, [*names, "upper bracket, final"], len(lines))
        grand = Stage("upper", "F1", "grand final", 0, [[0, 1]], 1)
        field.stages.append(grand)
        for number, (shape, stage) in enumerate(zip(plan, stages, strict=True), start=1):
            last = number == len(plan)
            stage.lines = lines
            ended = yield from play_stage(
                field,
                stage,
                [[lines[line] for line in table] for table in stage.seats],
                [*lines, *lower.pool],
                self.least,
                partial(standing, lines, lower.out, tuple(lower.pool)),
            )
            lower.leave(ended.gone)
            lines = [*lines[: shape.byes], *ended.lines]
            following = grand if last else stages[number]
            following.lines = [*lines, None] if last else lines
            lower.pool += [entrant for each in ended.behind for entrant in each]
            # as many fall out of the next stage as have no line in the one after it
            after = 0 if last else plan[number].byes + plan[number].tables * plan[number].advance
            yield from lower.play(lines, 1 if last else max(1, len(lines) - after), last=last)
        return (yield from self._finish(field, grand, lines, lower))

    def _finish(self, field: Field, stage: Stage, lines: Lines, lower: _Lower) -> Script:
        upper = lines[0]
        for number in (1, 2):
            finalists = [upper, *lower.pool]
            if number == 2:
                stage = Stage("upper", "F2", "second grand final", 0, [[0, 1]], 1)
                field.stages.append(stage)
            stage.lines = [*finalists, None][:2]
            order = partial(standing, [upper], lower.out, tuple(lower.pool))
            ended = yield from play_stage(field, stage, [finalists], finalists, self.least, order)
            lost = [entrant for each in ended.behind for entrant in each]
            if number == 2 or upper not in lost:
                break
        lower.add(fallen(ended, lower.level))
        return standing(ended.lines, lower.out)


class _Lower:
    """The lower bracket."""

    def __init__(self, field: Field, most: int, advance: int) -> None:
        self.field = field
        self.most = most
        self.advance = advance
        self.pool: list[int] = []
        """Who is in it."""
        self.out: list[Bucket] = []
        """Who is out, from the best to the last."""
        self.level = 1
        """Rises with every stage after which somebody is out."""
        self.stages = 0

    def add(self, buckets: Sequence[Bucket]) -> None:
        """These are out now."""
        self.out[:0] = buckets
        self.level += 1

    def leave(self, gone: Sequence[int]) -> None:
        """These have left, from whatever bracket."""
        if gone:
            self.add([Bucket(gone, self.level)])

    def play(self, upper: Lines, enough: int, *, last: bool) -> Generator[Step, None, None]:
        """Play once, and then until no more than ``enough`` are left.

        Args:
            upper: who is in the upper bracket.
            enough: so many may stay.
            last: whether nobody falls into it any more.
        """
        once = False
        while True:
            self.leave([entrant for entrant in self.pool if not self.field.is_in(entrant)])
            self.pool = [entrant for entrant in self.field.ranked(self.pool) if self.field.is_in(entrant)]
            if len(self.pool) < 2 or (len(self.pool) <= enough and (once or len(self.pool) <= self.advance)):
                return
            once = True
            yield from self._stage(upper, last=last)

    def _stage(self, upper: Lines, *, last: bool) -> Generator[Step, None, None]:
        count = len(self.pool)
        advance = 1 if last and count <= self.most else min(self.advance, count - 1)
        byes, parts = sizes.split(count, advance + 1, self.most)
        self.stages += 1
        seats = sizes.heats(range(byes, count), len(parts))
        stage = Stage("lower", f"L{self.stages}", f"lower bracket, stage {self.stages}", byes, seats, advance)
        stage.lines = list(self.pool)
        self.field.stages.append(stage)
        ended = yield from play_stage(
            self.field,
            stage,
            [[self.pool[line] for line in table] for table in seats],
            [*upper, *self.pool],
            2,
            partial(standing, upper, self.out, tuple(self.pool)),
            self._redraw,
        )
        self.pool = self.pool[:byes] + [entrant for entrant in ended.lines if entrant is not None]
        self.add(fallen(ended, self.level))

    def _redraw(self, tables: Sequence[Sequence[int]]) -> list[list[int]]:
        """The same tables, changed where those would meet again who need not."""
        seated = [entrant for table in tables for entrant in table]
        met = scores.meetings(self.field.played)
        cost = [[met.get(a, {}).get(b, 0) for b in seated] for a in seated]
        index = {entrant: number for number, entrant in enumerate(seated)}
        found = group(cost, [[index[entrant] for entrant in table] for table in tables], 1, self.field.dice())
        return [[seated[member] for member in table] for table in found]
