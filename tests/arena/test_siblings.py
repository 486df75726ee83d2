"""Bots of several files: what stands beside a bot is its own, and nobody else's."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.cli import main
from arena.kit import BotError, load_bot

BOT = """
from __future__ import annotations
import random
from dataclasses import dataclass
from pathlib import Path

import helpers
import helpers as again
import tools.pick
from tools import pick
from tools.pick import first
from arena.kit import Bot

assert helpers is again
assert tools.pick is pick


class Mine(Bot):
    game = "three_coins"

    def choose(self, view):
        import later
        helpers.COUNT += 1
        self.log(helpers.NAME, helpers.COUNT, later.NAME, Path(__file__).with_name("data.txt").read_text())
        return first(view.legal)
"""


def write(folder: Path, name: str = "one", **more: str) -> Path:
    (folder / "tools").mkdir(parents=True)
    (folder / "bot.py").write_text(BOT)
    (folder / "helpers.py").write_text(f"NAME = {name!r}\nCOUNT = 0\n")
    (folder / "later.py").write_text("from helpers import NAME\n")
    (folder / "tools/__init__.py").write_text("")
    (folder / "tools/pick.py").write_text(
        "from __future__ import annotations\nfrom dataclasses import dataclass\nimport helpers\nfrom . import deep\n"
        "@dataclass\nclass Kept:\n    one: int\n\n\ndef first(moves):\n    return moves[0]\n"
    )
    (folder / "tools/deep.py").write_text("from ..helpers import NAME\n")
    (folder / "data.txt").write_text(f"data of {name}")
    (folder / "random.py").write_text("raise RuntimeError('the standard library comes first')\n")
    for file, text in more.items():
        (folder / f"{file}.py").write_text(text)
    return folder


class View:
    legal = ("bid 1",)


def said(bot: object) -> tuple[str, ...]:
    assert bot.choose(View()) == "bid 1"  # type: ignore[attr-defined]
    return bot.take_log()  # type: ignore[attr-defined]


def test_every_bot_has_modules_of_its_own(tmp_path: Path) -> None:
    one, two = load_bot(write(tmp_path / "a", "one") / "bot.py"), load_bot(write(tmp_path / "b", "two"))
    before = set(sys.path)
    first, second, other = one(), one(), two()
    assert said(first) == ("one 1 one data of one",)
    assert said(first) == ("one 2 one data of one",)
    assert said(second) == ("one 1 one data of one",)
    assert said(other) == ("two 1 two data of two",)
    assert not {"helpers", "tools", "later"} & set(sys.modules)
    assert set(sys.path) == before
    assert not list(tmp_path.rglob("__pycache__"))


def test_bots_of_earlier_matches_are_forgotten(tmp_path: Path) -> None:
    def there() -> int:
        return sum(name.startswith("arena_bot_") and name.endswith(".later") for name in sys.modules)

    before = there()
    make = load_bot(write(tmp_path / "a"))
    for _ in range(70):
        said(make())
    assert there() - before <= 64


def test_a_mistake_beside_the_bot_is_shown_where_it_is(tmp_path: Path) -> None:
    folder = write(tmp_path / "a", helpers="NAME = 'x'\n1 / 0\n")
    with pytest.raises(BotError, match=r"helpers\.py:2: ZeroDivisionError"):
        load_bot(folder)
    with pytest.raises(BotError, match=r"ModuleNotFoundError: No module named 'nowhere'"):
        load_bot(write(tmp_path / "b", helpers="import nowhere\n"))


def test_a_module_that_is_changed_is_read_anew(tmp_path: Path) -> None:
    folder = write(tmp_path / "a", "one")
    assert said(load_bot(folder)()) == ("one 1 one data of one",)
    (folder / "helpers.py").write_text("NAME = 'two'\nCOUNT = 0\n")
    assert said(load_bot(folder)()) == ("two 1 two data of one",)


def test_play_takes_a_file_a_folder_and_a_zip(tmp_path: Path) -> None:
    folder = write(tmp_path / "brave")
    file = tmp_path / "zipped.zip"
    with zipfile.ZipFile(file, "w") as archive:
        for path in folder.rglob("*"):
            archive.write(path, Path("top") / path.relative_to(folder))
    told = CliRunner().invoke(
        main, ["play", "three_coins", str(folder), str(folder / "bot.py"), str(file), "random", "--seed", "01"]
    )
    assert told.exit_code == 0, told.output
    assert "[brave] one" in told.output
    assert "[zipped] one" in told.output
    assert "[bot] one" in told.output
    many = CliRunner().invoke(
        main, ["play", "three_coins", str(file), "random", "--matches", "4", "--jobs", "2", "--json"]
    )
    assert many.exit_code == 0, many.output
    (folder / "helpers.py").write_text("def")
    told = CliRunner().invoke(main, ["play", "three_coins", str(folder), "random"])
    assert told.exit_code == 2
    assert "helpers.py:1: syntax error" in told.output
