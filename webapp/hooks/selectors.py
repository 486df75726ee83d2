"""Reads hooks, for their owners alone."""

from __future__ import annotations

from django.db.models import OuterRef, QuerySet, Subquery

from webapp.accounts.models import User
from webapp.bots.models import Bot
from webapp.hooks.models import Delivery, Hook
from webapp.tournaments.models import Tournament

SHOWN = 20
"""Messages in the list of a hook."""


def _hooks(owner: User) -> QuerySet[Hook]:
    return Hook.objects.filter(owner=owner).select_related("bot", "tournament__ruleset").defer("tournament__secret")


def hooks_of(*, owner: User) -> list[Hook]:
    """A person's hooks, each with ``told``: when it was told something last."""
    last = Delivery.objects.filter(hook=OuterRef("pk"), state=Delivery.State.DELIVERED).order_by("-id")
    return list(_hooks(owner).annotate(told=Subquery(last.values("tried")[:1])).order_by("id"))


def find_hook(*, owner: User, pk: int) -> Hook | None:
    """A hook of this person's."""
    return _hooks(owner).filter(pk=pk).first()


def deliveries_of(*, hook: Hook) -> list[Delivery]:
    """Its newest messages, without their texts."""
    return list(hook.deliveries.defer("text").order_by("-id")[:SHOWN])


def bots_for(*, person: User) -> list[Bot]:
    """The bots whose results this person may be told."""
    return list(Bot.objects.filter(owner=person).exclude(state=Bot.State.BANNED).order_by("name", "game"))


def tournaments_for(*, person: User) -> list[Tournament]:
    """The tournaments that this person may be told of: for organisers those that are not over."""
    if not (person.is_active and person.is_staff):
        return []
    over = (Tournament.State.FINISHED, Tournament.State.CANCELLED)
    return list(Tournament.objects.exclude(state__in=over).defer("secret").order_by("-id")[:100])
