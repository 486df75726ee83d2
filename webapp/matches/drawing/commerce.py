"""Commerce on the felt, and its signature picture, the market.

Everything here is drawn from what one viewer saw, and from names: a card lies face up, or is written beside
what was done, only where the viewer's own views and events had it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import NamedTuple, cast

from django.utils import translation
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from arena.games.commerce import (
    DECK,
    GAME,
    KINDS,
    Bartered,
    Bought,
    CircleBegan,
    Dealt,
    Discarded,
    Drew,
    HandBegan,
    HandEnded,
    Offered,
    OfferRefused,
    OfferSeen,
    Paid,
    Passed,
    Reshuffled,
    Scored,
    Shown,
    Swapped,
    View,
    WentOut,
    combination,
)
from arena.rules import Event, MatchEnded, Outcome
from arena.story import tell
from arena.verify import Frame
from webapp.matches.drawing import felt, graph
from webapp.matches.drawing.graph import STRIP_FLOOR, STRIP_TOP
from webapp.matches.drawing.svg import Svg, el, picture, short, words
from webapp.matches.drawing.telling import Told, listed, winners, won
from webapp.matches.drawing.trading import Act, Hand, Look, hands, look, went_on

# ---- words ---------------------------------------------------------------------------------------

SIGNS = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
SUITS = {
    "C": gettext_noop("clubs"),
    "D": gettext_noop("diamonds"),
    "H": gettext_noop("hearts"),
    "S": gettext_noop("spades"),
}
RANKS = {
    "2": gettext_noop("twos"),
    "3": gettext_noop("threes"),
    "4": gettext_noop("fours"),
    "5": gettext_noop("fives"),
    "6": gettext_noop("sixes"),
    "7": gettext_noop("sevens"),
    "8": gettext_noop("eights"),
    "9": gettext_noop("nines"),
    "T": gettext_noop("tens"),
    "J": gettext_noop("jacks"),
    "Q": gettext_noop("queens"),
    "K": gettext_noop("kings"),
    "A": gettext_noop("aces"),
}
NAMED = {"poen": gettext_noop("poen"), "terz": gettext_noop("terz"), "tricon": gettext_noop("tricon")}
EQUALS = {"poen": gettext_noop("equal poens"), "terz": gettext_noop("equal terzes")}
"""Those that can be equal."""


def rank(card: str) -> str:
    """The rank as it stands on a card."""
    return "10" if card[0] == "T" else card[0]


def face(card: str) -> str:
    """A card in a line of text. The selector at its end keeps phones from drawing an emoji."""
    return f"{rank(card)}{SIGNS[card[1]]}\ufe0e"


def faces(cards: Iterable[str], between: str = " ") -> str:
    """Cards in a line of text."""
    return between.join(face(card) for card in cards)


def named(shown: Shown) -> str:
    """A combination as one says it: ``a terz of hearts``."""
    of = RANKS[shown.cards[0][0]] if shown.combination.kind == "tricon" else SUITS[shown.cards[0][1]]
    line = {"poen": _("a poen of %(of)s"), "terz": _("a terz of %(of)s"), "tricon": _("a tricon of %(of)s")}
    return line[shown.combination.kind] % {"of": _(of)}


def _points(number: int) -> str:
    return ngettext("%(n)d point", "%(n)d points", number) % {"n": number} if number else _("no points")


def _chips(number: int) -> str:
    return ngettext("%(n)d chip", "%(n)d chips", number) % {"n": number} if number else _("no chips")


def heading(event: Event, names: Sequence[str]) -> str | None:
    """The title of a hand."""
    if isinstance(event, HandBegan):
        return (_("Hand %(hand)d, dealt again") if event.redeal else _("Hand %(hand)d")) % {"hand": event.hand}
    return None


def part(number: int) -> str:
    """What a hand is called within a sentence."""
    return _("hand %(hand)d") % {"hand": number}


def truth(view: View, event: Event) -> str | None:
    """Nobody can lie here: only combinations are marked."""
    ended = isinstance(event, HandEnded) and bool(event.result.shown)
    return "shown" if ended or isinstance(event, Scored) else None


def summary(event: Event, names: Sequence[str]) -> str | None:
    """A hand in a line, from the event that ended it; None for any other event."""
    if not isinstance(event, HandEnded):
        return None
    end = event.result
    told = {
        "who": listed([names[seat] for seat in end.winners]),
        "pot": end.pot + sum(end.gains),
        "each": max(end.gains),
        "points": _points(max(end.points)),
    }
    best = next((one for one in end.shown if one.seat in end.winners), None)
    if end.how == "carried":
        line = _("Nobody takes the pot of %(pot)d")
    elif best is None:
        line = (
            _("%(who)s share the pot, %(each)d each, with %(points)s")
            if end.how == "split"
            else _("%(who)s takes %(each)d with %(points)s")
        )
    else:
        told["combination"] = named(best)
        told["equal"] = _(EQUALS[best.combination.kind]) if len(end.winners) > 1 else ""
        line = {
            "taken": _("%(who)s takes %(each)d with %(combination)s"),
            "split": _("%(who)s share the pot, %(each)d each, with %(equal)s"),
            "tied": _("%(who)s tie with %(equal)s, and the pot of %(pot)d stays"),
        }[end.how]
    return line % told


def result(view: View, outcome: Outcome, names: Sequence[str]) -> str:
    """Who won, and how, in one line. ``view`` is one of the end."""
    first, last = winners(outcome), view.last
    has = _chips(outcome.scores[first[0]])
    if outcome.reason == "hands":
        line = ngettext("%(has)s after %(n)d hand", "%(has)s after %(n)d hands", view.hand)
        return won(outcome, names, line % {"has": has, "n": view.hand})
    if last is not None and last.hand == view.hand and last.how == "taken" and last.winners == tuple(first):
        best = next((one for one in last.shown if one.seat in first), None)
        how = named(best) if best is not None else _points(max(last.points))
        line = _("took the last %(pot)d with %(how)s, and nobody else can pay the ante")
        return won(outcome, names, line % {"pot": max(last.gains), "how": how})
    if last is not None and last.hand == view.hand:
        return won(outcome, names, _("nobody else can pay the ante"))
    return won(outcome, names, _("nobody else was left at the table"))


def caption(seen: Sequence[Frame], names: Sequence[str]) -> str:
    """What has just happened at the table, in a line: for those who do not see it, and under the title."""
    events = seen[-1].events
    for event in events:
        if (line := summary(event, names)) is not None:
            return line
    view: View = seen[-1].view
    if view.phase == "over":
        return _("The match is over")
    if view.phase == "lot":
        return _("The lot decides who deals first")
    if view.phase == "deal":
        told = {"hand": view.hand, "who": names[view.banker or 0], "pot": view.pot}
        return _("Hand %(hand)d: %(who)s deals, with %(pot)d in the pot") % told
    acts = look(seen).hand.acts
    if not acts or not any(isinstance(event, _ACTS) for event in events):
        return _dealt(view, names)
    return _did(acts[-1], names)


_ACTS = (Bought, Offered, OfferRefused, Bartered, Passed, Scored, WentOut, Drew, Reshuffled)


def _dealt(view: View, names: Sequence[str]) -> str:
    told = {"pot": view.pot, "who": names[view.turn or 0]}
    return _("The cards are dealt, with %(pot)d in the pot: %(who)s begins") % told


def _did(act: Act, names: Sequence[str]) -> str:
    """An act in a sentence."""
    told = {
        "who": names[act.seat],
        "to": names[act.to],
        "pot": act.pot,
        "gave": face(act.gave) if act.gave else "",
        "got": face(act.got) if act.got else "",
        "shown": named(act.shown) if act.shown else "",
        "points": _points(act.points),
    }
    known = bool(act.gave and act.got)
    line = {
        "bought": _("%(who)s buys %(got)s for %(gave)s: %(pot)d in the pot")
        if known
        else _("%(who)s lays %(gave)s away and buys a card")
        if act.gave
        else _("%(who)s buys a card: %(pot)d in the pot"),
        "offered": _("%(who)s offers %(to)s %(gave)s") if act.gave else _("%(who)s offers %(to)s a card"),
        "bartered": _("%(who)s gives %(to)s %(gave)s for %(got)s") if known else _("%(who)s barters with %(to)s"),
        "refused": _("%(to)s refuses %(gave)s from %(who)s") if act.gave else _("%(to)s refuses a card from %(who)s"),
        "passed": _("%(who)s passes"),
        "scored": _("%(who)s shows %(shown)s: %(points)s"),
        "left": _("%(who)s leaves the table"),
    }[act.kind]
    return line % told


# ---- the story -----------------------------------------------------------------------------------


def joins(frame: Frame) -> bool:
    """An offer and its answer are one line, and so are a purchase and the card from a new stock."""
    return any(isinstance(event, OfferRefused | Bartered | Reshuffled) for event in frame.events)


def told(frames: Sequence[Frame], names: Sequence[str]) -> Told | None:
    """``mirror buys a card``, and what came of it; what belongs to the next hand is told there."""
    events = [event for frame in frames for event in frame.events]
    if any(isinstance(event, HandEnded) for event in events):
        begins = next((index for index, event in enumerate(events) if isinstance(event, HandBegan)), len(events))
        events = events[:begins]
    view: View = frames[-1].view
    hand = Hand(0, order=view.live, pots=(0,))
    lines: list[str] = []
    own: list[str] = []
    for event in events:
        hand = went_on(hand._replace(result=None), event) if _follows(hand, event) else hand
        lines += _told(event, names)
        if isinstance(event, Dealt):
            own.append(f"{names[event.seat]} {faces(event.cards)}")
    acts = [_story_line(act, names) for act in hand.acts if act.kind != "scored"]
    if not events:
        return None
    if isinstance(events[0], Dealt | CircleBegan | HandEnded):
        acts = [_("The cards are dealt"), *acts]
    if not acts and not lines:  # the answer to an offer, behind a fault that is told by itself
        return None
    first, *more = [*acts, *lines]
    return Told(first, (*more, *([" · ".join(own)] if own else [])))


def _follows(hand: Hand, event: Event) -> bool:
    """Is it about what somebody does, and is what it goes on with among these steps?"""
    if isinstance(event, Bought | Offered | Passed | Scored | WentOut):
        return True
    answers = isinstance(event, Discarded | OfferSeen | Drew | OfferRefused | Bartered | Swapped)
    return answers and bool(hand.acts)


def _story_line(act: Act, names: Sequence[str]) -> str:
    """An act in the story, where the pot stands below it or is left out."""
    if act.kind != "bought":
        return _did(act, names)
    if act.got is None or act.gave is None:
        return _("%(who)s buys a card") % {"who": names[act.seat]}
    told = {"who": names[act.seat], "got": face(act.got), "gave": face(act.gave)}
    return _("%(who)s buys %(got)s for %(gave)s") % told


def _told(event: Event, names: Sequence[str]) -> list[str]:
    """What else is told of an event, under the line of its step."""
    match event:
        case Paid() | Reshuffled() | MatchEnded():
            line = tell(GAME, event, names, translation)
        case HandBegan(_hand, banker):
            line = _("%(who)s is the banker") % {"who": names[banker]}
        case CircleBegan(circle) if circle > 1:
            line = tell(GAME, event, names, translation)
        case WentOut(_seats, False):
            line = tell(GAME, event, names, translation)
        case Scored(shown, points, total):
            line = _("%(who)s shows %(cards)s, %(combination)s: %(points)s, now %(total)d") % {
                "who": names[shown.seat],
                "cards": faces(shown.cards),
                "combination": named(shown),
                "points": _points(points),
                "total": total,
            }
        case HandEnded(end):
            showed = [
                _("%(who)s shows %(cards)s, %(combination)s")
                % {"who": names[one.seat], "cards": faces(one.cards), "combination": named(one)}
                for one in end.shown
            ]
            return [*showed, cast(str, summary(event, names))]
        case _:
            return []
    return [line] if line else []


# ---- cards ---------------------------------------------------------------------------------------

SHAPES = {
    "C": "M0 -6a2.8 2.8 0 0 1 2 4.7a2.8 2.8 0 1 1 -1.4 4.3l1.2 3h-3.6l1.2 -3a2.8 2.8 0 1 1 -1.4 -4.3a2.8 2.8 0 0 1 "
    "2 -4.7z",
    "D": "M0 -6.4L4.8 0L0 6.4L-4.8 0z",
    "H": "M0 6C-7.4 0.6 -6.2 -5.4 -3.1 -5.4C-1.3 -5.4 0 -3.8 0 -2.7C0 -3.8 1.3 -5.4 3.1 -5.4C6.2 -5.4 7.4 0.6 0 6z",
    "S": "M0 -6.4C5.6 -1.7 6.1 0 6.1 1.6C6.1 4.5 2.3 4.9 0.9 2.6L1.9 6H-1.9L-0.9 2.6"
    "C-2.3 4.9 -6.1 4.5 -6.1 1.6C-6.1 0 -5.6 -1.7 0 -6.4z",
}
"""The suits, drawn, so that they look alike everywhere."""


def _card(x: float, y: float, card: str | None, size: float = 1, class_: str = "card") -> Svg:
    """A card with its face up, or its back where it is not known."""
    body = el("rect", x=-15, y=-21, width=30, height=42, rx=4, class_=class_ if card else "card-back")
    if card is None:
        inner = [el("rect", x=-11, y=-17, width=22, height=34, rx=2, class_="card-net")]
    else:
        red = " card-red" if card[1] in "DH" else ""
        inner = [
            words(0, -2, rank(card), f"card-rank{red}"),
            el("path", d=SHAPES[card[1]], transform="translate(0 10)", class_=f"card-suit{red}"),
        ]
    return el("g", body, *inner, transform=f"translate({x:.1f} {y:.1f}) scale({size:g})")


def _fan(x: float, y: float, cards: Sequence[str | None], size: float, class_: str = "card") -> list[Svg]:
    step = 25 * size
    return [_card(x + step * (index - (len(cards) - 1) / 2), y, card, size, class_) for index, card in enumerate(cards)]


MOST_STACKED = 5


def _stack(x: float, y: float, chips: int, start: int) -> list[Svg]:
    """A stack that is as high as there are chips, roughly: a fifth of the start is one."""
    discs = min(MOST_STACKED, math.ceil(5 * chips / max(1, start)))
    if not discs:
        return [el("ellipse", cx=x, cy=y, rx=9, ry=3.4, class_="chip-none")]
    return [el("ellipse", cx=x, cy=y - 3.2 * index, rx=9, ry=3.4, class_="chip") for index in range(discs)]


# ---- the felt ------------------------------------------------------------------------------------


def table(seen: Sequence[Frame], names: Sequence[str], shape: str) -> Svg:
    """The felt as this viewer sees it."""
    view: View = seen[-1].view
    seats = len(view.chips)
    now = look(seen)
    # no hand touches a seat's frame, nor what lies in the middle
    across, near = {4: (170, 104), 5: (170, 104), 6: (160, 104)}.get(seats, (160, 116) if seats < 4 else (178, 106))
    layout = (
        felt.wide(seats, view.seat or 0, across=across, rise=182, near=near, near_many=near)
        if shape == "wide"
        else felt.tall(seats, view.seat or 0, step=138, near=75, above=44, below=152)
    )
    out = felt.went_out(seen, WentOut, lambda event: event.hand if isinstance(event, HandBegan) else None)
    parts = felt.rim(layout)
    for seat in range(seats):
        parts += [_seat(view, now, out, seat, layout, names[seat]), *_held(view, now, seat, layout)]
    parts += [*_middle(view, now, layout), *_on_its_way(view, layout)]
    return picture(layout.width, layout.height, caption(seen, names), parts, f"table table-{shape}", top=layout.top)


def _seat(view: View, now: Look, out: Mapping[int, int], seat: int, layout: felt.Layout, name: str) -> Svg:
    x, y = layout.places[seat].x, layout.places[seat].y
    plays = seat in view.live or out.get(seat) == now.hand.number
    owns = el(
        "g",
        *_stack(x - 14, y + 17.5, now.chips[seat], view.options.chips),
        words(x + 1, y + 19, str(now.chips[seat]), "f-count", "start"),
    )
    more = []
    if now.hand.banker == seat:
        at = x - 50
        more.append(
            el(
                "g",
                el("title", _("the banker")),
                el("circle", cx=at, cy=y + 13.5, r=10, class_="banker"),
                words(at, y + 18.5, _("B"), "banker-text"),
            )
        )
    acts = not now.over and seat in view.asked
    standing = _standing(view, now, out, seat)
    return felt.seat(layout, seat, name, owns, standing, *more, acts=acts, plays=plays)


def _standing(view: View, now: Look, out: Mapping[int, int], seat: int) -> felt.Standing:
    """The line under a seat's chips."""
    hand = now.hand
    gain = hand.result.gains[seat] if hand.result is not None else 0
    showed = next((one for one in hand.shown if one.seat == seat), None)
    if gain:
        what = _(NAMED[showed.combination.kind]) if showed is not None else _points(_score(view, hand, seat))
        return felt.Standing(_("%(what)s: +%(gain)d") % {"what": what, "gain": gain}, "f-brass f-new")
    if showed is not None:
        tied = hand.result is not None and seat in hand.result.winners
        line = _("%(what)s, tied") if tied else "%(what)s"
        return felt.Standing(line % {"what": _(NAMED[showed.combination.kind])}, "f-soft f-new")
    if seat in out:
        return felt.Standing(_("out in hand %(n)d") % {"n": out[seat]} if out[seat] else _("out"))
    if not now.over and seat in view.asked:
        return felt.Standing(_asked(view), "f-brass")
    points = _score(view, hand, seat)
    act = next((one for one in reversed(hand.acts) if one.circle == hand.circle and _takes_part(one, seat)), None)
    said = [_points(points)] if points else []
    if act is not None and (act.kind != "scored" or not points):
        said.append(_short(act, seat))
    return felt.Standing(" · ".join(said))


