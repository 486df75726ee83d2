"""Ratings: known answers, other people's fits, a plain second writing of the formulas, and bits that repeat."""

from __future__ import annotations

import hashlib
import math
import struct
from dataclasses import fields
from itertools import combinations

import numpy as np
import pytest
import statsmodels.api as sm
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.stats import norm, spearmanr

from arena import ratings
from arena.influence import influences
from arena.ratings import ELO_PER_NAT, BadRows, NoRating, RatingError, Ratings, Results, fit

Rows = NDArray[np.int64]  # (R, 4): match, block, entity, place
TAU = 350 / ELO_PER_NAT


def of(rows: Rows | list[tuple[int, int, int, int]]) -> Results:
    columns = np.asarray(rows, np.int64).reshape(-1, 4).T
    return Results.of(*columns)


def duels(*scores: tuple[int, int, str], first: int = 0) -> Results:
    """Matches of two, each its own block: (a, b, '>', '=' or '<')."""
    places = {">": (1, 2), "=": (1, 1), "<": (2, 1)}
    rows = []
    for number, (a, b, sign) in enumerate(scores, first):
        rows += [(number, number, who, place) for who, place in zip((a, b), places[sign], strict=True)]
    return of(rows)


def simulated(
    skills: NDArray[np.float64], tables: dict[int, int], seed: int, *, rotations: int = 1, ties: bool = False
) -> Rows:
    """Rows of Plackett-Luce tables, {seats: blocks}; each block is the same entities ``rotations`` times over."""
    random = np.random.default_rng(seed)
    rows, match, block = [], 0, 0
    for n, blocks in tables.items():
        for _ in range(blocks):
            who = random.choice(skills.size, n, replace=False)
            for _ in range(rotations):
                luck = skills[who] + random.gumbel(size=n)
                luck = np.round(luck) if ties else luck
                place = 1 + np.sum(luck[None, :] > luck[:, None], axis=1)
                rows += [(match, block, entity, p) for entity, p in zip(who, place, strict=True)]
                match += 1
            block += 1
    return np.array(rows, np.int64)


def by_match(rows: Rows) -> list[Rows]:
    return [rows[rows[:, 0] == match] for match in np.unique(rows[:, 0])]


def pairs(rows: Rows) -> list[tuple[int, int, int, float, float]]:
    """The plain loop over everything: (block, a, b, score of a, weight)."""
    found = []
    for table in by_match(rows):
        for (_, block, a, place_a), (_, _, b, place_b) in combinations(table.tolist(), 2):
            found.append((block, a, b, (1 + np.sign(place_b - place_a)) / 2, 3 / (len(table) + 1)))
    return found


def assert_same(one: Results, other: Results) -> None:
    for field in fields(Results):
        if field.name != "points":
            a, b = getattr(one, field.name), getattr(other, field.name)
            assert a.dtype == b.dtype, field.name
            assert a.tobytes() == b.tobytes(), field.name
    assert one.points.keys() == other.points.keys()
    for n, points in one.points.items():
        assert points.dtype == np.int64
        assert points.tobytes() == other.points[n].tobytes()
    assert one.row_hash() == other.row_hash()


def bits(rated: Ratings) -> dict[str, bytes]:
    return {f.name: np.asarray(getattr(rated, f.name)).tobytes() for f in fields(Ratings)}


def by_the_model(rated: Ratings) -> NDArray[np.float64]:
    """Standard errors (Elo) from the inverse information alone: what every textbook has."""
    v, a = rated.covariance, rated.entities.tolist().index(rated.anchor)
    return ELO_PER_NAT * np.sqrt(np.diagonal(v) + v[a, a] - 2 * v[a])


MIXED = simulated(np.linspace(-2, 2, 12), {2: 150, 3: 100, 4: 150, 10: 40}, seed=5, rotations=2, ties=True)


# ---- known answers ----------------------------------------------------------------------------------


