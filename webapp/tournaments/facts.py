"""What is stored of a tournament, as `arena.pairing` reads it."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from arena.pairing import Entrant as Paired
from arena.pairing import Format, Played, Result, Row, Table, read_format
from webapp.tournaments.models import Entrant, Pairing, Round, Tournament

LAST = 1 << 30
"""The rank of who has none yet."""


def form_of(tournament: Tournament) -> Format:
    """Its form.

    Raises:
        FormatError: it was begun by other rules than these.
    """
    return read_format(tournament.form)


def paired(entrants: Iterable[Entrant]) -> list[Paired]:
    """The entrants as they are drawn."""
    return [
        Paired(one.pk, one.rank or LAST, since=one.since, until=one.until, disqualified=one.disqualified)
        for one in sorted(entrants, key=lambda one: one.pk)
    ]


def played(tournament: Tournament) -> list[Played]:
    """The rounds that are over. Two queries, however many there are."""
    return played_in(tournament.rounds.filter(state=Round.State.OVER).prefetch_related("pairings"))


def played_in(rounds: Iterable[Round]) -> list[Played]:
    """Those of these rounds, read with their tables, that are over."""
    over = sorted((row for row in rounds if row.state == Round.State.OVER), key=lambda row: row.number)
    return [Played(tuple(map(result, _by_position(row))), tuple(row.byes)) for row in over]


def _by_position(row: Round) -> list[Pairing]:
    return sorted(row.pairings.all(), key=lambda pairing: pairing.position)


def result(pairing: Pairing) -> Result:
    """What came of a table."""
    table = Table(pairing.name, tuple(pairing.seats), pairing.extra)
    return Result(table, tuple(map(tuple, pairing.places or ())))


def standings(
    tournament: Tournament, *, entrants: Iterable[Entrant] | None = None, rounds: Iterable[Round] | None = None
) -> tuple[Row, ...]:
    """How it stands after the rounds that are over; of one that has ended, as it was written down then.

    Args:
        tournament: whose standings.
        entrants: its entrants, where they are read already.
        rounds: its rounds with their tables, where they are.

    Raises:
        FormatError: it is played by other rules than these.
    """
    if tournament.result is not None:
        return tuple(read_row(row) for row in tournament.result)
    if not tournament.begun:
        return ()
    over = played(tournament) if rounds is None else played_in(rounds)
    return form_of(tournament).standings(paired(tournament.entrants.all() if entrants is None else entrants), over)


# ---- rows of the standings as plain values --------------------------------------------------------

_FRACTIONS = ("points", "among", "buchholz", "sonneborn")


def write_row(row: Row) -> dict[str, object]:
    """A row as plain values; its fractions are texts like ``7/2``."""
    values = row._asdict()
    return values | {name: None if values[name] is None else str(values[name]) for name in _FRACTIONS}


def read_row(values: dict[str, object]) -> Row:
    """The row that these values describe."""
    fractions = {name: None if values[name] is None else Fraction(str(values[name])) for name in _FRACTIONS}
    return Row(**{**values, **fractions})  # type: ignore[arg-type]  # written by `write_row`
