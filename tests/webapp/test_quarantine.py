"""Quarantine: the rule, the one message, what is shown, and the ways back."""

from __future__ import annotations

import re
import smtplib
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.admin.models import LogEntry
from django.core import mail
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.webapp.making import make_bot, make_house_bot, make_match, make_organiser, make_series, make_user
from webapp.accounts import notices
from webapp.accounts.models import Notice, User
from webapp.accounts.tasks import send_notice
from webapp.bots import quarantine, services
from webapp.bots.models import Bot, Version
from webapp.matches.models import Block, Entry, EntryLog, Match, Series, SeriesSeat

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> User:
    user = make_user("ada")
    EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=True)
    return user


@pytest.fixture
def mirror(ada: User) -> Version:
    version = make_bot(ada, "mirror").active_version
    assert version is not None
    return version


@pytest.fixture
def mailed(settings: Any) -> list[Any]:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    mail.outbox = []
    return mail.outbox


def series(version: Version, fault: str = "", *, removed: str = "", **fields: Any) -> Series:
    """A series of the bot against the house, decided: played to its end with or without a fault, or removed."""
    made = make_series([version, make_house_bot("honest")])
    if fields:
        Series.objects.filter(pk=made.pk).update(**fields)
        made.refresh_from_db()
    if removed:
        SeriesSeat.objects.filter(series=made, seat=0).update(removed=removed)
        with transaction.atomic():
            quarantine.judge_removal(series=made, reasons={version.bot_id: removed})
        return made
    match = make_match([version, make_house_bot("honest")], series=made, log="what I thought")
    Entry.objects.filter(match=match, seat=0).update(fault=fault)
    with transaction.atomic():
        quarantine.judge_series(series=made)
    return made


def state(version: Version) -> str:
    return Bot.objects.get(pk=version.bot_id).state


# ---- the rule ------------------------------------------------------------------------------------


@pytest.mark.parametrize("faults", [("illegal", "late", "gone"), ("unreadable",) * 3])
def test_at_fault_in_three_series_in_a_row(mirror: Version, faults: tuple[str, ...]) -> None:
    for count, fault in enumerate(faults, 1):
        assert state(mirror) == "active"
        series(mirror, fault)
        assert state(mirror) == ("quarantined" if count == 3 else "active")
    bot = Bot.objects.get(pk=mirror.bot_id)
    assert bot.state_reason == f"It was at fault in 3 series in a row; in the last one: {faults[-1]}"


def test_absences_and_faults_in_matches_count_alike(mirror: Version) -> None:
    series(mirror, "late")
    series(mirror, removed="withheld: its nonce does not fit")
    series(mirror, removed="late: its nonce did not come")
    assert state(mirror) == "quarantined"


def test_a_series_without_a_fault_begins_the_count_anew(mirror: Version) -> None:
    for fault in ("late", "late", "", "late", "late"):
        series(mirror, fault)
    assert state(mirror) == "active"
    series(mirror, "late")
    assert state(mirror) == "quarantined"


def test_one_series_counts_once_however_many_faults_it_has(mirror: Version) -> None:
    made = series(mirror, "late")
    for _ in range(4):
        match = make_match([mirror, make_house_bot("honest")], series=made)
        Entry.objects.filter(match=match, seat=0).update(fault="late")
        with transaction.atomic():
            quarantine.judge_series(series=made)
    assert Bot.objects.get(pk=mirror.bot_id).faulty_series == [made.pk]


def test_what_is_voided_does_not_count(mirror: Version) -> None:
    made = series(mirror, "late")
    series(mirror, "late")
    Match.objects.filter(series=made).update(voided=True)
    series(mirror, "late")
    assert state(mirror) == "active"
    series(mirror, "late")
    assert state(mirror) == "quarantined"


def test_validation_does_not_count(mirror: Version) -> None:
    for _ in range(4):
        series(mirror, "late", purpose=Series.Purpose.VALIDATION)
        series(mirror, removed="late", purpose=Series.Purpose.VALIDATION)
    assert state(mirror) == "active"


def test_bots_of_the_house_are_exempt() -> None:
    honest = make_house_bot("honest")
    for _ in range(4):
        series(make_house_bot("calculator"), "late")
        series(honest, removed="gone")
    assert set(Bot.objects.values_list("state", flat=True)) == {"active"}


