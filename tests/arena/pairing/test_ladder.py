"""Who meets whom and who sits where: laws over all tables that there can be."""

from __future__ import annotations

import math
from collections import Counter
from itertools import permutations
from math import factorial
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.pairing import ANCHOR_SHARE, Candidate, ladder, seat_orders
from tests.breadth import often

# ---- seats ---------------------------------------------------------------------------------------


@given(st.integers(1, 12), st.integers(1, 100))
def test_over_all_orders_everybody_sits_everywhere_equally_often(players: int, matches: int) -> None:
    orders = seat_orders(players, matches)
    for seat in range(players):
        counts = Counter(order[seat] for order in orders)
        assert set(counts) == set(range(players))
        assert len(set(counts.values())) == 1


@given(st.integers(1, 12), st.integers(1, 100))
def test_orders_are_orders_differ_and_begin_with_the_one_that_was_given(players: int, matches: int) -> None:
    orders = seat_orders(players, matches)
    assert orders[0] == tuple(range(players))
    assert len(set(orders)) == len(orders)
    assert all(sorted(order) == list(range(players)) for order in orders)


@pytest.mark.parametrize("players", [1, 2, 3, 4, 5])
def test_all_orders_where_they_are_few_and_the_series_is_long_enough(players: int) -> None:
    enough = factorial(players)
    expected = enough if players <= 3 else players
    assert len(seat_orders(players, enough)) == expected
    if players <= 3:
        assert set(seat_orders(players, enough)) == set(permutations(range(players)))
        assert len(seat_orders(players, 1)) == players
    assert len(seat_orders(players, 10_000)) == expected


# ---- tables of the ladder ------------------------------------------------------------------------


def bot(
    version: int, author: int | None = None, *, elo: float = 1000, error: float = 20, waited: float = 0, **more: bool
) -> Candidate:
    return Candidate(version, author, elo, error, 100, waited, **more)


def draw(candidates: list[Candidate], size: int, dice: Random) -> list[Candidate]:
    first = ladder.seed(candidates, dice)
    return [] if first is None else ladder.fill(first, candidates, {}, size, dice)


@st.composite
def candidates(draw: st.DrawFn) -> list[Candidate]:
    size = draw(st.integers(0, 12))
    authors = st.one_of(st.none(), st.integers(1, 5))
    errors = st.one_of(st.just(math.inf), st.floats(0, 350))
    waits = st.one_of(st.just(math.inf), st.integers(0, 40))
    elo = st.floats(-3000, 5000)
    return [
        Candidate(version, draw(authors), draw(elo), draw(errors), 7, draw(waits), anchor=version == 0)
        for version in range(size)
    ]


@given(candidates(), st.integers(2, 6), st.integers())
def test_a_table_is_made_of_candidates_no_two_of_one_author(given_: list[Candidate], size: int, seed: int) -> None:
    table = draw(given_, size, Random(seed))
    assert len(table) != 1
    assert len(table) <= size
    assert set(table) <= set(given_)
    assert len({candidate.version for candidate in table}) == len(table)
    authors = [candidate.author for candidate in table if candidate.author is not None]
    assert len(set(authors)) == len(authors)


@given(candidates(), st.integers(2, 6), st.integers())
def test_a_table_is_as_full_as_the_candidates_allow(given_: list[Candidate], size: int, seed: int) -> None:
    house = sum(candidate.author is None for candidate in given_)
    most = house + len({candidate.author for candidate in given_} - {None})
    table = draw(given_, size, Random(seed))
    assert len(table) == (min(size, most) if most >= 2 else 0)


@given(candidates(), st.integers(2, 6), st.integers())
def test_the_same_dice_make_the_same_table(given_: list[Candidate], size: int, seed: int) -> None:
    assert draw(given_, size, Random(seed)) == draw(given_, size, Random(seed))


def play_on(authors: list[int | None], errors: list[float], tables: int, seed: int) -> tuple[int, list[int]]:
    """The longest wait of anybody in so many tables, from when he came until he sat; and how often each sat."""
    dice = Random(seed)
    last, counts, longest = dict.fromkeys(range(len(authors)), -1), [0] * len(authors), 0
    for number in range(tables):
        now = [
            Candidate(one, author, 1000 + 10 * one, errors[one], counts[one], number - last[one] - 1)
            for one, author in enumerate(authors)
        ]
        for candidate in draw(now, ladder.table_size(number, 2, 4), dice):
            last[candidate.version], counts[candidate.version] = number, counts[candidate.version] + 1
        longest = max(longest, *(number - last[one] for one in last))
    return longest, counts


