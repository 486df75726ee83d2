"""What single matches moved a version's rating: kept with its meetings, and shown for what it is, an influence."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from arena.influence import Influences
from webapp.bots.models import Bot, Version
from webapp.matches.models import Entry, Match, Ruleset
from webapp.matches.selectors import MatchRow, outcome_words
from webapp.ratings.models import HeadToHead

NEWEST = 500
"""Of so many rated matches of a version on a leaderboard it is kept what they moved; of older ones it is not."""

EXTREMES = 3
"""Of the best matches, and of the worst."""

_ROW = "<qf"


def pack(moved: Influences) -> bytes:
    """What the newest matches moved, as `HeadToHead.newest` has it."""
    rows = zip(moved.match[-NEWEST:].tolist(), moved.elo[-NEWEST:].tolist(), strict=True)
    return b"".join(struct.pack(_ROW, match, elo) for match, elo in rows)


def _unpacked(newest: bytes | memoryview) -> Iterator[tuple[int, float]]:
    return struct.iter_unpack(_ROW, bytes(newest))


def extremes(moved: Influences) -> list[tuple[int, float]]:
    """The matches that gave most, the best first, then those that took most, the worst last; no match is both."""
    order = np.argsort(-moved.elo, kind="stable")
    best = [at for at in order[:EXTREMES] if moved.elo[at] > 0]
    worst = [at for at in order[-EXTREMES:] if moved.elo[at] < 0]
    return [(int(moved.match[at]), round(float(moved.elo[at]), 3)) for at in (*best, *worst)]


def heads_of(*, versions: Iterable[int]) -> list[HeadToHead]:
    """What is kept of these versions, on every leaderboard. One query, and few rows."""
    return list(HeadToHead.objects.filter(version__in=set(versions)).select_related("ruleset"))


class MovedRow(NamedTuple):
    """A match in a list of a bot's, and what it moved."""

    row: MatchRow
    elo: float | None
    """None where it is not known: the match is unrated, too new, or too old."""


def moved_rows(*, bot: int, rows: Sequence[MatchRow], heads: Iterable[HeadToHead]) -> tuple[MovedRow, ...]:
    """A bot's matches, each with what it moved. No query."""
    kept = {(head.version_id, match): elo for head in heads for match, elo in _unpacked(head.newest)}
    return tuple(MovedRow(row, _moved(bot, row, kept)) for row in rows)


def _moved(bot: int, row: MatchRow, kept: Mapping[tuple[int, int], float]) -> float | None:
    if row.match.voided or not row.match.rated:
        return None
    own = (entry.version_id for entry in row.entries if entry.bot_id == bot)
    return next((kept[version, row.match.pk] for version in own if (version, row.match.pk) in kept), None)


def moved_in(*, match: Match, versions: Iterable[int]) -> dict[int, float]:
    """What a match moved those at its table, by the version, as far as it is kept. One query."""
    if match.voided or not match.rated:
        return {}
    heads = HeadToHead.objects.filter(ruleset=match.ruleset_id, version__in=set(versions))
    found = ((version, dict(_unpacked(newest))) for version, newest in heads.values_list("version_id", "newest"))
    return {version: kept[match.pk] for version, kept in found if match.pk in kept}


def describe(heads: Sequence[HeadToHead]) -> None:
    """Write beside the extremes what those matches are called, and who came in where. One query for all of them."""
    wanted = {row[0] for head in heads for row in head.extremes}
    entries = Entry.objects.filter(match__in=wanted).order_by("match", "place", "seat")
    rows = entries.values_list("match", "match__name", "place", "version")
    told = {
        match: [name, [[place, version] for *_match, place, version in own]]
        for (match, name), own in groupby(rows, key=itemgetter(0, 1))
    }
    for head in heads:
        head.extremes = [[match, elo, *told[match]] for match, elo in head.extremes if match in told]


def at_their_tables(head: HeadToHead) -> list[int]:
    """The ids of the versions that `best_and_worst` wants to know."""
    return [version for _match, _elo, _name, seats in head.extremes for _place, version in seats]


class Seat(NamedTuple):
    """Who came in where."""

    place: int
    bot: Bot


class Extreme(NamedTuple):
    """A match that moved a rating much."""

    name: str
    title: str
    """Who won against whom, in words."""
    elo: float


class Extremes(NamedTuple):
    """The matches of a version that moved its rating most, of all that it has played on a leaderboard."""

    ruleset: Ruleset
    best: tuple[Extreme, ...]
    """The best first."""
    worst: tuple[Extreme, ...]
    """The worst first."""


def best_and_worst(head: HeadToHead, versions: Mapping[int, Version]) -> Extremes | None:
    """What is kept of them; None before there is any. Who sat there is looked up by its id."""
    found = [
        Extreme(name, outcome_words([Seat(place, versions[version].bot) for place, version in seats]), elo)
        for _match, elo, name, seats in head.extremes
        if all(version in versions for _place, version in seats)
    ]
    best = tuple(one for one in found if one.elo > 0)
    worst = tuple(one for one in reversed(found) if one.elo < 0)
    return Extremes(head.ruleset, best, worst) if found else None
