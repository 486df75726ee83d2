"""Feeds: valid, the same for everybody, small, and silent about what nobody may know yet."""

from __future__ import annotations

from datetime import timedelta

import feedparser
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from tests.webapp.cups import begun, finish_round, make_cup, organiser
from tests.webapp.making import (
    make_block,
    make_bot,
    make_house_bot,
    make_match,
    make_private,
    make_series,
    make_user,
    text_of,
)
from webapp.bots.models import Bot, Version
from webapp.feeds.atom import MOST
from webapp.matches.models import Block, Match
from webapp.tournaments import running, services
from webapp.tournaments.models import Tournament

pytestmark = pytest.mark.django_db

RESULTS = "/bots/three_coins/mirror/feed.atom"


def read(address: str, client: Client | None = None) -> feedparser.FeedParserDict:
    answer = (client or Client()).get(address)
    assert answer.status_code == 200, answer.status_code
    assert answer["Content-Type"] == "application/atom+xml; charset=utf-8"
    found = feedparser.parse(answer.content, response_headers={"content-type": answer["Content-Type"]})
    assert not found.bozo, found.get("bozo_exception")
    assert found.version == "atom10"
    assert found.feed.id.startswith("tag:127.0.0.1,2026:")
    assert found.feed.author == "Bluff Arena"
    assert found.feed.updated_parsed is not None
    assert [link.href for link in found.feed.links if link.rel == "self"] == [f"http://127.0.0.1:8000{address}"]
    for entry in found.entries:
        assert entry.id.startswith("tag:127.0.0.1,2026:")
        assert entry.link.startswith("http://127.0.0.1:8000/")
        assert entry.updated_parsed is not None
    return found


@pytest.fixture
def mirror() -> Bot:
    return make_bot(make_user())


@pytest.fixture
def table(mirror: Bot) -> list[Version]:
    assert mirror.active_version is not None
    return [make_house_bot("honest"), mirror.active_version]


def test_a_bots_results_are_told_the_newest_first(mirror: Bot, table: list[Version]) -> None:
    first, second = make_match(table, (2, 1)), make_match(table, (1, 2))
    found = read(RESULTS)
    assert found.feed.title == "Results of mirror"
    assert [entry.title for entry in found.entries] == ["honest beats mirror", "mirror beats honest"]
    assert [entry.id.rpartition("/")[2] for entry in found.entries] == [second.name, first.name]
    assert found.entries[0].summary == "Three Coins, classic · mirror: place 2 of 2"
    assert found.entries[0].link.endswith(f"/matches/{second.name}/")


def test_a_bot_without_results_has_a_feed_that_does_not_change(mirror: Bot) -> None:
    found, again = read(RESULTS), read(RESULTS)
    assert not found.entries
    assert found.feed.updated == again.feed.updated


def test_a_result_is_told_once_its_replay_may_be_opened(table: list[Version]) -> None:
    series = make_series(table, planned=2)
    block = make_block(series, state=Block.State.OPEN)
    match = make_match(table, series=series, block=block)
    assert not read(RESULTS).entries
    Block.objects.filter(pk=block.pk).update(state=Block.State.BROKEN)
    assert not read(RESULTS).entries
    closed = timezone.now()
    Block.objects.filter(pk=block.pk).update(state=Block.State.CLOSED, closed=closed)
    (entry,) = read(RESULTS).entries
    assert entry.id.endswith(match.name)
    assert entry.updated.startswith(f"{closed:%Y-%m-%dT%H:%M}")


def test_how_a_version_was_validated_is_told_to_nobody(mirror: Bot, table: list[Version]) -> None:
    match = make_match(table)
    make_private(match.series)
    client = Client()
    assert mirror.owner is not None
    client.force_login(mirror.owner)
    assert not read(RESULTS, client).entries


@pytest.mark.parametrize("state", [Bot.State.QUARANTINED, Bot.State.BANNED])
def test_a_bot_that_is_shut_out_has_no_feed(mirror: Bot, table: list[Version], state: str) -> None:
    make_match(table)
    Bot.objects.filter(pk=mirror.pk).update(state=state)
    assert Client().get(RESULTS).status_code == 404
    assert "Results of mirror" not in text_of(Client().get(reverse("bot", args=["three_coins", "mirror"])))
    Bot.objects.filter(pk=mirror.pk).update(state=Bot.State.RETIRED)
    assert len(read(RESULTS).entries) == 1


def test_names_and_titles_are_written_as_text(table: list[Version]) -> None:
    row = make_cup(name="Cup")
    row.name = '<b onclick="x">&amp; Cup\x01</b>'  # organisers are not let, but this is the last door
    row.save()
    services.open_entries(tournament=row, by=organiser())
    (entry,) = read("/feed.atom").entries
    text = Client().get("/feed.atom").content
    assert b"<b" not in text
    assert b"\x01" not in text
    assert "Cup" in entry.title


