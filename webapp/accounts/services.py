"""Every write to accounts that is not the sign-up's or the log-in's, which are allauth's."""

from __future__ import annotations

import secrets

from django.contrib.admin.models import LogEntry
from django.db import transaction
from django.db.models import CASCADE
from django.utils.translation import gettext as _

from webapp.accounts.models import User
from webapp.accounts.people import unlink
from webapp.bots.services import abandon_bots


class WrongPassword(Exception):
    """The password is another one."""


def delete_account(*, user: User, password: str) -> None:
    """Delete an account for good, and all that is known of the person; asked for by that person.

    The bots are retired and belong to nobody, their tokens let nobody in, their matches stay. The username is
    free again.

    Raises:
        WrongPassword: nothing has happened.
    """
    if not user.check_password(password):
        raise WrongPassword(_("This is not your password. Nothing has been deleted."))
    _delete(user)


def remove_account(*, user: User, by: User) -> None:
    """The same, done by an organiser.

    Raises:
        PermissionError: `by` is none, or may not remove organisers; or it is the last superuser.
    """
    if not (by.is_active and by.is_staff) or (user.is_staff and not by.is_superuser):
        raise PermissionError("Only organisers remove accounts, and only a superuser those of organisers.")
    with transaction.atomic():
        if is_last_superuser(user):
            raise PermissionError("The last superuser cannot be removed.")
        _delete(user)


def is_last_superuser(user: User) -> bool:
    """Would nobody be left who makes organisers? To be asked in the transaction that takes one away."""
    # The lock makes those who take away at the same time wait for each other: the second one counts what is left.
    left = User.objects.select_for_update().filter(is_superuser=True, is_active=True).order_by("pk")
    return list(left.values_list("pk", flat=True)) == [user.pk]


@transaction.atomic
def _delete(user: User) -> None:
    abandon_bots(owner=user)
    unlink(user)
    if not LogEntry.objects.filter(user=user).exists():
        user.delete()
        return
    # What an organiser has done stays in the organisers' log. It needs somebody to have done it, but no name.
    for relation in User._meta.related_objects:
        # all that would go with the account
        if relation.on_delete is CASCADE and relation.related_model is not LogEntry:
            relation.related_model._base_manager.filter(**{relation.field.name: user}).delete()
    user.username = f"left-{secrets.token_hex(8)}"
    user.email = user.first_name = user.last_name = ""
    user.is_active = user.is_staff = user.is_superuser = False
    user.last_login = None
    user.banned, user.ban_reason = None, ""
    user.set_unusable_password()
    user.save()
    user.groups.clear()
    user.user_permissions.clear()
