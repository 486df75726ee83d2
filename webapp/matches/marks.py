"""What is marked on the bar of a replay: lies, challenges, players who go out, faults.

A mark is never told by its colour alone: each kind has a shape of its own, and a word.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.insight import Mark
from webapp.matches.drawing.svg import Svg, el

KINDS = ("lie", "challenge", "elimination", "fault")

ROWS = {"elimination": 6, "challenge": 18, "lie": 30, "fault": 30}
"""How far down each kind stands: what can happen in the same step, one above the other."""


def words(kind: str) -> str:
    """What a mark means."""
    return {"lie": _("lie"), "challenge": _("challenge"), "elimination": _("out"), "fault": _("fault")}[kind]


def shape(kind: str, weight: float = 0.25) -> Svg:
    """The mark itself, around its middle: the more hung on it, the larger."""
    path = {
        "lie": "M0 -5.5l5.5 5.5l-5.5 5.5l-5.5 -5.5z",
        "challenge": "M-4 -4l8 8m0 -8l-8 8",
        "elimination": "M-5.5 -4.5h11l-5.5 9.5z",
        "fault": "M-5 -5h10v10h-10zM0 -2.8v3.4M0 2.4v0.6",
    }[kind]
    scale = 0.8 + 0.4 * min(1.0, max(0.0, weight)) ** 0.5
    return el("path", d=path, class_=f"b-{kind}", transform=f"scale({scale:.2f})")


class Pinned(NamedTuple):
    """A mark where it stands on the bar."""

    step: int
    across: str
    """How far from the left, as SVG writes it."""
    down: int
    shape: Svg
    title: str


class Kind(NamedTuple):
    """A kind of mark, and how many of it there are, in words."""

    shape: Svg
    words: str


def pinned(found: Sequence[Mark], last: int) -> list[Pinned]:
    """Where each mark stands on the bar of a match of so many steps; the weightiest lie over the others."""
    return [
        Pinned(
            mark.step,
            f"{100 * mark.step / max(1, last):.2f}%",
            ROWS[mark.kind],
            shape(mark.kind, mark.weight),
            _("step %(step)d: %(what)s") % {"step": mark.step, "what": words(mark.kind)},
        )
        for mark in sorted(found, key=lambda mark: mark.weight)
    ]


def kinds(found: Sequence[Mark]) -> list[Kind]:
    """The kinds of marks that there are, and how many of each."""
    counted = {kind: sum(mark.kind == kind for mark in found) for kind in KINDS}
    return [Kind(shape(kind), counted_words(kind, number)) for kind, number in counted.items() if number]


def counted_words(kind: str, number: int) -> str:
    """So many marks of a kind."""
    line = {
        "lie": ngettext("%(n)d lie", "%(n)d lies", number),
        "challenge": ngettext("%(n)d challenge", "%(n)d challenges", number),
        "elimination": ngettext("%(n)d out", "%(n)d out", number),
        "fault": ngettext("%(n)d fault", "%(n)d faults", number),
    }[kind]
    return line % {"n": number}
