"""Trades towards the nearest combination: keeps the two cards that most others would complete, not the third."""

from arena.games.commerce import DECK, Move, View, combination
from arena.kit import Bot


class Honest(Bot):
    """Barters whenever it can, buys as long as it has chips, and keeps a combination once it holds one."""

    game = "commerce"

    def choose(self, view: View) -> Move:
        """With a combination keep it; else offer the third card, and where that is refused buy for it."""
        hand = view.hands[view.asked[0]]
        assert hand is not None
        spare = min(hand, key=lambda card: (-outs(hand, card), DECK.index(card) % 13))
        kinds = ("refuse", "pass") if combination(hand) else ()
        for kind in (*kinds, "give", "offer", "buy"):
            move = Move(kind, "" if kind in kinds else spare)
            if move in view.legal:
                return move
        return view.legal[-1]


def outs(hand: tuple[str, ...], spare: str) -> int:
    """How many cards would make a combination in the place of ``spare``."""
    kept = tuple(card for card in hand if card != spare)
    return sum(combination((*kept, card)) is not None for card in DECK if card not in hand)
