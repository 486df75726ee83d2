"""What the laws must know of Commerce: what never gets lost, and how cards that one does not know can be swapped."""

from __future__ import annotations

import random

from arena.chance import FRESH_DECK, shuffled
from arena.games.commerce import GAME, Discard, HandEnded, Move, Scored, State
from arena.rules import Drawn, Happening, Moved, Viewer
from tests.arena.decks import draw_for

WITH_CARDS = ("trading", "offered", "reshuffle")
"""The phases in which the 52 cards are on the table; in the others they are being gathered in."""


def conserved(state: State) -> None:
    """Chips and pot, the 52 cards, and who is in or out."""
    seats = range(len(state.chips))
    assert sum(state.chips) + state.pot == state.options.chips * len(state.chips)
    assert min(*state.chips, state.pot) >= 0
    assert sorted((*state.live, *(seat for group in state.out for seat in group))) == list(seats)
    held = [card for cards in state.hands for card in cards or ()]
    cards = [*held, *state.stock, *state.aside, *(str(discard.card) for discard in state.discards)]
    assert sorted(cards) == (sorted(FRESH_DECK) if state.phase in WITH_CARDS else [])
    for seat, hand in enumerate(state.hands):
        if state.phase not in WITH_CARDS or seat not in state.live:
            assert hand is None
        else:
            assert hand is not None
            assert len(hand) == (2 if state.phase == "reshuffle" and seat == state.turn else 3)
            assert list(hand) == sorted(hand, key=FRESH_DECK.index)
    assert (state.offer is not None) == (state.offer_to >= 0) == (state.phase == "offered")
    assert state.offer is None or state.offer in (state.hands[state.turn] or ())
    assert state.options.mode == "deck_out" or not any(state.points)
    assert all(state.points[seat] == 0 for seat in seats if seat not in state.live)


def twin(
    state: State, happening: Happening | None, viewer: Viewer, dice: random.Random
) -> tuple[State, Happening | None]:
    """Other cards wherever the viewer does not know them; what he is about to learn stays where it is.

    Where somebody shows cards in what follows, only the states are alike.
    """
    other, otherwise = state, happening
    if state.phase == "deal":
        assert isinstance(happening, Drawn)
        otherwise = _other_deal(state, happening, viewer, dice)
    elif state.phase in WITH_CARDS:
        fixed = _fixed(state, happening, viewer)
        other = _other_cards(state, fixed, dice)
        if state.offer is not None and state.offer not in fixed:
            other = other._replace(offer=dice.choice(other.hands[state.turn] or ()))
        if isinstance(happening, Moved):
            ((seat, move),) = happening.moves.items()
            if move.card and move.card not in fixed:
                otherwise = Moved({seat: Move(move.kind, dice.choice(other.hands[seat] or ()))})
        elif isinstance(happening, Drawn) and state.turn != viewer.seat:
            otherwise = Drawn(tuple(dice.randrange(size) for size in range(len(happening.got) + 1, 1, -1)))
    if happening is None or _shows(state, happening) or otherwise is None or _shows(other, otherwise):
        return other, None
    return other, otherwise


def _shows(state: State, happening: Happening) -> bool:
    """Is a combination laid open in what follows?"""
    _, events = GAME.step(state, happening)
    return any(isinstance(e, Scored) or (isinstance(e, HandEnded) and e.result.shown) for e in events)


def _fixed(state: State, happening: Happening | None, viewer: Viewer) -> set[str]:
    """The cards that the viewer knows, and those that he learns by what happens."""
    fixed = {str(discard.card) for discard in state.discards if discard.shown or discard.seat == viewer.seat}
    if viewer.kind != "seat":
        return fixed
    fixed |= set(state.hands[viewer.seat] or ())
    mine = viewer.seat == state.turn
    asked_to_barter = viewer.seat == state.offer_to
    if state.offer is not None and asked_to_barter and state.options.offer_visible == "on":
        fixed.add(state.offer)
    if isinstance(happening, Moved):
        ((_, move),) = happening.moves.items()
        if move.kind == "give" and mine:
            fixed.add(move.card)
        if move.kind == "give" and asked_to_barter:
            fixed.add(str(state.offer))
        if move.kind == "offer" and state.options.offer_visible == "on":
            _, events = GAME.step(state, happening)
            if any(e.audience is not None and viewer.seat in e.audience for e in events):
                fixed.add(move.card)
        if move.kind == "buy" and mine:
            fixed |= set(state.stock[-1:] or [str(discard.card) for discard in state.discards[:1]])
    elif isinstance(happening, Drawn) and mine:
        fixed.add(shuffled([str(discard.card) for discard in state.discards], happening.got)[-1])
    return fixed


def _other_cards(state: State, fixed: set[str], dice: random.Random) -> State:
    """All cards but the fixed ones change places."""
    held = [card for cards in state.hands for card in cards or ()]
    every = [*held, *state.stock, *state.aside, *(str(discard.card) for discard in state.discards)]
    loose = [card for card in every if card not in fixed]
    now = dict(zip(loose, dice.sample(loose, len(loose)), strict=True))

    def swapped(cards: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(now.get(card, card) for card in cards)

    def in_order(cards: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(sorted(swapped(cards), key=FRESH_DECK.index))

    return state._replace(
        hands=tuple(None if cards is None else in_order(cards) for cards in state.hands),
        stock=swapped(state.stock),
        aside=in_order(state.aside),
        discards=tuple(Discard(seat, *swapped((str(card),)), shown) for seat, card, shown in state.discards),
    )


def _other_deal(state: State, happening: Drawn, viewer: Viewer, dice: random.Random) -> Drawn:
    """Another shuffle that deals the viewer the same cards."""
    deck = shuffled(FRESH_DECK, happening.got)
    after, _ = GAME.step(state, happening)
    kept = set(after.hands[viewer.seat] or ()) if viewer.kind == "seat" else set()
    loose = [card for card in deck if card not in kept]
    now = dict(zip(loose, dice.sample(loose, len(loose)), strict=True))
    return Drawn(draw_for([now.get(card, card) for card in deck]))
