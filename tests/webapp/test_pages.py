"""The public pages: what stands on them, what must not, and what they cost."""

from __future__ import annotations

import re
import struct
from array import array
from collections.abc import Callable
from datetime import timedelta
from itertools import chain
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape

import webapp
from arena.games import GAMES
from tests.webapp.factories import make_bot, make_match, make_ratings, make_ruleset, make_series, make_user
from webapp.bots.models import Bot
from webapp.matches import replay, selectors
from webapp.matches.drawing import DRAWINGS
from webapp.matches.models import Block, Match, Series
from webapp.ratings import influence
from webapp.ratings.models import HeadToHead, Rating, Snapshot, Spread

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _forget() -> None:
    """Pictures and frames are remembered for as long as a process lives."""
    selectors._pictures = selectors._Pictures(2000)
    replay._frames.cache_clear()


DRAWN = sorted(DRAWINGS)
"""The games whose matches can be shown."""


@pytest.fixture
def game() -> str:
    """The game that is played, where a test does not go through all of them."""
    return "three_coins"


@pytest.fixture
def bots(game: str) -> list[Bot]:
    olena = make_user("olena")
    return [
        make_bot("calculator", game=game),
        make_bot("mirror", game=game, owner=olena),
        make_bot("random", game=game),
        make_bot("newcomer", game=game, owner=olena),
    ]


def text_of(client: Client, address: str, status: int = 200) -> str:
    answer = client.get(address)
    assert answer.status_code == status, (address, answer.status_code)
    return str(answer.content, "utf-8")


def every_address(match: Match, bot: Bot) -> list[str]:
    return [
        "/",
        "/leaderboards/",
        f"/leaderboards/{match.ruleset.key}/",
        reverse("bot", args=[bot.game, bot.name]),
        "/matches/",
        f"/matches/{match.name}/",
        f"/matches/{match.name}/step/3/",
        f"/matches/{match.name}/step/3/?as=public",
        f"/matches/{match.name}/step/3/?as=1",
        f"/series/{match.series_id}/",
        "/rules/",
        f"/rules/{bot.game}/",
        "/write/",
        "/status/",
        "/accounts/login/",
        "/accounts/signup/",
        "/accounts/password/reset/",
    ]


# ---- what stands on them -------------------------------------------------------------------------


def test_every_page_answers_without_anything_to_show(client: Client) -> None:
    make_ruleset()
    bot = make_bot("lonely")
    for address in ("/", "/leaderboards/", "/leaderboards/three_coins/classic/", "/matches/", "/status/", "/write/"):
        assert "<h1" in text_of(client, address)
    assert "lonely has no rating yet" in text_of(client, reverse("bot", args=["three_coins", "lonely"]))
    assert bot.name in text_of(client, f"/series/{make_series([bot]).pk}/")


def test_home_shows_what_is_played_and_what_was(client: Client, bots: list[Bot]) -> None:
    match = make_match(bots[:3])
    make_series(bots[1:3], state=Series.State.PLAYING)
    make_ratings(make_ruleset(), [(bots[0], 1200, 20), (bots[1], 1100, 20)])
    page = text_of(client, "/")
    assert "mirror and random" in page
    assert "are playing now" in page
    assert f"/matches/{match.name}/" in page
    assert page.count("signature strip") == 1
    assert "table-wide" in page
    assert "1200 ± 20" in page
    assert "submit a bot" in page


def test_home_refreshes_only_its_middle(client: Client, bots: list[Bot]) -> None:
    make_match(bots[:3])
    part = client.get("/", headers={"HX-Request": "true"})
    assert b"<html" not in part.content
    assert b"<h1" in part.content
    assert "HX-Request" in part["Vary"]


def test_leaderboard_answers_in_words(client: Client, bots: list[Bot]) -> None:
    ruleset = make_ruleset()
    make_ratings(ruleset, [(bots[0], 1312, 15), (bots[1], 1271, 14), (bots[2], 1000, 0), (bots[3], 1290, 120)])
    page = text_of(client, "/leaderboards/three_coins/classic/")
    assert "calculator leads Three Coins classic by 41 ± 21" in page
    assert page.index("mirror") < page.index("random") < page.index("Provisional") < page.index("newcomer")
    assert page.count("estimate-open") == 1
    assert "house" in page
    assert "olena" in page
    Rating.objects.filter(version__bot=bots[1]).update(elo=1305)
    assert "calculator and mirror share the top" in text_of(client, "/leaderboards/three_coins/classic/")


