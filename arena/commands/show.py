"""``arena show``: a record, told step by step."""

from __future__ import annotations

from typing import Any

import click

from arena import record
from arena.commands.common import load_record, names, record_file
from arena.commands.failures import Failed, Impossible
from arena.games import find_game
from arena.record import DrawStep, FaultStep, MovesStep, Record, Step
from arena.rules import OMNISCIENT, PUBLIC, AnyGame, Viewer, at_seat
from arena.story import tell
from arena.verify import VerificationError, frames


@click.command("show")
@record_file("file")
@click.option("--as", "eyes", metavar="SEAT", help="Show what this seat saw, or with public what everybody saw.")
@click.option("--step", type=click.IntRange(0), metavar="N", help="Show step N alone, with the position after it.")
def command(file: str, eyes: str | None, step: int | None) -> None:
    """Tell the match that is recorded in FILE.

    Steps are counted from 1; step 0 is the start. Without --as everything is shown.
    """
    played = load_record(file)
    viewer = _viewer(eyes, played)
    if step is not None and step > len(played.steps):
        raise Impossible(f"{file}: there are {len(played.steps)} steps, and no step {step}")
    called = names(played)
    game = find_game(played.game)
    if step is None:
        _heading(played, called)
    try:
        for frame in frames(played, viewer):
            number = frame.step + 1
            if step is not None and number != step:
                continue
            if frame.step >= 0:
                for line in _made(played.steps[frame.step], called, viewer):
                    click.echo(f"{number:4}  {line}")
            for event in frame.events:
                sentence = tell(game, event, called)
                if sentence:
                    click.echo(f"{number:4}  {sentence}")
            if number == step:
                for name, value in frame.view._asdict().items():
                    if name != "options":  # the same all through the match, and told by `arena rules`
                        click.echo(f"      {name}: {_plain(game, value)}")
                return
    except VerificationError as error:
        raise Failed(f"{file}: {error}") from error
    _ending(played, called)


def _plain(game: AnyGame, value: Any) -> str:
    """A part of a view as a person reads it: moves as their text, None as a dash."""
    if isinstance(value, tuple):
        fields: tuple[str, ...] = getattr(value, "_fields", ())
        if fields[:1] == ("kind",):  # the moves of every game are one type, with a kind
            return game.write(value)
        if not fields:
            return " ".join(_plain(game, item) for item in value) or "-"
        return "(" + ", ".join(f"{field} {_plain(game, getattr(value, field))}" for field in fields) + ")"
    return "-" if value is None else str(value)


def _viewer(eyes: str | None, played: Record) -> Viewer:
    if eyes is None:
        return OMNISCIENT
    if eyes == "public":
        return PUBLIC
    if eyes.isdecimal() and int(eyes) < len(played.players):
        return at_seat(int(eyes))
    raise Impossible(f"--as {eyes}: this is neither public nor one of the seats 0 to {len(played.players) - 1}")


def _made(step: Step, called: list[str], viewer: Viewer) -> list[str]:
    """What the events do not tell of a step: chance and faults."""
    match step:
        case DrawStep(label, _, got) if viewer.kind == "omniscient":
            return [f"chance {label}: {', '.join(map(str, got))}"]
        case FaultStep(seat, kind, detail, then):
            return [f"{called[seat]} is at fault, {kind}: {detail} ({then})"]
        case MovesStep() | DrawStep():
            return []


def _heading(played: Record, called: list[str]) -> None:
    game = find_game(played.game)
    rules = played.preset or "rules of its own"
    click.echo(f"{played.match}: {game.title}, {rules}" + (f", {played.started}" if played.started else ""))
    for line in played.players:
        click.echo(f"seat {line.seat}: {called[line.seat]} {line.version or ''}".rstrip())
    click.echo()


def _ending(played: Record, called: list[str]) -> None:
    places, reason, scores = played.outcome
    click.echo()
    for seat in sorted(range(len(places)), key=lambda seat: places[seat]):
        click.echo(f"place {places[seat]}: {called[seat]}, {scores[seat]}")
    click.echo(f"reason: {reason}")
    click.echo(f"name: {record.name(played)}")