def _score(view: View, hand: Hand, seat: int) -> int:
    return sum(act.points for act in hand.acts if act.seat == seat)


def _takes_part(act: Act, seat: int) -> bool:
    return act.seat == seat or (act.to == seat and act.kind in ("bartered", "refused"))


def _short(act: Act, seat: int) -> str:
    """What a seat did last, in a word."""
    if act.kind == "refused":
        return _("refused") if act.seat != seat else _("was refused")
    return {
        "bought": _("bought"),
        "bartered": _("bartered"),
        "passed": _("passed"),
        "offered": _("offers"),
        "left": _("left"),
        "scored": _("scored"),
    }[act.kind]


def _asked(view: View) -> str:
    if view.phase == "trading":
        return _("buys or passes?") if view.offered else _("to trade")
    return _("must give a card") if view.options.barter_consent == "forced" else _("gives or refuses?")


def _held(view: View, now: Look, seat: int, layout: felt.Layout) -> list[Svg]:
    """The cards of a seat: faces where the viewer knows them, else backs."""
    count = now.counts[seat]
    if not count:
        return []
    place = layout.places[seat]
    known = now.cards[seat]
    offering = not now.over and view.phase == "offered" and seat == view.turn
    cards: list[str | None] = [None] * (count - offering)
    if known is not None:
        cards = [card for card in known if not (offering and card == view.offer)]
    showed = any(one.seat == seat for one in now.hand.shown)
    took = showed and seat in now.hand.winners
    size = 0.82 if len(now.counts) > 6 and layout.shape == "wide" else 1
    x, y = place.inner_x, place.inner_y
    return [
        el(
            "g",
            *_fan(x, y, cards, size, "card card-won" if took else "card card-shown" if showed else "card"),
            class_="held f-new" if showed else "held",
            data_seat=seat,
            data_cards=" ".join(card or "??" for card in cards),
        )
    ]


