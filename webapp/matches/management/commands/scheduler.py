"""``python -m webapp scheduler``: sees that what should happen happens."""

from __future__ import annotations

import logging
import signal
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any, NamedTuple

import django.db
from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import close_old_connections, connections
from kombu.exceptions import OperationalError

from webapp.accounts import addresses, notices
from webapp.accounts.sessions import SessionStore
from webapp.bots import presence, uploads
from webapp.comparing import services as comparing
from webapp.hooks import sending
from webapp.matches import ladder, retention, services
from webapp.matches.models import Ruleset
from webapp.moderation import signs
from webapp.people import services as people
from webapp.ratings.services import keep_up_meetings, refit
from webapp.ratings.thinning import thin
from webapp.style import services as style
from webapp.tournaments import running

log = logging.getLogger(__name__)

PATIENCE_SECONDS = 3.0
"""How long a duty may go on once the scheduler is told to end."""


class Duty(NamedTuple):
    """Something to be done again and again. Each may be done by several schedulers at the same time."""

    name: str
    every_seconds: float
    do: Callable[[], object]
    share: float = 1.0
    """At most this share of the time is spent on it: the longer it takes, the more rarely it is done."""


def _refit_all() -> None:
    """Every leaderboard. One that cannot be fitted does not keep the others."""
    for row in Ruleset.objects.exclude(preset=""):
        try:
            refit(ruleset=row)
            keep_up_meetings(ruleset=row)
        except django.db.Error:
            raise
        except Exception:
            log.exception("%s was not fitted", row.key)


def _forget() -> None:
    retention.forget_logs(older_than=timedelta(days=settings.ARENA_LOG_DAYS))
    uploads.forget_uploads()
    sending.forget()
    people.forget_origins()
    SessionStore.clear_expired()


DUTIES = (
    Duty("sweep", 1.0, services.sweep),
    Duty("lines", 2.0, presence.sweep),
    Duty("ladder", 0.25, ladder.tick),
    Duty("tournaments", 0.5, running.tick),
    Duty("ring", 2.0, lambda: services.ring_again(older_than=timedelta(seconds=2))),
    Duty("ratings", 5.0, _refit_all, share=0.25),
    Duty("style", 2.0, style.count, share=0.25),
    Duty("comparisons", 1.0, comparing.tick),
    Duty("thinning", 3600.0, thin),
    Duty("notices", 20.0, notices.send_waiting),
    Duty("hooks", 5.0, sending.tick),
    Duty("signs", 20.0, signs.gather),
    Duty("shared content", 3600.0, signs.find_shared_content),
    Duty("people", 5.0, people.give_up_unclaimed),
    Duty("old prints", 3600.0, addresses.forget_old_prints),
    Duty("forget", 600.0, _forget),
)


class Command(BaseCommand):
    """Runs the scheduler until it is told to end."""

    help = "Seat the ladder's tables, find what nobody plays any more, and fit the ratings."

    def handle(self, *args: Any, **options: Any) -> None:
        """Until SIGTERM or SIGINT."""
        # Waited for and not handled: a handler could not set an event that this very thread is just taking up. The
        # threads inherit the mask.
        told = {signal.SIGTERM, signal.SIGINT}
        signal.pthread_sigmask(signal.SIG_BLOCK, told)
        ending = threading.Event()
        self.stdout.write("the scheduler is at work")
        # Each has a thread of its own: a fit of a million matches must not keep a lost series from being found. They
        # are daemons, so that one that hangs does not keep the process; what it was writing is a transaction.
        threads = [
            threading.Thread(target=_perform_for_ever, args=(duty, ending), name=duty.name, daemon=True)
            for duty in DUTIES
        ]
        for thread in threads:
            thread.start()
        signal.sigwait(told)
        ending.set()
        deadline = time.monotonic() + PATIENCE_SECONDS
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))


def _perform_for_ever(duty: Duty, ending: threading.Event) -> None:
    while not ending.is_set():
        began = time.monotonic()
        _perform(duty)
        took = time.monotonic() - began
        ending.wait(max(0.0, duty.every_seconds - took, took / duty.share - took))
    connections.close_all()


def _perform(duty: Duty) -> None:
    close_old_connections()
    try:
        duty.do()
    except (django.db.Error, OperationalError) as error:
        log.warning("%s: the database or the queue did not do as asked, so it is asked again: %s", duty.name, error)
    except Exception:
        # one duty that fails must not keep the others from being done
        log.exception("%s: this duty of the scheduler failed", duty.name)
