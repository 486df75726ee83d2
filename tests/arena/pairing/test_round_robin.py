"""Round robins: FIDE's published tables, the known designs, and how even the search is."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.pairing import Entrant, Finished, Result, Round, Table
from arena.pairing.berger import berger
from arena.pairing.designs import design, schedule
from arena.pairing.model import FormatError, Played
from arena.pairing.round_robin import RoundRobin
from tests.arena.pairing.playing import all_level, best_first, entrants, finish, rounds
from tests.breadth import often

# FIDE Handbook, C.05 General Regulations for Competitions, Annex 1
PUBLISHED = {
    4: "1-4 2-3 | 4-3 1-2 | 2-4 3-1",
    6: "1-6 2-5 3-4 | 6-4 5-3 1-2 | 2-6 3-1 4-5 | 6-5 1-4 2-3 | 3-6 4-2 5-1",
    8: """1-8 2-7 3-6 4-5 | 8-5 6-4 7-3 1-2 | 2-8 3-1 4-7 5-6 | 8-6 7-5 1-4 2-3 | 3-8 4-2 5-1 6-7 | 8-7 1-6 2-5 3-4
        | 4-8 5-3 6-2 7-1""",
    10: """1-10 2-9 3-8 4-7 5-6 | 10-6 7-5 8-4 9-3 1-2 | 2-10 3-1 4-9 5-8 6-7 | 10-7 8-6 9-5 1-4 2-3
        | 3-10 4-2 5-1 6-9 7-8 | 10-8 9-7 1-6 2-5 3-4 | 4-10 5-3 6-2 7-1 8-9 | 10-9 1-8 2-7 3-6 4-5
        | 5-10 6-4 7-3 8-2 9-1""",
    12: """1-12 2-11 3-10 4-9 5-8 6-7 | 12-7 8-6 9-5 10-4 11-3 1-2 | 2-12 3-1 4-11 5-10 6-9 7-8
        | 12-8 9-7 10-6 11-5 1-4 2-3 | 3-12 4-2 5-1 6-11 7-10 8-9 | 12-9 10-8 11-7 1-6 2-5 3-4
        | 4-12 5-3 6-2 7-1 8-11 9-10 | 12-10 11-9 1-8 2-7 3-6 4-5 | 5-12 6-4 7-3 8-2 9-1 10-11
        | 12-11 1-10 2-9 3-8 4-7 5-6 | 6-12 7-5 8-4 9-3 10-2 11-1""",
    14: """1-14 2-13 3-12 4-11 5-10 6-9 7-8 | 14-8 9-7 10-6 11-5 12-4 13-3 1-2 | 2-14 3-1 4-13 5-12 6-11 7-10 8-9
        | 14-9 10-8 11-7 12-6 13-5 1-4 2-3 | 3-14 4-2 5-1 6-13 7-12 8-11 9-10 | 14-10 11-9 12-8 13-7 1-6 2-5 3-4
        | 4-14 5-3 6-2 7-1 8-13 9-12 10-11 | 14-11 12-10 13-9 1-8 2-7 3-6 4-5 | 5-14 6-4 7-3 8-2 9-1 10-13 11-12
        | 14-12 13-11 1-10 2-9 3-8 4-7 5-6 | 6-14 7-5 8-4 9-3 10-2 11-1 12-13 | 14-13 1-12 2-11 3-10 4-9 5-8 6-7
        | 7-14 8-6 9-5 10-4 11-3 12-2 13-1""",
    16: """1-16 2-15 3-14 4-13 5-12 6-11 7-10 8-9 | 16-9 10-8 11-7 12-6 13-5 14-4 15-3 1-2
        | 2-16 3-1 4-15 5-14 6-13 7-12 8-11 9-10 | 16-10 11-9 12-8 13-7 14-6 15-5 1-4 2-3
        | 3-16 4-2 5-1 6-15 7-14 8-13 9-12 10-11 | 16-11 12-10 13-9 14-8 15-7 1-6 2-5 3-4
        | 4-16 5-3 6-2 7-1 8-15 9-14 10-13 11-12 | 16-12 13-11 14-10 15-9 1-8 2-7 3-6 4-5
        | 5-16 6-4 7-3 8-2 9-1 10-15 11-14 12-13 | 16-13 14-12 15-11 1-10 2-9 3-8 4-7 5-6
        | 6-16 7-5 8-4 9-3 10-2 11-1 12-15 13-14 | 16-14 15-13 1-12 2-11 3-10 4-9 5-8 6-7
        | 7-16 8-6 9-5 10-4 11-3 12-2 13-1 14-15 | 16-15 1-14 2-13 3-12 4-11 5-10 6-9 7-8
        | 8-16 9-7 10-6 11-5 12-4 13-3 14-2 15-1""",
}


@pytest.mark.parametrize("count", PUBLISHED)
def test_the_tables_are_those_that_fide_publishes(count: int) -> None:
    assert " | ".join(" ".join(f"{a}-{b}" for a, b in pairs) for pairs in berger(count)) == " ".join(
        PUBLISHED[count].split()
    )


@pytest.mark.parametrize("count", PUBLISHED)
def test_an_odd_number_is_the_next_even_one_in_which_the_last_number_is_a_bye(count: int) -> None:
    published = [
        [pair for pair in pairs.split() if str(count) not in pair.split("-")] for pairs in PUBLISHED[count].split("|")
    ]
    assert [[f"{a}-{b}" for a, b in pairs] for pairs in berger(count - 1)] == published


@pytest.mark.parametrize("count", range(2, 31))
def test_every_pair_meets_once_and_seats_are_even(count: int) -> None:
    pairs = [pair for each in berger(count) for pair in each]
    assert sorted(map(sorted, pairs)) == [list(pair) for pair in combinations(range(1, count + 1), 2)]
    first = Counter(a for a, _ in pairs)
    assert all(abs(2 * first[player] - (count - 1)) <= 1 for player in range(1, count + 1))


def test_a_tournament_of_duels_follows_them_in_the_order_of_the_seeding() -> None:
    field = [Entrant(70, 2), Entrant(50, 1), Entrant(60, 4), Entrant(80, 3)]
    made = [one for one, _, _ in rounds(RoundRobin(), field, best_first)]
    names = {50: 1, 70: 2, 80: 3, 60: 4}
    seated = [[[names[seat] for seat in table.seats] for table in one.tables] for one in made if isinstance(one, Round)]
    assert seated == [[[1, 4], [2, 3]], [[4, 3], [1, 2]], [[2, 4], [3, 1]]]


def test_a_second_cycle_exchanges_the_seats() -> None:
    made, _ = finish(RoundRobin(rounds=6), 4, best_first)
    half = [[table.seats for table in one.tables] for one in made]
    assert half[3:] == [[seats[::-1] for seats in each] for each in half[:3]]


@pytest.mark.parametrize(
    ("count", "size", "number", "times"), [(16, 4, 5, 1), (9, 3, 4, 1), (25, 5, 6, 1), (8, 4, 7, 3), (15, 3, 7, 1)]
)
def test_in_the_known_designs_every_pair_meets_equally_often(count: int, size: int, number: int, times: int) -> None:
    found = design(count, size)
    assert found is not None
    assert len(found) == number
    for tables in found:
        assert sorted(player for table in tables for player in table) == list(range(count))
        assert {len(table) for table in tables} == {size}
    met = Counter(pair for tables in found for table in tables for pair in combinations(sorted(table), 2))
    assert len(met) == count * (count - 1) // 2
    assert set(met.values()) == {times}


def test_sixteen_bots_meet_exactly_once_in_five_rounds_at_tables_of_four() -> None:
    made, end = finish(RoundRobin(least=2, most=4), 16, best_first)
    assert len(made) == 5
    met = Counter(frozenset(pair) for one in made for table in one.tables for pair in combinations(table.seats, 2))
    assert len(met) == 120
    assert set(met.values()) == {1}
    assert end.champion == 1


@pytest.mark.parametrize(
    ("count", "most", "rounds_", "allowed"),
    [(7, 3, 7, 1), (12, 4, 11, 2), (10, 4, 9, 2), (18, 3, 8, 2), (20, 4, 6, 2), (40, 4, 13, 2), (13, 6, 12, 3)],
)
def test_the_search_is_about_as_even_as_can_be(count: int, most: int, rounds_: int, allowed: int) -> None:
    met: Counter[tuple[int, ...]] = Counter(dict.fromkeys(combinations(range(count), 2), 0))
    for number in range(rounds_):
        tables = schedule(count, 2, most, rounds_, number)
        sizes = [len(table) for table in tables]
        assert sorted(player for table in tables for player in table) == list(range(count))
        assert max(sizes) - min(sizes) <= 1
        met.update(pair for table in tables for pair in combinations(table, 2))
    assert max(met.values()) - min(met.values()) <= allowed, Counter(met.values())


def test_a_schedule_for_300_is_found_quickly_and_nobody_meets_again() -> None:
    started = process_time()
    met = Counter(
        pair for number in range(10) for table in schedule(300, 2, 4, 10, number) for pair in combinations(table, 2)
    )
    assert process_time() - started < 15
    assert max(met.values()) == 1


@settings(max_examples=often(20, everything=160), deadline=None)
@given(st.integers(2, 24), st.integers(2, 6), st.integers(2, 6), st.integers(1, 9))
def test_everybody_is_at_a_table_or_has_a_bye(count: int, least: int, most: int, rounds_: int) -> None:
    if least > most or count < least:
        return
    made, end = finish(RoundRobin(rounds_, least, most), count, all_level)
    byes: Counter[int] = Counter()
    for one in made:
        if any(table.extra for table in one.tables):
            continue
        seated = [entrant for table in one.tables for entrant in table.seats]
        assert sorted([*seated, *one.byes]) == list(range(1, count + 1))
        assert all(least <= len(table.seats) <= most for table in one.tables)
        byes.update(one.byes)
    assert end.champion is not None
    if byes and rounds_ >= count:
        assert max(byes.values()) - min(byes[entrant] for entrant in range(1, count + 1)) <= 1 + rounds_ // count


def test_the_results_of_who_leaves_count_for_nobody() -> None:
    """4 beats everybody and leaves before the last round, in which it would have met 2."""

    def play(table: Table) -> Result:
        order = [4, 1, 2, 3]
        return Result(table, (tuple(1 + sorted(table.seats, key=order.index).index(seat) for seat in table.seats),))

    def leave(number: int, now: list[Entrant]) -> list[Entrant]:
        return [one._replace(until=3) if one.id == 4 and number >= 3 else one for one in now]

    *made, (end, _, _) = rounds(RoundRobin(), entrants(4), play, between=leave)
    assert isinstance(end, Finished)
    last = made[2][0]
    assert isinstance(last, Round)
    assert [table.seats for table in last.tables] == [(3, 1)]
    assert last.byes == (2,)
    assert [(row.entrant, row.points, row.status) for row in end.rows] == [
        (1, 2, "in"),
        (2, 1, "in"),
        (3, 0, "in"),
        (4, 0, "withdrawn"),
    ]
    before = RoundRobin().standings(entrants(4), [Played(*one) for one in made[2][2]])
    assert before[0].entrant == 4


def test_nobody_comes_late() -> None:
    with pytest.raises(FormatError, match="after its first round"):
        RoundRobin().next_round([*entrants(3), Entrant(4, 4, since=2)], [], "")