def _middle(view: View, now: Look, layout: felt.Layout) -> list[Svg]:
    """The stock, the pot, the discards, and how far the hand is."""
    x, y = layout.x, layout.y + (6 if layout.shape == "wide" else 0)
    apart = 86 if layout.shape == "wide" else 116
    size = 0.82 if len(now.counts) > 6 else 0.92
    parts: list[Svg] = []
    if view.phase not in ("lot", "deal") or now.over:
        parts += [*_pile(x - apart, y - 8, size, [None] * min(3, math.ceil(now.stock / 12)))]
        parts.append(words(x - apart, y + 29, _("stock %(n)d") % {"n": now.stock}, "f-small"))
        if view.options.discard == "pile":  # else they lie under the stock, and are counted with it
            parts += _pile(x + apart, y - 8, size, [None, now.top][-min(2, now.discards) :] if now.discards else [])
            parts.append(words(x + apart, y + 29, _("discards %(n)d") % {"n": now.discards}, "f-small"))
    pot = now.hand.pot if now.over or view.phase != "lot" else view.pot
    parts += _stack(x, y - 18, pot, view.options.chips)
    parts.append(words(x, y + 13, str(pot), "pot-count"))
    parts.append(words(x, y + 31, _where(view, now), "f-small"))
    return parts


