"""Commerce on the wire: what the rules made on one side comes out as the very same values on the other."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any, NamedTuple, get_args

import pytest

from arena import wire
from arena.chance import FRESH_DECK
from arena.games.commerce import GAME, CommerceEvent, Move
from arena.protocol.v1 import arena_pb2 as pb
from arena.protocol.v1 import commerce_pb2 as cards
from arena.rules import OMNISCIENT, PUBLIC, Drawn, Event, Left, Moved, Outcome, Ruleset, at_seat, heard, ruleset
from arena.table import MatchEnd, Question
from tests.arena import commerce_laws

# each of them shows something that the others do not
RULESETS: Mapping[str, tuple[str | None, int, dict[str, object]]] = {
    "classic": ("classic", 4, {"hands": 12}),
    "deck-out": ("deck-out", 3, {"hands": 4}),
    "old-hoyle": ("old-hoyle", 3, {"hands": 12}),
    "high-stakes": ("high-stakes", 6, {"hands": 12}),
    "duel": (None, 2, {"chips": 100, "discard": "bottom", "offer_visible": "on", "hands": 6}),
    "ten": (None, 10, {"chips": 1000, "fee": 2, "barter_side": "right", "tie": "split", "hands": 2}),
    "ties": (None, 10, {"chips": 3, "tie_topup": "all", "max_circles": 2}),
}


class Playout(NamedTuple):
    """What came of one random match."""

    rules: Ruleset
    states: list[Any]
    events: list[Event]
    questions: list[tuple[int, Question]]


def playout(name: str, seed: int) -> Playout:
    """A match of random moves, in which players also leave now and then."""
    preset, players, options = RULESETS[name]
    dice = random.Random(seed)
    rules = ruleset(GAME, preset, options)
    state, events = GAME.start(rules, players)
    match = Playout(rules, [], [], [])
    news: list[list[Event]] = [[] for _ in range(players)]
    while True:
        match.states.append(state)
        match.events.extend(events)
        for seat in range(players):
            news[seat] += heard(events, at_seat(seat))
        if GAME.outcome(state) is not None:
            return match
        due = GAME.due(state)
        if due is not None:
            state, events = GAME.step(state, Drawn(tuple(dice.randrange(size) for size in due.sizes)))
            continue
        (seat,) = GAME.asked(state)
        view = GAME.view(state, at_seat(seat))
        match.questions.append((seat, Question(len(match.questions) + 1, tuple(news[seat]), view, 1500, 4000)))
        news[seat].clear()
        if dice.random() < 0.005:
            state, events = GAME.step(state, Left(frozenset((seat,))))
        else:
            state, events = GAME.step(state, Moved({seat: dice.choice(view.legal)}))


@pytest.fixture(scope="module", params=RULESETS)
def playouts(request: pytest.FixtureRequest) -> list[Playout]:
    return [playout(request.param, seed) for seed in range(3)]


def through(message: Any) -> Any:
    """The message as it comes out at the other end."""
    return type(message).FromString(message.SerializeToString())


def identical(one: object, other: object) -> bool:
    """Equal, and of the same types throughout: NamedTuples of different types can be equal as tuples."""
    return one == other and repr(one) == repr(other)


def test_questions_are_the_same_at_the_other_end(playouts: list[Playout]) -> None:
    for match in playouts:
        for seat, question in match.questions:
            message = through(wire.question_to_proto(GAME, question))
            assert identical(wire.question_from_proto(GAME, message, seat=seat, rules=match.rules), question)


def test_every_view_of_every_seat_is_the_same_at_the_other_end(playouts: list[Playout]) -> None:
    for match in playouts:
        for state in match.states:
            for seat in range(len(state.chips)):
                view = GAME.view(state, at_seat(seat))
                message = through(wire.view_to_proto(GAME, view))
                back = wire.view_from_proto(GAME, message, seat=seat, rules=match.rules, legal=view.legal)
                assert identical(back, view)


def test_events_are_the_same_at_the_other_end_with_their_audience(playouts: list[Playout]) -> None:
    for match in playouts:
        for event in match.events:
            assert identical(wire.event_from_proto(GAME, through(wire.event_to_proto(GAME, event))), event)


def test_the_playouts_show_every_event_and_every_phase_there_is() -> None:
    matches = [playout(name, seed) for name in RULESETS for seed in range(3)]
    kinds = {type(event) for match in matches for event in match.events}
    assert kinds == set(get_args(CommerceEvent))
    assert {state.phase for match in matches for state in match.states} == {
        *("lot", "deal", "trading", "offered", "reshuffle", "over"),
    }


def test_rulesets_and_ends_go_through(playouts: list[Playout]) -> None:
    for match in playouts:
        assert wire.ruleset_from_proto(through(wire.ruleset_to_proto(match.rules))) == match.rules
    end = MatchEnd("m-1", Outcome((1, 2), "last_left", (40, 0)))
    assert wire.match_end_from_proto(GAME, through(wire.match_end_to_proto(GAME, end))) == end


def test_every_move_goes_through() -> None:
    texts = [f"{kind} {card}" for kind in ("buy", "offer", "give") for card in FRESH_DECK] + ["refuse", "pass"]
    for move in map(GAME.parse, texts):
        message = through(wire.move_to_proto(GAME, move))
        assert identical(wire.move_from_proto(GAME, message), move)
        future = pb.Move.FromString(
            message.SerializeToString() + b"\xfa\x3e\x01x"
        )  # has a field that is not known here
        assert identical(wire.move_from_proto(GAME, future), move)


def test_a_message_fits_into_what_is_taken() -> None:
    largest = max(
        wire.question_to_proto(GAME, question).ByteSize()
        for name in RULESETS
        for _, question in playout(name, 1).questions
    )
    assert largest < wire.MAX_MESSAGE_BYTES / 4


# ---- secrecy -------------------------------------------------------------------------------------


def test_nothing_that_one_may_not_know_is_ever_sent() -> None:
    """Even a view that shows everything is sent with what everybody knows, and no bytes depend on hidden cards."""
    dice = random.Random(7)
    for name in RULESETS:
        for state in playout(name, 2).states[::7]:
            omniscient = wire.view_to_proto(GAME, GAME.view(state, OMNISCIENT)).commerce
            assert not omniscient.own_hand
            for viewer in (PUBLIC, *map(at_seat, range(len(state.chips)))):
                if state.phase == "deal":
                    continue
                other, _ = commerce_laws.twin(state, None, viewer, dice)
                sent, sent_otherwise = (wire.view_to_proto(GAME, GAME.view(s, viewer)) for s in (state, other))
                assert sent.SerializeToString() == sent_otherwise.SerializeToString()


# ---- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (cards.CommerceMove(), "says nothing"),
        (cards.CommerceMove(word=0), "the word 0 is unknown"),
        (cards.CommerceMove.FromString(b"\x20\x09"), "the word 9 is unknown"),
        (cards.CommerceMove(buy=""), "'' is no card"),
        (cards.CommerceMove(offer="10C"), "'10C' is no card"),
        (cards.CommerceMove(give="2c"), "'2c' is no card"),
        (cards.CommerceMove(give="♣" * 5000), "is no card"),
    ],
)
def test_a_move_that_means_nothing_is_refused(message: cards.CommerceMove, said: str) -> None:
    with pytest.raises(wire.WireError, match=said) as refused:
        wire.move_from_proto(GAME, pb.Move(commerce=message))
    assert len(str(refused.value)) < 200


def test_a_card_that_one_does_not_hold_is_judged_by_the_rules() -> None:
    message = pb.Move(commerce=cards.CommerceMove(buy="AS"))
    assert wire.move_from_proto(GAME, message) == Move("buy", "AS")


@pytest.mark.parametrize(
    "event",
    [
        cards.CommerceEvent(),
        cards.CommerceEvent(paid=cards.CommercePaid(why=0)),
        cards.CommerceEvent(hand_ended=cards.CommerceHandResult(how=0)),
        cards.CommerceEvent(scored=cards.CommerceScored(shown=cards.CommerceShown(kind=0))),
    ],
    ids=lambda event: str(event.WhichOneof("event")),
)
def test_events_that_mean_nothing_are_refused(event: cards.CommerceEvent) -> None:
    with pytest.raises(wire.WireError, match=r"unknown|not known"):
        wire.event_from_proto(GAME, pb.Event(commerce=event))


@pytest.mark.parametrize(
    ("view", "said"),
    [
        (cards.CommerceView(chips=[3]), "the phase 0 of Commerce is unknown"),
        (cards.CommerceView(phase=cards.COMMERCE_PHASE_OVER), "a view of 0 players has no seat 0"),
    ],
)
def test_views_that_mean_nothing_are_refused(view: cards.CommerceView, said: str) -> None:
    with pytest.raises(wire.WireError, match=said):
        wire.view_from_proto(GAME, pb.View(commerce=view), seat=0, rules=ruleset(GAME), legal=())
