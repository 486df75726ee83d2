"""Three Coins: what bids and calls were worth.

Nobody can know what the others hid. So every number that a fist may hold is taken to be as likely as any other, and
what somebody said is not held for or against it. In the names below N is the number of coins hidden in all fists.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from arena.games.three_coins import FistsOpened, Move, RoundBroken, Showdown, Spoke, View
from arena.insight.chances import Goal, lasting
from arena.insight.model import Moment, Note, Swing
from arena.rules import Event
from arena.verify import Frame


@lru_cache(maxsize=4096)
def ways(most: tuple[int, ...]) -> tuple[int, ...]:
    """In how many ways fists that hold up to so many coins each hold 0, 1, 2 … coins together.

    >>> ways((1, 2))
    (1, 2, 2, 1)
    """
    found = [1]
    for coins in most:
        found = [sum(found[max(0, total - coins) : total + 1]) for total in range(len(found) + coins)]
    return tuple(found)


def bounds(move: Move, view: View) -> tuple[int, int]:
    """The least and the most N with which a bid holds, or a word is right, that is said in this position."""
    bid, in_play = view.bid or 0, sum(view.coins)
    return {
        "bid": (move.number, in_play),
        "call": (0, bid - 1),
        "cliff": (bid, bid),
        "zero": (0, 0),
        "max": (in_play, in_play),
    }[move.kind]


def likely(view: View, seat: int | None, least: int, most: int) -> float | None:
    """The chance that ``least`` <= N <= ``most``, for ``seat``, who knows his own fist; None: for who knows none.

    None where the viewer does not know that fist.
    """
    own = 0
    if seat is not None:
        hand = view.hands[seat]
        if hand is None:
            return None
        own = hand
    counts = ways(tuple(view.coins[other] for other in view.live if other != seat))
    low, high = max(0, least - own), max(-1, most - own)
    return sum(counts[low : high + 1]) / sum(counts)


def notes(seen: Sequence[Frame]) -> Iterator[Note]:
    """Bids against the fists, words against what their speaker could tell."""
    for step, frame in enumerate(seen):
        for event in frame.events:
            if isinstance(event, Spoke):
                before: View = seen[step - 1].view
                after: View = frame.view
                yield _bid(step, before, event) if event.move.kind == "bid" else _word(step, before, after, event)


def _total(view: View) -> int | None:
    hands = [view.hands[seat] for seat in view.live]
    return None if None in hands else sum(hand or 0 for hand in hands)


def _bid(step: int, view: View, event: Spoke) -> Note:
    seat, bid = event.seat, event.move.number
    total = _total(view)
    by = None if total is None else bid - total
    hearer = view.seat if view.seat in view.live else None
    return Note(
        step,
        seat,
        "claim",
        str(event.move),
        None if by is None else "true" if by <= 0 else "bluff",
        by,
        own=likely(view, seat, *bounds(event.move, view)),
        heard=likely(view, hearer, *bounds(event.move, view)),
        hearer=-1 if hearer is None else hearer,
        stake=_stake(view, seat),
    )


def _stake(view: View, seat: int) -> float:
    """What ``seat`` would lose of his chance by a coin less."""
    if view.options.objective == "first_empty":
        return 0.0  # a bid that does not hold costs nothing there
    less = view._replace(coins=tuple(own - (other == seat) for other, own in enumerate(view.coins)))
    return chances(view)[seat] - chances(less)[seat]


def _word(step: int, view: View, after: View, event: Spoke) -> Note:
    seat, word = event.seat, event.move.kind
    bid, in_play = view.bid or 0, sum(view.coins)
    end = after.last
    opened = end if end is not None and end.round == view.round else None
    # when the fists are open, everybody can see what whose fist told him
    known = view if opened is None else view._replace(hands=opened.hands)
    total = _total(known)
    aim = {"call": bid, "cliff": bid, "zero": 0, "max": in_play}[word]
    return Note(
        step,
        seat,
        "doubt",
        word,
        None if opened is None else "right" if opened.right else "wrong",
        None if total is None else aim - total,
        own=likely(known, seat, *bounds(event.move, view)),
        about=view.bidder if word in ("call", "cliff") and view.bidder is not None else -1,
    )


def ends(event: Event) -> bool:
    """Does it end a round?"""
    return isinstance(event, FistsOpened | RoundBroken)


def chances(view: View) -> tuple[float, ...]:
    """By the coins: every round costs one player a coin, or with ``first_empty`` rids him of it."""
    goal: Goal = "first" if view.options.objective == "first_empty" else "last"
    found = dict.fromkeys(range(len(view.coins)), 0.0)
    found |= zip(view.live, lasting([view.coins[seat] for seat in view.live], goal), strict=True)
    return tuple(found.values())


def moment(event: Event, swing: Swing, noted: Note | None) -> Moment | None:
    """What ended a round, as something to be told."""
    if not isinstance(event, FistsOpened):
        return None
    end: Showdown = event.showdown
    ender, word = end.said[-1].seat, end.said[-1].move.kind
    bids = [one for one in end.said if one.move.kind == "bid"]
    bid = bids[-1] if bids else None
    what = str(bid.move.number) if bid is not None and word in ("call", "cliff") else ""
    if word == "call" and end.right and bid is not None:
        return Moment(swing.step, "coins_caught", bid.seat, ender, what, swing.seat, swing.change(swing.seat), 1.25)
    kind = f"coins_{word}_{'right' if end.right else 'wrong'}"
    other = bid.seat if bid is not None else -1
    return Moment(swing.step, kind, ender, other, what, swing.seat, swing.change(swing.seat), 1.0)
