"""The ``arena`` command: what it prints, how it fails, and with which exit code."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from arena import record
from arena.cli import main
from arena.games import GAMES, find_game
from arena.kit import load_bot
from arena.protocol.v1 import arena_pb2 as pb
from arena.rules import AnyGame, ruleset
from arena.seats import LineSeat, Listener
from arena.table import Limits
from bots import house_bots
from tests.arena.series import PLAYERS, series

Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs a command in this process, in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def invoke(*arguments: str, **options: Any) -> Result:
        return CliRunner().invoke(main, arguments, **options)

    return invoke


def refused(result: Result, code: int = 2) -> str:
    """The one line in which a command said why not."""
    assert result.exit_code == code, result.output
    (line,) = result.stderr.splitlines()
    assert line.startswith("arena: ")
    assert "Traceback" not in result.output
    return line.removeprefix("arena: ")


# ---- every command ---------------------------------------------------------------------------------


def every_command() -> Iterator[tuple[str, click.Command]]:
    context = click.Context(main)
    for name in main.list_commands(context):
        found = main.get_command(context, name)
        assert found is not None
        yield name, found


def test_there_are_these_commands() -> None:
    assert [name for name, _ in every_command()] == [
        *(
            "ask",
            "compare",
            "connect",
            "exploitability",
            "login",
            "logout",
            "new",
            "play",
            "rules",
            "show",
            "solve",
            "submit",
            "tournament",
            "up",
        ),
        "verify",
    ]


@pytest.mark.parametrize(("name", "command"), [pytest.param(*pair, id=pair[0]) for pair in every_command()])
def test_every_command_and_option_has_a_help_text(run: Run, name: str, command: click.Command) -> None:
    assert command.help
    assert len(command.get_short_help_str()) > 10
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{name} {parameter.opts[0]}"
        elif name != "up":
            shown = parameter.make_metavar(click.Context(command)).strip("[]").split()[0].removesuffix("...")
            assert shown in command.help, f"{name}: {shown} is not explained"
    if name != "up":
        assert run(name, "--help").exit_code == 0


def test_the_exit_codes_are_documented(run: Run) -> None:
    told = run("--help")
    assert told.exit_code == 0
    assert "Exit codes: 0" in told.stdout


def test_the_version(run: Run) -> None:
    assert run("--version").stdout.startswith("arena, version ")


def test_what_cannot_be_done_is_one_line_and_code_2(run: Run) -> None:
    assert "No such command 'dance'" in refused(run("dance"))
    assert "--loud" in refused(run("rules", "--loud"))
    assert "chess" in refused(run("play", "chess", "a", "b"))


# ---- play ------------------------------------------------------------------------------------------

SEEDED = ("play", "three_coins", "honest", "calculator", "random", "--seed", "00")


def test_one_match_is_told(run: Run) -> None:
    told = run(*SEEDED)
    assert told.exit_code == 0
    assert told.stdout.startswith("round 1: everybody hides coins, ")
    assert "place 1: " in told.stdout
    assert "seat" not in told.stdout
    assert run(*SEEDED).stdout == told.stdout


def test_many_matches_are_summed_up_alike_in_every_run(run: Run) -> None:
    once, twice = run(*SEEDED, "--matches", "60"), run(*SEEDED, "--matches", "60")
    assert once.exit_code == 0
    assert "three_coins classic, 60 matches" in once.stdout
    assert "95 % interval" in once.stdout
    assert once.stdout == twice.stdout


def test_json_is_the_same_in_every_run_and_with_several_processes(run: Run) -> None:
    texts = [run(*SEEDED, "--matches", "60", "--json", "--jobs", jobs).stdout for jobs in ("1", "1", "2")]
    assert texts[0] == texts[1] == texts[2]
    tree = json.loads(texts[0])
    assert tree["matches"] == len(tree["results"]) == 60
    assert [bot["bot"] for bot in tree["bots"]] == ["honest", "calculator", "random"]
    assert sum(bot["places"][0] for bot in tree["bots"]) >= 60
    assert "ms" not in tree["bots"][0]


def test_times_are_there_when_asked_for(run: Run) -> None:
    tree = json.loads(run(*SEEDED, "--matches", "2", "--json", "--times").stdout)
    assert tree["bots"][0]["ms"] > 0
    assert len(tree["results"][0]["ms"]) == 3


def test_the_calculator_beats_two_who_play_at_random(run: Run) -> None:
    tree = json.loads(run("play", "three_coins", "calculator", "random", "random", "--seed", "00",
                          "--matches", "240", "--json").stdout)  # fmt: skip
    low, _ = tree["bots"][0]["interval"]
    assert low > 0.5  # an equal share


def test_a_run_without_a_seed_says_how_to_repeat_it(run: Run) -> None:
    first = run("play", "three_coins", "random", "random", "--matches", "4", "--no-limits", "--json")
    seed = json.loads(first.stdout)["seed"]
    again = run("play", "three_coins", "random", "random", "--matches", "4", "--seed", seed, "--json")
    assert again.stdout == first.stdout
    table = run("play", "three_coins", "random", "random", "--matches", "2", "--no-limits")
    assert "--seed " in table.stderr


def test_presets_and_options_reach_the_record(run: Run) -> None:
    made = run("play", "three_coins", "random", "random", "--preset", "call-only", "--set", "max_rounds=3",
               "--set", "zero = on", "--seed", "00", "--record", "r.json")  # fmt: skip
    assert made.exit_code == 0
    options = record.read(Path("r.json").read_bytes()).options
    assert (options["cliff"], options["zero"], options["max_rounds"]) == ("off", "on", 3)
    assert run("verify", "r.json").exit_code == 0


def test_several_records_are_numbered(run: Run) -> None:
    made = run("play", "three_coins", "random", "random", "--matches", "3", "--seed", "00", "--record", "r.json")
    assert made.exit_code == 0
    names = [f"r-000{number}.json" for number in (1, 2, 3)]
    assert sorted(path.name for path in Path().iterdir()) == names
    assert run("verify", *names).exit_code == 0


def test_own_bots_play_and_what_they_log_and_how_they_fail_is_shown(run: Run) -> None:
    Path("mine.py").write_text(
        "from arena.kit import Bot\nclass Mine(Bot):\n    game = 'three_coins'\n    def choose(self, view):\n"
        "        self.log('hm')\n        print('printed')\n        return view.legal[-1] if view.bid else 1 / 0\n"
    )
    told = run("play", "three_coins", "mine.py", "honest", "--seed", "00")
    assert told.exit_code == 0
    assert "[mine] hm" in told.stderr
    assert "printed" in told.stderr
    assert "mine.py" in told.stderr
    assert "ZeroDivisionError" in told.stderr
    assert "printed" not in told.stdout
    assert "mine was at fault, unreadable: choose raised ZeroDivisionError" in told.stdout


def test_in_practice_a_fault_costs_a_default_move(run: Run) -> None:
    Path("mute.py").write_text("GAME = 'three_coins'\ndef choose(view):\n    return None\n")
    arguments = ("play", "three_coins", "mute.py", "random", "--seed", "00", "--json")
    rated, practice = (json.loads(run(*arguments, *more).stdout) for more in ((), ("--practice",)))
    assert len(rated["results"][0]["faults"]) == 1
    assert len(practice["results"][0]["faults"]) > 1


def test_deadlines_hold_when_asked_for(run: Run) -> None:
    Path("slow.py").write_text(
        "import threading\nGAME = 'three_coins'\ndef choose(view):\n    threading.Event().wait(5)\n    return 'call'\n"
    )
    arguments = ("play", "three_coins", "slow.py", "honest", "--seed", "00", "--move-ms", "30", "--bank-ms", "0")
    told = run(*arguments)
    assert told.exit_code == 0
    assert "slow was at fault, late" in told.stdout
    assert "cannot be repeated" in told.stderr


def test_a_program_may_play(run: Run) -> None:
    program = f"cmd:{sys.executable} -m arena.dial {house_bots('three_coins')['honest']}"
    told = run("play", "three_coins", program, "random", "--seed", "00", "--matches", "4", "--json")
    assert told.exit_code == 0
    assert "cannot be repeated" in told.stderr
    assert json.loads(told.stdout)["bots"][0]["faults"] == {}


def test_a_program_that_fails_is_code_1(run: Run) -> None:
    assert "before it had dialled in" in refused(run("play", "three_coins", "cmd:false", "random"), 1)
    Path("mortal.py").write_text("import os\nGAME = 'three_coins'\ndef choose(view):\n    os._exit(3)\n")
    told = run("play", "three_coins", f"cmd:{sys.executable} -m arena.dial mortal.py", "random")
    assert told.exit_code == 1
    assert "was at fault, gone" in told.stdout


@pytest.mark.parametrize(
    ("deed", "how"),
    [
        ("os._exit(0)", "with exit code 0"),
        ("os.kill(os.getpid(), 9)", "by SIGKILL"),
        ("ctypes.string_at(0)", "by SIGSEGV"),
    ],
)
def test_a_bot_that_ends_the_whole_process_is_named(tmp_path: Path, deed: str, how: str) -> None:
    (tmp_path / "mortal.py").write_text(f"import ctypes, os\nGAME = 'three_coins'\ndef choose(view):\n    {deed}\n")
    command = [sys.executable, "-m", "arena.cli", "play", "three_coins", "honest", "mortal.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    ended = f"arena: mortal ended the process in which the bots ran, {how}: no bot may call os._exit, or crash Python"
    assert done.stderr.splitlines()[-1] == ended


def test_a_program_that_is_asked_to_end_blames_no_bot(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(
        "import time\nGAME = 'three_coins'\ndef choose(view):\n    print('thinking', flush=True)\n    time.sleep(60)\n"
    )
    command = [sys.executable, "-m", "arena.cli", "play", "three_coins", "slow.py", "honest", "--seed", "00"]
    playing = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    assert playing.stderr is not None
    with playing:
        while "thinking" not in playing.stderr.readline():
            pass
        playing.send_signal(signal.SIGTERM)
        said = playing.stderr.read()
    assert playing.returncode == 143
    assert "ended the process" not in said


ASKED_TO_END_AT_THE_FORK = """
import os, signal, sys, time
from arena import witness
real = os.fork
def fork():
    child = real()
    if child:
        os.kill(os.getpid(), signal.SIGTERM)
    return child
