"""The organisers' admin: it opens, it shows no secret, and what is done in it leaves a line."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from tests.webapp.making import (
    PASSWORD,
    classic,
    make_block,
    make_bot,
    make_house_bot,
    make_line,
    make_match,
    make_organiser,
    make_series,
    make_user,
    text_of,
)
from webapp.accounts.models import User
from webapp.bots import services as bots
from webapp.bots.models import Bot, Connection, Version
from webapp.matches.models import Block, Match, Ruleset, Series
from webapp.ratings.models import Snapshot
from webapp.ratings.services import refit

pytestmark = pytest.mark.django_db

MODELS = (Bot, Connection, User, Ruleset, Series, Match, Block, Snapshot)


@pytest.fixture
def olga() -> User:
    return make_organiser()


@pytest.fixture
def desk(olga: User) -> Client:
    client = Client()
    client.force_login(olga)
    return client


@pytest.fixture
def mirror() -> Version:
    version = make_bot(make_user("ada"), "mirror").active_version
    assert version is not None
    return version


def address(row: object, page: str = "change") -> str:
    meta = row._meta  # type: ignore[attr-defined]
    where = f"admin:{meta.app_label}_{meta.model_name}_{page}"
    return reverse(where, args=[row.pk] if page != "changelist" else [])  # type: ignore[attr-defined]


def act(client: Client, action: str, *rows: Bot | Match | Series | User) -> str:
    words = {"action": action, "_selected_action": [row.pk for row in rows]}
    return client.post(address(rows[0], "changelist"), words, follow=True).content.decode()


@pytest.fixture
def everything(mirror: Version) -> dict[str, str]:
    """Rows of all kinds; returns what must not be seen of them."""
    ada = mirror.bot.owner
    assert ada is not None
    honest = make_house_bot("honest")
    make_house_bot("random")
    token = bots.issue_token(bot=mirror.bot, by=ada)
    line = make_line(mirror.bot)
    series = make_series([mirror, honest], state=Series.State.PLAYING, planned=2)
    make_match([mirror, honest], series=series, log="my own thoughts")
    block = make_block(series, state=Block.State.OPEN)
    make_match([mirror, honest], series=series, block=block, log="my own thoughts")
    refit(ruleset=classic())
    return {
        "a token": token,
        "its hash": mirror.bot.tokens.get().digest,
        "a line's secret": line.session,
        "a seed": block.seed,
        "a nonce": block.nonces[0],
        "a log": "my own thoughts",
    }


def all_pages() -> Iterator[str]:
    yield reverse("admin:index")
    for model in MODELS:
        assert model in admin.site._registry
        yield address(model, "changelist")
        yield address(model, "changelist") + "?q=mirror"
        for row in model._default_manager.all():
            yield address(row)


def test_every_page_opens_and_shows_no_secret(desk: Client, everything: dict[str, str]) -> None:
    for page in all_pages():
        answer = desk.get(page)
        assert answer.status_code == 200, page
        said = text_of(answer)
        for what, secret in everything.items():
            assert secret not in said, f"{page} shows {what}"


def test_a_closed_blocks_seed_is_shown(desk: Client, mirror: Version) -> None:
    block = make_block(make_series([mirror, make_house_bot("honest")]))
    assert block.seed in desk.get(address(block)).content.decode()


def test_the_admin_is_for_organisers(everything: dict[str, str]) -> None:
    stranger = Client()
    stranger.force_login(make_user("bob"))
    helper = Client()
    helper.force_login(make_user("helper", is_staff=True))  # staff, but without any right
    for page in all_pages():
        assert Client().get(page).status_code == 302
        assert stranger.get(page).status_code == 302
        if page != reverse("admin:index"):
            assert helper.get(page).status_code == 403


def test_rows_that_are_the_truth_are_not_typed(desk: Client, everything: dict[str, str]) -> None:
    for model in MODELS:
        if model is User:
            continue
        row = model._default_manager.first()
        before = model._default_manager.values().first()
        assert desk.post(address(row), {}).status_code == 403
        assert desk.post(address(row, "delete"), {"post": "yes"}).status_code == 403
        assert model._default_manager.values().first() == before
        # rulesets are made on a page of the site, to which the button leads
        add = f"admin:{model._meta.app_label}_{model._meta.model_name}_add"
        assert desk.post(reverse(add), {}).status_code == (302 if model is Ruleset else 403)
        assert model._default_manager.values().first() == before


# ---- actions -------------------------------------------------------------------------------------


def test_voiding_and_restoring(desk: Client, olga: User, mirror: Version) -> None:
    make_house_bot("random")
    one, other = (make_match([mirror, make_house_bot("honest")]) for _ in range(2))
    refit(ruleset=classic())
    assert "1 matches voided" in act(desk, "void", one)
    assert "1 matches voided" in act(desk, "void", one, other)
    assert list(Match.objects.values_list("voided", flat=True)) == [True, True]
    snapshot = refit(ruleset=classic())
    assert snapshot is not None
    assert snapshot.matches == 0
    assert "1 matches restored" in act(desk, "restore", one)
    lines = LogEntry.objects.order_by("id").values_list("user__username", "object_repr", "change_message")
    assert list(lines) == [
        ("olga", one.name, "Voided."),
        ("olga", other.name, "Voided."),
        ("olga", one.name, "Restored: it counts again."),
    ]


def test_nobody_voids_what_he_has_lost_nor_past_the_page_of_a_tournament(
    desk: Client, olga: User, mirror: Version
) -> None:
    honest = make_house_bot("honest")
    own, cups = make_match([mirror, honest]), make_match([mirror, honest])
    Series.objects.filter(pk=cups.series_id).update(purpose=Series.Purpose.TOURNAMENT)
    assert "on the tournament" in act(desk, "void", own, cups)
    Bot.objects.filter(pk=mirror.bot_id).update(owner=make_user("second", linked_to=olga))
    assert "another organiser has to judge" in act(desk, "void", own)
    assert not Match.objects.filter(voided=True).exists()
    Match.objects.update(voided=True)
    assert "another organiser has to judge" in act(desk, "restore", own)
    assert not Match.objects.filter(voided=False).exists()


def test_banning_retiring_and_bringing_back(desk: Client, mirror: Version) -> None:
    ada = mirror.bot.owner
    assert ada is not None
    token = bots.issue_token(bot=mirror.bot, by=ada)
    states = []
    for action in ("ban", "ban", "reactivate", "retire", "reactivate"):
        act(desk, action, mirror.bot)
        states.append(Bot.objects.get(pk=mirror.bot_id).state)
    assert states == ["banned", "banned", "active", "retired", "active"]
    assert bots.authenticate(token) == mirror.bot
    assert "1 tokens revoked" in act(desk, "revoke_tokens", mirror.bot)
    with pytest.raises(bots.TokenRefused):
        bots.authenticate(token)
    assert LogEntry.objects.count() == 5
    assert token not in str(list(LogEntry.objects.values()))


def test_what_an_author_does_is_not_the_organisers_log(mirror: Version) -> None:
    bots.retire_bot(bot=mirror.bot, by=mirror.bot.owner)  # type: ignore[arg-type]
    assert not LogEntry.objects.exists()


def test_cancelling_a_series(desk: Client, mirror: Version) -> None:
    table = [mirror, make_house_bot("honest")]
    waiting = make_series(table, state=Series.State.WAITING)
    block = make_block(waiting, state=Block.State.OPEN)
    playing = make_series(table, state=Series.State.PLAYING)
    over = make_series(table)
    page = act(desk, "cancel", waiting, playing, over)
    assert f"Series {playing.pk} is playing and cannot be cancelled" in page
    for series in (waiting, playing, over):
        series.refresh_from_db()
    assert [series.state for series in (waiting, playing, over)] == ["cancelled", "playing", "finished"]
    assert waiting.note
    assert waiting.finished
    block.refresh_from_db()
    assert (block.state, block.reason) == ("broken", "Cancelled by an organiser.")
    assert block.closed
    assert LogEntry.objects.count() == 1


def test_actions_need_the_right_to_change(everything: dict[str, str]) -> None:
    reader = make_user("reader", is_staff=True)
    reader.user_permissions.set(Permission.objects.filter(codename__startswith="view_"))
    client = Client()
    client.force_login(reader)
    for row, actions in (
        (Match.objects.first(), ("void", "restore")),
        (Bot.objects.get(name="mirror"), ("ban", "retire", "revoke_tokens")),
        (Series.objects.first(), ("cancel",)),
    ):
        assert row is not None
        for action in actions:
            act(client, action, row)
    assert not Match.objects.filter(voided=True).exists()
    assert Bot.objects.get(name="mirror").state == "active"
    assert not LogEntry.objects.exists()


# ---- accounts ------------------------------------------------------------------------------------


def test_an_organiser_removes_an_account(desk: Client, mirror: Version) -> None:
    ada = mirror.bot.owner
    assert ada is not None
    desk.post(address(ada, "delete"), {"post": "yes"})
    assert not User.objects.filter(username="ada").exists()
    mirror.bot.refresh_from_db()
    assert (mirror.bot.state, mirror.bot.owner) == ("retired", None)


def test_an_account_is_closed_and_its_bots_stay_out(desk: Client, mirror: Version) -> None:
    ada = mirror.bot.owner
    assert ada is not None
    token = bots.issue_token(bot=mirror.bot, by=ada)
    desk.post(address(ada), {"username": "ada", "email": ada.email})  # "is active" unticked
    with pytest.raises(bots.TokenRefused, match="account"):
        bots.authenticate(token)
    assert not Client().login(username="ada", password=PASSWORD)


def test_only_a_superuser_makes_organisers(olga: User) -> None:
    helper = make_user("helper", is_staff=True)
    helper.user_permissions.set(Permission.objects.filter(content_type__app_label="accounts"))
    ada = make_user("ada")
    client = Client()
    client.force_login(helper)
    words = {"username": "ada", "email": ada.email, "is_active": "on", "is_staff": "on", "is_superuser": "on"}
    client.post(address(ada), words)
    ada.refresh_from_db()
    assert (ada.is_staff, ada.is_superuser) == (False, False)
    assert client.post(address(olga), words | {"username": "mine"}).status_code == 403
    assert client.post(address(olga, "delete"), {"post": "yes"}).status_code == 403
    act(client, "delete_selected", olga)
    assert User.objects.filter(username="olga").exists()
    # Nor by giving her another password.
    assert client.get(reverse("admin:auth_user_password_change", args=[olga.pk])).status_code == 403
