"""How the terminal talks to a site, and where it keeps the key."""

from __future__ import annotations

import json
import stat
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from arena.cli import main
from arena.commands.account import Login, ask, check_server, is_open, load_login, save_login
from arena.commands.failures import Failed, Impossible
from arena.commands.submit import _name


class Site:
    """A web server that answers as it is told, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, str | None, bytes]] = []
        self.answers: list[tuple[int, dict[str, str], bytes]] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:  # the server calls it by this name
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                site.asked.append((self.command, self.path, self.headers.get("Authorization"), body))
                status, headers, content = site.answers.pop(0)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            do_POST = do_GET  # noqa: N815  # the server's own name

            def log_message(self, *_: Any) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def will_say(self, content: object, status: int = 200, **headers: str) -> None:
        self.answers.append((status, headers, json.dumps(content).encode()))


@pytest.fixture
def site() -> Iterator[Site]:
    found = Site()
    thread = threading.Thread(target=found.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield found
    found.server.shutdown()
    thread.join()
    found.server.server_close()


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    for name in ("ARENA_SERVER", "ARENA_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "bluff-arena/login.json"


def state(**more: object) -> dict[str, object]:
    base = {"id": 7, "bot": "brave", "number": 2, "digest": "sha256:" + "0" * 64, "state": "validating", "new": True}
    return (
        base
        | {"active": False, "matches": 0, "planned": 3, "waiting": True, "reason": "", "details": "", "page": "P"}
        | more
    )


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("https://arena.example.org/", "https://arena.example.org"),
        ("arena.example.org", "https://arena.example.org"),
        ("localhost:8000", "http://localhost:8000"),
        ("127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("http://arena.example.org", "http://arena.example.org"),
    ],
)
def test_addresses(typed: str, meant: str) -> None:
    assert check_server(typed) == meant


@pytest.mark.parametrize("typed", ["", "ftp://x", "https://", "https://a@b", "https://x?y=1"])
def test_no_addresses(typed: str) -> None:
    with pytest.raises(Impossible, match="write the address of the site"):
        check_server(typed)


def test_who_could_listen() -> None:
    assert is_open("http://arena.example.org")
    assert not is_open("https://arena.example.org")
    assert not is_open("http://localhost:8000")


def test_the_key_is_kept_for_its_owner_alone(config: Path) -> None:
    with pytest.raises(Impossible, match="not logged in"):
        load_login()
    login = Login("https://arena.example.org", "bk_x")
    assert save_login(login) == config
    assert stat.S_IMODE(config.stat().st_mode) == 0o600
    assert load_login() == login
    config.write_text("{}")
    with pytest.raises(Impossible, match="cannot be read"):
        load_login()


def test_the_environment_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    save_login(Login("https://arena.example.org", "bk_x"))
    monkeypatch.setenv("ARENA_SERVER", "other.example.org")
    assert load_login().key == "bk_x"
    monkeypatch.setenv("ARENA_API_KEY", "bk_y")
    assert load_login() == Login("https://other.example.org", "bk_y")


def test_nobody_is_followed_with_a_key_in_hand(site: Site) -> None:
    site.answers.append((302, {"Location": f"{site.url}/elsewhere"}, b""))
    with pytest.raises(Failed, match=f"sends us to {site.url}; log in there"):
        ask(Login(site.url, "bk_x"), "/my/me")
    assert [path for _, path, _, _ in site.asked] == ["/api/my/me"]


def test_what_is_no_answer(site: Site) -> None:
    login = Login(site.url, "bk_x")
    site.answers += [(200, {}, b"<html>"), (502, {}, b"<html>"), (200, {}, b"[]"), (418, {}, b"[]")]
    for said in ("does not answer like an arena", "HTTP 502", "does not answer like an arena", "HTTP 418"):
        with pytest.raises(Failed, match=said):
            ask(login, "/my/me")
    with pytest.raises(Failed, match="cannot be reached"):
        ask(Login("http://127.0.0.1:9", "bk_x"), "/my/me")


def test_logging_in(site: Site, config: Path) -> None:
    site.will_say({"username": "ada", "closed": "Confirm your e-mail address first."})
    told = CliRunner().invoke(main, ["login", "--server", site.url], input="bk_secret\n")
    assert told.exit_code == 0, told.output
    assert site.asked == [("GET", "/api/my/me", "Bearer bk_secret", b"")]
    assert "logged in as ada" in told.output
    assert "Confirm your e-mail" in told.output
    assert "bk_secret" not in told.output
    assert json.loads(config.read_text())["key"] == "bk_secret"
    for typed in ("", "two words", "x" * 300, "bk_\u00e9"):
        assert CliRunner().invoke(main, ["login", "--server", site.url], input=f"{typed}\n").exit_code == 2
    assert CliRunner().invoke(main, ["logout"]).output == "logged out; the key is forgotten here\n"
    assert not config.exists()


def test_submitting_follows_the_validation(site: Site, tmp_path: Path) -> None:
    save_login(Login(site.url, "bk_x"))
    file = tmp_path / "brave.py"
    file.write_text("x = 1\n")
    for answer in (
        state(),
        state(waiting=False, matches=1),
        state(waiting=False, matches=1),
        state(state="passed", active=True),
    ):
        site.will_say(answer)
    told = CliRunner().invoke(main, ["submit", str(file), "--game", "mia"])
    assert told.exit_code == 0, told.output
    assert site.asked[0] == ("POST", "/api/my/submit?game=mia&name=brave&filename=bot.py", "Bearer bk_x", b"x = 1\n")
    assert told.output.splitlines() == [
        "brave, version 2 (sha256:000000000000) is handed in: P",
        "validation: waiting for a free worker",
        "validation: 1 of 3 matches are over",
        "passed: brave, version 2, plays on the ladder now",
    ]


def test_submitting_says_why_it_failed(site: Site, tmp_path: Path) -> None:
    save_login(Login(site.url, "bk_x"))
    file = tmp_path / "brave.py"
    file.write_text("x = 1\n")
    site.will_say(state(state="failed", reason="Match 1: late", details="It printed:\nhm", new=False))
    told = CliRunner().invoke(main, ["submit", str(file), "--game", "mia"])
    assert told.exit_code == 1
    assert "is this very content already" in told.output
    assert "It printed:\nhm" in told.output
    assert "arena: brave, version 2, failed. Match 1: late" in told.output
    site.will_say({"error": "You have handed in 30 times within an hour."}, status=429)
    told = CliRunner().invoke(main, ["submit", str(file), "--game", "mia", "--name", "Other"])
    assert (told.exit_code, told.output) == (1, "arena: You have handed in 30 times within an hour.\n")
    file.write_text("def")
    told = CliRunner().invoke(main, ["submit", str(file), "--game", "mia"])
    assert told.exit_code == 2
    assert "bot.py:1: syntax error" in told.output
    assert len(site.asked) == 2


@pytest.mark.parametrize(
    ("path", "name"),
    [("brave.py", "brave"), ("my bot!.zip", "my bot"), ("Brave/bot.py", "Brave"), ("x/_odd-.py", "odd")],
)
def test_a_bot_is_called_like_its_file(tmp_path: Path, path: str, name: str) -> None:
    file = tmp_path / path
    file.parent.mkdir(exist_ok=True)
    file.write_text("")
    assert _name(file) == name


def test_a_name_that_can_be_none_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(Impossible, match="--name"):
        _name(tmp_path / "é.py")
