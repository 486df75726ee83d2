"""Between the values of the rules and the messages of the protocol: the only place that knows both.

Each game has a codec of its own; what is common to all of them is here. What comes in from a stranger
is checked and refused with a `WireError`; what goes out was made by us.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from arena.games import GAMES, find_game
from arena.lazy import Lazy
from arena.protocol.v1 import arena_pb2 as pb
from arena.rules import AnyGame, Event, Outcome, RulesError, Ruleset, ruleset
from arena.table import Fault, FaultKind, Limits, MatchEnd, MatchInfo, Penalty, Player, Question
from arena.wire.codec import Codec, WireError

__all__ = [
    "CODECS",
    "MAX_MESSAGE_BYTES",
    "Codec",
    "WireError",
    "answer_from_proto",
    "answer_to_proto",
    "event_from_proto",
    "event_to_proto",
    "match_end_from_proto",
    "match_end_to_proto",
    "match_start_from_proto",
    "match_start_to_proto",
    "move_from_proto",
    "move_to_proto",
    "players_from_proto",
    "players_to_proto",
    "question_from_proto",
    "question_to_proto",
    "ruleset_from_proto",
    "ruleset_to_proto",
    "view_from_proto",
    "view_to_proto",
]

CODECS: Mapping[str, Codec] = Lazy({name: f"{__name__}.{name}" for name in GAMES}, "CODEC")
"""The codec of every game, by its code name, which is also the name of its field in Move, View and Event."""

MAX_MESSAGE_BYTES = 64 * 1024
"""The longest message that the arena takes from a bot."""

_PENALTIES: dict[Penalty, pb.FaultRule] = {"forfeit": pb.FAULT_RULE_FORFEIT, "default": pb.FAULT_RULE_DEFAULT}
_PENALTIES_BACK = {number: word for word, number in _PENALTIES.items()}
_FAULTS: dict[FaultKind, pb.FaultKind] = {
    "unreadable": pb.FAULT_KIND_UNREADABLE,
    "illegal": pb.FAULT_KIND_ILLEGAL,
    "late": pb.FAULT_KIND_LATE,
    "gone": pb.FAULT_KIND_GONE,
}
_FAULTS_BACK = {number: word for word, number in _FAULTS.items()}


def _check_game(game: AnyGame, message: pb.Move | pb.View | pb.Event, what: str) -> None:
    which = message.WhichOneof("game")
    if which is None:
        raise WireError(f"{what} of no game, or of one that is not known here: set its field {game.name}")
    if which != game.name:
        raise WireError(f"{what} of {which}, but this is {game.name}")


# ---- moves, views, events ------------------------------------------------------------------------


def move_to_proto(game: AnyGame, move: Any) -> pb.Move:
    """The message of ``move``. It may be shared: never change it."""
    return CODECS[game.name].move_to_proto(move)


def move_from_proto(game: AnyGame, message: pb.Move) -> Any:
    """The move that ``message`` holds, legal or not.

    Raises:
        WireError: it holds none of this game.
    """
    _check_game(game, message, "a move")
    return CODECS[game.name].move_from_proto(message)


def view_to_proto(game: AnyGame, view: Any) -> pb.View:
    """The message of ``view``, but for its legal moves, which stand beside it in a question."""
    return CODECS[game.name].view_to_proto(view)


def view_from_proto(game: AnyGame, message: pb.View, *, seat: int, rules: Ruleset, legal: Iterable[Any]) -> Any:
    """The very view that the rules made for ``seat``.

    Raises:
        WireError: something in it is missing or unknown.
    """
    _check_game(game, message, "a view")
    return CODECS[game.name].view_from_proto(message, seat=seat, rules=rules, legal=tuple(legal))


def event_to_proto(game: AnyGame, event: Event) -> pb.Event:
    """The message of ``event``. It may be shared: never change it."""
    return CODECS[game.name].event_to_proto(event)


def event_from_proto(game: AnyGame, message: pb.Event) -> Event:
    """The event that ``message`` holds.

    Raises:
        WireError: it holds none of this game, or one that is not known here.
    """
    _check_game(game, message, "an event")
    return CODECS[game.name].event_from_proto(message)


# ---- rulesets and players ------------------------------------------------------------------------


def ruleset_to_proto(rules: Ruleset) -> pb.Ruleset:
    """Every option of ``rules``, spelled out."""
    options = {
        name: pb.OptionValue(word=value) if isinstance(value, str) else pb.OptionValue(number=value)
        for name, value in rules.values.items()
    }
    return pb.Ruleset(game=rules.game, preset=rules.preset or "", options=options)


def ruleset_from_proto(message: pb.Ruleset) -> Ruleset:
    """The ruleset that ``message`` describes, checked.

    Raises:
        WireError: a game, preset or option that is unknown here, or an option without a value.
    """
    try:
        game = find_game(message.game)
        values: dict[str, object] = {}
        for name, value in message.options.items():
            which = value.WhichOneof("value")
            if which is None:
                raise WireError(f"the option {name} has no value")
            values[name] = value.word if which == "word" else value.number
        missing = [option.name for option in game.options if option.name not in values]
        if missing:
            raise WireError(f"the option {missing[0]} of {game.name} is not given")
        rules = ruleset(game, message.preset or None, values)
    except RulesError as error:
        raise WireError(f"a ruleset that this program cannot play (perhaps it is too old): {error}") from error
    if not message.preset:
        return rules._replace(preset=None, players=game.players)
    if rules.preset is None:
        raise WireError(f"the options given are not those of the preset {message.preset}")
    return rules


def players_to_proto(players: Sequence[Player]) -> list[pb.Player]:
    """Who sits where."""
    return [pb.Player(seat=seat, bot=bot, version=version or "") for seat, (bot, version) in enumerate(players)]


def players_from_proto(messages: Iterable[pb.Player]) -> tuple[Player, ...]:
    """Who sits where, by seat.

    Raises:
        WireError: the seats are not those from 0 up, each once.
    """
    by_seat = {message.seat: Player(message.bot, message.version or None) for message in messages}
    if sorted(by_seat) != list(range(len(by_seat))):
        raise WireError(f"players on the seats {sorted(by_seat)}")
    return tuple(by_seat[seat] for seat in range(len(by_seat)))


# ---- the messages of a match ---------------------------------------------------------------------


def match_start_to_proto(game: AnyGame, info: MatchInfo, so_far: Iterable[Event] = ()) -> pb.MatchStart:
    """What a seat is told when a match begins; ``so_far`` is for one that takes its seat again in the middle."""
    encode = CODECS[game.name].event_to_proto
    limits = info.limits
    return pb.MatchStart(
        match=info.match,
        seat=info.seat,
        players=players_to_proto(info.players),
        ruleset=ruleset_to_proto(info.ruleset),
        clock=pb.Clock() if limits is None else pb.Clock(**limits._asdict()),
        faults=_PENALTIES[info.penalty],
        number=info.number,
        so_far=[encode(event) for event in so_far],
    )


def match_start_from_proto(message: pb.MatchStart) -> tuple[MatchInfo, tuple[Event, ...]]:
    """What a seat is told when a match begins, and what it had perceived before it lost its line.

    Raises:
        WireError: something in it is missing or unknown.
    """
    rules = ruleset_from_proto(message.ruleset)
    clock = message.clock
    limits = Limits(clock.ready_ms, clock.move_ms, clock.bank_ms)
    players = players_from_proto(message.players)
    if message.seat >= len(players):
        raise WireError(f"a match of {len(players)} players has no seat {message.seat}")
    if message.faults not in _PENALTIES_BACK:
        raise WireError(f"the rule for faults {message.faults} is unknown")
    info = MatchInfo(
        match=message.match,
        seat=message.seat,
        players=players,
        ruleset=rules,
        limits=limits if any(limits) else None,
        penalty=_PENALTIES_BACK[message.faults],
        number=message.number,
    )
    return info, _events_back(find_game(rules.game), message.so_far)


def question_to_proto(game: AnyGame, question: Question) -> pb.Question:
    """A question with its position, its legal moves and what happened before it."""
    codec = CODECS[game.name]
    encode, encode_move = codec.event_to_proto, codec.move_to_proto
    deadline = question.deadline_ms
    return pb.Question(
        decision=question.decision,
        events=[encode(event) for event in question.events],
        view=codec.view_to_proto(question.view),
        legal=[encode_move(move) for move in question.view.legal],
        # 0 says that there is no limit
        deadline_ms=0 if deadline is None else max(1, int(deadline)),
        bank_ms=max(0, int(question.bank_ms)),
    )


def question_from_proto(game: AnyGame, message: pb.Question, *, seat: int, rules: Ruleset) -> Question:
    """The question that ``message`` asks of ``seat``; its times are whole milliseconds.

    Raises:
        WireError: something in it is missing or unknown.
    """
    legal = [move_from_proto(game, move) for move in message.legal]
    return Question(
        decision=message.decision,
        events=_events_back(game, message.events),
        view=view_from_proto(game, message.view, seat=seat, rules=rules, legal=legal),
        deadline_ms=message.deadline_ms or None,
        bank_ms=message.bank_ms,
    )


def _events_back(game: AnyGame, messages: Iterable[pb.Event]) -> tuple[Event, ...]:
    return tuple(event_from_proto(game, message) for message in messages)


def answer_to_proto(game: AnyGame, decision: int, move: Any | None, log: Sequence[str] = ()) -> pb.Answer:
    """The answer to a question; without a ``move`` it is a fault, whose reason the ``log`` should tell."""
    return pb.Answer(decision=decision, move=None if move is None else move_to_proto(game, move), log=log)


def answer_from_proto(game: AnyGame, message: pb.Answer) -> Any:
    """The move of an answer, legal or not.

    Raises:
        WireError: it holds none of this game.
    """
    if not message.HasField("move"):
        raise WireError("the answer has no move")
    return move_from_proto(game, message.move)


def match_end_to_proto(game: AnyGame, end: MatchEnd) -> pb.MatchEnd:
    """What a seat is told when a match is over for it."""
    encode = CODECS[game.name].event_to_proto
    places, reason, scores = end.outcome or ((), "", ())
    return pb.MatchEnd(
        match=end.match,
        events=[encode(event) for event in end.events],
        places=places,
        reason=reason,
        scores=scores,
        faults=[pb.Fault(seat=f.seat, kind=_FAULTS[f.kind], detail=f.detail) for f in end.faults],
        voided=end.voided,
    )


def match_end_from_proto(game: AnyGame, message: pb.MatchEnd) -> MatchEnd:
    """What a seat is told when a match is over for it.

    Raises:
        WireError: something in it is unknown.
    """
    places, scores = tuple(message.places), tuple(message.scores)
    if len(places) != len(scores):
        raise WireError(f"{len(places)} places, but {len(scores)} scores")
    return MatchEnd(
        match=message.match,
        outcome=Outcome(places, message.reason, scores) if places else None,
        events=_events_back(game, message.events),
        faults=tuple(_fault_back(fault) for fault in message.faults),
        voided=message.voided,
    )


def _fault_back(message: pb.Fault) -> Fault:
    kind = cast("Mapping[int, FaultKind]", _FAULTS_BACK).get(message.kind)
    if kind is None:
        raise WireError(f"the fault {message.kind} is unknown")
    return Fault(message.seat, kind, message.detail)
