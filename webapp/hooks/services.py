"""Every write to hooks, for their owners."""

from __future__ import annotations

import secrets

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from webapp.accounts.addresses import is_verified
from webapp.accounts.models import User
from webapp.bots.models import Bot
from webapp.hooks import messages
from webapp.hooks.addresses import BadAddress, target
from webapp.hooks.models import Delivery, Happening, Hook
from webapp.hooks.signing import make_secret
from webapp.limits import Limit, TooOften, spend
from webapp.tournaments.models import Tournament

MOST_HOOKS = 5
"""How many hooks an account can have."""

MAKING = Limit("hooks", 20, 86_400)
PINGS = Limit("hook-pings", 10, 3600)


class HookRefused(Exception):
    """What was asked for cannot be done; the message is for the person."""


def make_hook(*, by: User, about: Bot | Tournament, url: str) -> tuple[Hook, str]:
    """A new hook and its secret, which is returned this once.

    Raises:
        HookRefused: it is not for this person to know, the address will not do, or there are too many.
    """
    own = isinstance(about, Bot) and about.owner_id == by.pk and about.state != Bot.State.BANNED
    organised = isinstance(about, Tournament) and by.is_staff
    if not by.is_active or not (own or organised):
        raise HookRefused(_("You can be told of your own bots; organisers of tournaments, too."))
    if settings.ARENA_CONFIRMED_AUTHORS and not is_verified(by):
        raise HookRefused(_("Please confirm your e-mail address first."))
    try:
        target(url)
        spend(MAKING, who=by.pk)
    except (BadAddress, TooOften) as error:
        raise HookRefused(str(error)) from error
    secret = make_secret()
    which = {"bot": about} if isinstance(about, Bot) else {"tournament": about}
    with transaction.atomic():
        User.objects.select_for_update().get(pk=by.pk)
        if by.hooks.count() >= MOST_HOOKS:
            raise HookRefused(_("You can have at most %(most)d webhooks. Delete one first.") % {"most": MOST_HOOKS})
        return Hook.objects.create(owner=by, url=url, secret=secret, **which), secret


def delete_hook(*, hook: Hook) -> None:
    """Tell nothing to it any more, and forget what was told."""
    hook.delete()


def switch_on(*, hook: Hook) -> None:
    """Let a hook that was switched off be told what happens from now on."""
    Hook.objects.filter(pk=hook.pk, state=Hook.State.OFF).update(state=Hook.State.ON, failing_since=None, missed=0)


def switch_off(*, hook: Hook) -> None:
    """Tell it nothing any more, and forget what waits."""
    with transaction.atomic():
        Hook.objects.filter(pk=hook.pk).update(state=Hook.State.OFF, failing_since=None)
        Happening.objects.filter(hook=hook).delete()
        Delivery.objects.filter(hook=hook, state=Delivery.State.WAITING).update(state=Delivery.State.FAILED)


def send_test(*, hook: Hook) -> Delivery:
    """Send a message that tells of nothing, once, whether or not the hook is switched on.

    Raises:
        HookRefused: there were too many.
    """
    try:
        spend(PINGS, who=hook.owner_id)
    except TooOften as error:
        raise HookRefused(str(error)) from error
    now = timezone.now()
    return Delivery.objects.create(
        hook=hook, name=new_name(), text=messages.ping(hook=hook, now=now), test=True, next_try=now
    )


def new_name() -> str:
    """The name of a message."""
    return f"msg_{secrets.token_hex(16)}"
