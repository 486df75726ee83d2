"""The words of a tournament: who takes part, what is to be played, what came of it, and how it stands."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal, NamedTuple


class FormatError(ValueError):
    """A tournament that cannot be played like that. The message is for the organiser."""


class PlayedError(ValueError):
    """Rounds that this tournament cannot have had."""


class Entrant(NamedTuple):
    """One who takes part."""

    id: int
    rank: int
    """The seeding: 1 is the favourite. Of two with the same rank the smaller id is the favourite."""
    since: int = 1
    """The first round for which it is drawn. Later than 1 is a late entry, which only a Swiss tournament takes."""
    until: int | None = None
    """The first round for which it is no longer drawn, because it withdrew or was excluded; None: it stays."""
    disqualified: bool = False
    """It has no place. Has no effect on the draw: give ``until``, too."""


class Table(NamedTuple):
    """A series that is to be played."""

    name: str
    """Its own within the tournament."""
    seats: tuple[int, ...]
    """The ids of the entrants in the order of their seats in the first match."""
    extra: bool = False
    """It only decides a tie, and gives no points."""


class Round(NamedTuple):
    """What is to be played next, all of it at the same time. Nobody sits at two tables."""

    number: int
    """From 1; an extra series is a round, too."""
    stage: str
    """What is played, in words: ``upper bracket, stage 2``."""
    tables: tuple[Table, ...]
    byes: tuple[int, ...]
    """Who is still in and sits at no table."""


class Result(NamedTuple):
    """A series that was played."""

    table: Table
    matches: tuple[tuple[int | None, ...], ...]
    """For each match the places in the order of ``table.seats``, 1 the best, equal places for a tie. None: this
    entrant did not take part. None in all of them, or no matches: it did not show up."""


class Played(NamedTuple):
    """A round that is over: each of its tables has a result."""

    results: tuple[Result, ...]
    byes: tuple[int, ...]


Status = Literal["in", "out", "withdrawn", "disqualified"]
"""Out: thrown out by a knockout."""

Decision = Literal[
    "",
    "points",
    "among the tied",
    "Buchholz",
    "Sonneborn-Berger",
    "stage",
    "place at the table",
    "place in the group",
    "extra series",
    "seeding",
]
"""What put somebody behind the one before; nothing where they share the place."""


class Row(NamedTuple):
    """A line of the standings."""

    place: int | None
    """1 the best; None for who was disqualified."""
    entrant: int
    points: Fraction
    """Of all its series that are no extra ones; at most 1 for each."""
    among: Fraction | None
    """The mean score in the meetings with those who have as many points; None where that says nothing."""
    buchholz: Fraction
    sonneborn: Fraction
    played: int
    """Series in which it took part, extra ones not counted."""
    status: Status
    decision: Decision
    """What put it behind the row before."""
    behind: int | None
    """Whose row that is."""


class Finished(NamedTuple):
    """The tournament is over."""

    champion: int | None
    """None where everybody has left."""
    rows: tuple[Row, ...]
