"""Spectators who read slowly, or never: they cost little, and the others notice nothing."""

from __future__ import annotations

import json
import socket
import statistics
import time
import urllib.request
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import psutil
import pytest

from tests.services import free_port
from tests.webapp.streaming import Listener, streaming
from webapp.live import channels

MESSAGES, BYTES = 400, 50_000
"""What a channel keeps: 20 MB, far more than the sockets between here and there hold."""

SLOW = 12


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def root(live_redis: str, port: int) -> Iterator[str]:
    with streaming(live_redis, port=port, module="tests.webapp.impatient") as found:
        yield found


def memory(port: int) -> int:
    """What the process on this port and its children hold, in bytes."""
    named = {"tests.webapp.impatient", str(port)}
    [first] = [one for one in psutil.Process().children() if named <= set(one.cmdline())]
    return sum(one.memory_info().rss for one in (first, *first.children(recursive=True)))


def never_reading(url: str) -> socket.socket:
    """A connection that asks for a stream, and then reads nothing."""
    parts = urlsplit(url)
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    made.connect((parts.hostname, parts.port))
    made.sendall(f"GET {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n".encode())
    return made


def connections(root: str) -> int:
    with urllib.request.urlopen(f"{root}healthz", timeout=60) as answer:
        return int(json.load(answer)["connections"])


def lines(port: int) -> int:
    """Connections that the process still has."""
    return sum(
        one.status == psutil.CONN_ESTABLISHED and one.laddr.port == port for one in psutil.net_connections("tcp")
    )


def until(true: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_who_never_reads_is_cut_off_and_costs_little(root: str, port: int, listen: Callable[..., Listener]) -> None:
    name = channels.seat_channel()
    for number in range(MESSAGES):
        channels.publish(name, "told", f"{number} ".ljust(BYTES, "x"))
        if number % 100 == 99:
            assert channels.flush(60)
    reading = listen(root + name)
    while not reading.next().data.startswith(f"{MESSAGES - 1} "):
        pass
    others = listen(root + "home")
    before = memory(port)
    slow = [never_reading(root + name) for _ in range(SLOW)]
    try:
        until(lambda: connections(root) > SLOW / 2)
        most, waits = 0, []
        while connections(root) > 2:
            began = time.monotonic()
            channels.publish("home", "changed")
            channels.publish(name, "told", "all")
            assert others.next().kind == "changed"
            assert reading.next().data == "all"
            waits.append(time.monotonic() - began)
            most = max(most, memory(port))
            assert len(waits) < 200
        assert len(waits) > 1  # they were there for a while
        assert statistics.median(waits) < 1  # a busy machine may be late once
        # what is told is shared: each has a few messages on the way, and none of them the 20 MB that it is behind
        assert most - before < SLOW * MESSAGES * BYTES / 4
        until(lambda: lines(port) == 2)
    finally:
        for one in slow:
            one.close()
