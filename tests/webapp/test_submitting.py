"""From nothing to a rated bot on a running site, as a stranger does it: in a browser, and in a terminal."""

from __future__ import annotations

import contextlib
import email
import json
import os
import re
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.services import free_port
from tests.webapp.playing import ROOT, until
from tests.webapp.test_end_to_end import Arena, arena
from tests.webapp.zips import zipped

pytestmark = pytest.mark.timeout(600)

FIVE_MINUTES = 300

PASSWORD = "a horse of many colours"

EDITED = '''"""Bids, and sometimes calls."""

from arena.kit import Bot


class Edited(Bot):
    game = "three_coins"

    def choose(self, view):
        self.log("I may", len(view.legal))
        return self.random.choice(view.legal)
'''


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    """One site for all of them."""
    with arena(tmp_path_factory.mktemp("site") / "data", free_port(), ARENA_CONFIRMED_AUTHORS="true") as running:
        yield running


def sign_up(page: Page, url: str, author: str) -> None:
    page.goto(f"{url}/accounts/signup/")
    page.get_by_label("Username").fill(author)
    page.get_by_label("Email").or_(page.get_by_label("E-mail")).first.fill(f"{author}@example.org")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password (again)").fill(PASSWORD)
    page.get_by_role("button", name="Sign up").click()
    page.get_by_role("link", name="My bots").wait_for()


def confirm(page: Page, running: Arena, author: str) -> None:
    """Follow the link in the mail that has come to this author."""

    def link() -> str:
        for file in (running.site.data / "mail").glob("*"):
            for text in file.read_text().split("-" * 79):
                message = email.message_from_string(text.strip())
                if author in (message["To"] or ""):
                    payload = message.get_payload(decode=True)
                    assert isinstance(payload, bytes)
                    if found := re.search(r"http\S+/confirm-email/\S+", payload.decode()):
                        return found[0]
        return ""

    until(link, 60, running.site.said)
    page.goto(link())
    page.get_by_role("main").get_by_role("button", name="Confirm").click()


def rated(running: Arena, name: str) -> bool:
    board = running.ask("/api/leaderboards/three_coins/classic")
    return name in [row["bot"]["name"] for row in board["rows"]]


def test_from_signing_up_to_the_leaderboard_in_a_browser(running: Arena, page: Page) -> None:
    began = time.monotonic()
    sign_up(page, running.url, "ada")
    page.get_by_role("link", name="My bots").click()
    page.get_by_role("link", name="Submit a bot").click()
    expect(page.get_by_text("Confirm your e-mail address first")).to_be_visible()
    confirm(page, running, "ada")

    page.goto(f"{running.url}/my/bots/")
    page.get_by_role("link", name="Submit a bot").click()
    editor = page.get_by_label("Its source")
    expect(editor).to_have_value(re.compile("class Mybot"))
    page.get_by_label("Name").fill("Edited")
    editor.fill(EDITED)
    page.get_by_role("button", name="Submit it").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Edited, version 1: it plays", timeout=120_000)
    validated = time.monotonic()

    page.get_by_role("link", name="Its public page").click()

    def played() -> bool:
        page.reload()
        return page.get_by_role("main").locator("a[href^='/matches/m-']").count() > 0

    until(played, 120, running.site.said)
    page.goto(f"{running.url}/leaderboards/three_coins/classic/")
    until(lambda: rated(running, "Edited"), 120, running.site.said)
    page.reload()
    expect(page.get_by_role("main").get_by_role("link", name="Edited", exact=True)).to_be_visible()
    took = time.monotonic() - began
    print(f"validated after {validated - began:.0f} s, on the leaderboard after {took:.0f} s")
    assert took < FIVE_MINUTES

    # its log stands beside the replay, for its author
    page.goto(f"{running.url}/my/bots/")
    page.get_by_role("link", name="Edited", exact=True).click()
    page.locator("a[href*='/logs/m-']").first.click()
    page.get_by_role("link", name=re.compile("^step ")).first.click()
    expect(page.get_by_role("heading", name="Log of Edited")).to_be_visible()
    expect(page.locator(".own-log pre")).to_contain_text("I may")
    page.goto("about:blank")


def test_the_editor_indents_and_lets_the_keyboard_out(running: Arena, page: Page) -> None:
    sign_up(page, running.url, "eve")
    page.goto(f"{running.url}/my/bots/submit/?game=mia")
    editor = page.get_by_label("Its source")
    expect(editor).to_have_value(re.compile('game = "mia"'))
    editor.fill("")
    editor.press_sequentially("def choose(view):")
    editor.press("Enter")
    editor.press_sequentially("if view:")
    editor.press("Enter")
    editor.press_sequentially("return 1")
    assert editor.input_value() == "def choose(view):\n    if view:\n        return 1"
    editor.press("Shift+Tab")
    assert editor.input_value().endswith("\n    return 1")
    editor.press("Control+a")
    editor.press("Tab")
    assert editor.input_value() == "    def choose(view):\n        if view:\n        return 1"
    editor.press("Escape")
    editor.press("Tab")
    expect(page.get_by_label("Or a file")).to_be_focused()


