"""Whether the luck is even: dice, lots and decks drawn as matches draw them, by chi-square. ``python -m bench.luck``

Everything goes through `arena.chance`: a table key from a seed and nonces, a draw by its label, the shuffle. The
seeds are fixed, so that a run says the same on every machine; ``--seed`` takes others.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

from scipy.stats import chi2

from arena import chance

DRAWS = 1_000_000
"""Of each kind, by default."""

A_TABLE = 500
"""Draws from one table key, about as many as a series of matches makes."""

UNLIKELY = 1e-4
"""Even luck is taken for uneven once in so many times."""


class Found(NamedTuple):
    """How far something is from even."""

    what: str
    draws: int
    chi_square: float
    freedom: int
    """Degrees of freedom."""

    @property
    def p(self) -> float:
        """How likely even luck is to be at least as far from it."""
        return float(chi2.sf(self.chi_square, self.freedom))

    @property
    def even(self) -> bool:
        """Is there no reason to doubt it?"""
        # luck that is too even is none either
        return UNLIKELY / 2 < self.p < 1 - UNLIKELY / 2


def keys(seed: bytes, tables: int) -> Iterator[bytes]:
    """The keys of so many tables, each with a seed of its own and three nonces."""
    for table in range(tables):
        nonces = [chance.derive(seed, "nonce", table, seat) for seat in range(3)]
        yield chance.table_key(chance.derive(seed, "seed", table, 0), nonces)


def _labelled(seed: bytes, draws: int, label: str) -> Iterator[tuple[bytes, str]]:
    """A key and a label for each draw; ``label`` has a ``{}`` for its number at the table."""
    left = draws
    for key in keys(seed, -(-draws // A_TABLE)):
        for number in range(1, min(A_TABLE, left) + 1):
            yield key, label.format(number)
        left -= A_TABLE


def _even(what: str, counted: Counter[object], cells: int) -> Found:
    draws = counted.total()
    expected = draws / cells
    assert len(counted) <= cells
    unseen = (cells - len(counted)) * expected
    return Found(what, draws, unseen + sum((n - expected) ** 2 / expected for n in counted.values()), cells - 1)


def dice(seed: bytes, draws: int) -> list[Found]:
    """Rolls of two dice, as Mia draws them: each die, and each of the 36 ways in which the two can fall."""
    drawn = (chance.draw(key, label, (6, 6)) for key, label in _labelled(seed, draws, "round/{}/roll/1"))
    both = Counter(drawn)
    assert set(both) <= set(product(range(6), repeat=2))
    each: list[Counter[object]] = [Counter(), Counter()]
    for faces, number in both.items():
        for own, face in zip(each, faces, strict=True):
            own[face] += number
    return [
        _even("the first die", each[0], 6),
        _even("the second die", each[1], 6),
        _even("the two together", Counter[object](both), 36),
    ]


def lots(seed: bytes, draws: int, sizes: Iterable[int] = range(2, 11)) -> list[Found]:
    """The lot for the first seat, at tables of all sizes: as many of each."""
    found = []
    for size in sizes:
        own = chance.derive(seed, "lots", size, 0)
        drawn = Counter[object](
            chance.draw(key, label, (size,)) for key, label in _labelled(own, draws, "start/lot/{}")
        )
        found.append(_even(f"the lot among {size}", drawn, size))
    return found


def decks(seed: bytes, shuffles: int) -> list[Found]:
    """Shuffles of 52 cards, as Commerce draws them: is each card equally likely in each place?

    The cells of the 52 by 52 table are not independent: in a shuffle each card lies in one place, and in each place
    one card. So it has 51 * 51 degrees of freedom, and 51/52 of the usual sum is what is distributed as chi-square.
    """
    cards = len(chance.FRESH_DECK)
    sizes = chance.shuffle_sizes(cards)
    number = {card: index for index, card in enumerate(chance.FRESH_DECK)}
    table = [[0] * cards for _ in range(cards)]
    for key, label in _labelled(seed, shuffles, "hand/{}/deck"):
        for place, card in zip(table, chance.shuffled(chance.FRESH_DECK, chance.draw(key, label, sizes)), strict=True):
            place[number[card]] += 1
    expected = shuffles / cards
    total = sum((n - expected) ** 2 for place in table for n in place) / expected
    return [Found("each card in each place", shuffles, total * (cards - 1) / cards, (cards - 1) ** 2)]


def told(found: Iterable[Found]) -> Iterator[str]:
    """Each in a line."""
    for one in found:
        verdict = "even" if one.even else "NOT EVEN"
        yield (
            f"{one.what:24} {one.draws:10,} draws  chi-square {one.chi_square:9,.1f}  "
            f"of {one.freedom:5,}  p = {one.p:.4f}  {verdict}"
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw, print, and return 1 if anything is not even."""
    parser = argparse.ArgumentParser(prog="python -m bench.luck", description=__doc__.partition("\n")[0])
    parser.add_argument("--draws", type=int, default=DRAWS, help="rolls of two dice (default: %(default)s)")
    parser.add_argument("--seed", default="luck", help="what everything follows from (default: %(default)s)")
    chosen = parser.parse_args(arguments)
    seed, began = chosen.seed.encode(), time.perf_counter()
    found = []
    for some in (
        dice(seed, chosen.draws),
        lots(seed, chosen.draws // 10),
        decks(seed, chosen.draws // 10),
    ):
        found += some
        print("\n".join(told(some)), flush=True)
    print(f"{time.perf_counter() - began:.1f} s")
    return 0 if all(one.even for one in found) else 1


if __name__ == "__main__":
    sys.exit(main())
