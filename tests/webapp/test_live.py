"""What is said on channels, and who hears it."""

from __future__ import annotations

import contextlib
import http.client
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.services import free_port
from tests.webapp.streaming import Listener, redis_at, streaming
from webapp.live import channels
from webapp.live.news import own_channel

Listen = Callable[..., Listener]


@pytest.fixture
def root(live_redis: str) -> Iterator[str]:
    with streaming(live_redis) as found:
        yield found


def test_a_seat_is_heard_by_who_knows_its_name_whole_and_from_where_one_was(root: str, listen: Listen) -> None:
    name = channels.seat_channel()
    channels.publish(name, "open")
    channels.publish(name, "question", lambda: "two\nlines")
    assert channels.flush(60)
    first = listen(root + name)
    assert first.next()[1:] == ("open", "")
    asked = first.next()
    assert asked[1:] == ("question", "two\nlines")
    first.close()
    for number in range(5):
        channels.publish(name, "told", str(number))
    again = listen(root + name, after=asked.id)
    assert [again.next().data for _ in range(5)] == list("01234")
    channels.publish(name, "told", "5")
    assert again.next().data == "5"
    assert again.so_far() == []


def test_unknown_names_are_all_answered_alike(root: str, listen: Listen) -> None:
    answers = set()
    for name in (channels.seat_channel(), "seat-short", "nothing", "series-0", "series-x", "../healthz", "live:home"):
        listener = listen(root + name)
        answers.add((listener.status, listener.bytes))
    assert answers == {(404, b"Nothing is live here.")}


def test_ones_own_channel_is_there_before_anything_was_said(root: str, listen: Listen) -> None:
    listener = listen(root + own_channel("series", 7))
    assert listener.status == 200
    channels.publish(own_channel("series", 8), "changed")
    channels.publish(own_channel("series", 7), "changed")
    assert listener.next()[1:] == ("changed", "")
    assert listener.so_far() == []


def test_of_names_at_which_nothing_was_said_none_is_kept(root: str) -> None:
    line = http.client.HTTPConnection(urlsplit(root).netloc)
    with contextlib.closing(line):
        for number in range(1, 60):
            line.request("HEAD", f"/live/series-{number}")
            assert line.getresponse().read() == b""
        line.request("GET", "/live/healthz")
        assert json.loads(line.getresponse().read())["channels"] == 0


def test_of_many_changes_a_late_comer_hears_of_the_last(root: str, listen: Listen) -> None:
    for number in range(3):
        channels.publish("home", "changed", str(number))
    assert channels.flush(60)
    listener = listen(root + "home")
    assert listener.next().data == "2"
    channels.publish("home", "changed", "3")
    assert listener.next().data == "3"


def test_pages_of_the_site_alone_may_read_it_from_another_port(root: str, listen: Listen) -> None:
    def allowed(origin: str) -> str | None:
        listener = listen(root + "home", origin=origin)
        assert listener.status == 200
        return listener.headers.get("access-control-allow-origin")

    assert allowed("http://127.0.0.1:8000") == "http://127.0.0.1:8000"
    for stranger in (
        "http://127.0.0.1:8001",
        "https://127.0.0.1:8000",
        "http://evil.example:8000",
        "null",
        "http://[:8000",
        "http://127.0.0.1:99999",
    ):
        assert allowed(stranger) is None


def test_while_redis_is_away_nobody_waits_and_afterwards_nothing_is_lost_or_doubled(
    settings: Any, listen: Listen
) -> None:
    name = channels.seat_channel()
    with tempfile.TemporaryDirectory(prefix="arena-") as folder, contextlib.ExitStack() as stack:
        with redis_at(Path(folder)) as url:
            settings.ARENA_LIVE_REDIS = url
            channels.publish(name, "told", "0")
            assert channels.flush(60)
            root = stack.enter_context(streaming(url))
            before = listen(root + name)
            assert before.next().data == "0"
        began = time.perf_counter()
        for number in range(1, 300):
            channels.publish(name, "told", str(number))
        assert time.perf_counter() - began < 10
        assert not channels.flush(0.1)
        with redis_at(Path(folder)):
            assert [before.next().data for _ in range(1, 300)] == [str(number) for number in range(1, 300)]
            late = listen(root + name)
            assert [late.next().data for _ in range(300)] == [str(number) for number in range(300)]
            assert before.so_far() == late.so_far() == []


def test_what_waits_for_another_redis_keeps_nobody_waiting(live_redis: str, settings: Any) -> None:
    settings.ARENA_LIVE_REDIS = "unix:///nowhere/redis.sock"
    channels.publish("home", "changed")
    assert not channels.flush(0.05)
    settings.ARENA_LIVE_REDIS = live_redis
    assert channels.flush(0.05)


def test_a_process_that_is_started_again_goes_on_where_each_spectator_was(live_redis: str, listen: Listen) -> None:
    name, port = channels.seat_channel(), free_port()
    channels.publish(name, "told", "0")
    with streaming(live_redis, port=port) as root:
        heard = listen(root + name).next()
    channels.publish(name, "told", "1")
    with streaming(live_redis, port=port) as root:
        again = listen(root + name, after=heard.id)
        assert again.next().data == "1"
        channels.publish(name, "told", "2")
        assert again.next().data == "2"
        assert again.so_far() == []


def test_who_missed_more_than_is_kept_is_told_so(root: str, listen: Listen) -> None:
    name = channels.seat_channel()
    channels.publish(name, "told", "first")
    assert channels.flush(60)
    there = listen(root + name)
    first = there.next()
    for number in range(channels.KEPT + 1):
        channels.publish(name, "told", str(number))
        if number % 500 == 0:
            assert channels.flush(60)
    while there.next().data != str(channels.KEPT):
        pass
    again = listen(root + name, after=first.id)
    assert again.next().kind == "gap"
    assert again.next().data == "1"


def test_so_many_may_watch_from_one_address(live_redis: str, listen: Listen) -> None:
    with streaming(live_redis, ARENA_LIVE_ADDRESS_CONNECTIONS="2") as root:
        first, second = listen(root + "home"), listen(root + "home")
        assert (first.status, second.status) == (200, 200)
        assert listen(root + "home").status == 429
        first.close()
        deadline = time.monotonic() + 60
        while listen(root + "home").status != 200:
            assert time.monotonic() < deadline
            time.sleep(0.05)
