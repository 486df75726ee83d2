"""Mia: what announcements and doubts were worth.

Who has not seen the dice takes them for a roll like any other: each of the 36 is as likely as the rest, and that
somebody announced a value is not held for or against it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache

from arena.games.mia import (
    MIA,
    ROLLS,
    VALUED,
    Acted,
    Dice,
    Options,
    RoundBroken,
    RoundEnded,
    View,
    bears_out,
    lowest_say,
    ranking,
)
from arena.insight.chances import lasting, race
from arena.insight.model import Moment, Note, Swing
from arena.rules import Event
from arena.verify import Frame


@lru_cache(maxsize=4096)
def reach(options: Options, value: str, to_beat: str | None = None) -> Fraction:
    """The share of rolls that bear ``value`` out, having been rolled against ``to_beat``."""
    return Fraction(sum(bears_out(options, roll, value, to_beat) for roll in ROLLS), len(ROLLS))


@lru_cache(maxsize=4096)
def beaten(options: Options, value: str) -> float:
    """The share of rolls that are above ``value``."""
    return sum(above(options, value, roll) < 0 for roll in ROLLS) / len(ROLLS)


def above(options: Options, value: str, dice: Dice) -> int:
    """By how many steps of the ladder ``value`` is above the dice."""
    _, rank, called, *_ = ranking(options)
    return rank[value] - rank[called[dice]]


def notes(seen: Sequence[Frame]) -> Iterator[Note]:
    """Announcements against the dice, doubts against what who doubted could tell."""
    for step, frame in enumerate(seen):
        for event in frame.events:
            if not isinstance(event, Acted) or event.move.kind.startswith("roll"):
                continue
            before: View = seen[step - 1].view
            if event.move.kind in VALUED:
                yield _claim(step, before, frame.view, event)
            else:
                yield _doubt(step, before, frame.view, event)


def _claim(step: int, before: View, after: View, event: Acted) -> Note:
    options, seat, value = after.options, event.seat, event.move.value
    _, rank, called, *_ = ranking(options)
    dice, looked = after.dice, seat in after.seen
    by = None if dice is None else above(options, value, dice)
    likely = float(reach(options, value, after.to_beat))
    own = likely if not looked else None if dice is None else float(bears_out(options, dice, value, after.to_beat))
    said = event.move.kind == "say"
    return Note(
        step,
        seat,
        "claim",
        str(event.move),
        "unseen" if not looked else None if by is None else "true" if by <= 0 else "bluff",
        by,
        forced=said and looked and dice is not None and rank[called[dice]] < lowest_say(options, before.announced),
        own=own,
        heard=likely,
        beaten=beaten(options, value),
        knew=looked,
        stake=_stake(before, seat, options.mia_liar if value == MIA else 1),
    )


def _stake(view: View, seat: int, price: int) -> float:
    """What ``seat`` would lose of his chance by so many lives less, or sips more."""
    if view.options.penalty == "sip":
        worse = view._replace(sips=tuple(own + price * (other == seat) for other, own in enumerate(view.sips)))
        worse = worse._replace(round=view.round + 1)
    else:
        worse = view._replace(
            lives=tuple(max(0, own - price * (other == seat)) for other, own in enumerate(view.lives))
        )
    return max(0.0, chances(view)[seat] - chances(worse)[seat])


def _doubt(step: int, before: View, after: View, event: Acted) -> Note:
    options, seat, how = before.options, event.seat, event.move.kind
    knew = seat in before.seen
    end = after.last
    dice = before.dice if how == "concede" or end is None else end.dice
    announced = before.announced or MIA
    own: float | None = float(1 - reach(options, announced, before.to_beat))
    if knew:
        own = None if dice is None else float(not bears_out(options, dice, announced, before.to_beat))
    right = end is not None and end.loser != seat
    return Note(
        step,
        seat,
        "doubt",
        how,
        "given" if how == "concede" else "right" if right else "wrong",
        None if dice is None else above(options, announced, dice),
        own=own,
        knew=knew,
        about=before.announcer if before.announcer is not None else -1,
    )


def ends(event: Event) -> bool:
    """Does it end a round?"""
    return isinstance(event, RoundEnded | RoundBroken)


def chances(view: View) -> tuple[float, ...]:
    """By the lives: every round costs one player a life. By the sips: each of the rounds left costs one of them one."""
    options = view.options
    if options.penalty == "sip":
        left = max(0, options.rounds - max(view.round, 1) + 1)
        own = race([-view.sips[seat] for seat in view.live], left, -1)
    else:
        own = lasting([view.lives[seat] for seat in view.live], "most" if options.end == "first_out" else "last")
    found = dict.fromkeys(range(len(view.lives)), 0.0)
    found |= zip(view.live, own, strict=True)
    return tuple(found.values())


def moment(event: Event, swing: Swing, noted: Note | None) -> Moment | None:
    """What ended a round, as something to be told."""
    if not isinstance(event, RoundEnded):
        return None
    end = event.showdown
    announcer, ender = end.announcer, end.ender
    change = swing.change(swing.seat)
    false = noted is not None and (noted.by or 0) > 0
    if end.how == "concede":
        kind, weight = ("mia_stood", 1.25) if false else ("mia_given", 1.0)
        return Moment(swing.step, kind, announcer, ender, end.announced, swing.seat, change, weight)
    if end.loser == ender:
        return Moment(swing.step, "mia_wrong", ender, announcer, end.announced, swing.seat, change, 1.0)
    # who passes a cup on has not looked, unless it came back to him
    lied = end.looked and end.roller == announcer
    kind, weight = ("mia_caught", 1.25) if lied and false else ("mia_unseen", 1.0)
    return Moment(swing.step, kind, announcer, ender, end.announced, swing.seat, change, weight)
