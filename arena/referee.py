"""The referee: the only loop that plays a match.

It asks the seats, owns the clock, judges faults and writes the record. It knows no particular game, no bot and no
wire: it speaks to a `Seat`, which may be a script, a bot in this process, or a program far away.

What a fault is, and whose:

* *unreadable*, *illegal*, *late*, *gone* are a bot's, and cost only that bot (`arena.table.Penalty`);
* a `PlatformFailure` is ours. The match is broken off, leaves no record, and nobody is charged for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from arena import chance
from arena.record import DrawStep, Fairness, FaultStep, MovesStep, PlayerLine, Record, Step
from arena.rules import AnyGame, Drawn, Event, Left, Moved, Outcome, Ruleset, at_seat, heard
from arena.table import Fault, FaultKind, Limits, MatchEnd, MatchInfo, Penalty, Player, Question

LAG_FORGIVEN = 0.05
"""Seconds: stalls of the runner beyond this are a reason to suspect ourselves before a bot."""

LONGEST_DETAIL = 300
"""Characters of a fault's detail that are kept."""


class SeatFault(Exception):
    """Raised by a seat that did not answer properly. The detail is shown on the match's page."""

    kind: FaultKind

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


class Unreadable(SeatFault):
    """What came was no message, or no move, that can be understood."""

    kind: FaultKind = "unreadable"


class Gone(SeatFault):
    """The bot's process has ended, or its line is lost for good."""

    kind: FaultKind = "gone"


class PlatformFailure(Exception):
    """The arena itself failed (a worker, a door, a stall of the runner). Never a bot's fault."""


class Seat(Protocol):
    """The port through which the referee speaks to one player. The seat's number comes with `MatchInfo`."""

    immediate: bool
    """It answers within the call, without waiting for anything: several such seats are asked one after the other."""
    present: bool
    """Its line stands. A seat that is not present when its time is up is gone, not late."""

    async def start(self, info: MatchInfo) -> None:
        """Tell that a match begins; return when the player is ready.

        Raises:
            SeatFault: the player cannot play.
            PlatformFailure: we cannot reach it through our own fault.
        """

    async def ask(self, question: Question) -> Any:
        """Ask for a move of the game.

        Raises:
            SeatFault: no readable move came, and none will.
            PlatformFailure: we cannot reach it through our own fault.
        """

    async def end(self, end: MatchEnd) -> None:
        """Tell that the match is over for this player. Never raises."""


class Clock(Protocol):
    """Where the referee's time comes from."""

    def now(self) -> float:
        """Seconds since some moment, never going back."""

    async def wait(self, tasks: set[asyncio.Task[Any]], within: float | None) -> None:
        """Return when one of ``tasks`` is done, or after ``within`` seconds."""

    async def drain(self) -> None:
        """Return when everything that had already arrived at this process has been read."""

    def stalled(self, since: float) -> float:
        """The seconds since the moment ``since`` in which this process did not get to run."""


class Luck(NamedTuple):
    """What the draws of a block come from. Secret until the block is over."""

    seed: bytes
    nonces: tuple[bytes, ...]
    """In the order of the players' seats in the block's first match."""

    @property
    def key(self) -> bytes:
        """The table key."""
        return chance.table_key(self.seed, self.nonces)

    def fairness(self) -> Fairness:
        """As it stands in a record."""
        return Fairness(
            commitment=chance.digest(self.seed).hex(),
            seed=self.seed.hex(),
            nonce_hashes=tuple(chance.digest(nonce).hex() for nonce in self.nonces),
            nonces=tuple(nonce.hex() for nonce in self.nonces),
        )


class Terms(NamedTuple):
    """What is agreed before a match."""

    match: str
    """Its identifier, ``m-…``."""
    ruleset: Ruleset
    players: tuple[Player, ...]
    """By seat."""
    limits: Limits | None
    """None: no deadline at all."""
    penalty: Penalty = "forfeit"
    number: int = 1
    """Which match of the series, from 1."""
    started: str | None = None
    """When, as in records: ``2026-11-29T18:00:00Z``."""


Watch = Callable[[Any, tuple[Event, ...]], None]
"""Called with the state and the events after every step. What it shows must go through the game's ``view``."""


