"""What is played. The rows here are the truth; the queue only wakes the workers."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from arena.table import Limits


class Ruleset(models.Model):
    """A game with every option given a value. A preset's ruleset has a leaderboard."""

    key = models.CharField(max_length=120, unique=True)
    """``three_coins/classic``; for one's own ruleset ``three_coins/`` and 16 hex digits of its options' SHA-256."""
    game = models.CharField(max_length=40)
    preset = models.CharField(max_length=60, blank=True)
    """Empty for a ruleset of one's own."""
    title = models.CharField(max_length=60, blank=True)
    """What an organiser calls a ruleset of one's own; a preset goes by its name."""
    options = models.JSONField()
    flagship = models.BooleanField(default=False)
    """The one that gets most of its game's ladder tables."""

    def __str__(self) -> str:
        return f"{self.key} ({self.title})" if self.title else self.key

    @property
    def digits(self) -> str:
        """What names it among the rulesets of its game: the key without the game."""
        return self.key.partition("/")[2]


class Series(models.Model):
    """What one worker plays in one sitting: the same versions, some matches, the seats rotated."""

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        PLAYING = "playing", _("playing")
        FINISHED = "finished", _("finished")
        PUT_OFF = "put_off", _("put off")  # the platform failed it three times
        CANCELLED = "cancelled", _("cancelled")

    class Purpose(models.TextChoices):
        LADDER = "ladder", _("ladder")
        VALIDATION = "validation", _("validation")
        TOURNAMENT = "tournament", _("tournament")
        EXHIBITION = "exhibition", _("exhibition")
        COMPARISON = "comparison", _("comparison")
        PERSON = "person", _("a person at the table")

    UNDER_WAY = (State.WAITING, State.PLAYING)
    """It is not over, and will be played to its end."""

    PRIVATE = (Purpose.VALIDATION, Purpose.COMPARISON)
    """How a version was validated, and what its author compares it with, concerns that author alone: lists that are
    for everybody leave these out."""

    ruleset = models.ForeignKey(Ruleset, on_delete=models.PROTECT, related_name="series")
    purpose = models.CharField(max_length=12, choices=Purpose.choices, default=Purpose.LADDER)
    rated = models.BooleanField(default=True)
    """Rated: it counts for ratings, and a fault forfeits the match, as it does in validation and in tournaments, too.
    Otherwise a default move is made."""
    planned = models.PositiveIntegerField()
    """How many matches."""
    duplicate = models.BooleanField(default=False)
    """All matches on the same luck with the seats rotated (hosted bots only), else each on its own."""
    ready_ms = models.PositiveIntegerField(default=10_000)
    move_ms = models.PositiveIntegerField(default=1_000)
    bank_ms = models.PositiveIntegerField(default=10_000)
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    attempt = models.PositiveIntegerField(default=0)
    """Rises with every claim; whoever holds an older one has lost the series."""
    broken = models.PositiveSmallIntegerField(default=0)
    """Times in a row that the platform broke off a match of it."""
    worker = models.CharField(max_length=80, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    note = models.CharField(max_length=300, blank=True)
    """Why it was put off or cancelled, for people."""
    created = models.DateTimeField(auto_now_add=True)
    started = models.DateTimeField(null=True, blank=True)
    finished = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "series"
        constraints = [
            models.CheckConstraint(condition=Q(planned__gte=1), name="series_has_a_match"),
            models.CheckConstraint(
                condition=~Q(state="playing") | Q(lease_until__isnull=False), name="playing_means_a_lease"
            ),
        ]
        indexes = [
            models.Index(fields=["lease_until"], condition=Q(state="playing"), name="series_leases"),
            models.Index(fields=["created"], condition=Q(state="waiting"), name="series_waiting"),
            models.Index(fields=["-id"], condition=Q(state="put_off"), name="series_put_off"),
            models.Index(fields=["finished", "id"], condition=Q(state="finished"), name="series_finished"),
        ]

    def __str__(self) -> str:
        return f"series {self.pk}"

    @property
    def private(self) -> bool:
        """Is it one that concerns an author alone?"""
        return self.purpose in self.PRIVATE

    @property
    def limits(self) -> Limits:
        """How much time its seats have."""
        return Limits(self.ready_ms, self.move_ms, self.bank_ms)


class SeriesSeat(models.Model):
    """Who sits where in the first match of a series."""

    series = models.ForeignKey(Series, on_delete=models.CASCADE, related_name="seats")
    seat = models.PositiveSmallIntegerField()
    version = models.ForeignKey("bots.Version", on_delete=models.PROTECT, related_name="series_seats")
    removed = models.CharField(max_length=300, blank=True)
    """Why the seat was taken off the table before a match (a nonce that did not fit), else empty."""
    output = models.TextField(blank=True)
    """What a hosted bot printed before it was taken off the table: for its author's eyes only."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["series", "seat"], name="series_seat_once")]
        indexes = [
            models.Index(fields=["version", "-series"], name="series_seat_newest"),
            # both are rare among all seats, and looked for every now and then
            models.Index(fields=["version", "-series"], condition=~Q(removed=""), name="series_seat_removed"),
            models.Index(fields=["id"], condition=~Q(output=""), name="series_seat_output"),
        ]

    def __str__(self) -> str:
        return f"seat {self.seat} of series {self.series_id}"


class LadderTurn(models.Model):
    """When the ladder seated a bot last on a leaderboard. The tables of each leaderboard are counted from 0."""

    ruleset = models.ForeignKey(Ruleset, on_delete=models.CASCADE, related_name="ladder_turns")
    bot = models.ForeignKey("bots.Bot", on_delete=models.CASCADE, related_name="ladder_turns")
    table = models.PositiveBigIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["ruleset", "bot"], name="ladder_turn_once_a_bot")]

    def __str__(self) -> str:
        return f"{self.bot_id} sat at table {self.table}"


class Block(models.Model):
    """The matches that share one luck, and what that luck is made of.

    Every one is published with its commitment, also one that was broken off. The seed and the nonces stay
    secret until it is closed.
    """

    class State(models.TextChoices):
        OPEN = "open", _("open")
        CLOSED = "closed", _("closed")
        BROKEN = "broken", _("broken off")

    series = models.ForeignKey(Series, on_delete=models.CASCADE, related_name="blocks")
    number = models.PositiveIntegerField()
    """Counts the blocks of the series from 1, broken ones too."""
    state = models.CharField(max_length=6, choices=State.choices, default=State.OPEN)
    reason = models.CharField(max_length=300, blank=True)
    commitment = models.CharField(max_length=64)
    seed = models.CharField(max_length=64)
    nonce_hashes = models.JSONField()
    nonces = models.JSONField()
    seating = models.JSONField()
    """The series seats that take part, in the order of their seats in the block's first match."""
    created = models.DateTimeField(auto_now_add=True)
    closed = models.DateTimeField(null=True, blank=True)
    counted = models.BooleanField(default=False, db_default=False, editable=False)
    """Its matches are part of the sums of `webapp.style`."""

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["series", "number"], name="block_number_once_a_series"),
            models.UniqueConstraint(fields=["series"], condition=Q(state="open"), name="one_open_block_a_series"),
        ]
        indexes = [
            models.Index(fields=["id"], condition=Q(state="closed", counted=False), name="block_to_be_counted"),
        ]

    def __str__(self) -> str:
        return f"block {self.number} of series {self.series_id}"


