"""Playing here: repeated runs and several processes give the same matches; failures are the author's to see."""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path
from typing import Any

import pytest

from arena import record
from arena.games import find_game
from arena.kit import BotError
from arena.local import programs
from arena.local.contest import Absent, Contest, ContestError, blocks, find_entrants
from arena.local.pool import play_contest
from arena.local.worker import Result, play_blocks
from arena.rules import ruleset
from arena.verify import verify
from bots import house_bots


def contest(*bots: str, matches: int = 1, **changes: Any) -> Contest:
    entrants = find_entrants(bots, house_bots("three_coins"))
    return Contest(ruleset(find_game("three_coins")), entrants, matches, b"seed", None, "forfeit")._replace(**changes)


def timeless(results: list[Result]) -> list[Result]:
    return [result._replace(ms=(), record=None) for result in results]


@pytest.fixture
def dicey(tmp_path: Path) -> str:
    """A bot that leans on everything that could differ from run to run: global dice, its own, and a global."""
    path = tmp_path / "dicey.py"
    path.write_text(
        "import random\nfrom arena.kit import Bot\nbase = random.random()\nseen = []\n"
        "class Dicey(Bot):\n    game = 'three_coins'\n    def choose(self, view):\n        seen.append(1)\n"
        "        at = int((base + random.random() + self.random.random()) * 1000) + len(seen)\n"
        "        return view.legal[at % len(view.legal)]\n"
    )
    return str(path)


def test_repeated_runs_and_several_processes_give_the_same(dicey: str) -> None:
    played = contest(dicey, dicey, "random", matches=80)
    first = play_contest(played)
    assert [result.fixture.number for result in first] == list(range(80))
    assert timeless(play_contest(played)) == timeless(first)
    assert timeless(play_contest(played, jobs=2)) == timeless(first)
    assert timeless(play_contest(played._replace(seed=b"other"))) != timeless(first)


def test_the_blocks_share_their_luck_and_every_record_verifies() -> None:
    results = play_contest(contest("random", "honest", matches=6), keep_records=True)
    records = [result.record for result in results]
    assert all(records)
    for one in records:
        assert one is not None
        verify(one)
    seeds = [one.fairness.seed for one in records if one is not None]
    assert seeds[0] == seeds[1] != seeds[2] == seeds[3]
    assert [record.name(one) for one in records if one is not None] == [result.name for result in results]


def test_what_bots_print_goes_aside_and_the_dice_are_left_as_they_were(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "loud.py"
    path.write_text("GAME = 'three_coins'\ndef choose(view):\n    print('LOUD')\n    return view.legal[0]\n")
    before = random.getstate()
    play_contest(contest(str(path), "random"))
    assert random.getstate() == before
    told = capsys.readouterr()
    assert "LOUD" not in told.out
    assert "LOUD" in told.err


def test_logs_and_failures_are_heard(tmp_path: Path) -> None:
    path = tmp_path / "weak.py"
    path.write_text(
        "from arena.kit import Bot\nclass Weak(Bot):\n    game = 'three_coins'\n"
        "    def choose(self, view):\n        self.log('thinking')\n        return 1 / 0\n"
    )
    heard: list[tuple[str, str]] = []
    played = contest(str(path), "random")
    (result,) = play_blocks(played, list(blocks(played)), hear=lambda name, line: heard.append((name, line)))
    assert [fault.kind for fault in result.faults] == ["unreadable"]
    assert "ZeroDivisionError" in result.faults[0].detail
    assert any("Traceback" in line and "weak.py" in line for name, line in heard if name == "weak")
    assert ("weak", "thinking") in heard


def test_a_bot_that_cannot_be_made_ends_the_run_before_it_begins(tmp_path: Path) -> None:
    path = tmp_path / "weak.py"
    path.write_text(
        "from arena.kit import Bot\nclass Weak(Bot):\n    game = 'three_coins'\n"
        "    def __init__(self):\n        1 / 0\n"
    )
    with pytest.raises(BotError, match=r"weak\.py:5"):
        play_contest(contest("random", str(path)))


def test_the_error_of_another_process_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "weak.py"
    path.write_text("import os\nGAME = 'three_coins'\ndef choose(view):\n    os._exit(3)\n")
    with pytest.raises(ContestError, match="did a bot end it"):
        play_contest(contest("random", str(path), matches=60), jobs=2)


# ---- programs ------------------------------------------------------------------------------------


def program(bot: str = "honest") -> str:
    return f"cmd:{sys.executable} -m arena.dial {house_bots('three_coins')[bot]}"


def test_a_program_dials_in_and_plays_every_match() -> None:
    results = play_contest(contest(program(), "random", matches=5), keep_records=True)
    assert [result.faults for result in results] == [()] * 5
    for result in results:
        assert result.record is not None
        verify(result.record)


def test_a_program_that_cannot_start_or_does_not_come_is_said() -> None:
    with pytest.raises(ContestError, match="cannot be started: No such file"):
        play_contest(contest("cmd:/no/such/program", "random"))
    with pytest.raises(Absent, match="ended with code 3 before it had dialled in"):
        play_contest(contest(f"cmd:{sys.executable} -c 'raise SystemExit(3)'", "random"))


def test_a_program_that_dies_is_gone_and_the_next_block_is_not_played(tmp_path: Path) -> None:
    path = tmp_path / "mortal.py"
    path.write_text("import os\nGAME = 'three_coins'\ndef choose(view):\n    os._exit(3)\n")
    command = f"cmd:{sys.executable} -m arena.dial {path}"
    (result,) = play_contest(contest(command, "random", matches=1))
    assert [fault.kind for fault in result.faults] == ["gone"]
    with pytest.raises(Absent, match="mortal"):
        play_contest(contest(command, "random", matches=3))


def test_no_program_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "FAREWELL_SECONDS", 0.1)
    pid = tmp_path / "pid"
    path = tmp_path / "stays.py"
    # it plays, and then does not want to go
    path.write_text(
        f"import os, time\nopen({str(pid)!r}, 'w').write(str(os.getpid()))\n"
        "import arena.dial, sys\narena.dial.main(sys.argv[1:])\ntime.sleep(600)\n"
    )
    command = f"cmd:{sys.executable} {path} {house_bots('three_coins')['honest']}"
    play_contest(contest(command, "random"))
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)
