"""A real HTTPS server on the loopback that receives webhooks, and does what a test wants it to do."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import trustme


class Request(NamedTuple):
    """A message that has arrived."""

    line: str
    headers: dict[str, str]
    body: bytes


Behaviour = Callable[[socket.socket], None]


def say(answer: bytes) -> Behaviour:
    """Answers with this."""
    return lambda line: line.sendall(answer)


OK = say(b"HTTP/1.1 204 No Content\r\n\r\n")


class Receiver:
    """Keeps what arrives. ``behave`` is what it does once it has read a request."""

    def __init__(self, port: int, ca: Path) -> None:
        self.port = port
        self.ca = ca
        self.behave: Behaviour = OK
        self.requests: list[Request] = []
        self.lines = 0
        """Connections that were made, whatever came of them."""

    @property
    def url(self) -> str:
        return f"https://localhost:{self.port}/hook?a=b"


@contextlib.contextmanager
def receiver(folder: Path, name: str = "localhost") -> Iterator[Receiver]:
    """Runs one whose certificate is for ``name``."""
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(name).configure_cert(context)
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        made = Receiver(listening.getsockname()[1], folder / "ca.pem")

        def serve() -> None:
            while True:
                try:
                    line, _address = listening.accept()
                except OSError:
                    return
                made.lines += 1
                threading.Thread(target=_answer, args=(made, context, line), daemon=True).start()

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield made
        with contextlib.suppress(OSError):
            listening.shutdown(socket.SHUT_RDWR)
    thread.join(5)


def _answer(made: Receiver, context: ssl.SSLContext, line: socket.socket) -> None:
    line.settimeout(20)
    with contextlib.suppress(OSError), context.wrap_socket(line, server_side=True) as tls:
        made.requests.append(_read(tls))
        made.behave(tls)


def _read(line: socket.socket) -> Request:
    text = b""
    while b"\r\n\r\n" not in text:
        text += line.recv(65536) or b"\r\n\r\n"
    head, _, body = text.partition(b"\r\n\r\n")
    first, *rest = head.decode().split("\r\n")
    headers = dict(one.split(": ", 1) for one in rest)
    while len(body) < int(headers.get("Content-Length", "0")):
        body += line.recv(65536)
    return Request(first, headers, body)
