"""Playing a series for real: processes of ours, lines on a door, and workers that die in the middle."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import psutil
import pytest
from asgiref.sync import SyncToAsync
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from arena.record import DrawStep, FaultStep
from tests.webapp.making import make_organiser
from tests.webapp.playing import (
    GAME,
    PLAIN,
    DoorProcess,
    Program,
    arena_environment,
    celery_worker,
    check_match,
    check_series,
    connected,
    dialling,
    door,
    hosted,
    house,
    program,
    record_of,
    remote,
    series_of,
    until,
)
from webapp.bots.models import Bot, Connection, Version
from webapp.celery import app
from webapp.matches import services
from webapp.matches.models import Block, EntryLog, Match, Series
from webapp.matches.own_rulesets import make_ruleset, start_exhibition
from webapp.matches.runner import run_series
from webapp.matches.tasks import play_series

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("let_go_of_the_database")]

SLOW = """
import time

GAME = "three_coins"


def choose(view):
    time.sleep(0.05)
    return view.legal[0]
"""


@pytest.fixture(scope="module")
def a_door(tmp_path_factory: pytest.TempPathFactory, django_db_setup: None) -> Iterator[DoorProcess]:
    """One for all these tests: what it knows is in the database, which is emptied after each of them."""
    with door(tmp_path_factory.mktemp("door")) as running:
        yield running


def run(series: Series) -> None:
    run_series(series.pk, "worker")
    series.refresh_from_db()


@contextlib.contextmanager
def worker(series: Series, data: Path) -> Iterator[Program]:
    """A worker process for one series."""
    code = (
        "import django; django.setup()\n"
        "from webapp.matches.runner import run_series\n"
        f"run_series({series.pk}, 'worker')\n"
        "print('the worker is done')"
    )
    with program(sys.executable, "-c", code, **arena_environment(data)) as running:
        yield running


def draws(match: Match) -> dict[str, tuple[int, ...]]:
    return {step.label: step.got for step in record_of(match).steps if isinstance(step, DrawStep)}


def names(match: Match) -> tuple[str, ...]:
    return tuple(player.bot for player in record_of(match).players)


# ---- hosted bots ---------------------------------------------------------------------------------


def test_an_exhibition_is_played_by_its_own_rules_and_is_unrated() -> None:
    olga = make_organiser()
    row = make_ruleset(game=GAME, preset=None, options={"start_coins": 4, "coin_cap": 9}, by=olga).ruleset
    bots = [version.bot for version in house("honest", "random")]
    series = start_exhibition(ruleset=row, bots=bots, planned=2, by=olga)
    run(series)
    for match in check_series(series):
        assert (match.ruleset, match.rated) == (row, False)
        record = record_of(match)
        assert (record.preset, dict(record.options)) == (None, row.options)


def test_hosted_bots_play_all_seat_orders_on_one_luck() -> None:
    series = series_of(house("random", "honest", "calculator"), planned=6)
    run(series)
    matches = check_series(series)
    assert series.blocks.count() == 1
    assert {match.block.number for match in matches} == {1}
    orders = [names(match) for match in matches]
    assert len(set(orders)) == 6
    for seat in range(3):
        assert Counter(order[seat] for order in orders) == {"random": 2, "honest": 2, "calculator": 2}
    secrets = {record_of(match).fairness for match in matches}
    assert len(secrets) == 1
    drawn: dict[str, tuple[int, ...]] = {}
    for match in matches:
        for label, got in draws(match).items():
            assert drawn.setdefault(label, got) == got, label
    assert drawn


def test_a_short_series_rotates_the_seats() -> None:
    series = series_of(house("random", "honest", "calculator", "observer"), planned=4)
    run(series)
    matches = check_series(series)
    for seat in range(4):
        assert len({names(match)[seat] for match in matches}) == 4


def test_a_longer_series_takes_new_luck_for_every_round_of_the_seats() -> None:
    series = series_of(house("random", "honest"), planned=5)
    run(series)
    matches = check_series(series)
    assert [match.block.number for match in matches] == [1, 1, 2, 2, 3]
    assert len({record_of(match).fairness.seed for match in matches}) == 3


def test_a_crashing_bot_costs_itself_and_leaves_a_log() -> None:
    crash = (
        'GAME = "three_coins"\n\n\ndef choose(view):\n    print("before the end")\n    raise RuntimeError("oh dear")\n'
    )
    series = series_of([*house("honest"), hosted("broken", crash), hosted("plain")], planned=3)
    run(series)
    for match in check_series(series):
        faults = {entry.bot.name: (entry.fault, entry.place) for entry in match.entries.select_related("bot")}
        assert faults["broken"] == ("unreadable", 3)
        assert faults["honest"][0] == faults["plain"][0] == ""
        log = EntryLog.objects.get(entry__match=match, entry__bot__name="broken")
        [[step, line]] = log.lines
        assert "RuntimeError: oh dear" in line
        assert isinstance(record_of(match).steps[step - 1], FaultStep)
        assert log.text == "before the end\n"
        assert not EntryLog.objects.filter(entry__match=match).exclude(entry__bot__name="broken").exists()


def test_a_bot_that_kills_itself_is_gone() -> None:
    suicide = 'import os\n\nGAME = "three_coins"\n\n\ndef choose(view):\n    os.kill(os.getpid(), 9)\n'
    series = series_of([hosted("lemming", suicide), hosted("plain")], planned=2)
    run(series)
    for match in check_series(series):
        entry = match.entries.get(bot__name="lemming")
        assert (entry.fault, entry.place) == ("gone", 2)
        assert "killed by SIGKILL" in next(
            step.detail for step in record_of(match).steps if isinstance(step, FaultStep)
        )
    assert series.broken == 0


def test_a_file_that_cannot_be_loaded_is_taken_off_the_table_and_the_others_play() -> None:
    broken = 'GAME = "three_coins"\nimport nothing_of_that_name\n'
    series = series_of([hosted("unborn", broken), hosted("plain"), *house("honest")], planned=3)
    run(series)
    for match in check_series(series):
        assert set(names(match)) == {"plain", "honest"}
    assert series.seats.get(seat=0).removed.startswith("gone: its process ended")
    assert {seat.removed for seat in series.seats.exclude(seat=0)} == {""}


def test_the_matches_after_a_removal_use_each_luck_for_each_order_once() -> None:
    """Six matches of two are three rounds of the seats, each on luck of its own."""
    broken = 'GAME = "three_coins"\nimport nothing_of_that_name\n'
    series = series_of([hosted("unborn", broken), hosted("plain"), *house("honest")], planned=6)
    run(series)
    matches = check_series(series)
    orders = Counter((match.block.number, names(match)) for match in matches)
    assert set(orders.values()) == {1}
    assert len({match.block.number for match in matches}) == 3


def test_too_few_left_cancels_the_series() -> None:
    broken = 'GAME = "three_coins"\nimport nothing_of_that_name\n'
    series = series_of([hosted("unborn", broken), hosted("plain")])
    run(series)
    assert (series.state, series.note) == ("cancelled", "Only plain was left at the table.")
    assert not Match.objects.exists()
    series = series_of([hosted("one", broken), hosted("other", broken)])
    run(series)
    assert (series.state, series.note) == ("cancelled", "Nobody was left at the table.")


def test_practice_plays_a_default_move_for_a_fault() -> None:
    silly = 'GAME = "three_coins"\n\n\ndef choose(view):\n    return "bid 99"\n'
    series = series_of([hosted("silly", silly), hosted("plain")], rated=False)
    run(series)
    for match in check_series(series):
        assert not match.rated
        assert match.faults >= 1
        assert {step.then for step in record_of(match).steps if isinstance(step, FaultStep)} == {"default"}


def test_nothing_is_left_of_a_series(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    seen: set[str] = set()
    with watching(lambda: seen.update(path.name for path in tmp_path.iterdir())):
        run(series_of(house("random", "honest")))
    assert any(name.startswith("arena-") for name in seen)
    assert list(tmp_path.iterdir()) == []
    assert not [
        child for child in psutil.Process().children(recursive=True) if "arena.warm" in " ".join(child.cmdline())
    ]


@contextlib.contextmanager
def watching(look: Callable[[], object]) -> Iterator[None]:
    """Look again and again, meanwhile."""
    over = threading.Event()

    def watch() -> None:
        while not over.wait(0.01):
            look()

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def test_how_often_the_database_is_asked() -> None:
    """A match more costs a write and its claim, whatever the match is like."""
    counts = {}
    two = house("random", "honest")
    for planned in (2, 4, 6):
        series = series_of(two, planned=planned)
        counts[planned] = _queries(series)
    per_block = counts[6] - counts[4]
    assert per_block == counts[4] - counts[2]
    assert 10 < per_block <= 18, counts  # two matches and an exchange of commitments


def _queries(series: Series) -> int:
    """Queries of the event loop's thread; how often the lease is renewed depends on the time, and is left out."""
    executor = SyncToAsync.single_thread_executor
    capture = executor.submit(lambda: CaptureQueriesContext(connections["default"]).__enter__()).result()
    run(series)
    executor.submit(capture.__exit__, None, None, None).result()
    check_series(series)
    said = [query["sql"] for query in capture.captured_queries]
    verbs = ("SELECT ", "INSERT ", "UPDATE ", "DELETE ")
    return sum(sql.startswith(verbs) and sql != "SELECT 1" and 'SET "lease_until"' not in sql for sql in said)


