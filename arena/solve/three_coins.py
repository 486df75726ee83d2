"""Three Coins for two.

A round is a small game with hidden hands; it is written in sequence form and solved by a linear program. Rounds in
which no coin moves, and coins that are won back, lead to positions that were there before. So what a position is
worth is a fixed point: the rounds are solved with guessed values, and the values that go with this play are the next
guess. The two limits of a match are left aside there, but not in `best_reply`: what it proves, it proves of the match
as the referee plays it.

In the names below a *bidding* is the set of bids made so far, bid b as bit b. Bids only rise, and the two take turns,
so this tells who said what.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from arena.games.three_coins import GAME, Move, Options, Said, State, View
from arena.rules import AnyGame, Ruleset, at_seat, ruleset
from arena.solve.common import (
    Choice,
    Floats,
    Policy,
    Reply,
    Solved,
    Unsolvable,
    check_two,
    probabilities,
    sequence_form,
)

Whole = npt.NDArray[np.int64]

WORDS = ("call", "cliff", "zero", "max")
"""What ends the bidding."""

MOST_COINS = 4
"""The highest ``coin_cap`` that is solved: with each coin more there are four times as many biddings."""

MOST_ROUNDS = 1000
"""The highest ``max_rounds`` that is solved."""

CLOSE = 1e-13
"""Guesses that are so close to what they lead to are the fixed point."""

GUESSES = 200
"""So many are made at most; it takes six or so."""

NEVER = 1e-11
"""What is so unlikely in a solution is there by the solver's rounding."""

Coins = tuple[int, int]


# ---- a round -------------------------------------------------------------------------------------


class End(NamedTuple):
    """What a round can lead to."""

    coins: Coins
    """Of who started it, and of the other."""
    starter: int
    """Who starts the next one: 0 is who started this one."""
    moved: bool
    """Has a coin moved?"""


class Speech(NamedTuple):
    """A moment in the bidding."""

    bidding: int
    speaker: int
    """0 is who started the round."""
    bids: range
    words: tuple[str, ...]


class Plan(NamedTuple):
    """The sequences of one of the two; number 0 is the empty one."""

    choices: tuple[Choice, ...]
    hide: tuple[int, ...]
    say: Mapping[tuple[int, int, int | str], int]
    """By hand, bidding, and bid or word."""

    def led_to(self, player: int, hand: int, bidding: int) -> int:
        """The player's own sequence that leads to ``bidding``."""
        while bidding:
            bid = bidding.bit_length() - 1
            bidding ^= 1 << bid
            if bidding.bit_count() % 2 == player:
                return self.say[hand, bidding, bid]
        return self.hide[hand]


class Round(NamedTuple):
    """All that can happen in a round."""

    coins: Coins
    """Of who starts, and of the other."""
    speeches: tuple[Speech, ...]
    """In the order of their biddings as numbers: what a bid leads to comes later."""
    ends: tuple[End, ...]
    """The different ones."""
    reached: Mapping[tuple[int, str], Whole]
    """By bidding and word: [hand of who starts, hand of the other], the number of the end."""
    plans: tuple[Plan, Plan]
    leaves: tuple[Whole, Whole, Whole]
    """For each way through the round the sequences of the two, and the number of the end."""


@cache
def the_round(options: Options, coins: Coins) -> Round:
    """The round between who starts with ``coins[0]`` and who has ``coins[1]``."""
    speeches = tuple(_speeches(options, sum(coins)))
    ends: dict[End, int] = {}
    reached = {}
    for speech in speeches:
        for word in speech.words:
            led = [
                [_end(options, coins, speech, word, first + second) for second in range(coins[1] + 1)]
                for first in range(coins[0] + 1)
            ]
            reached[speech.bidding, word] = np.array([[ends.setdefault(end, len(ends)) for end in row] for row in led])
    plans = (_plan(speeches, 0, coins[0]), _plan(speeches, 1, coins[1]))
    return Round(coins, speeches, tuple(ends), reached, plans, _leaves(reached, plans))


