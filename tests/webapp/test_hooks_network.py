"""Where webhooks may go, and what somebody at the other end cannot do to us."""

from __future__ import annotations

import doctest
import ipaddress
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.webapp.receiver import Receiver, receiver, say
from webapp.hooks import addresses, posting, signing
from webapp.hooks.addresses import BadAddress, allowed, target
from webapp.hooks.models import Delivery

Trouble = Delivery.Trouble
LOOPBACK = (ipaddress.ip_network("127.0.0.0/8"), ipaddress.ip_network("::1/128"))


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    with receiver(tmp_path) as made:
        monkeypatch.setenv("SSL_CERT_FILE", str(made.ca))
        posting._context.cache_clear()
        yield made
    posting._context.cache_clear()


@pytest.fixture
def private(settings: Any) -> None:
    """An installation that sends to its own machine."""
    settings.ARENA_WEBHOOK_NETWORKS = LOOPBACK


def post(url: str, **headers: str) -> posting.Answer:
    return posting.post(url, b'{"test": true}', headers)


def resolves(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> list[str]:
    """Names lead to the first of these lists when first asked, then to the next; returns the names asked for."""
    asked: list[str] = []
    left = list(answers)

    def getaddrinfo(host: str, port: int, **_more: Any) -> list[Any]:
        asked.append(host)
        now = left.pop(0) if len(left) > 1 else left[0]
        kinds = [socket.AF_INET6 if ":" in one else socket.AF_INET for one in now]
        return [(kind, socket.SOCK_STREAM, 6, "", (one, port)) for kind, one in zip(kinds, now, strict=True)]

    monkeypatch.setattr(posting.socket, "getaddrinfo", getaddrinfo)
    return asked


def test_the_examples_hold() -> None:
    for module in (addresses, signing):
        assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize(
    "address",
    [
        *("0.0.0.0", "10.1.2.3", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.0.9", "169.254.169.254"),
        *("172.16.0.1", "172.31.255.255", "192.0.0.192", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1"),
        *("198.51.100.7", "203.0.113.9", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255", "168.63.129.16"),
        *("::", "::1", "::ffff:8.8.8.8", "::ffff:127.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::808:808"),
        *("64:ff9b:1::1", "100::1", "2001::1", "2001:0:5ef5:79fb::1", "2001:db8::1", "2002:7f00:1::", "2002:808:808::"),
        *("3fff::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%lo", "fec0::1", "ff02::1"),
        "2a00:1450:4001::1%eth0",
    ],
)
def test_messages_go_to_the_public_internet_only(address: str) -> None:
    assert not allowed(ipaddress.ip_address(address))


@pytest.mark.parametrize("address", ["8.8.8.8", "1.1.1.1", "100.128.0.1", "172.32.0.1", "2606:4700::1111", "2a00::1"])
def test_the_public_internet_is_open(address: str) -> None:
    assert allowed(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    "url",
    [
        *("", "hook", "//example.org/", "http://example.org/", "ftp://example.org/", "https://", "https:///x"),
        *("https://u:p@example.org/", "https://u@example.org/", "https://example.org/#x", "https://example.org:22/"),
        *("https://example.org:80/", "https://example.org:443x/", "https://exa mple.org/", "https://example.org/a b"),
        *("https://example.org/\r\nX: y", "https://example.org\\@evil.org/", "https://exämple.org/", "https://[::1/"),
        *(
            "https://localhost/",
            "https://metadata/",
            "https://127.0.0.1/",
            "https://[::1]/",
            "https://[::ffff:1.1.1.1]/",
        ),
        *(
            "https://169.254.169.254/latest/",
            "https://0x7f000001/",
            "https://2130706433/",
            "https://example.org/" + 300 * "x",
        ),
        "https://-example.org/",
    ],
)
def test_addresses_that_no_hook_can_have(url: str) -> None:
    with pytest.raises(BadAddress):
        target(url)


def test_an_address_is_taken_apart() -> None:
    assert target("https://Example.org/a?b=c") == ("example.org", 443, "/a?b=c")
    assert target("https://example.org:443") == ("example.org", 443, "/")
    assert target("https://[2606:4700::1111]/x").authority == "[2606:4700::1111]"


@pytest.mark.parametrize(
    "found", [["127.0.0.1"], ["8.8.8.8", "10.0.0.1"], ["2606:4700::1111", "::1"], ["::ffff:7f00:1"]]
)
def test_a_name_is_refused_if_one_of_its_addresses_is(monkeypatch: pytest.MonkeyPatch, found: list[str]) -> None:
    resolves(monkeypatch, found)
    monkeypatch.setattr(posting, "_connect", lambda *_: pytest.fail("it has been connected to"))
    assert post("https://hooks.example.org/") == (None, Trouble.ADDRESS)


@pytest.mark.parametrize("name", ["127.1", "0x7f.1", "0177.0.0.1"])
def test_other_ways_to_write_an_address_are_looked_up_and_refused(name: str) -> None:
    assert post(f"https://{name}/").trouble in (Trouble.ADDRESS, Trouble.NAME)


def test_a_name_that_leads_elsewhere_a_moment_later_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, there: Receiver
) -> None:
    """DNS rebinding: looked up once, checked, and the line goes to what was checked."""
    asked = resolves(monkeypatch, ["8.8.8.8"], ["127.0.0.1"])
    reached: list[Any] = []

    class Line(socket.socket):
        def connect(self, address: Any) -> None:
            reached.append(address)
            raise ConnectionRefusedError

    monkeypatch.setattr(posting.socket, "socket", Line)
    assert post("https://hooks.example.org/") == (None, Trouble.CONNECTION)
    assert asked == ["hooks.example.org"]
    assert reached == [("8.8.8.8", 443)]
    assert there.lines == 0


def test_nothing_goes_to_this_machine_unless_the_installation_says_so(there: Receiver, settings: Any) -> None:
    settings.ARENA_WEBHOOK_NETWORKS = ()
    assert post(there.url) == (None, Trouble.ADDRESS)
    settings.ARENA_WEBHOOK_NETWORKS = (ipaddress.ip_network("10.0.0.0/8"),)
    assert post(there.url) == (None, Trouble.ADDRESS)
    assert there.lines == 0
    settings.ARENA_WEBHOOK_NETWORKS = LOOPBACK
    assert post(there.url) == (204, Trouble.NONE)


@pytest.mark.usefixtures("private")
def test_a_message_arrives_as_it_is(there: Receiver) -> None:
    assert post(there.url, **{"webhook-id": "msg_1"}) == (204, Trouble.NONE)
    (request,) = there.requests
    assert request.line == "POST /hook?a=b HTTP/1.1"
    assert request.headers["Host"] == f"localhost:{there.port}"
    assert request.headers["webhook-id"] == "msg_1"
    assert request.body == b'{"test": true}'


@pytest.mark.usefixtures("private")
def test_the_name_goes_to_the_checked_address_and_the_certificate_has_to_be_its_own(
    there: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolves(monkeypatch, ["127.0.0.1"])
    assert post(f"https://other.example.org:{there.port}/") == (None, Trouble.CERTIFICATE)
    assert not there.requests
    assert post(there.url).status == 204


@pytest.mark.usefixtures("private")
def test_a_certificate_that_nobody_vouches_for(there: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    posting._context.cache_clear()
    assert post(there.url) == (None, Trouble.CERTIFICATE)
    assert not there.requests


@pytest.mark.usefixtures("private")
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_is_followed(there: Receiver, status: int) -> None:
    there.behave = say(b"HTTP/1.1 %d Moved\r\nLocation: %s\r\n\r\n" % (status, there.url.encode()))
    assert post(there.url) == (status, Trouble.STATUS)
    assert there.lines == 1


@pytest.mark.usefixtures("private")
def test_no_proxy_of_the_environment_is_asked(there: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert post(there.url).status == 204


def _trickle(line: socket.socket) -> None:
    while True:
        line.sendall(b"H" if not line.gettimeout() else b"X")
        time.sleep(0.1)


def _headers_for_ever(line: socket.socket) -> None:
    line.sendall(b"HTTP/1.1 200 OK\r\n")
    while True:
        line.sendall(b"X-A: " + 10_000 * b"b" + b"\r\n")


def _body_for_ever(line: socket.socket) -> None:
    line.sendall(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n")
    while True:
        line.sendall(100_000 * b"b")


def _continue_for_ever(line: socket.socket) -> None:
    while True:
        line.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        time.sleep(0.01)


@pytest.mark.usefixtures("private")
@pytest.mark.parametrize("behave", [lambda line: line.recv(1), _trickle, _continue_for_ever])
def test_who_is_slow_is_cut_off(there: Receiver, monkeypatch: pytest.MonkeyPatch, behave: Any) -> None:
    monkeypatch.setattr(posting, "LONGEST_SECONDS", 0.7)
    there.behave = behave
    began = time.monotonic()
    assert post(there.url) == (None, Trouble.SLOW)
    assert time.monotonic() - began < 15


def test_who_does_not_speak_at_all_is_cut_off(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.ARENA_WEBHOOK_NETWORKS = LOOPBACK
    monkeypatch.setattr(posting, "LONGEST_SECONDS", 0.7)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        assert post(f"https://localhost:{silent.getsockname()[1]}/") == (None, Trouble.SLOW)


@pytest.mark.usefixtures("private")
def test_no_more_is_read_than_the_head(there: Receiver) -> None:
    there.behave = _body_for_ever
    assert post(there.url) == (200, Trouble.NONE)
    there.behave = _headers_for_ever
    assert post(there.url) == (None, Trouble.UNREADABLE)


@pytest.mark.usefixtures("private")
@pytest.mark.parametrize("said", [b"", b"220 mail.example.org ESMTP\r\n", b"HTTP/1.1 abc\r\n\r\n", b"\0\r\n\r\n"])
def test_what_is_no_http(there: Receiver, said: bytes) -> None:
    there.behave = say(said)
    answer = post(there.url)
    assert answer.status is None
    assert answer.trouble in (Trouble.UNREADABLE, Trouble.CONNECTION)


@pytest.mark.usefixtures("private")
def test_nobody_is_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    assert post(f"https://localhost:{port}/") == (None, Trouble.CONNECTION)
    assert post("https://nobody.invalid/") == (None, Trouble.NAME)