# ---- a worker that is lost -----------------------------------------------------------------------


def test_a_series_goes_on_where_a_killed_worker_left_it(tmp_path: Path) -> None:
    two = [hosted("slow", SLOW), hosted("plain")]
    series = series_of(two, planned=6)
    with worker(series, tmp_path) as lost:
        until(lambda: series.matches.count() >= 3, what=lost.said)
        inside = psutil.Process(lost.process.pid).children(recursive=True)
    assert len(inside) >= 2
    psutil.wait_procs(inside, timeout=60)
    assert not any(child.is_running() for child in inside)
    kept = list(series.matches.order_by("number").values_list("number", "name", "record_name"))
    blocks = list(series.blocks.order_by("number").values_list("number", "commitment", "seed"))
    assert 3 <= len(kept) < 6

    series.refresh_from_db()
    assert series.lease_until is not None
    assert series.lease_until - timezone.now() < timedelta(seconds=6)
    until(lambda: services.sweep() == 1)
    run(series)
    matches = check_series(series)
    assert list(series.matches.order_by("number").values_list("number", "name", "record_name"))[: len(kept)] == kept
    assert list(series.blocks.order_by("number").values_list("number", "commitment", "seed"))[: len(blocks)] == blocks
    assert [match.block.number for match in matches] == [1, 1, 2, 2, 3, 3]
    for block in (1, 2, 3):
        pair = [match for match in matches if match.block.number == block]
        assert names(pair[0]) == names(pair[1])[::-1]
        assert record_of(pair[0]).fairness == record_of(pair[1]).fairness
    assert Match.objects.filter(faults__gt=0).count() == 0