os.fork = fork
sys.exit(witness.watched(lambda: time.sleep(60)))
"""


def test_a_program_that_is_asked_to_end_while_it_starts_hands_that_on_too() -> None:
    command = [sys.executable, "-c", ASKED_TO_END_AT_THE_FORK]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (143, "")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["honest"], "at least two bots"),
        (["honest", "nobody"], "no house bot 'nobody'"),
        (["honest", "gone.py"], "gone.py: No such file"),
        (["honest", "random", "--preset", "wild"], "no preset 'wild'"),
        (["honest", "random", "--set", "cliff"], "write option=value"),
        (["honest", "random", "--set", "cliff=maybe"], "'maybe' is not one of on | off"),
        (["honest", "random", "--set", "coin_cap=1"], "below start_coins"),
        (["honest", "random", "random", "--preset", "duel"], "for 2 players, not for 3"),
        (["honest", "random", "--seed", "xyz"], "not hex"),
        (["honest", "random", "--seed", ""], "1 to 64 bytes"),
        (["honest", "random", "--matches", "0"], "--matches"),
        (["honest", "random", "--no-limits", "--move-ms", "5"], "makes no sense"),
        (["honest", "random", "--record", "no/such/r.json", "--seed", "00"], "no such folder"),
        (["honest", "random", "--record", "folder", "--seed", "00"], "directory"),
    ],
)
def test_what_cannot_be_played_is_said(run: Run, arguments: list[str], said: str) -> None:
    Path("folder").mkdir()
    result = run("play", "three_coins", *arguments)
    assert result.exit_code == 2
    assert said in result.stderr.splitlines()[-1]


# ---- verify ----------------------------------------------------------------------------------------


@pytest.fixture
def played(run: Run) -> Path:
    assert run(*SEEDED, "--record", "r.json").exit_code == 0
    return Path("r.json").absolute()


def test_a_record_holds(run: Run, played: Path) -> None:
    name = record.name(record.read(played.read_bytes()))
    told = run("verify", str(played))
    assert (told.exit_code, told.stdout) == (0, f"{played}: all agrees; its name is {name}\n")
    assert run("verify", "--name", name.upper(), str(played)).exit_code == 0
    assert run("verify", "-", input=played.read_bytes()).exit_code == 0


def test_tampering_is_found_and_named(run: Run, played: Path) -> None:
    whole = json.loads(played.read_text())
    (seat,) = whole["steps"][2]["moves"]

    def tampered(change: Callable[[Any], None]) -> str:
        tree = json.loads(played.read_text())
        change(tree)
        Path("t.json").write_text(json.dumps(tree))
        told = run("verify", "t.json")
        assert told.exit_code == 1
        assert told.stdout == ""
        return told.stderr

    assert "step 1 (steps[0].got[0])" in tampered(
        lambda t: t["steps"][0].update(got=[(t["steps"][0]["got"][0] + 1) % 3])
    )
    assert f"step 3 (steps[2].moves.{seat})" in tampered(lambda t: t["steps"][2]["moves"].update({seat: "bid 99"}))
    assert "outcome.places" in tampered(lambda t: t["outcome"].update(places=t["outcome"]["places"][::-1]))
    assert "fairness.commitment" in tampered(lambda t: t["fairness"].update(commitment="00" * 32))
    assert "options.cliff" in tampered(lambda t: t["options"].update(cliff="maybe"))
    assert "nothing can be verified yet" in tampered(lambda t: t["fairness"].update(seed=None))
    assert "no key" in tampered(lambda t: t.update(extra=1))


def test_the_name_catches_what_the_rules_cannot(run: Run, played: Path) -> None:
    name = record.name(record.read(played.read_bytes()))
    changed = json.loads(played.read_text())
    changed["players"][0]["bot"] = "somebody else"
    Path("t.json").write_text(json.dumps(changed))
    assert run("verify", "t.json").exit_code == 0
    told = run("verify", "--name", name, "t.json")
    assert told.exit_code == 1
    assert "this record is" in told.stderr


def test_one_bad_file_of_several_is_code_1(run: Run, played: Path) -> None:
    Path("bad.json").write_text("{")
    told = run("verify", str(played), "bad.json")
    assert told.exit_code == 1
    assert "all agrees" in told.stdout
    assert "bad.json: this is not JSON" in told.stderr
    assert "one record" in refused(run("verify", "--name", "00", str(played), "bad.json"))
    assert "gone.json" in refused(run("verify", "gone.json"))


# ---- show, rules, ask, new ---------------------------------------------------------------------------


def test_a_record_is_told_to_different_eyes(run: Run, played: Path) -> None:
    whole, seat, public = (run("show", str(played), *more).stdout for more in ((), ("--as", "1"), ("--as", "public")))
    assert "chance start/lot: " in whole
    for name in ("honest", "calculator", "random"):
        assert f"{name} hides " in whole
        assert (f"{name} hides " in seat) == (name == "calculator")
        assert f"{name} hides " not in public
    assert "reason: last_left" in public


def test_one_step_is_shown_with_its_position(run: Run, played: Path) -> None:
    told = run("show", str(played), "--step", "2", "--as", "0").stdout
    assert "   2  honest hides " in told
    assert "phase: bidding" in told
    assert re.search(r"hands: \d - -", told)  # the other fists
    assert "phase: lot" in run("show", str(played), "--step", "0").stdout
    assert "no step 999" in refused(run("show", str(played), "--step", "999"))
    assert "--as 7" in refused(run("show", str(played), "--as", "7"))


def test_a_record_is_told_with_how_true_and_how_likely_it_was(run: Run, played: Path) -> None:
    whole, seat, public = (run("show", str(played), *more).stdout for more in ((), ("--as", "1"), ("--as", "public")))
    assert re.search(r"\((true|bluff).* likely by \w+'s own fist\)", whole)
    assert "'s chance to win goes from " in whole
    assert re.search(r"likely by calculator's own fist\)", seat)
    assert not re.search(r"likely by (honest|random)'s own fist|\((true|bluff)|chance to win", seat)
    assert re.search(r"\(\d+\u00a0% likely\)", public)
    assert not re.search(r"own fist|\((true|bluff)|chance to win", public)


def test_the_moments_of_a_record_are_listed(run: Run, played: Path) -> None:
    lines = run("show", str(played), "--moments").stdout.splitlines()
    assert 0 < len(lines) <= 3
    whole = run("show", str(played)).stdout
    for line in lines:
        assert re.fullmatch(r" *\d+  .*: [−+]?[<>]?\d+\u00a0% chance.*", line)
        assert re.search(rf"^ *{line.split()[0]}  ", whole, re.MULTILINE)
    assert "--moments goes with neither" in refused(run("show", str(played), "--moments", "--as", "1"))


def test_a_record_that_breaks_the_rules_is_shown_until_there(run: Run, played: Path) -> None:
    tree = json.loads(played.read_text())
    del tree["steps"][-1]
    Path("t.json").write_text(json.dumps(tree))
    told = run("show", "t.json")
    assert told.exit_code == 1
    assert "honest hides" in told.stdout
    assert "the record ends after" in told.stderr
    assert run("show", "t.json", "--moments").exit_code == 1


def test_the_rules_are_listed(run: Run) -> None:
    assert "three_coins: Three Coins, 2 to 10 players; presets classic, call-only, duel" in run("rules").stdout


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES.keys())
def test_every_option_is_told_with_its_default_and_what_it_is(
    run: Run, game: AnyGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "300")  # each in a line
    lines = run("rules", game.name).stdout.splitlines()
    for preset in game.presets:
        (line,) = (line for line in lines if line.split()[:1] == [preset.name])
        assert preset.summary in line
    for option in game.options:
        (line,) = (line for line in lines if line.split()[:1] == [option.name])
        assert line.split()[1] == str(option.default)
        assert option.allowed in line
        assert line.rstrip().endswith(option.meaning)
    tree = json.loads(run("rules", game.name, "--json").stdout)
    assert [(o["option"], o["default"], o["meaning"]) for o in tree["options"]] == [
        (option.name, option.default, option.meaning) for option in game.options
    ]


def test_the_rules_as_json_are_whole(run: Run) -> None:
    tree = json.loads(run("rules", "three_coins", "--json").stdout)
    game = find_game("three_coins")
    assert [option["option"] for option in tree["options"]] == [option.name for option in game.options]
    assert tree["presets"][1]["options"] == ruleset(game, "call-only").values
    assert [one["game"] for one in json.loads(run("rules", "--json").stdout)] == list(GAMES)


def test_a_bot_is_asked_what_it_would_have_done(run: Run, played: Path) -> None:
    calculator = str(house_bots("three_coins")["calculator"])
    told = run("ask", calculator, str(played))
    assert told.exit_code == 0
    assert told.stdout.count(" decisions, ") == 3
    assert run("ask", calculator, str(played)).stdout == told.stdout
    assert run("ask", "calculator", str(played)).stdout == told.stdout  # the house's bots go by their names
    one = run("ask", calculator, str(played), "--seat", "1").stdout
    assert one.count(" decisions, ") == 1
    assert one in told.stdout


def test_a_bot_that_plays_the_record_agrees_with_it(run: Run) -> None:
    Path("first.py").write_text("GAME = 'three_coins'\ndef choose(view):\n    return view.legal[0]\n")
    run("play", "three_coins", "first.py", "first.py", "--seed", "00", "--record", "r.json")
    told = run("ask", "first.py", "r.json").stdout.splitlines()
    assert len(told) == 2
    assert all(line.endswith(", 0 otherwise") for line in told)
    Path("wild.py").write_text("GAME = 'three_coins'\ndef choose(view):\n    return 'bid 99' if view.bid else 'hum'\n")
    told = run("ask", "wild.py", "r.json", "--seat", "0").stdout.splitlines()
    assert any(line.endswith("this bot: bid 99 (illegal)") for line in told)
    assert any("this bot: unreadable" in line for line in told)


def test_asking_a_bot_that_fails_is_code_1(run: Run, played: Path) -> None:
    Path("weak.py").write_text("GAME = 'three_coins'\ndef choose(view):\n    return 1 / 0\n")
    assert "on seat 0 the bot failed: ZeroDivisionError" in refused(run("ask", "weak.py", str(played)), 1)
    assert "the seats are 0 to 2" in refused(run("ask", "weak.py", str(played), "--seat", "3"))


@pytest.mark.parametrize("file", ["mine.py", "my-first bot.py", "7.py", "bot.py"])
def test_a_new_bot_plays_and_is_short(run: Run, file: str) -> None:
    assert run("new", "three_coins", file).exit_code == 0
    lines = [line for line in Path(file).read_text().splitlines() if line.strip() and not line.startswith('"""')]
    assert len(lines) <= 10
    assert load_bot(file).game == "three_coins"
    assert run("play", "three_coins", file, "random", "--seed", "00").exit_code == 0


