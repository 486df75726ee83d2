"""Pairs, as many as possible, of those who may meet: Edmonds' blossom algorithm (1965), in O(n^3)."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence


def match(allowed: Sequence[Sequence[int]], first: Sequence[int | None] | None = None) -> list[int | None]:
    """A largest set of pairs: for each of 0 … n-1 its partner, or None.

    Args:
        allowed: for each whom it may meet, in the order of preference; symmetric.
        first: pairs to begin with. They change only where more pairs can be had by it.
    """
    mate: list[int | None] = list(first) if first is not None else [None] * len(allowed)
    for start in range(len(allowed)):
        if mate[start] is None:
            _augment(allowed, mate, start)
    return mate


def _augment(allowed: Sequence[Sequence[int]], mate: list[int | None], root: int) -> bool:
    """Grow a tree of alternating paths from ``root``; on reaching somebody free, exchange the pairs along the path."""
    count = len(allowed)
    base = list(range(count))  # of the blossom that each one lies in
    parent: list[int | None] = [None] * count
    outer = [False] * count
    outer[root] = True
    queue = deque([root])

    def common_base(one: int, other: int) -> int:
        seen = set()
        at: int | None = one
        while at is not None:
            at = base[at]
            seen.add(at)
            partner = mate[at]
            at = None if partner is None else parent[partner]
        at = base[other]
        while at not in seen:
            partner = mate[at]
            assert partner is not None
            up = parent[partner]
            assert up is not None
            at = base[up]
        return at

    def mark(at: int, stem: int, child: int, blossom: set[int]) -> None:
        while base[at] != stem:
            partner = mate[at]
            assert partner is not None
            blossom |= {base[at], base[partner]}
            parent[at] = child
            child = partner
            up = parent[partner]
            assert up is not None
            at = up

    while queue:
        here = queue.popleft()
        for there in allowed[here]:
            if base[here] == base[there] or mate[here] == there:
                continue
            partner = mate[there]
            if there == root or (partner is not None and parent[partner] is not None):
                stem = common_base(here, there)
                blossom: set[int] = set()
                mark(here, stem, there, blossom)
                mark(there, stem, here, blossom)
                for one in range(count):
                    if base[one] in blossom:
                        base[one] = stem
                        if not outer[one]:
                            outer[one] = True
                            queue.append(one)
            elif parent[there] is None:
                parent[there] = here
                if partner is None:
                    _exchange(mate, parent, there)
                    return True
                outer[partner] = True
                queue.append(partner)
    return False


def _exchange(mate: list[int | None], parent: Sequence[int | None], end: int) -> None:
    at: int | None = end
    while at is not None:
        before = parent[at]
        assert before is not None
        after = mate[before]
        mate[at], mate[before] = before, at
        at = after
