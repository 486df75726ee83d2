"""How long a match can be at most: each game has a bound, which its own options set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from arena.games.commerce import HAND_LIMIT

ROLL_OFFS = 1000
"""Ties at the first start roll again. The chance of so many in a row is nothing, but it is no rule."""

Values = Mapping[str, Any]


def _three_coins(values: Values, players: int) -> int:
    """Rounds of a choice, bids that rise by one, and a word."""
    highest = 99 if values["max_bid"] == "none" else players * max(values["start_coins"], values["coin_cap"])
    return int(1 + values["max_rounds"] * (1 + (highest + 1) + 1))


def _mia(values: Values, players: int) -> int:
    """Rounds of rolls, their draws and announcements, and an end. Without sips each costs a life, or a player."""
    rounds = values["rounds"] if values["penalty"] == "sip" else players * values["lives"]
    return int(ROLL_OFFS + (rounds + players) * (3 * values["max_announcements"] + 1))


def _commerce(values: Values, players: int) -> int:
    """Hands of a deck and circles, in which each offers, is answered, buys and has the stock shuffled for it."""
    hands = values["hands"] if values["end"] == "hands" else HAND_LIMIT
    return int(1 + hands * (1 + values["max_circles"] * players * 4))


BOUNDS: Mapping[str, Callable[[Values, int], int]] = {
    "three_coins": _three_coins,
    "mia": _mia,
    "commerce": _commerce,
}


def bound(game: str, values: Values, players: int) -> int:
    """How many draws and decisions a match has at most; everybody may also leave once."""
    return BOUNDS[game](values, players) + players
