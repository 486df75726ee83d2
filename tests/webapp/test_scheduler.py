"""The scheduler's process: it does its duties whatever happens, and ends when it is told to."""

from __future__ import annotations

import logging
import signal
import sys
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.utils import timezone

from tests.webapp.making import make_line, make_match
from tests.webapp.playing import arena_environment, hosted, house, program, remote, rules, series_of, until
from webapp.bots.models import Connection
from webapp.matches import services
from webapp.matches.management.commands import scheduler
from webapp.matches.management.commands.scheduler import DUTIES, Duty
from webapp.matches.models import Ruleset, Series
from webapp.ratings.models import Snapshot

COMMAND = (sys.executable, "-m", "webapp", "scheduler")


def slow_ladder(data: Path, **more: str) -> dict[str, str]:
    return arena_environment(data, ARENA_LADDER_PAUSE="600", ARENA_LADDER_PAUSE_SERVING="600", **more)


@pytest.mark.django_db(transaction=True)
def test_what_should_happen_happens(tmp_path: Path, broker_url: str) -> None:
    rules()
    two = house("random", "honest")
    lost = series_of(two, purpose=Series.Purpose.VALIDATION)
    assert services.claim(series_id=lost.pk, worker="dead") is not None
    Series.objects.filter(pk=lost.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    far, _token = remote("far")
    make_line(far.bot)
    Connection.objects.update(lease_until=timezone.now() - timedelta(minutes=1))
    with program(*COMMAND, **slow_ladder(tmp_path, BROKER_URL=broker_url)) as running:
        until(lambda: Series.objects.get(pk=lost.pk).broken == 1, what=running.said)
        until(lambda: not Connection.objects.exists(), what=running.said)
        Series.objects.filter(pk=lost.pk).update(state="finished")
        until(lambda: Series.objects.exclude(pk=lost.pk).filter(purpose="ladder").exists(), what=running.said)
        assert running.process.poll() is None
        assert "failed" not in running.said()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_when_it_is_told_to(tmp_path: Path, number: signal.Signals) -> None:
    with program(*COMMAND, **slow_ladder(tmp_path)) as running:
        running.until("the scheduler is at work")
        running.process.send_signal(number)
        assert running.process.wait(60) == 0
        assert "Traceback" not in running.said()


@pytest.mark.django_db(transaction=True)
def test_it_outlives_a_database_that_is_cut_off_and_a_table_that_is_away(tmp_path: Path) -> None:
    rules()
    house("random", "honest")
    with program(*COMMAND, **slow_ladder(tmp_path)) as running:
        until(lambda: Series.objects.exists(), what=running.said)
        Series.objects.update(state="finished")
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE bots_connection RENAME TO elsewhere")
        try:
            running.until("the database or the queue did not do as asked")
            lost = series_of([hosted("left"), hosted("right")])
            # the other duties go on meanwhile
            assert services.claim(series_id=lost.pk, worker="dead") is not None
        finally:
            with connection.cursor() as cursor:
                cursor.execute("ALTER TABLE elsewhere RENAME TO bots_connection")
                if connection.vendor == "postgresql":
                    cursor.execute(
                        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
                        "WHERE datname = current_database() AND pid <> pg_backend_pid()"
                    )
        Series.objects.filter(pk=lost.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
        until(lambda: Series.objects.get(pk=lost.pk).broken == 1, what=running.said)
        assert running.process.poll() is None


# ---- one duty and the others ---------------------------------------------------------------------


def perform(duties: list[Duty], while_: Callable[[], bool]) -> None:
    """Do these duties, each in its thread, as long as ``while_`` is true."""
    ending = threading.Event()
    threads = [threading.Thread(target=scheduler._perform_for_ever, args=(duty, ending)) for duty in duties]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + 60
    while while_() and time.monotonic() < deadline:
        time.sleep(0.01)
    ending.set()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()


@pytest.mark.django_db(transaction=True)
def test_a_duty_that_fails_is_done_again_and_keeps_no_other_from_being_done(caplog: pytest.LogCaptureFixture) -> None:
    done: list[str] = []

    def fails() -> None:
        done.append("fails")
        raise ZeroDivisionError

    with caplog.at_level(logging.ERROR):
        perform(
            [Duty("bad", 0.01, fails), Duty("good", 0.01, lambda: done.append("good"))],
            lambda: done.count("fails") < 3 or done.count("good") < 3,
        )
    assert done.count("fails") >= 3
    assert done.count("good") >= 3
    assert "bad: this duty of the scheduler failed" in caplog.text


@pytest.mark.django_db
def test_a_leaderboard_that_cannot_be_fitted_keeps_no_other_from_being(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [rules(preset) for preset in ("classic", "duel", "call-only")]
    fitted = []

    def refit(*, ruleset: Ruleset) -> None:
        if ruleset == rows[1]:
            raise ArithmeticError
        fitted.append(ruleset)

    monkeypatch.setattr(scheduler, "refit", refit)
    scheduler._refit_all()
    assert set(Ruleset.objects.exclude(preset="")) - set(fitted) == {rows[1]}


@pytest.mark.django_db(transaction=True)
def test_a_duty_that_takes_long_keeps_no_other_from_being_done() -> None:
    done: list[str] = []
    release = threading.Event()

    def enough() -> bool:
        if len(done) >= 5:
            release.set()
        return len(done) < 5

    perform([Duty("slow", 0.01, lambda: release.wait(90)), Duty("quick", 0.01, lambda: done.append("quick"))], enough)
    assert len(done) >= 5
    assert release.is_set()


def test_a_lost_series_is_looked_for_often_enough() -> None:
    """What a dead worker played goes on within ten seconds: its lease, the sweep, and a start."""
    every = {duty.name: duty.every_seconds for duty in DUTIES}
    assert services.LEASE.total_seconds() + every["sweep"] <= 6
    assert len(every) == len(DUTIES)


@pytest.mark.django_db(transaction=True)
def test_ratings_follow(tmp_path: Path) -> None:
    rules()
    two = house("random", "honest")
    make_match(two)
    with program(*COMMAND, **slow_ladder(tmp_path)) as running:
        until(lambda: Snapshot.objects.filter(matches=1).exists(), what=running.said)
