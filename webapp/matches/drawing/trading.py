"""Hands of Commerce as one viewer has seen them: what was done, and what lies on the table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from arena.games.commerce import (
    DECK,
    Bartered,
    Bought,
    CircleBegan,
    Dealt,
    Discarded,
    Drew,
    HandBegan,
    HandEnded,
    HandResult,
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
)
from arena.rules import Event, MatchEnded
from arena.verify import Frame

Cards = tuple[str, ...]


class Act(NamedTuple):
    """Something that a seat did, as far as the viewer knows."""

    kind: str
    """``bought``, ``offered``, ``bartered``, ``refused``, ``passed``, ``scored`` or ``left``."""
    seat: int
    circle: int
    pot: int
    """Chips in the pot afterwards."""
    to: int = -1
    """The neighbour of an offer."""
    gave: str | None = None
    """What was discarded, or offered."""
    got: str | None = None
    shown: Shown | None = None
    points: int = 0


class Hand(NamedTuple):
    """A hand as far as the viewer has seen it."""

    number: int
    banker: int = -1
    order: tuple[int, ...] = ()
    """Who takes part, clockwise from the banker's left."""
    pots: tuple[int, ...] = ()
    """What was in the pot when the cards were dealt, and when each circle began."""
    acts: tuple[Act, ...] = ()
    result: HandResult | None = None

    @property
    def circle(self) -> int:
        """The present one, or the last one."""
        return len(self.pots) - 1

    @property
    def pot(self) -> int:
        """What is in the pot, or was before somebody took it."""
        if self.result is not None:
            return self.result.pot + sum(self.result.gains)
        last = [act.pot for act in self.acts if act.circle == self.circle]
        return last[-1] if last else self.pots[-1] if self.pots else 0

    @property
    def shown(self) -> tuple[Shown, ...]:
        """The combinations that were laid open at the end."""
        return self.result.shown if self.result is not None else ()

    @property
    def winners(self) -> tuple[int, ...]:
        """Who took the pot, or shared it."""
        return tuple(seat for seat, gain in enumerate(self.result.gains) if gain) if self.result is not None else ()


def hands(seen: Iterable[Frame]) -> tuple[Hand, ...]:
    """The hands of what was seen."""
    found: list[Hand] = []
    for frame in seen:
        view: View = frame.view
        for event in frame.events:
            if isinstance(event, HandBegan):
                found.append(_began(view, event))
            elif found and found[-1].result is None:
                found[-1] = went_on(found[-1], event)
    return tuple(found)


def _began(view: View, event: HandBegan) -> Hand:
    seats, banker = view.live, event.banker
    order = (*(seat for seat in seats if seat > banker), *(seat for seat in seats if seat <= banker))
    return Hand(event.hand, banker, order, (view.pot,))


def went_on(hand: Hand, event: Event) -> Hand:
    """The hand after one more event of it."""
    circle, pot = hand.circle, hand.pot
    match event:
        case HandEnded(result):
            return hand._replace(result=result)
        case CircleBegan():
            return hand._replace(pots=(*hand.pots, pot))
        case Paid("circle", _paid, after):
            return hand._replace(pots=(*hand.pots[:-1], after))
        case Paid("score", _paid, after):
            return _corrected(hand, pot=after)
        case Bought(seat, fee, payee):
            act = Act("bought", seat, circle, pot + (fee if payee is None else 0))
        case Offered(seat, to):
            act = Act("offered", seat, circle, pot, to)
        case Passed(seat):
            act = Act("passed", seat, circle, pot)
        case Scored(shown, points):
            act = Act("scored", shown.seat, circle, pot, shown=shown, points=points)
        case WentOut(seats, True):
            return hand._replace(acts=(*hand.acts, *(Act("left", seat, circle, pot) for seat in seats)))
        case Discarded(_seat, card) | OfferSeen(_seat, card):
            return _corrected(hand, gave=card)
        case Drew(_seat, card):
            return _corrected(hand, got=card)
        case OfferRefused(seat, to):
            return _corrected(hand, "offered", kind="refused")
        case Bartered():
            return _corrected(hand, "offered", kind="bartered")
        case Swapped(seat, gave, got):
            own = seat == hand.acts[-1].seat
            return _corrected(hand, gave=gave if own else got, got=got if own else gave)
        case _:
            return hand
    return hand._replace(acts=(*hand.acts, act))