def test_a_new_bot_never_overwrites(run: Run) -> None:
    Path("mine.py").write_text("precious")
    assert "not overwritten" in refused(run("new", "three_coins", "mine.py"))
    assert Path("mine.py").read_text() == "precious"
    assert "ends in .py" in refused(run("new", "three_coins", "mine.txt"))
    assert "No such file" in refused(run("new", "three_coins", "no/such/mine.py"))


# ---- connect and up ----------------------------------------------------------------------------------


async def end(processes: list[asyncio.subprocess.Process]) -> None:
    """Whatever went wrong, no bot goes on dialling."""
    for process in processes:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def test_a_bot_connects_plays_and_says_what_happens(tmp_path: Path) -> None:
    honest = str(house_bots("three_coins")["honest"])
    async with Listener("127.0.0.1:0") as listener:
        tickets = [listener.expect(player) for player in PLAYERS]
        bots = [
            await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "arena.cli", "connect", honest, "--server", listener.target, "--once"),
                env=os.environ | {"ARENA_TOKEN": ticket},
                stdout=asyncio.subprocess.PIPE,
            )
            for ticket, _ in tickets
        ]
        try:
            await series(tickets)
            outputs = [(await bot.communicate())[0].decode() for bot in bots]
        finally:
            await end(bots)
    assert [bot.returncode for bot in bots] == [0, 0]
    for output in outputs:
        assert "honest.py plays three_coins; dialling 127.0.0.1:" in output
        assert "waiting for a table" in output
        assert "m-1: place " in output
        assert "is as it was committed to" in output


