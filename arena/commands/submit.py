"""``arena submit``: a bot is handed in, and followed until it has shown that it works."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import click

from arena.commands.account import Login, ask, load_login
from arena.commands.failures import Failed, Impossible
from arena.games import GAMES
from arena.package import Package, PackageError, read_folder, read_package

POLL_SECONDS = 0.5

LONGEST_NAME = 40


@click.command("submit")
@click.argument("file", metavar="FILE", type=click.Path(exists=True, path_type=Path))
@click.option("--game", required=True, type=click.Choice(tuple(GAMES)), help="The game that it plays.")
@click.option("--name", metavar="NAME", help="The bot's name on the site. By default that of the file or folder.")
@click.option("--follow/--no-follow", default=True, show_default=True, help="Wait until it has passed or failed.")
def command(file: Path, game: str, name: str | None, follow: bool) -> None:
    """Hand in the bot of FILE: the site runs it from then on. FILE may also be a folder, or a .zip, with bot.py in it.

    It first has to show that it works, in a few matches against the house that count for nothing, and this is told
    here as it happens. Then it plays on the ladder. A name that is yours already gets another version; a new one
    makes a bot. Exits with 1 when it failed, and says why.
    """
    login = load_login()
    package = _package(file)
    name = name or _name(file)
    state = ask(
        login,
        "/my/submit",
        {"game": game, "name": name, "filename": package.filename},
        package.content(),
    )
    what = f"{state['bot']}, version {state['number']} ({state['digest'][:19]})"
    click.echo(f"{what} is handed in: {state['page']}" if state["new"] else f"{what} is this very content already")
    if follow:
        _follow(login, state)


def _package(file: Path) -> Package:
    """What is handed in, checked here first: most of what the site would refuse is refused at once."""
    if file.is_dir():
        return read_folder(file)
    try:
        return read_package(file.read_bytes(), file.name)
    except OSError as error:
        raise Impossible(f"{file}: {error.strerror or error}") from error
    except PackageError as error:
        raise PackageError(f"{file}: {error}") from error


def _name(file: Path) -> str:
    """What a bot is called whose author gives no name: as its file or folder, where that can be one."""
    path = file.absolute()
    stem = path.name if path.is_dir() else path.stem
    if stem == "bot":
        stem = path.parent.name
    name = re.sub(r"[^A-Za-z0-9._-]+", " ", stem).strip(" ._-")[:LONGEST_NAME]
    if len(name) < 2:
        raise Impossible(f"{file}: give the bot a name with --name")
    return name


def _follow(login: Login, state: dict[str, Any]) -> None:
    """Tell what happens until it has passed or failed."""
    told = ""
    while state["state"] == "validating":
        now = _progress(state)
        if now != told:
            click.echo(now)
            told = now
        time.sleep(POLL_SECONDS)
        state = ask(login, f"/my/versions/{state['id']}")
    if state["state"] == "failed":
        if state["details"]:
            click.echo(state["details"], err=True)
        raise Failed(f"{state['bot']}, version {state['number']}, failed. {state['reason']}")
    if state["active"]:
        click.echo(f"passed: {state['bot']}, version {state['number']}, plays on the ladder now")
    else:
        click.echo(f"{state['state']}: another version of {state['bot']} plays; its page changes that: {state['page']}")


def _progress(state: dict[str, Any]) -> str:
    if state["waiting"]:
        return "validation: waiting for a free worker"
    return f"validation: {state['matches']} of {state['planned']} matches are over"
