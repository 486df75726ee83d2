"""``arena tournament``: many bots, on this machine."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import fields
from math import ceil, log2
from pathlib import Path

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
from arena.pairing import FORMATS, read_format
from arena.rules import Ruleset, check_players

Values = dict[str, str | int | None]


@click.command("tournament")
@game_argument
@click.argument("bots", metavar="BOT BOT...", nargs=-1, required=True)
@click.option(
    "--format",
    "form",
    type=click.Choice(tuple(FORMATS)),
    default="swiss",
    show_default=True,
    help="What is played; docs/tournaments.md explains them.",
)
@click.option("--rounds", type=click.IntRange(1, 1000), help="Of swiss, round-robin and groups. By default enough.")
@click.option("--table", type=click.IntRange(2, 6), help="Seats of the largest tables. By default up to 4.")
@click.option("--series", "matches", type=click.IntRange(1), default=12, show_default=True, help="Matches of a series.")
@click.option("--advance", type=click.IntRange(1, 5), help="Of each knockout table so many go on. By default half.")
@click.option("--group", "size", type=click.IntRange(2, 100), help="Bots in a group. By default 4.")
@click.option("--qualify", type=click.IntRange(1, 50), help="Of each group so many go on. By default 2.")
@preset_option
@settings_option
@seed_option
@jobs_option
@click.option(
    "--resume",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write down here what has been played; if it is there already, go on where that ends.",
)
@click.option("--json", "as_json", is_flag=True, help="Write everything as JSON, for programs.")
@limits_option
@move_ms_option
@bank_ms_option
@click.option("--practice", is_flag=True, help="A fault costs a default move, and not the place at the table.")
@click.pass_context
def command(
    context: click.Context,
    game: str,
    bots: tuple[str, ...],
    form: str,
    rounds: int | None,
    table: int | None,
    matches: int,
    advance: int | None,
    size: int | None,
    qualify: int | None,
    preset: str | None,
    settings: tuple[str, ...],
    seed: bytes | None,
    jobs: int,
    file: Path | None,
    as_json: bool,
    limits: bool | None,
    move_ms: int | None,
    bank_ms: int | None,
    practice: bool,
) -> None:
    """Let bots play a tournament of GAME on this machine.

    A BOT is the name of a house bot, a .py file, a folder or a .zip, or cmd: and a command that starts a program;
    the same one may be named several times. The first one is the favourite of the seeding, and so on. The standings
    are shown while it is played. A tournament that was broken off goes on with the same command, if that has
    --resume FILE.

    Exits with 1 when a bot's line was lost.
    """
    from arena.commands.standings import report, shown
    from arena.local.contest import find_entrants
    from arena.local.tournament import Log, Plan, play_tournament, read_log, read_tree, write_log
    from bots import house_bots

    rules = make_ruleset(GAMES[game], preset, settings)
    if len(bots) < 2:
        raise Impossible("a tournament needs at least two bots")
    asked = {"rounds": rounds, "advance": advance, "size": size, "qualify": qualify}
    described = _describe(form, len(bots), rules, table, {name: one for name, one in asked.items() if one is not None})
    tree = None if file is None else read_tree(file)
    plan = Plan(
        rules=rules,
        bots=find_entrants(unzipped(context, bots), house_bots(game)),
        form=read_format(described),
        matches=matches,
        seed=seed if seed is not None else secrets.token_bytes(16) if tree is None else _written_seed(file, tree),
        limits=choose_limits(limits, move_ms, bank_ms, seeded=seed is not None),
        penalty="default" if practice else "forfeit",
    )
    plan.form.check(len(plan.bots))
    log: Log = {}
    if file is not None and tree is not None:
        log = read_log(file, tree, plan)
        click.echo(f"{file}: {len(log)} series have been played", err=True)

    def save(now: Log) -> None:
        if file is not None:
            write_log(file, plan, now)

    save(log)  # before anything is played it is known whether the file can be written
    with shown(plan) as progress:
        ended = play_tournament(plan, log, jobs=jobs, save=save, progress=progress)
    report(plan, ended, as_json=as_json)
    if seed is None and not as_json and not any(bot.command for bot in plan.bots):
        click.echo(f"to repeat it: --seed {plan.seed.hex()}", err=True)
    lost = any("gone" in kinds for series in ended.log.values() for kinds in series.faults.values())
    context.exit(NO if lost else 0)


def _describe(form: str, bots: int, rules: Ruleset, table: int | None, wanted: Mapping[str, int]) -> Values:
    """The form of the tournament as plain values, with a default for what nobody asked for."""
    most = table or min(4, rules.players[-1])
    check_players(rules, most)
    known = {field.name for field in fields(FORMATS[form])}
    options = {"rounds": "--rounds", "advance": "--advance", "size": "--group", "qualify": "--qualify"}
    for name in wanted:
        if name not in known:
            raise Impossible(f"--format {form} together with {options[name]} makes no sense")
    defaults: Values = {"rounds": ceil(log2(bots)) if form == "swiss" else None, "advance": most // 2}
    described: Values = {"format": form, "least": rules.players[0], "most": most}
    described.update({name: value for name, value in defaults.items() if name in known})
    described.update(wanted)
    return described


def _written_seed(file: Path | None, tree: Mapping[str, object]) -> bytes:
    try:
        return bytes.fromhex(str(tree.get("seed")))
    except ValueError:
        raise Impossible(f"{file}: the seed in it is not hex") from None
