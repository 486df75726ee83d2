"""No option is ignored: whatever a ruleset says of it, there is a scenario that goes another way with another value.

The scenarios are the `CASES` of each game's tests; there they are checked against what must come of them. Here is
checked that they are enough: that each value of each option is told from each other one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Any

import pytest

from arena.games import GAMES
from arena.rules import IllegalMove, Option, RulesetError, Value, ruleset
from tests.arena.games import test_commerce as commerce
from tests.arena.games import test_mia as mia
from tests.arena.games import test_three_coins as three_coins

Seen = Callable[[Any, Mapping[str, Value]], Any]
"""What a case looks at, when it is played with these options."""

SCENARIOS: Mapping[str, tuple[list[Any], Seen]] = {
    "three_coins": (three_coins.CASES, lambda case, options: case.look(case.happen(three_coins.Table(**options)))),
    "mia": (mia.CASES, lambda case, options: case.look(mia.Table(**options).play(*case.played))),
    "commerce": (commerce.CASES, lambda case, options: case.look(case.happen(commerce.Table(**options)))),
}

OPTIONS = [(game.name, option) for game in GAMES.values() for option in game.options]
every_option = pytest.mark.parametrize(("game", "option"), OPTIONS, ids=[f"{g}-{o.name}" for g, o in OPTIONS])

NEIGHBOURS = {("mia", "mia_liar", 2): 1, ("commerce", "circle_ante", 5): 4}
"""Values with nothing above them: what they are compared with instead."""


def outcome(game: str, case: Any, options: Mapping[str, Value]) -> object:
    """What comes of a scenario: what it looks at, or why it cannot be."""
    try:
        return SCENARIOS[game][1](case, options)
    except (IllegalMove, RulesetError) as refused:
        return f"refused: {refused}"


def cases_of(game: str, option: Option) -> list[Any]:
    return [case for case in SCENARIOS[game][0] if case.option == option.name]


def told_apart(game: str, option: Option, one: Value, other: Value) -> bool:
    """Is there a scenario that goes one way with this value, and another way with that?"""
    return any(
        outcome(game, case, {**case.base, option.name: one}) != outcome(game, case, {**case.base, option.name: other})
        for case in cases_of(game, option)
    )


def test_every_game_has_scenarios() -> None:
    assert set(SCENARIOS) == set(GAMES)


@every_option
def test_each_word_is_told_from_each_other_one(game: str, option: Option) -> None:
    for one, other in combinations(option.words, 2):
        assert told_apart(game, option, one, other), (one, other)


@every_option
def test_numbers_are_numbers(game: str, option: Option) -> None:
    """A value that is tested is told from the default and from the number beside it: it is no mere switch."""
    if option.words:
        return
    tested = {case.value for case in cases_of(game, option)}
    assert tested
    for value in tested:
        beside = NEIGHBOURS.get((game, option.name, value), value + 1)
        assert option.read(value) == value
        assert option.read(beside) == beside
        for other in {option.default, beside} - {value}:
            assert told_apart(game, option, value, other), (value, other)


@every_option
def test_an_ignored_option_would_be_found(game: str, option: Option) -> None:
    """With a game that takes the default whatever the ruleset says, a case fails for every value but the default."""
    cases = [case for case in cases_of(game, option) if case.value != option.default]
    values = set(option.words) - {option.default} if option.words else {case.value for case in cases}
    for value in values:
        wanted = [case for case in cases if case.value == value]
        assert wanted, value
        ignoring = [outcome(game, case, dict(case.base)) for case in wanted]
        assert any(got != case.with_it for got, case in zip(ignoring, wanted, strict=True)), value


@every_option
def test_every_option_says_what_it_is(game: str, option: Option) -> None:
    assert len(option.meaning) > 10
    assert option.read(option.default) == option.default
    values = option.words or (option.low, option.high)
    for value in values:
        assert option.read(value) == value
    assert bool(option.words) != (option.low < option.high)
    assert ruleset(GAMES[game]).values[option.name] == option.default
