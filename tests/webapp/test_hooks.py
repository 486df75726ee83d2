"""Webhooks: who may have one, what they tell, that nothing is lost and nothing told that is not to be known."""

from __future__ import annotations

import ipaddress
import json
import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from standardwebhooks import Webhook

from tests.webapp.cups import begun, finish_round, organiser
from tests.webapp.furniture import verify
from tests.webapp.making import (
    PASSWORD,
    make_block,
    make_bot,
    make_house_bot,
    make_match,
    make_series,
    make_user,
    text_of,
)
from tests.webapp.receiver import OK, Receiver, receiver, say
from webapp.accounts.models import Notice, User
from webapp.accounts.services import delete_account
from webapp.bots.models import Bot, Version
from webapp.hooks import outbox, posting, sending, services
from webapp.hooks.models import Delivery, Happening, Hook
from webapp.matches import services as matches
from webapp.matches.models import Block, Series
from webapp.tournaments import running

pytestmark = pytest.mark.django_db

URL = "https://hooks.example.org/bluff"


@pytest.fixture
def ada() -> User:
    return make_user()


@pytest.fixture
def mirror(ada: User) -> Bot:
    return make_bot(ada)


@pytest.fixture
def table(mirror: Bot) -> list[Version]:
    assert mirror.active_version is not None
    return [make_house_bot("honest"), mirror.active_version]


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any) -> Iterator[Receiver]:
    """A receiver that this installation sends to."""
    settings.ARENA_WEBHOOK_NETWORKS = (ipaddress.ip_network("127.0.0.0/8"), ipaddress.ip_network("::1/128"))
    with receiver(tmp_path) as made:
        monkeypatch.setenv("SSL_CERT_FILE", str(made.ca))
        posting._context.cache_clear()
        yield made
    posting._context.cache_clear()


def hook_of(bot: Bot, url: str = URL) -> Hook:
    assert bot.owner is not None
    return services.make_hook(by=bot.owner, about=bot, url=url)[0]


def played(table: list[Version], matches_: int = 1) -> Block:
    """A block that has just been closed, as a worker does it."""
    series = make_series(table, planned=matches_)
    block = make_block(series, state=Block.State.OPEN)
    for _ in range(matches_):
        make_match(table, range(len(table), 0, -1), series=series, block=block)
    with transaction.atomic():
        matches.give_up_blocks(series=series, reason="")
    return block


def posts(monkeypatch: pytest.MonkeyPatch, *answers: posting.Answer) -> list[tuple[str, bytes, dict[str, str]]]:
    """Nothing is sent; what would have been is kept, and answered with these, the last of them again and again."""
    sent: list[tuple[str, bytes, dict[str, str]]] = []
    left = list(answers) or [posting.Answer(204, "")]

    def post(url: str, text: bytes, headers: dict[str, str]) -> posting.Answer:
        sent.append((url, text, headers))
        return left.pop(0) if len(left) > 1 else left[0]

    monkeypatch.setattr(posting, "post", post)
    return sent


def deliver() -> int:
    """What the scheduler does, in the test's own thread."""
    sending.gather()
    due = Delivery.objects.filter(state=Delivery.State.WAITING, next_try__lte=timezone.now())
    return sum(sending.send(pk) for pk in due.values_list("pk", flat=True))


def later(**time_: float) -> None:
    """So much time passes, for the rows."""
    by = timedelta(**time_)
    for row in Delivery.objects.all():
        Delivery.objects.filter(pk=row.pk).update(created=row.created - by, next_try=row.next_try - by)
    for hook in Hook.objects.exclude(failing_since=None):
        assert hook.failing_since is not None
        Hook.objects.filter(pk=hook.pk).update(failing_since=hook.failing_since - by)


# ---- who, and where to ----------------------------------------------------------------------------


def test_the_secret_is_shown_once(ada: User, mirror: Bot) -> None:
    client = Client()
    client.force_login(ada)
    answer = client.post("/my/hooks/", {"about": f"bot-{mirror.pk}", "url": URL})
    hook = Hook.objects.get()
    assert hook.secret in text_of(answer)
    assert "no-store" in answer["Cache-Control"]
    for address in ("/my/hooks/", f"/my/hooks/{hook.pk}/", "/my/account/", f"/my/bots/{mirror.pk}/"):
        assert hook.secret not in text_of(client.get(address))


