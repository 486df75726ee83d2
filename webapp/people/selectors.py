"""What a person at a table may know of it. Nothing of another seat leaves this module."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Prefetch
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from arena import verify
from arena.record import FaultStep, MovesStep, Step, read_steps
from arena.rules import Ruleset as Rules
from arena.rules import at_seat
from arena.verify import Frame
from webapp.bots.models import Bot, Version
from webapp.matches.models import Match, Ruleset, Series, SeriesSeat
from webapp.matches.replay import told_apart
from webapp.matches.rulesets import rules_of
from webapp.pages.naming import shown_name
from webapp.people.models import Sitting


class Course(NamedTuple):
    """The steps of a match that is being played, without the time that anybody took for them."""

    game: str
    steps: tuple[Step, ...]


class Position(NamedTuple):
    """A match as one person knows it."""

    rules: Rules
    course: Course
    """For the story alone, which filters it: a step of it may hold what is hidden."""
    seen: tuple[Frame, ...]
    names: tuple[str, ...]
    """As sentences name them, the person like everybody in the third."""
    labels: tuple[str, ...]
    """As the table is labelled: the person is addressed."""
    view: Any
    """What the person knows now; has the legal moves."""


def find(*, token: str, visitor: str) -> Sitting | None:
    """The seat with this secret, if this visitor sits there; with ``now`` by the database's clock."""
    seats = SeriesSeat.objects.select_related("version__bot").defer("version__source").order_by("seat")
    found = Sitting.objects.filter(token=token, visitor=visitor).annotate(now=Now())
    found = found.select_related("series__ruleset").prefetch_related(Prefetch("series__seats", seats))
    return found.first()


def running(*, visitor: str) -> Sitting | None:
    """The table at which this visitor sits now."""
    there = Sitting.objects.filter(visitor=visitor, series__state__in=Series.UNDER_WAY)
    return there.select_related("series__ruleset").order_by("-pk").first()


def names_of(sitting: Sitting) -> tuple[str, ...]:
    """Who sits where, told apart."""
    return told_apart([shown_name(seat.version.bot) for seat in sitting.series.seats.all()])


def position(sitting: Sitting) -> Position:
    """How far the match is, as the person may know it: the steps go through the game's view at once."""
    row = sitting.series.ruleset
    rules = rules_of(row)
    names = names_of(sitting)
    steps = tuple(_untimed(step) for step in read_steps(sitting.steps, len(names)))
    seen = tuple(verify.so_far(rules, len(names), steps, at_seat(sitting.seat)))
    labels = (*names[: sitting.seat], _("You"), *names[sitting.seat + 1 :])
    return Position(rules, Course(row.game, steps), seen, names, labels, seen[-1].view)


def _untimed(step: Step) -> Step:
    return step._replace(ms=None) if isinstance(step, MovesStep) else step


def seconds_left(sitting: Sitting) -> float | None:
    """How long the question can still be answered; None where nothing is asked."""
    if sitting.until is None or sitting.answered >= sitting.question or sitting.left:
        return None
    now: datetime = sitting.now  # type: ignore[attr-defined]  # annotated
    return (sitting.until - now).total_seconds()


def missed(position: Position, seat: int) -> FaultStep | None:
    """The fault with which the seat missed its newest decision; None where it made it itself."""
    own = [
        step
        for step in position.course.steps
        if (isinstance(step, FaultStep) and step.seat == seat) or (isinstance(step, MovesStep) and seat in step.moves)
    ]
    # the default move stands right behind the fault
    return own[-2] if len(own) > 1 and isinstance(own[-2], FaultStep) else None


def match_of(sitting: Sitting) -> Match | None:
    """The finished match; None as long as it is played, and where it was broken off."""
    return Match.objects.filter(series=sitting.series_id).defer("record").order_by("-number").first()


def commitment_of(sitting: Sitting) -> str:
    """What the house is bound to; empty before it is."""
    return sitting.series.blocks.values_list("commitment", flat=True).order_by("-number").first() or ""


# ---- whom to play against --------------------------------------------------------------------------


def opponents(*, game: str) -> list[Version]:
    """The bots that our machine runs, the house's first: these are there whenever somebody wants to play."""
    bots = Bot.objects.filter(game=game, state=Bot.State.ACTIVE, kind=Bot.Kind.HOSTED).exclude(owner__is_active=False)
    found = Version.objects.filter(active_for__in=bots, source__isnull=False).select_related("bot")
    return list(found.defer("source").order_by("-bot__house", "bot__name")[:100])


def presets(*, game: str) -> list[Ruleset]:
    """What can be played: the rulesets with a name, the flagship first."""
    return list(Ruleset.objects.filter(game=game).exclude(preset="").order_by("-flagship", "id"))
