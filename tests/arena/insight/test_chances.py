"""The models of the chances to win, against slow reckonings that share nothing with them."""

from __future__ import annotations

import doctest
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.insight import chances, three_coins, words
from arena.insight.chances import AHEAD, Goal, lasting, race


def test_the_examples_hold() -> None:
    for module in (chances, three_coins, words):
        assert doctest.testmod(module).failed == 0


def by_hand(lives: tuple[int, ...], goal: Goal) -> list[Fraction]:
    """Seat by seat and round by round, with fractions."""
    n = len(lives)
    alive = [seat for seat in range(n) if lives[seat]]
    if goal == "last" and len(alive) == 1:
        return [Fraction(seat == alive[0]) for seat in range(n)]
    if goal != "last" and len(alive) < n:
        best = [seat for seat in range(n) if lives[seat] == (max(lives) if goal == "most" else 0)]
        return [Fraction(seat in best, len(best)) for seat in range(n)]
    found = [Fraction(0)] * n
    for hit in alive:
        after = by_hand(tuple(own - (seat == hit) for seat, own in enumerate(lives)), goal)
        found = [old + more / len(alive) for old, more in zip(found, after, strict=True)]
    return found


@pytest.mark.parametrize("goal", ["last", "first", "most"])
@pytest.mark.parametrize("lives", [(1, 1), (3, 1), (2, 2, 1), (1, 2, 3), (3, 3, 3), (2, 1, 2, 1), (4, 2)])
def test_every_way_to_lose_the_lives_is_reckoned_with(lives: tuple[int, ...], goal: Goal) -> None:
    assert lasting(lives, goal) == pytest.approx([float(chance) for chance in by_hand(lives, goal)])


def test_who_has_no_lives_is_out() -> None:
    assert lasting([2, 0, 2], "last") == pytest.approx((0.5, 0, 0.5))


@settings(deadline=None)  # the first to ask for a table works it out
@given(st.lists(st.integers(1, 20), min_size=2, max_size=10), st.sampled_from(["last", "first", "most"]))
def test_chances_sum_to_one_and_follow_the_lives(lives: list[int], goal: Goal) -> None:
    found = lasting(lives, goal)
    assert sum(found) == pytest.approx(1)
    by_lives = sorted(zip(lives, found, strict=True), reverse=goal == "first")
    assert all(0 <= chance <= 1 for chance in found)
    assert all(less[1] <= more[1] + 1e-9 for less, more in pairwise(by_lives))


def race_by_hand(points: Sequence[int], rounds: int, prize: int, now: int) -> list[float]:
    """Each player wins each round or not, whatever the others do; who ends with most wins, ties by halves in pairs."""
    lot = 1 / len(points)
    ends: list[list[tuple[int, float]]] = []
    for own in points:
        outcomes = []
        for won in product((0, 1), repeat=rounds):
            chance = 1.0
            for one in won:
                chance *= lot if one else 1 - lot
            outcomes.append((own + sum(one * (prize if i else now) for i, one in enumerate(won)), chance))
        ends.append(outcomes)
    found = []
    for seat, own_ends in enumerate(ends):
        total = 0.0
        for value, chance in own_ends:
            for other, their in enumerate(ends):
                if other != seat:
                    chance *= sum(p * (1.0 if v < value else 0.5 if v == value else 0.0) for v, p in their)
            total += chance
        found.append(total)
    return [chance / sum(found) for chance in found]


@pytest.mark.parametrize(
    ("points", "rounds", "prize", "now"),
    [((5, 5), 1, 2, 2), ((5, 3), 4, 2, 7), ((20, 18, 25), 3, 3, 5), ((1, 1, 1, 9), 5, 4, 4), ((-2, -1), 3, -1, -1)],
)
def test_a_race_is_reckoned_by_all_its_ends(points: tuple[int, ...], rounds: int, prize: int, now: int) -> None:
    assert race(points, rounds, prize, now) == pytest.approx(race_by_hand(points, rounds, prize, now))


@settings(deadline=None)
@given(st.lists(st.integers(0, 200), min_size=2, max_size=10), st.integers(0, 10 * AHEAD), st.integers(1, 50))
def test_the_chances_of_a_race_sum_to_one(points: list[int], rounds: int, prize: int) -> None:
    found = race(points, rounds, prize)
    assert sum(found) == pytest.approx(1)
    ranked = sorted(zip(points, found, strict=True))
    assert all(less[1] <= more[1] + 1e-9 for less, more in pairwise(ranked))
