"""Every write to the seats of people: theirs, by the pages, and the table's, by the process that plays."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Sequence
from datetime import timedelta
from functools import partial
from random import Random
from typing import NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext as _

from arena.games import find_game
from arena.record import Step, write_steps
from arena.rules import AnyGame, MoveTextError
from webapp.accounts.addresses import print_of
from webapp.bots.models import Bot, Version
from webapp.bots.services import person_version
from webapp.limits import Limit, spend
from webapp.live.channels import publish, seat_channel
from webapp.matches.models import Ruleset, Series
from webapp.matches.rulesets import rules_of
from webapp.matches.services import Claim, ClaimLost, create_series
from webapp.people import selectors
from webapp.people.models import Sitting

PACES = {"quick": 30, "easy": 120}
"""Seconds for a move."""

GRACE_MS = 1_000
"""So much earlier than for the referee the time is up for a person: an answer that was taken is always in time."""

NEW_TABLES = Limit("people_tables", 30, 3600)
"""How many tables may be opened from one address."""

ANSWERS = Limit("people_answers", 240, 60)
"""How many answers may come from one address."""

MOST_SEATS = 6
"""How many sit at a table with a person."""

KEEP_SECONDS = 4 * 3600
"""How long a table's channel is kept."""

UNCLAIMED = timedelta(seconds=30)
"""A table that nobody has begun to play for so long is given up."""


class Refused(Exception):
    """It cannot be done. The message is written for the person who asked."""


