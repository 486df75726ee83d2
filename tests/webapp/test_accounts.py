"""Accounts: the names that can be taken, the account's page, and leaving for good."""

from __future__ import annotations

import pytest
from allauth.account.models import EmailAddress
from django.contrib.admin.models import LogEntry
from django.core.cache import cache
from django.db import connection
from django.test import Client

from tests.webapp.making import PASSWORD, make_bot, make_house_bot, make_match, make_organiser, make_user
from webapp.accounts import keys, services
from webapp.accounts.adapter import Adapter
from webapp.accounts.models import ApiKey, User
from webapp.bots import services as bots
from webapp.bots.models import Bot, Upload
from webapp.matches.models import Match
from webapp.moderation.models import Report

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _nothing_counted_yet() -> None:
    cache.clear()


def sign_up(username: str, email: str = "ada@example.org") -> Client:
    client = Client()
    words = {"username": username, "email": email, "password1": PASSWORD, "password2": PASSWORD}
    client.post("/accounts/signup/", words)
    return client


# ---- names ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("username", ["ada", "a", "Ada.L_1-x", "x" * 30])
def test_usernames(username: str) -> None:
    sign_up(username)
    assert User.objects.filter(username__iexact=username).exists()


@pytest.mark.parametrize(
    "username",
    ["", "house", "HOUSE", "Admin", "victim@example.org", "аda", "a da", ".ada", "ada-", "x" * 31, "<ada>"],
)
def test_no_usernames(username: str) -> None:
    sign_up(username)
    assert not User.objects.exists()


def test_a_username_is_taken_whatever_its_capitals() -> None:
    sign_up("ada", "ada@example.org")
    sign_up("ADA", "other@example.org")
    assert User.objects.count() == 1


def test_signing_up_signs_in_and_shows_the_account() -> None:
    client = sign_up("ada")
    page = client.get("/my/account/")
    assert "ada@example.org" in page.content.decode()
    assert "no-store" in page["Cache-Control"]


def test_of_two_that_take_a_username_at_the_same_moment_one_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other one was asked for before it was there, and is written after."""
    make_user("twin")
    monkeypatch.setattr(Adapter, "clean_username", lambda self, username, shallow=False: username)
    said = {"username": "twin", "email": "other@example.org", "password1": PASSWORD, "password2": PASSWORD}
    client = Client()
    answer = client.post("/accounts/signup/", said)
    assert (answer.status_code, answer["Location"]) == (302, "/accounts/signup/")
    assert "A user with that username already exists." in client.get(answer["Location"]).content.decode()
    assert list(User.objects.values_list("email", flat=True)) == ["twin@example.org"]


def test_the_account_is_for_its_owner_only() -> None:
    for address in ("/my/account/", "/my/account/delete/"):
        answer = Client().get(address)
        assert answer.status_code == 302
        assert answer["Location"].startswith("/accounts/login/")


# ---- leaving -------------------------------------------------------------------------------------


@pytest.fixture
def ada() -> User:
    user = make_user("ada")
    EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=True)
    return user


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_leaving_removes_the_person_and_keeps_the_matches(ada: User) -> None:
    bot = make_bot(ada)
    token = bots.issue_token(bot=bot, by=ada)
    assert bot.active_version is not None
    match = make_match([bot.active_version, make_house_bot("honest")])
    client = signed_in(ada)

    assert "Your bot is retired for good" in client.get("/my/account/delete/").content.decode()
    answer = client.post("/my/account/delete/", {"password": PASSWORD})
    assert answer["Location"] == "/"
    assert client.get("/my/account/").status_code == 302

    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            left = str(cursor.fetchall())
            assert "ada@example.org" not in left, table
            assert "'ada'" not in left, table
    bot.refresh_from_db()
    assert (bot.owner, bot.state, bot.state_reason) == (None, Bot.State.RETIRED, "Its author has left.")
    assert bot.tokens.get().revoked is not None
    with pytest.raises(bots.TokenRefused):
        bots.authenticate(token)
    assert Match.objects.get() == match
    assert match.entries.count() == 2
    make_user("ada")  # the name is free again


def test_leaving_needs_the_password(ada: User) -> None:
    client = signed_in(ada)
    for words in ({}, {"password": ""}, {"password": PASSWORD.upper()}):
        answer = client.post("/my/account/delete/", words)
        assert answer.status_code == 422
    assert "not your password" in answer.content.decode()
    assert client.get("/my/account/").status_code == 200
    assert User.objects.exists()


def test_the_password_cannot_be_guessed_for_long(ada: User) -> None:
    client = signed_in(ada)
    codes = [client.post("/my/account/delete/", {"password": f"guess {i}"}).status_code for i in range(12)]
    assert codes[0] == 422
    assert codes[-1] == 429
    assert client.post("/my/account/delete/", {"password": PASSWORD}).status_code == 429
    assert User.objects.exists()


def test_leaving_needs_a_csrf_token(ada: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(ada)
    assert client.post("/my/account/delete/", {"password": PASSWORD}).status_code == 403


def test_a_ban_outlives_the_author(ada: User) -> None:
    bot = make_bot(ada)
    bots.ban_bot(bot=bot, by=make_organiser(), reason="Spam.")
    services.delete_account(user=ada, password=PASSWORD)
    bot.refresh_from_db()
    assert (bot.owner, bot.state, bot.state_reason) == (None, Bot.State.BANNED, "Spam.")


def test_what_an_organiser_did_stays_without_the_name(ada: User) -> None:
    olga = make_organiser("olga")
    bots.ban_bot(bot=make_bot(ada), by=olga, reason="Spam.")
    keys.make_key(user=olga)
    Upload.objects.create(owner=olga)
    Report.objects.create(reporter=ada, author=olga, category=Report.Category.OTHER)
    services.delete_account(user=olga, password=PASSWORD)
    line = LogEntry.objects.get()
    assert line.user.username.startswith("left-")
    left = User.objects.values().get(pk=olga.pk)
    assert "olga" not in str(left)
    assert {left[right] for right in ("is_active", "is_staff", "is_superuser")} == {False}
    assert not line.user.has_usable_password()
    assert not ApiKey.objects.exists()
    assert not Upload.objects.exists()
    assert not Report.objects.exists()
    make_organiser("olga")


def test_organisers_remove_accounts_but_not_each_others(ada: User) -> None:
    helper = make_user("helper", is_staff=True)
    other = make_user("other", is_staff=True)
    with pytest.raises(PermissionError):
        services.remove_account(user=other, by=helper)
    with pytest.raises(PermissionError):
        services.remove_account(user=helper, by=ada)
    bot = make_bot(ada)
    services.remove_account(user=ada, by=helper)
    services.remove_account(user=other, by=make_organiser())
    bot.refresh_from_db()
    assert bot.state == Bot.State.RETIRED
    assert {user.username for user in User.objects.all()} == {"helper", "olga"}