def test_two_players_by_hand() -> None:
    results = duels((7, 3, ">"), (3, 7, "<"), (7, 3, "="), (7, 3, "="), (3, 7, ">"))  # 3 points of 5 for 7
    rated = fit(results, anchor=3, prior_elo=math.inf)
    assert rated.entities.tolist() == [3, 7]
    assert rated.elo[0] == 1000.0
    assert rated.elo[1] == pytest.approx(1000 + 400 * math.log10(3 / 2), abs=1e-9)
    assert by_the_model(rated)[1] == pytest.approx(ELO_PER_NAT / math.sqrt(5 * 0.6 * 0.4), abs=1e-9)
    # Surprises of 0.4 twice, -0.1 twice, -0.6 once: five blocks are 2.66 effective ones, and scatter by 0.7 of 1.2.
    k, scatter = 0.7**2 / (2 * 0.4**4 + 2 * 0.1**4 + 0.6**4), 0.7
    phi = (k * 2 * scatter / 1.2 + 10) / (k + 10)
    assert rated.effective_blocks == pytest.approx([k, k])
    assert rated.dispersion == pytest.approx(phi)
    model, sandwich = phi / 1.2, 2 * scatter / 1.2**2
    mixed = (50 * model + k * sandwich) / (50 + k)
    assert rated.standard_error[1] == pytest.approx(ELO_PER_NAT * math.sqrt(mixed))
    assert rated.half_width[1] == pytest.approx(1.96 * rated.standard_error[1])
    assert rated.matches.tolist() == [5, 5]


def test_two_players_with_the_prior() -> None:
    results = duels(*[(7, 3, ">")] * 4)
    # By symmetry x = +-d/2; the gradient for the winner is 4 (1 - p(d)) - d / (2 tau^2).
    d = brentq(lambda d: 4 / (1 + math.exp(d)) - d / 2 / TAU**2, 0, 20, xtol=1e-14)
    p = 1 / (1 + math.exp(-d))
    rated = fit(results, anchor=3)
    assert rated.elo[1] == pytest.approx(1000 + ELO_PER_NAT * d, abs=1e-9)
    # The difference direction (1, -1) / sqrt 2 has curvature 2 * 4 p (1 - p) + 1 / tau^2.
    v = 2 / (8 * p * (1 - p) + 1 / TAU**2)
    assert by_the_model(rated)[1] == pytest.approx(ELO_PER_NAT * math.sqrt(v), rel=1e-12)


def test_a_table_is_weighted_by_three_over_seats_plus_one() -> None:
    rated = fit(of([(1, 1, 10, 1), (1, 1, 11, 2), (1, 1, 12, 3)]), anchor=11)
    # Three seats weigh 3/4 a pair; by symmetry x = (d, 0, -d).
    d = brentq(lambda d: 0.75 * (1 / (1 + math.exp(d)) + 1 / (1 + math.exp(2 * d))) - d / TAU**2, 0, 20, xtol=1e-14)
    assert rated.nats == pytest.approx([d, 0, -d], abs=1e-10)


def test_ties_only_leave_everybody_equal() -> None:
    results = of([(m, m, e, 1) for m in range(20) for e in range(5)])
    rated = fit(results, anchor=2, sandwich_blocks=20)
    assert rated.elo == pytest.approx([1000] * 5, abs=1e-9)
    assert np.all(rated.standard_error[[0, 1, 3, 4]] > 0), "no scatter is no certainty"
    assert rated.better(0, 1) == pytest.approx(0.5, abs=1e-9)
    best, worst = rated.ranks()
    assert (best.tolist(), worst.tolist()) == ([1] * 5, [5] * 5)


def test_points_are_two_for_a_win_and_one_for_a_tie() -> None:
    results = of([(1, 1, 5, 1), (1, 1, 6, 2), (1, 1, 7, 2), (2, 2, 6, 1), (2, 2, 5, 2), (3, 2, 6, 1), (3, 2, 5, 1)])
    assert results.entities.tolist() == [5, 6, 7]
    assert results.points[3].tolist() == [[0, 2, 2], [0, 0, 1], [0, 1, 0]]
    assert results.points[2].tolist() == [[0, 1, 0], [3, 0, 0], [0, 0, 0]]
    assert sorted(results.points) == [2, 3]
    assert results.matches_played().tolist() == [3, 3, 1]


