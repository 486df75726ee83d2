"""Reports of people, and what is known of pairs of bots."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy


class Report(models.Model):
    """What a person has told the organisers about a bot, an author or a match. Nobody reported learns who it was."""

    class Category(models.TextChoices):
        NAME = "name", _("an offensive name or text")
        COLLUSION = "collusion", _("collusion, or several accounts of one person")
        CHEATING = "cheating", _("cheating, or attacking the arena")
        FAULT = "fault", _("a mistake of the arena")
        OTHER = "other", _("something else")

    class State(models.TextChoices):
        OPEN = "open", pgettext_lazy("report", "open")
        ACTED = "acted", _("acted on")
        DISMISSED = "dismissed", _("looked at, and left as it is")

    reporter = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="reports")
    bot = models.ForeignKey("bots.Bot", null=True, blank=True, on_delete=models.CASCADE, related_name="reports")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.CASCADE, related_name="reports_about"
    )
    match = models.ForeignKey("matches.Match", null=True, blank=True, on_delete=models.CASCADE, related_name="reports")
    category = models.CharField(max_length=10, choices=Category.choices)
    text = models.CharField(max_length=1000, blank=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    note = models.CharField(max_length=1000, blank=True)
    """What the organisers found; for organisers only."""
    resolved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    created = models.DateTimeField(auto_now_add=True)
    resolved = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(bot__isnull=False, author=None, match=None)
                | Q(bot=None, author__isnull=False, match=None)
                | Q(bot=None, author=None, match__isnull=False),
                name="report_about_one_thing",
            ),
            *(
                models.UniqueConstraint(
                    fields=["reporter", about],
                    condition=Q(state="open") & ~Q(**{about: None}),
                    name=f"one_open_report_about_{about}",
                )
                for about in ("bot", "author", "match")
            ),
        ]
        indexes = [models.Index(fields=["id"], condition=Q(state="open"), name="reports_open")]

    def __str__(self) -> str:
        return f"report {self.pk}"


class Watermark(models.Model):
    """How far the series have been read for `PairSigns`: by when they finished, then by id."""

    name = models.CharField(max_length=20, unique=True)
    finished = models.DateTimeField(null=True, blank=True)
    series = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.name} up to series {self.series}"


class BotHabits(models.Model):
    """What is known of a bot at tables of three or more under one ruleset: sums of `arena.collusion`."""

    bot = models.ForeignKey("bots.Bot", on_delete=models.CASCADE, related_name="habits")
    ruleset = models.ForeignKey("matches.Ruleset", on_delete=models.CASCADE, related_name="habits")
    n = models.PositiveIntegerField(default=0)
    total = models.FloatField(default=0)
    squares = models.FloatField(default=0)
    chances = models.PositiveIntegerField(default=0)
    doubts = models.PositiveIntegerField(default=0)
    was_before = models.PositiveIntegerField(default=0)
    """How often a claim of this bot was before another one."""
    was_doubted = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["bot", "ruleset"], name="habits_once_a_bot")]

    def __str__(self) -> str:
        return f"habits of {self.bot_id}"


class PairSigns(models.Model):
    """What is known of two bots of different people together under one ruleset, and whether it is a sign."""

    one = models.ForeignKey("bots.Bot", on_delete=models.CASCADE, related_name="+")
    """The one with the smaller id."""
    other = models.ForeignKey("bots.Bot", on_delete=models.CASCADE, related_name="+")
    ruleset = models.ForeignKey("matches.Ruleset", on_delete=models.CASCADE, related_name="+")
    n = models.PositiveIntegerField(default=0)
    """Series together."""
    total = models.FloatField(default=0)
    squares = models.FloatField(default=0)
    one_total = models.FloatField(default=0)
    """Of the one against everybody, in the series together; to be taken off from what is known of it alone."""
    one_squares = models.FloatField(default=0)
    other_total = models.FloatField(default=0)
    other_squares = models.FloatField(default=0)
    spared_n = models.PositiveIntegerField(default=0)
    spared_total = models.FloatField(default=0)
    spared_squares = models.FloatField(default=0)
    chances = models.PositiveIntegerField(default=0)
    doubts = models.PositiveIntegerField(default=0)
    together_z = models.FloatField(default=0)
    together_chance = models.FloatField(default=1)
    sparing_z = models.FloatField(default=0)
    sparing_chance = models.FloatField(default=1)
    together_sign = models.BooleanField(default=False)
    sparing_sign = models.BooleanField(default=False)
    updated = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name_plural = "pair signs"
        constraints = [
            models.UniqueConstraint(fields=["one", "other", "ruleset"], name="signs_once_a_pair"),
            models.CheckConstraint(condition=Q(one__lt=F("other")), name="pair_in_order"),
        ]
        indexes = [
            models.Index(fields=["together_chance"], name="signs_together"),
            models.Index(fields=["sparing_chance"], name="signs_sparing"),
        ]

    def __str__(self) -> str:
        return f"{self.one_id} and {self.other_id}"


class SharedContent(models.Model):
    """One uploaded content under several people's accounts; found anew by the scheduler."""

    digest = models.CharField(max_length=71)
    bot = models.ForeignKey("bots.Bot", on_delete=models.CASCADE, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["digest", "bot"], name="shared_content_once")]

    def __str__(self) -> str:
        return f"{self.digest} in {self.bot_id}"
