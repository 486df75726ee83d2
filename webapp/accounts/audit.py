"""The organisers' log: what was done, to what, by whom. It is Django's own, which the admin shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib.admin.models import CHANGE, LogEntry
from django.db.models import Model

from webapp.accounts.models import User


def write_down(*, by: User, rows: Sequence[Model], text: str) -> None:
    """One line for each row. To be called in the transaction that does it."""
    objects: Any = rows  # any iterable will do
    if rows:
        LogEntry.objects.log_actions(by.pk, objects, CHANGE, text)
