"""Mia for two: the solver's model against the rules, its value against other methods, and what bots give away."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from typing import Any

import pytest

from arena.games.mia import GAME, ROLLS, Dice, State, options_of
from arena.kit import load_bot
from arena.rules import Draw, Drawn, Moved, Ruleset, at_seat, ruleset
from arena.solve import Solved, solver
from arena.solve.common import sequence_form
from arena.solve.mia import BLIND, DICE, Spot, find, losses, model, show, spots
from bots import house_bots

from .trees import cfr_plus, walk

SOLVER = solver("mia")
NO_PASS = ruleset(GAME, "no-pass")

VARIANTS: tuple[Mapping[str, object], ...] = (
    {},
    {"lives": 2, "mia_liar": 2},
    {"lives": 3, "mia_concede": 2, "mia_wrong_look": 3},
    {"lives": 3, "mia_concede": 20, "mia_wrong_look": 1},
    {"lives": 2, "next_starter": "loser"},
    {"lives": 2, "next_starter": "challenge_winner", "blind": "forbidden"},
    {"lives": 2, "mixed": "sum", "little_mia": "on"},
    {"lives": 2, "joker_32": "reverse", "doubles": "ascending", "must_beat_actual": "on"},
)


def with_options(options: Mapping[str, object]) -> Ruleset:
    return ruleset(GAME, "no-pass", options)


@cache
def solved(lives: int = 6) -> Solved:
    return SOLVER.solve(with_options({"lives": lives}))


def equilibrium() -> Any:
    return load_bot(house_bots("mia")["equilibrium"])()


# ---- the model and the rules ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "lives"),
    [
        ({}, (2, 1)),
        ({"mixed": "sum", "mia_liar": 2}, (3, 5)),
        ({"blind": "forbidden", "next_starter": "loser"}, (1, 1)),
    ],
)
def test_the_model_is_the_game_by_the_rules(options: Mapping[str, object], lives: tuple[int, int]) -> None:
    """Walks through every position of a round, once for each that differs by what anybody knows or by the dice."""
    rules = with_options(options)
    this = model(rules)
    start, _ = GAME.start(rules, 2)
    starter = 1
    unstarted = start._replace(phase="starting", contenders=(), lives=lives)
    opening, _ = GAME.step(unstarted, Drawn((starter,)))
    seen: set[tuple[int, Spot, Dice | None]] = set()
    met: list[set[Spot]] = [set(), set()]
    rolled: set[tuple[int, int, str]] = set()
    to_do = [opening]
    while to_do:
        state = to_do.pop()
        seat = state.turn
        view = GAME.view(state, at_seat(seat))
        spot = find(this, view)
        if (seat, spot, state.dice) in seen:
            continue
        seen.add((seat, spot, state.dice))
        if spot not in met[seat]:
            met[seat].add(spot)
            shown = show(this, start, spot)
            assert shown.legal == view.legal
            assert SOLVER.information(view) == shown
        for move in view.legal:
            after, _ = GAME.step(state, Moved({seat: move}))
            if after.phase == "rolling":
                # the old dice are gone, and only the highest announcement stays
                assert (after.dice, after.to_beat, after.claim) == (None, state.announced, None)
                key = (seat, 0 if spot.rank is None else spot.rank + 1, move.kind)
                came = [] if key in rolled else list(fall(after))
                rolled.add(key)
            else:
                came = [after]
            for one in came:
                if one.round == state.round and GAME.outcome(one) is None:
                    assert find(this, GAME.view(one, at_seat(one.turn))) == follow(this, spot, lives, seat, move, one)
                    to_do.append(one)
                else:
                    check_end(this, state, spot, move.kind, one)
    for seat in (0, 1):
        own = (lives[seat], lives[1 - seat])
        assert met[seat] == {spot for spot in spots(this) if spot.lives == own and spot.starts == (seat == starter)}


def fall(state: State) -> Iterator[State]:
    for die, other in DICE:
        yield GAME.step(state, Drawn((die - 1, other - 1)))[0]


def follow(this: Any, spot: Spot, lives: tuple[int, int], seat: int, move: Any, after: State) -> Spot:
    """Where the model goes."""
    if move.kind == "say":
        rank = [say.value for say in ranks(this).says].index(move.value)
        theirs = (lives[1 - seat], lives[seat])
        return Spot(not spot.starts, theirs, spot.floor, rank=rank, looked=spot.roll != BLIND)
    floor = 0 if spot.rank is None else spot.rank + 1
    roll = BLIND if move.kind == "roll blind" else DICE.index(after.dice or (0, 0))
    return Spot(spot.starts, spot.lives, floor, roll=roll)


def ranks(this: Any) -> Any:
    from arena.games.mia import ranking

    return ranking(this.options)


NAMES = {
    (mine, theirs, starts): float(1000 * mine + 10 * theirs + starts)
    for mine, theirs, starts in product(range(1, 21), range(1, 21), (False, True))
}


def check_end(this: Any, before: State, spot: Spot, how: str, after: State) -> None:
    """The values of the model are numbers that name what the rules then say."""
    own, other = losses(this.options, NAMES, spot.lives)  # of who answers
    assert before.dice is not None
    assert spot.rank is not None
    true = bool(this.true[DICE.index(before.dice), spot.rank])
    kind = {"challenge": "challenge", "concede": "concede", "look": "look" if true else "liar"}[how]
    value = getattr(own if true or how == "concede" else other, kind)
    seat = before.turn
    if GAME.outcome(after) is not None:
        places = GAME.outcome(after)
        assert places is not None
        assert value == (1.0 if places.places[seat] == 1 else -1.0)
    else:
        assert value == NAMES[after.lives[seat], after.lives[1 - seat], after.starter == seat]


def test_information_blanks_what_does_not_count() -> None:
    state, _ = GAME.start(ruleset(GAME, "no-pass", {"first_starter": "seat"}), 2)
    for happening in (Moved({0: GAME.parse("roll")}), Drawn((2, 3)), Moved({0: GAME.parse("say 65")})):
        state, _ = GAME.step(state, happening)
    view = GAME.view(state._replace(round=9), at_seat(1))
    blanked = SOLVER.information(view)
    assert (blanked.seat, blanked.round, blanked.starter, blanked.last) == (0, 1, 1, None)
    assert SOLVER.describe(blanked) == "6 lives to 6, not starting, 65 after nothing, looked"
    assert SOLVER.information(blanked) == blanked


# ---- values --------------------------------------------------------------------------------------


def test_the_value_and_its_gap() -> None:
    found = solved()
    assert found.gap < 1e-9
    assert found.low - 1e-12 <= found.values[6, 6] <= found.high + 1e-12
    assert found.value == pytest.approx(0.0741820850190, abs=1e-9)
    assert found.values[1, 1] == pytest.approx(0.2958780183135, abs=1e-9)
    assert found.size == {"pairs of lives": 36, "linear programs": 756, "information sets": 62028}


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_the_formula_agrees_with_the_linear_programs(options: Mapping[str, object]) -> None:
    """The bot knows no linear programs: its values come from the formula in docs/solve.md."""
    rules = with_options(options)
    found = SOLVER.solve(rules) if options else solved()
    assert found.gap < 1e-9
    bot = equilibrium()
    own = sys.modules[type(bot).__module__]
    for (mine, theirs), value in found.values.items():
        assert own.worth(own.play(options_of(rules.values), mine, theirs)[0]) == pytest.approx(value, abs=1e-9)
    assert abs(SOLVER.reply(rules, bot.policy).exploitability) < 1e-9


@pytest.mark.parametrize(("lives", "standing"), [((1, 1), "55"), ((3, 2), "55"), ((2, 3), "66"), ((1, 3), "66")])
def test_a_round_that_remembers_everything_is_worth_the_same(lives: tuple[int, int], standing: str) -> None:
    """Seat 0 must roll after ``standing``. The tree is that of the rules, with the whole history in what is known."""
    values = solved(3).values
    rules = with_options({"lives": 3, "first_starter": "seat"})
    state, _ = GAME.start(rules, 2)
    state = state._replace(lives=lives[::-1], starter=1, turn=1)
    for happening in (Moved({1: GAME.parse("roll blind")}), Drawn((0, 1)), Moved({1: GAME.parse(f"say {standing}")})):
        state, _ = GAME.step(state._replace(lives=lives), happening)

    def worth(later: State) -> float | None:
        outcome = GAME.outcome(later)
        if outcome is not None:
            return 1.0 if outcome.places[0] == 1 else -1.0
        if later.round == state.round:
            return None
        starter = later.starter
        value = values[later.lives[starter], later.lives[1 - starter]]
        return value if starter == 0 else -value

    def outcomes(_: Draw) -> Iterator[tuple[tuple[int, ...], float]]:
        return ((tuple(die - 1 for die in dice), ROLLS.count(dice) / 36) for dice in DICE)

    # seat 0 does not doubt what stands here: it has believed it already, and rolls one way or the other
    believing = [GAME.step(state, Moved({0: GAME.parse(how)}))[0] for how in ("roll", "roll blind")]
    own = sys.modules[type(equilibrium()).__module__]
    ranking = [say.value for say in ranks(model(rules)).says]
    expected = own.worth(own.play(options_of(rules.values), *lives)[0][ranking.index(standing) + 1 :])
    looking, blindly = (walk(GAME, one, worth, outcomes) for one in believing)
    assert sequence_form(looking.payoff, *looking.choices)[0] == pytest.approx(expected, abs=1e-9)
    assert sequence_form(blindly.payoff, *blindly.choices)[0] <= expected + 1e-9
    low, high = cfr_plus(looking, 200)
    assert low - 1e-9 <= expected <= high + 1e-9
    assert high - low < 0.01


# ---- what bots give away -------------------------------------------------------------------------


def test_uniform_play_loses_nearly_everything() -> None:
    found = SOLVER.reply(NO_PASS, load_bot(house_bots("mia")["random"])().policy)  # type: ignore[attr-defined]
    assert found.exploitability == pytest.approx(0.9933792987878, abs=1e-9)


@pytest.mark.parametrize("name", ["honest", "calculator"])
def test_who_never_lies_where_it_matters_is_exploited(name: str) -> None:
    bot: Any = load_bot(house_bots("mia")[name])()
    assert SOLVER.reply(with_options({"lives": 2}), bot.policy).exploitability > 0.5


def test_who_conceals_nothing_from_a_perfect_opponent() -> None:
    """One life each, and always a Mia: the opponent who looks wins unless it is one."""

    def policy(view: Any) -> dict[Any, float]:
        return {view.legal[-1] if view.phase == "announcing" else view.legal[0]: 1.0}

    # as the starter he loses 17 of 18; after another he concedes what he is told is a Mia
    found = SOLVER.reply(with_options({"lives": 1}), policy)
    assert found.second == pytest.approx(17 / 18 - 1 / 18)
    assert found.first == pytest.approx(1.0)
