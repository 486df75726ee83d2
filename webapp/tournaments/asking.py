"""Who may do what, and how one is told that it cannot be done."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import gettext as _

from arena.pairing import FormatError
from webapp.accounts.models import User
from webapp.bots.models import Bot
from webapp.live.news import changed
from webapp.pages.stored import stored
from webapp.tournaments.models import Tournament


class NotAllowed(Exception):
    """It is not for this person to do. The message is written for him."""


class Refused(Exception):
    """It cannot be done like this, or not now. The message is written for whoever asked; nothing was changed."""


def refused(error: FormatError) -> Refused:
    """What a form of tournament has against it, in the language of whoever asks."""
    said = stored(str(error))
    return Refused(said[:1].upper() + said[1:] + ".")


def check_organiser(by: User) -> None:
    """Ask whether somebody is an organiser.

    Raises:
        NotAllowed: no.
    """
    if not (by.is_active and by.is_staff):
        raise NotAllowed(_("This is for organisers."))


def check_impartial(by: User, bots: Iterable[Bot]) -> None:
    """Ask whether an organiser may judge these bots.

    Raises:
        NotAllowed: he is none, or one of them is his own.
    """
    check_organiser(by)
    for bot in bots:
        if by.is_of(bot.owner):
            raise NotAllowed(_("%(bot)s is yours: another organiser has to do that.") % {"bot": bot.name})


def locked(tournament: Tournament) -> Tournament:
    """The row as it is now, locked until the end of the transaction: whatever changes a tournament begins with this.

    So its page looks again afterwards.
    """
    row = Tournament.objects.select_for_update().get(pk=tournament.pk)
    if row.state != Tournament.State.DRAFT:
        changed(f"tournament-{row.slug}")
    return row