def _where(view: View, now: Look) -> str:
    result = now.hand.result
    if result is not None:
        taken = {"taken": _("taken"), "split": _("shared"), "tied": _("tied: it stays"), "carried": _("it stays")}
        return taken[result.how]
    if now.hand.circle < 1:
        return _("in the pot")
    return _("circle %(n)d") % {"n": now.hand.circle}


def _pile(x: float, y: float, size: float, cards: Sequence[str | None]) -> list[Svg]:
    if not cards:
        return [
            el("rect", x=x - 15 * size, y=y - 21 * size, width=30 * size, height=42 * size, rx=4, class_="card-none")
        ]
    return [_card(x + 2 * index, y - 2 * index, card, size) for index, card in enumerate(cards)]


def _on_its_way(view: View, layout: felt.Layout) -> list[Svg]:
    """A card that is offered, between its owner and his neighbour."""
    if view.phase != "offered" or view.turn is None or view.offer_to is None:
        return []
    giver, to = layout.places[view.turn], layout.places[view.offer_to]
    many = len(layout.places) > 6 and layout.shape == "wide"
    size = 0.7 if many else 1
    if layout.shape == "wide":
        x, y, toward_x, toward_y = _between(layout, view.turn, view.offer_to, many)
    else:
        side = 1 if to.x > giver.x else -1 if to.x < giver.x else (1 if giver.x < layout.x else -1)
        reach = 98 if giver.x == layout.x else 62
        if giver.x == to.x == layout.x:
            side = 1
        x, y = giver.inner_x + side * reach, giver.inner_y
        toward_x, toward_y = to.inner_x - x, to.inner_y - y
    length = math.hypot(toward_x, toward_y) or 1
    toward_x, toward_y = toward_x / length, toward_y / length
    # past the edge of the card, whichever it leaves by
    edge = min(20 / abs(toward_x) if toward_x else math.inf, 26 / abs(toward_y) if toward_y else math.inf) * size
    turn = math.degrees(math.atan2(toward_y, toward_x))
    at = f"translate({x + toward_x * edge:.1f} {y + toward_y * edge:.1f}) rotate({turn:.0f})"
    return [
        el(
            "g",
            _card(x, y, view.offer, size, "card card-offered"),
            el("path", d="M0 0h13m-6 -5.5l6 5.5l-6 5.5", transform=at, class_="arrow"),
            class_="f-new",
            data_offer=view.offer or "??",
        )
    ]


