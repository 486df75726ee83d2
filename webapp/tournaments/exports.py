"""A tournament to take away: its standings as CSV, and all of its records as one zip, written while it is sent."""

from __future__ import annotations

import csv
import io
import time
import zipfile
import zlib
from collections.abc import Iterator

from webapp.cells import in_a_cell
from webapp.matches.downloads import LONGEST_SECONDS
from webapp.tournaments import selectors
from webapp.tournaments.models import Tournament

COLUMNS = ("place", "bot", "version", "points", "among the tied", "buchholz", "sonneborn-berger", "series", "status")


def standings_csv(*, tournament: Tournament) -> str:
    """The standings, a line for each entrant, with exact numbers as decimals."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for one in selectors.standings_of(whole=selectors.whole(tournament=tournament)):
        row = one.row
        among = "" if row.among is None else one.among
        digest = one.entrant.version.digest
        place = "" if row.place is None else row.place
        cells = (place, in_a_cell(one.entrant.bot.name), digest, one.points, among, one.buchholz, one.sonneborn)
        writer.writerow([*cells, row.played, row.status])
    return text.getvalue()


def luck_csv(*, tournament: Tournament) -> str:
    """Every block with its commitment, and with its seed once it is closed."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(selectors.LuckRow._fields)
    writer.writerows(["" if cell is None else cell for cell in row] for row in selectors.luck_of(tournament=tournament))
    return text.getvalue()


class TooSlow(Exception):
    """Somebody fetches it so slowly that it is cut off."""


class _Pipe(io.RawIOBase):
    """Takes what a zip writes, and gives it away at once."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        part = bytes(data)  # type: ignore[call-overload]  # any buffer
        self._parts.append(part)
        return len(part)

    def take(self) -> bytes:
        taken = b"".join(self._parts)
        self._parts.clear()
        return taken


def records_zip(*, tournament: Tournament) -> Iterator[bytes]:
    """All records whose luck is no secret any more, with the standings and the blocks, in parts as they are made."""
    pipe = _Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("standings.csv", standings_csv(tournament=tournament))
        archive.writestr("luck.csv", luck_csv(tournament=tournament))
        yield pipe.take()
        until = time.monotonic() + LONGEST_SECONDS
        for table, name, number, packed in selectors.closed_records(tournament=tournament):
            if time.monotonic() > until:
                raise TooSlow  # without its end the zip cannot be taken for a whole one
            archive.writestr(f"{table}/{number:03}-{name}.json", zlib.decompress(packed))
            yield pipe.take()
    yield pipe.take()
