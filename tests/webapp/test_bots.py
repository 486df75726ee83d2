"""Authors' bots: who may do what, names, tokens, versions, and the pages."""

from __future__ import annotations

import hashlib
import logging
import re
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.webapp.making import (
    make_block,
    make_bot,
    make_house_bot,
    make_line,
    make_match,
    make_organiser,
    make_series,
    make_user,
)
from webapp.accounts.models import User
from webapp.bots import selectors, services
from webapp.bots.models import Bot, Connection, Token, Version
from webapp.matches.models import Block, Entry, Series, SeriesSeat

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> User:
    return make_user("ada")


@pytest.fixture
def bob() -> User:
    return make_user("bob")


@pytest.fixture
def olga() -> User:
    return make_organiser()


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


# ---- names and limits ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ab", "Mirror 2", "a.b_c-d", "x" * 40, "7up"])
def test_good_names(ada: User, name: str) -> None:
    assert services.create_bot(owner=ada, game="three_coins", name=name).name == name


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("a", "2 to 40"),
        ("x" * 41, "2 to 40"),
        (".hidden", "begins and ends"),
        ("trailing ", "begins and ends"),
        ("-rf", "begins and ends"),
        ("two  spaces", "two spaces"),
        ("mіrror", "letters from A to Z"),  # a Cyrillic і
        ("mirror²", "letters from A to Z"),
        ("a/b", "letters from A to Z"),
        ("a\nb", "letters from A to Z"),
        ("<b>", "letters from A to Z"),
        ("Random", "kept for the house"),
        ("honest", "kept for the house"),
        ("ADMIN", "kept for the house"),
    ],
)
def test_bad_names(ada: User, name: str, why: str) -> None:
    with pytest.raises(services.Refused, match=why):
        services.create_bot(owner=ada, game="three_coins", name=name)
    assert not Bot.objects.exists()


def test_a_name_is_taken_whatever_its_capitals(ada: User, bob: User) -> None:
    make_bot(ada, "Mirror")
    with pytest.raises(services.Refused, match="already a bot called mIRROR in Three Coins"):
        services.create_bot(owner=bob, game="three_coins", name="mIRROR")


def test_an_unknown_game(ada: User) -> None:
    with pytest.raises(services.Refused, match="no game 'chess'"):
        services.create_bot(owner=ada, game="chess", name="deep")


def test_a_closed_account_makes_no_bots(ada: User) -> None:
    ada.is_active = False
    with pytest.raises(services.NotAllowed):
        services.create_bot(owner=ada, game="three_coins", name="ghost")


def test_an_author_has_a_limit_that_retiring_frees(ada: User) -> None:
    bots = [make_bot(ada, f"bot{i}") for i in range(services.MOST_BOTS)]
    with pytest.raises(services.Refused, match="Retire one"):
        make_bot(ada, "onemore")
    services.retire_bot(bot=bots[0], by=ada)
    make_bot(ada, "onemore")
    with pytest.raises(services.Refused, match="Retire one"):
        services.reactivate_bot(bot=bots[0], by=ada)


def test_tables_at_once(ada: User) -> None:
    bot = make_bot(ada)
    services.set_max_tables(bot=bot, by=ada, max_tables=16)
    for number in (0, 17):
        with pytest.raises(services.Refused):
            services.set_max_tables(bot=bot, by=ada, max_tables=number)
    assert Bot.objects.get().max_tables == 16


# ---- permissions of the services -----------------------------------------------------------------


WRITES: dict[str, Callable[[Bot, User], object]] = {
    "describe": lambda bot, by: services.describe_bot(bot=bot, by=by, about="hello"),
    "tables": lambda bot, by: services.set_max_tables(bot=bot, by=by, max_tables=2),
    "retire": lambda bot, by: services.retire_bot(bot=bot, by=by),
    "reactivate": lambda bot, by: services.reactivate_bot(bot=bot, by=by),
    "ban": lambda bot, by: services.ban_bot(bot=bot, by=by, reason="no"),
    "issue": lambda bot, by: services.issue_token(bot=bot, by=by),
    "revoke": lambda bot, by: services.revoke_token(token=bot.tokens.get(), by=by),
}


@pytest.mark.parametrize("what", WRITES)
def test_nobody_writes_to_the_bot_of_another(ada: User, bob: User, what: str) -> None:
    bot = make_bot(ada)
    services.issue_token(bot=bot, by=ada)
    before = list(Bot.objects.values()), list(Token.objects.values())
    with pytest.raises(services.NotAllowed):
        WRITES[what](bot, bob)
    assert (list(Bot.objects.values()), list(Token.objects.values())) == before


