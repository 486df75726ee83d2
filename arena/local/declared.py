"""Does a bot play as it declares? Its policy against what it really chose in many matches."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from scipy.special import chdtrc

from arena.kit import Bot, read_choice
from arena.rules import Drawn, Moved, Ruleset, at_seat, heard
from arena.solve import Policy, Solver
from arena.solve.common import probabilities
from arena.table import MatchInfo, Player

UNLIKELY = 1e-6
"""A bot that plays as it declares is refused so rarely."""

EXPECTED = 5.0
"""So often must something be expected for the chi-square distribution to hold."""

BINS = 10
"""What is seen too rarely in one place is counted together, in so many bins."""


class PolicyRefusedError(Exception):
    """A bot whose exploitability cannot be computed. The message is for its author."""


class Chosen(NamedTuple):
    """What a bot chose."""

    information: Any
    move: Any


class Agreement(NamedTuple):
    """How well choices agree with a policy."""

    choices: int
    sets: int
    """Different information sets among them."""
    chi_square: float
    degrees: int
    probability: float
    """Of a chi-square no smaller, for a bot that plays as it declares."""


def declared(bot: Bot, where: object) -> Policy:
    """The policy that ``bot`` declares.

    Raises:
        PolicyRefusedError: it declares none.
    """
    policy = getattr(bot, "policy", None)
    if not callable(policy):
        raise PolicyRefusedError(
            f"{where}: this bot declares no policy: its class needs a method policy(self, information), "
            "which returns the probability of each move"
        )
    own: Policy = policy
    return own


def watch(make: Callable[[], Bot], solver: Solver, rules: Ruleset, choices: int, seed: int) -> list[Chosen]:
    """So many choices, or a few more, of the bots that ``make`` makes: against one another, and against any move.

    Raises:
        PolicyRefusedError: a bot failed, or its choice was no legal move.
    """
    dice = random.Random(seed)  # noqa: S311  # to repeat a run is what is wanted
    chosen: list[Chosen] = []
    match = 0
    while len(chosen) < choices:
        match += 1
        own = ((0,), (0, 1), (1,), (0, 1))[match % 4]
        chosen += _match(make, solver, rules, own, dice)
    return chosen


def _match(
    make: Callable[[], Bot], solver: Solver, rules: Ruleset, own: Sequence[int], dice: random.Random
) -> list[Chosen]:
    game = solver.game
    bots: dict[int, Bot] = {}
    for seat in own:
        bots[seat] = make()
        bots[seat].random = random.Random(dice.getrandbits(64))  # noqa: S311
    state, events = game.start(rules, 2)
    chosen = []
    try:
        for seat, bot in bots.items():
            bot.on_start(MatchInfo("m-0", seat, (Player("bot", None),) * 2, rules, None, "forfeit"))
        while game.outcome(state) is None:
            for seat, bot in bots.items():
                for event in heard(events, at_seat(seat)):
                    bot.on_event(event)
            due = game.due(state)
            if due is not None:
                state, events = game.step(state, Drawn(tuple(dice.randrange(size) for size in due.sizes)))
                continue
            moves = {}
            for seat in game.asked(state):
                view = game.view(state, at_seat(seat))
                if seat not in bots:
                    moves[seat] = dice.choice(view.legal)
                    continue
                moves[seat] = read_choice(game, bots[seat].choose(view), view.legal)
                chosen.append(Chosen(solver.information(view), moves[seat]))
            state, events = game.step(state, Moved(moves))
    except Exception as error:
        raise PolicyRefusedError(f"the bot failed in a match: {type(error).__name__}: {error}") from error
    return chosen


def agree(chosen: Sequence[Chosen], policy: Policy, solver: Solver) -> Agreement:
    """Whether these choices are such as ``policy`` says.

    Each information set that was seen often enough is a chi-square test of its own, with rare moves counted together.
    For all others each choice is given a number that is uniform between 0 and 1 if the policy is true, and these
    numbers are tested together. The sum of all these is again a chi-square.

    Raises:
        PolicyRefusedError: a choice that should never be made, or the test says no.
        PolicyError: the policy is none.
    """
    seen: dict[Any, Counter[Any]] = {}
    for information, move in chosen:
        seen.setdefault(information, Counter())[move] += 1
    dice = random.Random(len(chosen))  # noqa: S311
    statistic, degrees = 0.0, 0
    bins = [0] * BINS
    for information, counts in seen.items():
        said = probabilities(policy, information)
        for move in counts:
            if said.get(move, 0.0) <= 0:
                raise PolicyRefusedError(
                    f"at {solver.describe(information)} the bot chose {solver.game.write(move)!r}, "
                    "to which its policy gives the probability 0"
                )
        cells = _cells(said, counts)
        if len(cells) > 1:
            statistic += sum((count - expected) ** 2 / expected for count, expected in cells)
            degrees += len(cells) - 1
        elif len([move for move, chance in said.items() if chance > 0]) > 1:
            for number in _uniform(said, counts, dice):
                bins[min(BINS - 1, int(number * BINS))] += 1
    if sum(bins) >= BINS * EXPECTED:
        expected = sum(bins) / BINS
        statistic += sum((count - expected) ** 2 / expected for count in bins)
        degrees += BINS - 1
    probability = float(chdtrc(degrees, statistic)) if degrees else 1.0
    if probability < UNLIKELY:
        raise PolicyRefusedError(
            f"the bot does not play as its policy says: chi-square {statistic:.1f} with {degrees} degrees of freedom "
            f"over {len(chosen)} choices, which happens once in {1 / max(probability, 1e-300):.0e} times by chance"
        )
    return Agreement(len(chosen), len(seen), statistic, degrees, probability)


def _cells(said: Mapping[Any, float], counts: Mapping[Any, int]) -> list[tuple[int, float]]:
    """What was counted and what was expected, the rarest counted together until enough was expected."""
    total = sum(counts.values())
    cells: list[tuple[int, float]] = []
    count, expected = 0, 0.0
    for move in sorted(said, key=lambda move: said[move]):
        count, expected = count + counts.get(move, 0), expected + total * said[move]
        if expected >= EXPECTED:
            cells.append((count, expected))
            count, expected = 0, 0.0
    if expected and cells:
        cells[-1] = (cells[-1][0] + count, cells[-1][1] + expected)
    return cells


def _uniform(said: Mapping[Any, float], counts: Mapping[Any, int], dice: random.Random) -> list[float]:
    """For each choice a number anywhere in its move's share of the stretch from 0 to 1."""
    numbers, below = [], 0.0
    for move, chance in said.items():
        numbers += [below + chance * dice.random() for _ in range(counts.get(move, 0))]
        below += chance
    return numbers
