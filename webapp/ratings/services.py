"""Fits the leaderboards. All that is stored here can be computed again from the match table."""

from __future__ import annotations

import hashlib
import json
import logging
from dataclasses import dataclass

import numpy as np
from django.db import transaction
from django.db.models import Max, QuerySet

from arena.ratings import ALGORITHM, ELO_PER_NAT, Ratings, Results, fit
from webapp.bots.selectors import ANCHOR, anchor_version
from webapp.live.news import changed, leaderboard_channel
from webapp.matches.models import Match, Ruleset
from webapp.ratings import meetings
from webapp.ratings.models import Rating, Snapshot, Spread
from webapp.ratings.rows import read
from webapp.ratings.selectors import newest_snapshot, shown_versions
from webapp.ratings.thinning import prune_hour

log = logging.getLogger(__name__)

LATE = 10_000
"""A match is committed before so many later ones have got their ids: writing one takes milliseconds."""


@dataclass(frozen=True, slots=True)
class _Inputs:
    """All that decides a snapshot, except for the rows themselves, which never change once they are written."""

    anchor: int
    matches: int
    watermark: int
    voided: tuple[int, ...]
    shown: tuple[int, ...]

    def sha256(self) -> str:
        decisive = [ALGORITHM, self.anchor, self.matches, self.watermark, self.voided, self.shown]
        return hashlib.sha256(json.dumps(decisive).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class _Kept:
    """What a snapshot was fitted from, so that the next one need only read what has come since."""

    rows_sha256: str
    voided: tuple[int, ...]
    results: Results
    ratings: Ratings
    shown: tuple[int, ...]


_kept: dict[int, _Kept] = {}
"""By the ruleset's id. Only a process that fits again and again has any of it."""


def refit(*, ruleset: Ruleset, force: bool = False) -> Snapshot | None:
    """Fit a leaderboard and store the snapshot; None where there is nothing new, or nothing at all, to fit.

    May run twice at the same time: whoever stores first has the word, and the other looks again.
    """
    while True:
        before = newest_snapshot(ruleset=ruleset)
        inputs = _look(ruleset, before)
        if inputs is None or (inputs.matches == 0 and before is None):
            return None
        if before is not None and before.inputs_sha256 == inputs.sha256() and not force:
            return None
        results = read(ruleset) if force or before is None else _read_on(ruleset, before, inputs)
        # A match may have come since: what was read is what counts. A voiding since then changes `inputs` next time.
        watermark = int(results.match.max(initial=0))
        inputs = _Inputs(inputs.anchor, results.match.size, watermark, inputs.voided, inputs.shown)
        ratings = fit(results, inputs.anchor)
        snapshot = _store(ruleset, before, inputs, results, ratings)
        if snapshot is not None:
            _kept[ruleset.pk] = _Kept(snapshot.rows_sha256, inputs.voided, results, ratings, inputs.shown)
            return snapshot


def keep_up_meetings(*, ruleset: Ruleset, seconds: float = 1.0) -> int:
    """Compute for some versions who has fared how against whom, by the fit that this process has made last.

    Returns for how many; a process that has made none does nothing.
    """
    kept = _kept.get(ruleset.pk)
    if kept is None:
        return 0
    return meetings.keep_up(ruleset, kept.results, kept.ratings, kept.shown, seconds=seconds)


@dataclass(frozen=True, slots=True)
class Check:
    """What checking a leaderboard has found."""

    ruleset: Ruleset
    snapshot: Snapshot | None
    problem: str
    """Empty when the stored snapshot is what its matches give."""


def check(*, ruleset: Ruleset) -> Check:
    """Fit the matches of the newest snapshot anew, and compare bit for bit. Writes nothing."""
    snapshot = newest_snapshot(ruleset=ruleset)
    inputs = _look(ruleset, snapshot)
    if snapshot is None or inputs is None:
        problem = "no snapshot, though there are matches" if inputs is not None and inputs.matches else ""
        return Check(ruleset, snapshot, problem)
    if snapshot.algorithm != ALGORITHM:
        return Check(ruleset, snapshot, f"fitted by {snapshot.algorithm}; now it is {ALGORITHM}")
    results = read(ruleset, up_to=snapshot.watermark)
    if results.row_hash() != snapshot.rows_sha256:
        return Check(ruleset, snapshot, "matches were voided, or came late, since it was fitted")
    ratings = fit(results, inputs.anchor)
    stored = {
        version: numbers
        for version, *numbers in snapshot.ratings.values_list(
            "version_id", "elo", "half_width", "provisional", "matches"
        )
    }
    fitted = {
        version: numbers
        for version, *numbers in zip(
            ratings.entities.tolist(),
            ratings.elo.tolist(),
            ratings.half_width.tolist(),
            ratings.provisional.tolist(),
            ratings.matches.tolist(),
            strict=True,
        )
    }
    differing = sorted(v for v in stored.keys() | fitted.keys() if stored.get(v) != fitted.get(v))
    if differing:
        first = differing[0]
        return Check(
            ruleset,
            snapshot,
            f"{len(differing)} of {len(fitted)} ratings differ; version {first} is stored as {stored.get(first)}, "
            f"and fitted as {fitted.get(first)}",
        )
    return Check(ruleset, snapshot, "")


def _look(ruleset: Ruleset, before: Snapshot | None) -> _Inputs | None:
    """What there is to fit. Reads only what is newer than what is known to be settled."""
    # The voided ones first: what is voided after this line will show as a difference next time.
    voided = tuple(Match.objects.filter(ruleset=ruleset, voided=True).order_by("id").values_list("id", flat=True))
    settled, below = (before.settled, before.settled_below) if before is not None else (0, 0)
    # Voiding and restoring change how many there are below, too; but that shows in `voided`.
    matches = settled + _counted(ruleset).filter(id__gt=below).count()
    watermark = _counted(ruleset).aggregate(last=Max("id"))["last"] or 0
    anchor = anchor_version(game=ruleset.game)
    if anchor is None:
        if matches:
            log.warning("%s is not fitted: the house bot %r is not there; run prepare", ruleset.key, ANCHOR)
        return None
    shown = tuple(sorted(shown_versions(ruleset=ruleset).values_list("id", flat=True)))
    return _Inputs(anchor.pk, matches, watermark, voided, shown)


def _counted(ruleset: Ruleset) -> QuerySet[Match]:
    return Match.objects.filter(ruleset=ruleset, rated=True, voided=False)


def _read_on(ruleset: Ruleset, before: Snapshot, inputs: _Inputs) -> Results:
    """All that counts now: what the snapshot `before` counted and what has come since, if that is all that changed."""
    kept = _kept.get(ruleset.pk)
    if kept is not None and kept.rows_sha256 == before.rows_sha256 and kept.voided == inputs.voided:
        # Matches are only ever added. So where as many count as then, they are the same ones: none was committed
        # late, under a number that was passed already.
        late = _counted(ruleset).filter(id__gt=before.settled_below, id__lte=before.watermark).count()
        if before.settled + late == kept.results.match.size:
            return kept.results.add(read(ruleset, after=before.watermark))
    return read(ruleset)


def _store(
    ruleset: Ruleset, before: Snapshot | None, inputs: _Inputs, results: Results, ratings: Ratings
) -> Snapshot | None:
    """Write the snapshot; None where somebody else has written one since `before`."""
    low, high = ratings.ranks()
    fitted = set(ratings.entities.tolist())
    shown = [version for version in inputs.shown if version in fitted]
    at = np.searchsorted(ratings.entities, np.array(shown, np.int64))
    low[at], high[at] = ratings.ranks(np.array(shown, np.int64))
    rows_sha256 = results.row_hash()
    below = max(0, inputs.watermark - LATE)
    deviations = ELO_PER_NAT * np.sqrt(ratings.variance[np.ix_(at, at)])
    with transaction.atomic():
        Ruleset.objects.select_for_update().get(pk=ruleset.pk)
        newest = newest_snapshot(ruleset=ruleset)
        if newest != before:
            return None
        snapshot = Snapshot.objects.create(
            ruleset=ruleset,
            algorithm=ALGORITHM,
            watermark=inputs.watermark,
            matches=inputs.matches,
            rows_sha256=rows_sha256,
            inputs_sha256=inputs.sha256(),
            settled_below=below,
            settled=int(np.sum(results.match <= below)),
        )
        spread = {"versions": np.array(shown, "<i8").tobytes(), "deviations": deviations.astype("<f4").tobytes()}
        Spread.objects.update_or_create(ruleset=ruleset, defaults=spread)
        Rating.objects.bulk_create(
            (
                Rating(
                    snapshot=snapshot,
                    version_id=version,
                    elo=elo,
                    half_width=half_width,
                    provisional=provisional,
                    rank_low=rank_low,
                    rank_high=rank_high,
                    matches=matches,
                )
                for version, elo, half_width, provisional, rank_low, rank_high, matches in zip(
                    ratings.entities.tolist(),
                    ratings.elo.tolist(),
                    ratings.half_width.tolist(),
                    ratings.provisional.tolist(),
                    low.tolist(),
                    high.tolist(),
                    ratings.matches.tolist(),
                    strict=True,
                )
            ),
            batch_size=2_000,
        )
        prune_hour(snapshot)
        changed(leaderboard_channel(ruleset.key), "home")
    return snapshot
