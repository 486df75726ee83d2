"""Answers to odd requests, and who may know of what."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from arena.kit import Bot as Kit
from tests.webapp.making import make_bot, make_house_bot, make_match, make_organiser, make_private, make_user
from webapp.bots.models import Bot
from webapp.logs import OneLine
from webapp.matches import services as matches
from webapp.matches.models import Series

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("address", ["/language/", "/accounts/login/", "/api/my/submit"])
@pytest.mark.parametrize("charset", ["latin-1", "utf-16", "no-such"])
def test_another_charset_than_utf_8_is_refused(address: str, charset: str) -> None:
    form = f"application/x-www-form-urlencoded; charset={charset}"
    assert Client().generic("POST", address, b"a=b", content_type=form).status_code == 400


def test_a_refusal_is_one_line_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    client = Client()
    client.force_login(make_user())
    with caplog.at_level(logging.WARNING, "django.request"):
        assert client.get("/organisers/").status_code == 403
    (record,) = [one for one in caplog.records if one.name == "django.request"]
    assert OneLine().filter(record)
    assert record.exc_info is None
    error = logging.LogRecord("django.request", logging.ERROR, "", 1, "x", (), (None, None, None))
    OneLine().filter(error)
    assert error.exc_info is not None


def test_a_wrong_host_is_one_line_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert Client(headers={"Host": "evil.example"}).get("/").status_code == 400
    found = [one for one in caplog.records if one.name == "django.security.DisallowedHost"]
    assert found
    assert all(OneLine().filter(one) and one.exc_info is None for one in found)


def test_who_is_not_signed_in_can_sign_up() -> None:
    assert 'href="/accounts/signup/"' in Client().get("/").content.decode().partition("</header>")[0]


def test_a_validation_cannot_be_reported_by_others() -> None:
    ada = make_user()
    mirror = make_bot(ada)
    version = mirror.active_version
    assert version is not None
    match = make_match([make_house_bot("honest"), version])
    make_private(match.series)
    version.validation_id = match.series_id
    version.save()
    address = reverse("moderation:report_match", args=[match.name])
    for person, status in ((make_user("bob"), 404), (ada, 200)):
        client = Client()
        client.force_login(person)
        assert client.get(address).status_code == status


@pytest.mark.parametrize("purpose", Series.PRIVATE)
def test_nobody_else_is_told_of_a_private_series(
    purpose: str, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    told: list[str] = []
    monkeypatch.setattr("webapp.live.news.publish", lambda channel, kind: told.append(channel))
    match = make_match([make_house_bot("honest"), make_house_bot("random")])
    for purpose_, heard in ((match.series.purpose, ["home", f"series-{match.series_id}"]), (purpose, [])):
        if purpose_ in Series.PRIVATE:
            make_private(match.series, purpose_)
        Series.objects.update(state=Series.State.WAITING)
        with django_capture_on_commit_callbacks(execute=True):
            matches.claim(series_id=match.series_id, worker="w1")
        assert sorted(name for name in told if not name.startswith("own-")) == heard
        told.clear()
        status = Client().get("/status/").content.decode()
        assert (match.name in status) == bool(heard)
        assert "Newest match" in status


@pytest.mark.parametrize(
    "address",
    [
        "/report/author/{}/",
        "/organisers/people/{}/",
        "/bots/mia/{}/",
        "/bots/mia/{}/feed.atom",
        "/play/{}/",
        "/play/{}/now/",
    ],
)
def test_an_address_with_what_no_name_has_leads_nowhere(address: str) -> None:
    client = Client()
    client.force_login(make_organiser())
    assert client.get(address.format("a%00b")).status_code == 404


@pytest.mark.parametrize("key", [r"abcdefgh\000", r"abcdefgh\377", "", "short", "x" * 9000])
def test_a_session_that_somebody_has_made_up_is_none(key: str) -> None:
    answer = Client(headers={"Cookie": f'{settings.SESSION_COOKIE_NAME}="{key}"'}).get("/my/bots/")
    assert (answer.status_code, answer["Location"]) == (302, "/accounts/login/?next=/my/bots/")


def test_a_bot_in_quarantine_does_not_play_now() -> None:
    ada = make_user()
    mirror = make_bot(ada)
    client = Client()
    client.force_login(ada)
    assert "plays now" in client.get(f"/my/bots/{mirror.pk}/").content.decode()
    Bot.objects.update(state=Bot.State.QUARANTINED)
    assert "plays now" not in client.get(f"/my/bots/{mirror.pk}/").content.decode()


def test_a_lone_surrogate_in_a_log_is_replaced() -> None:
    class Talks(Kit):
        game = "three_coins"

        def choose(self, view: object) -> str:
            return "call"

    bot = Talks()
    bot.log("a\ud800b")
    assert bot.take_log() == ("a?b",)