def test_other_peoples_bots_and_hooks_are_not_there(ada: User, mirror: Bot) -> None:
    hook = hook_of(mirror)
    bob = make_user("bob")
    client = Client()
    client.force_login(bob)
    make_bot(bob, "wall")
    assert client.post("/my/hooks/", {"about": f"bot-{mirror.pk}", "url": URL}).status_code == 422
    with pytest.raises(services.HookRefused):
        services.make_hook(by=bob, about=mirror, url=URL)
    with pytest.raises(services.HookRefused):
        services.make_hook(by=bob, about=begun(bots=2), url=URL)
    for person in (bob, organiser()):
        client.force_login(person)
        assert URL not in text_of(client.get("/my/hooks/"))
        assert client.get(f"/my/hooks/{hook.pk}/").status_code == 404
        for deed in ("test", "on", "off", "delete"):
            assert client.post(f"/my/hooks/{hook.pk}/{deed}/").status_code == 404
    assert Hook.objects.count() == 1
    assert Client().get("/my/hooks/").status_code == 302


def test_addresses_within_are_refused_with_a_reason(ada: User, mirror: Bot) -> None:
    client = Client()
    client.force_login(ada)
    for url in ("http://example.org/", "https://127.0.0.1/", "https://localhost/", "https://[::1]/", "https://a.b:22/"):
        answer = client.post("/my/hooks/", {"about": f"bot-{mirror.pk}", "url": url})
        assert answer.status_code == 422
        assert 'class="errorlist"' in answer.content.decode()
    assert not Hook.objects.exists()


def test_there_are_only_so_many(ada: User, mirror: Bot) -> None:
    for _ in range(services.MOST_HOOKS):
        hook_of(mirror)
    with pytest.raises(services.HookRefused, match="at most 5"):
        hook_of(mirror)


def test_only_who_has_confirmed_the_address_where_that_is_asked(ada: User, mirror: Bot, settings: Any) -> None:
    settings.ARENA_CONFIRMED_AUTHORS = True
    with pytest.raises(services.HookRefused, match="confirm"):
        hook_of(mirror)
    verify(ada)
    hook_of(mirror)


def test_a_person_that_leaves_takes_the_hooks_along(ada: User, mirror: Bot) -> None:
    hook_of(mirror)
    delete_account(user=ada, password=PASSWORD)
    assert not Hook.objects.exists()


# ---- what is told ---------------------------------------------------------------------------------


def test_a_result_is_told_when_its_block_is_closed(
    mirror: Bot, table: list[Version], monkeypatch: pytest.MonkeyPatch
) -> None:
    hook, sent = hook_of(mirror), posts(monkeypatch)
    block = played(table, 2)
    assert deliver() == 1
    ((url, text, headers),) = sent
    assert url == URL
    message = Webhook(hook.secret).verify(text, headers)
    assert message["type"] == "bot.results"
    assert message["data"]["bot"] == {"game": "three_coins", "name": "mirror"}
    assert [one["match"] for one in message["data"]["results"]] == list(
        block.matches.order_by("id").values_list("name", flat=True)
    )
    first = message["data"]["results"][0]
    assert [(one["bot"], one["place"]) for one in first["entries"]] == [("mirror", 1), ("honest", 2)]
    assert first["url"] == f"http://127.0.0.1:8000/matches/{first['match']}/"
    assert "missed" not in message["data"]
    for secret in (block.seed, *block.nonces, hook.secret):
        assert secret.encode() not in text
    assert deliver() == 0


def test_nothing_is_told_of_blocks_that_are_open_or_broken_or_of_validations(
    mirror: Bot, table: list[Version], monkeypatch: pytest.MonkeyPatch
) -> None:
    hook_of(mirror)
    series = make_series(table)
    block = make_block(series, state=Block.State.OPEN)
    make_match(table, series=series, block=block)
    matches._close(block, Block.State.BROKEN, "x")
    assert not Happening.objects.exists()
    Series.objects.filter(pk=series.pk).update(purpose=Series.Purpose.VALIDATION)
    block.refresh_from_db()
    matches._close(block, Block.State.CLOSED, "")
    assert not Happening.objects.exists()


def test_what_did_not_happen_is_not_told(mirror: Bot, table: list[Version]) -> None:
    hook_of(mirror)
    series = make_series(table)
    block = make_block(series, state=Block.State.OPEN)
    make_match(table, series=series, block=block)
    with transaction.atomic():
        matches._close(block, Block.State.CLOSED, "")
        assert Happening.objects.count() == 1
        transaction.set_rollback(True)
    assert not Happening.objects.exists()


