"""Tournaments. What is stored of one is what cannot be computed again: the entrants, and the rounds that were drawn.

Who has won, and what comes next, is asked of `arena.pairing` each time: there is no bracket to be kept up to date.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy


class Tournament(models.Model):
    """A tournament, with everything that is settled before its first round."""

    class State(models.TextChoices):
        DRAFT = "draft", _("being prepared")
        OPEN = "open", _("open for entries")
        RUNNING = "running", _("running")
        FINISHED = "finished", pgettext_lazy("tournament", "finished")
        CANCELLED = "cancelled", pgettext_lazy("tournament", "cancelled")

    class Every(models.TextChoices):
        NEVER = "", _("once")
        DAY = "day", _("every day")
        WEEK = "week", _("every week")

    name = models.CharField(max_length=60)
    slug = models.SlugField(max_length=80, unique=True)
    ruleset = models.ForeignKey("matches.Ruleset", on_delete=models.PROTECT, related_name="tournaments")
    form = models.JSONField()
    """What `arena.pairing.write_format` says of its form, with the version of the rules by which ties are broken."""
    matches = models.PositiveSmallIntegerField(default=6)
    """Of a series."""
    move_ms = models.PositiveIntegerField(default=1_000)
    bank_ms = models.PositiveIntegerField(default=10_000)
    patience_s = models.PositiveIntegerField(default=120)
    """How long a table waits, in all, for bots that are not connected. Then it is played without them."""
    most_each = models.PositiveSmallIntegerField(default=1)
    """How many bots one person may enter."""
    fill_top = models.PositiveSmallIntegerField(default=0)
    """At the start so many bots from the top of the leaderboard are entered, too."""
    deadline = models.DateTimeField(null=True, blank=True)
    """Entries are taken until then; None: until it starts."""
    starts_at = models.DateTimeField(null=True, blank=True)
    """None: when an organiser starts it."""
    every = models.CharField(max_length=4, choices=Every.choices, default=Every.NEVER, blank=True)
    """When it starts, the next one is made, so much later."""
    state = models.CharField(max_length=10, choices=State.choices, default=State.DRAFT)
    held = models.BooleanField(default=False)
    """An organiser holds it: what is being played is played, but nothing new is drawn."""
    trouble = models.CharField(max_length=300, blank=True)
    """Why it does not go on and what an organiser has to do, else empty."""
    note = models.CharField(max_length=300, blank=True)
    """Why it was cancelled."""
    draw_seed = models.CharField(max_length=32, blank=True)
    """Of the draws; public. Empty before the start."""
    secret = models.BinaryField(null=True, editable=False)
    """From which the seeds of all blocks follow. Shown to nobody before the end."""
    commitment = models.CharField(max_length=64, blank=True)
    """Its SHA-256, published at the start."""
    result = models.JSONField(null=True, blank=True)
    """The final standings, written down when it was over."""
    champion = models.ForeignKey(
        "tournaments.Entrant", null=True, blank=True, on_delete=models.SET_NULL, related_name="won"
    )
    organiser = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="tournaments"
    )
    created = models.DateTimeField(auto_now_add=True)
    started = models.DateTimeField(null=True, blank=True)
    finished = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(matches__gte=1), name="tournament_series_have_a_match"),
            models.CheckConstraint(
                condition=~Q(state__in=["running", "finished"]) | Q(secret__isnull=False, started__isnull=False),
                name="tournament_begun_means_a_secret",
            ),
        ]
        indexes = [models.Index(fields=["state", "starts_at"])]

    def __str__(self) -> str:
        return self.name

    @property
    def begun(self) -> bool:
        """Whether a first round was drawn."""
        return self.started is not None


class Entrant(models.Model):
    """A bot that takes part, with the version that it entered with."""

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="entrants")
    bot = models.ForeignKey("bots.Bot", on_delete=models.PROTECT, related_name="tournament_entries")
    version = models.ForeignKey("bots.Version", on_delete=models.PROTECT, related_name="tournament_entries")
    """Frozen at the start."""
    rank = models.PositiveIntegerField(null=True, blank=True)
    """Its seeding, 1 the favourite. None before the start, unless an organiser gave it one."""
    since = models.PositiveIntegerField(default=1)
    """The first round for which it is drawn; later than 1 for late entries."""
    until = models.PositiveIntegerField(null=True, blank=True)
    """The first round for which it is not drawn any more; None: it stays."""
    disqualified = models.BooleanField(default=False)
    reason = models.CharField(max_length=300, blank=True)
    """Why it left."""
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tournament", "bot"], name="bot_once_a_tournament")]

    def __str__(self) -> str:
        return f"{self.bot.name} in {self.tournament.name}"


class Round(models.Model):
    """The series that are played at the same time."""

    class State(models.TextChoices):
        PLAYING = "playing", _("being played")
        OVER = "over", _("over")

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="rounds")
    number = models.PositiveIntegerField()
    stage = models.CharField(max_length=80)
    """What is played, in words."""
    byes = models.JSONField(default=list)
    """The ids of the entrants that are in and sit at no table."""
    state = models.CharField(max_length=8, choices=State.choices, default=State.PLAYING)
    created = models.DateTimeField(auto_now_add=True)
    finished = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tournament", "number"], name="round_number_once_a_tournament"),
            models.UniqueConstraint(
                fields=["tournament"], condition=Q(state="playing"), name="one_round_at_a_time_a_tournament"
            ),
        ]

    def __str__(self) -> str:
        return f"round {self.number} of {self.tournament.name}"


class Pairing(models.Model):
    """A table of a round, the series played at it, and what came of it."""

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="pairings")
    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="pairings")
    name = models.CharField(max_length=40)
    """Its own within the tournament: ``S3.2``."""
    position = models.PositiveIntegerField()
    """In its round, as it was drawn."""
    seats = models.JSONField()
    """The ids of the entrants in the order of their seats in the first match."""
    extra = models.BooleanField(default=False)
    """It only decides a tie."""
    series = models.OneToOneField("matches.Series", on_delete=models.PROTECT, related_name="pairing")
    """The one that counts: the newest, where it was played again."""
    earlier = models.JSONField(default=list)
    """The ids of those that it was played in before and that do not count."""
    first_block = models.PositiveIntegerField(default=0)
    """The number, from 0, of the first block of the present series; those before belong to earlier ones."""
    retries = models.PositiveSmallIntegerField(default=0)
    """How often the platform had it played again by itself."""
    missed_since = models.DateTimeField(null=True, blank=True)
    """Since when it has been waiting for bots that are not connected."""
    places = models.JSONField(null=True, blank=True)
    """For each match the places by `seats`, null for who did not take part; None as long as the round is not over."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tournament", "name"], name="table_name_once_a_tournament")]
        indexes = [models.Index(fields=["round", "position"])]

    def __str__(self) -> str:
        return f"table {self.name} of {self.tournament.name}"