def _speeches(options: Options, top: int) -> Iterator[Speech]:
    lowest = options.first_bid_min
    for bidding in range(0, 2 << top, 1 << lowest):
        said = bidding.bit_count()
        may = {
            "call": said > 0,
            "cliff": said > 0 and options.cliff == "on",
            "zero": options.zero == "on" and said < (1 if options.zero_when == "opening_only" else 2),
            "max": options.max == "on" and (options.max_when == "any" or said < 2),
        }
        bids = range(bidding.bit_length() if said else lowest, top + 1)
        yield Speech(bidding, said % 2, bids, tuple(word for word in WORDS if may[word]))


def _end(options: Options, coins: Coins, speech: Speech, word: str, total: int) -> End:
    """What comes of ``word`` when there are ``total`` coins in the fists."""
    ender, bid = speech.speaker, speech.bidding.bit_length() - 1
    right = {"call": total < bid, "cliff": total == bid, "zero": total == 0, "max": total == sum(coins)}[word]
    after = list(coins)
    loser = ender if not right else 1 - ender if word in ("call", "zero") else None
    if loser is not None:
        after[loser] -= 1
    elif word == "cliff":
        after[ender] = min(options.coin_cap, after[ender] + 1)
    starter = ender if loser is None or options.next_starter == "ender" else loser
    return End((after[0], after[1]), starter, moved=tuple(after) != coins)


def _plan(speeches: Sequence[Speech], player: int, coins: int) -> Plan:
    hide = tuple(range(1, coins + 2))
    plan = Plan((), hide, {})
    say: dict[tuple[int, int, int | str], int] = {}
    plan = plan._replace(say=say)
    choices, count = [Choice(0, hide)], len(hide)
    for speech in speeches:
        if speech.speaker == player:
            moves = (*speech.bids, *speech.words)
            for hand in range(coins + 1):
                children = range(count + 1, count + 1 + len(moves))
                choices.append(Choice(plan.led_to(player, hand, speech.bidding), children))
                say.update({(hand, speech.bidding, move): child for move, child in zip(moves, children, strict=True)})
                count += len(moves)
    return plan._replace(choices=tuple(choices))


def _leaves(reached: Mapping[tuple[int, str], Whole], plans: tuple[Plan, Plan]) -> tuple[Whole, Whole, Whole]:
    leaves = []
    for (bidding, word), ends in reached.items():
        for hands, end in np.ndenumerate(ends):
            sequences = [plan.led_to(player, hands[player], bidding) for player, plan in enumerate(plans)]
            speaker = bidding.bit_count() % 2
            sequences[speaker] = plans[speaker].say[hands[speaker], bidding, word]
            leaves.append((*sequences, int(end)))
    first, second, ends = np.array(leaves).T
    return first, second, ends


# ---- how somebody plays --------------------------------------------------------------------------


class Spot(NamedTuple):
    """An information set: what matters of what the one who is asked knows."""

    starts: bool
    """Did he start this round?"""
    coins: Coins
    """One's own, and the other's."""
    hand: int | None = None
    """In one's fist; None while hiding."""
    bidding: int = 0


class Play(NamedTuple):
    """How somebody plays a round, as probabilities."""

    hide: Floats
    """[hand]."""
    say: Mapping[tuple[int, int | str], Floats]
    """By bidding, and bid or word: [hand]."""


Plays = Mapping[tuple[bool, Coins], Play]
"""By whether he starts, and his own coins and the other's."""


def positions(options: Options) -> list[Coins]:
    """The coins that the two can have between rounds."""
    coins = range(1, options.coin_cap + 1)
    return [(first, second) for first in coins for second in coins]


def _play(this: Round, player: int, weights: Floats) -> Play:
    """A realisation plan as probabilities; where it never comes to, a call, or the lowest bid."""
    plan = this.plans[player]
    weights = np.where(weights < NEVER, 0.0, weights)
    hide = weights[list(plan.hide)]
    say = {}
    for speech in this.speeches:
        if speech.speaker == player:
            moves = (*speech.bids, *speech.words)
            chances = np.array(
                [[weights[plan.say[hand, speech.bidding, move]] for move in moves] for hand in range(len(hide))]
            )
            default = moves.index("call") if speech.bidding else 0
            chances[chances.sum(axis=1) == 0, default] = 1.0
            chances /= chances.sum(axis=1, keepdims=True)
            say.update({(speech.bidding, move): chances[:, number] for number, move in enumerate(moves)})
    return Play(hide / hide.sum(), say)