def test_a_bot_that_thinks_for_ever_about_a_record_is_code_1(run: Run, played: Path) -> None:
    Path("loop.py").write_text(
        "GAME = 'three_coins'\ndef choose(view):\n    while True:\n        try:\n            pass\n"
        "        except Exception:\n            pass\n"
    )
    said = refused(run("ask", "loop.py", str(played), "--seat", "0", "--seconds", "2"), 1)
    assert said == "loop.py: on seat 0, at decision 1, it thought for 2 s"


async def test_who_is_late_hears_so_while_it_still_thinks_and_all_is_kept(tmp_path: Path) -> None:
    (tmp_path / "loop.py").write_text(
        "GAME = 'three_coins'\ndef choose(view):\n    print('round and round')\n    while True:\n        pass\n"
    )
    async with Listener("127.0.0.1:0") as listener:
        tickets = [listener.expect(player) for player in PLAYERS]
        command = [sys.executable, "-m", "arena.cli", "connect"]
        bots = [
            await asyncio.create_subprocess_exec(
                *(*command, str(file), "--server", listener.target, "--log", str(tmp_path / f"{number}.log")),
                env=os.environ | {"ARENA_TOKEN": tickets[number][0], "PYTHONUNBUFFERED": "1"},
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.PIPE,
            )
            for number, file in enumerate([tmp_path / "loop.py", house_bots("three_coins")["honest"]])
        ]
        try:
            async with asyncio.timeout(60):
                playing = asyncio.ensure_future(series(tickets, limits=Limits(5_000, 300, 0)))
                assert bots[0].stderr is not None
                while not (line := (await bots[0].stderr.readline()).decode()).startswith("your bot is late"):
                    pass
                said = re.match(
                    r"your bot is late at decision 1 of m-\S+: it had 300 ms, and has thought for (\d+) ms", line
                )
                assert said is not None, line
                assert int(said[1]) >= 300
                while not (await bots[0].stderr.readline()).decode().startswith("your bot is late"):
                    pass  # and once more
                record.read(await playing)
        finally:
            await end(bots)
    kept = (tmp_path / "0.log").read_text()
    assert re.search(r"^20\S+Z printed: round and round$", kept, re.MULTILINE)
    assert re.search(r"^20\S+Z your bot is late at decision 1", kept, re.MULTILINE)
    assert "this bot has seat" in kept


