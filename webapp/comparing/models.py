"""Comparisons of two versions of a bot, for its author alone."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from arena.compare import Question, Sample


class Comparison(models.Model):
    """A sequential test of one version against another. What is known of it is here, whatever becomes of a worker."""

    class State(models.TextChoices):
        RUNNING = "running", _("running")
        BETTER = "better", _("better")
        NOT_BETTER = "not_better", _("not better")
        UNDECIDED = "undecided", _("undecided")  # as many matches as it may have are played
        CANCELLED = "cancelled", _("cancelled")
        FAILED = "failed", _("failed")  # it could not be played (on)

    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="comparisons")
    bot = models.ForeignKey("bots.Bot", on_delete=models.CASCADE, related_name="comparisons")
    new = models.ForeignKey("bots.Version", on_delete=models.CASCADE, related_name="+")
    old = models.ForeignKey("bots.Version", on_delete=models.CASCADE, related_name="+")
    ruleset = models.ForeignKey("matches.Ruleset", on_delete=models.PROTECT, related_name="+")
    state = models.CharField(max_length=10, choices=State.choices, default=State.RUNNING)
    note = models.CharField(max_length=300, blank=True)
    """Why it failed, for people."""
    elo0 = models.FloatField(default=0.0)
    elo1 = models.FloatField(default=20.0)
    most = models.PositiveIntegerField()
    """Matches, after which it ends undecided."""
    matches = models.PositiveIntegerField(default=0)
    """Counted ones, as all below."""
    blocks = models.PositiveIntegerField(default=0)
    total = models.FloatField(default=0.0)
    squares = models.FloatField(default=0.0)
    """The scores of the blocks and their squares, summed up, see `arena.compare.Sample`."""
    faults_new = models.PositiveIntegerField(default=0)
    faults_old = models.PositiveIntegerField(default=0)
    path = models.JSONField(default=list)
    """How it went: a list of [matches, LLR] after every block, for long ones after every few."""
    series = models.OneToOneField(
        "matches.Series", null=True, blank=True, on_delete=models.SET_NULL, related_name="compares"
    )
    """What is being played now, or was last."""
    counted = models.PositiveIntegerField(default=0)
    """The matches of that series, from its first, that are counted."""
    created = models.DateTimeField(auto_now_add=True)
    finished = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["author"], condition=Q(state="running"), name="one_comparison_an_author"),
            models.CheckConstraint(condition=~Q(new=F("old")), name="two_versions_are_compared"),
        ]
        indexes = [models.Index(fields=["bot", "-id"])]

    def __str__(self) -> str:
        return f"comparison {self.pk}"

    @property
    def question(self) -> Question:
        """What is asked."""
        return Question(self.elo0, self.elo1)

    @property
    def sample(self) -> Sample:
        """What is known."""
        return Sample(self.blocks, self.total, self.squares)