async def play(
    game: AnyGame,
    terms: Terms,
    seats: Sequence[Seat],
    luck: Luck,
    *,
    clock: Clock,
    watch: Watch | None = None,
    steps: list[Step] | None = None,
) -> Record:
    """Play one match from start to placement.

    ``steps`` is where the steps are written down, for who wants to read along: they hold what is hidden.

    Whatever is raised, but for a wrong table, the seats have been told that the match counts for nobody.

    Raises:
        PlatformFailure: it was broken off through our own fault.
        RulesetError: the table has a size that the ruleset does not allow.
    """
    match = _Match(game, terms, seats, clock, [] if steps is None else steps)
    try:
        outcome = await match.run(luck.key, watch)
    except PlatformFailure as failure:
        await match.void(str(failure))
        raise
    except Exception:
        # a mistake in our own code, whose words are not for strangers
        await match.void("an error of the arena")
        raise
    return Record(
        game=game.name,
        preset=terms.ruleset.preset,
        options=dict(terms.ruleset.values),
        match=terms.match,
        started=terms.started,
        players=tuple(PlayerLine(seat, player.bot, player.version) for seat, player in enumerate(terms.players)),
        fairness=luck.fairness(),
        steps=tuple(match.steps),
        outcome=outcome,
    )


class _Given(NamedTuple):
    """What came of asking a seat: a move or a fault, after so many seconds."""

    move: Any
    fault: Fault | None
    seconds: float