async def test_a_bot_that_is_refused_is_code_1(tmp_path: Path) -> None:
    honest = str(house_bots("three_coins")["honest"])
    async with Listener("127.0.0.1:0") as listener:
        bot = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "arena.cli", "connect", honest, "--server", listener.target, "--token", "wrong"),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            _, said = await bot.communicate()
        finally:
            await end([bot])
    assert bot.returncode == 1
    assert "this ticket is unknown" in said.decode().splitlines()[-1]


async def test_the_first_interrupt_lets_the_series_end_and_the_second_does_not(tmp_path: Path) -> None:
    honest = str(house_bots("three_coins")["honest"])
    async with Listener("127.0.0.1:0") as listener:
        for twice in (False, True):
            ticket, arriving = listener.expect(PLAYERS[0])
            bot = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "arena.cli", "connect", honest, "--server", listener.target),
                env=os.environ | {"ARENA_TOKEN": ticket},
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
            assert bot.stdout is not None
            assert bot.stderr is not None
            try:
                async with asyncio.timeout(30):
                    seat = LineSeat(GAMES["three_coins"], await arriving)
                    await seat.greet("series 1", 1, PLAYERS)
                    while b"series 1: 1 match" not in await bot.stdout.readline():
                        pass
                    bot.send_signal(signal.SIGINT)
                    assert b"played to its end first" in await bot.stderr.readline()
                    if twice:
                        bot.send_signal(signal.SIGINT)
                    else:
                        await seat.part(pb.PlayResponse(series_end=pb.SeriesEnd(message="over")))
                        seat.line.close()
                    said, failed = await bot.communicate()
            finally:
                await end([bot])
            if twice:
                assert bot.returncode == 130
                assert b"forfeited" in failed
            else:
                assert bot.returncode == 0
                assert said.endswith(b"goodbye\n")


