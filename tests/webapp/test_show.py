"""``arena show FILE --web``: a record of one's own in the viewer, on this machine alone."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page, expect

from arena import record as records
from arena.record import MovesStep

DATA = Path(__file__).parents[1] / "data/records"
RECORD = DATA / "mia-preset.json"


def command(*words: str, folder: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "arena.cli", "show", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": folder, "PYTHONUNBUFFERED": "1", "DATABASE_URL": "nonsense://"},
    )


@contextlib.contextmanager
def shown(*words: str) -> Iterator[tuple[str, subprocess.Popen[str], str]]:
    """The viewer while it runs: its address, its process, and where it keeps what it needs."""
    with tempfile.TemporaryDirectory() as folder:
        process = command(*words, "--web", "--no-browser", folder=folder)
        try:
            assert process.stdout is not None
            said = process.stdout.readline()
            found = re.search(r"http://127\.0\.0\.1:\d+\S*", said)
            assert found is not None, said + (process.stderr.read() if process.stderr else "")
            yield found[0], process, folder
        finally:
            process.kill()
            process.communicate()


def refused(*words: str) -> tuple[int, str]:
    with tempfile.TemporaryDirectory() as folder:
        process = command(*words, folder=folder)
        _out, error = process.communicate(timeout=120)
        return process.returncode, error


def test_a_record_is_shown_to_this_machine_alone_and_ends_with_ctrl_c(page: Page) -> None:
    with shown(str(RECORD)) as (address, process, folder):
        page.goto(address)
        record = records.read(RECORD.read_bytes())
        last = len(record.steps)
        expect(page.locator(".caption")).to_contain_text(f"step {last} of {last}")
        expect(page.get_by_role("link", name="✓ verified")).to_be_visible()
        expect(page.get_by_text(f"arena verify --name {records.name(record)}")).to_be_visible()
        page.keyboard.press("Home")
        page.keyboard.press("ArrowRight")
        expect(page.locator(".caption")).to_contain_text("step 1 of")
        expect(page).to_have_url(re.compile(r"/step/1/\?as=everything"))
        page.get_by_role("link", name="Public").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("What the table saw in round 1")
        assert page.context.cookies() == []
        host = address.removeprefix("http://").partition("/")[0]
        for path in ("/", "/record.json", "/static/site/site.css"):
            for called, status in ((host, 200), (f"localhost:{host.partition(':')[2]}", 200), ("evil.example", 403)):
                line = http.client.HTTPConnection(host, timeout=30)
                line.request("GET", path, headers={"Host": called})
                answer = line.getresponse()
                body = answer.read()
                line.close()
                assert answer.status == status, (path, called)
                assert status == 200 or b"mia" not in body
        line = http.client.HTTPConnection(host, timeout=30)
        line.request("GET", "/record.json")
        assert json.loads(line.getresponse().read()) == json.loads(RECORD.read_bytes())
        for path in ("/step/999/", "/step/1/?as=9", "/matches/", "/admin/", "/frames/x/en/public/99.json"):
            line.request("GET", path)
            answer = line.getresponse()
            answer.read()
            assert answer.status == 404, path
        line.close()
        # nothing is kept, and nothing stays
        assert list(Path(folder).rglob("*.sqlite3")) == []
        process.send_signal(signal.SIGINT)
        _out, error = process.communicate(timeout=60)
        assert (process.returncode, error) == (0, "")
        assert list(Path(folder).iterdir()) == []


def test_it_begins_where_one_wants_to() -> None:
    with shown(str(RECORD), "--step", "4", "--as", "1") as (address, _process, _folder):
        assert address.endswith("/step/4/?as=1")


def test_what_cannot_be_shown_is_refused_in_words(tmp_path: Path) -> None:
    record = records.read(RECORD.read_bytes())
    illegal, broken = tmp_path / "illegal.json", tmp_path / "broken.json"
    at = next(i for i, step in enumerate(record.steps) if isinstance(step, MovesStep))
    move = MovesStep(dict.fromkeys(record.steps[at].moves, "say 21"), None)  # type: ignore[union-attr]
    illegal.write_text(records.write(record._replace(steps=(*record.steps[:at], move, *record.steps[at + 1 :]))))
    broken.write_text("{")
    web = ("--web", "--no-browser")
    code, said = refused(str(illegal), *web)
    assert (code, f"step {at + 1}" in said, len(said.splitlines())) == (1, True, 1)
    for words, why in (
        ((str(broken), *web), "broken.json"),
        (("-", *web), "--web needs the name of a file"),
        ((str(RECORD), *web, "--step", "9999"), "no step"),
        ((str(RECORD), *web, "--as", "9"), "no seat"),
        ((str(RECORD), "--port", "8000"), "--web"),
    ):
        code, said = refused(*words)
        assert code == 2, said
        assert why in said
        assert "Traceback" not in said


def test_the_command_needs_nothing_of_the_site() -> None:
    program = "import sys, arena.cli; print([name for name in ('django', 'webapp') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_port_that_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        number = taken.getsockname()[1]
        code, said = refused(str(RECORD), "--web", "--no-browser", "--port", str(number))
        assert code == 2
        assert f"port {number} cannot be had" in said
