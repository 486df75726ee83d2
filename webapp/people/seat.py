"""The seat of a person: the referee's questions go into a row, and the answers come out of it."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Sequence
from typing import Any

import django.db

from arena import chance
from arena.record import Step
from arena.referee import Gone
from arena.rules import AnyGame
from arena.table import MatchEnd, MatchInfo, Question
from webapp.database import in_database
from webapp.matches.services import Claim, ClaimLost
from webapp.people import services
from webapp.people.services import GRACE_MS, Mail

log = logging.getLogger(__name__)

POLL_SECONDS = 0.1
"""How often the answers are looked for: once for all tables of the process."""

WRITE_SECONDS = 0.25
"""How often a page learns, at most, how far the match is while others think."""

MOST_MISSED = 2
"""Who lets the time run out so often in a row has left."""


class Post:
    """Brings what people say to their seats: one look into the database for all tables that wait."""

    def __init__(self) -> None:
        self._waiting: dict[int, tuple[int, asyncio.Future[Mail]]] = {}

    async def wait(self, series: int, question: int) -> Mail:
        """What the person at this table says to this question."""
        future: asyncio.Future[Mail] = asyncio.get_running_loop().create_future()
        self._waiting[series] = (question, future)
        try:
            return await future
        finally:
            self._waiting.pop(series, None)

    async def deliver(self) -> None:
        """For ever: look for answers to the questions that wait."""
        while True:
            await asyncio.sleep(POLL_SECONDS)
            if not self._waiting:
                continue
            try:
                found = await in_database(services.collect)(series=list(self._waiting))
            except django.db.Error as error:
                log.warning("the answers of people could not be read, they are looked for again: %s", error)
                continue
            for series, mail in found.items():
                question, future = self._waiting.get(series, (0, None))
                if future is not None and not future.done() and (mail.left or mail.answered >= question):
                    future.set_result(mail)


class PersonSeat:
    """One person at one table, over one match."""

    immediate = False
    present = True

    def __init__(self, game: AnyGame, claim: Claim, post: Post, tell: Callable[[], None]) -> None:
        self.game = game
        self.log: list[str] = []
        self.log_decisions: list[int] = []
        self.asked: Question | None = None
        self.answered: Any | None = None
        self._claim = claim
        self._post = post
        self._tell = tell
        self._nonce = secrets.token_bytes(chance.SEED_BYTES)
        self._steps: Sequence[Step] = ()
        self._news = asyncio.Event()
        self._missed = 0
        self._left = False

    # ---- the exchange: the site keeps the person's nonce ----------------------------------------

    async def commit(self, block: str) -> bytes:
        """The hash of the person's nonce."""
        return chance.digest(self._nonce)

    async def reveal(self, block: str, commitment: bytes, hashes: Sequence[bytes]) -> bytes:
        """That nonce."""
        return self._nonce

    async def tell_block(self, block: str, commitment: bytes, hashes: Sequence[bytes]) -> None:
        """The page reads it from the block."""

    # ---- the match ------------------------------------------------------------------------------

    def follow(self, steps: Sequence[Step]) -> None:
        """Remember where the steps are written down."""
        self._steps = steps

    def stepped(self) -> None:
        """There is something to show."""
        self._news.set()

    async def start(self, info: MatchInfo) -> None:
        """A person who has sat down is ready."""

    async def ask(self, question: Question) -> Any:
        """Put the question, and wait for the answer; who has left gives none."""
        self.asked, self.answered = question, None
        if self._missed >= MOST_MISSED and not self._left:
            self._left = True
            await in_database(services.ask_no_more)(claim=self._claim)
        if self._left:
            raise Gone("the person has left the table")
        assert question.deadline_ms is not None
        seconds = max(0.0, question.deadline_ms - GRACE_MS) / 1000
        self._news.clear()
        await in_database(services.ask)(
            claim=self._claim, question=question.decision, seconds=seconds, steps=tuple(self._steps)
        )
        self._tell()
        # counted as missed until it is answered: when the time is up, the referee just stops waiting
        self._missed += 1
        mail = await self._post.wait(self._claim.series, question.decision)
        if mail.left:
            self._left = True
            raise Gone("the person has left the table")
        self._missed = 0
        self.answered = self.game.parse(mail.answer)
        return self.answered

    async def end(self, end: MatchEnd) -> None:
        """The page reads how it ended from the match, or from the note of the series."""

    async def keep_shown(self) -> None:
        """For ever: write down how far the match is, as long as others play."""
        while True:
            await self._news.wait()
            self._news.clear()
            await in_database(services.show)(claim=self._claim, steps=tuple(self._steps))
            self._tell()
            await asyncio.sleep(WRITE_SECONDS)


class PersonChair:
    """A person over one series, which is one match.

    Args:
        game: what is played.
        claim: the right to play it.
        post: brings the answers.
        tell: has the person's page look again.
    """

    def __init__(self, game: AnyGame, claim: Claim, post: Post, tell: Callable[[], None]) -> None:
        self._seat = PersonSeat(game, claim, post, tell)
        self._showing: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Begin to show the table."""
        self._showing = asyncio.ensure_future(self._show())

    async def sit(self) -> PersonSeat:
        """The seat."""
        return self._seat

    async def rise(self) -> str:
        """A person writes nothing for an author."""
        return ""

    async def close(self) -> None:
        """The table is not shown any more."""
        if self._showing is not None:
            self._showing.cancel()
            await asyncio.gather(self._showing, return_exceptions=True)

    async def _show(self) -> None:
        try:
            await self._seat.keep_shown()
        except ClaimLost:
            return  # whoever renews the lease finds that out, too
        except django.db.Error as error:
            log.warning("a table is not shown any more, the database did not take it: %s", error)
