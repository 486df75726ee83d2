"""Entrants on tables, so that a cost between any two who sit together is as small as possible in all.

That is what every draw here comes down to: a Swiss round (who has met, then who has as many points), a round robin of
tables (who has met too often), the lower bracket (who has met). For tables of three and more it is a hard problem, so:

* up to twelve entrants the best grouping is found, by branch and bound;
* more of them are exchanged, two and two, as long as that lowers the cost;
* where somebody still sits with one of ``taboo``, a search that backtracks looks for a grouping without, which for
  tables of two finds one if there is one (Edmonds); and then tables are stirred up and exchanged anew, some times.

Everything is counted in steps, never in time: the same input gives the same grouping on every machine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from random import Random

from arena.pairing.matching import match

EXACT = 12
"""Up to so many entrants the best of all groupings is found."""

NODES = 300_000
"""Tables that the backtracking search tries at most, times the members."""

STIRS = 3_000
"""How often a grouping in which somebody has to meet again is stirred up, times the members."""

Cost = Sequence[Sequence[int]]
"""Symmetric, not negative, nothing between one and itself."""

Tables = list[list[int]]


def group(cost: Cost, start: Tables, taboo: int, random: Random) -> Tables:
    """The members 0 … n-1 at tables of the sizes of ``start``.

    Args:
        cost: between any two of them.
        start: a grouping, from which an equally good one is never left.
        taboo: a cost from which on two should not sit together at all.
        random: for the search.
    """
    best = descend(cost, start)
    if total(cost, best) == 0:
        return best
    if len(cost) <= EXACT:
        return _exact(cost, best)
    if not _broken(cost, best, taboo):
        return best
    found = _pairs(cost, best, taboo) if all(len(table) == 2 for table in best) else _backtrack(cost, best, taboo)
    if found is not None:
        best = min(best, descend(cost, found), key=lambda tables: total(cost, tables))
    for _ in range(STIRS // len(cost)):
        if not _broken(cost, best, taboo):
            break
        stirred = descend(cost, _stir(cost, best, taboo, random))
        best = min(best, stirred, key=lambda tables: total(cost, tables))
    return best


def total(cost: Cost, tables: Sequence[Sequence[int]]) -> int:
    """The cost of a grouping."""
    return sum(cost[a][b] for table in tables for a, b in combinations(table, 2))


def descend(cost: Cost, start: Sequence[Sequence[int]]) -> Tables:
    """Exchange two, or move one to a table that is one smaller, as long as that lowers the cost."""
    tables = [list(table) for table in start]
    where = {member: at for at, table in enumerate(tables) for member in table}
    # with[m][t]: what it would cost to sit with all of table t
    beside = [[sum([row[member] for member in table]) for table in tables] for row in cost]

    def put(member: int, at: int, *, away: int) -> None:
        tables[where[member]].remove(member)
        tables[at].append(member)
        where[member] = at
        for row, price in zip(beside, cost[member], strict=True):
            row[at] += price
            row[away] -= price

    waiting = list(where)
    while waiting:
        member = waiting.pop()
        here, own, price = where[member], beside[member], cost[member]
        if own[here] == 0:
            continue
        gain, partner, to = 0, -1, -1
        for at, table in enumerate(tables):
            if at == here:
                continue
            less = own[here] - own[at]
            if len(table) + 1 == len(tables[here]) and less > gain:
                gain, partner, to = less, -1, at
            for other in table:
                row = beside[other]
                more = less + 2 * price[other] + row[at] - row[here]
                if more > gain:
                    gain, partner, to = more, other, at
        if gain > 0:
            put(member, to, away=here)
            if partner >= 0:
                put(partner, here, away=to)
            waiting = [*waiting, *tables[here], *tables[to]]
            waiting = list(dict.fromkeys(reversed(waiting)))[::-1]
    return tables


def _exact(cost: Cost, start: Tables) -> Tables:
    """The best grouping into the sizes of ``start``; that one itself if none is better."""
    least, best = total(cost, start), start
    sizes = Counter(map(len, start))

    def search(free: list[int], spent: int, tables: Tables) -> None:
        nonlocal least, best
        if not free:
            least, best = spent, tables
            return
        first, rest = free[0], free[1:]
        for size in sorted(sizes):
            if not sizes[size]:
                continue
            sizes[size] -= 1
            choices = sorted((total(cost, [(first, *others)]), others) for others in combinations(rest, size - 1))
            for price, others in choices:
                if spent + price >= least:
                    break
                search([one for one in rest if one not in others], spent + price, [*tables, [first, *others]])
            sizes[size] += 1

    search(sorted(member for table in start for member in table), 0, [])
    return best


def _broken(cost: Cost, tables: Tables, taboo: int) -> list[int]:
    """Those who sit with somebody with whom they should not."""
    return [a for table in tables for a in table if any(cost[a][b] >= taboo for b in table if b != a)]


def _pairs(cost: Cost, start: Tables, taboo: int) -> Tables | None:
    """All in pairs without a taboo, if that is possible at all."""
    first: list[int | None] = [None] * len(cost)
    for a, b in start:
        if cost[a][b] < taboo:
            first[a], first[b] = b, a
    allowed = [
        sorted((b for b in range(len(cost)) if b != a and row[b] < taboo), key=row.__getitem__)
        for a, row in enumerate(cost)
    ]
    mate = match(allowed, first)
    alone = [a for a, b in enumerate(mate) if b is None]
    pairs = [[a, b] for a, b in enumerate(mate) if b is not None and a < b]
    # as many pairs as possible are new; who is left over meets again
    return pairs + [alone[at : at + 2] for at in range(0, len(alone), 2)]


def _backtrack(cost: Cost, start: Tables, taboo: int) -> Tables | None:
    """Tables without a taboo; None where there are none or they were not found in time."""
    sizes = Counter(map(len, start))
    friends = [{b for b in range(len(cost)) if b != a and row[b] < taboo} for a, row in enumerate(cost)]
    nodes = iter(range(NODES // len(cost)))

    def companions(own: int, free: set[int], size: int) -> Iterator[tuple[int, ...]]:
        near = sorted(friends[own] & free, key=lambda other: (cost[own][other], other))
        yield from _cliques(near, friends, size - 1)

    def search(free: set[int]) -> Tables | None:
        if not free:
            return []
        first = min(free, key=lambda one: (len(friends[one] & free), one))
        for size in sorted(sizes, reverse=True):
            if not sizes[size]:
                continue
            sizes[size] -= 1
            for others in companions(first, free - {first}, size):
                if next(nodes, None) is None:
                    return None
                rest = search(free - {first, *others})
                if rest is not None:
                    return [[first, *others], *rest]
            sizes[size] += 1
        return None

    return search(set(range(len(cost))))


def _cliques(near: Sequence[int], friends: Sequence[set[int]], size: int) -> Iterator[tuple[int, ...]]:
    if size == 0:
        yield ()
        return
    for at, one in enumerate(near):
        rest = [other for other in near[at + 1 :] if other in friends[one]]
        for others in _cliques(rest, friends, size - 1):
            yield (one, *others)


def _stir(cost: Cost, tables: Tables, taboo: int, random: Random) -> Tables:
    """Exchange some of those who should not sit where they do with anybody."""
    stirred = [list(table) for table in tables]
    places = [(at, seat) for at, table in enumerate(stirred) for seat in range(len(table))]
    broken = set(_broken(cost, tables, taboo))
    bad = [(at, seat) for at, seat in places if stirred[at][seat] in broken]
    for at, seat in random.sample(bad, min(len(bad), 3)) + random.sample(places, 2):
        to, other = random.choice(places)
        stirred[at][seat], stirred[to][other] = stirred[to][other], stirred[at][seat]
    return stirred