def test_row_hash_is_that_of_the_sorted_rows() -> None:
    rows = [(9, 2, 40, 1), (9, 2, 30, 2), (8, 3, 40, 1), (8, 3, -1, 1)]
    ordered = sorted((block, match, entity, place) for match, block, entity, place in rows)
    assert of(rows).row_hash() == hashlib.sha256(b"".join(struct.pack("<4q", *row) for row in ordered)).hexdigest()


# ---- other people's fits, and a second writing --------------------------------------------------------


def test_agrees_with_statsmodels() -> None:
    rows, anchor = MIXED, 4
    found = pairs(rows)
    design = np.zeros((len(found), 12))
    for number, (_, a, b, _, _) in enumerate(found):
        design[number, a], design[number, b] = 1, -1
    score, weight = np.array([f[3] for f in found]), np.array([f[4] for f in found])
    design = np.delete(design, anchor, axis=1)
    model = sm.GLM(score, design, family=sm.families.Binomial(), var_weights=weight)
    theirs = model.fit(tol=1e-14, maxiter=100)
    ours = fit(of(rows), anchor, prior_elo=math.inf)
    assert np.delete(ours.elo, anchor) == pytest.approx(1000 + ELO_PER_NAT * theirs.params, abs=1e-6)
    assert np.delete(by_the_model(ours), anchor) == pytest.approx(ELO_PER_NAT * theirs.bse, abs=1e-6)


def test_clustered_intervals_agree_with_statsmodels() -> None:
    rows = simulated(np.linspace(-1, 1, 6), {2: 1500}, seed=11, rotations=3)  # duels weigh 1: it clusters no weights
    found = pairs(rows)
    design = np.zeros((len(found), 6))
    for number, (_, a, b, _, _) in enumerate(found):
        design[number, a], design[number, b] = 1, -1
    model = sm.GLM([f[3] for f in found], design[:, 1:], family=sm.families.Binomial())
    groups = {"groups": np.array([f[0] for f in found]), "use_correction": False}
    theirs = model.fit(tol=1e-14, maxiter=100, cov_type="cluster", cov_kwds=groups).bse * ELO_PER_NAT
    ours = fit(of(rows), 0, prior_elo=math.inf, sandwich_blocks=0)
    ratio = ours.standard_error[1:] / theirs
    correction = np.sqrt(ours.effective_blocks / (ours.effective_blocks - 2)).mean()
    assert 1.004 < correction < 1.008, "theirs has none"
    assert ratio == pytest.approx(np.full(5, correction), abs=1e-3)


@pytest.mark.parametrize("chunk", [3, 1 << 14])
def test_agrees_with_the_formulas_written_plainly(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ratings, "_CHUNK", chunk)  # 3 matches: would cut blocks of 2
    rows, anchor, count = MIXED, 4, 12
    rated = fit(of(rows), anchor, sandwich_blocks=30)
    x = rated.nats
    gradient, information = -x / TAU**2, np.eye(count) / TAU**2
    blocks: dict[int, NDArray[np.float64]] = {}
    for block, a, b, score, weight in pairs(rows):
        p = 1 / (1 + math.exp(x[b] - x[a]))
        g = blocks.setdefault(block, np.zeros(count))
        for i, sign in ((a, 1), (b, -1)):
            g[i] += sign * weight * (score - p)
            for j, other in ((a, 1), (b, -1)):
                information[i, j] += sign * other * weight * p * (1 - p)
    each = np.array(list(blocks.values()))
    assert gradient + each.sum(axis=0) == pytest.approx(np.zeros(count), abs=1e-9), "not the maximum"
    v = np.linalg.inv(information)
    k = np.sum(each**2, axis=0) ** 2 / np.sum(each**4, axis=0)
    corrected = each * np.sqrt(k / (k - 2))
    ridge = np.eye(count) / TAU**2
    sandwich = v @ (corrected.T @ corrected + ridge) @ v
    lengths = np.sum(each**2, axis=1)
    known = np.sum(lengths) ** 2 / np.sum(lengths**2)
    phi = np.sum(corrected**2) / np.trace(information - ridge)
    phi = (known * phi + 10) / (known + 10)
    modelled = v @ (phi * (information - ridge) + ridge) @ v
    assert rated.effective_blocks == pytest.approx(k, rel=1e-9)
    assert rated.covariance == pytest.approx(v, rel=1e-9)
    assert rated.dispersion == pytest.approx(phi, rel=1e-9)
    weights = []
    for i, j in combinations(range(count), 2):
        weights.append(min(k[i], k[j]) / (min(k[i], k[j]) + 30))
        c = weights[-1] * sandwich + (1 - weights[-1]) * modelled
        assert rated.variance[i, j] == pytest.approx(c[i, i] + c[j, j] - 2 * c[i, j], rel=1e-9)
    assert min(weights) < 0.45 < 0.6 < max(weights), "the example should lean both ways"


