"""Three Coins for two: the model against the rules, its value against other methods, and what bots give away."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from arena.games.three_coins import GAME, Options, State
from arena.kit import load_bot
from arena.rules import Drawn, Moved, Ruleset, at_seat, ruleset
from arena.solve import Solved, solver
from arena.solve.common import sequence_form
from arena.solve.table import put
from arena.solve.three_coins import Spot, find, show, spots, the_round
from bots import house_bots

from .trees import cfr_plus, walk

SOLVER = solver("three_coins")
DUEL = ruleset(GAME, "duel")

VARIANTS: tuple[Mapping[str, object], ...] = (
    {},
    {"cliff": "off", "zero": "off", "max": "off"},
    {"zero_when": "opening_only", "max_when": "not_spoken", "first_bid_min": 0},
    {"next_starter": "loser", "start_coins": 2},
)


@cache
def solved(**options: Any) -> Solved:
    return SOLVER.solve(ruleset(GAME, "duel", options))


def options_of(rules: Ruleset) -> Options:
    return Options(**rules.values)  # type: ignore[arg-type]


def hiding(rules: Ruleset, coins: tuple[int, int], starter: int) -> State:
    state, _ = GAME.start(rules, 2)
    return GAME.step(state._replace(coins=coins), Drawn((starter,)))[0]


# ---- the model and the rules ---------------------------------------------------------------------


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_the_model_is_the_game_by_the_rules(options: Mapping[str, object]) -> None:
    """Walks through every position of every round."""
    rules = ruleset(GAME, "duel", options)
    start, _ = GAME.start(rules, 2)
    met: set[Spot] = set()

    def check(state: State, seat: int) -> Spot:
        view = GAME.view(state, at_seat(seat))
        spot = find(view)
        assert SOLVER.information(view) == show(start, spot)
        assert show(start, spot).legal == view.legal
        met.add(spot)
        return spot

    for coins, starter in product(product((1, 2, 3), (1, 2, 3)), (0, 1)):
        begun = hiding(rules, coins, starter)
        first_first = coins if starter == 0 else coins[::-1]
        this = the_round(options_of(rules), first_first)
        speeches = {speech.bidding: speech for speech in this.speeches}
        for seat in (0, 1):
            assert check(begun, seat) == Spot(seat == starter, (coins[seat], coins[1 - seat]))
        for hands in product(range(coins[0] + 1), range(coins[1] + 1)):
            closed, _ = GAME.step(begun, Moved({seat: GAME.parse(f"hide {hand}") for seat, hand in enumerate(hands)}))
            to_do = [closed]
            while to_do:
                state = to_do.pop()
                seat = state.turn
                spot = check(state, seat)
                speech = speeches[spot.bidding]
                legal = [move.number if move.kind == "bid" else move.kind for move in GAME.legal(state, seat)]
                assert legal == [*speech.bids, *speech.words]
                assert speech.speaker == (0 if seat == starter else 1)
                for move in GAME.legal(state, seat):
                    after, _ = GAME.step(state, Moved({seat: move}))
                    if move.kind == "bid":
                        assert find(GAME.view(after, at_seat(1 - seat))).bidding == spot.bidding | 1 << move.number
                        to_do.append(after)
                        continue
                    hidden = hands if starter == 0 else hands[::-1]
                    end = this.ends[this.reached[spot.bidding, move.kind][hidden]]
                    assert end.coins == (after.coins if starter == 0 else after.coins[::-1])
                    assert end.moved == (after.still == 0)
                    if GAME.outcome(after) is None:
                        assert after.starter == (starter if end.starter == 0 else 1 - starter)
                    else:
                        assert 0 in end.coins
    assert met == set(spots(options_of(rules)))


def test_describing() -> None:
    state = hiding(DUEL, (3, 2), 1)
    state, _ = GAME.step(state, Moved({0: GAME.parse("hide 2"), 1: GAME.parse("hide 0")}))
    state, _ = GAME.step(state, Moved({1: GAME.parse("bid 2")}))
    blanked = SOLVER.information(GAME.view(state._replace(round=7), at_seat(0)))
    assert blanked.round == 1
    assert SOLVER.describe(blanked) == "3 coins to 2, not starting, 2 in the fist, bids 2"


# ---- values --------------------------------------------------------------------------------------


def test_the_value_and_its_gap() -> None:
    found = solved()
    assert found.gap < 1e-8
    assert found.value == pytest.approx(0.0471498465, abs=1e-8)
    assert found.low <= found.values[3, 3] <= found.high
    assert found.values[1, 1] == pytest.approx(0.1598157440, abs=1e-8)
    assert found.size["information sets"] == 690


@pytest.mark.parametrize("options", VARIANTS[1:], ids=str)
def test_other_rules(options: Mapping[str, Any]) -> None:
    found = solved(**options)
    assert found.gap < 1e-6
    assert abs(SOLVER.reply(found.rules, found.policy).exploitability) < 1e-6


def by_the_rules(found: Solved, coins: tuple[int, int]) -> Any:
    """A round that seat 0 starts, in a tree of the rules; how it goes on is worth what was found."""
    begun = hiding(found.rules, coins, 0)

    def worth(state: State) -> float | None:
        outcome = GAME.outcome(state)
        if outcome is not None:
            return 1.0 if outcome.places[0] == 1 else -1.0
        if state.round == begun.round:
            return None
        starter = state.starter
        value = found.values[state.coins[starter], state.coins[1 - starter]]
        return value if starter == 0 else -value

    def none(_: Any) -> Iterator[tuple[tuple[int, ...], float]]:
        raise AssertionError("there is no chance within a round")

    return walk(GAME, begun, worth, none)


@pytest.mark.parametrize("coins", [(1, 1), (1, 2), (2, 1), (2, 2), (3, 3)])
def test_every_round_is_worth_what_was_found(coins: tuple[int, int]) -> None:
    """So the values are a fixed point, by a tree that the solver did not build; and CFR+ says the same."""
    form = by_the_rules(solved(), coins)
    assert sequence_form(form.payoff, *form.choices)[0] == pytest.approx(solved().values[coins], abs=1e-9)
    low, high = cfr_plus(form, 300)
    assert low - 1e-9 <= solved().values[coins] <= high + 1e-9
    assert high - low < 0.02


def test_one_coin_each_in_normal_form() -> None:
    """Every pure strategy of both as a row or a column of a matrix, and the rounds that change nothing go on."""
    rules = ruleset(GAME, "duel", {"start_coins": 1, "coin_cap": 1})
    begun = hiding(rules, (1, 1), 0)
    texts = {0: ("", "1 2"), 1: ("1", "2")}
    answers = {
        "": ("bid 1", "bid 2", "zero", "max"),
        "1": ("bid 2", "call", "cliff", "zero", "max"),
        "2": ("call", "cliff", "zero", "max"),
        "1 2": ("call", "cliff", "max"),
    }
    plans = {
        seat: [
            (hand, dict(zip(own, says, strict=True))) for hand in (0, 1) for says in product(*(answers[t] for t in own))
        ]
        for seat, own in texts.items()
    }

    def play(plan: tuple[tuple[int, dict[str, str]], tuple[int, dict[str, str]]]) -> State:
        state, _ = GAME.step(begun, Moved({seat: GAME.parse(f"hide {plan[seat][0]}") for seat in (0, 1)}))
        while state.round == begun.round and GAME.outcome(state) is None:
            bids = " ".join(str(said.move.number) for said in state.said)
            state, _ = GAME.step(state, Moved({state.turn: GAME.parse(plan[state.turn][1][bids])}))
        return state

    ends = [[play((row, column)) for column in plans[1]] for row in plans[0]]
    value = 0.0
    for _ in range(60):
        payoff = np.array(
            [
                [
                    (value if end.starter == 0 else -value)
                    if GAME.outcome(end) is None
                    else 2.0 * (end.coins[0] > 0) - 1
                    for end in row
                ]
                for row in ends
            ]
        )
        rows, columns = payoff.shape
        costs = np.append(np.zeros(rows), -1.0)
        bounds = np.hstack([-payoff.T, np.ones((columns, 1))])
        found = linprog(
            costs,
            A_ub=bounds,
            b_ub=np.zeros(columns),
            A_eq=np.append(np.ones(rows), 0.0)[None],
            b_eq=[1.0],
            bounds=[(0, None)] * rows + [(None, None)],
        )
        if abs(-found.fun - value) < 1e-12:
            break
        value = -found.fun
    one = SOLVER.solve(rules)
    assert one.values[1, 1] == pytest.approx(value, abs=1e-9)
    assert one.gap < 1e-6


def test_what_the_limits_do() -> None:
    """Where they are near, play that knows nothing of them is not optimal, and the gap says so."""
    near = solved(max_rounds=5)
    assert near.values == solved().values
    assert near.gap > 0.1
    assert solved(stall_rounds=3).gap > 1e-6
    assert solved(stall_rounds=40).gap < solved().gap


# ---- what bots give away -------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "least"), [("random", 0.98), ("honest", 0.9), ("calculator", 0.9)])
def test_bots_that_give_nearly_everything_away(name: str, least: float) -> None:
    bot: Any = load_bot(house_bots("three_coins")[name])()
    assert SOLVER.reply(DUEL, bot.policy).exploitability > least


@pytest.mark.parametrize("preset", ["duel", "classic", "call-only"])
def test_the_equilibrium_gives_nothing_away(preset: str) -> None:
    bot: Any = load_bot(house_bots("three_coins")["equilibrium"])()
    assert abs(SOLVER.reply(ruleset(GAME, preset), bot.policy).exploitability) < 1e-7


def test_the_tables_can_be_made_anew() -> None:
    """They need not be the same, since there is more than one optimum; but they must be as good."""
    file = house_bots("three_coins")["equilibrium"]
    source = file.read_text(encoding="utf-8")
    bare = source.replace(source[source.index('CLASSIC = """\n') : source.index('"""  # classic')], 'CLASSIC = """\n')
    assert len(bare) < len(source)
    module: dict[str, Any] = {"__name__": "anew"}
    exec(compile(put(bare), "anew", "exec", dont_inherit=True), module)
    assert abs(SOLVER.reply(DUEL, module["Equilibrium"]().policy).exploitability) < 1e-7


def test_a_policy_is_asked_only_where_its_own_moves_lead() -> None:
    asked = []

    def policy(view: Any) -> dict[Any, float]:
        asked.append(view)
        return {view.legal[-1]: 1.0}

    SOLVER.reply(DUEL, policy)
    assert all(view.hands[0] in (None, view.coins[0]) for view in asked)
    assert len(asked) < 690 / 2


def test_the_perfect_opponent_of_who_always_hides_nothing_and_calls() -> None:
    """Whoever must open against it bids 1 with an empty fist... but then its call is right; so he hides a coin."""

    def policy(view: Any) -> dict[Any, float]:
        if view.phase == "hiding":
            return {view.legal[0]: 1.0}
        call = [move for move in view.legal if move.kind == "call"]
        return {call[0] if call else view.legal[0]: 1.0}

    assert SOLVER.reply(DUEL, policy).exploitability == pytest.approx(1.0)
