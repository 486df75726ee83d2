"""How long fits are kept: what a rating was once is shown ever more coarsely."""

from __future__ import annotations

from datetime import timedelta

from django.db.models import Max, QuerySet
from django.db.models.functions import TruncDay
from django.utils import timezone

from webapp.ratings.models import Snapshot

HOURLY = timedelta(days=7)
"""For so long one fit of every hour is kept, its last; of what is older one of every day, for ever."""

AT_ONCE = 50
"""Fits that are deleted in one transaction: each has a row for every version."""


def prune_hour(newest: Snapshot) -> None:
    """Keep one fit of this hour. As this is done each time, only the newest hour has others."""
    hour = newest.created.replace(minute=0, second=0, microsecond=0)
    Snapshot.objects.filter(ruleset=newest.ruleset, id__lt=newest.pk, created__gte=hour).delete()


def thin() -> int:
    """Of the fits that are older than a week, keep the last of every day ; how many went. May run twice at once."""
    today = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    old = Snapshot.objects.filter(created__lt=today - HOURLY)
    days = old.annotate(day=TruncDay("created")).order_by().values("ruleset", "day").annotate(last=Max("id"))
    kept = list(days.values_list("last", flat=True))
    gone = 0
    while chosen := list(_of(old, kept)[:AT_ONCE]):
        Snapshot.objects.filter(pk__in=chosen).delete()
        gone += len(chosen)
    return gone


def _of(old: QuerySet[Snapshot], kept: list[int]) -> QuerySet[Snapshot, int]:
    return old.exclude(pk__in=kept).order_by("id").values_list("id", flat=True)
