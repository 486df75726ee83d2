"""What is counted in Commerce.

| sum | of |
| --- | --- |
| ``turns``, ``buys``, ``offers`` | turns of its own; those that it ended by buying; cards that it offered |
| ``answers``, ``takes`` | cards that were offered to it; those for which it gave one |
| ``hands``, ``shows`` | hands that it was dealt; combinations that it laid open |
"""

from __future__ import annotations

from collections import Counter

from arena.games.commerce import Bartered, Bought, Dealt, HandEnded, Offered, OfferRefused, Passed, State


def count(
    before: State, after: State, events: tuple[object, ...], forced: frozenset[int], sums: list[Counter[str]]
) -> None:
    """Add what happened in one step."""
    for event in events:
        match event:
            case Dealt(seat=seat):
                sums[seat]["hands"] += 1
            case HandEnded(result=result):
                for shown in result.shown:
                    sums[shown.seat]["shows"] += 1
            case Bought(seat=seat) if seat not in forced:
                sums[seat]["turns"] += 1
                sums[seat]["buys"] += 1
            case Passed(seat=seat) if seat not in forced:
                sums[seat]["turns"] += 1
            case Offered(seat=seat) if seat not in forced:
                sums[seat]["offers"] += 1
            case Bartered(seat=seat, to=to):
                sums[seat]["turns"] += 1
                if to not in forced:
                    sums[to]["answers"] += 1
                    sums[to]["takes"] += 1
            case OfferRefused(to=to) if to not in forced and to in after.live:
                sums[to]["answers"] += 1
            case _:
                pass
