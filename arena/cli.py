"""The ``arena`` command. Each of its commands has a file of its own in `arena.commands`."""

from __future__ import annotations

from typing import Any

import click

from arena import __version__
from arena.commands import ask, compare, connect, exploitability, new, play, rules, show, solve, up, verify
from arena.commands.failures import one_line


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


for module in (play, compare, show, verify, rules, ask, new, connect, solve, exploitability, up):
    main.add_command(module.command)


if __name__ == "__main__":
    main()
