"""Two ways of doing a thing, measured in turn: on a shared machine only what was measured together compares."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence

Measure = Callable[[], tuple[int, float]]
"""Does it for a while; how often, and in how many seconds."""


def in_turn(ways: Sequence[tuple[str, Measure]], *, unit: str, rounds: int = 5) -> None:
    """Measure each of ``ways`` in every round, and print their medians and how they compare with the first one."""
    rates: list[list[float]] = [[] for _ in ways]
    for _ in range(rounds):
        for measured, (_, way) in zip(rates, ways, strict=True):
            count, seconds = way()
            measured.append(count / seconds)
    width = max(len(name) for name, _ in ways)
    for measured, (name, _) in zip(rates, ways, strict=True):
        low, high = min(measured), max(measured)
        ratios = [own / first for own, first in zip(measured, rates[0], strict=True)]
        print(
            f"{name:{width}}  {statistics.median(measured):9,.0f} {unit}/s  ({low:,.0f} to {high:,.0f})"
            f"  {statistics.median(ratios):5.2f} of the first"
        )