def _between(layout: felt.Layout, seat: int, to: int, many: bool) -> tuple[float, float, float, float]:
    """A point on the edge of the table between two neighbours, and the direction from the one to the other."""
    first, second = (
        math.atan2(layout.places[one].y - layout.y, (layout.places[one].x - layout.x) * 182 / 298) for one in (seat, to)
    )
    across = (second - first + math.pi) % (2 * math.pi) - math.pi
    if abs(abs(across) - math.pi) < 0.01:  # two players: each of them has his own side
        across = math.pi
    middle = first + across / 2
    breadth, high = (182, 108) if many else (226, 118)
    x, y = layout.x + breadth * math.cos(middle), layout.y + 12 + high * math.sin(middle)
    sign = math.copysign(1, across)
    return x, y, -breadth * math.sin(middle) * sign, high * math.cos(middle) * sign


# ---- the market: the signature picture -----------------------------------------------------------

TOP = 34.0
BAND = 58.0


class Market(NamedTuple):
    """Where everything stands in the picture of a hand: circles are columns, seats are rows."""

    hand: Hand
    left: float
    right: float
    """Where the last circle ends."""
    first: int
    """The first circle that is shown."""
    slot: float
    """The width of one turn."""
    row: float
    """The height of one seat."""

    @property
    def rows_end(self) -> float:
        return TOP + self.row * len(self.hand.order)

    @property
    def floor(self) -> float:
        return self.rows_end + 30 + BAND

    def y(self, seat: int) -> float:
        """The line of a seat."""
        return TOP + self.row * (self.hand.order.index(seat) + 0.5)

    def circle_x(self, circle: int) -> float:
        """Where a circle begins; the first one begins after the deal."""
        return self.left + DEAL + self.slot * len(self.hand.order) * (circle - self.first)

    def x(self, act: Act) -> float:
        """The turn of a seat in its circle: who is first from the banker's left comes first."""
        return self.circle_x(act.circle) + self.slot * (self.hand.order.index(act.seat) + 0.5)

    def pot_y(self, pot: int) -> float:
        return self.floor - BAND * pot / max(1, self.hand.pot, *self.hand.pots)


