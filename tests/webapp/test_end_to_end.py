"""The whole site, started as a person starts it: newcomers in a browser, bots that dial in, and processes that die."""

from __future__ import annotations

import contextlib
import json
import re
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import psutil
import pytest
from playwright.sync_api import Browser, Page, expect

from arena import record as records
from arena.verify import check_name, verify
from tests.services import free_port
from tests.webapp.playing import ROOT, Program, program, until
from tests.webapp.test_supervisor import Site, site

BRAVE = """
from arena.kit import Bot

class Brave(Bot):
    game = "three_coins"

    def choose(self, view):
        if view.bid and view.bid > view.in_play / 2:
            return "call"
        return self.random.choice(view.legal)
"""

SHY = """
GAME = "three_coins"


def choose(view):
    return view.legal[0]
"""

pytestmark = pytest.mark.timeout(400)


class Arena:
    """A running site, asked as the world asks it, and what stands in its database."""

    def __init__(self, running: Site, port: int) -> None:
        self.site = running
        self.url = f"http://127.0.0.1:{port}"

    def ask(self, path: str) -> Any:
        with urllib.request.urlopen(self.url + path, timeout=60) as answer:
            return json.load(answer)

    def answers(self) -> bool:
        try:
            with urllib.request.urlopen(self.url + "/", timeout=20) as answer:
                return bool(answer.status == 200)
        except (OSError, urllib.error.URLError):
            return False

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        with contextlib.closing(sqlite3.connect(f"file:{self.site.data}/arena.sqlite3?mode=ro", uri=True)) as database:
            return database.execute(query, values).fetchall()

    def matches(self) -> int:
        return int(self.rows("SELECT count(*) FROM matches_match")[0][0])

    def kept(self) -> set[tuple[object, ...]]:
        """Everything that must outlive whatever happens."""
        return {
            *self.rows("SELECT 'match', name, record_name, block_id FROM matches_match"),
            *self.rows("SELECT 'entry', match_id, seat, place, version_id FROM matches_entry"),
            *self.rows("SELECT 'block', series_id, number, commitment FROM matches_block"),
            *self.rows("SELECT 'bot', name, owner_id FROM bots_bot"),
            *self.rows("SELECT 'version', bot_id, digest FROM bots_version"),
            *self.rows("SELECT 'token', digest FROM bots_token"),
        }

    def named(self, part: str) -> list[psutil.Process]:
        found = []
        for process in self.site.processes():
            with contextlib.suppress(psutil.Error):
                if part in " ".join(process.cmdline()):
                    found.append(process)
        return found


@contextlib.contextmanager
def arena(data: Path, port: int, **environment: str) -> Iterator[Arena]:
    """One that plays a table of Three Coins at a time, so that it leaves something of a small machine to the tests."""
    ladder = {"ARENA_LADDER_PAUSE_SERVING": "0.2", "ARENA_LADDER_GAMES": "three_coins"}
    with site(data, "--port", str(port), "--workers", "1", **ladder, **environment) as running:
        running.until("Bluff Arena is ready", 90)
        yield Arena(running, port)


@contextlib.contextmanager
def connecting(file: Path, door: str, token: str) -> Iterator[Program]:
    with program(
        *(sys.executable, "-m", "arena.cli", "connect", str(file), "--server", door), ARENA_TOKEN=token
    ) as running:
        yield running


# ---- newcomers -----------------------------------------------------------------------------------


def sign_up_and_make_a_bot(page: Page, url: str, author: str, bot: str) -> str:
    """All that a newcomer does on the site; returns the token."""
    page.goto(url)
    page.get_by_role("link", name="Sign in").click()
    page.get_by_role("main").get_by_role("link", name="Sign up").click()
    page.get_by_label("Username").fill(author)
    page.get_by_label("Email").or_(page.get_by_label("E-mail")).first.fill(f"{author}@example.org")
    page.get_by_label("Password", exact=True).fill("a horse of many colours")
    page.get_by_label("Password (again)").fill("a horse of many colours")
    page.get_by_role("button", name="Sign up").click()
    page.get_by_role("link", name="My bots").click()
    page.get_by_role("link", name="Add a bot").click()
    page.get_by_label("Name").fill(bot)
    page.get_by_role("button", name="Add it").click()
    page.get_by_role("button", name="Make a token").click()
    token = page.locator("#token code").inner_text().strip()
    assert token.startswith("ba_")
    return token