def test_who_plays_pays_one_query_for_hooks(table: list[Version]) -> None:
    series = make_series(table)
    block = make_block(series)
    with CaptureQueriesContext(connection) as seen:
        outbox.note_block(block)
    assert len(seen) == 1


def test_a_bot_that_changed_hands_is_told_of_no_more(
    ada: User, mirror: Bot, table: list[Version], monkeypatch: pytest.MonkeyPatch
) -> None:
    hook_of(mirror)
    sent = posts(monkeypatch)
    played(table)
    sending.gather()
    Bot.objects.filter(pk=mirror.pk).update(owner=make_user("bob"))
    deliver()
    played(table)
    later(minutes=2)
    deliver()
    Bot.objects.filter(pk=mirror.pk).update(owner=ada)
    played(table)
    User.objects.filter(pk=ada.pk).update(is_active=False)
    deliver()
    assert not sent


def test_much_is_told_in_several_messages_a_minute_apart(
    mirror: Bot, table: list[Version], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "MOST_RESULTS", 3)
    hook_of(mirror)
    sent = posts(monkeypatch)
    played(table, 4)
    assert deliver() == 1
    played(table)
    assert deliver() == 0
    later(minutes=1, seconds=1)
    assert deliver() == 1
    assert [len(json.loads(text)["data"]["results"]) for _url, text, _headers in sent] == [3, 2]
    assert not Happening.objects.exists()


def test_a_tournament_is_told_round_by_round(monkeypatch: pytest.MonkeyPatch) -> None:
    row = begun(bots=4, rounds=2)
    hook, _secret = services.make_hook(by=organiser(), about=row, url=URL)
    sent = posts(monkeypatch)
    for _ in range(2):
        finish_round(row)
        running.tick()
        deliver()
        later(minutes=2)
    first, last = (Webhook(hook.secret).verify(text, headers) for _url, text, headers in sent)
    assert first["type"] == "tournament.progress"
    (one,) = first["data"]["rounds"]
    assert one["number"] == 1
    assert len(one["tables"]) == 2
    assert first["data"]["tournament"]["champion"] is None
    assert last["data"]["tournament"] == {
        "name": "Cup",
        "slug": row.slug,
        "url": f"http://127.0.0.1:8000/tournaments/{row.slug}/",
        "state": "finished",
        "champion": "anna",
    }
    row.refresh_from_db()
    assert row.secret is not None
    assert all(bytes(row.secret).hex().encode() not in text for _url, text, _headers in sent)


def test_who_is_organiser_no_more_is_told_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    row = begun(bots=2, rounds=1)
    olga = organiser()
    services.make_hook(by=olga, about=row, url=URL)
    User.objects.filter(pk=olga.pk).update(is_staff=False)
    sent = posts(monkeypatch)
    finish_round(row)
    running.tick()
    deliver()
    assert not sent


# ---- that nothing is lost -------------------------------------------------------------------------


def test_a_message_that_did_not_arrive_is_sent_again_the_same(
    mirror: Bot, table: list[Version], monkeypatch: pytest.MonkeyPatch
) -> None:
    hook = hook_of(mirror)
    sent = posts(monkeypatch, posting.Answer(500, "status"), posting.Answer(None, "slow"), posting.Answer(200, ""))
    played(table)
    assert deliver() == 1
    assert deliver() == 0
    hook.refresh_from_db()
    assert hook.failing_since is not None
    later(seconds=6)
    assert deliver() == 1
    later(seconds=61)
    played(table)
    assert deliver() == 1
    assert len({headers["webhook-id"] for _url, _text, headers in sent}) == 1
    assert len({text for _url, text, _headers in sent}) == 1
    hook.refresh_from_db()
    assert hook.failing_since is None
    delivery = Delivery.objects.get()
    assert (delivery.state, delivery.status, delivery.tries) == ("delivered", 200, 3)
    later(minutes=2)
    assert deliver() == 1


def test_each_try_is_signed_for_its_own_time(
    mirror: Bot, table: list[Version], monkeypatch: pytest.MonkeyPatch
) -> None:
    hook = hook_of(mirror)
    posts(monkeypatch, posting.Answer(500, "status"))
    played(table)
    monkeypatch.setattr(sending.time, "time", lambda: 1_700_000_000.5)
    deliver()
    monkeypatch.undo()
    sent = posts(monkeypatch)
    later(seconds=6)
    deliver()
    ((_url, text, headers),) = sent
    assert abs(int(headers["webhook-timestamp"]) - time.time()) < 60
    Webhook(hook.secret).verify(text, headers)


