"""What many matches say: places, points, and an interval that knows which matches share their luck."""

from __future__ import annotations

import random
from statistics import mean

import pytest

from arena.local.tally import _student, mean_by_block, share


@pytest.mark.parametrize(
    ("places", "shares"),
    [((1, 2), (1, 0)), ((1, 1), (0.5, 0.5)), ((1, 2, 2, 4), (1, 0.5, 0.5, 0)), ((1, 1, 1), (0.5, 0.5, 0.5))],
)
def test_the_share_of_opponents_left_behind(places: tuple[int, ...], shares: tuple[float, ...]) -> None:
    assert tuple(share(places, seat) for seat in range(len(places))) == shares


def test_the_mean_is_over_matches_and_one_block_has_no_interval() -> None:
    assert mean_by_block([(0, 1.0), (0, 0.5), (0, 0.0)]) == (0.5, None)
    assert mean_by_block([(0, 1.0), (0, 1.0), (1, 0.0)])[0] == pytest.approx(2 / 3)


def test_blocks_of_one_match_give_students_interval() -> None:
    scores = [0.1, 0.9, 0.4, 0.6, 0.5]
    deviation = (sum((score - mean(scores)) ** 2 for score in scores) / 4) ** 0.5
    middle, margin = mean_by_block(enumerate(scores))
    assert middle == pytest.approx(0.5)
    assert margin == pytest.approx(2.776 * deviation / 5**0.5, rel=1e-3)


def test_repeating_the_same_luck_says_nothing_more() -> None:
    once = mean_by_block([(block, score) for block, score in enumerate([0.0, 1.0, 1.0, 0.5])])
    thrice = mean_by_block([(block, score) for block, score in enumerate([0.0, 1.0, 1.0, 0.5]) for _ in range(3)])
    assert thrice == pytest.approx(once)


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    dice = random.Random(4)
    held = 0
    for _ in range(600):
        luck = [dice.gauss(0.5, 0.2) for _ in range(12)]
        middle, margin = mean_by_block(
            [(block, it + dice.gauss(0, 0.1)) for block, it in enumerate(luck) for _ in "12"]
        )
        assert margin is not None
        held += abs(middle - 0.5) <= margin
    assert 0.92 <= held / 600 <= 0.975


@pytest.mark.parametrize(
    ("degrees", "point"), [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (9, 2.262), (30, 2.042), (1000, 1.962)]
)
def test_students_t(degrees: int, point: float) -> None:
    assert _student(degrees) == pytest.approx(point, rel=1e-3)
