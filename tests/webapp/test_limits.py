"""How often one may do something: on a real Redis, by many at once, by address and by account, behind proxies."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.conf import settings as site
from django.core.cache import cache, caches
from django.http import HttpRequest
from django.test import Client

from tests.webapp.making import PASSWORD, make_bot, make_user
from webapp import limits
from webapp.accounts.addresses import client_address
from webapp.accounts.models import User
from webapp.bots import services as bots
from webapp.limits import Limit, TooOften, spend

FEW = Limit("few", 5, 3600)


@pytest.fixture
def on_redis(redis_url: str, settings: Any) -> None:
    settings.CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": redis_url,
            "KEY_PREFIX": "cache",
        }
    }
    assert "Redis" in type(caches["default"]).__name__


def allowed(limit: Limit, who: str) -> bool:
    try:
        spend(limit, who=who)
    except TooOften:
        return False
    return True


@pytest.mark.usefixtures("on_redis")
def test_each_has_its_own_count() -> None:
    assert [allowed(FEW, "ada") for _ in range(7)] == [True] * 5 + [False] * 2
    assert allowed(FEW, "bob")
    assert allowed(FEW._replace(name="other"), "ada")
    with pytest.raises(TooOften, match="at most 5 times in an hour"):
        spend(FEW, who="ada")


@pytest.mark.usefixtures("on_redis")
def test_of_many_at_once_each_is_counted() -> None:
    with ThreadPoolExecutor(16) as pool:
        assert sum(pool.map(lambda _: allowed(FEW, "ada"), range(64))) == 5


@pytest.mark.usefixtures("on_redis")
def test_the_count_ends_with_its_time_and_asking_does_not_prolong_it() -> None:
    for _ in range(9):
        allowed(FEW, "ada")
    client = caches["default"]._cache.get_client()  # type: ignore[attr-defined]
    (key,) = client.keys("*limit:few*")
    assert 0 < client.ttl(key) <= 3600
    client.expire(key, 100)
    allowed(FEW, "ada")
    assert client.ttl(key) <= 100
    client.delete(key)  # as when the time is up
    assert allowed(FEW, "ada")


def test_a_cache_that_is_away_lets_through_and_says_so(settings: Any, caplog: pytest.LogCaptureFixture) -> None:
    settings.CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": "unix:///nowhere/redis.sock",
        }
    }
    assert allowed(FEW, "ada")
    assert "few is not limited at the moment" in caplog.text
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}


# ---- authors -------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_making_bots_and_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    ada, bob = make_user("ada"), make_user("bob")
    monkeypatch.setattr(bots, "NEW_BOTS", Limit("new_bots", 3, 86_400))
    monkeypatch.setattr(bots, "NEW_TOKENS", Limit("new_tokens", 2, 3_600))
    made = [make_bot(ada, f"bot{i}") for i in range(3)]
    bots.retire_bot(bot=made[0], by=ada)
    with pytest.raises(bots.Refused, match="at most 3 times in a day"):
        make_bot(ada, "onemore")
    make_bot(bob, "another")
    for bot in made[1:]:
        bots.issue_token(bot=bot, by=ada)
    with pytest.raises(bots.Refused, match="too often"):
        bots.issue_token(bot=made[1], by=ada)


# ---- signing up and in ---------------------------------------------------------------------------


def sign_in(client: Client, name: str, password: str = "wrong", **more: str) -> int:
    answer = client.post("/accounts/login/", {"login": name, "password": password}, **more)  # type: ignore[arg-type]
    return answer.status_code if answer.status_code != 200 or "oo many failed" not in answer.content.decode() else 429


@pytest.mark.django_db
@pytest.mark.usefixtures("on_redis")
def test_an_account_cannot_be_guessed_from_many_addresses() -> None:
    make_user("ada")
    codes = [sign_in(Client(REMOTE_ADDR=f"10.0.0.{i}"), "ada") for i in range(8)]
    assert codes[:5] == [200] * 5
    assert codes[5:] == [429] * 3
    assert sign_in(Client(REMOTE_ADDR="10.0.1.1"), "ada", PASSWORD) == 429  # not even with the right one
    assert make_user("bob")
    assert sign_in(Client(REMOTE_ADDR="10.0.0.1"), "bob", PASSWORD) == 302


@pytest.mark.django_db
@pytest.mark.usefixtures("on_redis")
def test_an_address_cannot_guess_many_accounts() -> None:
    codes = [sign_in(Client(REMOTE_ADDR="10.0.0.1"), f"somebody{i}") for i in range(14)]
    assert codes[:10] == [200] * 10
    assert set(codes[10:]) == {429}
    assert sign_in(Client(REMOTE_ADDR="10.0.0.2"), "somebody") == 200


def sign_up(name: str, **more: str) -> int:
    words = {"username": name, "email": f"{name}@example.org", "password1": PASSWORD, "password2": PASSWORD}
    return Client().post("/accounts/signup/", words, **more).status_code  # type: ignore[arg-type]


@pytest.mark.django_db
@pytest.mark.usefixtures("on_redis")
def test_signing_up_is_limited_by_address() -> None:
    codes = [sign_up(f"sock{i}", REMOTE_ADDR="10.0.0.1") for i in range(12)]
    assert codes == [302] * 10 + [429] * 2
    assert "Please wait" in Client(REMOTE_ADDR="10.0.0.1").post("/accounts/signup/", {}).content.decode()
    assert sign_up("other", REMOTE_ADDR="10.0.0.2") == 302
    assert User.objects.count() == 11


@pytest.mark.django_db
@pytest.mark.usefixtures("on_redis")
def test_password_resets_are_limited_by_address_and_by_account() -> None:
    ada = make_user("ada")
    EmailAddress.objects.create(user=ada, email=ada.email, primary=True, verified=True)

    def ask(email: str, address: str) -> int:
        return Client(REMOTE_ADDR=address).post("/accounts/password/reset/", {"email": email}).status_code

    assert [ask(ada.email, f"10.0.0.{i}") for i in range(5)] == [302] * 3 + [429] * 2
    codes = [ask(f"nobody{i}@example.org", "10.0.1.1") for i in range(12)]
    assert codes == [302] * 10 + [429] * 2


# ---- who is asking -------------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.usefixtures("on_redis")
def test_without_a_proxy_of_ours_nobody_chooses_his_address() -> None:
    assert site.ALLAUTH_TRUSTED_PROXY_COUNT == 0
    codes = [sign_up(f"sock{i}", REMOTE_ADDR="10.0.0.1", HTTP_X_FORWARDED_FOR=f"192.0.2.{i}") for i in range(11)]
    assert codes[-1] == 429


@pytest.mark.django_db
@pytest.mark.usefixtures("on_redis")
def test_behind_a_proxy_of_ours_its_word_counts_and_the_clients_does_not(settings: Any) -> None:
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    for i in range(10):  # the client's invention comes first, what our proxy saw last
        assert sign_up(f"sock{i}", REMOTE_ADDR="10.0.0.1", HTTP_X_FORWARDED_FOR=f"203.0.113.{i}, 192.0.2.1") == 302
    assert sign_up("more", REMOTE_ADDR="10.0.0.1", HTTP_X_FORWARDED_FOR="203.0.113.99, 192.0.2.1") == 429
    assert sign_up("else", REMOTE_ADDR="10.0.0.1", HTTP_X_FORWARDED_FOR="192.0.2.2") == 302


@pytest.mark.parametrize(
    ("said", "is_"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:aaaa:bbbb:cccc:dddd", "2001:db8:1:2::"),
    ],
)
def test_client_addresses(said: str, is_: str) -> None:
    request = HttpRequest()
    request.META["REMOTE_ADDR"] = said
    assert client_address(request) == is_


def test_periods_in_words() -> None:
    assert [limits._period(n) for n in (1, 90, 3600, 7200, 86_400)] == [
        "a second",
        "90 seconds",
        "an hour",
        "2 hours",
        "a day",
    ]
    cache.clear()
