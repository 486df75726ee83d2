"""What a leaderboard shows: a part of its rows, in an order, the same on its page, as JSON and as CSV."""

from __future__ import annotations

import csv
import io

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.webapp.factories import make_bot, make_match, make_ratings, make_ruleset, make_user
from webapp.bots.models import Bot, Version
from webapp.matches import organisers
from webapp.matches.models import Block
from webapp.ratings import board as boards
from webapp.ratings.models import Rating
from webapp.style import services
from webapp.style.models import Tally
from webapp.style.selectors import style_of

pytestmark = pytest.mark.django_db

PAGE = "/leaderboards/three_coins/classic/"
API = "/api/leaderboards/three_coins/classic"


@pytest.fixture
def bots() -> dict[str, Bot]:
    """Four settled ones and a provisional one, which is above them."""
    ada = make_user("ada")
    made = {
        "random": make_bot("random"),
        "honest": make_bot("honest"),
        "Alpha": make_bot("Alpha", owner=ada),
        "zeta": make_bot("zeta", owner=ada),
        "new": make_bot("new", owner=make_user("=cmd")),
    }
    rated = [("random", 1000.0, 0.0), ("honest", 1100.0, 20.0), ("Alpha", 1050.0, 25.0), ("zeta", 1200.0, 30.0)]
    make_ratings(
        make_ruleset(), [*((made[name], elo, half) for name, elo, half in rated), (made["new"], 1300.0, 200.0)]
    )
    return made


def names(query: str = "") -> list[str]:
    """The bots that the page, the JSON and the CSV show, which must be the same."""
    response = Client().get(PAGE + query)
    assert response.status_code == 200
    shown = [one.row.bot.name for _name, rows in response.context["parts"] for one, _bar, _trend in rows]
    by_json = [row["bot"]["name"] for row in Client().get(API + query).json()["rows"]]
    table = list(csv.DictReader(io.StringIO(Client().get(f"{API}/csv{query}").content.decode())))
    assert shown == by_json == [row["bot"] for row in table]
    return shown


def test_parts_and_orders(bots: dict[str, Bot]) -> None:
    assert names() == ["zeta", "honest", "Alpha", "random", "new"]
    assert names("?who=people") == ["zeta", "Alpha", "new"]
    assert names("?who=house&kind=hosted") == ["honest", "random"]
    assert names("?kind=remote&state=settled") == ["zeta", "Alpha"]
    assert names("?state=provisional") == ["new"]
    assert names("?q=AL") == ["Alpha"]
    assert names("?q=ada&sort=elo") == ["Alpha", "zeta"]
    assert names("?sort=name") == ["Alpha", "honest", "random", "zeta", "new"]
    assert names("?q=%25") == names("?q=nobody") == []
    for wrong in ("?who=x&sort=version__source&page=x", "?page=0", "?page=99999", "?q=%00", "?sort=--elo"):
        assert Client().get(PAGE + wrong).status_code == 200
    page = Client().get(PAGE).content.decode()
    assert "Provisional" in page
    assert 'href="?sort=name"' in page


def test_a_formula_is_no_formula(bots: dict[str, Bot]) -> None:
    table = list(csv.DictReader(io.StringIO(Client().get(f"{API}/csv?state=provisional").content.decode())))
    assert table[0]["author"] == "'=cmd"