DEAL = 22.0
"""The room for the deal, before the first circle."""


def _market(hand: Hand, shape: str) -> Market:
    is_wide = shape == "wide"
    left, width = (126.0, 760 - 126 - 132.0) if is_wide else (90.0, 350 - 90 - 106.0)
    seats = max(1, len(hand.order))
    least = 12 if is_wide else 9
    room = max(1, int((width - DEAL) / (least * seats)))
    circles = min(room, max(1, hand.circle))
    first = max(1, hand.circle - circles + 1)
    slot = min((width - DEAL) / (circles * seats), 120 if is_wide else 50)
    row = min(44.0, max(25.0, 230 / seats))
    return Market(hand, left, left + DEAL + slot * seats * circles, first, slot, row)


def signature(seen: Sequence[Frame], names: Sequence[str], shape: str) -> Svg:
    """Who bought, bartered and passed in which circle, how the pot grew, and which combinations fell."""
    view: View = seen[-1].view
    now = look(seen)
    market = _market(now.hand, shape)
    width = 760.0 if shape == "wide" else 350.0
    height = market.floor + 30
    label = _market_words(now.hand, names)
    if not now.hand.order:
        text = words(width / 2, 60, _("The lot decides who deals first"), "x-soft")
        return picture(width, 110, label, [text], f"signature signature-{shape}")
    parts = [*_rows(market, names), *_columns(market), *_band(market, names, shape)]
    for act in now.hand.acts:
        if act.circle >= market.first:
            parts += _sign(market, act)
    if not now.over and view.turn is not None and view.phase in ("trading", "offered"):
        turn = Act("turn", view.turn, now.hand.circle, 0)
        if not any(act.seat == view.turn and act.circle == turn.circle for act in now.hand.acts):
            parts.append(el("circle", cx=market.x(turn), cy=market.y(view.turn), r=4.5, class_="m-turn"))
    parts += _ends(market, now, shape)
    return picture(width, height, label, parts, f"signature signature-{shape}")


def _rows(market: Market, names: Sequence[str]) -> Iterator[Svg]:
    for seat in market.hand.order:
        y = market.y(seat)
        yield el("line", x1=market.left, x2=market.right, y1=y, y2=y, class_="grid")
        class_ = "x-name x-won" if seat in market.hand.winners else "x-name"
        yield words(market.left - 9, y + 4.5, _fitted(names[seat], market.left - 12), class_, "end")


def _fitted(name: str, width: float) -> str:
    """A name that is cut where it must be, but not the number that tells it from its like."""
    own, sign, number = name.rpartition(" (")
    if not sign or not number.removesuffix(")").isdigit():
        return short(name, width, 13.5)
    return short(own, width - 7.6 * (len(number) + 2), 13.5) + sign + number


def _columns(market: Market) -> Iterator[Svg]:
    hand = market.hand
    breadth = market.slot * len(hand.order)
    for circle in range(market.first, hand.circle + 1):
        x = market.circle_x(circle)
        yield el("line", x1=x, x2=x, y1=TOP - 4, y2=market.floor, class_="grid")
        text = _("circle %(n)d") % {"n": circle} if breadth >= 64 else str(circle)
        yield words(x + breadth / 2, TOP - 14, text, "x-soft")
    if market.first > 1:
        before = market.first - 1
        more = ngettext("%(n)d circle before", "%(n)d circles before", before)
        yield words(4, 13, more % {"n": before}, "x-soft", "start")