class Match(models.Model):
    """One finished match. It is written once, whole, together with its entries."""

    name = models.CharField(max_length=40, unique=True)
    """``m-`` and 16 hex digits: its address, and its identifier in the record."""
    series = models.ForeignKey(Series, on_delete=models.PROTECT, related_name="matches")
    number = models.PositiveIntegerField()
    """Which match of the series, from 1."""
    block = models.ForeignKey(Block, on_delete=models.PROTECT, related_name="matches")
    ruleset = models.ForeignKey(Ruleset, on_delete=models.PROTECT, related_name="matches")
    rated = models.BooleanField()
    private = models.BooleanField(default=False, db_default=False, editable=False)
    """Its series concerns an author alone, repeated here so that lists for everybody are one index away."""
    voided = models.BooleanField(default=False)
    """An organiser took it out of the ratings."""
    reason = models.CharField(max_length=30)
    """Why it ended, in the game's word."""
    steps = models.PositiveIntegerField()
    faults = models.PositiveSmallIntegerField(default=0)
    record = models.BinaryField(editable=False)
    """The record, complete, as zlib-compressed JSON. Shown to nobody before its block is closed."""
    record_name = models.CharField(max_length=64)
    """SHA-256 of the canonical record."""
    runtime = models.CharField(max_length=40, blank=True, default="")
    """The short name of the runtime in which its hosted bots played (`arena.runtime`); empty where there were none."""
    started = models.DateTimeField()
    finished = models.DateTimeField()

    class Meta:
        verbose_name_plural = "matches"
        constraints = [models.UniqueConstraint(fields=["series", "number"], name="match_once_a_series")]
        indexes = [
            models.Index(fields=["-id"], condition=Q(private=False), name="match_newest"),
            models.Index(fields=["ruleset", "-id"], condition=Q(private=False), name="match_newest_of_ruleset"),
            models.Index(fields=["ruleset", "id"], condition=Q(rated=True, voided=False), name="match_counts"),
            models.Index(fields=["ruleset", "id"], condition=Q(voided=True), name="match_voided"),
        ]

    def __str__(self) -> str:
        return self.name