@pytest.mark.parametrize("after", ["open_block", "keep_nonces", "write_match 1", "write_match 2", "all"])
def test_a_series_goes_on_from_wherever_it_was_lost(after: str) -> None:
    """The claim is lost right after each of the writes in turn."""
    series = series_of(house("random", "honest"))
    if after == "all":
        run(series)
        Series.objects.filter(pk=series.pk).update(state="waiting", finished=None)
    else:
        _lose_after(series, *after.split())
    assert not series.matches.exists() or after.startswith("write_match") or after == "all"
    kept = list(series.matches.order_by("number").values_list("name", flat=True))
    run(series)
    matches = check_series(series)
    assert [match.name for match in matches][: len(kept)] == kept
    assert len({record_of(match).fairness for match in matches}) == 1
    assert series.blocks.count() == (2 if after == "open_block" else 1)
    if after == "open_block":
        assert list(series.blocks.order_by("number").values_list("state", flat=True)) == ["broken", "closed"]


def _lose_after(series: Series, write: str, number: str = "") -> None:
    """Run a series whose worker is taken for dead as soon as it has done a certain write."""
    done = {
        "open_block": lambda: Block.objects.filter(series=series).exists(),
        "keep_nonces": lambda: Block.objects.filter(series=series).exclude(nonces=[]).exists(),
        "write_match": lambda: series.matches.count() >= int(number),
    }[write]
    table = "matches_match" if write == "write_match" else "matches_block"
    when = {
        "open_block": "AFTER INSERT",
        "keep_nonces": "AFTER UPDATE",
        "write_match": "AFTER INSERT",
    }[write]
    condition = f"NEW.number = {number}" if number else "true"
    # the lease goes in the same transaction as the write, so that nothing can come in between
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                "CREATE FUNCTION lose() RETURNS trigger AS $$ BEGIN "
                f"IF {condition} THEN UPDATE matches_series SET lease_until = now() - interval '1 hour', "
                "attempt = attempt + 1 WHERE id = NEW.series_id; END IF; RETURN NEW; END $$ LANGUAGE plpgsql"
            )
            cursor.execute(f"CREATE TRIGGER lose {when} ON {table} FOR EACH ROW EXECUTE FUNCTION lose()")
        else:
            cursor.execute(
                f"CREATE TRIGGER lose {when} ON {table} WHEN {condition} BEGIN UPDATE matches_series SET "
                "lease_until = '2000-01-01 00:00:00', attempt = attempt + 1 WHERE id = NEW.series_id; END"
            )
    try:
        run(series)
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP FUNCTION lose CASCADE" if connection.vendor == "postgresql" else "DROP TRIGGER lose")
    assert done()
    assert series.state == "playing"
    assert services.sweep() == 1


