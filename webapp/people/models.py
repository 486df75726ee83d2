"""A person's seat: what the process that plays and the pages that ask tell each other."""

from __future__ import annotations

from django.db import models


class Sitting(models.Model):
    """Somebody at one table, for one match.

    The process that plays writes how far it is and what it asks; the pages write the answers. Both do it by
    conditional updates on the number of the question, so that neither a second click nor an old page does anything.
    """

    series = models.OneToOneField("matches.Series", on_delete=models.CASCADE, related_name="sitting")
    seat = models.PositiveSmallIntegerField()
    """Where the person sits."""
    token = models.CharField(max_length=64, unique=True)
    """SHA-256 of the secret in the table's address."""
    visitor = models.CharField(max_length=64, db_index=True)
    """SHA-256 of the secret in the session of who sits here. Both are needed to see or to do anything."""
    origin = models.CharField(max_length=64, blank=True)
    """The print of the address that it was opened from, as long as it is open: one address does not take all tables."""
    channel = models.CharField(max_length=100)
    """Where the page hears that something is new; nothing but that is said there. Nobody can guess its name."""
    created = models.DateTimeField(auto_now_add=True)
    steps = models.TextField(default="[]", editable=False)
    """The match as far as it was written down. It holds what is hidden: only views of it leave the server."""
    written = models.PositiveIntegerField(default=0)
    """Rises whenever something is new, for pages that ask whether there is."""
    question = models.PositiveIntegerField(default=0)
    """The number of the newest question."""
    until = models.DateTimeField(null=True, blank=True)
    """Until when it can be answered; None where nothing is asked."""
    answered = models.PositiveIntegerField(default=0)
    """The number of the question that ``answer`` answers."""
    answer = models.CharField(max_length=40, blank=True)
    """The text of a move, legal when it was given."""
    left = models.BooleanField(default=False)
    """The person has got up, or has let the time run out too often."""

    def __str__(self) -> str:
        return f"the person at the table of series {self.series_id}"
