"""Mia for two, without passing.

Whoever rolls throws away what lay under the cup, and with it all that anybody knew in secret. What is left of the
round is a game of its own: it depends on the lives and on the *floor* alone, the lowest value that may still be said.
So each of these games is solved by itself, the highest floor first, and each pair of lives after those with fewer.

In the names below a *rank* is the place of a value in the ranking, from 0, and so is a *floor*: f means that the value
of rank f - 1 stands, and 0 that none does. A *roll* is one of the 21 pairs of dice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from arena.games.mia import (
    CHALLENGE,
    CONCEDE,
    GAME,
    LOOK,
    ROLL,
    ROLL_BLIND,
    ROLLS,
    Dice,
    Move,
    Options,
    State,
    View,
    options_of,
    ranking,
)
from arena.rules import AnyGame, Ruleset, at_seat, ruleset
from arena.solve.common import Floats, Policy, Reply, Solved, Unsolvable, check_two, optimum, probabilities

DICE: tuple[Dice, ...] = tuple(dict.fromkeys(ROLLS))
"""The 21 rolls."""

BLIND = len(DICE)
"""Stands in the tables after them: for dice that nobody has looked at."""

CHANCE = np.array([ROLLS.count(dice) / len(ROLLS) for dice in DICE])

ROLLING = (ROLL, ROLL_BLIND)
ANSWERS = (ROLL, ROLL_BLIND, CHALLENGE)
MIA_ANSWERS = (CONCEDE, LOOK)

Lives = tuple[int, int]
"""One's own lives and the other's."""


class Model(NamedTuple):
    """A ruleset, as far as it matters to two players who do not pass."""

    options: Options
    top: int
    """The rank of Mia."""
    true: npt.NDArray[np.bool_]
    """[roll, rank]: does the roll bear the value out?"""


class Spot(NamedTuple):
    """An information set: what matters of what the one who is asked knows."""

    starts: bool
    """Did he start this round?"""
    lives: Lives
    floor: int = 0
    """When the dice were rolled that lie under the cup; or are to be rolled, at the opening."""
    roll: int | None = None
    """The own roll that is to be announced, or `BLIND`."""
    rank: int | None = None
    """What the other has announced."""
    looked: bool = False
    """Had he looked?"""


class Tables(NamedTuple):
    """How somebody plays, as probabilities. The first three axes are who starts the round (0: he, 1: the other), his
    own lives less one, and the other's less one."""

    opening: Floats
    """[..., 2]: `ROLLING`."""
    say: Floats
    """[..., floor, roll, rank]."""
    answer: Floats
    """[..., floor, rank, looked, 3]: `ANSWERS` to ``rank`` announced at ``floor``; at the top `MIA_ANSWERS`."""


def model(rules: Ruleset) -> Model:
    """What matters of ``rules``."""
    options = options_of(rules.values)
    values, rank, called, *_ = ranking(options)
    ranks = np.array([rank[called[dice]] for dice in DICE])
    return Model(options, len(values) - 1, ranks[:, None] >= np.arange(len(values)))


def blank(this: Model) -> Tables:
    """Tables full of zeros."""
    lives, says = this.options.lives, this.top + 1
    return Tables(
        opening=np.zeros((2, lives, lives, 2)),
        say=np.zeros((2, lives, lives, says, BLIND + 1, says)),
        answer=np.zeros((2, lives, lives, says, says, 2, 3)),
    )


# ---- how a round can end -------------------------------------------------------------------------


class Losses(NamedTuple):
    """What it is worth to one of the two, in [-1, 1], that he or the other loses as many lives as an end costs."""

    challenge: float
    concede: float
    look: float
    liar: float


