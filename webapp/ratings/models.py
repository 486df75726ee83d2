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
    settled_below = models.BigIntegerField(default=0)
    """No match with an id up to this one is still being written: they need not be counted again."""
    settled = models.PositiveIntegerField(default=0)
    """How many of the counted matches have such an id."""
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


class Spread(models.Model):
    """How well the newest fit of a leaderboard tells those on it apart. One row each, written anew by every fit."""

    ruleset = models.OneToOneField("matches.Ruleset", on_delete=models.CASCADE, related_name="spread")
    versions = models.BinaryField(editable=False)
    """The ids of the n versions on the leaderboard, ascending: n numbers of 8 bytes, little-endian."""
    deviations = models.BinaryField(editable=False)
    """The standard deviation of every difference, in Elo: n rows of n floats of 4 bytes, little-endian."""

    def __str__(self) -> str:
        return f"spread of {self.ruleset}"


class HeadToHead(models.Model):
    """Whom a version has met on a leaderboard, how that went, and which matches moved it. Kept up by the scheduler, a
    few at a time."""

    ruleset = models.ForeignKey("matches.Ruleset", on_delete=models.CASCADE, related_name="head_to_heads")
    version = models.ForeignKey("bots.Version", on_delete=models.CASCADE, related_name="head_to_heads")
    matches = models.PositiveIntegerField()
    """Rated matches that it had played when this was computed."""
    opponents = models.PositiveIntegerField()
    """How many different ones it has met, of which `rows` has those that it has met most."""
    rows = models.JSONField()
    """A list for each: version, meetings, score, low, high, expected, residual; see `arena.rivals.Rivals`."""
    nemesis = models.JSONField(null=True)
    """The version, the residual, and the probability that chance alone gives as much to somebody; None without one."""
    newest = models.BinaryField(default=b"", editable=False)
    """What its newest matches moved its rating: ids of 8 bytes and floats of 4, little-endian, ids ascending."""
    extremes = models.JSONField(default=list)
    """Of all of them those that moved it most, the best first. A list for each: the match, the Elo, the match's name,
    and the places with the versions that came in there. See `webapp.ratings.influence`."""
    computed = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["ruleset", "version"], name="head_to_head_once_a_board")]

    def __str__(self) -> str:
        return f"{self.version_id} against {self.opponents}"
