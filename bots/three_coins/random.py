"""Plays any legal move, each as likely as the others. All ratings are measured from this bot."""

from arena.games.three_coins import Move, View
from arena.kit import Bot


class Random(Bot):
    """Knows nothing, and is afraid of nothing."""

    game = "three_coins"

    def choose(self, view: View) -> Move:
        """Any of the legal moves."""
        return self.random.choice(view.legal)

    def policy(self, view: View) -> dict[Move, float]:
        """All alike."""
        return dict.fromkeys(view.legal, 1 / len(view.legal))
