"""``arena play``: bots against bots, on this machine."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.commands.common import (
    bank_ms_option,
    choose_limits,
    game_argument,
    jobs_option,
    limits_option,
    make_ruleset,
    move_ms_option,
    preset_option,
    seed_option,
    settings_option,
    unzipped,
)
from arena.commands.failures import NO, Impossible
from arena.games import GAMES
from arena.rules import check_players

if TYPE_CHECKING:
    from arena.local.contest import Contest
    from arena.local.worker import Result


@click.command("play")
@game_argument
@click.argument("bots", metavar="BOT BOT...", nargs=-1, required=True)
@preset_option
@settings_option
@click.option("--matches", type=click.IntRange(1), default=1, show_default=True, help="How many matches.")
@seed_option
@jobs_option
@click.option(
    "--record",
    "target",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the record; with several matches FILE-0001 and so on.",
)
@click.option("--json", "as_json", is_flag=True, help="Write the results as JSON, for programs.")
@click.option("--times", is_flag=True, help="Report thinking times, too; they differ from run to run.")
@limits_option
@move_ms_option
@bank_ms_option
@click.option("--practice", is_flag=True, help="A fault costs a default move, and not the place at the table.")
@click.pass_context
def command(
    context: click.Context,
    game: str,
    bots: tuple[str, ...],
    preset: str | None,
    settings: tuple[str, ...],
    matches: int,
    seed: bytes | None,
    jobs: int,
    target: Path | None,
    as_json: bool,
    times: bool,
    limits: bool | None,
    move_ms: int | None,
    bank_ms: int | None,
    practice: bool,
) -> None:
    """Let bots play GAME on this machine.

    A BOT is the name of a house bot, a .py file, a folder or a .zip with bot.py in it, or cmd: and a command that
    starts a program, which finds where to dial in ARENA_ADDRESS and its ticket in ARENA_TICKET. One match is told step
    by step; of several the results are summed up. The matches come in blocks that share their luck while the seats are
    changed. The score is the share of opponents left behind (0.5 is the average), with its 95 % interval.

    Exits with 1 when a bot's line was lost.
    """
    from arena.local.contest import Contest, find_entrants
    from bots import house_bots

    rules = make_ruleset(GAMES[game], preset, settings)
    if len(bots) < 2:
        raise Impossible("a match needs at least two bots")
    check_players(rules, len(bots))
    if target is not None and not target.absolute().parent.is_dir():
        raise Impossible(f"--record {target}: there is no such folder")
    contest = Contest(
        rules=rules,
        entrants=find_entrants(unzipped(context, bots), house_bots(game)),
        matches=matches,
        seed=seed if seed is not None else secrets.token_bytes(16),
        limits=choose_limits(limits, move_ms, bank_ms, seeded=seed is not None),
        penalty="default" if practice else "forfeit",
    )
    if seed is not None and contest.launches:
        click.echo("this run cannot be repeated by its seed: a program takes part whose dice are its own", err=True)
    if matches == 1 and not as_json:
        results = _told(contest)
    else:
        results = _counted(contest, jobs, keep_records=target is not None)
        _report(contest, results, as_json=as_json, times=times)
    if seed is None and not as_json and not contest.launches:
        click.echo(f"to repeat it: --seed {contest.seed.hex()}", err=True)
    if target is not None:
        _write_records(target, results)
    faults = {fault.kind for result in results for fault in result.faults}
    if seed is not None and "late" in faults:
        click.echo("this run cannot be repeated by its seed: somebody was late, and time is no luck", err=True)
    context.exit(NO if "gone" in faults else 0)


def _told(contest: Contest) -> list[Result]:
    """Play the one match and tell it as it happens."""
    from arena.commands.telling import tell_match

    return [tell_match(contest)]


def _counted(contest: Contest, jobs: int, *, keep_records: bool) -> list[Result]:
    """Play all matches, with a bar on the standard error where somebody sees it."""
    from rich.console import Console
    from rich.progress import Progress

    from arena.local.pool import play_contest

    console = Console(stderr=True)
    with Progress(console=console, disable=not console.is_terminal, transient=True) as bar:
        task = bar.add_task("playing", total=contest.matches)
        return play_contest(
            contest, jobs=jobs, keep_records=keep_records, progress=lambda more: bar.advance(task, more)
        )


def _report(contest: Contest, results: list[Result], *, as_json: bool, times: bool) -> None:
    from arena.commands.results import print_table, to_json

    if as_json:
        click.echo(to_json(contest, results, times=times))
    else:
        print_table(contest, results, times=times)


def _write_records(target: Path, results: list[Result]) -> None:
    from arena import record

    for number, result in enumerate(results, start=1):
        assert result.record is not None
        path = target if len(results) == 1 else target.with_stem(f"{target.stem}-{number:04}")
        try:
            path.write_text(record.write(result.record), encoding="utf-8")
        except OSError as error:
            raise Impossible(f"{path}: {error.strerror or error}") from error
        if len(results) == 1:
            click.echo(f"{path}: the record, whose name is {result.name}", err=True)
    if len(results) > 1:
        click.echo(f"{target.with_stem(target.stem + '-0001')} and so on: {len(results)} records", err=True)
