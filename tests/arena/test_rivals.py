"""Rivals: a plain second writing, other people's intervals, a planted nemesis, and how often one is seen in vain."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import fields

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm
from statsmodels.stats.proportion import proportion_confint

from arena.ratings import ELO_PER_NAT, RatingError, Results, fit
from arena.rivals import rivals

Rows = NDArray[np.int64]  # (R, 4): match, block, entity, place


def of(rows: Rows | list[tuple[int, int, int, int]]) -> Results:
    return Results.of(*np.asarray(rows, np.int64).reshape(-1, 4).T)


def tables(skills: NDArray[np.float64], seats: int, blocks: int, seed: int, *, copies: int = 1) -> Rows:
    """Plackett-Luce tables; the ``copies`` matches of a block end alike."""
    random = np.random.default_rng(seed)
    who = np.argsort(random.random((blocks, skills.size)), axis=1)[:, :seats]
    place = 1 + np.argsort(np.argsort(-(skills[who] + random.gumbel(size=who.shape)), axis=1), axis=1)
    block = np.repeat(np.arange(blocks), seats)
    return np.concatenate(
        [np.stack((block + copy * blocks, block, who.ravel(), place.ravel()), axis=1) for copy in range(copies)]
    )


def test_agrees_with_the_formulas_written_plainly() -> None:
    duels = tables(np.zeros(7), 2, 90, seed=2) + np.array([1000, 1000, 0, 0])
    rows = np.concatenate((tables(np.linspace(-1, 1, 7), 4, 150, seed=1, copies=2), duels))
    rows[:, 2] = rows[:, 2] * 10 + 3
    results = of(rows)
    rated = fit(results, anchor=3)
    x = dict(zip(rated.entities.tolist(), rated.nats, strict=True))
    entity, residuals, points, meetings = 33, defaultdict(float), defaultdict(float), defaultdict(int)
    for match in np.unique(rows[:, 0]):
        table = rows[rows[:, 0] == match].tolist()
        own = [place for _, _, who, place in table if who == entity]
        for _, block, who, place in table:
            if own and who != entity:
                s = (1 + np.sign(place - own[0])) / 2
                residuals[who, block] += s - 1 / (1 + math.exp(x[who] - x[entity]))
                points[who] += s
                meetings[who] += 1
    found = rivals(results, rated, entity)
    assert found.opponents.tolist() == sorted(points) == [3, 13, 23, 43, 53, 63]
    p = {who: 1 / (1 + math.exp(x[who] - x[entity])) for who in points}
    everything = np.array(list(residuals.values()))
    known = np.sum(everything**2) ** 2 / np.sum(everything**4)
    phi = np.sum(everything**2) / sum(meetings[who] * p[who] * (1 - p[who]) for who in points)
    phi = (known * phi + 10) / (known + 10)
    for at, who in enumerate(sorted(points)):
        r = np.array([value for (opponent, _), value in residuals.items() if opponent == who])
        k = np.sum(r**2) ** 2 / np.sum(r**4)
        model = meetings[who] * p[who] * (1 - p[who])
        variance = (k * k / (k - 2) * np.sum(r**2) + 50 * phi * model) / (k + 50)
        assert found.meetings[at] == meetings[who]
        assert found.score[at] == pytest.approx(points[who] / meetings[who])
        assert found.expected[at] == pytest.approx(p[who])
        assert found.residual[at] == pytest.approx(np.sum(r) / math.sqrt(variance))
        count = meetings[who] * model / variance
        theirs = proportion_confint(found.score[at] * count, count, alpha=2 * norm.sf(1.96), method="wilson")
        assert (found.low[at], found.high[at]) == pytest.approx(theirs)


def test_two_see_each_other_from_both_sides() -> None:
    results = of(tables(np.linspace(-1, 1, 5), 3, 200, seed=3))
    rated = fit(results, anchor=0)
    one, other = rivals(results, rated, 1), rivals(results, rated, 4)
    a, b = one.opponents.tolist().index(4), other.opponents.tolist().index(1)
    assert one.meetings[a] == other.meetings[b]
    assert one.score[a] + other.score[b] == pytest.approx(1)
    assert one.expected[a] + other.expected[b] == pytest.approx(1)
    assert np.sign(one.residual[a]) == -np.sign(other.residual[b])


def test_the_nemesis_is_found() -> None:
    """Six equal ones, but 2 beats 5 four times out of five."""
    random, rows = np.random.default_rng(4), []
    for match in range(1500):
        a, b = random.choice(6, 2, replace=False).tolist()
        wins = 0.8 if (a, b) == (2, 5) else 0.2 if (a, b) == (5, 2) else 0.5
        first = random.random() < wins
        rows += [(match, match, a, 1 if first else 2), (match, match, b, 2 if first else 1)]
    results = of(rows)
    rated = fit(results, anchor=0)
    nemesis = rivals(results, rated, 5).nemesis()
    assert nemesis is not None
    assert nemesis.entity == 2
    assert nemesis.residual < -4
    assert nemesis.probability < 1e-3
    seen = rivals(results, rated, 5)
    at = seen.opponents.tolist().index(2)
    assert seen.low[at] < 0.2 < seen.high[at] < 0.4


def test_none_is_seen_in_vain_more_often_than_said() -> None:
    """Where the ratings are the whole truth: standard normal, intervals hold, and one nemesis in twenty is sure."""
    residuals, held, sure = [], [], []
    for seed in range(60):
        skills = np.random.default_rng(seed).normal(0, 200 / ELO_PER_NAT, 12)
        results = of(tables(skills, 4, 250, seed=100 + seed, copies=2))
        rated = fit(results, anchor=0)
        for entity in range(12):
            found = rivals(results, rated, entity)
            residuals += found.residual.tolist()
            truth = 1 / (1 + np.exp(skills[found.opponents] - skills[entity]))
            held += ((found.low <= truth) & (truth <= found.high)).tolist()
            nemesis = found.nemesis()
            sure.append(nemesis is not None and nemesis.probability < 0.05)
    assert 0.85 < np.std(residuals) < 1.02
    assert abs(np.mean(residuals)) < 0.03
    assert 0.93 < np.mean(held) < 0.97
    assert np.mean(sure) < 0.06


def test_who_always_won_has_no_nemesis_and_an_interval() -> None:
    rows = [(m, m, who, place) for m in range(3) for who, place in ((1, 1), (2, 2))]
    rated = fit(of(rows), anchor=2)
    winner, loser = rivals(of(rows), rated, 1), rivals(of(rows), rated, 2)
    assert winner.nemesis() is None
    assert (winner.score.tolist(), winner.high.tolist()) == ([1.0], [1.0])
    assert 0.2 < winner.low[0] < 0.6
    assert loser.nemesis() is not None


def test_ties_only_leave_everything_open() -> None:
    rows = [(m, m, who, 1) for m in range(8) for who in (1, 2, 3)]
    found = rivals(of(rows), fit(of(rows), anchor=2), 1)
    assert found.residual == pytest.approx([0, 0], abs=1e-9)
    assert np.all(found.low < 0.4)
    assert np.all(found.high > 0.6)


def test_one_entity_on_several_seats_meets_the_others_from_each() -> None:
    rows = [(1, 1, 5, 1), (1, 1, 5, 3), (1, 1, 6, 2)]
    found = rivals(of(rows), fit(of(rows), anchor=6), 5)
    assert (found.opponents.tolist(), found.meetings.tolist(), found.score.tolist()) == ([6], [2], [0.5])


def test_who_has_met_nobody_has_no_rivals() -> None:
    results = of([(1, 1, 5, 1), (1, 1, 6, 2)])
    for anchor in (1, 9):
        found = rivals(results, fit(results, anchor), anchor)
        assert all(getattr(found, field.name).size == 0 for field in fields(found) if field.name != "entity")
        assert found.nemesis() is None
    with pytest.raises(RatingError, match="entity 4 is not in this fit"):
        rivals(results, fit(results, 9), 4)
