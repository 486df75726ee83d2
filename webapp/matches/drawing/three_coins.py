"""Three Coins on the felt, and its signature picture, the crossing.

Everything here is drawn from a `View`, from what its viewer heard, and from names: there is nothing
in these functions that could tell more than the viewer knows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.games.three_coins import GAME, FistsOpened, RoundBegan, RoundBroken, Said, Showdown, Spoke, View
from arena.rules import PUBLIC, Event, Moved, Outcome, ruleset
from webapp.matches.drawing.svg import Svg, el, picture, short, words


class Shown(NamedTuple):
    """The round that a table looks at: the one in progress, or the one whose fists have just opened."""

    round: int
    seats: tuple[int, ...]
    """Who takes part in it, ascending."""
    hands: tuple[int | None, ...]
    """As far as the viewer knows."""
    said: tuple[Said, ...]
    in_play: int
    total: int | None
    """None as long as the viewer cannot know it."""
    opened: Showdown | None


def shown(view: View) -> Shown:
    """Between two rounds, the open fists of the last one still lie on the table."""
    last = view.last
    if last is not None and view.phase in ("hiding", "over"):
        seats = tuple(seat for seat, hand in enumerate(last.hands) if hand is not None)
        before = sum(view.coins) - sum(last.changes)
        return Shown(last.round, seats, last.hands, last.said, before, last.total, last)
    hands = [view.hands[seat] for seat in view.live]
    known = [hand for hand in hands if hand is not None]
    total = sum(known) if view.phase == "bidding" and len(known) == len(hands) else None
    return Shown(view.round, view.live, view.hands, view.said, view.in_play, total, None)


def highest_bid(said: Sequence[Said]) -> Said | None:
    """The last bid: bids only rise."""
    return next((one for one in reversed(said) if one.move.kind == "bid"), None)


# ---- words ---------------------------------------------------------------------------------------


def spoken(one: Said) -> str:
    """What was said, as it stands on a bubble."""
    kind, number = one.move
    return (
        str(number)
        if kind == "bid"
        else {"call": _("call"), "cliff": _("cliff"), "zero": _("zero"), "max": _("max")}[kind]
    )


def coins(number: int) -> str:
    """A number of coins in words."""
    return _("no coins") if number == 0 else ngettext("one coin", "%(n)d coins", number) % {"n": number}


def heading(event: Event, names: Sequence[str]) -> str | None:
    """The title of a round."""
    if isinstance(event, RoundBegan):
        return _("Round %(round)d") % {"round": event.round}
    return None


def truth(view: View, event: Event) -> str | None:
    """What ``event`` was, for a viewer whose view after it is ``view``: true, bluff, right, wrong; or None."""
    if isinstance(event, Spoke):
        look = shown(view)
        if event.move.kind == "bid":
            return None if look.total is None else "true" if look.total >= event.move.number else "bluff"
        if look.opened is not None:
            return "right" if look.opened.right else "wrong"
    return None


def result(view: View, outcome: Outcome, names: Sequence[str]) -> str:
    """Who won, and how, in one line. ``view`` is one of the end."""
    first = [seat for seat, place in enumerate(outcome.places) if place == 1]
    if len(first) > 1:
        winners = _("%(names)s and %(last)s") % {
            "names": ", ".join(names[seat] for seat in first[:-1]),
            "last": names[first[-1]],
        }
        how = {
            "max_rounds": _("level after the last round"),
            "stall_rounds": _("level, and no coin moved any more"),
        }.get(outcome.reason, _("out together"))
        return _("%(winners)s share the first place: %(how)s") % {"winners": winners, "how": how}
    winner = first[0]
    return _("%(winner)s wins: %(how)s") % {"winner": names[winner], "how": _how(view, outcome, names, winner)}


def _how(view: View, outcome: Outcome, names: Sequence[str], winner: int) -> str:
    last = view.last
    if outcome.reason == "max_rounds":
        return _("most coins after %(rounds)d rounds") % {"rounds": view.round}
    if outcome.reason == "stall_rounds":
        return _("most coins when none moved any more")
    if last is None or last.round != view.round:
        return _("nobody else was left at the table")
    end, bid = last.said[-1], highest_bid(last.said)
    told = {
        "who": names[end.seat],
        "bidder": names[bid.seat] if bid else "",
        "bid": bid.move.number if bid else 0,
        "total": coins(last.total),
    }
    own = end.seat == winner
    if outcome.reason == "first_empty":
        return _("the first without a coin")
    kind = end.move.kind
    if kind == "call":
        if last.right:
            line = (
                _("called %(bidder)s's %(bid)d over %(total)s")
                if own
                else _("%(who)s called %(bidder)s's %(bid)d over %(total)s")
            )
        else:
            line = _("%(who)s called %(bidder)s's %(bid)d, wrongly: %(total)s")
    elif kind == "cliff":
        line = _("cliff on %(bid)d, exactly") if last.right else _("%(who)s said cliff on %(bid)d over %(total)s")
    elif kind == "zero":
        line = _("said zero, and every fist was empty") if last.right and own else _("%(who)s said zero over %(total)s")
    else:
        line = (
            _("said max, and every coin was in a fist") if last.right and own else _("%(who)s said max over %(total)s")
        )
    return line % told


def _ended(showdown: Showdown, names: Sequence[str]) -> str:
    """How a round was ended, and on what."""
    end, bid = showdown.said[-1], highest_bid(showdown.said)
    line = {
        ("call", True): _("%(who)s calls %(bidder)s's %(bid)d over %(total)s"),
        ("call", False): _("%(who)s calls %(bidder)s's %(bid)d, wrongly: %(total)s"),
        ("cliff", True): _("%(who)s says cliff on %(bid)d, exactly"),
        ("cliff", False): _("%(who)s says cliff on %(bid)d, wrongly: %(total)s"),
        ("zero", True): _("%(who)s says zero, and every fist is empty"),
        ("zero", False): _("%(who)s says zero, wrongly: %(total)s"),
        ("max", True): _("%(who)s says max, and every coin is in a fist"),
        ("max", False): _("%(who)s says max, wrongly: %(total)s"),
    }[end.move.kind, showdown.right]
    return line % {
        "who": names[end.seat],
        "bidder": names[bid.seat] if bid else "",
        "bid": bid.move.number if bid else 0,
        "total": coins(showdown.total),
    }


def summary(event: Event, names: Sequence[str]) -> str | None:
    """A round in a line, from the event that ended it; None for any other event."""
    if isinstance(event, FistsOpened):
        return _ended(event.showdown, names)
    if isinstance(event, RoundBroken):
        return _("%(who)s leaves, and the fists stay closed") % {"who": names[event.seat]}
    return None


def caption(view: View, names: Sequence[str]) -> str:
    """What the table looks like now, in a line: for those who do not see it, and under the title."""
    look = shown(view)
    if view.phase == "lot":
        return _("The lot decides who starts.")
    if look.opened is not None:
        return _ended(look.opened, names)
    if view.phase == "over":
        return _("The match is over.")
    if view.phase == "hiding":
        return _("Round %(round)d: everybody hides coins") % {"round": view.round}
    turn = names[view.turn] if view.turn is not None else ""
    if not look.said:
        return _("The fists are closed; %(who)s opens the bidding") % {"who": turn}
    one = look.said[-1]
    line = _("%(who)s bids %(bid)d") % {"who": names[one.seat], "bid": one.move.number}
    if look.total is None:
        return line
    if look.total >= one.move.number:
        return _("%(line)s, and there are %(total)s: true") % {"line": line, "total": coins(look.total)}
    return _("%(line)s over %(total)s: a bluff") % {"line": line, "total": coins(look.total)}


# ---- the felt ------------------------------------------------------------------------------------


class Place(NamedTuple):
    """Where a seat is drawn: the middle of its name, and the middle of its fist."""

    x: float
    y: float
    fist_x: float
    fist_y: float


class Layout(NamedTuple):
    """Where everything lies on a felt."""

    top: float
    width: float
    height: float
    x: float
    y: float
    """The middle, where the bubble is."""
    places: tuple[Place, ...]
    block: float
    """The width of a seat."""


def wide(players: int, first: int) -> Layout:
    """Seats around an ellipse, clockwise from ``first``, who sits nearest."""
    x, y = 380.0, 208.0
    many = players > 6
    places = []
    for seat in range(players):
        angle = math.pi / 2 + 2 * math.pi * ((seat - first) % players) / players
        across, down = math.cos(angle), math.sin(angle)
        places.append(Place(x + 298 * across, y + 156 * down, x + 168 * across, y + 11 + (86 if many else 80) * down))
    # a felt for three needs no room for a fourth at the top
    top = min(y - 96, *(place.y - 48 for place in places))
    return Layout(top, 760, max(place.y for place in places) + 72 - top, x, y, tuple(places), 150)


def tall(players: int, first: int) -> Layout:
    """For a phone: the first seat at the bottom, the others in two columns, one at the top where they are odd."""
    others = players - 1
    rows = others // 2
    top = others % 2
    step = 118
    head = 36.0
    places: dict[int, Place] = {}
    y = head
    if top:
        places[(first + rows + 1) % players] = Place(180, y, 180, y + 64)
        y += step
    for row in range(rows):
        at = y + row * step
        places[(first + rows - row) % players] = Place(92, at, 92, at + 64)
        places[(first + rows + top + 1 + row) % players] = Place(268, at, 268, at + 64)
    middle = head + (rows + top) * step + 44
    bottom = middle + 118
    places[first] = Place(180, bottom + 22, 180, bottom - 26)
    return Layout(0, 360, bottom + 86, 180, middle, tuple(places[seat] for seat in range(players)), 160)


LAYOUTS = {"wide": wide, "tall": tall}


def table(view: View, names: Sequence[str], shape: str) -> Svg:
    """The felt as this viewer sees it."""
    layout = LAYOUTS[shape](len(view.coins), view.seat or 0)
    look = shown(view)
    parts = []
    if shape == "wide":
        parts.append(el("ellipse", cx=layout.x, cy=layout.y + 12, rx=226, ry=112, class_="rim"))
    parts += [_seat(view, look, seat, place, names[seat], layout.block) for seat, place in enumerate(layout.places)]
    parts.append(_middle(view, look, layout))
    label = caption(view, names)
    return picture(layout.width, layout.height, label, parts, f"table table-{shape}", top=layout.top)


def _seat(view: View, look: Shown, seat: int, place: Place, name: str, block: float) -> Svg:
    x, y = place.x, place.y
    took_part = seat in look.seats
    acts = view.phase == "bidding" and view.turn == seat
    parts = []
    if acts:
        parts.append(el("rect", x=x - block / 2, y=y - 27, width=block, height=74, rx=12, class_="turn"))
    parts.append(el("title", name))
    parts.append(words(x, y - 4, short(name, block - 16, 17), "f-name"))
    parts.append(_purse(view, look, seat, x, y + 13))
    line, class_ = _standing(view, look, seat)
    if line:
        parts.append(words(x, y + 39, line, class_))
    if took_part:
        parts.append(_fist(view, look, seat, place.fist_x, place.fist_y))
    return el("g", *parts, class_="seat" if took_part else "seat seat-out")


def _purse(view: View, look: Shown, seat: int, x: float, y: float) -> Svg:
    """The coins that a seat owns: full ones, the one just lost as a ring, the rest as hints."""
    own = view.coins[seat]
    change = look.opened.changes[seat] if look.opened is not None else 0
    slots = max(view.options.start_coins, own)
    left = x - (slots - 1) * 8
    dots = []
    for slot in range(slots):
        kind = "coin" if slot < own else "coin-lost" if slot < own - change else "coin-none"
        if kind == "coin" and change > 0 and slot >= own - change:
            kind = "coin coin-won"
        dots.append(el("circle", cx=left + 16 * slot, cy=y, r=5.5, class_=kind))
    return el("g", *dots)


def _standing(view: View, look: Shown, seat: int) -> tuple[str, str]:
    """The line under a seat's coins, and its class."""
    if look.opened is not None and seat in look.seats:
        change = look.opened.changes[seat]
        out = seat not in view.live
        if change:
            line = _("out, %(change)s coin") if out else _("%(change)s coin")
            return line % {"change": "+1" if change > 0 else "−1"}, "f-soft f-new"
        end = look.said[-1]
        if end.seat == seat:
            return (_("right") if look.opened.right else _("wrong")), "f-soft"
        return "", "f-soft"
    if seat not in view.live:
        return (_("out") if view.options.objective == "last_left" or not view.coins[seat] else ""), "f-soft"
    if view.phase == "bidding" and view.turn == seat:
        return (_("to speak") if look.said else _("to open")), "f-brass"
    own = [one for one in look.said if one.seat == seat]
    if not own:
        return ("", "f-soft")
    line = _("said %(what)s") % {"what": spoken(own[-1])}
    if look.total is not None and own[-1].move.kind == "bid":
        true = look.total >= own[-1].move.number
        return line + " · " + (_("true") if true else _("bluff")), "f-true" if true else "f-bluff"
    return line, "f-soft"


