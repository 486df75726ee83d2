"""Who against whom, and what each match moved, computed from the rows of a fit and stored, a few versions at a time."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
from django.utils import timezone

from arena.influence import Influences, influences
from arena.ratings import Ratings, Results
from arena.rivals import Rivals, rivals
from webapp.matches.models import Ruleset
from webapp.ratings.influence import describe, extremes, pack
from webapp.ratings.models import HeadToHead

MOST_OPPONENTS = 30
"""Opponents that are stored of a version: those that it has met most, and its nemesis."""

NOTHING = Influences(np.zeros(0, np.int64), np.zeros(0))


def keep_up(ruleset: Ruleset, results: Results, ratings: Ratings, shown: Sequence[int], *, seconds: float = 1.0) -> int:
    """Compute anew what has changed for the versions on the leaderboard, for about so long; how many there were.

    Whose last time is longest ago comes first, so that all get their turn, however many there are.
    """
    ends = time.monotonic() + seconds
    played = dict(zip(ratings.entities.tolist(), ratings.matches.tolist(), strict=True))
    known = HeadToHead.objects.filter(ruleset=ruleset).values_list("version_id", "matches", "computed")
    last = {version: (matches, computed) for version, matches, computed in known}
    changed = [v for v in shown if played.get(v) and (v not in last or last[v][0] != played[v])]
    changed.sort(key=lambda version: (version in last, last[version][1].timestamp() if version in last else version))
    rows = []
    for version in changed:
        # the anchor is where it is by definition: no match has moved it
        moved = influences(results, ratings, version) if version != ratings.anchor else NOTHING
        rows.append(_row(ruleset, rivals(results, ratings, version), moved, played[version]))
        if time.monotonic() > ends:
            break
    describe(rows)
    HeadToHead.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["ruleset", "version"],
        update_fields=["matches", "opponents", "rows", "nemesis", "newest", "extremes", "computed"],
    )
    return len(rows)


def _row(ruleset: Ruleset, found: Rivals, moved: Influences, matches: int) -> HeadToHead:
    nemesis = found.nemesis()
    most = np.argsort(-found.meetings, kind="stable")[:MOST_OPPONENTS].tolist()
    if nemesis is not None:
        at = int(np.searchsorted(found.opponents, nemesis.entity))
        most += [at] if at not in most else []
    columns = (found.score, found.low, found.high, found.expected, found.residual)
    return HeadToHead(
        ruleset=ruleset,
        version_id=found.entity,
        matches=matches,
        opponents=found.opponents.size,
        rows=[
            [int(found.opponents[at]), int(found.meetings[at]), *(round(float(column[at]), 4) for column in columns)]
            for at in most
        ],
        nemesis=None if nemesis is None else [nemesis.entity, nemesis.residual, nemesis.probability],
        newest=pack(moved),
        extremes=extremes(moved),
        computed=timezone.now(),
    )
