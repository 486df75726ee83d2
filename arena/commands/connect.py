"""``arena connect``: a bot plays on a site from its author's own machine."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from pathlib import Path

import click

from arena.commands.failures import INTERRUPTED, NO, Failed, Impossible
from arena.kit import load_bot
from arena.package import opened

LONGEST_TOKEN = 200
"""No token is longer; what is, is not one."""


@click.command("connect")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--server", required=True, metavar="HOST:PORT", help="Where the arena's door is; the bot's page has it.")
@click.option(
    "--token",
    required=True,
    envvar="ARENA_TOKEN",
    show_envvar=True,
    help="The bot's token from its page. In the environment others on this machine cannot see it.",
)
@click.option("--tables", type=click.IntRange(1, 64), default=1, show_default=True, help="Tables to sit at together.")
@click.option(
    "--version", "label", default="", metavar="LABEL", help="Your name for this build; a new one is rated anew."
)
@click.option("--tls/--no-tls", default=False, show_default=True, help="Whether the line is encrypted.")
@click.option("--once", is_flag=True, help="Stop after one series at each table.")
@click.pass_context
def command(
    context: click.Context, file: Path, server: str, token: str, tables: int, label: str, tls: bool, once: bool
) -> None:
    """Play the bot of FILE on a site, from this machine, until Ctrl-C. FILE may also be a folder or a .zip.

    The first Ctrl-C lets a series that is on be played to its end; a second one leaves at once, which forfeits the
    match. What happens is said line by line: when it is connected, at which table it sits, how each match ended, and
    whether the luck was what it had been committed to. A lost line is dialled again. Exits with 1 when the arena
    refuses the bot, or when something was not fair.
    """
    from arena.conversation import Report
    from arena.dial import DialError, dial

    _check(server, token)
    make = load_bot(context.with_resource(opened(file)))
    make()  # one that cannot be made shall not find that out at a table
    unfair = False

    def tell(report: Report) -> None:
        nonlocal unfair
        unfair = unfair or report.kind == "unfair"
        click.echo(report.text, err=report.kind in ("unfair", "error", "bot-error", "line"))

    click.echo(f"{file.name} plays {make.game}; dialling {server}")

    async def play() -> None:
        stopping = asyncio.Event()

        def stop() -> None:
            if stopping.is_set():
                click.echo("left at once; a match that was on is forfeited", err=True)
                os._exit(INTERRUPTED)  # the bot's own threads may never end
            stopping.set()

        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, stop)
        await dial(
            make,
            game=make.game,
            target=server,
            token=token,
            version=label,
            tls=tls,
            tables=tables,
            once=once,
            tell=tell,
            stopping=stopping,
        )
        if stopping.is_set():
            click.echo("goodbye")

    try:
        asyncio.run(play())
    except DialError as error:
        raise Failed(f"{server}: {error}") from error
    context.exit(NO if unfair else 0)


def _check(server: str, token: str) -> None:
    """Refuse what no amount of dialling could make work."""
    host, colon, port = server.rpartition(":")
    if not colon or not re.fullmatch(r"[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]", host) or not port.isdecimal():
        raise Impossible(f"--server {server[:80]}: write HOST:PORT, as it stands on the bot's page")
    if not 1 <= int(port) <= 65535:
        raise Impossible(f"--server {server[:80]}: a port is a number from 1 to 65535")
    if len(token) > LONGEST_TOKEN:
        raise Impossible(f"a token has at most {LONGEST_TOKEN} characters, not {len(token)}")
