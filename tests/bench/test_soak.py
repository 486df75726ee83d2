"""A short soak in every run of the tests, and what it says when something goes wrong."""

from __future__ import annotations

import asyncio
import re

import pytest

from arena.clock import WallClock
from arena.games import GAMES, mia
from arena.record import MovesStep, Record
from arena.rules import AnyGame, ruleset
from bench import soak
from bench.bound import BOUNDS, bound


def test_a_few_dozen_matches_of_everything() -> None:
    tally = soak.soak("tests", range(40))
    assert not tally.failures, tally.failures[0].why
    assert tally.counts["matches"] == 40
    assert {game for game, _ in tally.presets} == set(GAMES)
    assert tally.counts["faults"] > 0
    assert tally.presets["mia", soak.OWN] > 0
    assert sum(tally.sizes.values()) == 40


def test_a_match_follows_from_the_seed_and_its_number() -> None:
    first, again = (soak.soak("tests", [3, 4]) for _ in range(2))
    assert first == again
    other = soak.soak("other", [3, 4])
    assert other.values != first.values or other.counts != first.counts


def test_the_command_tells_what_was_covered(capsys: pytest.CaptureFixture[str]) -> None:
    assert soak.main(["--matches", "9", "--seed", "tests"]) == 0
    told = capsys.readouterr().out
    assert re.search(r"^matches 9, steps [\d,]+, moves", told)
    assert "0 failures" in told
    for game in GAMES.values():
        assert f"\n{game.name}: longest " in told
        for option in game.options:
            assert f"\n  {option.name}: " in told
    assert "not covered: " in told  # of nine matches


def test_a_match_that_fails_is_told_with_what_plays_it_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = soak.check

    def broken(one: soak.Fixture, kept: Record) -> None:
        real(one, kept)
        if one.game.name == "mia":
            raise soak.Wrong("the dice have rolled off the table")

    monkeypatch.setattr(soak, "check", broken)
    assert soak.main(["--matches", "5", "--seed", "tests"]) == 1
    said = capsys.readouterr()
    number = next(n for n in range(5) if soak.TURNS[n % len(soak.TURNS)].name == "mia")
    assert f"again: python -m bench.soak --seed tests --only {number}" in said.err
    assert "the dice have rolled off the table" in said.err
    assert "FAILED: mia, from " in said.err
    assert "2 failures" in said.out
    assert soak.main(["--seed", "tests", "--only", str(number)]) == 1
    assert soak.main(["--seed", "tests", "--only", "0"]) == 0


def test_a_match_without_an_end_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(soak, "bound", lambda *_: 5)
    tally = soak.soak("tests", [0])
    assert "TooLong: it goes on after 5 steps" in tally.failures[0].why


def test_a_record_of_another_match_is_found() -> None:
    one = soak.fixture("tests", 0)
    other = soak.fixture("tests", 1)
    assert one.game is not other.game or one.rules != other.rules

    async def kept() -> Record:
        async with WallClock() as clock:
            return await soak.played(soak.fixture("tests", 0), clock)

    record = asyncio.run(kept())
    soak.check(one, record)
    with pytest.raises(soak.Wrong, match="another table"):
        soak.check(one._replace(players=one.players + 1), record)
    step = next(n for n, step in enumerate(record.steps) if isinstance(step, MovesStep))
    with pytest.raises(Exception, match="steps"):
        soak.check(one, record._replace(steps=record.steps[:step]))


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES.keys())
def test_every_game_has_a_bound_that_grows_with_its_limits(game: AnyGame) -> None:
    assert set(BOUNDS) == set(GAMES)
    values = ruleset(game).values
    limits = {"three_coins": "max_rounds", "mia": "lives", "commerce": "hands"}
    more = {**values, limits[game.name]: int(values[limits[game.name]]) + 1}
    assert bound(game.name, values, 3) < bound(game.name, more, 3)
    assert bound(game.name, values, 3) < bound(game.name, values, 4)


def test_a_long_round_of_mia_stays_within_the_bound() -> None:
    """Everybody believes and raises by one until nobody can: no round has more announcements."""
    rules = ruleset(mia.GAME, None, {"lives": 1, "end": "last_standing", "max_announcements": 3})
    assert bound("mia", rules.values, 2) == 1000 + (2 + 2) * (3 * 3 + 1) + 2
