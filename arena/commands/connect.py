"""``arena connect``: a bot plays on a site from its author's own machine."""

from __future__ import annotations

import asyncio
import io
import re
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

import click

from arena.commands.failures import INTERRUPTED, NO, Failed, Impossible
from arena.kit import load_bot
from arena.package import opened
from arena.witness import leave_at_once

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
@click.option(
    "--log",
    "log_file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Keep all that is said here, and what the bot prints, at the end of FILE, each line with its time.",
)
@click.pass_context
def command(
    context: click.Context,
    file: Path,
    server: str,
    token: str,
    tables: int,
    label: str,
    tls: bool,
    once: bool,
    log_file: Path | None,
) -> None:
    """Play the bot of FILE on a site, from this machine, until Ctrl-C. FILE may also be a folder or a .zip.

    The first Ctrl-C lets a series that is on be played to its end; a second one leaves at once, which forfeits the
    match. What happens is said line by line: when it is connected, at which table it sits, how each match ended, and
    whether the luck was what it had been committed to; also when the bot is late, and what it logs. A lost line is
    dialled again. Exits with 1 when the arena refuses the bot, or when something was not fair.
    """
    from arena.conversation import Report
    from arena.dial import DialError, dial

    _check(server, token)
    keep = _open(log_file) if log_file is not None else None
    out, aside = sys.stdout, sys.stderr
    make = load_bot(context.with_resource(opened(file)))
    make()  # one that cannot be made shall not find that out at a table
    unfair = False

    def say(text: str, *, err: bool = False) -> None:
        click.echo(text, file=aside if err else out)
        if keep is not None:
            keep(text)

    def tell(report: Report) -> None:
        nonlocal unfair
        unfair = unfair or report.kind == "unfair"
        say(report.text, err=report.kind in ("unfair", "error", "bot-error", "late", "line"))

    say(f"{file.name} plays {make.game}; dialling {server}")

    async def play() -> None:
        stopping = asyncio.Event()

        def stop() -> None:
            if stopping.is_set():
                say("left at once; a match that was on is forfeited", err=True)
                leave_at_once(INTERRUPTED)  # the bot's own threads may never end
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
            say("goodbye")

    try:
        with _kept(keep, out, aside):
            asyncio.run(play())
    except DialError as error:
        if keep is not None:
            keep(f"{server}: {error}")
        raise Failed(f"{server}: {error}") from error
    context.exit(NO if unfair else 0)


Keep = Callable[[str], None]


def _open(path: Path) -> Keep:
    """Writes lines to the end of a file, each with the time."""
    try:
        file = path.open("a", encoding="utf-8", buffering=1)
    except OSError as error:
        raise Impossible(f"--log {path}: {error.strerror or error}") from error

    def keep(text: str) -> None:
        now = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S}Z"
        file.write("".join(f"{now} {line}\n" for line in text.splitlines() or [""]))

    return keep


@contextmanager
def _kept(keep: Keep | None, out: TextIO, aside: TextIO) -> Iterator[None]:
    """While this lasts, what the bot prints is kept as well."""
    if keep is None:
        yield
        return
    with redirect_stdout(_Tee(out, keep)), redirect_stderr(_Tee(aside, keep)):
        yield


class _Tee(io.TextIOBase):
    """Passes on what is printed, and keeps every whole line of it."""

    def __init__(self, out: TextIO, keep: Keep) -> None:
        self._out = out
        self._keep = keep
        self._rest = ""

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self._out.write(text)
        *lines, self._rest = (self._rest + text).split("\n")
        for line in lines:
            self._keep(f"printed: {line}")
        return len(text)

    def flush(self) -> None:
        self._out.flush()


def _check(server: str, token: str) -> None:
    """Refuse what no amount of dialling could make work."""
    host, colon, port = server.rpartition(":")
    if not colon or not re.fullmatch(r"[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]", host) or not port.isdecimal():
        raise Impossible(f"--server {server[:80]}: write HOST:PORT, as it stands on the bot's page")
    if not 1 <= int(port) <= 65535:
        raise Impossible(f"--server {server[:80]}: a port is a number from 1 to 65535")
    if len(token) > LONGEST_TOKEN:
        raise Impossible(f"a token has at most {LONGEST_TOKEN} characters, not {len(token)}")
