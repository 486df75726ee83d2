"""A series as the arena plays it with two programs on lines."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from arena import record
from arena.clock import WallClock
from arena.exchange import bind, unveil
from arena.games import find_game
from arena.protocol.v1 import arena_pb2 as pb
from arena.referee import Luck, Terms, play
from arena.rules import ruleset
from arena.seats import LineSeat
from arena.seats.stream import StreamLine
from arena.table import Limits, Player

GAME = find_game("three_coins")
PLAYERS = (Player("a", None), Player("b", None))


async def series(
    tickets: Sequence[tuple[str, asyncio.Future[StreamLine]]],
    reveal: Luck | None = None,
    limits: Limits | None = None,
) -> str:
    """One match between the two programs that come with these tickets; its record.

    With ``reveal`` they are told afterwards that its seed was the arena's, which is a lie.
    """
    seats = [LineSeat(GAME, await line) for _, line in tickets]
    async with WallClock() as clock:
        for seat in seats:
            await seat.greet("series", 1, PLAYERS)
        binding = await bind(seats, "b-1", draw_seed=lambda: b"s" * 32, clock=clock, seconds=10)
        luck = await unveil(seats, "b-1", binding, clock=clock, seconds=10)
        terms = Terms("m-1", ruleset(GAME, "duel"), PLAYERS, limits)
        played = await play(GAME, terms, seats, luck, clock=clock)
    shown = reveal or luck
    for seat in seats:
        told = pb.BlockReveal(block="b-1", seed=shown.seed, nonces=luck.nonces, records=[record.write(played)])
        await seat.part(pb.PlayResponse(block_reveal=told))
        await seat.part(pb.PlayResponse(series_end=pb.SeriesEnd()))
    for _, line in tickets:
        line.result().close()
    return record.write(played)