def _corrected(hand: Hand, of: str | None = None, **changes: object) -> Hand:
    """What becomes known of the last act, or of the last one that is ``of`` a kind."""
    for index in range(len(hand.acts) - 1, -1, -1):
        if of in (None, hand.acts[index].kind):
            act = hand.acts[index]._replace(**changes)  # type: ignore[arg-type]
            return hand._replace(acts=(*hand.acts[:index], act, *hand.acts[index + 1 :]))
    return hand


class Look(NamedTuple):
    """What lies on the table: the hand in progress, or the one that this very step has ended."""

    hand: Hand
    over: bool
    cards: tuple[Cards | None, ...]
    """Of each seat, as far as the viewer knows."""
    counts: tuple[int, ...]
    """How many cards each seat holds."""
    chips: tuple[int, ...]
    stock: int
    discards: int
    top: str | None
    """The last discard, as far as the viewer knows."""


def look(seen: Sequence[Frame]) -> Look:
    """The step that ends a hand has gathered the cards in: the table still shows how they lay."""
    view: View = seen[-1].view
    over = any(isinstance(event, HandEnded | MatchEnded) for event in seen[-1].events)
    hand = _hand(seen, over)
    if not over:
        held = 3 if view.phase in ("trading", "offered", "reshuffle") else 0
        counts = tuple(
            held - (view.phase == "reshuffle" and seat == view.turn) if seat in view.live else 0
            for seat in range(len(view.chips))
        )
        top = view.discards[-1].card if view.discards else None
        return Look(hand, over, view.hands, counts, view.chips, view.stock, len(view.discards), top)
    return _at_the_end(seen, hand)


def _hand(seen: Sequence[Frame], over: bool) -> Hand:
    for index in range(len(seen) - 1 - over, -1, -1):
        if any(isinstance(event, HandBegan) for event in seen[index].events):
            return hands(seen[index:])[0]
    return Hand(0)


def _at_the_end(seen: Sequence[Frame], hand: Hand) -> Look:
    """The cards as they lay before, and what this step did to them."""
    before: View = seen[-2].view
    view: View = seen[-1].view
    cards = list(before.hands)
    stock, discards = before.stock, len(before.discards)
    top = before.discards[-1].card if before.discards else None
    if before.phase == "deal":
        stock = len(DECK) - 3 * len(hand.order)
    chips = list(view.chips)
    bare: set[int] = set()  # who has no cards any more
    later = False
    for event in seen[-1].events:
        match event:
            case HandBegan():
                later = True
            case Paid(_why, paid) if later:  # the ante of the next hand
                chips = [own + more for own, more in zip(chips, paid, strict=True)]
            case Dealt(seat, dealt):
                cards[seat] = dealt
            case Bought():
                discards, top = discards + 1, None
                if view.options.discard == "pile":  # else the discard is under the stock already
                    stock = max(0, stock - 1)
            case Reshuffled(number):
                discards, stock, top = 0, number - 1, None
            case Discarded(seat, card):
                top = card
                cards[seat] = tuple(own for own in cards[seat] or () if own != card)
            case Drew(seat, card):
                cards[seat] = _sorted((*(cards[seat] or ()), card))
            case Swapped(seat, gave, got) if cards[seat] is not None:
                cards[seat] = _sorted((*(own for own in cards[seat] or () if own != gave), got))
            case Scored(shown):
                cards[shown.seat] = None
                if stock < 3:  # the hand ends without new ones
                    bare.add(shown.seat)
                discards, stock, top = discards + 3, max(0, stock - 3), shown.cards[-1]
            case WentOut(seats, True):
                bare |= set(seats)
    for shown in hand.shown:
        cards[shown.seat] = shown.cards
    counts = tuple(3 if seat in before.live and seat not in bare else 0 for seat in range(len(chips)))
    return Look(hand, True, tuple(cards), counts, tuple(chips), stock, discards, top)


def _sorted(cards: Iterable[str]) -> Cards:
    return tuple(sorted(cards, key=DECK.index))
