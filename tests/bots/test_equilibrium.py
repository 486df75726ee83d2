"""The equilibrium bots at the table: nobody beats them by more than chance, and with more players they calculate."""

from __future__ import annotations

import random
from math import sqrt
from typing import Any

import pytest

from arena.games import GAMES
from arena.kit import load_bot
from arena.local.contest import Contest, blocks, find_entrants
from arena.local.worker import play_blocks
from arena.rules import Drawn, Moved, at_seat, ruleset
from bots import house_bots
from tests.breadth import often

PRESETS = {"mia": "no-pass", "three_coins": "duel"}
MATCHES = often(24, everything=60)


@pytest.mark.parametrize("game", PRESETS)
@pytest.mark.parametrize("rival", ["random", "honest", "calculator", "observer"])
def test_no_house_bot_beats_it(game: str, rival: str) -> None:
    """Seats rotated on the same luck; ``docs/solve.md`` has 20,000 matches against each."""
    rules = ruleset(GAMES[game], PRESETS[game])
    entrants = find_entrants(("equilibrium", rival), house_bots(game))
    contest = Contest(rules, entrants, MATCHES, b"equilibrium", None, "forfeit")
    results = play_blocks(contest, list(blocks(contest)))
    assert not any(result.faults for result in results)
    won = sum(result.places[result.fixture.order.index(1)] == 1 for result in results)
    assert won <= MATCHES / 2 + 4 * sqrt(MATCHES) / 2


@pytest.mark.parametrize("game", ["mia", "three_coins"])
def test_with_more_players_it_calculates(game: str) -> None:
    one: Any = load_bot(house_bots(game)["equilibrium"])()
    other: Any = load_bot(house_bots(game)["calculator"])()
    the_game = GAMES[game]
    state, _ = the_game.start(ruleset(the_game, None, {"first_starter": "seat"}), 3)
    view = the_game.view(state, at_seat(0))
    one.random.seed(1)
    other.random.seed(1)
    assert one.choose(view) == other.choose(view)


def test_where_one_may_pass_it_calculates() -> None:
    bot: Any = load_bot(house_bots("mia")["equilibrium"])()
    the_game = GAMES["mia"]
    for preset, head_up in (("ladder", False), ("no-pass", True)):
        state, _ = the_game.start(ruleset(the_game, preset, {"first_starter": "seat"}), 2)
        view = the_game.view(state, at_seat(0))
        assert bot.choose.__func__.__globals__["is_solved"](view) is head_up


@pytest.mark.parametrize("game", ["mia", "three_coins"])
def test_head_up_after_others_have_gone_it_plays_the_same(game: str) -> None:
    """Seats 0 and 2 of three are left; that is a match of two."""
    bot: Any = load_bot(house_bots(game)["equilibrium"])()
    the_game = GAMES[game]
    rules = ruleset(the_game, PRESETS[game] if game == "mia" else "classic", {"first_starter": "seat"})
    pair, _ = the_game.start(rules, 2)
    three, _ = the_game.start(rules, 3)
    if game == "mia":
        pair, three = pair._replace(lives=(3, 2)), three._replace(lives=(3, 0, 2), live=(0, 2))
    else:
        pair, three = pair._replace(coins=(3, 2)), three._replace(coins=(3, 0, 2), live=(0, 2))
    assert bot.policy(the_game.view(pair, at_seat(0))) == bot.policy(the_game.view(three, at_seat(0)))


@pytest.mark.parametrize(("game", "preset"), [(g, p.name) for g in ("mia", "three_coins") for p in GAMES[g].presets])
def test_it_calculates_as_the_calculator_does(game: str, preset: str) -> None:
    """With three players, in positions that come up between players who do anything."""
    one: Any = load_bot(house_bots(game)["equilibrium"])()
    other: Any = load_bot(house_bots(game)["calculator"])()
    the_game = GAMES[game]
    dice = random.Random(1)
    rules = ruleset(the_game, preset)
    if 3 not in rules.players:
        return
    state, _ = the_game.start(rules, 3)
    compared = 0
    while the_game.outcome(state) is None:
        due = the_game.due(state)
        if due is not None:
            state, _ = the_game.step(state, Drawn(tuple(dice.randrange(size) for size in due.sizes)))
            continue
        moves = {}
        for seat in the_game.asked(state):
            view = the_game.view(state, at_seat(seat))
            moves[seat] = dice.choice(view.legal)
            if len(view.live) > 2 and not (view.phase == "announcing" and view.dice is None):
                one.random.seed(compared)
                other.random.seed(compared)
                assert one.choose(view) == other.choose(view)
                compared += 1
        state, _ = the_game.step(state, Moved(moves))
    assert compared > 3
