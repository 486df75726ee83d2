"""The house bots: short, playing every preset without a fault, and as strong as they claim."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from arena.games import GAMES
from arena.local.contest import Contest, find_entrants
from arena.local.pool import play_contest
from arena.local.tally import Line, tally
from arena.rules import ruleset
from bots import house_bots
from tests.breadth import often

EVERY = [(game, name) for game in GAMES for name in house_bots(game)]


def contest(game: str, bots: list[str], matches: int, preset: str | None = None, **options: object) -> Contest:
    return Contest(
        rules=ruleset(GAMES[game], preset, options),
        entrants=find_entrants(bots, house_bots(game)),
        matches=matches,
        seed=b"house",
        limits=None,
        penalty="forfeit",
    )


def lines(played: Contest) -> dict[str, Line]:
    return {line.name: line for line in tally(played, play_contest(played))}


def test_every_game_has_house_bots_and_the_anchor() -> None:
    for game in GAMES:
        assert "random" in house_bots(game)
        assert len(house_bots(game)) >= 4
    assert house_bots("chess") == {}


@pytest.mark.parametrize(("game", "name"), EVERY)
def test_a_house_bot_is_short_and_imports_only_what_everybody_may(game: str, name: str) -> None:
    text = house_bots(game)[name].read_text(encoding="utf-8")
    assert text.count("\n") <= (300 if name == "equilibrium" else 110)  # that one brings its tables, or the formula
    modules = {node.module for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)}
    assert modules <= {"arena.kit", "arena.table", f"arena.games.{game}", *sys.stdlib_module_names, "collections.abc"}


@pytest.mark.parametrize(("game", "name"), EVERY)
def test_a_house_bot_plays_every_preset_without_a_fault(game: str, name: str) -> None:
    for preset in GAMES[game].presets:
        for players in {(preset.players or GAMES[game].players)[0], (preset.players or GAMES[game].players)[-1]}:
            bots = [name, *["random"] * (players - 1)]
            for result in play_contest(contest(game, bots, often(2, everything=4), preset.name)):
                assert result.faults == ()


@pytest.mark.parametrize("name", list(house_bots("three_coins")))
@pytest.mark.parametrize(
    "options",
    [
        {"objective": "first_empty"},
        {"max_bid": "none", "first_bid_min": 0, "coin_cap": 9},
        {"start_coins": 9, "coin_cap": 9, "zero_when": "opening_only", "max_when": "not_spoken"},
        {"cliff": "off", "zero": "off", "max": "off", "max_rounds": 5},
    ],
    ids=["first_empty", "bids up to 99", "nine coins", "call only"],
)
def test_a_house_bot_plays_odd_rules_without_a_fault(name: str, options: dict[str, object]) -> None:
    for result in play_contest(
        contest("three_coins", [name, "random", name, "random"], often(2, everything=4), None, **options)
    ):
        assert result.faults == ()


@pytest.mark.parametrize("name", ["calculator", "honest", "observer"])
def test_who_thinks_beats_two_who_do_not(name: str) -> None:
    line = lines(contest("three_coins", [name, "random", "random"], 240))[name]
    assert line.interval is not None
    assert line.interval[0] > 0.8  # an equal share is 0.5


def test_nobody_has_an_advantage_among_equals() -> None:
    for line in lines(contest("three_coins", ["random", "random", "random"], 600)).values():
        assert line.interval is not None
        low, high = line.interval
        assert low - 0.02 < 0.5 < high + 0.02


def test_the_files_are_found_wherever_the_program_is_started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert all(path.is_absolute() and path.exists() for path in house_bots("three_coins").values())
