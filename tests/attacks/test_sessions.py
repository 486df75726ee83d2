"""Attacks with tokens and sessions: guessed, another's, replayed, and two who want the same seat at once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import close_old_connections, connection, connections

from arena.door import Arrival
from arena.protocol.v1 import arena_pb2 as pb
from arena.seats.stream import Refused
from tests.webapp.playing import hosted, remote, series_of
from webapp.bots import presence
from webapp.bots.models import Connection, Version
from webapp.matches import services

pytestmark = pytest.mark.django_db

DOOR = "unix:/door"


def arrive(token: str, line: str, **more: str) -> Arrival:
    hello = pb.Hello(**{"token": token, "game": "three_coins", "version": "1"} | more)
    return presence.arrive(hello, DOOR, line)


def seat(version: Version) -> services.Claim:
    series = series_of([version, hosted(f"near {version.pk}")])
    claim = services.claim(series_id=series.pk, worker="w")
    assert claim is not None
    assert not isinstance(services.take_lines(claim=claim, versions={0: version}), services.Missing)
    return claim


@pytest.mark.parametrize("lie", ["", "ba_", "the bot's name", "its session", "the hash of its token"])
def test_nothing_but_the_token_lets_anybody_in(lie: str) -> None:
    version, token = remote("far")
    session = arrive(token, "a").session
    shown = {
        "the bot's name": version.bot.name,
        "its session": session,
        "the hash of its token": version.bot.tokens.get().digest,
    }
    with pytest.raises(Refused) as refused:
        arrive(shown.get(lie, lie), "thief", resume=session)
    assert refused.value.code == pb.ERROR_CODE_UNAUTHENTICATED
    assert not Connection.objects.filter(line="thief").exists()
    assert Connection.objects.get().line == "a"


def test_the_session_of_another_is_worth_nothing_even_with_a_token() -> None:
    version, token = remote("far")
    _thief, thiefs_token = remote("thief")
    session = arrive(token, "a").session
    claim = seat(version)
    got = arrive(thiefs_token, "b", resume=session)
    assert got.bot == "thief"
    assert got.session != session
    found = Connection.objects.get(bot=version.bot)
    assert (found.line, found.state) == ("a", "seated")
    assert services.whereabouts(claim=claim, connection=found.pk) == (DOOR, "a")


@pytest.mark.parametrize("of", ["hash", "line", "an earlier series"])
def test_what_is_no_session_any_more_takes_no_seat(of: str) -> None:
    """One that was overheard after the series, or read in the database, or in the log of a door."""
    version, token = remote("far", tables=2)
    old = arrive(token, "old").session
    services.finish(claim=seat(version))
    arrive(token, "playing")
    second = series_of([version, hosted("next")])
    claim = services.claim(series_id=second.pk, worker="w")
    assert claim is not None
    services.take_lines(claim=claim, versions={0: version})
    held = Connection.objects.get(state=Connection.State.SEATED)
    replayed = {"hash": held.session, "line": held.line, "an earlier series": old}[of]
    arrive(token, "replay", resume=replayed)
    held.refresh_from_db()
    assert held.line == "playing"


@pytest.mark.django_db(transaction=True)
def test_of_two_takeovers_at_once_one_has_the_seat_and_the_other_is_told_to_stay_away() -> None:
    """Whichever comes last. Were the other only sent away, it would take the seat back, and so on for ever."""
    version, token = remote("far")
    session = arrive(token, "first").session
    claim = seat(version)
    pk = Connection.objects.get().pk
    for turn in range(10):
        names = [f"{turn} left", f"{turn} right"]
        barrier = threading.Barrier(2)

        def take(name: str, barrier: threading.Barrier = barrier) -> Arrival:
            close_old_connections()
            connection.ensure_connection()
            barrier.wait()
            try:
                return arrive(token, name, resume=session)
            finally:
                connections.close_all()

        with ThreadPoolExecutor(2) as pool:
            arrivals = list(pool.map(take, names))
        assert [arrival.session for arrival in arrivals] == [session, session]
        found = Connection.objects.get()
        assert (found.pk, found.state) == (pk, "seated")
        (loser,) = set(names) - {found.line}
        told = presence.renew(dict.fromkeys(names, session))
        assert {line: why.code for line, why in told.items()} == {loser: pb.ERROR_CODE_REPLACED}
        # the door of the one that was taken over notices its end only now: that frees nobody's seat
        presence.leave(loser)
        assert services.whereabouts(claim=claim, connection=pk) == (DOOR, found.line)
