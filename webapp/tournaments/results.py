"""What came of the series of a table."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from arena.pairing import Result, Table
from webapp.matches.models import Entry, Match, Series, SeriesSeat
from webapp.matches.rulesets import rules_of
from webapp.tournaments.models import Pairing

Places = list[list[int | None]]
"""For each match the places by seat, None for who did not take part."""


class Situation(Enum):
    """How far the series of a table is."""

    PLAYING = "playing"
    OVER = "over"
    FAILED = "failed"
    """It ended without a result, and nobody at the table is to blame."""


def situation(pairing: Pairing) -> Situation:
    """How far its series is."""
    series = pairing.series
    if series.state == Series.State.FINISHED:
        return Situation.OVER if series.matches.filter(voided=False).exists() else Situation.FAILED
    if series.state == Series.State.CANCELLED:
        # It could not be played on because too few were left. Where there were enough, it was taken away from them:
        # an author at the table was banned, or an organiser cancelled it.
        return Situation.FAILED if _enough(pairing) else Situation.OVER
    if series.state == Series.State.PUT_OFF:
        return Situation.FAILED
    return Situation.PLAYING


def _enough(pairing: Pairing) -> bool:
    """Whether those who were not taken off the table can play the rules of the tournament."""
    return pairing.series.seats.filter(removed="").count() in rules_of(pairing.tournament.ruleset).players


def places(pairing: Pairing) -> Places:
    """The places of each match that counts, by the seats of the table.

    Where the series broke off because somebody left the table and too few remained, all of them are level in the
    matches that were not played, before those who left.
    """
    series = pairing.series
    seats = list(series.seats.all())
    seat_of = {seat.version_id: seat.seat for seat in seats}
    found: Places = []
    for match in _matches(series):
        row: list[int | None] = [None] * len(seats)
        for entry in match.entries.all():
            row[seat_of[entry.version_id]] = entry.place
        found.append(row)
    if series.state == Series.State.CANCELLED:
        default: list[int | None] = [None] * len(seats)
        for seat in seats:
            default[seat.seat] = 1 if not seat.removed else None
        found += [list(default) for _ in range(series.planned - series.matches.count())]
    return found


def finished_early(*, present: Iterable[Pairing]) -> dict[int, Result]:
    """What came of those tables of the present round whose series are over, by the table's id. Two queries."""
    tables = {table.series_id: table for table in present if table.series.state == Series.State.FINISHED}
    if not tables:
        return {}
    sat = SeriesSeat.objects.filter(series__in=tables).values_list("series", "version", "seat")
    seats = {(series, version): seat for series, version, seat in sat}
    counted = Entry.objects.filter(match__series__in=tables, match__voided=False).order_by("match__number")
    rows: dict[int, dict[int, list[int | None]]] = {series: {} for series in tables}
    for series, match, version, place in counted.values_list("match__series", "match", "version", "place"):
        row = rows[series].setdefault(match, [None] * len(tables[series].seats))
        row[seats[series, version]] = place
    return {
        table.pk: Result(Table(table.name, tuple(table.seats), table.extra), tuple(map(tuple, rows[series].values())))
        for series, table in tables.items()
    }


def _matches(series: Series) -> list[Match]:
    counted = series.matches.filter(voided=False).defer("record").order_by("number")
    return list(counted.prefetch_related("entries"))
