"""Is NEW better than OLD? What the blocks played so far say, and when to stop.

A block is one luck, played with the seats rotated and with NEW and OLD exchanged; blocks are what repeats
independently. In a match NEW scores 1 when its place is before OLD's, 1/2 when they are equal and 0 when it is
behind, whoever else sits at the table: that is the pairwise score of which the published Elo is made. The score of a
block is the mean over its matches.

One pseudo-block with the score 0 and one with the score 1 are part of every sample. They keep the variance above zero
where all blocks end alike, as they do between two copies of a bot without dice, and the Elo finite.

The test is the generalised sequential probability ratio test (X. Li, J. Liu and Z. Ying, 2014) in its normal
approximation, which Fishtest uses for chess programs: M. Van den Bergh, "Comments on Normalized Elo",
https://www.cantate.be/Fishtest/normalized_elo_practical.pdf
With N blocks, their mean s and variance v, and s0, s1 the scores that two differences in Elo stand for,

    LLR = N (s1 - s0) (2 s - s0 - s1) / (2 v)       stop at ln(beta / (1 - alpha)) and at ln((1 - beta) / alpha)

after Wald (1945): who is no better than elo0 is called better with the probability alpha at most, about, and who is
better than elo1 is missed with the probability beta.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

QUANTILE_95 = 1.96
_ELO_PER_NAT = 400 / math.log(10)

Verdict = Literal["better", "not better", "undecided"]


class QuestionError(ValueError):
    """What is asked makes no sense. The message says why."""


@dataclass(frozen=True, slots=True)
class Question:
    """Two answers to choose from, and how often each may be wrong. Elo are logistic: 400 are ten to one."""

    elo0: float = 0.0
    """NEW is so much better at most: "not better"."""
    elo1: float = 20.0
    """NEW is so much better at least: "better"."""
    alpha: float = 0.05
    """How often "better" may be said of who is at elo0."""
    beta: float = 0.05
    """How often "not better" may be said of who is at elo1."""

    def __post_init__(self) -> None:
        """Raises QuestionError."""
        if not (math.isfinite(self.elo0) and math.isfinite(self.elo1) and self.elo0 < self.elo1):
            raise QuestionError(f"elo0 must be below elo1, and they are {self.elo0:g} and {self.elo1:g}")
        if not (self.alpha > 0 and self.beta > 0 and self.alpha + self.beta < 1):
            raise QuestionError(
                f"alpha and beta are above 0 and less than 1 together, and they are {self.alpha:g} and {self.beta:g}"
            )

    @property
    def lower(self) -> float:
        """The LLR at which the answer is "not better"."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The LLR at which the answer is "better"."""
        return math.log((1 - self.beta) / self.alpha)


class Sample(NamedTuple):
    """The scores of some blocks, summed up, without the pseudo-blocks."""

    blocks: int = 0
    total: float = 0.0
    squares: float = 0.0

    def add(self, score: float, times: int = 1) -> Sample:
        """These blocks and one more, or several with the same score."""
        return Sample(self.blocks + times, self.total + times * score, self.squares + times * score * score)

    @property
    def mean(self) -> float:
        """The score of NEW, from 0 to 1, with the pseudo-blocks."""
        return (self.total + 1) / (self.blocks + 2)

    @property
    def variance(self) -> float:
        """The variance of a block's score, with the pseudo-blocks: never 0."""
        return (self.squares + 1) / (self.blocks + 2) - self.mean**2

    @property
    def elo(self) -> float:
        """NEW's logistic Elo less OLD's."""
        return elo_of(self.mean)

    @property
    def half_width(self) -> float:
        """Elo: a 95 % interval reaches so far to each side, if nobody has looked before; by the delta method."""
        slope = _ELO_PER_NAT / (self.mean * (1 - self.mean))
        return QUANTILE_95 * slope * math.sqrt(self.variance / (self.blocks + 2))

    @property
    def los(self) -> float:
        """The likelihood of superiority: Phi((s - 1/2) sqrt(N) / sigma)."""
        z = (self.mean - 0.5) * math.sqrt((self.blocks + 2) / self.variance)
        return 0.5 * math.erfc(-z / math.sqrt(2))

    def llr(self, question: Question) -> float:
        """The logarithm of how much better elo1 explains the scores than elo0 does."""
        s0, s1 = score_of(question.elo0), score_of(question.elo1)
        return (self.blocks + 2) * (s1 - s0) * (2 * self.mean - s0 - s1) / (2 * self.variance)

    def verdict(self, question: Question) -> Verdict:
        """The answer; it only counts where it is asked for after every block, and the first one is taken."""
        llr = self.llr(question)
        if not self.blocks or question.lower < llr < question.upper:
            return "undecided"
        return "better" if llr >= question.upper else "not better"

    def blocks_left(self, question: Question) -> float:
        """How many more blocks it takes to an answer on the average, if the difference is what it looks like now.

        The time that a Brownian motion takes to leave an interval; it is as uncertain as the Elo is.
        """
        at, low, high = self.llr(question), question.lower, question.upper
        if not self.blocks or not low < at < high:
            return 0.0 if self.blocks else math.inf
        drift = at / (self.blocks + 2)
        spread = (score_of(question.elo1) - score_of(question.elo0)) ** 2 / self.variance
        bend = 2 * drift / spread
        if abs(bend) * (high - low) < 1e-6:
            return (at - low) * (high - at) / spread
        if bend > 0:
            up = math.expm1(-bend * (at - low)) / math.expm1(-bend * (high - low))
        else:
            up = 1 - math.expm1(bend * (high - at)) / math.expm1(bend * (high - low))
        return ((high - low) * up - (at - low)) / drift


def sample(scores: Iterable[float]) -> Sample:
    """The scores of some blocks, summed up in their order."""
    found = Sample()
    for score in scores:
        found = found.add(score)
    return found


def score_of(elo: float) -> float:
    """The score that is expected of who is ``elo`` better."""
    return 1 / (1 + math.exp(-elo / _ELO_PER_NAT))


def elo_of(score: float) -> float:
    """How much better who scores that is; ``score`` lies between 0 and 1, without them."""
    return _ELO_PER_NAT * math.log(score / (1 - score))


def pair_score(places: Sequence[int], new: int, old: int) -> float:
    """What NEW scores against OLD in one match, from the places by seat and the two seats.

    >>> pair_score((2, 1, 2), 1, 0), pair_score((2, 1, 2), 0, 2), pair_score((2, 1, 2), 0, 1)
    (1.0, 0.5, 0.0)
    """
    return 0.5 + 0.5 * ((places[new] < places[old]) - (places[new] > places[old]))


def block_score(matches: Sequence[tuple[Sequence[int], int, int]]) -> float:
    """What NEW scores in a block, from `pair_score`'s arguments for each of its matches."""
    return sum(pair_score(*match) for match in matches) / len(matches)
