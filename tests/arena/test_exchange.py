"""The exchange of commitments: nobody can choose the luck, and who does not do his part is off the table."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from arena import chance
from arena.clock import FakeClock
from arena.exchange import Binding, Withheld, bind, unveil
from arena.referee import Gone, Luck, PlatformFailure, Unreadable
from arena.table import Fault
from tests.arena.tables import others

SEED = bytes(range(32))


class Partner:
    """A seat in the exchange, which does what it is made for."""

    def __init__(self, nonce: bytes = b"n", *, present: bool = True, **more: Any) -> None:
        self.nonce = nonce
        self.present = present
        self.hash = more.get("hash", chance.digest(nonce))
        self.clock: FakeClock | None = more.get("clock")
        self.seconds: float = more.get("seconds", 0)
        self.failure: Exception | None = more.get("failure")
        self.told: list[tuple[Any, ...]] = []

    async def commit(self, block: str) -> bytes:
        self.told.append((block,))
        await self._act()
        return bytes(self.hash)

    async def reveal(self, block: str, commitment: bytes, hashes: Sequence[bytes]) -> bytes:
        self.told.append((block, commitment, tuple(hashes)))
        await self._act()
        return self.nonce

    async def _act(self) -> None:
        if self.failure is not None:
            raise self.failure
        if self.seconds == float("inf"):
            await asyncio.Event().wait()
        if self.clock is not None:
            await self.clock.sleep(self.seconds)


async def bound(clock: FakeClock, parties: Sequence[Partner], *, advance: float = 0) -> Binding:
    binding = asyncio.ensure_future(bind(parties, "b-1", draw_seed=lambda: SEED, clock=clock, seconds=10))
    await clock.advance(advance)
    try:
        return await binding
    finally:
        assert not others()


async def shown(clock: FakeClock, parties: Sequence[Partner], binding: Binding, *, advance: float = 0) -> Luck:
    luck = asyncio.ensure_future(unveil(parties, "b-1", binding, clock=clock, seconds=10))
    await clock.advance(advance)
    try:
        return await luck
    finally:
        assert not others()


def binding_of(parties: Sequence[Partner]) -> Binding:
    return Binding(SEED, chance.digest(SEED), tuple(chance.digest(party.nonce) for party in parties))


async def test_all_is_bound_before_anything_is_revealed() -> None:
    clock = FakeClock()
    parties = [Partner(b""), Partner(b"\xff" * 32), Partner(b"n", clock=clock, seconds=1)]
    binding = await bound(clock, parties, advance=2)
    hashes = tuple(chance.digest(party.nonce) for party in parties)
    assert binding == Binding(SEED, chance.digest(SEED), hashes)
    assert [party.told for party in parties] == [[("b-1",)]] * 3
    luck = await shown(clock, parties, binding, advance=2)
    assert luck == Luck(SEED, (b"", b"\xff" * 32, b"n"))
    assert luck.key == chance.table_key(SEED, luck.nonces)
    assert [party.told[1] for party in parties] == [("b-1", chance.digest(SEED), hashes)] * 3


async def test_the_seed_is_drawn_when_all_hashes_are_there_and_not_before() -> None:
    clock, drawn = FakeClock(), []

    def draw() -> bytes:
        drawn.append(clock.now())
        return SEED

    parties = [Partner(), Partner(clock=clock, seconds=3), Partner(clock=clock, seconds=2)]
    binding = asyncio.ensure_future(bind(parties, "b", draw_seed=draw, clock=clock, seconds=10))
    await clock.advance(2.9)
    assert drawn == []
    await clock.advance(0.2)
    assert drawn == [3]
    await binding


@pytest.mark.parametrize("hashed", [b"", b"x" * 31, b"x" * 33, b"x" * 60_000])
async def test_no_seed_is_drawn_for_a_hash_that_is_none(hashed: bytes) -> None:
    clock, drawn = FakeClock(), []
    parties = [Partner(), Partner(hash=hashed), Partner(seconds=float("inf"))]
    binding = asyncio.ensure_future(
        bind(parties, "b", draw_seed=lambda: bytes(drawn.append(1) or 32), clock=clock, seconds=10)
    )
    await clock.advance(11)
    with pytest.raises(Withheld) as withheld:
        await binding
    assert withheld.value.faults == (
        Fault(1, "unreadable", "the hash of its nonce is not 32 bytes long"),
        Fault(2, "late", "the hash of its nonce did not come within 10 s"),
    )
    assert not drawn


@pytest.mark.parametrize("nonce", [b"m", b"", b"n" * 33, b"n" * 60_000])
async def test_a_nonce_that_does_not_fit_takes_only_its_seat_off_the_table(nonce: bytes) -> None:
    clock, parties = FakeClock(), [Partner(b"a"), Partner(b"n"), Partner(b"c")]
    binding = binding_of(parties)
    parties[1].nonce = nonce
    with pytest.raises(Withheld) as withheld:
        await shown(clock, parties, binding)
    assert withheld.value.faults == (Fault(1, "unreadable", "its nonce does not fit the hash that it gave"),)
    assert str(withheld.value) == "seat 1: its nonce does not fit the hash that it gave"


async def test_a_nonce_longer_than_32_bytes_is_refused_also_when_it_fits() -> None:
    clock, parties = FakeClock(), [Partner(b"x" * 33)]
    with pytest.raises(Withheld):
        await shown(clock, parties, binding_of(parties))


async def test_late_gone_and_failing_parties_are_told_apart_in_both_phases() -> None:
    clock = FakeClock()
    parties = [
        Partner(seconds=float("inf")),
        Partner(seconds=float("inf"), present=False),
        Partner(failure=Gone("its process ended")),
        Partner(failure=Unreadable("garbage")),
        Partner(),
        Partner(clock=clock, seconds=9.999),
        Partner(clock=clock, seconds=10.001),
    ]
    expected = [(0, "late"), (1, "gone"), (2, "gone"), (3, "unreadable"), (6, "late")]
    with pytest.raises(Withheld) as withheld:
        await bound(clock, parties, advance=11)
    assert [(fault.seat, fault.kind) for fault in withheld.value.faults] == expected
    with pytest.raises(Withheld) as withheld:
        await shown(clock, parties, binding_of(parties), advance=11)
    assert [(fault.seat, fault.kind) for fault in withheld.value.faults] == expected
    assert withheld.value.faults[0].detail == "its nonce did not come within 10 s"
    assert withheld.value.faults[1].detail == "its line is lost; its nonce did not come within 10 s"


@pytest.mark.parametrize("failure", [PlatformFailure("the door was lost"), ValueError("a mistake")])
async def test_our_own_failure_is_raised_at_once_and_nobody_is_charged(failure: Exception) -> None:
    clock = FakeClock()
    parties = [Partner(seconds=float("inf")), Partner(failure=Gone("x")), Partner(failure=failure)]
    with pytest.raises(type(failure)):
        await bound(clock, parties)
    with pytest.raises(type(failure)):
        await shown(clock, parties, binding_of(parties))
    assert clock.now() == 0


async def test_our_own_stall_is_not_charged_to_a_party() -> None:
    """It would count towards quarantine, and in a tournament as the last place."""
    clock = FakeClock()
    binding = asyncio.ensure_future(
        bind([Partner(clock=clock, seconds=10.1)], "b", draw_seed=lambda: SEED, clock=clock, seconds=10)
    )
    await clock.drain()
    clock.stall(0.2)
    await clock.advance(11)
    with pytest.raises(PlatformFailure, match="stood still for 200 ms"):
        await binding


async def test_a_party_that_does_not_come_within_the_time_given_back_is_late() -> None:
    clock = FakeClock()
    binding = asyncio.ensure_future(
        bind([Partner(clock=clock, seconds=10.3)], "b", draw_seed=lambda: SEED, clock=clock, seconds=10)
    )
    await clock.drain()
    clock.stall(0.2)
    await clock.advance(11)
    with pytest.raises(Withheld):
        await binding


async def test_a_cancelled_exchange_leaves_nothing_running() -> None:
    clock = FakeClock()
    binding = asyncio.ensure_future(
        bind([Partner(seconds=float("inf"))], "b", draw_seed=lambda: SEED, clock=clock, seconds=10)
    )
    await clock.drain()
    binding.cancel()
    with pytest.raises(asyncio.CancelledError):
        await binding
    assert not others()
