"""What came of the series of a table."""

from __future__ import annotations

from enum import Enum

from webapp.matches.models import Match, Series
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
        # it could not be played on because somebody was taken off the table, or did not come
        return Situation.OVER if series.seats.exclude(removed="").exists() else Situation.FAILED
    if series.state == Series.State.PUT_OFF:
        return Situation.FAILED
    return Situation.PLAYING


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


def _matches(series: Series) -> list[Match]:
    counted = series.matches.filter(voided=False).defer("record").order_by("number")
    return list(counted.prefetch_related("entries"))
