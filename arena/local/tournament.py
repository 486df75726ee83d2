"""A tournament on this machine. What has been played is written down after each series, so that it can go on later.

Nothing but the results is kept: the draws follow from them and from the seed, as everywhere.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from arena import chance
from arena.local.contest import Contest, ContestError, Entrant
from arena.local.pool import Pool
from arena.local.worker import Result as MatchResult
from arena.pairing import Entrant as Paired
from arena.pairing import Finished, Format, Played, Result, Round, Row, Table, write_format
from arena.rules import Ruleset
from arena.table import Limits, Penalty


class Plan(NamedTuple):
    """Everything that is settled before the first round."""

    rules: Ruleset
    bots: tuple[Entrant, ...]
    """The favourite first."""
    form: Format
    matches: int
    """Of a series."""
    seed: bytes
    limits: Limits | None
    penalty: Penalty

    @property
    def entrants(self) -> list[Paired]:
        """As they are drawn; the id is the number of the bot, from 1."""
        return [Paired(number, number) for number in range(1, len(self.bots) + 1)]

    @property
    def draw(self) -> str:
        """The seed of the draw."""
        return chance.derive(self.seed, "draw", 0, 0)[:8].hex()

    def contest(self, table: Table) -> Contest:
        """The series of a table."""
        seed = chance.derive(self.seed, f"table/{table.name}", 0, 0)
        bots = tuple(self.bots[entrant - 1] for entrant in table.seats)
        return Contest(self.rules, bots, self.matches, seed, self.limits, self.penalty)


class Series(NamedTuple):
    """A series that was played."""

    result: Result
    faults: dict[int, dict[str, int]]
    """By entrant and kind."""


Log = dict[str, Series]
"""All series so far, by the names of their tables."""


class Moment(NamedTuple):
    """How far it has come."""

    round: Round
    done: int
    """Series of this round that are over."""
    rows: tuple[Row, ...]
    """The standings before this round."""


class Ended(NamedTuple):
    """A tournament that is over."""

    rounds: tuple[Round, ...]
    log: Log
    finished: Finished


def play_tournament(
    plan: Plan,
    log: Log,
    *,
    jobs: int = 1,
    save: Callable[[Log], None] | None = None,
    progress: Callable[[Moment], None] | None = None,
) -> Ended:
    """Play what is not yet in ``log``, and add it there.

    Args:
        plan: what is played.
        log: what was played before.
        jobs: how many processes play at the same time.
        save: is called after each series.
        progress: likewise, and when a round begins.

    Raises:
        ContestError: a program did not take part; or the log is of another tournament.
        BotError: a bot in a file cannot be made.
        FormatError: these bots cannot play such a tournament.
    """
    played: list[Played] = []
    rounds: list[Round] = []
    with Pool(jobs) as pool:
        while isinstance(made := plan.form.next_round(plan.entrants, played, plan.draw), Round):
            rounds.append(made)
            rows = plan.form.standings(plan.entrants, played)
            missing = _missing(made, log)
            if progress is not None:
                progress(Moment(made, len(made.tables) - len(missing), rows))
            for more, (at, results) in enumerate(pool.play([plan.contest(table) for table in missing]), start=1):
                log[missing[at].name] = _series(missing[at], results)
                if save is not None:
                    save(log)
                if progress is not None:
                    progress(Moment(made, len(made.tables) - len(missing) + more, rows))
            played.append(Played(tuple(log[table.name].result for table in made.tables), made.byes))
    return Ended(tuple(rounds), log, made)


def _missing(made: Round, log: Log) -> list[Table]:
    for table in made.tables:
        if table.name in log and log[table.name].result.table != table:
            raise ContestError(f"the series {table.name} in the file was played by others than those drawn for it")
    return [table for table in made.tables if table.name not in log]


def _series(table: Table, results: Sequence[MatchResult]) -> Series:
    matches = []
    faults: dict[int, Counter[str]] = {}
    for result in results:
        order = result.fixture.order
        matches.append(tuple(result.places[order.index(number)] for number in range(len(table.seats))))
        for fault in result.faults:
            faults.setdefault(table.seats[order[fault.seat]], Counter())[fault.kind] += 1
    return Series(Result(table, tuple(matches)), {entrant: dict(kinds) for entrant, kinds in sorted(faults.items())})


# ---- the file ------------------------------------------------------------------------------------


def describe(plan: Plan) -> dict[str, Any]:
    """The plan as plain values: two plans that are described alike play alike."""
    return {
        "game": plan.rules.game,
        "preset": plan.rules.preset,
        "options": dict(plan.rules.values),
        "tournament": write_format(plan.form),
        "bots": [{"bot": bot.name, "version": bot.version} for bot in plan.bots],
        "matches": plan.matches,
        "seed": plan.seed.hex(),
        "limits": None if plan.limits is None else plan.limits._asdict(),
        "penalty": plan.penalty,
    }


def write_log(path: Path, plan: Plan, log: Log) -> None:
    """Write down what has been played. A reader finds the old file or the new one, never half of it.

    Raises:
        ContestError: it cannot be written.
    """
    tree = describe(plan) | {
        "series": {
            name: {
                "seats": series.result.table.seats,
                "extra": series.result.table.extra,
                "places": series.result.matches,
                "faults": series.faults,
            }
            for name, series in log.items()
        }
    }
    aside = path.with_name(path.name + ".new")
    try:
        with aside.open("w", encoding="utf-8") as file:
            json.dump(tree, file, ensure_ascii=False)
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)
    except OSError as error:
        raise ContestError(f"{path}: {error.strerror or error}") from error


def read_tree(path: Path) -> dict[str, Any] | None:
    """What a file says; None where there is none.

    Raises:
        ContestError: it cannot be read.
    """
    try:
        tree = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ContestError(f"{path}: {error.strerror or error}") from error
    except ValueError as error:
        raise ContestError(f"{path}: no tournament is written in it: {error}") from error
    if not isinstance(tree, dict) or not isinstance(tree.get("series"), dict):
        raise ContestError(f"{path}: no tournament is written in it")
    return tree


def read_log(path: Path, tree: Mapping[str, Any], plan: Plan) -> Log:
    """The series in a file.

    Raises:
        ContestError: they are of another tournament, or there is something else in it.
    """
    for name, value in describe(plan).items():
        if tree.get(name) != value:
            raise ContestError(f"{path}: another tournament is written in it, its {name} differs; take another file")
    try:
        return {
            name: Series(
                Result(
                    Table(name, tuple(series["seats"]), series["extra"]),
                    tuple(tuple(places) for places in series["places"]),
                ),
                {int(entrant): dict(kinds) for entrant, kinds in series["faults"].items()},
            )
            for name, series in tree["series"].items()
        }
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ContestError(f"{path}: a series in it cannot be read: {error!r}") from error
