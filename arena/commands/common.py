"""What several commands share: their arguments, and reading a record from a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import click

from arena import record
from arena.commands.failures import Impossible
from arena.games import GAMES
from arena.record import Record, RecordError
from arena.rules import AnyGame, Ruleset, ruleset
from arena.table import Limits

if TYPE_CHECKING:
    from arena.solve import Solver

game_argument = click.argument("game", metavar="GAME", type=click.Choice(tuple(GAMES)))
"""The code name of a game."""


def record_file(name: str, *, many: bool = False) -> Callable[[Any], Any]:
    """An argument that is the file of a record; ``-`` is the standard input."""
    return click.argument(
        name,
        metavar="FILE..." if many else "FILE",
        nargs=-1 if many else 1,
        required=True,
        type=click.Path(exists=True, dir_okay=False, allow_dash=True),
    )


def load_record(path: str) -> Record:
    """The record in a file.

    Raises:
        Impossible: the file cannot be read.
        RecordError: there is no record in it; the message has the name of the file.
    """
    try:
        with click.open_file(path, "rb") as file:
            text = file.read()
    except OSError as error:
        raise Impossible(f"{path}: {error.strerror or error}") from error
    try:
        return record.read(text)
    except RecordError as error:
        raise RecordError(error.where, f"{error.message} (in {path})") from error


def make_ruleset(game: AnyGame, preset: str | None, settings: Iterable[str]) -> Ruleset:
    """The ruleset of a preset and some settings ``option=value``.

    Raises:
        Impossible: a setting is not written like that.
        RulesetError: there is no such preset, option or value.
    """
    options: dict[str, object] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals:
            raise Impossible(f"--set {setting}: write option=value; `arena rules {game.name}` lists the options")
        options[name.strip()] = value.strip()
    return ruleset(game, preset, options)


def read_seed(_context: click.Context, _parameter: click.Parameter, text: str | None) -> bytes | None:
    """The bytes that a seed writes in hex."""
    if text is None:
        return None
    try:
        seed = bytes.fromhex(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is not hex, two digits a byte") from None
    if not 1 <= len(seed) <= 64:
        raise click.BadParameter(f"a seed has 1 to 64 bytes, not {len(seed)}")
    return seed


def make_limits(wanted: bool | None, move_ms: int | None, bank_ms: int | None, *, seeded: bool) -> Limits | None:
    """The limits that the options ask for; without any, none only where a seed shall repeat the run."""
    given = {"move_ms": move_ms, "bank_ms": bank_ms}
    asked = {name: value for name, value in given.items() if value is not None}
    if wanted is False and asked:
        raise Impossible("--no-limits together with a limit makes no sense")
    if wanted or asked or (wanted is None and not seeded):
        return Limits()._replace(**asked)
    return None


def names(played: Record) -> list[str]:
    """What the players of a record are called; who has no name is called by the seat."""
    return [line.bot or f"seat {line.seat}" for line in played.players]


def find_solver(game: str) -> Solver:
    """The solver of a game.

    Raises:
        Impossible: what it needs is not installed.
        Unsolvable: there is none.
    """
    try:
        from arena.solve import solver
    except ModuleNotFoundError as error:
        raise Impossible(f"{error.name} is not installed; install it with: pip install 'bluff-arena[solve]'") from error
    return solver(game)