def _band(market: Market, names: Sequence[str], shape: str) -> Iterator[Svg]:
    """The pot, from step to step."""
    hand = market.hand
    steps = [(market.left, hand.pots[0] if market.first == 1 else hand.pots[market.first])]
    for circle in range(market.first, hand.circle + 1):
        steps.append((market.circle_x(circle), hand.pots[circle]))
        steps += [(market.x(act), act.pot) for act in hand.acts if act.circle == circle]
    right = market.right if hand.circle else market.left + DEAL
    path = f"M{market.left:.1f} {market.floor:.1f}V{market.pot_y(steps[0][1]):.1f}"
    path += "".join(f"H{x:.1f}V{market.pot_y(pot):.1f}" for x, pot in steps[1:])
    top = path.replace(f"M{market.left:.1f} {market.floor:.1f}V", f"M{market.left:.1f} ", 1) + f"H{right:.1f}"
    yield el("path", d=f"{path}H{right:.1f}V{market.floor:.1f}z", class_="pot-band")
    yield el("path", d=top, class_="pot-line")
    yield words(market.left - 9, market.floor - 2, _("pot"), "x-soft", "end")
    written, free = hand.pot, market.left
    for circle in range(market.first, hand.circle):
        pot, x = hand.pots[circle + 1], market.circle_x(circle + 1)
        if pot != written and x - free >= 24:
            yield words(x - 4, market.pot_y(pot) - 5, str(pot), "x-dice", "end")
            written, free = pot, x
    level, result = market.pot_y(hand.pot) + 5, hand.result
    end = (_("%(pot)d to") if hand.winners else "%(pot)d") % {"pot": hand.pot}
    yield words(right + 8, level, end, "x-total x-pot", "start")
    if result is not None:
        stays = _("tied: it stays") if result.how == "tied" else _("it stays")
        to = listed([names[seat] for seat in hand.winners]) or stays
        yield words(right + 8, level + 18, _fitted(to, 120 if shape == "wide" else 76), "x-name", "start")


def _sign(market: Market, act: Act) -> Iterator[Svg]:
    """The mark of an act, with the cards that the viewer knows where there is room for them."""
    x, y = market.x(act), market.y(act.seat)
    roomy = market.slot >= 34
    apart = 6 if market.slot >= 26 else 3
    after_refusal = act.kind in ("bought", "passed") and any(
        one.kind == "refused" and (one.seat, one.circle) == (act.seat, act.circle) for one in market.hand.acts
    )
    if act.kind == "bought":
        yield _bought(x + (apart if after_refusal else 0), y)
        if roomy and act.got:
            yield words(x, y - 9.5, face(act.got), "x-dice")
    elif act.kind in ("bartered", "refused", "offered"):
        yield from _barter(market, act, x - (apart if act.kind == "refused" else 0), y)
        if roomy and act.kind == "bartered" and act.got and act.gave:
            up = 1 if market.y(act.to) > y else -1
            yield words(x + 7, y - up * 7 + (0 if up > 0 else 9), face(act.got), "x-dice", "start")
            yield words(x + 7, market.y(act.to) + (15 if up > 0 else -7), face(act.gave), "x-dice", "start")
    elif act.kind == "passed":
        yield el("circle", cx=x + (apart if after_refusal else 0), cy=y, r=2.6, class_="m-pass")
    elif act.kind == "scored":
        yield _combined(x, y, "m-best")
        if market.slot >= 16:
            yield words(x, y - 9, f"+{act.points}", "x-dice")
    elif act.kind == "left":
        yield el("path", d=f"M{x:.1f} {y - 7:.1f}v14", class_="m-end")


def _bought(x: float, y: float) -> Svg:
    return el("rect", x=x - 4, y=y - 6, width=8, height=12, rx=1.5, class_="m-buy")


def _combined(x: float, y: float, class_: str) -> Svg:
    """Three cards side by side."""
    return el("path", d=f"M{x - 5:.1f} {y - 6:.1f}v12m5 -12v12m5 -12v12", class_=f"m-combination {class_}")


def _barter(market: Market, act: Act, x: float, y: float) -> Iterator[Svg]:
    """An arrow to the neighbour and back; a stop where he refuses; an open end while he thinks."""
    to = market.y(act.to)
    down = 1 if to > y else -1
    bow = 0 if abs(to - y) < market.row * 1.5 else 9  # past the seats between
    end, start = to - down * 3, y + down * 3
    middle = (start + end) / 2
    path = f"M{x:.1f} {start:.1f}Q{x + 2 * bow:.1f} {middle:.1f} {x:.1f} {end:.1f}"
    if act.kind == "refused":
        short_of = y + down * market.row * 0.62
        yield el("path", d=f"M{x:.1f} {y:.1f}V{short_of:.1f}m-4.5 0h9", class_="m-refused")
        return
    yield el("path", d=path, class_="m-barter" if act.kind == "bartered" else "m-barter m-asked")
    lean = 2.6 if bow else 0
    for at, way in [(end, down)] + ([(start, -down)] if act.kind == "bartered" else []):
        back = at - way * 5.5
        head = f"M{x - 4 + lean:.1f} {back:.1f}L{x:.1f} {at:.1f}L{x + 4 + lean:.1f} {back:.1f}"
        yield el("path", d=head, class_="m-head")


def _ends(market: Market, now: Look, shape: str) -> Iterator[Svg]:
    """At the right what was shown, and what else the viewer knows of the hands."""
    hand = now.hand
    right = market.right if hand.circle else market.left + DEAL
    for seat in hand.order:
        y, cards = market.y(seat), now.cards[seat]
        showed = any(one.seat == seat for one in hand.shown)
        if showed:
            best = hand.result is not None and seat in hand.result.winners
            yield _combined(right + 14, y, "m-best" if best else "m-lesser")
        if cards and (showed or shape == "wide"):
            at = right + 28 if shape == "wide" else right + 25
            text = faces(cards, " " if shape == "wide" else "")
            yield words(at, y + 4.5, text, "x-name" if showed else "x-soft", "start")