def test_two_newcomers_are_rated_and_a_match_names_its_winner(tmp_path: Path, browser: Browser, page: Page) -> None:
    port = free_port()
    for name, source in (("brave", BRAVE), ("shy", SHY)):
        (tmp_path / f"{name}.py").write_text(source)
    with contextlib.ExitStack() as programs:
        with arena(tmp_path / "data", port) as running:
            door = f"127.0.0.1:{running.site.door}"
            began = time.monotonic()
            until(lambda: running.ask("/api/matches")["matches"], 60, running.site.said)
            assert time.monotonic() - began < 60

            brave = sign_up_and_make_a_bot(page, running.url, "ada", "Brave")
            with contextlib.closing(browser.new_context()) as other:
                shy = sign_up_and_make_a_bot(other.new_page(), running.url, "bob", "Shy")
            bots = [
                programs.enter_context(connecting(tmp_path / "brave.py", door, brave)),
                programs.enter_context(connecting(tmp_path / "shy.py", door, shy)),
            ]

            def shown() -> bool:
                page.goto(f"{running.url}/leaderboards/three_coins/classic/")
                table = page.get_by_role("main")
                return (
                    table.get_by_role("link", name="Brave", exact=True).count()
                    == table.get_by_role("link", name="Shy", exact=True).count()
                    == 1
                )

            until(shown, 150, lambda: (running.site.said()[-3000:], [bot.said()[-2000:] for bot in bots]))

            page.get_by_role("link", name="Brave", exact=True).click()
            expect(page.get_by_role("heading", level=1)).to_contain_text("Brave")
            page.locator("a[href^='/matches/m-']").first.click()
            name = page.url.split("/matches/")[1].split("/")[0]
            record = running.ask(f"/matches/{name}/record.json")
            winners = [
                player["bot"]
                for player, place in zip(record["players"], record["outcome"]["places"], strict=True)
                if place == 1
            ]
            page.get_by_role("link", name="First step").click()
            expect(page.get_by_text("step 0 of")).to_be_visible()
            page.get_by_role("link", name="Last step").click()
            expect(page).to_have_url(re.compile(r"/step/[1-9]"))
            for winner in winners:
                expect(page.get_by_role("heading", level=1)).to_contain_text(winner)
            expect(page.get_by_role("link", name="✓ verified")).to_be_visible()
            page.goto("about:blank")

            kept = running.kept()
            running.site.process.send_signal(signal.SIGINT)
            assert running.site.ends() == 0
            assert running.site.processes() == []
            assert kept <= running.kept()
            kept = running.kept()

        with arena(tmp_path / "data", port, ARENA_DOOR_LISTEN=door) as running:
            assert kept <= running.kept()
            matches = running.matches()
            assert shown()
            page.goto("about:blank")  # a stream that ends with the site would be an error in the browser's eyes
            for bot in bots:
                bot.until("the line was lost")
            until(lambda: len(running.rows(CONNECTED)) == 2, 90, lambda: [bot.said()[-2000:] for bot in bots])
            played = (
                "SELECT count(*) FROM matches_entry e JOIN bots_bot b ON b.id = e.bot_id WHERE b.owner_id IS NOT NULL"
            )
            before = running.rows(played)
            until(lambda: running.rows(played) > before, 90, lambda: [bot.said()[-2000:] for bot in bots])
            assert running.matches() > matches
            page.goto("about:blank")
            running.site.process.send_signal(signal.SIGINT)
            assert running.site.ends() == 0
        assert all("NOT FAIR" not in bot.said() for bot in bots)


# ---- processes that die --------------------------------------------------------------------------

AUTHOR = """
from webapp.accounts.models import User
from webapp.bots import services
for name in ("Brave", "Shy"):
    owner = User.objects.create_user("author-of-" + name, name + "@example.org")
    bot = services.create_bot(owner=owner, game="three_coins", name=name)
    print("token", services.issue_token(bot=bot, by=owner))
"""


