"""Talking to a site for a person: whose key it is, where it is kept, and how the site is asked."""

from __future__ import annotations

import http.client
import json
import os
import re
import tempfile
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, NamedTuple
from urllib.parse import urlencode, urlsplit

import click

from arena import __version__
from arena.commands.failures import Failed, Impossible

SECONDS = 30.0
"""How long a site may take to answer."""

LONGEST_ANSWER = 1 << 20

LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Login(NamedTuple):
    """A site, and the key that lets its owner in."""

    server: str
    key: str


# ---- where it is kept ----------------------------------------------------------------------------


def login_file() -> Path:
    """The file with the key, in the folder of the person's settings."""
    return Path(click.get_app_dir("bluff-arena")) / "login.json"


def load_login() -> Login:
    """The login of ``arena login``; ARENA_SERVER and ARENA_API_KEY, both set, come first.

    Raises:
        Impossible: there is none.
    """
    server, key = os.environ.get("ARENA_SERVER"), os.environ.get("ARENA_API_KEY")
    if server and key:
        return Login(check_server(server), key)
    path = login_file()
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        return Login(str(kept["server"]), str(kept["key"]))
    except FileNotFoundError:
        raise Impossible("you are not logged in; `arena login --server URL` does that") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Impossible(f"{path} cannot be read ({error}); `arena login` writes it anew") from error


def save_login(login: Login) -> Path:
    """Keep a login where nobody but its owner can read it.

    Raises:
        Impossible: it cannot be written.
    """
    path = login_file()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, draft = tempfile.mkstemp(dir=path.parent)  # made with mode 0600
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(login._asdict(), file)
        Path(draft).replace(path)
    except OSError as error:
        raise Impossible(f"{path}: {error.strerror or error}") from error
    return path


def forget_login() -> bool:
    """Delete what is kept; whether there was anything."""
    try:
        login_file().unlink()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise Impossible(f"{login_file()}: {error.strerror or error}") from error
    return True


def check_server(server: str) -> str:
    """The address of a site, without what is too much.

    Raises:
        Impossible: it is none.
    """
    server = server.strip()
    if not re.match(r"[a-z]+://", server):
        host = urlsplit(f"//{server}").hostname
        server = f"{'http' if host in LOOPBACK else 'https'}://{server}"
    parts = urlsplit(server)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment or parts.username:
        raise Impossible(f"--server {server[:80]}: write the address of the site, like https://arena.example.org")
    return server.rstrip("/")


def is_open(server: str) -> bool:
    """Whether anybody on the way to the site can read what is sent."""
    parts = urlsplit(server)
    return parts.scheme == "http" and parts.hostname not in LOOPBACK


# ---- asking the site -----------------------------------------------------------------------------


class Refused(Failed):
    """The site has answered that it will not; ``status`` is that of HTTP."""

    def __init__(self, message: str, status: int) -> None:
        """As the site says it."""
        super().__init__(message)
        self.status = status


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Nobody is followed elsewhere with a key in hand."""

    def redirect_request(self, *_: Any) -> None:
        return None


def ask(login: Login, path: str, query: Mapping[str, str] | None = None, body: bytes | None = None) -> dict[str, Any]:
    """What the site answers to a question of its API; with a body it is a POST.

    Raises:
        Refused: it says no.
        Failed: it cannot be reached, or answers what is no answer.
    """
    address = f"{login.server}/api{path}" + (f"?{urlencode(query)}" if query else "")
    headers = {"Authorization": f"Bearer {login.key}", "User-Agent": f"bluff-arena/{__version__}"}
    if body is not None:
        headers["Content-Type"] = "application/octet-stream"
    request = urllib.request.Request(address, data=body, headers=headers)  # noqa: S310  # http and https only
    opener = urllib.request.build_opener(_NoRedirects)
    try:
        with opener.open(request, timeout=SECONDS) as answer:
            return _read(answer, login)
    except urllib.error.HTTPError as error:
        with error:
            if error.code in (301, 302, 307, 308):
                where = urlsplit(error.headers.get("Location") or "")
                raise Failed(f"{login.server} sends us to {where.scheme}://{where.netloc}; log in there") from error
            raise Refused(_refusal(error, login), error.code) from error
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", error)
        raise Failed(f"{login.server} cannot be reached: {reason}") from error


def _read(answer: IO[bytes], login: Login) -> dict[str, Any]:
    try:
        found = json.loads(answer.read(LONGEST_ANSWER))
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise Failed(f"{login.server} does not answer like an arena")
    return found


def _refusal(error: urllib.error.HTTPError, login: Login) -> str:
    try:
        said = json.loads(error.read(LONGEST_ANSWER)).get("error")
    except (ValueError, AttributeError, OSError):
        said = None
    if error.code == 401:
        return f"{login.server} does not know this key; `arena login` asks for another one"
    return str(said) if said else f"{login.server} answers with HTTP {error.code}"
