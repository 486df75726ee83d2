"""What pages and the scheduler's duties cost with very many matches, beside what they cost with few.

``python -m bench.pages``: makes up two databases in a PostgreSQL of its own, fits the ratings, has the same three
tournaments in both, asks for every page, warm, in turn of the one and of the other, and prints the least time of each,
the number of its queries, and the ratio of the two. A page of somebody who is signed in has two queries more: the
session, and who it is.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any, NamedTuple, Self
from urllib.parse import urlsplit

import click

GOAL = 2.0
MOST_QUERIES = 9

ENTRANTS = 64
"""Of a Swiss tournament."""

IN_A_LEAGUE = 24
"""Of a round robin: as many as a crosstable has room for."""


@click.command()
@click.option("--few", default=1_000, show_default=True)
@click.option("--many", default=1_000_000, show_default=True)
@click.option("--versions", default=500, show_default=True)
@click.option("--repeats", default=15, show_default=True, help="How often each is asked for.")
@click.option("--database", multiple=True, help="URLs of two seeded databases to be measured, the small one first.")
@click.option("--measure", is_flag=True, hidden=True)
def main(few: int, many: int, versions: int, repeats: int, database: tuple[str, ...], measure: bool) -> None:
    """Measure the site with few and with many matches."""
    if measure:
        _answer()
    elif database:
        _compare(*database, repeats)
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
                    with _process(["-m", "webapp", *command], its) as process:
                        process.communicate()
                    assert process.returncode == 0, command
                    print(f"{' '.join(command)}: {time.perf_counter() - began:.0f} s", flush=True)
                found.append(its)
            _compare(*found, repeats)


def _compare(few: str, many: str, repeats: int) -> None:
    """Ask the two in turn, so that what else the machine does meanwhile slows down both."""
    with _Site(few) as one, _Site(many) as other:
        print("\n| | few, ms | many, ms | ratio | queries |\n| --- | ---: | ---: | ---: | ---: |")
        for name in one.once:
            _print(name, one.once[name], other.once[name])
        for name, queries in one.queries.items():
            times = [(one.ask(name), other.ask(name)) for _ in range(repeats)]
            _print(name, *(min(its) for its in zip(*times, strict=True)), queries, other.queries[name])


def _print(name: str, few: float, many: float, its: int | None = None, queries: int | None = None) -> None:
    ratio = many / few
    told = "" if queries is None else f"{queries}"
    told += "" if its == queries else f" ({its} with few)"
    told += " (!)" if queries is not None and queries > MOST_QUERIES and not name.startswith("duty") else ""
    print(f"| {name} | {few:.1f} | {many:.1f} | {ratio:.2f}{' (!)' if ratio > GOAL else ''} | {told} |", flush=True)


class _Site:
    """A process in which pages of one of the databases are made."""

    def __init__(self, url: str) -> None:
        self._url = url

    def __enter__(self) -> Self:
        self._stack = contextlib.ExitStack()
        self._process = self._stack.enter_context(_process(["-m", "bench.pages", "--measure"], self._url))
        told = json.loads(self._read())
        self.once: dict[str, float] = told["once"]
        self.queries: dict[str, int] = told["queries"]
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def ask(self, name: str) -> float:
        """The milliseconds that it takes once."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{name}\n")
        self._process.stdin.flush()
        return float(self._read())

    def _read(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the process that makes the pages has ended"
        return line


@contextlib.contextmanager
def _process(arguments: list[str], url: str) -> Iterator[subprocess.Popen[str]]:
    with tempfile.TemporaryDirectory() as data:
        more = {
            "DATABASE_URL": url,
            "ARENA_DATA": data,
            "CACHE_URL": "locmemcache://",
            "BROKER_URL": "memory://",
            "OPENBLAS_NUM_THREADS": "1",
        }
        command = [sys.executable, *arguments]
        pipe = subprocess.PIPE
        with subprocess.Popen(command, env=os.environ | more, stdin=pipe, stdout=pipe, text=True) as process:  # noqa: S603
            yield process


def _answer() -> None:
    """In that process: prepare, tell what there is to ask for, and make what is asked for."""
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
    once = {"first fit, all rows read": _took(_fit)}
    _four_more()
    once["a fit again, 4 matches more"] = _took(_fit)
    once["who against whom, a second of it"] = _took(_meet)
    _play_tournaments()
    _count_styles()
    calls = {"nothing new to fit": _fit, **_duties(), **{one.name: _asking(one) for one in _addresses()}}
    print(json.dumps({"once": once, "queries": {name: _queries(call) for name, call in calls.items()}}), flush=True)
    for line in sys.stdin:
        print(_took(calls[line.rstrip("\n")]), flush=True)


def _took(call: Callable[[], object]) -> float:
    """Milliseconds."""
    began = time.perf_counter()
    call()
    return 1000 * (time.perf_counter() - began)


def _queries(call: Callable[[], object]) -> int:
    """How many a call makes that is not the first."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    call()
    with CaptureQueriesContext(connection) as queries:
        call()
    return len(queries)


def _board() -> Any:
    from webapp.matches.models import Ruleset

    return Ruleset.objects.get(key="three_coins/classic")


def _fit() -> None:
    from webapp.ratings.services import refit

    refit(ruleset=_board())


def _four_more() -> None:
    from webapp.matches.made_up import make_up
    from webapp.matches.models import Match
    from webapp.ratings.models import Rating

    make_up(matches=4, versions=Rating.objects.values("version").distinct().count(), seed=Match.objects.count())


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
    from webapp.moderation.models import Watermark
    from webapp.ratings.thinning import thin

    def tick() -> None:
        assert ladder.tick(Random(1)) is not None  # noqa: S311
        Series.objects.filter(state=Series.State.WAITING).update(state=Series.State.CANCELLED)

    def gather() -> None:
        Watermark.objects.all().delete()  # as if none had been looked at
        assert signs.gather(most=20) == 20

    # all of them could be seated
    Bot.objects.update(kind=Bot.Kind.HOSTED)
    Version.objects.filter(source=None).update(source=b"#")
    return {
        "duty: sweep": services.sweep,
        "duty: lines": presence.sweep,
        "duty: a table of the ladder": tick,
        "duty: forget": lambda: retention.forget_logs(older_than=timedelta(days=30)),
        "duty: signs, of 20 series": gather,
        "duty: old prints": addresses.forget_old_prints,
        "duty: thinning": thin,
    }


def _play_tournaments() -> None:
    """A Swiss and a league that were played to their ends, and a Swiss in the middle of its third round."""
    from tests.webapp import cups
    from webapp.bots.models import Bot
    from webapp.tournaments import running, services
    from webapp.tournaments.models import Tournament

    if Tournament.objects.exists():
        return
    bots = list(Bot.objects.filter(name__startswith="seeded-").order_by("id")[:ENTRANTS])

    def begin(name: str, form: str, entrants: list[Bot], **options: int) -> Tournament:
        row = cups.make_cup(form, name=name, **options)
        services.enter_by_hand(tournament=row, bots=entrants, by=cups.organiser())
        services.start(tournament=row, by=cups.organiser())
        return row

    def play(row: Tournament, rounds: int) -> None:
        for _ in range(rounds):
            cups.finish_round(row)
            running.tick()

    play(begin("Swiss", "swiss", bots, rounds=6), 6)
    play(begin("League", "round-robin", bots[:IN_A_LEAGUE]), IN_A_LEAGUE - 1)
    under_way = begin("Running", "swiss", bots, rounds=6)
    play(under_way, 2)
    for table in cups.present(under_way)[: ENTRANTS // 4]:
        cups.finish(table.series)


def _count_styles() -> None:
    """Of as many matches as there are few of: of a million it would take an hour."""
    from webapp.matches.made_up import MATCHES_A_SERIES
    from webapp.matches.models import Block
    from webapp.style import services as style

    while style.count(seconds=0) and Block.objects.filter(counted=True).count() < 1_000 // MATCHES_A_SERIES:
        pass


class Asked(NamedTuple):
    """An address, who asks, and whether only the part that moves is wanted."""

    name: str
    """The same in both databases."""
    address: str
    user: Any = None
    part: bool = False


def _addresses() -> list[Asked]:
    from webapp.matches.models import Entry, Match
    from webapp.ratings.models import HeadToHead
    from webapp.style.models import Tally

    known = HeadToHead.objects.filter(version__in=Tally.objects.values("version")).values("version")
    entry = Entry.objects.filter(bot__house=False, version__in=known).select_related("bot__owner", "match")
    entry = entry.order_by("-id")[0]
    other = Entry.objects.filter(match=entry.match, bot__house=False).exclude(bot=entry.bot).select_related("bot")[0]
    bot, owner, old = entry.bot, entry.bot.owner, Match.objects.order_by("id")[0]
    deep = f"before={old.pk + 200}"
    board, its, ours = "/leaderboards/three_coins/classic/", f"/bots/three_coins/{bot.name}/", f"/my/bots/{bot.pk}/"
    api_board, api_its = "/api/leaderboards/three_coins/classic", f"bot=three_coins/{bot.name}"
    public = {
        "home": "/",
        "leaderboards": "/leaderboards/",
        "leaderboard": board,
        "leaderboard, page 5": f"{board}?page=5",
        "leaderboard, people's hosted ones": f"{board}?who=people&kind=hosted",
        "leaderboard, search": f"{board}?q=seeded-1",
        "leaderboard, by name": f"{board}?sort=name",
        "leaderboard, by score": f"{board}?sort=-score",
        "leaderboard, by last match": f"{board}?sort=-last",
        "leaderboard, around a bot": f"{board}?around={bot.name}",
        "a bot": its,
        "a bot, old matches": f"{its}?{deep}",
        "a bot's feed": f"{its}feed.atom",
        "two bots": f"/compare/three_coins/?a={bot.name}&b={other.bot.name}",
        "newest matches": "/matches/",
        "old matches": f"/matches/?{deep}",
        "newest matches of a ruleset": "/matches/?ruleset=three_coins/classic",
        "newest matches of another": "/matches/?ruleset=three_coins/duel",
        "a match": f"/matches/{old.name}/",
        "a series": f"/series/{old.series_id}/",
        "tournaments": "/tournaments/",
        "Swiss of 64, played": "/tournaments/swiss/",
        "Swiss of 64, running": "/tournaments/running/",
        "round robin of 24, with its crosstable": "/tournaments/league/",
        "its standings as CSV": "/tournaments/swiss/standings.csv",
        "its luck as CSV": "/tournaments/swiss/luck.csv",
        "its feed": "/tournaments/swiss/feed.atom",
        "news as a feed": "/feed.atom",
        "status": "/status/",
        "for monitors": "/healthz",
        "API: leaderboards": "/api/leaderboards",
        "API: leaderboard, all rows": api_board,
        "API: leaderboard, 100 rows": f"{api_board}?page=5",
        "API: leaderboard as CSV": f"{api_board}/csv",
        "API: a bot": f"/api/bots/three_coins/{bot.name}",
        "API: 100 matches": "/api/matches?limit=100",
        "API: matches of a bot": f"/api/matches?{api_its}",
        "API: matches of a bot in a ruleset": f"/api/matches?{api_its}&ruleset=three_coins/classic",
        "API: matches of a bot in another": f"/api/matches?{api_its}&ruleset=three_coins/duel",
        "API: a match": f"/api/matches/{old.name}",
        "API: a series": f"/api/series/{old.series_id}",
        "API: tournaments": "/api/tournaments",
        "API: a tournament": "/api/tournaments/swiss",
    }
    signed_in = {
        "leaderboard, signed in": board,
        "a bot, signed in": its,
        "one's own bots": "/my/bots/",
        "one's own bot": ours,
    }
    parts = {"home": "/", "leaderboard": board, "a running Swiss": "/tournaments/running/", "status": "/status/"}
    return [
        *(Asked(name, address) for name, address in public.items()),
        *(Asked(name, address, user=owner) for name, address in signed_in.items()),
        *(Asked(f"part that moves: {name}", address, part=True) for name, address in parts.items()),
    ]


def _asking(asked: Asked) -> Callable[[], object]:
    from django.core.cache import cache
    from django.test import Client

    client = Client(headers={"HX-Request": "true"} if asked.part else {})
    if asked.user is not None:
        client.force_login(asked.user)

    def ask() -> None:
        cache.clear()  # what is kept for a second for all who watch
        answer = client.get(asked.address)
        assert answer.status_code in (200, 503), (asked, answer.status_code)

    return ask


if __name__ == "__main__":
    main()