def _fist(view: View, look: Shown, seat: int, x: float, y: float) -> Svg:
    """Closed, closed but known to the viewer, or open."""
    hand = look.hands[seat]
    opened = look.opened is not None
    if view.phase in ("lot", "hiding") and not opened:
        return Svg()
    if hand is None:
        knuckles = (el("path", d=f"M{x - 9 + 9 * i:g} {y - 12:g}v9", class_="knuckle") for i in range(3))
        body = el("rect", x=x - 18, y=y - 15, width=36, height=30, rx=11, class_="fist-closed")
        return el("g", body, *knuckles, class_="fist", data_seat=seat)
    tile = el(
        "rect",
        x=x - 24,
        y=y - 15,
        width=48,
        height=30,
        rx=9 if opened else 11,
        class_="fist-open" if opened else "fist-known",
    )
    if hand == 0:
        inside = [el("path", d=f"M{x - 6:g} {y:g}h12", class_="fist-empty-open" if opened else "fist-empty")]
    elif hand <= 3:
        inside = [
            el("circle", cx=x + 13 * i - 6.5 * (hand - 1), cy=y, r=5, class_="coin-open" if opened else "coin")
            for i in range(hand)
        ]
    else:
        inside = [
            el("circle", cx=x - 9, cy=y, r=5, class_="coin-open" if opened else "coin"),
            words(x + 8, y + 5.5, str(hand), "ink-on-cream" if opened else "f-name"),
        ]
    return el("g", tile, *inside, class_="fist", data_seat=seat, data_coins=hand)


