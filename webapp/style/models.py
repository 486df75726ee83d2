"""Sums over what has been played. Nothing here is the truth: all of it can be counted again from the matches."""

from __future__ import annotations

from django.db import models


class Tally(models.Model):
    """What a version has done in the rated matches of a leaderboard whose blocks are closed, in whole numbers."""

    ruleset = models.ForeignKey("matches.Ruleset", on_delete=models.CASCADE, related_name="tallies")
    version = models.ForeignKey("bots.Version", on_delete=models.CASCADE, related_name="tallies")
    matches = models.PositiveBigIntegerField(default=0)
    points = models.PositiveBigIntegerField(default=0)
    """Two for everybody at its tables that it came before, one for everybody level with it."""
    most = models.PositiveBigIntegerField(default=0)
    """Two for everybody that it met: the most points that it could have."""
    faults = models.PositiveBigIntegerField(default=0)
    """Matches in which it was at fault."""
    sums = models.JSONField(default=dict)
    """How it plays, by `arena.style`: whole numbers by name."""
    last_played = models.DateTimeField()
    """The end of its newest match, a voided one too."""

    class Meta:
        verbose_name_plural = "tallies"
        constraints = [models.UniqueConstraint(fields=["ruleset", "version"], name="tally_once_a_board")]

    def __str__(self) -> str:
        return f"{self.version_id}: {self.matches} matches"
