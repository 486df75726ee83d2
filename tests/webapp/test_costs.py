"""What pages cost: how often they ask the database, with little and with much to show.

A page asks nine times at most, whatever has been played; for who is signed in twice more, as to who that is. Pictures
of matches are kept by a process: here, none is.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.webapp import cups
from tests.webapp.factories import make_bot, make_match, make_ratings, make_ruleset, make_series, make_user
from tests.webapp.making import make_house_bot, make_line
from webapp.bots.models import Bot
from webapp.matches import selectors
from webapp.matches.models import Entry, EntryLog, Match, Ruleset, Series
from webapp.ratings import influence
from webapp.ratings.models import HeadToHead
from webapp.style import services as style
from webapp.tournaments import running, services
from webapp.tournaments.models import Tournament

pytestmark = pytest.mark.django_db

MOST = 9
WHO = 2
"""The session, and whose it is."""

PUBLIC = (
    "/",
    "/matches/",
    "/matches/?ruleset=three_coins/classic",
    "/matches/{match}/",
    "/bots/three_coins/mirror/",
    "/bots/three_coins/shaky/",
    "/bots/three_coins/mirror/?before=1000000",
    "/bots/three_coins/mirror/feed.atom",
    "/compare/three_coins/?a=mirror&b=calculator",
    "/leaderboards/three_coins/classic/",
    "/leaderboards/three_coins/classic/?q=r&who=people&kind=remote&state=settled&sort=-score",
    "/leaderboards/",
    "/series/{series}/",
    "/status/",
    "/api/leaderboards",
    "/api/leaderboards/three_coins/classic",
    "/api/leaderboards/three_coins/classic?page=1",
    "/api/leaderboards/three_coins/classic/csv",
    "/api/bots/three_coins/mirror",
    "/api/matches",
    "/api/matches?bot=three_coins/mirror&ruleset=three_coins/classic",
    "/api/series/{series}",
)

OWN = ("/my/bots/", "/my/bots/{mirror}/", "/my/bots/{stored}/")
"""These may ask nine times with who that is."""


KNOWN = ("/", "/bots/three_coins/mirror/", "/bots/three_coins/shaky/", "/leaderboards/three_coins/classic/", "/status/")
"""Public pages that tell who is signed in something more."""


def costs(addresses: Iterable[str], client: Client | None = None, **names: object) -> dict[str, int]:
    """How often each of these asks."""
    found = {}
    for address in addresses:
        selectors._pictures = selectors._Pictures(2000)
        cache.clear()
        with CaptureQueriesContext(connection) as queries:
            answer = (client or Client()).get(address.format(**names))
        assert answer.status_code == 200, (address, answer.status_code)
        found[address] = len(queries)
    return found


@pytest.fixture
def bots() -> list[Bot]:
    olena = make_user("olena")
    made = [
        make_bot("calculator"),
        make_bot("mirror", owner=olena),
        make_bot("random"),
        make_bot("stored", owner=olena),
    ]
    made.append(make_bot("shaky", owner=make_user("petro")))
    Bot.objects.filter(name="mirror").update(kind=Bot.Kind.REMOTE)
    return made


def grow(bots: list[Bot], board: Ruleset, series: Series, times: int) -> None:
    """As much more of everything that these pages show."""
    for _ in range(times):
        make_match(bots[:4])
        make_match(bots[:3], series=series, number=series.matches.count() + 1)
        make_match([bots[0], bots[4]])
        for state in (Series.State.PLAYING, Series.State.WAITING, Series.State.PUT_OFF):
            make_series(bots[:3], state=state)
    more = [make_bot(f"{Bot.objects.count()}", owner=bots[1].owner) for _ in range(times)]
    for _ in range(times):
        make_ratings(board, [(bot, 1000 + bot.pk, 20) for bot in [*bots, *more]])
    for bot in bots:
        assert bot.active_version is not None
        head, _new = HeadToHead.objects.update_or_create(
            ruleset=board,
            version=bot.active_version,
            defaults={
                "matches": times,
                "opponents": len(more),
                "rows": [[one.active_version_id, 9, 0.4, 0.3, 0.5, 0.5, -1.5] for one in more],
                "nemesis": [more[0].active_version_id, -1.5, 0.04],
                "extremes": [[pk, 2.5] for pk in Match.objects.order_by("-id").values_list("id", flat=True)[:6]],
                "computed": timezone.now(),
            },
        )
        influence.describe([head])
        head.save()
    style.count(seconds=0)
    faulty = Entry.objects.filter(bot=bots[4])
    faulty.update(fault="late")
    EntryLog.objects.bulk_create(EntryLog(entry=entry) for entry in Entry.objects.filter(bot__in=bots[1:], log=None))
    Bot.objects.filter(pk=bots[4].pk).update(
        state=Bot.State.QUARANTINED, faulty_series=list(faulty.values_list("match__series", flat=True))
    )


def test_what_is_asked_does_not_grow(bots: list[Bot]) -> None:
    """None of it is asked for a match, a bot, a fit or a leaderboard."""
    series, board, owner = make_series(bots[:3]), make_ruleset(), bots[1].owner
    make_ruleset("duel")
    assert owner is not None
    client = Client()
    client.force_login(owner)

    def cost(client: Client | None, addresses: Iterable[str]) -> dict[str, int]:
        match = series.matches.latest("id").name
        names = {"series": series.pk, "match": match, "mirror": bots[1].pk, "stored": bots[3].pk}
        return costs(addresses, client, **names)

    grow(bots, board, series, 2)
    few = cost(None, PUBLIC), cost(client, OWN)
    grow(bots, board, series, 6)
    many = cost(None, PUBLIC), cost(client, OWN)
    assert few == many
    assert {address: number for address, number in (many[0] | many[1]).items() if number > MOST} == {}
    known = cost(client, KNOWN)
    assert {address: number for address, number in known.items() if number > MOST + WHO} == {}


def test_an_author_whose_bot_waits(bots: list[Bot]) -> None:
    """What is told then is most: who could be met, and why nobody is."""
    mirror = Bot.objects.get(name="mirror")
    assert mirror.owner is not None
    make_match(bots[:3])
    make_line(mirror)
    client = Client()
    client.force_login(mirror.owner)
    assert costs(OWN[1:2], client, mirror=mirror.pk)[OWN[1]] <= MOST


def test_tournaments() -> None:
    """Their rounds, tables and entrants are read once, whatever is told of them."""
    bots = [make_house_bot(name) for name in cups.NAMES]

    def begin(form: str, name: str, entrants: int) -> Tournament:
        row = cups.make_cup(form, name=name)
        cups.enter(row, bots[:entrants])
        services.start(tournament=row, by=cups.organiser())
        return row

    def play(row: Tournament) -> None:
        while row.state == Tournament.State.RUNNING:
            cups.finish_round(row)
            running.tick()
            row.refresh_from_db()

    def cost(names: str) -> dict[str, int]:
        found = {}
        for name in names.split():
            base = f"/tournaments/{name}/"
            parts = (base, f"{base}standings.csv", f"{base}luck.csv", f"{base}feed.atom", f"/api/tournaments/{name}")
            found |= costs(parts)
        return found

    for entrants in (4, 6):
        play(begin("round-robin", f"League{entrants}", entrants))
        play(begin("single", f"Knockout{entrants}", entrants))
        under_way = begin("swiss", f"Swiss{entrants}", entrants)
        cups.finish_round(under_way)
        running.tick()
        for table in cups.present(under_way)[: entrants // 4]:
            cups.finish(table.series)
    few, many = cost("league4 knockout4 swiss4"), cost("league6 knockout6 swiss6")
    assert list(few.values()) == list(many.values())
    listed = costs(["/tournaments/", "/", "/feed.atom", "/api/tournaments"])
    assert {address: number for address, number in (many | listed).items() if number > MOST} == {}
