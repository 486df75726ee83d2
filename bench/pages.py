"""What pages and the scheduler's duties cost with very many matches, beside what they cost with few.

``python -m bench.pages``: makes up two databases in a PostgreSQL of its own, fits the ratings, asks for every page
in this process, warm, and prints the least time of each, the number of its queries, and the ratio of the two.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import click

REPEATS = 15
GOAL = 2.0


@click.command()
@click.option("--few", default=1_000, show_default=True)
@click.option("--many", default=1_000_000, show_default=True)
@click.option("--versions", default=1_000, show_default=True)
@click.option("--database", multiple=True, help="URLs of two seeded databases to be measured, the small one first.")
@click.option("--measure", is_flag=True, hidden=True)
def main(few: int, many: int, versions: int, database: tuple[str, ...], measure: bool) -> None:
    """Measure the site with few and with many matches."""
    if measure:
        print(json.dumps(_measure()))
    elif database:
        _print(*(_measured(url) for url in database))
    else:
        import psycopg

        from tests.services import postgresql_server

        with postgresql_server() as url:
            found = []
            for name, matches in (("few", few), ("many", many)):
                with psycopg.connect(url, autocommit=True) as connection:
                    connection.execute(f"CREATE DATABASE {name}".encode())
                its = urlsplit(url)._replace(path=f"/{name}").geturl()
                for command in (["migrate", "-v0"], ["seed", f"--matches={matches}", f"--versions={versions}"]):
                    began = time.perf_counter()
                    _run(["-m", "webapp", *command], its)
                    print(f"{' '.join(command)}: {time.perf_counter() - began:.0f} s", flush=True)
                found.append(_measured(its))
            _print(*found)


def _measured(url: str) -> dict[str, Any]:
    said: dict[str, Any] = json.loads(_run(["-m", "bench.pages", "--measure"], url).splitlines()[-1])
    return said


def _run(arguments: list[str], url: str) -> str:
    with tempfile.TemporaryDirectory() as data:
        more = {
            "DATABASE_URL": url,
            "ARENA_DATA": data,
            "CACHE_URL": "locmemcache://",
            "BROKER_URL": "memory://",
            "OPENBLAS_NUM_THREADS": "1",
        }
        done = subprocess.run(  # noqa: S603
            [sys.executable, *arguments], env=os.environ | more, stdout=subprocess.PIPE, text=True, check=True
        )
    return done.stdout


def _measure() -> dict[str, Any]:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
    import django
    from django.conf import settings

    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }
    settings.ALLOWED_HOSTS = ["testserver"]
    settings.ARENA_LADDER_PAUSE = settings.ARENA_LADDER_PAUSE_SERVING = 0.0
    django.setup()
    found: dict[str, Any] = {"first fit, all rows read": _timed(_fit, once=True)}
    found["a fit again, 4 matches more"] = _timed(_fit_again, once=True)
    found["nothing new to fit"] = _timed(_fit)
    found["who against whom, a second of it"] = _timed(_meet, once=True)
    found |= {name: _timed(call) for name, call in _duties().items()}
    found |= {address: _timed(_asking(address, user)) for address, user in _addresses()}
    return found


def _timed(call: Callable[[], object], *, once: bool = False) -> list[float]:
    """The least milliseconds, and the queries, of a call; it is called once before, unless ``once`` is said.

    The least of many, as others may be at work on the machine, too.
    """
    from django.db import connection, reset_queries

    if not once:
        call()
    times, queries = [], 0
    for _ in range(1 if once else REPEATS):
        began = time.perf_counter()
        call()
        times.append(1000 * (time.perf_counter() - began))
    connection.force_debug_cursor = not once
    reset_queries()
    if not once:
        call()
        queries = len(connection.queries)
    connection.force_debug_cursor = False
    return [min(times), queries]


def _board() -> Any:
    from webapp.matches.models import Ruleset

    return Ruleset.objects.get(key="three_coins/classic")


def _fit() -> None:
    from webapp.ratings.services import refit

    refit(ruleset=_board())


def _fit_again() -> None:
    from webapp.matches.made_up import make_up
    from webapp.matches.models import Match
    from webapp.ratings.models import Rating

    make_up(matches=4, versions=Rating.objects.values("version").distinct().count(), seed=Match.objects.count())
    _fit()


def _meet() -> None:
    from webapp.ratings.services import keep_up_meetings

    keep_up_meetings(ruleset=_board())


def _duties() -> dict[str, Callable[[], object]]:
    from random import Random

    from webapp.accounts import addresses
    from webapp.bots import presence
    from webapp.bots.models import Bot, Version
    from webapp.matches import ladder, retention, services
    from webapp.matches.models import Series
    from webapp.moderation import signs
    from webapp.ratings.thinning import thin

    def tick() -> None:
        assert ladder.tick(Random(1)) is not None  # noqa: S311
        Series.objects.filter(state=Series.State.WAITING).update(state=Series.State.CANCELLED)

    # all of them could be seated
    Bot.objects.update(kind=Bot.Kind.HOSTED)
    Version.objects.filter(source=None).update(source=b"#")
    return {
        "duty: sweep": services.sweep,
        "duty: lines": presence.sweep,
        "duty: a table of the ladder": tick,
        "duty: forget": lambda: retention.forget_logs(older_than=timedelta(days=30)),
        "duty: signs": signs.gather,
        "duty: old prints": addresses.forget_old_prints,
        "duty: thinning": thin,
    }


def _addresses() -> list[tuple[str, Any]]:
    from webapp.matches.models import Entry, Match

    entry = Entry.objects.filter(bot__house=False).select_related("bot__owner", "match").order_by("-id")[0]
    other = Entry.objects.filter(match=entry.match, bot__house=False).exclude(bot=entry.bot).select_related("bot")[0]
    bot, old = entry.bot, Match.objects.order_by("id")[0]
    deep = f"before={old.pk + 200}"
    public = [
        "/",
        "/leaderboards/",
        "/leaderboards/three_coins/classic/",
        f"/bots/three_coins/{bot.name}/",
        f"/bots/three_coins/{bot.name}/?{deep}",
        f"/compare/three_coins/?a={bot.name}&b={other.bot.name}",
        "/matches/",
        f"/matches/?{deep}",
        "/matches/?ruleset=three_coins/classic",
        "/matches/?ruleset=three_coins/duel",
        f"/matches/{old.name}/",
        f"/series/{old.series_id}/",
        "/status/",
        "/healthz",
        "/api/leaderboards",
        "/api/leaderboards/three_coins/classic",
        f"/api/bots/three_coins/{bot.name}",
        "/api/matches?limit=100",
        f"/api/matches?bot=three_coins/{bot.name}",
        f"/api/matches?bot=three_coins/{bot.name}&ruleset=three_coins/classic",
        f"/api/matches/{old.name}",
        f"/api/series/{old.series_id}",
    ]
    return [*((address, None) for address in public), ("/my/bots/", bot.owner), (f"/my/bots/{bot.pk}/", bot.owner)]


def _asking(address: str, user: Any) -> Callable[[], object]:
    from django.test import Client

    client = Client()
    if user is not None:
        client.force_login(user)

    def ask() -> None:
        answer = client.get(address)
        assert answer.status_code in (200, 503), (address, answer.status_code)

    return ask


def _print(few: dict[str, Any], many: dict[str, Any]) -> None:
    print("\n| | few, ms | many, ms | ratio | queries |\n| --- | ---: | ---: | ---: | ---: |")
    for name, (ms, queries) in many.items():
        # two databases have bots and matches of different names
        before, its = next(
            (value for key, value in few.items() if _like(key) == _like(name)), (float("nan"), float("nan"))
        )
        ratio = ms / before
        told = f"{queries:.0f}" + ("" if its == queries else f" ({its:.0f} with few)")
        mark = " (!)" if ratio > GOAL and "/" in name else ""
        print(f"| {_like(name)} | {before:.1f} | {ms:.1f} | {ratio:.2f}{mark} | {told} |")


def _like(name: str) -> str:
    import re

    return re.sub(r"m-[0-9a-f]{16}|seeded-\d+|(?<=[=/])\d+\b", "…", name)


if __name__ == "__main__":
    main()
