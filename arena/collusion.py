"""Signs that two players spare each other: pure arithmetic over places and records. A sign is no proof.

Two questions are asked of every pair, at tables of three seats or more:

* *Together*: do both do better against the others when they sit at one table than they do otherwise? Who spares a
  partner, or gives way to him, takes from the others. Counted are the pairwise scores against third parties less what
  the ratings expect; each one's own mean at tables without the other is taken off, so that a rating that is wrong does
  not speak against anybody.
* *Sparing*: do they doubt each other less often than both the one's habit of doubting and the other's of being
  doubted would have it?

The unit of both is the series: its matches share versions, often luck, and are not independent of each other. So that
many pairs can be looked at, signs are picked with the rule of Benjamini and Hochberg (1995): of those shown, on average
a share of at most q is chance, when each is looked at once. As the sums grow and are looked at again and again, it is
somewhat more; and an honest style may suit another one. Therefore people look at a sign before anything happens.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from arena.record import FaultStep, MovesStep, Record

P = TypeVar("P", bound=Hashable)

LEAST_SERIES = 50
"""Below so many series together nothing is said about a pair: the normal distribution does not hold yet."""

MARGIN_TOGETHER = 0.02
"""So much of a pairwise score two may be better together without its being asked about: about 14 Elo. With enough
series the smallest peculiarity of honest styles would be a sign otherwise."""

MARGIN_SPARING = 0.1
"""So large a share of the doubts that were expected two may leave out, for the same reason."""

LEAST_EXPOSURES = 200
"""How often somebody must have had a claim before him, or been believed or doubted, until that is a habit."""


class Tally(NamedTuple):
    """A sample, as far as its mean and variance go."""

    n: int = 0
    total: float = 0.0
    squares: float = 0.0

    def add(self, value: float) -> Tally:
        """With one more value."""
        return Tally(self.n + 1, self.total + value, self.squares + value * value)

    def less(self, part: Tally) -> Tally:
        """Without a part of it."""
        return Tally(self.n - part.n, self.total - part.total, self.squares - part.squares)

    @property
    def mean(self) -> float:
        """0 for nothing."""
        return self.total / self.n if self.n else 0.0

    @property
    def error(self) -> float:
        """The squared standard error of the mean; infinite below two values."""
        if self.n < 2:
            return math.inf
        return max(0.0, self.squares - self.total * self.total / self.n) / (self.n - 1) / self.n


class Habit(NamedTuple):
    """How often a chance to doubt was there, and how often it was taken."""

    chances: int = 0
    doubts: int = 0

    def plus(self, other: Habit) -> Habit:
        """Both together."""
        return Habit(self.chances + other.chances, self.doubts + other.doubts)

    @property
    def share(self) -> float:
        """Of the chances."""
        return self.doubts / self.chances if self.chances else 0.0


# ---- better together -----------------------------------------------------------------------------


class Residuals(NamedTuple):
    """What a series says: pairwise scores less what the ratings expect, as means over its matches."""

    alone: dict[Hashable, float]
    """Of each player, against everybody else at the table."""
    together: dict[tuple[Hashable, Hashable], float]
    """Of each pair, the mean of the two against the others."""


def residuals(matches: Sequence[Mapping[P, int]], elo: Mapping[P, float]) -> Residuals:
    """Of a series of matches, each a mapping from players to places; all matches have the same players, at least three.

    Args:
        matches: places, 1 is the best; equal places are a tie and score a half.
        elo: ratings of all of the players, in the order in which pairs are named. A difference of 400 is odds of ten
            to one.
    """
    players = list(elo)
    over: dict[tuple[P, P], float] = {}
    for one in players:
        for other in players:
            if one != other:
                expected = 1 / (1 + 10 ** ((elo[other] - elo[one]) / 400))
                scores = [_score(places[one], places[other]) - expected for places in matches]
                over[one, other] = sum(scores) / len(scores)
    alone: dict[Hashable, float] = {}
    together: dict[tuple[Hashable, Hashable], float] = {}
    for index, one in enumerate(players):
        rest = [over[one, other] for other in players if other != one]
        alone[one] = sum(rest) / len(rest)
        for other in players[index + 1 :]:
            third = [over[who, k] for who in (one, other) for k in players if k not in (one, other)]
            together[one, other] = sum(third) / len(third)
    return Residuals(alone, together)


def _score(place: int, other: int) -> float:
    return 1.0 if place < other else 0.5 if place == other else 0.0


def better_together(together: Tally, one_apart: Tally, other_apart: Tally, *, margin: float = MARGIN_TOGETHER) -> float:
    """By how many standard errors the two do better together than apart, beyond the margin; 0 if too little is known.

    Welch's t, told as the value of the normal distribution that is as unlikely (Wallace, 1959).

    Args:
        together: `Residuals.together` of the pair, a value a series.
        one_apart: `Residuals.alone` of the one, over the series without the other.
        other_apart: the same the other way round.
        margin: what is not asked about.
    """
    samples = (together, 1.0), (one_apart, 0.25), (other_apart, 0.25)
    if min(sample.n for sample, _weight in samples) < LEAST_SERIES:
        return 0.0
    errors = [(weight * sample.error, sample.n) for sample, weight in samples]
    error = sum(part for part, _n in errors)
    if error <= 0:
        return 0.0
    freedom = error * error / sum(part * part / (n - 1) for part, n in errors)
    t = (together.mean - (one_apart.mean + other_apart.mean) / 2 - margin) / math.sqrt(error)
    as_normal = (8 * freedom + 1) / (8 * freedom + 3) * math.sqrt(freedom * math.log1p(t * t / freedom))
    return math.copysign(as_normal, t)


# ---- sparing each other --------------------------------------------------------------------------


class _Words(NamedTuple):
    claims: frozenset[str]
    """What may be doubted."""
    doubts: frozenset[str]
    """What doubts it, at the claimant's risk."""
    ends: frozenset[str]
    """After these no claim stands."""
    goes_on: frozenset[str]
    """Said by who has answered to the claim already."""


