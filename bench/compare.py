"""How often ``arena compare`` is wrong about twins, and what duplicate play saves. ``python -m bench.compare``

*Twins.* A bot against itself, without a maximum: how many of 1,000 runs stop with "not better"? Twins without dice
score 1/2 in every block whatever the luck, and so do all others whose dice the arena seeds. What is left are bots
with dice that nobody can seed: here the matches of a block get the dice of the bots each for itself. These runs are
real matches, with a question wide enough to pay for them. For the question that is asked by default, runs are drawn
from the scores of the very blocks that were played, with returning; as the twins can change names, each score s
counts as 1 - s, too.

*Duplicate play.* The variance of a match's score in three kinds of blocks, each with the seats rotated and the two
bots exchanged: with new luck for every match; with one luck for all, as a block is; and with the bots' dice shared as
well, as `arena compare` does. A pair is two bots of the house, or one and its copy with one line changed. Variance is
per match: that of a block's mean, times its matches. The matches needed follow from it: until the test of 0 against
20 Elo is over on the average, for a bot that is just 20 Elo better.

``--quick`` plays a tenth.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path
from typing import NamedTuple

from arena.compare import Question, Sample, block_score, score_of
from arena.games import find_game
from arena.local.contest import Contest, Fixture, exchanged_blocks, exchanged_orders, find_entrants
from arena.local.pool import stream_blocks
from arena.local.worker import Result
from arena.rules import ruleset
from bots import house_bots

RUNS = 1000
WIDE = Question(0, 100)


def contest(game: str, bots: list[str], preset: str | None = None, seed: bytes = b"bench") -> Contest:
    """Without deadlines."""
    entrants = find_entrants(bots, house_bots(game))
    return Contest(ruleset(find_game(game), preset), entrants, 0, seed, None, "forfeit")


def scores(played: Contest, planned: Iterator[tuple[Fixture, ...]], size: int) -> Iterator[float]:
    """What the first bot scores in each group of so many matches."""
    matches: Iterator[Result] = (result for block in stream_blocks(played, planned) for result in block)
    while group := list(islice(matches, size)):
        yield block_score([(one.places, one.fixture.order.index(0), one.fixture.order.index(1)) for one in group])


def own_dice(players: int) -> Iterator[tuple[Fixture, ...]]:
    """Blocks on one luck, in which each match has dice of its own."""
    for block in exchanged_blocks(players, None):
        yield tuple(fixture._replace(dice=None) for fixture in block)


def own_luck(players: int) -> Iterator[tuple[Fixture, ...]]:
    """Blocks of one match each; the seats go on as in the others."""
    orders = exchanged_orders(players)
    for number in count():
        yield (Fixture(number, number, orders[number % len(orders)]),)


# ---- twins ---------------------------------------------------------------------------------------


def run(drawn: Iterator[float], question: Question) -> tuple[bool, int]:
    """One run without a maximum: was it "not better", and after how many blocks?"""
    found = Sample()
    for score in drawn:
        found = found.add(score)
        if (verdict := found.verdict(question)) != "undecided":
            return verdict == "not better", found.blocks
    raise AssertionError("there are always more")


def twins(
    name: str, played: Contest, planned: Iterator[tuple[Fixture, ...]], runs: int, question: Question
) -> list[float]:
    """Real matches: print how many runs said "not better"; the scores of all blocks."""
    kept: list[float] = []

    def remembered() -> Iterator[float]:
        for score in scores(played, planned, len(exchanged_orders(len(played.entrants)))):
            kept.append(score)
            yield score

    drawn, began = remembered(), time.process_time()
    found = [run(drawn, question) for _ in range(runs)]
    _print_twins(f"{name}, real matches", found, question, time.process_time() - began)
    return kept


def redrawn(name: str, kept: list[float], runs: int, question: Question) -> None:
    """The same from blocks that were played."""
    dice = random.Random(1)  # noqa: S311  # repeatable on purpose
    pool, began = [*kept, *(1 - score for score in kept)], time.process_time()
    found = [run((dice.choice(pool) for _ in count()), question) for _ in range(runs)]
    _print_twins(f"{name}, drawn from {len(kept):,} blocks", found, question, time.process_time() - began)


def _print_twins(name: str, found: list[tuple[bool, int]], question: Question, seconds: float) -> None:
    said = sum(right for right, _ in found)
    blocks = statistics.fmean(blocks for _, blocks in found)
    print(
        f"{name:58} {question.elo0:g} to {question.elo1:3g} Elo: {said:5,} of {len(found):,} not better, "
        f"{blocks:6,.0f} blocks a run, {seconds:4.0f} s",
        flush=True,
    )


# ---- duplicate play ------------------------------------------------------------------------------


class Pair(NamedTuple):
    """Two close bots."""

    name: str
    game: str
    preset: str | None
    bots: tuple[str, ...]
    change: tuple[str, str] | None
    """What is written otherwise in the file of the second bot, which makes the first."""
    blocks: int


HALF = "self.random.choice(view.legal)"
PAIRS = (
    Pair("equilibrium, calculator", "mia", "no-pass", ("equilibrium", "calculator"), None, 200),
    Pair("calculator, doubted 0.4 for 0.5", "mia", None, ("calculator",), ("DOUBTED = 0.5", "DOUBTED = 0.4"), 200),
    Pair("calculator, doubted 0.48 for 0.5", "mia", None, ("calculator",), ("DOUBTED = 0.5", "DOUBTED = 0.48"), 200),
    Pair("doubted 0.4, with random, observer", "mia", None, ("calculator", "random", "observer"),
         ("DOUBTED = 0.5", "DOUBTED = 0.4"), 60),
    Pair("equilibrium, calculator", "three_coins", "duel", ("equilibrium", "calculator"), None, 200),
    Pair("honest, rounding up for down", "three_coins", None, ("honest",), ("theirs // 2", "-(-theirs // 2)"), 200),
    Pair("random, a tenth of it the first", "commerce", None, ("random",),
         (HALF, f"view.legal[0] if self.random.random() < 0.1 else {HALF}"), 100),
)  # fmt: skip


def matches_needed(variance: float) -> float:
    """Matches until the default test ends, on the average, if its elo1 is true (Wald), from a match's variance."""
    question = Question()
    apart = score_of(question.elo1) - score_of(question.elo0)
    gained = (1 - question.beta) * question.upper + question.beta * question.lower
    return gained / (apart**2 / (2 * variance))


