"""How house and seats agree on the luck of a block so that none of them can choose it.

First every seat binds itself by the SHA-256 of its nonce; then the house draws its seed and binds itself by that
seed's SHA-256; only then are the nonces revealed. The table key comes from all of it (`arena.chance.table_key`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, NamedTuple, Protocol

from arena import chance
from arena.referee import Clock, Luck, SeatFault
from arena.table import Fault


class Party(Protocol):
    """A seat that takes part in the exchange."""

    async def commit(self, block: str) -> bytes:
        """The SHA-256 of the nonce that it has chosen.

        Raises:
            SeatFault: there is none.
            PlatformFailure: we cannot reach it through our own fault.
        """

    async def reveal(self, block: str, commitment: bytes, hashes: Sequence[bytes]) -> bytes:
        """The nonce, after the house and all others are bound.

        Raises:
            SeatFault: there is none.
            PlatformFailure: we cannot reach it through our own fault.
        """


class Binding(NamedTuple):
    """What everybody is bound to before anything is revealed."""

    seed: bytes
    """The house's, secret until the block is over."""
    commitment: bytes
    hashes: tuple[bytes, ...]
    """In the order of the parties."""


class Withheld(Exception):
    """Some parties did not do their part. They are off the table before the match; others may begin anew."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(f"seat {fault.seat}: {fault.detail}" for fault in self.faults))


async def bind(
    parties: Sequence[Party], block: str, *, draw_seed: Callable[[], bytes], clock: Clock, seconds: float
) -> Binding:
    """Collect the hashes of all nonces, then draw the seed.

    Raises:
        Withheld: some party gave no hash within ``seconds``.
        PlatformFailure: our own fault.
    """
    hashes = await _from_each([party.commit(block) for party in parties], clock, seconds, "the hash of its nonce")
    wrong = [
        Fault(i, "unreadable", "the hash of its nonce is not 32 bytes long")
        for i, h in enumerate(hashes)
        if len(h) != 32
    ]
    if wrong:
        raise Withheld(wrong)
    seed = draw_seed()
    return Binding(seed, chance.digest(seed), tuple(hashes))


async def unveil(parties: Sequence[Party], block: str, binding: Binding, *, clock: Clock, seconds: float) -> Luck:
    """Tell everybody the commitment and the hashes, and collect the nonces.

    Raises:
        Withheld: some party gave no nonce within ``seconds``, or one that does not fit its hash.
        PlatformFailure: our own fault.
    """
    asked = [party.reveal(block, binding.commitment, binding.hashes) for party in parties]
    nonces = await _from_each(asked, clock, seconds, "its nonce")
    wrong = [
        Fault(party, "unreadable", "its nonce does not fit the hash that it gave")
        for party, (nonce, hashed) in enumerate(zip(nonces, binding.hashes, strict=True))
        if len(nonce) > chance.LONGEST_NONCE or chance.digest(nonce) != hashed
    ]
    if wrong:
        raise Withheld(wrong)
    return Luck(binding.seed, tuple(nonces))


async def _from_each(
    asked: Sequence[Coroutine[Any, Any, bytes]], clock: Clock, seconds: float, what: str
) -> list[bytes]:
    """What each party gave; Withheld with the fault of everyone who gave nothing in time."""
    tasks = [asyncio.ensure_future(asking) for asking in asked]
    end = clock.now() + seconds
    try:
        while waiting := {task for task in tasks if not task.done()}:
            left = end - clock.now()
            if left <= 0:
                await clock.drain()
                break
            await clock.wait(waiting, left)
        faults: list[Fault] = []
        given: list[bytes] = []
        for party, task in enumerate(tasks):
            if not task.done():
                faults.append(Fault(party, "late", f"{what} did not come within {seconds:.0f} s"))
                continue
            try:
                given.append(task.result())
            except SeatFault as fault:
                faults.append(Fault(party, fault.kind, fault.detail))
        if faults:
            raise Withheld(faults)
        return given
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
