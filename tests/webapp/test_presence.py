"""Lines of remote bots: who may hang on a door, how many, for how long, and who gets a lost seat back."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import close_old_connections, connection, connections
from django.utils import timezone

from arena.door import Arrival
from arena.protocol.v1 import arena_pb2 as pb
from arena.seats.stream import Refused
from tests.webapp.making import make_user
from tests.webapp.playing import arena_environment, connected, dialling, door, hosted, program, remote, series_of, until
from webapp.accounts.models import User
from webapp.bots import presence
from webapp.bots import services as bots
from webapp.bots.models import Bot, Connection, Version
from webapp.matches import services

pytestmark = pytest.mark.django_db

DOOR = "unix:/door"


def hello(token: str, **more: str) -> pb.Hello:
    return pb.Hello(**{"token": token, "game": "three_coins", "version": "1", "software": "test"} | more)


def arrive(token: str, line: str = "line", **more: str) -> Arrival:
    return presence.arrive(hello(token, **more), DOOR, line)


def renew(names: Sequence[str], session: str = "") -> Mapping[str, Refused]:
    return presence.renew(dict.fromkeys(names, session))


def refusal(token: str, **more: str) -> tuple[int, str]:
    with pytest.raises(Refused) as refused:
        arrive(token, "refused", **more)
    assert not Connection.objects.filter(line="refused").exists()
    return refused.value.code, str(refused.value)


def lines() -> set[str]:
    """Those that are there: not the ones that were replaced, whose rows wait for their door to read that."""
    there = Connection.objects.exclude(door="", state=Connection.State.WAITING)
    return set(there.values_list("line", flat=True))


def seat(version: Version) -> services.Claim:
    """A table at which the bot sits from now on."""
    series = series_of([version, hosted(f"near {version.pk}-{timezone.now():%f}")])
    claim = services.claim(series_id=series.pk, worker="w")
    assert claim is not None
    assert not isinstance(services.take_lines(claim=claim, versions={0: version}), services.Missing)
    return claim


def expire(**which: str) -> None:
    Connection.objects.filter(**which).update(lease_until=timezone.now() - timedelta(seconds=1))


# ---- coming --------------------------------------------------------------------------------------


def test_a_bot_that_arrives_waits_for_a_table() -> None:
    version, token = remote("far")
    arrival = arrive(token, "a line", software="a program\0 of mine" + "x" * 200)
    assert (arrival.bot, arrival.version) == ("far", version.digest)
    row = Connection.objects.get()
    assert (row.bot, row.version, row.door, row.line, row.state, row.series) == (
        version.bot,
        version,
        DOOR,
        "a line",
        "waiting",
        None,
    )
    assert arrival.session
    assert arrival.session not in (row.session, row.line)
    assert row.software == "a program\ufffd of mine" + "x" * 82
    assert 5 < (row.lease_until - timezone.now()).total_seconds() < 10


def test_another_label_is_another_version() -> None:
    version, token = remote("far")
    arrival = arrive(token, version="2, bolder")
    assert arrival.version != version.digest
    version.bot.refresh_from_db()
    assert version.bot.active_version is not None
    assert version.bot.active_version.label == "2, bolder"


@pytest.mark.parametrize("game", ["", "mia", "three_coins\0", "x" * 5000])
def test_a_program_for_another_game_is_refused(game: str) -> None:
    _version, token = remote("far")
    code, said = refusal(token, game=game)
    assert code == pb.ERROR_CODE_WRONG_GAME
    assert said.startswith("far plays three_coins, but this program says that it plays ")
    assert len(said) < 200


@pytest.mark.parametrize("token", ["", "ba_guessed", "\0", "ü" * 1000])
def test_a_token_that_is_none_is_refused(token: str) -> None:
    remote("far")
    assert refusal(token)[0] == pb.ERROR_CODE_UNAUTHENTICATED


def test_a_label_that_cannot_be_one_is_refused() -> None:
    _version, token = remote("far")
    assert refusal(token, version="x" * 61)[0] == pb.ERROR_CODE_NOT_ALLOWED
    assert refusal(token, version="a\0b")[0] == pb.ERROR_CODE_NOT_ALLOWED


@pytest.mark.parametrize("state", [Bot.State.RETIRED, Bot.State.BANNED])
def test_a_bot_that_may_not_play_hears_why(state: str) -> None:
    version, token = remote("far")
    Bot.objects.filter(pk=version.bot_id).update(state=state, state_reason="Because of this.")
    code, said = refusal(token)
    assert code in (pb.ERROR_CODE_NOT_ALLOWED, pb.ERROR_CODE_UNAUTHENTICATED)
    assert state in said
    assert "Because of this." in said


def test_a_bot_whose_author_is_gone_is_refused() -> None:
    version, token = remote("far")
    User.objects.filter(pk=version.bot.owner_id).update(is_active=False)
    assert refusal(token)[0] == pb.ERROR_CODE_UNAUTHENTICATED


# ---- how many ------------------------------------------------------------------------------------


def test_a_newer_line_takes_the_place_of_one_that_waits() -> None:
    """A program that was started again is not kept out by the line of its forerunner."""
    version, token = remote("far")
    arrive(token, "old")
    arrive(token, "new")
    assert lines() == {"new"}
    told = renew(["old", "new"])
    assert {line: why.code for line, why in told.items()} == {"old": pb.ERROR_CODE_REPLACED}
    assert str(told["old"]).startswith("far plays at 1 table at once, and a newer line has dialled in for it")
    # nobody is taken to a table on it, and its row goes when its door has had the time to tell it
    assert Connection.objects.get(line="old").lease_until < timezone.now()
    Connection.objects.filter(line="old").update(lease_until=timezone.now() - timedelta(seconds=20))
    assert presence.sweep() == 1
    assert Connection.objects.get().bot == version.bot


def test_the_oldest_gives_way() -> None:
    _version, token = remote("far", tables=3)
    for name in ("1", "2", "3", "4"):
        arrive(token, name)
    assert lines() == {"2", "3", "4"}


def test_a_seat_whose_program_is_gone_keeps_nobody_from_starting_another() -> None:
    version, token = remote("far", tables=1)
    arrive(token, "stopped")
    seat(version)
    presence.leave("stopped")
    arrive(token, "edited")
    assert lines() == {"", "edited"}
    assert Connection.objects.filter(state=Connection.State.SEATED).exists()  # it may still come back to it


def test_a_line_at_a_table_never_gives_way() -> None:
    version, token = remote("far", tables=2)
    arrive(token, "playing")
    seat(version)
    arrive(token, "waiting")
    arrive(token, "newer")
    assert lines() == {"playing", "newer"}
    seat(version)
    code, said = refusal(token)
    assert code == pb.ERROR_CODE_TOO_MANY
    assert said == "far plays at 2 tables already, as many as it may; its page lets you change that."
    assert lines() == {"playing", "newer"}


def test_lines_of_a_dead_door_take_no_room() -> None:
    _version, token = remote("far", tables=2)
    arrive(token, "dead")
    arrive(token, "alive")
    expire(line="dead")
    arrive(token, "new")
    assert lines() == {"alive", "new"}


def at_once(calls: list[Callable[[], object]]) -> list[object]:
    barrier = threading.Barrier(len(calls))

    def one(call: Callable[[], object]) -> object:
        close_old_connections()
        connection.ensure_connection()
        barrier.wait()
        try:
            return call()
        except Refused as refused:
            return refused.code
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(one, calls))


@pytest.mark.django_db(transaction=True)
def test_lines_that_arrive_together_are_never_more_than_allowed() -> None:
    for tables in (1, 3):
        _version, token = remote(f"far {tables}", tables=tables)
        for turn in range(10):
            at_once([lambda n=n, token=token, turn=turn: arrive(token, f"{token[:20]} {turn} {n}") for n in range(6)])
            assert Connection.objects.filter(bot__name=f"far {tables}").exclude(door="").count() == tables


@pytest.mark.django_db(transaction=True)
def test_a_line_that_is_being_seated_is_not_thrown_out_by_a_newer_one() -> None:
    """Whoever comes first, a worker or the newer line, a series never holds a line that was deleted."""
    for turn in range(12):
        version, token = remote(f"far {turn}")
        arrive(token, f"old {turn}")
        series = series_of([version, hosted(f"near {turn}")])
        claim = services.claim(series_id=series.pk, worker="w")
        assert claim is not None
        taken, arrived = at_once(
            [
                lambda claim=claim, version=version: services.take_lines(claim=claim, versions={0: version}),
                lambda token=token, turn=turn: arrive(token, f"new {turn}"),
            ]
        )
        rows = list(Connection.objects.filter(bot=version.bot).exclude(door=""))
        assert len(rows) == 1
        if isinstance(taken, services.Missing):
            assert isinstance(arrived, Arrival)
            assert (rows[0].state, rows[0].line) == ("waiting", f"new {turn}")
        else:
            assert isinstance(taken, dict)
            assert taken[0].pk == rows[0].pk
            assert rows[0].state == "seated"


# ---- going and coming back -----------------------------------------------------------------------


def test_a_line_that_waits_is_forgotten_when_it_ends() -> None:
    _version, token = remote("far")
    arrive(token, "a")
    presence.leave("a")
    assert lines() == set()
    presence.leave("a")
    presence.leave("never there")


def test_a_seat_at_a_table_is_kept_for_the_bot_that_lost_its_line() -> None:
    version, token = remote("far")
    first = arrive(token, "a")
    claim = seat(version)
    presence.leave("a")
    row = Connection.objects.get()
    assert (row.state, row.series_id, row.door, row.line) == ("seated", claim.series, "", "")
    assert services.whereabouts(claim=claim, connection=row.pk) == ("", "")

    other = presence.arrive(hello(token, resume=first.session), "unix:/another door", "b")
    assert other.session == first.session
    assert services.whereabouts(claim=claim, connection=row.pk) == ("unix:/another door", "b")


def test_a_bot_takes_its_seat_back_before_its_old_line_is_known_to_be_dead() -> None:
    version, token = remote("far")
    first = arrive(token, "a")
    claim = seat(version)
    arrive(token, "b", resume=first.session)
    assert lines() == {"b"}
    told = renew(["a", "b"], first.session)
    assert {line: why.code for line, why in told.items()} == {"a": pb.ERROR_CODE_REPLACED}
    # the door notices now that the old line has ended: that must not touch the new one
    presence.leave("a")
    assert services.whereabouts(claim=claim, connection=Connection.objects.get().pk) == (DOOR, "b")


def test_a_line_that_waited_comes_back_as_itself_and_needs_no_room_of_its_own() -> None:
    _version, token = remote("far", tables=2)
    first = arrive(token, "a")
    arrive(token, "other")
    arrive(token, "b", resume=first.session)
    assert lines() == {"other", "b"}


def test_the_seat_of_another_bot_is_nobodys_to_take() -> None:
    version, token = remote("far")
    _other, other_token = remote("other")
    first = arrive(token, "a")
    seat(version)
    arrive(other_token, "thief", resume=first.session)
    assert Connection.objects.get(line="a").state == "seated"
    assert Connection.objects.get(line="thief").state == "waiting"
    assert Connection.objects.get(line="thief").bot.name == "other"


def test_a_seat_that_was_given_up_is_a_new_line() -> None:
    version, token = remote("far")
    first = arrive(token, "a")
    services.finish(claim=seat(version))
    again = arrive(token, "b", resume=first.session)
    assert again.session != first.session
    assert Connection.objects.get().state == "waiting"


def test_a_quarantined_bot_may_finish_what_it_plays_and_then_wait_for_its_proof() -> None:
    version, token = remote("far")
    first = arrive(token, "a")
    claim = seat(version)
    Bot.objects.filter(pk=version.bot_id).update(state=Bot.State.QUARANTINED)
    arrive(token, "b", resume=first.session)
    assert set(renew(["b"])) == set()
    services.finish(claim=claim)
    again = arrive(token, "c")
    assert set(renew(["c"])) == set()
    assert "in quarantine" in again.notice
    assert "show on its page that it works" in again.notice


def test_a_banned_bot_may_not_wait() -> None:
    version, token = remote("far")
    arrive(token, "a")
    Bot.objects.filter(pk=version.bot_id).update(state=Bot.State.BANNED)
    assert set(renew(["a"])) == {"a"}
    assert "banned" in refusal(token)[1]


# ---- staying -------------------------------------------------------------------------------------


def test_a_line_lives_as_long_as_its_door_says_so() -> None:
    _version, token = remote("far", tables=2)
    arrive(token, "a")
    arrive(token, "b")
    expire()
    assert set(renew(["a"])) == set()
    Connection.objects.filter(line="b").update(lease_until=timezone.now() - timedelta(minutes=1))
    assert presence.sweep() == 1
    assert lines() == {"a"}
    assert set(renew(["a", "b"])) == {"b"}
    assert set(renew([])) == set()


def test_a_sweep_leaves_seats_to_their_series() -> None:
    version, token = remote("far")
    arrive(token, "a")
    seat(version)
    Connection.objects.update(lease_until=timezone.now() - timedelta(hours=1))
    assert presence.sweep() == 0


@pytest.mark.parametrize("state", [Bot.State.RETIRED, Bot.State.BANNED])
def test_a_bot_that_may_not_play_any_more_is_hung_up_on(state: str) -> None:
    version, token = remote("far")
    arrive(token, "a")
    Bot.objects.filter(pk=version.bot_id).update(state=state)
    told = renew(["a"])
    assert {line: why.code for line, why in told.items()} == {"a": pb.ERROR_CODE_NOT_ALLOWED}
    assert state in str(told["a"])


def test_a_bot_whose_author_is_shut_out_is_hung_up_on() -> None:
    version, token = remote("far")
    arrive(token, "a")
    User.objects.filter(pk=version.bot.owner_id).update(is_active=False)
    assert set(renew(["a"])) == {"a"}


def test_with_its_token_a_waiting_line_goes_too() -> None:
    """Whoever has stolen a token must not stay for hours because he is there already."""
    version, token = remote("far", tables=3)
    author = version.bot.owner
    assert author is not None
    other = bots.issue_token(bot=version.bot, by=author)
    first = arrive(token, "playing")
    claim = seat(version)
    arrive(token, "stolen")
    bots.revoke_token(token=version.bot.tokens.order_by("id")[0], by=author)
    assert set(renew(["playing", "stolen"])) == {"stolen"}
    assert refusal(token)[0] == pb.ERROR_CODE_UNAUTHENTICATED
    # not even to a seat at a running table
    assert refusal(token, resume=first.session)[0] == pb.ERROR_CODE_UNAUTHENTICATED
    services.finish(claim=claim)
    arrive(other, "mine")
    assert lines() == {"mine"}


# ---- through a real door -------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_a_revoked_token_ends_the_program_that_uses_it(tmp_path: Path) -> None:
    version, token = remote("far")
    with door(tmp_path) as running, dialling(running.address, token) as program:
        connected(version)
        author = version.bot.owner
        assert author is not None
        bots.revoke_token(token=version.bot.tokens.get(), by=author)
        until(lambda: program.process.poll() is not None, what=program.said)
        assert "This token was revoked." in program.said()
        assert program.process.returncode == 1


@pytest.mark.django_db(transaction=True)
def test_the_older_of_two_programs_ends_and_says_why(tmp_path: Path) -> None:
    """Instead of dialling again, and pushing out the newer one, and so on for ever."""
    version, token = remote("far")
    with door(tmp_path) as running, dialling(running.address, token) as older:
        connected(version)
        with dialling(running.address, token) as newer:
            until(lambda: older.process.poll() is not None, what=older.said)
            assert older.process.returncode == 1
            assert "far plays at 1 table at once, and a newer line has dialled in for it" in older.said()
            newer.until("connected")
            assert newer.process.poll() is None
            assert newer.said().count("connected") == 1


@pytest.mark.django_db(transaction=True)
def test_a_program_with_more_tables_than_its_bot_may_have_goes_on_with_these(tmp_path: Path) -> None:
    version, token = remote("far", tables=2)
    with door(tmp_path) as running, dialling(running.address, token, tables=3) as program:
        program.until("this table is given up; 2 of 3 go on")
        assert program.process.poll() is None
        assert Connection.objects.filter(bot=version.bot).exclude(door="").count() == 2


@pytest.mark.django_db(transaction=True)
def test_a_retired_bot_is_told_so(tmp_path: Path) -> None:
    version, token = remote("far")
    with door(tmp_path) as running, dialling(running.address, token) as program:
        connected(version)
        bots.retire_bot(bot=version.bot, by=version.bot.owner)
        until(lambda: program.process.poll() is not None, what=program.said)
        assert "far is retired. Retired by its author." in program.said()


@pytest.mark.django_db(transaction=True)
def test_when_a_door_is_killed_its_bots_come_back_to_the_next_one(tmp_path: Path) -> None:
    far, token = remote("far", tables=3)
    with door(tmp_path) as first, dialling(first.address, token, tables=2) as program:
        connected(far, 2)
        program.until("connected", times=2)  # and it has heard of both
        before = lines()
        first.kill()
        with door(tmp_path, port=first.port) as second:
            program.until("connected", times=4)
            until(lambda: len(lines()) == 2 and not lines() & before, what=lambda: (lines(), second.said()))
            # and if they stay away, their lines do not
            program.kill()
            until(lambda: not lines())


@pytest.mark.django_db(transaction=True)
def test_a_door_that_is_asked_to_end_lets_go_of_its_lines(tmp_path: Path) -> None:
    far, token = remote("far")
    with door(tmp_path) as running, dialling(running.address, token) as program:
        connected(far)
        running.process.terminate()
        assert running.process.wait(60) == 0, running.said()
        assert lines() == set()
        program.until("this door is closing; dial again in a moment")


@pytest.mark.django_db(transaction=True)
def test_two_doors_do_not_take_each_others_workers(tmp_path: Path) -> None:
    with door(tmp_path) as first:
        command = (sys.executable, "-m", "webapp", "door")
        where = {"ARENA_DOOR_LISTEN": "127.0.0.1:0", "ARENA_DOOR_RELAY": f"unix:{tmp_path}/door.sock"}
        with program(*command, **arena_environment(tmp_path, **where)) as second:
            assert second.process.wait(60) == 1
            assert "Another door answers workers" in second.said()
            assert "Traceback" not in second.said()
        first.kill()
        # what a killed one leaves behind is nobody's
        with program(*command, **arena_environment(tmp_path, **where)) as third:
            third.until("the door is open")


@pytest.mark.django_db(transaction=True)
def test_strangers_do_not_trouble_a_door(tmp_path: Path) -> None:
    """Somebody without a token, and a bot in the next room that plays on."""
    make_user("nobody-in-particular")
    far, token = remote("far")
    with door(tmp_path) as running, dialling(running.address, token):
        connected(far)
        with dialling(running.address, "ba_" + "x" * 40) as stranger:
            until(lambda: stranger.process.poll() is not None, what=stranger.said)
            assert "There is no such token." in stranger.said()
        assert len(lines()) == 1
        assert "Traceback" not in running.said()
