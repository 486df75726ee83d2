"""Signs of collusion on the site: read on from a watermark, bounded, written whole, shown to organisers."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import timedelta
from random import Random

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.webapp.factories import make_match, make_ratings, make_ruleset
from tests.webapp.making import make_bot, make_house_bot, make_organiser, make_user
from webapp.accounts import people
from webapp.bots.models import Bot, Version
from webapp.matches.models import Entry, Match, Series
from webapp.moderation import signs
from webapp.moderation.models import BotHabits, PairSigns, SharedContent, Watermark

pytestmark = pytest.mark.django_db


@pytest.fixture
def four() -> list[Bot]:
    """Four rated bots of different authors."""
    bots = [make_bot(make_user(name), f"{name}-bot") for name in ("ada", "bob", "carol", "dan")]
    make_ratings(make_ruleset(), [(bot, 1000.0, 20.0) for bot in bots])
    return bots


def finished(bots: Sequence[Bot], places: Sequence[int] | None = None, *, ago: float = 3600.0) -> Match:
    """A series of one match that was over so many seconds ago."""
    match = make_match(bots, finished=timezone.now() - timedelta(seconds=ago))
    for seat, place in enumerate(places or ()):
        Entry.objects.filter(match=match, seat=seat).update(place=place)
    return match


def sums() -> list[dict[str, object]]:
    rows = [row for model in (BotHabits, PairSigns) for row in model.objects.order_by("pk").values()]
    return [{key: value for key, value in row.items() if key not in ("id", "updated")} for row in rows]


def test_what_is_added(four: list[Bot]) -> None:
    finished(four[:3], (1, 2, 3))
    assert signs.gather() == 1
    first, second, third = BotHabits.objects.order_by("bot_id")
    assert (first.n, second.n, third.n) == (1, 1, 1)
    assert [row.total for row in (first, second, third)] == pytest.approx([0.5, 0.0, -0.5])
    pair = PairSigns.objects.get(one=four[0], other=four[1])
    assert (pair.n, pair.total) == (1, 0.5)
    assert (pair.one_total, pair.other_total) == (0.5, 0.0)
    assert first.chances + second.chances + third.chances > 0
    assert sum(row.was_before for row in BotHabits.objects.all()) == sum(row.chances for row in BotHabits.objects.all())


def test_in_runs_or_at_once_is_the_same(four: list[Bot]) -> None:
    dice = Random(1)
    for number in range(12):
        finished(dice.sample(four, 3), ago=1000 - number)
    while signs.gather(most=5):
        pass
    assert Watermark.objects.get().series == Series.objects.order_by("-finished").first().pk  # type: ignore[union-attr]
    in_runs = sums()
    for model in (BotHabits, PairSigns, Watermark):
        model.objects.all().delete()
    assert signs.gather(most=100) == 12
    assert sorted(map(str, sums())) == sorted(map(str, in_runs))
    assert signs.gather() == 0


def test_what_says_nothing_is_left_out(four: list[Bot]) -> None:
    finished(four[:2])  # two alone
    house = [make_house_bot(name).bot for name in ("honest", "calculator", "random")]
    finished(house)  # nobody's
    voided = finished(four[:3])
    unrated = finished(four[:3])
    Match.objects.filter(pk=voided.pk).update(voided=True)
    Match.objects.filter(pk=unrated.pk).update(rated=False)
    finished(four[:3], ago=5.0)  # one before it may be committed later
    assert signs.gather() == 4
    assert not BotHabits.objects.exists()
    unknown = make_bot(make_user("eve"), "eve-bot")
    finished([*four[:2], unknown])  # without a rating the places say nothing
    signs.gather()
    assert not BotHabits.objects.exclude(n=0).exists()


def test_bots_of_one_person_are_no_pair(four: list[Bot]) -> None:
    one, other = four[0].owner, four[1].owner
    assert one is not None
    assert other is not None
    people.link(one, other)
    finished(four[:3])
    signs.gather()
    assert not PairSigns.objects.filter(one=four[0], other=four[1]).exists()
    assert PairSigns.objects.count() == 2


def test_two_schedulers_at_once_count_once(four: list[Bot], monkeypatch: pytest.MonkeyPatch) -> None:
    finished(four[:3])
    read = signs._read

    def slow(series: Sequence[Series]) -> object:
        known = read(series)
        monkeypatch.setattr(signs, "_read", read)
        assert signs.gather() == 1  # the other one, meanwhile
        return known

    monkeypatch.setattr(signs, "_read", slow)
    assert signs.gather() == 0
    assert PairSigns.objects.get(one=four[0], other=four[1]).n == 1


def test_queries_do_not_grow_with_the_series(four: list[Bot]) -> None:
    def queries(series: int) -> int:
        for _ in range(series):
            finished(four[:3])
        with CaptureQueriesContext(connection) as caught:
            assert signs.gather() == series
        return len(caught)

    queries(1)
    assert queries(1) == queries(6)


def test_colluders_become_a_sign(four: list[Bot], monkeypatch: pytest.MonkeyPatch) -> None:
    """Ada's and Bob's bots take the first places together; apart from each other all are alike."""
    ada, bob, carol, dan = four
    dice = Random(5)
    monkeypatch.setattr(signs, "_add_doubts", lambda *_: None)  # of these the records say nothing
    for number in range(60):
        finished([ada, bob, dice.choice((carol, dan))], (1, 2, 3) if number % 9 else (1, 3, 2))
        for one in (ada, bob):
            finished([one, carol, dan], dice.sample((1, 2, 3), 3))
    while signs.gather():
        pass
    (pair,) = PairSigns.objects.filter(together_sign=True)
    assert (pair.one, pair.other, pair.n) == (ada, bob, 60)
    assert pair.together_z > 5
    client = Client()
    client.force_login(make_organiser())
    page = client.get("/organisers/signs/").content.decode()
    assert "1 pair of bots stands out" in page
    assert "ada-bot" in page
    # more of what everybody does, and it is a sign no more
    for _ in range(90):
        finished([ada, bob, carol], (2, 3, 1))
    signs.gather()
    assert not PairSigns.objects.filter(together_sign=True).exists()


def test_the_same_upload_under_several_accounts(four: list[Bot]) -> None:
    def upload(bot: Bot, source: bytes) -> None:
        digest = "sha256:" + hashlib.sha256(source).hexdigest()
        Version.objects.create(bot=bot, digest=digest, number=bot.versions.count() + 5, source=source)

    ada, bob, carol, _dan = four
    honest = make_house_bot("honest")
    for bot in (ada, bob):
        upload(bot, b"a secret of two")
    for bot in (ada, carol):
        upload(bot, bytes(honest.source or b""))  # a copy of the house's is no sign
    upload(carol, b"my own")
    assert signs.find_shared_content() == 1
    assert set(SharedContent.objects.values_list("bot", flat=True)) == {ada.pk, bob.pk}
    client = Client()
    client.force_login(make_organiser())
    page = client.get("/organisers/signs/").content.decode()
    assert "ada-bot" in page
    assert "carol-bot" not in page
    assert ada.owner is not None
    assert bob.owner is not None
    people.link(ada.owner, bob.owner)
    assert signs.find_shared_content() == 0
    assert not SharedContent.objects.exists()


def test_the_page_reads_no_match(four: list[Bot]) -> None:
    client = Client()
    client.force_login(make_organiser())
    finished(four[:3])
    with CaptureQueriesContext(connection) as caught:
        client.get("/organisers/signs/")
    assert not [query["sql"] for query in caught if "matches_match" in query["sql"] or "matches_entry" in query["sql"]]
