"""Several workers and several doors at once, one of the workers killed in the middle: every result exactly once."""

from __future__ import annotations

import contextlib
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from django.db.models import Count

from tests.breadth import often
from tests.webapp.playing import (
    PLAIN,
    Program,
    arena_environment,
    check_match,
    connected,
    dialling,
    door,
    house,
    program,
    remote,
    series_of,
    until,
)
from webapp.bots.models import Bot
from webapp.matches.models import Block, Entry, Match, Series

OVER = (Series.State.FINISHED, Series.State.CANCELLED, Series.State.PUT_OFF)

SERIES = often(60, everything=200)
SECONDS = 150
"""Within which all is over. Alone on two cores it takes a third of it, if everything is tried."""


def _worker(stack: contextlib.ExitStack, environment: dict[str, str]) -> Program:
    command = [sys.executable, "-m", "celery", "-A", "webapp", "--quiet", "worker", "--concurrency", "1"]
    return stack.enter_context(program(*command, "--without-gossip", "--without-mingle", **environment))


@pytest.mark.django_db(transaction=True)
@pytest.mark.timeout(240)
def test_two_workers_and_two_doors_finish_every_series_once(tmp_path: Path, broker_url: str) -> None:
    near = house("random", "honest")
    far = [remote(f"far {number}", tables=2) for number in range(1, 5)]
    never = str(10**9)
    environment = arena_environment(
        tmp_path, BROKER_URL=broker_url, ARENA_LADDER_PAUSE=never, ARENA_LADDER_PAUSE_SERVING=never
    )
    # Hosted bots alone, one remote bot, and two of them; made before anybody is there to play them. Starting the
    # processes of hosted bots is what costs time here, so there are fewer tables with those.
    tables = [
        (near[0], near[1]),
        (far[1][0], far[2][0]),
        (far[0][0], near[0]),
        (far[3][0], far[1][0]),
        (far[2][0], far[0][0]),
        (near[1], far[3][0]),
        (far[0][0], far[1][0]),
        (far[2][0], far[3][0]),
    ]
    all_series = [series_of(tables[number % len(tables)], planned=1 + number % 2) for number in range(SERIES)]
    planned = sum(series.planned for series in all_series)

    with contextlib.ExitStack() as stack:
        doors = [stack.enter_context(door(tmp_path, name)) for name in ("north", "south")]
        programs = [
            stack.enter_context(dialling(doors[number % 2].address, token, tables=2, source=PLAIN))
            for number, (_version, token) in enumerate(far)
        ]
        for version, _token in far:
            connected(version, 2)
        scheduler = stack.enter_context(program(sys.executable, "-m", "webapp", "scheduler", **environment))
        began = time.monotonic()
        workers = [_worker(stack, environment) for _ in range(2)]

        def said() -> list[str]:
            return [running.said()[-3000:] for running in (*workers, scheduler, *doors)]

        def finished() -> int:
            return Series.objects.filter(state=Series.State.FINISHED).count()

        until(lambda: finished() >= SERIES // 2, SECONDS, said)
        # a moment at which it is playing
        until(lambda: Series.objects.filter(state=Series.State.PLAYING).count() == 2, SECONDS, said)
        workers[0].kill()
        workers.append(_worker(stack, environment))
        until(lambda: not Series.objects.exclude(state__in=OVER).exists(), SECONDS, lambda: (finished(), said()))
        took = time.monotonic() - began
        told = "".join(running.said() for running in programs)

    assert Counter(Series.objects.values_list("state", "note")) == {(Series.State.FINISHED, ""): SERIES}
    numbers = Counter(Match.objects.values_list("series", "number"))
    assert set(numbers.values()) == {1}
    assert set(numbers) == {(row.pk, number + 1) for row in all_series for number in range(row.planned)}
    assert Match.objects.count() == planned
    assert not Match.objects.annotate(n=Count("entries")).exclude(n=2).exists()
    for match in Match.objects.select_related("block", "ruleset"):
        check_match(match)
    assert not Block.objects.filter(state=Block.State.OPEN).exists()
    # nobody pays for what we did
    assert not Entry.objects.exclude(fault="").exists()
    assert not Bot.objects.exclude(state=Bot.State.ACTIVE).exists()
    assert "NOT FAIR" not in told
    assert "Traceback" not in told
    assert took < SECONDS, took
    print(f"{SERIES} series, {planned} matches in {took:.1f} s")