# ---- optimal play --------------------------------------------------------------------------------


def optimal(options: Options) -> tuple[dict[tuple[bool, Coins], Play], dict[Coins, float], int]:
    """Optimal play, what a round is worth to who starts it, and how many guesses it took. The limits are left aside.

    Raises:
        ArithmeticError: no fixed point was found.
    """
    every = positions(options)
    number = {coins: at for at, coins in enumerate(every)}
    guess = np.array([(first - second) / (first + second) for first, second in every])
    for guesses in range(1, GUESSES + 1):
        plays: dict[tuple[bool, Coins], Play] = {}
        values = np.zeros(len(every))
        chain, gained = np.zeros((len(every), len(every))), np.zeros(len(every))
        for at, coins in enumerate(every):
            this = the_round(options, coins)
            worth = np.array([_worth(end, guess, number) for end in this.ends])
            rows, columns, ends = this.leaves
            sizes = tuple(sum(len(choice.children) for choice in plan.choices) + 1 for plan in this.plans)
            payoff = csr_array((worth[ends], (rows, columns)), shape=sizes)
            values[at], *both = sequence_form(payoff, *(plan.choices for plan in this.plans))
            plays[True, coins], plays[False, coins[::-1]] = (_play(this, player, both[player]) for player in (0, 1))
            often = np.bincount(ends, both[0][rows] * both[1][columns], minlength=len(this.ends))
            for end, chance in zip(this.ends, often, strict=True):
                if 0 in end.coins:
                    gained[at] += chance if end.coins[1] == 0 else -chance
                elif end.starter == 0:
                    chain[at, number[end.coins]] += chance
                else:
                    chain[at, number[end.coins[::-1]]] -= chance
        if np.abs(values - guess).max() < CLOSE:
            return plays, dict(zip(every, values.tolist(), strict=True)), guesses
        # what the positions are worth when this is played for ever
        guess = np.linalg.solve(np.eye(len(every)) - chain, gained)
    raise ArithmeticError(f"no fixed point after {GUESSES} guesses")


def _worth(end: End, guess: Floats, number: Mapping[Coins, int]) -> float:
    """What an end is worth to who started the round."""
    if 0 in end.coins:
        return 1.0 if end.coins[1] == 0 else -1.0
    return float(guess[number[end.coins]] if end.starter == 0 else -guess[number[end.coins[::-1]]])


# ---- the best reply ------------------------------------------------------------------------------


class Line(NamedTuple):
    """One position seen by a perfect opponent, who knows how he, the other one, plays."""

    coins: Coins
    """The opponent's, and his."""
    ends: tuple[End, ...]
    starts: bool
    """Does the opponent start?"""
    speeches: tuple[Speech, ...]
    often: Floats
    """[own hand, end]s below one another: how often each end comes, for his hand and his play. For each of the
    opponent's words one, for each of his speeches one."""
    rows: Mapping[int, range]
    """By bidding: which of them belong to it."""


def best_reply(options: Options, plays: Plays) -> Reply:
    """What a perfect opponent, who counts the rounds too, gets against who plays like this. Backwards from the limit.

    What a position is worth depends on the round and on how many rounds ago a coin moved last.
    """
    lines = {
        (starts, coins): _line(options, plays, starts, coins)
        for starts in (True, False)
        for coins in positions(options)
    }
    stalls = min(options.stall_rounds, options.max_rounds)
    ranked = {key: np.full(stalls, float(np.sign(key[1][0] - key[1][1]))) for key in lines}
    after, earlier = ranked, None
    for number in range(options.max_rounds, 0, -1):
        worth = {key: _reply_round(line, after, limit=number == options.max_rounds) for key, line in lines.items()}
        # once a round more changes nothing, not by a bit, no number of rounds more does
        if earlier is not None and all(np.array_equal(worth[key], earlier[key]) for key in lines):
            break
        after = earlier = worth
    start = (options.start_coins, options.start_coins)
    return Reply(float(after[True, start][0]), float(after[False, start][0]))


