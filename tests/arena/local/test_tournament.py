"""Tournaments on this machine: what is printed, that they can be repeated, and that a broken one goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from arena.cli import main
from arena.games import find_game
from arena.local.contest import ContestError, find_entrants
from arena.local.tournament import Log, Moment, Plan, play_tournament, read_log, read_tree, write_log
from arena.pairing import Round, read_format
from arena.rules import ruleset
from bots import house_bots

BOTS = ("honest", "calculator", "random", "random", "observer", "random", "honest")
Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs a tournament in this process, in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def invoke(*arguments: str, bots: tuple[str, ...] = BOTS) -> Result:
        return CliRunner().invoke(main, ("tournament", "three_coins", *bots, *arguments))

    return invoke


def refused(result: Result) -> str:
    assert result.exit_code == 2, result.output
    (line,) = result.stderr.splitlines()
    return line.removeprefix("arena: ")


def plan(form: str = "swiss", **options: Any) -> Plan:
    described = {"format": form, "least": 2, "most": 3} | options
    rules = ruleset(find_game("three_coins"))
    bots = find_entrants(BOTS, house_bots("three_coins"))
    return Plan(rules, bots, read_format(described), 2, b"seed", None, "forfeit")


@pytest.mark.parametrize("form", ["swiss", "round-robin", "single", "double", "groups"])
def test_every_form_has_a_winner_and_is_the_same_when_repeated(run: Run, form: str) -> None:
    options = ("--format", form, "--series", "2", "--seed", "07", "--json", "--table", "3")
    once = run(*options)
    assert once.exit_code == 0, once.output
    told = json.loads(once.stdout)
    assert told["champion"] in {bot["bot"] for bot in told["bots"]}
    assert told["standings"][0]["bot"] == told["champion"]
    assert sorted(row["bot"] for row in told["standings"]) == sorted(bot["bot"] for bot in told["bots"])
    assert all(len(table["places"]) == 2 for made in told["rounds"] for table in made["tables"])
    assert run(*options).stdout == once.stdout


def test_several_processes_play_the_very_same_tournament(run: Run) -> None:
    options = ("--rounds", "2", "--series", "3", "--seed", "07", "--json")
    assert run(*options, "--jobs", "2").stdout == run(*options).stdout


def test_the_standings_are_a_table_that_says_why(run: Run) -> None:
    told = run("--rounds", "2", "--series", "2", "--seed", "01")
    assert told.exit_code == 0
    assert "three_coins classic, 4 series, 8 matches" in told.stdout
    assert "random (3)" in told.stdout
    assert "why here" in told.stdout
    assert " points, " in told.stdout
    assert "the winner is " in told.stdout
    assert "to repeat it: --seed " in run("--rounds", "1", "--series", "1").stderr


def test_what_makes_no_sense_is_said(run: Run) -> None:
    assert "at least two bots" in refused(run(bots=("honest",)))
    assert "--format single together with --rounds" in refused(run("--format", "single", "--rounds", "3"))
    assert "--format swiss together with --group" in refused(run("--group", "3"))
    assert "not 3" in refused(run("--format", "single", "--table", "3", "--advance", "3"))
    assert "not for 4" in refused(run("--preset", "duel", "--table", "4"))
    assert "too few for 2 to go on" in refused(run("--format", "groups", "--group", "2"))
    assert "no house bot 'nobody'" in refused(run(bots=("honest", "nobody")))
    assert "No such file" in refused(run("--resume", "no/such/folder"))


def test_a_bot_that_fails_is_counted(run: Run, tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("GAME = 'three_coins'\n\n\ndef choose(view):\n    raise ValueError\n")
    told = run("--format", "round-robin", "--table", "2", "--series", "2", "--seed", "00", bots=("honest", "broken.py"))
    assert told.exit_code == 0, told.output
    assert "2 unreadable" in told.stdout
    assert "the winner is honest" in told.stdout


# ---- going on ------------------------------------------------------------------------------------


class Broken(Exception):
    """Somebody pulled the plug."""


@pytest.mark.parametrize("form", ["swiss", "double", "groups"])
def test_whenever_it_is_broken_off_it_goes_on_to_the_same_end(tmp_path: Path, form: str) -> None:
    made = plan(form, **({"rounds": 3} if form == "swiss" else {}))
    whole = play_tournament(made, {})
    file = tmp_path / "state.json"
    for stop in range(1, len(whole.log), 3):
        file.unlink(missing_ok=True)
        fresh = 0

        def save(log: Log) -> None:
            nonlocal fresh
            write_log(file, made, log)
            fresh += 1
            if fresh == stop:  # noqa: B023  # called in this turn of the loop only
                raise Broken

        with pytest.raises(Broken):
            play_tournament(made, {}, save=save)
        tree = read_tree(file)
        assert tree is not None
        log = read_log(file, tree, made)
        assert len(log) == stop
        moments: list[Moment] = []
        again = play_tournament(made, log, progress=moments.append)
        assert (again.rounds, again.finished, again.log) == (whole.rounds, whole.finished, whole.log)
        assert sum(moment.done for moment in moments) > 0


def test_a_killed_command_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "state.json"
    command = [
        *(sys.executable, "-m", "arena.cli", "tournament", "three_coins", *BOTS, "--series", "40", "--seed", "05"),
        *("--resume", str(file), "--json"),
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not (file.exists() and json.loads(file.read_text())["series"]) and time.monotonic() < deadline:
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    before = json.loads(file.read_text())["series"]
    assert before
    again = subprocess.run(command, capture_output=True, text=True, check=True)
    assert f"{len(before)} series have been played" in again.stderr
    whole = subprocess.run(
        [one for one in command if one not in {"--resume", str(file)}], capture_output=True, text=True, check=True
    )
    assert again.stdout == whole.stdout


def test_a_file_of_another_tournament_is_refused_and_left_alone(run: Run, tmp_path: Path) -> None:
    options = ("--rounds", "1", "--series", "1", "--resume", "state.json")
    assert run(*options).exit_code == 0
    file = tmp_path / "state.json"
    text = file.read_text()
    assert "its matches differs" in refused(run("--rounds", "1", "--series", "2", "--resume", "state.json"))
    assert "its seed differs" in refused(run(*options, "--seed", "00"))
    assert "its bots differs" in refused(run(*options, bots=BOTS[1:]))
    assert file.read_text() == text
    done = run(*options)
    assert done.exit_code == 0
    assert "3 series have been played" in done.stderr or "2 series have been played" in done.stderr
    for nonsense in ("[]", "{", '{"series": 3}'):
        file.write_text(nonsense)
        assert "no tournament is written in it" in refused(run(*options))
    file.write_text(text.replace('"seats"', '"chairs"'))
    assert "cannot be read" in refused(run(*options))


def test_a_series_that_others_played_is_no_part_of_it() -> None:
    made = plan(rounds=1)
    log = play_tournament(made, {}).log
    first = made.form.next_round(made.entrants, [], made.draw)
    assert isinstance(first, Round)
    one, other = first.tables[:2]
    log[one.name] = log[other.name]
    with pytest.raises(ContestError, match="played by others"):
        play_tournament(made, log)
