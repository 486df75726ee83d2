"""``arena solve`` and ``arena exploitability``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from arena.cli import main


def arena(*words: str) -> Result:
    return CliRunner().invoke(main, words)


def test_solving_prints_the_value_and_the_gap() -> None:
    done = arena("solve", "three_coins")
    assert done.exit_code == 0
    assert "value for who starts   +0.04714984" in done.output
    assert "he wins                0.52357492" in done.output
    assert "duality gap            " in done.output


def test_solving_for_programs(tmp_path: Path) -> None:
    file = tmp_path / "strategy.json"
    done = arena("solve", "mia", "--set", "lives=1", "--json", "--write", str(file))
    assert done.exit_code == 0
    found = json.loads(done.output)
    assert found["value"] == pytest.approx(0.2958780183)
    assert found["rounds"] == {"1-1": pytest.approx(0.2958780183)}
    assert found["gap"] < 1e-6
    strategy = json.loads(file.read_text(encoding="utf-8"))["strategy"]
    assert len(strategy) == found["size"]["information sets"]
    assert strategy["1 lives to 1, starting"] == {"roll": 1.0}
    for chances in strategy.values():
        assert sum(chances.values()) == pytest.approx(1)


def test_what_is_not_solved_well_enough_says_no() -> None:
    assert arena("solve", "three_coins", "--set", "max_rounds=3").exit_code == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("solve", "commerce"), "commerce is not solved"),
        (("solve", "mia", "--preset", "classic"), "pass = off only"),
        (("solve", "mia", "--set", "lives=1", "--write", "/nowhere/at.json"), "/nowhere/at.json"),
        (("exploitability", "random"), "say with --game of which game"),
        (("exploitability", "nobody", "--game", "mia"), "there is no such house bot; there are: calculator"),
        (("exploitability", "observer", "--game", "mia"), "declares no policy"),
        (("exploitability", "random", "--game", "mia", "--preset", "meyer"), "pass = off only"),
    ],
)
def test_what_cannot_be_done(words: tuple[str, ...], message: str) -> None:
    done = arena(*words)
    assert done.exit_code == 2
    assert message in done.output


def test_exploitability_of_the_equilibrium() -> None:
    done = arena("exploitability", "equilibrium", "--game", "three_coins", "--json", "--choices", "2000")
    assert done.exit_code == 0
    found = json.loads(done.output)
    assert 0 <= found["exploitability"] < 1e-6
    assert found["agreement"]["choices"] >= 2000


def test_exploitability_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    source = (
        "from arena.kit import Bot\n\n\nclass Mine(Bot):\n    game = 'mia'\n\n"
        "    def choose(self, view):\n        return view.legal[0]\n\n"
        "    def policy(self, view):\n        return {view.legal[0]: 1.0}\n"
    )
    file.write_text(source, encoding="utf-8")
    done = arena("exploitability", str(file), "--set", "lives=1", "--choices", "500")
    assert done.exit_code == 0
    assert "exploitability         1.0000" in done.output
    file.write_text(source.replace("return view.legal[0]", "return self.random.choice(view.legal)"), encoding="utf-8")
    done = arena("exploitability", str(file), "--set", "lives=1", "--choices", "500")
    assert done.exit_code == 1
    assert "to which its policy gives the probability 0" in done.output