def test_only_active_bots_are_judged(mirror: Version, ada: User) -> None:
    series(mirror, "late")
    series(mirror, "late")
    services.retire_bot(bot=mirror.bot, by=ada)
    series(mirror, "late")
    assert state(mirror) == "retired"


def test_judging_does_not_read_the_past(mirror: Version) -> None:
    def queries() -> int:
        made = make_series([mirror, make_house_bot("honest")])
        match = make_match([mirror, make_house_bot("honest")], series=made)
        Entry.objects.filter(match=match, seat=0).update(fault="late")
        Bot.objects.filter(pk=mirror.bot_id).update(faulty_series=[])
        with (
            CaptureQueriesContext(
                connection,
            ) as caught,
            transaction.atomic(),
        ):
            quarantine.judge_series(series=made)
        return len(caught)

    first = queries()
    for _ in range(12):
        make_match([mirror, make_house_bot("honest")])
    assert queries() == first <= 6


# ---- the message ---------------------------------------------------------------------------------


def into_quarantine(version: Version) -> list[Series]:
    return [series(version, fault) for fault in ("illegal", "late", "gone")]


def test_the_author_gets_one_message(mirror: Version, mailed: list[Any], settings: Any) -> None:
    into_quarantine(mirror)
    notice = Notice.objects.get()
    assert not mailed  # nothing inside the transaction
    for _ in range(3):
        send_notice(notice.pk)
        notices.send_waiting()
    series(mirror, "late")
    series(mirror, "late")
    (message,) = mailed
    assert message.to == ["ada@example.org"]
    assert message.subject == "mirror is in quarantine"
    for match in Match.objects.filter(series__in=[*Series.objects.order_by("pk")[:3]]):
        assert f"{settings.ARENA_BASE_URL}/matches/{match.name}/" in message.body
    assert f"/my/bots/{mirror.bot_id}/" in message.body


def test_only_a_verified_address_is_written_to(mirror: Version, ada: User) -> None:
    EmailAddress.objects.update(verified=False)
    into_quarantine(mirror)
    assert state(mirror) == "quarantined"
    assert not Notice.objects.exists()


