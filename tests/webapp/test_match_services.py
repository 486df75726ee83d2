"""Series, blocks and matches: whatever happens to a worker, every match is written once, whole, or not at all."""

from __future__ import annotations

import contextlib
import inspect
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import TypeVar

import pytest
import redis
from django.db import DatabaseError, close_old_connections, connection, connections, transaction
from django.test import Client
from django.utils import timezone

from arena import chance
from arena.record import Record
from tests.webapp import factories
from tests.webapp.making import make_line, make_organiser
from tests.webapp.playing import hosted, remote, series_of
from webapp.bots.models import Connection, Version
from webapp.celery import app
from webapp.matches import services
from webapp.matches.models import Block, Entry, EntryLog, Match, Series
from webapp.matches.organisers import cancel_series
from webapp.matches.services import Claim, ClaimLost, Missing

R = TypeVar("R")

SEED = bytes(range(100, 132))
NONCES = (b"the nonce of one", b"and of the other")


@pytest.fixture
def two(db: None) -> list[Version]:
    return [hosted("left"), hosted("right")]


def claimed(series: Series, worker: str = "worker") -> Claim:
    claim = services.claim(series_id=series.pk, worker=worker)
    assert claim is not None
    return claim


def opened(claim: Claim, *, reveal: bool = True) -> Block:
    block = services.open_block(
        claim=claim,
        commitment=chance.digest(SEED),
        seed=SEED,
        nonce_hashes=[chance.digest(nonce) for nonce in NONCES],
        seating=[0, 1],
    )
    if reveal:
        services.keep_nonces(claim=claim, block=block, nonces=NONCES)
    return block


def played(match: str = "m-0000000000000001", names: tuple[str, ...] = ("left", "right")) -> Record:
    return factories.play(names, match=match, preset="duel", seed=1)


def written(claim: Claim, block: Block, number: int = 1, *, closing: bool = False, **more: object) -> Match:
    versions = [seat.version for seat in Series.objects.get(pk=claim.series).seats.order_by("seat")]
    values: dict[str, object] = {
        "record": played(f"m-{claim.series:012x}{number:04x}"),
        "versions": versions,
        "logs": [services.Log(), services.Log(((1, "I think"),), 1, "I was\0 there")],
        "finished": timezone.now(),
    }
    return services.write_match(claim=claim, block=block, number=number, closing=closing, **values | more)


def expire(series: Series) -> None:
    Series.objects.filter(pk=series.pk).update(lease_until=timezone.now() - timedelta(seconds=1))


def at_once(calls: list[Callable[[], R]]) -> list[R]:
    """What the calls give, all of them made at the same moment in threads of their own."""
    barrier = threading.Barrier(len(calls))

    def one(call: Callable[[], R]) -> R:
        close_old_connections()
        connection.ensure_connection()
        barrier.wait()
        try:
            return call()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(one, calls))


def everything() -> dict[str, list[tuple[object, ...]]]:
    """All rows that a worker writes, to see that something changed nothing."""
    return {
        model.__name__: sorted(model.objects.values_list(), key=repr)
        for model in (Series, Block, Match, Entry, EntryLog, Connection)
    }


# ---- the claim -----------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_of_many_workers_one_gets_the_series() -> None:
    series = series_of([hosted("left"), hosted("right")])
    claims = at_once([lambda n=n: services.claim(series_id=series.pk, worker=f"w{n}") for n in range(8)])
    got = [claim for claim in claims if claim is not None]
    assert len(got) == 1
    series.refresh_from_db()
    assert (series.state, series.attempt, series.worker) == ("playing", 1, got[0].worker)
    assert got[0].attempt == 1


def test_only_what_waits_can_be_claimed(two: list[Version]) -> None:
    for state in Series.State:
        series = factories.make_series([version.bot for version in two], state=state)
        claim = services.claim(series_id=series.pk, worker="w")
        assert (claim is not None) == (state == Series.State.WAITING)
    assert services.claim(series_id=10**9, worker="w") is None


