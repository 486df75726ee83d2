"""One match, told while it is played."""

from __future__ import annotations

import sys
from typing import Any

import click

from arena.games import find_game
from arena.local.contest import Contest, blocks
from arena.local.worker import Result, play_blocks
from arena.rules import PUBLIC, Event, heard
from arena.story import tell


def tell_match(contest: Contest) -> Result:
    """Play the single match of ``contest``: what everybody hears goes to the standard output, logs to the other."""
    game = find_game(contest.rules.game)
    names = [entrant.name for entrant in contest.entrants]
    out, aside = sys.stdout, sys.stderr  # bots print elsewhere meanwhile

    def watch(_state: Any, events: tuple[Event, ...]) -> None:
        for event in heard(events, PUBLIC):
            sentence = tell(game, event, names)
            if sentence:
                click.echo(sentence, file=out)

    def hear(name: str, line: str) -> None:
        click.echo(f"    [{name}] {line}", file=aside)

    (result,) = play_blocks(contest, list(blocks(contest)), keep_records=True, watch=watch, hear=hear)
    click.echo()
    for seat in sorted(range(len(names)), key=lambda seat: result.places[seat]):
        click.echo(f"place {result.places[seat]}: {names[seat]}, {result.scores[seat]}")
    for fault in result.faults:
        click.echo(f"{names[fault.seat]} was at fault, {fault.kind}: {fault.detail}")
    click.echo(f"{result.match}, reason {result.reason}, record {result.name}")
    return result
