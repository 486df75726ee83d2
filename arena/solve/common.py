"""What the solvers share: their words, and zero-sum games in sequence form by linear programming."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
from scipy.optimize import linprog
from scipy.sparse import csr_array, hstack

from arena.rules import AnyGame, RulesError, Ruleset

Floats = npt.NDArray[np.float64]


class Unsolvable(RulesError):
    """A game or a ruleset that the solver does not cover. The message says why."""


class PolicyError(RulesError):
    """What a bot declared is no policy: it names a move that is not legal, or its numbers are no probabilities."""


Policy = Callable[[Any], Mapping[Any, float]]
"""From information, which is a view with everything that does not count blanked, to the probability of each move."""


class Reply(NamedTuple):
    """What a perfect opponent gets against a policy. Values are in [-1, 1]: 1 is a match surely won."""

    first: float
    """When this opponent starts the match."""
    second: float
    """When the policy starts it."""

    @property
    def exploitability(self) -> float:
        """Its mean over who starts. Nobody is better off than the other then, so against perfect play it is 0."""
        return (self.first + self.second) / 2


class Solved(NamedTuple):
    """A solved ruleset."""

    rules: Ruleset
    policy: Policy
    low: float
    """What the policy is sure to get when it starts, against anybody, in [-1, 1]."""
    high: float
    """What anybody who starts can get against the policy at most."""
    values: Mapping[tuple[int, int], float]
    """What a round is worth to who starts it, by his own lives or coins and the other's."""
    size: Mapping[str, int]
    """How large the solved game is."""

    @property
    def value(self) -> float:
        """What the match is worth to who starts it."""
        return (self.low + self.high) / 2

    @property
    def gap(self) -> float:
        """The duality gap: by no more than this can the value be wrong."""
        return self.high - self.low


class Solver(Protocol):
    """The solver of one game.

    An information set is a `View`, of seat 0 in a match of two, in which everything is blanked that neither changes
    what is legal nor what can come of it. So a bot's policy reads the same fields as its ``choose``.
    """

    game: AnyGame
    preset: str
    """The ruleset that is solved when none is named."""

    def check(self, rules: Ruleset) -> None:
        """Refuse what is not covered.

        Raises:
            Unsolvable: says why.
        """

    def solve(self, rules: Ruleset) -> Solved:
        """Optimal play."""

    def reply(self, rules: Ruleset, policy: Policy) -> Reply:
        """What a perfect opponent, who knows ``policy``, gets against it.

        Raises:
            PolicyError: it is none.
        """

    def informations(self, rules: Ruleset) -> Iterator[Any]:
        """Every information set that can be reached."""

    def information(self, view: Any) -> Any:
        """The information set that a view in a match of two belongs to."""

    def describe(self, information: Any) -> str:
        """A short name of an information set."""


def probabilities(policy: Policy, information: Any) -> Mapping[Any, float]:
    """What ``policy`` says, checked.

    Raises:
        PolicyError: it does not say probabilities of legal moves.
    """
    said = policy(information)
    if not isinstance(said, Mapping):
        raise PolicyError(f"policy returned {str(said)[:60]!r}; it must return the probability of each move")
    for move, chance in said.items():
        if not isinstance(chance, (int, float)) or not -1e-12 <= chance <= 1 + 1e-12:
            raise PolicyError(f"policy gives {str(move)[:60]} the probability {str(chance)[:30]}")
        if move not in information.legal:
            raise PolicyError(f"policy names {str(move)[:60]}, which is not legal there")
    total = sum(said.values())
    if abs(total - 1) > 1e-9:
        raise PolicyError(f"the probabilities that policy returned add up to {total!r}, and not to 1")
    return said


# ---- linear programs -----------------------------------------------------------------------------


class Choice(NamedTuple):
    """A player's information set in sequence form: his last own sequence, and the sequences that go on from it."""

    parent: int
    children: Sequence[int]


def optimum(
    costs: Floats,
    at_most_zero: Any,
    equations: Any,
    targets: Floats,
    free: int,
) -> tuple[float, Floats, Floats]:
    """Minimise ``costs x`` where ``at_most_zero x <= 0`` and ``equations x = targets``; the last ``free`` x are free.

    Returns the minimum, x, and the multipliers of the inequalities.
    """
    bounded = len(costs) - free
    found = linprog(
        costs,
        A_ub=at_most_zero,
        b_ub=np.zeros(at_most_zero.shape[0]),
        A_eq=equations,
        b_eq=targets,
        bounds=[(0, None)] * bounded + [(None, None)] * free,
        method="highs",
    )
    if found.status != 0:
        raise ArithmeticError(f"the linear program could not be solved: {found.message}")
    return float(found.fun), found.x, np.maximum(0.0, -found.ineqlin.marginals)


def sequence_form(payoff: Any, rows: Sequence[Choice], columns: Sequence[Choice]) -> tuple[float, Floats, Floats]:
    """Optimal play of a zero-sum game with perfect recall (Koller, Megiddo, von Stengel 1996).

    Args:
        payoff: what the row player gets for each pair of sequences, chance included; sequence 0 is the empty one.
        rows: the information sets of the row player.
        columns: those of the column player.

    Returns:
        The value for the row player, and both realisation plans.
    """
    height, width = payoff.shape
    own, theirs = _constraints(rows, height), _constraints(columns, width)
    target = np.zeros(own.shape[0])
    target[0] = 1.0
    # the row player chooses x; q are the values of the column player's information sets, q[0] of the whole game
    costs = np.zeros(height + theirs.shape[0])
    costs[height] = -1.0
    least, x, y = optimum(
        costs,
        csr_array(hstack([-payoff.T, theirs.T])),
        csr_array(hstack([own, csr_array((own.shape[0], theirs.shape[0]))])),
        target,
        free=theirs.shape[0],
    )
    return -least, x[:height], y


def _constraints(choices: Sequence[Choice], sequences: int) -> Any:
    """One row says that the empty sequence has weight 1, each other that the weight of a parent is handed on."""
    at, column, entry = [0], [0], [1.0]
    for row, (parent, children) in enumerate(choices, start=1):
        at += [row] * (1 + len(children))
        column += [parent, *children]
        entry += [-1.0] + [1.0] * len(children)
    return csr_array((entry, (at, column)), shape=(len(choices) + 1, sequences))


def check_two(rules: Ruleset, game: AnyGame) -> None:
    """Refuse the rules of another game, and those that are not for two.

    Raises:
        Unsolvable: says which.
    """
    if rules.game != game.name:
        raise Unsolvable(f"these are rules of {rules.game}, and not of {game.name}")
    if 2 not in rules.players:
        raise Unsolvable(f"{rules.game} ({rules.preset}) is not for two players")
