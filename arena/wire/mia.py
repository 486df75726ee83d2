"""Mia on the wire."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from arena.games import mia as domain
from arena.protocol.v1 import arena_pb2 as pb
from arena.protocol.v1 import mia_pb2 as mia
from arena.rules import MatchEnded, Outcome, Ruleset
from arena.wire.codec import WireError

_WORDS: dict[str, mia.MiaWord] = {
    "roll": mia.MIA_WORD_ROLL,
    "roll blind": mia.MIA_WORD_ROLL_BLIND,
    "challenge": mia.MIA_WORD_CHALLENGE,
    "concede": mia.MIA_WORD_CONCEDE,
    "look": mia.MIA_WORD_LOOK,
}
_WORDS_BACK = {number: domain.WORDS[word] for word, number in _WORDS.items()}

_PHASES: dict[domain.Phase, mia.MiaPhase] = {
    "starting": mia.MIA_PHASE_STARTING,
    "opening": mia.MIA_PHASE_OPENING,
    "rolling": mia.MIA_PHASE_ROLLING,
    "announcing": mia.MIA_PHASE_ANNOUNCING,
    "answering": mia.MIA_PHASE_ANSWERING,
    "mia": mia.MIA_PHASE_MIA,
    "over": mia.MIA_PHASE_OVER,
}
_PHASES_BACK = {number: phase for phase, number in _PHASES.items()}

_ENDINGS: dict[str, mia.MiaEnding] = {
    "challenge": mia.MIA_ENDING_CHALLENGE,
    "look": mia.MIA_ENDING_LOOK,
    "concede": mia.MIA_ENDING_CONCEDE,
}
_ENDINGS_BACK = {number: ending for ending, number in _ENDINGS.items()}


# ---- moves ---------------------------------------------------------------------------------------


def _build_move(move: domain.Move) -> pb.Move:
    kind, value = move
    if kind == "say":
        inner = mia.MiaMove(say=value)
    elif kind == "pass":
        inner = mia.MiaMove(pass_on=value)
    else:
        inner = mia.MiaMove(word=_WORDS[kind])
    return pb.Move(mia=inner)


# Building a message is what costs, and there are few moves: all of them are built once.
_MESSAGES = {move: _build_move(move) for move in domain.MOVES.values()}
_MOVES = {message.SerializeToString(): move for move, message in _MESSAGES.items()}


def _inner_move(message: mia.MiaMove) -> domain.Move:
    which = message.WhichOneof("move")
    if which is None:
        raise WireError("a move of Mia that says nothing: set say, pass_on or word")
    if which == "word":
        if message.word not in _WORDS_BACK:
            words = ", ".join(f"{number} is {move.kind}" for number, move in _WORDS_BACK.items())
            raise WireError(f"the word {message.word} is unknown: {words}")
        return _WORDS_BACK[message.word]
    kind, value = ("say", message.say) if which == "say" else ("pass", message.pass_on)
    move = domain.MOVES.get(f"{kind} {value}")
    if move is None:
        raise WireError(f"{value[:20]!a} is no value of Mia: the larger die first, like 65, or 9p for a sum")
    return move


# ---- dice, and how a round ended -----------------------------------------------------------------


def _dice_back(dice: Sequence[int]) -> domain.Dice:
    if len(dice) != 2:
        raise WireError(f"{len(dice)} dice; there are two in Mia")
    return dice[0], dice[1]


# Each seat is shown the same showdown, as an event and then in every view of the next round.
@lru_cache(maxsize=256)
def _showdown(showdown: domain.Showdown) -> mia.MiaShowdown:
    return mia.MiaShowdown(
        round=showdown.round,
        how=_ENDINGS[showdown.how],
        ender=showdown.ender,
        announcer=showdown.announcer,
        announced=showdown.announced,
        roller=showdown.roller,
        looked=showdown.looked,
        to_beat=showdown.to_beat,
        claim=showdown.claim,
        dice=showdown.dice,
        loser=showdown.loser,
        lives=showdown.lives,
        sips=showdown.sips,
    )


def _showdown_back(message: mia.MiaShowdown) -> domain.Showdown:
    return _showdown_of(message.SerializeToString())


@lru_cache(maxsize=256)
def _showdown_of(text: bytes) -> domain.Showdown:
    message = mia.MiaShowdown.FromString(text)
    how = _ENDINGS_BACK.get(message.how)
    if how is None:
        raise WireError(f"the end {message.how} of a round of Mia is unknown")
    return domain.Showdown(
        round=message.round,
        how=how,
        ender=message.ender,
        announcer=message.announcer,
        announced=message.announced,
        roller=message.roller,
        looked=message.looked,
        to_beat=message.to_beat if message.HasField("to_beat") else None,
        claim=message.claim,
        dice=_dice_back(message.dice) if message.dice else None,
        loser=message.loser,
        lives=message.lives,
        sips=message.sips,
    )


# ---- events --------------------------------------------------------------------------------------


def _event(event: domain.MiaEvent) -> mia.MiaEvent:
    match event:
        case domain.StartRolled(seats, dice):
            return mia.MiaEvent(start_rolled=mia.MiaStartRolled(seats=seats, dice=dice))
        case domain.RoundBegan(number, starter):
            return mia.MiaEvent(round_began=mia.MiaRoundBegan(round=number, starter=starter))
        case domain.Acted(seat, move):
            return mia.MiaEvent(acted=mia.MiaActed(seat=seat, move=_MESSAGES[move].mia))
        case domain.Saw(seat, dice):
            return mia.MiaEvent(saw=mia.MiaSaw(seat=seat, dice=dice))
        case domain.Turned(clockwise):
            return mia.MiaEvent(turned=mia.MiaTurned(clockwise=clockwise))
        case domain.RoundEnded(showdown):
            return mia.MiaEvent(round_ended=_showdown(showdown))
        case domain.RoundBroken(number, seat):
            return mia.MiaEvent(round_broken=mia.MiaRoundBroken(round=number, seat=seat))
        case domain.WentOut(seats, forfeit):
            return mia.MiaEvent(went_out=mia.MiaWentOut(seats=seats, forfeit=forfeit))
        case MatchEnded(outcome):
            return mia.MiaEvent(
                match_ended=mia.MiaMatchEnded(places=outcome.places, reason=outcome.reason, scores=outcome.scores)
            )


# Events of different types can be equal as tuples, so that the type belongs to the key.
@lru_cache(maxsize=2048, typed=True)
def _wrapped_event(event: Any) -> pb.Event:
    return pb.Event(mia=_event(event))


_EVENTS_BACK: dict[str, Callable[[Any], domain.MiaEvent]] = {
    "start_rolled": lambda m: domain.StartRolled(tuple(m.seats), tuple(m.dice)),
    "round_began": lambda m: domain.RoundBegan(m.round, m.starter),
    "acted": lambda m: domain.Acted(m.seat, _inner_move(m.move)),
    "saw": lambda m: domain.Saw(m.seat, _dice_back(m.dice), frozenset((m.seat,))),
    "turned": lambda m: domain.Turned(m.clockwise),
    "round_ended": lambda m: domain.RoundEnded(_showdown_back(m)),
    "round_broken": lambda m: domain.RoundBroken(m.round, m.seat),
    "went_out": lambda m: domain.WentOut(tuple(m.seats), m.forfeit),
    "match_ended": lambda m: MatchEnded(Outcome(tuple(m.places), m.reason, tuple(m.scores))),
}


# Reading a message field by field costs more than writing it out again to look it up.
@lru_cache(maxsize=2048)
def _event_of(text: bytes) -> domain.MiaEvent:
    inner = pb.Event.FromString(text).mia
    which = inner.WhichOneof("event")
    if which is None:
        raise WireError("an event of Mia that is not known here")
    return _EVENTS_BACK[which](getattr(inner, which))


# ---- the codec -----------------------------------------------------------------------------------


class MiaCodec:
    """The `arena.wire.codec.Codec` of Mia."""

    def move_to_proto(self, move: domain.Move) -> pb.Move:
        """Says, passes and words; a move that is none is an error of the caller."""
        return _MESSAGES[move]

    def move_from_proto(self, message: pb.Move) -> domain.Move:
        """Any value that some ruleset has, also one that the rules refuse here; only known words."""
        known = _MOVES.get(message.SerializeToString())
        return known if known is not None else _inner_move(message.mia)

    def view_to_proto(self, view: domain.View) -> pb.View:
        """The dice are sent to a seat that has seen them, and to nobody else."""
        last = view.last
        return pb.View(
            mia=mia.MiaView(
                phase=_PHASES[view.phase],
                round=view.round,
                starter=view.starter,
                turn=view.turn,
                asked=view.asked,
                clockwise=view.clockwise,
                lives=view.lives,
                sips=view.sips,
                live=view.live,
                roller=view.roller,
                dice=view.dice if view.seat in view.seen else None,
                seen=view.seen,
                to_beat=view.to_beat,
                claim=view.claim,
                announced=view.announced,
                announcer=view.announcer,
                namer=view.namer,
                announcements=view.announcements,
                last=None if last is None else _showdown(last),
            )
        )

    def view_from_proto(
        self, message: pb.View, *, seat: int, rules: Ruleset, legal: tuple[domain.Move, ...]
    ) -> domain.View:
        """Absent fields are what there is not, or not yet."""
        inner = message.mia
        phase = _PHASES_BACK.get(inner.phase)
        if phase is None:
            raise WireError(f"the phase {inner.phase} of Mia is unknown")
        lives = tuple(inner.lives)
        if not 0 <= seat < len(lives):
            raise WireError(f"a view of {len(lives)} players has no seat {seat}")
        has = inner.HasField
        return domain.View(
            seat=seat,
            options=domain.options_of(rules.values),
            phase=phase,
            round=inner.round,
            starter=inner.starter if has("starter") else None,
            turn=inner.turn if has("turn") else None,
            asked=tuple(inner.asked),
            clockwise=inner.clockwise,
            lives=lives,
            sips=tuple(inner.sips),
            live=tuple(inner.live),
            roller=inner.roller if has("roller") else None,
            dice=_dice_back(inner.dice) if inner.dice else None,
            seen=tuple(inner.seen),
            to_beat=inner.to_beat if has("to_beat") else None,
            claim=inner.claim if has("claim") else None,
            announced=inner.announced if has("announced") else None,
            announcer=inner.announcer if has("announcer") else None,
            namer=inner.namer if has("namer") else None,
            announcements=inner.announcements,
            last=_showdown_back(inner.last) if has("last") else None,
            legal=legal,
        )

    def event_to_proto(self, event: domain.MiaEvent) -> pb.Event:
        """Events reach every seat, so that their messages are kept."""
        return _wrapped_event(event)

    def event_from_proto(self, message: pb.Event) -> domain.MiaEvent:
        """What one saw under the cup was heard by that seat alone."""
        return _event_of(message.SerializeToString())


CODEC = MiaCodec()
