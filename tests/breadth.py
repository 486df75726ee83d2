"""How much of what could be tried is tried: ``make test`` tries enough to trust a change, ``make test-all`` everything.

Nothing is skipped by either. Where a test has a whole product of cases, ``make test`` takes each value of each axis at
least once, with others beside it every time; where it tries at random, or measures, it does so less often.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import TypeVar

T = TypeVar("T")

_all = False


def widen() -> None:
    """Try everything: the option ``--all``. For ``tests/conftest.py``, before any test is collected."""
    global _all
    _all = True


def often(enough: int, *, everything: int) -> int:
    """How often something is tried, or how many there are of it."""
    return everything if _all else enough


def crossed(*axes: Iterable[object]) -> list[tuple[object, ...]]:
    """Cases for ``pytest.mark.parametrize``: the product of the axes, or enough of it to see each value of each."""
    values = [list(axis) for axis in axes]
    if _all:
        return list(product(*values))
    return [tuple(axis[number % len(axis)] for axis in values) for number in range(max(map(len, values)))]


def share(cases: Sequence[T], *, number: int, of: int) -> Sequence[T]:
    """Of what several tests could each go through: all of it, or the share of this one, so that each is seen once."""
    return cases if _all else cases[number::of]