@pytest.mark.parametrize("what", ["describe", "issue", "retire"])
def test_nobody_owns_the_bots_of_nobody(bob: User, what: str) -> None:
    """None is nobody's number: a house bot is not the bot of who is not saved yet."""
    version = make_house_bot("honest")
    for person in (bob, User(username="unsaved")):
        with pytest.raises(services.NotAllowed):
            WRITES[what](version.bot, person)


def test_an_author_cannot_undo_a_ban(ada: User, olga: User) -> None:
    bot = make_bot(ada)
    services.ban_bot(bot=bot, by=olga, reason="It attacked the house.")
    with pytest.raises(services.Refused, match=r"mirror is banned\. It attacked the house\."):
        services.reactivate_bot(bot=bot, by=ada)
    services.reactivate_bot(bot=bot, by=olga)
    assert bot.state == Bot.State.ACTIVE
    assert bot.state_reason == ""


def test_no_bot_comes_back_before_its_author(ada: User, olga: User) -> None:
    bot = make_bot(ada)
    services.ban_bot(bot=bot, by=olga, reason="It attacked the house.")
    User.objects.filter(pk=ada.pk).update(is_active=False)
    bot.refresh_from_db()
    with pytest.raises(services.Refused, match="Its author is shut out"):
        services.reactivate_bot(bot=bot, by=olga)
    bot.refresh_from_db()
    assert bot.state == Bot.State.BANNED


def test_an_organiser_makes_no_tokens_of_others(ada: User, olga: User) -> None:
    with pytest.raises(services.NotAllowed):
        services.issue_token(bot=make_bot(ada), by=olga)


# ---- tokens --------------------------------------------------------------------------------------


def test_a_token_lets_in_its_bot(ada: User) -> None:
    bot, other = make_bot(ada), make_bot(ada, "other")
    token, _ = services.issue_token(bot=bot, by=ada), services.issue_token(bot=other, by=ada)
    assert re.fullmatch(r"ba_[A-Za-z0-9_-]{43}", token)
    assert services.authenticate(token) == bot
    kept = bot.tokens.get()
    assert kept.digest == hashlib.sha256(token.encode()).hexdigest()
    assert kept.hint == token[-4:]
    assert kept.last_used is not None