def _middle(view: View, look: Shown, layout: Layout) -> Svg:
    """The bubble with what was said last, its tail towards the speaker, and what is in play."""
    x, y = layout.x, layout.y
    parts = []
    if look.said:
        one = look.said[-1]
        text = spoken(one)
        width = 64 if len(text) < 3 else 30 + 15 * len(text)
        place = layout.places[one.seat]
        parts.append(_bubble(x, y - 18, width, 50, place.fist_x, place.fist_y, text))
    opened = look.opened
    if opened is not None:
        bid = highest_bid(look.said)
        parts.append(words(x, y + 33, _("%(total)d in the fists") % {"total": opened.total}, "f-name f-new"))
        if bid is not None and look.said[-1].move.kind in ("call", "cliff"):
            true = opened.total >= bid.move.number
            line = _("%(bid)d was true") if true else _("%(bid)d was a bluff")
            parts.append(words(x, y + 53, line % {"bid": bid.move.number}, "f-true f-new" if true else "f-bluff f-new"))
    elif view.phase == "bidding":
        if look.total is not None:
            parts.append(words(x, y + 33, _("%(total)d in the fists") % {"total": look.total}, "f-name"))
            parts.append(words(x, y + 53, _("of %(coins)d in play") % {"coins": look.in_play}, "f-soft"))
        else:
            parts.append(
                words(x, y + (33 if look.said else 8), _("%(coins)d in play") % {"coins": look.in_play}, "f-soft")
            )
    elif view.phase == "hiding":
        parts.append(words(x, y + 2, _("all hide"), "f-name"))
        parts.append(words(x, y + 24, _("%(coins)d in play") % {"coins": look.in_play}, "f-soft"))
    elif view.phase == "lot":
        parts.append(words(x, y + 8, _("who starts?"), "f-soft"))
    return el("g", *parts)