def test_a_mail_server_that_fails_breaks_nothing(
    mirror: Version, mailed: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    into_quarantine(mirror)

    def fail(*_: object) -> None:
        raise smtplib.SMTPServerDisconnected("away")

    with monkeypatch.context() as patch:
        patch.setattr("django.core.mail.backends.locmem.EmailBackend.send_messages", fail)
        send_notice(Notice.objects.get().pk)
    notice = Notice.objects.get()
    assert (notice.sent, notice.tries) == (None, 1)
    assert notices.send_waiting() == 0  # not at once
    Notice.objects.update(created=timezone.now() - timedelta(minutes=1))
    assert notices.send_waiting() == 1
    assert notices.send_waiting() == 0
    assert len(mailed) == 1
    Notice.objects.update(created=timezone.now() - notices.KEPT - timedelta(seconds=1))
    notices.send_waiting()
    assert not Notice.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_queue_that_is_away_breaks_nothing(mailed: list[Any], caplog: pytest.LogCaptureFixture) -> None:
    ada = make_user("ada")
    EmailAddress.objects.create(user=ada, email=ada.email, primary=True, verified=True)
    version = make_bot(ada, "mirror").active_version
    assert version is not None
    into_quarantine(version)
    assert state(version) == "quarantined"
    assert "waits for the scheduler" in caplog.text
    Notice.objects.update(created=timezone.now() - timedelta(minutes=1))
    assert notices.send_waiting() == 1


# ---- what is shown -------------------------------------------------------------------------------


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_the_pages_say_why(mirror: Version, ada: User) -> None:
    made = into_quarantine(mirror)
    mine = signed_in(ada)
    assert "in quarantine: see why" in mine.get("/my/bots/").content.decode()
    own = mine.get(f"/my/bots/{mirror.bot_id}/").content.decode()
    public = Client().get("/bots/three_coins/mirror/").content.decode()
    assert "Why it is in quarantine" in own
    for one, fault in zip(made, ("illegal", "late", "gone"), strict=True):
        match = one.matches.get().name
        log = f"/my/bots/{mirror.bot_id}/logs/{match}/0/"
        for page in (own, public):
            assert re.search(rf'/series/{one.pk}/">Series {one.pk}</a> <span class="bluff">✕ {fault}<', page)
            assert f"/matches/{match}/" in page
        assert log in own
        assert mine.get(log).status_code == 200
        assert log not in public


def test_a_log_is_linked_when_its_luck_is_no_secret_any_more(mirror: Version) -> None:
    into_quarantine(mirror)
    Block.objects.update(state=Block.State.OPEN)
    assert EntryLog.objects.exists()
    assert not any(one.logged for one in quarantine.troubles(bot=Bot.objects.get(pk=mirror.bot_id)))


def test_what_happened_before_a_match_is_shown_too(mirror: Version) -> None:
    made = series(mirror, removed="late: its nonce did not come")
    bot = Bot.objects.get(pk=mirror.bot_id)
    assert quarantine.troubles(bot=bot) == (
        quarantine.Trouble(made.pk, "late: its nonce did not come", "", 0, logged=False),
    )


# ---- coming back ---------------------------------------------------------------------------------


def test_release_begins_the_count_anew(mirror: Version) -> None:
    old = make_series([mirror, make_house_bot("honest")])
    into_quarantine(mirror)
    assert quarantine.release_from_quarantine(bot=mirror.bot, because="version 2 passed validation")
    assert mirror.bot.state == "active"
    assert not quarantine.release_from_quarantine(bot=mirror.bot, because="again")
    assert not LogEntry.objects.exists()
    series(mirror, "late")
    series(mirror, "late")
    # one that was made before the release, and ends only now
    match = make_match([mirror, make_house_bot("honest")], series=old)
    Entry.objects.filter(match=match, seat=0).update(fault="late")
    with transaction.atomic():
        quarantine.judge_series(series=old)
    assert state(mirror) == "active"
    series(mirror, "late")
    assert state(mirror) == "quarantined"


def test_organisers_release(mirror: Version, ada: User) -> None:
    into_quarantine(mirror)
    with pytest.raises(services.NotAllowed):
        quarantine.release_from_quarantine(bot=mirror.bot, because="I say so", by=ada)
    assert state(mirror) == "quarantined"
    olga = make_organiser()
    assert quarantine.release_from_quarantine(bot=mirror.bot, because="The door was down.", by=olga)
    line = LogEntry.objects.get()
    assert (line.user, line.change_message) == (olga, "Released from quarantine. The door was down.")


def test_retiring_and_coming_back_during_each_series_is_no_way_out(mirror: Version, ada: User) -> None:
    for _ in range(3):
        made = make_series([mirror, make_house_bot("honest")])
        services.retire_bot(bot=mirror.bot, by=ada)
        SeriesSeat.objects.filter(series=made, seat=0).update(removed="late: its nonce did not come")
        quarantine.judge_removal(series=made, reasons={mirror.bot_id: "late: its nonce did not come"})
        services.reactivate_bot(bot=mirror.bot, by=ada)
    assert state(mirror) == "quarantined"


def test_retiring_is_no_way_out(mirror: Version, ada: User) -> None:
    into_quarantine(mirror)
    services.retire_bot(bot=mirror.bot, by=ada)
    services.reactivate_bot(bot=mirror.bot, by=ada)
    assert state(mirror) == "quarantined"
    services.reactivate_bot(bot=mirror.bot, by=make_organiser())
    assert state(mirror) == "active"
    assert not mirror.bot.unreliable


def test_no_organiser_judges_his_own_bot(mirror: Version, ada: User) -> None:
    User.objects.filter(pk=ada.pk).update(is_staff=True)
    ada.refresh_from_db()
    into_quarantine(mirror)
    with pytest.raises(services.NotAllowed, match="another organiser"):
        quarantine.release_from_quarantine(bot=mirror.bot, because="It is mine.", by=ada)
    with pytest.raises(services.Refused):
        services.reactivate_bot(bot=mirror.bot, by=ada)
    assert state(mirror) == "quarantined"
    services.ban_bot(bot=mirror.bot, by=make_organiser(), reason="Spam.")
    with pytest.raises(services.Refused):
        services.reactivate_bot(bot=mirror.bot, by=ada)
    assert state(mirror) == "banned"
