"""Forgetting what bots wrote, when its time has come. Matches and their records are kept for ever."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from webapp.matches.models import EntryLog, SeriesSeat

AT_ONCE = 500
"""Rows in one transaction, so that nobody waits for it."""


def forget_logs(*, older_than: timedelta) -> int:
    """Forget what bots logged and printed in matches that are over for so long; from how many seats that was."""
    before = timezone.now() - older_than
    forgotten = 0
    while True:
        # Logs are numbered as they were written. So the oldest are looked at, and where one of them is kept, so is
        # what follows: what overtook it by a moment has its turn next time.
        oldest = list(EntryLog.objects.order_by("pk").values_list("pk", "entry__match__finished")[:AT_ONCE])
        chosen = [pk for pk, finished in oldest if finished < before]
        forgotten += EntryLog.objects.filter(pk__in=chosen).delete()[0]
        if len(chosen) < AT_ONCE:
            break
    return forgotten + SeriesSeat.objects.filter(series__finished__lt=before).exclude(output="").update(output="")