def _bubble(x: float, y: float, width: float, height: float, to_x: float, to_y: float, text: str) -> Svg:
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


# ---- the crossing --------------------------------------------------------------------------------


class Column(NamedTuple):
    """A column of the crossing: what a seat said, or a seat that said nothing."""

    seat: int
    said: Said | None
    first: bool
    """The seat's first column: its hand stands under it."""


def crossing(view: View, names: Sequence[str], shape: str) -> Svg:
    """The signature picture of one round: bids climb towards the line of what is in the fists."""
    look = shown(view)
    width, margin = (760.0, 44.0) if shape == "wide" else (350.0, 34.0)
    room = int((width - 2 * margin) / 62)
    columns = _columns(look, room)
    height, top, floor = 226.0, 30.0, 150.0
    bids = [one.move.number for one in look.said if one.move.kind == "bid"]
    highest = max([1, look.total or 0, *bids])
    domain = highest + max(1, highest // 6)
    gap = (width - 2 * margin) / max(1, len(columns))
    if len(columns) < 5:
        gap = min(gap, 150 if shape == "wide" else 76)
    start = width / 2 - gap * (len(columns) - 1) / 2

    def up(value: float) -> float:
        return floor - (floor - top) * value / domain

    parts = []
    for value in range(0, domain + 1, max(1, math.ceil(domain / 6))):
        parts.append(el("line", x1=margin - 8, x2=width - 8, y1=up(value), y2=up(value), class_="grid"))
        parts.append(words(margin - 16, up(value) + 4.5, str(value), "x-soft", "end"))
    if look.total is not None:
        parts.append(el("line", x1=margin - 8, x2=width - 8, y1=up(look.total), y2=up(look.total), class_="total-line"))
        label = _("total %(total)d") % {"total": look.total}
        parts.append(words(width - 8, up(look.total) - 7, label, "x-total", "end"))
    climb, level = [], 0.0
    marks = []
    for index, column in enumerate(columns):
        x = start + gap * index
        name = short(names[column.seat], gap - 6, 13.5)
        parts.append(words(x, 178, name, "x-soft" if column.said is None else "x-name"))
        if column.first:
            parts.append(
                _pips(look.hands[column.seat], x, 198, look.opened is not None or look.hands[column.seat] is not None)
            )
        if column.said is None:
            continue
        if column.said.move.kind == "bid":
            level = column.said.move.number
            climb.append((x, up(level)))
            true = None if look.total is None else look.total >= level
            marks.append(_mark(x, up(level), true))
            over = up(level) - 13
            # where the total's line runs through it, the number stands under its mark
            crossed = look.total is not None and over - 14 < up(look.total) < over + 4
            marks.append(words(x, over + 34 if crossed else over, str(int(level)), "x-bid"))
        else:
            at = up(level) if climb else up(look.total or 0)
            climb.append((x, at))
            marks.append(_end(x, at, spoken(column.said), look, width))
    if len(climb) > 1:
        parts.append(el("polyline", points=" ".join(f"{px:.1f},{py:.1f}" for px, py in climb), class_="climb"))
    return picture(width, height, _crossing_words(look, names), [*parts, *marks], f"crossing crossing-{shape}")


def _columns(look: Shown, room: int) -> list[Column]:
    """What was said, in order, then who was silent; where it is too much, its end."""
    seen: set[int] = set()
    columns = []
    for one in look.said[-room:]:
        columns.append(Column(one.seat, one, one.seat not in seen))
        seen.add(one.seat)
    silent = [Column(seat, None, first=True) for seat in look.seats if seat not in seen]
    return [*columns, *silent] if len(columns) + len(silent) <= room else columns


def _pips(hand: int | None, x: float, y: float, known: bool) -> Svg:
    if not known or hand is None:
        return el("rect", x=x - 9, y=y - 6, width=18, height=12, rx=5, class_="pip-closed")
    if hand == 0:
        return el("path", d=f"M{x - 5:g} {y:g}h10", class_="pip-none")
    if hand > 5:
        return words(x, y + 5, str(hand), "x-name")
    return el("g", *(el("circle", cx=x + 11 * i - 5.5 * (hand - 1), cy=y, r=4, class_="pip") for i in range(hand)))


def _mark(x: float, y: float, true: bool | None, size: float = 6.5) -> Svg:
    """A true bid is a disc, a bluff a diamond; nobody knows: a ring."""
    if true is None:
        return el("circle", cx=x, cy=y, r=size - 1, class_="m-open")
    if true:
        return el("circle", cx=x, cy=y, r=size, class_="m-true")
    d = size + 1.5
    return el("path", d=f"M{x:g} {y - d:g}l{d:g} {d:g}l{-d:g} {d:g}l{-d:g} {-d:g}z", class_="m-bluff")


def _end(x: float, y: float, text: str, look: Shown, width: float) -> Svg:
    """The word that opens the fists: a cross, and what came of it."""
    cross = el("path", d=f"M{x - 6:g} {y - 6:g}l12 12m0 -12l-12 12", class_="m-end")
    if look.opened is None:
        return cross
    line = _("%(word)s: %(judged)s") % {"word": text, "judged": _("right") if look.opened.right else _("wrong")}
    return el("g", cross, words(min(x, width - 44), y - 14, line, "x-bid"))


def _crossing_words(look: Shown, names: Sequence[str]) -> str:
    said = ", ".join(f"{names[one.seat]} {spoken(one)}" for one in look.said) or _("nothing said yet")
    total = _("total %(total)d") % {"total": look.total} if look.total is not None else _("total not known yet")
    return _("Round %(round)d: %(said)s; %(total)s") % {"round": look.round, "said": said, "total": total}


# ---- the crossing, small: a whole match ----------------------------------------------------------


class RoundLine(NamedTuple):
    """A finished round, as everybody knows it."""

    bids: tuple[int, ...]
    total: int | None
    """None: it was broken off, and its fists stayed closed."""
    right: bool


def rounds(events: Iterable[Event]) -> tuple[RoundLine, ...]:
    """The finished rounds of what was heard."""
    lines: list[RoundLine] = []
    bids: list[int] = []
    for event in events:
        match event:
            case Spoke(_, move) if move.kind == "bid":
                bids.append(move.number)
            case FistsOpened(showdown):
                lines.append(RoundLine(tuple(bids), showdown.total, showdown.right))
                bids = []
            case RoundBroken():
                lines.append(RoundLine(tuple(bids), None, right=False))
                bids = []
    return tuple(lines)


MOST_ROUNDS = 12


def strip(events: Iterable[Event]) -> Svg:
    """The crossing of a whole match, small enough for a row of a table: its last rounds side by side."""
    every = rounds(events)
    lines = every[-MOST_ROUNDS:]
    width, height = 240.0, 48.0
    top, floor = 7.0, 41.0
    highest = max([1, *(line.total or 0 for line in lines), *(bid for line in lines for bid in line.bids)])
    slot = min(width / max(1, len(lines)), 48.0)
    parts = []

    def up(value: float) -> float:
        return floor - (floor - top) * value / highest

    for index, line in enumerate(lines):
        left, right = slot * index + 4, slot * (index + 1) - 4
        if line.total is not None:
            parts.append(el("line", x1=left, x2=right, y1=up(line.total), y2=up(line.total), class_="total-line"))
        step = (right - left - 6) / max(1, len(line.bids) - 1)
        points = [
            (left + 3 + step * i if len(line.bids) > 1 else (left + right) / 2, up(bid))
            for i, bid in enumerate(line.bids)
        ]
        if len(points) > 1:
            parts.append(el("polyline", points=" ".join(f"{x:.1f},{y:.1f}" for x, y in points), class_="climb"))
        for (x, y), bid in zip(points, line.bids, strict=True):
            parts.append(_mark(x, y, None if line.total is None else line.total >= bid, 2.6))
        if not points:
            y = up(line.total or 0)
            parts.append(el("path", d=f"M{(left + right) / 2 - 3:g} {y - 3:g}l6 6m0 -6l-6 6", class_="m-end"))
    bluffs = sum(bid > line.total for line in every if line.total is not None for bid in line.bids)
    label = ngettext("%(n)d round", "%(n)d rounds", len(every)) % {"n": len(every)}
    label += "; " + ngettext("%(n)d bid was a bluff", "%(n)d bids were bluffs", bluffs) % {"n": bluffs}
    return picture(width, height, label, parts, "crossing strip")


# ---- an example ----------------------------------------------------------------------------------


def example() -> tuple[View, tuple[str, ...]]:
    """The round that the rules' page tells, played by the rules themselves."""
    state, _events = GAME.start(ruleset(GAME, "classic", {"first_starter": "seat"}), 3)
    for texts in ({0: "hide 3", 1: "hide 2", 2: "hide 0"}, {0: "bid 4"}, {1: "bid 6"}, {2: "call"}):
        state, _events = GAME.step(state, Moved({seat: GAME.parse(text) for seat, text in texts.items()}))
    return GAME.view(state, PUBLIC), ("Daryna", "Orest", "Semen")
