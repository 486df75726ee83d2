"""``arena show``: a record, told step by step."""

from __future__ import annotations

from typing import Any, NoReturn

import click

from arena import record
from arena.commands.common import load_record, names, record_file
from arena.commands.failures import Failed, Impossible
from arena.commands.up import become
from arena.games import find_game
from arena.insight import Insight, insight
from arena.insight.words import tell_moment, tell_notes, tell_swing
from arena.record import DrawStep, FaultStep, MovesStep, Record, Step
from arena.rules import OMNISCIENT, PUBLIC, AnyGame, Viewer, at_seat
from arena.story import tell
from arena.verify import Frame, VerificationError, frames


@click.command("show")
@record_file("file")
@click.option("--as", "eyes", metavar="SEAT", help="Show what this seat saw, or with public what everybody saw.")
@click.option("--step", type=click.IntRange(0), metavar="N", help="Show step N alone, with the position after it.")
@click.option("--moments", is_flag=True, help="Tell only the few steps that decided the match.")
@click.option("--web", is_flag=True, help="Show it in a browser, as the site shows its matches, until Ctrl-C.")
@click.option("--port", type=click.IntRange(1, 65535), metavar="N", help="With --web: the port.  [default: a free one]")
@click.option("--no-browser", is_flag=True, help="With --web: only say where it is shown.")
def command(
    file: str, eyes: str | None, step: int | None, moments: bool, web: bool, port: int | None, no_browser: bool
) -> None:
    """Tell the match that is recorded in FILE.

    Steps are counted from 1; step 0 is the start. Without --as everything is shown. Notes in brackets say how true
    and how likely a claim, a doubt or a try was, as far as one could know who saw that.
    """
    if web:
        _in_browser(file, eyes, step, port, no_browser=no_browser)
    if port is not None or no_browser:
        raise click.UsageError("--port and --no-browser go with --web")
    if moments and (eyes is not None or step is not None):
        raise click.UsageError("--moments goes with neither --as nor --step: they are told to who sees everything")
    played = load_record(file)
    viewer = _viewer(eyes, played)
    if step is not None and step > len(played.steps):
        raise Impossible(f"{file}: there are {len(played.steps)} steps, and no step {step}")
    called = names(played)
    game = find_game(played.game)
    seen, wrong = _seen(played, viewer)
    told = insight(played.game, seen, played.steps)
    if moments:
        if wrong is not None:
            raise Failed(f"{file}: {wrong}") from wrong
        for moment in told.moments:
            click.echo(f"{moment.step:4}  {tell_moment(moment, called)}")
        return
    if step is None:
        _heading(played, called)
    for number, frame in enumerate(seen):
        if step is not None and number != step:
            continue
        if frame.step >= 0:
            for line in _made(played.steps[frame.step], called, viewer):
                click.echo(f"{number:4}  {line}")
        for event in frame.events:
            sentence = tell(game, event, called)
            if sentence:
                click.echo(f"{number:4}  {sentence}")
        for note in _notes(played.game, told, number, called, viewer):
            click.echo(f"      ({note})")
        if number == step:
            for name, value in frame.view._asdict().items():
                if name != "options":  # the same all through the match, and told by `arena rules`
                    click.echo(f"      {name}: {_plain(game, value)}")
            return
    if wrong is not None:
        raise Failed(f"{file}: {wrong}") from wrong
    _ending(played, called)


def _in_browser(file: str, eyes: str | None, step: int | None, port: int | None, *, no_browser: bool) -> NoReturn:
    """Hand over to the viewer of the site."""
    if file == "-":
        raise Impossible("--web needs the name of a file")
    load_record(file)  # what is no record is refused here, even where there is no viewer
    options = ["--port", str(port)] if port is not None else []
    options += ["--step", str(step)] if step is not None else []
    options += ["--as", eyes] if eyes is not None else []
    options += ["--no-browser"] if no_browser else []
    become("webapp.show", *options, "--", file)


def _seen(played: Record, viewer: Viewer) -> tuple[list[Frame], VerificationError | None]:
    """What the viewer saw, up to the first step that the rules do not allow, and what is wrong with that."""
    seen: list[Frame] = []
    try:
        seen += frames(played, viewer)
    except VerificationError as error:
        return seen, error
    return seen, None


def _notes(game: str, told: Insight, number: int, called: list[str], viewer: Viewer) -> list[str]:
    """What is noted of a step."""
    lines = list(tell_notes(game, [note for note in told.notes if note.step == number], called))
    if viewer == OMNISCIENT:
        lines += [tell_swing(swing, called) for swing in told.swings if swing.step == number]
    return [line for line in lines if line]


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
