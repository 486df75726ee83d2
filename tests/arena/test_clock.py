"""Time, real and pretended."""

from __future__ import annotations

import asyncio
import time

import pytest

from arena.clock import FakeClock, WallClock
from tests.arena.tables import others


async def forever() -> None:
    await asyncio.Event().wait()


async def test_a_stall_of_the_loop_is_noticed_and_measured() -> None:
    async with WallClock() as clock:
        await asyncio.sleep(0.05)
        before = clock.now()
        assert clock.stalled(before) == 0
        time.sleep(0.15)  # noqa: ASYNC251  # the loop stands still: that is what is tested
        await clock.drain()
        assert 0.1 < clock.stalled(before) <= clock.now() - before
        assert clock.stalled(clock.now()) == 0
    assert not others()


async def test_only_the_part_of_a_stall_that_falls_into_the_time_asked_for_counts() -> None:
    clock = FakeClock()
    clock.stall(1.0)
    assert clock.stalled(0.25) == 0.75
    assert clock.stalled(1.0) == 0
    clock.stall(0.5)
    assert clock.stalled(0.75) == 0.75


async def test_the_wall_clock_waits_for_the_first_task_or_the_time() -> None:
    async with WallClock() as clock:
        slow = asyncio.ensure_future(forever())
        began = clock.now()
        await clock.wait({slow}, 0.05)
        assert not slow.done()
        assert clock.now() - began >= 0.045
        quick = asyncio.ensure_future(asyncio.sleep(0))
        async with asyncio.timeout(60):
            await clock.wait({slow, quick}, None)
        assert quick.done()
        slow.cancel()


async def test_a_fake_clock_wakes_sleepers_in_their_order_at_their_moment() -> None:
    clock, woken = FakeClock(), []

    async def sleeper(seconds: float) -> None:
        await clock.sleep(seconds)
        woken.append((seconds, clock.now()))

    tasks = [asyncio.ensure_future(sleeper(seconds)) for seconds in (3, 1, 2, 7)]
    await clock.advance(5)
    assert woken == [(1, 1), (2, 2), (3, 3)]
    assert clock.now() == 5
    await clock.advance(2)
    assert woken[-1] == (7, 7)
    await asyncio.gather(*tasks)


async def test_a_fake_wait_for_no_time_returns_and_a_cancelled_one_leaves_nothing() -> None:
    clock, task = FakeClock(), asyncio.ensure_future(forever())
    async with asyncio.timeout(60):
        await clock.sleep(0)
        await clock.wait({task}, 0)
    waiting = asyncio.ensure_future(clock.wait({task}, 10))
    await clock.drain()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert others() == {task}
    task.cancel()
