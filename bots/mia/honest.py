"""Tells the truth when it can, the least lie when it cannot, and takes the others at their word for quite a while."""

from arena.games.mia import CHALLENGE, CONCEDE, LOOK, ROLL, ROLLS, Move, View, bears_out, ranking
from arena.kit import Bot

HOPE = 1 / 3
"""Rolls as long as its chance to be able to go on honestly is no less than this."""


class Honest(Bot):
    """Never vouches for dice that it has not seen."""

    game = "mia"

    def choose(self, view: View) -> Move:
        """Roll and look; say what is there; doubt where an honest answer can hardly be hoped for."""
        if view.phase == "opening":
            return ROLL
        if view.phase == "announcing":
            return self.announce(view)
        if view.dice is not None:
            return self.answer_knowing(view)
        if view.phase == "mia":
            return CONCEDE if view.options.mia_concede <= view.options.mia_wrong_look else LOOK
        return ROLL if ROLL in view.legal and hope(view) >= HOPE else CHALLENGE

    def policy(self, view: View) -> dict[Move, float]:
        """It has no dice of its own."""
        return {self.choose(view): 1.0}

    def announce(self, view: View) -> Move:
        """The truth, or the least lie."""
        assert view.dice is not None  # it always looks
        truth = Move("say", ranking(view.options).called[view.dice])
        return truth if truth in view.legal else view.legal[0]

    def answer_knowing(self, view: View) -> Move:
        """The cup has come back with its own dice in it."""
        assert view.dice is not None
        assert view.announced is not None
        true = bears_out(view.options, view.dice, view.announced, view.to_beat)
        if view.phase == "mia":
            return CONCEDE if true and view.options.mia_concede <= view.options.mia_wrong_look else LOOK
        if not true:
            return CHALLENGE
        on = Move("pass", view.announced)
        return next(move for move in (on, ROLL, CHALLENGE) if move in view.legal)


def hope(view: View) -> float:
    """The chance that a roll can be announced as it is."""
    ranks = ranking(view.options)
    floor = ranks.rank[view.announced or ranks.values[0]] + (view.options.raise_rule == "higher")
    return sum(ranks.rank[ranks.called[dice]] >= floor for dice in ROLLS) / len(ROLLS)
