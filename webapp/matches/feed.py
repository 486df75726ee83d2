"""Lists of matches for programs: the newest first, without pictures, and never a record."""

from __future__ import annotations

from django.db.models import Prefetch, QuerySet

from webapp.bots.models import Bot
from webapp.matches.models import Entry, Match, Ruleset


def feed(
    *, ruleset: Ruleset | None = None, bot: Bot | None = None, before: Match | None = None, size: int
) -> list[Match]:
    """The newest matches of a ruleset, of a bot, of both or of all, that are older than ``before``."""
    found = _matches().order_by("-id")
    if bot is not None:
        found = found.filter(id__in=_ids_of(bot, ruleset, before, size))
    else:
        if ruleset is not None:
            found = found.filter(ruleset=ruleset)
        if before is not None:
            found = found.filter(id__lt=before.pk)
    return list(found[:size])


def one(*, name: str) -> Match | None:
    """A match as the lists have it."""
    return _matches().filter(name=name).first()


def _ids_of(bot: Bot, ruleset: Ruleset | None, before: Match | None, size: int) -> list[int]:
    # By way of the entries, whose index has a bot's newest matches in order. A bot may sit at a table twice.
    entries = Entry.objects.filter(bot=bot, listed__isnull=False).order_by("-match_id")
    if ruleset is not None:
        entries = entries.filter(listed=ruleset)
    if before is not None:
        entries = entries.filter(match_id__lt=before.pk)
    return list(entries.values_list("match_id", flat=True).distinct()[:size])


def _matches() -> QuerySet[Match]:
    entries = Entry.objects.select_related("bot", "version").defer("version__source").order_by("seat")
    return (
        Match.objects.filter(private=False)
        .select_related("ruleset", "block")
        .defer("record", "block__seed", "block__nonces")
        .prefetch_related(Prefetch("entries", entries))
    )
