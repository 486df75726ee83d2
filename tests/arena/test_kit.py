"""The kit: files become bots, what a bot returns becomes a move, and both say plainly why not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from arena import kit
from arena.games import find_game
from arena.games.three_coins import Move
from arena.kit import LOG_BYTES, Bot, BotError, ChoiceError, load_bot, own_traceback, read_choice

GAME = find_game("three_coins")

CLASS_BOT = """
from arena.kit import Bot

class Mine(Bot):
    game = "three_coins"

    def choose(self, view):
        return "call"
"""

FUNCTION_BOT = """
GAME = "three_coins"

def choose(view):
    return "bid 4"
"""


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def write_file(text: str | bytes, name: str = "mine.py") -> Path:
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write_file


# ---- bots from files -----------------------------------------------------------------------------


def test_a_class_is_a_bot(write: Any) -> None:
    make = load_bot(write(CLASS_BOT))
    assert (make.name, make.game, make().choose(None)) == ("mine", "three_coins", "call")


def test_a_function_is_a_bot(write: Any) -> None:
    make = load_bot(write(FUNCTION_BOT), "three_coins")
    assert (make.game, make().choose(None)) == ("three_coins", "bid 4")


def test_every_bot_comes_from_a_fresh_run_of_the_file(write: Any) -> None:
    make = load_bot(
        write("GAME = 'three_coins'\nseen = []\ndef choose(view):\n    seen.append(1)\n    return len(seen)")
    )
    first, second = make(), make()
    assert [first.choose(None), first.choose(None), second.choose(None)] == [1, 2, 1]


def test_the_file_runs_once_for_the_first_bot(write: Any, capsys: pytest.CaptureFixture[str]) -> None:
    make = load_bot(write("print('running')\n" + FUNCTION_BOT))
    make()
    assert capsys.readouterr().out == "running\n"
    make()
    assert capsys.readouterr().out == "running\n"


def test_imported_and_private_helpers_are_no_bots(write: Any) -> None:
    make = load_bot(write(CLASS_BOT.replace("class Mine(Bot)", "class Base(Bot):\n    pass\n\nclass Mine(Base)")))
    assert type(make()).__name__ == "Mine"


def test_dataclasses_work_in_a_bots_file(write: Any) -> None:
    text = (
        "from __future__ import annotations\nfrom dataclasses import dataclass\n@dataclass\nclass A:\n    a: int = 4\n"
    )
    make = load_bot(write(text + FUNCTION_BOT.replace('"bid 4"', 'f"bid {A().a}"')))
    assert make().choose(None) == "bid 4"


def test_an_own_init_need_not_call_the_kits(write: Any) -> None:
    bot = load_bot(write(CLASS_BOT + "    def __init__(self):\n        self.log('ready')\n"))()
    assert bot.take_log() == ("ready",)
    assert 0 <= bot.random.random() < 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def choose(view:\n", r"mine\.py:1: syntax error"),
        ("x = 1\n\ny = 1 / 0\n", r"mine\.py:3: ZeroDivisionError: division by zero"),
        ("import sys\nsys.exit(3)\n", r"mine\.py:2: SystemExit: 3"),
        ("import nowhere_to_be_found\n", r"mine\.py:1: ModuleNotFoundError"),
        (b"GAME = 'three_coins'\0", r"mine\.py: this is not Python|syntax error"),
        ("x = 1\n", "no bot in this file"),
        ("from arena.kit import Bot\n", "no bot in this file"),
        (CLASS_BOT + CLASS_BOT.replace("Mine", "Other"), "more than one bot in this file: class Mine, class Other"),
        (CLASS_BOT + FUNCTION_BOT, "more than one bot in this file: class Mine, function choose"),
        (FUNCTION_BOT.replace("GAME", "PLAY"), "which game does this bot play.*GAME"),
        (CLASS_BOT.replace('game = "three_coins"', "pass"), "which game does this bot play.*class Mine"),
        (FUNCTION_BOT.replace("three_coins", "chess"), "no game 'chess'; there are: three_coins"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(write: Any, text: str | bytes, said: str) -> None:
    with pytest.raises(BotError, match=said):
        load_bot(write(text))


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(BotError, match=r"none\.py: No such file"):
        load_bot(tmp_path / "none.py")


def test_a_bot_of_another_game_is_refused(write: Any) -> None:
    with pytest.raises(BotError, match="plays three_coins, not mia"):
        load_bot(write(FUNCTION_BOT), "mia")


def test_a_bot_that_cannot_be_made_is_said_with_its_line(write: Any) -> None:
    make = load_bot(write(CLASS_BOT + "    def __init__(self):\n        raise RuntimeError('no coffee')\n"))
    with pytest.raises(BotError, match=r"mine\.py:10: the bot cannot be made: RuntimeError: no coffee"):
        make()


def test_a_bot_without_choose_says_so() -> None:
    class Lazy(Bot):
        game = "three_coins"

    with pytest.raises(NotImplementedError, match="Lazy has no method choose"):
        Lazy().choose(None)


# ---- choices -------------------------------------------------------------------------------------


@pytest.mark.parametrize("choice", ["bid 4", Move("bid", 4), ("bid", 4)])
@pytest.mark.parametrize("legal", [(), (Move("bid", 3), Move("bid", 4))])
def test_a_move_and_its_text_are_the_same_choice(choice: object, legal: tuple[Move, ...]) -> None:
    if type(choice) is tuple and not legal:
        with pytest.raises(ChoiceError):
            read_choice(GAME, choice)
        return
    move = read_choice(GAME, choice, legal)
    assert (type(move), move) == (Move, Move("bid", 4))


def test_an_illegal_move_is_a_choice_too() -> None:
    assert read_choice(GAME, "bid 99", (Move("bid", 3),)) == Move("bid", 99)


class Rude:
    def __repr__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        (None, r"returned nothing \(None\)"),
        ("bid four", "'bid four' is no move of Three Coins"),
        ("bid " + "4" * 5000, "is no move"),
        (4, "returned 4: '4' is no move of Three Coins"),
        (Move("bid", -1), "is no move"),
        (Move("bid", 2**80), "is no move"),
        (Move("sing"), "is no move"),
        (Rude(), "returned a Rude, which is no move"),
        ([], "is no move"),
    ],
)
def test_an_unreadable_choice_is_said(choice: object, said: str) -> None:
    with pytest.raises(ChoiceError, match=said) as caught:
        read_choice(GAME, choice, (Move("bid", 3),))
    assert len(str(caught.value)) < 400


# ---- the log -------------------------------------------------------------------------------------


def test_log_lines_are_taken_once() -> None:
    bot = Bot()
    bot.log("a", 1)
    bot.log("b")
    assert bot.take_log() == ("a 1", "b")
    assert bot.take_log() == ()


def test_a_log_has_a_bound_and_begins_anew_after_it_was_taken() -> None:
    bot = Bot()
    for _ in range(10_000):
        bot.log("ж" * 100)
    kept = bot.take_log()
    assert sum(len(line.encode()) + 1 for line in kept) <= LOG_BYTES + 1
    bot.log("\ud800 half a character")
    assert bot.take_log() == ("? half a character",)


# ---- what an author's program drags in -----------------------------------------------------------


def test_the_kit_does_not_import_the_house(run_python: Any) -> None:
    code = "import sys, arena.kit; print([m for m in sys.modules if m.split('.')[0] in ('grpc', 'django', 'click')"
    code += " or m in ('arena.referee', 'arena.seats')])"
    assert run_python("-c", code).stdout == "[]\n"


@pytest.fixture
def run_python() -> Any:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=True)

    return run


def test_the_traceback_that_an_author_reads_has_no_frames_of_the_arena(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("def fall(n):\n    return 1 // n\n")
    file = tmp_path / "faller.py"
    file.write_text("import helper\nGAME = 'three_coins'\nhelper.fall(0)\ndef choose(view): ...\n")
    with pytest.raises(BotError) as failed:
        load_bot(file)
    told = own_traceback(failed.value)
    assert "helper.py" in told
    assert "faller.py" in told
    assert "ZeroDivisionError" in told
    assert str(Path(kit.__file__).parent) not in told
    assert told.count("File ") == 2 + 1  # the last one is this test
    assert own_traceback(failed.value, frames=1).count("File ") == 1 + 1
