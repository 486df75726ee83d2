"""Plays the equilibrium when two are left and nobody may pass: nobody gains anything on it, whatever he does.

It has no tables. Whoever rolls throws all secrets away, so each announcement with its answer is a game by itself, and
its solution can be written down: each value is doubted just so often that all lies bring the same, and lied just so
often that to doubt it and to believe it cost the same. ``docs/solve.md`` has the proof.
"""

from collections.abc import Sequence
from functools import cache
from operator import attrgetter
from typing import NamedTuple

from arena.games.mia import (
    CHALLENGE,
    CONCEDE,
    LOOK,
    ROLL,
    ROLLS,
    Move,
    Options,
    View,
    bears_out,
    ranking,
)
from arena.kit import Bot


class Equilibrium(Bot):
    """Before two are left, and where one may pass, it calculates."""

    game = "mia"

    def choose(self, view: View) -> Move:
        """One of the moves of the policy, as often as it says."""
        if not is_solved(view):
            return calculate(view)
        chances = self.policy(view)
        return self.random.choices(tuple(chances), tuple(chances.values()))[0]

    def policy(self, view: View) -> dict[Move, float]:
        """How often it makes each move, when two are left."""
        if view.phase == "opening":
            return {ROLL: 1.0}
        rank = ranking(view.options).rank
        floor = 0 if view.to_beat is None else rank[view.to_beat] + 1
        mine, theirs = lives(view)
        if view.phase == "announcing":
            assert view.dice is not None  # it always looks
            truth = Move("say", ranking(view.options).called[view.dice])
            return announce(play(view.options, mine, theirs)[0][floor:], truth)
        assert view.announced is not None
        may = play(view.options, theirs, mine)[0][floor:]
        doubted = doubt(may, may[rank[view.announced] - floor], looked=bool(view.seen))
        believe, disbelieve = (CONCEDE, LOOK) if view.phase == "mia" else (ROLL, CHALLENGE)
        return {believe: 1 - doubted, disbelieve: doubted}


def is_solved(view: View) -> bool:
    """Are two left, under rules for which this holds?"""
    options = view.options
    return (
        len(view.live) == 2
        and (options.pass_, options.raise_rule, options.penalty) == ("off", "higher", "life")
        and options.max_announcements >= len(ranking(options).values)
    )


def lives(view: View) -> tuple[int, int]:
    """One's own, and those of the other who is left."""
    mine, theirs = sorted(view.live, key=lambda seat: seat != view.seat)
    return view.lives[mine], view.lives[theirs]


# ---- one announcement and its answer -------------------------------------------------------------


class Says(NamedTuple):
    """A value, and what comes of saying it for who says it, in [-1, 1]."""

    say: Move
    chance: float
    """How likely the dice show just this."""
    believed: float
    true: float
    """It is doubted, and is true."""
    false: float
    blind: float
    """It is doubted, and nobody has looked at the dice."""
    least: float
    """What the truth brings at least: nobody believes what is better doubted although it is true."""
    often: float
    """How often it must be said, true or not, that to doubt it and to believe it cost the same."""


class Settled(NamedTuple):
    """What a lie brings, and how it comes to bring just that: the more is doubted, the less it is."""

    lie: float
    full: list[Says]
    """What is said just as often as it can bear."""
    last: Says | None
    """What is always believed and said the rest of the time; None where everything is doubted."""
    rest: float


def settle(may: Sequence[Says]) -> Settled:
    """How it is when these values may be said."""
    full: list[Says] = []
    rest = 1.0
    hopeless = max(one.false for one in may)
    for one in sorted(may, key=attrgetter("least"), reverse=True):
        if one.least <= hopeless:
            break
        if one.often >= rest:  # it bears all that is left to be said; to believe it is right then, and so it is below
            return Settled(one.least, full, one, rest)
        full.append(one)
        rest -= one.often
    return Settled(hopeless, full, None, rest)


def worth(may: Sequence[Says]) -> float:
    """What it is worth to have rolled, and looked, when these values may be said."""
    lie, full, _, _ = settle(may)
    return lie + sum(one.often * (one.least - lie) for one in full)


