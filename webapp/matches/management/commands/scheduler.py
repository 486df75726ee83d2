"""``python -m webapp scheduler``: sees that what should happen happens."""

from __future__ import annotations

import logging
import signal
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any, NamedTuple

from django.core.management.base import BaseCommand
from django.db import DatabaseError, close_old_connections

from webapp.bots import presence
from webapp.matches import ladder, services
from webapp.matches.models import Ruleset
from webapp.ratings.services import refit

log = logging.getLogger(__name__)


class Duty(NamedTuple):
    """Something to be done again and again. Each may be done by several schedulers at the same time."""

    every_seconds: float
    do: Callable[[], object]


def _refit_all() -> None:
    for row in Ruleset.objects.exclude(preset=""):
        refit(ruleset=row)


DUTIES = (
    Duty(1.0, services.sweep),
    Duty(2.0, presence.sweep),
    Duty(0.25, ladder.tick),
    Duty(10.0, lambda: services.ring_again(older_than=timedelta(seconds=10))),
    Duty(5.0, _refit_all),
)


class Command(BaseCommand):
    """Runs the scheduler until it is told to end."""

    help = "Seat the ladder's tables, find what nobody plays any more, and fit the ratings."

    def handle(self, *args: Any, **options: Any) -> None:
        """Until SIGTERM or SIGINT."""
        ending = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: ending.set())
        self.stdout.write("the scheduler is at work")
        due = dict.fromkeys(DUTIES, 0.0)
        while not ending.is_set():
            for duty in DUTIES:
                if time.monotonic() >= due[duty]:
                    _perform(duty)
                    due[duty] = time.monotonic() + duty.every_seconds
            ending.wait(max(0.0, min(due.values()) - time.monotonic()))


def _perform(duty: Duty) -> None:
    close_old_connections()
    try:
        duty.do()
    except DatabaseError as error:
        log.warning("the database did not do as asked, so it is asked again: %s", error)
    except Exception:
        # one duty that fails must not keep the others from being done
        log.exception("a duty of the scheduler failed")