def losses(options: Options, worth: Mapping[tuple[int, int, bool], float], lives: Lives) -> tuple[Losses, Losses]:
    """What is at stake for who has ``lives[0]``: when he loses, and when the other does.

    ``worth`` is the value of a round to him by his lives, the other's, and whether he starts it.
    """
    mine, theirs = lives
    loser_starts = options.next_starter == "loser"
    prices = (1, options.mia_concede, options.mia_wrong_look, options.mia_liar)
    return (
        Losses(*(worth[mine - price, theirs, loser_starts] if price < mine else -1.0 for price in prices)),
        Losses(*(worth[mine, theirs - price, not loser_starts] if price < theirs else 1.0 for price in prices)),
    )


def doubted(this: Model, own: Losses, other: Losses) -> Floats:
    """[roll, rank]: what it brings the announcer to be challenged, or at the top to be looked at.

    Args:
        this: the rules.
        own: what is at stake for him when he loses.
        other: what is at stake for him when the other loses.
    """
    paid = np.where(this.true, other.challenge, own.challenge)
    paid[:, this.top] = np.where(this.true[:, this.top], other.look, own.liar)
    return paid


# ---- optimal play --------------------------------------------------------------------------------


def optimal(this: Model) -> tuple[Tables, dict[Lives, float]]:
    """Optimal play, and what a round is worth to who starts it."""
    tables = blank(this)
    tables.opening[..., 0] = 1.0
    worth: dict[tuple[int, int, bool], float] = {}
    lives = range(1, this.options.lives + 1)
    for pair in sorted(((more, less) for more in lives for less in lives if more >= less), key=sum):
        for (mine, theirs), value in _optimal_rounds(this, worth, pair, tables).items():
            worth[mine, theirs, True] = value
            worth[theirs, mine, False] = -value
    return tables, {(mine, theirs): value for (mine, theirs, starts), value in worth.items() if starts}


def _optimal_rounds(
    this: Model, worth: Mapping[tuple[int, int, bool], float], pair: Lives, tables: Tables
) -> dict[Lives, float]:
    """The rounds between these two, whichever of them begins; fills in how both of them play."""
    top = this.top
    both = list(dict.fromkeys((pair, pair[::-1])))
    stakes = {lives: losses(this.options, worth, lives) for lives in both}
    rolling = {lives: [0.0] * (top + 1) for lives in both}  # what it is worth to roll at each floor
    for floor in range(top, -1, -1):
        for mine, theirs in both:
            own, other = stakes[mine, theirs]
            believed = np.array([-rolling[theirs, mine][rank + 1] for rank in range(floor, top)] + [other.concede])
            paid = doubted(this, own, other)[:, floor:]
            value, say, doubts = announcing(believed, paid)
            # Not to look is never better: who has looked can still say what he would have said blindly, and gets the
            # same for it, whatever the other does. It can be answered once and for all, since nobody knows a thing.
            rolling[mine, theirs][floor] = value
            blindly = CHANCE @ paid
            blind_say = int(np.minimum(believed, blindly).argmax())
            tables.say[:, mine - 1, theirs - 1, floor, :BLIND, floor:] = say
            tables.say[:, mine - 1, theirs - 1, floor, BLIND, floor + blind_say] = 1.0
            answer = tables.answer[:, theirs - 1, mine - 1, floor]  # the other's
            for looked, doubt in ((1, doubts), (0, (blindly < believed).astype(float))):
                answer[:, floor:, looked, 0] = 1 - doubt
                answer[:, floor:top, looked, 2] = doubt[:-1]
                answer[:, top, looked, 1] = doubt[-1]
    return {lives: rolling[lives][0] for lives in both}