@pytest.mark.parametrize(
    ("server", "said"),
    [
        ("nowhere", "write HOST:PORT"),
        ("http://127.0.0.1:50051", "write HOST:PORT"),
        ("127.0.0.1:99999999", "a port is a number from 1 to 65535"),
    ],
)
def test_a_server_that_cannot_be_is_refused(run: Run, server: str, said: str) -> None:
    run("new", "three_coins", "mine.py")
    assert said in refused(run("connect", "mine.py", "--server", server, "--token", "t"))


def test_a_bot_that_cannot_be_made_is_not_seated(run: Run) -> None:
    Path("mine.py").write_text(
        "from arena.kit import Bot\nclass A(Bot):\n    game = 'three_coins'\n    def __init__(self):\n        1 / 0\n"
    )
    assert "cannot be made" in refused(run("connect", "mine.py", "--server", "127.0.0.1:1", "--token", "t"))
    run("new", "three_coins", "good.py")
    assert "a token has at most" in refused(run("connect", "good.py", "--server", "127.0.0.1:1", "--token", "t" * 999))


def test_connecting_needs_a_token_and_a_bot(run: Run) -> None:
    Path("mine.py").write_text("x = 1\n")
    assert "--token" in refused(run("connect", "mine.py", "--server", "127.0.0.1:1"))
    assert "no bot in this file" in refused(run("connect", "mine.py", "--server", "127.0.0.1:1", "--token", "t"))


