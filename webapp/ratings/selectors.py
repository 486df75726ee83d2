"""Reads the leaderboards."""

from __future__ import annotations

import math
import statistics
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import BinaryField, Case, Count, OuterRef, QuerySet, Subquery, When, Window
from django.db.models.functions import RowNumber, Substr

from arena.ratings import ANCHOR_ELO, QUANTILE_95
from webapp.accounts.models import User
from webapp.bots.models import Bot, Version
from webapp.matches.models import Entry, Ruleset
from webapp.ratings.models import Rating, Snapshot, Spread

SHOWN = (Bot.State.ACTIVE, Bot.State.QUARANTINED)
"""The states in which a bot stands on its leaderboards."""


@dataclass(frozen=True, slots=True)
class Row:
    """A bot on a leaderboard, by its active version."""

    bot: Bot
    version: Version
    owner: str
    """A username; ``house``; or empty for a bot whose author has left."""
    elo: float
    half_width: float
    """Of the 95 % interval, in Elo."""
    rank_low: int
    rank_high: int
    provisional: bool
    matches: int


def newest_snapshot(*, ruleset: Ruleset) -> Snapshot | None:
    """The newest fit of a leaderboard."""
    return Snapshot.objects.filter(ruleset=ruleset).order_by("-id").first()


MOST_FITS = 500
"""Fits that are looked at: a week of hours, and a year of days."""


def newest_fits(ruleset: Ruleset) -> QuerySet[Snapshot]:
    """As many fits of a leaderboard as a history shows, the newest first."""
    return Snapshot.objects.filter(ruleset=ruleset).order_by("-id")[:MOST_FITS]


def newest_snapshots() -> dict[int, Snapshot]:
    """The newest fit of every leaderboard, by the ruleset's id. One query."""
    return {snapshot.ruleset_id: snapshot for snapshot in Snapshot.objects.filter(id__in=_newest_ids())}


def _newest_ids() -> QuerySet[Ruleset, int]:
    """The ids of the newest fits: for each ruleset one step into an index, however many fits are kept."""
    newest = Snapshot.objects.filter(ruleset=OuterRef("pk")).order_by("-id").values("id")[:1]
    return Ruleset.objects.exclude(preset="").values_list(Subquery(newest), flat=True)


def shown_versions(*, ruleset: Ruleset) -> QuerySet[Version]:
    """The versions that would stand on this leaderboard, had all of them played: each bot's active one."""
    return Version.objects.filter(active_for__game=ruleset.game, active_for__state__in=SHOWN)


def owner_name(bot: Bot) -> str:
    """Who stands behind a bot, as everybody may know."""
    if bot.house:
        return "house"
    return bot.owner.username if bot.owner else ""


def leaderboard(*, ruleset: Ruleset) -> list[Row]:
    """The rows of a leaderboard, the best first. One query."""
    return [row_of(rating) for rating in standing_on(ruleset).order_by("-elo", "version_id")]


def leaders(*, ruleset: Ruleset, size: int) -> list[Row]:
    """The best settled ones, and where there are too few the best provisional ones; by rating. One query, few rows."""
    best = standing_on(ruleset).order_by("provisional", "-elo", "version_id")[:size]
    return sorted(map(row_of, best), key=lambda row: (-row.elo, row.version.pk))


def standing_of(*, ruleset: Ruleset, owner: User, size: int = 5) -> list[Row]:
    """An author's own bots on a leaderboard, the best first. One query."""
    mine = standing_on(ruleset).filter(version__bot__owner=owner)
    return [row_of(rating) for rating in mine.order_by("-elo", "version_id")[:size]]


class Top(NamedTuple):
    """The beginning of a leaderboard."""

    rows: list[Row]
    """The best settled ones, and where there are too few of them the best provisional ones; by rating."""
    bots: int
    """How many stand on it."""


def tops(*, rulesets: Sequence[Ruleset], size: int) -> dict[int, Top]:
    """The beginnings of several leaderboards, by the ruleset's id. One query, and few rows."""
    number = Window(RowNumber(), partition_by="snapshot_id", order_by=["provisional", "-elo", "version_id"])
    shown = Rating.objects.filter(
        snapshot__in=_newest_ids(), snapshot__ruleset__in=rulesets, version__active_for__state__in=SHOWN
    )
    ratings = shown.annotate(number=number, bots=Window(Count("id"), partition_by="snapshot_id"))
    found = {one.pk: Top([], 0) for one in rulesets}
    best = ratings.filter(number__lte=size).select_related("snapshot", "version__bot__owner").defer("version__source")
    for rating in best.order_by("-elo", "version_id"):
        top = found[rating.snapshot.ruleset_id]
        found[rating.snapshot.ruleset_id] = Top([*top.rows, row_of(rating)], rating.bots)
    return found


def standing_on(ruleset: Ruleset) -> QuerySet[Rating]:
    """The ratings on a leaderboard, with their bots."""
    # One query also because snapshots are pruned: between two, the newest one of the first might be gone.
    return (
        Rating.objects.filter(
            snapshot=Subquery(Snapshot.objects.filter(ruleset=ruleset).order_by("-id").values("id")[:1]),
            version__active_for__state__in=SHOWN,
        )
        .select_related("version__bot__owner")
        .defer("version__source")
    )


def row_of(rating: Rating) -> Row:
    """A rating as a row of its leaderboard."""
    return Row(
        bot=rating.version.bot,
        version=rating.version,
        owner=owner_name(rating.version.bot),
        elo=rating.elo,
        half_width=rating.half_width,
        rank_low=rating.rank_low,
        rank_high=rating.rank_high,
        provisional=rating.provisional,
        matches=rating.matches,
    )


