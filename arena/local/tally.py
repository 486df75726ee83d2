"""What many matches say about the bots that played them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import sqrt
from statistics import NormalDist
from typing import NamedTuple

from arena.local.contest import Contest
from arena.local.worker import Result


class Line(NamedTuple):
    """One bot's matches together."""

    name: str
    version: str
    matches: int
    places: tuple[int, ...]
    """How often it had the first place, the second, and so on."""
    points: int
    """All points of the game together."""
    score: float
    """The mean share of its opponents that it left behind, an equal place being half: 0.5 is the average bot."""
    interval: tuple[float, float] | None
    """The score's 95 % interval; None where one block alone says nothing about it."""
    faults: dict[str, int]
    """How often it was at fault, by kind."""
    moves: int
    ms: float
    """How long it thought altogether."""


def share(places: Sequence[int], seat: int) -> float:
    """The share of its opponents that a seat left behind; an equal place counts half.

    >>> share((1, 2, 2), 0), share((1, 2, 2), 1)
    (1.0, 0.25)
    """
    own = places[seat]
    behind = sum((own < other) + (own == other) / 2 for other in places) - 0.5
    return behind / (len(places) - 1)


def tally(contest: Contest, results: Sequence[Result]) -> list[Line]:
    """A line for each entrant, in their order."""
    lines = []
    for number, entrant in enumerate(contest.entrants):
        own = [(result, result.fixture.order.index(number)) for result in results]
        places = Counter(result.places[seat] for result, seat in own)
        faults = Counter(fault.kind for result, seat in own for fault in result.faults if fault.seat == seat)
        scores = [(result.fixture.block, share(result.places, seat)) for result, seat in own]
        score, margin = mean_by_block(scores)
        lines.append(
            Line(
                name=entrant.name,
                version=entrant.version,
                matches=len(own),
                places=tuple(places[place] for place in range(1, len(contest.entrants) + 1)),
                points=sum(result.scores[seat] for result, seat in own),
                score=score,
                interval=None if margin is None else (max(0.0, score - margin), min(1.0, score + margin)),
                faults={kind: faults[kind] for kind in sorted(faults)},
                moves=sum(result.moves[seat] for result, seat in own),
                ms=sum(result.ms[seat] for result, seat in own),
            )
        )
    return lines


def mean_by_block(scores: Iterable[tuple[int, float]]) -> tuple[float, float | None]:
    """The mean of scores, each with its block, and half the width of its 95 % interval.

    The matches of a block share their luck, so that blocks and not matches are what repeats independently.
    """
    blocks: dict[int, list[float]] = {}
    for block, score in scores:
        blocks.setdefault(block, []).append(score)
    matches = sum(map(len, blocks.values()))
    mean = sum(map(sum, blocks.values())) / matches
    count = len(blocks)
    if count < 2:
        return mean, None
    spread = sum(sum(score - mean for score in block) ** 2 for block in blocks.values())
    return mean, _student(count - 1) * sqrt(spread * count / (count - 1)) / matches


def _student(degrees: int) -> float:
    """The 97.5 % point of Student's t, good to a part in a thousand."""
    if degrees <= 4:
        return (12.7062, 4.3027, 3.1824, 2.7764)[degrees - 1]
    z = NormalDist().inv_cdf(0.975)
    return float(
        z
        + (z**3 + z) / (4 * degrees)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * degrees**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * degrees**3)
    )