def test_without_scripts_it_works_as_well(running: Arena, browser: Browser) -> None:
    with contextlib.closing(browser.new_context(java_script_enabled=False)) as plain:
        page = plain.new_page()
        sign_up(page, running.url, "noscript")
        confirm(page, running, "noscript")
        page.goto(f"{running.url}/my/bots/submit/")
        page.get_by_label("Name").fill("Filed")
        page.get_by_label("Or a file").set_input_files(
            files=[{"name": "x.zip", "mimeType": "application/zip", "buffer": zipped({"a/bot.py": EDITED.encode()})}]
        )
        page.get_by_role("button", name="Submit it").click()

        def over() -> bool:
            page.reload()
            return "it plays" in page.get_by_role("heading", level=1).inner_text()

        until(over, 120, running.site.said)


def test_a_body_that_is_too_large_is_refused_in_words(running: Arena, browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "large.py").write_bytes(b"#" * (3 << 20))
    with contextlib.closing(browser.new_context()) as context:
        page = context.new_page()
        sign_up(page, running.url, "large")
        confirm(page, running, "large")
        page.goto(f"{running.url}/my/bots/submit/")
        page.get_by_label("Name").fill("Large")
        page.get_by_label("Or a file").set_input_files(tmp_path / "large.py")
        with page.expect_response(lambda answer: answer.request.method == "POST") as answered:
            page.get_by_role("button", name="Submit it").click()
        assert answered.value.status == 413
        expect(page.get_by_text("an upload has at most 1024 KiB")).to_be_visible()


# ---- the terminal --------------------------------------------------------------------------------


class Terminal:
    """Somebody's terminal, with settings of its own."""

    def __init__(self, home: Path) -> None:
        self.home = home
        clean = {name: value for name, value in os.environ.items() if not name.startswith("ARENA_")}
        self.environment = {**clean, "XDG_CONFIG_HOME": str(home / "config"), "HOME": str(home)}

    def run(self, *words: str, typed: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "arena.cli", *words],
            cwd=ROOT,
            env=self.environment,
            input=typed,
            capture_output=True,
            text=True,
            timeout=200,
            check=False,
        )

    def kept(self) -> Path:
        return self.home / "config/bluff-arena/login.json"


def test_from_signing_up_to_the_leaderboard_in_a_terminal(running: Arena, page: Page, tmp_path: Path) -> None:
    began = time.monotonic()
    sign_up(page, running.url, "tess")
    confirm(page, running, "tess")
    page.goto(f"{running.url}/my/account/")
    page.get_by_role("button", name="Make a key").click()
    key = page.locator("#key code").inner_text()
    terminal = Terminal(tmp_path)

    told = terminal.run("submit", "bots/three_coins/random.py", "--game", "three_coins")
    assert (told.returncode, told.stderr) == (2, "arena: you are not logged in; `arena login --server URL` does that\n")
    told = terminal.run("login", "--server", running.url, typed="bk_wrong\n")
    assert told.returncode == 1
    assert "does not know this key" in told.stderr
    assert not terminal.kept().exists()
    told = terminal.run("login", "--server", running.url, typed=f"{key}\n")
    assert told.returncode == 0, told.stderr
    assert "logged in as tess" in told.stdout
    assert key not in told.stdout + told.stderr
    assert stat.S_IMODE(terminal.kept().stat().st_mode) == 0o600
    assert json.loads(terminal.kept().read_text()) == {"server": running.url, "key": key}

    folder = tmp_path / "Typed"
    told = terminal.run("new", "three_coins", str(tmp_path / "bot.py"))
    folder.mkdir()
    (folder / "bot.py").write_text("from helper import pick\nfrom arena.kit import Bot\n\n\nclass Typed(Bot):\n")
    with (folder / "bot.py").open("a") as file:
        file.write('    game = "three_coins"\n\n    def choose(self, view):\n        return pick(self, view)\n')
    (folder / "helper.py").write_text("def pick(bot, view):\n    return bot.random.choice(view.legal)\n")
    told = terminal.run("submit", str(folder), "--game", "three_coins")
    assert told.returncode == 0, (told.stdout, told.stderr)
    assert "Typed, version 1 (sha256:" in told.stdout
    assert "validation: " in told.stdout
    assert "passed: Typed, version 1, plays on the ladder now" in told.stdout
    validated = time.monotonic()
    until(lambda: rated(running, "Typed"), 120, running.site.said)
    took = time.monotonic() - began
    print(f"validated after {validated - began:.0f} s, on the leaderboard after {took:.0f} s")
    assert took < FIVE_MINUTES

    told = terminal.run("submit", str(folder), "--game", "three_coins")
    assert told.returncode == 0
    assert "Typed, version 1" in told.stdout
    assert "is this very content already" in told.stdout

    (folder / "helper.py").write_text("def pick(bot, view):\n    raise RuntimeError('oh dear')\n")
    told = terminal.run("submit", str(folder), "--game", "three_coins")
    assert told.returncode == 1
    assert "Typed, version 2, failed. Match 1: unreadable" in told.stderr
    assert "RuntimeError: oh dear" in told.stderr
    assert "legal: " in told.stderr
    board = running.ask("/api/bots/three_coins/Typed")
    assert board["active_version"] == 1

    (folder / "helper.py").write_text("def pick(bot, view)\n")
    told = terminal.run("submit", str(folder), "--game", "three_coins")
    assert told.returncode == 2
    assert "helper.py:1: syntax error" in told.stderr

    assert terminal.run("logout").stdout == "logged out; the key is forgotten here\n"
    assert not terminal.kept().exists()
    assert terminal.run("logout").stdout == "you were not logged in\n"
