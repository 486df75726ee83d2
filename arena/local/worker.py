"""Plays some blocks of a contest in this process."""

from __future__ import annotations

import asyncio
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from datetime import UTC, datetime
from typing import Any, NamedTuple

from arena import record
from arena.clock import WallClock
from arena.exchange import Withheld, bind, unveil
from arena.games import find_game
from arena.kit import Bot, BotFactory, load_bot, own_traceback, read_choice
from arena.local import contest as plan
from arena.local.contest import Absent, Contest, ContestError, Fixture
from arena.local.programs import Programs
from arena.record import MovesStep, Record
from arena.referee import Luck, PlatformFailure, Seat, Terms, Watch, play
from arena.rules import AnyGame
from arena.seats import LineSeat, LocalSeat
from arena.table import Fault
from arena.witness import asking

EXCHANGE_SECONDS = 10.0
"""How long a program may take to give the hash of its nonce, and then the nonce."""


class Result(NamedTuple):
    """What is kept of a match that was played."""

    fixture: Fixture
    match: str
    record: Record | None
    """The whole of it, if it was asked for."""
    name: str
    """The SHA-256 that names the record."""
    places: tuple[int, ...]
    """By seat, like the scores."""
    scores: tuple[int, ...]
    reason: str
    faults: tuple[Fault, ...]
    moves: tuple[int, ...]
    """How many moves each seat made."""
    ms: tuple[float, ...]
    """How long each seat thought altogether."""


Hear = Callable[[str, str], None]
"""Called with the name of a bot and a line that it logged."""


def play_blocks(
    contest: Contest,
    chosen: Sequence[Sequence[Fixture]],
    *,
    keep_records: bool = False,
    watch: Watch | None = None,
    hear: Hear | None = None,
) -> list[Result]:
    """Play these blocks, one after the other.

    Args:
        contest: what they belong to.
        chosen: the blocks.
        keep_records: whether the results hold the records.
        watch: is called after every step.
        hear: is called with what the bots in this process log and with how they fail.

    Raises:
        ContestError: a program could not be started, or did not take part.
        BotError: a bot in a file cannot be made.
    """
    # what a bot prints is for its author; the standard output is for the results
    with redirect_stdout(sys.stderr), _dice_restored():
        return asyncio.run(_Worker(contest, keep_records, watch, hear).play(chosen))


@contextmanager
def _dice_restored() -> Iterator[None]:
    before = random.getstate()
    try:
        yield
    finally:
        random.setstate(before)


class _Heard(Bot):
    """Another bot, with an ear on what it logs and how it fails."""

    def __init__(self, bot: Bot, hear: Callable[[str], None]) -> None:
        self.bot = bot
        self.hear = hear

    def on_start(self, match: Any) -> None:
        self._call(self.bot.on_start, match)

    def on_event(self, event: Any) -> None:
        self._call(self.bot.on_event, event)

    def choose(self, view: Any) -> Any:
        return self._call(self.bot.choose, view)

    def on_end(self, end: Any) -> None:
        self._call(self.bot.on_end, end)

    def _call(self, method: Callable[[Any], Any], value: Any) -> Any:
        try:
            return method(value)
        except Exception as error:
            self.hear(own_traceback(error, frames=8))
            raise
        finally:
            for line in self.bot.take_log():
                self.hear(line)


class _Named(Bot):
    """Another bot, of which the watcher of this process knows when it is at work."""

    def __init__(self, bot: Bot, name: str) -> None:
        self.bot = bot
        self.name = name

    def on_start(self, match: Any) -> None:
        with asking(self.name):
            self.bot.on_start(match)

    def on_event(self, event: Any) -> None:
        with asking(self.name):
            self.bot.on_event(event)

    def choose(self, view: Any) -> Any:
        with asking(self.name):
            return self.bot.choose(view)

    def on_end(self, end: Any) -> None:
        with asking(self.name):
            self.bot.on_end(end)


