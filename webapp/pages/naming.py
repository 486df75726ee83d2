"""What games and presets are called on pages."""

from __future__ import annotations

from typing import Protocol
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext as _

from arena.games import GAMES


class Named(Protocol):
    """A bot, of which no more is known here: the streaming process, which has no models, names games too."""

    name: str

    @property
    def is_person(self) -> bool:
        """Is this somebody in the browser?"""


def game_title(game: str) -> str:
    """The name that people read; the code name of a game that is no longer there."""
    found = GAMES.get(game)
    return _(found.title) if found is not None else game.replace("_", " ")


def shown_name(bot: Named) -> str:
    """A bot's name; who plays in the browser has none, and is called so in each language."""
    return _("a person") if bot.is_person else bot.name


def door_address() -> str:
    """Where a bot dials in, as `arena connect --server` takes it: the site's own host, and the port of its door."""
    host = urlsplit(settings.ARENA_BASE_URL).hostname or "localhost"
    return f"{host}:{settings.ARENA_DOOR_LISTEN.rpartition(':')[2]}"