def make_bots(data: Path) -> list[str]:
    told = subprocess.run(
        [sys.executable, "-m", "webapp", "shell", "-v", "0", "-c", AUTHOR],
        cwd=ROOT,
        env={"ARENA_DATA": str(data), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    return [line.split()[1] for line in told.stdout.splitlines() if line.startswith("token ")]


def victim(running: Arena, part: str) -> psutil.Process:
    program = {"web": "granian", "queue": "redis-server", "worker": "celery"}
    service, _, child = part.partition("'s ")
    main = next(
        one
        for one in running.named(program.get(service, f"webapp {service}"))
        if one.ppid() == running.site.process.pid
    )
    if service == "worker" and child:
        # the one of the pool that plays; the others have nothing to lose
        return psutil.Process(int(running.rows(PLAYING)[0][2].rpartition(":")[2]))
    return main.children()[0] if child else main


PLAYING = "SELECT id, attempt, worker FROM matches_series WHERE state = 'playing'"
CONNECTED = "SELECT 1 FROM bots_connection WHERE door <> ''"


class Caught(NamedTuple):
    """A process in the middle of its work, and what it plays: attempts by their series."""

    process: psutil.Process
    lost: dict[int, int]


def stopped(process: psutil.Process) -> list[psutil.Process]:
    """Stop a process and those below it; all that stand still now. Each first, and then its children: so no new ones
    come, while those that just end may go.
    """
    found = []
    with contextlib.suppress(psutil.NoSuchProcess):
        process.suspend()
        found.append(process)
        for child in process.children():
            found += stopped(child)
    return found


def caught(running: Arena, part: str) -> Caught | None:
    """A worker is stopped while it is looked at, as a series is over in a moment; None where it has just none."""
    try:
        process = victim(running, part)
    except (IndexError, StopIteration, psutil.NoSuchProcess):  # nothing is being played, or it is over meanwhile
        return None
    family = [process]
    if "worker" in part:
        family = stopped(process)
    names = tuple(f":{one.pid}" for one in family)
    lost = {series: attempt for series, attempt, worker in running.rows(PLAYING) if worker.endswith(names)}
    if lost or "worker" not in part:
        return Caught(process, lost)
    for one in family:
        with contextlib.suppress(psutil.NoSuchProcess):
            one.resume()
    return None


def kill(running: Arena, part: str, said: Callable[[], object]) -> float:
    """Kill a process while bots are connected and something is played; after how many seconds all that goes on."""
    until(lambda: len(running.rows(CONNECTED)) == 2, 60, said)
    found: list[Caught] = []
    until(lambda: found.extend(filter(None, [caught(running, part)])) or found, 60, said)
    process, lost = found[0]
    kept, matches = running.kept(), running.matches()
    others = process.children(recursive=True)
    killed = time.monotonic()
    process.kill()
    for one in others:
        with contextlib.suppress(psutil.NoSuchProcess):
            one.resume()

    def goes_on() -> bool:
        """What the dead one was playing is being played again, or is over already."""
        claimed = dict(running.rows("SELECT id, attempt FROM matches_series WHERE state <> 'waiting'"))
        over = {series for (series,) in running.rows("SELECT id FROM matches_series WHERE state = 'finished'")}
        return all(series in over or claimed.get(series, 0) > attempt for series, attempt in lost.items())

    until(goes_on, 60, said)  # some five seconds where nobody else is at work
    took = time.monotonic() - killed
    until(running.answers, 60, said)
    until(lambda: running.matches() >= matches + 3, 90, said)
    assert kept <= running.kept()
    assert running.site.process.poll() is None
    return took


@pytest.fixture
def played_on(tmp_path: Path) -> Iterator[tuple[Arena, list[Program]]]:
    """A site with two bots that dial in."""
    (tmp_path / "brave.py").write_text(BRAVE)
    (tmp_path / "shy.py").write_text(SHY)
    with arena(tmp_path / "data", free_port()) as running, contextlib.ExitStack() as stack:
        door = f"127.0.0.1:{running.site.door}"
        yield (
            running,
            [
                stack.enter_context(connecting(tmp_path / file, door, token))
                for file, token in zip(("brave.py", "shy.py"), make_bots(running.site.data), strict=True)
            ],
        )


def test_whatever_is_killed_nothing_is_lost_and_play_goes_on(played_on: tuple[Arena, list[Program]]) -> None:
    running, bots = played_on
    took: dict[str, float] = {}

    def said() -> object:
        return took, running.site.said()[-4000:], [bot.said()[-1500:] for bot in bots]

    for part in ("web's child", "web", "door", "worker's child", "worker", "scheduler", "queue"):
        took[part] = kill(running, part, said)
    print("going on after, in seconds:", {part: round(seconds, 1) for part, seconds in took.items()})

    # nobody has paid for it, and all that was played is as good as ever
    assert running.rows("SELECT id FROM matches_entry WHERE fault <> ''") == []
    assert running.rows("SELECT id, note FROM matches_series WHERE state = 'put_off'") == []
    assert running.rows("SELECT name FROM bots_bot WHERE state <> 'active'") == []
    twice = "SELECT series_id, number FROM matches_match GROUP BY series_id, number HAVING count(*) > 1"
    assert running.rows(twice) == []
    for name, text, sha256 in running.rows("SELECT name, record, record_name FROM matches_match"):
        record = records.read(zlib.decompress(text))
        assert record.match == name
        verify(record)
        check_name(record, sha256)
    for bot in bots:
        assert "NOT FAIR" not in bot.said()
        assert "Traceback" not in bot.said()
    assert "ERROR webapp" not in running.site.said(), running.site.said()
