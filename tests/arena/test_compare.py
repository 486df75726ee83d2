"""Is it better? Known answers, a plain second writing, and how often the sequential test is wrong."""

from __future__ import annotations

import doctest
import math
import statistics

import numpy as np
import pytest
from scipy.stats import norm

from arena import compare
from arena.compare import Question, QuestionError, Sample, block_score, elo_of, pair_score, sample, score_of


def counted(scores: dict[float, int]) -> Sample:
    found = Sample()
    for score, times in scores.items():
        found = found.add(score, times)
    return found


FISHTEST = [
    ((10789, 19328, 33806, 19402, 10543), Question(-3, 1), (2.131, 0.0005), -0.774, 1.278, 0.1177),
    ((39, 2226, 31451, 2412, 40), Question(0.2, 0.9), (2.163, 0.005), 0.903, 0.663, 0.9962),
]
"""Block scores 0, 1/4 .. 1, and what Fishtest's own code says of them (server/fishtest/stats, in its self-tests).
Ours is the normal approximation, with pseudo-blocks: hence the tolerance of the LLR."""


@pytest.mark.parametrize(("counts", "question", "llr", "elo", "half_width", "los"), FISHTEST)
def test_agrees_with_fishtest(
    counts: tuple[int, ...], question: Question, llr: tuple[float, float], elo: float, half_width: float, los: float
) -> None:
    found = counted({score / 4: count for score, count in enumerate(counts)})
    assert found.blocks == sum(counts)
    assert found.llr(question) == pytest.approx(llr[0], abs=llr[1])
    assert round(found.elo, 3) == elo
    assert round(found.half_width, 3) == half_width
    assert round(found.los, 4) == los
    assert found.verdict(question) == "undecided"


def test_the_bounds() -> None:
    question = Question()
    assert (question.elo0, question.elo1) == (0, 20)
    assert question.upper == -question.lower == pytest.approx(math.log(19))
    lopsided = Question(alpha=0.01, beta=0.2)
    assert (lopsided.lower, lopsided.upper) == (
        pytest.approx(math.log(0.2 / 0.99)),
        pytest.approx(math.log(0.8 / 0.01)),
    )


def test_agrees_with_the_formulas_written_plainly() -> None:
    scores = [0.0, 1.0, 0.5, 0.75, 1.0, 0.25, 0.5, 1.0]
    own, question = sample(scores), Question(5, 30, 0.1, 0.02)
    every = [*scores, 0.0, 1.0]
    mean, variance, n = statistics.fmean(every), statistics.pvariance(every), len(every)
    s0, s1 = (1 / (1 + 10 ** (-elo / 400)) for elo in (5, 30))
    assert own.llr(question) == pytest.approx(n * (s1 - s0) * (2 * mean - s0 - s1) / (2 * variance))
    assert own.elo == pytest.approx(400 * math.log10(mean / (1 - mean)))
    assert own.los == pytest.approx(norm.cdf((mean - 0.5) * math.sqrt(n / variance)))
    low, high = (400 * math.log10(s / (1 - s)) for s in (mean - 1e-6, mean + 1e-6))
    assert own.half_width == pytest.approx(1.96 * math.sqrt(variance / n) * (high - low) / 2e-6, rel=1e-6)


def test_scores_and_elo() -> None:
    assert score_of(0) == 0.5
    assert score_of(400) == pytest.approx(10 / 11)
    for elo in (-700.0, -20.0, 0.0, 3.5, 250.0):
        assert elo_of(score_of(elo)) == pytest.approx(elo, abs=1e-9)


def test_who_has_the_better_place_scores_whoever_else_sits_there() -> None:
    assert doctest.testmod(compare).failed == 0
    assert block_score([((1, 2), 0, 1), ((1, 2), 1, 0)]) == 0.5
    assert block_score([((3, 1, 2), 2, 0), ((1, 1, 3), 0, 1), ((2, 3, 1), 0, 2), ((1, 2, 3), 0, 1)]) == 0.625
    assert pair_score((4, 1, 2, 3), 2, 3) == 1.0


