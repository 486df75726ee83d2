"""One message, posted to an address that a stranger has named.

The name is looked up once, every address that it has is checked, and the line goes to one of these addresses: a name
that leads elsewhere a moment later changes nothing. No redirect is followed, no proxy is asked, no more is read than
the head of the answer, and all of it has an end.
"""

from __future__ import annotations

import contextlib
import http.client
import ipaddress
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from webapp.hooks.addresses import BadAddress, Target, may_be_reached, target
from webapp.hooks.models import Delivery

Trouble = Delivery.Trouble

LONGEST_SECONDS = 8.0
"""From the first try to connect to the head of the answer."""

CONNECT_SECONDS = 4.0


class Answer(NamedTuple):
    """What came of it."""

    status: int | None
    trouble: str

    @property
    def gone(self) -> bool:
        """The receiver asks not to be told anything any more."""
        return self.status == http.client.GONE


def post(url: str, text: bytes, headers: Mapping[str, str]) -> Answer:
    """Post a message; never an exception for what is at the other end."""
    try:
        where = target(url)
        found = _resolve(where)
    except BadAddress:
        return Answer(None, Trouble.ADDRESS)
    except OSError:  # a gaierror is one
        return Answer(None, Trouble.NAME)
    ends = time.monotonic() + LONGEST_SECONDS
    line = _connect(found, ends)
    if line is None:
        return Answer(None, Trouble.SLOW if time.monotonic() >= ends else Trouble.CONNECTION)
    with line, _cut_off(line, ends) as cut:
        try:
            return _exchange(line, where, text, headers)
        except ssl.SSLCertVerificationError:
            return Answer(None, Trouble.CERTIFICATE)
        except (OSError, http.client.HTTPException) as error:
            if cut.is_set() or isinstance(error, TimeoutError):
                return Answer(None, Trouble.SLOW)
            kind = Trouble.UNREADABLE if isinstance(error, http.client.HTTPException) else Trouble.CONNECTION
            return Answer(None, kind)


def _resolve(where: Target) -> list[tuple[int, Any]]:
    """All addresses of a host, as (family, address). Raises `BadAddress` if messages may not go to one of them."""
    found = socket.getaddrinfo(where.host, where.port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    for _family, _type, _proto, _name, address in found:
        if not may_be_reached(ipaddress.ip_address(address[0]), where.port):
            raise BadAddress(where.host)
    return [(family, address) for family, _type, _proto, _name, address in found]


def _connect(found: list[tuple[int, Any]], ends: float) -> socket.socket | None:
    for family, address in found[:4]:
        left = ends - time.monotonic()
        if left <= 0:
            break
        line = socket.socket(family, socket.SOCK_STREAM)
        try:
            line.settimeout(min(CONNECT_SECONDS, left))
            line.connect(address)
        except OSError:
            line.close()
        else:
            return line
    return None


@contextlib.contextmanager
def _cut_off(line: socket.socket, ends: float) -> Iterator[threading.Event]:
    """Shuts the line at its time. A time limit of the socket would begin anew with every byte that trickles in."""
    cut = threading.Event()
    with line.dup() as same:  # the line itself is handed over to the one that encrypts it

        def shut() -> None:
            cut.set()
            with contextlib.suppress(OSError):
                same.shutdown(socket.SHUT_RDWR)

        timer = threading.Timer(max(0.0, ends - time.monotonic()), shut)
        timer.daemon = True
        timer.start()
        try:
            yield cut
        finally:
            timer.cancel()
            timer.join()


def _exchange(line: socket.socket, where: Target, text: bytes, headers: Mapping[str, str]) -> Answer:
    line.settimeout(LONGEST_SECONDS)
    with _context().wrap_socket(line, server_hostname=where.host) as tls:
        connection = http.client.HTTPConnection(where.host, where.port)
        connection.sock = tls
        try:
            connection.request("POST", where.path, text, {"Host": where.authority, "Connection": "close", **headers})
            status = connection.getresponse().status
        finally:
            connection.close()
    return Answer(status, Trouble.NONE if 200 <= status < 300 else Trouble.STATUS)


@cache
def _context() -> ssl.SSLContext:
    return ssl.create_default_context()
