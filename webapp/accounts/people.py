"""Accounts that an organiser has said to be of one person. All of them point at the first; that one at none."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Q

from webapp.accounts.models import User


def accounts_of(*people: User, lock: bool = False) -> list[User]:
    """All accounts of these people, the oldest first."""
    now = User.objects.filter(pk__in=[person.pk for person in people])
    firsts = [person.person for person in now]
    found = User.objects.filter(Q(pk__in=firsts) | Q(linked_to__in=firsts)).order_by("pk")
    return list(found.select_for_update() if lock else found)


@transaction.atomic
def link(one: User, other: User) -> bool:
    """These two, and whoever is linked with them already, are one person; False where that is known."""
    accounts = accounts_of(one, other, lock=True)
    people = {account.person for account in accounts}
    if len(people) < 2:
        return False
    first = min(people)
    User.objects.filter(pk__in=[account.pk for account in accounts]).exclude(pk=first).update(linked_to=first)
    return True


@transaction.atomic
def unlink(person: User) -> bool:
    """Take an account out of the accounts of one person; False where it is the only one."""
    rest = [account.pk for account in accounts_of(person, lock=True) if account.pk != person.pk]
    if not rest:
        return False
    User.objects.filter(pk__in=[person.pk, rest[0]]).update(linked_to=None)
    # the others stay together, under the first of them
    User.objects.filter(pk__in=rest[1:]).update(linked_to=rest[0])
    return True