def test_twins_without_dice_are_told_apart_from_better_ones_soon() -> None:
    found, question = Sample(), Question()
    while found.verdict(question) == "undecided":
        found = found.add(0.5)
    assert (found.verdict(question), found.blocks) == ("not better", 58)
    assert (found.elo, found.los) == (0.0, 0.5)
    assert found.half_width > 10, "no scatter is no certainty"


def test_who_always_wins_is_better_soon_and_his_elo_is_finite() -> None:
    for score, verdict in ((1.0, "better"), (0.0, "not better")):
        found, question = Sample(), Question()
        while found.verdict(question) == "undecided":
            found = found.add(score)
        assert found.verdict(question) == verdict
        assert found.blocks < 16
        assert 300 < abs(found.elo) < 600
        assert math.isfinite(found.half_width)


def test_nothing_played_decides_nothing() -> None:
    found = Sample()
    assert found.verdict(Question(0, 1e5, 0.49, 0.49)) == "undecided"
    assert (found.elo, found.los) == (0.0, 0.5)
    assert found.blocks_left(Question()) == math.inf


@pytest.mark.parametrize(("elo", "verdict"), [(0, "better"), (20, "not better")])
def test_wrong_answers_are_as_rare_as_asked_for(elo: float, verdict: str) -> None:
    """At the two hypotheses themselves, where it is hardest: 5 % each, in 400 runs of blocks of two matches."""
    random, question, wrong = np.random.default_rng(7), Question(0, 20), 0
    for _ in range(400):
        found = Sample()
        while (answer := found.verdict(question)) == "undecided":
            for score in random.binomial(2, score_of(elo), 200) / 2:
                found = found.add(float(score))
                if (answer := found.verdict(question)) != "undecided":
                    break
        wrong += answer == verdict
    assert 4 <= wrong <= 32, "0.05 of 400 are 20, with a standard deviation of 4.4"


@pytest.mark.parametrize("elo", [-30, 0, 10, 20, 60])
def test_the_blocks_that_are_left_are_about_those_that_it_takes(elo: float) -> None:
    """With a sample that says just what is so, the estimate is what the runs from there on take on the average."""
    random, question = np.random.default_rng(8), Question(0, 20)
    shift = (score_of(elo) - 0.5) * 82 / 40  # so that the mean is just that
    start = counted({0.0: 20, 0.5 + shift: 40, 1.0: 20})
    assert start.elo == pytest.approx(elo)
    assert start.verdict(question) == "undecided"
    gain = (score_of(20) - score_of(0)) / start.variance
    steps = []
    for _ in range(300):  # the Brownian motion itself, block by block
        drift = gain * (start.mean - (score_of(20) + score_of(0)) / 2)
        at = start.llr(question) + np.cumsum(random.normal(drift, gain * math.sqrt(start.variance), 4000))
        out = np.flatnonzero((at <= question.lower) | (at >= question.upper))
        steps.append(out[0] + 1 if out.size else 4000)
    assert start.blocks_left(question) == pytest.approx(np.mean(steps), rel=0.2)


def test_the_estimate_knows_when_it_is_over_and_has_no_hole_where_the_drift_is_none() -> None:
    question = Question(-10, 10)
    level = counted({0.0: 50, 1.0: 50})
    near = [level.add(score).blocks_left(question) for score in (0.5 - 1e-9, 0.5, 0.5 + 1e-9, 0.5 + 1e-3)]
    assert near == pytest.approx([near[1]] * 4, rel=1e-3)
    assert counted({1.0: 200}).blocks_left(question) == 0.0


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ({"elo0": 5, "elo1": 5}, "elo0 must be below elo1, and they are 5 and 5"),
        ({"elo0": math.nan}, "elo0 must be below"),
        ({"elo1": math.inf}, "elo0 must be below"),
        ({"alpha": 0}, "above 0 and less than 1 together, and they are 0 and 0.05"),
        ({"beta": -0.1}, "above 0"),
        ({"alpha": 0.5, "beta": 0.5}, "less than 1 together"),
        ({"alpha": math.nan}, "above 0"),
    ],
)
def test_questions_that_make_no_sense(question: dict[str, float], message: str) -> None:
    with pytest.raises(QuestionError, match=message):
        Question(**question)
