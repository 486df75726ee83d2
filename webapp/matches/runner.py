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
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, ParamSpec, TypeVar

from asgiref.sync import sync_to_async
from django.db import DatabaseError, close_old_connections

from arena.clock import WallClock
from arena.exchange import Withheld, bind, unveil
from arena.games import find_game
from arena.pairing import seat_orders
from arena.protocol.v1 import arena_pb2 as pb
from arena.record import write
from arena.referee import Luck, PlatformFailure, Terms, play
from arena.rules import AnyGame, Ruleset, ruleset
from arena.seats import LineSeat, Listener
from arena.table import Limits, Player
from webapp.bots.models import Version
from webapp.matches import services
from webapp.matches.chairs import Absent, Chair, RemoteChair, chair_for, open_all
from webapp.matches.models import Block, Match, Series
from webapp.matches.services import Claim, ClaimLost

log = logging.getLogger(__name__)

P = ParamSpec("P")
R = TypeVar("R")


def in_database(call: Callable[P, R]) -> Callable[P, Awaitable[R]]:
    """``call`` for the event loop: it runs in the one thread that talks to the database."""

    def fresh(*args: P.args, **kwargs: P.kwargs) -> R:
        close_old_connections()
        return call(*args, **kwargs)

    return sync_to_async(fresh, thread_sensitive=True)


class Plan(NamedTuple):
    """All that is known of a series before it is played."""

    claim: Claim
    game: AnyGame
    rules: Ruleset
    limits: Limits
    rated: bool
    planned: int
    duplicate: bool
    versions: dict[int, Version]
    """By series seat; removed seats are absent."""
    played: frozenset[int]
    """The numbers of the matches that are written already."""
    open_block: Block | None


def run_series(series_id: int, worker: str) -> None:
    """Claim a series and play it, or what is left of it. Returns at once when somebody else has it."""
    claim = services.claim(series_id=series_id, worker=worker)
    if claim is not None:
        asyncio.run(_run(claim))


async def _run(claim: Claim) -> None:
    """Play under the claim; whatever goes wrong is the platform's fault, and the series is handed back."""
    playing = asyncio.ensure_future(_play(claim))
    renewing = asyncio.ensure_future(_keep(claim))
    try:
        await _while_held(playing, renewing, claim)
        await in_database(services.finish)(claim=claim)
    except ClaimLost as lost:
        log.warning("%s", lost)
    except Absent as absent:
        await in_database(services.cancel)(claim=claim, note=f"{absent}.")
    except Exception as failure:
        # also an error in our own code: the bots are not to blame for it, and three of them put the series off
        expected = isinstance(failure, PlatformFailure)
        level = logging.WARNING if expected else logging.ERROR
        log.log(level, "series %s: %s", claim.series, failure, exc_info=not expected)
        reason = str(failure) if expected else f"an error of the arena ({type(failure).__name__})"
        try:
            await in_database(services.break_off)(claim=claim, reason=reason)
        except ClaimLost as lost:
            log.warning("%s", lost)
    finally:
        for task in (playing, renewing):
            task.cancel()
        await asyncio.gather(playing, renewing, return_exceptions=True)


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
        except DatabaseError as error:
            log.warning("the lease of series %s could not be renewed: %s", claim.series, error)
        await asyncio.sleep(services.RENEW_SECONDS)


def load(claim: Claim) -> Plan:
    """Read the series."""
    series = Series.objects.select_related("ruleset").get(pk=claim.series)
    game = find_game(series.ruleset.game)
    seats = series.seats.select_related("version__bot").filter(removed="").order_by("seat")
    return Plan(
        claim=claim,
        game=game,
        rules=ruleset(game, series.ruleset.preset or None, series.ruleset.options),
        limits=Limits(series.ready_ms, series.move_ms, series.bank_ms),
        rated=series.rated,
        planned=series.planned,
        duplicate=series.duplicate,
        versions={seat.seat: seat.version for seat in seats},
        played=frozenset(Match.objects.filter(series=series).values_list("number", flat=True)),
        open_block=series.blocks.filter(state=Block.State.OPEN).first(),
    )


async def _play(claim: Claim) -> None:
    plan = await in_database(load)(claim)
    # the shortest of names: a socket's path has at most 107 bytes
    with tempfile.TemporaryDirectory(prefix="arena-") as name:
        folder = Path(name)
        async with WallClock() as clock, Listener(f"unix:{folder}/s") as listener:
            chairs = {
                seat: chair_for(version, series=claim.series, game=plan.game, folder=folder, listener=listener)
                for seat, version in plan.versions.items()
            }
            try:
                await open_all(list(chairs.values()))
                await _Sitting(plan, chairs, clock).run()
            finally:
                await asyncio.gather(*(chair.close() for chair in chairs.values()), return_exceptions=True)


