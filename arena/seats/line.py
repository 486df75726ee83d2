"""A seat at the far end of a line: a bot that speaks the protocol (``protos/arena/protocol/v1/arena.proto``)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol, TypeVar

from google.protobuf.message import DecodeError

from arena import wire
from arena.protocol.v1 import arena_pb2 as pb
from arena.referee import Gone, Unreadable
from arena.rules import AnyGame, Event
from arena.table import MatchEnd, MatchInfo, Question

T = TypeVar("T")

STALE_ANSWERS = 100
"""So many answers to earlier decisions may come before one question is answered; more is a flood."""

LOG_BYTES = 65_536
"""What is kept of a bot's log lines, a match."""

ANSWER_LOG_BYTES = 4096
"""What is kept of the log lines of one answer."""

PARTING_SECONDS = 1.0
"""How long a bot that does not read may hold up its own farewell."""


class LineLost(Exception):
    """The line ended at the bot's side. The message says how, for the match's page."""


class Line(Protocol):
    """One stream to a bot, in serialized messages."""

    async def send(self, message: bytes) -> None:
        """See that a ``PlayResponse`` is sent; waits where many wait already. Cancelled, it is not sent at all.

        Raises:
            LineLost: the bot's side is gone.
            PlatformFailure: ours is.
        """

    async def receive(self) -> bytes:
        """The next ``PlayRequest``. Safe to cancel: nothing is lost.

        Raises:
            LineLost: the bot's side is gone.
            PlatformFailure: ours is.
        """


Redial = Callable[[LineLost], Awaitable[Line]]
"""Waits for a bot whose line was lost to come back, and gives its new line.

Raises `Gone` when it will not come, `PlatformFailure` when that is our fault."""


