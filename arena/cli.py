"""The ``arena`` command. Each of its commands has a file of its own in `arena.commands`."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from arena import __version__
from arena.commands import (
    ask,
    compare,
    connect,
    exploitability,
    login,
    new,
    play,
    rules,
    show,
    solve,
    submit,
    tournament,
    up,
    verify,
)
from arena.commands.failures import one_line
from arena.witness import watched

WITH_BOTS = ("play", "ask", "connect", "compare", "tournament")
"""Commands that run authors' bots in their own process."""


class OneLineGroup(click.Group):
    """Says what is wrong in one line on the standard error."""

    def main(self, *args: Any, **options: Any) -> Any:
        """As click's, but for how it ends."""
        standalone = options.pop("standalone_mode", True)
        with one_line():
            result: Any = super().main(*args, **(options | {"standalone_mode": False}))
        if standalone:
            raise SystemExit(result if isinstance(result, int) else 0)
        return result


@click.group(
    cls=OneLineGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 all went well; 1 the answer is no (a record does not verify, a bot was lost, was refused, or "
    "is not better); 2 what was asked for cannot be done (an unknown option, a missing file, a file that is no bot); "
    "130 interrupted.",
)
@click.version_option(__version__, prog_name="arena")
def main() -> None:
    """Bluff Arena: programs play hidden-information table games against each other."""


for module in (
    play,
    compare,
    tournament,
    show,
    verify,
    rules,
    ask,
    new,
    submit,
    login,
    connect,
    solve,
    exploitability,
    up,
):
    main.add_command(module.command)
main.add_command(login.logout)


def run() -> None:
    """The program: where bots run, with a second process that tells when one of them has ended the first."""
    if hasattr(os, "fork") and len(sys.argv) > 1 and sys.argv[1] in WITH_BOTS:
        sys.exit(watched(main))
    main()


if __name__ == "__main__":
    run()