def test_recovers_known_skills() -> None:
    skills = np.random.default_rng(1).normal(0, TAU, 40)
    rated = fit(of(simulated(skills, {4: 6000}, seed=2)), anchor=0)
    assert spearmanr(skills, rated.nats).statistic > 0.99
    truth = 1000 + ELO_PER_NAT * (skills - skills[0])
    assert np.abs(rated.elo - truth).max() < 150
    assert np.abs(rated.elo - truth)[1:] == pytest.approx(np.zeros(39), abs=5 * rated.standard_error.max())


@pytest.mark.parametrize(("seats", "sd", "copies"), [(2, 100, 1), (4, 350, 1), (10, 350, 1), (3, 350, 2)])
def test_intervals_cover(seats: int, sd: float, copies: int) -> None:
    """Nominally 95 %; ``copies`` matches of a block end alike, which the information alone takes for news.

    Every entity is the anchor once. A smaller edition of ``python -m bench.coverage``.
    """
    random, hits, informed = np.random.default_rng(3), [], []
    for _ in range(60):
        skills = random.normal(0, sd / ELO_PER_NAT, 12)
        blocks = 12 * 60 // seats
        who = np.argsort(random.random((blocks, 12)), axis=1)[:, :seats]
        place = 1 + np.argsort(np.argsort(-(skills[who] + random.gumbel(size=who.shape)), axis=1), axis=1)
        block = np.repeat(np.arange(blocks), seats)
        match = np.concatenate([block + copy * blocks for copy in range(copies)])
        rated = fit(Results.of(match, *(np.tile(column.ravel(), copies) for column in (block, who, place))), anchor=0)
        error = np.abs(np.subtract.outer(rated.nats - skills, rated.nats - skills))
        for found, variance in ((hits, rated.variance), (informed, ratings._difference(rated.covariance))):
            found.append(np.mean((error <= 1.96 * np.sqrt(variance))[np.triu_indices(12, 1)]))
    assert 0.93 < np.mean(hits) < 0.97
    if copies > 1 or (seats, sd) == (10, 350):
        assert not 0.93 < np.mean(informed) < 0.97, "the information alone would do"


# ---- bits that repeat --------------------------------------------------------------------------------


def test_the_order_of_rows_changes_no_bit() -> None:
    expected, rated = of(MIXED), bits(fit(of(MIXED), 4))
    for seed in range(5):
        shuffled = of(np.random.default_rng(seed).permutation(MIXED))
        assert_same(shuffled, expected)
        assert bits(fit(shuffled, 4)) == rated


def test_incremental_is_rebuilt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ratings, "_CHUNK", 16)  # several chunks, as with many matches
    random = np.random.default_rng(8)
    rows = MIXED
    matches = random.permutation(np.unique(rows[:, 0]))
    part = np.array_split(matches, 7)  # cuts through blocks, in no order
    grown = of([])
    for step, ids in enumerate(part, 1):
        grown = grown.add(of(rows[np.isin(rows[:, 0], ids)]))
        rebuilt = of(rows[np.isin(rows[:, 0], np.concatenate(part[:step]))])
        assert_same(grown, rebuilt)
    assert bits(fit(grown, 4)) == bits(fit(of(rows), 4))
    voided = grown.void(part[2]).void(part[5])
    kept = rows[~np.isin(rows[:, 0], np.concatenate((part[2], part[5])))]
    assert_same(voided, of(kept))
    assert bits(fit(voided, 4)) == bits(fit(of(kept), 4))
    assert_same(grown, of(rows))  # nothing was changed on the way