class _Match:
    """The running match: the state, what was written down, and what each seat has heard and has left."""

    def __init__(self, game: AnyGame, terms: Terms, seats: Sequence[Seat], clock: Clock, steps: list[Step]) -> None:
        self.game = game
        self.terms = terms
        self.seats = seats
        self.clock = clock
        self.steps = steps
        self.viewers = [at_seat(seat) for seat in range(len(seats))]
        self.direct = [terms.limits is None and seat.immediate for seat in seats]
        """Which seats are asked here and now, without a task to wait for."""
        self.state, events = game.start(terms.ruleset, len(seats))
        self.events = list(events)
        self.told = [0] * len(seats)
        self.bank = [terms.limits.bank_ms / 1000 if terms.limits else 0.0] * len(seats)
        self.decisions = [0] * len(seats)
        self.faults: dict[int, list[Fault]] = {}
        self.unready: dict[int, Fault] = {}
        self.at_table = set(range(len(seats)))
        """The seats that still hear of this match: a forfeiter does not."""

    async def run(self, key: bytes, watch: Watch | None) -> Outcome:
        """From start to outcome."""
        game = self.game
        await self._start()
        if watch is not None:
            watch(self.state, tuple(self.events))
        while (outcome := game.outcome(self.state)) is None:
            seen = len(self.events)
            if (draw := game.due(self.state)) is not None:
                got = chance.draw(key, draw.label, draw.sizes)
                self.steps.append(DrawStep(draw.label, draw.sizes, got))
                self._step(Drawn(got))
            else:
                await self._decide()
            if watch is not None:
                watch(self.state, tuple(self.events[seen:]))
        await self._end_all(outcome)
        return outcome

    def _step(self, happening: Drawn | Moved | Left) -> None:
        self.state, events = self.game.step(self.state, happening)
        self.events += events

    # ---- getting ready -------------------------------------------------------------------------

    async def _start(self) -> None:
        """Everybody gets ready; who does not will be at fault when he is first asked."""
        limits = self.terms.limits
        infos = [
            MatchInfo(
                self.terms.match,
                seat,
                self.terms.players,
                self.terms.ruleset,
                limits,
                self.terms.penalty,
                self.terms.number,
            )
            for seat in range(len(self.seats))
        ]
        if all(self.direct):
            for index, seat in enumerate(self.seats):
                try:
                    await seat.start(infos[index])
                except SeatFault as fault:
                    self.unready[index] = self._fault(index, fault.kind, fault.detail, 0.0)
            return
        tasks = {
            asyncio.ensure_future(self._timed(seat.start, infos[index], index)): index
            for index, seat in enumerate(self.seats)
        }
        timeout = limits.ready_ms / 1000 if limits else None
        given = await self._collect(tasks, dict.fromkeys(tasks.values(), timeout), "to get ready")
        self.unready = {seat: got.fault for seat, got in given.items() if got.fault is not None}

    # ---- a decision ----------------------------------------------------------------------------

    async def _decide(self) -> None:
        """Ask everybody whom the rules ask now; judge; step."""
        game, state = self.game, self.state
        asked = game.asked(state)
        given = await self._ask(asked)
        moves: dict[int, Any] = {}
        faulty: list[Fault] = []
        for seat in asked:
            move, fault, seconds = given[seat]
            if fault is None and (reason := game.refusal(state, seat, move)) is not None:
                fault = self._fault(seat, "illegal", reason, seconds)
            if fault is None:
                moves[seat] = move
            else:
                faulty.append(fault)
        if faulty:
            await self._punish(faulty, moves)
        if moves and (not faulty or game.outcome(self.state) is None):
            self.steps.append(
                MovesStep(
                    {seat: game.write(move) for seat, move in moves.items()},
                    {seat: round(given[seat].seconds * 1000, 3) for seat in moves},
                )
            )
            self._step(Moved(moves))

    async def _punish(self, faulty: Sequence[Fault], moves: dict[int, Any]) -> None:
        """Forfeits leave the table, together; or the default moves take their places among ``moves``."""
        for fault in faulty:
            self.faults.setdefault(fault.seat, []).append(fault)
            self.steps.append(FaultStep(fault.seat, fault.kind, fault.detail, self.terms.penalty))
            if self.terms.penalty == "default":
                moves[fault.seat] = self.game.default(self.state, fault.seat)
        if self.terms.penalty == "forfeit":
            self._step(Left(frozenset(fault.seat for fault in faulty)))
            await self._dismiss([fault.seat for fault in faulty])
        else:
            in_order = {seat: moves[seat] for seat in sorted(moves)}
            moves.clear()
            moves.update(in_order)

    async def _ask(self, asked: Sequence[int]) -> Mapping[int, _Given]:
        """Ask these seats, all at the same moment, and wait for each until its own deadline."""
        limits = self.terms.limits
        given: dict[int, _Given] = {}
        if self.unready:
            given = {seat: _Given(None, self.unready.pop(seat), 0.0) for seat in asked if seat in self.unready}
        ready = [seat for seat in asked if seat not in given] if given else asked
        if all([self.direct[seat] for seat in ready]):  # noqa: C419  # this runs for every move, and a list is faster
            for seat in ready:
                given[seat] = await self._timed(self.seats[seat].ask, self._question(seat, None), seat)
            return given
        timeouts = {seat: limits.move_ms / 1000 + self.bank[seat] if limits else None for seat in ready}
        tasks = {
            asyncio.ensure_future(self._timed(self.seats[seat].ask, self._question(seat, timeouts[seat]), seat)): seat
            for seat in ready
        }
        given |= await self._collect(tasks, timeouts, "to move")
        if limits:
            for seat, got in given.items():
                self.bank[seat] = max(0.0, self.bank[seat] - max(0.0, got.seconds - limits.move_ms / 1000))
        return given

    def _question(self, seat: int, allowed: float | None) -> Question:
        self.decisions[seat] += 1
        return Question(
            self.decisions[seat],
            self._news(seat),
            self.game.view(self.state, self.viewers[seat]),
            None if allowed is None else allowed * 1000,
            self.bank[seat] * 1000,
        )

    def _news(self, seat: int) -> tuple[Event, ...]:
        """What the seat perceived since it was last told."""
        news = heard(self.events[self.told[seat] :], self.viewers[seat])
        self.told[seat] = len(self.events)
        return news

    # ---- the clock -----------------------------------------------------------------------------

    async def _timed(self, ask: Callable[[Any], Awaitable[Any]], what: Any, seat: int) -> _Given:
        """Ask, and await the answer; a bot's failure becomes a fault, ours goes up."""
        began = self.clock.now()
        try:
            move = await ask(what)
        except SeatFault as failure:
            seconds = self.clock.now() - began
            return _Given(None, self._fault(seat, failure.kind, failure.detail, seconds), seconds)
        return _Given(move, None, self.clock.now() - began)

    def _fault(self, seat: int, kind: FaultKind, detail: str, seconds: float) -> Fault:
        """A fault, found so long after the asking; how long is told only where there is a clock."""
        if self.terms.limits is not None:
            detail = f"{detail[: LONGEST_DETAIL - 30]} (after {seconds * 1000:.1f} ms)"
        return Fault(seat, kind, _clean(detail))

    async def _collect(
        self, tasks: dict[asyncio.Task[_Given], int], timeouts: Mapping[int, float | None], what: str
    ) -> dict[int, _Given]:
        """What each task gave, or a late fault for who did not give in time. Leaves no task behind."""
        began = self.clock.now()
        given: dict[int, _Given] = {}
        waiting = set(tasks)
        try:
            while waiting:
                nearest = min((t for task in waiting if (t := timeouts[tasks[task]]) is not None), default=None)
                left = None if nearest is None else max(0.0, began + nearest - self.clock.now())
                await self.clock.wait(waiting, left)
                for task in [task for task in waiting if task.done()]:
                    waiting.discard(task)
                    given[tasks[task]] = task.result()
                for task in [task for task in waiting if _is_over(timeouts[tasks[task]], self.clock.now() - began)]:
                    given[tasks[task]] = await self._judge_late(task, tasks[task], began, timeouts[tasks[task]], what)
                    waiting.discard(task)
        finally:
            for task in tasks:
                if not task.done():
                    task.cancel()
            # whatever comes of the cancelled ones, or of those behind a failure, concerns nobody any more
            await asyncio.gather(*tasks, return_exceptions=True)
        return given

    async def _judge_late(
        self, task: asyncio.Task[_Given], seat: int, began: float, allowed: float | None, what: str
    ) -> _Given:
        """The time is up. Before it is the bot's fault: had the answer arrived, and were we asleep ourselves?"""
        stalled = await overtime(task, began, self.clock)
        if task.done():
            result = task.result()
            if stalled and result.fault is None:
                # it would have been in time: such a match is played again rather than decided by our own lag
                raise PlatformFailure(f"the runner stood still for {stalled * 1000:.0f} ms while a bot was thinking")
            return result
        seconds = self.clock.now() - began
        detail = f"no answer; it had {(allowed or 0.0) * 1000:.0f} ms {what}"
        kind: FaultKind = "late"
        if not self.seats[seat].present:
            kind, detail = "gone", f"its line is lost; {detail}"
        return _Given(None, self._fault(seat, kind, detail, seconds), seconds)

    # ---- telling the end -----------------------------------------------------------------------

    async def _dismiss(self, faulty: Sequence[int]) -> None:
        self.at_table.difference_update(faulty)
        await self._tell_end({seat: self._end(seat, None) for seat in faulty})

    async def _end_all(self, outcome: Outcome) -> None:
        await self._tell_end({seat: self._end(seat, outcome) for seat in sorted(self.at_table)})

    async def void(self, reason: str) -> None:
        """Tell everybody still there that this match counts for nobody."""
        end = MatchEnd(self.terms.match, None, voided=reason)
        await self._tell_end(dict.fromkeys(sorted(self.at_table), end))

    def _end(self, seat: int, outcome: Outcome | None) -> MatchEnd:
        return MatchEnd(self.terms.match, outcome, self._news(seat), tuple(self.faults.get(seat, ())))

    async def _tell_end(self, ends: Mapping[int, MatchEnd]) -> None:
        """Tell these seats. One that is slow to hear does not hold up the others."""
        seats = self.seats
        if all(seats[seat].immediate for seat in ends):
            for seat, end in ends.items():
                await seats[seat].end(end)
        else:
            await asyncio.gather(*(seats[seat].end(end) for seat, end in ends.items()))


async def overtime(task: asyncio.Task[Any], began: float, clock: Clock) -> float:
    """Call when the time of a question, asked at ``began``, is up: lets an answer in that had arrived already.

    Where this process itself stood still meanwhile, what that took from the bot is given back. Returns how many
    seconds that was when ``task`` was done only then; else 0, be it done or not.
    """
    await clock.drain()
    stalled = clock.stalled(began)
    if task.done() or stalled <= LAG_FORGIVEN:
        return 0.0
    await clock.wait({task}, stalled)
    return stalled if task.done() else 0.0


def _clean(detail: str) -> str:
    """A detail as it can stand in a record: it may come from a stranger's program."""
    legible = "".join(c if c.isprintable() else " " if c.isspace() else "\N{REPLACEMENT CHARACTER}" for c in detail)
    return legible[:LONGEST_DETAIL].encode(errors="replace").decode()


def _is_over(timeout: float | None, elapsed: float) -> bool:
    return timeout is not None and elapsed >= timeout
