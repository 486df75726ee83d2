"""Hooks, what they have to tell, and what was sent.

What is to be told is a row that is written together with what it tells of. So nothing is lost with a process, and
nothing is told that did not happen.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy


class Hook(models.Model):
    """An address that is told what happens to a bot of its owner's, or in a tournament."""

    class State(models.TextChoices):
        ON = "on", pgettext_lazy("webhook", "on")
        OFF = "off", pgettext_lazy("webhook", "off")

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="hooks")
    bot = models.ForeignKey("bots.Bot", null=True, blank=True, on_delete=models.CASCADE, related_name="hooks")
    tournament = models.ForeignKey(
        "tournaments.Tournament", null=True, blank=True, on_delete=models.CASCADE, related_name="hooks"
    )
    url = models.CharField(max_length=300)
    secret = models.CharField(max_length=60, editable=False)
    """``whsec_`` and 32 bytes in base64. Kept as it is, since every message is signed with it; shown once."""
    state = models.CharField(max_length=3, choices=State.choices, default=State.ON)
    failing_since = models.DateTimeField(null=True, blank=True)
    """When the first of the failures in a row was; None while it works."""
    missed = models.PositiveIntegerField(default=0)
    """What was forgotten because too much had gathered; told with the next message."""
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(bot=None, tournament__isnull=False) | Q(bot__isnull=False, tournament=None),
                name="hook_of_a_bot_or_a_tournament",
            ),
        ]

    def __str__(self) -> str:
        return f"hook {self.pk}"

    @property
    def about(self) -> str:
        """The name of what it tells of."""
        told = self.bot or self.tournament
        return told.name if told is not None else ""


class Happening(models.Model):
    """Something that a hook has to tell and that is in no message yet."""

    class Kind(models.TextChoices):
        MATCH = "match"
        ROUND = "round"
        END = "end"

    hook = models.ForeignKey(Hook, on_delete=models.CASCADE, related_name="happenings")
    kind = models.CharField(max_length=5, choices=Kind.choices)
    match = models.ForeignKey("matches.Match", null=True, on_delete=models.CASCADE, related_name="+")
    round = models.ForeignKey("tournaments.Round", null=True, on_delete=models.CASCADE, related_name="+")

    class Meta:
        indexes = [models.Index(fields=["hook", "id"])]

    def __str__(self) -> str:
        return f"{self.kind} for hook {self.hook_id}"


class Delivery(models.Model):
    """A message. It keeps its name and its text however often it is sent, so that a receiver knows it again."""

    class State(models.TextChoices):
        WAITING = "waiting", pgettext_lazy("message", "waiting")
        DELIVERED = "delivered", pgettext_lazy("message", "delivered")
        FAILED = "failed", pgettext_lazy("message", "given up")

    class Trouble(models.TextChoices):
        NONE = "", ""
        NAME = "name", _("its name was not found")
        ADDRESS = "address", _("its address does not belong to the public internet")
        CONNECTION = "connection", _("nobody answered there")
        CERTIFICATE = "certificate", _("its certificate could not be verified")
        SLOW = "slow", _("it took too long")
        UNREADABLE = "unreadable", _("what it answered was no HTTP")
        STATUS = "status", _("it did not take the message")
        INTERRUPTED = "interrupted", _("it was interrupted")

    hook = models.ForeignKey(Hook, on_delete=models.CASCADE, related_name="deliveries")
    name = models.CharField(max_length=40, unique=True)
    """``msg_`` and 32 hex digits."""
    text = models.TextField()
    test = models.BooleanField(default=False)
    """Its owner asked for it: it is tried once."""
    state = models.CharField(max_length=9, choices=State.choices, default=State.WAITING)
    tries = models.PositiveSmallIntegerField(default=0)
    next_try = models.DateTimeField()
    """When it is sent; while somebody sends it, when somebody else does if nothing is heard of him."""
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    """The HTTP status of the last answer."""
    trouble = models.CharField(max_length=12, choices=Trouble.choices, blank=True)
    tried = models.DateTimeField(null=True, blank=True)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "deliveries"
        indexes = [
            models.Index(fields=["next_try"], condition=Q(state="waiting"), name="deliveries_due"),
            models.Index(fields=["hook", "-id"]),
            models.Index(fields=["created"]),
        ]

    def __str__(self) -> str:
        return self.name
