"""Learns from every lifted cup who says what he saw, and believes everybody accordingly."""

from arena.games.mia import (
    CHALLENGE,
    CONCEDE,
    LOOK,
    ROLL,
    ROLLS,
    Dice,
    MiaEvent,
    Move,
    Options,
    RoundEnded,
    View,
    bears_out,
    options_of,
    ranking,
)
from arena.kit import Bot
from arena.table import MatchInfo

SLIPS = 0.1
"""How often even an honest player says anything."""

DOUBTED = 0.5
"""How often a false announcement is challenged, by and large."""


class Observer(Bot):
    """Takes everybody for honest (the truth if it may be said, else the least lie) or for one who says anything."""

    game = "mia"

    def on_start(self, match: MatchInfo) -> None:
        """Nothing is known of anybody yet: each may as well be the one as the other."""
        self.options = options_of(match.ruleset.values)
        self.honest = [0.5] * len(match.players)

    def on_event(self, event: MiaEvent) -> None:
        """When a cup is lifted, weigh what its roller said against what he had seen."""
        if not isinstance(event, RoundEnded):
            return
        shown = event.showdown
        if shown.looked and shown.dice is not None:
            told, anything = likelihoods(self.options, shown.dice, shown.claim, shown.to_beat)
            before = self.honest[shown.roller]
            self.honest[shown.roller] = before * told / (before * told + (1 - before) * anything)
            self.log(f"seat {shown.roller} is honest with probability {self.honest[shown.roller]:.2f}")

    def choose(self, view: View) -> Move:
        """Look at every roll; then the truth or the least lie; believe whom one may believe."""
        if view.phase == "opening":
            return ROLL
        if view.phase == "announcing":
            assert view.dice is not None  # it always looks
            truth = Move("say", ranking(view.options).called[view.dice])
            return truth if truth in view.legal else view.legal[0]
        true = self.belief(view)
        if view.phase == "mia":
            return LOOK if true * view.options.mia_wrong_look < view.options.mia_concede else CONCEDE
        # whoever has seen the dice will not be fooled by a cup that is passed on to him
        fooled = 0.0 if follower(view) in view.seen else 1 - DOUBTED
        costs = {
            CHALLENGE: true,
            Move("pass", view.announced or ""): (1 - true) * (1 - fooled),
            ROLL: (1 - honest_chance(view)) * DOUBTED,
        }
        return min((move for move in costs if move in view.legal), key=costs.__getitem__)

    def belief(self, view: View) -> float:
        """The probability that the dice bear the last announcement out."""
        assert view.announced is not None
        if view.dice is not None:
            return float(bears_out(view.options, view.dice, view.announced, view.to_beat))
        true = every = 0.0
        for dice in ROLLS:
            weight = 1.0
            if view.seen:
                (roller,) = view.seen
                told, anything = likelihoods(view.options, dice, view.claim, view.to_beat)
                weight = self.honest[roller] * told + (1 - self.honest[roller]) * anything
            every += weight
            true += weight * bears_out(view.options, dice, view.announced, view.to_beat)
        return true / every


def likelihoods(options: Options, dice: Dice, claim: str | None, to_beat: str | None) -> tuple[float, float]:
    """How likely ``claim`` is from an honest player who sees ``dice``, and from one who says anything."""
    values, rank, called, *_ = ranking(options)
    floor = 0 if to_beat is None else rank[to_beat] + (options.raise_rule == "higher")
    anything = 1 / (len(values) - floor)
    told = values[max(floor, rank[called[dice]])] == claim
    return (1 - SLIPS) * told + SLIPS * anything, anything


def honest_chance(view: View) -> float:
    """The probability that the next roll can be announced as it is."""
    values, rank, called, *_ = ranking(view.options)
    floor = rank[view.announced or values[0]] + (view.options.raise_rule == "higher")
    return sum(rank[called[dice]] >= floor for dice in ROLLS) / len(ROLLS)


def follower(view: View) -> int:
    """Who is next."""
    at = view.live.index(view.asked[0])
    return view.live[(at + (1 if view.clockwise else -1)) % len(view.live)]
