"""Matches for the tests of insight: random ones of all presets, and ones that are written down."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from arena.games import GAMES, find_game
from arena.record import DrawStep, Fairness, FaultStep, MovesStep, PlayerLine, Record, Step
from arena.rules import AnyGame, Drawn, Left, Moved, ruleset

PRESETS = [(game.name, preset.name) for game in GAMES.values() for preset in game.presets]
SHORT: dict[str, dict[str, object]] = {
    "three_coins": {},
    "mia": {"lives": 2},
    "commerce": {"hands": 3, "max_circles": 3},
}
"""What makes random matches of a game short."""


def match(
    game: str,
    preset: str | None = None,
    players: int | None = None,
    *,
    seed: int = 0,
    leave: float = 0.0,
    luck: Mapping[str, Sequence[int]] | None = None,
    script: str = "",
    **options: object,
) -> Record:
    """A match to its end: what ``script`` says (``0 roll, 0 say 52``), then anything; its luck follows from nothing.

    Args:
        game: what is played.
        preset: its rules.
        players: at how many seats; by default three, or as many as the rules allow.
        seed: what everything random follows from.
        leave: how often somebody leaves instead of moving.
        luck: draws by their label.
        script: the first moves; those of one step are joined by ``+``.
        options: what is changed of the rules.
    """
    played, dice = find_game(game), random.Random(seed)
    rules = ruleset(played, preset, options)
    seats = players or min(3, rules.players[-1])
    state, _ = played.start(rules, seats)
    script_left = [dict(_move(text) for text in step.split("+")) for step in script.split(",") if step]
    steps: list[Step] = []
    while played.outcome(state) is None:
        due = played.due(state)
        if due is not None:
            got = tuple((luck or {}).get(due.label) or (dice.randrange(size) for size in due.sizes))
            steps.append(DrawStep(due.label, due.sizes, got))
            state, _ = played.step(state, Drawn(got))
            continue
        asked = played.asked(state)
        if not script_left and dice.random() < leave:
            seat = dice.choice(asked)
            steps.append(FaultStep(seat, "late", "", "forfeit"))
            state, _ = played.step(state, Left(frozenset((seat,))))
            continue
        texts = script_left.pop(0) if script_left else _choose(played, state, asked, dice)
        steps.append(MovesStep(texts, None))
        state, _ = played.step(state, Moved({seat: played.parse(text) for seat, text in texts.items()}))
    outcome = played.outcome(state)
    assert outcome is not None
    lines = tuple(PlayerLine(seat, "abcdefghij"[seat], None) for seat in range(seats))
    nothing = Fairness("", None, (), ())
    return Record(game, rules.preset, rules.values, "m-1", None, lines, nothing, tuple(steps), outcome)


def _move(text: str) -> tuple[int, str]:
    seat, _, move = text.strip().partition(" ")
    return int(seat), move


def _choose(game: AnyGame, state: Any, asked: Sequence[int], dice: random.Random) -> dict[int, str]:
    """Any legal move, but rather a small one: a bid of everything ends each round at once."""
    legal = {seat: game.legal(state, seat) for seat in asked}
    return {
        seat: game.write(moves[min(dice.randrange(len(moves)), dice.randrange(len(moves)))])
        for seat, moves in legal.items()
    }


def names(record: Record) -> list[str]:
    """What the players are called."""
    return [line.bot for line in record.players]
