"""Plays a series: the one place where database, referee and bots come together.

Everything that a match needs lives in this process and its children; everything that outlives it is written by
`webapp.matches.services`, under the claim. So a runner can be killed at any moment, and another one goes on.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import django.db
from django.conf import settings

from arena import runtime
from arena.clock import WallClock
from arena.exchange import Withheld, bind, unveil
from arena.games import find_game
from arena.pairing import seat_orders
from arena.protocol.v1 import arena_pb2 as pb
from arena.record import FaultStep, Step, write
from arena.referee import Luck, PlatformFailure, Terms, play
from arena.rules import AnyGame, Event, Ruleset
from arena.seats import Listener
from arena.table import Limits
from webapp.bots.models import Bot, Version
from webapp.database import in_database
from webapp.live.table import Teller
from webapp.matches import hosting, services
from webapp.matches.chairs import (
    PATIENCE_SECONDS,
    RETURN_SECONDS,
    Absent,
    Busy,
    Chair,
    Reader,
    RemoteChair,
    Seating,
    Sitter,
    find_lines,
    hosted_chair,
    open_all,
    player_of,
)
from webapp.matches.models import Block, Series
from webapp.matches.rulesets import rules_of
from webapp.matches.services import Claim, ClaimLost
from webapp.matches.verdicts import TOO_LONG
from webapp.tournaments import at_table

log = logging.getLogger(__name__)

LEAVING_SECONDS = 30.0
"""So long before the queue would end the task, the series is ended in order."""

PERSON_SECONDS = 3 * 3600.0
"""How long a person may sit at one table."""

LONGEST_EXCHANGE = 4000
"""Characters of a question, and of an answer, that are kept for the author of a bot at fault."""


STRICT = (*Series.PRIVATE, Series.Purpose.TOURNAMENT)
"""In these a fault costs the place at the table although they are not rated."""


class Plan(NamedTuple):
    """All that is known of a series before it is played."""

    claim: Claim
    game: AnyGame
    rules: Ruleset
    limits: Limits
    strict: bool
    """A fault costs the place at the table; else a default move is made."""
    candidate: int | None
    """The series seat of the version that is validated: its first fault ends the series."""
    shown: bool
    """Spectators may follow it: how a version is validated concerns its author alone."""
    tournament: bool
    """The table waits for who is not connected, without a worker meanwhile."""
    person: bool
    """Somebody sits there who thinks for minutes."""
    planned: int
    duplicate: bool
    versions: dict[int, Version]
    """By series seat; removed seats are absent."""
    played: int
    """How many matches are written already: those numbered from 1 to this."""
    broken: bool
    """The platform has broken it off before."""
    open_block: Block | None
    """One whose luck some of its matches have yet to be played on."""
    played_in_block: int


def _stays() -> bool:
    return False


def run_series(series_id: int, worker: str, leaving: Callable[[], bool] = _stays) -> None:
    """Claim a series and play it, or what is left of it. Returns at once when somebody else has it.

    Args:
        series_id: its primary key.
        worker: who plays it, for organisers.
        leaving: asked before every match; once it is true, what is left is another worker's.
    """
    if leaving():
        return
    claim = services.claim(series_id=series_id, worker=worker)
    if claim is not None:
        # found out here, once a process: the trial has an event loop of its own
        found = hosting.report()
        asyncio.run(play_claimed(claim, strong=found.strong, leaving=leaving))


async def play_claimed(
    claim: Claim, *, strong: bool, seating: Seating | None = None, leaving: Callable[[], bool] = _stays
) -> None:
    """Play under the claim; whatever goes wrong is the platform's fault, and the series is handed back.

    Args:
        claim: the right to play it.
        strong: this process may run strangers' programs.
        seating: where people get their chairs from; None where no series with a person is claimed.
        leaving: as of `run_series`.
    """
    playing = asyncio.ensure_future(_play(claim, strong=strong, seating=seating, leaving=leaving))
    renewing = asyncio.ensure_future(_keep(claim))
    try:
        await _play_to_an_end(playing, renewing, claim)
    except ClaimLost as lost:
        log.warning("%s", lost)
    except django.db.Error as error:
        log.warning("series %s is left to the sweeper, the database did not take its end: %s", claim.series, error)
    finally:
        for task in (playing, renewing):
            task.cancel()
        await asyncio.gather(playing, renewing, return_exceptions=True)


async def _play_to_an_end(playing: asyncio.Task[None], renewing: asyncio.Task[None], claim: Claim) -> None:
    try:
        await _while_held(playing, renewing, claim)
    except ClaimLost:
        raise
    except Absent as absent:
        if not await in_database(at_table.wait_for)(claim=claim, seats=absent.seats, note=f"{absent}."):
            await in_database(services.cancel)(claim=claim, note=f"{absent}.")
    except Busy:
        await in_database(services.hand_back)(claim=claim)
    except Leaving:
        await in_database(services.hand_back)(claim=claim, in_seconds=0)
    except TooLong as too_long:
        await in_database(services.cancel)(claim=claim, note=f"{too_long}.")
    except Unsafe as unsafe:
        log.warning("series %s is handed back: %s", claim.series, unsafe)
        await in_database(services.hand_back)(claim=claim, note=str(unsafe))
    except Exception as failure:
        # also an error in our own code: the bots are not to blame for it, and three of them put the series off
        expected = isinstance(failure, PlatformFailure)
        level = logging.WARNING if expected else logging.ERROR
        log.log(level, "series %s: %s", claim.series, failure, exc_info=not expected)
        reason = str(failure) if expected else f"an error of the arena ({type(failure).__name__})"
        await in_database(services.break_off)(claim=claim, reason=reason)
    else:
        await in_database(services.finish)(claim=claim)


async def _while_held(playing: asyncio.Task[None], renewing: asyncio.Task[None], claim: Claim) -> None:
    """Wait for the end of the series. Raises `ClaimLost` when the lease is lost before it."""
    await asyncio.wait({playing, renewing}, return_when=asyncio.FIRST_COMPLETED)
    if not playing.done():
        raise ClaimLost(f"the lease of series {claim.series} was not renewed in time")
    await playing


async def _keep(claim: Claim) -> None:
    """Renew the lease until it is lost."""
    last = time.monotonic()
    while time.monotonic() - last < services.LEASE.total_seconds():
        try:
            if not await in_database(services.renew)(claim=claim):
                return
            last = time.monotonic()
        except django.db.Error as error:
            log.warning("the lease of series %s could not be renewed: %s", claim.series, error)
        await asyncio.sleep(services.RENEW_SECONDS)


def load(claim: Claim) -> Plan:
    """Read the series."""
    series = Series.objects.select_related("ruleset").get(pk=claim.series)
    game = find_game(series.ruleset.game)
    seats = series.seats.select_related("version__bot").filter(removed="").order_by("seat")
    block = series.blocks.filter(state=Block.State.OPEN).first()
    return Plan(
        claim=claim,
        game=game,
        rules=rules_of(series.ruleset),
        limits=series.limits,
        strict=series.rated or series.purpose in STRICT,
        shown=not series.private,
        tournament=series.purpose == Series.Purpose.TOURNAMENT,
        person=series.purpose == Series.Purpose.PERSON,
        candidate=next((seat.seat for seat in seats if seat.version.validation_id == series.pk), None),
        planned=series.planned,
        duplicate=series.duplicate,
        versions={seat.seat: seat.version for seat in seats},
        played=series.matches.count(),
        broken=series.broken > 0,
        open_block=block,
        played_in_block=block.matches.count() if block is not None else 0,
    )


class TooLong(Exception):
    """The series has kept a worker for as long as any may."""


class Unsafe(Exception):
    """A bot of the series is a stranger's, and this worker has no strong sandbox."""


