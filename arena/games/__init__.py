"""The games, one file each, all laid out alike."""

from __future__ import annotations

from arena.games.commerce import GAME as COMMERCE
from arena.games.mia import GAME as MIA
from arena.games.three_coins import GAME as THREE_COINS
from arena.rules import AnyGame, RulesError

GAMES: dict[str, AnyGame] = {game.name: game for game in (THREE_COINS, MIA, COMMERCE)}


def find_game(name: str) -> AnyGame:
    """The game with the code name ``name``.

    Raises:
        RulesError: there is none.
    """
    try:
        return GAMES[name]
    except KeyError:
        raise RulesError(f"there is no game {name!r}; there are: {', '.join(GAMES)}") from None
