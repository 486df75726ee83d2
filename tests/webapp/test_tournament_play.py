"""Tournaments played for real: hosted bots in their sandboxes, the runner, and lines that never come."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from arena.pairing.luck import block_seed
from tests.webapp import cups
from tests.webapp.cups import make_cup, organiser, present
from tests.webapp.playing import check_series, dialling, door, hosted, house, record_of, remote, until
from webapp.matches.models import Block, Series, SeriesSeat
from webapp.matches.runner import run_series
from webapp.tournaments import facts, running, services
from webapp.tournaments.at_table import luck_number
from webapp.tournaments.models import Pairing, Round, Tournament

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("let_go_of_the_database")]


def play_to_the_end(row: Tournament) -> None:
    for _ in range(20):
        running.tick()
        row.refresh_from_db()
        if row.state != Tournament.State.RUNNING:
            return
        for table in present(row):
            run_series(table.series_id, "worker")
    raise AssertionError("it does not end")


def test_a_swiss_tournament_of_six_at_tables_of_three() -> None:
    row = make_cup(rounds=2, most=3, matches=3)
    bots = house("honest", "random", "calculator", "observer")
    cups.enter(row, [*bots, hosted("plain"), hosted("crash", 'GAME = "three_coins"\nraise SystemExit(3)\n')])
    services.start(tournament=row, by=organiser())
    play_to_the_end(row)

    assert row.state == Tournament.State.FINISHED
    assert row.champion is not None
    assert row.secret is not None
    secret = bytes(row.secret)
    assert hashlib.sha256(secret).hexdigest() == row.commitment
    tables = list(Pairing.objects.filter(tournament=row, extra=False).select_related("series"))
    assert sorted(table.name for table in tables) == ["S1.1", "S1.2", "S2.1", "S2.2"]
    for table in tables:
        for match in check_series(table.series):
            again = block_seed(secret, table.name, luck_number(pairing=table, number=match.block.number))
            assert match.block.seed == again.hex() == record_of(match).fairness.seed
            assert match.rated is False
    crash = cups.entrant(row, "crash")
    rows = {one.entrant: one for one in facts.standings(row)}
    assert (rows[crash.pk].played, rows[crash.pk].points) == (0, 0), "it never sat down"
    assert rows[row.champion.pk].place == 1


def test_a_double_elimination_with_a_bot_on_its_authors_machine(tmp_path: Path) -> None:
    row = make_cup("double", matches=2)
    far, token = remote("far")
    cups.enter(row, [far, *house("honest", "random", "calculator")])
    services.start(tournament=row, by=organiser())

    def over() -> bool:
        running.tick()
        for table in present(row):
            run_series(table.series_id, "worker")
        return not Tournament.objects.filter(pk=row.pk, state=Tournament.State.RUNNING).exists()

    with door(tmp_path) as gate, dialling(gate.address, token) as program:
        until(over, 120, lambda: (list(Series.objects.values_list("pk", "state", "note")), program.said(), gate.said()))
        told = program.said()
    row.refresh_from_db()
    assert row.champion is not None
    tables = list(Pairing.objects.filter(tournament=row).select_related("series"))
    assert len({table.name for table in tables}) == len(tables) >= 6
    far_tables = [table for table in tables if cups.entrant(row, "far").pk in table.seats]
    assert len(far_tables) >= 2, "who has lost once plays on"
    luck = set()
    for table in far_tables:
        for match in check_series(table.series):
            number = luck_number(pairing=table, number=match.block.number)
            again = block_seed(bytes(row.secret or b""), table.name, number)
            assert match.block.seed == again.hex() == record_of(match).fairness.seed
            luck.add(again)
    assert len(luck) == 2 * len(far_tables), "no luck comes twice where somebody may remember it"
    assert not SeriesSeat.objects.exclude(removed="").exists()
    assert "NOT FAIR" not in told


def test_a_fault_forfeits_although_nothing_is_rated() -> None:
    row = make_cup(rounds=1, matches=2)
    fails = 'GAME = "three_coins"\n\n\ndef choose(view):\n    raise RuntimeError\n'
    cups.enter(row, [hosted("fails", fails), hosted("plain")])
    services.start(tournament=row, by=organiser())
    play_to_the_end(row)
    for match in Series.objects.get(pairing__tournament=row).matches.all():
        assert [(e.place, e.fault) for e in match.entries.filter(bot__name="fails")] == [(2, "unreadable")]
    assert row.champion is not None
    assert row.champion.bot.name == "plain"


def test_the_others_play_without_a_remote_bot_that_does_not_come() -> None:
    row = make_cup(rounds=1, most=3, matches=2)
    far, _token = remote("far")
    cups.enter(row, [far, *house("honest", "calculator")])
    services.start(tournament=row, by=organiser())
    table = present(row)[0]
    run_series(table.series_id, "worker")
    table.series.refresh_from_db()
    assert table.series.state == Series.State.WAITING
    assert "far was not connected. The table waits until" in table.series.note
    assert not table.series.matches.exists()
    Pairing.objects.update(missed_since=timezone.now() - timedelta(seconds=121))
    run_series(table.series_id, "worker")  # its patience is at an end
    run_series(table.series_id, "worker")
    running.tick()
    table.refresh_from_db()
    assert table.series.state == Series.State.FINISHED
    seat = table.seats.index(cups.entrant(row, "far").pk)
    assert table.places is not None
    assert [places[seat] for places in table.places] == [None, None]
    assert row.rounds.get(number=1).state == Round.State.OVER


def test_who_is_alone_at_a_table_has_won() -> None:
    row = make_cup("single", matches=2)
    far, _token = remote("far")
    cups.enter(row, [far, *house("honest")])
    services.start(tournament=row, by=organiser())
    table = present(row)[0]
    Pairing.objects.update(missed_since=timezone.now() - timedelta(seconds=121))
    run_series(table.series_id, "worker")
    run_series(table.series_id, "worker")
    running.tick()
    row.refresh_from_db()
    assert row.champion is not None
    assert row.champion.bot.name == "honest"


def test_elsewhere_the_luck_is_drawn_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    from webapp.matches.services import create_series

    series = create_series(ruleset=cups.rules("duel"), versions=house("honest", "random"), planned=2)
    drawn: list[bytes] = []
    real = secrets.token_bytes

    def noting(size: int) -> bytes:
        drawn.append(real(size))
        return drawn[-1]

    monkeypatch.setattr(secrets, "token_bytes", noting)
    run_series(series.pk, "worker")
    assert Block.objects.get(series=series).seed in {one.hex() for one in drawn}
