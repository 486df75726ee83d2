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

from arena.games.three_coins import FistsOpened, RoundBegan, RoundBroken, Said, Showdown, Spoke, View
from arena.rules import Event, Outcome
from arena.verify import Frame
from webapp.matches.drawing import felt, graph
from webapp.matches.drawing.graph import CANVASES, STRIP_FLOOR, STRIP_TOP, climb, cross, mark, slots
from webapp.matches.drawing.svg import Svg, el, picture, short, words
from webapp.matches.drawing.telling import winners, won


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


def part(number: int) -> str:
    """What a round is called within a sentence."""
    return _("round %(round)d") % {"round": number}


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
    first = winners(outcome)
    if len(first) > 1:
        how = {
            "max_rounds": _("level after the last round"),
            "stall_rounds": _("level, and no coin moved any more"),
        }.get(outcome.reason, _("out together"))
        return won(outcome, names, how)
    return won(outcome, names, _how(view, outcome, names, first[0]))


def _how(view: View, outcome: Outcome, names: Sequence[str], winner: int) -> str:
    last = view.last
    if outcome.reason == "max_rounds":
        line = ngettext("most coins after %(n)d round", "most coins after %(n)d rounds", view.round)
        return line % {"n": view.round}
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


def caption(seen: Sequence[Frame], names: Sequence[str]) -> str:
    """What the table looks like now, in a line: for those who do not see it, and under the title."""
    view: View = seen[-1].view
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


def table(seen: Sequence[Frame], names: Sequence[str], shape: str) -> Svg:
    """The felt as this viewer sees it."""
    view: View = seen[-1].view
    first, players = view.seat or 0, len(view.coins)
    layout = felt.wide(players, first) if shape == "wide" else felt.tall(players, first)
    look = shown(view)
    parts = felt.rim(layout)
    parts += [_seat(view, look, seat, layout, names[seat]) for seat in range(players)]
    parts.append(_middle(view, look, layout))
    label = caption(seen, names)
    return picture(layout.width, layout.height, label, parts, f"table table-{shape}", top=layout.top)


def _seat(view: View, look: Shown, seat: int, layout: felt.Layout, name: str) -> Svg:
    place = layout.places[seat]
    took_part = seat in look.seats
    acts = view.phase == "bidding" and view.turn == seat
    change = look.opened.changes[seat] if look.opened is not None else 0
    purse = felt.dots(place.x, place.y + 13, view.coins[seat], change, view.options.start_coins)
    standing = _standing(view, look, seat)
    fist = [_fist(view, look, seat, place.inner_x, place.inner_y)] if took_part else []
    return felt.seat(layout, seat, name, purse, standing, *fist, acts=acts, plays=took_part)


def _standing(view: View, look: Shown, seat: int) -> felt.Standing:
    """The line under a seat's coins."""
    if look.opened is not None and seat in look.seats:
        change = look.opened.changes[seat]
        out = seat not in view.live
        if change:
            line = _("out, %(change)s coin") if out else _("%(change)s coin")
            return felt.Standing(line % {"change": "+1" if change > 0 else "−1"}, "f-soft f-new")
        end = look.said[-1]
        if end.seat == seat:
            return felt.Standing(_("right") if look.opened.right else _("wrong"))
        return felt.Standing()
    if seat not in view.live:
        return felt.Standing(_("out") if view.options.objective == "last_left" or not view.coins[seat] else "")
    if view.phase == "bidding" and view.turn == seat:
        return felt.Standing(_("to speak") if look.said else _("to open"), "f-brass")
    own = [one for one in look.said if one.seat == seat]
    if not own:
        return felt.Standing()
    line = _("said %(what)s") % {"what": spoken(own[-1])}
    if look.total is not None and own[-1].move.kind == "bid":
        true = look.total >= own[-1].move.number
        return felt.Standing(line + " · " + (_("true") if true else _("bluff")), "f-true" if true else "f-bluff")
    return felt.Standing(line)


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


def _middle(view: View, look: Shown, layout: felt.Layout) -> Svg:
    """The bubble with what was said last, its tail towards the speaker, and what is in play."""
    x, y = layout.x, layout.y
    parts = []
    if look.said:
        one = look.said[-1]
        text = spoken(one)
        width = 64 if len(text) < 3 else 30 + 15 * len(text)
        place = layout.places[one.seat]
        parts.append(felt.bubble(x, y - 18, width, 50, place.inner_x, place.inner_y, text))
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


# ---- the crossing: the signature picture ---------------------------------------------------------


class Column(NamedTuple):
    """A column of the crossing: what a seat said, or a seat that said nothing."""

    seat: int
    said: Said | None
    first: bool
    """The seat's first column: its hand stands under it."""


