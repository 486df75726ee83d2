"""What a stranger would try with tournaments, and two organisers at the same moment."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import IntegrityError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.webapp import cups
from tests.webapp.cups import begun, entrant, finish_round, make_cup, organiser, present
from tests.webapp.factories import make_ratings
from tests.webapp.making import make_bot, make_house_bot, make_user
from tests.webapp.moments import at_once
from webapp.accounts import keys
from webapp.accounts.models import User
from webapp.bots.models import Bot, Version
from webapp.matches import downloads
from webapp.matches.models import Series
from webapp.tournaments import exports, organisers, running, services
from webapp.tournaments.asking import Refused
from webapp.tournaments.models import Entrant, Tournament

pytestmark = pytest.mark.django_db

EVIL = "<script>alert(1)</script>\"'&<img src=x>"


def signed_in(person: User) -> Client:
    client = Client()
    client.force_login(person)
    return client


def opened(form: str = "swiss", **more: Any) -> Tournament:
    row = make_cup(form, **more)
    services.open_entries(tournament=row, by=organiser())
    return row


def page(row: Tournament, client: Client | None = None) -> str:
    return (client or Client()).get(reverse("tournament", args=[row.slug])).content.decode()


def do(client: Client, row: Tournament, deed: str, **said: object) -> str:
    return client.post(reverse("tournament_do", args=[row.slug, deed]), said, follow=True).content.decode()


# ---- names ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["swiss", "round-robin", "single", "double", "groups"])
def test_no_name_is_taken_for_markup(form: str) -> None:
    row = begun(form, bots=6, name=f"Cup {EVIL}"[:60])
    Bot.objects.filter(name="anna").update(name=EVIL.replace("/", ""))
    finish_round(row, lambda names: [sorted(names).index(name) + 1 for name in names])
    running.tick()
    Tournament.objects.filter(pk=row.pk).update(trouble=EVIL)
    Entrant.objects.filter(tournament=row).update(reason=EVIL)
    for text in (
        page(row),
        page(row, signed_in(organiser())),
        Client().get(reverse("tournaments")).content.decode(),
        Client().get("/").content.decode(),
    ):
        assert "<script>alert" not in text
        assert "<img src=x" not in text
    assert "&lt;script&gt;alert" in page(row)


def test_a_name_is_no_formula_in_a_spreadsheet() -> None:
    row = begun(bots=4)
    for name, bot in zip(("=1+1", "+1", "-1", "@SUM(A1)"), cups.NAMES, strict=False):
        Bot.objects.filter(name=bot).update(name=name)
    told = list(csv.DictReader(io.StringIO(exports.standings_csv(tournament=row))))
    assert {one["bot"] for one in told} == {"'=1+1", "'+1", "'-1", "'@SUM(A1)"}


# ---- what is not one's own ------------------------------------------------------------------------


def key_of(person: User) -> dict[str, str]:
    return {"HTTP_AUTHORIZATION": f"Bearer {keys.make_key(user=person)}"}


def entries(row: Tournament, bot: str) -> str:
    return f"/api/tournaments/{row.slug}/entries?bot={bot}"


def test_a_program_enters_the_bot_of_its_author_until_the_deadline_and_takes_it_out() -> None:
    row, ada = opened(deadline=timezone.now() + timedelta(hours=1)), make_user("ada")
    bot = make_bot(ada, "mirror")
    key = key_of(ada)
    assert Client().post(entries(row, "mirror")).status_code == 401
    told = Client().post(entries(row, "mirror"), **key)
    assert told.status_code == 200
    assert told.json() == {"tournament": row.slug, "bot": "mirror", "version": row.entrants.get().version.digest}
    assert Client().post(entries(row, "mirror"), **key).status_code == 200, "asking twice does no harm"
    assert row.entrants.get().bot == bot
    Tournament.objects.filter(pk=row.pk).update(deadline=timezone.now())
    late = Client().post(entries(row, "mirror"), **key)
    assert (late.status_code, late.json()["error"]) == (409, "Entries are not open.")
    assert Client().delete(entries(row, "mirror"), **key).status_code == 204
    assert Client().delete(entries(row, "mirror"), **key).status_code == 404
    assert not row.entrants.exists()


def test_by_a_key_nobody_else_s_bot_is_entered_or_taken_out() -> None:
    row, ada, eve = opened(), make_user("ada"), make_user("eve")
    make_bot(ada, "mirror")
    services.enter(tournament=row, bot=Bot.objects.get(name="mirror"), by=ada)
    key = key_of(eve)
    for name in ("mirror", "nobody", "%00", "mirror%00", "x" * 101):
        assert Client().post(entries(row, name), **key).status_code in (404, 422)
        assert Client().delete(entries(row, name), **key).status_code in (404, 422)
    assert row.entrants.count() == 1
    assert Client().post("/api/tournaments/%00/entries?bot=x", **key).status_code == 404


def test_a_draft_is_there_for_no_program() -> None:
    row, ada = make_cup(), make_user("ada")
    make_bot(ada, "mirror")
    assert Client().post(entries(row, "mirror"), **key_of(ada)).status_code == 404
    assert Client().post(entries(row, "mirror"), **key_of(organiser())).status_code == 404
    assert not row.entrants.exists()


def test_what_is_of_another_tournament_is_not_reached_from_this_one() -> None:
    row, other = begun(bots=4, name="One"), begun(bots=4, name="Other")
    desk = signed_in(organiser())
    table = present(other)[0]
    cups.finish(table.series)
    match = table.series.matches.first()
    assert match is not None
    far = entrant(other, "anna")
    for deed, said in (
        ("withdraw", {"entrant": far.pk}),
        ("disqualify", {"entrant": far.pk, "reason": "So."}),
        ("replay", {"pairing": table.pk, "reason": "So."}),
        ("void", {"match": match.name, "reason": "So."}),
        ("seed", {f"rank-{far.pk}": 1}),
    ):
        do(desk, row, deed, **said)
    far.refresh_from_db()
    match.refresh_from_db()
    table.refresh_from_db()
    assert (far.until, far.disqualified, far.rank, match.voided, table.earlier) == (None, False, 1, False, [])


@pytest.mark.parametrize("said", ["-1", "0", "1e3", "NaN", "²", "9" * 5000, "1" * 19, "9" * 20, "\0", "x" * 200])
def test_numbers_that_are_none_are_refused(said: str) -> None:
    row, desk = opened(), signed_in(organiser())
    cups.enter(row, [make_house_bot("anna"), make_house_bot("boris")])
    for deed in ("top", "withdraw", "disqualify", "replay", "void", "enter", "late"):
        sent = dict.fromkeys(("count", "entrant", "pairing", "match", "bots"), said)
        answer = desk.post(reverse("tournament_do", args=[row.slug, deed]), {**sent, "reason": "So."})
        assert answer.status_code == 302
    one = entrant(row, "anna")
    do(desk, row, "seed", **{f"rank-{one.pk}": said})
    one.refresh_from_db()
    assert one.rank is None
    assert row.entrants.count() == 2
    leaving = signed_in(make_user("ada")).post(reverse("tournament_leave", args=[row.slug]), {"entrant": said})
    assert leaving.status_code == 302
    assert Client().get(reverse("tournaments"), {"before": said}).status_code in (200, 404)


def test_a_tournament_has_an_end_to_its_entrants(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "MOST_ENTRANTS", 2)
    row, ada = opened(), make_user("ada")
    cups.enter(row, [make_house_bot("anna"), make_house_bot("boris")])
    with pytest.raises(Refused, match="At most 2"):
        services.enter(tournament=row, bot=make_bot(ada, "mirror"), by=ada)
    assert row.entrants.count() == 2


def test_the_best_of_the_leaderboard_fill_a_tournament_up_and_never_call_it_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(services, "MOST_ENTRANTS", 3)
    row = opened(starts_at=timezone.now() + timedelta(hours=1), fill_top=4)
    shut_out = make_user("eve")
    there = [make_bot(shut_out), *(make_house_bot(name).bot for name in cups.NAMES[:6])]
    make_ratings(row.ruleset, [(bot, 2000.0 - number, 10.0) for number, bot in enumerate(there)])
    User.objects.filter(pk=shut_out.pk).update(is_active=False)
    services.enter_by_hand(tournament=row, bots=there[4:], by=organiser())
    Bot.objects.filter(name="fedir").update(state=Bot.State.QUARANTINED)
    Tournament.objects.update(starts_at=timezone.now())
    assert services.start_due() == 1
    assert set(row.entrants.values_list("bot__name", flat=True)) == {"anna", "dmytro", "emma"}


def test_whoever_is_among_the_best_and_entered_already_plays_as_entered() -> None:
    row, bot = opened(fill_top=1), make_bot(make_user("ada"), "mirror")
    services.enter_by_hand(tournament=row, bots=[bot, make_house_bot("honest").bot], by=organiser())
    entered = bot.active_version
    bot.active_version = Version.objects.create(bot=bot, digest="sha256:newer", number=2)
    bot.save()
    make_ratings(row.ruleset, [(bot, 2000.0, 10.0)])
    services.start(tournament=row, by=organiser())
    assert entrant(row, "mirror").version == entered


def test_all_that_was_settled_can_be_read_by_everybody() -> None:
    row = opened("groups", size=5, qualify=3, advance=1, most_each=4, fill_top=7)
    for term, said in (
        ("a group", "at most 5 bots"),
        ("of each group", "3 go on"),
        ("of each table", "1 goes on"),
        ("each author", "enters up to 4 bots"),
        ("in any case", "the best 7 of the leaderboard at the start"),
    ):
        assert f"<dt>{term}</dt><dd>{said}</dd>" in page(row)
    told = Client().get(f"/api/tournaments/{row.slug}").json()
    assert (told["form"]["size"], told["most_each"], told["fill_top"]) == (5, 4, 7)


def test_a_program_enters_and_takes_out_by_a_name_in_whatever_letters() -> None:
    row, ada = opened(), make_user("ada")
    make_bot(ada, "mirror")
    key = key_of(ada)
    assert Client().post(entries(row, "MIRROR"), **key).status_code == 200
    assert Client().delete(entries(row, "Mirror"), **key).status_code == 204
    assert not row.entrants.exists()


# ---- at the same moment ---------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_two_organisers_and_two_schedulers_start_it_once() -> None:
    row = opened(starts_at=timezone.now() + timedelta(hours=1), every="day")
    cups.enter(row, [make_house_bot(name) for name in cups.NAMES[:4]])
    Tournament.objects.filter(pk=row.pk).update(starts_at=timezone.now() - timedelta(seconds=1))
    olga = organiser()
    said = at_once(
        lambda: services.start(tournament=row, by=olga),
        lambda: services.start(tournament=row, by=olga),
        running.tick,
        running.tick,
        refused=Refused,
    )
    row.refresh_from_db()
    assert row.state == Tournament.State.RUNNING, row.note
    assert len(said) in (1, 2)
    assert set(said) == {"It has begun, or is over."}
    assert (row.rounds.count(), row.pairings.count(), Series.objects.count()) == (1, 2, 2)
    assert Tournament.objects.count() == 2, "the next one is made once"
    assert sorted(row.entrants.values_list("rank", flat=True)) == [1, 2, 3, 4]


@pytest.mark.django_db(transaction=True)
def test_two_of_one_name_that_are_prepared_at_the_same_moment_have_addresses_of_their_own() -> None:
    organiser()
    said = at_once(*[partial(make_cup, name="Same")] * 3, refused=IntegrityError)
    assert said == []
    assert set(Tournament.objects.values_list("slug", flat=True)) == {"same", "same-2", "same-3"}


@pytest.mark.django_db(transaction=True)
def test_nobody_enters_two_bots_at_the_same_moment_where_one_is_allowed() -> None:
    row, ada = opened(), make_user("ada")
    bots = [make_bot(ada, name) for name in ("one", "two", "three")]

    def entering(bot: Bot) -> Callable[[], object]:
        return lambda: services.enter(tournament=row, bot=bot, by=ada)

    assert len(at_once(*map(entering, bots), refused=Refused)) == 2
    assert row.entrants.count() == 1


def test_who_was_taken_out_meanwhile_is_so_once() -> None:
    """As when an author and an organiser do it at the same moment: each has found the entrant there."""
    row, ada = opened(), make_user("ada")
    cups.enter(row, [make_house_bot(name) for name in cups.NAMES[:2]])
    mirror = make_bot(ada, "mirror")
    first, second, third = (services.enter(tournament=row, bot=mirror, by=ada) for _ in range(3))
    services.withdraw(entrant=first, by=ada)
    with pytest.raises(Refused, match="mirror has left already"):
        services.withdraw(entrant=second, by=organiser())
    services.start(tournament=row, by=organiser())
    with pytest.raises(Refused, match="mirror has left already"):
        organisers.disqualify(entrant=third, reason="It failed.", by=organiser())


# ---- downloads ------------------------------------------------------------------------------------


def test_all_records_are_given_to_few_at_a_time_and_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    row = begun(bots=4)
    address = reverse("tournament_zip", args=[row.slug])
    first = downloads.Seat(who="203.0.113.1")
    with pytest.raises(downloads.Busy):  # one address does not take all places
        downloads.Seat(who="203.0.113.1")
    places = [first, *(downloads.Seat(who=f"203.0.113.{1 + n}") for n in range(1, downloads.AT_THE_SAME_TIME))]
    busy = Client().get(address)
    assert (busy.status_code, busy["Retry-After"]) == (503, "60")
    for place in places:
        place.leave()
    for _ in range(downloads.AT_THE_SAME_TIME + 1):  # each gives its place back
        assert b"".join(Client().get(address).streaming_content).startswith(b"PK")  # type: ignore[attr-defined]
    monkeypatch.setattr(exports, "LONGEST_SECONDS", -1)
    finish_round(row)
    with pytest.raises(exports.TooSlow):
        list(exports.records_zip(tournament=row))
    monkeypatch.setattr(downloads, "A_DAY", downloads.A_DAY._replace(most=2))
    assert Client().get(address).status_code == 429
