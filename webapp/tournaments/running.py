"""What the scheduler does for tournaments, every now and then. Several schedulers may do it at once."""

from __future__ import annotations

import logging

from django.db.models import Q

from webapp.matches.models import Series
from webapp.tournaments.advancing import advance
from webapp.tournaments.models import Pairing, Round, Tournament
from webapp.tournaments.services import start_due

log = logging.getLogger(__name__)

STOPPED = (Series.State.PUT_OFF, Series.State.CANCELLED)


def tick() -> None:
    """Start the tournaments that are due, and let those that run go on. One that fails does not keep the others."""
    start_due()
    for row in Tournament.objects.filter(state=Tournament.State.RUNNING).order_by("pk"):
        if _only_waits(row):
            continue
        try:
            advance(tournament=row)
        except Exception:
            log.exception("tournament %s did not go on", row.slug)


def _only_waits(row: Tournament) -> bool:
    """Whether there is nothing to do but to wait: looked at without a lock, as it is so most of the time."""
    tables = Pairing.objects.filter(round__tournament=row, round__state=Round.State.PLAYING)
    waits, stopped = Q(series__state__in=Series.UNDER_WAY), Q(series__state__in=STOPPED)
    return tables.filter(waits).exists() and not tables.filter(stopped).exists()
