"""The results of many matches, for people and for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from arena.local.contest import Contest
from arena.local.tally import Line, tally
from arena.local.worker import Result


def print_table(contest: Contest, results: Sequence[Result], *, times: bool) -> None:
    """A row for each bot, the best score first."""
    rules = contest.rules
    # a file has no width; a table that is cut to 80 columns there could not be read any more
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 200)
    table = Table(title=f"{rules.game} {rules.preset or 'with rules of its own'}, {len(results)} matches")
    table.add_column("bot")
    table.add_column("score", justify="right")
    table.add_column("95 % interval", justify="right", no_wrap=True)
    for place in range(1, len(contest.entrants) + 1):
        table.add_column(str(place), justify="right")
    table.add_column("points", justify="right")
    table.add_column("faults")
    if times:
        table.add_column("ms a move", justify="right")
    for line in sorted(tally(contest, results), key=lambda line: -line.score):
        table.add_row(*_cells(line, times))
    console.print(table)


def _cells(line: Line, times: bool) -> list[str]:
    interval = "" if line.interval is None else "{:.3f} to {:.3f}".format(*line.interval)
    return [
        line.name,
        f"{line.score:.3f}",
        interval,
        *map(str, line.places),
        str(line.points),
        ", ".join(f"{count} {kind}" for kind, count in line.faults.items()),
        *([f"{line.ms / max(1, line.moves):.3f}"] if times else []),
    ]


def to_json(contest: Contest, results: Sequence[Result], *, times: bool) -> str:
    """Everything, in one object; without ``times`` a repeated run gives the very same text."""
    names = [entrant.name for entrant in contest.entrants]
    tree = {
        "game": contest.rules.game,
        "preset": contest.rules.preset,
        "options": dict(contest.rules.values),
        "matches": len(results),
        "seed": contest.seed.hex(),
        "bots": [_bot(line, times) for line in tally(contest, results)],
        "results": [_match(result, names, times) for result in results],
    }
    return json.dumps(tree, indent=1, ensure_ascii=False)


def _bot(line: Line, times: bool) -> dict[str, Any]:
    return {
        "bot": line.name,
        "version": line.version,
        "score": round(line.score, 6),
        "interval": None if line.interval is None else [round(end, 6) for end in line.interval],
        "places": list(line.places),
        "points": line.points,
        "faults": line.faults,
        "moves": line.moves,
        **({"ms": round(line.ms, 3)} if times else {}),
    }


def _match(result: Result, names: list[str], times: bool) -> dict[str, Any]:
    return {
        "match": result.match,
        "block": result.fixture.block,
        "bots": [names[entrant] for entrant in result.fixture.order],
        "places": list(result.places),
        "scores": list(result.scores),
        "reason": result.reason,
        "faults": [fault._asdict() for fault in result.faults],
        "record": result.name,
        **({"ms": [round(ms, 3) for ms in result.ms]} if times else {}),
    }
