"""Tie-breaks by hand, and what is said about a row; forms as plain values; the matching."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.pairing import FORMATS, FormatError, Result, Table, explain, read_format, scores, write_format
from arena.pairing.matching import match
from arena.pairing.model import Played
from arena.pairing.seats import balanced_seats
from arena.pairing.sizes import heats, split
from arena.pairing.standings import among, rank, read_breaks
from arena.pairing.swiss import Swiss
from tests.arena.pairing.playing import entrants


def duel(name: str, winner: int, loser: int) -> Result:
    return Result(Table(name, (winner, loser)), ((1, 2),))


def drawn(name: str, one: int, other: int) -> Result:
    return Result(Table(name, (one, other)), ((1, 1),))


FOUR = (
    Played((duel("a", 1, 2), duel("b", 3, 4)), ()),
    Played((drawn("c", 1, 3), duel("d", 2, 4)), ()),
    Played((duel("e", 4, 1), drawn("f", 2, 3)), ()),
)
"""Points: 1 and 2 have 1.5, 3 has 2, 4 has 1."""


def test_the_tie_breaks_of_a_round_robin_of_four() -> None:
    lines = scores.read_lines(range(1, 5), FOUR)
    breaks = read_breaks(lines)
    half = Fraction(1, 2)
    assert breaks.points == {1: 3 * half, 2: 3 * half, 3: 2, 4: 1}
    # the points of the three opponents, without the least of them
    assert breaks.buchholz == {1: 3 * half + 2, 2: 3 * half + 2, 3: 3 * half + 3 * half, 4: 2 + 3 * half}
    # 1 beat 2 and drew with 3; 2 beat 4 and drew with 3; 3 beat 4 and drew with 1 and 2; 4 beat 1
    assert breaks.sonneborn == {1: 3 * half + 1, 2: 1 + 1, 3: 1 + half * 3 * half * 2, 4: 3 * half}
    assert among(lines, [1, 2]) == {1: 1, 2: 0}
    assert rank(lines) == [[3], [1], [2], [4]]


def test_the_rows_say_why() -> None:
    rows = {row.entrant: row for row in Swiss(9, 2, 2).standings(entrants(4), FOUR)}
    names = {1: "ann", 2: "bob", 3: "cyd", 4: "dan"}
    assert explain(rows[3], None, names) == ""
    assert explain(rows[1], rows[3], names) == "ann has 1.5 points, cyd 2"
    assert rows[2].decision == "among the tied"
    assert explain(rows[2], rows[1], names) == (
        "bob and ann have 1.5 points; in the meetings of all who have these, bob scored 0, ann 1"
    )
    assert explain(rows[4], rows[2], names) == "dan has 1 point, bob 1.5"


def test_the_score_among_the_tied_says_nothing_unless_all_have_met() -> None:
    lines = scores.read_lines(range(1, 5), FOUR[:1])
    assert among(lines, [1, 3]) is None
    assert among(lines, [1, 2]) == {1: 1, 2: 0}


def test_tie_breaks_at_tables_of_different_sizes() -> None:
    """1 beats 2 and 3 at a table of three; 4 beats 5 in a duel. Then 1 meets 4, and 2, 3, 5 are all level."""
    first = Played((Result(Table("a", (1, 2, 3)), ((1, 2, 3),)), duel("b", 4, 5)), ())
    second = Played((drawn("c", 1, 4), Result(Table("d", (2, 3, 5)), ((1, 1, 1),))), ())
    breaks = read_breaks(scores.read_lines(range(1, 6), [first, second]))
    half = Fraction(1, 2)
    assert breaks.points == {1: 3 * half, 2: 1, 3: half, 4: 3 * half, 5: half}
    # rounds of 1: the mean of 1 and 1/2, and 3/2; the lower one is cut
    assert breaks.buchholz[1] == 3 * half
    assert breaks.buchholz[2] == (3 * half + half) / 2  # the other round: (1/2 + 1/2) / 2
    assert breaks.sonneborn[1] == (1 + half) / 2 + half * 3 * half
    assert breaks.sonneborn[2] == (0 + half) / 2 + (half * half + half * half) / 2


def test_unplayed_rounds_count_as_an_opponent_with_ones_own_points() -> None:
    bye = Played((duel("a", 1, 2),), (3,))
    breaks = read_breaks(scores.read_lines((1, 2, 3), [bye, bye], bye=scores.ONE))
    assert breaks.points == {1: 2, 2: 0, 3: 2}
    assert breaks.buchholz == {1: 0, 2: 2, 3: 2}
    assert breaks.sonneborn == {1: 0, 2: 0, 3: 4}
    absent = Played((Result(Table("a", (1, 2)), ((1, None),)),), ())
    breaks = read_breaks(scores.read_lines((1, 2), [absent, absent]))
    assert breaks.buchholz == {1: 2, 2: 0}
    assert breaks.sonneborn == {1: 4, 2: 0}


# ---- the parts -----------------------------------------------------------------------------------


@given(st.integers(2, 300), st.integers(2, 6), st.integers(2, 6))
def test_sizes_differ_by_at_most_one_and_byes_are_few(count: int, least: int, most: int) -> None:
    if least > most or count < least:
        return
    byes, sizes = split(count, least, most)
    assert byes + sum(sizes) == count
    assert max(sizes) - min(sizes) <= 1
    assert least <= min(sizes)
    assert max(sizes) <= most
    possible = [any(n * least <= count - out <= n * most for n in range(1, count)) for out in range(byes)]
    assert not any(possible)


def test_the_published_heats() -> None:
    assert heats(range(1, 17), 4) == [[1, 5, 12, 16], [2, 6, 11, 15], [3, 7, 10, 14], [4, 8, 9, 13]]


@given(st.integers(1, 9), st.integers())
def test_the_matching_is_as_large_as_any(count: int, seed: int) -> None:
    random = Random(seed)
    edges = [pair for pair in combinations(range(count), 2) if random.random() < 0.4]
    allowed = [[b for b in range(count) if (min(a, b), max(a, b)) in edges] for a in range(count)]
    mate = match(allowed)
    for a, b in enumerate(mate):
        assert b is None or (mate[b] == a and b in allowed[a])

    def largest(rest: list[tuple[int, int]]) -> int:
        if not rest:
            return 0
        (a, b), others = rest[0], rest[1:]
        return max(largest(others), 1 + largest([pair for pair in others if a not in pair and b not in pair]))

    assert sum(b is not None for b in mate) == 2 * largest(edges)


@given(st.integers(2, 5), st.integers())
def test_seats_are_the_evenest(count: int, seed: int) -> None:
    from itertools import permutations

    random = Random(seed)
    sat = {member: [random.randint(0, 3) for _ in range(random.randint(0, count))] for member in range(count)}

    def price(order: tuple[int, ...]) -> int:
        return sum((sat[member][seat : seat + 1] or [0])[0] for seat, member in enumerate(order))

    found = balanced_seats(range(count), sat, Random(1))
    assert sorted(found) == list(range(count))
    assert price(found) == min(map(price, permutations(range(count))))


def test_forms_are_plain_values() -> None:
    for name in FORMATS:
        values = {"format": name, "most": 4} | ({"rounds": 5} if name == "swiss" else {})
        form = read_format(values)
        assert read_format(write_format(form)) == form
    for values, said in [
        ({"format": "ladder"}, "no tournament of the form 'ladder'"),
        ({"format": "swiss", "rules": 0, "rounds": 3}, "begun by the rules 0"),
        ({"format": "swiss"}, "needs: rounds"),
        ({"format": "single", "rounds": 3}, "has no 'rounds'"),
        ({"format": "swiss", "rounds": None}, "whole number"),
        ({"format": "swiss", "rounds": True}, "whole number"),
    ]:
        with pytest.raises(FormatError, match=said):
            read_format(values)
