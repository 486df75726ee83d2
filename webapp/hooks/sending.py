"""Gathers what hooks have to tell into messages, and sends them. The scheduler does both, every few seconds.

A message is claimed before it is sent, by a conditional update that also says when the claim ends: whoever is killed in
the middle leaves a message that somebody else sends later, with the same name. So each arrives at least once.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

from django.conf import settings
from django.db import connections, transaction
from django.db.models import Exists, F, OuterRef
from django.urls import reverse
from django.utils import timezone

from webapp.accounts.notices import tell
from webapp.bots.models import Bot
from webapp.hooks import messages, posting
from webapp.hooks.models import Delivery, Happening, Hook
from webapp.hooks.services import new_name, switch_off
from webapp.hooks.signing import signature

log = logging.getLogger(__name__)

MOST_RESULTS = 100
"""In a message."""

PAUSE = timedelta(minutes=1)
"""Between two messages of a hook: what happens meanwhile is told together."""

CLAIM = timedelta(minutes=2)
"""How long nobody else sends a message that somebody has begun to send."""

DELAYS = (5, 60, 300, 1800, 7200, 21_600)
"""Seconds before a message is sent again; the last of them again and again."""

PATIENCE = timedelta(days=3)
"""A hook that has failed for so long is switched off."""

MOST_WAITING = 10_000
"""What waits beyond that is forgotten, and only counted."""

KEPT = timedelta(days=7)
"""How long messages are kept for their owner to look at."""

AT_ONCE = 16
"""Messages under way at the same time, one an owner: who is slow holds up only himself."""

TURN_SECONDS = posting.LONGEST_SECONDS
"""When the messages of an owner have taken so long, the others of his wait: nothing new is looked for meanwhile."""


def tick() -> int:
    """Gather what is new and send what is due; how many messages were sent or tried."""
    gather()
    return send_due()


# ---- gathering ------------------------------------------------------------------------------------


def gather() -> int:
    """Make a message for every hook that has something to tell and may; how many."""
    waiting = Hook.objects.filter(Exists(Happening.objects.filter(hook=OuterRef("pk"))), state=Hook.State.ON)
    return sum(_gather(pk) for pk in waiting.values_list("pk", flat=True)[:1000])


@transaction.atomic
def _gather(pk: int) -> bool:
    hook = Hook.objects.select_for_update(of=("self",)).filter(pk=pk, state=Hook.State.ON).first()
    now = timezone.now()
    if hook is None:
        return False
    real = hook.deliveries.filter(test=False)
    if real.filter(state=Delivery.State.WAITING).exists() or real.filter(created__gt=now - PAUSE).exists():
        return False
    chosen = list(hook.happenings.select_related("round__tournament").order_by("id")[:MOST_RESULTS])
    if not chosen:
        return False
    if may_be_told(hook):
        text = messages.results(hook=hook, happenings=chosen, now=now)
        Delivery.objects.create(hook=hook, name=new_name(), text=text, next_try=now)
    Happening.objects.filter(pk__in=[one.pk for one in chosen]).delete()
    Hook.objects.filter(pk=pk).update(missed=0)
    return True


def may_be_told(hook: Hook) -> bool:
    """Is it still for the owner to know? Bots change hands, and organisers are organisers no more."""
    owner = hook.owner
    if not owner.is_active:
        return False
    if hook.bot is not None:
        return hook.bot.owner_id == owner.pk and hook.bot.state != Bot.State.BANNED
    return owner.is_staff


# ---- sending --------------------------------------------------------------------------------------


def send_due() -> int:
    """Send what is due; how many messages were tried."""
    due = Delivery.objects.filter(state=Delivery.State.WAITING, next_try__lte=timezone.now())
    by_owner: dict[int, list[int]] = {}
    for pk, owner in due.order_by("next_try").values_list("pk", "hook__owner")[:200]:
        by_owner.setdefault(owner, []).append(pk)
    if not by_owner:
        return 0
    with ThreadPoolExecutor(max_workers=AT_ONCE, thread_name_prefix="hook") as threads:
        return sum(threads.map(_send_all, by_owner.values()))


def _send_all(deliveries: Sequence[int]) -> int:
    sent, ends = 0, time.monotonic() + TURN_SECONDS
    try:
        for pk in deliveries:
            sent += send(pk)
            if time.monotonic() >= ends:
                break
    except Exception:
        log.exception("a message of a hook was not sent, it is tried again")
    finally:
        connections.close_all()
    return sent


def send(pk: int) -> bool:
    """Send a message, unless somebody else does or it is not due."""
    now = timezone.now()
    mine = Delivery.objects.filter(pk=pk, state=Delivery.State.WAITING, next_try__lte=now)
    if not mine.update(next_try=now + CLAIM, tries=F("tries") + 1, tried=now, trouble=Delivery.Trouble.INTERRUPTED):
        return False
    delivery = Delivery.objects.select_related("hook__owner", "hook__bot", "hook__tournament").get(pk=pk)
    hook = delivery.hook
    if not may_be_told(hook) or not (delivery.test or hook.state == Hook.State.ON):
        Delivery.objects.filter(pk=pk).update(state=Delivery.State.FAILED)
        return False
    answer = posting.post(hook.url, delivery.text.encode(), headers(delivery, seconds=int(time.time())))
    _note(delivery, answer)
    return True


def headers(delivery: Delivery, *, seconds: int) -> dict[str, str]:
    """What a message carries beside its text, when it is sent at this time."""
    secret = delivery.hook.secret
    return {
        "Content-Type": "application/json",
        "User-Agent": "Bluff-Arena-Webhooks/1",
        "webhook-id": delivery.name,
        "webhook-timestamp": str(seconds),
        "webhook-signature": signature(secret=secret, name=delivery.name, seconds=seconds, text=delivery.text.encode()),
    }


@transaction.atomic
def _note(delivery: Delivery, answer: posting.Answer) -> None:
    """Write down what came of a try, if it is still the last one."""
    now = timezone.now()
    hook = Hook.objects.select_for_update(of=("self",)).select_related("owner").filter(pk=delivery.hook_id).first()
    row = Delivery.objects.filter(pk=delivery.pk, tries=delivery.tries, state=Delivery.State.WAITING).first()
    if hook is None or row is None:  # it was deleted meanwhile, or somebody else has sent it
        return
    row.status, row.trouble, row.tried = answer.status, answer.trouble, now
    if not answer.trouble:
        row.state = Delivery.State.DELIVERED
        Hook.objects.filter(pk=hook.pk).update(failing_since=None)
    elif row.test:
        row.state = Delivery.State.FAILED
    else:
        row.next_try = now + timedelta(seconds=DELAYS[min(row.tries, len(DELAYS)) - 1])
    row.save(update_fields=["status", "trouble", "tried", "state", "next_try"])
    if answer.trouble and not row.test:
        _failed(hook, answer, now)


def _failed(hook: Hook, answer: posting.Answer, now: datetime) -> None:
    since = hook.failing_since or now
    Hook.objects.filter(pk=hook.pk).update(failing_since=since)
    if not answer.gone and now - since < PATIENCE:
        return
    switch_off(hook=hook)
    why = "its receiver asked for that (410 Gone)" if answer.gone else "no message has arrived for three days"
    page = settings.ARENA_BASE_URL + reverse("hooks:hook", args=[hook.pk])
    text = f"The webhook to {hook.url} is switched off: {why}.\n\nYou can switch it on again: {page}"
    tell(person=hook.owner, subject="A webhook of yours is switched off", text=text)


# ---- forgetting -----------------------------------------------------------------------------------


def forget() -> None:
    """Forget old messages, and what has gathered beyond all bounds."""
    over = Delivery.objects.exclude(state=Delivery.State.WAITING)
    over.filter(created__lt=timezone.now() - KEPT).delete()
    for pk in Hook.objects.exclude(failing_since=None).values_list("pk", flat=True):
        _forget_oldest(pk)


@transaction.atomic
def _forget_oldest(pk: int) -> None:
    waiting = Happening.objects.filter(hook=pk)
    newest = waiting.order_by("-id").values_list("pk", flat=True)[MOST_WAITING : MOST_WAITING + 1]
    last = next(iter(newest), None)
    if last is not None:
        forgotten, _ = waiting.filter(pk__lte=last).delete()
        Hook.objects.filter(pk=pk).update(missed=F("missed") + forgotten)
