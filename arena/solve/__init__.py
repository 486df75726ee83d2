"""Exact play for two: what a match is worth to who starts it, how to play it, and what a bot gives away.

`solver` finds the solver of a game; each has a module of its own, laid out alike. ``docs/solve.md`` tells what is
solved and how. numpy and scipy are needed here, and nowhere else in the core.
"""

from __future__ import annotations

from arena.solve.common import Policy, PolicyError, Reply, Solved, Solver, Unsolvable
from arena.solve.mia import SOLVER as MIA
from arena.solve.three_coins import SOLVER as THREE_COINS

__all__ = ["SOLVERS", "Policy", "PolicyError", "Reply", "Solved", "Solver", "Unsolvable", "solver"]

SOLVERS: dict[str, Solver] = {one.game.name: one for one in (THREE_COINS, MIA)}


def solver(game: str) -> Solver:
    """The solver of the game with that code name.

    Raises:
        Unsolvable: there is none.
    """
    try:
        return SOLVERS[game]
    except KeyError:
        raise Unsolvable(f"{game} is not solved; there are solvers for: {', '.join(SOLVERS)}") from None
