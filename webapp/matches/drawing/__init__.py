"""Pictures of tables, as SVG: one module a game. They know what a viewer saw and names, never a record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, cast

from arena.rules import Event, Outcome
from arena.verify import Frame
from webapp.matches.drawing import commerce, mia, three_coins
from webapp.matches.drawing.svg import Svg
from webapp.matches.drawing.telling import Told


class Drawing(Protocol):
    """What the module of a game has.

    ``seen`` is what one viewer has seen of a match of that game, from its start to the moment that is shown.
    A ``shape`` is ``wide`` or ``tall``.
    """

    def table(self, seen: Sequence[Frame], names: Sequence[str], shape: str) -> Svg:
        """The felt as the viewer sees it."""

    def signature(self, seen: Sequence[Frame], names: Sequence[str], shape: str) -> Svg:
        """The signature picture of the round that is played."""

    def signature_title(self, number: int) -> str:
        """What that picture of a round is called."""

    def key(self, seen: Sequence[Frame]) -> Sequence[tuple[str, str]]:
        """The kinds of marks in it, and what they mean."""

    def strip(self, seen: Iterable[Frame]) -> Svg:
        """The signature picture of a whole match, small."""

    def legend(self) -> str:
        """How to read the small pictures."""

    def caption(self, seen: Sequence[Frame], names: Sequence[str]) -> str:
        """What the table looks like, in a line."""

    def heading(self, event: Event, names: Sequence[str]) -> str | None:
        """The title of the round that ``event`` begins; None for any other event."""

    def part(self, number: int) -> str:
        """What a round is called within a sentence: ``round 3``, ``hand 3``."""

    def summary(self, event: Event, names: Sequence[str]) -> str | None:
        """A round in a line, from the event that ended it; None for any other event."""

    def joins(self, frame: Frame) -> bool:
        """Does this step go on with what the step before it began, so that the story tells both in one line?"""

    def told(self, frames: Sequence[Frame], names: Sequence[str]) -> Told | None:
        """The line of these joined steps; None where the sentences of their events say all."""

    def truth(self, view: Any, event: Event) -> str | None:
        """``true``, ``bluff``, ``unseen``, ``right``, ``wrong``, or None where the viewer cannot know."""

    def result(self, view: Any, outcome: Outcome, names: Sequence[str]) -> str:
        """Who won, and how, in a line; ``view`` is one of the end."""

    def page(self) -> Mapping[str, object]:
        """What else the rules' page shows, by the names that its template gives it."""


DRAWINGS: dict[str, Drawing] = {
    "three_coins": cast(Drawing, three_coins),
    "mia": cast(Drawing, mia),
    "commerce": cast(Drawing, commerce),
}


def drawing(game: str) -> Drawing | None:
    """How ``game`` is drawn, or None where nobody has drawn it yet."""
    return DRAWINGS.get(game)
