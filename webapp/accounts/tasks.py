"""What the queue wakes workers for. Tasks carry ids, look at the world again, and may run twice."""

from __future__ import annotations

from celery import shared_task

from webapp.accounts import notices


@shared_task(name="accounts.send_notice")
def send_notice(notice: int) -> None:
    """Send a notice, unless it has been sent."""
    notices.send(notice)
