"""How long each decision took, in one picture: a row a seat, a bar a decision, along the steps of the match."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.record import FaultStep, MovesStep, Step
from arena.rules import OMNISCIENT, Viewer
from arena.table import Limits
from webapp.matches.drawing import svg
from webapp.matches.drawing.svg import Svg, el, short, words
from webapp.matches.limits import Allowed, allowed


class Frame(NamedTuple):
    """The room for the picture."""

    shape: str
    width: float
    left: float
    """For the names; where they stand above the bars, there is no room for them."""
    right: float
    row: float
    bars: float
    """The highest bar."""


FRAMES = (Frame("wide", 760, 104, 12, 30, 22), Frame("tall", 350, 10, 10, 46, 24))
TOP, FOOT = 6.0, 22.0
LEAST_MS = 0.1
"""What is shorter looks the same: nobody can be told apart by that."""


class Spent(NamedTuple):
    """How long a seat thought about a decision; None where it did not answer as it should."""

    step: int
    seat: int
    ms: float | None
    allowed: Allowed | None = None
    """How long it might have; None where that is not known."""

    @property
    def kind(self) -> str:
        """``near`` its limit, or out of the ``bank``; else empty."""
        return self.allowed.kind(self.ms) if self.allowed is not None and self.ms is not None else ""


def spent(steps: Sequence[Step], viewer: Viewer, at: int, *, ahead: bool, limits: Limits | None = None) -> list[Spent]:
    """What ``viewer`` may know at step ``at`` of thinking times.

    How long the others think can tell what they hide. So a seat knows its own times until the match is over, and the
    public none; that a seat was at fault everybody saw.
    """
    last = len(steps)
    might = allowed(steps, limits) if limits is not None else {}
    found = []
    for step, one in enumerate(steps[: last if ahead else at], 1):
        if isinstance(one, FaultStep):
            found.append(Spent(step, one.seat, None))
        elif isinstance(one, MovesStep):
            times = sorted((one.ms or {}).items())
            known = [(seat, ms) for seat, ms in times if is_known(seat, viewer, over=at == last)]
            found += [Spent(step, seat, ms, might.get((step, seat))) for seat, ms in known]
    return found


def is_known(seat: int, viewer: Viewer, *, over: bool) -> bool:
    """Whether ``viewer`` may know how long this seat thought."""
    return over or viewer == OMNISCIENT or seat == viewer.seat


class Scale(NamedTuple):
    """Logarithmic: from a tenth of a millisecond to the next power of ten above the longest."""

    most: float

    def height(self, ms: float) -> float:
        """How high a bar is, out of 1."""
        reach = math.log10(self.most / LEAST_MS)
        return max(0.06, min(1.0, math.log10(max(ms, LEAST_MS) / LEAST_MS) / reach))


class Clocks(NamedTuple):
    """The thinking times of a match, as far as they may be known."""

    pictures: tuple[Svg, ...] = ()
    """None where no time was measured, or none is known yet."""
    key: tuple[tuple[str, str], ...] = ()
    """The kinds of marks in them, and what they mean."""
    near: tuple[str, ...] = ()
    """The decisions that came near their limit, in words."""


MOST_NEAR = 6
"""So many are told in words; the others are counted."""


def clocks(
    steps: Sequence[Step], names: Sequence[str], viewer: Viewer, at: int, *, ahead: bool, limits: Limits | None = None
) -> Clocks:
    """The thinking times as ``viewer`` may see them at step ``at``."""
    found = spent(steps, viewer, at, ahead=ahead, limits=limits)
    if all(one.ms is None for one in found):
        return Clocks()
    near = [one for one in found if one.kind == "near"]
    lines = [_("step %(step)d: %(what)s") % {"step": one.step, "what": _words(one, names)} for one in near[:MOST_NEAR]]
    if len(near) > MOST_NEAR:
        more = len(near) - MOST_NEAR
        lines.append(ngettext("and %(n)d more", "and %(n)d more", more) % {"n": more})
    there = {one.kind for one in found}
    words_of = (("near", _("near the limit")), ("bank", _("longer than a move, out of the bank")))
    return Clocks(
        tuple(_picture(frame, found, names, at, max(1, len(steps))) for frame in FRAMES),
        tuple((kind, meaning) for kind, meaning in words_of if kind in there),
        tuple(lines),
    )


def _words(one: Spent, names: Sequence[str]) -> str:
    """Whose decision took how long; and of how much, where it came near that."""
    told = {"name": names[one.seat], "ms": number_format(one.ms or 0, 1)}
    if one.allowed is None or not one.kind:
        return _("%(name)s: %(ms)s ms") % told
    told["move"] = number_format(one.allowed.move, 0)
    if (one.ms or 0) <= one.allowed.move:
        return _("%(name)s: %(ms)s of %(move)s ms") % told
    told["bank"] = number_format(one.allowed.bank, 0)
    return _("%(name)s: %(ms)s of %(move)s ms, and the bank had %(bank)s ms left") % told


def _picture(frame: Frame, found: Sequence[Spent], names: Sequence[str], at: int, last: int) -> Svg:
    slowest = max(found, key=lambda one: one.ms or 0)
    scale = Scale(10 ** math.ceil(math.log10(max(slowest.ms or 0, 1.0) * 1.001)))
    rows = sorted({one.seat for one in found})
    floors = {seat: TOP + frame.row * (row + 1) - 3 for row, seat in enumerate(rows)}
    bottom = TOP + frame.row * len(rows)
    room = frame.width - frame.left - frame.right
    bar = max(1.2, min(8.0, room / last * 0.62))

    def across(step: int) -> float:
        return frame.left + room * step / last

    parts = [el("line", x1=across(at), x2=across(at), y1=TOP - 4, y2=bottom + 2, class_="c-now")]
    for seat, floor in floors.items():
        parts.append(el("line", x1=frame.left - 6, x2=frame.width - 6, y1=floor, y2=floor, class_="grid"))
        name = (
            words(frame.left - 14, floor - 5, short(names[seat], frame.left - 16, 14), "x-name", "end")
            if frame.shape == "wide"
            else words(frame.left - 6, floor - frame.bars - 5, short(names[seat], room, 14), "x-name", "start")
        )
        parts.append(el("g", el("title", names[seat]), name))
    for one in found:
        x, floor = across(one.step), floors[one.seat]
        if one.ms is None:
            title = el("title", _("%(name)s: fault") % {"name": names[one.seat]})
            cross = el("path", d=f"M{x - 4:.1f} {floor - 13:.1f}l8 8m0 -8l-8 8", class_="c-fault")
            parts.append(el("g", title, cross))
            continue
        high = frame.bars * scale.height(one.ms)
        kind = "c-bar c-here" if one.step == at else "c-bar"
        drawn = [el("rect", x=x - bar / 2, y=floor - high, width=bar, height=high, class_=kind)]
        if one.kind == "near":
            drawn.append(el("path", d=f"M{x - 4:.1f} {floor + 8:.1f}l4 -6.5l4 6.5z", class_="c-near"))
        elif one.kind == "bank":
            drawn.append(el("circle", cx=x, cy=floor + 4.5, r=2.4, class_="c-bank"))
        parts.append(el("g", el("title", _words(one, names)), *drawn))
    line = _("slowest: %(name)s, %(ms)s ms at step %(step)d") % {
        "name": short(names[slowest.seat], 140, 14),
        "ms": number_format(slowest.ms or 0, 1),
        "step": slowest.step,
    }
    bottom += 5 if any(one.kind for one in found) else 0  # the marks hang below the bars
    parts.append(words(frame.width - 6, bottom + 15, line, "x-soft", "end"))
    near = sum(one.kind == "near" for one in found)
    counted = ngettext("%(n)d decision near its limit", "%(n)d decisions near their limit", near) % {"n": near}
    label = "; ".join([_("Thinking times"), line, *([counted] if near else [])])
    return svg.picture(frame.width, bottom + FOOT, label, parts, f"signature signature-{frame.shape} clocks")