def ratings_of(*, bot: Bot) -> list[Rating]:
    """The newest ratings of all versions of a bot, on every leaderboard that they played for."""
    return list(
        Rating.objects.filter(version__bot=bot, snapshot__in=_newest_ids())
        .select_related("version", "snapshot__ruleset")
        .defer("version__source")
        .order_by("snapshot__ruleset_id", "-version__number")
    )


def ratings_of_versions(*, versions: Iterable[Version]) -> dict[int, dict[int, Rating]]:
    """The newest ratings of these versions, by the ruleset's and the version's id. One query."""
    wanted = [version.pk for version in versions]
    ratings = Rating.objects.filter(version__in=wanted, snapshot__in=_newest_ids())
    found: dict[int, dict[int, Rating]] = {}
    for rating in ratings.select_related("snapshot__ruleset").order_by("-snapshot__ruleset__flagship", "snapshot"):
        found.setdefault(rating.snapshot.ruleset_id, {})[rating.version_id] = rating
    return found


def rating_of(*, version: Version, ruleset: Ruleset) -> Rating | None:
    """The newest rating of a version on a leaderboard, or None where it has not been rated."""
    newest = Snapshot.objects.filter(ruleset=ruleset).order_by("-id").values("id")[:1]
    return Rating.objects.filter(version=version, snapshot=Subquery(newest)).first()


class Standing(NamedTuple):
    """What the matchmaking of the ladder knows of a version."""

    elo: float
    """Without a rating, that of the bot's newest version that has one; else the middle of the leaderboard."""
    error: float
    """The standard error in Elo, less what matches since the fit will take off it; infinite without a rating."""
    matches: int
    """Rated ones, those since the fit too."""


def standings_of(*, ruleset: Ruleset, versions: Iterable[Version]) -> dict[int, Standing]:
    """What is known of these versions until now, by id. Four queries, however many matches there are."""
    wanted = {version.pk: version.bot_id for version in versions}
    snapshot = newest_snapshot(ruleset=ruleset)
    since = _matches_since(ruleset, snapshot, wanted)
    if snapshot is None:
        return {version: Standing(ANCHOR_ELO, math.inf, since.get(version, 0)) for version in wanted}
    rated = {
        version: (elo, half_width / QUANTILE_95, matches)
        for version, elo, half_width, matches in snapshot.ratings.filter(version__in=wanted).values_list(
            "version_id", "elo", "half_width", "matches"
        )
    }
    new = {bot for version, bot in wanted.items() if version not in rated}
    older = snapshot.ratings.filter(version__bot__in=new).order_by("version__number")
    guesses = dict(older.values_list("version__bot_id", "elo"))  # of each bot the last one stays
    middle = statistics.median([elo for elo, *_ in rated.values()] or [ANCHOR_ELO])
    found = {}
    for version, bot in wanted.items():
        more = since.get(version, 0)
        if version in rated:
            elo, error, matches = rated[version]
            found[version] = Standing(elo, error * math.sqrt(matches / max(1, matches + more)), matches + more)
        else:
            found[version] = Standing(guesses.get(bot, middle), math.inf, more)
    return found


def _matches_since(ruleset: Ruleset, snapshot: Snapshot | None, versions: Iterable[int]) -> dict[int, int]:
    """The rated matches of these versions that the newest fit does not count yet."""
    entries = Entry.objects.filter(match__ruleset=ruleset, match__rated=True, match__voided=False)
    if snapshot is not None:
        # on both, so that whichever table is read first, only its end is
        entries = entries.filter(match__gt=snapshot.watermark, match__id__gt=snapshot.watermark)
    entries = entries.filter(version__in=list(versions)).order_by()
    return dict(entries.values_list("version_id").annotate(Count("match", distinct=True)))


def deviations_from(*, ruleset: Ruleset, version: int) -> dict[int, float]:
    """The standard deviation of the difference of a version to each on the leaderboard, in Elo, by the newest fit.

    Empty where the version is not on it. Two queries, which read one row of the matrix.
    """
    return all_deviations_from(rulesets=[ruleset.pk], version=version).get(ruleset.pk, {})


def all_deviations_from(*, rulesets: Iterable[int], version: int) -> dict[int, dict[int, float]]:
    """The same for several leaderboards, by the ruleset's id, of those that the version is on. Two queries."""
    spreads = Spread.objects.filter(ruleset__in=list(rulesets))
    packed = {pk: (ruleset, bytes(ids)) for pk, ruleset, ids in spreads.values_list("pk", "ruleset_id", "versions")}
    unpacked = {pk: array("q", ids) for pk, (_ruleset, ids) in packed.items()}
    places = {pk: bisect_left(ids, version) for pk, ids in unpacked.items()}
    places = {pk: at for pk, at in places.items() if at < len(unpacked[pk]) and unpacked[pk][at] == version}
    if not places:
        return {}
    rows = Case(
        *(
            # where there has been another fit since, of other versions, its row would be read wrongly
            When(pk=pk, versions=packed[pk][1], then=Substr("deviations", 1 + at * width, width))
            for pk, at in places.items()
            if (width := 4 * len(unpacked[pk]))
        ),
        output_field=BinaryField(),
    )
    found = Spread.objects.filter(pk__in=places).annotate(row=rows).exclude(row=None).values_list("pk", "row")
    return {packed[pk][0]: dict(zip(unpacked[pk], array("f", bytes(row)), strict=True)) for pk, row in found}
