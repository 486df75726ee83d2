"""What is counted in Mia.

| sum | of |
| --- | --- |
| ``claims``, ``bluffs``, ``steps`` | what it said of dice that it had seen; what was above them; by how many values |
| ``rolls``, ``blind`` | rolls; those at which it did not look |
| ``answers``, ``doubts``, ``right`` | announcements that it had to answer; those that it doubted; rightly |
| ``opens``, ``open V`` | first announcements of a round; how often that was the value V |
"""

from __future__ import annotations

from collections import Counter

from arena.games.mia import Acted, State, ranking


def count(
    before: State, after: State, events: tuple[object, ...], forced: frozenset[int], sums: list[Counter[str]]
) -> None:
    """Add what happened in one step."""
    for event in events:
        if not isinstance(event, Acted) or event.seat in forced:
            continue
        own, kind, value = sums[event.seat], event.move.kind, event.move.value
        if before.phase in ("answering", "mia"):
            own["answers"] += 1
        if kind in ("roll", "roll blind"):
            own["rolls"] += 1
            own["blind"] += kind == "roll blind"
        elif kind == "say":
            if before.announcements == 0:
                own["opens"] += 1
                own[f"open {value}"] += 1
            if event.seat in before.seen and before.dice is not None:
                ranks = ranking(before.options)
                above = ranks.rank[value] - ranks.rank[ranks.called[before.dice]]
                own["claims"] += 1
                own["bluffs"] += above > 0
                own["steps"] += max(0, above)
        elif kind in ("challenge", "look"):
            assert after.last is not None, "it ends the round"
            own["doubts"] += 1
            own["right"] += after.last.loser != event.seat
