"""Mia: the document's own round, every refusal, every option, chances, forfeits, and the ends of a match."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from arena import rules
from arena.games.mia import (
    CHALLENGE,
    CONCEDE,
    DIGITS,
    GAME,
    LOOK,
    MOVES,
    OPTIONS,
    PRESETS,
    ROLL,
    ROLL_BLIND,
    ROLLS,
    SUMS,
    Acted,
    Move,
    Options,
    RoundBegan,
    RoundBroken,
    RoundEnded,
    Saw,
    Showdown,
    StartRolled,
    State,
    Turned,
    WentOut,
    bears_out,
    options_of,
    ranking,
)
from arena.rules import (
    OMNISCIENT,
    PUBLIC,
    Draw,
    Drawn,
    Event,
    Happening,
    IllegalMove,
    Left,
    MatchEnded,
    Moved,
    MoveTextError,
    Outcome,
    RulesError,
    RulesetError,
    at_seat,
    heard,
    ruleset,
)

NO_PASS: Mapping[str, rules.Value] = {"pass": "off"}
AT_LEAST: Mapping[str, rules.Value] = {**NO_PASS, "raise_rule": "at_least"}

TRACE = json.loads((Path(__file__).parents[2] / "data" / "traces" / "mia.json").read_text())


class Table:
    """A match in progress: the state, and the events of the last step."""

    def __init__(self, players: int = 4, starter: int = 0, **options: object) -> None:
        self.state: State
        self.events: tuple[Event, ...]
        self.state, self.events = GAME.start(ruleset(GAME, None, options), players)
        due = GAME.due(self.state)
        if due is not None:
            dice = tuple(5 if seat == starter else 0 for seat in range(players))
            self.step(Drawn((starter,) if due.label == "start/lot" else dice))

    def step(self, happening: Happening) -> Table:
        self.state, self.events = GAME.step(self.state, happening)
        return self

    def do(self, *moves: str) -> Table:
        """Whose turn it is does the first of these, the next player the second, and so on."""
        for move in moves:
            self.step(Moved({self.state.turn: GAME.parse(move)}))
        return self

    def roll(self, dice: str, move: str = "roll") -> Table:
        """Whose turn it is rolls this."""
        return self.do(move).step(Drawn((int(dice[0]) - 1, int(dice[1]) - 1)))

    def play(self, *moves: str) -> Table:
        """As `do`, but that ``43`` rolls this."""
        for move in moves:
            if move.isdecimal():
                self.roll(move)
            else:
                self.do(move)
        return self

    def leave(self, *seats: int) -> Table:
        return self.step(Left(frozenset(seats)))

    def refusal(self, text: str) -> str | None:
        """Why whose turn it is may not do ``text``; made sure of in all ways in which it can be asked."""
        move = GAME.parse(text)
        seat = self.state.turn
        reason = GAME.refusal(self.state, seat, move)
        assert (move in GAME.legal(self.state, seat)) == (reason is None)
        if reason is not None:
            with pytest.raises(IllegalMove) as refused:
                GAME.step(self.state, Moved({seat: move}))
            assert str(refused.value) == reason
        return reason

    @property
    def outcome(self) -> Outcome | None:
        return GAME.outcome(self.state)

    @property
    def ended(self) -> Showdown:
        """How the round ended in the last step."""
        (event,) = (event for event in self.events if isinstance(event, RoundEnded))
        return event.showdown


# ---- the document's own round --------------------------------------------------------------------


def act(table: Table, event: Mapping[str, str]) -> None:
    """One event of the trace: a roll is followed by what is said of it."""
    if event["do"] == "roll":
        table.roll(event["dice"]).do(f"say {event['say']}")
    else:
        table.do(f"pass {event['say']}" if event["do"] == "pass" else event["do"])


def test_the_round_of_a_b_v_and_g() -> None:
    names = TRACE["seats"]
    seat = {name: number for number, name in enumerate(names)}
    table = Table(len(names), seat[TRACE["starter"]], lives=TRACE["lives"], **TRACE["ruleset"])
    for event in TRACE["events"]:
        assert GAME.asked(table.state) == (seat[event["who"]],)
        act(table, event)
    result = TRACE["result"]
    assert table.ended == Showdown(
        round=1,
        how="challenge",
        ender=seat["B"],
        announcer=seat["A"],
        announced=result["announced"],
        roller=seat["B"],
        looked=True,
        to_beat="52",
        claim="65",
        dice=(4, 3),
        loser=seat[result["loser"]],
        lives=1,
        sips=0,
    )
    assert table.state.lives == tuple(result["lives"][name] for name in names)
    assert (table.state.starter, table.state.phase, table.state.round) == (seat[result["next"]], "opening", 2)


@pytest.mark.parametrize("own", DIGITS)
def test_the_first_roll_of_that_round_does_not_matter(own: str) -> None:
    table = Table().roll(own).do("say 52").roll("43").do("say 65", "pass 65", "pass 65", "pass 65", "challenge")
    assert table.state.lives == (5, 6, 6, 6)


def test_that_round_is_illegal_without_passes() -> None:
    table = Table(**NO_PASS)
    for event in TRACE["events"][:2]:
        act(table, event)
    assert table.refusal("pass 65") == "pass 65: this ruleset plays without it"


def test_b_may_not_pass_65_on_once_more() -> None:
    table = Table()
    for event in TRACE["events"][:-1]:
        act(table, event)
    reason = "pass 65: this seat was the first to say 65; roll, pass it on with a higher value or challenge"
    assert table.refusal("pass 65") == reason
    assert table.refusal("pass 11") is None
    assert table.refusal("roll") is None
    assert GAME.view(table.state, at_seat(1)).dice == (4, 3)  # he knows: it is still his own roll


# ---- a round -------------------------------------------------------------------------------------


def test_the_highest_die_starts_and_ties_roll_again() -> None:
    state, events = GAME.start(ruleset(GAME), 4)
    assert (GAME.due(state), GAME.asked(state), events) == (Draw("start/die/1", (6, 6, 6, 6)), (), ())
    state, events = GAME.step(state, Drawn((3, 5, 0, 5)))
    assert events == (StartRolled((0, 1, 2, 3), (4, 6, 1, 6)),)
    assert GAME.due(state) == Draw("start/die/2", (6, 6))
    state, events = GAME.step(state, Drawn((2, 2)))
    assert events == (StartRolled((1, 3), (3, 3)),)
    assert GAME.due(state) == Draw("start/die/3", (6, 6))
    state, events = GAME.step(state, Drawn((0, 1)))
    assert events == (StartRolled((1, 3), (1, 2)), RoundBegan(1, 3))
    assert (GAME.due(state), GAME.asked(state), state.phase) == (None, (3,), "opening")


def test_a_roll_makes_a_draw_due_and_then_asks_the_same_seat() -> None:
    table = Table(starter=2)
    assert GAME.legal(table.state, 2) == (ROLL, ROLL_BLIND)
    table.do("roll")
    assert table.events == (Acted(2, ROLL),)
    assert (GAME.due(table.state), GAME.asked(table.state)) == (Draw("round/1/roll/1", (6, 6)), ())
    table.step(Drawn((2, 4)))
    assert table.events == (Saw(2, (5, 3), frozenset({2})),)
    assert (GAME.due(table.state), GAME.asked(table.state)) == (None, (2,))
    assert [move.value for move in GAME.legal(table.state, 2)] == list(ranking(table.state.options).values)
    table.do("say 31")
    assert table.events == (Acted(2, Move("say", "31")),)
    table.do("roll blind")
    assert table.events == (Acted(3, ROLL_BLIND),)
    assert GAME.due(table.state) == Draw("round/1/roll/2", (6, 6))
    assert table.step(Drawn((0, 0))).events == ()


def test_nothing_of_a_round_is_left_in_the_next() -> None:
    table = Table().roll("43").do("say 31").roll("52").do("say 65", "pass 66", "challenge")
    assert (table.ended.to_beat, table.ended.claim, table.ended.announced) == ("31", "65", "66")
    fresh = GAME.view(table.state, OMNISCIENT)
    assert (fresh.dice, fresh.seen, fresh.roller, fresh.claim, fresh.to_beat) == (None, (), None, None, None)
    assert (fresh.announced, fresh.announcer, fresh.namer, fresh.announcements) == (None, None, None, 0)


def test_rolls_are_counted_anew_in_each_round() -> None:
    table = Table().roll("31").do("say 31").roll("31").do("say 65", "challenge", "roll")
    assert GAME.due(table.state) == Draw("round/2/roll/1", (6, 6))


def test_dice_are_known_to_who_looked_until_they_are_rolled_again() -> None:
    table = Table(starter=1).roll("62").do("say 31")

    def known(state: State) -> list[int]:
        return [seat for seat in range(4) if GAME.view(state, at_seat(seat)).dice is not None]

    assert (known(table.state), GAME.view(table.state, at_seat(1)).dice) == ([1], (6, 2))
    assert GAME.view(table.state, PUBLIC).dice is None
    assert GAME.view(table.state, OMNISCIENT).dice == (6, 2)
    assert {GAME.view(table.state, at_seat(seat)).seen for seat in range(4)} == {(1,)}  # that he looked, all saw
    table.do("pass 31", "pass 31", "pass 31")
    assert (table.state.turn, known(table.state)) == (1, [1])
    assert known(table.do("roll blind").state) == []
    assert known(table.step(Drawn((0, 0))).state) == []
    assert GAME.view(table.state, OMNISCIENT).dice == (1, 1)
    table.do("say 65").roll("66")
    assert known(table.state) == [2]
    table.do("say 66").roll("66")
    assert known(table.state) == [3]


def test_what_one_saw_is_heard_by_nobody_else() -> None:
    table = Table().roll("43")
    assert heard(table.events, at_seat(0)) == (Saw(0, (4, 3), frozenset({0})),)
    for viewer in (PUBLIC, at_seat(1), at_seat(3)):
        assert heard(table.events, viewer) == ()


@pytest.mark.parametrize(
    ("dice", "said", "lives", "starter"),
    [
        ("43", "44", (5, 6, 6, 6), 1),  # below: the announcer loses, the challenger starts
        ("43", "43", (6, 5, 6, 6), 2),  # equal: the challenger loses, the one after him starts
        ("43", "42", (6, 5, 6, 6), 2),  # above
        ("11", "65", (6, 5, 6, 6), 2),
        ("66", "11", (6, 5, 6, 6), 2),
        ("11", "22", (5, 6, 6, 6), 1),
        ("31", "32", (5, 6, 6, 6), 1),
        ("21", "66", (6, 5, 6, 6), 2),  # a Mia under another announcement costs one
        ("65", "11", (5, 6, 6, 6), 1),
    ],
)
def test_challenges(dice: str, said: str, lives: tuple[int, ...], starter: int) -> None:
    table = Table().roll(dice).do(f"say {said}", "challenge")
    assert (table.state.lives, table.state.starter, table.state.round) == (lives, starter, 2)
    assert table.events[0] == Acted(1, CHALLENGE)
    assert (table.ended.dice, table.ended.how, table.ended.hard) == ((int(dice[0]), int(dice[1])), "challenge", False)
    assert table.events[-1] == RoundBegan(2, starter)
    for viewer in (PUBLIC, at_seat(3)):
        assert GAME.view(table.state, viewer).last == table.ended


@pytest.mark.parametrize(
    ("dice", "move", "lives", "starter"),
    [
        ("21", "concede", (6, 5, 6, 6), 2),
        ("65", "concede", (6, 5, 6, 6), 2),
        ("21", "look", (6, 4, 6, 6), 2),
        ("65", "look", (5, 6, 6, 6), 1),
    ],
)
@pytest.mark.parametrize("roll", ["roll", "roll blind"])
def test_an_announced_mia(roll: str, dice: str, move: str, lives: tuple[int, ...], starter: int) -> None:
    table = Table().roll(dice, roll).do("say 21")
    assert GAME.legal(table.state, 1) == (CONCEDE, LOOK)
    table.do(move)
    assert (table.state.lives, table.state.starter) == (lives, starter)
    assert (table.ended.how, table.ended.hard, table.ended.looked) == (move, True, roll == "roll")
    # who concedes does not see the dice, and neither does anybody else
    assert table.ended.dice == (None if move == "concede" else (int(dice[0]), int(dice[1])))


def test_a_mia_can_be_announced_by_a_pass() -> None:
    table = Table().roll("43").do("say 31", "pass 21")
    assert (GAME.legal(table.state, 2), table.state.announcer) == ((CONCEDE, LOOK), 1)
    assert table.do("look").state.lives == (6, 5, 6, 6)


def test_the_last_announcer_answers_for_the_cup() -> None:
    table = Table().roll("43").do("say 65", "pass 65")
    assert (table.state.announcer, table.state.roller, table.state.namer, table.state.claim) == (1, 0, 0, "65")
    table.do("pass 66")
    assert (table.state.announcer, table.state.roller, table.state.namer, table.state.claim) == (2, 0, 2, "65")
    assert table.do("challenge").state.lives == (6, 6, 5, 6)


def test_who_raised_by_a_pass_named_the_value() -> None:
    table = Table(players=2).roll("43").do("say 31", "pass 65", "pass 65")
    assert table.state.turn == 1
    assert "the first to say 65" in (table.refusal("pass 65") or "")
    # who said less is free to pass what another has named
    assert Table(players=2).roll("43").do("say 31", "pass 65").refusal("pass 65") is None


def test_a_roll_sets_the_responsibility_anew() -> None:
    table = Table().roll("43").do("say 52", "pass 53").roll("61").do("say 65")
    state = table.state
    assert (state.roller, state.announcer, state.namer, state.to_beat, state.claim) == (2, 2, 2, "53", "65")
    assert state.announcements == 3


def test_lives_stop_at_nothing() -> None:
    table = Table(lives=1).roll("21").do("say 21", "look")
    assert (table.state.lives, table.ended.lives) == ((1, 0, 1, 1), 1)


def test_the_next_one_after_who_went_out_starts() -> None:
    table = Table(lives=1, end="last_standing").roll("43").do("say 43", "challenge")  # seat 1 is out
    assert (table.state.live, table.state.starter) == ((0, 2, 3), 2)
    assert WentOut((1,), forfeit=False) in table.events
    table.roll("43").do("say 65", "challenge")  # seat 2 is out
    assert (table.state.live, table.state.starter) == ((0, 3), 3)
    assert table.roll("43").do("say 42").state.turn == 0


# ---- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("played", "text", "reason"),
    [
        ((), "say 65", "say 65: roll first"),
        ((), "challenge", "challenge: the round begins with a roll"),
        ((), "pass 65", "pass 65: the round begins with a roll"),
        ((), "concede", "concede: that is for an announced Mia"),
        ((), "look", "look: that is for an announced Mia"),
        (("43",), "roll", "roll: the dice have fallen; say a value"),
        (("43",), "pass 65", "pass 65: the dice have fallen; say a value"),
        (("43",), "challenge", "challenge: the dice have fallen; say a value"),
        (("43",), "look", "look: that is for an announced Mia"),
        (("43",), "say 9p", "say 9p: this ruleset is played with digits"),
        (("43", "say 52", "61"), "say 52", "say 52: it must be above 52"),
        (("43", "say 52", "61"), "say 43", "say 43: it must be above 52"),
        (("43", "say 11", "61"), "say 65", "say 65: it must be above 11"),
        (("43", "say 52", "pass 61", "61"), "say 54", "say 54: it must be above 61"),
        (("43", "say 52"), "say 65", "say 65: roll first"),
        (("43", "say 52"), "pass 51", "pass 51: it must be at least 52"),
        (("43", "say 52"), "pass 9p", "pass 9p: this ruleset is played with digits"),
        (("43", "say 52"), "concede", "concede: that is for an announced Mia"),
        (("43", "say 52"), "look", "look: that is for an announced Mia"),
        (("43", "say 21"), "challenge", "challenge: a Mia was announced; concede or look"),
        (("43", "say 21"), "pass 21", "pass 21: a Mia was announced; concede or look"),
        (("43", "say 21"), "roll", "roll: a Mia was announced; concede or look"),
        (("43", "say 21"), "say 21", "say 21: a Mia was announced; concede or look"),
    ],
)
def test_refused(played: tuple[str, ...], text: str, reason: str) -> None:
    assert Table().play(*played).refusal(text) == reason


def test_refused_under_sums() -> None:
    table = Table(mixed="sum").roll("43")
    assert table.refusal("say 65") == "say 65: this ruleset calls it 11p"
    assert table.refusal("say 11p") is None
    assert table.refusal("say 11") is None  # the double
    assert table.do("say 9p").refusal("pass 63") == "pass 63: this ruleset calls it 9p"
    special = Table(mixed="sum", little_mia="on").roll("43")
    assert special.refusal("say 4p") == "say 4p: this ruleset calls these rolls by their digits"


def test_refused_to_others() -> None:
    rolled = Table().roll("43").state
    for state, seat in ((rolled, 1), (Table().do("roll").state, 0), (GAME.start(ruleset(GAME), 3)[0], 0)):
        assert GAME.refusal(state, seat, ROLL) == "it is not this seat's turn"
        assert GAME.legal(state, seat) == ()
    over = Table(players=2).leave(0).state
    assert GAME.refusal(over, 1, ROLL) == "it is not this seat's turn"
    assert GAME.legal(over, -1) == ()


@pytest.mark.parametrize(
    "move",
    [Move("say"), Move("say", "12"), Move("roll", "65"), Move("roll", "blind"), Move("spoof"), Move("look", "21")],
)
def test_what_is_nothing_that_one_can_do(move: Move) -> None:
    for table in (Table(), Table().roll("43"), Table().roll("43").do("say 43"), Table().roll("43").do("say 21")):
        reason = GAME.refusal(table.state, table.state.turn, move)
        assert reason == f"{GAME.write(move)!r} is nothing that one can do"


@pytest.mark.parametrize(
    ("state", "happening", "says"),
    [
        (Table().state, Moved({1: ROLL}), "moves of seats [1], but asked are [0]"),
        (Table().state, Moved({0: ROLL, 1: ROLL}), "moves of seats [0, 1], but asked are [0]"),
        (Table().do("roll").state, Moved({0: ROLL}), "moves of seats [0], but asked are []"),
        (Table().state, Left(frozenset({1})), "seats [1] leave, but asked are [0]"),
        (Table().state, Left(frozenset()), "seats [] leave"),
        (Table().do("roll").state, Left(frozenset({0})), "seats [0] leave, but asked are []"),
        (Table().state, Drawn((0, 0)), "no draw that could give [0, 0] is due"),
        (Table().do("roll").state, Drawn((0, 6)), "no draw that could give [0, 6] is due"),
        (Table().do("roll").state, Drawn((-1, 0)), "no draw that could give [-1, 0] is due"),
        (Table().do("roll").state, Drawn((0,)), "no draw that could give [0] is due"),
        (GAME.start(ruleset(GAME), 3)[0], Drawn((0, 0)), "no draw that could give [0, 0] is due"),
        (Table().state, Drawn(()), "no draw that could give [] is due"),
    ],
)
def test_what_cannot_happen(state: State, happening: Happening, says: str) -> None:
    with pytest.raises(RulesError) as refused:
        GAME.step(state, happening)
    assert str(refused.value).startswith(says)


def test_move_texts() -> None:
    assert len(MOVES) == 5 + 2 * (21 + 8)
    for text, move in MOVES.items():
        assert GAME.write(move) == text
        assert GAME.parse(text) == move


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "say",
            "say ",
            "say  65",
            "say 65 ",
            " say 65",
            "Say 65",
            "say 12",
            "say 56",
            "say 77",
            "say 7",
            "say 06",
        ),
        *("pass", "pass 1", "say 3p", "say 12p", "say 9P", "say 09p", "say 65p", "roll 65", "roll  blind", "rollblind"),
        *("blind", "believe", "challenge 65", "look\n", "say 6५", "say " + "9" * 5000, "не верю", "\ud800"),
    ],
    ids=ascii,
)
def test_what_is_no_move(text: str) -> None:
    with pytest.raises(MoveTextError, match="is no move of Mia"):
        GAME.parse(text)


# ---- options -------------------------------------------------------------------------------------


class Case(NamedTuple):
    """The same things happen with a value of an option and without; ``look`` sees the difference."""

    option: str
    value: rules.Value
    played: tuple[str, ...]
    look: Callable[[Table], Any]
    with_it: Any
    without: Any
    base: Mapping[str, rules.Value] = {}


def refused(text: str) -> Callable[[Table], str | None]:
    return lambda table: table.refusal(text)


def lives(table: Table) -> tuple[int, ...]:
    return table.state.lives


def reason(table: Table) -> str | None:
    return table.state.reason


def starter(table: Table) -> int:
    return table.state.starter


def turn(table: Table) -> int:
    return table.state.turn


def first_draw(table: Table) -> Draw | None:
    named = {option.name: value for option, value in zip(OPTIONS, table.state.options, strict=True)}
    return GAME.due(GAME.start(ruleset(GAME, None, named), 3)[0])


CASES = [
    Case("lives", 3, (), lives, (3, 3, 3, 3), (6, 6, 6, 6)),
    Case("end", "last_standing", ("43", "say 65", "challenge"), reason, None, "first_out", {"lives": 1}),
    Case(
        "raise_rule",
        "at_least",
        ("43", "say 65", "43"),
        refused("say 65"),
        None,
        "say 65: it must be above 65",
        NO_PASS,
    ),
    Case(
        "raise_rule",
        "at_least",
        ("43", "say 65", "43"),
        refused("say 64"),
        "say 64: it must be at least 65",
        "say 64: it must be above 65",
        NO_PASS,
    ),
    Case(
        "pass",
        "same_only",
        ("43", "say 65"),
        refused("pass 66"),
        "pass 66: the cup is passed on with 65 or not at all",
        None,
    ),
    Case("pass", "same_only", ("43", "say 65"), refused("pass 65"), None, None),
    Case("pass", "off", ("43", "say 65"), refused("pass 65"), "pass 65: this ruleset plays without it", None),
    Case(
        "pass_return",
        "free",
        ("43", "say 65", "pass 65", "pass 65", "pass 65"),
        refused("pass 65"),
        None,
        "pass 65: this seat was the first to say 65; roll, pass it on with a higher value or challenge",
    ),
    Case(
        "pass_return",
        "free",
        ("43", "say 65", "pass 65", "pass 65", "pass 65"),
        refused("pass 65"),
        None,
        "pass 65: this seat was the first to say 65; roll or challenge",
        {"pass": "same_only"},
    ),
    Case("doubles", "ascending", ("66", "say 11", "challenge"), lives, (5, 6, 6, 6), (6, 5, 6, 6)),
    Case("little_mia", "on", ("31", "say 66", "challenge"), lives, (6, 5, 6, 6), (5, 6, 6, 6)),
    Case("joker_32", "third_best", ("32", "say 66", "challenge"), lives, (6, 5, 6, 6), (5, 6, 6, 6)),
    Case("joker_32", "reverse", ("31", "say 32"), turn, 3, 1),
    Case("mixed", "sum", ("63", "say 9p"), turn, 1, None),
    Case("mia_concede", 2, ("43", "say 21", "concede"), lives, (6, 4, 6, 6), (6, 5, 6, 6)),
    Case("mia_wrong_look", 3, ("21", "say 21", "look"), lives, (6, 3, 6, 6), (6, 4, 6, 6)),
    Case("mia_liar", 2, ("43", "say 21", "look"), lives, (4, 6, 6, 6), (5, 6, 6, 6)),
    Case(
        "must_beat_actual",
        "on",
        ("43", "say 65", "65", "say 65", "challenge"),
        lives,
        (6, 5, 6, 6),
        (6, 6, 5, 6),
        AT_LEAST,
    ),
    Case("blind", "forbidden", (), refused("roll blind"), "roll blind: this ruleset plays without it", None),
    Case(
        "blind", "forbidden", ("43", "say 31"), refused("roll blind"), "roll blind: this ruleset plays without it", None
    ),
    Case("blind", "forbidden", ("43", "say 31"), refused("pass 31"), None, None),
    Case("first_starter", "lot", (), first_draw, Draw("start/lot", (3,)), Draw("start/die/1", (6, 6, 6))),
    Case("first_starter", "seat", (), first_draw, None, Draw("start/die/1", (6, 6, 6))),
    Case("next_starter", "loser", ("43", "say 65", "challenge"), starter, 0, 1),
    Case("next_starter", "challenge_winner", ("43", "say 43", "challenge"), starter, 0, 2),
    Case(
        "penalty",
        "sip",
        ("43", "say 65", "challenge"),
        lambda t: (t.state.lives, t.state.sips),
        ((6, 6, 6, 6), (1, 0, 0, 0)),
        ((5, 6, 6, 6), (0, 0, 0, 0)),
    ),
    Case("rounds", 1, ("43", "say 65", "challenge"), reason, "rounds", None, {"penalty": "sip"}),
    Case(
        "max_announcements",
        2,
        ("43", "say 31", "pass 31"),
        lambda t: GAME.legal(t.state, 2) == (CHALLENGE,),
        True,
        False,
    ),
]


def seen_with(case: Case, options: Mapping[str, rules.Value]) -> Any:
    """What ``case`` looks at, or None where its moves are illegal."""
    try:
        return case.look(Table(**options).play(*case.played))
    except IllegalMove:
        return None


@pytest.mark.parametrize("case", CASES, ids=[f"{n}-{case.option}-{case.value}" for n, case in enumerate(CASES)])
def test_an_option_makes_its_difference(case: Case) -> None:
    assert seen_with(case, {**case.base, case.option: case.value}) == case.with_it
    assert seen_with(case, case.base) == case.without


def test_every_value_of_every_option_is_tested() -> None:
    told_apart = {(case.option, case.value) for case in CASES if case.with_it != case.without}
    for option in OPTIONS:
        if option.words:
            assert {(option.name, word) for word in option.words if word != option.default} <= told_apart
        else:
            assert option.name in {name for name, _ in told_apart}


def test_options_have_names_in_the_order_of_the_list() -> None:
    assert [field.rstrip("_") for field in Options._fields] == [option.name for option in OPTIONS]
    assert options_of(ruleset(GAME, None, {"pass": "off"}).values).pass_ == "off"


@pytest.mark.parametrize("passing", ["same_or_higher", "same_only"])
def test_the_same_value_again_leaves_no_passing(passing: str) -> None:
    with pytest.raises(RulesetError, match=f"raise_rule = at_least allows no pass = {passing}"):
        ruleset(GAME, None, {"raise_rule": "at_least", "pass": passing})
    assert ruleset(GAME, None, AT_LEAST).preset is None


def test_the_joker_that_turns_is_no_sum() -> None:
    with pytest.raises(RulesetError, match="mixed = sum allows no joker_32 = reverse"):
        ruleset(GAME, None, {"mixed": "sum", "joker_32": "reverse"})
    assert ruleset(GAME, None, {"mixed": "sum", "joker_32": "third_best"})


def test_options_that_have_no_effect_are_accepted() -> None:
    assert ruleset(GAME, None, {"penalty": "sip", "lives": 20, "end": "last_standing"})
    assert ruleset(GAME, None, {"rounds": 1, "pass": "off", "pass_return": "free"})


@pytest.mark.parametrize(
    ("option", "good", "bad"),
    [
        ("lives", (1, 20), (0, 21, True, "six", 6.0)),
        ("mia_concede", (1, 20), (0, 21)),
        ("mia_wrong_look", (1, 20), (0, 21)),
        ("mia_liar", (1, 2), (0, 3)),
        ("rounds", (1, 1_000_000), (0, -1)),
        ("max_announcements", (1, 1_000_000), (0,)),
        ("pass", ("off",), ("on", 1)),
    ],
)
def test_ranges(option: str, good: tuple[object, ...], bad: tuple[object, ...]) -> None:
    for value in good:
        assert ruleset(GAME, None, {option: value}).values[option] == value
    for value in bad:
        with pytest.raises(RulesetError, match=f"option {option}"):
            ruleset(GAME, None, {option: value})


def test_presets() -> None:
    standing = {"end": "last_standing"}
    assert {preset.name: dict(preset.values) for preset in PRESETS} == {
        "classic": {},
        "ladder": standing,
        "meyer": standing | {"little_mia": "on"},
        "sum": standing | {"mixed": "sum"},
        "no-pass": standing | {"pass": "off"},
        "double-or-nothing": standing | {"mia_liar": 2},
    }
    assert {ruleset(GAME, preset.name).players for preset in PRESETS} == {range(2, 11)}


# ---- what some options mean in full --------------------------------------------------------------


def test_with_raise_or_challenge_the_pass_of_same_only_leaves_two_ways() -> None:
    table = Table(players=2, **{"pass": "same_only"}).roll("43").do("say 65", "pass 65")
    assert GAME.legal(table.state, 0) == (ROLL, ROLL_BLIND, CHALLENGE)


def test_after_the_most_announcements_a_mia_is_still_answered() -> None:
    table = Table(max_announcements=1).roll("43").do("say 21")
    assert GAME.legal(table.state, 1) == (CONCEDE, LOOK)
    table = Table(max_announcements=1).roll("43").do("say 65")
    for text in ("roll", "roll blind", "pass 65"):
        assert table.refusal(text) == f"{text}: after 1 announcements one can only challenge"
    assert table.refusal("challenge") is None
    assert table.refusal("look") == "look: that is for an announced Mia"


def test_the_count_of_announcements_begins_again_in_each_round() -> None:
    table = Table(max_announcements=2).roll("43").do("say 31", "pass 31", "challenge").roll("43").do("say 31")
    assert table.refusal("roll") is None


def test_32_turns_the_direction_by_say_and_by_pass_and_for_good() -> None:
    table = Table(joker_32="reverse").roll("43").do("say 32")
    assert table.events == (Acted(0, Move("say", "32")), Turned(clockwise=False))
    assert (table.state.turn, table.state.clockwise) == (3, False)
    table.do("pass 32")  # and back
    assert table.events == (Acted(3, Move("pass", "32")), Turned(clockwise=True))
    assert (table.state.turn, table.state.clockwise) == (0, True)
    table = Table(joker_32="reverse").roll("31").do("say 32")
    assert table.do("challenge").state.lives == (5, 6, 6, 6)
    # seat 0 lost; next in the new direction is seat 3, and then 2, in this round and the next ones
    assert (table.state.starter, table.state.clockwise) == (3, False)
    table.roll("43").do("say 42")
    assert (table.state.turn, table.events) == (2, (Acted(3, Move("say", "42")),))
    table.do("challenge")
    assert table.state.starter == 1


def test_who_is_next_after_who_went_out_is_found_in_the_direction_of_play() -> None:
    table = Table(joker_32="reverse", lives=1, end="last_standing", next_starter="loser")
    table.roll("31").do("say 32", "challenge")
    assert (table.state.live, table.state.starter) == ((1, 2, 3), 3)
    assert table.leave(3).state.starter == 2
    assert table.leave(2).outcome == Outcome((4, 1, 2, 3), "last_left", (0, 1, 0, 0))


def test_32_turns_nothing_otherwise() -> None:
    for joker in ("none", "third_best"):
        table = Table(joker_32=joker).roll("43").do("say 32")
        assert (table.state.turn, table.state.clockwise, len(table.events)) == (1, True, 1)


def test_dice_must_beat_what_stood_when_they_were_rolled() -> None:
    options = options_of(ruleset(GAME, None, {"must_beat_actual": "on"}).values)
    for dice in ROLLS:
        shown = ranking(options).called[dice]
        assert bears_out(options, dice, shown, None)  # the first roll of a round has nothing to beat
        assert not bears_out(options, dice, shown, shown)
        assert bears_out(options, dice, "31", "31") == (shown != "31")
    table = Table(**AT_LEAST, must_beat_actual="on").roll("65").do("say 65", "challenge")
    assert table.state.lives == (6, 5, 6, 6)


def test_with_higher_announcements_beating_the_dice_follows_already() -> None:
    """What is announced of a roll, and whatever it is raised to, is above what stood before."""
    options = options_of(ruleset(GAME, None, {"must_beat_actual": "on"}).values)
    free = options_of(ruleset(GAME).values)
    values, rank, *_ = ranking(options)
    for dice in ROLLS:
        for stood in values:
            for announced in values[rank[stood] + 1 :]:
                assert bears_out(options, dice, announced, stood) == bears_out(free, dice, announced, stood)


@pytest.mark.parametrize(
    ("next_starter", "dice", "moves", "first"),
    [
        ("after_loser", "43", ("say 65", "challenge"), 1),
        ("after_loser", "43", ("say 43", "challenge"), 2),
        ("loser", "43", ("say 65", "challenge"), 0),
        ("loser", "43", ("say 43", "challenge"), 1),
        ("loser", "43", ("say 65", "pass 65", "challenge"), 1),
        ("loser", "43", ("say 21", "concede"), 1),
        ("challenge_winner", "43", ("say 65", "challenge"), 1),
        ("challenge_winner", "43", ("say 43", "challenge"), 0),
        ("challenge_winner", "43", ("say 43", "pass 43", "challenge"), 1),
        ("challenge_winner", "43", ("say 21", "concede"), 0),
        ("challenge_winner", "43", ("say 21", "look"), 1),
        ("challenge_winner", "21", ("say 21", "look"), 0),
    ],
)
def test_next_starters(next_starter: str, dice: str, moves: tuple[str, ...], first: int) -> None:
    assert Table(next_starter=next_starter).roll(dice).do(*moves).state.starter == first


def test_the_next_after_a_loser_who_is_out_starts() -> None:
    table = Table(next_starter="loser", lives=1, end="last_standing", starter=3).roll("43").do("say 43", "challenge")
    assert (table.state.live, table.state.starter) == ((1, 2, 3), 1)


def test_sips() -> None:
    table = Table(players=3, penalty="sip", rounds=4, lives=1, mia_liar=2, mia_wrong_look=5)
    table.roll("43").do("say 65", "challenge")  # seat 0: 1
    assert table.ended.sips == 1
    table.roll("43").do("say 21", "look")  # seat 1: 2
    assert (table.ended.lives, table.ended.sips, table.ended.hard) == (0, 2, True)
    table.roll("21").do("say 21", "look")  # seat 0: 5
    assert table.state.sips == (6, 2, 0)
    assert not [event for event in table.events if isinstance(event, WentOut)]
    table.roll("43").do("say 21", "concede")  # seat 2: 1
    assert table.outcome == Outcome((3, 2, 1), "rounds", (6, 2, 1))
    assert table.state.lives == (1, 1, 1)


def test_lives_have_no_limit_of_rounds() -> None:
    assert Table(rounds=1).roll("43").do("say 65", "challenge").state.reason is None


def test_equal_sips_share_a_place_and_forfeiters_are_below() -> None:
    table = Table(players=4, penalty="sip", rounds=2).roll("43").do("say 65", "challenge").leave(1)
    assert table.outcome == Outcome((3, 4, 1, 1), "rounds", (1, 0, 0, 0))
    kept = Table(players=2, penalty="sip").roll("43").do("say 65", "challenge").roll("43").do("say 31").leave(0)
    assert kept.outcome == Outcome((2, 1), "last_left", (1, 0))  # what one has taken stays


# ---- how values rank, and chances ----------------------------------------------------------------


def options_with(**options: object) -> Options:
    return options_of(ruleset(GAME, None, options).values)


def chance(wanted: Callable[[int, Mapping[str, int]], bool], **options: object) -> Fraction:
    """The share of the 36 rolls whose rank is wanted."""
    ranks = ranking(options_with(**options))
    assert len(ROLLS) == 36
    return Fraction(sum(wanted(ranks.rank[ranks.called[dice]], ranks.rank) for dice in ROLLS), 36)


def above(value: str, **options: object) -> Fraction:
    return chance(lambda own, rank: own > rank[value], **options)


def reaching(value: str, **options: object) -> Fraction:
    return chance(lambda own, rank: own >= rank[value], **options)


def percent(share: Fraction) -> float:
    return round(float(100 * share), 1)


def from_the_top(**options: object) -> str:
    return " ".join(reversed(ranking(options_with(**options)).values))


def test_the_order_of_values() -> None:
    mixed = "65 64 63 62 61 54 53 52 51 43 42 41 32 31"
    assert from_the_top() == f"21 66 55 44 33 22 11 {mixed}"
    assert from_the_top(doubles="ascending") == f"21 11 22 33 44 55 66 {mixed}"
    assert from_the_top(little_mia="on") == f"21 31 66 55 44 33 22 11 {mixed.removesuffix(' 31')}"
    assert from_the_top(joker_32="third_best") == f"21 32 66 55 44 33 22 11 {mixed.replace(' 32', '')}"
    assert from_the_top(joker_32="reverse") == f"21 66 55 44 33 22 11 {mixed}"
    both = from_the_top(joker_32="third_best", little_mia="on", doubles="ascending")
    assert both == f"21 31 32 11 22 33 44 55 66 {mixed.removesuffix(' 32 31')}"
    sums = "11p 10p 9p 8p 7p 6p 5p"
    assert from_the_top(mixed="sum") == f"21 66 55 44 33 22 11 {sums} 4p"
    assert from_the_top(mixed="sum", little_mia="on") == f"21 31 66 55 44 33 22 11 {sums}"
    assert from_the_top(mixed="sum", joker_32="third_best") == f"21 32 66 55 44 33 22 11 {sums} 4p"


def test_21_values_and_15_with_sums() -> None:
    assert (len(DIGITS), len(ranking(options_with()).values), len(ranking(options_with(mixed="sum")).values)) == (
        21,
        21,
        15,
    )
    assert set(ranking(options_with(mixed="sum")).values) > set(SUMS)


def test_two_different_digits_fall_in_two_ways_and_doubles_in_one() -> None:
    called = ranking(options_with()).called
    ways = {value: sum(called[dice] == value for dice in ROLLS) for value in DIGITS}
    assert ways == {value: 1 if value[0] == value[1] else 2 for value in DIGITS}


def test_chances_against_55() -> None:
    assert (above("55"), reaching("55")) == (Fraction(3, 36), Fraction(4, 36))
    assert (percent(above("55")), percent(reaching("55")), percent(1 - reaching("55"))) == (8.3, 11.1, 88.9)


def test_the_median_is_54() -> None:
    assert above("54") == Fraction(18, 36)
    # even odds to beat it, but it may also be met
    assert (percent(above("54")), percent(1 - reaching("54")), percent(reaching("54") - above("54"))) == (
        50.0,
        44.4,
        5.6,
    )
    values, rank, *_ = ranking(options_with())
    assert (len(values) - 1 - rank["54"], rank["54"]) == (12, 8)


def test_the_median_of_meyer_is_61() -> None:
    assert above("61", little_mia="on") == Fraction(18, 36)
    assert above("54", little_mia="on") > Fraction(1, 2)


def test_62_is_the_middle_of_the_table() -> None:
    values, rank, *_ = ranking(options_with())
    assert (rank["62"], len(values) - 1 - rank["62"]) == (10, 10)
    assert (above("62"), percent(above("62"))) == (Fraction(14, 36), 38.9)


def test_chances_with_sums() -> None:
    chances = {9: 33.3, 8: 44.4, 7: 55.6, 6: 72.2, 5: 83.3, 4: 94.4}
    assert {points: percent(above(f"{points}p", mixed="sum")) for points in chances} == chances
    called = ranking(options_with(mixed="sum")).called
    ways = {points: sum(called[dice] == f"{points}p" for dice in ROLLS) for points in range(4, 12)}
    assert ways == {11: 2, 10: 2, 9: 4, 8: 4, 7: 6, 6: 4, 5: 4, 4: 2}


def test_11_and_10_points_are_like_65_and_64() -> None:
    assert above("11p", mixed="sum") == above("65")
    assert above("10p", mixed="sum") == above("64")
    assert above("4p", mixed="sum") == above("31")


def test_turning_the_doubles_round_only_renames_them() -> None:
    plain, turned = (sorted(ranking(options_with(doubles=d)).values) for d in ("descending", "ascending"))
    assert plain == turned
    for place in range(21):
        down, up = (ranking(options_with(doubles=d)).values[place] for d in ("descending", "ascending"))
        assert above(down) == above(up, doubles="ascending")
        assert reaching(down) == reaching(up, doubles="ascending")


@pytest.mark.parametrize("options", [{}, {"mixed": "sum"}, {"little_mia": "on"}, {"joker_32": "third_best"}])
def test_a_challenge_is_decided_by_rank(options: Mapping[str, Any]) -> None:
    named = options_with(**options)
    values, rank, called, *_ = ranking(named)
    for dice in dict.fromkeys(ROLLS):
        for announced in values[:-1]:
            table = Table(**options).roll(f"{dice[0]}{dice[1]}").do(f"say {announced}", "challenge")
            assert table.ended.loser == (1 if rank[called[dice]] >= rank[announced] else 0)
            assert table.ended.loser == int(bears_out(named, dice, announced, None))


# ---- the ends ------------------------------------------------------------------------------------


def lose(table: Table) -> Table:
    """Who holds the cup lies and is caught."""
    return table.roll("31").do("say 65", "challenge")


def test_the_first_without_lives_loses_and_the_others_are_placed_by_lives() -> None:
    table = lose(Table(lives=2))  # seat 0
    lose(table)  # seat 1
    table.roll("43").do("say 21", "look")  # seat 2
    table.roll("43").do("say 21").do("look")  # seat 3
    lose(table)  # seat 0 again
    assert table.outcome == Outcome((4, 1, 1, 1), "first_out", (0, 1, 1, 1))
    assert table.events[-2:] == (WentOut((0,), forfeit=False), MatchEnded(table.outcome))
    assert (GAME.asked(table.state), GAME.due(table.state)) == ((), None)


def test_equal_lives_share_a_place() -> None:
    table = Table(lives=2)
    lose(table)  # seat 0
    table.roll("21").do("say 21", "look")  # seat 2 is out: two lives at once
    assert table.outcome == Outcome((3, 1, 4, 1), "first_out", (1, 2, 0, 2))


def test_later_out_is_better() -> None:
    table = Table(lives=1, end="last_standing")
    for _ in range(3):
        lose(table)
    assert table.outcome == Outcome((4, 3, 2, 1), "last_left", (0, 0, 0, 1))


def test_two_players_end_with_the_first_out() -> None:
    assert lose(Table(players=2, lives=1)).outcome == Outcome((2, 1), "first_out", (0, 1))
    assert lose(Table(players=2, lives=1, end="last_standing")).outcome == Outcome((2, 1), "last_left", (0, 1))


def test_nothing_lies_open_when_the_match_is_over() -> None:
    table = Table(players=2, lives=1).roll("43").do("say 21", "concede")
    assert GAME.view(table.state, OMNISCIENT).dice is None
    assert GAME.view(table.state, OMNISCIENT).last == table.ended
    assert (table.ended.dice, GAME.view(table.state, PUBLIC).turn) == (None, None)


# ---- forfeits ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "played",
    [
        (),
        ("43",),
        ("43", "say 52", "pass 52", "pass 52", "pass 52"),
        ("43", "say 52", "pass 52", "pass 52", "pass 21"),
    ],
    ids=["opening", "announcing", "answering", "mia"],
)
@pytest.mark.parametrize("next_starter", ["after_loser", "loser", "challenge_winner"])
@pytest.mark.parametrize("end", ["first_out", "last_standing"])
def test_a_forfeit_breaks_the_round_off(played: tuple[str, ...], next_starter: str, end: str) -> None:
    table = Table(starter=1, next_starter=next_starter, end=end).play(*played)
    assert table.state.turn == 1
    table.leave(1)
    assert table.events == (WentOut((1,), forfeit=True), RoundBroken(1, 1), RoundBegan(2, 2))
    assert (table.state.lives, table.state.live, table.state.phase) == ((6, 0, 6, 6), (0, 2, 3), "opening")
    assert (table.state.dice, table.state.last, table.outcome) == (None, None, None)


def test_nothing_is_shown_of_a_broken_round() -> None:
    table = lose(Table())
    shown = GAME.view(table.state, PUBLIC).last
    assert shown == table.ended
    assert GAME.view(table.roll("65").state, PUBLIC).last == shown
    assert GAME.view(table.leave(1).state, OMNISCIENT).last is None


def test_the_next_one_after_the_highest_seat_is_the_lowest() -> None:
    assert Table(starter=3).leave(3).state.starter == 0


def test_forfeits_do_not_end_a_match_before_one_is_left() -> None:
    table = Table(players=3).leave(0)
    assert table.outcome is None
    assert table.leave(1).outcome == Outcome((3, 2, 1), "last_left", (0, 0, 6))


def test_who_loses_the_last_life_is_above_who_forfeited() -> None:
    table = lose(Table(lives=1).leave(0))
    assert table.outcome == Outcome((4, 3, 1, 1), "first_out", (0, 0, 1, 1))


def test_a_forfeit_counts_as_going_out_at_that_moment() -> None:
    table = lose(Table(lives=1, end="last_standing"))  # out: seat 0
    table.leave(1)
    lose(table)  # out: seat 2
    assert table.outcome == Outcome((4, 3, 2, 1), "last_left", (0, 0, 0, 1))


def test_a_broken_round_counts_as_a_round() -> None:
    table = Table(penalty="sip", rounds=1).leave(0)
    assert (table.state.reason, table.outcome) == ("rounds", Outcome((4, 1, 1, 1), "rounds", (0, 0, 0, 0)))
    assert Table(players=2, penalty="sip", rounds=1).leave(0).state.reason == "last_left"
    assert GAME.due(Table().leave(0).do("roll").state) == Draw("round/2/roll/1", (6, 6))


# ---- default moves -------------------------------------------------------------------------------


def test_default_moves() -> None:
    table = Table()
    assert GAME.default(table.state, 0) == ROLL
    assert GAME.default(table.roll("43").state, 0) == Move("say", "31")
    assert GAME.default(table.do("say 52").state, 1) == CHALLENGE
    assert GAME.default(table.roll("43").state, 1) == Move("say", "53")
    assert GAME.default(table.do("say 21").state, 2) == CONCEDE
    again = Table(**AT_LEAST).roll("43").do("say 52").roll("43")
    assert GAME.default(again.state, 1) == Move("say", "52")
    assert GAME.default(Table(mixed="sum").roll("43").state, 0) == Move("say", "4p")
    assert GAME.default(Table(little_mia="on").roll("43").state, 0) == Move("say", "32")


# ---- at random -----------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", [preset.name for preset in PRESETS])
def test_lives_only_fall_and_each_round_costs_somebody_something(preset: str) -> None:
    dice = random.Random(preset)
    for players in (2, 3, 6, 10):
        state, _ = GAME.start(ruleset(GAME, preset), players)
        while GAME.outcome(state) is None:
            due = GAME.due(state)
            if due is not None:
                happening: Happening = Drawn(tuple(dice.randrange(size) for size in due.sizes))
            else:
                happening = Moved({state.turn: dice.choice(GAME.legal(state, state.turn))})
            after, events = GAME.step(state, happening)
            lost = [before - now for before, now in zip(state.lives, after.lives, strict=True)]
            ended = [event.showdown for event in events if isinstance(event, RoundEnded)]
            assert lost == [sum(shown.lives for shown in ended if shown.loser == seat) for seat in range(players)]
            assert all(shown.lives >= 1 for shown in ended)
            state = after
