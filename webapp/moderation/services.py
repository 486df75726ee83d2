"""Reports by people, and what organisers answer."""

from __future__ import annotations

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import override

from webapp.accounts.addresses import is_verified
from webapp.accounts.audit import write_down
from webapp.accounts.models import User
from webapp.bots.models import Bot
from webapp.limits import Limit, TooOften, spend
from webapp.matches.models import Match
from webapp.moderation.models import Report

REPORTS = Limit("reports", 10, 86_400)
LONGEST_TEXT = 1000


class ModerationError(Exception):
    """Something that was asked for cannot be done. The message is written for the person who asked."""


class NotAllowed(ModerationError):
    """It is not for this person to do."""


class Refused(ModerationError):
    """It cannot be done like this, whoever asks."""


def check_organiser(by: User) -> None:
    """Refuse who is none."""
    if not (by.is_active and by.is_staff):
        raise NotAllowed(_("This is for organisers."))


def report(*, by: User, about: Bot | User | Match, category: str, text: str = "") -> Report:
    """Tell the organisers about a bot, an author or a match.

    Raises:
        NotAllowed: the person's e-mail address is not verified, or the account is closed.
        Refused: the category is none, the text is too long or missing, it is about oneself, there is an open report of
            this person about it already, or there were too many today.
    """
    if not (by.is_active and is_verified(by)):
        raise NotAllowed(_("Verify your e-mail address first: reports come from people who can be asked."))
    if category not in Report.Category.values:
        raise Refused(_("Choose what it is about."))
    text = text.strip().replace("\0", "\ufffd")
    if len(text) > LONGEST_TEXT:
        raise Refused(_("A report has at most %(most)d characters.") % {"most": LONGEST_TEXT})
    if category == Report.Category.OTHER and not text:
        raise Refused(_("Say in a sentence what it is."))
    if about == by or (isinstance(about, Bot) and about.owner_id == by.pk):
        raise Refused(_("This is yours; there is nobody to report."))
    which = _which(about)
    if open_report(by=by, about=about) is not None:
        raise _twice()
    try:
        spend(REPORTS, who=by.pk)
    except TooOften as error:
        raise Refused(str(error)) from error
    try:
        with transaction.atomic():
            return Report.objects.create(reporter=by, category=category, text=text, **{which: about})
    except IntegrityError as error:
        raise _twice() from error


def open_report(*, by: User, about: Bot | User | Match) -> Report | None:
    """This person's report about it that is not resolved yet."""
    return Report.objects.filter(reporter=by, state=Report.State.OPEN, **{_which(about): about}).first()


def resolve(*, report: Report, by: User, state: str, note: str) -> None:
    """Close a report. The person who made it sees the state; the note is for organisers.

    Raises:
        NotAllowed: `by` is no organiser, or the report is about himself.
        Refused: there is no note, or another organiser was first.
    """
    check_organiser(by)
    if by.is_of(report.author) or (report.bot is not None and by.is_of(report.bot.owner)):
        raise NotAllowed(_("This report is about you: another organiser has to look at it."))
    if state not in (Report.State.ACTED, Report.State.DISMISSED):
        raise Refused(_("A report is acted on, or left as it is."))
    note = " ".join(note.split())
    if not note or len(note) > LONGEST_TEXT:
        raise Refused(
            _("Write a note of at most %(most)d characters, for the other organisers.") % {"most": LONGEST_TEXT}
        )
    with transaction.atomic():
        changed = Report.objects.filter(pk=report.pk, state=Report.State.OPEN).update(
            state=state, note=note, resolved_by=by, resolved=timezone.now()
        )
        report.refresh_from_db()
        if not changed:
            raise Refused(
                _("Another organiser has resolved it already: %(state)s.") % {"state": report.get_state_display()}
            )
        with override(settings.LANGUAGE_CODE):  # the log is in one language, whoever writes into it
            said = report.get_state_display()
        write_down(by=by, rows=[report], text=f"{said}. {note}"[:500])


def _which(about: Bot | User | Match) -> str:
    return "bot" if isinstance(about, Bot) else "match" if isinstance(about, Match) else "author"


def _twice() -> Refused:
    return Refused(_("You have reported this already; the organisers will look at it."))
