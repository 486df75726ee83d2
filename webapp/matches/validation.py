"""A new version shows that it works: a short, strict, unrated series against the house, before all others."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from arena.games import find_game
from arena.rules import ruleset
from webapp.bots.models import Bot, Version
from webapp.bots.selectors import ANCHOR
from webapp.bots.services import Refused
from webapp.matches import services
from webapp.matches.models import Ruleset, Series

SEATS = 3
"""So many sit at the table, where the rules allow it; as many matches are played, so that it sits everywhere once."""


@transaction.atomic
def begin(version: Version) -> Series:
    """Make the series, and wake a worker for it.

    Raises:
        Refused: there is no table for it: the house has no bots or no rules for the game.
    """
    game = version.bot.game
    row = Ruleset.objects.filter(game=game, flagship=True).exclude(preset="").first()
    house = _house(game)
    if row is None or not house:
        raise Refused(_("The house has no bots for this game yet, so nothing can be validated. Try again in a minute."))
    players = ruleset(find_game(game), row.preset, row.options).players
    seats = max(players[0], min(SEATS, players[-1]))
    others = [house[index % len(house)] for index in range(seats - 1)]
    series = services.create_series(
        ruleset=row,
        versions=[version, *others],
        planned=seats,
        purpose=Series.Purpose.VALIDATION,
        rated=False,
    )
    Version.objects.filter(pk=version.pk).update(validation=series)
    version.validation = series
    return series


def _house(game: str) -> list[Version]:
    """The house's bots for a game: the one that plays anything first, for it leads into the oddest positions."""
    bots = Bot.objects.filter(game=game, house=True, state=Bot.State.ACTIVE, active_version__source__isnull=False)
    found = Version.objects.filter(active_for__in=bots).select_related("bot").defer("source")
    return sorted(found, key=lambda version: (version.bot.name != ANCHOR, version.bot.name))
