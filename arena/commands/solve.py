"""``arena solve``: exact play for two."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.commands.common import find_solver, make_ruleset
from arena.commands.failures import NO, Impossible

if TYPE_CHECKING:
    from arena.solve import Solved, Solver

CLOSE = 1e-6
"""A larger duality gap is not called solved."""


@click.command("solve")
@click.argument("game", metavar="GAME")
@click.option("--preset", metavar="NAME", help="The rules; by default no-pass for mia, and duel for three_coins.")
@click.option("--set", "settings", multiple=True, metavar="OPTION=VALUE", help="Change an option; may be repeated.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON, for programs.")
@click.option(
    "--write",
    "target",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the strategy, as JSON: the probability of each move in each information set.",
)
@click.pass_context
def command(
    context: click.Context, game: str, preset: str | None, settings: tuple[str, ...], as_json: bool, target: Path | None
) -> None:
    """Compute optimal play for two, over all states of a match of GAME, and what the match is worth to who starts.

    The duality gap says by how much the value can be wrong at most: it is what a perfect opponent would take from
    the computed play, added up over both seats, limits of rounds and all. Exits with 1 when it is not below 1e-6.
    """
    solver = find_solver(game)
    rules = make_ruleset(solver.game, preset or solver.preset, settings)
    before = time.process_time()
    solved = solver.solve(rules)
    seconds = time.process_time() - before
    if as_json:
        click.echo(json.dumps(_tree(solved) | {"seconds": round(seconds, 3)}, indent=1))
    else:
        _print(solved, seconds)
    if target is not None:
        try:
            target.write_text(json.dumps(_tree(solved) | {"strategy": _strategy(solver, solved)}), encoding="utf-8")
        except OSError as error:
            raise Impossible(f"{target}: {error.strerror or error}") from error
    context.exit(0 if solved.gap < CLOSE else NO)


def _print(solved: Solved, seconds: float) -> None:
    rules = solved.rules
    click.echo(f"{rules.game}, {rules.preset or 'rules of its own'}, two players")
    click.echo(f"value for who starts   {solved.value:+.9f}  (-1 lost, +1 won)")
    click.echo(f"he wins                {(1 + solved.value) / 2:.9f}  (a tie counts half)")
    click.echo(f"duality gap            {solved.gap:.1e}")
    click.echo("solved                 " + ", ".join(f"{number} {what}" for what, number in solved.size.items()))
    click.echo(f"seconds of a core      {seconds:.2f}")


def _tree(solved: Solved) -> dict[str, Any]:
    return {
        "game": solved.rules.game,
        "preset": solved.rules.preset,
        "options": dict(solved.rules.values),
        "value": solved.value,
        "wins": (1 + solved.value) / 2,
        "low": solved.low,
        "high": solved.high,
        "gap": solved.gap,
        "size": dict(solved.size),
        "rounds": {f"{own}-{other}": value for (own, other), value in sorted(solved.values.items())},
    }


def _strategy(solver: Solver, solved: Solved) -> dict[str, dict[str, float]]:
    return {
        solver.describe(information): {
            solver.game.write(move): round(chance, 12) for move, chance in solved.policy(information).items()
        }
        for information in solver.informations(solved.rules)
    }
