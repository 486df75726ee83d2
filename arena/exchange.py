"""How house and seats agree on the luck of a block so that none of them can choose it.

First every seat binds itself by the SHA-256 of its nonce; then the house draws its seed and binds itself by that
seed's SHA-256; only then are the nonces revealed. The table key comes from all of it (`arena.chance.table_key`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, NamedTuple, Protocol

from arena import chance
from arena.referee import Clock, Luck, PlatformFailure, SeatFault, overtime
from arena.table import Fault


class Party(Protocol):
    """A seat that takes part in the exchange."""

    present: bool
    """Its line stands. A party that is not present when its time is up is gone, not late."""

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

    def flaw(_party: int, hashed: bytes) -> str | None:
        return None if len(hashed) == chance.SEED_BYTES else "the hash of its nonce is not 32 bytes long"

    asked = [party.commit(block) for party in parties]
    hashes = await _from_each(parties, asked, flaw, clock, seconds, "the hash of its nonce")
    seed = draw_seed()
    return Binding(seed, chance.digest(seed), hashes)


async def unveil(parties: Sequence[Party], block: str, binding: Binding, *, clock: Clock, seconds: float) -> Luck:
    """Tell everybody the commitment and the hashes, and collect the nonces.

    Raises:
        Withheld: some party gave no nonce within ``seconds``, or one that does not fit its hash.
        PlatformFailure: our own fault.
    """

    def flaw(party: int, nonce: bytes) -> str | None:
        if len(nonce) <= chance.LONGEST_NONCE and chance.digest(nonce) == binding.hashes[party]:
            return None
        return "its nonce does not fit the hash that it gave"

    asked = [party.reveal(block, binding.commitment, binding.hashes) for party in parties]
    return Luck(binding.seed, await _from_each(parties, asked, flaw, clock, seconds, "its nonce"))


async def _from_each(
    parties: Sequence[Party],
    asked: Sequence[Coroutine[Any, Any, bytes]],
    flaw: Callable[[int, bytes], str | None],
    clock: Clock,
    seconds: float,
    what: str,
) -> tuple[bytes, ...]:
    """What each party gave; Withheld with the faults of all that gave nothing in time, or something with a flaw."""
    began = clock.now()
    tasks = [asyncio.ensure_future(asking) for asking in asked]
    try:
        while (left := began + seconds - clock.now()) > 0 and (waiting := {task for task in tasks if not task.done()}):
            await clock.wait(waiting, left)
            _raise_ours(tasks)
        given: list[bytes] = []
        faults: list[Fault] = []
        for number, task in enumerate(tasks):
            if not task.done() and (stalled := await overtime(task, began, clock)):
                raise PlatformFailure(f"the runner stood still for {stalled * 1000:.0f} ms while it waited for {what}")
            _raise_ours(tasks)
            if not task.done():
                detail = f"{what} did not come within {seconds:g} s"
                faults.append(
                    Fault(number, "late", detail)
                    if parties[number].present
                    else Fault(number, "gone", f"its line is lost; {detail}")
                )
            elif isinstance(failure := task.exception(), SeatFault):
                faults.append(Fault(number, failure.kind, failure.detail))
            elif (why := flaw(number, task.result())) is not None:
                faults.append(Fault(number, "unreadable", why))
            else:
                given.append(task.result())
        if faults:
            raise Withheld(faults)
        return tuple(given)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _raise_ours(tasks: Sequence[asyncio.Task[bytes]]) -> None:
    """Raise what failed through no fault of a party, at once: nothing that comes after it counts."""
    for task in tasks:
        if task.done() and (failure := task.exception()) is not None and not isinstance(failure, SeatFault):
            raise failure
