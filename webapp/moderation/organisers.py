"""What organisers do about authors and bots. Each leaves a line in the organisers' log."""

from __future__ import annotations

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from webapp.accounts import people
from webapp.accounts.addresses import ban_addresses, pardon_addresses, verified_addresses
from webapp.accounts.audit import write_down
from webapp.accounts.models import User
from webapp.accounts.services import is_last_superuser
from webapp.bots import services as bots
from webapp.bots.models import Bot, Connection, FormerName, Token
from webapp.matches.models import Series
from webapp.matches.organisers import cancel_series
from webapp.moderation.services import NotAllowed, Refused, check_organiser

# ---- authors -------------------------------------------------------------------------------------


@transaction.atomic
def ban_author(*, person: User, by: User, reason: str) -> None:
    """Shut an author out: signed out everywhere, no signing in or up, all bots off the tables, all tokens revoked.

    What is being played is played to its end.

    Raises:
        NotAllowed: `by` is no organiser, or the person is himself, an organiser, or the last superuser.
        Refused: there is no reason, or the person is banned already.
    """
    check_organiser(by)
    reason = _reason(reason)
    person = _locked(person)
    by = _still(by)
    if person.pk == by.pk:
        raise NotAllowed(_("Nobody bans himself."))
    if person.is_staff and not by.is_superuser:
        raise NotAllowed(_("Only a superuser bans organisers."))
    if is_last_superuser(person):
        raise NotAllowed(_("The last superuser cannot be banned."))
    if person.banned is not None:
        raise Refused(_("%(name)s is banned already. %(reason)s") % {"name": person, "reason": person.ban_reason})
    person.banned, person.ban_reason, person.is_active = timezone.now(), reason, False
    person.sessions_ended += 1
    person.save(update_fields=["banned", "ban_reason", "is_active", "sessions_ended"])
    ban_addresses(verified_addresses(person))
    mine = Bot.objects.filter(owner=person)
    Token.objects.filter(bot__in=mine, revoked=None).update(revoked=timezone.now())
    Connection.objects.filter(bot__in=mine, state=Connection.State.WAITING).delete()
    playing = (Bot.State.ACTIVE, Bot.State.QUARANTINED)
    # not banned each: those that were before must stay so when the author is pardoned
    mine.filter(state__in=playing).update(state=Bot.State.RETIRED, state_reason="Its author is banned.")
    waiting = Series.objects.filter(state=Series.State.WAITING, seats__version__bot__in=mine).distinct()
    for series in waiting.order_by("pk"):
        cancel_series(series=series, by=by)
    write_down(by=by, rows=[person], text=f"Banned. {reason}")


@transaction.atomic
def unban_author(*, person: User, by: User) -> None:
    """Let an author in again. The tokens stay revoked; the bots stay retired until their author brings them back.

    Raises:
        NotAllowed: `by` is no organiser, or the account is his own.
        Refused: the person is not banned.
    """
    check_organiser(by)
    if by.is_of(person):
        raise NotAllowed(_("Another organiser has to judge that."))
    person = _locked(person)
    if person.banned is None:
        raise Refused(_("%(name)s is not banned.") % {"name": person})
    if person.is_staff and not by.is_superuser:
        raise NotAllowed(_("Only a superuser pardons organisers."))
    person.banned, person.ban_reason, person.is_active = None, "", True
    person.save(update_fields=["banned", "ban_reason", "is_active"])
    pardon_addresses(verified_addresses(person))
    Bot.objects.filter(owner=person, state=Bot.State.RETIRED).update(state_reason="Its author was banned for a time.")
    write_down(by=by, rows=[person], text="Not banned any more.")


