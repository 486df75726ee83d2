"""What can be said of a finished match besides what happened: the types."""

from __future__ import annotations

from typing import NamedTuple


class Note(NamedTuple):
    """What one claim, doubt or try was worth, as far as one viewer can know it at that step.

    A chance is a number from 0 to 1, or None where the viewer cannot work it out.
    """

    step: int
    """The frame that it belongs to: 0 is the start, then one for each step of the record."""
    seat: int
    """Who acted."""
    kind: str
    """``claim``: an announcement or a bid. ``doubt``: what ended a round. ``buy``, ``offer``, ``give``, ``refuse``:
    what was done for a combination."""
    what: str
    """What was claimed or done, as its move is written."""
    truth: str | None
    """Of a claim: ``true``, ``bluff``, or ``unseen`` (its dice had not been looked at). Of a doubt: ``right``,
    ``wrong``, or ``given`` (he gave in). Of a purchase or an answer to an offer: ``made`` or ``missed``, whether the
    card makes a combination, or would have. Of an offer: who could make one by bartering, ``own``, ``theirs``,
    ``both`` or ``neither``. None where the viewer does not know."""
    by: int | None = None
    """How far a claim is above the truth: in steps of the ladder, or in coins. Below 0: it says too little."""
    forced: bool = False
    """There was no true claim to make."""
    own: float | None = None
    """For who acted: the chance that a claim holds, that a doubt is right, that a combination is completed."""
    heard: float | None = None
    """The chance that a claim holds, for who hears it."""
    hearer: int = -1
    """Whose own fist that takes into account; -1: nobody's, and only what everybody knows."""
    beaten: float | None = None
    """The chance that a new roll is above an announcement."""
    knew: bool = False
    """Who acted knew the answer, having seen the dice or the card."""
    about: int = -1
    """Whose claim is doubted; who is offered the card."""
    stake: float = 0.0
    """What who claims would lose of his chance to win, were the claim found out now."""


class Swing(NamedTuple):
    """How a step that ended something changed the chances to win."""

    step: int
    before: tuple[float, ...]
    """By seat, when the round began; they sum to 1."""
    after: tuple[float, ...]

    @property
    def size(self) -> float:
        """The largest change of any seat."""
        return abs(self.change(self.seat))

    @property
    def seat(self) -> int:
        """Whose chance changed most; of equal ones, who lost rather than who gained, then the lower seat."""
        return max(range(len(self.before)), key=lambda seat: (round(abs(self.change(seat)), 9), -self.change(seat)))

    def change(self, seat: int) -> float:
        """By how much the chance of ``seat`` changed."""
        return self.after[seat] - self.before[seat]


class Moment(NamedTuple):
    """One of the steps that decided a match."""

    step: int
    kind: str
    """The key of its sentence; `arena.insight.words` has them."""
    who: int
    """Whom the sentence is about."""
    other: int
    """Who else is in it; -1: nobody."""
    what: str
    """The claim, the bid, or the combination; empty where there is none."""
    seat: int
    """Whose chance to win is told."""
    change: float
    """By how much it changed; of a lie that stood, what was at stake."""
    weight: float
    """How telling it is, from 0 to 1."""


class Mark(NamedTuple):
    """A place on the bar of a replay."""

    step: int
    """The frame, as in the addresses of a replay: 0 is the start."""
    kind: str
    """``lie``, ``challenge``, ``elimination`` or ``fault``."""
    weight: float
    """From 0 to 1: how much of somebody's chance to win hung on it, or went with it."""
