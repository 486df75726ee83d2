"""The Swiss system: examples by hand, laws over many tournaments, and brute force where that is possible."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from random import Random
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.pairing import Entrant, Finished, Played, Result, Round, Table, scores
from arena.pairing.grouping import descend, group, total
from arena.pairing.model import FormatError, PlayedError
from arena.pairing.swiss import Swiss
from tests.arena.pairing.playing import all_level, best_first, dice, entrants, finish, play_round, rounds
from tests.breadth import often


def tables(made: Round | Finished) -> set[frozenset[int]]:
    assert isinstance(made, Round)
    return {frozenset(table.seats) for table in made.tables}


def sets(*members: Sequence[int]) -> set[frozenset[int]]:
    return set(map(frozenset, members))


# ---- by hand -------------------------------------------------------------------------------------


def test_four_duellists() -> None:
    """1 and 2 win, meet in the second round, and then those meet who have not met."""
    made = [one for one, _, _ in rounds(Swiss(3, 2, 2), entrants(4), best_first)]
    assert list(map(tables, made[:3])) == [sets((1, 4), (2, 3)), sets((1, 2), (3, 4)), sets((1, 3), (2, 4))]
    end = made[3]
    assert isinstance(end, Finished)
    assert [(row.place, row.entrant, row.points) for row in end.rows] == [(1, 1, 3), (2, 2, 2), (3, 3, 1), (4, 4, 0)]
    assert {row.decision for row in end.rows[1:]} == {"points"}


def test_eight_duellists_the_winners_meet_the_winners() -> None:
    made = [one for one, _, _ in rounds(Swiss(3, 2, 2), entrants(8), best_first)]
    assert tables(made[0]) == sets((1, 8), (2, 7), (3, 6), (4, 5))
    winners, losers = {1, 2, 3, 4}, {5, 6, 7, 8}
    assert all(table <= winners or table <= losers for table in tables(made[1]))
    end = made[-1]
    assert isinstance(end, Finished)
    assert (end.champion, end.rows[0].points) == (1, 3)


def test_the_first_round_spreads_the_favourites_over_the_tables() -> None:
    first = Swiss(3, 2, 4).next_round(entrants(16), [], "")
    assert tables(first) == sets((1, 5, 12, 16), (2, 6, 11, 15), (3, 7, 10, 14), (4, 8, 9, 13))


def test_tables_differ_by_one_instead_of_a_bye() -> None:
    first = Swiss(3, 2, 4).next_round(entrants(9), [], "")
    assert isinstance(first, Round)
    assert sorted(len(table.seats) for table in first.tables) == [3, 3, 3]
    assert first.byes == ()


def test_a_bye_is_a_win_goes_to_the_last_and_to_nobody_twice() -> None:
    made = [one for one, _, _ in rounds(Swiss(3, 2, 2), entrants(5), best_first)]
    byes = [one.byes for one in made if isinstance(one, Round)]
    assert byes[0] == (5,)
    assert len(set(byes)) == 3
    end = made[-1]
    assert isinstance(end, Finished)
    assert sum(row.points for row in end.rows) == 9


def test_at_larger_tables_a_place_in_the_middle_is_half_a_point() -> None:
    five, two = Table("a", (1, 2, 3, 4, 5)), Table("b", (6, 7))
    points = scores.shares(Result(five, ((1, 2, 3, 4, 5),))) | scores.shares(Result(two, ((1, 1),)))
    assert [points[number] for number in (1, 2, 3, 5, 6, 7)] == [1, 0.75, 0.5, 0, 0.5, 0.5]


def test_who_does_not_show_up_gets_nothing_has_met_nobody_and_the_others_have_beaten_it() -> None:
    table = Table("a", (1, 2, 3))
    lines = scores.read_result(Result(table, ((1, 2, None), (2, 1, None))))
    assert [lines[number].points for number in (1, 2, 3)] == [0.75, 0.75, 0]
    assert not lines[3].present
    met = scores.meetings([Played((Result(table, ((1, 2, None),)),), ())])
    assert met == {1: {2: 1}, 2: {1: 1}}
    both = scores.read_result(Result(table, ((1, None, None),)))
    assert [both[number].points for number in (1, 2, 3)] == [1, 0, 0]


def test_two_who_should_have_met_but_did_not_may_be_paired_again() -> None:
    def absent(table: Table) -> Result:
        return Result(table, (tuple(None if seat == 4 else 1 for seat in table.seats),))

    first, second = [one for one, _, _ in rounds(Swiss(2, 2, 2), entrants(4), absent)][:2]
    assert frozenset((1, 4)) in tables(first)
    played = play_round(first, absent)  # type: ignore[arg-type]
    assert scores.meetings([played]).get(4) is None
    assert isinstance(second, Round)
    assert sorted(seat for table in second.tables for seat in table.seats) == [1, 2, 3, 4]


def test_a_late_entry_is_drawn_from_its_first_round_on_and_has_nothing_before() -> None:
    late = [*entrants(4), Entrant(5, 5, since=2), Entrant(6, 6, since=2)]
    made = [one for one, _, _ in rounds(Swiss(2, 2, 2), late, best_first)]
    assert [sum(len(table.seats) for table in one.tables) for one in made if isinstance(one, Round)][:2] == [4, 6]


def test_the_extra_series_decides_the_first_place_and_nothing_else() -> None:
    def play(table: Table) -> Result:
        return best_first(table) if table.extra else all_level(table)

    made, end = finish(Swiss(2, 2, 2), 4, play)
    assert [one.stage for one in made[2:]] == ["extra series for the first place"] * 2
    assert all(table.extra for one in made[2:] for table in one.tables)
    assert [(row.place, row.entrant, row.points) for row in end.rows] == [(1, 1, 1), (2, 2, 1), (3, 3, 1), (3, 4, 1)]
    assert [row.decision for row in end.rows] == ["", "extra series", "extra series", ""]


def test_who_is_disqualified_plays_no_extra_series_and_may_be_so_after_one() -> None:
    form = Swiss(1, 2, 4)
    first = form.next_round(entrants(3), [], "")
    assert isinstance(first, Round)
    played = [play_round(first, all_level)]

    def without(one: int, until: int) -> list[Entrant]:
        return [who._replace(until=until, disqualified=True) if who.id == one else who for who in entrants(3)]

    extra = form.next_round(without(1, 2), played, "")
    assert tables(extra) == sets((2, 3))
    extra = form.next_round(entrants(3), played, "")
    assert tables(extra) == sets((1, 2, 3))
    assert isinstance(extra, Round)
    played.append(play_round(extra, best_first))
    end = form.next_round(without(1, 3), played, "")
    assert isinstance(end, Finished)
    assert [(row.place, row.entrant) for row in end.rows] == [(1, 2), (2, 3), (None, 1)]
    assert end.champion == 2


def test_after_three_extra_series_in_vain_the_better_seeded_wins() -> None:
    made, end = finish(Swiss(1, 2, 2), 2, all_level)
    assert [len(one.tables) for one in made] == [1, 1, 1, 1]
    assert end.champion == 1
    assert end.rows[1].decision == "seeding"


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(FormatError, match="at least 3 entrants"):
        Swiss(3, 3, 4).next_round(entrants(2), [], "")
    with pytest.raises(FormatError, match="2 to 6 seats"):
        Swiss(3, 2, 7).next_round(entrants(9), [], "")
    with pytest.raises(FormatError, match="same id"):
        Swiss(3).next_round([Entrant(1, 1), Entrant(1, 2)], [], "")
    level = Played((all_level(Table("x", (1, 2))),), ())
    with pytest.raises(PlayedError, match="no entrant"):
        Swiss(3).next_round([Entrant(1, 1), Entrant(3, 2)], [level], "")
    with pytest.raises(PlayedError, match="two tables"):
        Swiss(3).next_round(entrants(2), [level._replace(byes=(2,))], "")
    with pytest.raises(PlayedError, match="over after 1 rounds"):
        Swiss(1, 2, 2).next_round(entrants(2), [Played((best_first(Table("x", (1, 2))),), ())] * 2, "")
    with pytest.raises(PlayedError, match="each seat has a place"):
        Swiss(3).next_round(entrants(2), [Played((Result(Table("x", (1, 2)), ((1,),)),), ())], "")


# ---- laws ----------------------------------------------------------------------------------------


def check_round(made: Round, form: Swiss, active: set[int]) -> None:
    seated = [entrant for table in made.tables for entrant in table.seats]
    if made.tables[0].extra:
        assert len(set(seated)) == len(seated)
        return
    assert sorted([*seated, *made.byes]) == sorted(active)
    sizes = [len(table.seats) for table in made.tables]
    assert max(sizes) - min(sizes) <= 1
    assert form.least <= min(sizes)
    assert max(sizes) <= form.most
    if form.least == 2 and form.most > 2:
        assert not made.byes
    assert len({table.name for table in made.tables}) == len(made.tables)


@settings(max_examples=often(25, everything=240), deadline=None)
@given(
    st.one_of(st.integers(2, 24), st.integers(2, 300)),
    st.integers(2, 6),
    st.integers(2, 6),
    st.integers(1, 7),
    st.integers(0, 10**6),
)
def test_everybody_who_is_in_is_drawn_once_a_round(count: int, least: int, most: int, number: int, seed: int) -> None:
    if not least <= most or count < least:
        return
    random = Random(seed)
    form = Swiss(number, least, most)

    def leave(coming: int, now: list[Entrant]) -> list[Entrant]:
        return [
            one._replace(until=coming, disqualified=random.random() < 0.3)
            if coming > 1 and one.until is None and random.random() < 0.1
            else one
            for one in now
        ]

    names: set[str] = set()
    for made, now, played in rounds(form, entrants(count), dice(random, absent=0.05), between=leave):
        if isinstance(made, Finished):
            assert sorted(row.entrant for row in made.rows) == list(range(1, count + 1))
            staying = [one for one in now if not one.disqualified]
            assert [row.place for row in made.rows if row.place == 1] == [1][: len(staying)]
            assert (made.champion is None) == (not staying)
            continue
        active = {one.id for one in now if one.until is None or one.until > made.number}
        check_round(made, form, active)
        new = {table.name for table in made.tables}
        assert not new & names
        names |= new
        assert made.number == len(played) + 1
        rows = form.standings(now, played)
        assert sorted(row.entrant for row in rows) == list(range(1, count + 1))


@settings(max_examples=often(12, everything=80), deadline=None)
@given(st.integers(4, 40), st.integers(2, 5), st.integers(0, 10**6))
def test_the_draw_depends_on_the_seed_and_not_on_the_order_of_the_input(count: int, most: int, seed: int) -> None:
    random = Random(seed)
    form = Swiss(4, 2, most)
    for made, now, played in rounds(form, entrants(count), dice(Random(seed)), str(seed)):
        shuffled = random.sample(now, len(now))
        again = [Played(tuple(random.sample(one.results, len(one.results))), one.byes) for one in played]
        assert form.next_round(shuffled, again, str(seed)) == made


def test_another_seed_is_another_draw() -> None:
    form = Swiss(4, 2, 4)
    assert len({frozenset(tables(_second(form, 20, str(seed)))) for seed in range(9)}) == 9
    assert _second(form, 20, "1") == _second(form, 20, "1")


def _second(form: Swiss, count: int, seed: str) -> Round:
    first = form.next_round(entrants(count), [], seed)
    assert isinstance(first, Round)
    second = form.next_round(entrants(count), [play_round(first, all_level)], seed)
    assert isinstance(second, Round)
    return second


def repeats(made: Round, played: Sequence[Played]) -> int:
    met = scores.meetings(played)
    return sum(met.get(a, {}).get(b, 0) for table in made.tables for a, b in combinations(table.seats, 2))


@pytest.mark.parametrize(("count", "most", "number"), [(300, 2, 9), (299, 2, 9), (300, 4, 9), (299, 6, 7)])
def test_300_entrants_take_a_second_a_round_and_nobody_meets_again(count: int, most: int, number: int) -> None:
    form = Swiss(number, 2, most)
    played: list[Played] = []
    random = Random(3)
    for _ in range(number):
        started = process_time()
        made = form.next_round(entrants(count), played, "speed")
        assert process_time() - started < 1.5
        assert isinstance(made, Round)
        assert repeats(made, played) == 0
        played.append(play_round(made, dice(random)))


def test_those_meet_who_have_about_as_many_points() -> None:
    form = Swiss(7, 2, 4)
    played: list[Played] = []
    for number in range(7):
        made = form.next_round(entrants(100), played, "spread")
        assert isinstance(made, Round)
        lines = scores.read_lines(range(1, 101), played)
        points = {one: scores.total(own) for one, own in lines.items()}
        spread = sum(max(points[a] for a in t.seats) - min(points[a] for a in t.seats) for t in made.tables) / 25
        deal = Random(number).sample(range(1, 101), 100)
        fours = [deal[at : at + 4] for at in range(0, 100, 4)]
        chance = sum(max(points[a] for a in four) - min(points[a] for a in four) for four in fours) / 25
        assert 3 * spread <= chance
        played.append(play_round(made, best_first))


def test_seats_stay_even() -> None:
    made, _ = finish(Swiss(8, 2, 4), 32, dice(Random(4)))
    counts = Counter(
        (entrant, seat) for one in made[:8] for table in one.tables for seat, entrant in enumerate(table.seats)
    )
    assert all(1 <= counts[entrant, seat] <= 3 for entrant in range(1, 33) for seat in range(4))


# ---- against brute force -------------------------------------------------------------------------


def partitions(members: list[int], sizes: list[int]) -> Iterator[list[list[int]]]:
    if not members:
        yield []
        return
    for size in set(sizes):
        left = sizes.copy()
        left.remove(size)
        for others in combinations(members[1:], size - 1):
            rest = [one for one in members[1:] if one not in others]
            for more in partitions(rest, left):
                yield [[members[0], *others], *more]


@settings(max_examples=often(25, everything=240), deadline=None)
@given(
    st.sampled_from([(2, 2), (2, 2, 2), (3, 2), (3, 3), (4, 3), (3, 3, 2), (2, 2, 2, 2), (4, 4), (5, 4)]), st.integers()
)
def test_small_groupings_are_the_best_there_are(sizes: tuple[int, ...], seed: int) -> None:
    random = Random(seed)
    count = sum(sizes)
    cost = [[0] * count for _ in range(count)]
    for a, b in combinations(range(count), 2):
        cost[a][b] = cost[b][a] = random.choice([0, 0, 1, 2, 3, 100, 200])
    members = random.sample(range(count), count)
    start, at = [], 0
    for size in sizes:
        start.append(members[at : at + size])
        at += size
    best = min(total(cost, tables) for tables in partitions(list(range(count)), list(sizes)))
    assert total(cost, group(cost, start, 100, Random(1))) == best
    assert best <= total(cost, descend(cost, start)) <= total(cost, start)


@settings(max_examples=often(20, everything=160), deadline=None)
@given(st.integers(2, 8), st.integers(2, 4), st.integers(1, 4), st.integers())
def test_nobody_meets_again_when_that_can_be_avoided(count: int, most: int, number: int, seed: int) -> None:
    """Over all tables that there can be, and all ways to give the byes."""
    form = Swiss(number, 2, most)
    for made, _, played in rounds(form, entrants(count), dice(Random(seed))):
        if isinstance(made, Finished) or made.tables[0].extra:
            continue
        met = scores.meetings(played)
        had = Counter(entrant for one in played for entrant in one.byes)
        sizes = [len(table.seats) for table in made.tables]
        fewest = min(
            sum(met.get(a, {}).get(b, 0) for table in tables for a, b in combinations(table, 2))
            for byes in combinations(range(1, count + 1), len(made.byes))
            if all(had[entrant] == min(had[one] for one in range(1, count + 1)) for entrant in byes)
            for tables in partitions([one for one in range(1, count + 1) if one not in byes], sizes)
        )
        assert repeats(made, played) == fewest


@pytest.mark.parametrize("count", [14, 20])
def test_duels_avoid_meeting_again_until_everybody_has_met_everybody_as_far_as_anybody_can(count: int) -> None:
    """Against trying all pairings, where somebody does meet again."""
    for made, _, played in rounds(Swiss(count - 1, 2, 2), entrants(count), dice(Random(count))):
        if isinstance(made, Finished) or made.tables[0].extra:
            continue
        met = scores.meetings(played)
        if repeats(made, played):
            assert not perfect(frozenset(range(1, count + 1)), met)


def perfect(
    free: frozenset[int], met: dict[int, dict[int, int]], seen: dict[frozenset[int], bool] | None = None
) -> bool:
    """Whether these can be paired so that nobody meets again: all pairings are tried."""
    seen = {} if seen is None else seen
    if not free:
        return True
    if free not in seen:
        one = min(free)
        seen[free] = any(
            perfect(free - {one, other}, met, seen) for other in free - {one} if other not in met.get(one, {})
        )
    return seen[free]