_GAMES = {
    "three_coins": _Words(
        claims=frozenset({"bid"}),
        doubts=frozenset({"call"}),
        ends=frozenset({"call", "cliff", "zero", "max", "hide"}),
        goes_on=frozenset(),
    ),
    "mia": _Words(
        claims=frozenset({"say", "pass"}),
        doubts=frozenset({"challenge", "look"}),
        ends=frozenset({"challenge", "look", "concede"}),
        goes_on=frozenset({"say"}),
    ),
}


def doubts(record: Record) -> dict[tuple[int, int], Habit]:
    """Who had a claim of whom before him, and doubted it: by (seat that is asked, seat that claimed).

    Empty for a game in which nobody doubts.
    """
    words = _GAMES.get(record.game)
    found: dict[tuple[int, int], Habit] = {}
    if words is None:
        return found
    claimant: int | None = None
    for step in record.steps:
        if isinstance(step, FaultStep):
            claimant = None  # a round may begin anew
        if not isinstance(step, MovesStep):
            continue
        for seat, text in step.moves.items():
            word = text.partition(" ")[0]
            if claimant is not None and seat != claimant and word not in words.goes_on:
                pair = seat, claimant
                found[pair] = found.get(pair, Habit()).plus(Habit(1, word in words.doubts))
            if word in words.claims:
                claimant = seat
            elif word in words.ends:
                claimant = None
    return found


def surplus(seen: Habit, doubter: Habit, doubted: Habit, everybody: Habit) -> float | None:
    """How many doubts more than expected the one had for the other in a series; None where no habit is known yet.

    Args:
        seen: chances and doubts of the one with claims of the other, in this series.
        doubter: of the one with everybody's claims, in all series before.
        doubted: of everybody with claims of the other, in all series before.
        everybody: of all with all, in all series before.
    """
    if min(doubter.chances, doubted.chances) < LEAST_EXPOSURES or not everybody.doubts:
        return None
    expected = min(1.0, doubter.share * doubted.share / everybody.share)
    return seen.doubts - seen.chances * expected


def sparing(surpluses: Tally, expected: float, *, margin: float = MARGIN_SPARING) -> float:
    """By how many standard errors two doubted each other less than expected, beyond the margin; 0 where too little is
    known.

    Each series' surplus was reckoned from what was known before it, so that its sum is a martingale, whatever number of
    chances the play gave; it is measured by its own squares.

    Args:
        surpluses: `surplus`, a value a series.
        expected: how many doubts were expected in all of them.
        margin: the share of these that is not asked about.
    """
    if surpluses.n < LEAST_SERIES or surpluses.squares <= 0:
        return 0.0
    return (-surpluses.total - margin * expected) / math.sqrt(surpluses.squares)


# ---- many pairs ----------------------------------------------------------------------------------


def chance_of(z: float) -> float:
    """How likely chance alone goes at least so far: the upper tail of the normal distribution."""
    return math.erfc(z / math.sqrt(2)) / 2


def threshold(chances: Sequence[float], tested: int, q: float) -> float:
    """The largest chance that is a sign still (Benjamini and Hochberg); 0 where none is.

    Args:
        chances: those of all pairs that are below q, in any order.
        tested: how many pairs were tested.
        q: the share of false ones among the signs that is allowed.
    """
    best = 0.0
    for rank, chance in enumerate(sorted(chances), 1):
        if chance <= q * rank / tested:
            best = chance
    return best
