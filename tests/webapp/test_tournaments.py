"""Tournaments: prepared, entered, begun, and carried on to the end, whoever asks and however often."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connections, transaction
from django.utils import timezone

from arena.pairing.luck import block_seed
from tests.webapp import cups
from tests.webapp.cups import begun, entrant, finish, finish_round, make_cup, names_at, organiser, present
from tests.webapp.making import make_block, make_bot, make_house_bot, make_line, make_user
from tests.webapp.playing import hosted, remote
from webapp.bots import services as bots
from webapp.bots.models import Bot, Version
from webapp.matches import ladder
from webapp.matches import services as matches
from webapp.matches.models import Block, Series
from webapp.matches.organisers import cancel_series
from webapp.tournaments import advancing, at_table, facts, organisers, running, services
from webapp.tournaments.advancing import advance
from webapp.tournaments.asking import NotAllowed, Refused
from webapp.tournaments.models import Entrant, Pairing, Round, Tournament

pytestmark = pytest.mark.django_db


def to_the_end(row: Tournament) -> None:
    for _ in range(60):
        row.refresh_from_db()
        if row.state != Tournament.State.RUNNING:
            return
        finish_round(row)
        running.tick()
    raise AssertionError("it does not end")


def places(row: Tournament) -> dict[str, int | None]:
    named = {one.pk: one.bot.name for one in row.entrants.all()}
    return {named[one.entrant]: one.place for one in facts.standings(row)}


# ---- from the first round to the last -------------------------------------------------------------


@pytest.mark.parametrize("form", ["swiss", "round-robin", "single", "double", "groups"])
def test_each_form_ends_with_the_strongest(form: str) -> None:
    row = begun(form, bots=8)
    to_the_end(row)
    assert row.champion is not None
    assert row.champion.bot.name == "anna"
    assert row.finished is not None
    assert places(row)["anna"] == 1
    assert row.result is not None
    assert not row.rounds.filter(state=Round.State.PLAYING).exists()


def test_what_is_stored_is_what_was_played() -> None:
    row = begun(bots=4, most=4, rounds=1)
    [table] = present(row)
    finish_round(row)
    assert advance(tournament=row)
    table.refresh_from_db()
    assert table.places == [cups.alphabetical(names_at(table))] * 2
    [over] = facts.played(row)
    assert over.results[0].table.seats == tuple(table.seats)
    assert facts.standings(row)[0].points == 1


def test_series_of_a_tournament_are_strict_and_not_rated() -> None:
    row = begun(bots=2, move_ms=500, bank_ms=3000)
    series = present(row)[0].series
    assert (series.purpose, series.rated, series.planned) == (Series.Purpose.TOURNAMENT, False, 2)
    assert (series.move_ms, series.bank_ms) == (500, 3000)


def test_nothing_happens_while_a_series_is_being_played() -> None:
    row = begun(bots=4)
    finish(present(row)[0].series)
    assert not advance(tournament=row)
    assert row.rounds.count() == 1


def test_asked_twice_it_draws_one_round() -> None:
    row = begun(bots=4)
    finish_round(row)
    assert advance(tournament=row)
    assert not advance(tournament=row)
    assert [one.number for one in row.rounds.order_by("number")] == [1, 2]


@pytest.mark.django_db(transaction=True)
def test_asked_by_many_at_once_it_draws_one_round() -> None:
    row = begun(bots=4)
    finish_round(row)
    done: list[bool] = []
    ready = threading.Barrier(4)

    def ask() -> None:
        ready.wait()
        done.append(advance(tournament=row))
        connections.close_all()

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == [False, False, False, True]
    assert row.rounds.count() == 2
    assert row.pairings.count() == 4
    assert Series.objects.count() == 4


class Killed(Exception):
    pass


def test_killed_in_the_middle_it_draws_the_same_round(monkeypatch: pytest.MonkeyPatch) -> None:
    row = begun(bots=8)
    finish_round(row)
    seen: list[list[int]] = []

    def killing(made: Tournament, seats: list[int]) -> Series:
        seen.append(list(seats))
        if len(seen) == 3:
            raise Killed
        return real(made, seats)

    real: Callable[..., Series] = advancing._series
    monkeypatch.setattr(advancing, "_series", killing)
    with pytest.raises(Killed), transaction.atomic():
        advance(tournament=row)
    assert row.rounds.count() == 1
    assert row.rounds.get().state == Round.State.PLAYING
    assert Series.objects.count() == 4
    monkeypatch.setattr(advancing, "_series", real)
    assert advance(tournament=row)
    assert [table.seats for table in present(row)][:3] == seen


def test_a_bye_is_written_down() -> None:
    row = begun(bots=5)
    assert len(row.rounds.get().byes) == 1
    to_the_end(row)
    assert row.state == Tournament.State.FINISHED


# ---- luck -----------------------------------------------------------------------------------------


def test_the_commitment_is_published_at_the_start_and_the_seeds_follow_from_the_secret() -> None:
    row = make_cup()
    assert (row.secret, row.commitment) == (None, "")
    cups.enter(row, [make_house_bot(name) for name in cups.NAMES[:4]])
    services.start(tournament=row, by=organiser())
    row.refresh_from_db()
    assert row.secret is not None
    assert row.commitment == hashlib.sha256(bytes(row.secret)).hexdigest()
    table = present(row)[0]
    seed = at_table.seed_of_block(series=table.series_id, number=1)
    assert seed == block_seed(bytes(row.secret), table.name, 0)
    make_block(table.series)
    assert at_table.seed_of_block(series=table.series_id, number=2) == block_seed(bytes(row.secret), table.name, 1)


def test_a_series_of_no_tournament_has_no_settled_luck() -> None:
    series = matches.create_series(ruleset=cups.rules(), versions=[make_house_bot("a"), make_house_bot("b")], planned=2)
    assert at_table.seed_of_block(series=series.pk, number=1) is None


def test_a_broken_block_keeps_its_luck_where_only_hosted_bots_sit() -> None:
    table = present(begun(bots=2))[0]
    before = at_table.seed_of_block(series=table.series_id, number=1)
    make_block(table.series, state=Block.State.BROKEN)
    assert at_table.seed_of_block(series=table.series_id, number=2) == before


def test_a_broken_block_gets_other_luck_where_a_remote_bot_sits() -> None:
    row = make_cup()
    far, _token = remote("far")
    cups.enter(row, [far, make_house_bot("anna")])
    services.start(tournament=row, by=organiser())
    table = present(row)[0]
    row.refresh_from_db()
    assert row.secret is not None
    make_block(table.series, state=Block.State.BROKEN)
    assert at_table.seed_of_block(series=table.series_id, number=2) == block_seed(bytes(row.secret), table.name, 1)
    Series.objects.filter(pk=table.series_id).update(state=Series.State.PUT_OFF)
    organisers.replay_table(pairing=table, reason="The machine burned down.", by=organiser())
    table.refresh_from_db()
    assert at_table.seed_of_block(series=table.series_id, number=1) == block_seed(bytes(row.secret), table.name, 1)


# ---- entering -------------------------------------------------------------------------------------


def test_an_author_enters_his_own_active_version_while_entries_are_open() -> None:
    row = make_cup()
    ada = make_user("ada")
    bot = make_bot(ada, "mirror")
    with pytest.raises(Refused, match="not open"):
        services.enter(tournament=row, bot=bot, by=ada)
    services.open_entries(tournament=row, by=organiser())
    with pytest.raises(NotAllowed):
        services.enter(tournament=row, bot=bot, by=make_user("eve"))
    made = services.enter(tournament=row, bot=bot, by=ada)
    bot.refresh_from_db()
    assert made.version == bot.active_version
    bots.declare_version(bot=bot, label="2")
    bot.refresh_from_db()
    Bot.objects.filter(pk=bot.pk).update(active_version=bot.versions.get(label="2"))
    assert services.enter(tournament=row, bot=bot, by=ada).version.label == "2"
    assert row.entrants.count() == 1


def test_nobody_enters_more_bots_than_allowed_or_after_the_deadline_or_in_another_game() -> None:
    row = make_cup()
    services.open_entries(tournament=row, by=organiser())
    ada = make_user("ada")
    services.enter(tournament=row, bot=make_bot(ada, "one"), by=ada)
    with pytest.raises(Refused, match="at most"):
        services.enter(tournament=row, bot=make_bot(ada, "two"), by=ada)
    bea = make_user("bea")
    with pytest.raises(Refused, match="another game"):
        services.enter(tournament=row, bot=make_bot(bea, "liar", game="mia"), by=bea)
    Tournament.objects.filter(pk=row.pk).update(deadline=timezone.now() - timedelta(seconds=1))
    with pytest.raises(Refused, match="not open"):
        services.enter(tournament=row, bot=make_bot(bea, "late"), by=bea)


def test_the_version_is_frozen_at_the_start() -> None:
    row = make_cup()
    services.open_entries(tournament=row, by=organiser())
    ada = make_user("ada")
    bot = make_bot(ada, "mirror")
    first = services.enter(tournament=row, bot=bot, by=ada).version
    cups.enter(row, [make_house_bot("anna")])
    services.start(tournament=row, by=organiser())
    bots.declare_version(bot=bot, label="2")
    with pytest.raises(Refused):
        services.enter(tournament=row, bot=bot, by=ada)
    assert present(row)[0].series.seats.filter(version=first).exists()


# ---- leaving --------------------------------------------------------------------------------------


def test_who_withdraws_is_not_drawn_any_more_and_keeps_its_points() -> None:
    row = begun(bots=6)
    services.withdraw(entrant=entrant(row, "anna"), by=organiser())
    assert any("anna" in names_at(table) for table in present(row)), "what was drawn is played"
    finish_round(row)
    advance(tournament=row)
    assert not any("anna" in names_at(table) for table in present(row))
    assert {one.entrant: one for one in facts.standings(row)}[entrant(row, "anna").pk].points == 1
    with pytest.raises(Refused, match="left already"):
        services.withdraw(entrant=entrant(row, "anna"), by=organiser())
    to_the_end(row)


def test_before_the_start_who_withdraws_was_never_there() -> None:
    row = make_cup()
    services.open_entries(tournament=row, by=organiser())
    ada = make_user("ada")
    made = services.enter(tournament=row, bot=make_bot(ada), by=ada)
    with pytest.raises(NotAllowed):
        services.withdraw(entrant=made, by=make_user("eve"))
    services.withdraw(entrant=made, by=ada)
    assert not row.entrants.exists()


def test_who_is_disqualified_has_no_place() -> None:
    row = begun(bots=4)
    with pytest.raises(Refused, match="reason"):
        organisers.disqualify(entrant=entrant(row, "anna"), reason=" ", by=organiser())
    organisers.disqualify(entrant=entrant(row, "anna"), reason="It talked to boris.", by=organiser())
    to_the_end(row)
    assert places(row)["anna"] is None
    assert row.champion is not None
    assert row.champion.bot.name != "anna"
    assert LogEntry.objects.filter(change_message__contains="It talked to boris.").exists()


def test_who_was_banned_meanwhile_is_disqualified() -> None:
    row = begun(bots=4)
    Bot.objects.filter(name="boris").update(state=Bot.State.BANNED)
    finish_round(row)
    advance(tournament=row)
    assert entrant(row, "boris").disqualified
    assert not any("boris" in names_at(table) for table in present(row))


# ---- who does not come, and what the platform fails ------------------------------------------------


def test_a_table_waits_for_who_is_absent_and_then_plays_without() -> None:
    row = make_cup(patience_s=60)
    far, _token = remote("far")
    cups.enter(row, [far, make_house_bot("anna")])
    services.start(tournament=row, by=organiser())
    table = present(row)[0]
    seat = table.series.seats.get(version=far).seat
    held = matches.claim(series_id=table.series_id, worker="w")
    assert held is not None
    assert at_table.wait_for(claim=held, seats=[seat], note="far was not connected.")
    table.series.refresh_from_db()
    assert table.series.state == Series.State.WAITING
    assert "waits until" in table.series.note
    assert not advance(tournament=row)
    Pairing.objects.update(missed_since=timezone.now() - timedelta(seconds=61))
    held = matches.claim(series_id=table.series_id, worker="w")
    assert held is not None
    assert at_table.wait_for(claim=held, seats=[seat], note="far was not connected.")
    assert table.series.seats.get(seat=seat).removed == "absent: it was not connected within 60 s"
    held = matches.claim(series_id=table.series_id, worker="w")
    assert held is not None
    matches.cancel(claim=held, note="Only anna was left at the table.")
    advance(tournament=row)
    table.refresh_from_db()
    expected: list[int | None] = [1, 1]
    expected[seat] = None
    assert table.places == [expected] * 2
    far.bot.refresh_from_db()
    assert far.bot.faulty_series == []
    row.refresh_from_db()
    points = {one.entrant: one.points for one in facts.standings(row)}
    assert points == {entrant(row, "anna").pk: 1, entrant(row, "far").pk: 0}


def test_the_ladder_takes_no_line_for_which_a_table_of_a_tournament_waits() -> None:
    row = make_cup()
    far, _token = remote("far")
    make_line(far.bot)
    cups.enter(row, [far, make_house_bot("anna")])
    assert far in ladder._available("three_coins")
    services.start(tournament=row, by=organiser())
    assert far not in ladder._available("three_coins")
    finish_round(row)
    assert far in ladder._available("three_coins")


def test_what_the_platform_failed_is_no_no_show_but_is_played_again_and_at_last_an_organiser_is_told() -> None:
    row = begun(bots=2)
    for number in range(advancing.MOST_RETRIES):
        table = present(row)[0]
        Series.objects.filter(pk=table.series_id).update(
            state=Series.State.PUT_OFF, finished=timezone.now() - timedelta(hours=1)
        )
        running.tick()
        table.refresh_from_db()
        assert table.series.state == Series.State.WAITING
        assert (table.retries, len(table.earlier)) == (number + 1, number + 1)
    Series.objects.filter(pk=table.series_id).update(state=Series.State.PUT_OFF)
    running.tick()
    row.refresh_from_db()
    assert table.name in row.trouble
    assert row.rounds.get().state == Round.State.PLAYING
    organisers.replay_table(pairing=table, reason="The machine works again.", by=organiser())
    finish_round(row)
    running.tick()
    row.refresh_from_db()
    assert row.trouble == ""
    assert row.rounds.filter(state=Round.State.OVER).count() == 1


def test_a_put_off_series_is_not_tried_again_at_once() -> None:
    row = begun(bots=2)
    Series.objects.update(state=Series.State.PUT_OFF, finished=timezone.now())
    assert not advance(tournament=row)
    assert present(row)[0].retries == 0


def test_a_table_that_was_called_off_is_played_as_long_as_enough_are_left_at_it() -> None:
    row = make_cup(most=4, rounds=1)
    cups.enter(row, [make_house_bot(name) for name in cups.NAMES[:4]])
    services.start(tournament=row, by=organiser())
    table = present(row)[0]
    table.series.seats.filter(version__bot__name="dmytro").update(removed="absent: it was not connected within 60 s")
    assert cancel_series(series=table.series, by=organiser())
    assert not advance(tournament=row), "it is played again a minute later"
    assert row.rounds.get().state == Round.State.PLAYING
    Series.objects.filter(pk=table.series_id).update(finished=timezone.now() - timedelta(hours=1))
    assert advance(tournament=row)
    table.refresh_from_db()
    assert table.series.state == Series.State.WAITING
    finish(table.series)
    advance(tournament=row)
    row.refresh_from_db()
    assert places(row) == {"anna": 1, "boris": 2, "clara": 3, "dmytro": 4}


# ---- organisers -----------------------------------------------------------------------------------


def test_a_voided_match_does_not_count() -> None:
    row = begun(bots=2, rounds=1)
    table = present(row)[0]
    finish(table.series)
    Series.objects.filter(pk=table.series_id).update(state=Series.State.PLAYING, lease_until=timezone.now())
    first, second = table.series.matches.order_by("number")
    organisers.void_match(match=first, reason="A leak.", by=organiser())
    Series.objects.filter(pk=table.series_id).update(state=Series.State.FINISHED)
    with pytest.raises(Refused, match="only match"):
        organisers.void_match(match=second, reason="A leak.", by=organiser())
    advance(tournament=row)
    table.refresh_from_db()
    assert table.places is not None
    assert len(table.places) == 1
    with pytest.raises(Refused):
        organisers.void_match(match=second, reason="Too late.", by=organiser())


def test_a_held_tournament_draws_nothing() -> None:
    row = begun(bots=4)
    organisers.hold(tournament=row, held=True, by=organiser())
    finish_round(row)
    assert not advance(tournament=row)
    organisers.hold(tournament=row, held=False, by=organiser())
    assert advance(tournament=row)


def test_a_cancelled_one_plays_no_more() -> None:
    row = begun(bots=4)
    organisers.cancel(tournament=row, reason="Fire.", by=organiser())
    row.refresh_from_db()
    assert (row.state, row.note) == (Tournament.State.CANCELLED, "Fire.")
    assert set(Series.objects.values_list("state", flat=True)) == {Series.State.CANCELLED}
    assert not advance(tournament=row)


def test_only_organisers_organise() -> None:
    row = begun(bots=4)
    eve = make_user("eve")
    table, one = present(row)[0], entrant(row, "anna")
    form = facts.form_of(row)
    for deed in (
        lambda: services.create(by=eve, ruleset=row.ruleset, form=form, name="Mine"),
        lambda: services.edit(tournament=row, by=eve, ruleset=row.ruleset, form=form, name="Mine"),
        lambda: services.open_entries(tournament=row, by=eve),
        lambda: services.enter_by_hand(tournament=row, bots=[one.bot], by=eve),
        lambda: services.enter_top(tournament=row, count=3, by=eve),
        lambda: services.start(tournament=row, by=eve),
        lambda: services.withdraw(entrant=one, by=eve),
        lambda: organisers.disqualify(entrant=one, reason="So.", by=eve),
        lambda: organisers.replay_table(pairing=table, reason="So.", by=eve),
        lambda: organisers.hold(tournament=row, held=True, by=eve),
        lambda: organisers.cancel(tournament=row, reason="So.", by=eve),
    ):
        with pytest.raises(NotAllowed):
            deed()
    assert row.entrants.filter(until=None).count() == 4


def test_nobody_judges_his_own_bot() -> None:
    olga = organiser()
    row = make_cup()
    cups.enter(row, [hosted("hers", house=False), make_house_bot("anna")])
    Bot.objects.filter(name="hers").update(owner=olga)
    services.start(tournament=row, by=olga)
    with pytest.raises(NotAllowed, match="yours"):
        organisers.disqualify(entrant=entrant(row, "hers"), reason="So.", by=olga)
    with pytest.raises(NotAllowed, match="yours"):
        organisers.replay_table(pairing=present(row)[0], reason="So.", by=olga)


# ---- time -----------------------------------------------------------------------------------------


def test_it_starts_by_itself_when_it_is_time_and_the_next_one_is_made_once() -> None:
    row = make_cup(starts_at=timezone.now() + timedelta(hours=1), every="day", name="Daily")
    cups.enter(row, [make_house_bot(name) for name in cups.NAMES[:4]])
    services.open_entries(tournament=row, by=organiser())
    running.tick()
    row.refresh_from_db()
    assert row.state == Tournament.State.OPEN
    starts = timezone.now() - timedelta(minutes=1)
    Tournament.objects.filter(pk=row.pk).update(starts_at=starts)
    running.tick()
    running.tick()
    row.refresh_from_db()
    assert row.state == Tournament.State.RUNNING
    following = Tournament.objects.exclude(pk=row.pk).get()
    assert (following.state, following.every, following.starts_at) == ("open", "day", starts + timedelta(days=1))
    assert following.secret is None


def test_what_cannot_start_is_called_off_and_says_why() -> None:
    row = make_cup(starts_at=timezone.now() + timedelta(minutes=1))
    services.open_entries(tournament=row, by=organiser())
    Tournament.objects.filter(pk=row.pk).update(starts_at=timezone.now() - timedelta(minutes=1))
    running.tick()
    row.refresh_from_db()
    assert row.state == Tournament.State.CANCELLED
    assert row.note == "It could not start: a Swiss tournament needs at least 2 entrants in its first round"


def test_what_is_held_every_week_goes_on_although_one_of_them_was_missed_or_called_off() -> None:
    """One that cannot start, and schedulers that stood still for three weeks: the next one is the next to come."""
    first = timezone.now() + timedelta(hours=1)
    row = make_cup(starts_at=first, deadline=first - timedelta(minutes=30), every="week", name="Weekly", most_each=2)
    services.open_entries(tournament=row, by=organiser())
    late = first - timedelta(weeks=3)
    Tournament.objects.filter(pk=row.pk).update(starts_at=late, deadline=late - timedelta(minutes=30))
    for _ in range(3):
        running.tick()
    following = Tournament.objects.exclude(pk=row.pk).get()
    assert (following.starts_at, following.deadline) == (first, first - timedelta(minutes=30))
    assert (following.state, following.name, following.most_each) == ("open", "Weekly", 2)
    assert following.slug == f"weekly-{first:%Y-%m-%d}"
    cups.enter(following, [make_house_bot(name) for name in cups.NAMES[:4]])
    Tournament.objects.filter(pk=following.pk).update(starts_at=timezone.now() - timedelta(seconds=1))
    running.tick()
    running.tick()
    following.refresh_from_db()
    assert following.state == Tournament.State.RUNNING
    assert Tournament.objects.filter(state="open").count() == 1
    organisers.cancel(tournament=Tournament.objects.get(state="open"), reason="No more of it.", by=organiser())
    running.tick()
    assert not Tournament.objects.filter(state="open").exists()


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"name": " "}, "name"),
        ({"name": "Cup", "matches": 0}, "matches"),
        ({"name": "Cup", "move_ms": 1}, "move_ms"),
        ({"name": "Cup", "every": "day"}, "time to start"),
        ({"name": "Cup\nBcc: all@example.org"}, "one line"),
        ({"name": "Cup", "starts_at": timezone.now() - timedelta(seconds=1)}, "passed"),
        ({"name": "Cup", "deadline": timezone.now() - timedelta(days=1)}, "passed"),
        ({"name": "Cup", "bank_ms": -1}, "bank_ms"),
        ({"name": "Cup", "patience_s": float("nan")}, "patience_s"),
    ],
)
def test_what_makes_no_sense_is_refused(said: dict[str, object], why: str) -> None:
    form = services.make_form("swiss", most=2, ruleset=cups.rules(), options={"rounds": 3})
    with pytest.raises(Refused, match=why):
        services.create(by=organiser(), ruleset=cups.rules(), form=form, **said)
    assert not Tournament.objects.exists()


@pytest.mark.parametrize("form", ["swiss", "round-robin", "single", "double", "groups"])
def test_of_a_form_only_the_rounds_of_a_swiss_tournament_have_to_be_said(form: str) -> None:
    nothing = dict.fromkeys(("rounds", "advance", "size", "qualify"))
    if form != "swiss":
        assert services.make_form(form, most=2, ruleset=cups.rules(), options=nothing).most == 2
        return
    with pytest.raises(Refused, match=r"^A Swiss tournament has at least one round\.$"):
        services.make_form(form, most=2, ruleset=cups.rules(), options=nothing)


def test_tables_are_no_larger_than_the_rules_allow() -> None:
    with pytest.raises(Refused, match="tables of"):
        services.make_form("swiss", most=3, ruleset=cups.rules("duel"), options={"rounds": 3})


def test_one_that_fails_does_not_keep_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    bad, good = begun(bots=2, name="Bad"), begun(bots=2, name="Good")
    Tournament.objects.filter(pk=bad.pk).update(form={**bad.form, "rules": 999})
    finish_round(bad)
    finish_round(good)
    running.tick()
    bad.refresh_from_db()
    assert "It cannot go on" in bad.trouble
    assert good.rounds.count() == 2


def test_versions_and_entrants_are_of_one_bot() -> None:
    row = begun(bots=4)
    for one in Entrant.objects.filter(tournament=row):
        assert Version.objects.get(pk=one.version_id).bot_id == one.bot_id
