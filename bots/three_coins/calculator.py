"""Counts: how likely is each total, given its own fist, if the others hide any number of coins alike?"""

from arena.games.three_coins import Move, View
from arena.kit import Bot

CALLED = 0.5
"""How often a bid is called rather than topped, by and large."""


class Calculator(Bot):
    """Makes the move from which it expects most coins: its own count fully, a rival's loss as a share of that."""

    game = "three_coins"

    def choose(self, view: View) -> Move:
        """Hide anything, then say what is worth most."""
        if view.phase == "hiding":
            return self.random.choice(view.legal)
        chances = totals(view)
        return max(view.legal, key=lambda move: worth(move, view, chances))

    def policy(self, view: View) -> dict[Move, float]:
        """It hides any number alike, and has no dice for what it says."""
        return dict.fromkeys(view.legal, 1 / len(view.legal)) if view.phase == "hiding" else {self.choose(view): 1.0}


def totals(view: View) -> list[float]:
    """The probability of each total of coins in all fists: own hand known, the others' alike from none to all."""
    me = view.turn
    assert me is not None
    chances = [0.0] * (view.hands[me] or 0) + [1.0]
    for seat in view.live:
        if seat != me:
            hands = view.coins[seat] + 1
            spread = [0.0] * (len(chances) + hands - 1)
            for total, chance in enumerate(chances):
                for hand in range(hands):
                    spread[total + hand] += chance / hands
            chances = spread
    return chances + [0.0] * (view.in_play + 1 - len(chances))


def worth(move: Move, view: View, chances: list[float]) -> float:
    """The coins that ``move`` can be expected to bring."""
    me = view.turn
    assert me is not None
    rivals = len(view.live) - 1
    bid = move.number if move.kind == "bid" else view.bid or 0
    reached = sum(chances[bid:])
    right = {
        "bid": reached,
        "call": 1 - reached,
        "cliff": chances[bid] if bid < len(chances) else 0.0,
        "zero": chances[0],
        "max": chances[view.in_play],
    }[move.kind]
    if view.options.objective == "first_empty":  # who is right gets rid of a coin, and that is all that moves
        return right if move.kind != "bid" else CALLED * (reached - 1) / rivals
    wins = {
        "bid": 1 / rivals,
        "call": 1 / rivals,
        "cliff": 1.0 if view.coins[me] < view.options.coin_cap else 0.0,
        "zero": 1.0,
        "max": 0.0,
    }[move.kind]
    expected = right * wins - (1 - right)
    return expected * CALLED if move.kind == "bid" else expected
