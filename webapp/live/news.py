"""Telling pages that something on them is different now, once that is in the database."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from functools import partial

from django.db import transaction
from django.utils.crypto import salted_hmac

from webapp.live.channels import publish


def changed(*channels: str) -> None:
    """Have the pages that follow these channels look again, after the transaction that is under way."""
    for channel in channels:
        transaction.on_commit(partial(publish, channel, "changed"), robust=True)


def leaderboard_channel(ruleset: str) -> str:
    """The channel of the leaderboard of a ruleset, which is named by its key, ``mia/classic``."""
    return f"leaderboard-{ruleset.replace('/', '-')}"


def own_channel(kind: str, pk: int) -> str:
    """The channel of a page that one author alone may see: nobody else can reckon its name, or read anything off it."""
    digest = salted_hmac("webapp.live.own", f"{kind}-{pk}", algorithm="sha256").digest()
    return f"own-{urlsafe_b64encode(digest).rstrip(b'=').decode()}"


def channel_of_series(pk: int, *, private: bool) -> str:
    """Where the pages of a series hear that it has changed."""
    return own_channel("series", pk) if private else f"series-{pk}"


def series_changed(*series: int) -> None:
    """The same for series, which the front page shows too."""
    changed(*(channel_of_series(pk, private=False) for pk in series), "home")