def test_a_sender_that_is_killed_loses_nothing(
    mirror: Bot, table: list[Version], monkeypatch: pytest.MonkeyPatch
) -> None:
    hook_of(mirror)
    played(table)
    sending.gather()
    delivery = Delivery.objects.get()

    def killed(*_: object) -> posting.Answer:
        raise SystemExit

    monkeypatch.setattr(posting, "post", killed)
    with pytest.raises(SystemExit):
        sending.send(delivery.pk)
    sent = posts(monkeypatch)
    assert deliver() == 0, "it is claimed"
    later(minutes=3)
    assert deliver() == 1
    assert sent[0][2]["webhook-id"] == delivery.name
    delivery.refresh_from_db()
    assert delivery.state == Delivery.State.DELIVERED


def test_a_sender_that_comes_back_late_changes_nothing(
    mirror: Bot, table: list[Version], monkeypatch: pytest.MonkeyPatch
) -> None:
    hook_of(mirror)
    played(table)
    sending.gather()
    delivery = Delivery.objects.get()

    def overtaken(*_: object) -> posting.Answer:
        later(minutes=3)
        posts(monkeypatch)
        assert deliver() == 1
        return posting.Answer(None, "slow")

    monkeypatch.setattr(posting, "post", overtaken)
    sending.send(delivery.pk)
    delivery.refresh_from_db()
    assert (delivery.state, delivery.tries) == (Delivery.State.DELIVERED, 2)
    assert Hook.objects.get().failing_since is None


def test_a_hook_that_fails_for_three_days_is_switched_off(
    ada: User, mirror: Bot, table: list[Version], monkeypatch: pytest.MonkeyPatch
) -> None:
    verify(ada)
    hook = hook_of(mirror)
    sent = posts(monkeypatch, posting.Answer(None, "connection"))
    played(table)
    deliver()
    for _ in range(30):
        later(hours=6, seconds=1)
        played(table)
        deliver()
        hook.refresh_from_db()
        if hook.state == Hook.State.OFF:
            break
    assert hook.state == Hook.State.OFF
    assert 10 < len(sent) < 16
    assert Notice.objects.get().subject == "A webhook of yours is switched off"
    assert not Happening.objects.exists()
    played(table)
    assert not Happening.objects.exists()
    services.switch_on(hook=hook)
    sent = posts(monkeypatch)
    played(table)
    later(minutes=2)
    assert deliver() == 1


def test_a_receiver_that_is_gone_for_good_is_left_alone(
    mirror: Bot, table: list[Version], monkeypatch: pytest.MonkeyPatch
) -> None:
    hook = hook_of(mirror)
    posts(monkeypatch, posting.Answer(410, "status"))
    played(table)
    deliver()
    hook.refresh_from_db()
    assert hook.state == Hook.State.OFF


def test_what_gathers_has_a_bound_and_is_counted(
    mirror: Bot, table: list[Version], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "MOST_WAITING", 2)
    hook_of(mirror)
    sent = posts(monkeypatch, posting.Answer(500, "status"), posting.Answer(204, ""))
    played(table)
    deliver()
    block = played(table, 5)
    sending.forget()
    assert Happening.objects.count() == 2
    for _ in range(2):
        later(minutes=2)
        deliver()
    data = json.loads(sent[-1][1])["data"]
    assert data["missed"] == 3
    newest = list(block.matches.order_by("id").values_list("name", flat=True))[-2:]
    assert [one["match"] for one in data["results"]] == newest
    assert Hook.objects.get().missed == 0


def test_old_messages_are_forgotten(mirror: Bot, table: list[Version], monkeypatch: pytest.MonkeyPatch) -> None:
    hook_of(mirror)
    posts(monkeypatch)
    played(table)
    deliver()
    sending.forget()
    assert Delivery.objects.count() == 1
    later(days=8)
    sending.forget()
    assert not Delivery.objects.exists()


