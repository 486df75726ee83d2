"""Bots and their versions, tokens and lines."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

FAULTY_SERIES_IN_A_ROW = 3
"""At fault in so many series one after the other, a bot goes into quarantine: see `webapp.bots.quarantine`."""


class Bot(models.Model):
    """A program that plays one game, owned by an author or by the house."""

    class Kind(models.TextChoices):
        HOSTED = "hosted", _("hosted")  # our machine runs the uploaded file
        REMOTE = "remote", _("remote")  # the author's machine runs it and dials in
        PERSON = "person", _("a person")  # whoever plays in the browser: one for each game, in no list of bots

    class State(models.TextChoices):
        ACTIVE = "active", _("active")
        RETIRED = "retired", _("retired")
        QUARANTINED = "quarantined", _("quarantined")
        BANNED = "banned", _("banned")

    name = models.CharField(max_length=40)
    game = models.CharField(max_length=40)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    house = models.BooleanField(default=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="bots"
    )
    """None for house bots, and for bots whose author has deleted the account."""
    state = models.CharField(max_length=12, choices=State.choices, default=State.ACTIVE)
    state_reason = models.CharField(max_length=300, blank=True)
    counted_since = models.DateTimeField(null=True, blank=True, editable=False)
    """When it was let out of quarantine or of a ban: what it was seated in before counts no more. None for never."""
    faulty_series = models.JSONField(default=list, blank=True, editable=False)
    """The ids of the last series in a row in each of which it was at fault, the oldest first. Kept in quarantine."""
    about = models.CharField(max_length=300, blank=True)
    max_tables = models.PositiveSmallIntegerField(default=1)
    """How many tables a remote bot plays at once."""
    active_version = models.ForeignKey(
        "bots.Version", null=True, blank=True, on_delete=models.SET_NULL, related_name="active_for"
    )
    """The version that the leaderboard shows and the ladder seats."""
    auto_activate = models.BooleanField(default=True)
    """A version that passes its validation becomes the active one by itself."""
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint("game", Lower("name"), name="bot_name_in_game_ignores_case"),
            models.CheckConstraint(condition=Q(house=False) | Q(owner=None), name="house_bots_have_no_owner"),
            models.CheckConstraint(condition=Q(max_tables__gte=1, max_tables__lte=16), name="one_to_sixteen_tables"),
        ]
        indexes = [models.Index(fields=["game", "state"])]

    def __str__(self) -> str:
        return self.name

    @property
    def is_person(self) -> bool:
        """Does it stand for whoever plays in the browser? Such a one has no page, and belongs to nobody."""
        return self.kind == self.Kind.PERSON

    @property
    def unreliable(self) -> bool:
        """Has it to show that it works before it is seated again?"""
        return len(self.faulty_series) >= FAULTY_SERIES_IN_A_ROW


class FormerName(models.Model):
    """A name that a bot had before an organiser gave it another one. Its old address leads on, and nobody takes it."""

    bot = models.ForeignKey(Bot, on_delete=models.CASCADE, related_name="former_names")
    game = models.CharField(max_length=40)
    name = models.CharField(max_length=40)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint("game", Lower("name"), name="former_name_in_game_ignores_case")]

    def __str__(self) -> str:
        return self.name


class Version(models.Model):
    """One immutable build of a bot. Hosted: named by the SHA-256 of its content. Remote: by that of bot and label."""

    class State(models.TextChoices):
        VALIDATING = "validating", pgettext_lazy("version", "being validated")
        PASSED = "passed", pgettext_lazy("version", "passed")
        FAILED = "failed", pgettext_lazy("version", "failed")
        RETIRED = "retired", pgettext_lazy("version", "retired")  # by its author: it has passed once, and plays no more

    bot = models.ForeignKey(Bot, on_delete=models.CASCADE, related_name="versions")
    digest = models.CharField(max_length=71)
    """``sha256:`` and 64 hex digits."""
    number = models.PositiveIntegerField()
    """Counts the bot's versions from 1."""
    label = models.CharField(max_length=60, blank=True)
    declared = models.BooleanField(default=False)
    """The author says that this is what plays (remote); nobody has seen the program."""
    source = models.BinaryField(null=True, editable=False)
    """The content of its package (`arena.package.Package.content`). For its author's eyes only."""
    filename = models.CharField(max_length=100, blank=True)
    files = models.PositiveSmallIntegerField(default=1)
    size = models.PositiveIntegerField(default=0)
    """Bytes of all its files together."""
    state = models.CharField(max_length=10, choices=State.choices, default=State.PASSED)
    reason = models.CharField(max_length=300, blank=True)
    """Why it failed, for its author."""
    software = models.CharField(max_length=100, blank=True, db_default="", editable=False)
    """What a remote one says that it is built with; empty where it never said."""
    validation = models.OneToOneField(
        "matches.Series", null=True, blank=True, on_delete=models.SET_NULL, related_name="validates"
    )
    """The series in which it shows that it works; the newest, where there were several."""
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["bot", "digest"], name="version_content_once_a_bot"),
            models.UniqueConstraint(fields=["bot", "number"], name="version_number_once_a_bot"),
        ]

    def __str__(self) -> str:
        return f"{self.bot.name} {self.label or self.number}"


class Upload(models.Model):
    """Somebody has handed something in, whatever became of it: what is counted against the uploads of an hour."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="uploads")
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["owner", "created"])]

    def __str__(self) -> str:
        return f"upload {self.pk}"


class Token(models.Model):
    """Lets a program dial in as its bot. Shown once, kept as a hash."""

    bot = models.ForeignKey(Bot, on_delete=models.CASCADE, related_name="tokens")
    digest = models.CharField(max_length=64, unique=True)
    hint = models.CharField(max_length=8)
    """The last characters, so that its owner knows which one it is."""
    created = models.DateTimeField(auto_now_add=True)
    last_used = models.DateTimeField(null=True, blank=True)
    revoked = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"token …{self.hint} of {self.bot.name}"


class Connection(models.Model):
    """A remote bot's line to a door: one place at one table. It is there as long as its lease is renewed."""

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting for a table")
        SEATED = "seated", _("at a table")

    bot = models.ForeignKey(Bot, on_delete=models.CASCADE, related_name="connections")
    version = models.ForeignKey(Version, on_delete=models.CASCADE, related_name="connections")
    session = models.CharField(max_length=64, unique=True)
    """SHA-256 of the secret that lets the bot take its seat back after a lost line."""
    door = models.CharField(max_length=200)
    """The address at which workers reach the door process that holds the line; empty while the line is lost."""
    line = models.CharField(max_length=40)
    """Which line of that door; changes when the bot comes back."""
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    series = models.ForeignKey(
        "matches.Series", null=True, blank=True, on_delete=models.SET_NULL, related_name="connections"
    )
    lease_until = models.DateTimeField()
    software = models.CharField(max_length=100, blank=True)
    since = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state="waiting", series=None) | Q(state="seated", series__isnull=False),
                name="seated_means_a_series",
            ),
        ]
        indexes = [models.Index(fields=["bot", "state"]), models.Index(fields=["lease_until"])]

    def __str__(self) -> str:
        return f"line of {self.bot.name}"