class Leaving(Exception):
    """This worker is asked to end, and the series is not over."""


async def _play(claim: Claim, *, strong: bool, seating: Seating | None, leaving: Callable[[], bool]) -> None:
    plan = await in_database(load)(claim)
    if plan.played >= plan.planned:
        return  # the worker before was lost after the last match, before it could say so
    uploaded = hosting.strangers(plan.versions.values())
    if uploaded and not strong:
        names = " and ".join(uploaded)
        raise Unsafe(f"It waits for a worker that can lock uploaded bots in ({names}); the last one could not.")
    usual = 0.0 if plan.tournament else PATIENCE_SECONDS
    lines = await find_lines(claim, plan.versions, RETURN_SECONDS if plan.broken else usual)
    # the shortest of names: a socket's path has at most 107 bytes
    with tempfile.TemporaryDirectory(prefix="arena-") as name:
        async with WallClock() as clock, AsyncExitStack() as listening:
            chairs: dict[int, Chair] = {}
            for seat, version in plan.versions.items():
                if seat in lines:
                    chairs[seat] = RemoteChair(lines[seat], claim=claim, game=plan.game)
                    continue
                if version.bot.is_person:
                    assert seating is not None, "series with people are claimed by who can seat them"
                    chairs[seat] = seating(claim, plan.game)
                    continue
                # a folder and a socket for each, so that nobody can dial in as somebody else
                listener = await listening.enter_async_context(Listener(f"unix:{name}/{seat}.s"))
                folder = Path(name, str(seat))
                chairs[seat] = hosted_chair(version, game=plan.game, folder=folder, listener=listener)
            try:
                async with _at_most(_seconds(plan)):
                    await open_all(list(chairs.values()))
                    await _Sitting(plan, chairs, clock, leaving).run()
            finally:
                await asyncio.gather(*(chair.close() for chair in chairs.values()), return_exceptions=True)


