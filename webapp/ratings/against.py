"""Who has fared how against whom, as it is stored, and which of two is better."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from arena.ratings import QUANTILE_95
from webapp.bots.models import Version
from webapp.matches.models import Ruleset
from webapp.ratings.models import HeadToHead, Rating
from webapp.ratings.selectors import all_deviations_from, ratings_of_versions

SHOWN = 12
"""Opponents in the table."""

SURPRISING = 0.05
"""A nemesis that chance alone gives somebody more often than this is none worth a warning."""


class Against(NamedTuple):
    """How it went against one opponent. Scores are shares: 1 is always before it."""

    version: Version
    meetings: int
    score: float
    low: float
    high: float
    expected: float
    residual: float
    """Score less expectation, in standard deviations."""


class Meetings(NamedTuple):
    """Against whom a version has played on a leaderboard."""

    ruleset: Ruleset
    rows: tuple[Against, ...]
    """Those that it has met most."""
    more: int
    """So many others it has met, too."""
    nemesis: Against | None
    """Against whom it falls short most."""
    chance: float
    """The probability that chance alone gives as much to somebody."""

    @property
    def surprising(self) -> bool:
        """Is there more to the nemesis than chance?"""
        return self.nemesis is not None and self.chance <= SURPRISING


def shown_opponents(stored: HeadToHead) -> list[int]:
    """The ids of the versions that `meetings` wants to know."""
    return [row[0] for row in stored.rows[:SHOWN]] + ([stored.nemesis[0]] if stored.nemesis is not None else [])


def meetings(stored: HeadToHead, versions: Mapping[int, Version]) -> Meetings:
    """How a version has fared against whom it has met most. What an opponent is called is looked up by its id."""
    rows = [Against(versions[row[0]], *row[1:]) for row in stored.rows if row[0] in versions]
    nemesis, chance = None, 1.0
    if stored.nemesis is not None:
        who, _residual, chance = stored.nemesis
        nemesis = next((row for row in rows if row.version.pk == who), None)
    shown = tuple(rows[:SHOWN])
    return Meetings(stored.ruleset, shown, stored.opponents - len(shown), nemesis, chance)


class Better(NamedTuple):
    """Which of two versions is better on a leaderboard."""

    ruleset: Ruleset
    one: Rating
    other: Rating
    difference: float
    """In Elo: the first one's less the other's."""
    half_width: float
    """Of the 95 % interval of the difference."""
    probability: float
    """That the first one is better."""
    met: Against | None
    """How the first has fared against the other, where that is kept."""

    @property
    def surer(self) -> float:
        """The probability that the one is better of whom that is likelier."""
        return max(self.probability, 1 - self.probability)


def better(*, one: Version, other: Version) -> list[Better]:
    """Which of two is better, Phi((x_i - x_j) / sd), on every leaderboard that has both. Four queries."""
    rated = {
        ruleset: by_version
        for ruleset, by_version in ratings_of_versions(versions=[one, other]).items()
        if len(by_version) == 2
    }
    deviations = all_deviations_from(rulesets=rated, version=one.pk)
    stored = HeadToHead.objects.filter(ruleset__in=list(rated), version=one).values_list("ruleset_id", "rows")
    met = {ruleset: next((row for row in rows if row[0] == other.pk), None) for ruleset, rows in stored}
    found = []
    for ruleset, by_version in rated.items():
        deviation = deviations.get(ruleset, {}).get(other.pk)
        if not deviation:
            continue
        mine, its = by_version[one.pk], by_version[other.pk]
        row = met.get(ruleset)
        found.append(
            Better(
                mine.snapshot.ruleset,
                mine,
                its,
                mine.elo - its.elo,
                QUANTILE_95 * deviation,
                0.5 * math.erfc((its.elo - mine.elo) / (deviation * math.sqrt(2))),
                None if row is None else Against(other, *row[1:]),
            )
        )
    return found
