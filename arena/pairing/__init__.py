"""Who meets whom, who sits where, and who has won: pure, and seeded where it is left to chance.

A tournament is never kept in memory. A `Format` says what comes next from the entrants and the rounds that are over,
and says the same whenever it is asked: whoever runs one may be killed at any moment. ``docs/tournaments.md`` has the
rules for people, ``docs/design.md`` the reasons.
"""

from __future__ import annotations

from arena.pairing import ladder
from arena.pairing.format import Format
from arena.pairing.formats import FORMATS, read_format, write_format
from arena.pairing.ladder import ANCHOR_SHARE, UNIFORM_SHARE, Candidate
from arena.pairing.model import (
    Entrant,
    Finished,
    FormatError,
    Played,
    PlayedError,
    Result,
    Round,
    Row,
    Table,
)
from arena.pairing.seats import seat_orders
from arena.pairing.standings import explain

__all__ = [
    "ANCHOR_SHARE",
    "FORMATS",
    "UNIFORM_SHARE",
    "Candidate",
    "Entrant",
    "Finished",
    "Format",
    "FormatError",
    "Played",
    "PlayedError",
    "Result",
    "Round",
    "Row",
    "Table",
    "explain",
    "ladder",
    "read_format",
    "seat_orders",
    "write_format",
]
