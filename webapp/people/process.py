"""Plays the tables with people: all of them in one event loop, beside the workers and not in their way.

A person thinks for minutes; a worker that waited for one would be lost to the ladder. So these series are claimed
here, by their purpose, under the same leases as everywhere.
"""

from __future__ import annotations

import asyncio
import logging
from functools import partial

import django.db
from django.conf import settings

from arena.rules import AnyGame
from webapp.database import in_database
from webapp.matches import services as matches
from webapp.matches.models import Series
from webapp.matches.runner import play_claimed
from webapp.matches.services import Claim, ClaimLost
from webapp.people import services
from webapp.people.seat import PersonChair, Post

log = logging.getLogger(__name__)

LOOK_SECONDS = 0.2
"""How often waiting tables are looked for."""


async def serve(*, worker: str, strong: bool, ending: asyncio.Event) -> None:
    """Play until told to end; the tables that are in play then are broken off, and those at them are told."""
    post = Post()
    delivering = asyncio.ensure_future(post.deliver())
    told = asyncio.ensure_future(ending.wait())
    tables: dict[asyncio.Task[None], Claim] = {}
    try:
        while not ending.is_set():
            room = settings.ARENA_PEOPLE_TABLES - len(tables)
            for claim in await _claim(worker, room) if room > 0 else ():
                tables[asyncio.ensure_future(_play(claim, post, strong=strong))] = claim
            await asyncio.wait({told, *tables}, return_when=asyncio.FIRST_COMPLETED, timeout=LOOK_SECONDS)
            for done in [table for table in tables if table.done()]:
                del tables[done]
    finally:
        for task in (delivering, told, *tables):
            task.cancel()
        await asyncio.gather(delivering, told, *tables, return_exceptions=True)
        for claim in tables.values():
            await _break_off(claim)


async def _play(claim: Claim, post: Post, *, strong: bool) -> None:
    try:
        tell = partial(services.tell, await in_database(services.channel_of)(series=claim.series))

        def seating(claim: Claim, game: AnyGame) -> PersonChair:
            return PersonChair(game, claim, post, tell)

        await play_claimed(claim, strong=strong, seating=seating)
        tell()
    except Exception:
        # one table must not end the others
        log.exception("the table of series %s ended with an error", claim.series)


async def _claim(worker: str, room: int) -> list[Claim]:
    try:
        return await in_database(_claim_waiting)(worker, room)
    except django.db.Error as error:
        log.warning("no tables could be looked for, they are looked for again: %s", error)
        return []


def _claim_waiting(worker: str, room: int) -> list[Claim]:
    waiting = Series.objects.filter(purpose=Series.Purpose.PERSON, state=Series.State.WAITING).order_by("pk")
    claims = [
        matches.claim(series_id=pk, worker=worker, people=True) for pk in waiting.values_list("pk", flat=True)[:room]
    ]
    return [claim for claim in claims if claim is not None]


async def _break_off(claim: Claim) -> None:
    try:
        await in_database(matches.break_off)(claim=claim, reason="it is being restarted.")
    except ClaimLost:
        return  # it had just ended
    except django.db.Error as error:
        log.warning("series %s is left to the sweeper: %s", claim.series, error)