def test_pages_and_around(bots: dict[str, Bot], monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (boards, "webapp.ratings.views"):
        target = module if isinstance(module, str) else module.__name__
        monkeypatch.setattr(f"{target}.PAGE", 2)
    assert Client().get(PAGE + "?page=2").context["board"].page == 2
    assert names("?page=2") == ["Alpha", "random"]
    assert names("?page=3") == ["new"]
    client = Client()
    assert "around=" not in client.get(PAGE).content.decode()
    client.force_login(bots["Alpha"].owner)
    page = client.get(PAGE).content.decode()
    assert f"around=Alpha#bot-{bots['Alpha'].pk}" in page
    around = client.get(PAGE + "?around=Alpha").content.decode()
    assert f'id="bot-{bots["Alpha"].pk}" class="mine"' in around
    response = client.get(PAGE + "?around=Alpha", headers={"HX-Request": "true"})
    assert response["HX-Push-Url"] == PAGE + "?page=2"


def test_queries_are_few_whatever_there_is(bots: dict[str, Bot]) -> None:
    client = Client()
    client.force_login(bots["Alpha"].owner)
    client.get(PAGE)
    with CaptureQueriesContext(
        connection,
    ) as few:
        client.get(PAGE)
    more = [make_bot(f"m{number}", owner=make_user(f"u{number}")) for number in range(20)]
    for _ in range(5):
        make_ratings(make_ruleset(), [(bot, 1000.0 + n, 20.0) for n, bot in enumerate([*bots.values(), *more])])
    with CaptureQueriesContext(connection) as many:
        page = client.get(PAGE).content.decode()
    assert len(many) == len(few) < 10
    assert page.count('class="trend"') == 25


def test_what_is_counted_is_shown_and_counted_once(bots: dict[str, Bot]) -> None:
    played = [make_match([bots["Alpha"], bots["zeta"], bots["honest"]], seed=seed) for seed in range(4)]
    hidden = make_match([bots["Alpha"], bots["zeta"], bots["honest"]], seed=9)
    Block.objects.filter(pk=hidden.block_id).update(state=Block.State.OPEN)
    assert services.count() == 4
    assert services.count() == 0
    assert services.check() == []
    tally = Tally.objects.get(version=bots["Alpha"].active_version)
    entries = [match.entries.get(bot=bots["Alpha"]) for match in played]
    assert (tally.matches, tally.most) == (4, 16)
    others = [other for match in played for other in match.entries.exclude(bot=bots["Alpha"])]
    mine = {entry.match_id: entry.place for entry in entries}
    assert tally.points == sum(
        1 + (mine[one.match_id] < one.place) - (mine[one.match_id] > one.place) for one in others
    )
    row = next(row for row in Client().get(API).json()["rows"] if row["bot"]["name"] == "Alpha")
    assert (row["score"], row["faulty"]) == (tally.points / 16, 0)
    Block.objects.filter(pk=hidden.block_id).update(state=Block.State.CLOSED)
    assert services.count() == 1
    before = list(Tally.objects.order_by("version").values("matches", "points", "most", "sums", "last_played"))
    by = make_user("org")
    by.is_staff = True
    organisers.void_matches(matches=played[:2], by=by)
    assert Tally.objects.get(pk=tally.pk).matches == 3
    assert services.check() == []
    organisers.restore_matches(matches=played[:1], by=by)
    assert services.check() == []
    organisers.restore_matches(matches=played[1:2], by=by)
    assert list(Tally.objects.order_by("version").values("matches", "points", "most", "sums", "last_played")) == before
    Tally.objects.filter(pk=tally.pk).update(matches=99)
    assert len(services.check()) == 1
    assert services.rebuild() == 5
    assert list(Tally.objects.order_by("version").values("matches", "points", "most", "sums", "last_played")) == before


def test_unrated_matches_are_not_counted(bots: dict[str, Bot]) -> None:
    make_match([bots["Alpha"], bots["zeta"]], rated=False)
    assert services.count() == 1
    assert not Tally.objects.exists()


def test_style_stands_against_the_field(bots: dict[str, Bot]) -> None:
    for seed in range(12):
        make_match([bots["Alpha"], bots["zeta"], bots["honest"]], seed=seed)
    services.count(seconds=60)
    ruleset, version = make_ruleset(), bots["Alpha"].active_version
    assert version is not None
    found = style_of(ruleset=ruleset, versions=[version])
    assert found is not None
    assert (found.matches, found.others) == (12, 2)
    sums = Tally.objects.get(version=version).sums
    hides = next(strip for strip in found.strips if strip.name == "Hides")
    assert hides.values == (sums["hidden"] / sums["owned"],)
    page = Client().get("/bots/three_coins/Alpha/").content.decode()
    assert "How it plays, classic" in page
    assert "Also by ada" in page
    assert "equilibrium" not in page
    exact = make_bot("equilibrium", house=True)
    for seed in range(12):
        make_match([bots["Alpha"], exact], seed=seed)
    services.count(seconds=60)
    found = style_of(ruleset=ruleset, versions=[version])
    assert found is not None
    sums = Tally.objects.get(version=exact.active_version).sums
    hides = next(strip for strip in found.strips if strip.name == "Hides")
    assert hides.best == sums["hidden"] / sums["owned"]
    page = Client().get("/bots/three_coins/Alpha/").content.decode()
    assert f"equilibrium {100 * hides.best:.0f} %" in page  # for who does not see the triangle
    assert '<th scope="col" class="num">equilibrium</th>' in page
    make_ratings(ruleset, [(bots["Alpha"], 1050.0, 25.0), (bots["zeta"], 1200.0, 30.0)])
    assert style_of(ruleset=ruleset, versions=[Version(pk=0)]) is None


def test_the_answer_is_not_the_anchor_because_it_alone_is_settled(bots: dict[str, Bot]) -> None:
    Rating.objects.exclude(half_width=0).update(provisional=True)
    assert Client().get(PAGE).context["answer"] == "new is ahead in Three Coins classic, but no rating is settled yet"
    assert names() == ["new", "zeta", "honest", "Alpha", "random"]


def test_language_is_what_is_known(bots: dict[str, Bot]) -> None:
    Version.objects.filter(bot=bots["zeta"]).update(software="node 22.1.0")
    rows = {row["bot"]["name"]: row["language"] for row in Client().get(API).json()["rows"]}
    assert (rows["honest"], rows["zeta"], rows["Alpha"]) == ("Python", "JavaScript", None)


def test_what_is_said_to_one_visitor_is_not_shown_to_others(bots: dict[str, Bot]) -> None:
    """Who has just signed out has no session, and a page waits in a cookie to say so."""
    leaving, stranger = Client(), Client()
    leaving.force_login(make_user("leaving"))
    leaving.post("/accounts/logout/")
    assert leaving.cookies.pop(settings.SESSION_COOKIE_NAME).value == ""  # so browsers forget it
    assert leaving.cookies["messages"].value
    for client, told in ((leaving, True), (stranger, False)):
        answer = client.get(PAGE, headers={"HX-Request": "true"}).content.decode()
        assert ("You have signed out." in answer) == told


def test_what_strangers_look_at_again_is_made_once_a_second(bots: dict[str, Bot]) -> None:
    def again(client: Client, trigger: str = "rows") -> tuple[bytes, str | None, int]:
        with CaptureQueriesContext(connection) as asked:
            answer = client.get(f"{PAGE}?sort=name", headers={"HX-Request": "true", "HX-Trigger": trigger})
        assert set(answer["Vary"].split(", ")) >= {"HX-Request", "Cookie"}
        return answer.content, answer.get("HX-Push-Url"), len(asked)

    first, pushed, cost = again(Client())
    assert (pushed, cost > 0) == (None, True), "who renews its rows stays where it is"
    assert again(Client()) == (first, None, 0)
    form = again(Client(), "")
    assert form[1:] == (f"{PAGE}?sort=name", cost)
    assert again(Client(), "") == (form[0], form[1], 0), "its address is told, too"
    person = Client()
    person.force_login(make_user("olena"))
    assert again(person)[2] > 0, "what somebody with a session sees is his own"


def test_new_sums_are_written_in_one_order_so_that_two_who_count_do_not_wait_for_each_other() -> None:
    row, now = make_ruleset(), timezone.now()
    versions = [make_bot(name).active_version for name in ("anna", "boris")]
    keys = [(row.pk, version.pk) for version in versions if version is not None]
    for order in (keys, keys[::-1]):
        Tally.objects.all().delete()
        services._add({key: services.Counted(now) for key in order}, 1)
        assert list(Tally.objects.order_by("pk").values_list("version_id", flat=True)) == [key[1] for key in keys]
