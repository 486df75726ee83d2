"""Pictures of tables, as SVG: one module a game. They know a view and names, never a record."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol, cast

from arena.rules import Event, Outcome
from webapp.matches.drawing import three_coins
from webapp.matches.drawing.svg import Svg


class Drawing(Protocol):
    """What the module of a game has. A ``view`` is one of that game's, a ``shape`` is ``wide`` or ``tall``."""

    def table(self, view: Any, names: Sequence[str], shape: str) -> Svg:
        """The felt as the viewer sees it."""

    def crossing(self, view: Any, names: Sequence[str], shape: str) -> Svg:
        """The signature picture of the round that is played."""

    def strip(self, events: Iterable[Event]) -> Svg:
        """The signature picture of a whole match, small, from what everybody heard."""

    def caption(self, view: Any, names: Sequence[str]) -> str:
        """What the table looks like, in a line."""

    def heading(self, event: Event, names: Sequence[str]) -> str | None:
        """The title of the round that ``event`` begins; None for any other event."""

    def summary(self, event: Event, names: Sequence[str]) -> str | None:
        """A round in a line, from the event that ended it; None for any other event."""

    def example(self) -> tuple[Any, Sequence[str]]:
        """A view of the round that the rules' page tells, and the names in it."""

    def truth(self, view: Any, event: Event) -> str | None:
        """``true``, ``bluff``, ``right``, ``wrong``, or None where the viewer cannot know."""

    def result(self, view: Any, outcome: Outcome, names: Sequence[str]) -> str:
        """Who won, and how, in a line; ``view`` is one of the end."""


DRAWINGS: dict[str, Drawing] = {"three_coins": cast(Drawing, three_coins)}


def drawing(game: str) -> Drawing | None:
    """How ``game`` is drawn, or None where nobody has drawn it yet."""
    return DRAWINGS.get(game)