class _Worker:
    """What the blocks that are played here share."""

    def __init__(self, contest: Contest, keep_records: bool, watch: Watch | None, hear: Hear | None) -> None:
        self.contest = contest
        self.keep_records = keep_records
        self.watch = watch
        self.hear = hear
        self.game: AnyGame = find_game(contest.rules.game)
        self.makers: dict[int, BotFactory] = {
            number: load_bot(entrant.path, self.game.name)
            for number, entrant in enumerate(contest.entrants)
            if entrant.path is not None
        }
        for number, make in self.makers.items():
            with asking(contest.entrants[number].name):
                make()  # whether it can be made at all is known before any match, and every match runs the file anew

    async def play(self, chosen: Sequence[Sequence[Fixture]]) -> list[Result]:
        commands = {
            number: entrant for number, entrant in enumerate(self.contest.entrants) if entrant.command is not None
        }
        results: list[Result] = []
        async with WallClock() as clock, Programs(self.game, commands) as programs:
            seats = await programs.seats()
            for seat in seats.values():
                players = [(entrant.name, entrant.version) for entrant in self.contest.entrants]
                await seat.greet("", sum(map(len, chosen)), players)
            for fixtures in chosen:
                results += await self._block(fixtures, seats, clock)
            await programs.dismiss()
        return results

    async def _block(
        self, fixtures: Sequence[Fixture], programs: dict[int, LineSeat], clock: WallClock
    ) -> list[Result]:
        number = fixtures[0].block
        luck = await self._luck(number, programs, clock)
        played = [await self._match(fixture, luck, programs, clock) for fixture in fixtures]
        for seat in programs.values():
            await Programs.reveal(seat, f"b-{number}", luck, [one for one, _ in played])
        return [result._replace(record=one if self.keep_records else None) for one, result in played]

    async def _luck(self, number: int, programs: dict[int, LineSeat], clock: WallClock) -> Luck:
        seed = plan.block_seed(self.contest, number)
        nonces = [plan.nonce(self.contest, number, entrant) for entrant in range(len(self.contest.entrants))]
        if not programs:
            return Luck(seed, tuple(nonces))
        parties = [
            programs[entrant]
            if entrant in programs
            else LocalSeat(self.game, Bot(), read_choice=read_choice, nonce=nonces[entrant])
            for entrant in range(len(nonces))
        ]
        block = f"b-{number}"
        try:
            binding = await bind(parties, block, draw_seed=lambda: seed, clock=clock, seconds=EXCHANGE_SECONDS)
            return await unveil(parties, block, binding, clock=clock, seconds=EXCHANGE_SECONDS)
        except Withheld as withheld:
            names = self.contest.entrants
            why = "; ".join(f"{names[fault.seat].name}: {fault.detail}" for fault in withheld.faults)
            raise Absent(f"the table cannot be opened: {why}") from withheld

    async def _match(
        self, fixture: Fixture, luck: Luck, programs: dict[int, LineSeat], clock: WallClock
    ) -> tuple[Record, Result]:
        contest, number = self.contest, fixture.number
        dice = number if fixture.dice is None else fixture.dice
        random.seed(plan.global_seed(contest, dice))
        seats: list[Seat] = [
            programs[entrant] if entrant in programs else self._local(entrant, seat, dice)
            for seat, entrant in enumerate(fixture.order)
        ]
        terms = Terms(
            match=plan.match_name(contest, number),
            ruleset=contest.rules,
            players=tuple(contest.entrants[entrant].player for entrant in fixture.order),
            limits=contest.limits,
            penalty=contest.penalty,
            number=number + 1,
            started=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        )
        try:
            played = await play(self.game, terms, seats, luck, clock=clock, watch=self.watch)
        except PlatformFailure as failure:
            raise ContestError(f"match {number + 1} was broken off, through no fault of a bot: {failure}") from failure
        return played, _result(fixture, played)

    def _local(self, entrant: int, seat: int, dice: int) -> LocalSeat:
        bot = self.makers[entrant]()
        bot.random.seed(plan.bot_seed(self.contest, dice, seat))
        name = self.contest.entrants[entrant].name
        hear = self.hear
        if hear is not None:
            bot = _Heard(bot, lambda line: hear(name, line))
        bot = _Named(bot, name)
        return LocalSeat(self.game, bot, read_choice=read_choice, timed=self.contest.limits is not None)


def _result(fixture: Fixture, played: Record) -> Result:
    seats = range(len(played.players))
    moves, ms = [0 for _ in seats], [0.0 for _ in seats]
    for step in played.steps:
        if isinstance(step, MovesStep):
            for seat in step.moves:
                moves[seat] += 1
                ms[seat] += (step.ms or {}).get(seat, 0.0)
    return Result(
        fixture=fixture,
        match=played.match,
        record=None,
        name=record.name(played),
        places=played.outcome.places,
        scores=played.outcome.scores,
        reason=played.outcome.reason,
        faults=tuple(
            Fault(step.seat, step.kind, step.detail)  # type: ignore[arg-type]  # the referee wrote it
            for step in played.steps
            if isinstance(step, record.FaultStep)
        ),
        moves=tuple(moves),
        ms=tuple(ms),
    )