def signature(seen: Sequence[Frame], names: Sequence[str], shape: str) -> Svg:
    """The crossing of one round: bids climb towards the line of what is in the fists."""
    look = shown(seen[-1].view)
    canvas = CANVASES[shape]
    width, margin = canvas.width, canvas.margin
    columns = _columns(look, canvas.room())
    height, top, floor = 226.0, 30.0, 150.0
    bids = [one.move.number for one in look.said if one.move.kind == "bid"]
    highest = max([1, look.total or 0, *bids])
    domain = highest + max(1, highest // 6)
    gap, places = canvas.columns(len(columns))

    def up(value: float) -> float:
        return floor - (floor - top) * value / domain

    parts = []
    for value in range(0, domain + 1, max(1, math.ceil(domain / 6))):
        parts.append(canvas.line(up(value), "grid"))
        parts.append(words(margin - 16, up(value) + 4.5, str(value), "x-soft", "end"))
    if look.total is not None:
        parts.append(canvas.line(up(look.total), "total-line"))
        label = _("total %(total)d") % {"total": look.total}
        parts.append(words(width - 8, up(look.total) - 7, label, "x-total", "end"))
    points, level = [], 0.0
    marks = []
    for x, column in zip(places, columns, strict=True):
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
            points.append((x, up(level)))
            marks.append(mark(x, up(level), _held(look.total, level)))
            over = up(level) - 13
            # where the total's line runs through it, the number stands under its mark
            crossed = look.total is not None and over - 14 < up(look.total) < over + 4
            marks.append(words(x, over + 34 if crossed else over, str(int(level)), "x-bid"))
        else:
            at = up(level) if points else up(look.total or 0)
            points.append((x, at))
            marks.append(_end(x, at, spoken(column.said), look, width))
    parts += climb(points)
    return picture(width, height, _crossing_words(look, names), [*parts, *marks], f"signature signature-{shape}")


def _held(total: int | None, bid: float) -> str | None:
    """Did the fists hold as much as was bid? None where that is not known."""
    return None if total is None else "true" if total >= bid else "bluff"


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


def _end(x: float, y: float, text: str, look: Shown, width: float) -> Svg:
    """The word that opens the fists: a cross, and what came of it."""
    if look.opened is None:
        return cross(x, y)
    line = _("%(word)s: %(judged)s") % {"word": text, "judged": _("right") if look.opened.right else _("wrong")}
    return el("g", cross(x, y), words(min(x, width - 44), y - 14, line, "x-bid"))


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


def strip(seen: Iterable[Frame]) -> Svg:
    """The crossing of a whole match, small enough for a row of a table: its last rounds side by side."""
    every = rounds(event for frame in seen for event in frame.events)
    drawn = slots(every)
    highest = max(
        [1, *(line.total or 0 for _slot, line in drawn), *(bid for _slot, line in drawn for bid in line.bids)]
    )
    parts = []

    def up(value: float) -> float:
        return STRIP_FLOOR - (STRIP_FLOOR - STRIP_TOP) * value / highest

    for slot, line in drawn:
        if line.total is not None:
            y = up(line.total)
            parts.append(el("line", x1=slot.left, x2=slot.right, y1=y, y2=y, class_="total-line"))
        points = list(zip(slot.columns(len(line.bids)), map(up, line.bids), strict=True))
        parts += climb(points)
        parts += [mark(x, y, _held(line.total, bid), 2.6) for (x, y), bid in zip(points, line.bids, strict=True)]
        if not points:
            parts.append(cross(slot.middle, up(line.total or 0), 3))
    bluffs = sum(bid > line.total for line in every if line.total is not None for bid in line.bids)
    label = ngettext("%(n)d bid was a bluff", "%(n)d bids were bluffs", bluffs) % {"n": bluffs}
    return graph.strip(parts, len(every), label)


# ---- what stands beside the pictures --------------------------------------------------------------


def signature_title(number: int) -> str:
    """What the signature picture of a round is called."""
    return _("The crossing, round %(round)d") % {"round": number}


def key(_seen: Sequence[Frame]) -> list[tuple[str, str]]:
    """What the marks of the crossing mean."""
    return [("true", _("true")), ("bluff", _("bluff")), ("total", _("what the fists hold"))]


def legend() -> str:
    """How to read the small pictures."""
    return _("bids climb towards the line of what the fists held. A disc was true, a diamond a bluff.")


def joins(_frame: Frame) -> bool:
    """Every step is a line of its own."""
    return False


def told(_frames: Sequence[Frame], _names: Sequence[str]) -> None:
    """The sentences of its events say all of a step."""


def page() -> dict[str, object]:
    """The rules' page needs nothing more."""
    return {}
