"""The house bots of Mia: each plays every preset and odd rules without a fault, and each is what its name says."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import pytest

from arena.games.mia import CHALLENGE, GAME, LOOK, PRESETS, ROLL, Dice, Move, RoundEnded, Showdown, View
from arena.kit import Bot, load_bot
from arena.rules import Drawn, Moved, Outcome, Ruleset, at_seat, heard, ruleset
from arena.table import MatchInfo, Player
from bots import house_bots
from tests.breadth import crossed, often

MAKERS = {name: load_bot(file, "mia") for name, file in house_bots("mia").items()}

ODD: tuple[Mapping[str, object], ...] = (
    {"penalty": "sip", "rounds": 9},
    {"raise_rule": "at_least", "pass": "off", "must_beat_actual": "on"},
    {"pass": "same_only", "max_announcements": 2},
    {"pass_return": "free", "blind": "forbidden", "end": "last_standing"},
    {"mixed": "sum", "little_mia": "on", "joker_32": "third_best", "doubles": "ascending"},
    {"joker_32": "reverse", "next_starter": "loser", "mia_concede": 3},
)


def sit(bot: Bot, rules: Ruleset, seat: int, players: int, seed: int) -> Bot:
    bot.random = random.Random(f"{seed}/{seat}")
    table = (Player("bot", None),) * players
    bot.on_start(MatchInfo("m-1", seat, table, rules, None, "forfeit"))
    return bot


def play(names: tuple[str, ...], rules: Ruleset, seed: int) -> Outcome:
    """A match of these bots; whatever they choose must be legal."""
    players = len(names)
    bots = [sit(MAKERS[name](), rules, seat, players, seed) for seat, name in enumerate(names)]
    dice = random.Random(seed)
    state, events = GAME.start(rules, players)
    while True:
        for seat, bot in enumerate(bots):
            for event in heard(events, at_seat(seat)):
                bot.on_event(event)
        outcome = GAME.outcome(state)
        if outcome is not None:
            return outcome
        due = GAME.due(state)
        if due is not None:
            state, events = GAME.step(state, Drawn(tuple(dice.randrange(size) for size in due.sizes)))
        else:
            move = bots[state.turn].choose(GAME.view(state, at_seat(state.turn)))
            state, events = GAME.step(state, Moved({state.turn: move}))


def thinking(name: str, **options: object) -> Any:
    """A bot of that name on seat 1 of three; ``Any`` since these tests look inside."""
    return sit(MAKERS[name](), ruleset(GAME, None, options), 1, 3, 0)


def asked(*played: str, seat: int = 1, **options: object) -> View:
    """What ``seat`` of three sees after this; digits alone are a roll."""
    state, _ = GAME.start(ruleset(GAME, None, {"first_starter": "seat"} | options), 3)
    for move in played:
        if move[0].isdecimal():
            state, _ = GAME.step(state, Drawn((int(move[0]) - 1, int(move[1]) - 1)))
        else:
            state, _ = GAME.step(state, Moved({state.turn: GAME.parse(move)}))
    assert state.turn == seat
    return GAME.view(state, at_seat(seat))


# ---- all of them ---------------------------------------------------------------------------------


def test_there_are_five() -> None:
    assert set(MAKERS) == {"random", "honest", "calculator", "observer", "equilibrium"}


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("preset", [preset.name for preset in PRESETS])
def test_each_plays_every_preset(name: str, preset: str) -> None:
    rules = ruleset(GAME, preset)
    for players in (2, 3, 6, 10):
        play((name,) * players, rules, players)
        play((name, *["random"] * (players - 1)), rules, players)


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("options", ODD, ids=str)
def test_each_plays_odd_rules(name: str, options: Mapping[str, object]) -> None:
    rules = ruleset(GAME, None, options)
    for seed in range(often(2, everything=6)):
        play((name, "random", "honest", name), rules, seed)


@pytest.mark.parametrize(
    ("duel", "preset"),
    crossed(
        [("calculator", "random"), ("honest", "random"), ("observer", "random"), ("observer", "honest")],
        [preset.name for preset in PRESETS],
    ),
)
def test_the_thinking_one_wins(duel: tuple[str, str], preset: str) -> None:
    """Far more than the half of 60 matches; by chance 42 would be won once in a thousand times."""
    better, worse = duel
    rules = ruleset(GAME, preset, {"end": "last_standing"})
    won = 0
    for seed in range(30):
        won += play((better, worse), rules, seed).places[0] == 1
        won += play((worse, better), rules, seed).places[1] == 1
    assert won >= 42


@pytest.mark.parametrize("preset", [preset.name for preset in PRESETS])
def test_the_calculator_gets_more_than_its_share_at_a_table_of_four(preset: str) -> None:
    rules = ruleset(GAME, preset, {"end": "last_standing"})
    table = ["calculator", "random", "random", "random"]
    won = 0
    for seed in range(40):
        turned = (*table[-seed % 4 :], *table[: -seed % 4])
        won += play(turned, rules, seed).places[turned.index("calculator")] == 1
    assert won >= 20  # ten would be its share


# ---- honest --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("played", "move"),
    [
        (("roll", "43", "say 31", "roll", "65"), "say 65"),  # the truth
        (("roll", "43", "say 65", "roll", "43"), "say 11"),  # the least lie
        (("roll", "43", "say 65", "roll", "66"), "say 66"),
        (("roll", "43", "say 31"), "roll"),
        (("roll", "43", "say 62"), "roll"),  # 14 of 36 are above it
        (("roll", "43", "say 63"), "roll"),  # 12 of 36
        (("roll", "43", "say 64"), "challenge"),
        (("roll", "43", "say 21"), "concede"),
    ],
)
def test_the_honest_bot(played: tuple[str, ...], move: str) -> None:
    assert GAME.write(thinking("honest").choose(asked(*played))) == move


@pytest.mark.parametrize(
    ("dice", "said", "move"),
    [
        ("65", "65", "pass 65"),
        ("65", "11", "challenge"),
        ("21", "21", "concede"),
        ("65", "21", "look"),
    ],
)
def test_the_honest_bot_knows_its_own_dice(dice: str, said: str, move: str) -> None:
    # seat 1 rolled, the others passed the cup on to him, the last one perhaps with more
    view = asked("roll", "31", "say 31", "roll", dice, "say 64", "pass 64", f"pass {said}")
    assert GAME.write(thinking("honest").choose(view)) == move


def test_the_honest_bot_rolls_where_it_may_not_pass_its_own_value_on() -> None:
    view = asked("roll", "31", "say 31", "roll", "65", "say 65", "pass 65", "pass 65")
    assert thinking("honest").choose(view) == ROLL


def test_conceding_that_costs_more_than_a_wrong_look_is_not_done() -> None:
    assert thinking("honest").choose(asked("roll", "43", "say 21", mia_concede=3)) == LOOK


def test_the_honest_bot_can_only_challenge_after_the_last_announcement() -> None:
    assert thinking("honest").choose(asked("roll", "43", "say 31", max_announcements=1)) == CHALLENGE


# ---- calculator ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("played", "move"),
    [
        (("roll", "43", "say 31", "roll", "65"), "say 65"),
        (("roll", "43", "say 65", "roll", "43"), "say 11"),
        (("roll blind", "43", "say 66"), "challenge"),  # nobody knows, and 3 of 36 reach it
        (("roll blind", "43", "say 31"), "pass 31"),  # everything reaches it
        (("roll blind", "43", "say 21"), "look"),
    ],
)
def test_the_calculator(played: tuple[str, ...], move: str) -> None:
    assert GAME.write(thinking("calculator").choose(asked(*played))) == move


def test_the_calculator_fears_a_pass_to_who_knows_the_dice_more() -> None:
    bot = thinking("calculator")
    cost = type(bot).choose.__globals__["cost"]
    view = asked("roll", "31", "say 31", "roll", "65", "say 64", "pass 64", seat=0)
    assert view.seen == (1,)  # and seat 1 is next
    on = Move("pass", "64")
    assert cost(on, view, 0.6) == pytest.approx(0.4)
    assert cost(on, view._replace(seen=(2,)), 0.6) == pytest.approx(0.2)
    assert cost(on, view._replace(clockwise=False), 0.6) == pytest.approx(0.2)


# ---- observer ------------------------------------------------------------------------------------


def lifted(claim: str, dice: Dice, *, looked: bool = True, how: str = "challenge") -> RoundEnded:
    shown = None if how == "concede" else dice
    return RoundEnded(Showdown(1, how, 1, 0, claim, 0, looked, None, claim, shown, 0, 1, 0))


def test_the_observer_learns_from_lifted_cups() -> None:
    bot = thinking("observer")
    view = asked("roll", "43", "say 63")
    unknown = bot.belief(view)
    bot.on_event(lifted("66", (6, 6)))
    honest = bot.belief(view)
    for _ in range(3):
        bot.on_event(lifted("66", (3, 1)))
    liar = bot.belief(view)
    assert liar < unknown < honest
    assert bot.choose(asked("roll", "43", "say 44")) == CHALLENGE
    assert thinking("observer").choose(asked("roll", "43", "say 44")) == Move("pass", "44")


@pytest.mark.parametrize("event", [lifted("66", (3, 1), looked=False), lifted("66", (3, 1), how="concede")], ids=str)
def test_the_observer_learns_nothing_from_what_says_nothing(event: RoundEnded) -> None:
    bot = thinking("observer")
    bot.on_event(event)
    assert bot.honest == [0.5, 0.5, 0.5]


def test_the_observer_knows_its_own_dice_and_trusts_no_blind_roll() -> None:
    bot = thinking("observer")
    assert bot.belief(asked("roll", "31", "say 31", "roll", "65", "say 64", "pass 64", "pass 65")) == 1.0
    assert bot.belief(asked("roll", "31", "say 31", "roll", "65", "say 64", "pass 64", "pass 11")) == 0.0
    assert bot.belief(asked("roll blind", "31", "say 55")) == pytest.approx(4 / 36)
