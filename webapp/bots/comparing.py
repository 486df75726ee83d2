"""The versions of a bot side by side, for its author."""

from __future__ import annotations

import difflib
from typing import NamedTuple

from arena.package import Package
from webapp.bots.models import Bot, Version
from webapp.bots.selectors import versions_of
from webapp.matches.models import Ruleset
from webapp.ratings.models import Rating
from webapp.ratings.selectors import ratings_of

MOST_LINES = 2000
"""Lines of difference that are shown."""


MOST_COMPARED = 20_000
"""Lines of a file, before and after together; comparing more takes too long."""


class RatedVersion(NamedTuple):
    """A version in the list of its bot."""

    version: Version
    rating: Rating | None
    """On the leaderboard that it has played most for."""
    matches: int
    """Rated ones, on all leaderboards."""


def rated_versions(*, bot: Bot, size: int) -> list[RatedVersion]:
    """A bot's newest versions, each with what it is worth."""
    by_version: dict[int, list[Rating]] = {}
    for rating in ratings_of(bot=bot):
        by_version.setdefault(rating.version_id, []).append(rating)
    return [
        RatedVersion(
            version,
            max(by_version.get(version.pk, []), key=lambda rating: rating.matches, default=None),
            sum(rating.matches for rating in by_version.get(version.pk, [])),
        )
        for version in versions_of(bot=bot)[:size]
    ]


class Board(NamedTuple):
    """What both are worth on one leaderboard."""

    ruleset: Ruleset
    old: Rating | None
    new: Rating | None


class Line(NamedTuple):
    """A line of a unified diff."""

    kind: str
    """``added``, ``removed``, ``place`` or ``same``."""
    text: str


class Change(NamedTuple):
    """What became of a file."""

    path: str
    lines: tuple[Line, ...]
    """None of them where it is no text, or where there are too many to be shown."""


def ratings_side_by_side(*, bot: Bot, old: Version, new: Version) -> list[Board]:
    """The newest ratings of both, for every leaderboard that one of them has played for."""
    boards: dict[int, Board] = {}
    for rating in ratings_of(bot=bot):
        ruleset = rating.snapshot.ruleset
        board = boards.get(ruleset.pk, Board(ruleset, None, None))
        if rating.version_id == old.pk:
            board = board._replace(old=rating)
        if rating.version_id == new.pk:
            board = board._replace(new=rating)
        boards[ruleset.pk] = board
    return [board for board in boards.values() if board.old or board.new]


def changes(old: Package, new: Package) -> list[Change]:
    """The files that differ, by path, with unified differences of those that are texts."""
    found: list[Change] = []
    left = MOST_LINES
    for path in sorted(old.files.keys() | new.files.keys()):
        before, after = old.files.get(path), new.files.get(path)
        if before == after:
            continue
        lines = _difference(before, after)[:left]
        left -= len(lines)
        found.append(Change(path, lines))
    return found


def _difference(before: bytes | None, after: bytes | None) -> tuple[Line, ...]:
    try:
        one, other = [(data or b"").decode().splitlines() for data in (before, after)]
    except UnicodeDecodeError:
        return ()
    if any("\0" in line for line in (*one, *other)) or len(one) + len(other) > MOST_COMPARED:
        return ()
    kinds = {"+": "added", "-": "removed", "@": "place"}
    lines = list(difflib.unified_diff(one, other, lineterm="", n=3))[2:]
    return tuple(Line(kinds.get(line[:1], "same"), line) for line in lines)