def stop_between_writes(process: int) -> None:
    """Have it stand still while it holds nothing in the database: else whoever sweeps would pass it over, or wait."""

    def stopped() -> bool:
        os.kill(process, signal.SIGSTOP)
        if connection.vendor != "postgresql":
            return True
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                "AND backend_type = 'client backend' AND pid <> pg_backend_pid() AND state <> 'idle'"
            )
            if cursor.fetchone()[0] == 0:
                return True
        os.kill(process, signal.SIGCONT)
        return False

    until(stopped)


def test_a_worker_that_slept_too_long_writes_nothing_and_the_other_one_plays_on(tmp_path: Path) -> None:
    series = series_of([hosted("slow", SLOW), hosted("plain")], planned=4)
    with worker(series, tmp_path) as sleeper:
        until(lambda: series.matches.count() >= 1, what=sleeper.said)
        stop_between_writes(sleeper.process.pid)
        until(lambda: services.sweep() == 1)
        with worker(series, tmp_path) as second:
            until(lambda: Series.objects.get(pk=series.pk).attempt == 2, what=second.said)
            os.kill(sleeper.process.pid, signal.SIGCONT)
            sleeper.until("the worker is done")
            second.until("the worker is done")
        check_series(series)
        assert "not held any more" in sleeper.said() or "not renewed in time" in sleeper.said()


def test_a_worker_that_is_asked_to_end_passes_the_series_on_after_its_match(tmp_path: Path, broker_url: str) -> None:
    series = series_of([hosted("slow", SLOW), hosted("plain")], planned=4)
    with celery_worker(tmp_path, broker_url) as leaving:
        with app.connection_for_write(broker_url) as queue:
            play_series.apply_async([series.pk], connection=queue)
        until(lambda: series.matches.count() >= 1, what=leaving.said)
        leaving.process.send_signal(signal.SIGTERM)
        until(lambda: leaving.process.poll() is not None, what=leaving.said)
    series.refresh_from_db()
    kept = list(series.matches.order_by("number").values_list("name", flat=True))
    assert (series.state, series.broken, series.note) == (Series.State.WAITING, 0, "")
    assert 1 <= len(kept) < 4

    run(series)
    assert [match.name for match in check_series(series)][: len(kept)] == kept
    assert set(series.blocks.values_list("state", flat=True)) == {Block.State.CLOSED}
    assert series.blocks.count() == 2, "nothing was begun anew"


# ---- the platform's own failures -----------------------------------------------------------------


def test_an_error_of_our_own_hands_the_series_back_three_times_then_puts_it_off() -> None:
    series = series_of(house("random", "honest"))
    options = dict(series.ruleset.options, start_coins="many")
    type(series.ruleset).objects.filter(pk=series.ruleset_id).update(options=options, preset="")
    for time_ in (1, 2):
        run(series)
        assert (series.state, series.broken) == ("waiting", time_)
    run(series)
    assert series.state == "put_off"
    assert series.note.startswith("The platform failed it 3 times in a row; at last: an error of the arena (")
    assert not Match.objects.exists()