# ---- with a real receiver -------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_the_scheduler_delivers_to_a_real_server(mirror: Bot, table: list[Version], there: Receiver) -> None:
    hook = hook_of(mirror, there.url)
    played(table)
    there.behave = say(b"HTTP/1.1 503 Later\r\n\r\n")
    assert sending.tick() == 1
    there.behave = OK
    assert sending.tick() == 0
    later(seconds=6)
    assert sending.tick() == 1
    first, second = there.requests
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    assert first.headers["Content-Type"] == "application/json"
    for request in there.requests:
        assert Webhook(hook.secret).verify(request.body, request.headers)["type"] == "bot.results"
    with pytest.raises(Exception, match="No matching signature"):
        Webhook(hook.secret).verify(second.body + b" ", second.headers)


@pytest.mark.django_db(transaction=True)
def test_who_is_slow_holds_up_only_himself(
    mirror: Bot, table: list[Version], there: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other owner's message arrives while the first one's receiver has not answered yet."""
    monkeypatch.setattr(posting, "LONGEST_SECONDS", 90.0)
    bob = make_user("bob")
    wall = make_bot(bob, "wall")
    assert wall.active_version is not None
    slow, quick = hook_of(mirror, f"https://localhost:{there.port}/slow"), hook_of(wall, there.url)
    arrived = threading.Event()

    def behave(line: Any) -> None:
        if there.requests[-1].line.startswith("POST /slow") and len(there.requests) == 1:
            assert arrived.wait(60)
        arrived.set()
        OK(line)

    there.behave = behave
    played([*table, wall.active_version])
    assert sending.tick() == 2
    assert {hook.deliveries.get().state for hook in (slow, quick)} == {"delivered"}


@pytest.mark.django_db(transaction=True)
def test_whose_messages_are_slow_keeps_the_scheduler_for_one_of_them(
    mirror: Bot, table: list[Version], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until all have come back it looks for nobody's new ones."""
    sent = posts(monkeypatch)
    monkeypatch.setattr(sending, "TURN_SECONDS", 0.0)
    for _ in range(3):
        hook_of(mirror)
    played(table)
    assert [sending.tick() for _ in range(4)] == [1, 1, 1, 0]
    assert len({headers["webhook-id"] for _url, _text, headers in sent}) == 3


@pytest.mark.django_db(transaction=True)
def test_two_schedulers_send_a_message_once(mirror: Bot, table: list[Version], there: Receiver) -> None:
    hook_of(mirror, there.url)
    played(table)
    threads = [threading.Thread(target=lambda: (sending.tick(), connection.close())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(there.requests) == 1
    assert Delivery.objects.count() == 1


# ---- the pages ------------------------------------------------------------------------------------


def test_a_test_message_is_tried_once(ada: User, mirror: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    hook = hook_of(mirror)
    sent = posts(monkeypatch, posting.Answer(404, "status"))
    client = Client()
    client.force_login(ada)
    address = reverse("hooks:hook", args=[hook.pk])
    assert client.post(f"{address}test/").status_code == 302
    assert deliver() == 1
    assert json.loads(sent[0][1])["type"] == "ping"
    page = text_of(client.get(address))
    assert "it did not take the message" in page
    assert "HTTP 404" in page
    later(days=1)
    assert deliver() == 0
    hook.refresh_from_db()
    assert hook.failing_since is None
    for _ in range(20):
        client.post(f"{address}test/")
    assert Delivery.objects.count() == services.PINGS.most


def test_the_log_tells_how_it_went_and_nothing_of_the_answer(
    ada: User, mirror: Bot, table: list[Version], there: Receiver
) -> None:
    hook = hook_of(mirror, there.url)
    there.behave = say(b"HTTP/1.1 500 inner-secret-reason\r\nX-A: inner-header\r\n\r\ninner-body")
    played(table)
    deliver()
    client = Client()
    client.force_login(ada)
    page = text_of(client.get(reverse("hooks:hook", args=[hook.pk])))
    assert "does not get through" in page
    assert "HTTP 500" in page
    assert "inner-" not in page
    assert "tried 1 time" in page


def test_a_hook_is_switched_off_and_deleted_by_its_owner(ada: User, mirror: Bot, table: list[Version]) -> None:
    hook = hook_of(mirror)
    client = Client()
    client.force_login(ada)
    address = reverse("hooks:hook", args=[hook.pk])
    played(table)
    client.post(f"{address}off/")
    assert not Happening.objects.exists()
    assert "is switched off" in text_of(client.get(address))
    client.post(f"{address}on/")
    assert "is on" in text_of(client.get(address))
    assert client.get(f"{address}delete/").status_code == 405
    client.post(f"{address}delete/")
    assert not Hook.objects.exists()
