"""What a tournament's page says first: who has won, who leads, what is being played, and when it goes on."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.pairing import FormatError
from webapp.tournaments import facts
from webapp.tournaments.models import Round, Tournament
from webapp.tournaments.selectors import RoundRow, Standing

State = Tournament.State


def headline(*, tournament: Tournament, standings: Sequence[Standing], rounds: Sequence[RoundRow]) -> str:
    """The answer to what one wants to know of it, in a line."""
    name = tournament.name
    if tournament.state == State.FINISHED:
        if tournament.champion is None:
            return _("%(name)s has ended without a winner") % {"name": name}
        return _("%(bot)s has won %(name)s") % {"bot": tournament.champion.bot.name, "name": name}
    if tournament.state == State.CANCELLED:
        return _("%(name)s was called off") % {"name": name}
    if tournament.state == State.RUNNING:
        return _running(name, tournament, standings, rounds)
    if tournament.state == State.OPEN and not closed(tournament):
        return _("%(name)s is open for entries") % {"name": name}
    return name


def _running(name: str, row: Tournament, standings: Sequence[Standing], rounds: Sequence[RoundRow]) -> str:
    if not any(one.round.state == Round.State.OVER for one in rounds):
        return _("%(name)s has begun") % {"name": name}
    if row.form["format"] in ("swiss", "round-robin"):
        leading = [one for one in standings if one.row.place == 1]
        if len(leading) == 1:
            return _("%(bot)s leads %(name)s") % {"bot": leading[0].entrant.bot.name, "name": name}
        if leading:
            said = ngettext("%(n)d bot leads %(name)s", "%(n)d bots lead %(name)s together", len(leading))
            return said % {"n": len(leading), "name": name}
    left = sum(one.row.status == "in" for one in standings)
    return ngettext("%(n)d bot is left in %(name)s", "%(n)d bots are left in %(name)s", left) % {
        "n": left,
        "name": name,
    }


def closed(tournament: Tournament) -> bool:
    """Whether the time for entries is over."""
    return tournament.deadline is not None and tournament.deadline <= timezone.now()


class Progress(NamedTuple):
    """How far a tournament is."""

    rounds: int
    """That are over, without extra series."""
    all_rounds: int | None
    """How many there will be; None where that depends on the play."""
    left: timedelta | None
    """About how long it still takes, if it goes on as it went; None before that can be told."""

    @property
    def minutes(self) -> int | None:
        """The same in minutes, at least one."""
        return None if self.left is None else max(1, round(self.left.total_seconds() / 60))


def progress(*, tournament: Tournament, rounds: Sequence[RoundRow], entrants: int) -> Progress | None:
    """How far it is; None where it is not being played."""
    if tournament.state != State.RUNNING:
        return None
    over = [one.round for one in rounds if one.round.finished is not None and not _extra(one)]
    try:
        length = facts.form_of(tournament).length(entrants)
    except FormatError:
        length = None
    return Progress(len(over), length, _left(over, rounds, length))


def _left(over: Sequence[Round], rounds: Sequence[RoundRow], length: int | None) -> timedelta | None:
    if not over or length is None:
        return None
    took = [one.finished - one.created for one in over if one.finished is not None]
    each = sum(took, timedelta()) / len(took)
    present = next((one.round for one in rounds if one.round.finished is None), None)
    gone = min(timezone.now() - present.created, each) if present is not None else timedelta()
    return max(each * (length - len(over)) - gone, timedelta())


def _extra(row: RoundRow) -> bool:
    return any(table.pairing.extra for table in row.tables)