def digest(secret: str) -> str:
    """What is stored of a secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


# ---- sitting down, answering, leaving --------------------------------------------------------------


def sit_down(*, row: Ruleset, opponents: Sequence[Version], pace: str, visitor: str, address: str) -> str:
    """A table with a person and these bots; returns the secret of its address.

    Args:
        row: what is played.
        opponents: whom against.
        pace: one of `PACES`.
        visitor: the secret in the person's session.
        address: where the request comes from.

    Raises:
        Refused: the table cannot be, or there is no room for it.
        TooOften: too many were opened from this address.
    """
    if not opponents:
        raise Refused(_("No bot is there to play against."))
    players = rules_of(row).players
    if len(opponents) + 1 not in players or len(opponents) + 1 > MOST_SEATS:
        raise Refused(_("This game is not played by so many."))
    spend(NEW_TABLES, who=address)
    token, origin = secrets.token_urlsafe(24), print_of(address)
    person = person_version(game=row.game)
    with transaction.atomic():
        _one_after_the_other()
        open_ = Sitting.objects.filter(series__state__in=Series.UNDER_WAY)
        if open_.filter(visitor=digest(visitor)).exists():
            raise Refused(_("You sit at a table already. Play it to the end, or leave it first."))
        if open_.count() >= settings.ARENA_PEOPLE_TABLES:
            raise Refused(_("All tables are taken at the moment. Please try again in a few minutes."))
        most = settings.ARENA_PEOPLE_ADDRESS_TABLES
        if most and open_.filter(origin=origin).count() >= most:
            raise Refused(_("Too many tables are open from where you are. Please try again when one of them is over."))
        seated = [*opponents]
        seat = Random().randrange(len(opponents) + 1)  # noqa: S311  # who sits where is no secret
        seated.insert(seat, person)
        series = create_series(
            ruleset=row,
            versions=seated,
            planned=1,
            purpose=Series.Purpose.PERSON,
            rated=False,
            clock=(PACES[pace] * 1000 + GRACE_MS, 0),
        )
        channel = seat_channel()
        secret = {"token": digest(token), "visitor": digest(visitor), "origin": origin}
        Sitting.objects.create(series=series, seat=seat, channel=channel, **secret)
        transaction.on_commit(partial(tell, channel), robust=True)
    return token


def _one_after_the_other() -> None:
    """Until the end of the transaction nobody else sits down, at a table of whatever game: who asks twice at the same
    moment is counted twice.
    """
    people = Bot.objects.select_for_update().filter(kind=Bot.Kind.PERSON).order_by("pk")
    list(people.values_list("pk", flat=True))


def tell(channel: str) -> None:
    """Have the page of a table look again. What there is to see, it asks for itself."""
    publish(channel, "changed", keep_seconds=KEEP_SECONDS)


def channel_of(*, series: int) -> str:
    """Where the page of this table listens."""
    return Sitting.objects.values_list("channel", flat=True).get(series=series)


def sit_down_again(*, sitting: Sitting, visitor: str, address: str) -> str:
    """The same table once more, with the bots' present versions.

    Raises:
        Refused: one of them does not play any more, or as `sit_down`.
        TooOften: as `sit_down`.
    """
    row = sitting.series.ruleset
    there = {version.bot_id: version for version in selectors.opponents(game=row.game)}
    bots = [seat.version.bot_id for seat in sitting.series.seats.all() if seat.seat != sitting.seat]
    if not all(bot in there for bot in bots):
        raise Refused(_("One of these bots does not play any more. Choose another table."))
    seconds = (sitting.series.move_ms - GRACE_MS) // 1000
    pace = next((name for name, one in PACES.items() if one == seconds), "easy")
    return sit_down(row=row, opponents=[there[bot] for bot in bots], pace=pace, visitor=visitor, address=address)


def answer(*, sitting: Sitting, question: int, text: str) -> None:
    """Answer a question. Answering it again with the same does no harm; what cannot be taken costs nothing.

    Raises:
        Refused: it is no legal move, or no longer asked. The clock goes on.
    """
    game = find_game(sitting.series.ruleset.game)
    if sitting.answered == question and sitting.answer == text:
        return
    if question != sitting.question or sitting.answered >= question or sitting.until is None:
        raise Refused(_("That question has been answered already. This is how the table stands now."))
    refusal = _refusal(game, sitting, text)
    if refusal is not None:
        raise Refused(refusal)
    taken = Sitting.objects.filter(
        pk=sitting.pk,
        question=question,
        answered__lt=question,
        until__gt=Now(),
        left=False,
        series__state=Series.State.PLAYING,
    ).update(answered=question, answer=text, written=F("written") + 1)
    if taken:
        tell(sitting.channel)  # another window of the same person
        return
    now = Sitting.objects.get(pk=sitting.pk)
    if (now.answered, now.answer) != (question, text):  # the other click of two
        raise Refused(_("The time for that was up, or it was answered from another window."))


def _refusal(game: AnyGame, sitting: Sitting, text: str) -> str | None:
    try:
        move = game.parse(text)
    except MoveTextError:
        return _("That is no move of this game. Choose one of those below; the clock runs on.")
    if move not in selectors.position(sitting).view.legal:
        return _("The rules do not allow that now. Choose one of those below; the clock runs on.")
    return None


def leave(*, sitting: Sitting) -> None:
    """Get up. What is still asked of the seat is decided at once by the default moves, so the table soon ends."""
    Sitting.objects.filter(pk=sitting.pk).update(left=True, written=F("written") + 1)
    tell(sitting.channel)
    Series.objects.filter(pk=sitting.series_id, state=Series.State.WAITING).update(
        state=Series.State.CANCELLED, finished=timezone.now(), note="The person left before the match began."
    )


def give_up_unclaimed() -> int:
    """End the tables that no process has begun to play, so that people are not left waiting; how many there were."""
    waiting = Series.objects.filter(purpose=Series.Purpose.PERSON, state=Series.State.WAITING)
    return waiting.filter(created__lt=timezone.now() - UNCLAIMED).update(
        state=Series.State.CANCELLED, finished=timezone.now(), note=NOT_BEGUN
    )


def forget_origins() -> None:
    """Of tables that are over it is not kept where they were opened from."""
    Sitting.objects.exclude(origin="").exclude(series__state__in=Series.UNDER_WAY).update(origin="")


NOT_BEGUN = "Nobody was there to deal: the part of the arena that plays with people does not run."


# ---- the table's side ------------------------------------------------------------------------------


class Mail(NamedTuple):
    """What a person has said."""

    answered: int
    answer: str
    left: bool


def show(*, claim: Claim, steps: Iterable[Step]) -> None:
    """Write down how far the match is.

    Raises:
        ClaimLost: the table is somebody else's by now, or was broken off.
    """
    _update(claim, steps=write_steps(steps))


def ask(*, claim: Claim, question: int, seconds: float, steps: Iterable[Step]) -> None:
    """Put a question, with all that happened before it.

    Raises:
        ClaimLost: as `show`.
    """
    _update(claim, question=question, until=Now() + timedelta(seconds=seconds), steps=write_steps(steps))


def ask_no_more(*, claim: Claim) -> None:
    """The person has let the time run out too often, and counts as having left.

    Raises:
        ClaimLost: as `show`.
    """
    _update(claim, until=None, left=True)


def _update(claim: Claim, **fields: object) -> None:
    held = Sitting.objects.filter(
        series=claim.series, series__attempt=claim.attempt, series__state=Series.State.PLAYING
    )
    if not held.update(written=F("written") + 1, **fields):
        raise ClaimLost(f"series {claim.series} is not held any more (attempt {claim.attempt})")


def collect(*, series: Iterable[int]) -> dict[int, Mail]:
    """What the people at these tables have said last. One query."""
    found = Sitting.objects.filter(series__in=list(series)).values_list("series_id", "answered", "answer", "left")
    return {pk: Mail(answered, answer, left) for pk, answered, answer, left in found}
