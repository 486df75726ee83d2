"""Signs of collusion: the sums are right, honest players are left alone, colluders are found."""

from __future__ import annotations

import math
from itertools import combinations
from pathlib import Path
from random import Random
from statistics import mean, pstdev, variance

import pytest
from scipy.stats import norm
from scipy.stats import t as student

from arena import collusion, record
from arena.collusion import Habit, Tally
from arena.record import FaultStep, MovesStep, Record

RECORDS = Path(__file__).parents[1] / "data" / "records"
Q = 0.01


# ---- the parts -----------------------------------------------------------------------------------


def test_a_tally_is_mean_and_variance() -> None:
    values = [0.5, -1.0, 2.0, 0.25]
    tally = Tally()
    for value in values:
        tally = tally.add(value)
    assert tally.mean == pytest.approx(mean(values))
    assert tally.error == pytest.approx(variance(values) / 4)
    assert tally.less(Tally().add(2.0)).mean == pytest.approx(mean([0.5, -1.0, 0.25]))
    assert (Tally().mean, Tally().error) == (0.0, math.inf)


def test_residuals() -> None:
    """Three equal players: the first of three scores 1 against each, the others 0 and a half of what is left."""
    found = collusion.residuals([{"a": 1, "b": 2, "c": 2}], {"a": 1000.0, "b": 1000.0, "c": 1000.0})
    assert found.alone == {"a": 0.5, "b": -0.25, "c": -0.25}
    assert found.together == {("a", "b"): 0.25, ("a", "c"): 0.25, ("b", "c"): -0.5}
    # 400 points are odds of ten to one
    strong = collusion.residuals([{"a": 1, "b": 2, "c": 3}], {"a": 1400.0, "b": 1000.0, "c": 1000.0})
    assert strong.alone["a"] == pytest.approx(1 / 11)


def test_below_the_least_nothing_is_said() -> None:
    few, enough, many = Tally(49, 25.0, 33.0), Tally(50, 25.0, 33.0), Tally(500, 0.0, 500.0)
    assert collusion.better_together(few, many, many) == 0.0
    assert collusion.better_together(enough, many, Tally(49, 0.0, 49.0)) == 0.0
    assert collusion.better_together(enough, many, many) > 3
    assert collusion.sparing(few._replace(total=-25.0), 50.0) == 0.0
    assert collusion.sparing(enough._replace(total=-25.0), 50.0) > 3
    known = Habit(200, 50)
    assert collusion.surplus(Habit(10, 0), Habit(199, 50), known, known) is None
    assert collusion.surplus(Habit(10, 0), known, Habit(199, 50), known) is None
    assert collusion.surplus(Habit(10, 0), known, known, known) == pytest.approx(-2.5)


def test_better_together_is_welchs_t() -> None:
    """Against scipy: the chance of the value is that of Welch's t for the same three samples."""
    dice = Random(3)
    samples = [[dice.gauss(0.1 * (not n), 0.4) for _ in range(60 + 20 * n)] for n in range(3)]
    tallies = []
    for values in samples:
        tally = Tally()
        for value in values:
            tally = tally.add(value)
        tallies.append(tally)
    z = collusion.better_together(*tallies, margin=0.03)
    parts = [weight * variance(values) / len(values) for weight, values in zip((1, 0.25, 0.25), samples, strict=True)]
    freedom = sum(parts) ** 2 / sum(p * p / (len(v) - 1) for p, v in zip(parts, samples, strict=True))
    difference = mean(samples[0]) - (mean(samples[1]) + mean(samples[2])) / 2 - 0.03
    assert collusion.chance_of(z) == pytest.approx(student.sf(difference / math.sqrt(sum(parts)), freedom), rel=0.002)
    assert collusion.better_together(tallies[0], tallies[1], tallies[2], margin=1.0) < 0


