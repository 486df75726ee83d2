"""What people are told by e-mail. A notice is a row first, and is sent when what it tells of is committed.

The row is the truth and the queue a doorbell, as everywhere: a lost call, or a mail server that is away, only makes the
scheduler send it later. A notice is marked before it is sent, so that nobody gets it twice.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from functools import partial
from smtplib import SMTPException

from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from kombu.exceptions import OperationalError

from webapp.accounts.addresses import verified_addresses
from webapp.accounts.models import Notice, User
from webapp.celery import Priority

log = logging.getLogger(__name__)

MOST_TRIES = 20
"""A mail server that refuses a notice so often is not asked again."""

KEPT = timedelta(days=30)
"""How long a notice is kept, sent or not."""


def tell(*, person: User, subject: str, text: str) -> Notice | None:
    """Tell a person something once, after the present transaction; None where no address is proved to be his."""
    if not verified_addresses(person):
        return None
    notice = Notice.objects.create(user=person, subject=subject[:150], text=text)
    transaction.on_commit(partial(_call, notice.pk), robust=True)
    return notice


def _call(notice: int) -> None:
    from webapp.accounts.tasks import send_notice  # the task calls this module itself

    try:
        send_notice.apply_async((notice,), priority=Priority.PERSON, retry=False)
    except OperationalError as error:
        log.warning("notice %s waits for the scheduler, the queue does not answer: %s", notice, error)


def send(notice: int) -> bool:
    """Send a notice that has not been sent; False where there is nothing to send, or the mail server refuses it."""
    mine = Notice.objects.filter(pk=notice)
    if not mine.filter(sent=None, tries__lt=MOST_TRIES).update(sent=timezone.now()):
        return False
    row = mine.select_related("user").get()
    addresses = verified_addresses(row.user)
    if not addresses:
        return False  # the address was removed meanwhile; there is nobody to tell
    try:
        EmailMessage(row.subject, row.text, to=addresses[:1]).send()
    except (OSError, SMTPException) as error:
        mine.update(sent=None, tries=F("tries") + 1)
        log.warning("notice %s could not be sent, it is tried again: %s", notice, error)
        return False
    return True


def send_waiting() -> int:
    """Send what its call in the queue did not; returns how many. Old notices are forgotten."""
    now = timezone.now()
    Notice.objects.filter(created__lt=now - KEPT).delete()
    waiting = Notice.objects.filter(sent=None, tries__lt=MOST_TRIES, created__lt=now - timedelta(seconds=20))
    return sum(send(pk) for pk in list(waiting.order_by("created").values_list("pk", flat=True)[:50]))
