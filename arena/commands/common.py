"""What several commands share: their arguments and options, and reading a record from a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena import record
from arena.commands.failures import Impossible
from arena.games import GAMES
from arena.package import opened
from arena.record import Record, RecordError
from arena.rules import AnyGame, Ruleset, ruleset
from arena.table import Limits

if TYPE_CHECKING:
    from arena.solve import Solver

game_argument = click.argument("game", metavar="GAME", type=click.Choice(tuple(GAMES)))
"""The code name of a game."""


def _seed(_context: click.Context, _parameter: click.Parameter, text: str | None) -> bytes | None:
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


preset_option = click.option(
    "--preset", metavar="NAME", help="The rules; `arena rules GAME` lists them. By default the first."
)
settings_option = click.option(
    "--set", "settings", multiple=True, metavar="OPTION=VALUE", help="Change an option; may be repeated."
)
seed_option = click.option(
    "--seed", callback=_seed, metavar="HEX", help="Repeat a run: all luck and all bots' dice follow from it."
)
jobs_option = click.option(
    "--jobs", type=click.IntRange(1, 256), default=1, show_default=True, help="Processes that play at once."
)
limits_option = click.option(
    "--limits/--no-limits", default=None, help="Play with deadlines. By default yes, but not with --seed."
)
move_ms_option = click.option(
    "--move-ms", type=click.IntRange(1), metavar="MS", help="Time for each decision; switches deadlines on."
)
bank_ms_option = click.option(
    "--bank-ms", type=click.IntRange(0), metavar="MS", help="Time beyond that for a whole match; likewise."
)


def choose_limits(wanted: bool | None, move_ms: int | None, bank_ms: int | None, *, seeded: bool) -> Limits | None:
    """The deadlines that these options ask for; None for none.

    Raises:
        Impossible: they contradict each other.
    """
    given = {"move_ms": move_ms, "bank_ms": bank_ms}
    asked = {name: value for name, value in given.items() if value is not None}
    if wanted is False and asked:
        raise Impossible("--no-limits together with a limit makes no sense")
    if wanted or asked or (wanted is None and not seeded):
        return Limits()._replace(**asked)
    return None


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


def unzipped(context: click.Context, words: Iterable[str]) -> list[str]:
    """What names bots, with a folder in place of each zip; it is there until the command ends.

    Raises:
        PackageError: a zip would be refused, or cannot be read.
    """
    return [str(context.with_resource(opened(Path(word)))) if word.endswith(".zip") else word for word in words]


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
