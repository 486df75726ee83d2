"""Keys with which programs act for their person: made on the account's page, shown once, kept as a hash."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from webapp.accounts.models import ApiKey, User

PREFIX = "bk_"

MOST_KEYS = 5
"""How many keys an account can have."""

LONGEST_KEY = 100


class KeyRefused(Exception):
    """What was asked for cannot be done; the message is for the person."""


def make_key(*, user: User) -> str:
    """A new key of this person. It is returned this once, and only its hash is kept.

    Raises:
        KeyRefused: the account is closed, or has too many.
    """
    if not user.is_active:
        raise KeyRefused(_("This account is closed."))
    key = PREFIX + secrets.token_urlsafe(32)
    with transaction.atomic():
        User.objects.select_for_update().get(pk=user.pk)
        if user.api_keys.count() >= MOST_KEYS:
            raise KeyRefused(_("An account has at most %(most)d keys. Delete one first.") % {"most": MOST_KEYS})
        ApiKey.objects.create(user=user, digest=_hash(key), hint=key[-4:])
    return key


def delete_key(*, user: User, pk: int) -> bool:
    """Let no program in with this key of theirs any more; False where there is none."""
    return bool(ApiKey.objects.filter(user=user, pk=pk).delete()[0])


def person_of(key: str) -> User | None:
    """Whose key this is; None where it is nobody's, or the account is closed."""
    if not key.startswith(PREFIX) or len(key) > LONGEST_KEY:
        return None
    found = ApiKey.objects.select_related("user").filter(digest=_hash(key), user__is_active=True).first()
    if found is None:
        return None
    now = timezone.now()
    # once a minute is often enough to know, and does not make every question wait for a write
    stale = Q(last_used=None) | Q(last_used__lt=now - timedelta(minutes=1))
    ApiKey.objects.filter(stale, pk=found.pk).update(last_used=now)
    return found.user


def _hash(key: str) -> str:
    return hashlib.sha256(key.encode(errors="replace")).hexdigest()
