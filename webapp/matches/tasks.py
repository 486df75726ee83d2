"""What the queue wakes workers for. Tasks carry ids, look at the world again, and may run twice."""

from __future__ import annotations

import os
import socket

from celery import shared_task

from webapp.matches.runner import run_series


@shared_task(name="matches.play_series")
def play_series(series_id: int) -> None:
    """Play a series, unless it is played or has been played already."""
    run_series(series_id, worker=f"{socket.gethostname()}:{os.getpid()}"[:80])
