"""What the public saw of a step, as text for a channel, and back.

`public_frame` is the only way from a table to a channel: it asks the game's own ``view`` for what `PUBLIC` may know,
and takes no other viewer.
"""

from __future__ import annotations

import importlib
import json
from functools import cache
from typing import Any

from arena import rules
from arena.rules import PUBLIC, AnyGame, Event, heard
from arena.verify import Frame

NO_STEP = -1
"""A frame of a running match belongs to no step of a record: there is none yet."""


def public_frame(game: AnyGame, state: Any, events: tuple[Event, ...]) -> Frame:
    """What everybody may know of this state, and of how it came about."""
    return Frame(NO_STEP, game.view(state, PUBLIC), heard(events, PUBLIC))


def write(frame: Frame) -> str:
    """A frame as text."""
    return json.dumps([_plain(frame.view), _plain(frame.events)], separators=(",", ":"))


def read(game: str, text: str | bytes) -> Frame:
    """The frame that `write` has written.

    Raises:
        ValueError: it is none of this game.
    """
    types = _types(game)
    try:
        view, events = json.loads(text)
        return Frame(NO_STEP, _value(view, types), _value(events, types))
    except (KeyError, TypeError) as error:
        raise ValueError(f"no frame of {game}") from error


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        inner = [_plain(one) for one in value]
        return {type(value).__name__: inner} if hasattr(value, "_fields") else inner
    if isinstance(value, frozenset):
        return {"frozenset": sorted(value)}
    assert value is None or isinstance(value, (str, int)), f"{type(value).__name__} is in no view"
    return value


def _value(plain: Any, types: dict[str, Any]) -> Any:
    if isinstance(plain, list):
        return tuple(_value(one, types) for one in plain)
    if isinstance(plain, dict):
        ((name, inner),) = plain.items()
        if name == "frozenset":
            return frozenset(inner)
        return types[name](*(_value(one, types) for one in inner))
    return plain


@cache
def _types(game: str) -> dict[str, Any]:
    """What views and events of a game are made of, by name."""
    module = importlib.import_module(f"arena.games.{game}")
    return {
        name: one for one_module in (rules, module) for name, one in vars(one_module).items() if hasattr(one, "_fields")
    }
