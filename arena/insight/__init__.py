"""What a finished match tells besides what happened: truth, chances, and the moments that decided it.

For finished records only, and pure: frames of one viewer go in, notes come out, so a note can say no more than what
that viewer saw. ``docs/insight.md`` says what the numbers mean.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, Protocol, cast

from arena.games.commerce import WentOut as Broke
from arena.games.mia import WentOut as Dead
from arena.games.three_coins import WentOut as Empty
from arena.insight import commerce, mia, three_coins
from arena.insight.model import Mark, Moment, Note, Swing
from arena.record import FaultStep, Record, Step
from arena.rules import OMNISCIENT, Event, MatchEnded
from arena.verify import Frame, frames

__all__ = ["Insight", "Mark", "Moment", "Note", "Swing", "insight", "marks", "telling_moments"]

MOST_MOMENTS = 3
"""As many as are worth telling of a match."""

STOOD = 0.5
"""A lie that stood is half as telling as one that was caught with as much at stake."""


class Knowledge(Protocol):
    """What the module of a game has."""

    def notes(self, seen: Sequence[Frame]) -> Iterator[Note]:
        """What claims, doubts and tries were worth, from the frames of one viewer."""

    def ends(self, event: Event) -> bool:
        """Does it end a round?"""

    def chances(self, view: Any) -> tuple[float, ...]:
        """Each seat's chance to win, from what everybody sees; they sum to 1."""

    def moment(self, event: Event, swing: Swing, noted: Note | None) -> Moment | None:
        """The end of a round as something to be told; ``noted`` is the note of this step. None: nothing to tell."""


GAMES: dict[str, Knowledge] = {
    "three_coins": cast(Knowledge, three_coins),
    "mia": cast(Knowledge, mia),
    "commerce": cast(Knowledge, commerce),
}


class Insight(NamedTuple):
    """All that is told of a match, for one viewer."""

    notes: tuple[Note, ...]
    swings: tuple[Swing, ...]
    """What each end of a round, each elimination and the end of the match changed."""
    moments: tuple[Moment, ...]
    """The most telling steps, the most telling one first."""
    marks: tuple[Mark, ...]


def insight(game: str, seen: Sequence[Frame], steps: Sequence[Step]) -> Insight:
    """What is told of ``steps`` to who saw them as ``seen``. Moments and marks take one who saw everything."""
    found = GAMES[game]
    notes = tuple(found.notes(seen))
    swings = tuple(_swings(found, seen))
    return Insight(
        notes, swings, tuple(_moments(found, seen, notes, swings)), tuple(_marks(seen, steps, notes, swings))
    )


def marks(record: Record) -> tuple[Mark, ...]:
    """The places on the bar of a replay, in order.

    Raises:
        VerificationError: a step that the rules do not allow.
    """
    return _whole(record).marks


def telling_moments(record: Record) -> tuple[Moment, ...]:
    """The few steps that decided a match, the most telling one first.

    Raises:
        VerificationError: a step that the rules do not allow.
    """
    return _whole(record).moments


def _whole(record: Record) -> Insight:
    return insight(record.game, tuple(frames(record, OMNISCIENT)), record.steps)


def out(event: Event) -> tuple[int, ...]:
    """The seats that go out by it."""
    return event.seats if isinstance(event, Empty | Dead | Broke) else ()


def _swings(game: Knowledge, seen: Sequence[Frame]) -> Iterator[Swing]:
    before: tuple[float, ...] | None = None
    for step, frame in enumerate(seen):
        end = next((event for event in frame.events if isinstance(event, MatchEnded)), None)
        if end is None and before is not None and not any(game.ends(event) or out(event) for event in frame.events):
            continue
        if end is None:
            after = game.chances(frame.view)
        else:
            places = end.outcome.places
            after = tuple(1 / places.count(1) if place == 1 else 0.0 for place in places)
        if before is not None:
            yield Swing(step, before, after)
        before = after


def _moments(
    game: Knowledge, seen: Sequence[Frame], notes: Sequence[Note], swings: Sequence[Swing]
) -> Sequence[Moment]:
    of_step = {note.step: note for note in notes}
    found = []
    for swing in swings:
        told = (game.moment(event, swing, of_step.get(swing.step)) for event in seen[swing.step].events)
        moment = next((one for one in told if one is not None), None) or _left(seen[swing.step], swing)
        if moment is not None:
            found.append(moment._replace(weight=moment.weight * swing.size))
    found += [
        Moment(lie.step, f"{kind}_stood", lie.seat, -1, value, lie.seat, lie.stake, STOOD * lie.stake)
        for lie in _stood(notes)
        for kind, _, value in (lie.what.partition(" "),)
    ]
    telling = sorted((one for one in found if one.weight >= 0.005), key=lambda one: (-one.weight, one.step))
    return telling[:MOST_MOMENTS]


def _left(frame: Frame, swing: Swing) -> Moment | None:
    """Somebody left the table."""
    gone = [seat for event in frame.events for seat in out(event)]
    if not gone:
        return None
    return Moment(swing.step, "left", gone[0], -1, "", swing.seat, swing.change(swing.seat), 1.0)


def _stood(notes: Sequence[Note]) -> Iterator[Note]:
    """The lies that the next one to speak did not doubt."""
    claims = [note for note in notes if note.kind in ("claim", "doubt")]
    for note, after in pairwise(claims):
        if note.truth == "bluff" and after.kind == "claim":
            yield note


def _marks(
    seen: Sequence[Frame], steps: Sequence[Step], notes: Sequence[Note], swings: Sequence[Swing]
) -> Sequence[Mark]:
    sizes = {swing.step: swing.size for swing in swings}
    found = [Mark(note.step, "lie", note.stake) for note in notes if note.truth == "bluff"]
    found += [Mark(note.step, "challenge", sizes.get(note.step, 0.0)) for note in notes if note.kind == "doubt"]
    for step, frame in enumerate(seen):
        weight = sizes.get(step, 0.0)
        if frame.step >= 0 and isinstance(steps[frame.step], FaultStep):
            found.append(Mark(step, "fault", weight))
        if any(out(event) for event in frame.events):
            found.append(Mark(step, "elimination", weight))
    return sorted(found)
