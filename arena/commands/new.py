"""``arena new``: a bot to begin with."""

from __future__ import annotations

from pathlib import Path

import click

from arena.commands.common import game_argument
from arena.commands.failures import Impossible
from arena.starter import starter


@click.command("new")
@game_argument
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
def command(game: str, file: Path) -> None:
    """Write a bot for GAME to begin with into the new FILE, which ends in .py.

    It plays already: any legal move. A file that is there is never overwritten.
    """
    if file.suffix != ".py":
        raise Impossible(f"{file}: the file of a bot ends in .py")
    text = starter(game, file.as_posix())
    try:
        with file.open("x", encoding="utf-8") as new:
            new.write(text)
    except FileExistsError:
        raise Impossible(f"{file}: there is such a file already; it is not overwritten") from None
    except OSError as error:
        raise Impossible(f"{file}: {error.strerror or error}") from error
    click.echo(f"{file}: a bot to begin with. Try it: arena play {game} {file} random")
