"""What is marked on the bar of a replay: lies, challenges, players who go out, faults.

A mark is never told by its colour alone: each kind has a shape of its own, and a word.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.record import FaultStep, Record
from arena.rules import OMNISCIENT, Viewer
from arena.verify import frames
from webapp.matches.drawing import drawing
from webapp.matches.drawing.svg import Svg, el
from webapp.matches.held import Held

KINDS = ("lie", "challenge", "elimination", "fault")

ROWS = {"elimination": 6, "challenge": 18, "lie": 30, "fault": 30}
"""How far down each kind stands: what can happen in the same step, one above the other."""

SECRET = ("lie",)
"""What only who sees everything may know. All else was seen by the whole table when it happened."""


class Sign(NamedTuple):
    """A mark at a step of a replay."""

    step: int
    kind: str
    weight: float


@lru_cache(maxsize=256)
def _signs(held: Held) -> tuple[Sign, ...]:
    record = held.record
    drawn = drawing(record.game)
    found: list[Sign] = []
    for at, frame in enumerate(frames(record, OMNISCIENT)):
        if frame.step >= 0 and isinstance(record.steps[frame.step], FaultStep):
            found.append(Sign(at, "fault", 1.0))
        for event in frame.events:
            truth = drawn.truth(frame.view, event) if drawn is not None else None
            if truth == "bluff":
                found.append(Sign(at, "lie", 1.0))
            elif truth in ("right", "wrong"):
                found.append(Sign(at, "challenge", 1.0))
            if type(event).__name__ == "WentOut":
                found.append(Sign(at, "elimination", 1.0))
    return tuple(found)


def signs(record: Record, name: str) -> tuple[Sign, ...]:
    """All marks of the record with the name ``name``, in the order of its steps."""
    return _signs(Held(name, record))


def known(found: tuple[Sign, ...], viewer: Viewer, upto: int) -> tuple[Sign, ...]:
    """Those that ``viewer`` may be shown when he has seen the steps until ``upto``."""
    return tuple(sign for sign in found if sign.step <= upto and (viewer == OMNISCIENT or sign.kind not in SECRET))


def words(kind: str) -> str:
    """What a mark means."""
    return {"lie": _("lie"), "challenge": _("challenge"), "elimination": _("out"), "fault": _("fault")}[kind]


def shape(kind: str) -> Svg:
    """The mark itself, around its middle."""
    path = {
        "lie": "M0 -5.5l5.5 5.5l-5.5 5.5l-5.5 -5.5z",
        "challenge": "M-4 -4l8 8m0 -8l-8 8",
        "elimination": "M-5.5 -4.5h11l-5.5 9.5z",
        "fault": "M-5 -5h10v10h-10zM0 -2.8v3.4M0 2.4v0.6",
    }[kind]
    return el("path", d=path, class_=f"b-{kind}")


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


def pinned(found: Sequence[Sign], last: int) -> list[Pinned]:
    """Where each mark stands on the bar of a match of so many steps; the weightiest lie over the others."""
    return [
        Pinned(
            sign.step,
            f"{100 * sign.step / max(1, last):.2f}%",
            ROWS[sign.kind],
            shape(sign.kind),
            _("step %(step)d: %(what)s") % {"step": sign.step, "what": words(sign.kind)},
        )
        for sign in sorted(found, key=lambda sign: sign.weight)
    ]


def kinds(found: Sequence[Sign]) -> list[Kind]:
    """The kinds of marks that there are, and how many of each."""
    counted = {kind: sum(sign.kind == kind for sign in found) for kind in KINDS}
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
