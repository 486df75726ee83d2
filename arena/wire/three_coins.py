"""Three Coins on the wire."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from arena.games import three_coins as domain
from arena.protocol.v1 import arena_pb2 as pb
from arena.protocol.v1 import three_coins_pb2 as coins
from arena.rules import MatchEnded, Outcome, Ruleset
from arena.wire.codec import WireError

_WORDS: dict[str, coins.ThreeCoinsWord] = {
    "call": coins.THREE_COINS_WORD_CALL,
    "cliff": coins.THREE_COINS_WORD_CLIFF,
    "zero": coins.THREE_COINS_WORD_ZERO,
    "max": coins.THREE_COINS_WORD_MAX,
}
_WORDS_BACK = {number: domain.WORDS[word] for word, number in _WORDS.items()}

_PHASES: dict[domain.Phase, coins.ThreeCoinsPhase] = {
    "lot": coins.THREE_COINS_PHASE_LOT,
    "hiding": coins.THREE_COINS_PHASE_HIDING,
    "bidding": coins.THREE_COINS_PHASE_BIDDING,
    "over": coins.THREE_COINS_PHASE_OVER,
}
_PHASES_BACK = {number: phase for phase, number in _PHASES.items()}


# ---- moves ---------------------------------------------------------------------------------------


def _build_move(move: domain.Move) -> pb.Move:
    kind, number = move
    if kind == "hide":
        inner = coins.ThreeCoinsMove(hide=number)
    elif kind == "bid":
        inner = coins.ThreeCoinsMove(bid=number)
    else:
        inner = coins.ThreeCoinsMove(word=_WORDS[kind])
    return pb.Move(three_coins=inner)


# Building a message is what costs, and there are few moves: all of them are built once.
_EVERY_MOVE = (
    *(domain.Move("hide", number) for number in range(10)),
    *(domain.Move("bid", number) for number in range(domain.HIGHEST_BID + 1)),
    *domain.WORDS.values(),
)
_MESSAGES = {move: _build_move(move) for move in _EVERY_MOVE}
_MOVES = {message.SerializeToString(): move for move, message in _MESSAGES.items()}
_INNER_MOVES = {message.three_coins.SerializeToString(): move for move, message in _MESSAGES.items()}


def _inner_move(message: coins.ThreeCoinsMove) -> domain.Move:
    known = _INNER_MOVES.get(message.SerializeToString())
    if known is not None:
        return known
    which = message.WhichOneof("move")
    if which is None:
        raise WireError("a move of Three Coins that says nothing: set hide, bid or word")
    if which == "word":
        if message.word not in _WORDS_BACK:
            raise WireError(f"the word {message.word} is unknown: 1 is call, 2 cliff, 3 zero, 4 max")
        return _WORDS_BACK[message.word]
    return domain.Move(which, message.hide if which == "hide" else message.bid)


# ---- what was said, and how a round ended --------------------------------------------------------


@lru_cache(maxsize=2048)
def _said(said: domain.Said) -> coins.ThreeCoinsSaid:
    return coins.ThreeCoinsSaid(seat=said.seat, move=_MESSAGES[said.move].three_coins)


def _said_back(message: coins.ThreeCoinsSaid) -> domain.Said:
    return domain.Said(message.seat, _inner_move(message.move))


# Each seat is shown the same showdown, as an event and then in every view of the next round.
@lru_cache(maxsize=256)
def _showdown(showdown: domain.Showdown) -> coins.ThreeCoinsShowdown:
    return coins.ThreeCoinsShowdown(
        round=showdown.round,
        hands=[-1 if hand is None else hand for hand in showdown.hands],
        total=showdown.total,
        said=[_said(said) for said in showdown.said],
        right=showdown.right,
        changes=showdown.changes,
        pot=showdown.pot,
    )


def _showdown_back(message: coins.ThreeCoinsShowdown) -> domain.Showdown:
    return _showdown_of(message.SerializeToString())


@lru_cache(maxsize=256)
def _showdown_of(text: bytes) -> domain.Showdown:
    message = coins.ThreeCoinsShowdown.FromString(text)
    return domain.Showdown(
        round=message.round,
        hands=tuple(None if hand < 0 else hand for hand in message.hands),
        total=message.total,
        said=tuple(map(_said_back, message.said)),
        right=message.right,
        changes=tuple(message.changes),
        pot=message.pot,
    )


# ---- events --------------------------------------------------------------------------------------


def _event(event: domain.ThreeCoinsEvent) -> coins.ThreeCoinsEvent:
    match event:
        case domain.RoundBegan(number, starter):
            return coins.ThreeCoinsEvent(round_began=coins.ThreeCoinsRoundBegan(round=number, starter=starter))
        case domain.Hid(seat, hidden):
            return coins.ThreeCoinsEvent(hid=coins.ThreeCoinsHid(seat=seat, coins=hidden))
        case domain.FistsClosed(seats, starter):
            return coins.ThreeCoinsEvent(fists_closed=coins.ThreeCoinsFistsClosed(seats=seats, starter=starter))
        case domain.Spoke(seat, move):
            return coins.ThreeCoinsEvent(spoke=_said(domain.Said(seat, move)))
        case domain.FistsOpened(showdown):
            return coins.ThreeCoinsEvent(fists_opened=_showdown(showdown))
        case domain.RoundBroken(number, seat):
            return coins.ThreeCoinsEvent(round_broken=coins.ThreeCoinsRoundBroken(round=number, seat=seat))
        case domain.WentOut(seats, forfeit):
            return coins.ThreeCoinsEvent(went_out=coins.ThreeCoinsWentOut(seats=seats, forfeit=forfeit))
        case MatchEnded(outcome):
            return coins.ThreeCoinsEvent(
                match_ended=coins.ThreeCoinsMatchEnded(
                    places=outcome.places, reason=outcome.reason, scores=outcome.scores
                )
            )


# Events of different types can be equal as tuples, so that the type belongs to the key.
@lru_cache(maxsize=2048, typed=True)
def _wrapped_event(event: Any) -> pb.Event:
    return pb.Event(three_coins=_event(event))


_EVENTS_BACK: dict[str, Callable[[Any], domain.ThreeCoinsEvent]] = {
    "round_began": lambda m: domain.RoundBegan(m.round, m.starter),
    "hid": lambda m: domain.Hid(m.seat, m.coins, frozenset((m.seat,))),
    "fists_closed": lambda m: domain.FistsClosed(tuple(m.seats), m.starter),
    "spoke": lambda m: domain.Spoke(*_said_back(m)),
    "fists_opened": lambda m: domain.FistsOpened(_showdown_back(m)),
    "round_broken": lambda m: domain.RoundBroken(m.round, m.seat),
    "went_out": lambda m: domain.WentOut(tuple(m.seats), m.forfeit),
    "match_ended": lambda m: MatchEnded(Outcome(tuple(m.places), m.reason, tuple(m.scores))),
}


# Reading a message field by field costs more than writing it out again to look it up.
@lru_cache(maxsize=2048)
def _event_of(text: bytes) -> domain.ThreeCoinsEvent:
    inner = pb.Event.FromString(text).three_coins
    which = inner.WhichOneof("event")
    if which is None:
        raise WireError("an event of Three Coins that is not known here")
    return _EVENTS_BACK[which](getattr(inner, which))


# ---- the codec -----------------------------------------------------------------------------------


class ThreeCoinsCodec:
    """The `arena.wire.codec.Codec` of Three Coins."""

    def move_to_proto(self, move: domain.Move) -> pb.Move:
        """Hides, bids and words; a number that cannot be sent is an error of the caller."""
        known = _MESSAGES.get(move)
        return known if known is not None else _build_move(move)

    def move_from_proto(self, message: pb.Move) -> domain.Move:
        """Any number, also one that the rules refuse; only known words."""
        known = _MOVES.get(message.SerializeToString())
        return known if known is not None else _inner_move(message.three_coins)

    def view_to_proto(self, view: domain.View) -> pb.View:
        """Of all fists only the viewer's own is sent."""
        seat, last = view.seat, view.last
        return pb.View(
            three_coins=coins.ThreeCoinsView(
                phase=_PHASES[view.phase],
                round=view.round,
                starter=view.starter,
                turn=view.turn,
                asked=view.asked,
                coins=view.coins,
                pot=view.pot,
                live=view.live,
                own_hand=None if seat is None else view.hands[seat],
                bid=view.bid,
                bidder=view.bidder,
                said=[_said(said) for said in view.said],
                last=None if last is None else _showdown(last),
            )
        )

    def view_from_proto(
        self, message: pb.View, *, seat: int, rules: Ruleset, legal: tuple[domain.Move, ...]
    ) -> domain.View:
        """Puts the seat's own fist back among the unseen ones."""
        inner = message.three_coins
        phase = _PHASES_BACK.get(inner.phase)
        if phase is None:
            raise WireError(f"the phase {inner.phase} of Three Coins is unknown")
        owned = tuple(inner.coins)
        if not 0 <= seat < len(owned):
            raise WireError(f"a view of {len(owned)} players has no seat {seat}")
        has = inner.HasField
        hands: list[int | None] = [None] * len(owned)
        if has("own_hand"):
            hands[seat] = inner.own_hand
        return domain.View(
            seat=seat,
            options=domain.Options(**rules.values),  # type: ignore[arg-type]  # a ruleset was checked option by option
            phase=phase,
            round=inner.round,
            starter=inner.starter if has("starter") else None,
            turn=inner.turn if has("turn") else None,
            asked=tuple(inner.asked),
            coins=owned,
            pot=inner.pot,
            in_play=sum(owned),
            live=tuple(inner.live),
            hands=tuple(hands),
            bid=inner.bid if has("bid") else None,
            bidder=inner.bidder if has("bidder") else None,
            said=tuple(map(_said_back, inner.said)),
            last=_showdown_back(inner.last) if has("last") else None,
            legal=legal,
        )

    def event_to_proto(self, event: domain.ThreeCoinsEvent) -> pb.Event:
        """Events reach every seat, so that their messages are kept."""
        return _wrapped_event(event)

    def event_from_proto(self, message: pb.Event) -> domain.ThreeCoinsEvent:
        """A fist that closed was heard by its own seat alone."""
        return _event_of(message.SerializeToString())


CODEC = ThreeCoinsCodec()
