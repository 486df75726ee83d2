"""Reads comparisons, for their author alone."""

from __future__ import annotations

from django.db.models import QuerySet

from webapp.bots.models import Bot
from webapp.comparing.models import Comparison
from webapp.matches.models import Ruleset


def _all(bot: Bot) -> QuerySet[Comparison]:
    # who has the bot has its comparisons: it may have another owner by now, who has not asked for these
    found = Comparison.objects.filter(bot=bot, author=bot.owner_id)
    return found.select_related("new", "old", "ruleset", "series").defer("new__source", "old__source")


def comparison(*, bot: Bot, pk: int) -> Comparison | None:
    """One of this bot's."""
    return _all(bot).filter(pk=pk).first()


def comparisons_of(*, bot: Bot, size: int = 10) -> list[Comparison]:
    """The newest of this bot."""
    return list(_all(bot).order_by("-id")[:size])


def rulesets_of(*, bot: Bot) -> QuerySet[Ruleset]:
    """The presets of its game, the flagship first."""
    return Ruleset.objects.filter(game=bot.game).exclude(preset="").order_by("-flagship", "id")
