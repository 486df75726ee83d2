"""The bracket of a tournament as it is drawn on the server: a picture for each stage, side by side.

Each stage is a picture of its own and all have the same height, so that on a phone they can be moved past one after
the other. The lines to the next stage stand at the right of each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from django.urls import reverse
from django.utils.translation import gettext as _

from arena.pairing import FormatError
from arena.pairing.bracket import Box, Bracket, Column, Part
from webapp.matches.drawing.svg import Svg, el, short, words
from webapp.pages.stored import stored
from webapp.tournaments import facts
from webapp.tournaments.models import Round
from webapp.tournaments.selectors import RoundRow, Whole

ROW = 26.0
BOX = 168.0
GUTTER = 28.0
GAP = 16.0
EDGE = 1.5
"""Room for the line around a box."""


class Stage(NamedTuple):
    """A column of a bracket."""

    title: str
    picture: Svg
    playing: bool


class Drawn(NamedTuple):
    """A bracket, drawn."""

    part: Part
    title: str
    stages: tuple[Stage, ...]


class Sat(NamedTuple):
    """What is known of a table: where its series is, and what each got there."""

    series: int
    seats: Sequence[int]
    points: Mapping[int, str]
    playing: bool


class Facts(NamedTuple):
    """What the boxes are filled in with."""

    names: Mapping[int, str]
    tables: Mapping[str, Sat]
    champion: int | None


def brackets_of(*, whole: Whole, rounds: Sequence[RoundRow]) -> list[Drawn]:
    """The brackets of a tournament, drawn; none where it has none, or not yet. No query."""
    tournament = whole.tournament
    if not tournament.begun:
        return []
    tables = {
        table.pairing.name: Sat(
            table.pairing.series_id,
            table.pairing.seats,
            {seat.entrant.pk: seat.points for seat in table.seats},
            row.round.state == Round.State.PLAYING,
        )
        for row in rounds
        for table in row.tables
    }
    drawn = {name: sat.seats for name, sat in tables.items() if sat.playing}
    entrants = facts.paired(whole.entrants.values())
    try:
        found = facts.form_of(tournament).brackets(entrants, facts.played_in(whole.rounds), drawn)
    except FormatError:
        return []
    names = {pk: one.bot.name for pk, one in whole.entrants.items()}
    known = Facts(names, tables, tournament.champion_id)
    titles = {"knockout": _("Knockout"), "upper": _("Upper bracket"), "lower": _("Lower bracket")}
    return [Drawn(one.part, titles[one.part], draw(one, known)) for one in found]


def draw(bracket: Bracket, known: Facts) -> tuple[Stage, ...]:
    """A picture for each column."""
    tops = place(bracket)
    bottom = max(
        top + _height(box)
        for column, own in zip(bracket.columns, tops, strict=True)
        for box, top in zip(column.boxes, own, strict=True)
    )
    made = []
    for at, column in enumerate(bracket.columns):
        parts: list[Svg] = []
        if at + 1 < len(bracket.columns):
            parts += _lines(column, tops[at], bracket.columns[at + 1], tops[at + 1], known)
        parts += [_box(box, top, known) for box, top in zip(column.boxes, tops[at], strict=True)]
        title = stored(column.stage.removeprefix(f"{bracket.part} bracket, "))
        playing = any(sat.playing for box in column.boxes if (sat := known.tables.get(box.name)) is not None)
        width = BOX + GUTTER if at + 1 < len(bracket.columns) else BOX
        size = f"0 0 {width:g} {bottom + EDGE:g}"
        picture = el("svg", *parts, viewBox=size, width=width, height=bottom + EDGE, role="group", aria_label=title)
        made.append(Stage(title, picture, playing))
    return tuple(made)


# ---- where the boxes stand ----------------------------------------------------------------------------


def place(bracket: Bracket) -> list[list[float]]:
    """The upper edge of each box of each column: beside the boxes that it is filled from, and never over another."""
    tops: list[list[float]] = []
    for at, (column, order) in enumerate(zip(bracket.columns, _orders(bracket), strict=True)):
        own = [0.0] * len(column.boxes)
        free = EDGE
        for number in order:
            box = column.boxes[number]
            height = _height(box)
            from_ = [
                tops[at - 1][source] + _height(bracket.columns[at - 1].boxes[source]) / 2
                for source in set(box.sources)
                if source is not None
            ]
            wanted = sum(from_) / len(from_) - height / 2 if from_ else free
            own[number] = max(free, wanted)
            free = own[number] + height + GAP
        tops.append(own)
    return tops


def _orders(bracket: Bracket) -> list[list[int]]:
    """From the top to the bottom, so that the lines of a knockout of duels do not cross."""
    orders: list[list[int]] = [[] for _column in bracket.columns]
    seen: set[tuple[int, int]] = set()

    def visit(column: int, number: int) -> None:
        if (column, number) in seen:
            return
        seen.add((column, number))
        for source in bracket.columns[column].boxes[number].sources:
            if source is not None:
                visit(column - 1, source)
        orders[column].append(number)

    for column in reversed(range(len(bracket.columns))):
        for number in range(len(bracket.columns[column].boxes)):
            visit(column, number)
    return orders


def _height(box: Box) -> float:
    return ROW * max(1, len(box.entrants))


# ---- what stands in them ------------------------------------------------------------------------------


def _box(box: Box, top: float, known: Facts) -> Svg:
    sat = known.tables.get(box.name)
    height = _height(box)
    kind = "cup-bye" if not box.name else "cup-box cup-now" if sat is not None and sat.playing else "cup-box"
    parts = [el("rect", x=EDGE, y=top, width=BOX - 2 * EDGE, height=height, rx=4, class_=kind)]
    parts += [
        el("line", x1=EDGE, x2=BOX - EDGE, y1=top + ROW * row, y2=top + ROW * row, class_="cup-rule")
        for row in range(1, len(box.entrants))
    ]
    for row, entrant in enumerate(box.entrants):
        parts += _entrant(box, entrant, top + ROW * row + 18, known, sat)
    if sat is None:
        return el("g", *parts)
    names = ", ".join(known.names[one] for one in box.entrants if one is not None)
    label = _("Table %(table)s: %(bots)s") % {"table": box.name, "bots": names}
    return el("a", el("title", label), *parts, href=reverse("series", args=[sat.series]))


def _entrant(box: Box, entrant: int | None, y: float, known: Facts, sat: Sat | None) -> list[Svg]:
    if entrant is None:
        return [words(12, y, "–", "cup-out", "start")] if box.over else []
    won = entrant in box.passed
    class_ = "cup-won" if won and box.name else "cup-out" if box.over and not won else "cup-name"
    points = "" if sat is None else sat.points.get(entrant, "")
    said = _("bye") if not box.name else points
    room = BOX - 26 - 9 * len(said)
    made = [words(12, y, short(known.names[entrant], room, 15.5), class_, "start")]
    if said:
        made.append(words(BOX - 12, y, said, class_ if box.name else "cup-out", "end"))
    return made


def _lines(
    column: Column, tops: Sequence[float], following: Column, their_tops: Sequence[float], known: Facts
) -> list[Svg]:
    plain: list[Svg] = []
    won: list[Svg] = []
    middle = BOX + GUTTER / 2
    for box, top in zip(following.boxes, their_tops, strict=True):
        for row, (entrant, source) in enumerate(zip(box.entrants, box.sources, strict=True)):
            if source is None:
                continue
            start = tops[source] + _height(column.boxes[source]) / 2
            end = top + ROW * row + ROW / 2
            if entrant is not None and entrant in column.boxes[source].entrants:
                start = tops[source] + ROW * column.boxes[source].entrants.index(entrant) + ROW / 2
            champion = entrant is not None and entrant == known.champion
            path = f"M{BOX - EDGE:g} {start:g}H{middle:g}V{end:g}H{BOX + GUTTER + EDGE:g}"
            line = el("path", d=path, class_="cup-way cup-way-won" if champion else "cup-way")
            (won if champion else plain).append(line)
    return plain + won