def test_up_hands_everything_on_to_the_supervisor(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr(os, "execv", lambda _path, arguments: started.append(arguments))
    run("up", "--port", "9000", "--help", "x")
    assert started == [[sys.executable, "-m", "webapp.supervisor", "--port", "9000", "--help", "x"]]


def test_up_without_the_site_says_what_to_install(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    assert "pip install 'bluff-arena[site]'" in refused(run("up"))


def test_a_record_is_shown_on_the_web_by_the_site(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr(os, "execv", lambda _path, arguments: started.append(arguments))
    file = str(Path(__file__).parents[1] / "data/records/mia-preset.json")
    run("show", file, "--web", "--port", "9000", "--step", "3", "--as", "1", "--no-browser")
    options = ["--port", "9000", "--step", "3", "--as", "1", "--no-browser", "--", file]
    assert started == [[sys.executable, "-m", "webapp.show", *options]]
    assert "--web needs" in refused(run("show", "-", "--web", input="{}"))
    assert "go with --web" in refused(run("show", file, "--port", "9000"))
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    assert "pip install 'bluff-arena[site]'" in refused(run("show", file, "--web"))


# ---- as a program --------------------------------------------------------------------------------------


def test_the_installed_program_runs_and_fails_in_one_line(tmp_path: Path) -> None:
    def program(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "arena.cli", *arguments],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
            capture_output=True,
            text=True,
            check=False,
        )

    told = program(
        "play", "three_coins", "honest", "random", "--seed", "00", "--matches", "60", "--jobs", "2", "--json"
    )
    assert (told.returncode, told.stderr) == (0, "")
    assert json.loads(told.stdout)["matches"] == 60
    failed = program("play", "three_coins", "honest", "nobody")
    assert failed.returncode == 2
    assert len(failed.stderr.splitlines()) == 1