@transaction.atomic
def link_accounts(*, one: User, other: User, by: User, note: str) -> None:
    """Say that two accounts are of the same person: from now on their bots do not meet at rated tables.

    Raises:
        NotAllowed: `by` is no organiser, or one of the accounts is his own.
        Refused: it is one account, they are linked already, or there is no note.
    """
    check_organiser(by)
    note = _reason(note)
    if by.is_of(one) or by.is_of(other):
        raise NotAllowed(_("Another organiser has to judge that."))
    if not people.link(one, other):
        raise Refused(_("These accounts are linked already."))
    write_down(by=by, rows=[one, other], text=f"Linked as the same person: {one} and {other}. {note}"[:500])


@transaction.atomic
def unlink_account(*, person: User, by: User) -> None:
    """Say that an account is nobody else's.

    Raises:
        NotAllowed: `by` is no organiser, or the account is his own.
        Refused: it is linked with none.
    """
    check_organiser(by)
    if by.is_of(person):
        raise NotAllowed(_("Another organiser has to judge that."))
    if not people.unlink(person):
        raise Refused(_("This account is not linked with another one."))
    write_down(by=by, rows=[person], text="Not linked with other accounts any more.")


def _locked(person: User) -> User:
    """The account as it is now, locked together with those of all superusers.

    In one go and in order: two superusers who ban each other would else each wait for the other.
    """
    found = User.objects.select_for_update().filter(Q(pk=person.pk) | Q(is_superuser=True)).order_by("pk")
    return next(user for user in found if user.pk == person.pk)


def _still(by: User) -> User:
    """The organiser as he is now: somebody may have banned him a moment ago."""
    now = User.objects.get(pk=by.pk)
    check_organiser(now)
    return now


# ---- bots ----------------------------------------------------------------------------------------


def ban_bot(*, bot: Bot, by: User, reason: str) -> None:
    """Shut a bot out, for a reason that everybody can read."""
    check_organiser(by)
    bots.ban_bot(bot=bot, by=by, reason=_reason(reason))


def rename_bot(*, bot: Bot, by: User, name: str) -> None:
    """Give an author's bot another name. Its old address leads to the new one, and nobody can take the old name.

    Records keep the name that a bot had when they were written: they are what was played, and are named by their hash.

    Raises:
        NotAllowed: `by` is no organiser.
        Refused: it cannot be a name, it is taken, or it is a bot of the house.
    """
    check_organiser(by)
    if bot.house:
        raise Refused(_("The bots of the house are called as their files are."))
    try:
        bots.check_name(name)
        with transaction.atomic():
            locked = Bot.objects.select_for_update().get(pk=bot.pk)
            old = locked.name
            if name == old:
                raise Refused(_("This is its name."))
            if name.lower() != old.lower():
                FormerName.objects.filter(bot=bot, name__iexact=name).delete()  # back to a name of its own
                if bots.is_taken(game=bot.game, name=name):
                    raise Refused(_("The name %(name)s is taken.") % {"name": name})
                FormerName.objects.create(bot=bot, game=bot.game, name=old)
            locked.name = name
            locked.save(update_fields=["name"])
            write_down(by=by, rows=[locked], text=f"Renamed from {old} to {name}.")
    except bots.BotError as error:
        raise Refused(str(error)) from error
    except IntegrityError as error:
        raise Refused(_("The name %(name)s is taken.") % {"name": name}) from error
    bot.refresh_from_db(fields=["name"])


@transaction.atomic
def clear_about(*, bot: Bot, by: User) -> None:
    """Take away what a bot's page says about it.

    Raises:
        NotAllowed: `by` is no organiser.
        Refused: it says nothing.
    """
    check_organiser(by)
    if not Bot.objects.filter(pk=bot.pk).exclude(about="").update(about=""):
        raise Refused(_("Its page says nothing about it."))
    bot.refresh_from_db(fields=["about"])
    write_down(by=by, rows=[bot], text="Cleared what its page says about it.")


def _reason(text: str) -> str:
    text = " ".join(text.split())
    if not text or len(text) > 300:
        raise Refused(_("Give a reason, of at most 300 characters."))
    return text
