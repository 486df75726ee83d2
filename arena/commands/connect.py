"""``arena connect``: a bot plays on a site from its author's own machine."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from arena.commands.failures import NO, Failed
from arena.kit import load_bot


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
    """Play the bot of FILE on a site, from this machine, until Ctrl-C.

    What happens is said line by line: when it is connected, at which table it sits, how each match ended, and
    whether the luck was what it had been committed to. A lost line is dialled again. Exits with 1 when the arena
    refuses the bot, or when something was not fair.
    """
    from arena.conversation import Report
    from arena.dial import DialError, dial

    make = load_bot(file)
    unfair = False

    def tell(report: Report) -> None:
        nonlocal unfair
        unfair = unfair or report.kind == "unfair"
        click.echo(report.text, err=report.kind in ("unfair", "error", "bot-error", "line"))

    click.echo(f"{file.name} plays {make.game}; dialling {server}")
    try:
        asyncio.run(
            dial(
                make,
                game=make.game,
                target=server,
                token=token,
                version=label,
                tls=tls,
                tables=tables,
                once=once,
                tell=tell,
            )
        )
    except DialError as error:
        raise Failed(f"{server}: {error}") from error
    except KeyboardInterrupt:
        click.echo("goodbye")
    context.exit(NO if unfair else 0)