def _market_words(hand: Hand, names: Sequence[str]) -> str:
    """The picture in a line, for those who do not see it."""
    line = _("Hand %(hand)d: %(circles)s, %(pot)d in the pot") % {
        "hand": hand.number,
        "circles": ngettext("%(n)d circle", "%(n)d circles", hand.circle) % {"n": max(0, hand.circle)},
        "pot": hand.pot,
    }
    told = summary(HandEnded(hand.result), names) if hand.result is not None else None
    return f"{line}; {told}" if told else line


def signature_title(number: int) -> str:
    """What the signature picture of a hand is called."""
    return _("The market, hand %(hand)d") % {"hand": number}


def key(_seen: Sequence[Frame]) -> list[tuple[str, str]]:
    """What the marks of the market mean."""
    return [
        ("buy", _("bought")),
        ("barter", _("bartered")),
        ("refused", _("refused")),
        ("pass", _("passed")),
        ("combination", _("combination")),
        ("pot", _("the pot")),
    ]


# ---- the market, small: a whole match ------------------------------------------------------------


MOST_STEPS = 12
"""Of a longer hand only so many circles stand in the small picture, the last ones."""


def strip(seen: Iterable[Frame]) -> Svg:
    """The pots of a match, small enough for a row of a table: its last hands side by side."""
    every = [hand for hand in hands(seen) if hand.result is not None]
    placed = graph.packed(every, [min(hand.circle + 1, MOST_STEPS) for hand in every], 6)
    most = max((hand.pot for _places, hand in placed), default=1) or 1
    parts: list[Svg] = []
    for places, hand in placed:
        parts += _small(hand, places, (STRIP_FLOOR - STRIP_TOP - 6) / most)
    taken = sum(bool(hand.winners) for hand in every)
    label = ngettext("%(n)d pot was taken", "%(n)d pots were taken", taken) % {"n": taken}
    return graph.strip(parts, len(every), label)


def _small(hand: Hand, places: Sequence[float], high: float) -> Iterator[Svg]:
    gap = places[1] - places[0] if len(places) > 1 else 7.0
    pots = [*hand.pots[1:], hand.pot][-len(places) :]
    left = places[0] - gap / 2
    path = f"M{left:.1f} {STRIP_FLOOR:g}"
    for x, pot in zip(places, pots, strict=False):
        path += f"V{STRIP_FLOOR - high * pot:.1f}H{x + gap / 2:.1f}"
    yield el("path", d=f"{path}V{STRIP_FLOOR:g}z", class_="pot-band pot-small")
    columns = dict(zip(range(hand.circle, -1, -1), reversed(places), strict=False))
    fell = [(hand.circle, one) for one in hand.shown if one.seat in (hand.result.winners if hand.result else ())]
    scored = [(act.circle, act.shown) for act in hand.acts if act.shown is not None]
    risen: dict[int, int] = {}
    for circle, one in [*fell[:1], *scored]:
        if circle not in columns:
            continue
        pot = pots[len(places) - 1 - (hand.circle - circle)]
        for _dot in range(1 + KINDS.index(one.combination.kind)):
            level = STRIP_FLOOR - high * pot - 3.4 - 4.2 * risen.get(circle, 0)
            risen[circle] = risen.get(circle, 0) + 1
            if level > 1:
                yield el("circle", cx=columns[circle], cy=level, r=1.7, class_="m-dot")


def legend() -> str:
    """How to read the small pictures."""
    return _(
        "the pot grows from circle to circle until a combination takes it. One dot is a poen, two are a terz, "
        "three a tricon."
    )


# ---- the rules' page -----------------------------------------------------------------------------


class Kind(NamedTuple):
    """A combination, as the rules' page shows it."""

    name: str
    cards: Svg
    meaning: str
    share: str
    """How many of all hands it is."""


@cache
def _counted() -> Mapping[str, int]:
    """How many of all hands of three cards are which combination."""
    found = dict.fromkeys(KINDS, 0)
    for cards in combinations(DECK, 3):
        made = combination.__wrapped__(cards)
        if made is not None:
            found[made.kind] += 1
    return found


def page() -> dict[str, object]:
    """The combinations, the highest first, each with an example."""
    examples = {
        "tricon": (("KC", "KD", "KH"), _("three of one rank")),
        "terz": (("8H", "9H", "TH"), _("three of one suit in a row")),
        "poen": (("3S", "7S", "QS"), _("three of one suit")),
    }
    every = math.comb(len(DECK), 3)
    return {
        "combinations": [
            Kind(
                _(NAMED[kind]),
                picture(90, 48, faces(cards), _fan(45, 24, cards, 1), "cards"),
                meaning,
                _("%(share)s %%") % {"share": number_format(f"{100 * _counted()[kind] / every:.3g}")},
            )
            for kind, (cards, meaning) in examples.items()
        ]
    }
