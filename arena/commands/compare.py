"""``arena compare``: is this version better than that one?"""

from __future__ import annotations

import json
import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.commands.common import (
    bank_ms_option,
    choose_limits,
    jobs_option,
    limits_option,
    make_ruleset,
    move_ms_option,
    preset_option,
    seed_option,
    settings_option,
    unzipped,
)
from arena.commands.failures import INTERRUPTED, NO, Impossible
from arena.compare import Question, QuestionError, Sample, Verdict, block_score
from arena.games import GAMES
from arena.kit import load_bot
from arena.rules import check_players

if TYPE_CHECKING:
    from arena.local.contest import Contest
    from arena.local.worker import Result

NEW, OLD = 0, 1
"""Which entrants these are."""


class Comparison:
    """What is known so far."""

    def __init__(self, contest: Contest, question: Question) -> None:
        self.contest = contest
        self.question = question
        self.sample = Sample()
        self.counts: Counter[float] = Counter()
        self.matches = 0
        self.faults: tuple[Counter[str], ...] = tuple(Counter() for _ in contest.entrants)
        self.interrupted = False

    def count(self, block: Sequence[Result]) -> None:
        """One more block."""
        orders = [result.fixture.order for result in block]
        score = block_score(
            [(result.places, order.index(NEW), order.index(OLD)) for result, order in zip(block, orders, strict=True)]
        )
        self.sample = self.sample.add(score)
        self.counts[score] += 1
        self.matches += len(block)
        for result in block:
            for fault in result.faults:
                self.faults[result.fixture.order[fault.seat]][fault.kind] += 1

    @property
    def verdict(self) -> Verdict:
        """The answer, if there is one."""
        return self.sample.verdict(self.question)


@click.command("compare")
@click.argument("new", metavar="NEW")
@click.argument("old", metavar="OLD")
@click.option("--game", type=click.Choice(tuple(GAMES)), help="The game; needed for two house bots, known of a file.")
@click.option("--with", "others", multiple=True, metavar="BOT", help="Another one at the table; may be repeated.")
@preset_option
@settings_option
@click.option("--elo0", type=float, default=0.0, show_default=True, metavar="ELO", help='At most this: "not better".')
@click.option("--elo1", type=float, default=20.0, show_default=True, metavar="ELO", help='At least this: "better".')
@click.option(
    "--alpha", type=float, default=0.05, show_default=True, metavar="P", help='How often "better" may be wrong.'
)
@click.option(
    "--beta", type=float, default=0.05, show_default=True, metavar="P", help="How often the other may be wrong."
)
@click.option(
    "--max", "most", type=click.IntRange(1), metavar="N", help="Stop after so many matches. By default never."
)
@jobs_option
@seed_option
@limits_option
@move_ms_option
@bank_ms_option
@click.option("--json", "as_json", is_flag=True, help="Write JSON, for programs.")
@click.pass_context
def command(
    context: click.Context,
    new: str,
    old: str,
    game: str | None,
    others: tuple[str, ...],
    preset: str | None,
    settings: tuple[str, ...],
    elo0: float,
    elo1: float,
    alpha: float,
    beta: float,
    most: int | None,
    jobs: int,
    seed: bytes | None,
    limits: bool | None,
    move_ms: int | None,
    bank_ms: int | None,
    as_json: bool,
) -> None:
    """Play NEW against OLD until it is known whether NEW is better.

    A bot is named as for `arena play`. Both sit at one table, with the bots of --with, if any; what counts is which
    of the two has the better place. Each block of matches shares its luck, while the seats are rotated and the two
    exchanged. After every block the sequential test of --elo0 against --elo1 looks whether that is enough.

    The verdict is "better" or "not better", and "undecided" when --max or Ctrl-C came first. LOS is the likelihood
    of superiority. Exits with 1 when the verdict is not "better".
    """
    from arena.local.contest import Contest, exchanged_blocks, exchanged_orders, find_entrants
    from bots import house_bots

    try:
        question = Question(elo0, elo1, alpha, beta)
    except QuestionError as error:
        raise Impossible(str(error)) from error
    game = game or _game_of([new, old, *others])
    rules = make_ruleset(GAMES[game], preset, settings)
    players = 2 + len(others)
    check_players(rules, players)
    block = len(exchanged_orders(players))
    if most is not None and most < block:
        raise Impossible(f"--max {most}: one block with {players} players is {block} matches")
    contest = Contest(
        rules=rules,
        entrants=find_entrants(unzipped(context, [new, old, *others]), house_bots(game)),
        matches=most or 0,
        seed=seed if seed is not None else secrets.token_bytes(16),
        limits=choose_limits(limits, move_ms, bank_ms, seeded=seed is not None),
        penalty="forfeit",
    )
    if seed is not None and contest.launches:
        click.echo("this run cannot be repeated by its seed: a program takes part whose dice are its own", err=True)
    found = Comparison(contest, question)
    planned = exchanged_blocks(players, most)
    with _shown(most) as show:
        _play(found, planned, jobs, show)
    if as_json:
        click.echo(_to_json(found))
    else:
        _print(found)
        if seed is None and not contest.launches:
            click.echo(f"to repeat it: --seed {contest.seed.hex()}", err=True)
    if seed is not None and any(faults["late"] for faults in found.faults):
        click.echo("this run cannot be repeated by its seed: somebody was late, and time is no luck", err=True)
    context.exit(INTERRUPTED if found.interrupted else 0 if found.verdict == "better" else NO)


