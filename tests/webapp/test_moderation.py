"""Reports, bans, names and links: who may do what, what comes of it, and that nobody learns who reported."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from random import Random

import pytest
from allauth.account.models import EmailAddress
from django.contrib.admin.models import LogEntry
from django.core.cache import cache
from django.db import IntegrityError, connections, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.webapp.making import (
    PASSWORD,
    classic,
    make_bot,
    make_house_bot,
    make_line,
    make_match,
    make_organiser,
    make_series,
    make_user,
    text_of,
)
from webapp.accounts import addresses, people
from webapp.accounts import services as accounts
from webapp.accounts.models import AddressPrint, BannedAddress, PrintKey, User
from webapp.bots import quarantine, selectors
from webapp.bots import services as bots
from webapp.bots.models import Bot, Connection, FormerName, Version
from webapp.matches import ladder
from webapp.matches.models import Match, Series
from webapp.moderation import organisers, services
from webapp.moderation.models import Report
from webapp.moderation.selectors import neighbours, open_reports, shared_addresses
from webapp.moderation.services import NotAllowed, Refused

pytestmark = pytest.mark.django_db


def make_person(name: str) -> User:
    """Somebody whose address is verified."""
    user = make_user(name)
    EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=True)
    return user


@pytest.fixture
def ada() -> User:
    return make_person("ada")


@pytest.fixture
def bob() -> User:
    return make_person("bob")


@pytest.fixture
def olga() -> User:
    return make_organiser()


@pytest.fixture
def mirror(ada: User) -> Version:
    version = make_bot(ada, "mirror").active_version
    assert version is not None
    return version


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def lines() -> list[str]:
    return list(LogEntry.objects.order_by("id").values_list("change_message", flat=True))


def at_once(*calls: Callable[[], object]) -> list[object]:
    """What the calls give or raise, all made at the same moment."""
    barrier, results = threading.Barrier(len(calls)), [None] * len(calls)

    def one(index: int, call: Callable[[], object]) -> None:
        barrier.wait()
        try:
            results[index] = call()
        except Exception as error:  # noqa: BLE001  # the test looks at it
            results[index] = error
        finally:
            connections.close_all()

    threads = [threading.Thread(target=one, args=(i, call)) for i, call in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


# ---- banning an author ---------------------------------------------------------------------------


def test_a_ban_ends_everything(ada: User, olga: User, mirror: Version) -> None:
    token = bots.issue_token(bot=mirror.bot, by=ada)
    other = make_bot(ada, "other")
    bots.ban_bot(bot=other, by=olga, reason="Spam.")
    honest = make_house_bot("honest")
    waiting = make_series([mirror, honest], state=Series.State.WAITING)
    playing = make_series([mirror, honest], state=Series.State.PLAYING)
    make_line(mirror.bot)
    seated = make_line(mirror.bot, series=playing)
    client = signed_in(ada)
    assert client.get("/my/account/").status_code == 200

    organisers.ban_author(person=ada, by=olga, reason="Five accounts.")

    assert client.get("/my/account/").status_code == 302
    assert not Client().login(username="ada", password=PASSWORD)
    answer = Client().post("/accounts/login/", {"login": "ada", "password": PASSWORD}, follow=True)
    assert not answer.context["user"].is_authenticated
    with pytest.raises(bots.TokenRefused):
        bots.authenticate(token)
    mirror.bot.refresh_from_db()
    other.refresh_from_db()
    assert (mirror.bot.state, mirror.bot.state_reason) == ("retired", "Its author is banned.")
    assert (other.state, other.state_reason) == ("banned", "Spam.")
    assert list(Connection.objects.all()) == [seated]  # what is being played is played to its end
    playing.refresh_from_db()
    waiting.refresh_from_db()
    assert (playing.state, waiting.state) == ("playing", "cancelled")
    assert "Banned. Five accounts." in lines()


def test_the_same_address_does_not_sign_up_again(ada: User, bob: User, olga: User) -> None:
    EmailAddress.objects.create(user=ada, email="unproved@example.org", verified=False)
    organisers.ban_author(person=ada, by=olga, reason="Spam.")
    assert "ada@example.org" not in str(list(BannedAddress.objects.values()))
    accounts.remove_account(user=User.objects.get(pk=ada.pk), by=olga)

    def sign_up(name: str, email: str) -> bool:
        cache.clear()
        words = {"username": name, "email": email, "password1": PASSWORD, "password2": PASSWORD}
        Client().post("/accounts/signup/", words)
        return User.objects.filter(username=name).exists()

    assert not sign_up("again", "ada@example.org")
    assert not sign_up("again", " ADA+new@Example.org")
    assert sign_up("somebody", "unproved@example.org")  # whose it is was never shown
    assert sign_up("carol", "carol@example.org")
    page = signed_in(bob).post("/accounts/email/", {"action_add": "", "email": "ada@example.org"}).content.decode()
    assert "This address cannot be used here" in page


def test_a_pardon(ada: User, olga: User, mirror: Version) -> None:
    token = bots.issue_token(bot=mirror.bot, by=ada)
    client = signed_in(ada)
    for fault in range(3):
        series = make_series([mirror, make_house_bot("honest")])
        series.seats.filter(seat=0).update(removed=f"late {fault}")
        with transaction.atomic():
            quarantine.judge_removal(series=series, reasons={mirror.bot_id: f"late {fault}"})
    organisers.ban_author(person=ada, by=olga, reason="Spam.")
    with pytest.raises(Refused, match=r"ada is banned already. Spam."):
        organisers.ban_author(person=ada, by=olga, reason="Again.")
    organisers.unban_author(person=ada, by=olga)
    with pytest.raises(Refused, match="not banned"):
        organisers.unban_author(person=ada, by=olga)
    assert client.get("/my/account/").status_code == 302  # the old session stays ended
    assert Client().login(username="ada", password=PASSWORD)
    assert not BannedAddress.objects.exists()
    with pytest.raises(bots.TokenRefused):
        bots.authenticate(token)
    ada.refresh_from_db()
    mirror.bot.refresh_from_db()
    assert mirror.bot.state == "retired"
    bots.reactivate_bot(bot=mirror.bot, by=ada)
    assert mirror.bot.state == "quarantined"  # a ban is no way out of it
    assert lines() == ["Banned. Spam.", "Not banned any more."]


def test_who_may_ban_whom(ada: User, bob: User, olga: User) -> None:
    helper = make_user("helper", is_staff=True)
    other = make_user("other", is_staff=True)
    closed = make_user("closed", is_staff=True, is_active=False)
    for by, person in ((ada, bob), (helper, helper), (olga, olga), (helper, other), (helper, olga), (closed, ada)):
        with pytest.raises(NotAllowed):
            organisers.ban_author(person=person, by=by, reason="I want to.")
    with pytest.raises(Refused, match="reason"):
        organisers.ban_author(person=ada, by=helper, reason="  ")
    assert not User.objects.exclude(banned=None).exists()
    organisers.ban_author(person=other, by=olga, reason="Misuse.")
    with pytest.raises(NotAllowed):
        organisers.unban_author(person=other, by=helper)
    organisers.ban_author(person=ada, by=helper, reason="Spam.")


@pytest.mark.django_db(transaction=True)
def test_two_organisers_at_once() -> None:
    ada, one, other = make_person("ada"), make_organiser("one"), make_organiser("other")
    results = at_once(
        lambda: organisers.ban_author(person=ada, by=one, reason="Spam."),
        lambda: organisers.ban_author(person=ada, by=other, reason="Spam too."),
    )
    assert sorted(type(result).__name__ for result in results) == ["NoneType", "Refused"]
    assert len(lines()) == 1
    # and when each bans the other, one superuser is left
    results = at_once(
        lambda: organisers.ban_author(person=other, by=one, reason="No, you."),
        lambda: organisers.ban_author(person=one, by=other, reason="No, you."),
    )
    assert sorted(type(result).__name__ for result in results) == ["NoneType", "NotAllowed"]
    assert User.objects.filter(is_superuser=True, is_active=True).count() == 1


def test_the_last_superuser_stays(olga: User) -> None:
    with pytest.raises(PermissionError, match="last superuser"):
        accounts.remove_account(user=olga, by=olga)
    desk = signed_in(olga)
    change = reverse("admin:accounts_user_change", args=[olga.pk])
    desk.post(change, {"username": "olga", "email": olga.email})
    olga.refresh_from_db()
    assert (olga.is_active, olga.is_superuser) == (True, True)  # nobody changes his own rights
    assert desk.post(reverse("admin:accounts_user_delete", args=[olga.pk]), {"post": "yes"}).status_code == 403
    second = make_organiser("second")
    words = {"username": "olga", "email": olga.email}
    signed_in(second).post(change, words)
    olga.refresh_from_db()
    assert (olga.is_active, olga.is_superuser) == (False, False)
    # the admin asks under the lock: it may be the last one by the time that it is saved
    third = make_organiser("third")
    User.objects.filter(pk=second.pk).update(is_superuser=False)
    session = signed_in(third)
    User.objects.filter(pk=olga.pk).update(is_staff=True)
    assert accounts.is_last_superuser(third)
    assert not accounts.is_last_superuser(second)
    assert session.get(change).status_code == 200


# ---- the admin and the organisers' pages ---------------------------------------------------------


def act(client: Client, action: str, row: object) -> str:
    meta = row._meta  # type: ignore[attr-defined]
    words = {"action": action, "_selected_action": [row.pk]}  # type: ignore[attr-defined]
    where = reverse(f"admin:{meta.app_label}_{meta.model_name}_changelist")
    return client.post(where, words, follow=True).content.decode()


def test_in_the_admin(ada: User, bob: User, olga: User, mirror: Version) -> None:
    desk = signed_in(olga)
    assert "Ada is changed" in act(desk, "ban", ada)
    assert "ada is banned already" in act(desk, "ban", ada)
    assert "Nobody bans himself" in act(desk, "ban", olga)
    assert "Ada is changed" in act(desk, "unban", ada)
    bots.reactivate_bot(bot=mirror.bot, by=User.objects.get(pk=ada.pk))
    bots.describe_bot(bot=mirror.bot, by=User.objects.get(pk=ada.pk), about="rude words")
    assert "1 bots changed" in act(desk, "clear_about", mirror.bot)
    assert "says nothing" in act(desk, "clear_about", mirror.bot)
    Bot.objects.update(state=Bot.State.QUARANTINED)
    assert "1 bots changed" in act(desk, "release", mirror.bot)
    report = services.report(by=bob, about=mirror.bot, category="name")
    assert "is resolved" in act(desk, "dismiss", report)
    assert "resolved it already" in act(desk, "dismiss", report)
    assert len(lines()) == 5
    for row in (report, ada, mirror.bot):
        meta = row._meta
        page = desk.get(reverse(f"admin:{meta.app_label}_{meta.model_name}_change", args=[row.pk]))
        assert "/organisers/" in page.content.decode()  # the way to the organisers' page


ORGANISERS_PAGES = ("/organisers/", "/organisers/?q=a", "/organisers/signs/", "/organisers/people/ada/")


def test_the_pages_are_for_organisers(ada: User, bob: User, olga: User, mirror: Version) -> None:
    report = services.report(by=bob, about=mirror.bot, category="name", text="It is rude.")
    pages = (*ORGANISERS_PAGES, f"/organisers/bots/{mirror.bot_id}/", f"/organisers/reports/{report.pk}/")
    for page in pages:
        assert Client().get(page).status_code == 302
        assert signed_in(bob).get(page).status_code == 403
        answer = signed_in(olga).get(page)
        assert answer.status_code == 200, page
        assert "no-store" in answer["Cache-Control"]
        assert PASSWORD not in text_of(answer)
    for page in ("/organisers/people/ada/ban/", f"/organisers/bots/{mirror.bot_id}/ban/"):
        assert signed_in(bob).post(page, {"reason": "mine"}).status_code == 403
    assert "/organisers/" not in signed_in(bob).get("/").content.decode()
    assert "/organisers/" in signed_in(olga).get("/").content.decode()
    for page in ("people/nobody/", "bots/999999/", "reports/999999/"):
        assert signed_in(olga).get(f"/organisers/{page}").status_code == 404


def test_on_the_organisers_pages(ada: User, bob: User, olga: User, mirror: Version) -> None:
    desk = signed_in(olga)
    person, bot = "/organisers/people/ada/", f"/organisers/bots/{mirror.bot_id}/"

    def does(page: str, deed: str, **words: str) -> str:
        answer = desk.post(f"{page}{deed}/", words, follow=True)
        assert answer.status_code in (200, 422)
        return answer.content.decode()

    assert "This field is required" in does(person, "ban")
    assert "ada is banned" in does(person, "ban", reason="Spam.")
    assert "Done." in does(person, "unban")
    assert "no account of this name" in does(person, "link", other="nobody", note="x")
    assert "Done." in does(person, "link", other="bob", note="They said so.")
    assert "bob</a>" in desk.get(person).content.decode()
    assert "Done." in does(person, "unlink")
    assert "not linked" in does(person, "unlink")
    assert desk.post(f"{person}eat/").status_code == 404
    assert "mirror is banned" in does(bot, "ban", reason="A rude name.")
    assert "mirror is active" in does(bot, "reactivate")
    assert "in no quarantine" in does(bot, "release", reason="x")
    assert "kept for the house" in does(bot, "rename", name="honest")
    assert "polite is active" in does(bot, "rename", name="polite")
    assert "says nothing" in does(bot, "clear")
    assert desk.post(f"{bot}eat/").status_code == 404
    assert desk.get(f"{bot}ban/").status_code == 405
    found = desk.get("/organisers/?q=PO").content.decode()
    assert bot in found
    assert "Nobody." in desk.get("/organisers/?q=xyz").content.decode()
    assert "Nobody." in desk.get("/organisers/?q=xy%00z").content.decode()  # PostgreSQL could not even be asked
    enforcing = Client(enforce_csrf_checks=True)
    enforcing.force_login(olga)
    assert enforcing.post(f"{person}ban/", {"reason": "Spam."}).status_code == 403


# ---- names ---------------------------------------------------------------------------------------


def test_renaming(ada: User, bob: User, olga: User, mirror: Version) -> None:
    make_bot(bob, "taken")
    with pytest.raises(NotAllowed):
        organisers.rename_bot(bot=mirror.bot, by=ada, name="better")
    for name, why in (
        ("taken", "taken"),
        ("TAKEN", "taken"),
        ("a", "2 to 40"),
        ("house", "house"),
        ("mirror", "its name"),
    ):
        with pytest.raises(Refused, match=why):
            organisers.rename_bot(bot=mirror.bot, by=olga, name=name)
    with pytest.raises(Refused):
        organisers.rename_bot(bot=make_house_bot("honest").bot, by=olga, name="liar")
    organisers.rename_bot(bot=mirror.bot, by=olga, name="Mirror")  # no address changes for who types it
    organisers.rename_bot(bot=mirror.bot, by=olga, name="polite")
    organisers.rename_bot(bot=mirror.bot, by=olga, name="gentle")
    assert lines() == [
        "Renamed from mirror to Mirror.",
        "Renamed from Mirror to polite.",
        "Renamed from polite to gentle.",
    ]
    for old in ("mirror", "MIRROR", "polite"):
        answer = Client().get(f"/bots/three_coins/{old}/")
        assert (answer.status_code, answer["Location"]) == (302, "/bots/three_coins/gentle/")
        with pytest.raises(bots.Refused, match="already a bot"):
            make_bot(bob, old)
    make_bot(bob, "mirror", game="mia")
    organisers.rename_bot(bot=mirror.bot, by=olga, name="polite")
    assert set(FormerName.objects.values_list("name", flat=True)) == {"Mirror", "gentle"}


def test_clearing_and_banning_a_bot(ada: User, olga: User, mirror: Version) -> None:
    bots.describe_bot(bot=mirror.bot, by=ada, about="rude words")
    with pytest.raises(NotAllowed):
        organisers.clear_about(bot=mirror.bot, by=ada)
    organisers.clear_about(bot=mirror.bot, by=olga)
    assert mirror.bot.about == ""
    for reason in ("", " ", "x" * 301):
        with pytest.raises(Refused, match="reason"):
            organisers.ban_bot(bot=mirror.bot, by=olga, reason=reason)
    with pytest.raises(NotAllowed):
        organisers.ban_bot(bot=mirror.bot, by=ada, reason="Mine.")
    organisers.ban_bot(bot=mirror.bot, by=olga, reason="A rude name.")
    assert "A rude name." in Client().get("/bots/three_coins/mirror/").content.decode()
    assert "rude words" not in str(lines())


# ---- one person, several accounts ----------------------------------------------------------------


def test_linked_accounts_are_one_person(ada: User, bob: User, olga: User) -> None:
    carol, dan = make_person("carol"), make_person("dan")
    with pytest.raises(NotAllowed):
        organisers.link_accounts(one=ada, other=bob, by=carol, note="x")
    with pytest.raises(NotAllowed):
        organisers.link_accounts(one=olga, other=bob, by=olga, note="x")
    with pytest.raises(Refused):
        organisers.link_accounts(one=ada, other=ada, by=olga, note="x")
    organisers.link_accounts(one=bob, other=carol, by=olga, note="The same upload.")
    organisers.link_accounts(one=dan, other=ada, by=olga, note="They said so.")
    organisers.link_accounts(one=carol, other=dan, by=olga, note="One address.")
    with pytest.raises(Refused, match="already"):
        organisers.link_accounts(one=ada, other=bob, by=olga, note="x")

    def groups() -> dict[str, int]:
        return {user.username: user.person for user in User.objects.exclude(pk=olga.pk)}

    assert set(groups().values()) == {ada.pk}
    assert all(user.linked_to is None or user.linked_to.linked_to is None for user in User.objects.all())
    organisers.unlink_account(person=ada, by=olga)  # the first one: the others stay together
    assert groups() == {"ada": ada.pk, "bob": bob.pk, "carol": bob.pk, "dan": bob.pk}
    accounts.delete_account(user=User.objects.get(pk=bob.pk), password=PASSWORD)
    assert groups() == {"ada": ada.pk, "carol": carol.pk, "dan": carol.pk}
    assert "Linked as the same person: bob and carol. The same upload." in lines()
    assert [user.username for user in people.accounts_of(dan)] == ["carol", "dan"]


def test_their_bots_do_not_meet_on_the_ladder(ada: User, bob: User, olga: User, settings: object) -> None:
    settings.ARENA_LADDER_PAUSE = settings.ARENA_LADDER_PAUSE_SERVING = 0  # type: ignore[attr-defined]
    classic()
    mine, yours = make_bot(ada, "mine"), make_bot(bob, "yours")
    for bot in (mine, yours):
        make_line(bot)

    def together() -> bool:
        """Within many tables, do the two ever meet?"""
        for seed in range(30):
            Series.objects.all().delete()
            series = ladder.tick(Random(seed))
            if series is not None and {seat.version.bot_id for seat in series.seats.all()} == {mine.pk, yours.pk}:
                return True
        return False

    assert together()
    Series.objects.all().delete()
    assert "One other bot can be seated" in selectors.doing(own=selectors.Own(mine)).help
    organisers.link_accounts(one=ada, other=bob, by=olga, note="One person.")
    assert not together()
    Series.objects.all().delete()
    assert "Nobody else is there" in selectors.doing(own=selectors.Own(Bot.objects.get(pk=mine.pk))).help
    organisers.unlink_account(person=bob, by=olga)
    assert together()


def test_addresses_are_known_again_and_not_known(ada: User, bob: User, olga: User) -> None:
    for name in ("ada", "bob"):
        Client(REMOTE_ADDR="192.0.2.7").post("/accounts/login/", {"login": name, "password": PASSWORD})
    Client(REMOTE_ADDR="192.0.2.8").post("/accounts/login/", {"login": "olga", "password": PASSWORD})
    assert AddressPrint.objects.count() == 3
    assert "192.0.2" not in str(list(AddressPrint.objects.values()))
    assert neighbours(person=ada) == [bob]
    assert neighbours(person=olga) == []
    assert shared_addresses() == [(ada, bob)]
    assert "bob" in signed_in(olga).get("/organisers/people/ada/").content.decode()
    assert "ada" in signed_in(olga).get("/organisers/signs/").content.decode()
    organisers.link_accounts(one=ada, other=bob, by=olga, note="They said so.")
    assert shared_addresses() == []
    # next month another secret makes another print, and the old ones go
    later = timezone.now() + timedelta(days=40)
    addresses.note_sign_in(user=olga, address="192.0.2.7", now=later)
    assert neighbours(person=olga) == []
    addresses.forget_old_prints(later + timedelta(days=30))
    assert {row.user_id for row in AddressPrint.objects.all()} == {olga.pk}
    assert PrintKey.objects.count() == 1


def test_an_address_of_a_crowd_says_nothing(ada: User) -> None:
    for number in range(6):
        addresses.note_sign_in(user=make_user(f"pupil{number}"), address="192.0.2.1")
    addresses.note_sign_in(user=ada, address="192.0.2.1")
    assert neighbours(person=ada) == []
    assert shared_addresses() == []


# ---- reports -------------------------------------------------------------------------------------


def test_reporting(ada: User, bob: User, olga: User, mirror: Version) -> None:
    match = make_match([mirror, make_house_bot("honest")])
    for where, about in (
        (f"/report/bot/{mirror.bot_id}/", mirror.bot),
        ("/report/author/ada/", ada),
        (f"/report/match/{match.name}/", match),
    ):
        assert Client().get(where).status_code == 302
        client = signed_in(bob)
        assert "Send it" in client.get(where).content.decode()
        answer = client.post(where, {"category": "name", "text": "It is rude."})
        assert answer["Location"] == "/my/reports/"
        report = services.open_report(by=bob, about=about)
        assert report is not None
        assert report.text == "It is rude."
        assert "reported this already" in client.get(where).content.decode()
        assert client.post(where, {"category": "name"}).status_code == 422
    assert Report.objects.count() == 3
    mine = signed_in(bob).get("/my/reports/").content.decode()
    assert mine.count("open, ") == 3
    assert len(open_reports()) == 3
    assert "3 reports wait" in signed_in(olga).get("/organisers/").content.decode()
    for where in ("/report/bot/999999/", "/report/author/nobody/", "/report/match/m-0/"):
        assert signed_in(bob).get(where).status_code == 404


def test_what_cannot_be_reported(ada: User, bob: User, mirror: Version) -> None:
    unproved = make_user("carol")
    with pytest.raises(NotAllowed, match="Verify"):
        services.report(by=unproved, about=mirror.bot, category="name")
    assert "Verify your e-mail" in signed_in(unproved).get(f"/report/bot/{mirror.bot_id}/").content.decode()
    for by, about, category, text, why in (
        (ada, mirror.bot, "name", "", "yours"),
        (ada, ada, "name", "", "yours"),
        (bob, ada, "gossip", "", "Choose"),
        (bob, ada, "other", " ", "Say in a sentence"),
        (bob, ada, "name", "x" * 1001, "1000"),
    ):
        with pytest.raises(Refused, match=why):
            services.report(by=by, about=about, category=category, text=text)
    assert not Report.objects.exists()


def test_reports_are_limited(ada: User, bob: User) -> None:
    things = [make_bot(ada, f"bot{i}") for i in range(services.REPORTS.most + 1)]
    for bot in things[:-1]:
        services.report(by=bob, about=bot, category="fault")
    with pytest.raises(Refused, match="too often"):
        services.report(by=bob, about=things[-1], category="fault")
    services.report(by=ada, about=bob, category="fault")


@pytest.mark.django_db(transaction=True)
def test_one_open_report_even_of_two_at_once() -> None:
    ada, bob = make_person("ada"), make_person("bob")
    results = at_once(*(lambda: services.report(by=bob, about=ada, category="name") for _ in range(4)))
    assert sorted(type(result).__name__ for result in results) == ["Refused"] * 3 + ["Report"]
    with pytest.raises(IntegrityError), transaction.atomic():
        Report.objects.create(reporter=bob, author=ada, category="name")
    with pytest.raises(IntegrityError), transaction.atomic():
        Report.objects.create(reporter=bob, category="name")


@pytest.mark.django_db(transaction=True)
def test_one_organiser_resolves_it() -> None:
    ada, bob, one, other = make_person("ada"), make_person("bob"), make_organiser("one"), make_organiser("other")
    report = services.report(by=bob, about=ada, category="name")
    with pytest.raises(NotAllowed):
        services.resolve(report=report, by=bob, state="acted", note="x")
    with pytest.raises(Refused, match="note"):
        services.resolve(report=report, by=one, state="acted", note=" ")
    with pytest.raises(Refused):
        services.resolve(report=report, by=one, state="open", note="x")
    results = at_once(
        *(
            lambda by=by: services.resolve(
                report=Report.objects.get(pk=report.pk), by=by, state="acted", note=f"seen by {by}"
            )
            for by in (one, other)
        )
    )
    assert sorted(type(result).__name__ for result in results) == ["NoneType", "Refused"]
    (line,) = lines()
    assert line.startswith("acted on. seen by")
    mine = signed_in(bob).get("/my/reports/").content.decode()
    assert "acted on" in mine
    assert "seen by" not in mine
    services.report(by=bob, about=ada, category="name")  # it may have gone on


def test_nobody_judges_himself(ada: User, bob: User) -> None:
    staff = make_person("staff")
    User.objects.filter(pk=staff.pk).update(is_staff=True)
    staff.refresh_from_db()
    for about in (staff, make_bot(staff, "mine")):
        report = services.report(by=bob, about=about, category="cheating")
        with pytest.raises(NotAllowed, match="another organiser"):
            services.resolve(report=report, by=staff, state="dismissed", note="I did not.")


def test_nobody_judges_another_account_of_his_own(ada: User, bob: User, olga: User) -> None:
    people.link(olga, ada)
    olga.refresh_from_db()
    ada.refresh_from_db()
    mine = make_bot(ada, "mine")
    deeds: list[Callable[[], object]] = [
        lambda: organisers.unlink_account(person=ada, by=olga),
        lambda: organisers.link_accounts(one=bob, other=ada, by=olga, note="x"),
        lambda: organisers.unban_author(person=ada, by=olga),
        lambda: quarantine.release_from_quarantine(bot=mine, because="x", by=olga),
    ]
    for about in (ada, mine):
        report = services.report(by=bob, about=about, category="cheating")
        deeds.append(partial(services.resolve, report=report, by=olga, state="dismissed", note="x"))
    for deed in deeds:
        with pytest.raises((NotAllowed, bots.NotAllowed), match="nother organiser"):
            deed()
    Bot.objects.filter(pk=mine.pk).update(state=Bot.State.BANNED)
    with pytest.raises(bots.BotError):
        bots.reactivate_bot(bot=mine, by=olga)


def test_nobody_reported_learns_who_it_was(ada: User, bob: User, olga: User, mirror: Version) -> None:
    match = make_match([mirror, make_house_bot("honest")])
    for about in (mirror.bot, ada, match):
        report = services.report(by=bob, about=about, category="cheating", text="I saw it.")
        services.resolve(report=report, by=olga, state="acted", note="Found by bob.")
    pages = [
        "/",
        "/my/account/",
        "/my/bots/",
        "/my/reports/",
        f"/my/bots/{mirror.bot_id}/",
        "/bots/three_coins/mirror/",
        f"/matches/{match.name}/",
        "/api/openapi.json",
    ]
    for page in pages:
        said = text_of(signed_in(ada).get(page))
        assert "bob" not in said, page
        assert "I saw it." not in said, page
    desk = signed_in(olga).get(f"/organisers/reports/{report.pk}/").content.decode()
    assert "bob" in desk
    assert "Found by bob." in desk


def test_who_leaves_takes_reports_along(ada: User, bob: User, olga: User) -> None:
    services.report(by=bob, about=ada, category="name")
    services.report(by=ada, about=bob, category="name")
    accounts.delete_account(user=bob, password=PASSWORD)
    assert not Report.objects.exists()
    assert Match.objects.count() == 0
