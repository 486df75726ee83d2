"""Never bluffs: bids what it believes, and believes that the others have closed their fists on half of their coins."""

from arena.games.three_coins import CALL, Move, View
from arena.kit import Bot


class Honest(Bot):
    """Says its guess straight away; when the table has bid more than that, it does not believe it."""

    game = "three_coins"

    def choose(self, view: View) -> Move:
        """Hide anything, then bid the guess or call."""
        if view.phase == "hiding":
            return self.random.choice(view.legal)
        me = view.turn
        assert me is not None
        own, theirs = view.hands[me] or 0, view.in_play - view.coins[me]
        guess = Move("bid", own + theirs // 2)
        if guess in view.legal:
            return guess
        # too high already for an honest player; but who opens the bidding has to say something
        return CALL if view.bid is not None else view.legal[0]

    def policy(self, view: View) -> dict[Move, float]:
        """It hides any number alike, and has no dice for what it says."""
        return dict.fromkeys(view.legal, 1 / len(view.legal)) if view.phase == "hiding" else {self.choose(view): 1.0}
