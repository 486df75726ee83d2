"""``arena new``: a bot to begin with."""

from __future__ import annotations

import re
from pathlib import Path

import click

from arena.commands.common import game_argument
from arena.commands.failures import Impossible
from arena.games import GAMES

STARTER = '''\
"""A bot for {title}. Try it: arena play {game} {file} random"""

from arena.kit import Bot


class {name}(Bot):
    game = "{game}"

    def choose(self, view):
        # view is all that this seat may know, view.legal all that it may do: print(view) shows you both
        return self.random.choice(view.legal)
'''
"""The smallest bot that plays."""


@click.command("new")
@game_argument
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
def command(game: str, file: Path) -> None:
    """Write a bot for GAME to begin with into the new FILE, which ends in .py.

    It plays already: any legal move. A file that is there is never overwritten.
    """
    if file.suffix != ".py":
        raise Impossible(f"{file}: the file of a bot ends in .py")
    name = "".join(word.capitalize() for word in re.findall("[a-z0-9]+", file.stem.lower())).lstrip("0123456789")
    text = STARTER.format(
        title=GAMES[game].title, game=game, file=file.as_posix(), name=name if name not in ("", "Bot") else "Mine"
    )
    try:
        with file.open("x", encoding="utf-8") as new:
            new.write(text)
    except FileExistsError:
        raise Impossible(f"{file}: there is such a file already; it is not overwritten") from None
    except OSError as error:
        raise Impossible(f"{file}: {error.strerror or error}") from error
    click.echo(f"{file}: a bot to begin with. Try it: arena play {game} {file} random")
