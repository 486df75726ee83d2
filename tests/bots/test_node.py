"""The bots for Node play every game and every preset of it without a fault."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from arena.games import GAMES, find_game
from tests.breadth import often
from tests.node import node_bots

MATCHES = often(2, everything=4)


@pytest.fixture(scope="module")
def bots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return node_bots(tmp_path_factory.mktemp("node"))


@pytest.mark.parametrize(
    ("game", "preset"), [(game, preset.name) for game in GAMES for preset in find_game(game).presets], ids="-".join
)
def test_whole_matches_without_a_fault(bots: Path, game: str, preset: str) -> None:
    command = [sys.executable, "-m", "arena.cli", "play", game, "random", f"cmd:node {bots / game}.js", "--json"]
    options = ["--preset", preset, "--matches", str(MATCHES), "--move-ms", "5000"]
    done = subprocess.run([*command, *options], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["matches"] == MATCHES
    assert [bot["faults"] for bot in told["bots"]] == [{}, {}], done.stderr
    assert "NOT FAIR" not in done.stderr
