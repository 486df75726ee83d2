"""Tables for tests of the referee and of what sits at its ends."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from arena import chance
from arena.games import find_game
from arena.record import FaultStep, MovesStep, Record
from arena.referee import Clock, Luck, Seat, Terms, play
from arena.rules import AnyGame, ruleset
from arena.seats import ScriptedSeat
from arena.table import Limits, Penalty, Player, Question

GAME: AnyGame = find_game("three_coins")
RULES = ruleset(GAME, "classic", {"first_starter": "seat"})
LUCK = Luck(bytes(range(32)), (b"", b"\xff"))
LIMITS = Limits(ready_ms=10_000, move_ms=1_000, bank_ms=2_000)


def terms(
    players: int,
    *,
    limits: Limits | None = LIMITS,
    penalty: Penalty = "forfeit",
    rules: Any = RULES,
    match: str = "m-1",
    number: int = 1,
) -> Terms:
    names = tuple(Player(f"bot {seat}", f"sha256:{seat:064x}") for seat in range(players))
    return Terms(match, rules, names, limits, penalty, number)


async def playing(
    clock: Clock, seats: Sequence[Seat], *, luck: Luck | None = None, game: AnyGame = GAME, **agreed: Any
) -> Record:
    """A match at a table of these seats."""
    nonces = tuple(bytes([seat]) for seat in range(len(seats)))
    return await play(
        game, terms(len(seats), **agreed), seats, luck or Luck(chance.digest(b"seed"), nonces), clock=clock
    )


def scripted(*scripts: Sequence[str | Callable[[Question], Awaitable[Any]]]) -> list[ScriptedSeat]:
    """A waiting seat for each script."""
    return [ScriptedSeat(GAME, script, immediate=False) for script in scripts]


def after(clock: Any, seconds: float, move: str) -> Callable[[Question], Awaitable[Any]]:
    """An act: the move, after so much thought."""

    async def act(_question: Question) -> Any:
        await clock.sleep(seconds)
        return GAME.parse(move)

    return act


def failing(fault: Exception) -> Callable[[Question], Awaitable[Any]]:
    """An act: fails at once."""

    async def act(_question: Question) -> Any:
        raise fault

    return act


def faults(record: Record) -> list[FaultStep]:
    return [step for step in record.steps if isinstance(step, FaultStep)]


def moves(record: Record) -> list[MovesStep]:
    return [step for step in record.steps if isinstance(step, MovesStep)]


def kinds(record: Record) -> list[tuple[int, str, str]]:
    return [(step.seat, step.kind, step.then) for step in faults(record)]


def others() -> set[asyncio.Task[Any]]:
    """The tasks that are running, but for the test's own."""
    return {task for task in asyncio.all_tasks() if task is not asyncio.current_task()}


__all__ = [
    "GAME",
    "LIMITS",
    "LUCK",
    "RULES",
    "after",
    "failing",
    "faults",
    "kinds",
    "moves",
    "others",
    "playing",
    "scripted",
    "terms",
]