def test_chances_and_thresholds_are_those_of_the_books() -> None:
    for z in (-1.0, 0.0, 1.645, 3.09, 6.0):
        assert collusion.chance_of(z) == pytest.approx(norm.sf(z))
    # the example of Benjamini and Hochberg (1995), table 1: with q = 0.05, four of fifteen
    theirs = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459]
    assert collusion.threshold(theirs, 15, 0.05) == 0.0095
    assert collusion.threshold([0.04], 15, 0.05) == 0.0
    assert collusion.threshold([], 15, 0.05) == 0.0


def _record(game: str, *steps: dict[int, str] | FaultStep) -> Record:
    known = record.read((RECORDS / f"{game}-preset.json").read_bytes())
    return known._replace(steps=tuple(one if isinstance(one, FaultStep) else MovesStep(one, None) for one in steps))


def test_doubts_in_three_coins() -> None:
    played = _record(
        "three_coins",
        {0: "hide 1", 1: "hide 2", 2: "hide 0"},
        {0: "bid 2"},
        {1: "bid 3"},
        {2: "call"},
        {0: "hide 1", 1: "hide 2", 2: "hide 0"},
        {1: "bid 3"},  # nothing stands before a first bid
        {2: "cliff"},  # a chance to doubt, and not taken
        {0: "hide 1", 1: "hide 2"},
        {0: "bid 1"},
        FaultStep(1, "late", "", "forfeit"),
        {2: "bid 2"},
    )
    assert collusion.doubts(played) == {(1, 0): Habit(1, 0), (2, 1): Habit(2, 1)}


def test_doubts_in_mia() -> None:
    played = _record(
        "mia",
        {0: "roll"},
        {0: "say 65"},
        {1: "roll"},
        {1: "say 11"},  # the answer to 65 was the roll
        {2: "pass 11"},
        {0: "challenge"},
        {1: "roll blind"},
        {1: "say 21"},
        {2: "concede"},
        {0: "roll"},
        {0: "say 21"},
        {1: "look"},
    )
    assert collusion.doubts(played) == {
        (1, 0): Habit(2, 1),
        (2, 1): Habit(2, 0),
        (0, 2): Habit(1, 1),
    }


@pytest.mark.parametrize("path", sorted(RECORDS.glob("*.json")), ids=lambda path: path.stem)
def test_every_word_of_a_record_is_known(path: Path) -> None:
    played = record.read(path.read_bytes())
    found = collusion.doubts(played)
    assert bool(found) == (played.game != "commerce") or not any(isinstance(s, MovesStep) for s in played.steps)


# ---- many tables, honest and not -----------------------------------------------------------------


def tables(
    dice: Random, *, players: int, series: int, together: float, margin: float = collusion.MARGIN_TOGETHER
) -> dict[tuple[int, int], float]:
    """How much better together every pair is, after so many series of three or four matches.

    Places are drawn with logistic odds of the ratings, which are right; players 0 and 1 are ``together`` (in natural
    logarithms of odds) stronger when they sit at one table.
    """
    strength = [dice.gauss(0, 0.6) for _ in range(players)]
    elo = {one: 1000 + 400 / math.log(10) * strength[one] for one in range(players)}
    alone = dict.fromkeys(range(players), Tally())
    sums = {pair: [Tally(), Tally(), Tally()] for pair in combinations(range(players), 2)}
    for _ in range(series):
        seated = sorted(dice.sample(range(players), dice.choice((3, 4))))
        both = {0, 1} <= set(seated)
        matches = []
        for _ in seated:
            luck = {
                one: strength[one] + (together if both and one < 2 else 0) - math.log(-math.log(dice.random()))
                for one in seated
            }
            order = sorted(seated, key=lambda one: -luck[one])
            matches.append({one: order.index(one) + 1 for one in seated})
        found = collusion.residuals(matches, {one: elo[one] for one in seated})
        for one in seated:
            alone[one] = alone[one].add(found.alone[one])
        for pair in combinations(seated, 2):
            values = found.together[pair], found.alone[pair[0]], found.alone[pair[1]]
            sums[pair] = [tally.add(value) for tally, value in zip(sums[pair], values, strict=True)]
    return {
        pair: collusion.better_together(both, alone[pair[0]].less(one), alone[pair[1]].less(other), margin=margin)
        for pair, (both, one, other) in sums.items()
    }


