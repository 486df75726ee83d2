"""How a tournament goes on: when a round is over, its results are written down and the next one is drawn.

All of it is one transaction under the lock of the tournament's row, and everything that it does follows from the rows.
So it may be asked for at any time, by anybody, twice or at the same moment, and whoever does it may be killed: what
was not committed is done again, and comes to the same.
"""

from __future__ import annotations

import logging
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from arena import pairing
from arena.pairing import FormatError
from webapp.accounts.notices import tell
from webapp.bots.models import Bot, Version
from webapp.hooks.outbox import note_end, note_round
from webapp.matches.models import Series
from webapp.matches.services import create_series
from webapp.tournaments import facts
from webapp.tournaments.asking import locked
from webapp.tournaments.models import Entrant, Pairing, Round, Tournament
from webapp.tournaments.results import Situation, places, situation

log = logging.getLogger(__name__)

MOST_RETRIES = 2
"""So often a table is played again by itself when its series failed for good. Then an organiser is told."""

RETRY_AFTER = timedelta(seconds=60)
"""How long after a failure."""


@transaction.atomic
def advance(*, tournament: Tournament) -> bool:
    """Do what is due in a running tournament; whether anything was.

    Nothing is waited for here: what is not over yet is asked for again later.
    """
    row = locked(tournament)
    if row.state != Tournament.State.RUNNING:
        return False
    present = row.rounds.filter(state=Round.State.PLAYING).first()
    if present is not None:
        again = _look_after(row, present)
        if again or not _all_over(present) or row.held:
            return again
        _write_down(present)
    _sift(row)
    entrants = facts.paired(row.entrants.all())
    try:
        made = facts.form_of(row).next_round(entrants, facts.played(row), row.draw_seed)
    except FormatError as error:
        # What is over stays over; it is not an error of this moment, so that it would pass by itself.
        _complain(row, f"It cannot go on: {error}.")
        return present is not None
    if isinstance(made, pairing.Round):
        _draw(row, made)
    else:
        _finish(row, made)
    return True


# ---- a round that is being played -----------------------------------------------------------------


def _pairings(present: Round) -> list[Pairing]:
    return list(present.pairings.select_related("series", "tournament").order_by("position"))


def _all_over(present: Round) -> bool:
    return all(situation(table) is Situation.OVER for table in _pairings(present))


def _look_after(row: Tournament, present: Round) -> bool:
    """Have played again what failed through nobody's fault; whether anything was."""
    failed = [table for table in _pairings(present) if situation(table) is Situation.FAILED]
    again = False
    for table in failed:
        ended = table.series.finished
        if table.retries < MOST_RETRIES and (ended is None or ended + RETRY_AFTER <= timezone.now()):
            table.retries += 1
            play_again(table)
            again = True
    lost = [table.name for table in failed if table.retries >= MOST_RETRIES and situation(table) is Situation.FAILED]
    if lost:
        _complain(row, f"The platform failed these tables again and again: {', '.join(lost)}. Have them played again.")
    elif row.trouble:
        row.trouble = ""
        row.save(update_fields=["trouble"])
    return again


def _complain(row: Tournament, trouble: str) -> None:
    """Say on the page why it does not go on, and tell its organiser, once."""
    if row.trouble == trouble[:300]:
        return
    row.trouble = trouble[:300]
    row.save(update_fields=["trouble"])
    log.warning("tournament %s: %s", row.slug, trouble)
    if row.organiser is not None:
        address = settings.ARENA_BASE_URL + reverse("tournament", args=[row.slug])
        tell(person=row.organiser, subject=f"{row.name} needs you", text=f"{trouble}\n\n{address}")


def play_again(table: Pairing) -> None:
    """Play a table once more, in a new series; the old one does not count any more. Under the tournament's lock."""
    old = table.series
    if not old.duplicate:  # a remote bot may have seen something of the luck: no block of it comes again
        table.first_block += old.blocks.count()
    table.earlier = [*table.earlier, old.pk]
    table.series = _series(table.tournament, table.seats)
    table.missed_since = None
    table.save(update_fields=["series", "earlier", "first_block", "retries", "missed_since"])


def _series(row: Tournament, seats: list[int] | tuple[int, ...]) -> Series:
    entrants = {one.pk: one for one in row.entrants.filter(pk__in=seats).select_related("version__bot__owner")}
    versions = [entrants[pk].version for pk in seats]
    series = create_series(
        ruleset=row.ruleset,
        versions=versions,
        planned=row.matches,
        purpose=Series.Purpose.TOURNAMENT,
        rated=False,
        clock=(row.move_ms, row.bank_ms),
    )
    for seat, version in enumerate(versions):
        if reason := cannot_sit(version):
            series.seats.filter(seat=seat).update(removed=f"absent: {reason}"[:300])
    return series


def cannot_sit(version: Version) -> str:
    """Why this version can sit at no table any more, else empty."""
    bot = version.bot
    if bot.state == Bot.State.BANNED or (bot.owner is not None and not bot.owner.is_active):
        return f"{bot.name} is banned"
    if bot.kind == Bot.Kind.HOSTED and version.source is None:
        return f"{bot.name} has no program any more"
    return ""


def _write_down(present: Round) -> None:
    for table in _pairings(present):
        table.places = places(table)
        table.save(update_fields=["places"])
    present.state, present.finished = Round.State.OVER, timezone.now()
    present.save(update_fields=["state", "finished"])
    note_round(present)


# ---- the next one, or the end ---------------------------------------------------------------------


def _sift(row: Tournament) -> None:
    """Take out those whose bot is not active any more: they could not be seated."""
    number = row.rounds.count() + 1
    staying = row.entrants.filter(until=None).select_related("bot__owner")
    for entrant in staying.order_by("pk"):
        bot = entrant.bot
        shut_out = bot.owner is not None and not bot.owner.is_active
        if bot.state == Bot.State.ACTIVE and not shut_out:
            continue
        banned = shut_out or bot.state == Bot.State.BANNED
        entrant.until, entrant.disqualified = number, banned
        entrant.reason = "It was banned." if banned else f"It is {bot.get_state_display()}."
        entrant.save(update_fields=["until", "disqualified", "reason"])


def _draw(row: Tournament, made: pairing.Round) -> None:
    drawn = Round.objects.create(tournament=row, number=made.number, stage=made.stage, byes=list(made.byes))
    for position, table in enumerate(made.tables):
        Pairing.objects.create(
            tournament=row,
            round=drawn,
            name=table.name,
            position=position,
            seats=list(table.seats),
            extra=table.extra,
            series=_series(row, table.seats),
        )
    if row.trouble:
        row.trouble = ""
        row.save(update_fields=["trouble"])


def _finish(row: Tournament, end: pairing.Finished) -> None:
    row.state, row.finished, row.trouble = Tournament.State.FINISHED, timezone.now(), ""
    row.result = [facts.write_row(one) for one in end.rows]
    row.champion = None if end.champion is None else Entrant.objects.get(pk=end.champion)
    row.save(update_fields=["state", "finished", "trouble", "result", "champion"])
    note_end(row)