def _seconds(plan: Plan) -> float | None:
    """How long the series may keep a worker. One of a tournament has all of the task's time, and is played again."""
    if plan.tournament:
        return None
    if plan.candidate is not None:
        return float(settings.ARENA_VALIDATION_SECONDS)
    if plan.person:
        return PERSON_SECONDS
    return max(1.0, float(settings.ARENA_TASK_SECONDS) - LEAVING_SECONDS)


@asynccontextmanager
async def _at_most(seconds: float | None) -> AsyncIterator[None]:
    """Raises `TooLong` once the time is up."""
    try:
        async with asyncio.timeout(seconds) as limit:
            yield
    except TimeoutError as error:
        if not limit.expired():
            raise
        assert seconds is not None
        raise TooLong(f"{TOO_LONG} {seconds / 60:.0f} minutes") from error


class _Table(NamedTuple):
    """A block that is being played: its luck, and who sits where in which of its matches."""

    block: Block
    luck: Luck
    orders: Sequence[Sequence[int]]
    """The series seats by their seat, for every match of the block."""
    seats: Sequence[Sitter]
    """Those who have just agreed on the luck, in the order of the first match; empty when it was agreed on before."""


class _Sitting:
    """One worker's sitting over a series: blocks, and the matches in them."""

    def __init__(self, plan: Plan, chairs: dict[int, Chair], clock: WallClock, leaving: Callable[[], bool]) -> None:
        self.plan = plan
        self.chairs = chairs
        """By series seat; who is taken off the table is taken out of it."""
        self.clock = clock
        self.leaving = leaving
        self.failed = False
        """The version that is validated was at fault: it needs no more matches."""

    async def run(self) -> None:
        """Every match that is not written yet."""
        plan = self.plan
        await self._greet()
        number = plan.played + 1
        if plan.open_block is not None:
            luck = services.luck_of(plan.open_block)
            assert luck is not None, "an open block without nonces is broken when its series is handed back"
            table = _Table(plan.open_block, luck, self._orders(number - plan.played_in_block), ())
            number = await self._block(table, number, plan.played_in_block)
        while number <= plan.planned and not self.failed:
            if self.leaving():
                raise Leaving
            number = await self._block(await self._luck(number), number, 0)

    async def _greet(self) -> None:
        """Tell the remote bots that a table has been found; a hosted bot's process hears of one match only."""
        players = [player_of(version) for version in self.plan.versions.values()]
        for chair in self._remote():
            await (await chair.sit()).greet(f"series {self.plan.claim.series}", self.plan.planned, players)

    def _remote(self) -> list[RemoteChair]:
        return [chair for chair in self.chairs.values() if isinstance(chair, RemoteChair)]

    def _orders(self, number: int) -> list[list[int]]:
        """Who sits where in every match of the block that begins with the match of this number."""
        there = sorted(self.chairs)
        orders = [[there[player] for player in order] for order in seat_orders(len(there), self.plan.planned)]
        if self.plan.duplicate:
            return orders[: self.plan.planned + 1 - number]
        return [orders[(number - 1) % len(orders)]]

    async def _block(self, table: _Table, number: int, played: int) -> int:
        """What is left of a block, from the match of this number on; returns the number after it."""
        records: list[str] = []
        seats = table.seats
        for index in range(played, len(table.orders)):
            if records and self.leaving():
                raise Leaving
            order = table.orders[index]
            if not seats:
                seats = await self._sit(order)
                hashes = tuple(map(bytes.fromhex, table.block.nonce_hashes))
                for seat in seats:
                    await seat.tell_block(self._name(table.block), bytes.fromhex(table.block.commitment), hashes)
            closing = index == len(table.orders) - 1
            records.append(await self._match(number, table, order, seats, closing))
            number, seats = number + 1, ()
            if self.failed:
                break
        await self._show(table, records)
        return number

    async def _luck(self, number: int) -> _Table:
        """A new block on fresh luck, beginning with the match of this number. Who does not do his part is removed."""
        while True:
            if len(self.chairs) not in self.plan.rules.players:
                names = [self.plan.versions[seat].bot.name for seat in self.chairs]
                left = f"Only {' and '.join(names)} was" if names else "Nobody was"
                raise Absent(f"{left} left at the table")
            orders = self._orders(number)
            seats = await self._sit(orders[0])
            agreed = await self._agree(orders[0], seats)
            if agreed is not None:
                return _Table(*agreed, orders, seats)
            await self._rise(orders[0])

    async def _agree(self, order: Sequence[int], seats: Sequence[Sitter]) -> tuple[Block, Luck] | None:
        """Exchange commitments; None when somebody did not do his part and was taken off the table."""
        claim, seconds = self.plan.claim, self.plan.limits.ready_ms / 1000
        block = None
        number = await in_database(services.blocks_of)(claim.series) + 1
        name = _name(claim.series, number)
        # in a tournament it was settled before the first round; else it is drawn when everybody is bound
        settled = await in_database(at_table.seed_of_block)(series=claim.series, number=number)
        try:
            binding = await bind(
                seats, name, draw_seed=lambda: settled or secrets.token_bytes(32), clock=self.clock, seconds=seconds
            )
            block = await in_database(services.open_block)(
                claim=claim,
                commitment=binding.commitment,
                seed=binding.seed,
                nonce_hashes=binding.hashes,
                seating=order,
            )
            luck = await unveil(seats, name, binding, clock=self.clock, seconds=seconds)
        except Withheld as withheld:
            reasons = {order[fault.seat]: f"{fault.kind}: {fault.detail}" for fault in withheld.faults}
            # what a bot printed that does not even begin is all that its author has to go by
            outputs = {seat: await self.chairs[seat].rise() for seat in reasons}
            if block is not None:
                await in_database(services.break_block)(claim=claim, block=block, reason=str(withheld))
            await in_database(services.remove_seats)(claim=claim, reasons=reasons, outputs=outputs)
            await asyncio.gather(*(self._remove(seat, reason) for seat, reason in reasons.items()))
            return None
        await in_database(services.keep_nonces)(claim=claim, block=block, nonces=luck.nonces)
        return block, luck

    async def _remove(self, seat: int, reason: str) -> None:
        chair = self.chairs.pop(seat)
        if isinstance(chair, RemoteChair):
            chair.farewell = f"taken off the table: {reason}"
        await chair.close()

    async def _match(
        self, number: int, table: _Table, order: Sequence[int], seats: Sequence[Sitter], closing: bool
    ) -> str:
        plan = self.plan
        versions = [plan.versions[seat] for seat in order]
        terms = Terms(
            match=f"m-{secrets.token_hex(8)}",
            ruleset=plan.rules,
            players=tuple(player_of(version) for version in versions),
            limits=plan.limits,
            penalty="forfeit" if plan.strict else "default",
            number=number,
            started=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        )
        steps: list[Step] = []
        readers = [seat for seat in seats if isinstance(seat, Reader)]
        for reader in readers:
            reader.follow(steps)
        teller = None
        if plan.shown:
            bots = [version.bot.name for version in versions]
            series, match = plan.claim.series, terms.match
            teller = Teller(series, game=plan.game, match=match, number=number, planned=plan.planned, bots=bots)

        def watch(state: Any, events: tuple[Event, ...]) -> None:
            for reader in readers:
                reader.stepped()
            if teller is not None:
                teller.watch(state, events)

        try:
            record = await play(plan.game, terms, seats, table.luck, clock=self.clock, watch=watch, steps=steps)
        except BaseException:
            if teller is not None:
                teller.end(whole=False)
            raise
        finished = datetime.now(UTC)
        printed = await self._rise(order)
        logs = [_log(plan, seat, output) for seat, output in zip(seats, printed, strict=True)]
        at_fault = {order[step.seat] for step in record.steps if isinstance(step, FaultStep)}
        self.failed = plan.candidate in at_fault
        await in_database(services.write_match)(
            claim=plan.claim,
            block=table.block,
            number=number,
            record=record,
            versions=versions,
            logs=logs,
            finished=finished,
            closing=closing or self.failed,
            runtime=runtime.name() if any(version.bot.kind == Bot.Kind.HOSTED for version in versions) else "",
        )
        if teller is not None:
            teller.end(whole=True)
        return write(record)

    async def _sit(self, order: Sequence[int]) -> list[Sitter]:
        return list(await asyncio.gather(*(self.chairs[seat].sit() for seat in order)))

    async def _rise(self, order: Sequence[int]) -> list[str]:
        return list(await asyncio.gather(*(self.chairs[seat].rise() for seat in order if seat in self.chairs)))

    async def _show(self, table: _Table, records: Sequence[str]) -> None:
        """Reveal the luck of a closed block to the bots that are still on the line, for their own check."""
        reveal = pb.BlockReveal(
            block=self._name(table.block), seed=table.luck.seed, nonces=table.luck.nonces, records=records
        )
        # the processes of hosted bots have ended with their matches
        for chair in self._remote():
            await (await chair.sit()).part(pb.PlayResponse(block_reveal=reveal))

    def _name(self, block: Block) -> str:
        return _name(self.plan.claim.series, block.number)


def _log(plan: Plan, seat: Sitter, output: str) -> services.Log:
    """What the bot on this seat wrote, and what was between it and the arena last."""
    lines = tuple(zip(seat.log_decisions, seat.log, strict=True))
    if seat.asked is None:
        return services.Log(lines, output=output)
    if not plan.strict:  # a fault did not end it
        return services.Log(lines, seat.asked.decision, output)
    fields = ", ".join(f"{name}={value!r}" for name, value in seat.asked.view._asdict().items() if name != "legal")
    legal = ", ".join(map(plan.game.write, seat.asked.view.legal))
    exchange = {
        "asked": f"{fields}\nlegal: {legal}"[:LONGEST_EXCHANGE],
        "answered": "" if seat.answered is None else plan.game.write(seat.answered)[:LONGEST_EXCHANGE],
    }
    return services.Log(lines, seat.asked.decision, output, exchange)


def _name(series: int, number: int) -> str:
    """What the bots call the block of this number. A bot that is thrown out of a series with its line takes what it
    was promised there along, so the name is one of all series."""
    return f"series {series}, block {number}"
