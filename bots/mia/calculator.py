"""Counts: in how many of the ways in which the dice can lie do they bear the announcement out?"""

from arena.games.mia import CHALLENGE, CONCEDE, LOOK, ROLL, ROLLS, Move, View, bears_out, ranking
from arena.kit import Bot

HONEST = 0.5
"""How many say what they saw if they may, and otherwise the least lie; the others say anything."""

DOUBTED = 0.5
"""How often a false announcement is challenged, by and large."""


class Calculator(Bot):
    """Does what it expects to cost it least."""

    game = "mia"

    def choose(self, view: View) -> Move:
        """Look at every roll; then the truth or the least lie; doubt what is too unlikely."""
        if view.phase == "opening":
            return ROLL
        if view.phase == "announcing":
            assert view.dice is not None  # it always looks
            truth = Move("say", ranking(view.options).called[view.dice])
            return truth if truth in view.legal else view.legal[0]
        considered = [CHALLENGE, Move("pass", view.announced or ""), ROLL, CONCEDE, LOOK]
        true = reach(view)
        return min((move for move in considered if move in view.legal), key=lambda move: cost(move, view, true))

    def policy(self, view: View) -> dict[Move, float]:
        """It has no dice of its own."""
        return {self.choose(view): 1.0}


def reach(view: View) -> float:
    """The probability that the dice bear the last announcement out: surely or not at all where it has seen them."""
    assert view.announced is not None
    ways = {view.dice: 1.0} if view.dice is not None else weights(view)
    true = sum(weight for dice, weight in ways.items() if bears_out(view.options, dice, view.announced, view.to_beat))
    return true / sum(ways.values())


def weights(view: View) -> dict[tuple[int, int], float]:
    """How likely each roll is, after what was said by who rolled it."""
    values, rank, called, *_ = ranking(view.options)
    floor = 0 if view.to_beat is None else rank[view.to_beat] + (view.options.raise_rule == "higher")
    anything = (1 - HONEST) / (len(values) - floor)
    ways = dict.fromkeys(ROLLS, 0.0)
    for dice in ROLLS:
        told = values[max(floor, rank[called[dice]])]
        ways[dice] += HONEST * (told == view.claim) + anything if view.seen else 1.0
    return ways


def cost(move: Move, view: View, true: float) -> float:
    """The lives that ``move`` can be expected to cost, sooner or later."""
    if move == CHALLENGE:
        return true
    if move == CONCEDE:
        return view.options.mia_concede
    if move == LOOK:
        return true * view.options.mia_wrong_look
    if move == ROLL:
        return (1 - honest_chance(view)) * DOUBTED
    # the cup is passed on: its own announcement now, and whoever has seen the dice knows all about it
    return (1 - true) * (1.0 if follower(view) in view.seen else DOUBTED)


def honest_chance(view: View) -> float:
    """The probability that the next roll can be announced as it is."""
    values, rank, called, *_ = ranking(view.options)
    floor = rank[view.announced or values[0]] + (view.options.raise_rule == "higher")
    return sum(rank[called[dice]] >= floor for dice in ROLLS) / len(ROLLS)


def follower(view: View) -> int:
    """Who is next."""
    at = view.live.index(view.asked[0])
    return view.live[(at + (1 if view.clockwise else -1)) % len(view.live)]
