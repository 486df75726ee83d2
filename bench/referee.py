"""How much the referee costs: matches of bots in this process, beside random play-outs through the bare rules.

A move of the referee is a view, a question, a bot's choice, its judging, its text and a line of the record; a move
of a bare play-out is a choice among the legal moves, and a step. ``python -m bench.referee``
"""

from __future__ import annotations

import asyncio
import random
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from arena import chance
from arena.clock import WallClock
from arena.games import find_game
from arena.kit import Bot, read_choice
from arena.record import MovesStep
from arena.referee import Luck, Terms, play
from arena.rules import Drawn, Moved, at_seat, ruleset
from arena.seats import LocalSeat
from arena.table import Player
from bench.rounds import in_turn

PLAYERS = 3
MATCHES = 300

GAME = find_game("three_coins")
RULES = ruleset(GAME)


class Random(Bot):
    """Any legal move."""

    game = "three_coins"

    def choose(self, view):  # type: ignore[no-untyped-def]
        """Any."""
        return self.random.choice(view.legal)


def bare() -> tuple[int, float]:
    """Through the rules, and nothing else."""
    return _played_out(GAME.legal)


def shown() -> tuple[int, float]:
    """The same, each choice out of a view as a bot is shown it."""
    return _played_out(lambda state, seat: GAME.view(state, at_seat(seat)).legal)


def _played_out(legal: Callable[[Any, int], Sequence[Any]]) -> tuple[int, float]:
    dice, moves, began = random.Random(1), 0, time.perf_counter()  # noqa: S311
    for number in range(MATCHES):
        key = chance.digest(b"%d" % number)
        state, _ = GAME.start(RULES, PLAYERS)
        while GAME.outcome(state) is None:
            if (draw := GAME.due(state)) is not None:
                state, _ = GAME.step(state, Drawn(chance.draw(key, draw.label, draw.sizes)))
            else:
                chosen = {seat: dice.choice(legal(state, seat)) for seat in GAME.asked(state)}
                state, _ = GAME.step(state, Moved(chosen))
                moves += len(chosen)
    return moves, time.perf_counter() - began


def refereed() -> tuple[int, float]:
    """Whole matches, with records."""
    return asyncio.run(_refereed())


async def _refereed() -> tuple[int, float]:
    players = tuple(Player(f"bot {seat}", None) for seat in range(PLAYERS))
    moves, began = 0, time.perf_counter()
    async with WallClock() as clock:
        for number in range(MATCHES):
            luck = Luck(chance.digest(b"%d" % number), (b"",) * PLAYERS)
            seats = [LocalSeat(GAME, Random(), read_choice=read_choice) for _ in range(PLAYERS)]
            record = await play(GAME, Terms("m-1", RULES, players, None), seats, luck, clock=clock)
            moves += sum(len(step.moves) for step in record.steps if isinstance(step, MovesStep))
    return moves, time.perf_counter() - began


def main() -> None:
    """Measure and print."""
    print(f"three_coins, {PLAYERS} players, {MATCHES} matches a round, one process, Python {sys.version.split()[0]}")
    ways = [
        ("random play-outs through the rules", bare),
        ("the same, with a view for each choice", shown),
        ("refereed matches of random bots", refereed),
    ]
    in_turn(ways, unit="moves")


if __name__ == "__main__":
    main()
