"""How a command fails: one line for people on the standard error, and an exit code."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from arena.kit import BotError
from arena.local.contest import Absent, ContestError
from arena.package import PackageError
from arena.pairing.model import FormatError
from arena.record import RecordError
from arena.rules import RulesError

NO = 1
"""Exit code: the answer is no."""

WRONG = 2
"""Exit code: what was asked for cannot be done."""


INTERRUPTED = 130
"""Exit code: somebody did not want to wait, as shells have it."""


class Impossible(click.ClickException):
    """What was asked for cannot be done."""

    exit_code = WRONG


class Failed(click.ClickException):
    """The answer is no."""

    exit_code = NO


@contextmanager
def one_line() -> Iterator[None]:
    """Turn every error that people can do something about into one line and an exit code."""
    try:
        yield
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        sys.exit(error.exit_code)
    except click.ClickException as error:
        _say(error.format_message())
        sys.exit(error.exit_code)
    except Absent as error:
        _say(str(error))
        sys.exit(NO)
    except (RulesError, RecordError, BotError, ContestError, FormatError, PackageError) as error:
        _say(str(error))
        sys.exit(WRONG)
    except click.Abort:
        _say("interrupted")
        sys.exit(INTERRUPTED)


def _say(message: str) -> None:
    text = " ".join(line.strip() for line in message.splitlines())
    click.echo(f"arena: {text}", err=True)