def _line(options: Options, plays: Plays, starts: bool, coins: Coins) -> Line:
    own, his = (0, 1) if starts else (1, 0)
    this = the_round(options, coins if starts else coins[::-1])
    play = plays[not starts, coins[::-1]]
    came = {0: play.hide}  # how often his own choices lead to a bidding, by his hand
    often: list[Floats] = []
    rows = {}
    count = 0
    for speech in this.speeches:
        bidding = speech.bidding
        mine = speech.speaker == own
        for bid in speech.bids:
            came[bidding | 1 << bid] = came[bidding] if mine else came[bidding] * play.say[bidding, bid]
        shares = []
        for word in speech.words:
            ends = this.reached[bidding, word] if his else this.reached[bidding, word].T
            weights = came[bidding] if mine else came[bidding] * play.say[bidding, word]
            shares.append(np.array([np.bincount(row, weights, minlength=len(this.ends)) for row in ends]))
        if not mine:
            shares = [np.sum(shares, axis=0)] if shares else []
        often += shares
        rows[bidding] = range(count, count + len(shares))
        count += len(shares)
    return Line(coins, this.ends, starts, this.speeches, np.array(often), rows)


def _reply_round(line: Line, after: Mapping[tuple[bool, Coins], Floats], *, limit: bool) -> Floats:
    """[rounds without a moved coin before this one]: what the round is worth to the perfect opponent."""
    own = 0 if line.starts else 1
    stalls = len(next(iter(after.values())))
    worth = np.empty((len(line.ends), stalls))
    for at, end in enumerate(line.ends):
        coins = (end.coins[own], end.coins[1 - own])
        ranked = float(np.sign(coins[0] - coins[1]))
        if limit or 0 in coins:
            worth[at] = ranked
        elif end.moved:
            worth[at] = after[end.starter == own, coins][0]
        else:
            worth[at, :-1] = after[end.starter == own, coins][1:]
            worth[at, -1] = ranked
    brings = line.often @ worth
    value: dict[int, Floats] = {}
    for speech in reversed(line.speeches):
        options = [brings[row] for row in line.rows[speech.bidding]]
        options += [value[speech.bidding | 1 << bid] for bid in speech.bids]
        combine = np.maximum if speech.speaker == own else np.add
        value[speech.bidding] = combine.reduce(options)
    best: Floats = value[0].max(axis=0)
    return best


# ---- information sets ----------------------------------------------------------------------------


def spots(options: Options) -> Iterator[Spot]:
    """Every information set."""
    for starts in (True, False):
        for coins in positions(options):
            yield Spot(starts, coins)
            for speech in _speeches(options, sum(coins)):
                if (speech.speaker == 0) == starts:
                    yield from (Spot(starts, coins, hand, speech.bidding) for hand in range(coins[0] + 1))


def tabulate(options: Options, start: State, policy: Policy) -> Plays:
    """A policy, asked for every information set that its own moves can lead to.

    Raises:
        PolicyError: it is none.
    """
    plays: dict[tuple[bool, Coins], Play] = {}
    for starts in (True, False):
        for coins in positions(options):
            hiding = probabilities(policy, show(start, Spot(starts, coins)))
            hide = np.array([hiding.get(Move("hide", hand), 0.0) for hand in range(coins[0] + 1)])
            say: dict[tuple[int, int | str], Floats] = {}
            came = {0: hide}
            for speech in _speeches(options, sum(coins)):
                bidding = speech.bidding
                if (speech.speaker == 0) == starts:
                    for move in (*speech.bids, *speech.words):
                        say[bidding, move] = np.zeros(len(hide))
                    for hand in np.flatnonzero(came[bidding]).tolist():
                        said = probabilities(policy, show(start, Spot(starts, coins, hand, bidding)))
                        for move, chance in said.items():
                            say[bidding, move.number if move.kind == "bid" else move.kind][hand] = chance
                for bid in speech.bids:
                    came[bidding | 1 << bid] = came[bidding] * say.get((bidding, bid), 1.0)
            plays[starts, coins] = Play(hide, say)
    return plays


def _said(move: Move) -> int | str:
    return move.number if move.kind == "bid" else move.kind