def test_bot_page_says_why_it_is_idle(client: Client, bots: list[Bot]) -> None:
    make_ratings(make_ruleset(), [(bots[1], 1254, 21)])
    make_match(bots[:3])
    address = reverse("bot", args=["three_coins", "mirror"])
    page = text_of(client, address)
    assert "mirror ranks 1 in Three Coins, classic: 1254 ± 21" in page
    assert "by olena" in page
    assert "not connected" in page
    assert page.count('<li class="match">') == 1
    Bot.objects.filter(pk=bots[1].pk).update(state=Bot.State.QUARANTINED, state_reason="Three late answers.")
    assert "quarantined" in text_of(client, address)
    assert "Three late answers." in text_of(client, address)
    assert client.get(reverse("bot", args=["three_coins", "MIRROR"]))["Location"] == address


def test_series_page_lists_broken_blocks_without_their_secrets(client: Client, bots: list[Bot]) -> None:
    series = make_series(bots[:2], state=Series.State.PUT_OFF, note="The worker fell silent.")
    secret = "5e" * 32
    block = {"series": series, "seed": secret, "nonces": ["6f" * 16], "seating": [0, 1], "nonce_hashes": ["aa" * 32]}
    Block.objects.create(**block, number=1, state="broken", reason="a worker was lost", commitment="c1" * 32)
    Block.objects.create(**block, number=2, state="open", commitment="c2" * 32)
    page = text_of(client, f"/series/{series.pk}/")
    assert "c1" * 32 in page
    assert "c2" * 32 in page
    assert "a worker was lost" in page
    assert "The worker fell silent." in page
    assert secret not in page
    assert "6f" * 16 not in page
    assert "hx-get" not in page
    playing = make_series(bots[:2], state=Series.State.PLAYING)
    assert 'hx-trigger="live"' in text_of(client, f"/series/{playing.pk}/")


@pytest.mark.parametrize(
    ("game", "words"),
    [
        ("three_coins", ["Daryna", "Orest"]),
        ("mia", ["43 under the cup"]),
        ("commerce", ["tricon: +4", "0.235 %", "0.199 %", "4.98 %", "takes 4 chips"]),
    ],
)
def test_rules_come_from_the_ruleset(client: Client, game: str, words: list[str]) -> None:
    page = text_of(client, f"/rules/{game}/")
    assert "table-tall" in page
    assert "signature-tall" in page
    for word in (*words, *(escape(option.meaning) for option in GAMES[game].options)):
        assert word in page
    for preset in GAMES[game].presets:
        assert f">{preset.name}</a> {escape(preset.summary)}" in page
    text_of(client, "/rules/poker/", 404)


def test_the_values_of_mia_stand_in_the_order_of_the_rules(client: Client) -> None:
    page = text_of(client, "/rules/mia/")
    usual, meyer, points = re.findall(r'<ol class="values">(.*?)</ol>', page, re.DOTALL)
    values = [re.findall(r"<li><b>(.*?)</b><span>(.*?)</span>", part) for part in (usual, meyer, points)]
    assert [len(part) for part in values] == [21, 21, 15]
    assert values[0][:2] == [("Mia", "6 %"), ("66", "8 %")]
    assert values[0][-1] == ("31", "100 %")
    assert values[1][:3] == [("Mia", "6 %"), ("31", "11 %"), ("66", "14 %")]
    assert dict(values[2])["9 points"] == "44 %"
    assert "The order in meyer" in page
    assert "The order in sum" in page


@pytest.mark.parametrize("preset", [preset.name for preset in GAMES["mia"].presets])
def test_mia_is_on_every_page(client: Client, preset: str) -> None:
    bots = [make_bot(name, game="mia") for name in ("calculator", "honest", "random")]
    ruleset = make_ruleset(preset, game="mia")
    match = make_match(bots, ruleset=ruleset, seed=7)
    make_ratings(ruleset, [(bots[0], 1300, 20), (bots[1], 1100, 20), (bots[2], 1000, 20)])
    for address in every_address(match, bots[0]):
        assert "<h1" in text_of(client, address)
    page = text_of(client, f"/matches/{match.name}/")
    assert f"Mia, {preset}" in page
    assert "The ladder of lies, round" in page
    assert "did not look" in page
    assert "✓ verified" in page
    best = match.entries.get(place=1).bot.name
    assert re.search(f"<h1[^>]*>{best} wins: ", page)
    assert f"{best} beats" in text_of(client, "/matches/")
    assert "announcements climb" in text_of(client, f"/matches/?ruleset=mia/{preset}")
    assert f"calculator leads Mia {preset} by 200" in text_of(client, f"/leaderboards/mia/{preset}/")


