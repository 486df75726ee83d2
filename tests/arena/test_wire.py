"""The wire: what the rules made on one side comes out as the very same values on the other."""

from __future__ import annotations

from typing import Any

import pytest

from arena import wire
from arena.games import GAMES
from arena.games.three_coins import Move
from arena.protocol.v1 import arena_pb2 as pb
from arena.protocol.v1 import three_coins_pb2 as coins
from arena.rules import OMNISCIENT, PUBLIC, Drawn, Moved, Outcome, Ruleset, ruleset
from arena.table import Fault, Limits, MatchEnd, MatchInfo, Player
from tests.arena.playouts import GAME, RULESETS, Playout, playout


def identical(one: object, other: object) -> bool:
    """Equal, and of the same types throughout: NamedTuples of different types can be equal as tuples."""
    return one == other and repr(one) == repr(other)


@pytest.fixture(params=range(len(RULESETS)), ids=lambda number: str(RULESETS[number][2] or RULESETS[number][0]))
def playouts(request: pytest.FixtureRequest) -> list[Playout]:
    preset, players, options = RULESETS[request.param]
    return [playout(seed, preset, players, options, leave=seed % 2 * 0.03) for seed in range(6)]


def through(message: Any) -> Any:
    """The message as it comes out at the other end."""
    return type(message).FromString(message.SerializeToString())


# ---- what comes out is what went in --------------------------------------------------------------


def test_every_game_has_a_codec_and_its_fields() -> None:
    assert set(wire.CODECS) == set(GAMES)
    for message in (pb.Move, pb.View, pb.Event):
        assert {field.name for field in message.DESCRIPTOR.oneofs_by_name["game"].fields} == set(GAMES)


def test_questions_of_random_playouts_are_the_same_at_the_other_end(playouts: list[Playout]) -> None:
    for match in playouts:
        for seat, question in match.asked:
            message = through(wire.question_to_proto(GAME, question))
            back = wire.question_from_proto(GAME, message, seat=seat, rules=match.rules)
            assert identical(back, question)


def test_every_view_of_every_seat_is_the_same_at_the_other_end(playouts: list[Playout]) -> None:
    for match in playouts:
        for seat, view in match.views:
            message = through(wire.view_to_proto(GAME, view))
            back = wire.view_from_proto(GAME, message, seat=seat, rules=match.rules, legal=view.legal)
            assert identical(back, view)


def test_events_are_the_same_at_the_other_end_with_their_audience(playouts: list[Playout]) -> None:
    for match in playouts:
        for event in match.events:
            assert identical(wire.event_from_proto(GAME, through(wire.event_to_proto(GAME, event))), event)


def test_the_playouts_show_every_event_there_is(playouts: list[Playout]) -> None:
    if len(playouts[0].views[0][1].coins) < 3:
        return  # with two players nobody goes on after another has left
    kinds = {type(event).__name__ for match in playouts for event in match.events}
    assert {"RoundBegan", "Hid", "FistsClosed", "Spoke", "FistsOpened", "WentOut", "MatchEnded"} <= kinds


def test_a_broken_round_is_told() -> None:
    matches = [playout(seed, None, 4, {}, leave=0.3) for seed in range(5)]
    broken = [event for match in matches for event in match.events if type(event).__name__ == "RoundBroken"]
    assert broken
    for event in broken:
        assert identical(wire.event_from_proto(GAME, through(wire.event_to_proto(GAME, event))), event)


@pytest.mark.parametrize("move", ["hide 0", "hide 9", "bid 0", "bid 99", "call", "cliff", "zero", "max"])
def test_moves_go_through(move: str) -> None:
    parsed = GAME.parse(move)
    assert identical(wire.move_from_proto(GAME, through(wire.move_to_proto(GAME, parsed))), parsed)


