"""``arena compare``: what it prints, when it stops, and that neither the number of processes nor a twin changes it."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from arena.cli import main
from arena.commands.compare import Comparison, status
from arena.compare import Question, block_score, sample
from arena.games import find_game
from arena.local import pool
from arena.local.contest import Contest, exchanged_blocks, exchanged_orders, find_entrants
from arena.local.pool import play_contest, stream_blocks
from arena.rules import ruleset
from bots import house_bots

Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs the command in this process, in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def invoke(*arguments: str) -> Result:
        return CliRunner().invoke(main, ["compare", *arguments])

    return invoke


def tree(result: Result) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def refused(result: Result) -> str:
    assert result.exit_code == 2, result.output
    (line,) = result.stderr.splitlines()
    return line.removeprefix("arena: ")


def contest(*bots: str, game: str = "mia") -> Contest:
    entrants = find_entrants(bots, house_bots(game))
    return Contest(ruleset(find_game(game)), entrants, 0, b"seed", None, "forfeit")


DICEY = """
import random
from arena.kit import Bot

class Dicey(Bot):
    game = "three_coins"

    def choose(self, view):
        return view.legal[int((random.random() + self.random.random()) * 1000) % len(view.legal)]
"""


# ---- verdicts --------------------------------------------------------------------------------------


def test_better_is_said_early(run: Run) -> None:
    told = run("calculator", "random", "--game", "mia", "--seed", "01")
    assert told.exit_code == 0
    first, verdict, llr, elo, los, score = told.stdout.splitlines()
    assert first == "calculator against random, mia classic"
    assert verdict == "verdict  better  (20 Elo or more, or 0 or less?)"
    assert float(llr.split()[1]) >= 2.944
    assert re.fullmatch(r"Elo      \+\d+\.\d ± \d+\.\d", elo)
    assert float(los.split()[1]) > 99
    matches = re.search(r"in (\d+) matches, (\d+) blocks", score)
    assert matches
    assert int(matches[1]) == 2 * int(matches[2]) < 100


@pytest.mark.parametrize(
    ("bot", "others"), [("calculator", ()), ("random", ()), ("honest", ("random",)), ("random", ("random", "honest"))]
)
def test_a_bot_is_not_better_than_itself(run: Run, bot: str, others: tuple[str, ...]) -> None:
    """Exactly equal in every block, with dice of its own or without, at tables of any size."""
    company = [word for other in others for word in ("--with", other)]
    told = run(bot, bot, *company, "--game", "three_coins", "--seed", "02", "--json")
    assert told.exit_code == 1
    found = tree(told)
    assert found["verdict"] == "not better"
    assert found["scores"] == {"0.5": 58}
    assert found["blocks"] == 58
    assert found["matches"] == 58 * (2, 6, 8)[len(others)]
    assert [found["new"]["bot"], found["old"]["bot"]] == [bot, f"{bot} (2)"]
    assert len(found["with"]) == len(others)


def test_worse_is_not_better(run: Run) -> None:
    assert tree(run("random", "honest", "--game", "mia", "--seed", "01", "--json"))["verdict"] == "not better"


def test_it_stops_at_the_most(run: Run) -> None:
    told = run("honest", "observer", "--with", "random", "--game", "three_coins", "--seed", "3", "--max", "20")
    assert "not hex" in refused(told)
    told = run("honest", "observer", "--with", "random", "--game", "three_coins", "--seed", "03", "--max", "20")
    assert told.exit_code == 1
    assert "verdict  undecided after 18 matches  (" in told.stdout
    assert told.stdout.startswith("honest against observer with random, three_coins classic\n")


def test_the_question_can_be_changed(run: Run) -> None:
    asked = ("calculator", "random", "--game", "mia", "--seed", "01", "--json")
    usual = tree(run(*asked))
    surer = tree(run(*asked, "--alpha", "0.0001", "--beta", "0.2", "--elo0", "-5", "--elo1", "5"))
    assert surer["matches"] > usual["matches"]
    assert (surer["alpha"], surer["beta"], surer["elo0"], surer["elo1"]) == (0.0001, 0.2, -5, 5)
    assert surer["bounds"] == pytest.approx([-1.609338, 8.987197])


def test_the_file_says_which_game_and_the_rules_can_be_chosen(run: Run, tmp_path: Path) -> None:
    (tmp_path / "dicey.py").write_text(DICEY)
    asked = ("dicey.py", "honest", "--preset", "duel", "--set", "stall_rounds=5", "--max", "2", "--seed", "05")
    found = tree(run(*asked, "--json"))
    assert (found["game"], found["options"]["stall_rounds"]) == ("three_coins", 5)
    assert found["options"]["first_bid_min"] is not None
    assert run(*asked).stdout.startswith("dicey against honest, three_coins with rules of its own\n")


def test_faults_are_told(run: Run, tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text('GAME = "mia"\ndef choose(view):\n    return "sing"\n')
    told = run("honest", "broken.py", "--seed", "06")
    assert told.exit_code == 0
    assert re.search(r"^faults   broken: \d+ unreadable$", told.stdout, re.MULTILINE)
    assert tree(run("honest", "broken.py", "--seed", "06", "--json"))["new"]["faults"] == {}


def test_a_run_without_a_seed_says_how_to_repeat_it(run: Run) -> None:
    asked = ("calculator", "random", "--game", "mia", "--no-limits")
    told = run(*asked)
    seed = re.search(r"to repeat it: --seed (\w+)", told.stderr)
    assert seed
    assert run(*asked, "--seed", seed[1]).stdout == told.stdout


def test_the_kit_alone_is_enough() -> None:
    missing = "import sys; sys.modules.update(dict.fromkeys(('numpy', 'scipy', 'django', 'celery')))"
    words = ["compare", "calculator", "random", "--game", "mia", "--seed", "01", "--jobs", "2"]
    script = f"{missing}\nfrom arena.cli import main\nif __name__ == '__main__':\n    main({words})"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("Error")) == (0, 0), done.stderr
    assert "verdict  better" in done.stdout


def test_a_program_takes_part(run: Run) -> None:
    program = f"cmd:{sys.executable} -m arena.dial {house_bots('mia')['calculator']}"
    told = run(program, "random", "--game", "mia", "--seed", "07", "--jobs", "2")
    assert told.exit_code == 0
    assert "cannot be repeated by its seed" in told.stderr
    assert "verdict  better" in told.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("honest", "random"), "which game? Say --game with one of three_coins, mia, commerce"),
        (("honest", "random", "--game", "mia", "--elo1", "-1"), "elo0 must be below elo1, and they are 0 and -1"),
        (("honest", "random", "--game", "mia", "--alpha", "1.5"), "alpha and beta are above 0"),
        (("honest", "random", "--game", "mia", "--max", "1"), "--max 1: one block with 2 players is 2 matches"),
        (("honest", "nobody", "--game", "mia"), "there is no house bot 'nobody'"),
        (("gone.py", "honest"), "gone.py: No such file"),
        (("honest", "random", "--game", "mia", *(["--with", "random"] * 40)), "players"),
        (("honest", "random", "--game", "mia", "--set", "lives"), "write option=value"),
    ],
)
def test_what_cannot_be_compared(run: Run, arguments: tuple[str, ...], said: str) -> None:
    assert said in refused(run(*arguments))


# ---- the blocks ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "orders"), [(2, 2), (3, 6), (4, 8), (7, 14)])
def test_a_block_has_every_rotation_and_next_to_it_the_two_exchanged(players: int, orders: int) -> None:
    found = exchanged_orders(players)
    assert len(set(found)) == len(found) == orders
    for one, other in zip(found[::2], found[1::2], strict=True):
        assert [{0: 1, 1: 0}.get(entrant, entrant) for entrant in one] == list(other)
    for entrant in range(players):
        seats = [order.index(entrant) for order in found]
        assert sorted(set(seats)) == list(range(players))
        assert len({seats.count(seat) for seat in seats}) == 1
    first, second = islice(exchanged_blocks(players, None), 2)
    assert [fixture.order for fixture in first] == [fixture.order for fixture in second] == found
    assert [fixture.number for fixture in (*first, *second)] == list(range(2 * orders))
    assert [fixture.dice for fixture in first] == [number - number % 2 for number in range(orders)]
    assert len(list(exchanged_blocks(players, 3 * orders - 1))) == 2


def test_the_same_dice_where_only_the_two_are_exchanged(tmp_path: Path) -> None:
    path = tmp_path / "dicey.py"
    path.write_text(DICEY)
    played = contest(str(path), str(path), game="three_coins")
    blocks = list(islice(stream_blocks(played, exchanged_blocks(2, 20)), 10))
    for one, other in blocks:
        assert (one.places, one.moves, one.scores) == (other.places, other.moves, other.scores)
    assert len({block[0].scores for block in blocks}) > 1
    fresh = play_contest(played._replace(matches=20))
    assert any(one.scores != other.scores for one, other in zip(fresh[::2], fresh[1::2], strict=True))


def test_several_processes_give_the_same(run: Run, tmp_path: Path) -> None:
    (tmp_path / "dicey.py").write_text(DICEY)
    asked = ("honest", "dicey.py", "--with", "random", "--seed", "0a", "--json")
    one, two = run(*asked), run(*asked, "--jobs", "2")
    assert one.stdout == two.stdout
    assert tree(one)["verdict"] == "better"
    assert tree(one)["matches"] > 30, "more than is handed out at a time"


@pytest.mark.parametrize("jobs", [1, 2])
def test_how_much_is_handed_out_follows_the_clock_and_changes_nothing(
    jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def scores(seconds: float) -> list[tuple[int, ...]]:
        monkeypatch.setattr(pool, "CHUNK_SECONDS", seconds)
        found = []
        blocks = stream_blocks(contest("honest", "random"), exchanged_blocks(2, 40), jobs=jobs)
        for number, block in enumerate(blocks):
            assert [result.fixture.block for result in block] == [number] * 2
            found += [result.scores for result in block]
        assert len(found) == 40
        return found

    assert scores(0.0) == scores(100.0)


def test_nothing_goes_on_after_enough() -> None:
    import multiprocessing

    before = multiprocessing.active_children()
    blocks = stream_blocks(contest("honest", "random"), exchanged_blocks(2, None), jobs=2)
    assert len(next(blocks)) == 2
    assert len(multiprocessing.active_children()) > len(before)
    blocks.close()
    assert multiprocessing.active_children() == before
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_the_score_is_that_of_the_places() -> None:
    found = Comparison(contest("honest", "calculator", "random"), Question())
    scores = []
    for block in islice(stream_blocks(found.contest, exchanged_blocks(3, None)), 5):
        found.count(block)
        own = []
        for result in block:
            places = dict(zip(result.fixture.order, result.places, strict=True))
            own.append((places[0] < places[1]) + (places[0] == places[1]) / 2)
        scores.append(sum(own) / 6)
    assert (found.sample, found.matches) == (sample(scores), 30)
    assert block_score([((1, 2), 0, 1)]) == 1


# ---- while it is running ---------------------------------------------------------------------------


def test_the_line_that_is_always_up_to_date() -> None:
    found = Comparison(contest("honest", "calculator"), Question())
    for score in (0.0, 0.5, 0.5, 1.0, 0.5) * 20:
        found.sample, found.matches = found.sample.add(score), found.matches + 2
    line = status(found, 50.0, None)
    left = round(2 * found.sample.blocks_left(found.question))
    assert line.startswith("LLR -0.")
    assert "(-2.94 to 2.94)  Elo +0.0 ± " in line
    assert f"200 matches, about {left} more, {left / 4 / 60:.0f} min" in line
    assert "about 10 more, 2 s" in status(found, 50.0, 210)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_prints_what_is_known(tmp_path: Path, jobs: str) -> None:
    """On a terminal, where all processes get the signal."""
    # dice that nobody can seed, and a question that takes millions of matches
    (tmp_path / "coin.py").write_text(
        'import os\nfrom arena.kit import Bot\nclass Coin(Bot):\n    game = "mia"\n    def choose(self, view):\n'
        "        return view.legal[int.from_bytes(os.urandom(2)) % len(view.legal)]\n"
    )
    words = ["coin.py", "coin.py", "--elo1", "0.01", "--jobs", jobs]
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "arena.cli", "compare", *words],
        cwd=tmp_path, stdin=follower, stdout=subprocess.PIPE, stderr=follower, start_new_session=True,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "200"},
    )  # fmt: skip
    os.close(follower)
    seen = b""
    deadline = time.monotonic() + 60
    while not re.search(rb" [1-9]\d+ matches, about \d+ more, ", seen):
        assert time.monotonic() < deadline, seen
        seen += os.read(leader, 4096)
    os.killpg(process.pid, signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    with contextlib.suppress(OSError):  # which is how a terminal ends
        while more := os.read(leader, 4096):
            seen += more
    os.close(leader)
    assert process.returncode == 130
    assert b"Traceback" not in seen
    assert re.search(r"^verdict  undecided after \d+ matches, interrupted  \(", out.decode(), re.MULTILINE)
    assert b"\nElo " in out
