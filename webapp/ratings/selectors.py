"""Reads the leaderboards."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, F, Max, OuterRef, QuerySet, Subquery

from webapp.bots.models import Bot, Version
from webapp.matches.models import Entry, Ruleset
from webapp.ratings.models import Rating, Snapshot

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


def newest_snapshots() -> dict[int, Snapshot]:
    """The newest fit of every leaderboard, by the ruleset's id. One query."""
    newest = Snapshot.objects.order_by().values("ruleset").annotate(newest=Max("id")).values("newest")
    return {snapshot.ruleset_id: snapshot for snapshot in Snapshot.objects.filter(id__in=newest)}


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
    # One query also because snapshots are pruned: between two, the newest one of the first might be gone.
    ratings = (
        Rating.objects.filter(
            snapshot=Subquery(Snapshot.objects.filter(ruleset=ruleset).order_by("-id").values("id")[:1]),
            version__active_for__state__in=SHOWN,
        )
        .select_related("version__bot__owner")
        .defer("version__source")
        .order_by("-elo", "version_id")
    )
    return [
        Row(
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
        for rating in ratings
    ]


def ratings_of(*, bot: Bot) -> list[Rating]:
    """The newest ratings of all versions of a bot, on every leaderboard that they played for."""
    newest = Snapshot.objects.filter(ruleset=OuterRef("snapshot__ruleset")).order_by("-id").values("id")[:1]
    return list(
        Rating.objects.filter(version__bot=bot, snapshot=Subquery(newest))
        .select_related("version", "snapshot__ruleset")
        .defer("version__source")
        .order_by("snapshot__ruleset_id", "-version__number")
    )


def rating_of(*, version: Version, ruleset: Ruleset) -> Rating | None:
    """The newest rating of a version on a leaderboard, or None where it has not been rated."""
    newest = Snapshot.objects.filter(ruleset=ruleset).order_by("-id").values("id")[:1]
    return Rating.objects.filter(version=version, snapshot=Subquery(newest)).first()


def match_counts(*, ruleset: Ruleset, versions: Iterable[int]) -> dict[int, int]:
    """How many matches for a leaderboard these versions (by id) have played until now; of those without any, nothing.

    What is counted in the newest fit, and what has come since. Three queries, however many matches there are.
    """
    ids = list(versions)
    counts: dict[int, int] = {}
    snapshot = newest_snapshot(ruleset=ruleset)
    if snapshot is not None:
        counts.update(snapshot.ratings.filter(version__in=ids).values_list("version_id", "matches"))
    since = Entry.objects.filter(version__in=ids, match__ruleset=ruleset, match__rated=True, match__voided=False)
    if snapshot is not None:
        since = since.filter(match__gt=snapshot.watermark)
    for version, matches in since.values_list("version_id").annotate(Count("match", distinct=True)):
        counts[version] = counts.get(version, 0) + matches
    return counts


def history(
    *, ruleset: Ruleset, versions: Iterable[Version], snapshots: int = 72
) -> dict[int, list[tuple[datetime, float]]]:
    """How the Elo of some versions went over the newest snapshots, the oldest first, by version id. Two queries."""
    found: dict[int, list[tuple[datetime, float]]] = {version.pk: [] for version in versions}
    newest = list(Snapshot.objects.filter(ruleset=ruleset).order_by("-id").values_list("id", flat=True)[:snapshots])
    points = Rating.objects.filter(snapshot__in=newest, version__in=list(found)).order_by("snapshot_id")
    for version, created, elo in points.values_list("version_id", F("snapshot__created"), "elo"):
        found[version].append((created, elo))
    return found
