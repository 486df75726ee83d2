"""What the tables of all games have in common: where the seats are, what a seat looks like, and who speaks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from arena.rules import Event
from arena.verify import Frame
from webapp.matches.drawing.svg import Svg, el, short, words


class Place(NamedTuple):
    """Where a seat is drawn: the middle of its name, and a point between it and the middle of the table."""

    x: float
    y: float
    inner_x: float
    inner_y: float


class Layout(NamedTuple):
    """Where everything lies on a felt."""

    shape: str
    top: float
    width: float
    height: float
    x: float
    y: float
    """The middle."""
    places: tuple[Place, ...]
    block: float
    """The width of a seat."""


def wide(
    players: int, first: int, *, across: float = 168, rise: float = 156, near: float = 80, near_many: float = 86
) -> Layout:
    """Seats around an ellipse, clockwise from ``first``, who sits nearest.

    Args:
        players: how many.
        first: the seat at the bottom.
        across: how far the inner points are from the middle, sideways.
        rise: how far the seats are from the middle, upwards.
        near: how far the inner points are, upwards.
        near_many: the same for more than six players.
    """
    x, y = 380.0, 208.0
    near = near_many if players > 6 else near
    places = []
    for seat in range(players):
        angle = math.pi / 2 + 2 * math.pi * ((seat - first) % players) / players
        cosine, sine = math.cos(angle), math.sin(angle)
        places.append(Place(x + 298 * cosine, y + rise * sine, x + across * cosine, y + 11 + near * sine))
    # a felt for three needs no room for a fourth at the top
    top = min(y - 96, *(place.y - 48 for place in places))
    return Layout("wide", top, 760, max(place.y for place in places) + 72 - top, x, y, tuple(places), 150)


def tall(
    players: int, first: int, *, step: float = 118, near: float = 64, above: float = 44, below: float = 118
) -> Layout:
    """For a phone: the first seat at the bottom, the others in two columns, one at the top where they are odd.

    Args:
        players: how many.
        first: the seat at the bottom.
        step: how far one row of seats is from the next.
        near: how far a seat's inner point is below it.
        above: the room over the middle.
        below: the room under it.
    """
    others = players - 1
    rows = others // 2
    top = others % 2
    head = 36.0
    places: dict[int, Place] = {}
    y = head
    if top:
        places[(first + rows + 1) % players] = Place(180, y, 180, y + near)
        y += step
    for row in range(rows):
        at = y + row * step
        places[(first + rows - row) % players] = Place(92, at, 92, at + near)
        places[(first + rows + top + 1 + row) % players] = Place(268, at, 268, at + near)
    middle = head + (rows + top) * step + above
    bottom = middle + below
    places[first] = Place(180, bottom + 22, 180, bottom - near + 38)
    return Layout("tall", 0, 360, bottom + 86, 180, middle, tuple(places[seat] for seat in range(players)), 160)


def rim(layout: Layout) -> list[Svg]:
    """The edge of the table; there is none where the seats stand in columns."""
    if layout.shape == "tall":
        return []
    return [el("ellipse", cx=layout.x, cy=layout.y + 12, rx=226, ry=112, class_="rim")]


def went_out(seen: Iterable[Frame], kind: type[Any], began: Callable[[Event], int | None]) -> dict[int, int]:
    """In which round, or hand, who went out.

    Args:
        seen: what was seen of the match.
        kind: the event of the game that tells who goes out, by its ``seats``.
        began: the number of the round that an event begins; None for any other event.
    """
    found: dict[int, int] = {}
    number = 0
    for frame in seen:
        for event in frame.events:
            if isinstance(event, kind):
                found |= dict.fromkeys(event.seats, number)
            number = began(event) or number
    return found


class Standing(NamedTuple):
    """The line under what a seat owns."""

    text: str = ""
    class_: str = "f-soft"


def seat(
    layout: Layout, number: int, name: str, owns: Svg, standing: Standing, *more: Svg, acts: bool, plays: bool
) -> Svg:
    """A seat: its name, what it owns, how it stands; framed where it is to act, faint where it is not in play."""
    place, block = layout.places[number], layout.block
    x, y = place.x, place.y
    parts = []
    if acts:
        parts.append(el("rect", x=x - block / 2, y=y - 27, width=block, height=74, rx=12, class_="turn"))
    parts += [el("title", name), words(x, y - 4, short(name, block - 16, 17), "f-name"), owns]
    if standing.text:
        parts.append(words(x, y + 39, standing.text, standing.class_))
    return el("g", *parts, *more, class_="seat" if plays else "seat seat-out")


MOST_DOTS = 9
"""More than these do not fit under a name: they are counted."""


def dots(x: float, y: float, own: int, change: int, start: int) -> Svg:
    """What a seat owns, in brass: what it has just lost as a ring, what is long gone as a hint."""
    slots = max(start, own)
    if slots > MOST_DOTS:
        ring = change < 0 and not own
        return el(
            "g",
            el("circle", cx=x - 11, cy=y, r=5.5, class_="coin-lost" if ring else "coin" if own else "coin-none"),
            words(x + 1, y + 5.5, str(own), "f-count", "start"),
        )
    left = x - (slots - 1) * 8
    drawn = []
    for slot in range(slots):
        kind = "coin" if slot < own else "coin-lost" if slot < own - change else "coin-none"
        if kind == "coin" and change > 0 and slot >= own - change:
            kind = "coin coin-won"
        drawn.append(el("circle", cx=left + 16 * slot, cy=y, r=5.5, class_=kind))
    return el("g", *drawn)


def bubble(x: float, y: float, width: float, height: float, to_x: float, to_y: float, text: str) -> Svg:
    """What was said, its tail towards the speaker."""
    across, down = to_x - x, to_y - y
    length = math.hypot(across, down) or 1.0
    across, down = across / length, down / length
    reach = min(
        (width / 2) / abs(across) if across else math.inf,
        (height / 2) / abs(down) if down else math.inf,
    )
    tip = min(reach + 13, length - 20)
    tail = " ".join(
        f"{px:.1f},{py:.1f}"
        for px, py in (
            (x + across * tip, y + down * tip),
            (x - down * 10 + across * (reach - 16), y + across * 10 + down * (reach - 16)),
            (x + down * 10 + across * (reach - 16), y - across * 10 + down * (reach - 16)),
        )
    )
    return el(
        "g",
        el("polygon", points=tail, class_="bubble"),
        el("rect", x=x - width / 2, y=y - height / 2, width=width, height=height, rx=12, class_="bubble"),
        words(x, y + 9, text, "bubble-text"),
        class_="said f-new",
    )
