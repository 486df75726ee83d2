"""A leaderboard as a table for spreadsheets."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from typing import Any

from webapp.cells import in_a_cell
from webapp.ratings.board import BoardRow

TITLES = (
    "rank_low",
    "rank_high",
    "bot",
    "author",
    "elo",
    "plus_minus",
    "provisional",
    "matches",
    "score",
    "faulty",
    "kind",
    "language",
    "last_played",
)


def write_csv(rows: Iterable[BoardRow], file: Any) -> None:
    """Write a line of titles, and one for each row."""
    writer = csv.writer(file)
    writer.writerow(TITLES)
    for one in rows:
        row = one.row
        writer.writerow(
            (
                row.rank_low,
                row.rank_high,
                in_a_cell(row.bot.name),
                in_a_cell(row.owner),
                f"{row.elo:.2f}",
                f"{row.half_width:.2f}",
                int(row.provisional),
                row.matches,
                "" if one.score is None else f"{one.score:.4f}",
                one.faulty,
                row.bot.kind,
                one.language,
                "" if one.last_played is None else one.last_played.isoformat(timespec="seconds"),
            )
        )
