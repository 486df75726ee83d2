"""The games, one file each, all laid out alike."""

from __future__ import annotations

from collections.abc import Mapping

from arena.lazy import Lazy
from arena.rules import AnyGame, RulesError

GAMES: Mapping[str, AnyGame] = Lazy({name: f"{__name__}.{name}" for name in ("three_coins", "mia", "commerce")}, "GAME")


def find_game(name: str) -> AnyGame:
    """The game with the code name ``name``.

    Raises:
        RulesError: there is none.
    """
    try:
        return GAMES[name]
    except KeyError:
        raise RulesError(f"there is no game {name!r}; there are: {', '.join(GAMES)}") from None
