"""Commerce: notes against the cards that a seat has really seen, tried one by one."""

from __future__ import annotations

import random
from typing import Any

import pytest

from arena.games.commerce import (
    DECK,
    GAME,
    PASS,
    Bought,
    Discarded,
    HandBegan,
    Move,
    Offered,
    Reshuffled,
    Swapped,
    combination,
)
from arena.insight import commerce, insight
from arena.insight.model import Note
from arena.insight.words import tell_note
from arena.record import Record
from arena.rules import OMNISCIENT, PUBLIC, Drawn, Moved, Viewer, at_seat, ruleset
from arena.verify import frames
from tests.arena.decks import draw_for, stacked
from tests.arena.insight.played import match, names

PRESETS = [preset.name for preset in GAME.presets]


def notes(record: Record, viewer: Viewer = OMNISCIENT) -> tuple[Note, ...]:
    return insight("commerce", tuple(frames(record, viewer)), record.steps).notes


def makes(kept: set[str], card: str) -> bool:
    return combination(tuple(sorted((*kept, card)))) is not None


def test_what_completes_two_cards() -> None:
    for first in DECK[::5]:
        for second in DECK:
            if first != second:
                rest = [card for card in DECK if card not in (first, second)]
                expected = {card for card in rest if makes({first, second}, card)}
                assert commerce.completing((first, second)) == expected


def cards_in(view: Any) -> set[str]:
    """Every card that a seat's view shows."""
    known = {card for hand in view.hands if hand for card in hand}
    known |= {discard.card for discard in view.discards if discard.card is not None}
    return known | ({view.offer} if view.offer else set())


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_what_a_seat_could_hope_for_is_counted_card_by_card(preset: str, seed: int) -> None:
    record = match("commerce", preset, 4, seed=seed, hands=2, max_circles=4)
    everything = {(note.step, note.seat): note for note in notes(record)}
    tried = 0
    for seat in range(4):
        own = {(note.step, note.seat): note for note in notes(record, at_seat(seat))}
        assert {key[1] for key in own} <= {seat}
        seen: set[str] = set()
        before: Any = None
        reshuffled = False
        for step, frame in enumerate(frames(record, at_seat(seat))):
            # as it was before this step
            for event in frame.events:
                hidden = [card for card in DECK if card not in seen]
                note = own.get((step, seat))
                if isinstance(event, Bought) and event.seat == seat and before.stock and not reshuffled:
                    gone = next(one.card for one in frame.events if isinstance(one, Discarded))
                    kept = set(before.hands[seat]) - {gone}
                elif isinstance(event, Offered) and event.seat == seat:
                    kept = set(before.hands[seat]) - {frame.view.offer}
                elif isinstance(event, Swapped) and before.offer_to == seat:
                    kept = set(before.hands[seat]) - {event.gave}
                else:
                    continue
                assert note is not None
                assert note.own == pytest.approx(sum(makes(kept, card) for card in hidden) / len(hidden))
                assert everything[step, seat].own == note.own
                tried += 1
            reshuffled |= any(isinstance(event, Reshuffled) for event in frame.events)
            if any(isinstance(event, HandBegan) for event in frame.events):
                seen, reshuffled = set(), False
            else:
                seen |= cards_in(frame.view)
                seen |= {card for event in frame.events for card in getattr(event, "cards", ()) or ()}
                seen |= {event.got for event in frame.events if isinstance(event, Swapped)}
                seen |= {card for event in frame.events if hasattr(event, "points") for card in event.shown.cards}
            before = frame.view
    assert tried > 5
    assert notes(record, PUBLIC) == ()


def scripted(script: str, top: str, **options: object) -> Record:
    """A match of three that seat 0 deals first, from this top of the deck: 1, 2, 0, 1, 2, 0, 1, 2, 0, and the stock."""
    luck = {"start/lot": (0,), "hand/1/deck": draw_for(stacked(top.split()))}
    return match("commerce", None, 3, luck=luck, script=script, **options)


def test_what_is_told_of_purchases_and_offers() -> None:
    deal = "KC KD 2D 8H TH 7S 9H KH QS 3S"
    record = scripted("1 offer KC, 2 give TH, 2 pass, 0 buy 2D", deal, hands=1)
    told = [str(tell_note("commerce", note, names(record))).replace("\u00a0", " ") for note in notes(record)]
    assert told[:3] == [
        "a barter could make two combinations",
        "that makes a combination · it was 4 % likely",
        "that makes a combination · it was 22 % likely",
    ]
    (own, *_) = notes(record, at_seat(1))
    said = str(tell_note("commerce", own, names(record)))
    assert said.replace("\u00a0", " ") == "by bartering, a combination was 22 % likely"


def test_a_refusal_shows_what_it_cost() -> None:
    deal = "KC KD 2D 8H KH 7S 9H TS QS 3S"
    for visible, end in (("off", "it was 4 % likely"), ("on", "had seen the card")):
        record = scripted("1 offer KC, 2 refuse", deal, hands=1, offer_visible=visible)
        told = str(tell_note("commerce", notes(record)[1], names(record))).replace("\u00a0", " ")
        assert told == f"the card would have made a combination · {end}"


RICH: dict[str, object] = {"chips": 1000, "hands": 1}


def test_a_new_stock_holds_ones_own_discards() -> None:
    """One buys all that there is while the other passes: then the whole pile is his, and he knows the new stock."""
    seed, (script, pile, kept) = next((seed, found) for seed in range(50) if (found := _bought_up(seed)))
    record = match("commerce", "classic", 2, luck=_luck(seed), script=script, **RICH)
    bought = [note for note in notes(record, at_seat(1)) if note.kind == "buy"][len(pile) - 1]
    assert bought.own == pytest.approx(sum(makes(kept, card) for card in pile) / len(pile))


def _luck(seed: int) -> dict[str, list[int]]:
    dice = random.Random(seed)
    return {"start/lot": [0], "hand/1/deck": [dice.randrange(size) for size in range(52, 1, -1)]}


def _bought_up(seed: int) -> tuple[str, list[str], set[str]] | None:
    """What is to be played so that seat 1 buys until a new stock is made; all that it discarded, and what it kept.

    None where a combination comes up on the way, which would end the hand.
    """
    state, _ = GAME.start(ruleset(GAME, None, RICH), 2)
    luck, script, pile = _luck(seed), [], []
    while True:
        due = GAME.due(state)
        if due is not None:
            if due.label not in luck:
                return ", ".join(script), pile, set(state.hands[1] or ())
            state, _ = GAME.step(state, Drawn(tuple(luck[due.label])))
        elif state.phase == "over" or state.circle == 0:
            return None
        elif state.turn == 0:
            script.append("0 pass")
            state, _ = GAME.step(state, Moved({0: PASS}))
        else:
            top = state.stock[-1] if state.stock else ""
            hand = set(state.hands[1] or ())
            gone = next((card for card in sorted(hand) if not top or not makes(hand - {card}, top)), None)
            if gone is None:
                return None
            script.append(f"1 buy {gone}")
            pile.append(gone)
            state, _ = GAME.step(state, Moved({1: Move("buy", gone)}))