def show(start: State, spot: Spot) -> View:
    """The information set as a view of seat 0, who is asked."""
    state = start._replace(
        phase="hiding",
        round=1,
        starter=int(not spot.starts),
        coins=spot.coins,
        pot=max(0, sum(start.coins) - sum(spot.coins)),
    )
    if spot.hand is not None:
        bids = [bid for bid in range(spot.bidding.bit_length()) if spot.bidding >> bid & 1]
        said = tuple(Said((state.starter + turn) % 2, Move("bid", bid)) for turn, bid in enumerate(bids))
        state = state._replace(
            phase="bidding",
            turn=0,
            hands=(spot.hand, 0),
            said=said,
            bid=bids[-1] if bids else None,
            bidder=1 if bids else None,
        )
    return GAME.view(state, at_seat(0))


def find(view: View) -> Spot:
    """The information set of a view in a match of two."""
    assert view.seat is not None
    spot = Spot(view.starter == view.seat, (view.coins[view.seat], view.coins[1 - view.seat]))
    if view.phase == "hiding":
        return spot
    return spot._replace(hand=view.hands[view.seat], bidding=sum(1 << said.move.number for said in view.said))


class ThreeCoinsSolver:
    """The `arena.solve.Solver` of Three Coins."""

    game: AnyGame = GAME
    preset = "duel"

    def check(self, rules: Ruleset) -> None:
        """Covers up to four coins each, bids up to the coins in play, and the last one with coins as the winner."""
        check_two(rules, GAME)
        options = Options(**rules.values)  # type: ignore[arg-type]  # the ruleset was checked option by option
        if options.coin_cap > MOST_COINS:
            raise Unsolvable(f"three_coins is solved up to coin_cap = {MOST_COINS} only: the biddings become too many")
        if options.max_bid != "in_play":
            raise Unsolvable("three_coins is solved with max_bid = in_play only: the biddings become too many")
        if options.objective != "last_left":
            raise Unsolvable("three_coins is solved with objective = last_left only")
        if options.max_rounds > MOST_ROUNDS:
            raise Unsolvable(f"three_coins is solved up to max_rounds = {MOST_ROUNDS} only")

    def solve(self, rules: Ruleset) -> Solved:
        """By a linear program for each position, again until their values agree with one another."""
        self.check(rules)
        options = Options(**rules.values)  # type: ignore[arg-type]
        plays, values, guesses = optimal(options)
        reply = best_reply(options, plays)

        def policy(view: View) -> Mapping[Move, float]:
            spot = find(view)
            play = plays[spot.starts, spot.coins]
            if spot.hand is None:
                return {move: float(play.hide[move.number]) for move in view.legal if play.hide[move.number] > 0}
            chances = {move: float(play.say[spot.bidding, _said(move)][spot.hand]) for move in view.legal}
            return {move: chance for move, chance in chances.items() if chance > 0}

        return Solved(
            rules=rules,
            policy=cast(Policy, policy),
            low=-reply.second,
            high=reply.first,
            values=values,
            size={
                "positions": len(values),
                "linear programs": len(values) * guesses,
                "information sets": sum(1 for _ in spots(options)),
            },
        )

    def reply(self, rules: Ruleset, policy: Policy) -> Reply:
        """Backwards through every round, from the last one that the limits allow."""
        self.check(rules)
        options = Options(**rules.values)  # type: ignore[arg-type]
        return best_reply(options, tabulate(options, GAME.start(rules, 2)[0], policy))

    def informations(self, rules: Ruleset) -> Iterator[View]:
        """Every information set."""
        start = GAME.start(rules, 2)[0]
        return (show(start, spot) for spot in spots(start.options))

    def information(self, view: View) -> View:
        """The view with the round, what happened before it, and who sits where blanked."""
        rules = ruleset(GAME, None, view.options._asdict())
        return show(GAME.start(rules, 2)[0], find(view))

    def describe(self, information: View) -> str:
        """For example ``3 coins to 2, starting, 1 in the fist, bids 2 4``."""
        own, other = information.coins
        parts = [f"{own} coins to {other}", "starting" if information.starter == 0 else "not starting"]
        if information.phase == "bidding":
            bids = " ".join(str(said.move.number) for said in information.said)
            parts += [f"{information.hands[0]} in the fist", f"bids {bids}" if bids else "no bid"]
        return ", ".join(parts)


SOLVER = ThreeCoinsSolver()