def duplicates(pair: Pair, share: int) -> None:
    """Print a row of the table."""
    with tempfile.TemporaryDirectory() as folder:
        bots = list(pair.bots)
        if pair.change is not None:
            text = house_bots(pair.game)[bots[0]].read_text(encoding="utf-8")
            assert pair.change[0] in text
            changed = Path(folder) / "changed.py"
            changed.write_text(text.replace(*pair.change), encoding="utf-8")
            bots.insert(0, str(changed))
        players = len(bots)
        size = len(exchanged_orders(players))
        kinds = [own_luck(players), own_dice(players), exchanged_blocks(players, None)]
        found, means = [], []
        for number, planned in enumerate(kinds):
            played = contest(pair.game, bots, pair.preset, seed=b"%d" % number)
            drawn = list(islice(scores(played, planned, size), max(20, pair.blocks // share)))
            found.append(statistics.variance(drawn) * size)
            means.append(statistics.fmean(drawn))
    elo = 400 / math.log(10) * math.log(means[2] / (1 - means[2]))
    needed = " | ".join(f"{variance:.3f} | {matches_needed(variance):,.0f}" for variance in found)
    ratios = " | ".join(f"{found[0] / variance:.1f}" if variance else "all" for variance in found[1:])
    print(f"| {pair.game} | {pair.name} | {len(drawn)} × {size} | {elo:+.0f} | {needed} | {ratios} |", flush=True)


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(prog="bench.compare")
    parser.add_argument("--quick", action="store_true", help="a tenth of it")
    share = 10 if parser.parse_args().quick else 1
    began = time.process_time()
    print('A bot against itself, without a maximum: runs that stop with "not better"\n')
    without = contest("mia", ["calculator", "calculator"])
    kept = twins("mia, calculator, which has no dice", without, own_dice(2), max(5, RUNS // 50 // share), Question())
    assert set(kept) == {0.5}
    redrawn("mia, calculator, which has no dice", kept, RUNS // share, Question())
    for game, bot in (("mia", "random"), ("three_coins", "honest")):
        name = f"{game}, {bot} with its own dice"
        kept = twins(name, contest(game, [bot, bot]), own_dice(2), RUNS // share // (10 if game == "mia" else 1), WIDE)
        redrawn(name, kept, RUNS // share, Question())
    print("\nVariance of a match's score, and matches until 0 against 20 Elo is decided\n")
    print("| game | bots | blocks | Elo | new luck | matches | one luck | matches | and shared dice | matches ", end="")
    print("| new / one | new / shared |\n" + "| --- | --- " + "| ---: " * 10 + "|")
    for pair in PAIRS:
        duplicates(pair, share)
    print(f"\n{time.process_time() - began:.0f} seconds of one core")


if __name__ == "__main__":
    main()
