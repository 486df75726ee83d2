"""Telling a channel how a match goes, from where it is played: only what everybody at the table may know.

On ``series-<pk>``, a match is one ``match`` (what is played, by whom), then ``frame`` after ``frame``, numbered from 0,
and an ``end``. The start of a match takes the place of all that was said before it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from arena.rules import AnyGame, Event
from webapp.live.channels import publish
from webapp.live.frames import public_frame, write
from webapp.live.news import channel_of_series

KEPT = 5000
"""Frames that are kept of a running match; one that is longer cannot be joined in its middle."""


class Teller:
    """Tells how one match of a series goes."""

    def __init__(
        self, series: int, *, game: AnyGame, match: str, number: int, planned: int, bots: Sequence[str]
    ) -> None:
        self._channel = channel_of_series(series, private=False)
        self._game = game
        self._frames = 0
        said = {"match": match, "game": game.name, "number": number, "planned": planned, "bots": list(bots)}
        publish(self._channel, "match", json.dumps(said), kept=1)

    def watch(self, state: Any, events: tuple[Event, ...]) -> None:
        """After every step (`arena.referee.Watch`). The state is looked at in the thread that sends."""
        number, game = self._frames, self._game
        self._frames += 1
        publish(self._channel, "frame", lambda: f"{number} {write(public_frame(game, state, events))}", kept=KEPT)

    def end(self, *, whole: bool) -> None:
        """It is over and written down, or else it was broken off and will be played again."""
        publish(self._channel, "end", "whole" if whole else "void", kept=KEPT)