def announce(may: Sequence[Says], truth: Move) -> dict[Move, float]:
    """The truth where it pays, and otherwise lies that nobody can tell from it."""
    lie, full, last, rest = settle(may)
    honest = {one.say: 1.0 for one in full}
    lies = {one.say: one.often - one.chance for one in full}
    if last is not None:
        honest[last.say] = min(1.0, rest / last.chance)
        lies[last.say] = max(0.0, rest - last.chance)
    else:  # whoever has nothing true to say is lost, whatever he says
        hopeless = [one.say for one in may if one.false == lie]
        lies |= {say: lies.get(say, 0.0) + rest / len(hopeless) for say in hopeless}
    told, every = honest.get(truth, 0.0), sum(lies.values())
    chances = {say: (1 - told) * often / every for say, often in lies.items() if told < 1 and often > 0}
    return chances | {truth: chances.get(truth, 0.0) + told} if told else chances


def doubt(may: Sequence[Says], said: Says, *, looked: bool) -> float:
    """How often this is doubted."""
    if not looked:
        return float(said.blind < said.believed)
    if said.believed >= said.true:
        return 1.0
    lie = settle(may).lie
    return max(0.0, said.believed - lie) / (said.believed - said.false)


# ---- what it leads to ----------------------------------------------------------------------------


@cache
def play(options: Options, mine: int, theirs: int) -> tuple[list[Says], list[Says]]:
    """What each value brings when who says it has ``mine`` lives, and when he has ``theirs``."""
    ranks = ranking(options)
    shown = [ranks.rank[ranks.called[dice]] for dice in ROLLS]
    top = len(ranks.values) - 1
    both: tuple[list[Says], list[Says]] = ([], [])
    for rank in range(top, -1, -1):
        chance = shown.count(rank) / len(shown)
        reached = sum(roll >= rank for roll in shown) / len(shown)
        answered = [worth(one) for one in both] if rank < top else []  # to the other who rolls then
        for player, (own, other) in enumerate(((mine, theirs), (theirs, mine))):
            believed, true, false = (
                -losing(options, other, own),
                -losing(options, other, own),
                losing(options, own, other),
            )
            if rank < top:
                believed = -answered[1 - player]
            else:
                believed = -losing(options, other, own, options.mia_concede)
                true = -losing(options, other, own, options.mia_wrong_look)
                false = losing(options, own, other, options.mia_liar)
            least = min(believed, true)
            blind = reached * true + (1 - reached) * false
            often = chance * (true - false) / (least - false)
            both[player].insert(0, Says(ranks.says[rank], chance, believed, true, false, blind, least, often))
    return both


@cache
def losing(options: Options, own: int, other: int, price: int = 1) -> float:
    """What it is worth to who has ``own`` lives to lose ``price`` of them, in [-1, 1]."""
    if price >= own:
        return -1.0
    starter, second = play(options, own - price, other)
    return worth(starter) if options.next_starter == "loser" else -worth(second)


# ---- otherwise -----------------------------------------------------------------------------------


def calculate(view: View) -> Move:
    """As ``calculator`` does: truth or the least lie, and what costs least if every second player is honest."""
    if view.phase == "opening":
        return ROLL
    if view.phase == "announcing":
        assert view.dice is not None
        truth = Move("say", ranking(view.options).called[view.dice])
        return truth if truth in view.legal else view.legal[0]
    assert view.announced is not None
    values, rank, called, *_ = ranking(view.options)
    higher = view.options.raise_rule == "higher"
    floor = 0 if view.to_beat is None else rank[view.to_beat] + higher
    ways = [(dice, 1.0) for dice in ROLLS]
    if view.dice is not None:
        ways = [(view.dice, 1.0)]
    elif view.seen:
        anything = 1 / (len(values) - floor)
        ways = [(dice, (values[max(floor, rank[called[dice]])] == view.claim) + anything) for dice in ROLLS]
    true = sum(weight for dice, weight in ways if bears_out(view.options, dice, view.announced, view.to_beat))
    true /= sum(weight for _, weight in ways)
    follower = view.live[(view.live.index(view.asked[0]) + (1 if view.clockwise else -1)) % len(view.live)]
    truthful = sum(rank[called[dice]] >= rank[view.announced] + higher for dice in ROLLS) / len(ROLLS)
    costs = {
        CHALLENGE: true,
        Move("pass", view.announced): (1 - true) * (1.0 if follower in view.seen else 0.5),
        ROLL: (1 - truthful) * 0.5,
        CONCEDE: view.options.mia_concede,
        LOOK: true * view.options.mia_wrong_look,
    }
    return min((move for move in costs if move in view.legal), key=costs.__getitem__)
