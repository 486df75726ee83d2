"""What organisers do to a tournament that runs. Each leaves a line in their log."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from webapp.accounts.audit import write_down
from webapp.accounts.models import User
from webapp.matches import organisers as matches
from webapp.matches.models import Match, Series
from webapp.tournaments.advancing import play_again
from webapp.tournaments.asking import Refused, check_impartial, check_organiser, locked
from webapp.tournaments.models import Entrant, Pairing, Round, Tournament
from webapp.tournaments.services import BEFORE, leave


@transaction.atomic
def disqualify(*, entrant: Entrant, reason: str, by: User) -> None:
    """Take a bot out for what it did: it has no place. Its results against the others stand.

    Raises:
        NotAllowed: `by` is no organiser, or the bot is his own.
        Refused: there is no reason, the tournament does not run, or the bot is disqualified already.
    """
    check_impartial(by, [entrant.bot])
    row = locked(entrant.tournament)
    reason = _reason(reason)
    leave(row, entrant, reason=reason, disqualified=True)
    write_down(by=by, rows=[row], text=f"Disqualified: {entrant.bot.name}. {reason}")


@transaction.atomic
def replay_table(*, pairing: Pairing, reason: str, by: User) -> None:
    """Have a table of the present round played again, in a new series; the old one does not count any more.

    Raises:
        NotAllowed: `by` is no organiser, or a bot of his sits there.
        Refused: there is no reason; the round is over; or the series is being played or waits to be.
    """
    row, table = _present(pairing, by)
    reason = _reason(reason)
    if table.series.state in Series.UNDER_WAY:
        raise Refused(_("This series is not over: it is being played, or waits to be."))
    table.retries = 0
    play_again(table)
    write_down(by=by, rows=[row], text=f"Table {table.name} is played again. {reason}")


@transaction.atomic
def void_match(*, match: Match, reason: str, by: User) -> None:
    """Let a match of the present round not count.

    Raises:
        NotAllowed: `by` is no organiser, or a bot of his took part.
        Refused: there is no reason; the round is over; it does not count already; or it is the last one that does.
    """
    found = Pairing.objects.filter(series=match.series_id).first()
    if found is None:
        raise Refused(_("This match is of no tournament, or of a series that does not count any more."))
    row, table = _present(found, by)
    reason = _reason(reason)
    counted = table.series.matches.filter(voided=False)
    if not counted.filter(pk=match.pk).exists():
        raise Refused(_("It does not count already."))
    if counted.count() == 1 and table.series.state not in Series.UNDER_WAY:
        raise Refused(_("It is the only match that counts: have the series played again."))
    matches.void_matches(matches=[match], by=by)
    write_down(by=by, rows=[row], text=f"A match of table {table.name} does not count: {match.name}. {reason}"[:500])


@transaction.atomic
def hold(*, tournament: Tournament, held: bool, by: User) -> None:
    """Let nothing new be drawn for a while, or let it go on.

    Raises:
        NotAllowed: it is not for this person to do.
        Refused: the tournament does not run.
    """
    check_organiser(by)
    row = locked(tournament)
    if row.state != Tournament.State.RUNNING:
        raise Refused(_("The tournament is not being played."))
    row.held = held
    row.save(update_fields=["held"])
    write_down(by=by, rows=[row], text="Held." if held else "It goes on.")


@transaction.atomic
def cancel(*, tournament: Tournament, reason: str, by: User) -> None:
    """End a tournament without a champion. What is being played is played to its end; what waits is not played.

    Raises:
        NotAllowed: it is not for this person to do.
        Refused: there is no reason, or it is over.
    """
    check_organiser(by)
    row = locked(tournament)
    reason = _reason(reason)
    if row.state not in (*BEFORE, Tournament.State.RUNNING):
        raise Refused(_("It is over."))
    row.state, row.note, row.finished = Tournament.State.CANCELLED, reason, timezone.now()
    row.every, row.trouble = Tournament.Every.NEVER, ""
    row.save(update_fields=["state", "note", "finished", "every", "trouble"])
    for series in Series.objects.filter(pairing__tournament=row, state=Series.State.WAITING):
        matches.cancel_series(series=series, by=by)
    write_down(by=by, rows=[row], text=f"Cancelled. {reason}")


def _present(pairing: Pairing, by: User) -> tuple[Tournament, Pairing]:
    """The tournament, locked, and the table as it is now, if its round is not over."""
    check_organiser(by)
    row = locked(pairing.tournament)
    table = Pairing.objects.select_for_update().get(pk=pairing.pk)
    seated = row.entrants.filter(pk__in=table.seats).select_related("bot__owner")
    check_impartial(by, [one.bot for one in seated])
    if row.state != Tournament.State.RUNNING or table.round.state != Round.State.PLAYING:
        raise Refused(_("This round is over: the next one was drawn from what came of it."))
    return row, table


def _reason(reason: str) -> str:
    reason = " ".join(reason.split())
    if not reason or len(reason) > 200:
        raise Refused(_("Give a reason, of at most 200 characters."))
    return reason
