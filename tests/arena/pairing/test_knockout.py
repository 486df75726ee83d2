"""Knockouts and groups: brackets by hand, and laws over many of them."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from random import Random
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.pairing import Entrant, Finished, Format, Played, Result, Round, Table, scores
from arena.pairing.double import DoubleElimination
from arena.pairing.groups import Groups, letter
from arena.pairing.knockout import Shape, SingleElimination, shapes
from arena.pairing.model import FormatError
from arena.pairing.sizes import heats
from tests.arena.pairing.playing import all_level, best_first, dice, entrants, finish, play_round, rounds
from tests.breadth import often


def seated(made: Round) -> list[list[int]]:
    return [sorted(table.seats) for table in made.tables]


def upset(table: Table) -> Result:
    """The favourite always loses."""
    return Result(table, (tuple(1 + sum(other > own for other in table.seats) for own in table.seats),))


# ---- single elimination --------------------------------------------------------------------------


def test_the_published_heats_of_sixteen() -> None:
    made, _ = finish(SingleElimination(2, 4, 2), 16, best_first)
    assert seated(made[0]) == [[1, 5, 12, 16], [2, 6, 11, 15], [3, 7, 10, 14], [4, 8, 9, 13]]
    assert seated(made[1]) == [[1, 3, 6, 8], [2, 4, 5, 7]]
    assert seated(made[2]) == [[1, 2, 3, 4]]
    assert made[2].stage == "final"


def test_a_bracket_of_eight_duellists() -> None:
    made, end = finish(SingleElimination(), 8, best_first)
    assert list(map(seated, made)) == [[[1, 8], [2, 7], [3, 6], [4, 5]], [[1, 4], [2, 3]], [[1, 2]]]
    assert [(row.place, row.entrant) for row in end.rows] == [
        (1, 1),
        (2, 2),
        (3, 3),
        (3, 4),
        *[(5, n) for n in (5, 6, 7, 8)],
    ]
    assert [row.decision for row in end.rows] == ["", "stage", "stage", "", "stage", "", "", ""]


def test_byes_are_of_the_first_stage_and_for_the_favourites() -> None:
    made, _ = finish(SingleElimination(), 13, best_first)
    assert [one.byes for one in made] == [(1, 2, 3), (), (), ()]
    assert seated(made[0]) == [[4, 13], [5, 12], [6, 11], [7, 10], [8, 9]]
    assert seated(made[1]) == [[1, 8], [2, 7], [3, 6], [4, 5]]


def test_of_larger_tables_the_favourites_have_the_smaller_ones() -> None:
    made, _ = finish(SingleElimination(2, 4, 2), 18, best_first)
    assert [len(table) for table in seated(made[0])] == [3, 3, 4, 4, 4]
    assert [1 in seated(made[0])[0], 2 in seated(made[0])[1]] == [True, True]


def test_where_tables_must_be_full_the_favourites_have_byes() -> None:
    assert shapes(10, 4, 4, 2) == (Shape(2, 2, 2), Shape(2, 1, 2), Shape(0, 1, 1))
    assert shapes(8, 4, 4, 1) is None
    with pytest.raises(FormatError, match="cannot be brought down"):
        SingleElimination(4, 4, 1).next_round(entrants(8), [], "")


def test_ties_at_the_cut_play_on_and_others_do_not() -> None:
    def play(table: Table) -> Result:
        if table.extra:
            return upset(table)
        return Result(table, (tuple(1 if seat == 1 else 2 for seat in table.seats),))

    made, end = finish(SingleElimination(2, 4, 2), 4, play)
    assert [one.stage for one in made] == ["final"]  # only the champion matters there
    assert end.champion == 1
    assert [row.place for row in end.rows] == [1, 2, 2, 2]

    def second(table: Table) -> Result:
        if table.extra:
            return upset(table)
        places = {1: 1, 5: 2, 12: 2, 16: 2}
        if table.name != "K1.1":
            return best_first(table)
        return Result(table, (tuple(places[seat] for seat in table.seats),))

    made, _ = finish(SingleElimination(2, 4, 2), 16, second)
    assert [one.stage for one in made[:3]] == ["stage 1 of 3", "stage 1 of 3, extra series", "stage 2 of 3"]
    assert seated(made[1]) == [[5, 12, 16]]
    assert [table.name for table in made[1].tables] == ["K1.1+1"]
    assert 16 in made[2].tables[1].seats


def test_deterministic_bots_that_tie_for_ever_are_told_apart_by_the_seeding() -> None:
    made, end = finish(SingleElimination(), 4, all_level)
    assert len(made) == 8
    assert [row.entrant for row in end.rows[:2]] == [1, 2]
    assert end.rows[1].decision == "stage"


def test_who_leaves_or_does_not_show_up_lets_the_opponent_pass() -> None:
    def play(table: Table) -> Result:
        if {1, 8} <= set(table.seats):
            return Result(table, (tuple(None if seat == 1 else 1 for seat in table.seats),))
        return best_first(table)

    def leave(number: int, now: list[Entrant]) -> list[Entrant]:
        return [one._replace(until=2) if one.id == 3 and number == 2 else one for one in now]

    made = [one for one, _, _ in rounds(SingleElimination(), entrants(8), play, between=leave)]
    second, final, end = made[1:]
    assert isinstance(second, Round)
    assert isinstance(final, Round)
    assert isinstance(end, Finished)
    assert (seated(second), second.byes) == ([[4, 8]], (2,))
    assert seated(final) == [[2, 4]]
    status = {row.entrant: (row.place, row.status) for row in end.rows}
    assert status[3][1] == "withdrawn"
    assert status[1][1] == "out"
    assert end.champion == 2


def test_who_is_disqualified_has_no_place_and_the_next_one_moves_up() -> None:
    *_, (end, now, played) = rounds(SingleElimination(), entrants(4), best_first)
    assert isinstance(end, Finished)
    without = SingleElimination().next_round([one._replace(disqualified=one.id == 1) for one in now], played, "seed")
    assert isinstance(without, Finished)
    assert without.champion == 2
    assert [(row.place, row.entrant) for row in without.rows] == [(1, 2), (2, 3), (2, 4), (None, 1)]


# ---- double elimination --------------------------------------------------------------------------


def test_a_double_elimination_of_four_by_hand() -> None:
    """1 beats 4, 2 beats 3; 3 beats 4; 1 beats 2; 2 beats 3; 1 beats 2."""
    made, end = finish(DoubleElimination(), 4, best_first)
    assert [seated(one) for one in made] == [[[1, 4], [2, 3]], [[3, 4]], [[1, 2]], [[2, 3]], [[1, 2]]]
    assert [row.entrant for row in end.rows] == [1, 2, 3, 4]
    assert [row.place for row in end.rows] == [1, 2, 3, 4]


def test_the_winner_of_the_upper_bracket_must_be_beaten_twice() -> None:
    def play(table: Table) -> Result:
        return upset(table) if table.name.startswith("F") else best_first(table)

    made, end = finish(DoubleElimination(), 8, play)
    assert [one.stage for one in made[-2:]] == ["grand final", "second grand final"]
    assert end.champion == 2

    def once(table: Table) -> Result:
        return upset(table) if table.name == "F1.1" else best_first(table)

    made, end = finish(DoubleElimination(), 8, once)
    assert made[-1].stage == "second grand final"
    assert end.champion == 1


def test_the_standard_lower_bracket_of_eight() -> None:
    made, _ = finish(DoubleElimination(), 8, best_first)
    stages = [(one.stage.split(",")[0], len(one.tables)) for one in made]
    upper, lower = "upper bracket", "lower bracket"
    assert stages == [
        (upper, 4),
        (lower, 2),
        (upper, 2),
        (lower, 2),
        (lower, 1),
        (upper, 1),
        (lower, 1),
        ("grand final", 1),
    ]


def test_double_elimination_needs_duels() -> None:
    with pytest.raises(FormatError, match="ends with a duel"):
        DoubleElimination(3, 4, 2).next_round(entrants(9), [], "")


# ---- groups --------------------------------------------------------------------------------------


def test_eight_in_two_groups() -> None:
    made, end = finish(Groups(size=4, qualify=2), 8, best_first)
    assert [one.stage for one in made[:3]] == [f"groups, round {number} of 3" for number in (1, 2, 3)]
    groups = [{1, 3, 6, 8}, {2, 4, 5, 7}]
    assert all(any(set(table.seats) <= group for group in groups) for one in made[:3] for table in one.tables)
    assert seated(made[3]) == [[1, 4], [2, 3]]  # the first of each group meets the second of the other
    assert end.champion == 1
    assert [row.place for row in end.rows] == [1, 2, 3, 3, 5, 5, 7, 7]


def test_a_tie_at_the_cut_of_a_group_plays_on() -> None:
    def play(table: Table) -> Result:
        return upset(table) if table.extra else all_level(table)

    made, _ = finish(Groups(size=3, qualify=2), 3, play)
    assert made[3].stage == "groups, extra series"
    assert made[3].tables[0].name == "GA+1"


@pytest.mark.parametrize("groups", range(2, 12))
def test_nobody_meets_one_of_its_group_again_at_once(groups: int) -> None:
    made, _ = finish(Groups(size=4, qualify=2), 4 * groups, best_first)
    homes = {one: at for at, members in enumerate(heats(range(1, 4 * groups + 1), groups)) for one in members}
    first = next(one for one in made if not one.stage.startswith("groups"))
    assert all(homes[a] != homes[b] for table in first.tables for a, b in combinations(table.seats, 2))


def test_groups_too_small_for_those_who_go_on_are_refused() -> None:
    with pytest.raises(FormatError, match="too few for 3"):
        Groups(size=3, qualify=3).next_round(entrants(9), [], "")


def test_groups_have_letters() -> None:
    assert [letter(number) for number in (0, 25, 26, 52)] == ["A", "Z", "AA", "BA"]


# ---- laws ----------------------------------------------------------------------------------------


@st.composite
def knockouts(draw: st.DrawFn) -> tuple[Format, int]:
    most = draw(st.integers(2, 6))
    advance = draw(st.integers(1, most - 1))
    kind = draw(st.sampled_from([SingleElimination, DoubleElimination, Groups]))
    count = draw(st.one_of(st.integers(2, 30), st.integers(2, 300 if kind is SingleElimination else 80)))
    if kind is not Groups:
        return kind(2, most, advance), count
    size = draw(st.integers(3, 8))
    return Groups(size, draw(st.integers(1, 2)), draw(st.sampled_from([None, 2])), 2, most, advance), count


@settings(max_examples=often(25, everything=200), deadline=None)
@given(knockouts(), st.integers(0, 10**6), st.sampled_from([0.0, 0.03]))
def test_every_knockout_ends_with_exactly_one_champion(made: tuple[Format, int], seed: int, leaving: float) -> None:
    form, count = made
    random = Random(seed)

    def leave(number: int, now: list[Entrant]) -> list[Entrant]:
        return [
            one._replace(until=number) if number > 1 and one.until is None and random.random() < leaving else one
            for one in now
        ]

    try:
        form.check(count)
    except FormatError:
        return
    names: set[str] = set()
    for one, now, played in rounds(form, entrants(count), dice(random, absent=leaving), between=leave):
        if isinstance(one, Finished):
            assert sorted(row.entrant for row in one.rows) == list(range(1, count + 1))
            winners = [row.entrant for row in one.rows if row.place == 1]
            alive = [row.entrant for row in one.rows if row.status == "in"]
            if leaving == 0:
                assert winners == [one.champion]
            if one.champion is not None:
                assert winners == [one.champion]
                assert [row for row in alive if row != one.champion] == []
            again = form.next_round(random.sample(now, len(now)), played, "seed")
            assert again == one
            continue
        at = [entrant for table in one.tables for entrant in table.seats]
        active = {entrant.id for entrant in now if entrant.until is None}
        assert len(set(at) | set(one.byes)) == len(at) + len(one.byes)
        assert set(at) | set(one.byes) <= active
        assert all(2 <= len(table.seats) <= form.most for table in one.tables)
        fresh = {table.name for table in one.tables}
        assert not fresh & names
        names |= fresh


@settings(max_examples=often(20, everything=160), deadline=None)
@given(st.integers(2, 300), st.integers(0, 10**6))
def test_duels_take_one_match_less_than_entrants(count: int, seed: int) -> None:
    random = Random(seed)

    def decisive(table: Table) -> Result:
        places = random.sample(range(1, len(table.seats) + 1), len(table.seats))
        return Result(table, (tuple(places),))

    made, _ = finish(SingleElimination(), count, decisive)
    assert sum(len(one.tables) for one in made) == count - 1
    byes = Counter(entrant for one in made for entrant in one.byes)
    assert all(byes[better] >= byes[better + 1] for better in range(1, count))


@settings(max_examples=often(12, everything=80), deadline=None)
@given(st.one_of(st.integers(2, 40), st.just(120)), st.integers(0, 10**6))
def test_with_two_lives_everybody_but_the_champion_loses_twice(count: int, seed: int) -> None:
    random = Random(seed)

    def decisive(table: Table) -> Result:
        return Result(table, (tuple(random.sample(range(1, len(table.seats) + 1), len(table.seats))),))

    lost: Counter[int] = Counter()
    field = entrants(count)
    for one, _, played in rounds(DoubleElimination(), field, decisive):
        if isinstance(one, Finished):
            for over in played:
                for result in over.results:
                    lost.update(entrant for entrant, own in scores.shares(result).items() if own == 0)
            assert lost[one.champion or 0] <= 1
            assert all(lost[entrant] == 2 for entrant in range(1, count + 1) if entrant != one.champion)
            assert sum(len(over.results) for over in played) in (2 * count - 2, 2 * count - 1)


@settings(max_examples=often(20, everything=160), deadline=None)
@given(st.integers(2, 300), st.integers(2, 6), st.integers(1, 5))
def test_no_favourite_has_a_worse_way(count: int, most: int, advance: int) -> None:
    if advance >= most:
        return
    plan = shapes(count, 2, most, advance)
    if plan is None:
        return
    at = count
    for shape in plan:
        tables = heats(range(shape.byes, at), shape.tables)
        sizes = [len(table) for table in tables]
        assert sizes == sorted(sizes)
        assert max(sizes) - min(sizes) <= 1
        assert max(sizes) <= most
        assert [table[0] for table in tables] == list(range(shape.byes, shape.byes + shape.tables))
        at = shape.byes + shape.tables * shape.advance
    assert at == 1


def test_a_double_elimination_of_300_is_drawn_quickly() -> None:
    form, field, longest = DoubleElimination(2, 4, 2), entrants(300), 0.0
    play = dice(Random(9))
    played: list[Played] = []
    while True:
        started = process_time()
        made = form.next_round(field, played, "seed")
        longest = max(longest, process_time() - started)
        if isinstance(made, Finished):
            break
        played.append(play_round(made, play))
    assert longest < 2