@pytest.mark.parametrize("preset", [preset.name for preset in GAMES["commerce"].presets])
def test_commerce_is_on_every_page(client: Client, preset: str) -> None:
    bots = [make_bot(name, game="commerce") for name in ("calculator", "honest", "random")]
    ruleset = make_ruleset(preset, game="commerce")
    match = make_match(bots, ruleset=ruleset, seed=7)
    make_ratings(ruleset, [(bots[0], 1300, 20), (bots[1], 1100, 20), (bots[2], 1000, 20)])
    for address in every_address(match, bots[0]):
        assert "<h1" in text_of(client, address)
    page = text_of(client, f"/matches/{match.name}/")
    assert f"Commerce, {preset}" in page
    assert "The market, hand" in page
    first = list(match.entries.filter(place=1).order_by("seat"))
    wins = "wins" if len(first) == 1 else "share the first place"
    assert re.search(
        rf"<h1[^>]*>{' and '.join(entry.bot.name for entry in first)} {wins}: (took the last |\d+ chips)", page
    )
    assert re.search(r"takes \d+ with (a (poen|terz|tricon) of|\d+ points?)", page)
    assert "the pot grows from circle to circle" in text_of(client, f"/matches/?ruleset=commerce/{preset}")
    assert f"calculator leads Commerce {preset} by 200" in text_of(client, f"/leaderboards/commerce/{preset}/")


def test_no_page_asks_again_and_again() -> None:
    """Whatever moves is told; `live.js` alone looks now and then, where nothing streams."""
    templates = [*Path(webapp.__file__).parent.rglob("*.html")]
    assert len(templates) > 100
    assert [path.name for path in templates if re.search(r'hx-trigger="[^"]*every', path.read_text())] == []


def test_status_shows_a_ladder_that_stands_still(client: Client, bots: list[Bot]) -> None:
    assert "Nothing waits" in text_of(client, "/status/")
    series = make_series(bots[:2], state=Series.State.WAITING, started=None, finished=None)
    assert client.get("/healthz").json()["ok"] is True
    Series.objects.filter(pk=series.pk).update(created=timezone.now() - timedelta(hours=1))
    assert "stands still" in text_of(client, "/status/")
    health = client.get("/healthz")
    assert health.status_code == 503
    assert health.json() == {
        "ok": False,
        "database": True,
        "newest_match_age_seconds": None,
        "waiting": 1,
        "stalled": True,
        "streaming": False,
    }
    make_match(bots[:2])
    assert client.get("/healthz").status_code == 200


def test_pages_that_are_not_there(client: Client) -> None:
    for address in ("/nothing/", "/matches/m-0/", "/series/9/", "/bots/three_coins/nobody/", "/leaderboards/mia/no/"):
        assert "There is no such page" in text_of(client, address, 404)
    for address in ("/matches/?before=x", "/matches/?ruleset=none", "/matches/?before=" + "9" * 30):
        text_of(client, address, 404)


# ---- lists ---------------------------------------------------------------------------------------


def walk(client: Client, address: str) -> list[list[str]]:
    """The names of the matches on every page of a list, by its links."""
    pages = []
    while True:
        page = text_of(client, address)
        pages.append(re.findall(r'class="whole" href="/matches/(m-[0-9a-f]+)/"', page))
        older = re.search(r'<a rel="next" href="([^"]+)"', page)
        if older is None:
            return pages
        query = older[1].replace("&amp;", "&")
        address = query if query.startswith("/") else address.split("?")[0] + query


def test_lists_are_paged_by_id(client: Client, bots: list[Bot]) -> None:
    duel = make_ruleset("duel")
    made = [make_match(bots[:2], ruleset=duel if i % 5 == 0 else None).name for i in range(45)]
    assert walk(client, "/matches/") == [made[:24:-1], made[24:4:-1], made[4::-1]]
    assert walk(client, "/matches/?ruleset=three_coins/duel") == [made[40::-5]]
    assert list(chain(*walk(client, "/bots/three_coins/mirror/"))) == made[::-1]


