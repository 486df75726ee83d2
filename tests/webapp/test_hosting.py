"""Workers say what they can host, and play no stranger's bot where they cannot lock it in."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from arena import runtime
from arena.sandbox.detect import Report, detect
from arena.sandbox.walls import ALL
from tests.webapp.playing import (
    PLAIN,
    Program,
    celery_worker,
    check_series,
    hosted,
    house,
    series_of,
    until,
)
from webapp.matches import hosting
from webapp.matches.models import Series, Worker
from webapp.matches.runner import run_series

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("let_go_of_the_database")]


@pytest.fixture
def weak(monkeypatch: pytest.MonkeyPatch) -> Report:
    """A worker on a machine without bubblewrap, as far as the trial bot can tell."""
    found = detect(ALL._replace(outer=False))
    monkeypatch.setattr(hosting, "report", lambda: found)
    return found


def test_this_machine_is_strong() -> None:
    """As it must be for these tests to prove anything."""
    found = detect()
    assert found.strong, (found.why, found.broken, found.failure)
    assert not found.why
    assert {layer.name: layer.stands for layer in found.layers if layer.name != "cgroup"} == {
        "bubblewrap": True,
        "seccomp": True,
        "landlock": True,
    }


@pytest.mark.parametrize(
    ("wall", "what"),
    [("outer", "socket"), ("uid", "root"), ("limits", "memory"), ("seccomp", "fork"), ("seccomp", "stop")],
)
def test_a_trial_bot_breaks_out_where_a_wall_is_missing(wall: str, what: str) -> None:
    found = detect(ALL._replace(**{wall: False}))
    assert what in found.broken
    assert not found.strong
    assert found.why


def test_nobody_hosts_where_no_worker_is() -> None:
    found = hosting.hosting()
    assert not found.strong
    assert found.why == "No worker is running."


def test_a_worker_says_what_it_can_host(client: Client) -> None:
    hosting.announce(name="here:1")
    found = hosting.hosting()
    assert found.strong
    assert found.runtime == runtime.name()
    assert found.layers["bubblewrap"]
    page = client.get("/status/").content.decode()
    assert "could not" in page
    assert runtime.name() in page
    assert "here:1" not in page, "the names of our machines are nobody's business"


def test_a_weak_worker_says_why(weak: Report, client: Client) -> None:
    hosting.announce(name="here:1")
    found = hosting.hosting()
    assert not found.strong
    assert found.why.startswith("bubblewrap ")
    assert found.runtime == ""
    assert "Uploaded bots are not run at present" in client.get("/status/").content.decode()


def test_one_strong_worker_is_enough_and_the_silent_do_not_count(weak: Report) -> None:
    hosting.announce(name="weak:1")
    Worker.objects.create(
        name="strong:1", runtime="py3.11-0", strong=True, layers={}, last_seen=timezone.now() - timedelta(seconds=30)
    )
    assert hosting.hosting().strong
    Worker.objects.filter(name="strong:1").update(last_seen=timezone.now() - timedelta(hours=1))
    assert not hosting.hosting().strong
    Worker.objects.filter(name="strong:1").update(last_seen=timezone.now() - timedelta(days=2))
    hosting.announce(name="weak:1")
    assert [worker.name for worker in Worker.objects.all()] == ["weak:1"]
    hosting.leave(name="weak:1")
    assert not Worker.objects.exists()


def test_matches_keep_the_runtime_they_were_played_in() -> None:
    series = series_of(house("random", "honest"))
    run_series(series.pk, "worker")
    assert {match.runtime for match in check_series(series)} == {runtime.name()}


def test_uploaded_bots_are_played_behind_strong_walls() -> None:
    series = series_of([hosted("stranger", PLAIN, house=False), *house("honest")])
    run_series(series.pk, "worker")
    check_series(series)


def test_a_weak_worker_hands_a_series_with_an_uploaded_bot_back(weak: Report) -> None:
    series = series_of([hosted("stranger", PLAIN, house=False), *house("honest")])
    run_series(series.pk, "worker")
    series.refresh_from_db()
    assert series.state == Series.State.WAITING
    assert "stranger" in series.note
    assert not series.matches.exists()
    assert series.broken == 0


def test_a_weak_worker_plays_the_house(weak: Report) -> None:
    series = series_of(house("random", "honest"))
    run_series(series.pk, "worker")
    check_series(series)


@pytest.fixture
def a_worker(tmp_path: Path, broker_url: str) -> Iterator[Program]:
    with celery_worker(tmp_path, broker_url) as running:
        yield running


def test_a_worker_process_announces_itself(a_worker: Program) -> None:
    until(Worker.objects.exists, 60, a_worker.said)
    assert hosting.hosting().strong
    first = Worker.objects.get().last_seen
    assert timezone.now() - first < timedelta(seconds=30)
    a_worker.process.terminate()
    until(lambda: not Worker.objects.exists(), what=a_worker.said)


def test_a_worker_that_is_told_to_end_while_it_announces_itself_is_gone_all_the_same(a_worker: Program) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        table = connection.ops.quote_name(Worker._meta.db_table)
        cursor.execute(f"LOCK TABLE {table} IN SHARE MODE")

        def announces() -> bool:
            cursor.execute(
                "SELECT EXISTS (SELECT FROM pg_locks WHERE relation = %s::regclass AND NOT granted)", [table]
            )
            return bool(cursor.fetchone()[0])

        until(announces, 60, a_worker.said)
        a_worker.process.terminate()
        a_worker.until("Warm shutdown")
    assert a_worker.process.wait(60) == 0, a_worker.said()
    assert not Worker.objects.exists(), a_worker.said()


def test_a_worker_that_is_told_to_end_before_its_pool_is_ready_kills_none_of_it(
    tmp_path: Path, broker_url: str
) -> None:
    waiting = tmp_path / "waiting"
    more = {"WAITING": str(waiting), "TOLD": str(tmp_path / "told")}
    with celery_worker(tmp_path, broker_url, "tests.webapp.late_pool", **more) as running:
        until(lambda: waiting.exists() and Worker.objects.exists(), what=running.said)
        running.process.terminate()
        assert running.process.wait(60) == 0, running.said()
        assert "SIGUSR2" not in running.said()
