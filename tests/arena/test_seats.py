"""Seats for bots in this process, and what carries the messages of those that are not."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from arena.clock import WallClock
from arena.kit import Bot, read_choice
from arena.referee import PlatformFailure
from arena.seats import LineLost, LocalSeat
from arena.seats.post import MOST_READ_AHEAD, MOST_UNSENT, Inbox, Outbox
from arena.table import Limits
from tests.arena.tables import GAME, faults, kinds, moves, others, playing

QUICK = Limits(ready_ms=2000, move_ms=100, bank_ms=100)


class Doing(Bot):
    """Does what it was made for at one of the hooks, and else plays the first legal move."""

    game = "three_coins"

    def __init__(self, **hooks: Callable[[Any], Any]) -> None:
        self.hooks = hooks
        self.calls: list[tuple[str, int]] = []

    def _call(self, name: str, value: Any) -> Any:
        self.calls.append((name, threading.get_ident()))
        return self.hooks[name](value) if name in self.hooks else None

    def on_start(self, match: Any) -> None:
        self._call("on_start", match)

    def on_event(self, event: Any) -> None:
        self._call("on_event", event)

    def choose(self, view: Any) -> Any:
        result = self._call("choose", view)
        return view.legal[0] if result is None else result

    def on_end(self, end: Any) -> None:
        self._call("on_end", end)


def seat(bot: Bot, *, timed: bool) -> LocalSeat:
    return LocalSeat(GAME, bot, read_choice=read_choice, timed=timed)


def raises(error: BaseException) -> Callable[[Any], Any]:
    def hook(_value: Any) -> Any:
        raise error

    return hook


class Unprintable(Exception):
    def __str__(self) -> str:
        raise ValueError("no")


# ---- bots in this process ------------------------------------------------------------------------


@pytest.mark.parametrize("timed", [True, False])
@pytest.mark.parametrize(
    ("error", "detail"),
    [
        (ZeroDivisionError("division by zero"), "raised ZeroDivisionError: division by zero"),
        (SystemExit(3), "raised SystemExit: 3"),
        (asyncio.CancelledError(), "raised CancelledError: "),
        (GeneratorExit(), "raised GeneratorExit: "),
        (Unprintable(), "raised Unprintable: (it cannot be printed)"),
    ],
)
@pytest.mark.parametrize("hook", ["on_start", "on_event", "choose"])
async def test_whatever_a_bot_raises_costs_only_itself(
    timed: bool, error: BaseException, detail: str, hook: str
) -> None:
    seats = [seat(Doing(**{hook: raises(error)}), timed=timed), seat(Doing(), timed=timed)]
    async with WallClock() as clock:
        record = await playing(clock, seats, limits=Limits() if timed else None)
    assert kinds(record) == [(0, "unreadable", "forfeit")]
    where = "choose" if hook == "on_event" else hook
    assert faults(record)[0].detail.startswith(f"{where} {detail}"[:-1])
    assert record.outcome.places == (2, 1)


@pytest.mark.parametrize("timed", [True, False])
async def test_what_goes_wrong_at_the_end_changes_nothing(timed: bool) -> None:
    seats = [seat(Doing(on_end=raises(SystemExit(1))), timed=timed), seat(Doing(), timed=timed)]
    async with WallClock() as clock:
        record = await playing(clock, seats, limits=Limits() if timed else None)
    assert not faults(record)


@pytest.mark.parametrize("timed", [True, False])
@pytest.mark.parametrize("choice", [None, 7, "hide", object(), ("hide", 1, 2), "h\0\ud800"])
async def test_a_choice_that_is_no_move_is_unreadable(timed: bool, choice: object) -> None:
    seats = [seat(Doing(choose=lambda _: choice), timed=timed), seat(Doing(), timed=timed)]
    if choice is None:
        seats[0].bot.choose = lambda _view: None  # type: ignore[method-assign]
    async with WallClock() as clock:
        record = await playing(clock, seats, limits=Limits() if timed else None)
    assert kinds(record) == [(0, "unreadable", "forfeit")]
    assert "choose returned" in faults(record)[0].detail


async def test_ctrl_c_is_a_persons_and_ends_the_play() -> None:
    seats = [seat(Doing(choose=raises(KeyboardInterrupt())), timed=False), seat(Doing(), timed=False)]
    async with WallClock() as clock:
        match = playing(clock, seats, limits=None)
        with pytest.raises(KeyboardInterrupt):
            match.send(None)
        match.close()


async def test_a_bot_that_never_returns_is_late_and_the_others_play_on() -> None:
    stuck = threading.Event()
    seats = [seat(Doing(choose=lambda _: stuck.wait(60)), timed=True), *(seat(Doing(), timed=True) for _ in range(2))]
    async with WallClock() as clock:
        began = time.monotonic()
        record = await playing(clock, seats, limits=QUICK)
        assert time.monotonic() - began < 30
    stuck.set()
    assert kinds(record) == [(0, "late", "forfeit")]
    assert len(moves(record)) > 3


async def test_one_thing_at_a_time_is_asked_of_a_bot_also_when_it_is_late() -> None:
    running, most = [0], [0]

    def slow(_value: Any) -> None:
        running[0] += 1
        most[0] = max(most[0], running[0])
        time.sleep(0.15)
        running[0] -= 1

    bot = Doing(choose=slow)
    heard: list[Any] = []
    bot.hooks["on_event"] = heard.append
    limits = Limits(ready_ms=2000, move_ms=40, bank_ms=0)
    other = Doing()
    all_heard: list[Any] = []
    other.hooks["on_event"] = all_heard.append
    ended = threading.Event()
    bot.hooks["on_end"] = lambda _: ended.set()
    async with WallClock() as clock:
        record = await playing(
            clock, [seat(bot, timed=True), seat(other, timed=True)], limits=limits, penalty="default"
        )
        assert any(step.kind == "late" for step in faults(record))
        assert await asyncio.to_thread(ended.wait, 60)
    assert most[0] == 1
    assert len({thread for _, thread in bot.calls}) == 1
    assert [type(event).__name__ for event in heard] == [type(event).__name__ for event in all_heard]


async def test_the_threads_of_bots_end_with_their_matches() -> None:
    before = threading.active_count()
    async with WallClock() as clock:
        for _ in range(3):
            await playing(clock, [seat(Doing(), timed=True), seat(Doing(choose=raises(ValueError())), timed=True)])
    async with asyncio.timeout(60):
        while threading.active_count() > before:  # noqa: ASYNC110
            await asyncio.sleep(0.01)


# ---- messages in and out -------------------------------------------------------------------------


async def test_an_inbox_holds_so_much_and_then_lets_the_far_end_wait() -> None:
    inbox = Inbox()

    async def flood() -> None:
        for number in range(1000):
            await inbox.put(b"%d" % number)
        inbox.end(LineLost("over"))

    flooding = asyncio.ensure_future(flood())
    await asyncio.sleep(0.01)
    assert len(inbox._messages) == MOST_READ_AHEAD
    assert [await inbox.get() for _ in range(1000)] == [b"%d" % number for number in range(1000)]
    for _ in range(2):
        with pytest.raises(LineLost, match="over"):
            await inbox.get()
    await flooding


async def test_an_inbox_counts_bytes_too() -> None:
    inbox = Inbox()
    putting = [asyncio.ensure_future(inbox.put(b"x" * 60_000)) for _ in range(10)]
    await asyncio.sleep(0.01)
    assert sum(map(len, inbox._messages)) <= 3 * 60_000
    for _ in range(10):
        assert len(await inbox.get()) == 60_000
    await asyncio.gather(*putting)


async def test_a_getter_that_gives_up_loses_no_message() -> None:
    inbox = Inbox()
    for number in range(50):
        getting = asyncio.ensure_future(inbox.get())
        await asyncio.sleep(0)
        await inbox.put(b"%d" % number)
        if number % 2:
            await asyncio.sleep(0)
        getting.cancel()
        (got,) = await asyncio.gather(getting, return_exceptions=True)
        if isinstance(got, BaseException):
            got = await inbox.get()
        assert got == b"%d" % number


async def test_an_inbox_wakes_who_waits_when_it_ends() -> None:
    inbox = Inbox()
    getting = asyncio.ensure_future(inbox.get())
    await asyncio.sleep(0)
    inbox.end(LineLost("first"))
    inbox.end(PlatformFailure("second"))
    with pytest.raises(LineLost, match="first"):
        await getting


class Pipe:
    """A far end that takes a message only when it is let."""

    def __init__(self) -> None:
        self.taken: list[bytes] = []
        self.open = asyncio.Event()
        self.cancelled = 0
        self.broken = False

    async def write(self, message: bytes) -> None:
        try:
            await self.open.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if self.broken:
            raise ConnectionError
        self.taken.append(message)


async def test_an_outbox_sends_in_order_and_never_cancels_what_it_began() -> None:
    pipe = Pipe()
    outbox = Outbox(pipe.write)
    for number in range(MOST_UNSENT):
        await outbox.put(b"%d" % number)
    waiting = asyncio.ensure_future(outbox.put(b"given up"))
    await asyncio.sleep(0.01)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    assert not await outbox.flush(0.01)
    pipe.open.set()
    await outbox.put(b"last")
    assert await outbox.flush(60)
    assert pipe.taken == [*(b"%d" % number for number in range(MOST_UNSENT)), b"last"]
    assert not pipe.cancelled
    assert not others()


@pytest.mark.parametrize("how", ["broken", "break_off"])
async def test_nobody_waits_for_ever_at_an_outbox_without_a_far_end(how: str) -> None:
    pipe = Pipe()
    outbox = Outbox(pipe.write)
    putting = [asyncio.ensure_future(outbox.put(b"x")) for _ in range(MOST_UNSENT + 5)]
    await asyncio.sleep(0.01)
    if how == "broken":
        pipe.broken = True
        pipe.open.set()
    else:
        outbox.break_off()
    async with asyncio.timeout(60):
        await asyncio.gather(*putting)
        assert not await outbox.flush(5)
    assert not pipe.taken