def test_a_feed_has_a_bound_and_costs_the_same_whatever_was_played(table: list[Version]) -> None:
    def cost() -> int:
        with CaptureQueriesContext(
            connection,
        ) as seen:
            read(RESULTS)
        return len(seen)

    make_match(table)
    few = cost()
    series = make_series(table, planned=MOST + 5)
    block = make_block(series)
    for _ in range(MOST + 5):
        make_match(table, series=series, block=block)
    assert len(read(RESULTS).entries) == MOST
    assert cost() == few
    assert len(Client().get(RESULTS).content) < 64 << 10


def test_who_has_it_already_is_told_so(table: list[Version]) -> None:
    make_match(table)
    client = Client()
    first = client.get(RESULTS)
    again = client.get(RESULTS, headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again["ETag"] == first["ETag"]
    assert client.get(RESULTS, headers={"If-Modified-Since": first["Last-Modified"]}).status_code == 304
    Block.objects.update(closed=timezone.now() + timedelta(seconds=2))
    assert client.get(RESULTS, headers={"If-None-Match": first["ETag"]}).status_code == 200
    assert client.get(RESULTS, headers={"If-Modified-Since": first["Last-Modified"]}).status_code == 200
    before = client.get(RESULTS)
    Match.objects.update(voided=True)
    changed = client.get(RESULTS, headers={"If-None-Match": before["ETag"]})
    assert changed.status_code == 200
    assert b"voided" in changed.content
    assert "max-age=60" in first["Cache-Control"]
    assert client.head(RESULTS).status_code == 200
    assert client.post(RESULTS).status_code == 405


def test_the_ids_are_the_same_in_every_language(table: list[Version]) -> None:
    make_match(table)
    english = read(RESULTS)
    client = Client(headers={"Accept-Language": "uk"})
    other = feedparser.parse(client.get(RESULTS).content)
    assert [one.id for one in other.entries] == [one.id for one in english.entries]
    assert other.feed.language == "uk"
    assert "Accept-Language" in Client().get(RESULTS)["Vary"]


def test_another_name_leads_to_the_feed(mirror: Bot) -> None:
    answer = Client().get("/bots/three_coins/MIRROR/feed.atom")
    assert answer.status_code == 302
    assert answer["Location"] == RESULTS
    assert Client().get("/bots/three_coins/nobody/feed.atom").status_code == 404
    assert Client().get("/bots/mia/mirror/feed.atom").status_code == 404
    for page in ("", "feed.atom"):
        assert Client().get(f"/bots/three_coins/%00/{page}").status_code == 404


def test_a_tournament_is_told_from_its_start_to_its_end() -> None:
    row = begun(bots=4, rounds=2)
    address = reverse("tournament_feed", args=[row.slug])
    assert [entry.title for entry in read(address).entries] == ["Cup has begun"]
    for _ in range(2):
        finish_round(row)
        running.tick()
    found = read(address)
    assert [entry.title for entry in found.entries] == [
        "anna has won Cup",
        "Cup: round 2 of 2 is over",
        "Cup: round 1 of 2 is over",
        "Cup has begun",
    ]
    assert "anna 1" in found.entries[1].summary
    assert [entry.title for entry in read("/feed.atom").entries] == ["anna has won Cup"]
    row.refresh_from_db()
    assert row.secret is not None
    assert bytes(row.secret).hex() not in text_of(Client().get(address))


def test_news_do_not_praise_a_bot_that_is_shut_out() -> None:
    row = begun(bots=2, rounds=1)
    finish_round(row)
    running.tick()
    assert [entry.title for entry in read("/feed.atom").entries] == ["anna has won Cup"]
    Bot.objects.filter(name="anna").update(state=Bot.State.BANNED)
    assert [entry.title for entry in read("/feed.atom").entries] == ["Cup is over"]


def test_a_draft_has_no_feed_for_organisers_either() -> None:
    row = make_cup()
    client = Client()
    client.force_login(organiser())
    address = reverse("tournament_feed", args=[row.slug])
    assert client.get(address).status_code == 404
    assert not read("/feed.atom", client).entries
    Tournament.objects.update(state=Tournament.State.OPEN)
    assert not read(address).entries
    assert [entry.title for entry in read("/feed.atom").entries] == ["Cup is open for entries"]


def test_pages_lead_to_their_feeds(mirror: Bot) -> None:
    row = begun(bots=2, rounds=1)
    for page, feed in (
        ("/", "/feed.atom"),
        (reverse("bot", args=["three_coins", "mirror"]), RESULTS),
        (reverse("tournament", args=[row.slug]), reverse("tournament_feed", args=[row.slug])),
    ):
        head = Client().get(page).content.decode().partition("</head>")[0]
        assert 'rel="alternate" type="application/atom+xml"' in head
        assert f'href="{feed}"' in head
