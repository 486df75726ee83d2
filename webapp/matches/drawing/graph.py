"""What the signature pictures of all games have in common: columns, a climbing line, marks, and the small strip."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeVar

from django.utils.translation import ngettext

from webapp.matches.drawing.svg import Svg, el, picture

T = TypeVar("T")


class Canvas(NamedTuple):
    """The room that a signature picture has."""

    shape: str
    width: float
    margin: float
    """At the left, for the scale; at the right, half a column."""
    most: float
    """The gap between a few columns."""

    def room(self, least: float = 62) -> int:
        """How many columns there is room for."""
        return int((self.width - 2 * self.margin) / least)

    def columns(self, count: int) -> tuple[float, list[float]]:
        """The gap between ``count`` columns, and where each of them stands."""
        gap = (self.width - 2 * self.margin) / max(1, count)
        if count < 5:
            gap = min(gap, self.most)
        start = self.width / 2 - gap * (count - 1) / 2
        return gap, [start + gap * index for index in range(count)]

    def line(self, y: float, class_: str) -> Svg:
        """A line from edge to edge."""
        return el("line", x1=self.margin - 8, x2=self.width - 8, y1=y, y2=y, class_=class_)


CANVASES = {"wide": Canvas("wide", 760, 44, 150), "tall": Canvas("tall", 350, 34, 76)}


def climb(points: Sequence[tuple[float, float]]) -> list[Svg]:
    """A thin line through what was said."""
    if len(points) < 2:
        return []
    return [el("polyline", points=" ".join(f"{x:.1f},{y:.1f}" for x, y in points), class_="climb")]


def mark(x: float, y: float, truth: str | None, size: float = 6.5) -> Svg:
    """What was said: true is a disc, a bluff a diamond, said without looking a square; nobody knows: a ring."""
    if truth is None:
        return el("circle", cx=x, cy=y, r=size - 1, class_="m-open")
    if truth == "true":
        return el("circle", cx=x, cy=y, r=size, class_="m-true")
    if truth == "unseen":
        d = size - 0.5
        return el("rect", x=x - d, y=y - d, width=2 * d, height=2 * d, rx=size / 5, class_="m-unseen")
    d = size + 1.5
    return el("path", d=f"M{x:g} {y - d:g}l{d:g} {d:g}l{-d:g} {d:g}l{-d:g} {-d:g}z", class_="m-bluff")


def cross(x: float, y: float, size: float = 6) -> Svg:
    """Somebody doubted."""
    s = size
    return el("path", d=f"M{x - s:g} {y - s:g}l{2 * s:g} {2 * s:g}m0 {-2 * s:g}l{-2 * s:g} {2 * s:g}", class_="m-end")


# ---- small: a whole match ------------------------------------------------------------------------

MOST_ROUNDS = 12
STRIP_WIDTH, STRIP_HEIGHT = 240.0, 48.0
STRIP_TOP, STRIP_FLOOR = 7.0, 41.0


class Slot(NamedTuple):
    """The place of a round in a strip."""

    left: float
    right: float

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2

    def columns(self, count: int) -> list[float]:
        """Where so many marks stand."""
        if count == 1:
            return [self.middle]
        step = (self.right - self.left - 6) / max(1, count - 1)
        return [self.left + 3 + step * index for index in range(count)]


def slots(rounds: Sequence[T]) -> Iterable[tuple[Slot, T]]:
    """The last rounds of a match, each with its place."""
    last = rounds[-MOST_ROUNDS:]
    width = min(STRIP_WIDTH / max(1, len(last)), 48.0)
    return [(Slot(width * index + 4, width * (index + 1) - 4), one) for index, one in enumerate(last)]


def packed(rounds: Sequence[T], sizes: Sequence[int], least: float = 7.5) -> list[tuple[list[float], T]]:
    """As many of the last rounds as there is room for, each with the places of its marks, all as far apart."""
    units, first = 0, len(rounds)
    while first and units + sizes[first - 1] + 1 <= STRIP_WIDTH / least:
        first -= 1
        units += sizes[first] + 1
    shown = [*sizes[first:]]
    if rounds and not shown:  # a single one is longer than all the room
        first, shown = len(rounds) - 1, [int(STRIP_WIDTH / least) - 1]
    gap = min(STRIP_WIDTH / max(1, sum(shown) + len(shown)), 11.0)
    left, found = gap, []
    for size, one in zip(shown, rounds[first:], strict=True):
        found.append(([left + gap * index for index in range(size)], one))
        left += gap * (size + 1)
    return found


def strip(parts: Sequence[Svg], rounds: int, label: str) -> Svg:
    """The small picture; its name says how many rounds there were, and ``label``. Of nothing there is none."""
    if not parts:
        return Svg()
    counted = ngettext("%(n)d round", "%(n)d rounds", rounds) % {"n": rounds}
    return picture(STRIP_WIDTH, STRIP_HEIGHT, f"{counted}; {label}", parts, "signature strip")