class LineSeat:
    """Speaks the protocol with one bot, over one series or one match."""

    immediate = False

    def __init__(self, game: AnyGame, line: Line, *, redial: Redial | None = None) -> None:
        self.game = game
        self.line = line
        self.present = True
        self.log: list[str] = []
        """The bot's log lines in this match, for its author's eyes."""
        self.log_decisions: list[int] = []
        """For each of them the number of the question with whose answer it came."""
        self.asked: Question | None = None
        """The newest question of this match."""
        self.answered: Any | None = None
        """The move that came as the answer to it, if it could be read."""
        self._redial = redial
        self._log_bytes = 0
        self._info: MatchInfo | None = None
        self._introduced = False
        """Whether the bot was told of this match on the present line."""
        self._unready: set[str] = set()
        """The matches that it was told of on this line and has not yet said Ready to."""
        self._decision = 0
        """Counts over all matches, so that an answer out of an earlier match is known for what it is."""
        self._heard: list[Event] = []
        """All that the seat perceived in this match."""
        self._told = 0
        """How much of that was sent on the present line."""

    # ---- before the match ----------------------------------------------------------------------

    async def greet(self, series: str, matches: int, players: Sequence[tuple[str, str | None]]) -> None:
        """Tell that a table has been found: ``players`` are names and versions by seat of the first match."""
        start = pb.SeriesStart(series=series, matches=matches)
        for seat, (bot, version) in enumerate(players):
            start.players.add(seat=seat, bot=bot, version=version or "")
        await self.part(pb.PlayResponse(series_start=start))

    async def commit(self, block: str) -> bytes:
        """The hash of the bot's nonce."""

        async def opening() -> bytes:
            await self._say(pb.PlayResponse(block_opening=pb.BlockOpening(block=block)))
            return (await self._expect("nonce_hash")).nonce_hash.hash

        return await self._over_lines(opening)

    async def reveal(self, block: str, commitment: bytes, hashes: Sequence[bytes]) -> bytes:
        """The bot's nonce."""

        async def revealing() -> bytes:
            await self._say(_commitment(block, commitment, hashes, send_nonce=True))
            return (await self._expect("nonce")).nonce.nonce

        return await self._over_lines(revealing)

    async def tell_block(self, block: str, commitment: bytes, hashes: Sequence[bytes]) -> None:
        """Tell a process that comes later what everybody is bound to; does not care whether that arrives."""
        await self.part(_commitment(block, commitment, hashes, send_nonce=False))

    async def start(self, info: MatchInfo) -> None:
        """Tell that a match begins, and wait until the bot is ready."""
        self._info = info
        self._introduced = False
        self._heard = []
        self._told = 0
        self.log = []
        self.log_decisions = []
        self.asked = self.answered = None
        self._log_bytes = 0
        await self._over_lines(self._introduce)

    # ---- the match -----------------------------------------------------------------------------

    async def ask(self, question: Question) -> Any:
        """Ask, and wait for the answer to just this question; if the line is lost, wait for the bot to return."""
        self._decision += 1
        self._heard.extend(question.events)
        self.asked, self.answered = question, None
        began = time.monotonic()

        async def asking() -> Any:
            if not self._introduced:
                await self._introduce()
            now = _after(question, time.monotonic() - began)
            news = tuple(self._heard[self._told :])
            message = wire.question_to_proto(self.game, now._replace(decision=self._decision, events=news))
            await self._say(pb.PlayResponse(question=message))
            self._told = len(self._heard)
            return await self._answer(self._decision)

        self.answered = await self._over_lines(asking)
        return self.answered

    async def end(self, end: MatchEnd) -> None:
        """Tell that the match is over."""
        self._info = None
        await self.part(pb.PlayResponse(match_end=wire.match_end_to_proto(self.game, end)))

    async def part(self, message: pb.PlayResponse) -> None:
        """Send something that needs no answer, without caring whether it arrives."""
        sending = asyncio.ensure_future(self._say(message))
        await asyncio.wait({sending}, timeout=PARTING_SECONDS)
        sending.cancel()
        await asyncio.gather(sending, return_exceptions=True)

    # ---- messages ------------------------------------------------------------------------------

    async def _introduce(self) -> None:
        """Tell of the match, and of all that was perceived in it so far, and wait until the bot is ready for it."""
        assert self._info is not None
        start = wire.match_start_to_proto(self.game, self._info, self._heard)
        await self._say(pb.PlayResponse(match_start=start))
        self._introduced = True
        self._told = len(self._heard)
        self._unready.add(self._info.match)
        await self._expect("ready")

    async def _answer(self, decision: int) -> Any:
        for _ in range(STALE_ANSWERS):
            message = _read(await self.line.receive())
            if self._is_ready(message):
                continue
            if message.WhichOneof("message") != "answer":
                raise Unreadable(f"an answer to decision {decision} was due, not {_named(message)}")
            self._keep_log(message.answer.log)
            if message.answer.decision > decision:
                raise Unreadable(
                    f"it answers decision {message.answer.decision}, which was never asked; the last one is {decision}"
                )
            if message.answer.decision == decision:
                try:
                    return wire.answer_from_proto(self.game, message.answer)
                except wire.WireError as error:
                    raise Unreadable(str(error)) from error
        raise Unreadable(f"{STALE_ANSWERS} answers to earlier decisions came instead of one to decision {decision}")

    async def _expect(self, kind: str) -> pb.PlayRequest:
        """The next message, which must be of this kind; what was due earlier and comes too late is passed over."""
        for _ in range(STALE_ANSWERS):
            message = _read(await self.line.receive())
            which = message.WhichOneof("message")
            if self._is_ready(message):
                if which == kind and self._info is not None and message.ready.match == self._info.match:
                    return message
            elif which == kind != "ready":
                return message
            elif which != "answer":
                raise Unreadable(f"{kind} was due, not {_named(message)}")
        raise Unreadable(f"{STALE_ANSWERS} stale answers came instead of {kind}")

    def _is_ready(self, message: pb.PlayRequest) -> bool:
        """Whether this is a Ready that was still to come, even if nobody waits for it any more."""
        if message.WhichOneof("message") != "ready" or message.ready.match not in self._unready:
            return False
        self._unready.discard(message.ready.match)
        return True

    async def _say(self, message: pb.PlayResponse) -> None:
        await self.line.send(message.SerializeToString())

    def _keep_log(self, lines: Sequence[str]) -> None:
        room = min(ANSWER_LOG_BYTES, LOG_BYTES - self._log_bytes)
        for line in lines:
            if room <= 0:
                return
            # no database takes a NUL in a text
            kept = line.replace("\0", "\N{REPLACEMENT CHARACTER}").encode()[:room].decode(errors="ignore")
            taken = len(kept.encode()) + 1
            room -= taken
            self._log_bytes += taken
            self.log.append(kept)
            self.log_decisions.append(self.asked.decision if self.asked is not None else 0)

    # ---- a lost line ---------------------------------------------------------------------------

    async def _recover(self, lost: LineLost) -> None:
        self.present = False
        if self._redial is None:
            raise Gone(str(lost)) from lost
        self.line = await self._redial(lost)
        self.present = True
        self._introduced = False
        self._unready.clear()

    async def _over_lines(self, step: Callable[[], Awaitable[T]]) -> T:
        """Do ``step``, and again on the new line whenever the bot lost its line and came back."""
        while True:
            try:
                return await step()
            except LineLost as lost:
                await self._recover(lost)


def _after(question: Question, seconds: float) -> Question:
    """``question`` with the time that is left when it is asked again so much later."""
    if question.deadline_ms is None or seconds < 0.001:
        return question
    left = max(1.0, question.deadline_ms - seconds * 1000)
    return question._replace(deadline_ms=left, bank_ms=min(question.bank_ms, left))


def _commitment(block: str, commitment: bytes, hashes: Sequence[bytes], *, send_nonce: bool) -> pb.PlayResponse:
    told = pb.BlockCommitment(block=block, commitment=commitment, nonce_hashes=hashes, send_nonce=send_nonce)
    return pb.PlayResponse(block_commitment=told)


def _read(message: bytes) -> pb.PlayRequest:
    try:
        return pb.PlayRequest.FromString(message)
    except DecodeError as error:
        raise Unreadable(f"{len(message)} bytes came that are no PlayRequest") from error


def _named(message: pb.PlayRequest) -> str:
    return message.WhichOneof("message") or "a message of no known kind"