@pytest.mark.skipif("config.getoption('--database') == 'sqlite'", reason="SQLite has no connections to lose")
def test_a_database_that_goes_away_for_a_moment_costs_a_replay_at_most() -> None:
    series = series_of([hosted("slow", SLOW), hosted("plain")], planned=4)

    def cut() -> None:
        with connections["default"].cursor() as cursor:
            cursor.execute(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        connections.close_all()

    def cut_again_and_again() -> None:
        for seen in (1, 2, 3):
            until(lambda seen=seen: series.matches.count() >= seen or not alive.is_set())
            cut()

    alive = threading.Event()
    alive.set()
    cutting = threading.Thread(target=cut_again_and_again)
    cutting.start()
    try:
        for _ in range(4):
            run_series(series.pk, "worker")
            connection.close()
            series.refresh_from_db()
            if series.state == "playing":  # its end could not be written
                until(lambda: services.sweep() == 1)
    finally:
        alive.clear()
        cutting.join()
    connection.close()
    check_series(series)
    assert Match.objects.filter(faults__gt=0).count() == 0


# ---- remote bots ---------------------------------------------------------------------------------


def test_with_a_remote_bot_every_match_has_luck_of_its_own(a_door: DoorProcess) -> None:
    far, token = remote("far")
    series = series_of([far, *house("honest", "random")], planned=6)
    with dialling(a_door.address, token) as bot:
        connected(far)
        run(series)
        matches = check_series(series)
        assert [match.block.number for match in matches] == list(range(1, 7))
        assert len({record_of(match).fairness.seed for match in matches}) == 6
        assert len({names(match) for match in matches}) == 6
        # its line is free, it has checked the luck of every match, and waits for the next table
        bot.until("waiting for a table", times=2)
        connected(far)
        assert bot.said().count("is as it was committed to") == 6
        assert f"series {series.pk}: 6 matches of far, honest, random" in bot.said()
        assert "NOT FAIR" not in bot.said()
        assert "already" not in bot.said()
    assert Match.objects.filter(faults__gt=0).count() == 0


def test_series_after_series_a_bot_is_never_told_that_it_sits_elsewhere(a_door: DoorProcess) -> None:
    far, token = remote("far")
    near = house("random")
    with dialling(a_door.address, token) as bot:
        for _ in range(5):
            connected(far)
            run(series_of([far, *near], planned=1))
        assert Series.objects.filter(state="finished").count() == 5
        assert "as many as it may" not in bot.said()
        assert "the line was lost" not in bot.said()


MISBEHAVING = """
import asyncio, os, sys
from arena import conversation, dial
from arena.kit import load_bot
from arena.protocol.v1 import arena_pb2 as pb

class Misbehaving(conversation.Conversation):
    def _on_block_commitment(self, told):
        super()._on_block_commitment(told)
        return {replies}

    def _on_series_end(self, end):
        print("farewell:", end.message, flush=True)
        return super()._on_series_end(end)

dial.Conversation = Misbehaving
asyncio.run(dial.dial(load_bot(sys.argv[1]), game="three_coins", target=sys.argv[2], token=os.environ["ARENA_TOKEN"],
                      tell=lambda report: print(report.text, flush=True)))
"""


@pytest.mark.parametrize(
    ("replies", "reason"),
    [
        ("[]", "late: its nonce did not come within 5 s"),
        ("[pb.PlayRequest(nonce=pb.Nonce(nonce=b'another one'))]", "unreadable: its nonce does not fit the hash"),
        ("[pb.PlayRequest(ready=pb.Ready())]", "unreadable: nonce was due, not ready"),
        ("os._exit(1)", "gone: "),
    ],
)
def test_who_withholds_or_falsifies_its_nonce_is_removed_and_the_rest_plays(
    a_door: DoorProcess, tmp_path: Path, replies: str, reason: str, settings: Any
) -> None:
    settings.ARENA_GRACE_SECONDS = 0.5
    bad, bad_token = remote("bad")
    good, good_token = remote("good")
    series = series_of([bad, good, *house("random")], planned=3, ready_ms=5_000)
    (tmp_path / "bad.py").write_text(PLAIN)
    command = [sys.executable, "-c", MISBEHAVING.replace("{replies}", replies), str(tmp_path / "bad.py")]
    with (
        program(*command, a_door.address, ARENA_TOKEN=bad_token) as liar,
        dialling(a_door.address, good_token) as bot,
    ):
        connected(bad)
        connected(good)
        run(series)
        matches = check_series(series)
        assert {name for match in matches for name in names(match)} == {"good", "random"}
        removed = series.seats.get(seat=0).removed
        assert removed.startswith(reason), removed
        blocks = list(series.blocks.order_by("number"))
        assert [block.state for block in blocks] == ["broken", "closed", "closed", "closed"]
        assert reason.split(": ")[1] in blocks[0].reason
        assert len({block.commitment for block in blocks}) == 4
        bot.until("is as it was committed to", times=3)
        assert "NOT FAIR" not in bot.said()
        if "os._exit" not in replies:
            liar.until(f"farewell: taken off the table: {reason}")


def test_a_bot_that_is_not_there_cancels_the_series() -> None:
    far, _token = remote("far")
    series = series_of([far, *house("random")])
    run(series)
    assert (series.state, series.note) == ("cancelled", "far was not connected.")


def test_a_bot_whose_lines_are_at_other_tables_is_waited_for(a_door: DoorProcess) -> None:
    far, token = remote("far")
    other, other_token = remote("other")
    with dialling(a_door.address, token), dialling(a_door.address, other_token) as second:
        connected(far)
        connected(other)
        elsewhere = series_of([far, *house("random")])
        claim = services.claim(series_id=elsewhere.pk, worker="w")
        assert claim is not None
        assert services.take_lines(claim=claim, versions={0: far})
        series = series_of([other, far])
        run(series)
        # handed back, nobody is blamed, and the one that was free has not noticed anything
        assert (series.state, series.broken, series.note) == ("waiting", 0, "")
        assert Connection.objects.get(bot=other.bot).state == "waiting"
        services.cancel(claim=claim, note="n")
        connected(far)
        run(series)
        check_series(series)
        assert second.said().count(f"series {series.pk}: 2 matches") == 1


def test_a_remote_bot_that_loses_its_line_takes_its_seat_back(a_door: DoorProcess, tmp_path: Path) -> None:
    far, token = remote("far")
    series = series_of([far, hosted("slow", SLOW)], planned=2)
    hang_up = """
import asyncio, os, pathlib, sys
from arena import conversation, dial
from arena.kit import load_bot

class Losing(conversation.Conversation):
    questions = 0

    def _on_question(self, asked):
        Losing.questions += 1
        if Losing.questions == 2:
            raise dial.LineLost("I hang up")
        return super()._on_question(asked)

dial.Conversation = Losing
asyncio.run(dial.dial(load_bot(sys.argv[1]), game="three_coins", target=sys.argv[2], token=os.environ["ARENA_TOKEN"],
                      tell=lambda report: print(report.text, flush=True)))
"""
    (tmp_path / "far.py").write_text(PLAIN)
    command = [sys.executable, "-c", hang_up, str(tmp_path / "far.py"), a_door.address]
    with program(*command, ARENA_TOKEN=token) as bot:
        connected(far)
        run(series)
        matches = check_series(series)
        assert "connected again, at the same table" in bot.said()
        assert [match.faults for match in matches] == [0, 0]
        entry = matches[0].entries.get(bot=far.bot)
        assert 400 < entry.slowest_ms < 11_000  # the clock went on


def test_a_worker_that_dies_with_remote_bots_is_replaced_within_ten_seconds(
    a_door: DoorProcess, tmp_path: Path
) -> None:
    far, token = remote("far")
    near, near_token = remote("near")
    series = series_of([far, near, hosted("slow", SLOW)], planned=3)
    with dialling(a_door.address, token) as one, dialling(a_door.address, near_token) as two:
        connected(far)
        connected(near)
        with worker(series, tmp_path) as lost:
            until(lambda: series.matches.count() >= 1, what=lost.said)
            until(lambda: series.blocks.filter(state="open").exclude(nonces=[]).exists(), what=lost.said)
        series.refresh_from_db()
        assert series.lease_until is not None
        # the rest of the ten is for the sweep and the start of a process
        assert series.lease_until - timezone.now() < timedelta(seconds=6)
        until(lambda: services.sweep() == 1)
        with worker(series, tmp_path) as second:
            until(lambda: series.matches.count() >= 2, what=lambda: (second.said(), one.said()))
            second.until("the worker is done")
        matches = check_series(series)
        assert [match.faults for match in matches] == [0, 0, 0]
        assert Counter(series.blocks.values_list("state", flat=True)) == {"closed": 3, "broken": 1}
        for bot in (one, two):
            assert "NOT FAIR" not in bot.said()
            assert "Traceback" not in bot.said()


def test_what_was_promised_in_a_lost_series_is_not_held_against_the_next_one(
    a_door: DoorProcess, tmp_path: Path
) -> None:
    """The bot that was thrown out in the middle remembers a first block that never ended, and now meets another."""
    far, token = remote("far")
    lost = series_of([far, hosted("slow", SLOW)], planned=1)
    with dialling(a_door.address, token) as bot:
        connected(far)
        with worker(lost, tmp_path) as killed:
            until(lambda: lost.blocks.filter(state="open").exclude(nonces=[]).exists(), what=killed.said)
            bot.until("begins: ")
        until(lambda: services.sweep() == 1)
        connected(far)
        other = series_of([far, *house("random")], planned=1)
        run(other)
        check_series(other)
        bot.until("the luck of 1 match is as it was committed to")
        connected(far)
        run(lost)
        check_series(lost)
        bot.until("the luck of 1 match is as it was committed to", times=2)
        assert "NOT FAIR" not in bot.said()


def test_a_door_that_dies_costs_a_replay_and_no_bot_a_fault(tmp_path: Path) -> None:
    far, token = remote("far")
    series = series_of([far, hosted("slow", SLOW)], planned=4)
    with door(tmp_path) as first, dialling(first.address, token) as bot:
        connected(far)
        with worker(series, tmp_path) as playing:
            until(lambda: series.matches.count() >= 1, what=playing.said)
            first.kill()
            playing.until("the worker is done")
        series.refresh_from_db()
        assert (series.state, series.broken) == ("waiting", 1)
        with door(tmp_path, port=first.port):
            run(series)
            matches = check_series(series)
            assert [match.faults for match in matches] == [0] * 4
            assert "NOT FAIR" not in bot.said()


def test_a_bot_at_several_tables_plays_at_all_of_them(a_door: DoorProcess, tmp_path: Path) -> None:
    far, token = remote("far", tables=3)
    all_series = [series_of([far, hosted(f"slow{n}", SLOW)]) for n in range(3)]
    with dialling(a_door.address, token, tables=3):
        connected(far, 3)
        with contextlib.ExitStack() as stack:
            workers = [stack.enter_context(worker(series, tmp_path)) for series in all_series]
            for running in workers:
                running.until("the worker is done")
        for series in all_series:
            for match in check_series(series):
                check_match(match)
    assert not Match.objects.filter(faults__gt=0).exists()


def test_the_seats_of_a_series_may_be_of_one_bot(a_door: DoorProcess) -> None:
    far, token = remote("far", tables=2)
    with dialling(a_door.address, token, tables=2):
        connected(far, 2)
        series = series_of([far, far])
        run(series)
        check_series(series)


def test_the_bots_of_a_series_are_told_apart_by_their_seat_and_not_by_who_came_first(a_door: DoorProcess) -> None:
    first, first_token = remote("first")
    second, second_token = remote("second")
    with dialling(a_door.address, second_token):
        connected(second)
        with dialling(a_door.address, first_token):
            connected(first)
            series = series_of([first, second])
            run(series)
            assert [names(match) for match in check_series(series)] == [("first", "second"), ("second", "first")]


def test_a_version_that_was_replaced_is_not_seated_in_the_place_of_another(a_door: DoorProcess) -> None:
    far, token = remote("far")
    with dialling(a_door.address, token):
        connected(far)
        Connection.objects.update(version=Version.objects.create(bot=far.bot, digest="sha256:other", number=2))
        series = series_of([far, *house("random")])
        run(series)
        assert series.note == "far was not connected."
    assert Bot.objects.get(pk=far.bot_id).state == "active"
