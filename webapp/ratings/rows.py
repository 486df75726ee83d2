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
_TOGETHER = 4096
"""Matches whose rows come from PostgreSQL as one value."""


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
    """The same without a message and a Python object for each row, which take most of the time otherwise."""
    rows = connection.ops.compose_sql(*columns.query.sql_with_params())  # type: ignore[attr-defined]
    numbers = " || ".join(f"int8send({name})" for name in ("match", "block", "version", "place"))
    packed = f"SELECT string_agg({numbers}, '') FROM ({rows}) AS r (match, block, version, place)"  # noqa: S608
    statement = f"COPY ({packed} GROUP BY match / {_TOGETHER}) TO STDOUT (FORMAT binary)"
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        copy.set_types(["bytea"])
        parts = [np.frombuffer(data, ">i8").astype(np.int64) for (data,) in copy.rows()]
    return np.concatenate([np.empty(0, np.int64), *parts]).reshape(-1, COLUMNS)
