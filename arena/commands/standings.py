"""The standings of a tournament: while it is played, at its end, and for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.table import Table

from arena.local.tournament import Ended, Moment, Plan, Series, describe
from arena.pairing import Round, Row, explain
from arena.pairing.round_robin import RoundRobin
from arena.pairing.standings import in_decimals
from arena.pairing.swiss import Swiss


@contextmanager
def shown(plan: Plan) -> Iterator[Callable[[Moment], None]]:
    """Shows the standings on the standard error while they change, where somebody sees it."""
    console = Console(stderr=True, highlight=False)
    with Live(console=console, auto_refresh=False, transient=True) as live:

        def show(moment: Moment) -> None:
            if console.is_terminal:
                now = f"{moment.round.stage}: {moment.done} of {len(moment.round.tables)} series"
                live.update(_table(plan, moment.rows, now, {}), refresh=True)

        yield show


def report(plan: Plan, ended: Ended, *, as_json: bool) -> None:
    """The end of a tournament, on the standard output."""
    if as_json:
        print(to_json(plan, ended))
        return
    faults: dict[int, dict[str, int]] = {}
    for series in ended.log.values():
        for entrant, kinds in series.faults.items():
            for kind, count in kinds.items():
                own = faults.setdefault(entrant, {})
                own[kind] = own.get(kind, 0) + count
    count = sum(len(series.result.matches) for series in ended.log.values())
    title = (
        f"{plan.rules.game} {plan.rules.preset or 'with rules of its own'}, {len(ended.log)} series, {count} matches"
    )
    # a file has no width; a table that is cut to 80 columns there could not be read any more
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 200)
    console.print(_table(plan, ended.finished.rows, title, faults))
    champion = ended.finished.champion
    if champion is not None:
        console.print(f"the winner is {plan.bots[champion - 1].name}", markup=False)


def _table(plan: Plan, rows: Sequence[Row], title: str, faults: dict[int, dict[str, int]]) -> Table:
    names = {number: bot.name for number, bot in enumerate(plan.bots, start=1)}
    table = Table(title=title)
    table.add_column("", justify="right")
    table.add_column("bot", no_wrap=True)
    scored = isinstance(plan.form, RoundRobin | Swiss)
    for name in ("points", "series", *(("among tied", "Buchholz", "S.-B.") if scored else ())):
        table.add_column(name, justify="right")
    table.add_column("faults")
    table.add_column("why here")
    before = {row.entrant: row for row in rows}
    for row in rows:
        cells = (
            "–" if row.place is None else str(row.place),
            names[row.entrant],
            in_decimals(row.points),
            str(row.played),
            *(map(in_decimals, (row.among, row.buchholz, row.sonneborn)) if scored else ()),
            ", ".join(f"{count} {kind}" for kind, count in sorted(faults.get(row.entrant, {}).items())),
            explain(row, before.get(row.behind) if row.behind is not None else None, names),
        )
        table.add_row(*(cell.replace("[", r"\[") for cell in cells))
    return table


def to_json(plan: Plan, ended: Ended) -> str:
    """Everything, in one object; a repeated tournament gives the very same text."""
    names = {number: bot.name for number, bot in enumerate(plan.bots, start=1)}
    rows = ended.finished.rows
    before = {row.entrant: row for row in rows}
    tree = describe(plan) | {
        "champion": None if ended.finished.champion is None else names[ended.finished.champion],
        "standings": [
            {
                "place": row.place,
                "bot": names[row.entrant],
                "points": round(float(row.points), 6),
                "among": None if row.among is None else round(float(row.among), 6),
                "buchholz": round(float(row.buchholz), 6),
                "sonneborn": round(float(row.sonneborn), 6),
                "series": row.played,
                "status": row.status,
                "decision": row.decision,
                "why": explain(row, before.get(row.behind) if row.behind is not None else None, names),
            }
            for row in rows
        ],
        "rounds": [_round(made, ended.log, names) for made in ended.rounds],
    }
    return json.dumps(tree, indent=1, ensure_ascii=False)


def _round(made: Round, log: dict[str, Series], names: dict[int, str]) -> dict[str, Any]:
    return {
        "round": made.number,
        "stage": made.stage,
        "byes": [names[entrant] for entrant in made.byes],
        "tables": [
            {
                "name": table.name,
                "bots": [names[entrant] for entrant in table.seats],
                "extra": table.extra,
                "places": [list(places) for places in log[table.name].result.matches],
                "faults": {names[entrant]: kinds for entrant, kinds in log[table.name].faults.items()},
            }
            for table in made.tables
        ],
    }