def announcing(believed: Floats, paid: Floats) -> tuple[float, Floats, Floats]:
    """One announcement and its answer, where the announcer has looked: a game in itself, as a linear program.

    Args:
        believed: what it brings him when the value is believed (a Mia: when it is conceded), for each that he can say.
        paid: what it brings him when it is doubted, for each roll and value.

    Returns:
        What the game is worth to him; the probabilities of the values for each roll; that of a doubt for each value.
    """
    # rolls for which every announcement brings the same are one roll; below the floor all of them are
    paid, kind = np.unique(paid, axis=0, return_inverse=True)
    chances = np.bincount(kind, CHANCE).astype(np.float64)
    kinds, says = paid.shape
    cells, brought = kinds * says, np.arange(says)
    roll, value = np.divmod(np.arange(cells), says)
    # For each roll and value the probability of both, then what each value brings: no more than if it is always
    # believed, and no more than if it is always doubted. How much either of the two counts is how often it is done.
    rows = np.concatenate((value, brought, says + value, says + brought))
    columns = np.tile(np.arange(cells + says), 2)
    entries = np.concatenate((-believed[value], np.ones(says), -paid.ravel(), np.ones(says)))
    bounds = csr_array((entries, (rows, columns)), shape=(2 * says, cells + says))
    fallen = csr_array((np.ones(cells), (roll, np.arange(cells))), shape=(kinds, cells + says))
    costs = np.concatenate((np.zeros(cells), -np.ones(says)))
    least, x, weights = optimum(costs, bounds, fallen, chances, free=says)
    say = np.maximum(0.0, x[:cells].reshape(kinds, says))
    say /= say.sum(axis=1, keepdims=True)
    return -least, say[kind], weights[says:] / (weights[:says] + weights[says:])


# ---- the best reply ------------------------------------------------------------------------------


def best_reply(this: Model, tables: Tables) -> Reply:
    """What a perfect opponent gets against who plays by ``tables``."""
    worth: dict[tuple[int, int, bool], float] = {}
    lives = range(1, this.options.lives + 1)
    for pair in sorted(((mine, theirs) for mine in lives for theirs in lives), key=sum):
        for starts in (True, False):
            worth[(*pair, starts)] = _reply_round(this, worth, tables, pair, starts)
    full = this.options.lives
    return Reply(worth[full, full, True], worth[full, full, False])


def _reply_round(
    this: Model, worth: Mapping[tuple[int, int, bool], float], tables: Tables, lives: Lives, starts: bool
) -> float:
    """What a round is worth to a perfect opponent with ``lives[0]`` lives. "He" is who plays by ``tables``."""
    top = this.top
    own, other = losses(this.options, worth, lives)
    at = (int(starts), lives[1] - 1, lives[0] - 1)
    say, answer = tables.say[at], tables.answer[at]
    paid, his_paid = doubted(this, own, other), doubted(this, other, own)
    rolling, his_rolling = np.zeros(top + 2), np.zeros((top + 2, 2))
    for floor in range(top, -1, -1):
        # the opponent has rolled: what each announcement brings, for each roll, with the answers that he gives
        after = his_rolling[floor + 1 : top + 1]
        brings = []
        for looked in (0, 1):
            how = answer[floor, floor:, looked]
            believed = np.append((how[:-1, :2] * after).sum(axis=1), how[-1, 0] * other.concede)
            doubt = np.append(how[:-1, 2], how[-1, 1])
            brings.append(believed + doubt * paid[:, floor:])
        rolling[floor] = CHANCE @ brings[1].max(axis=1)
        if this.options.blind == "allowed":
            rolling[floor] = max(rolling[floor], (CHANCE @ brings[0]).max())
        # he has rolled: what the better answer to each of his announcements brings
        believed = np.append(rolling[floor + 1 : top + 1], own.concede)
        seen = CHANCE[:, None] * say[floor, :BLIND, floor:]
        unseen = say[floor, BLIND, floor:]
        his_rolling[floor, 0] = np.maximum(seen.sum(axis=0) * believed, (seen * his_paid[:, floor:]).sum(axis=0)).sum()
        his_rolling[floor, 1] = (unseen * np.maximum(believed, CHANCE @ his_paid[:, floor:])).sum()
    return float(rolling[0] if starts else tables.opening[at] @ his_rolling[0])


# ---- information sets ----------------------------------------------------------------------------