def test_a_lease_is_told_by_the_clock_of_the_database(two: list[Version], monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker, or a scheduler, on a machine whose clock is wrong neither loses what it plays nor takes from others."""
    for wrong in (timedelta(hours=1), timedelta(hours=-1)):
        series = series_of(two)
        now = timezone.now() + wrong
        monkeypatch.setattr(timezone, "now", lambda now=now: now)
        claim = claimed(series)
        monkeypatch.undo()
        assert services.sweep() == 0
        monkeypatch.setattr(timezone, "now", lambda now=now: now)
        assert services.sweep() == 0
        assert services.renew(claim=claim)
        monkeypatch.undo()


# ---- who has lost the series writes nothing ------------------------------------------------------


def _too_late(claim: Claim, block: Block, version: Version) -> dict[str, Callable[[], object]]:
    """Every write of a player of a series."""
    return {
        "open_block": lambda: opened(claim),
        "keep_nonces": lambda: services.keep_nonces(claim=claim, block=block, nonces=(b"x", b"y")),
        "break_block": lambda: services.break_block(claim=claim, block=block, reason="r"),
        "write_match": lambda: written(claim, block, closing=True),
        "remove_seats": lambda: services.remove_seats(claim=claim, reasons={0: "r"}),
        "take_lines": lambda: services.take_lines(claim=claim, versions={0: version}),
        "finish": lambda: services.finish(claim=claim),
        "cancel": lambda: services.cancel(claim=claim, note="n"),
        "hand_back": lambda: services.hand_back(claim=claim),
        "break_off": lambda: services.break_off(claim=claim, reason="r"),
    }


LOSSES: dict[str, Callable[[Series, Claim], object]] = {
    "swept": lambda series, claim: (expire(series), services.sweep()),
    "swept and taken by another": lambda series, claim: (expire(series), services.sweep(), claimed(series, "other")),
    "finished": lambda series, claim: services.finish(claim=claim),
    "cancelled": lambda series, claim: services.cancel(claim=claim, note="n"),
}


@pytest.mark.parametrize("loss", LOSSES)
def test_who_has_lost_the_series_changes_nothing(two: list[Version], loss: str) -> None:
    series = series_of(two)
    version, _token = remote("far")
    make_line(version.bot)
    claim = claimed(series)
    block = opened(claim)
    LOSSES[loss](series, claim)
    before = everything()
    for name, write in _too_late(claim, block, version).items():
        with pytest.raises(ClaimLost):
            write()
        assert everything() == before, name
    assert not services.renew(claim=claim)
    assert everything() == before


def test_every_write_that_takes_a_claim_is_in_the_test_above(two: list[Version]) -> None:
    """A new one must be added there."""
    series = series_of(two)
    claim = claimed(series)
    takes_claim = {name for name, call in vars(services).items() if callable(call) and "claim" in _parameters(call)} - {
        "renew",
        "release_line",
        "whereabouts",
    }
    assert takes_claim == set(_too_late(claim, opened(claim), two[0]))


def _parameters(call: Callable[..., object]) -> set[str]:
    if not inspect.isfunction(call) or call.__name__.startswith("_"):
        return set()
    return set(inspect.signature(call).parameters)


# ---- a whole result, once ------------------------------------------------------------------------


def test_a_match_is_written_whole(two: list[Version]) -> None:
    series = series_of(two)
    claim = claimed(series)
    block = opened(claim)
    record = played()
    match = written(claim, block, record=record, closing=True)
    assert (match.name, match.series, match.number, match.block) == (record.match, series, 1, block)
    assert match.record_name
    entries = list(match.entries.order_by("seat"))
    assert [(entry.seat, entry.version, entry.place) for entry in entries] == [
        (0, two[0], record.outcome.places[0]),
        (1, two[1], record.outcome.places[1]),
    ]
    log = EntryLog.objects.get(entry__match=match)
    assert (log.text, log.exchange) == ("I was\ufffd there", None)
    [[step, line]] = log.lines
    assert line == "I think"
    assert 1 in record.steps[step - 1].moves
    block.refresh_from_db()
    assert block.state == Block.State.CLOSED
    assert block.closed is not None


def test_nothing_tells_the_luck_of_an_open_block(two: list[Version], client: Client) -> None:
    series = series_of(two)
    claim = claimed(series)
    block = opened(claim)
    match = written(claim, block, 1)
    client.force_login(make_organiser())
    secrets_ = {block.seed, *block.nonces}
    pages = [
        "/",
        "/matches/",
        f"/matches/{match.name}/",
        f"/matches/{match.name}/record.json",
        f"/series/{series.pk}/",
        "/api/matches",
        f"/api/matches/{match.name}",
        f"/api/matches/{match.name}/record",
        f"/api/series/{series.pk}",
        f"/admin/matches/block/{block.pk}/change/",
        f"/admin/matches/series/{series.pk}/change/",
        f"/admin/matches/match/{match.pk}/change/",
    ]

    def told() -> str:
        return "".join(client.get(page).content.decode() for page in pages)

    hidden = told()
    assert not [secret for secret in secrets_ if secret in hidden]
    assert block.commitment in hidden
    written(claim, block, 2, closing=True)
    shown = told()
    assert [secret for secret in secrets_ if secret not in shown] == []


def test_a_block_stays_open_until_its_last_match(two: list[Version]) -> None:
    series = series_of(two)
    claim = claimed(series)
    block = opened(claim)
    written(claim, block, 1)
    block.refresh_from_db()
    assert block.state == Block.State.OPEN
    written(claim, block, 2, closing=True)
    block.refresh_from_db()
    assert block.state == Block.State.CLOSED


def test_a_match_that_is_written_again_is_there_once(two: list[Version]) -> None:
    series = series_of(two)
    claim = claimed(series)
    block = opened(claim)
    written(claim, block)
    before = everything()
    with pytest.raises(ClaimLost, match="match 1 of series"), transaction.atomic():
        written(claim, block, record=played("m-00000000000000ff"), closing=True)
    assert everything() == before


@pytest.mark.django_db(transaction=True)
def test_of_many_that_write_the_same_match_one_does() -> None:
    series = series_of([hosted("left"), hosted("right")])
    claim = claimed(series)
    block = opened(claim)

    def write(number: int) -> bool:
        try:
            written(claim, block, record=played(f"m-{number:016x}"))
        except ClaimLost:
            return False
        return True

    assert sum(at_once([lambda n=n: write(n) for n in range(6)])) == 1
    assert Match.objects.count() == 1
    assert Entry.objects.count() == 2
    assert EntryLog.objects.count() == 1


@contextlib.contextmanager
def refusing(table: str) -> Iterator[None]:
    """A database that takes nothing into this table."""
    if connection.vendor == "postgresql":
        body = "BEGIN RAISE EXCEPTION 'the disk is full'; END"
        make = [
            f"CREATE FUNCTION refuse() RETURNS trigger AS $$ {body} $$ LANGUAGE plpgsql",
            f"CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON {table} FOR EACH ROW EXECUTE FUNCTION refuse()",
        ]
        undo = ["DROP FUNCTION refuse CASCADE"]
    else:
        body = f"ON {table} BEGIN SELECT RAISE(ABORT, 'the disk is full'); END"
        make = [f"CREATE TRIGGER refuse_{verb} BEFORE {verb} {body}" for verb in ("INSERT", "UPDATE")]
        undo = [f"DROP TRIGGER refuse_{verb}" for verb in ("INSERT", "UPDATE")]
    with connection.cursor() as cursor:
        for statement in make:
            cursor.execute(statement)
        try:
            yield
        finally:
            for statement in undo:
                cursor.execute(statement)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("table", ["matches_match", "matches_entry", "matches_entrylog", "matches_block"])
def test_a_failure_in_the_middle_leaves_nothing(table: str) -> None:
    """The database itself refuses one of the writes, the last one included."""
    series = series_of([hosted("left"), hosted("right")])
    claim = claimed(series)
    block = opened(claim)
    before = everything()
    with refusing(table):
        with pytest.raises(DatabaseError, match="the disk is full"):
            written(claim, block, closing=True)
        assert everything() == before
    written(claim, block, closing=True)
    assert Match.objects.count() == 1


def test_a_match_without_a_time_is_refused(two: list[Version]) -> None:
    claim = claimed(series_of(two))
    with pytest.raises(ValueError, match="when it started"):
        written(claim, opened(claim), record=played()._replace(started=None))


# ---- leases and sweepers -------------------------------------------------------------------------


def test_a_lease_that_is_renewed_is_kept_and_one_that_is_not_is_lost(two: list[Version]) -> None:
    series = series_of(two)
    claim = claimed(series)
    assert services.sweep() == 0
    expire(series)
    assert services.renew(claim=claim)
    assert services.sweep() == 0
    expire(series)
    assert services.sweep() == 1
    series.refresh_from_db()
    assert (series.state, series.worker, series.lease_until, series.broken) == ("waiting", "", None, 1)
    assert not services.renew(claim=claim)
    assert claimed(series).attempt == 2


@pytest.mark.django_db(transaction=True)
def test_two_sweepers_at_once_find_each_lost_series_once() -> None:
    two = [hosted("left"), hosted("right")]
    lost = [series_of(two) for _ in range(12)]
    for series in lost:
        claimed(series)
        expire(series)
    assert sum(at_once([services.sweep] * 4)) == len(lost)
    for series in lost:
        series.refresh_from_db()
        assert (series.state, series.broken) == ("waiting", 1)


@pytest.mark.django_db(transaction=True)
def test_a_sweeper_and_a_worker_that_renews_agree_on_who_has_the_series() -> None:
    two = [hosted("left"), hosted("right")]
    for _ in range(10):
        series = series_of(two)
        claim = claimed(series)
        expire(series)
        renewed, swept = at_once([lambda claim=claim: services.renew(claim=claim), services.sweep])
        assert bool(renewed) != bool(swept)
        series.refresh_from_db()
        assert series.state == ("playing" if renewed else "waiting")
        Series.objects.filter(pk=series.pk).update(state="cancelled")


@pytest.mark.skipif("config.getoption('--database') == 'sqlite'", reason="SQLite locks no single rows")
@pytest.mark.django_db(transaction=True)
def test_a_lost_series_that_hangs_in_a_transaction_keeps_no_other_from_being_found() -> None:
    """As of a worker that stands still in the middle of a write."""
    two = [hosted("left"), hosted("right")]
    held, other = [series_of(two) for _ in range(2)]
    for series in (held, other):
        claimed(series)
        expire(series)
    with contextlib.closing(connection.copy()) as hanging, connection.cursor() as cursor:
        hanging.set_autocommit(False)
        with hanging.cursor() as writing:
            writing.execute("UPDATE matches_series SET note = 'n' WHERE id = %s", [held.pk])
        cursor.execute("SET lock_timeout = '20s'")  # who waits for it would wait for ever
        try:
            assert services.sweep() == 1
        finally:
            cursor.execute("RESET lock_timeout")
        other.refresh_from_db()
        assert other.state == "waiting"
        hanging.rollback()
    assert services.sweep() == 1
    held.refresh_from_db()
    assert held.state == "waiting"


# ---- breaking off --------------------------------------------------------------------------------


def test_hosted_bots_alone_go_on_with_the_same_luck(two: list[Version]) -> None:
    series = series_of(two)
    claim = claimed(series)
    block = opened(claim)
    written(claim, block, 1)
    services.break_off(claim=claim, reason="the worker stood still")
    block.refresh_from_db()
    series.refresh_from_db()
    assert (series.state, series.broken) == ("waiting", 1)
    assert (block.state, block.reason) == ("open", "")
    assert services.luck_of(block) == (SEED, NONCES)


def test_with_a_remote_bot_what_is_broken_off_gets_new_luck(two: list[Version]) -> None:
    series = series_of([two[0], remote("far")[0]])
    assert not series.duplicate
    claim = claimed(series)
    block = opened(claim)
    services.break_off(claim=claim, reason="the door was lost")
    block.refresh_from_db()
    assert (block.state, block.reason) == ("broken", "the door was lost")
    assert block.closed is not None
    claim = claimed(series)
    again = opened(claim)
    assert (again.number, again.state) == (2, "open")


def test_luck_that_was_never_completed_is_given_up(two: list[Version]) -> None:
    series = series_of(two)
    claim = claimed(series)
    block = opened(claim, reveal=False)
    assert services.luck_of(block) is None
    services.break_off(claim=claim, reason="killed between the commitment and the nonces")
    block.refresh_from_db()
    assert (block.state, block.reason) == ("broken", "killed between the commitment and the nonces")
    assert block.commitment == chance.digest(SEED).hex()


def test_after_three_times_in_a_row_it_is_put_off(two: list[Version]) -> None:
    series = series_of(two)
    for time in range(3):
        claim = claimed(series)
        if time == 0:
            block = opened(claim)
        services.break_off(claim=claim, reason=f"reason {time + 1}")
    series.refresh_from_db()
    block.refresh_from_db()
    assert (series.state, series.broken) == ("put_off", 3)
    assert series.note == "The platform failed it 3 times in a row; at last: reason 3"
    assert series.finished is not None
    assert (block.state, block.reason) == ("broken", "reason 3")
    assert services.claim(series_id=series.pk, worker="w") is None


@pytest.mark.parametrize("end", ["put off", "cancelled", "cancelled by an organiser"])
def test_what_was_played_of_a_series_that_is_given_up_can_be_checked(two: list[Version], end: str) -> None:
    """Its matches count: so their luck is revealed, although some that were planned on it are never played."""
    series = series_of(two)
    claim = claimed(series)
    block = opened(claim)
    written(claim, block, 1)
    if end == "cancelled":
        services.cancel(claim=claim, note="a reason")
    else:
        services.break_off(claim=claim, reason="a reason")
        if end == "put off":
            services.break_off(claim=claimed(series), reason="a reason")
            services.break_off(claim=claimed(series), reason="a reason")
        else:
            assert cancel_series(series=series, by=make_organiser())
    block.refresh_from_db()
    series.refresh_from_db()
    assert series.state == ("put_off" if end == "put off" else "cancelled")
    assert block.state == Block.State.CLOSED
    assert block.reason in ("a reason", "Cancelled by an organiser.")


def test_a_match_that_is_played_ends_the_row_of_failures(two: list[Version]) -> None:
    series = series_of(two)
    for _ in range(2):
        services.break_off(claim=claimed(series), reason="r")
    claim = claimed(series)
    written(claim, opened(claim))
    services.break_off(claim=claim, reason="r")
    series.refresh_from_db()
    assert (series.state, series.broken) == ("waiting", 1)


def test_a_series_that_is_handed_back_is_nobodys_failure(two: list[Version]) -> None:
    series = series_of(two)
    for _ in range(5):
        services.hand_back(claim=claimed(series))
    series.refresh_from_db()
    assert (series.state, series.broken, series.attempt) == ("waiting", 0, 5)


def test_every_commitment_is_kept_with_the_reason_for_its_end(two: list[Version]) -> None:
    series = series_of([two[0], remote("far")[0]])
    claim = claimed(series)
    services.break_block(claim=claim, block=opened(claim), reason="seat 1: its nonce does not fit")
    opened(claim)
    services.break_off(claim=claim, reason="the door was lost")
    claim = claimed(series)
    written(claim, opened(claim), closing=True)
    opened(claim)
    services.cancel(claim=claim, note="far was not connected.")
    assert list(series.blocks.order_by("number").values_list("number", "state", "reason")) == [
        (1, "broken", "seat 1: its nonce does not fit"),
        (2, "broken", "the door was lost"),
        (3, "closed", ""),
        (4, "broken", "far was not connected."),
    ]
    assert set(series.blocks.values_list("commitment", flat=True)) == {chance.digest(SEED).hex()}


def test_a_series_has_one_open_block_at_most(two: list[Version]) -> None:
    claim = claimed(series_of(two))
    opened(claim)
    with pytest.raises(Exception, match=r"one_open_block_a_series|UNIQUE"), transaction.atomic():
        opened(claim)


# ---- seats, lines, quarantine --------------------------------------------------------------------


def test_a_bot_that_never_begins_is_quarantined_at_the_third_time(two: list[Version]) -> None:
    version, _token = remote("far")
    for time in range(1, 4):
        services.remove_seats(claim=claimed(series_of([two[0], version])), reasons={1: "late: its nonce did not come"})
        version.bot.refresh_from_db()
        assert version.bot.state == ("quarantined" if time == 3 else "active")
    assert version.bot.state_reason == (
        "It was at fault in 3 series in a row; in the last one: late: its nonce did not come"
    )


def test_a_series_that_begins_ends_the_row_of_absences(two: list[Version]) -> None:
    version, _token = remote("far")
    for begins in (False, False, True, False, False):
        series = series_of([two[0], version])
        claim = claimed(series)
        if begins:
            written(claim, opened(claim), closing=True)
            services.finish(claim=claim)
        else:
            services.remove_seats(claim=claim, reasons={1: "late"})
    version.bot.refresh_from_db()
    assert version.bot.state == "active"


def test_series_that_wait_do_not_hide_a_bot_that_never_begins(two: list[Version]) -> None:
    version, _token = remote("far")
    all_series = [series_of([two[0], version]) for _ in range(6)]
    for series in all_series[:3]:
        services.remove_seats(claim=claimed(series), reasons={1: "late"})
    version.bot.refresh_from_db()
    assert version.bot.state == "quarantined"


def test_house_bots_are_never_quarantined(two: list[Version]) -> None:
    for _ in range(4):
        services.remove_seats(claim=claimed(series_of(two)), reasons={0: "gone"})
    two[0].bot.refresh_from_db()
    assert two[0].bot.state == "active"


def test_lines_are_taken_all_or_none(two: list[Version]) -> None:
    one, other = remote("one")[0], remote("other")[0]
    wanted = {0: one, 1: other}
    line = make_line(one.bot)
    claim = claimed(series_of([one, other]))
    assert services.take_lines(claim=claim, versions=wanted) == Missing(absent=("other",), busy=(), seats=(1,))
    line.refresh_from_db()
    assert (line.state, line.series) == ("waiting", None)
    second = make_line(other.bot)
    assert services.take_lines(claim=claim, versions=wanted) == {0: line, 1: second}
    line.refresh_from_db()
    assert (line.state, line.series_id) == ("seated", claim.series)
    busy = claimed(series_of([one, other]))
    assert services.take_lines(claim=busy, versions=wanted) == Missing(absent=(), busy=("one", "other"))


@pytest.mark.django_db
def test_a_version_on_two_seats_needs_two_lines() -> None:
    one = remote("one", tables=2)[0]
    first = make_line(one.bot)
    claim = claimed(series_of([one, one]))
    assert isinstance(services.take_lines(claim=claim, versions={0: one, 1: one}), Missing)
    second = make_line(one.bot)
    assert services.take_lines(claim=claim, versions={0: one, 1: one}) == {0: first, 1: second}


@pytest.mark.django_db
def test_a_line_whose_lease_is_over_is_not_taken() -> None:
    one = remote("one")[0]
    line = make_line(one.bot)
    Connection.objects.filter(pk=line.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    claim = claimed(series_of([one, hosted("left")]))
    assert services.take_lines(claim=claim, versions={0: one}) == Missing(absent=("one",), busy=(), seats=(0,))


@pytest.mark.django_db(transaction=True)
def test_workers_that_want_the_same_lines_never_share_one_nor_hold_each_other_up() -> None:
    versions = [remote(name, tables=2)[0] for name in ("one", "other", "third")]
    for version in versions:
        for _ in range(2):
            make_line(version.bot)
    claims = []
    wanted = []
    for turn in range(6):  # in different orders, for a deadlock to come about
        order = versions[turn % 3 :] + versions[: turn % 3]
        claims.append(claimed(series_of(order)))
        wanted.append(dict(enumerate(order)))
    taken = at_once(
        [
            lambda claim=claim, want=want: services.take_lines(claim=claim, versions=want)
            for claim, want in zip(claims, wanted, strict=True)
        ]
    )
    lines = [line.pk for found in taken if not isinstance(found, Missing) for line in found.values()]
    assert len(lines) == len(set(lines))
    seated = Connection.objects.filter(state="seated").values_list("series", flat=True)
    assert sorted(seated) == sorted(
        claim.series
        for claim, found in zip(claims, taken, strict=True)
        if not isinstance(found, Missing)
        for _ in found
    )
    # whoever came away empty has taken nothing, so that now somebody gets what is left
    left = Connection.objects.filter(state="waiting")
    if {line.bot_id for line in left} == {version.bot_id for version in versions}:
        idle = next(n for n, found in enumerate(taken) if isinstance(found, Missing))
        assert not isinstance(services.take_lines(claim=claims[idle], versions=wanted[idle]), Missing)


@pytest.mark.parametrize("end", ["finish", "cancel", "break_off", "hand_back", "sweep"])
def test_the_lines_of_a_series_are_free_when_it_ends_however_it_does(two: list[Version], end: str) -> None:
    one = remote("one")[0]
    make_line(one.bot)
    series = series_of([one, two[0]])
    claim = claimed(series)
    services.take_lines(claim=claim, versions={0: one})
    assert Connection.objects.filter(series=series).count() == 1
    match end:
        case "finish":
            services.finish(claim=claim)
        case "cancel":
            services.cancel(claim=claim, note="n")
        case "break_off":
            services.break_off(claim=claim, reason="r")
        case "hand_back":
            services.hand_back(claim=claim)
        case "sweep":
            expire(series)
            services.sweep()
    assert not Connection.objects.exists()


# ---- the queue -----------------------------------------------------------------------------------


@pytest.fixture
def queue(broker_url: str, redis_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[redis.Redis]:
    """A queue that works, which it else does not in tests."""
    monkeypatch.setenv("CELERY_BROKER_URL", broker_url)
    _forget_the_queue()
    with redis.Redis.from_url(redis_url) as client:
        yield client
    _forget_the_queue()


def _forget_the_queue() -> None:
    app._pool = None
    app.amqp._producer_pool = None


def calls(queue: redis.Redis) -> int:
    return sum(int(queue.llen(str(key))) for key in ("play", "play:3", "play:6", "play:9"))


@pytest.mark.django_db(transaction=True)
def test_workers_are_rung_when_the_series_is_there_and_not_before(queue: redis.Redis) -> None:
    two = [hosted("left"), hosted("right")]
    with transaction.atomic():
        series_of(two)
        assert calls(queue) == 0
    assert calls(queue) == 1
    with transaction.atomic():
        series_of(two)
        transaction.set_rollback(True)
    assert calls(queue) == 1


@pytest.mark.django_db(transaction=True)
def test_what_is_broken_off_rings_again(queue: redis.Redis) -> None:
    series = series_of([hosted("left"), hosted("right")])
    claim = claimed(series)
    queue.flushall()
    services.break_off(claim=claim, reason="r")
    assert calls(queue) == 1


@pytest.mark.django_db(transaction=True)
def test_a_series_is_made_also_while_there_is_no_queue() -> None:
    """In tests nothing listens at the queue's address."""
    series = series_of([hosted("left"), hosted("right")])
    series.refresh_from_db()
    assert series.state == "waiting"
    claim = claimed(series)
    services.break_off(claim=claim, reason="r")
    series.refresh_from_db()
    assert series.state == "waiting"


@pytest.mark.django_db(transaction=True)
def test_calls_that_the_queue_has_lost_are_made_again_once(queue: redis.Redis) -> None:
    two = [hosted("left"), hosted("right")]
    for _ in range(3):
        series_of(two)
    claimed(series_of(two))
    queue.flushall()
    assert services.ring_again(older_than=timedelta(seconds=60)) == 0
    assert calls(queue) == 0
    assert services.ring_again(older_than=timedelta(0)) == 3
    assert calls(queue) == 3
    # the workers are merely busy: more calls would only make the queue longer
    assert services.ring_again(older_than=timedelta(0)) == 0
    assert calls(queue) == 3
    queue.lpop("play:6")
    assert services.ring_again(older_than=timedelta(0)) == 0


# ---- what a series is ----------------------------------------------------------------------------


def test_hosted_bots_alone_play_on_the_same_luck(two: list[Version]) -> None:
    assert series_of(two).duplicate
    assert not series_of([two[0], remote("far")[0]]).duplicate


def test_a_series_remembers_who_sits_where(two: list[Version]) -> None:
    series = series_of(two[::-1])
    assert [seat.version for seat in series.seats.order_by("seat")] == two[::-1]
