"""Who against whom: an entity's score against each of its opponents, beside what the ratings make one expect.

One number for everybody cannot say that A beats B, B beats C and C beats A. What it leaves over can: the score
against one opponent less the expected one, divided by its standard deviation, is about normal where the ratings tell
the whole truth. The opponent with the most negative one is the nemesis.

A meeting is a pair of seats at one table; how large the table was does not matter to who of the two came first.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from arena.ratings import (
    DISPERSION_BLOCKS,
    QUANTILE_95,
    SANDWICH_BLOCKS,
    Floats,
    Ints,
    RatingError,
    Ratings,
    Results,
    corrected,
    effective,
)


class Nemesis(NamedTuple):
    """The opponent against whom an entity falls short most."""

    entity: int
    residual: float
    """Standard deviations; negative."""
    probability: float
    """That somebody among so many opponents gives such a residual by chance, if the ratings tell the whole truth."""


@dataclass(frozen=True, slots=True, eq=False)
class Rivals:
    """One entity's K opponents, ids ascending."""

    entity: int
    opponents: Ints  # (K,)
    meetings: Ints  # (K,)
    score: Floats  # (K,) the share of points won against it: 1 a place before it, 1/2 the same place
    low: Floats  # (K,) and
    high: Floats  # (K,) the ends of a 95 % interval of the score
    expected: Floats  # (K,) the score that the ratings make one expect
    residual: Floats  # (K,) score less expectation, in standard deviations

    def nemesis(self) -> Nemesis | None:
        """Against whom it falls short most; None where it falls short against nobody."""
        if not self.residual.size or not np.min(self.residual) < 0:
            return None
        worst = int(np.argmin(self.residual))
        residual = float(self.residual[worst])
        alone = 0.5 * math.erfc(-residual / math.sqrt(2))
        return Nemesis(int(self.opponents[worst]), residual, -math.expm1(self.residual.size * math.log1p(-alone)))


def rivals(results: Results, rated: Ratings, entity: int) -> Rivals:
    """How ``entity`` has fared against everybody it met, by results and the ratings that were fitted to them.

    With r the sum of score less expectation over the meetings of one block, and k = (sum of r^2)^2 / sum of r^4 the
    effective blocks of an opponent, the variance of a sum of scores lies between phi * sum of p (1 - p), which is the
    model's, and k / (k - 2) * sum of r^2, with the weight k / (k + 50) on the second; phi is what the entity's
    meetings scatter as a multiple of what the model says. That is how `arena.ratings.fit` makes its intervals, too.
    The interval is that of Wilson (1927) for as many independent meetings as would have this variance. The residuals
    are a little too small where an entity has few opponents, because the ratings were fitted to these very scores.

    Raises:
        RatingError: the entity is not in this fit.
    """
    found = np.flatnonzero(rated.entities == entity)
    if not found.size:
        raise RatingError(f"entity {entity} is not in this fit")
    own, other, block = _meetings(results, int(np.searchsorted(results.entities, entity)), entity)
    opponents, index = np.unique(results.who[other], return_inverse=True)
    score = (1 + np.sign(results.place[other] - results.place[own])) / 2
    nats = rated.nats[np.searchsorted(rated.entities, results.entities[opponents])]
    p = 1 / (1 + np.exp(nats - rated.nats[found[0]]))
    order = np.lexsort((block, index))
    new = np.flatnonzero((np.diff(index[order], prepend=-1) != 0) | (np.diff(block[order], prepend=0) != 0))
    r = np.add.reduceat((score - p[index])[order], new) if new.size else np.zeros(0)
    whose = index[order][new]
    second, fourth = (np.bincount(whose, r**power, opponents.size) for power in (2, 4))
    meetings = np.bincount(index, minlength=opponents.size)
    model = meetings * p * (1 - p)
    known = float(effective(np.sum(second), np.sum(fourth)))
    dispersion = known * np.sum(second) / np.sum(model) if known else 0.0
    dispersion = (dispersion + DISPERSION_BLOCKS) / (known + DISPERSION_BLOCKS)
    k = effective(second, fourth)
    weight = k / (k + SANDWICH_BLOCKS)
    variance = weight * corrected(k) * second + (1 - weight) * dispersion * model
    points = np.bincount(index, score, opponents.size)
    share = points / np.maximum(meetings, 1)
    low, high = _wilson(share, meetings * model / variance)
    residual = (points - meetings * p) / np.sqrt(variance)
    return Rivals(entity, results.entities[opponents], meetings, share, low, high, p, residual)


def _meetings(results: Results, at: int, entity: int) -> tuple[Ints, Ints, Ints]:
    """For each meeting of the entity with the index ``at``: the row of its seat, that of the other's, and the block."""
    if at >= results.entities.size or results.entities[at] != entity:  # the anchor before its first match
        none = np.zeros(0, np.int64)
        return none, none, none
    seats = np.flatnonzero(results.who == at)
    match = np.searchsorted(results.start, seats, side="right") - 1
    size = results.start[match + 1] - results.start[match]
    ends = np.cumsum(size)
    other = np.repeat(results.start[match] - ends + size, size) + np.arange(size.sum())
    own, block = np.repeat(seats, size), np.repeat(results.block[match], size)
    kept = results.who[other] != at
    return own[kept], other[kept], block[kept]


def _wilson(share: Floats, count: Floats) -> tuple[Floats, Floats]:
    """The ends of Wilson's interval for a share in so many independent trials."""
    z2 = QUANTILE_95**2
    middle = (share + z2 / (2 * count)) / (1 + z2 / count)
    width = np.sqrt(z2 * share * (1 - share) / count + (z2 / (2 * count)) ** 2) / (1 + z2 / count)
    return np.maximum(middle - width, 0), np.minimum(middle + width, 1)