def test_a_bots_page_tells_how_it_went_and_against_whom(client: Client, bots: list[Bot]) -> None:
    board = make_ruleset()
    for day, elo in enumerate((1150, 1180, 1200)):
        make_ratings(board, [(bots[1], elo, 20), (bots[0], 1100, 20)])
        newest = Snapshot.objects.latest("id")
        Snapshot.objects.filter(pk=newest.pk).update(created=timezone.now() - timedelta(days=5 - day))
    mine, its = bots[1].active_version, bots[0].active_version
    assert mine is not None
    assert its is not None
    against = HeadToHead.objects.create(
        ruleset=board, version=mine, matches=20, opponents=3, computed=timezone.now(),
        rows=[[its.pk, 40, 0.4, 0.25, 0.55, 0.64, -3.1]], nemesis=[its.pk, -3.1, 0.002],
    )  # fmt: skip
    page = text_of(client, reverse("bot", args=["three_coins", "mirror"]))
    assert 'aria-label="Elo from 1150 to 1200"' in page
    assert len(re.findall(r'<tr><th scope="row">\d+ ', page)) == 3  # the same as numbers
    assert "Its nemesis is calculator: it scores 40 % against it, where 64 % were to be expected." in page
    assert "25 % – 55 %" in page
    assert "\N{MINUS SIGN}3.1" in page
    assert "It has met 2 others, too." in page
    assert "influence" not in page
    won, lost = (make_match(bots[:2], ruleset=board) for _ in range(2))
    against.newest = struct.pack("<qfqf", won.pk, 12.3, lost.pk, -0.456)
    against.extremes = [[won.pk, 12.3], [lost.pk, -0.456]]
    influence.describe([against])
    against.save()
    page = text_of(client, reverse("bot", args=["three_coins", "mirror"]))
    assert page.count("+12<") == page.count("\N{MINUS SIGN}0.46<") == 2  # among the best and worst, and in the list
    assert "Best and worst matches, classic" in page
    page = text_of(client, f"/matches/{won.name}/")
    assert page.count("influence <strong>") == page.count("influence <strong>+12<") == 1  # what is kept of whom
    assert "influence" not in text_of(client, f"/matches/{won.name}/?spoiler=0")
    Match.objects.filter(pk=won.pk).update(voided=True)
    assert "influence" not in text_of(client, f"/matches/{won.name}/")
    Match.objects.filter(pk=won.pk).update(voided=False)
    older = text_of(client, f"/bots/three_coins/mirror/?before={lost.pk + 1}")
    assert "influence <strong>+12</strong>" in older
    assert "Influence is kept of its newest 500 rated matches" in older
    HeadToHead.objects.filter(pk=against.pk).update(nemesis=[its.pk, -0.8, 0.6])
    page = text_of(client, reverse("bot", args=["three_coins", "mirror"]))
    assert "nemesis" not in page
    assert "falls short most against calculator" in page
    # a nemesis that it has met more rarely than all that the table shows
    others = [make_bot(f"other{number}").active_version for number in range(12)]
    rows = [[one.pk, 90, 0.5, 0.4, 0.6, 0.5, 0.0] for one in others if one is not None]
    HeadToHead.objects.filter(pk=against.pk).update(rows=[*rows, *against.rows], nemesis=against.nemesis, opponents=13)
    page = text_of(client, reverse("bot", args=["three_coins", "mirror"]))
    assert "Its nemesis is calculator" in page
    assert "?a=mirror&amp;b=other11" in page
    assert "?a=mirror&amp;b=calculator" not in page
    assert "It has met 1 other, too." in page


def test_a_bot_that_is_shut_out_is_said_to_be_so_while_it_still_sits_at_a_table(
    client: Client, bots: list[Bot]
) -> None:
    make_series(bots[:2], state=Series.State.PLAYING)
    address = reverse("bot", args=["three_coins", "mirror"])
    assert "It is playing now." in text_of(client, address)
    Bot.objects.filter(pk=bots[1].pk).update(state=Bot.State.QUARANTINED)
    assert "It does not play: it is quarantined." in text_of(client, address)


def test_two_bots_side_by_side(client: Client, bots: list[Bot]) -> None:
    board = make_ruleset()
    address = "/compare/three_coins/?a=mirror&b=calculator"
    assert "stand on no leaderboard together" in text_of(client, address)
    make_ratings(board, [(bots[1], 1200, 20), (bots[0], 1100, 20)])
    one, other = sorted([bots[0].active_version_id or 0, bots[1].active_version_id or 0])
    Spread.objects.create(
        ruleset=board,
        versions=array("q", [one, other]).tobytes(),
        deviations=array("f", [0, 100, 100, 0]).tobytes(),
    )
    page = text_of(client, address)
    assert "mirror is better than calculator with a probability of 84 %" in page  # one standard deviation
    assert "+100" in page
    assert "± 196" in page
    assert "mirror is better than calculator with a probability of 84 %" in text_of(
        client, "/compare/three_coins/?a=calculator&b=mirror"
    )
    assert "Which of two bots is better?" in text_of(client, "/compare/three_coins/")
    for wrong in ("three_coins/?a=mirror&b=nobody", "chess/", "three_coins/?a=%00&b=%00x"):
        text_of(client, "/compare/" + wrong, 404)


