"""Telling pages that something on them is different now, once that is in the database."""

from __future__ import annotations

from functools import partial

from django.db import transaction

from webapp.live.channels import publish


def changed(*channels: str) -> None:
    """Have the pages that follow these channels look again, after the transaction that is under way."""
    for channel in channels:
        transaction.on_commit(partial(publish, channel, "changed"), robust=True)


def leaderboard_channel(ruleset: str) -> str:
    """The channel of the leaderboard of a ruleset, which is named by its key, ``mia/classic``."""
    return f"leaderboard-{ruleset.replace('/', '-')}"


def series_changed(*series: int) -> None:
    """The same for series, which the front page shows too."""
    changed(*(f"series-{pk}" for pk in series), "home")
