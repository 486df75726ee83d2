"""A small web server for one person: on this machine's own address, and for pages that were opened by that address."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from socketserver import ThreadingMixIn
from typing import TYPE_CHECKING
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from django.core.wsgi import get_wsgi_application
from whitenoise import WhiteNoise  # type: ignore[import-untyped]

import webapp.pages

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

HOST = "127.0.0.1"


class Server(ThreadingMixIn, WSGIServer):
    """Answers each request in a thread of its own, which does not keep the program from ending."""

    daemon_threads = True
    allow_reuse_address = False
    """Else a port on which somebody still listens could be taken on some systems."""


class Handler(WSGIRequestHandler):
    """Writes no line for each request."""

    timeout = 30

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002  # its name in the base class
        pass


def only_called(application: WSGIApplication, port: int) -> WSGIApplication:
    """Refuses whoever calls this machine by another name.

    A page from the network may point a name of its own at 127.0.0.1, and would then be allowed by the browser to read
    what is shown here (DNS rebinding). It cannot make the browser leave that name out.
    """
    names = {f"{HOST}:{port}", f"localhost:{port}"}

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if environ.get("HTTP_HOST", "").lower() in names:
            return application(environ, start_response)
        body = f"This is shown at http://{HOST}:{port}/ and by no other name.\n".encode()
        start_response(
            "403 Forbidden", [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(body)))]
        )
        return [body]

    return answer


def listen(port: int) -> Server:
    """A server that listens on this port, 0 for a free one; it answers once it is told to.

    Raises:
        OSError: the port cannot be had.
    """
    server = Server((HOST, port), Handler)
    static = Path(webapp.pages.__path__[0]) / "static"
    application = WhiteNoise(get_wsgi_application(), root=str(static), prefix="static/")
    server.set_app(only_called(application, server.server_port))
    return server