# ---- what must not stand on them -----------------------------------------------------------------


@pytest.mark.parametrize("game", DRAWN)
def test_pages_obey_the_policy(client: Client, bots: list[Bot]) -> None:
    match = make_match(bots[:3], leaves=5)
    make_ratings(match.ruleset, [(bots[0], 1200, 20), (bots[1], 1100, 100)])
    for address in [*every_address(match, bots[0]), "/nothing/"]:
        answer = client.get(address)
        page = str(answer.content, "utf-8")
        policy = answer["Content-Security-Policy"]
        assert "unsafe" not in policy
        assert "default-src 'none'" in policy
        assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:", page), address
        assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", page)), address
        elsewhere = page.replace(settings.ARENA_BASE_URL, "")
        assert not re.search(r'(?:src|href)="(?:https?:)?//', elsewhere), address
        assert len(re.findall(r"<h1[ >]", page)) == 1, address


@pytest.mark.parametrize("game", DRAWN)
def test_names_are_escaped_everywhere(client: Client, game: str) -> None:
    evil = "<img src=x onerror=alert(1)>\"'&"
    owner = make_user()
    bots = [make_bot(evil, game=game, owner=owner, about=evil), make_bot("b-" + evil, game=game, owner=owner)]
    Bot.objects.update(state_reason=evil)
    make_ratings(make_ruleset(game=game), [(bots[0], 1200, 20), (bots[1], 1100, 20)])
    series = make_series(bots, state=Series.State.PLAYING, note=evil)
    match = make_match(bots, leaves=2)
    Block.objects.create(
        series=series, number=1, state="broken", reason=evil, commitment=evil[:64], seed="", nonce_hashes=[evil],
        nonces=[], seating=[0, 1],
    )  # fmt: skip
    addresses = [*every_address(match, bots[0]), f"/series/{series.pk}/", f"/matches/{match.name}/step/1/?as=0"]
    pages = {address: text_of(client, address) for address in addresses}
    for address, page in pages.items():
        assert "<img" not in page, address
    assert escape(evil) in pages[f"/matches/{match.name}/"]


CLOSED_ONLY: list[Callable[[Match, Bot], str]] = [
    lambda match, bot: "/",
    lambda match, bot: "/matches/",
    lambda match, bot: f"/matches/{match.name}/",
    lambda match, bot: f"/series/{match.series_id}/",
    lambda match, bot: reverse("bot", args=[bot.game, bot.name]),
]


@pytest.mark.parametrize("game", DRAWN)
@pytest.mark.parametrize("state", [Block.State.OPEN, Block.State.BROKEN])
def test_nothing_of_a_record_is_shown_before_its_block_is_closed(
    client: Client, bots: list[Bot], state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = make_match(bots[:3], state=state)
    block = match.block

    def refuse(*_: object) -> None:
        raise AssertionError("a record was read")

    monkeypatch.setattr("arena.record.read", refuse)
    monkeypatch.setattr("zlib.decompress", refuse)
    for make in CLOSED_ONLY:
        page = text_of(client, make(match, bots[0]))
        assert "<svg" not in page
        assert block.seed not in page
        assert not any(nonce in page for nonce in block.nonces)
    for rest in ("step/0/", "step/3/?as=public", "record.json"):
        text_of(client, f"/matches/{match.name}/{rest}", 404)
    assert "replay opens when" in text_of(client, f"/matches/{match.name}/") or state == Block.State.BROKEN


def test_the_record_is_downloaded_as_it_was_written(client: Client, bots: list[Bot]) -> None:
    from arena import record, verify

    match = make_match(bots[:3])
    answer = client.get(f"/matches/{match.name}/record.json")
    assert answer["Content-Disposition"] == f'attachment; filename="{match.name}.json"'
    read = record.read(answer.content)
    verify.verify(read)
    verify.check_name(read, match.record_name)


def test_pages_of_an_author_are_offered_to_him_only(client: Client, bots: list[Bot]) -> None:
    address = reverse("bot", args=["three_coins", "mirror"])
    assert "/my/bots/" not in text_of(client, address)
    assert bots[1].owner is not None
    client.force_login(bots[1].owner)
    assert f"/my/bots/{bots[1].pk}/" in text_of(client, address)
