"""Remembers every open fist, and expects everybody to hide as he has hidden before."""

from arena.games.three_coins import FistsOpened, Move, ThreeCoinsEvent, View
from arena.kit import Bot
from arena.table import MatchInfo


class Observer(Bot):
    """Guesses each rival's hand from the share of his coins that he usually hides."""

    game = "three_coins"

    def on_start(self, match: MatchInfo) -> None:
        """Nothing is known of anybody yet: a fist holds half of the coins, as if that had been seen once."""
        start = int(match.ruleset.values["start_coins"])
        self.owned = [start] * len(match.players)
        self.shares = [[0.5] for _ in match.players]

    def on_event(self, event: ThreeCoinsEvent) -> None:
        """When the fists open, note whose held which share of the coins that he had."""
        if isinstance(event, FistsOpened):
            for seat, hand in enumerate(event.showdown.hands):
                if hand is not None and self.owned[seat]:
                    self.shares[seat].append(hand / self.owned[seat])

    def choose(self, view: View) -> Move | str:
        """Hide anything; then top the last bid as long as the guess bears it out."""
        self.owned = list(view.coins)
        if view.phase == "hiding":
            return self.random.choice(view.legal)
        guess = self.guess(view)
        bids = [move for move in view.legal if move.kind == "bid" and move.number <= guess]
        if bids:
            return bids[-1]
        if view.bid is None:
            return view.legal[0]
        cliff = Move("cliff")
        return cliff if cliff in view.legal and abs(guess - view.bid) < 0.2 else "call"

    def guess(self, view: View) -> float:
        """The coins in all fists: its own, and each rival's usual share."""
        total = 0.0
        for seat in view.live:
            if seat == view.turn:
                total += view.hands[seat] or 0
            else:
                total += view.coins[seat] * sum(self.shares[seat]) / len(self.shares[seat])
        self.log(f"the last bid is {view.bid}; the fists hold {total:.1f}")
        return total