def test_a_move_that_no_rule_allows_goes_through_and_is_judged_by_the_rules() -> None:
    message = pb.Move(three_coins=coins.ThreeCoinsMove(bid=4_000_000_000))
    assert wire.move_from_proto(GAME, message) == Move("bid", 4_000_000_000)


def test_fields_from_the_future_do_not_hide_a_move() -> None:
    future = through(wire.move_to_proto(GAME, Move("bid", 4))).SerializeToString() + b"\xfa\x3e\x01x"
    message = pb.Move.FromString(future)
    assert message.SerializeToString() == future  # the unknown field is carried along
    assert wire.move_from_proto(GAME, message) == Move("bid", 4)


def test_shared_messages_do_not_change_when_they_are_used() -> None:
    first = wire.move_to_proto(GAME, Move("bid", 4))
    answer = wire.answer_to_proto(GAME, 1, Move("bid", 4))
    answer.move.three_coins.bid = 9
    assert wire.move_to_proto(GAME, Move("bid", 4)) == first
    assert wire.move_from_proto(GAME, first) == Move("bid", 4)


# ---- secrecy -------------------------------------------------------------------------------------


def test_no_fist_but_the_viewers_own_is_ever_sent() -> None:
    rules = ruleset(GAME)
    state, _ = GAME.start(rules, 3)
    state, _ = GAME.step(state, Drawn((0,)))
    state, _ = GAME.step(state, Moved({0: Move("hide", 1), 1: Move("hide", 2), 2: Move("hide", 3)}))
    public = wire.view_to_proto(GAME, GAME.view(state, PUBLIC))
    assert wire.view_to_proto(GAME, GAME.view(state, OMNISCIENT)) == public
    assert not public.three_coins.HasField("own_hand")


# ---- rulesets, matches, ends ---------------------------------------------------------------------


@pytest.mark.parametrize(("preset", "_players", "options"), RULESETS)
def test_rulesets_go_through(preset: str | None, _players: int, options: dict[str, object]) -> None:
    rules = ruleset(GAME, preset, options)
    assert wire.ruleset_from_proto(through(wire.ruleset_to_proto(rules))) == rules


def test_a_ruleset_of_ones_own_that_equals_a_preset_stays_without_one() -> None:
    rules = ruleset(GAME, "call-only", {"cliff": "on", "zero": "on", "max": "on"})
    assert rules.preset is None
    assert wire.ruleset_from_proto(through(wire.ruleset_to_proto(rules))) == rules


def info(**changes: Any) -> MatchInfo:
    players = (Player("Дарина", "sha256:00"), Player("Orest", None))
    return MatchInfo("m-1", 1, players, ruleset(GAME, "duel"), Limits(), "forfeit", 3)._replace(**changes)


@pytest.mark.parametrize("changes", [{}, {"limits": None}, {"penalty": "default"}, {"ruleset": ruleset(GAME)}])
def test_the_start_of_a_match_goes_through(changes: dict[str, Any]) -> None:
    told = info(**changes)
    assert wire.match_start_from_proto(through(wire.match_start_to_proto(GAME, told))) == (told, ())


def test_what_was_perceived_so_far_goes_through() -> None:
    events = tuple(playout(1, "duel", 2, {}).events)
    _, so_far = wire.match_start_from_proto(through(wire.match_start_to_proto(GAME, info(), events)))
    assert identical(so_far, events)


@pytest.mark.parametrize(
    "end",
    [
        MatchEnd("m-1", Outcome((1, 2), "last_left", (3, 0))),
        MatchEnd("m-1", None, faults=(Fault(1, "late", "no answer"), Fault(1, "gone", ""))),
        MatchEnd("m-1", None, voided="a worker was lost"),
    ],
)
def test_the_end_of_a_match_goes_through(end: MatchEnd) -> None:
    assert wire.match_end_from_proto(GAME, through(wire.match_end_to_proto(GAME, end))) == end


