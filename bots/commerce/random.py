"""Plays any legal move, each as likely as the others. All ratings are measured from this bot."""

from arena.games.commerce import Move, View
from arena.kit import Bot


class Random(Bot):
    """Knows nothing, and is afraid of nothing."""

    game = "commerce"

    def choose(self, view: View) -> Move:
        """Any of the legal moves."""
        return self.random.choice(view.legal)