class Entry(models.Model):
    """One version in one match."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="entries")
    seat = models.PositiveSmallIntegerField()
    version = models.ForeignKey("bots.Version", on_delete=models.PROTECT, related_name="entries")
    bot = models.ForeignKey("bots.Bot", on_delete=models.PROTECT, related_name="entries")
    """The version's bot, repeated here so that a bot's newest matches are one index away."""
    listed = models.ForeignKey(
        Ruleset,
        null=True,
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
        db_constraint=False,
        editable=False,
    )
    """The match's ruleset, repeated here for the same end; None where the match is private, and in no such list."""
    place = models.PositiveSmallIntegerField()
    score = models.IntegerField()
    fault = models.CharField(max_length=12, blank=True)
    """The kind of its first fault, else empty."""
    moves = models.PositiveIntegerField()
    thinking_ms = models.FloatField()
    slowest_ms = models.FloatField()

    class Meta:
        verbose_name_plural = "entries"
        constraints = [
            models.UniqueConstraint(fields=["match", "seat"], name="entry_once_a_match"),
            models.CheckConstraint(condition=Q(place__gte=1), name="places_from_one"),
        ]
        indexes = [
            models.Index(F("bot"), F("match").desc(), condition=Q(listed__isnull=False), name="entry_newest_of_bot"),
            models.Index(
                F("bot"),
                F("listed"),
                F("match").desc(),
                condition=Q(listed__isnull=False),
                name="entry_newest_in_ruleset",
            ),
        ]

    def __str__(self) -> str:
        return f"seat {self.seat} of match {self.match_id}"


class Worker(models.Model):
    """A process that plays series, and what it can host. Written by itself, every now and then."""

    name = models.CharField(max_length=80, unique=True)
    runtime = models.CharField(max_length=40)
    """The short name of its runtime (`arena.runtime`)."""
    strong = models.BooleanField()
    """Whether it may run strangers' programs."""
    why = models.CharField(max_length=500, blank=True)
    """Why not, and what to do about it."""
    advice = models.CharField(max_length=500, blank=True)
    """What to do about all walls that do not stand, the second ones among them."""
    layers = models.JSONField()
    """Which walls of the sandbox stand, by name."""
    last_seen = models.DateTimeField()

    def __str__(self) -> str:
        return self.name


class EntryLog(models.Model):
    """What a bot wrote during a match: for its author's eyes only."""

    entry = models.OneToOneField(Entry, on_delete=models.CASCADE, related_name="log")
    lines = models.JSONField(default=list)
    """What it logged: a list of ``[step, line]``, with the step of the replay that shows what it did then."""
    text = models.TextField(blank=True)
    """What it printed beside that; of old matches, all of it."""
    exchange = models.JSONField(null=True, blank=True)
    """At its first fault: what was ``asked`` and what was ``answered``, for people."""

    def __str__(self) -> str:
        return f"log of entry {self.entry_id}"
