"""How near a decision came to its limit: the time of a move, and beyond it a bank that lasts for the whole match."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from arena.record import MovesStep, Step
from arena.table import Limits

NEAR = 0.8
"""Who has used so much of what there was came near the limit."""


class Allowed(NamedTuple):
    """What a decision might take, in milliseconds."""

    move: float
    bank: float
    """What was left of the seat's bank."""

    def kind(self, ms: float) -> str:
        """``near`` the limit, out of the ``bank`` but far from its end, or ``""``: within the time of a move."""
        if ms <= self.move:
            return "near" if ms >= NEAR * self.move else ""
        return "near" if ms - self.move >= NEAR * self.bank else "bank"


def allowed(steps: Sequence[Step], limits: Limits) -> Mapping[tuple[int, int], Allowed]:
    """What each decision might take, by its step (from 1) and its seat, as the referee reckoned it."""
    banks: defaultdict[int, float] = defaultdict(lambda: float(limits.bank_ms))
    found = {}
    for number, step in enumerate(steps, 1):
        if isinstance(step, MovesStep):
            for seat, ms in (step.ms or {}).items():
                found[number, seat] = Allowed(limits.move_ms, banks[seat])
                banks[seat] = max(0.0, banks[seat] - max(0.0, ms - limits.move_ms))
    return found