class _Sitting:
    """One worker's sitting over a series: blocks, and the matches in them."""

    def __init__(self, plan: Plan, chairs: dict[int, Chair], clock: WallClock) -> None:
        self.plan = plan
        self.chairs = chairs
        self.clock = clock
        self.orders = seat_orders(len(plan.versions), plan.planned)

    async def run(self) -> None:
        """Every match that is not written yet."""
        per_block = len(self.orders) if self.plan.duplicate else 1
        for first in range(0, self.plan.planned, per_block):
            numbers = range(first + 1, min(first + per_block, self.plan.planned) + 1)
            todo = [number for number in numbers if number not in self.plan.played]
            if todo:
                await self._block(todo)

    def _order(self, number: int) -> list[int]:
        """The series seats by their seat in a match of this number."""
        in_series = sorted(self.chairs)
        if len(in_series) < len(self.orders[0]):
            # somebody was taken off the table: the rest moves together
            self.orders = seat_orders(len(in_series), self.plan.planned)
        return [in_series[player] for player in self.orders[(number - 1) % len(self.orders)]]

    async def _block(self, numbers: Sequence[int]) -> None:
        """The matches of these numbers, on one luck."""
        block, luck, seats = await self._luck(numbers[0])
        records = []
        for number in numbers:
            if not seats:
                seats = await self._sit(self._order(number))
                hashes = tuple(map(bytes.fromhex, block.nonce_hashes))
                for seat in seats:
                    await seat.tell_block(_name(block.number), bytes.fromhex(block.commitment), hashes)
            records.append(await self._match(number, block, luck, seats))
            seats = []
        await in_database(services.close_block)(claim=self.plan.claim, block=block)
        await self._show(block, records)

    async def _luck(self, number: int) -> tuple[Block, Luck, list[LineSeat]]:
        """The open block's luck, or that of a new one; with the new one's seats, which have agreed on it."""
        if (block := self.plan.open_block) is not None:
            self.plan = self.plan._replace(open_block=None)
            luck = services.luck_of(block)
            assert luck is not None, "an open block without nonces is broken when its series is handed back"
            return block, luck, []
        while True:
            if len(self.chairs) < self.plan.rules.players[0]:
                names = " and ".join(self.plan.versions[seat].bot.name for seat in self.chairs) or "nobody"
                raise Absent(f"Only {names} was left at the table")
            order = self._order(number)
            seats = await self._sit(order)
            agreed = await self._agree(order, seats)
            if agreed is not None:
                return *agreed, seats
            await self._rise(order)

    async def _agree(self, order: Sequence[int], seats: Sequence[LineSeat]) -> tuple[Block, Luck] | None:
        """Exchange commitments; None when somebody did not do his part and was taken off the table."""
        claim, seconds = self.plan.claim, self.plan.limits.ready_ms / 1000
        block = None
        name = _name(await in_database(services.blocks_of)(claim.series) + 1)
        try:
            binding = await bind(
                seats, name, draw_seed=lambda: secrets.token_bytes(32), clock=self.clock, seconds=seconds
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
            if block is not None:
                await in_database(services.break_block)(claim=claim, block=block, reason=str(withheld))
            await in_database(services.remove_seats)(claim=claim, reasons=reasons)
            for seat in reasons:
                await self.chairs.pop(seat).close()
            return None
        await in_database(services.keep_nonces)(claim=claim, block=block, nonces=luck.nonces)
        return block, luck

    async def _match(self, number: int, block: Block, luck: Luck, seats: Sequence[LineSeat]) -> str:
        plan, order = self.plan, self._order(number)
        versions = [plan.versions[seat] for seat in order]
        terms = Terms(
            match=f"m-{secrets.token_hex(8)}",
            ruleset=plan.rules,
            players=tuple(Player(version.bot.name, version.digest) for version in versions),
            limits=plan.limits,
            penalty="forfeit" if plan.rated else "default",
            number=number,
            started=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        )
        record = await play(plan.game, terms, seats, luck, clock=self.clock)
        finished = datetime.now(UTC)
        printed = await self._rise(order)
        logs = ["\n".join(filter(None, (*seat.log, output))) for seat, output in zip(seats, printed, strict=True)]
        await in_database(services.write_match)(
            claim=plan.claim,
            block=block,
            number=number,
            record=record,
            versions=versions,
            logs=logs,
            finished=finished,
        )
        return write(record)

    async def _sit(self, order: Sequence[int]) -> list[LineSeat]:
        return list(await asyncio.gather(*(self.chairs[seat].sit() for seat in order)))

    async def _rise(self, order: Sequence[int]) -> list[str]:
        return list(await asyncio.gather(*(self.chairs[seat].rise() for seat in order if seat in self.chairs)))

    async def _show(self, block: Block, records: Sequence[str]) -> None:
        """Reveal the luck of a closed block to the bots that are still on the line, for their own check."""
        reveal = pb.BlockReveal(
            block=_name(block.number),
            seed=bytes.fromhex(block.seed),
            nonces=[bytes.fromhex(nonce) for nonce in block.nonces],
            records=records,
        )
        for chair in self.chairs.values():
            if isinstance(chair, RemoteChair):  # the processes of hosted bots have ended with their matches
                await (await chair.sit()).part(pb.PlayResponse(block_reveal=reveal))


def _name(number: int) -> str:
    """What the bots of a series call its block of this number."""
    return f"block {number}"
