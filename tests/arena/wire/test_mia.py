"""Mia on the wire: what the rules made on one side comes out as the very same values on the other."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pytest

from arena import wire
from arena.games.mia import GAME, MOVES, PRESETS, ROLLS, View
from arena.protocol.v1 import arena_pb2 as pb
from arena.protocol.v1 import mia_pb2 as mia
from arena.rules import OMNISCIENT, PUBLIC, Drawn, Event, Left, Moved, Ruleset, at_seat, ruleset
from arena.table import Question

# each of them shows something that the others do not
RULESETS: dict[str, tuple[str | None, int, Mapping[str, object]]] = {
    **{preset.name: (preset.name, 3, {}) for preset in PRESETS},
    "two": ("classic", 2, {}),
    "turning": (None, 10, {"joker_32": "reverse", "first_starter": "lot", "end": "last_standing"}),
    "sips": (None, 4, {"penalty": "sip", "rounds": 12, "first_starter": "seat"}),
    "sums": (None, 5, {"mixed": "sum", "little_mia": "on", "joker_32": "third_best", "pass_return": "free"}),
    "at least": (None, 3, {"raise_rule": "at_least", "pass": "off", "must_beat_actual": "on", "max_announcements": 4}),
}


class Moment(NamedTuple):
    """What came of one step: the views of all seats, and the events."""

    views: tuple[View, ...]
    events: tuple[Event, ...]


def playout(seed: int, preset: str | None, players: int, options: Mapping[str, object]) -> Iterator[Moment]:
    """A random match, in which players also leave now and then."""
    dice = random.Random(seed)
    state, events = GAME.start(ruleset(GAME, preset, options), players)
    while True:
        yield Moment(tuple(GAME.view(state, at_seat(seat)) for seat in range(players)), events)
        due = GAME.due(state)
        if due is not None:
            state, events = GAME.step(state, Drawn(tuple(dice.randrange(size) for size in due.sizes)))
        elif GAME.outcome(state) is not None:
            return
        elif dice.random() < seed % 2 * 0.03:
            state, events = GAME.step(state, Left(frozenset({state.turn})))
        else:
            state, events = GAME.step(state, Moved({state.turn: dice.choice(GAME.legal(state, state.turn))}))


class Played(NamedTuple):
    """Some random matches under the same rules."""

    rules: Ruleset
    moments: list[Moment]


@pytest.fixture(params=RULESETS)
def played(request: pytest.FixtureRequest) -> Played:
    preset, players, options = RULESETS[request.param]
    moments = [moment for seed in range(6) for moment in playout(seed, preset, players, options)]
    return Played(ruleset(GAME, preset, options), moments)


def through(message: Any) -> Any:
    """The message as it comes out at the other end."""
    return type(message).FromString(message.SerializeToString())


def identical(one: object, other: object) -> bool:
    """Equal, and of the same types throughout: NamedTuples of different types can be equal as tuples."""
    return one == other and repr(one) == repr(other)


# ---- what comes out is what went in --------------------------------------------------------------


def test_every_view_of_every_seat_is_the_same_at_the_other_end(played: Played) -> None:
    for views, _ in played.moments:
        for seat, view in enumerate(views):
            message = through(wire.view_to_proto(GAME, view))
            back = wire.view_from_proto(GAME, message, seat=seat, rules=played.rules, legal=view.legal)
            assert identical(back, view)


def test_questions_are_the_same_at_the_other_end(played: Played) -> None:
    for number, (views, events) in enumerate(played.moments, start=1):
        for seat in views[0].asked:
            question = Question(number, events, views[seat], 1500, 4000)
            message = through(wire.question_to_proto(GAME, question))
            assert identical(wire.question_from_proto(GAME, message, seat=seat, rules=played.rules), question)


def test_events_are_the_same_at_the_other_end_with_their_audience(played: Played) -> None:
    for _, events in played.moments:
        for event in events:
            assert identical(wire.event_from_proto(GAME, through(wire.event_to_proto(GAME, event))), event)


def test_rulesets_go_through(played: Played) -> None:
    assert wire.ruleset_from_proto(through(wire.ruleset_to_proto(played.rules))) == played.rules


def test_these_matches_show_every_event_and_every_phase() -> None:
    moments = [
        moment
        for preset, players, options in RULESETS.values()
        for seed in range(4)
        for moment in playout(seed, preset, players, options)
    ]
    kinds = {type(event).__name__ for _, events in moments for event in events}
    inner = mia.MiaEvent.DESCRIPTOR.oneofs_by_name["event"].fields
    assert kinds == {"".join(word.title() for word in field.name.split("_")) for field in inner}
    assert {views[0].phase for views, _ in moments} == set(GAME_PHASES)


GAME_PHASES = ("starting", "opening", "rolling", "announcing", "answering", "mia", "over")


@pytest.mark.parametrize("text", MOVES)
def test_moves_go_through(text: str) -> None:
    assert identical(wire.move_from_proto(GAME, through(wire.move_to_proto(GAME, MOVES[text]))), MOVES[text])


def test_fields_from_the_future_do_not_hide_a_move() -> None:
    future = wire.move_to_proto(GAME, MOVES["pass 65"]).SerializeToString() + b"\xfa\x3e\x01x"
    assert wire.move_from_proto(GAME, pb.Move.FromString(future)) == MOVES["pass 65"]


def test_shared_messages_do_not_change_when_they_are_used() -> None:
    answer = wire.answer_to_proto(GAME, 1, MOVES["say 65"])
    answer.move.mia.say = "66"
    assert wire.move_from_proto(GAME, wire.move_to_proto(GAME, MOVES["say 65"])) == MOVES["say 65"]


# ---- secrecy -------------------------------------------------------------------------------------


def test_only_who_looked_is_sent_the_dice() -> None:
    state, _ = GAME.start(ruleset(GAME, None, {"first_starter": "seat"}), 3)
    state, _ = GAME.step(state, Moved({0: MOVES["roll"]}))
    state, _ = GAME.step(state, Drawn((3, 4)))
    sent = {seat: wire.view_to_proto(GAME, GAME.view(state, at_seat(seat))) for seat in range(3)}
    assert [list(sent[seat].mia.dice) for seat in range(3)] == [[5, 4], [], []]
    public = wire.view_to_proto(GAME, GAME.view(state, PUBLIC))
    assert public == sent[1] == sent[2]
    # even a view that holds everything is sent without what its viewer may not know
    assert wire.view_to_proto(GAME, GAME.view(state, OMNISCIENT)) == public


def test_a_message_does_not_depend_on_dice_that_the_seat_has_not_seen() -> None:
    state, _ = GAME.start(ruleset(GAME, None, {"first_starter": "seat"}), 3)
    state, _ = GAME.step(state, Moved({0: MOVES["roll"]}))
    state, _ = GAME.step(state, Drawn((3, 4)))
    for viewer in (PUBLIC, at_seat(1)):
        views = (GAME.view(state._replace(dice=dice), viewer) for dice in ROLLS)
        assert len({wire.view_to_proto(GAME, view).SerializeToString() for view in views}) == 1


# ---- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (mia.MiaMove(), "says nothing"),
        (mia.MiaMove(word=0), "the word 0 is unknown: 1 is roll, 2 is roll blind, 3 is challenge, 4 is concede, 5"),
        (mia.MiaMove.FromString(b"\x18\x09"), "the word 9 is unknown"),
        (mia.MiaMove(say=""), "'' is no value of Mia"),
        (mia.MiaMove(say="56"), "'56' is no value of Mia"),
        (mia.MiaMove(pass_on="12p"), "'12p' is no value of Mia"),
        (mia.MiaMove(pass_on="x" * 5000), "'x{20}' is no value of Mia"),
        (mia.MiaMove(say="65 "), "'65 ' is no value of Mia"),
    ],
)
def test_a_move_that_means_nothing_is_refused(message: mia.MiaMove, said: str) -> None:
    with pytest.raises(wire.WireError, match=said):
        wire.move_from_proto(GAME, pb.Move(mia=message))


def test_a_value_of_another_ruleset_goes_through_and_is_judged_by_the_rules() -> None:
    assert wire.move_from_proto(GAME, pb.Move(mia=mia.MiaMove(say="9p"))) == MOVES["say 9p"]


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (mia.MiaEvent(), "not known here"),
        (mia.MiaEvent(acted=mia.MiaActed(seat=1)), "says nothing"),
        (mia.MiaEvent(saw=mia.MiaSaw(seat=1, dice=[3])), "1 dice"),
        (mia.MiaEvent(round_ended=mia.MiaShowdown(round=1)), "the end 0 of a round"),
        (mia.MiaEvent(round_ended=mia.MiaShowdown(how=1, dice=[1, 2, 3])), "3 dice"),
    ],
)
def test_an_event_that_means_nothing_is_refused(message: mia.MiaEvent, said: str) -> None:
    with pytest.raises(wire.WireError, match=said):
        wire.event_from_proto(GAME, pb.Event(mia=message))


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (mia.MiaView(lives=[3, 3]), "the phase 0 of Mia is unknown"),
        (mia.MiaView(phase=2, lives=[3]), "has no seat 1"),
        (mia.MiaView(phase=2, lives=[3, 3], dice=[4]), "1 dice"),
        (mia.MiaView(phase=2, lives=[3, 3], last=mia.MiaShowdown()), "the end 0"),
    ],
)
def test_a_view_that_means_nothing_is_refused(message: mia.MiaView, said: str) -> None:
    with pytest.raises(wire.WireError, match=said):
        wire.view_from_proto(GAME, pb.View(mia=message), seat=1, rules=ruleset(GAME), legal=())
