"""``arena verify``: does a record hold?"""

from __future__ import annotations

import click

from arena import record
from arena.commands.common import load_record, record_file
from arena.commands.failures import NO, Impossible
from arena.record import RecordError
from arena.verify import VerificationError, check_name, verify


@click.command("verify")
@click.option("--name", metavar="SHA256", help="Also check that the record has this name, and so was not changed.")
@record_file("files", many=True)
@click.pass_context
def command(context: click.Context, name: str | None, files: tuple[str, ...]) -> None:
    """Redo all that the records in FILE... claim.

    The commitments, the table key, every draw, every move and the outcome are redone. Exits with 0 only when all of
    it agrees in all files; otherwise the step or the field that differs is named, and the exit code is 1. A move
    changed into another legal one with the same outcome is caught by --name alone. FILE may be - for the standard
    input.
    """
    if name is not None and len(files) > 1:
        raise Impossible("--name is the name of one record; give one file")
    bad = 0
    for path in files:
        try:
            played = load_record(path)
            if name is not None:
                check_name(played, name)
            verify(played)
        except (RecordError, VerificationError) as error:
            bad += 1
            click.echo(f"{path}: {error}", err=True)
        else:
            click.echo(f"{path}: all agrees; its name is {record.name(played)}")
    context.exit(NO if bad else 0)
