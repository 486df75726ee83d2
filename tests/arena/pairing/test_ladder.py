"""Who meets whom and who sits where: laws over all tables that there can be."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from math import factorial
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.pairing import ANCHOR_SHARE, Candidate, ladder_table, seat_orders

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


@st.composite
def candidates(draw: st.DrawFn) -> list[Candidate]:
    size = draw(st.integers(0, 12))
    authors = st.one_of(st.none(), st.integers(1, 5))
    matches = st.integers(0, 1000)
    return [Candidate(version, draw(authors), draw(matches), anchor=version == 0) for version in range(size)]


@given(candidates(), st.integers(2, 6), st.integers())
def test_a_table_is_made_of_candidates_no_two_of_one_author(given_: list[Candidate], size: int, seed: int) -> None:
    table = ladder_table(given_, size, Random(seed))
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
    table = ladder_table(given_, size, Random(seed))
    assert len(table) == (min(size, most) if most >= 2 else 0)


@given(candidates(), st.integers(2, 6), st.integers())
def test_the_same_dice_make_the_same_table(given_: list[Candidate], size: int, seed: int) -> None:
    assert ladder_table(given_, size, Random(seed)) == ladder_table(given_, size, Random(seed))


@settings(max_examples=30)
@given(st.lists(st.one_of(st.none(), st.integers(1, 6)), min_size=2, max_size=12), st.integers(2, 4), st.integers())
def test_nobody_starves(authors: list[int | None], size: int, seed: int) -> None:
    """However many there are, and whoever they belong to: over many tables the counts stay together."""
    dice = Random(seed)
    counts = dict.fromkeys(range(len(authors)), 0)
    most = sum(author is None for author in authors) + len(set(authors) - {None})
    if most < 2:
        return
    for _ in range(60 * len(authors)):
        now = [Candidate(version, author, counts[version]) for version, author in enumerate(authors)]
        for candidate in ladder_table(now, size, dice):
            counts[candidate.version] += 1
    average = sum(counts.values()) / len(counts)
    assert min(counts.values()) > 0.4 * average, counts


def test_a_newcomer_sits_at_the_next_tables_although_many_wait() -> None:
    dice = Random(5)
    old = [Candidate(version, version, 1000) for version in range(1, 101)]
    tables = [ladder_table([Candidate(0, 0, 0), *old], 4, dice) for _ in range(200)]
    seated = sum(any(candidate.version == 0 for candidate in table) for table in tables)
    assert seated > 0.75 * len(tables)


def test_old_hands_meet_newcomers_and_each_other() -> None:
    """A share of the tables is drawn without looking at anybody's need: the leaders meet too."""
    dice = Random(6)
    everybody = [Candidate(0, 0, 0), *(Candidate(version, version, 1000) for version in range(1, 20))]
    without = sum(all(candidate.version != 0 for candidate in ladder_table(everybody, 4, dice)) for _ in range(1000))
    assert 0.1 < without / 1000 < 0.25


@pytest.mark.parametrize("others", [5, 50, 400])
def test_the_anchor_sits_at_its_share_of_the_tables_however_many_bots_there_are(others: int) -> None:
    dice = Random(7)
    everybody = [
        Candidate(0, None, 10**6, anchor=True),
        *(Candidate(version, version, 10) for version in range(1, others)),
    ]
    tables = [ladder_table(everybody, 4, dice) for _ in range(2000)]
    share = sum(any(candidate.anchor for candidate in table) for table in tables) / len(tables)
    assert share > 0.05
    assert share > ANCHOR_SHARE * 0.7


def test_seats_are_drawn() -> None:
    dice = Random(8)
    everybody = [Candidate(version, version, version * 100) for version in range(4)]
    first = Counter(ladder_table(everybody, 4, dice)[0].version for _ in range(4000))
    assert all(800 < count < 1200 for count in first.values()), first


def test_candidates_are_left_as_they_were() -> None:
    everybody = [Candidate(version, None, 0) for version in range(5)]
    before = list(everybody)
    ladder_table(everybody, 3, Random(1))
    assert everybody == before