def test_a_token_is_kept_nowhere(ada: User, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    bot = make_bot(ada)
    token = services.issue_token(bot=bot, by=ada)
    services.authenticate(token)
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            assert token not in str(cursor.fetchall())
    said = "".join(record.getMessage() + str(record.__dict__) for record in caplog.records)
    assert token not in said
    assert token[3:20] not in said


@pytest.mark.parametrize("token", ["", "ba_", "ba_" + "A" * 43, "\udcff", "x" * 10_000])
def test_a_guess_is_refused(ada: User, token: str) -> None:
    services.issue_token(bot=make_bot(ada), by=ada)
    with pytest.raises(services.TokenRefused, match="no such token"):
        services.authenticate(token)


def test_why_a_token_is_refused(ada: User, olga: User) -> None:
    bot = make_bot(ada)
    token = services.issue_token(bot=bot, by=ada)
    services.retire_bot(bot=bot, by=ada)
    with pytest.raises(services.TokenRefused, match="mirror is retired"):
        services.authenticate(token)
    services.reactivate_bot(bot=bot, by=ada)
    assert services.authenticate(token) == bot
    services.ban_bot(bot=bot, by=olga, reason="Spam.")
    with pytest.raises(services.TokenRefused, match=r"mirror is banned\. Spam\."):
        services.authenticate(token)
    services.reactivate_bot(bot=bot, by=olga)
    User.objects.filter(pk=ada.pk).update(is_active=False)
    with pytest.raises(services.TokenRefused, match="account"):
        services.authenticate(token)
    User.objects.filter(pk=ada.pk).update(is_active=True)
    services.revoke_token(token=bot.tokens.get(), by=ada)
    with pytest.raises(services.TokenRefused, match="revoked"):
        services.authenticate(token)


def test_a_revoked_token_ends_the_lines_that_wait(ada: User) -> None:
    bot, other = make_bot(ada), make_bot(ada, "other")
    services.issue_token(bot=bot, by=ada)
    make_line(bot)
    assert bot.active_version is not None
    seated = make_line(bot, series=make_series([bot.active_version]))
    others = make_line(other)
    services.revoke_token(token=bot.tokens.get(), by=ada)
    assert set(Connection.objects.all()) == {seated, others}


def test_a_quarantined_bot_may_dial_in(ada: User) -> None:
    bot = make_bot(ada)
    token = services.issue_token(bot=bot, by=ada)
    Bot.objects.update(state=Bot.State.QUARANTINED)
    assert services.authenticate(token) == bot


def test_the_use_of_a_token_is_written_once_a_minute(ada: User) -> None:
    bot = make_bot(ada)
    token = services.issue_token(bot=bot, by=ada)
    services.authenticate(token)
    first = bot.tokens.get().last_used
    services.authenticate(token)
    assert bot.tokens.get().last_used == first
    long_ago = datetime.now(UTC) - timedelta(hours=1)
    bot.tokens.update(last_used=long_ago)
    services.authenticate(token)
    used = bot.tokens.get().last_used
    assert used is not None
    assert used > long_ago


def test_a_bot_has_so_many_tokens_at_most(ada: User) -> None:
    bot = make_bot(ada)
    for _ in range(services.MOST_TOKENS):
        services.issue_token(bot=bot, by=ada)
    with pytest.raises(services.Refused, match="Revoke one"):
        services.issue_token(bot=bot, by=ada)
    services.revoke_token(token=bot.tokens.all()[0], by=ada)
    services.issue_token(bot=bot, by=ada)


def test_no_tokens_for_bots_that_run_here(ada: User) -> None:
    bot = services.create_bot(owner=ada, game="three_coins", name="inside", kind="hosted")
    with pytest.raises(services.Refused, match="needs no token"):
        services.issue_token(bot=bot, by=ada)


# ---- versions ------------------------------------------------------------------------------------


def test_a_label_is_a_version(ada: User) -> None:
    bot = services.create_bot(owner=ada, game="three_coins", name="mirror")
    first = services.declare_version(bot=bot, label=" 1 ")
    second = services.declare_version(bot=bot, label="bolder")
    assert services.declare_version(bot=bot, label="") == first
    assert services.declare_version(bot=bot, label="bolder") == second
    assert [(v.number, v.label, v.declared) for v in bot.versions.order_by("number")] == [
        (1, "1", True),
        (2, "bolder", True),
    ]
    assert first.digest == "sha256:" + hashlib.sha256(f"{bot.pk}/1".encode()).hexdigest()
    assert Bot.objects.get().active_version == second


def test_the_same_label_of_another_bot_is_another_version(ada: User) -> None:
    one, two = make_bot(ada, "one"), make_bot(ada, "two")
    assert one.active_version.digest != two.active_version.digest  # type: ignore[union-attr]


@pytest.mark.parametrize("label", ["x" * 61, "a\nb", "a\x00b", "\u202eabc"])
def test_bad_labels(ada: User, label: str) -> None:
    bot = services.create_bot(owner=ada, game="three_coins", name="mirror")
    with pytest.raises(services.Refused, match="printable"):
        services.declare_version(bot=bot, label=label)


def test_new_versions_have_a_limit_a_day(ada: User) -> None:
    bot = make_bot(ada)
    for number in range(2, services.NEW_VERSIONS_A_DAY + 1):
        services.declare_version(bot=bot, label=str(number))
    with pytest.raises(services.Refused, match="within a day"):
        services.declare_version(bot=bot, label="one more")
    services.declare_version(bot=bot, label="1")
    Version.objects.update(created=datetime.now(UTC) - timedelta(hours=25))
    services.declare_version(bot=bot, label="one more")


@pytest.mark.django_db(transaction=True)
def test_two_lines_declare_at_once(ada: User) -> None:
    bot = services.create_bot(owner=ada, game="three_coins", name="mirror")
    found: list[Version] = []

    def declare() -> None:
        try:
            found.append(services.declare_version(bot=Bot.objects.get(), label="7"))
        finally:
            connection.close()

    threads = [threading.Thread(target=declare) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert len(set(found)) == 1
    assert bot.versions.count() == 1


# ---- pages: who sees them ------------------------------------------------------------------------


def pages_of(bot: Bot) -> list[tuple[str, str]]:
    token = bot.tokens.get()
    entry = bot.entries.select_related("match").get()
    return [
        ("get", f"/my/bots/{bot.pk}/"),
        ("get", f"/my/bots/{bot.pk}/logs/{entry.match.name}/{entry.seat}/"),
        ("post", f"/my/bots/{bot.pk}/settings/"),
        ("post", f"/my/bots/{bot.pk}/tokens/"),
        ("post", f"/my/bots/{bot.pk}/tokens/{token.pk}/revoke/"),
        ("post", f"/my/bots/{bot.pk}/retire/"),
        ("post", f"/my/bots/{bot.pk}/reactivate/"),
    ]


@pytest.fixture
def played(ada: User) -> Bot:
    """A bot of Ada's with a token, a line and a match, in which it wrote something."""
    bot = make_bot(ada)
    services.issue_token(bot=bot, by=ada)
    assert bot.active_version is not None
    make_match([bot.active_version, make_house_bot("honest")], log="I thought: 4 < 7 & bluffed")
    return bot


def test_only_the_author_sees_a_bot(played: Bot, bob: User, olga: User) -> None:
    before = list(Bot.objects.values()), list(Token.objects.values())
    for method, address in pages_of(played):
        nobody = getattr(Client(), method)(address)
        assert nobody.status_code == 302
        assert nobody["Location"].startswith("/accounts/login/")
        for person in (bob, olga):
            answer = getattr(signed_in(person), method)(address, {"max_tables": 3})
            assert answer.status_code == 404, (person, address)
            assert "bluffed" not in answer.content.decode()
    assert (list(Bot.objects.values()), list(Token.objects.values())) == before


def test_the_author_sees_everything(played: Bot, ada: User) -> None:
    for method, address in pages_of(played):
        if method == "get":
            answer = signed_in(ada).get(address)
            assert answer.status_code == 200
            assert "no-store" in answer["Cache-Control"]


def test_nothing_is_written_without_a_csrf_token(played: Bot, ada: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(ada)
    for method, address in pages_of(played):
        if method == "post":
            assert client.post(address).status_code == 403


def test_what_writes_is_not_got(played: Bot, ada: User) -> None:
    for method, address in pages_of(played):
        if method == "post":
            got = signed_in(ada).get(address)
            if address.endswith("/tokens/"):  # the new token is shown under this address; who reloads it finds the bot
                assert got.headers["Location"] == f"/my/bots/{played.pk}/"
            else:
                assert got.status_code == 405


def test_lists_and_forms_need_somebody(ada: User) -> None:
    for address in ("/my/bots/", "/my/bots/new/"):
        assert Client().get(address).status_code == 302
        assert signed_in(ada).get(address).status_code == 200


def test_the_list_has_only_ones_own(ada: User, bob: User) -> None:
    make_line(make_bot(ada, "adas"))
    make_bot(bob, "bobs")
    page = signed_in(ada).get("/my/bots/").content.decode()
    assert "adas" in page
    assert "connected" in page
    assert "bobs" not in page


def test_the_list_takes_few_queries(ada: User, django_assert_max_num_queries: Callable[..., object]) -> None:
    client = signed_in(ada)
    for number in range(6):
        make_line(make_bot(ada, f"bot{number}"))
    with django_assert_max_num_queries(4):  # type: ignore[attr-defined]
        client.get("/my/bots/")


# ---- pages: what they do -------------------------------------------------------------------------


def test_a_bot_is_made_on_the_page(ada: User) -> None:
    client = signed_in(ada)
    answer = client.post("/my/bots/new/", {"game": "three_coins", "name": "mirror", "about": "Says what\n you said."})
    bot = Bot.objects.get()
    assert answer["Location"] == f"/my/bots/{bot.pk}/"
    assert (bot.owner, bot.kind, bot.about) == (ada, "remote", "Says what you said.")
    again = client.post("/my/bots/new/", {"game": "three_coins", "name": "MIRROR"})
    assert again.status_code == 422
    assert "already a bot called MIRROR" in again.content.decode()
    wrong = client.post("/my/bots/new/", {"game": "three_coins", "name": "x", "kind": "hosted", "house": "1"})
    assert wrong.status_code == 422


def test_a_token_is_shown_once(ada: User) -> None:
    bot = make_bot(ada)
    client = signed_in(ada)
    made = client.post(f"/my/bots/{bot.pk}/tokens/")
    assert made.status_code == 200
    assert "no-store" in made["Cache-Control"]
    (token,) = re.findall(r"ba_[A-Za-z0-9_-]{43}", made.content.decode())
    assert services.authenticate(token) == bot
    for address in (f"/my/bots/{bot.pk}/", "/my/bots/", f"/bots/three_coins/{bot.name}/"):
        assert token not in client.get(address).content.decode()
    assert f"…{token[-4:]}" in client.get(f"/my/bots/{bot.pk}/").content.decode()
    kept = bot.tokens.get()
    client.post(f"/my/bots/{bot.pk}/tokens/{kept.pk}/revoke/")
    with pytest.raises(services.TokenRefused, match="revoked"):
        services.authenticate(token)


def test_a_token_of_another_bot_is_not_revoked_by_way_of_ones_own(ada: User, bob: User) -> None:
    mine, other = make_bot(ada, "mine"), make_bot(bob, "other")
    services.issue_token(bot=other, by=bob)
    token = other.tokens.get()
    assert signed_in(ada).post(f"/my/bots/{mine.pk}/tokens/{token.pk}/revoke/").status_code == 404
    assert Token.objects.get().revoked is None


def test_settings_are_changed_on_the_page(ada: User) -> None:
    bot = make_bot(ada)
    client = signed_in(ada)
    client.post(f"/my/bots/{bot.pk}/settings/", {"max_tables": 4, "about": "<b>bold</b>"})
    bot.refresh_from_db()
    assert (bot.max_tables, bot.about) == (4, "<b>bold</b>")
    page = client.get(f"/my/bots/{bot.pk}/").content.decode()
    assert "<b>bold" not in page
    assert "&lt;b&gt;bold" in page
    assert client.post(f"/my/bots/{bot.pk}/settings/", {"max_tables": 99}).status_code == 422


def test_retiring_and_bringing_back_on_the_page(ada: User) -> None:
    bot = make_bot(ada)
    client = signed_in(ada)
    page = client.post(f"/my/bots/{bot.pk}/retire/", follow=True).content.decode()
    assert "mirror is retired." in page
    assert "Bring it back" in page
    twice = client.post(f"/my/bots/{bot.pk}/retire/", follow=True).content.decode()
    assert "mirror is retired. Retired by its author." in twice
    client.post(f"/my/bots/{bot.pk}/reactivate/")
    bot.refresh_from_db()
    assert bot.state == Bot.State.ACTIVE


# ---- logs ----------------------------------------------------------------------------------------


def test_a_log_is_for_the_author_alone(played: Bot, ada: User) -> None:
    match = played.entries.get().match
    page = signed_in(ada).get(f"/my/bots/{played.pk}/logs/{match.name}/0/").content.decode()
    assert "I thought: 4 &lt; 7 &amp; bluffed" in page
    house = Entry.objects.get(match=match, seat=1)
    assert signed_in(ada).get(f"/my/bots/{played.pk}/logs/{match.name}/{house.seat}/").status_code == 404


def test_a_log_waits_until_the_luck_is_no_secret(ada: User) -> None:
    bot = make_bot(ada)
    assert bot.active_version is not None
    match = make_match([bot.active_version, make_house_bot("honest")], block_state=Block.State.OPEN, log="my dice: 6")
    address = f"/my/bots/{bot.pk}/logs/{match.name}/0/"
    assert signed_in(ada).get(address).status_code == 404
    assert match.name not in signed_in(ada).get(f"/my/bots/{bot.pk}/").content.decode()
    Block.objects.update(state=Block.State.CLOSED)
    assert "my dice: 6" in signed_in(ada).get(address).content.decode()


# ---- what it is doing, and why not ---------------------------------------------------------------


def test_what_a_bot_is_doing(ada: User) -> None:
    bot = services.create_bot(owner=ada, game="three_coins", name="mirror")

    def said() -> str:
        bot.refresh_from_db()
        doing = selectors.doing(own=selectors.Own(bot))
        return f"{doing.headline} {doing.help}"

    assert "it has no token" in said()
    token = services.issue_token(bot=bot, by=ada)
    assert "No program has dialled in as mirror yet" in said()
    services.authenticate(token)
    assert "the last one dialled in on" in said()
    version = services.declare_version(bot=bot, label="1")
    bot.refresh_from_db()
    line = make_line(bot)
    assert "mirror is connected and waiting for a table. Nobody else is there" in said()
    make_line(make_bot(ada, "sister"))
    assert "Nobody else is there" in said()
    make_house_bot("honest")
    make_line(make_bot(make_user("bob"), "stranger"))
    assert "2 other bots can be seated" in said()
    series = make_series([version, make_house_bot("honest")], state=Series.State.WAITING)
    assert "waits for a free worker" in said()
    Series.objects.update(state=Series.State.PLAYING, lease_until=datetime.now(UTC))
    assert said() == "mirror is playing. One of its lines is free for another table."
    Connection.objects.filter(pk=line.pk).update(state=Connection.State.SEATED, series=series)
    most = "That is as many tables as it may play at; the number stands in its settings."
    assert said() == f"mirror is playing. {most}"
    Connection.objects.filter(pk=line.pk).update(state=Connection.State.WAITING, series=None)
    assert selectors.Own(bot).playing == [series]
    Series.objects.update(state=Series.State.PUT_OFF, note="The worker fell silent.")
    assert "Its last series was put off. The worker fell silent." in said()
    Connection.objects.filter(pk=line.pk).update(lease_until=datetime.now(UTC) - timedelta(seconds=1))
    assert "No program is connected" in said()
    for number in range(selectors.NEW_VERSIONS_A_DAY - 1):
        services.declare_version(bot=bot, label=f"try {number}")
    assert "It has declared 20 new versions within a day" in said()
    Bot.objects.update(state=Bot.State.QUARANTINED, state_reason="100% of its moves were late.")
    assert "mirror is in quarantine. 100% of its moves were late." in said()


def test_what_a_bot_is_doing_is_asked_as_quickly_when_it_has_played_much(ada: User) -> None:
    """No row more is read for a match that is over: none of the questions goes through all of them."""
    bot = make_bot(ada)
    make_line(bot)
    assert bot.active_version is not None

    def asked() -> list[str]:
        with CaptureQueriesContext(connection) as queries:
            own = selectors.own_bot(owner=ada, pk=bot.pk)
            assert own is not None
            assert selectors.doing(own=selectors.Own(own)).headline
        return [query["sql"] for query in queries.captured_queries]

    few = asked()
    house = make_house_bot("honest")
    matches = [make_match([bot.active_version, house]) for _ in range(5)]
    many = asked()
    assert len(many) == len(few)
    assert not any("MAX(" in sql and "match" in sql for sql in many)
    assert not any("DISTINCT" in sql for sql in many)
    own = selectors.own_bot(owner=ada, pk=bot.pk)
    assert getattr(own, "last_match", None) == matches[-1].finished


# ---- what the database itself refuses ------------------------------------------------------------


def refused(write: Callable[[], object]) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        write()


def test_the_database_refuses_what_cannot_be(ada: User) -> None:
    bot, house = make_bot(ada), make_house_bot("honest")
    version = bot.active_version
    assert version is not None
    series = make_series([version, house])
    block = make_block(series, state=Block.State.OPEN)
    match = make_match([version, house], series=series, block=block)

    refused(lambda: Bot.objects.create(game="three_coins", name="MIRROR", kind="remote"))
    refused(lambda: Bot.objects.filter(pk=house.bot_id).update(owner=ada))
    refused(lambda: Bot.objects.filter(pk=bot.pk).update(max_tables=17))
    refused(lambda: Bot.objects.filter(pk=bot.pk).update(max_tables=0))
    refused(lambda: Version.objects.create(bot=bot, digest=version.digest, number=2))
    refused(lambda: Version.objects.create(bot=bot, digest="sha256:x", number=1))
    refused(lambda: make_line(bot, series=series) and Connection.objects.update(series=None))
    refused(lambda: User.objects.create_user("ADA", "other@example.org"))

    refused(lambda: SeriesSeat.objects.create(series=series, seat=0, version=house))
    refused(lambda: Block.objects.create(series=series, number=2, nonce_hashes=[], nonces=[], seating=[]))
    refused(
        lambda: Block.objects.create(series=series, number=1, state="broken", nonce_hashes=[], nonces=[], seating=[])
    )
    refused(lambda: Series.objects.filter(pk=series.pk).update(state="playing", lease_until=None))
    refused(lambda: Series.objects.filter(pk=series.pk).update(planned=0))
    entry = {"version": house, "bot": house.bot, "score": 0, "moves": 1, "thinking_ms": 1, "slowest_ms": 1}
    refused(lambda: Entry.objects.create(match=match, seat=1, place=1, **entry))
    refused(lambda: Entry.objects.create(match=match, seat=2, place=0, **entry))
    refused(lambda: Block.objects.create(series=series, number=2, nonce_hashes=[], nonces=[], seating=[]))
    again = {field.attname: getattr(match, field.attname) for field in match._meta.concrete_fields}
    refused(lambda: type(match).objects.create(**again | {"id": None, "name": "m-other"}))
    refused(lambda: type(match).objects.create(**again | {"id": None, "number": 2}))