def signs(found: dict[tuple[int, int], float]) -> set[tuple[int, int]]:
    chances = {pair: collusion.chance_of(z) for pair, z in found.items() if z}
    least = collusion.threshold([chance for chance in chances.values() if chance <= Q], len(chances), Q)
    return {pair for pair, chance in chances.items() if chance <= least}


def test_the_chances_are_what_they_say() -> None:
    """Without the margin, of some 2,000 honest pairs 5 % are beyond 1.645, and 1 % beyond 2.326."""
    arenas = [tables(Random(seed), players=12, series=1_100, together=0.0, margin=0.0) for seed in range(30)]
    zs = [z for arena in arenas for z in arena.values() if z]
    assert len(zs) > 1_500
    assert abs(mean(zs)) < 0.1
    assert 0.9 < pstdev(zs) < 1.1
    assert 0.035 < mean(z > 1.645 for z in zs) < 0.065
    assert 0.004 < mean(z > 2.326 for z in zs) < 0.018


def test_honest_players_are_left_alone() -> None:
    arenas = [tables(Random(seed), players=12, series=1_100, together=0.0) for seed in range(30)]
    # with the margin, fewer than one arena in a hundred shows a sign by chance
    assert sum(bool(signs(arena)) for arena in arenas) <= 1


def test_colluders_are_found_and_nobody_else() -> None:
    for seed in range(4):
        assert signs(tables(Random(seed), players=12, series=1_500, together=0.7)) == {(0, 1)}


def sparing(dice: Random, *, series: int, share: float) -> dict[tuple[int, int], float]:
    """How much every pair of six spares each other; 0 and 1 doubt each other only ``share`` as often as they would.

    Everybody doubts in his own measure, and everybody's claims ask for doubt in theirs; rounds end with a doubt.
    """
    doubting = [dice.uniform(0.1, 0.3) for _ in range(6)]
    inviting = [dice.uniform(0.6, 1.6) for _ in range(6)]
    by, of, everybody = [Habit()] * 6, [Habit()] * 6, Habit()
    sums = dict.fromkeys(combinations(range(6), 2), Tally())
    expected = dict.fromkeys(combinations(range(6), 2), 0.0)
    for _ in range(series):
        seated = dice.sample(range(6), 4)
        seen: dict[tuple[int, int], Habit] = {}
        for _round in range(12):
            at = dice.randrange(4)
            for _turn in range(20):
                claimed, asked = seated[at % 4], seated[(at + 1) % 4]
                less = share if {claimed, asked} == {0, 1} else 1.0
                doubt = dice.random() < doubting[asked] * inviting[claimed] * less
                seen[asked, claimed] = seen.get((asked, claimed), Habit()).plus(Habit(1, doubt))
                if doubt:
                    break
                at += 1
        for pair in combinations(sorted(seated), 2):
            for a, b in (pair, pair[::-1]):
                habit = seen.get((a, b), Habit())
                more = collusion.surplus(habit, by[a], of[b], everybody)
                if habit.chances and more is not None:
                    sums[pair] = sums[pair].add(more)
                    expected[pair] += habit.doubts - more
        for (asked, claimed), habit in seen.items():
            by[asked], of[claimed], everybody = (
                by[asked].plus(habit),
                of[claimed].plus(habit),
                everybody.plus(habit),
            )
    return {pair: collusion.sparing(tally, expected[pair]) for pair, tally in sums.items()}


def test_honest_doubters_are_left_alone() -> None:
    arenas = [sparing(Random(seed), series=500, share=1.0) for seed in range(20)]
    zs = [z for arena in arenas for z in arena.values() if z]
    assert len(zs) > 280
    assert mean(z > 1.645 for z in zs) < 0.05
    assert sum(bool(signs(arena)) for arena in arenas) <= 1


def test_who_spares_a_partner_is_found() -> None:
    for seed in range(4):
        assert (0, 1) in signs(sparing(Random(seed), series=300, share=0.4))