def test_adding_brings_entities_and_voiding_takes_them() -> None:
    old = duels((5, 9, ">"), (9, 5, "="))
    three = of([(7, 7, 9, 1), (7, 7, 2, 2), (7, 7, 6, 3)])
    both = old.add(three)
    assert both.entities.tolist() == [2, 5, 6, 9]
    assert_same(both, three.add(old))
    assert_same(both.void([7]), old)
    assert_same(both.void([0, 1]), three)
    assert_same(both.void([0, 1, 7]), of([]))
    assert_same(both.void([]), both)
    assert sorted(both.void([7]).points) == [2]


# ---- edges -------------------------------------------------------------------------------------------


def test_nothing_played() -> None:
    rated = fit(of([]), anchor=17)
    assert rated.entities.tolist() == [17]
    assert rated.elo.tolist() == [1000.0]
    assert rated.half_width.tolist() == [0.0]
    assert rated.matches.tolist() == [0]
    assert [array.tolist() for array in rated.ranks()] == [[1], [1]]
    assert of([]).row_hash() == hashlib.sha256().hexdigest()


@pytest.mark.parametrize("prior_elo", [350.0, math.inf])
@pytest.mark.parametrize("sandwich_blocks", [0, 100, math.inf])
@pytest.mark.parametrize("anchor", [0, 7])
def test_the_anchor_is_1000_exactly(prior_elo: float, sandwich_blocks: float, anchor: int) -> None:
    rated = fit(of(MIXED), anchor, prior_elo=prior_elo, sandwich_blocks=sandwich_blocks)
    assert rated.elo[anchor] == 1000.0
    assert rated.half_width[anchor] == 0.0
    assert not rated.provisional[anchor]
    assert np.all(np.delete(rated.half_width, anchor) > 0)


def test_the_undefeated_and_the_disconnected_are_finite() -> None:
    results = duels(*[(1, 2, ">")] * 500, *[(2, 3, ">")] * 3, (8, 9, ">"))  # 1 undefeated, 8 and 9 met nobody else
    rated = fit(results, anchor=3)
    assert np.all(np.isfinite(rated.elo))
    assert np.all(np.isfinite(rated.half_width))
    one, two, three, eight, nine = rated.elo
    assert one > two > three == 1000
    assert eight > nine
    assert rated.nats[3] + rated.nats[4] == pytest.approx(0, abs=1e-9), "an island rests on the prior's mean"
    assert np.all(rated.provisional == [True, True, False, True, True])


def test_an_anchor_that_has_not_played_stands_at_the_priors_mean() -> None:
    rated = fit(duels((1, 2, ">")), anchor=50)
    assert rated.entities.tolist() == [1, 2, 50]
    assert rated.matches.tolist() == [1, 1, 0]
    assert rated.elo[0] + rated.elo[1] == pytest.approx(2000)
    assert rated.covariance[2].tolist() == pytest.approx([0, 0, TAU**2]), "the anchor's own variance is the prior's"
    assert rated.variance[0, 2] > TAU**2


@pytest.mark.parametrize(
    "scores",
    [
        [(1, 2, ">")],
        [(1, 2, ">"), (2, 3, ">"), (3, 2, ">")],
        [(1, 2, "="), (3, 4, "=")],
        [(1, 2, "="), (3, 4, "="), (1, 3, ">"), (2, 4, ">")],
    ],
)
def test_without_a_prior_no_maximum_is_an_error(scores: list[tuple[int, int, str]]) -> None:
    with pytest.raises(NoRating, match="undefeated"):
        fit(duels(*scores), anchor=2, prior_elo=math.inf)
    assert np.all(np.isfinite(fit(duels(*scores), anchor=2).elo))


def test_far_apart_without_a_prior_still_converges() -> None:
    chain = [(a, a + 1, ">") for a in range(8) for _ in range(400)] + [(a, a + 1, "<") for a in range(8)]
    rated = fit(duels(*chain), anchor=8, prior_elo=math.inf)
    assert rated.elo == pytest.approx(1000 + 400 * math.log10(400) * np.arange(8, -1, -1), abs=1e-5)


