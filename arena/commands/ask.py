"""``arena ask``: what would this bot have done?"""

from __future__ import annotations

import random
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import click

from arena.commands.common import load_record, names, record_file
from arena.commands.failures import Failed, Impossible
from arena.games import find_game
from arena.kit import BotFactory, ChoiceError, load_bot, read_choice
from arena.record import MovesStep, Record
from arena.rules import AnyGame, at_seat, heard, ruleset
from arena.table import MatchInfo, Player
from arena.verify import Folded, VerificationError, fold
from arena.witness import asking
from bots import house_bots


@click.command("ask")
@click.argument("bot", metavar="BOT")
@record_file("record")
@click.option("--seat", type=click.IntRange(0), metavar="N", help="Ask on this seat only; by default on every one.")
@click.option(
    "--seconds", type=click.FloatRange(0.01), default=30.0, show_default=True, help="How long it may think at a time."
)
def command(bot: str, record: str, seat: int | None, seconds: float) -> None:
    """Put BOT in the place of each player of the recorded match FILE. BOT is a .py file or a house bot's name.

    It hears what that player heard and is asked whenever that player was, and each choice that differs from what
    was played is printed. Its dice are always the same. Exits with 1 when the bot fails, or thinks for too long.
    """
    played = load_record(record)
    make = load_bot(house_bots(played.game).get(bot, Path(bot)), played.game)
    if seat is not None and seat >= len(played.players):
        raise Impossible(f"--seat {seat}: the seats are 0 to {len(played.players) - 1}")
    try:
        states = list(fold(played))
    except VerificationError as error:
        raise Failed(f"{record}: {error}") from error
    called = names(played)
    for one in [seat] if seat is not None else range(len(played.players)):
        asked, differed = _ask(make, played, states, one, called[one], seconds)
        click.echo(f"{called[one]} (seat {one}): {asked} decisions, {differed} otherwise")


def _ask(
    make: BotFactory, played: Record, states: list[Folded], seat: int, called: str, seconds: float
) -> tuple[int, int]:
    """Go through the match on one seat; how often the bot was asked, and how often it chose otherwise."""
    game = find_game(played.game)
    bot = make()
    bot.random = random.Random(seat)  # noqa: S311  # the same at every call, on purpose
    asked = differed = 0
    try:
        with _within(seconds):
            bot.on_start(_info(game, played, seat))
        for before, after in zip(states, [*states[1:], None], strict=True):
            for event in heard(before.events, at_seat(seat)):
                with _within(seconds):
                    bot.on_event(event)
            step = None if after is None else played.steps[after.step]
            if isinstance(step, MovesStep) and seat in step.moves:
                view = game.view(before.state, at_seat(seat))
                with _within(seconds):
                    chosen = bot.choose(view)
                choice = _choice(game, chosen, view.legal)
                asked += 1
                if choice != step.moves[seat]:
                    differed += 1
                    click.echo(
                        f"step {after.step + 1 if after else 0}: {called} played {step.moves[seat]}, this bot: {choice}"
                    )
            for line in bot.take_log():
                click.echo(f"      {line}", err=True)
    except TooLong:
        raise Failed(f"{make.path}: on seat {seat}, at decision {asked + 1}, it thought for {seconds:g} s") from None
    except Exception as error:
        raise Failed(f"{make.path}: on seat {seat} the bot failed: {type(error).__name__}: {error}") from error
    return asked, differed


class TooLong(BaseException):
    """The bot thinks for too long. No ``except Exception`` of its own catches this."""


@contextmanager
def _within(seconds: float) -> Iterator[None]:
    """Interrupt what takes longer: with a signal, which ends every loop that is written in Python."""

    def end(_number: int, _frame: FrameType | None) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        with asking("the bot"):
            yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _choice(game: AnyGame, chosen: object, legal: tuple[Any, ...]) -> str:
    """What the bot chose, as text; a choice that the rules would refuse says so."""
    try:
        move = read_choice(game, chosen, legal)
    except ChoiceError as error:
        return f"unreadable ({error})"
    text = game.write(move)
    return text if move in legal else f"{text} (illegal)"


def _info(game: AnyGame, played: Record, seat: int) -> MatchInfo:
    return MatchInfo(
        match=played.match,
        seat=seat,
        players=tuple(Player(line.bot, line.version) for line in played.players),
        ruleset=ruleset(game, played.preset, played.options),
        limits=None,
        penalty="forfeit",
    )