def spots(this: Model) -> Iterator[Spot]:
    """Every information set that can be reached."""
    every = range(1, this.options.lives + 1)
    rolls = range(BLIND + (this.options.blind == "allowed"))
    looks = (False, True) if this.options.blind == "allowed" else (True,)
    for lives in ((mine, theirs) for mine in every for theirs in every):
        yield Spot(True, lives)
        for starts in (True, False):
            for floor in range(this.top + 1):
                if _announcements(starts, floor) >= 0:
                    yield from (Spot(starts, lives, floor, roll=roll) for roll in rolls)
                if _announcements(not starts, floor) >= 0:
                    for rank in range(floor, this.top + 1):
                        yield from (Spot(starts, lives, floor, rank=rank, looked=looked) for looked in looks)


def _announcements(starts: bool, floor: int) -> int:
    """How many announcements there have been, at least, when who rolls at ``floor`` did or did not start the round;
    -1 where that cannot be."""
    if floor == 0:
        return 0 if starts else -1
    least = 2 if starts else 1
    return least if floor >= least else -1


def _cell(spot: Spot) -> tuple[int, ...]:
    """Where the information set stands in its table."""
    at = (int(not spot.starts), spot.lives[0] - 1, spot.lives[1] - 1)
    if spot.roll is not None:
        return (*at, spot.floor, spot.roll)
    return at if spot.rank is None else (*at, spot.floor, spot.rank, int(spot.looked))


def _row(this: Model, tables: Tables, spot: Spot) -> tuple[Floats, tuple[Move, ...]]:
    """The probabilities in ``tables`` for an information set, and the moves that they are for."""
    if spot.roll is not None:
        return tables.say[_cell(spot)], ranking(this.options).says
    if spot.rank is None:
        return tables.opening[_cell(spot)], ROLLING
    return tables.answer[_cell(spot)], ANSWERS if spot.rank < this.top else MIA_ANSWERS


def tabulate(this: Model, start: State, policy: Policy) -> Tables:
    """A policy, asked for every information set but dice of a kind of roll that it never makes.

    Raises:
        PolicyError: it is none.
    """
    tables = blank(this)
    rolls = set[Spot]()
    for spot in spots(this):
        if spot.roll is None:
            _ask(this, start, policy, tables, spot)
            rolling, _ = _row(this, tables, spot)
            if spot.rank != this.top:
                floor = 0 if spot.rank is None else spot.rank + 1
                rolls |= {
                    spot._replace(floor=floor, rank=None, looked=kind == 0) for kind in (0, 1) if rolling[kind] > 0
                }
    for spot in spots(this):
        if spot.roll is not None and spot._replace(roll=None, looked=spot.roll != BLIND) in rolls:
            _ask(this, start, policy, tables, spot)
    return tables


def _ask(this: Model, start: State, policy: Policy, tables: Tables, spot: Spot) -> None:
    row, moves = _row(this, tables, spot)
    for move, chance in probabilities(policy, show(this, start, spot)).items():
        row[moves.index(move)] = chance


def show(this: Model, start: State, spot: Spot) -> View:
    """The information set as a view of seat 0, who is asked."""
    values = ranking(this.options).values
    stands = None if spot.floor == 0 else values[spot.floor - 1]
    state = start._replace(
        phase="opening", round=1, starter=int(not spot.starts), turn=0, contenders=(), rolls=0, lives=spot.lives
    )
    if spot.roll is not None:
        blind = spot.roll == BLIND
        state = state._replace(
            phase="announcing",
            roller=0,
            dice=DICE[0 if blind else spot.roll],
            seen=() if blind else (0,),
            to_beat=stands,
            announced=stands,
            announcer=-1 if stands is None else 1,
            namer=-1 if stands is None else 1,
            announcements=_announcements(spot.starts, spot.floor),
        )
    elif spot.rank is not None:
        state = state._replace(
            phase="mia" if spot.rank == this.top else "answering",
            roller=1,
            dice=DICE[0],
            seen=(1,) if spot.looked else (),
            to_beat=stands,
            claim=values[spot.rank],
            announced=values[spot.rank],
            announcer=1,
            namer=1,
            announcements=_announcements(not spot.starts, spot.floor) + 1,
        )
    return GAME.view(state, at_seat(0))