def test_where_newton_alone_runs_away() -> None:
    """Found by random search: plain Newton from zero overshoots here and never comes back, in spite of the prior."""
    wins = np.array(
        [[0, 1, 1, 30, 18674], [4, 0, 41684, 0, 2828], [27, 7, 0, 1, 0], [35, 0, 2027, 0, 0], [19, 47376, 0, 0, 0]]
    )
    winner, loser = np.nonzero(wins)
    entity = np.repeat(np.stack((winner, loser), axis=1), wins[winner, loser], axis=0).ravel()
    match = np.repeat(np.arange(entity.size // 2), 2)
    rated = fit(Results.of(match, match, entity, np.resize([1, 2], entity.size)), anchor=0)
    p = 1 / (1 + np.exp(rated.nats[None, :] - rated.nats[:, None]))
    slope = wins.sum(axis=1) - np.sum((wins + wins.T) * p, axis=1) - rated.nats / TAU**2
    assert slope == pytest.approx(np.zeros(5), abs=1e-6)


def test_one_entity_on_several_seats() -> None:
    results = of([(1, 1, 5, 1), (1, 1, 5, 3), (1, 1, 6, 2)])
    assert results.points[3].tolist() == [[0, 2], [2, 0]]  # one seat won against 6, one lost; 5 says nothing of 5
    assert results.matches_played().tolist() == [1, 1]
    rated = fit(results, anchor=6)
    assert rated.elo == pytest.approx([1000, 1000], abs=1e-9)
    assert rated.covariance == pytest.approx(np.linalg.inv([[0.375 + TAU**-2, -0.375], [-0.375, 0.375 + TAU**-2]]))
    assert_same(of([(1, 1, 6, 2), (1, 1, 5, 3), (1, 1, 5, 1)]), results)


@pytest.mark.parametrize("prior_elo", [1e6, math.inf])
def test_the_same_luck_twice_is_no_news(prior_elo: float) -> None:
    """Every block copied into itself: the sandwich sees as many blocks as before, the dispersion is twice as large."""
    rows = simulated(np.linspace(-1, 1, 6), {3: 400}, seed=4)
    doubled = np.concatenate((rows, rows + np.array([1000, 0, 0, 0])))
    for blocks, tolerance in ((0.0, 1e-4), (50.0, 0.02), (math.inf, 0.04)):  # the dispersion is drawn to 1 a little
        once, twice = (fit(of(r), 0, prior_elo=prior_elo, sandwich_blocks=blocks) for r in (rows, doubled))
        assert twice.elo == pytest.approx(once.elo, abs=1e-3)
        assert twice.variance == pytest.approx(once.variance, rel=tolerance)
        assert 2 * by_the_model(twice) ** 2 == pytest.approx(by_the_model(once) ** 2, rel=1e-4)


# ---- what is shown ------------------------------------------------------------------------------------


def test_ranks_and_better() -> None:
    rated = fit(of(simulated(np.array([-3.0, 0, 0, 3]), {2: 600}, seed=6)), anchor=1)
    best, worst = rated.ranks()
    assert (best.tolist(), worst.tolist()) == ([4, 2, 2, 1], [4, 3, 3, 1])
    best, worst = rated.ranks([3, 2, 1])
    assert (best.tolist(), worst.tolist()) == ([1, 2, 2], [1, 3, 3])
    for i in range(4):
        for j in range(4):
            z = (rated.nats[i] - rated.nats[j]) / math.sqrt(rated.variance[i, j] or 1)
            assert rated.better(i, j) == pytest.approx(norm.cdf(z), abs=1e-12)
    assert rated.better(3, 0) > 0.999
    assert 0.025 < rated.better(1, 2) < 0.975


def test_provisional_until_the_standard_error_is_40() -> None:
    needed = math.ceil((ELO_PER_NAT / 40) ** 2 / 0.25)  # without a prior: se^2 = 173.7^2 / (N / 4)
    for count, provisional in ((needed - 1, True), (needed, False)):
        rated = fit(duels(*[(1, 2, "=")] * count), anchor=1, prior_elo=math.inf)
        assert rated.provisional.tolist() == [False, provisional]


def test_influence_is_what_a_match_moved() -> None:
    results = of(MIXED)
    rated = fit(results, 4)
    for table in by_match(MIXED)[::97]:
        without = fit(results.void(table[:1, 0]), 4)
        moved = ELO_PER_NAT * (rated.nats - without.nats)[table[:, 2]]
        shown = rated.influence(table[:, 2], table[:, 3])
        assert np.abs(moved).max() > 0.1
        assert shown == pytest.approx(moved, rel=0.15, abs=0.15)
    assert rated.influence([3, 5], [1, 1]) == pytest.approx(rated.influence([5, 3], [1, 1])[::-1])


def test_all_matches_of_an_entity_at_once_are_each_of_them() -> None:
    results = of(MIXED)
    rated = fit(results, 4)
    for entity in (int(results.entities[0]), 4):
        found = influences(results, rated, entity)
        own = [table for table in by_match(MIXED) if entity in table[:, 2]]
        assert found.match.tolist() == sorted(int(table[0, 0]) for table in own)
        moved = dict(zip(found.match.tolist(), found.elo.tolist(), strict=True))
        for table in own:
            each = rated.influence(table[:, 2], table[:, 3])
            assert moved[int(table[0, 0])] == pytest.approx(each[table[:, 2] == entity][0])


def test_the_anchor_has_moved_nothing_before_its_first_match() -> None:
    results = duels((1, 2, ">"))
    assert influences(results, fit(results, anchor=9), 9).match.size == 0
    with pytest.raises(RatingError, match="entity 8 is not in this fit"):
        influences(results, fit(results, anchor=9), 8)


def test_influence_by_hand() -> None:
    rated = fit(duels((1, 2, "="), (1, 2, "=")), anchor=1)
    a, b = rated.covariance[0]
    assert rated.influence([2, 1], [1, 2]) == pytest.approx([ELO_PER_NAT * (a - b) / 2, ELO_PER_NAT * (b - a) / 2])


# ---- refusals -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([(1, 1, 5, 1), (1, 1, 6, 2), (2, 2, 5, 1)], "match 2: not 2 to 10 seats"),
        ([(3, 1, e, 1) for e in range(11)], "match 3: not 2 to 10 seats"),
        ([(4, 1, 5, 1), (4, 1, 6, 0)], "match 4: a place is missing"),
        ([(4, 1, 5, 1), (4, 1, 6, -1)], "match 4: a place is missing"),
        ([(4, 1, 5, 1), (4, 1, 6, 11)], "match 4: a place is missing"),
        ([(4, 1, 5, 1), (4, 1, 6, 1), (9, 2, 5, 1), (9, 2, 6, 3)], "match 9: places are not complete"),
        ([(4, 1, 5, 2), (4, 1, 6, 2)], "match 4: places are not complete"),
        ([(4, 1, 5, 1), (4, 1, 6, 1), (4, 1, 7, 2)], "match 4: places are not complete"),
        ([(4, 1, 5, 1), (4, 1, 6, 2)] * 2, "match 4: places are not complete"),
        ([(4, 1, 5, 1), (4, 2, 6, 2)], "match 4: more than one block"),
    ],
)
def test_bad_rows(rows: list[tuple[int, int, int, int]], message: str) -> None:
    with pytest.raises(BadRows, match=message):
        of(rows)


@pytest.mark.parametrize("place", [[1, None], [1.0, math.nan], [1.0, 2.0], [[1, 2]], [1, 2, 3], [True, True]])
def test_bad_columns(place: list[object]) -> None:
    with pytest.raises(BadRows, match=r"place: wanted a flat|different lengths"):
        Results.of([1, 1], [1, 1], [5, 6], np.array(place))


def test_bad_requests() -> None:
    results = duels((1, 2, ">"), (2, 1, "="))
    with pytest.raises(BadRows, match="match 1: counted already"):
        results.add(duels((1, 2, ">"), first=1))
    with pytest.raises(BadRows, match="match 5: not counted"):
        results.void([0, 5])
    rated = fit(results, 1)
    with pytest.raises(RatingError, match="entity 3 is not in this fit"):
        rated.better(1, 3)
    with pytest.raises(BadRows, match="places are not complete"):
        rated.influence([1, 2], [2, 3])
    for prior in (0.0, -1.0, math.nan):
        with pytest.raises(RatingError, match="positive"):
            fit(results, 1, prior_elo=prior)
