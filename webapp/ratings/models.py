"""Fitted ratings. Nothing here is the truth: everything can be computed again from the match table."""

from __future__ import annotations

from django.db import models


class Snapshot(models.Model):
    """One fit of one leaderboard."""

    ruleset = models.ForeignKey("matches.Ruleset", on_delete=models.CASCADE, related_name="snapshots")
    algorithm = models.CharField(max_length=40)
    watermark = models.BigIntegerField()
    """The highest match id that was counted."""
    matches = models.PositiveIntegerField()
    rows_sha256 = models.CharField(max_length=64)
    """Over the sorted rows that were counted."""
    inputs_sha256 = models.CharField(max_length=64)
    """Over all that decides a snapshot, in short: tells without reading the rows whether there is anything to do."""
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["ruleset", "-id"])]

    def __str__(self) -> str:
        return f"{self.ruleset} up to match {self.watermark}"


class Rating(models.Model):
    """The rating of a version in a snapshot. Elo is 1000 for the anchor; the interval is of the difference to it."""

    snapshot = models.ForeignKey(Snapshot, on_delete=models.CASCADE, related_name="ratings")
    version = models.ForeignKey("bots.Version", on_delete=models.CASCADE, related_name="ratings")
    elo = models.FloatField()
    half_width = models.FloatField()
    """Of the 95 % interval, in Elo."""
    provisional = models.BooleanField()
    """The standard error is above 40 Elo."""
    rank_low = models.PositiveIntegerField()
    """1 + the number surely above: among the versions on the leaderboard, or for an old version among all."""
    rank_high = models.PositiveIntegerField()
    matches = models.PositiveIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["snapshot", "version"], name="rating_once_a_snapshot")]
        indexes = [models.Index(fields=["snapshot", "-elo"])]

    def __str__(self) -> str:
        return f"{self.version} {self.elo:.0f}"
