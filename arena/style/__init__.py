"""How somebody plays, as whole numbers counted from records: sums that can be added up over any number of matches.

`count` gives a `Counter` for every seat of a record. What is counted of a game stands in a module of its own. Whoever
was forced by a fault did not choose: the default move that is made for a seat is not counted as its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, TypeAlias

from arena.record import FaultStep, MovesStep, Record
from arena.style import commerce, mia, three_coins
from arena.verify import fold

Sums: TypeAlias = Counter[str]

_COUNTING: dict[str, Callable[[Any, Any, tuple[Any, ...], frozenset[int], list[Sums]], None]] = {
    "three_coins": three_coins.count,
    "mia": mia.count,
    "commerce": commerce.count,
}


def count(record: Record) -> tuple[Sums, ...]:
    """What each seat did in a match, by seat.

    Raises:
        arena.verify.VerificationError: a step that the rules do not allow.
    """
    sums: list[Sums] = [Counter() for _ in record.players]
    counting = _COUNTING[record.game]
    before = None
    for folded in fold(record):
        if before is not None:
            counting(before, folded.state, folded.events, _forced(record, folded.step), sums)
        before = folded.state
    return tuple(sums)


def _forced(record: Record, at: int) -> frozenset[int]:
    """For whom the default move was made at this step: the seats of the faults right before it."""
    forced: set[int] = set()
    if isinstance(record.steps[at], MovesStep):
        while at > 0 and isinstance(fault := record.steps[at - 1], FaultStep):
            forced.add(fault.seat)
            at -= 1
    return frozenset(forced)