def test_a_deadline_of_less_than_a_millisecond_is_not_taken_for_none() -> None:
    _, question = playout(1, "duel", 2, {}).asked[0]
    assert wire.question_to_proto(GAME, question._replace(deadline_ms=0.4)).deadline_ms == 1
    assert wire.question_to_proto(GAME, question._replace(deadline_ms=None)).deadline_ms == 0


# ---- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (pb.Move(), "of no game"),
        (pb.Move(three_coins=coins.ThreeCoinsMove()), "says nothing"),
        (pb.Move(three_coins=coins.ThreeCoinsMove(word=0)), "the word 0 is unknown"),
        (pb.Move(three_coins=coins.ThreeCoinsMove.FromString(b"\x18\x09")), "the word 9 is unknown"),
    ],
)
def test_a_move_that_means_nothing_is_refused(message: pb.Move, said: str) -> None:
    with pytest.raises(wire.WireError, match=said):
        wire.move_from_proto(GAME, message)


def test_an_answer_without_a_move_is_refused() -> None:
    with pytest.raises(wire.WireError, match="no move"):
        wire.answer_from_proto(GAME, pb.Answer(decision=1))


def test_events_and_views_that_mean_nothing_are_refused() -> None:
    with pytest.raises(wire.WireError, match="of no game"):
        wire.event_from_proto(GAME, pb.Event())
    with pytest.raises(wire.WireError, match="not known here"):
        wire.event_from_proto(GAME, pb.Event(three_coins=coins.ThreeCoinsEvent()))
    with pytest.raises(wire.WireError, match="phase"):
        wire.view_from_proto(
            GAME, pb.View(three_coins=coins.ThreeCoinsView(coins=[3])), seat=0, rules=ruleset(GAME), legal=()
        )
    with pytest.raises(wire.WireError, match="no seat 3"):
        wire.view_from_proto(
            GAME, pb.View(three_coins=coins.ThreeCoinsView(phase=2, coins=[3])), seat=3, rules=ruleset(GAME), legal=()
        )


def broken_ruleset(rules: Ruleset, **options: pb.OptionValue | None) -> pb.Ruleset:
    message = wire.ruleset_to_proto(rules)
    for name, value in options.items():
        if value is None:
            del message.options[name]
        else:
            message.options[name].CopyFrom(value)
    return message


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"cliff": None}, "cliff of three_coins is not given"),
        ({"cliff": pb.OptionValue()}, "cliff has no value"),
        ({"cliff": pb.OptionValue(word="maybe")}, "'maybe' is not one of"),
        ({"jokers": pb.OptionValue(number=2)}, "no option 'jokers'"),
        ({"cliff": pb.OptionValue(word="off")}, "not those of the preset classic"),
    ],
)
def test_a_ruleset_that_is_unknown_here_is_refused(options: dict[str, pb.OptionValue | None], said: str) -> None:
    with pytest.raises(wire.WireError, match=said):
        wire.ruleset_from_proto(broken_ruleset(ruleset(GAME), **options))


def test_an_unknown_game_is_refused() -> None:
    with pytest.raises(wire.WireError, match="no game 'chess'"):
        wire.ruleset_from_proto(pb.Ruleset(game="chess"))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda m: setattr(m, "seat", 2), "no seat 2"),
        (lambda m: setattr(m, "faults", 0), "rule for faults"),
        (lambda m: setattr(m.players[1], "seat", 7), "seats"),
    ],
)
def test_a_start_that_makes_no_sense_is_refused(change: Any, said: str) -> None:
    message = wire.match_start_to_proto(GAME, info())
    change(message)
    with pytest.raises(wire.WireError, match=said):
        wire.match_start_from_proto(message)


def test_an_end_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(wire.WireError, match="2 places, but 1 scores"):
        wire.match_end_from_proto(GAME, pb.MatchEnd(places=[1, 2], scores=[3]))
    with pytest.raises(wire.WireError, match="fault 0"):
        wire.match_end_from_proto(GAME, pb.MatchEnd(faults=[pb.Fault()]))
