"""Stacked decks: the draw that shuffles cards into a wanted order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from arena.chance import FRESH_DECK, shuffled


def draw_for(wanted: Sequence[str], fresh: Sequence[str] = FRESH_DECK) -> tuple[int, ...]:
    """What must be drawn so that `shuffled` turns ``fresh`` into ``wanted``, both from the bottom up."""
    cards = list(fresh)
    got = []
    for last in range(len(cards) - 1, 0, -1):
        place = cards.index(wanted[last])
        cards[last], cards[place] = cards[place], cards[last]
        got.append(place)
    assert shuffled(fresh, got) == tuple(wanted)
    return tuple(got)


def stacked(from_top: Iterable[str]) -> tuple[str, ...]:
    """A deck, from the bottom up, whose uppermost cards are these; the others lie below as in the fresh deck."""
    top = list(from_top)
    assert len(set(top)) == len(top), top
    return (*(card for card in FRESH_DECK if card not in top), *reversed(top))