def _game_of(words: Sequence[str]) -> str:
    """The game that the first file among these bots plays."""
    for word in words:
        if word.endswith(".py"):
            return load_bot(Path(word)).game
    raise Impossible(f"which game? Say --game with one of {', '.join(GAMES)}")


def _play(found: Comparison, planned: Iterator[Any], jobs: int, show: Callable[[Comparison], None]) -> None:
    """Play until the answer is there, the blocks are used up, or somebody has had enough."""
    from arena.local.pool import stream_blocks

    blocks = stream_blocks(found.contest, planned, jobs=jobs)
    try:
        for block in blocks:
            found.count(block)
            show(found)
            if found.verdict != "undecided":
                return
    except KeyboardInterrupt:
        found.interrupted = True
    finally:
        blocks.close()


# ---- what is shown -------------------------------------------------------------------------------


@contextmanager
def _shown(most: int | None) -> Iterator[Callable[[Comparison], None]]:
    """A line on the standard error that is always up to date, where somebody sees it."""
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda _: None
        return
    began = time.monotonic()
    with Live(Text("playing"), console=console, transient=True, refresh_per_second=4) as live:
        yield lambda found: live.update(Text(status(found, time.monotonic() - began, most)))


def status(found: Comparison, seconds: float, most: int | None) -> str:
    """Where it stands, in one line; after so many seconds."""
    sample = found.sample
    each = found.matches / max(1, sample.blocks)
    left = sample.blocks_left(found.question) * each
    if most is not None:
        left = min(left, most - found.matches)
    return (
        f"LLR {sample.llr(found.question):+.2f} ({found.question.lower:.2f} to {found.question.upper:.2f})  "
        f"Elo {sample.elo:+.1f} ± {sample.half_width:.1f}  LOS {100 * sample.los:.1f} %  {found.matches} matches, "
        f"about {left:.0f} more, {_span(left * seconds / max(1, found.matches))}"
    )


def _span(seconds: float) -> str:
    """A stretch of time as people say it."""
    for unit, size in (("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"


def _print(found: Comparison) -> None:
    """The answer, for people."""
    sample, question, contest = found.sample, found.question, found.contest
    names = [entrant.name for entrant in contest.entrants]
    company = f" with {', '.join(names[2:])}" if names[2:] else ""
    rules = f"{contest.rules.game} {contest.rules.preset or 'with rules of its own'}"
    click.echo(f"{names[NEW]} against {names[OLD]}{company}, {rules}")
    answer: str = found.verdict
    if answer == "undecided":
        answer += f" after {found.matches} matches" + (", interrupted" if found.interrupted else "")
    click.echo(f"verdict  {answer}  ({question.elo1:g} Elo or more, or {question.elo0:g} or less?)")
    if sample.blocks:
        click.echo(f"LLR      {sample.llr(question):+.3f}  (decided at {question.lower:.3f} and {question.upper:.3f})")
        click.echo(f"Elo      {sample.elo:+.1f} ± {sample.half_width:.1f}")
        click.echo(f"LOS      {100 * sample.los:.2f} %")
        click.echo(f"score    {sample.total / sample.blocks:.3f} in {found.matches} matches, {sample.blocks} blocks")
    for name, faults in zip(names, found.faults, strict=True):
        if faults:
            click.echo(f"faults   {name}: {', '.join(f'{faults[kind]} {kind}' for kind in sorted(faults))}")


def _to_json(found: Comparison) -> str:
    """All of it, in one object; a repeated run gives the very same text."""
    sample, question, contest = found.sample, found.question, found.contest
    bots = [
        {"bot": entrant.name, "version": entrant.version, "faults": dict(sorted(faults.items()))}
        for entrant, faults in zip(contest.entrants, found.faults, strict=True)
    ]
    tree = {
        "game": contest.rules.game,
        "preset": contest.rules.preset,
        "options": dict(contest.rules.values),
        "new": bots[NEW],
        "old": bots[OLD],
        "with": bots[2:],
        "seed": contest.seed.hex(),
        "elo0": question.elo0,
        "elo1": question.elo1,
        "alpha": question.alpha,
        "beta": question.beta,
        "verdict": found.verdict,
        "interrupted": found.interrupted,
        "matches": found.matches,
        "blocks": sample.blocks,
        "score": round(sample.total / sample.blocks, 6) if sample.blocks else None,
        "scores": {f"{score:.6g}": found.counts[score] for score in sorted(found.counts)},
        "elo": round(sample.elo, 3),
        "plus_minus": round(sample.half_width, 3),
        "los": round(sample.los, 6),
        "llr": round(sample.llr(question), 6),
        "bounds": [round(question.lower, 6), round(question.upper, 6)],
    }
    return json.dumps(tree, indent=1, ensure_ascii=False)
