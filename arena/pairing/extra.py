"""Ties that must be decided: the tied play extra series, until they are level no more.

Who is tied is spread over tables of equal strength, and ranked by the points of these. Where so many cannot be seated,
the favourites among them have a bye, which counts as a win. When three extra series in a row have decided nothing,
as it happens between bots that always do the same, the better seeded goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from functools import partial

from arena.pairing import scores, sizes
from arena.pairing.format import Field, Step
from arena.pairing.model import Round
from arena.pairing.standings import Groups, Order, by_score, by_value

PATIENCE = 3
"""So many extra series in a row may decide nothing."""


class Tie:
    """Who of some entrants is among the first ``wanted``."""

    def __init__(self, name: str, groups: Groups, wanted: int) -> None:
        self.name = name
        self.groups = groups
        """The order so far, the best first; who is in one list is level."""
        self.wanted = wanted
        self.vain = 0
        """Extra series in a row that decided nothing."""

    @property
    def open(self) -> int | None:
        """Which group the cut goes through; None: it is decided."""
        above = 0
        for at, group in enumerate(self.groups):
            if above < self.wanted < above + len(group):
                return at
            above += len(group)
        return None

    def replace(self, at: int, parts: Groups) -> None:
        """Put the parts of a group in its place."""
        self.vain = self.vain + 1 if len(parts) == 1 else 0
        self.groups[at : at + 1] = parts


def play_on(
    field: Field,
    stage: str,
    ties: Sequence[Tie],
    least: int,
    most: int,
    within: Sequence[int],
    order: Callable[[], Order],
) -> Generator[Step, None, None]:
    """Decide all of these ties at the same time.

    Args:
        field: where it is played.
        stage: what it is called.
        ties: they are decided in place.
        least: the smallest table that can be played.
        most: the largest.
        within: who is still in, and has a bye.
        order: how the tournament stands meanwhile.
    """
    number = 0
    while True:
        for tie in ties:
            _settle(field, tie, least)
        playing = [(tie, at) for tie in ties if (at := tie.open) is not None]
        if not playing:
            return
        number += 1
        seated = {id(tie): _seat(field, tie.groups[at], least, most) for tie, at in playing}
        named = [
            (f"{tie.name}+{number}" + (f".{table}" if len(seated[id(tie)]) > 1 else ""), members)
            for tie, _ in playing
            for table, members in enumerate(seated[id(tie)], start=1)
        ]
        yield Step(partial(_draw, field, stage, named, within), order)
        got = {
            entrant: own
            for result in field.played[-1].results
            for entrant, own in scores.shares(result).items()
            if entrant in scores.showed_up(result)
        }
        absent = {entrant for result in field.played[-1].results for entrant in result.table.seats} - set(got)
        for tie, at in playing:
            group = tie.groups[at]
            tie.replace(
                at, by_value(group, {one: -scores.ONE if one in absent else got.get(one, scores.ONE) for one in group})
            )


def decide_first(field: Field, groups: Groups, least: int, most: int) -> Generator[Step, None, None]:
    """Decide who is the first, where all tie-breaks leave that open. Changes ``groups``.

    Who has been disqualified by now has no place, and plays for none.
    """
    excluded = {entrant.id for entrant in field.entrants if entrant.disqualified and not field.is_in(entrant.id)}
    stay = [[one for one in group if one not in excluded] for group in groups]
    rest = [[one for one in group if one in excluded] for group in groups]
    groups[:] = filter(None, stay + rest)
    stage = "extra series for the first place"
    yield from play_on(field, stage, [Tie("first", groups, 1)], least, most, (), lambda: by_score(groups))


def _draw(field: Field, stage: str, named: Sequence[tuple[str, Sequence[int]]], within: Sequence[int]) -> Round:
    return field.round(stage, field.tables(named, extra=True), within)


def _settle(field: Field, tie: Tie, least: int) -> None:
    """Put who has left behind the others; and where the tied cannot play, or did so in vain, look at the seeding."""
    while (at := tie.open) is not None:
        group = tie.groups[at]
        there = [entrant for entrant in group if field.is_in(entrant)]
        if 0 < len(there) < len(group):
            tie.replace(at, [there, [entrant for entrant in group if entrant not in there]])
        elif len(there) < least or tie.vain >= PATIENCE:
            tie.replace(at, [[entrant] for entrant in field.ranked(group)])
        else:
            return


def _seat(field: Field, group: Sequence[int], least: int, most: int) -> list[list[int]]:
    byes, parts = sizes.split(len(group), least, most)
    return sizes.heats(field.ranked(group)[byes:], len(parts))
