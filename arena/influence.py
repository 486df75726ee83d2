"""What each match of an entity moved: `arena.ratings.Ratings.influence` for all of its matches at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from arena.ratings import ELO_PER_NAT, Floats, Ints, RatingError, Ratings, Results, surprise


class Influences(NamedTuple):
    """The M matches of an entity, ids ascending, and what each of them moved its rating, in Elo."""

    match: Ints  # (M,)
    elo: Floats  # (M,) to first order what its rating would lose without the match


def influences(results: Results, rated: Ratings, entity: int) -> Influences:
    """What the matches of ``entity`` moved it, by results and the ratings that were fitted to them.

    Raises:
        RatingError: the entity is not in this fit.
    """
    if not np.any(rated.entities == entity):
        raise RatingError(f"entity {entity} is not in this fit")
    # the anchor is in the fit before its first match, and not among those who have played
    index = np.searchsorted(rated.entities, results.entities)
    e = np.exp(rated.nats[index])
    reach = rated.covariance[np.searchsorted(rated.entities, entity), index]
    own = int(np.searchsorted(results.entities, entity))
    seats = np.flatnonzero(results.who == own if entity in results.entities else False)
    at = np.unique(np.searchsorted(results.start, seats, side="right") - 1)
    size = results.start[at + 1] - results.start[at]
    nats = np.zeros(at.size)
    for n in np.unique(size).tolist():
        chosen = np.flatnonzero(size == n)
        rows = results.start[at[chosen]] + np.arange(n)[:, None]
        who = results.who[rows]
        nats[chosen] = np.sum(reach[who] * surprise(who, results.place[rows], e), axis=0)
    order = np.argsort(results.match[at])
    return Influences(results.match[at][order], ELO_PER_NAT * nats[order])
