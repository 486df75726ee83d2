"""Commerce: what purchases and barters could bring.

Nobody can lie here. What a player can tell is how many of the cards that he has not seen in this hand would complete
a combination with the two that he keeps: each of them is taken to be as likely as the others to lie on top of the
stock, or to be the card that a neighbour gives. A new stock is made of the discards; there he knows his own among
them. A card that he gave away is taken to be where he gave it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from arena.games.commerce import (
    DECK,
    Bartered,
    Bought,
    Dealt,
    Discarded,
    Drew,
    HandBegan,
    HandEnded,
    Offered,
    OfferRefused,
    OfferSeen,
    Reshuffled,
    Scored,
    Swapped,
    View,
    WentOut,
)
from arena.insight.chances import race
from arena.insight.model import Moment, Note, Swing
from arena.rules import Event
from arena.verify import Frame

Cards = tuple[str, ...]


RANKS = {card[0]: frozenset(other for other in DECK if other[0] == card[0]) for card in DECK}
SUITS = {card[1]: frozenset(other for other in DECK if other[1] == card[1]) for card in DECK}


def completing(kept: Cards) -> frozenset[str]:
    """The cards that make a combination with these two: the rest of their rank, or of their suit."""
    one, other = kept
    if one[0] == other[0]:
        return RANKS[one[0]].difference(kept)
    return SUITS[one[1]].difference(kept) if one[1] == other[1] else frozenset()


def without(hand: Iterable[str], card: str) -> Cards:
    """What is kept of a hand."""
    return tuple(own for own in hand if own != card)


class Eyes:
    """What one seat has seen in a hand, and so what the stock may hold for it."""

    def __init__(self) -> None:
        self.seen: set[str] = set()
        self.pile: set[str] = set()
        """Its own discards, where they lie in a pile."""
        self.mixed: set[str] = set()
        """Those of them that were shuffled into the present stock."""
        self.size = 0
        """How many cards that stock had that this seat has not drawn itself; 0: it is the first stock."""

    def unseen(self, wanted: frozenset[str]) -> float:
        """The chance that a card that this seat has not seen is one of ``wanted``."""
        hidden = len(DECK) - len(self.seen)
        return len(wanted - self.seen) / hidden if hidden else 0.0

    def stock(self, wanted: frozenset[str]) -> float:
        """The chance that the top card of the stock is one of ``wanted``."""
        return self._of(wanted, self.mixed, self.size) if self.size else self.unseen(wanted)

    def new_stock(self, wanted: frozenset[str], discard: str, size: int) -> float:
        """The same where this purchase has all ``size`` discards, its own among them, shuffled into a new stock."""
        return self._of(wanted, self.pile | {discard}, size)

    def _of(self, wanted: frozenset[str], known: set[str], size: int) -> float:
        own = len(known)
        return (len(wanted & known) + (size - own) * self.unseen(wanted)) / size


def notes(seen: Sequence[Frame]) -> Iterator[Note]:
    """What each purchase, offer and answer could bring, as far as the viewer can see it."""
    eyes: dict[int, Eyes] = {}
    for step, frame in enumerate(seen):
        before: View = seen[step - 1].view if step else frame.view
        for event in frame.events:
            found = _note(step, before, frame, event, eyes)
            if found is not None:
                yield found
        for event in frame.events:
            _see(eyes, before, event)


def _see(eyes: dict[int, Eyes], before: View, event: Event) -> None:
    match event:
        case HandBegan():
            eyes.clear()
        case Dealt(seat, cards):
            eyes.setdefault(seat, Eyes()).seen.update(cards)
        case Discarded(seat, card) if seat in eyes:
            eyes[seat].pile.add(card)
        case Reshuffled(cards):
            for own in eyes.values():
                own.mixed, own.pile, own.size = own.pile, set(), cards
        case Drew(seat, card) if seat in eyes:
            own = eyes[seat]
            own.seen.add(card)
            own.mixed.discard(card)
            own.size -= own.size > 1
        case OfferSeen(seat, card) if seat in eyes:
            eyes[seat].seen.add(card)
        case Swapped(seat, _, got) if seat in eyes:
            eyes[seat].seen.add(got)
            eyes[seat].mixed.discard(got)
        case Scored(shown):
            for own in eyes.values():
                own.seen.update(shown.cards)


def _note(step: int, before: View, frame: Frame, event: Event, eyes: dict[int, Eyes]) -> Note | None:
    match event:
        case Bought(seat):
            return _buy(step, before, frame, seat, eyes)
        case Offered(seat, to):
            return _offer(step, before, frame.view, seat, to, eyes)
        case Bartered(_, to):
            return _answer(step, before, frame, to, eyes)
        case OfferRefused(_, to) if not any(isinstance(other, WentOut) for other in frame.events):
            return _answer(step, before, frame, to, eyes)
    return None


def _buy(step: int, before: View, frame: Frame, seat: int, eyes: dict[int, Eyes]) -> Note | None:
    hand, own = before.hands[seat], eyes.get(seat)
    gone = next((one.card for one in frame.events if isinstance(one, Discarded) and one.seat == seat), None)
    if hand is None or own is None or gone is None:
        return None
    wanted = completing(without(hand, gone))
    drew = next((one.card for one in frame.events if isinstance(one, Drew)), None)
    if before.options.discard == "bottom":
        chance = _from_the_bottom(before, seat, gone, own, wanted)
    elif before.stock:
        chance = own.stock(wanted)
    else:
        chance = own.new_stock(wanted, gone, len(before.discards) + 1)
    truth = None if drew is None else "made" if drew in wanted else "missed"
    return Note(step, seat, "buy", f"buy {gone}", truth, own=chance)


def _from_the_bottom(before: View, seat: int, gone: str, own: Eyes, wanted: frozenset[str]) -> float:
    """The chance where discards go under the stock: they come up again in their order, the oldest first."""
    if before.stock > len(before.discards):
        return own.unseen(wanted)
    if not before.discards:
        return float(gone in wanted)
    top = before.discards[0]
    return float(top.card in wanted) if top.seat == seat else own.unseen(wanted)


def _offer(step: int, before: View, after: View, seat: int, to: int, eyes: dict[int, Eyes]) -> Note | None:
    hand, own, card = before.hands[seat], eyes.get(seat), after.offer
    if hand is None or own is None or card is None:
        return None
    kept = without(hand, card)
    wanted = completing(kept)
    theirs = before.hands[to]
    truth = None
    if theirs is not None:
        helps = any(card in completing(without(theirs, given)) for given in theirs)
        gets = any(given in wanted for given in theirs)
        truth = {(True, True): "both", (True, False): "theirs", (False, True): "own"}.get((helps, gets), "neither")
    return Note(step, seat, "offer", f"offer {card}", truth, own=own.unseen(wanted), about=to)


def _answer(step: int, before: View, frame: Frame, seat: int, eyes: dict[int, Eyes]) -> Note | None:
    hand, own = before.hands[seat], eyes.get(seat)
    if hand is None or own is None or before.turn is None:
        return None
    swapped = next((one for one in frame.events if isinstance(one, Swapped) and one.seat == seat), None)
    knew = before.options.offer_visible == "on"
    card = swapped.got if swapped is not None else before.offer
    gives = hand if swapped is None else (swapped.gave,)
    wanted = [completing(without(hand, given)) for given in gives]
    known = None if card is None else any(card in one for one in wanted)
    chance = float(known) if knew and known is not None else max(own.unseen(one) for one in wanted)
    what = "refuse" if swapped is None else f"give {swapped.gave}"
    truth = None if known is None else "made" if known else "missed"
    return Note(step, seat, what.split()[0], what, truth, own=chance, knew=knew, about=before.turn)


def ends(event: Event) -> bool:
    """Does it end a hand?"""
    return isinstance(event, HandEnded)


def chances(view: View) -> tuple[float, ...]:
    """By the chips: each hand that is left gives one player, by lot, the antes of all, and this one what the pot holds.

    Where one plays until one player has all, it is his share of the chips, the pot being shared alike: so it is in any
    fair game.
    """
    options = view.options
    chips = [view.chips[seat] for seat in view.live]
    if options.end == "last_with_chips":
        each = view.pot / len(chips)
        whole = sum(chips) + view.pot
        own: Sequence[float] = [(have + each) / whole for have in chips]
    else:
        prize = len(chips) * options.ante
        left = max(0, options.hands - max(view.hand, 1) + 1)
        own = race(chips, left, prize, max(prize, view.pot))
    found = dict.fromkeys(range(len(view.chips)), 0.0)
    found |= zip(view.live, own, strict=True)
    return tuple(found.values())


def moment(event: Event, swing: Swing, noted: Note | None) -> Moment | None:
    """How a hand ended, as something to be told."""
    if not isinstance(event, HandEnded) or event.result.how not in ("taken", "split"):
        return None
    end = event.result
    winner = end.winners[0]
    best = next((one for one in end.shown if one.seat == winner), None)
    what = best.combination.kind if best is not None else "most_points"
    other = end.winners[1] if len(end.winners) > 1 else -1
    return Moment(swing.step, f"pot_{end.how}", winner, other, what, swing.seat, swing.change(swing.seat), 1.0)
