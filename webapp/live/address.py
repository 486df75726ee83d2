"""Where a page finds what is live, told from where the page itself was asked for."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase


def live_url(request: HttpRequest) -> str:
    """What the name of a channel is added to; empty where nothing streams.

    With a port alone it follows the host of the request, so that a phone that found the site by this machine's name
    finds the streams by it, too.
    """
    given = str(settings.ARENA_LIVE_URL)
    if not given.startswith(":"):
        return given
    host = urlsplit(f"//{request.get_host()}").hostname or ""
    return f"{request.scheme}://{f'[{host}]' if ':' in host else host}{given}/live/"


def allow_the_stream(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: lets pages connect to where the streams are, where that is another origin, and nowhere else."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if response.get("Content-Type", "").startswith("text/html"):
            found = urlsplit(live_url(request)) if response.status_code != 400 else urlsplit("")
            if found.netloc:
                response._csp_update = {"connect-src": [f"{found.scheme}://{found.netloc}"]}  # type: ignore[attr-defined]
        return response

    return middleware
