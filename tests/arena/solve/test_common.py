"""The sequence form against what is known, and what a policy may say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.sparse import csr_array

from arena.games.mia import GAME as MIA
from arena.rules import ruleset
from arena.solve import PolicyError, Unsolvable, solver
from arena.solve.common import Choice, probabilities, sequence_form

from .trees import Form, cfr_plus


def kuhn() -> Form:
    """Kuhn poker (1950): three cards, one each; bet or check."""
    # sequences of the first: for each card check, bet, and after check and a bet fold, call; of the second: for each
    # card after a check check, bet, and after a bet fold, call
    first = [Choice(0, (1 + 4 * c, 2 + 4 * c)) for c in range(3)] + [
        Choice(1 + 4 * c, (3 + 4 * c, 4 + 4 * c)) for c in range(3)
    ]
    second = [Choice(0, (1 + 4 * c + k, 2 + 4 * c + k)) for c in range(3) for k in (0, 2)]
    payoff = np.zeros((13, 13))
    for a in range(3):
        for b in range(3):
            if a != b:
                wins = 1 if a > b else -1
                x, y = 4 * a, 4 * b
                payoff[1 + x, 1 + y] += wins / 6  # check, check
                payoff[3 + x, 2 + y] += -1 / 6  # check, bet, fold
                payoff[4 + x, 2 + y] += 2 * wins / 6
                payoff[2 + x, 3 + y] += 1 / 6  # bet, fold
                payoff[2 + x, 4 + y] += 2 * wins / 6
    return Form(csr_array(payoff), (first, second))


def test_kuhn_poker_is_worth_minus_one_eighteenth() -> None:
    form = kuhn()
    value, x, y = sequence_form(form.payoff, *form.choices)
    assert value == pytest.approx(-1 / 18, abs=1e-12)
    assert x @ form.payoff @ y == pytest.approx(-1 / 18, abs=1e-9)


def test_cfr_plus_agrees() -> None:
    low, high = cfr_plus(kuhn(), 1000)
    assert low <= -1 / 18 <= high
    assert high - low < 1e-3


class Seen(NamedTuple):
    legal: tuple[str, ...] = ("a", "b")


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"a": 0.5}, "add up to 0.5"),
        ({"a": 0.5, "c": 0.5}, "not legal"),
        ({"a": 1.5, "b": -0.5}, "the probability 1.5"),
        ({"a": "all"}, "the probability all"),
        ({"a": float("nan"), "b": 1.0}, "the probability nan"),
        ("a", "must return the probability"),
    ],
)
def test_what_is_no_policy(said: Any, message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        probabilities(lambda _: said, Seen())


def test_games_and_rules_that_are_not_solved() -> None:
    with pytest.raises(Unsolvable, match="commerce is not solved"):
        solver("commerce")
    mia, coins = solver("mia"), solver("three_coins")
    refused: tuple[tuple[Mapping[str, object], str], ...] = (
        ({"pass": "same_only"}, "pass = off"),
        ({"raise_rule": "at_least"}, "raise_rule"),
        ({"penalty": "sip"}, "penalty"),
        ({"max_announcements": 20}, "max_announcements"),
    )
    for options, message in refused:
        with pytest.raises(Unsolvable, match=message):
            mia.solve(ruleset(MIA, None, {"pass": "off", **options}))
    refused = (
        ({"coin_cap": 5}, "coin_cap"),
        ({"max_bid": "none"}, "max_bid"),
        ({"objective": "first_empty"}, "objective"),
        ({"max_rounds": 1001}, "max_rounds"),
    )
    for options, message in refused:
        with pytest.raises(Unsolvable, match=message):
            coins.solve(ruleset(coins.game, None, options))
    with pytest.raises(Unsolvable, match="rules of mia"):
        coins.solve(ruleset(MIA, "no-pass"))