@settings(max_examples=often(15, everything=120), deadline=None)
@given(st.lists(st.one_of(st.none(), st.integers(1, 6)), min_size=2, max_size=12), st.integers())
def test_nobody_waits_for_two_rounds(authors: list[int | None], seed: int) -> None:
    """However many there are, whoever they belong to, and however well one is known: it is a law."""
    if sum(author is None for author in authors) + len(set(authors) - {None}) < 2:
        return
    errors = [Random(seed).choice([0.0, 20.0, 400.0, math.inf]) for _ in authors]
    longest, _counts = play_on(authors, errors, 30 * len(authors), seed)
    assert longest < 2 * len(authors)


def test_nobody_starves_among_a_hundred() -> None:
    """Thousands of tables, with one whose rating is never known and would sit at all of them."""
    authors: list[int | None] = [None] * 5 + [7] * 30 + list(range(100, 165))
    errors = [10.0] * 99 + [math.inf]
    longest, counts = play_on(authors, errors, 4000, 3)
    assert longest < 200
    assert min(counts) >= 4000 / 200
    assert counts[99] > 0.6 * 4000


def test_the_one_whose_rating_is_known_worst_sits_first_but_at_a_fifth_of_the_tables() -> None:
    dice = Random(5)
    old = [bot(version, version) for version in range(1, 101)]
    first = Counter(ladder.seed([bot(0, 0, error=60), *old], dice) for _ in range(1000))
    assert 0.75 < first[bot(0, 0, error=60)] / 1000 < 0.88
    newcomer = bot(0, 0, error=math.inf, waited=math.inf)
    assert all(ladder.seed([newcomer, *old], dice) == newcomer for _ in range(100))


def test_opponents_are_drawn_in_proportion_to_what_a_game_tells() -> None:
    """p (1 - p) Var: four times the variance, four times as often; 400 Elo away, 0.0826 / 0.25 as often."""
    dice = Random(6)
    first, near, vague, far = bot(0, 0), bot(1, 1), bot(2, 2), bot(3, 3, elo=1400)
    deviation = {1: 10.0, 2: 20.0, 3: 10.0}
    counts: Counter[int] = Counter()
    for _ in range(20_000):
        counts.update(one.version for one in ladder.fill(first, [near, vague, far, first], deviation, 2, dice))
    uniform = ladder.UNIFORM_SHARE / 3
    total = 1 + 4 + 0.0826 / 0.25
    for version, worth in ((1, 1.0), (2, 4.0), (3, 0.0826 / 0.25)):
        expected = (1 - ladder.UNIFORM_SHARE) * worth / total + uniform
        assert abs(counts[version] / 20_000 - expected) < 0.015, (version, counts)


@pytest.mark.parametrize("others", [5, 50, 400])
def test_the_anchor_sits_at_its_share_of_the_tables_however_many_bots_there_are(others: int) -> None:
    dice = Random(7)
    everybody = [bot(0, error=0, anchor=True), *(bot(version, version, elo=3000) for version in range(1, others))]
    tables = [draw(everybody, 4, dice) for _ in range(2000)]
    share = sum(any(candidate.anchor for candidate in table) for table in tables) / len(tables)
    assert share > 0.05
    assert share > ANCHOR_SHARE * 0.7


def test_all_sizes_of_tables_come_equally_often() -> None:
    assert Counter(ladder.table_size(number, 2, 4) for number in range(300)) == {2: 100, 3: 100, 4: 100}
    assert {ladder.table_size(number, 2, 2) for number in range(9)} == {2}


def test_seats_are_drawn() -> None:
    dice = Random(8)
    everybody = [bot(version, version, error=version * 10.0) for version in range(4)]
    first = Counter(draw(everybody, 4, dice)[0].version for _ in range(4000))
    assert all(800 < count < 1200 for count in first.values()), first


def test_candidates_are_left_as_they_were() -> None:
    everybody = [bot(version) for version in range(5)]
    before = list(everybody)
    draw(everybody, 3, Random(1))
    assert everybody == before
