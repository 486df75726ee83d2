"""``arena up``: the site."""

from __future__ import annotations

import importlib.util
import os
import sys
from typing import NoReturn

import click

from arena.commands.failures import Impossible


def become(program: str, *options: str) -> NoReturn:
    """Go on as a program of the site, which this package does not import.

    Raises:
        Impossible: the site is not installed.
    """
    if importlib.util.find_spec("django") is None or importlib.util.find_spec("webapp") is None:
        raise Impossible("the site is not installed; install it with: pip install 'bluff-arena[site]'")
    os.execv(sys.executable, [sys.executable, "-m", program, *options])  # noqa: S606


@click.command("up", context_settings={"ignore_unknown_options": True, "help_option_names": []})
@click.argument("options", nargs=-1, type=click.UNPROCESSED)
def command(options: tuple[str, ...]) -> None:
    """Start the site with everything that it needs, and keep it running until Ctrl-C.

    All OPTIONS are handed on to the supervisor; `arena up --help` shows its own.
    """
    become("webapp.supervisor", *options)