def find(this: Model, view: View) -> Spot:
    """The information set of a view in a match of two."""
    assert view.seat is not None
    rank = ranking(this.options).rank
    other = 1 - view.seat
    spot = Spot(
        starts=view.starter == view.seat,
        lives=(view.lives[view.seat], view.lives[other]),
        floor=0 if view.to_beat is None else rank[view.to_beat] + 1,
    )
    if view.phase == "announcing":
        return spot._replace(roll=BLIND if view.dice is None else DICE.index(view.dice))
    if view.phase in ("answering", "mia"):
        assert view.announced is not None
        return spot._replace(rank=rank[view.announced], looked=other in view.seen)
    return spot


class MiaSolver:
    """The `arena.solve.Solver` of Mia."""

    game: AnyGame = GAME
    preset = "no-pass"

    def check(self, rules: Ruleset) -> None:
        """Covers everything without passing in which each announcement is higher and lives are lost."""
        check_two(rules, GAME)
        options = options_of(rules.values)
        if options.pass_ != "off":  # noqa: S105  # passing the cup on is no password
            raise Unsolvable("mia is solved with pass = off only: a cup that is handed on hides more than one roll")
        if options.raise_rule != "higher":
            raise Unsolvable("mia is solved with raise_rule = higher only: otherwise a round need not end by itself")
        if options.penalty != "life":
            raise Unsolvable("mia is solved with penalty = life only")
        if options.max_announcements < len(ranking(options).values):
            raise Unsolvable("mia is solved only where max_announcements is no less than the number of values")

    def solve(self, rules: Ruleset) -> Solved:
        """By a linear program for each announcement and its answer."""
        self.check(rules)
        this = model(rules)
        tables, values = optimal(this)
        reply = best_reply(this, tables)

        def policy(view: View) -> Mapping[Move, float]:
            row, moves = _row(this, tables, find(this, view))
            return {move: chance for move, chance in zip(moves, row.tolist(), strict=False) if chance > 0}

        return Solved(
            rules=rules,
            policy=cast(Policy, policy),
            low=-reply.second,
            high=reply.first,
            values=values,
            size={
                "pairs of lives": len(values),
                "linear programs": len(values) * (this.top + 1),
                "information sets": sum(1 for _ in spots(this)),
            },
        )

    def reply(self, rules: Ruleset, policy: Policy) -> Reply:
        """Backwards through every round, from the highest announcement and the fewest lives."""
        self.check(rules)
        this = model(rules)
        return best_reply(this, tabulate(this, self._start(rules), policy))

    def informations(self, rules: Ruleset) -> Iterator[View]:
        """Every information set that can be reached."""
        this, start = model(rules), self._start(rules)
        return (show(this, start, spot) for spot in spots(this))

    def information(self, view: View) -> View:
        """The view with the round, what happened before it, and who sits where blanked."""
        values = {option.name: value for option, value in zip(GAME.options, view.options, strict=True)}
        rules = ruleset(GAME, None, values)
        this = model(rules)
        return show(this, self._start(rules), find(this, view))

    def describe(self, information: View) -> str:
        """For example ``6 lives to 5, starting, 65 after 43, looked``."""
        mine, theirs = information.lives
        parts = [f"{mine} lives to {theirs}", "starting" if information.starter == 0 else "not starting"]
        if information.phase == "announcing":
            high_low = "dice not looked at" if information.dice is None else "dice {}{}".format(*information.dice)
            parts.append(f"{high_low} after {information.to_beat or 'nothing'}")
        elif information.announced is not None:
            parts.append(f"{information.announced} after {information.to_beat or 'nothing'}")
            parts.append("looked" if information.seen else "not looked")
        return ", ".join(parts)

    @staticmethod
    def _start(rules: Ruleset) -> State:
        return GAME.start(rules, 2)[0]


SOLVER = MiaSolver()
