"""What is counted in Three Coins.

| sum | of |
| --- | --- |
| ``hands``, ``owned``, ``hidden`` | rounds in which it hid coins; the coins that it had then, and hid |
| ``empty``, ``hand N`` | empty fists; fists with N coins |
| ``bids``, ``over``, ``steps`` | bids; those above the coins in all fists, by how many coins in all |
| ``answers``, ``calls``, ``right`` | turns after a bid; those in which it ended the bidding; rightly |
| ``opens``, ``open N`` | first words of a round; how often that was the bid N |
"""

from __future__ import annotations

from collections import Counter

from arena.games.three_coins import FistsClosed, Spoke, State


def count(
    before: State, after: State, events: tuple[object, ...], forced: frozenset[int], sums: list[Counter[str]]
) -> None:
    """Add what happened in one step."""
    for event in events:
        if isinstance(event, FistsClosed):
            for seat in event.seats:
                hand = after.hands[seat]
                if hand is None or seat in forced:
                    continue
                own = sums[seat]
                own["hands"] += 1
                own["owned"] += before.coins[seat]
                own["hidden"] += hand
                own["empty"] += hand == 0
                own[f"hand {hand}"] += 1
        elif isinstance(event, Spoke) and event.seat not in forced:
            _spoken(before, after, event, sums[event.seat])


def _spoken(before: State, after: State, event: Spoke, own: Counter[str]) -> None:
    if not before.said:
        own["opens"] += 1
        own[f"open {event.move}".replace("open bid", "open")] += 1
    if before.bid is not None:
        own["answers"] += 1
    if event.move.kind == "bid":
        above = event.move.number - sum(hand or 0 for hand in before.hands)
        own["bids"] += 1
        own["over"] += above > 0
        own["steps"] += max(0, above)
    elif before.bid is not None:
        assert after.last is not None, "it ends the round"
        own["calls"] += 1
        own["right"] += after.last.right
