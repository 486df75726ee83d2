"""Brackets as they can be drawn: everybody stands where he plays, and comes from where he went on."""

from __future__ import annotations

from fractions import Fraction

import pytest

from arena.pairing import Finished, Format, Played, Result, Round
from arena.pairing.bracket import Bracket, Column
from arena.pairing.double import DoubleElimination
from arena.pairing.groups import Groups
from arena.pairing.knockout import SingleElimination
from arena.pairing.round_robin import RoundRobin
from arena.pairing.swiss import Swiss
from tests.arena.pairing.playing import entrants


def by_rank(round_: Round, upset: int = 0) -> Played:
    """The favourite of each table wins; but for every ``upset``th table, where the last of the seeding does."""
    results = []
    for number, table in enumerate(round_.tables, start=1):
        ordered = sorted(table.seats, reverse=bool(upset) and number % upset == 0)
        results.append(Result(table, (tuple(ordered.index(seat) + 1 for seat in table.seats),)))
    return Played(tuple(results), round_.byes)


def moments(form: Format, count: int, upset: int = 0) -> list[tuple[list[Played], Round | Finished]]:
    played: list[Played] = []
    found: list[tuple[list[Played], Round | Finished]] = []
    while True:
        made = form.next_round(entrants(count), played, "seed")
        found.append((list(played), made))
        if isinstance(made, Finished):
            return found
        played.append(by_rank(made, upset))


def brackets(form: Format, count: int, played: list[Played], made: Round | Finished) -> tuple[Bracket, ...]:
    drawn = {table.name: table.seats for table in made.tables} if isinstance(made, Round) else {}
    return form.brackets(entrants(count), played, drawn)


FORMS = [
    SingleElimination(),
    SingleElimination(least=2, most=4, advance=2),
    DoubleElimination(),
    DoubleElimination(least=2, most=3),
    Groups(size=4),
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("count", [8, 11, 16, 23])
@pytest.mark.parametrize("upset", [0, 2, 3])
def test_everybody_stands_where_he_plays_and_comes_from_where_he_went_on(form: Format, count: int, upset: int) -> None:
    for played, made in moments(form, count, upset):
        found = brackets(form, count, played, made)
        seats = {result.table.name: result.table.seats for one in played for result in one.results}
        if isinstance(made, Round):
            seats |= {table.name: table.seats for table in made.tables}
        drawn = {name for name in seats if name[0] in "KULF" and "+" not in name}
        for bracket in found:
            before: Column | None = None
            for column in bracket.columns:
                for box in column.boxes:
                    drawn.discard(box.name)
                    if box.name in seats:
                        assert set(box.entrants) >= set(seats[box.name])
                    for entrant, source in zip(box.entrants, box.sources, strict=True):
                        if source is not None and entrant is not None:
                            assert before is not None
                            assert entrant in before.boxes[source].entrants
                            assert entrant in before.boxes[source].passed or box.name == "F2.1"
                before = column
        assert not drawn, "a table that is nowhere in the picture"


def test_of_a_knockout_the_whole_way_is_known_from_the_start() -> None:
    (bracket,) = SingleElimination().brackets(entrants(6), [], {})
    assert [column.stage for column in bracket.columns] == ["stage 1 of 3", "stage 2 of 3", "final"]
    assert [(box.name, box.entrants) for box in bracket.columns[0].boxes] == [
        ("K1.1", (3, 6)),
        ("K1.2", (4, 5)),
        ("", (1,)),
        ("", (2,)),
    ]
    assert [box.sources for box in bracket.columns[1].boxes] == [(2, 1), (3, 0)]
    assert bracket.columns[2].boxes[0].entrants == (None, None)
    assert not any(box.over for column in bracket.columns for box in column.boxes)


def test_a_second_grand_final_is_a_column_of_its_own() -> None:
    played: list[Played] = []
    form = DoubleElimination()
    while isinstance(made := form.next_round(entrants(4), played, "seed"), Round):
        best = max if made.stage == "grand final" else min  # the winner of the upper bracket loses it
        results = []
        for table in made.tables:
            won = best(table.seats)
            results.append(Result(table, (tuple(1 if seat == won else 2 for seat in table.seats),)))
        played.append(Played(tuple(results), made.byes))
    upper, lower = form.brackets(entrants(4), played, {})
    assert [column.stage for column in upper.columns][-2:] == ["grand final", "second grand final"]
    first, second = (column.boxes[0] for column in upper.columns[-2:])
    assert first.sources == (0, None), "one of them comes from the other bracket"
    assert second.sources == (0, 0)
    assert made.champion in second.passed
    assert lower.part == "lower"


def test_other_forms_have_no_bracket() -> None:
    assert Swiss(rounds=3).brackets(entrants(6), [], {}) == ()
    assert RoundRobin().brackets(entrants(6), [], {}) == ()


@pytest.mark.parametrize("form", [Swiss(rounds=4), RoundRobin(), SingleElimination(), Groups(size=4)])
@pytest.mark.parametrize("count", [6, 8, 11])
def test_how_long_it_takes_is_known_before(form: Format, count: int) -> None:
    played, _end = moments(form, count)[-1]
    plain = [one for one in played if not any(result.table.extra for result in one.results)]
    assert form.length(count) == len(plain)


def test_how_the_groups_stand_is_not_changed_by_the_knockout() -> None:
    form = Groups(size=4)
    *_, (before, knockout) = [one for one in moments(form, 8) if len(one[0]) == 3]
    assert isinstance(knockout, Round)
    assert knockout.tables[0].name.startswith("K")
    ended, _end = moments(form, 8)[-1]
    groups = form.groups(entrants(8), before)
    assert [[(row.entrant, row.points, row.place) for row in rows] for rows in groups] == [
        [(one, Fraction(3 - at), at + 1) for at, one in enumerate(members)] for members in ([1, 3, 6, 8], [2, 4, 5, 7])
    ]
    assert form.groups(entrants(8), ended) == groups
    assert Swiss(rounds=3).groups(entrants(8), []) == ()
