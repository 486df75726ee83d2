"""Reads the rows that a fit counts."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
from django.db import connection
from django.db.models import BigIntegerField, F, QuerySet
from django.db.models.functions import Cast

from arena.ratings import Results
from webapp.matches.models import Entry, Ruleset

COLUMNS = 4
_HEADER, _TRAILER = 19, 2  # bytes of a COPY in binary form, where there are no extensions
_BUFFER = 1 << 20  # bytes that are looked at together
_ROW = np.dtype(
    [("columns", ">i2"), *((part, at) for n in range(COLUMNS) for part, at in ((f"size{n}", ">i4"), (f"{n}", ">i8")))]
)


def read(ruleset: Ruleset, *, after: int = 0, up_to: int | None = None) -> Results:
    """The finished, rated matches that are not voided, as arrays. One query, so that they are of one moment.

    Args:
        ruleset: of this leaderboard.
        after: only matches with a larger id.
        up_to: only matches with an id up to this one.
    """
    # the id is compared in both tables, so that whichever is read first, only what is wanted of it is
    rows = Entry.objects.filter(match__ruleset=ruleset, match__rated=True, match__voided=False)
    if after:
        rows = rows.filter(match__gt=after, match__id__gt=after)
    if up_to is not None:
        rows = rows.filter(match__lte=up_to, match__id__lte=up_to)
    place = Cast("place", BigIntegerField())
    columns = rows.order_by().values_list("match_id", F("match__block_id"), "version_id", place)
    flat = _copied(columns) if connection.vendor == "postgresql" else _iterated(columns)
    match, block, version, places = np.ascontiguousarray(flat.T)
    return Results.of(match, block, version, places)


def _iterated(columns: QuerySet[Entry, Any]) -> np.ndarray[Any, np.dtype[np.int64]]:
    flat = np.fromiter(chain.from_iterable(columns.iterator(chunk_size=20_000)), np.int64)
    return flat.reshape(-1, COLUMNS)


def _copied(columns: QuerySet[Entry, Any]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The same without a Python object for each number, which takes most of the time otherwise."""
    statement = connection.ops.compose_sql(*columns.query.sql_with_params())  # type: ignore[attr-defined]
    parts, buffer, skip = [], bytearray(), _HEADER
    with connection.cursor() as cursor, cursor.copy(f"COPY ({statement}) TO STDOUT (FORMAT binary)") as copy:
        for data in copy:  # little more than a row each
            buffer += data
            if len(buffer) > _BUFFER:
                ends = skip + (len(buffer) - skip - _TRAILER) // _ROW.itemsize * _ROW.itemsize
                parts.append(_parsed(bytes(buffer[skip:ends])))
                del buffer[:ends]
                skip = 0
    parts.append(_parsed(bytes(buffer[skip:-_TRAILER])))
    return np.concatenate(parts)


def _parsed(data: bytes) -> np.ndarray[Any, np.dtype[np.int64]]:
    rows = np.frombuffer(data, _ROW)
    return np.stack([rows[str(n)] for n in range(COLUMNS)], axis=1).astype(np.int64)
