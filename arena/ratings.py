"""The published Elo: one fit over all finished, rated matches of a leaderboard.

A table of n seats is broken into its pairs, and a pair is scored s = 1, 1/2 or 0 by place. With a
skill x_i in nats for every entity (one version of one bot), the fit maximises

    l(x) = sum over matches of w_n * sum over pairs (a, b) of [s ln p_ab + (1 - s) ln p_ba]  -  sum of x_i^2 / (2 tau^2)
    p_ab = 1 / (1 + exp(x_b - x_a))      w_n = 3 / (n + 1)      Elo_i = 1000 + 400 / ln 10 * (x_i - x_anchor)

which is the model of Zermelo (1929) and of Bradley and Terry (1952). The pairs of one table are not
independent games: where all are equally strong, the covariance of the scores is (n + 1) / 3 times the
information of the pairs, and the weight w_n makes the two equal again. The prior says about as much as
one draw against an average entity does, and keeps the undefeated and the disconnected finite.

Results go in as flat rows and are kept in one order, with whole-number sums: the order in which matches
arrive cannot change a bit, and ``add`` and ``void`` give what building anew gives, bit for bit. For the
bits to repeat, linear algebra must run on one thread: the caller starts the process with
``OPENBLAS_NUM_THREADS=1``; this module leaves the environment alone. Between different machines compare
``row_hash``, the points, and Elo to 1e-6. ``docs/ratings.md`` tells all this to people, with what was measured.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

ALGORITHM = "pairwise-elo-2"  # changes whenever the same rows would give other numbers
ELO_PER_NAT = 400 / math.log(10)
ANCHOR_ELO = 1000.0
PRIOR_ELO = 350.0  # the prior's standard deviation tau
PROVISIONAL_ELO = 40.0  # a rating whose standard error is above this is provisional
SANDWICH_BLOCKS = 50.0  # effective blocks at which an interval rests as much on their scatter as on the model: see fit
DISPERSION_BLOCKS = 10.0  # effective blocks of the whole leaderboard at which its dispersion is half believed
QUANTILE_95 = 1.96
SEATS = range(2, 11)

_CHUNK = 1 << 14  # matches looked at together: bounds the memory; another value may change last bits
_SAFE_STEP = 1.75  # nats: see _newton

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]


class RatingError(ValueError):
    """Something that cannot be rated."""


class BadRows(RatingError):
    """Rows that are not the places of whole matches; the message names the match."""


class NoRating(RatingError):
    """The likelihood has no maximum, which only happens without a prior."""


@dataclass(frozen=True, slots=True, eq=False)
class Results:
    """Finished, rated matches in one order, and their sums. Made by ``of``, ``add`` and ``void``; never changed.

    M matches with R entries among E entities, sorted by block, match, entity and place.
    """

    match: Ints  # (M,) match ids, each once
    block: Ints  # (M,) block ids, ascending; matches on the same luck are one block
    start: Ints  # (M + 1,) the entries of match m are start[m] .. start[m + 1] - 1
    who: NDArray[np.int32]  # (R,) index into ``entities``
    place: NDArray[np.int8]  # (R,) 1 is best; the tied share a place (1, 2, 2, 4)
    entities: Ints  # (E,) entity ids, ascending: exactly those who have played
    points: dict[int, Ints]  # by table size, (E, E): row against column, 2 a win, 1 a tie; plus transpose: 2 a meeting

    @classmethod
    def of(cls, match: ArrayLike, block: ArrayLike, entity: ArrayLike, place: ArrayLike) -> Results:
        """Results from flat rows in any order: four (R,) columns of whole numbers, an entry each.

        One entity may hold several seats of a match: each counts against the others at the table, and the seats
        say nothing about each other. Raises BadRows unless every match has 2 to 10 seats, one block, and places
        that are complete (a seat's place is 1 + the number of seats before it), so that a lost or doubled row shows.
        """
        columns = {"match": match, "block": block, "entity": entity, "place": place}
        ids, blocks, entity_ids, places = (_whole(name, column) for name, column in columns.items())
        if len({ids.size, blocks.size, entity_ids.size, places.size}) > 1:
            raise BadRows("the columns are of different lengths")
        _refuse(ids[(places < 1) | (places >= SEATS.stop)], "a place is missing or out of range")
        entities = np.unique(entity_ids)
        seat = np.searchsorted(entities, entity_ids)
        seat *= 16
        seat += places
        if np.any(ids[1:] < ids[:-1]):
            order = np.argsort(ids, kind="stable")
            ids, blocks, seat = ids[order], blocks[order], seat[order]
            del order
        first = np.flatnonzero(np.diff(ids, prepend=ids[:1] - 1))
        size = np.diff(first, append=ids.size)
        _refuse(ids[first][(size < SEATS[0]) | (size >= SEATS.stop)], "not 2 to 10 seats")
        _refuse(ids[blocks != np.repeat(blocks[first], size)], "more than one block")
        ids, blocks = ids[first], blocks[first]
        order = np.lexsort((ids, blocks))
        rank = np.empty_like(order)
        rank[order] = np.arange(order.size)
        key = np.repeat(rank, size)  # one number an entry: sorting it sorts by block, match, entity and place
        key *= 16 * max(entities.size, 1)
        key += seat
        del seat
        key.sort()
        place_of = (key & 15).astype(np.int8)
        key >>= 4
        key %= max(entities.size, 1)
        start = np.concatenate(([0], np.cumsum(size[order])))
        rows = ids[order], blocks[order], start, key.astype(np.int32), place_of, entities
        del key
        return cls(*rows, cls(*rows, {})._count())

    def add(self, more: Results) -> Results:
        """These results and more of them. Raises BadRows if a match is in both."""
        _refuse(self.match[np.isin(self.match, more.match, assume_unique=True)], "counted already")
        a, b = (part._among(np.union1d(self.entities, more.entities)) for part in (self, more))
        points = {
            n: a.points[n] + b.points[n] if n in a.points and n in b.points else (a.points | b.points)[n]
            for n in a.points.keys() | b.points.keys()
        }
        match, block = np.concatenate((a.match, b.match)), np.concatenate((a.block, b.block))
        size = np.concatenate((np.diff(a.start), np.diff(b.start)))
        start = np.concatenate(([0], np.cumsum(size)))
        who, place = np.concatenate((a.who, b.who)), np.concatenate((a.place, b.place))
        joined = Results(match, block, start, who, place, a.entities, points)
        order = np.lexsort((match, block))
        return joined if np.all(order[1:] > order[:-1]) else joined._pick(order, points)

    def void(self, matches: ArrayLike) -> Results:
        """These results without some matches, by id. Raises BadRows if one of them is not here."""
        ids = _whole("match", matches)
        _refuse(ids[~np.isin(ids, self.match)], "not counted")
        gone = np.isin(self.match, ids)
        lost = self._pick(np.flatnonzero(gone), {})._count()
        sizes = np.bincount(np.diff(self.start)[~gone], minlength=SEATS.stop)
        points = {n: total - lost.get(n, 0) for n, total in self.points.items() if sizes[n]}
        rest = self._pick(np.flatnonzero(~gone), points)
        return rest._among(self.entities[rest.matches_played() > 0])

    def matches_played(self) -> Ints:
        """(E,) matches of each entity; several seats in one match are one match."""
        played = np.zeros(self.entities.size, np.int64)
        for low, high in self._chunks():
            for _, rows in self._tables(low, high):
                who = self.who[rows]
                new = np.ones(who.shape, np.bool_)
                new[1:] = who[1:] != who[:-1]
                played += np.bincount(who[new], minlength=played.size)
        return played

    def row_hash(self) -> str:
        """SHA-256 (hex) over the rows (block, match, entity, place), sorted, each number 8 bytes, little-endian."""
        digest = hashlib.sha256()
        for low, high in self._chunks():
            rows = np.empty((self.start[high] - self.start[low], 4), "<i8")
            size = np.diff(self.start[low : high + 1])
            entries = slice(self.start[low], self.start[high])
            rows[:, 0], rows[:, 1] = np.repeat(self.block[low:high], size), np.repeat(self.match[low:high], size)
            rows[:, 2], rows[:, 3] = self.entities[self.who[entries]], self.place[entries]
            digest.update(rows.tobytes())
        return digest.hexdigest()

    def _chunks(self) -> Iterator[tuple[int, int]]:
        """Ranges of matches, in order, of about _CHUNK matches; a block is never cut."""
        ends = np.flatnonzero(np.diff(self.block)) + 1
        low = 0
        while low < self.match.size:
            at = int(np.searchsorted(ends, low + _CHUNK))
            high = int(ends[at]) if at < ends.size else self.match.size
            yield low, high
            low = high

    def _tables(self, low: int, high: int) -> Iterator[tuple[int, Ints]]:
        """For each table size n among some matches: n, and the (n, m) row numbers of those m matches."""
        size = np.diff(self.start[low : high + 1])
        for n in np.flatnonzero(np.bincount(size)).tolist():
            yield n, self.start[low:high][size == n] + np.arange(n)[:, None]

    def _count(self) -> dict[int, Ints]:
        """The points, counted from the rows, which are checked for complete places on the way."""
        count = self.entities.size
        points: dict[int, Ints] = {}
        for low, high in self._chunks():
            for n, rows in self._tables(low, high):
                who, place = self.who[rows].astype(np.int64), self.place[rows]
                total = points.setdefault(n, np.zeros((count, count), np.int64)).reshape(-1)
                expected = np.ones_like(place)
                for i, j in combinations(range(n), 2):
                    ahead = np.sign(place[j] - place[i])
                    expected[i] += ahead < 0
                    expected[j] += ahead > 0
                    np.add.at(total, who[i] * count + who[j], np.int64(1) + ahead)
                    np.add.at(total, who[j] * count + who[i], np.int64(1) - ahead)
                wrong = rows[0, np.any(place != expected, axis=0)]
                _refuse(self.match[np.searchsorted(self.start, wrong)], "places are not complete")
        for sums in points.values():
            np.fill_diagonal(sums, 0)
        return points

    def _pick(self, chosen: Ints, points: dict[int, Ints]) -> Results:
        """Some of the matches, by index, in that order, with points given."""
        size = np.diff(self.start)[chosen]
        start = np.concatenate(([0], np.cumsum(size)))
        rows = np.repeat(self.start[chosen] - start[:-1], size) + np.arange(start[-1])
        picked = self.match[chosen], self.block[chosen], start, self.who[rows], self.place[rows]
        return Results(*picked, self.entities, points)

    def _among(self, entities: Ints) -> Results:
        """The same matches, written among other entities: all who play must be in it."""
        if np.array_equal(entities, self.entities):
            return self
        kept = np.flatnonzero(np.isin(self.entities, entities))
        index = np.searchsorted(entities, self.entities)
        points = {n: np.zeros((entities.size, entities.size), np.int64) for n in self.points}
        for n, total in self.points.items():
            points[n][np.ix_(index[kept], index[kept])] = total[np.ix_(kept, kept)]
        who = index.astype(np.int32)[self.who]
        return Results(self.match, self.block, self.start, who, self.place, entities, points)


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """One fit. All arrays run over ``entities`` (E of them, ids ascending), among them always the anchor."""

    entities: Ints
    anchor: int
    elo: Floats  # (E,) the anchor is 1000 exactly
    standard_error: Floats  # (E,) Elo, of the difference to the anchor
    matches: Ints  # (E,) rated matches played
    effective_blocks: Floats  # (E,) as many blocks of equal weight would scatter like those played: see fit
    dispersion: float  # phi: how much the blocks scatter, as a multiple of what the model says
    nats: Floats  # (E,) the skills x, whose prior has mean 0
    covariance: Floats  # (E, E) nats^2, V: the inverse information, that is of the negative Hessian of l
    variance: Floats  # (E, E) nats^2, of the difference x_i - x_j

    @property
    def half_width(self) -> Floats:
        """(E,) Elo: the published plus-minus, a 95 % interval of the difference to the anchor."""
        return QUANTILE_95 * self.standard_error

    @property
    def provisional(self) -> NDArray[np.bool_]:
        """(E,) whether too little is known to show the rating without a warning."""
        return self.standard_error > PROVISIONAL_ELO

    def better(self, i: int, j: int) -> float:
        """The probability that entity i is stronger than entity j: Phi((x_i - x_j) / sd(x_i - x_j))."""
        a, b = self._index([i, j])
        if a == b:
            return 0.5
        return 0.5 * math.erfc((self.nats[b] - self.nats[a]) / math.sqrt(2 * self.variance[a, b]))

    def ranks(self, among: ArrayLike | None = None) -> tuple[Ints, Ints]:
        """The best and the worst rank of each of some k entities among themselves (all, if not said): two (k,) arrays.

        The best is 1 + the number surely above, the worst k - the number surely below, where surely means that the
        95 % interval of the difference excludes 0.
        """
        at = self._index(self.entities if among is None else among)
        margin = QUANTILE_95 * np.sqrt(self.variance[np.ix_(at, at)])
        above = self.nats[at][None, :] - self.nats[at][:, None] > margin
        return 1 + np.sum(above, axis=1), at.size - np.sum(above, axis=0)

    def influence(self, entities: ArrayLike, places: ArrayLike) -> Floats:
        """What one match of n seats moved, in Elo, (n,) in the order given: 400 / ln 10 * (V u)_i.

        V is the inverse information and u the match's part of the gradient at the fit: to first order what x_i would
        lose without the match. It is the match's influence, no change of a stored rating, and is to be labelled so.
        """
        at, place = self._index(entities), _whole("place", places)
        Results.of(np.zeros_like(at), np.zeros_like(at), at, place)  # complains if this is no match
        u = surprise(at[:, None], place.astype(np.int8)[:, None], np.exp(self.nats))[:, 0]
        return ELO_PER_NAT * (self.covariance[np.ix_(at, at)] @ u)

    def _index(self, entities: ArrayLike) -> Ints:
        ids = _whole("entity", entities)
        unknown = np.setdiff1d(ids, self.entities)
        if unknown.size:
            raise RatingError(f"entity {unknown[0]} is not in this fit")
        return np.searchsorted(self.entities, ids)


def fit(
    results: Results, anchor: int, *, prior_elo: float = PRIOR_ELO, sandwich_blocks: float = SANDWICH_BLOCKS
) -> Ratings:
    """Rate all who have played, and the anchor, which is 1000.

    The variance of a difference lies between two estimates, with the weight k / (k + ``sandwich_blocks``) on the
    second:

    * V (phi L + I / tau^2) V, with V the inverse information, L the information of the matches alone, and phi the
      dispersion: how much more or less than the model says the blocks scatter, over the whole leaderboard;
    * V (C J C + I / tau^2) V: J is the scatter of the blocks' gradients (the clustered sandwich of Liang and Zeger,
      1986), and C_ii^2 = k_i / (k_i - 2) corrects for what the fit has taken out of it.

    k_i = (sum of g^2)^2 / sum of g^4 over i's blocks are its effective blocks, and k is the smaller one of the two:
    a result that was sure beforehand says nothing about the scatter, and is not counted as if it did. The prior enters
    as in the information. To steady the sandwich by a scaled information is the way of Morel, Bokossa and Neerchal
    (2003). phi = trace(C J C) / trace(L) is drawn to 1 by ``DISPERSION_BLOCKS``. ``python -m bench.coverage`` measures
    how many nominal 95 % intervals hold.

    ``prior_elo=math.inf`` turns the prior off and holds the anchor fixed instead; NoRating is raised where l has no
    maximum then.
    """
    if not prior_elo > 0:
        raise RatingError(f"a prior's standard deviation is positive, not {prior_elo}")
    results = results._among(np.union1d(results.entities, np.int64(anchor)))
    at = int(np.searchsorted(results.entities, anchor))
    ridge = (ELO_PER_NAT / prior_elo) ** 2
    x, covariance = _newton(results.points, results.entities.size, at, ridge)
    scatter, fourth, total = _scatter(results, np.exp(x))
    blocks = effective(np.diagonal(scatter), fourth)
    correction = np.sqrt(corrected(blocks))
    scatter = scatter * np.multiply.outer(correction, correction)
    scattered, expected = float(np.trace(scatter)), _information(results.points, np.exp(x))
    known = float(effective(*total))
    dispersion = (known * scattered / expected + DISPERSION_BLOCKS) / (known + DISPERSION_BLOCKS) if known else 1.0
    smaller = np.minimum.outer(blocks, blocks)
    weight = np.divide(smaller, smaller + sandwich_blocks, out=np.zeros_like(smaller), where=smaller > 0)
    against = covariance - covariance[at]  # of differences: a weak prior leaves their common level all but open
    modelled = dispersion * covariance + (1 - dispersion) * ridge * (against @ against.T)
    scatter[np.diag_indices(x.size)] += ridge
    sandwich = against @ scatter @ against.T
    variance = (1 - weight) * _difference(modelled) + weight * _difference(sandwich)
    elo = ANCHOR_ELO + ELO_PER_NAT * (x - x[at])
    return Ratings(
        entities=results.entities,
        anchor=anchor,
        elo=elo,
        standard_error=ELO_PER_NAT * np.sqrt(variance[at]),
        matches=results.matches_played(),
        effective_blocks=blocks,
        dispersion=dispersion,
        nats=x,
        covariance=covariance,
        variance=variance,
    )


def effective(second: ArrayLike, fourth: ArrayLike) -> Floats:
    """Effective blocks from the sums of squares and of fourth powers: (sum g^2)^2 / sum g^4, and 0 without either."""
    second, fourth = np.asarray(second, np.float64), np.asarray(fourth, np.float64)
    blocks: Floats = np.divide(second**2, fourth, out=np.zeros_like(fourth), where=fourth > 0)
    return blocks


def corrected(blocks: Floats) -> Floats:
    """What the scatter of so many effective blocks is multiplied with: k / (k - 2), at most 2."""
    enough: Floats = np.maximum(blocks, 4)
    return enough / (enough - 2)


def surprise(who: NDArray[np.integer[Any]], place: NDArray[np.int8], e: Floats) -> Floats:
    """Score minus expectation of every seat, weighted: (n, m) for m tables of n seats; e = exp(x)."""
    strength, total = e[who], np.zeros(who.shape)
    for i, j in combinations(range(len(who)), 2):
        surprise = np.sign(place[j] - place[i]) * 0.5 + 0.5 - strength[i] / (strength[i] + strength[j])
        total[i] += surprise
        total[j] -= surprise
    return 3 / (len(who) + 1) * total


def _information(points: dict[int, Ints], e: Floats) -> float:
    """The trace of the information of the matches alone, at e = exp(x)."""
    p = e[:, None] / (e[:, None] + e)
    return float(sum(3 / (n + 1) * np.sum((points[n] + points[n].T) * p * p.T) for n in sorted(points)) / 2)


def _newton(points: dict[int, Ints], count: int, anchor: int, ridge: float) -> tuple[Floats, Floats]:
    """The maximum of l, from zero, and the inverse of the negative Hessian there: (E,) nats and (E, E) nats^2.

    As |p''| <= p' for the logistic function, l rises along a Newton step as long as its entries differ by at most 1.79
    nats; longer steps are cut, so that each one is sure to rise.
    """
    score, meetings = np.zeros(count), np.zeros((count, count))
    for n in sorted(points):
        weight = 3 / (n + 1) / 2
        score += weight * np.sum(points[n], axis=1)
        meetings += weight * (points[n] + points[n].T)

    def slope(x: Floats) -> tuple[Floats, Floats]:
        e = np.exp(x)
        p = e[:, None] / (e[:, None] + e)
        hessian = -(meetings * p * p.T)
        hessian[np.diag_indices(count)] = ridge - np.sum(hessian, axis=1)
        gradient = score - np.sum(meetings * p, axis=1) - ridge * x
        if ridge == 0:  # without a prior only differences are known: hold the anchor at zero
            gradient[anchor] = hessian[anchor, :] = hessian[:, anchor] = 0
            hessian[anchor, anchor] = 1
        return gradient, hessian

    if ridge == 0:
        _refuse_divided(sum((total > 0 for total in points.values()), np.zeros((count, count), np.bool_)))
    x = np.zeros(count)
    for _ in range(100):
        step = np.linalg.solve(*reversed(slope(x)))
        x = x + step * (_SAFE_STEP / max(float(np.ptp(step)), _SAFE_STEP))
        if np.max(np.abs(step)) < 1e-7:  # the error left is about its square
            inverse = np.linalg.inv(slope(x)[1])
            if ridge == 0:
                inverse[anchor, anchor] = 0
            return x, (inverse + inverse.T) / 2
    raise NoRating("the fit did not converge")


def _refuse_divided(scored: NDArray[np.bool_]) -> None:
    """Without a prior l has a maximum just if points lead from everybody to everybody (Ford, 1957)."""
    for edges in (scored, scored.T):
        reached = np.zeros(len(scored), np.bool_)
        reached[:1] = True
        while np.any(grown := ~reached & np.any(edges[reached], axis=0)):
            reached |= grown
        if not np.all(reached):
            raise NoRating("without a prior nobody may be undefeated, winless or disconnected, nor any group be")


def _scatter(results: Results, e: Floats) -> tuple[Floats, Floats, tuple[float, float]]:
    """J = sum over blocks of g g', (E, E), g a block's part of the gradient at e = exp(x); (E,) the sum of g^4; and the
    sums of |g|^2 and |g|^4.

    The sums run in block order; within a chunk, over one distance after the other between two entities of a block.
    """
    count = e.size
    scatter, fourth, length, length_squared = np.zeros((count, count)), np.zeros(count), 0.0, 0.0
    for low, high in results._chunks():
        first, last = results.start[low], results.start[high]
        u = np.empty(last - first)
        for _, rows in results._tables(low, high):
            u[rows - first] = surprise(results.who[rows], results.place[rows], e)
        rank = np.cumsum(np.diff(results.block[low:high], prepend=results.block[low]) != 0)
        block, who = np.repeat(rank, np.diff(results.start[low : high + 1])), results.who[first:last].astype(np.int64)
        key = block * count + who
        order = np.argsort(key, kind="stable")
        new = np.flatnonzero(np.diff(key[order], prepend=-1))
        g = np.add.reduceat(u[order], new)
        block, who = block[order[new]], who[order[new]]
        np.add.at(fourth, who, (g * g) ** 2)
        lengths = np.bincount(block, g * g)
        length, length_squared = length + float(np.sum(lengths)), length_squared + float(np.sum(lengths**2))
        left, apart = np.arange(g.size), 0
        while left.size:
            np.add.at(scatter.reshape(-1), who[left] * count + who[left + apart], g[left] * g[left + apart])
            apart += 1
            left = left[: np.searchsorted(left, g.size - apart)]
            left = left[block[left] == block[left + apart]]
    return scatter + np.triu(scatter, 1).T, fourth, (length, length_squared)


def _difference(covariance: Floats) -> Floats:
    """(E, E) variances of x_i - x_j from the covariance of x."""
    diagonal = np.diagonal(covariance)
    return np.maximum(diagonal[:, None] + diagonal - covariance - covariance.T, 0)


def _whole(name: str, column: ArrayLike) -> Ints:
    array: NDArray[Any] = np.asarray(column)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise BadRows(f"{name}: wanted a flat array of whole numbers, none missing, not {array.dtype}{array.shape}")
    return array.astype(np.int64, copy=False)


def _refuse(matches: Ints, why: str) -> None:
    if matches.size:
        raise BadRows(f"match {matches[0]}: {why}")
