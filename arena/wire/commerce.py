"""Commerce on the wire."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Literal, TypeVar

from arena.chance import FRESH_DECK
from arena.games import commerce as domain
from arena.protocol.v1 import arena_pb2 as pb
from arena.protocol.v1 import commerce_pb2 as cards
from arena.rules import MatchEnded, Outcome, Ruleset
from arena.wire.codec import WireError

_WORDS: dict[str, cards.CommerceWord] = {"refuse": cards.COMMERCE_WORD_REFUSE, "pass": cards.COMMERCE_WORD_PASS}
_WORDS_BACK = {number: domain.WORDS[word] for word, number in _WORDS.items()}

_PHASES: dict[domain.Phase, cards.CommercePhase] = {
    "lot": cards.COMMERCE_PHASE_LOT,
    "deal": cards.COMMERCE_PHASE_DEAL,
    "trading": cards.COMMERCE_PHASE_TRADING,
    "offered": cards.COMMERCE_PHASE_OFFERED,
    "reshuffle": cards.COMMERCE_PHASE_RESHUFFLE,
    "over": cards.COMMERCE_PHASE_OVER,
}
_PHASES_BACK = {number: phase for phase, number in _PHASES.items()}

_KINDS: dict[str, cards.CommerceKind] = {
    "poen": cards.COMMERCE_KIND_POEN,
    "terz": cards.COMMERCE_KIND_TERZ,
    "tricon": cards.COMMERCE_KIND_TRICON,
}
_KINDS_BACK = {number: kind for kind, number in _KINDS.items()}

_HOWS: dict[Literal["taken", "split", "tied", "carried"], cards.CommerceHow] = {
    "taken": cards.COMMERCE_HOW_TAKEN,
    "split": cards.COMMERCE_HOW_SPLIT,
    "tied": cards.COMMERCE_HOW_TIED,
    "carried": cards.COMMERCE_HOW_CARRIED,
}
_HOWS_BACK = {number: how for how, number in _HOWS.items()}

_PAYMENTS: dict[Literal["ante", "circle", "tie", "score"], cards.CommercePayment] = {
    "ante": cards.COMMERCE_PAYMENT_ANTE,
    "circle": cards.COMMERCE_PAYMENT_CIRCLE,
    "tie": cards.COMMERCE_PAYMENT_TIE,
    "score": cards.COMMERCE_PAYMENT_SCORE,
}
_PAYMENTS_BACK = {number: why for why, number in _PAYMENTS.items()}

T = TypeVar("T")


def _known(words: Mapping[Any, T], number: int, what: str) -> T:
    word = words.get(number)
    if word is None:
        raise WireError(f"the {what} {number} of Commerce is unknown")
    return word


# ---- moves ---------------------------------------------------------------------------------------


def _build_move(move: domain.Move) -> pb.Move:
    kind, card = move
    if kind == "buy":
        inner = cards.CommerceMove(buy=card)
    elif kind == "offer":
        inner = cards.CommerceMove(offer=card)
    elif kind == "give":
        inner = cards.CommerceMove(give=card)
    else:
        inner = cards.CommerceMove(word=_WORDS[kind])
    return pb.Move(commerce=inner)


# Building a message is what costs, and there are few moves: all of them are built once.
_EVERY_MOVE = (
    *(domain.Move(kind, card) for kind in domain.WITH_CARD for card in FRESH_DECK),
    *domain.WORDS.values(),
)
_MESSAGES = {move: _build_move(move) for move in _EVERY_MOVE}
_MOVES = {message.SerializeToString(): move for move, message in _MESSAGES.items()}


def _inner_move(message: cards.CommerceMove) -> domain.Move:
    which = message.WhichOneof("move")
    if which is None:
        raise WireError("a move of Commerce that says nothing: set buy, offer, give or word")
    if which == "word":
        if message.word not in _WORDS_BACK:
            raise WireError(f"the word {message.word} is unknown: 1 is refuse, 2 pass")
        return _WORDS_BACK[message.word]
    move = domain.Move(which, getattr(message, which))
    if move not in _MESSAGES:
        raise WireError(
            f"{move.card[:8]!a} is no card: a card is its rank, one of 23456789TJQKA, and suit, one of CDHS"
        )
    return move


# ---- combinations, and how a hand ended ----------------------------------------------------------


@lru_cache(maxsize=2048)
def _shown(shown: domain.Shown) -> cards.CommerceShown:
    kind, heights = shown.combination
    return cards.CommerceShown(seat=shown.seat, cards=shown.cards, kind=_KINDS[kind], heights=heights)


def _shown_back(message: cards.CommerceShown) -> domain.Shown:
    kind = _known(_KINDS_BACK, message.kind, "combination")
    return domain.Shown(message.seat, tuple(message.cards), domain.Combination(kind, tuple(message.heights)))


# Each seat is told the same result, as an event and then in every view of the next hand.
@lru_cache(maxsize=256)
def _result(result: domain.HandResult) -> cards.CommerceHandResult:
    return cards.CommerceHandResult(
        hand=result.hand,
        how=_HOWS[result.how],
        shown=[_shown(shown) for shown in result.shown],
        winners=result.winners,
        gains=result.gains,
        points=result.points,
        pot=result.pot,
    )


def _result_back(message: cards.CommerceHandResult) -> domain.HandResult:
    return _result_of(message.SerializeToString())


@lru_cache(maxsize=256)
def _result_of(text: bytes) -> domain.HandResult:
    message = cards.CommerceHandResult.FromString(text)
    return domain.HandResult(
        hand=message.hand,
        how=_known(_HOWS_BACK, message.how, "end of a hand"),
        shown=tuple(map(_shown_back, message.shown)),
        winners=tuple(message.winners),
        gains=tuple(message.gains),
        points=tuple(message.points),
        pot=message.pot,
    )


@lru_cache(maxsize=2048)
def _discard(discard: domain.Discard) -> cards.CommerceDiscard:
    return cards.CommerceDiscard(seat=discard.seat, card=discard.card, shown=discard.shown)


def _discard_back(message: cards.CommerceDiscard) -> domain.Discard:
    return domain.Discard(message.seat, message.card if message.HasField("card") else None, message.shown)


# ---- events --------------------------------------------------------------------------------------


def _event(event: domain.CommerceEvent) -> cards.CommerceEvent:  # one case a kind
    match event:
        case domain.HandBegan(hand, banker, redeal):
            return cards.CommerceEvent(hand_began=cards.CommerceHandBegan(hand=hand, banker=banker, redeal=redeal))
        case domain.Paid(why, paid, pot):
            return cards.CommerceEvent(paid=cards.CommercePaid(why=_PAYMENTS[why], paid=paid, pot=pot))
        case domain.Dealt(seat, dealt):
            return cards.CommerceEvent(dealt=cards.CommerceDealt(seat=seat, cards=dealt))
        case domain.CircleBegan(circle):
            return cards.CommerceEvent(circle_began=cards.CommerceCircleBegan(circle=circle))
        case domain.Bought(seat, fee, payee):
            return cards.CommerceEvent(bought=cards.CommerceBought(seat=seat, fee=fee, payee=payee))
        case domain.Discarded(seat, card):
            return cards.CommerceEvent(discarded=cards.CommerceDiscarded(seat=seat, card=card))
        case domain.Reshuffled(count):
            return cards.CommerceEvent(reshuffled=cards.CommerceReshuffled(cards=count))
        case domain.Drew(seat, card):
            return cards.CommerceEvent(drew=cards.CommerceDrew(seat=seat, card=card))
        case domain.Offered(seat, to):
            return cards.CommerceEvent(offered=cards.CommerceOffered(seat=seat, to=to))
        case domain.OfferSeen(seat, card):
            return cards.CommerceEvent(offer_seen=cards.CommerceOfferSeen(seat=seat, card=card))
        case domain.OfferRefused(seat, to):
            return cards.CommerceEvent(offer_refused=cards.CommerceOfferRefused(seat=seat, to=to))
        case domain.Bartered(seat, to):
            return cards.CommerceEvent(bartered=cards.CommerceBartered(seat=seat, to=to))
        case domain.Swapped(seat, gave, got):
            return cards.CommerceEvent(swapped=cards.CommerceSwapped(seat=seat, gave=gave, got=got))
        case domain.Passed(seat):
            return cards.CommerceEvent(passed=cards.CommercePassed(seat=seat))
        case domain.Scored(shown, points, total):
            return cards.CommerceEvent(scored=cards.CommerceScored(shown=_shown(shown), points=points, total=total))
        case domain.HandEnded(result):
            return cards.CommerceEvent(hand_ended=_result(result))
        case domain.WentOut(seats, forfeit):
            return cards.CommerceEvent(went_out=cards.CommerceWentOut(seats=seats, forfeit=forfeit))
        case MatchEnded(outcome):
            return cards.CommerceEvent(
                match_ended=cards.CommerceMatchEnded(
                    places=outcome.places, reason=outcome.reason, scores=outcome.scores
                )
            )


# Events of different types can be equal as tuples, so that the type belongs to the key.
@lru_cache(maxsize=2048, typed=True)
def _wrapped_event(event: Any) -> pb.Event:
    return pb.Event(commerce=_event(event))


_EVENTS_BACK: dict[str, Callable[[Any], domain.CommerceEvent]] = {
    "hand_began": lambda m: domain.HandBegan(m.hand, m.banker, m.redeal),
    "paid": lambda m: domain.Paid(_known(_PAYMENTS_BACK, m.why, "payment"), tuple(m.paid), m.pot),
    "dealt": lambda m: domain.Dealt(m.seat, tuple(m.cards), frozenset((m.seat,))),
    "circle_began": lambda m: domain.CircleBegan(m.circle),
    "bought": lambda m: domain.Bought(m.seat, m.fee, m.payee if m.HasField("payee") else None),
    "discarded": lambda m: domain.Discarded(m.seat, m.card, frozenset((m.seat,))),
    "reshuffled": lambda m: domain.Reshuffled(m.cards),
    "drew": lambda m: domain.Drew(m.seat, m.card, frozenset((m.seat,))),
    "offered": lambda m: domain.Offered(m.seat, m.to),
    "offer_seen": lambda m: domain.OfferSeen(m.seat, m.card, frozenset((m.seat,))),
    "offer_refused": lambda m: domain.OfferRefused(m.seat, m.to),
    "bartered": lambda m: domain.Bartered(m.seat, m.to),
    "swapped": lambda m: domain.Swapped(m.seat, m.gave, m.got, frozenset((m.seat,))),
    "passed": lambda m: domain.Passed(m.seat),
    "scored": lambda m: domain.Scored(_shown_back(m.shown), m.points, m.total),
    "hand_ended": lambda m: domain.HandEnded(_result_back(m)),
    "went_out": lambda m: domain.WentOut(tuple(m.seats), m.forfeit),
    "match_ended": lambda m: MatchEnded(Outcome(tuple(m.places), m.reason, tuple(m.scores))),
}


# Reading a message field by field costs more than writing it out again to look it up.
@lru_cache(maxsize=2048)
def _event_of(text: bytes) -> domain.CommerceEvent:
    inner = pb.Event.FromString(text).commerce
    which = inner.WhichOneof("event")
    if which is None:
        raise WireError("an event of Commerce that is not known here")
    return _EVENTS_BACK[which](getattr(inner, which))


# ---- the codec -----------------------------------------------------------------------------------


class CommerceCodec:
    """The `arena.wire.codec.Codec` of Commerce."""

    def move_to_proto(self, move: domain.Move) -> pb.Move:
        """Buys, offers, gives and words; a card that is none is an error of the caller."""
        return _MESSAGES[move]

    def move_from_proto(self, message: pb.Move) -> domain.Move:
        """Any card of the deck, also one that the rules refuse; only known words."""
        known = _MOVES.get(message.SerializeToString())
        return known if known is not None else _inner_move(message.commerce)

    def view_to_proto(self, view: domain.View) -> pb.View:
        """Of all hands only the viewer's own is sent, and nothing of what lies face down."""
        seat, last = view.seat, view.last
        return pb.View(
            commerce=cards.CommerceView(
                phase=_PHASES[view.phase],
                hand=view.hand,
                banker=view.banker,
                circle=view.circle,
                turn=view.turn,
                asked=view.asked,
                chips=view.chips,
                pot=view.pot,
                live=view.live,
                own_hand=None if seat is None else view.hands[seat],
                stock=view.stock,
                discards=[_discard(discard) for discard in view.discards],
                aside=view.aside,
                offer=view.offer,
                offer_to=view.offer_to,
                offered=view.offered,
                traded=view.traded,
                quiet=view.quiet,
                points=view.points,
                last=None if last is None else _result(last),
            )
        )

    def view_from_proto(
        self, message: pb.View, *, seat: int, rules: Ruleset, legal: tuple[domain.Move, ...]
    ) -> domain.View:
        """Puts the seat's own hand back among the unseen ones."""
        inner = message.commerce
        phase = _known(_PHASES_BACK, inner.phase, "phase")
        chips = tuple(inner.chips)
        if not 0 <= seat < len(chips):
            raise WireError(f"a view of {len(chips)} players has no seat {seat}")
        has = inner.HasField
        hands: list[tuple[str, ...] | None] = [None] * len(chips)
        hands[seat] = tuple(inner.own_hand) or None
        return domain.View(
            seat=seat,
            options=domain.Options(**rules.values),  # type: ignore[arg-type]  # a ruleset was checked option by option
            phase=phase,
            hand=inner.hand,
            banker=inner.banker if has("banker") else None,
            circle=inner.circle,
            turn=inner.turn if has("turn") else None,
            asked=tuple(inner.asked),
            chips=chips,
            pot=inner.pot,
            live=tuple(inner.live),
            hands=tuple(hands),
            stock=inner.stock,
            discards=tuple(map(_discard_back, inner.discards)),
            aside=inner.aside,
            offer=inner.offer if has("offer") else None,
            offer_to=inner.offer_to if has("offer_to") else None,
            offered=inner.offered,
            traded=inner.traded,
            quiet=inner.quiet,
            points=tuple(inner.points),
            last=_result_back(inner.last) if has("last") else None,
            hidden=None,
            legal=legal,
        )

    def event_to_proto(self, event: domain.CommerceEvent) -> pb.Event:
        """Events reach every seat, so that their messages are kept."""
        return _wrapped_event(event)

    def event_from_proto(self, message: pb.Event) -> domain.CommerceEvent:
        """What one alone perceived was heard by its own seat alone."""
        return _event_of(message.SerializeToString())


CODEC = CommerceCodec()
