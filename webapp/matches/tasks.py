"""What the queue wakes workers for. Tasks carry ids, look at the world again, and may run twice."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import socket
from threading import Event
from typing import Any

import django.db
from celery import shared_task
from celery.signals import worker_init, worker_process_init, worker_ready, worker_shutdown, worker_shutting_down

from webapp.matches import hosting
from webapp.matches.runner import run_series

log = logging.getLogger(__name__)


@shared_task(name="matches.play_series")
def play_series(series_id: int) -> None:
    """Play a series, unless it is played or has been played already."""
    run_series(series_id, worker=f"{socket.gethostname()}:{os.getpid()}"[:80], leaving=_leaving.is_set)


# ---- the end of a worker ----------------------------------------------------------------------------

_leaving = Event()
"""In a process of the pool: the worker ends. What is being played goes back into the queue after its present match."""

_TO_LEAVE = signal.SIGUSR2


@worker_init.connect
def _have_it_wait(**_: object) -> None:
    """A process of the pool inherits this: told before it listens, it would die of it."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [_TO_LEAVE])


@worker_process_init.connect
def _listen_to_the_worker(**_: object) -> None:
    signal.signal(_TO_LEAVE, lambda *_: _leaving.set())
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [_TO_LEAVE])


@worker_ready.connect
def _tell_the_pool_in_the_end(sender: Any, **_: object) -> None:
    """Celery lets a task go on for as long as it likes; a series would take minutes, and a match takes seconds."""

    def tell(**_: object) -> None:
        for pid in sender.pool.info["processes"]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, _TO_LEAVE)

    worker_shutting_down.connect(tell, weak=False)


# ---- what a worker can do ---------------------------------------------------------------------------

_name = f"{socket.gethostname()}:{os.getpid()}"


@worker_ready.connect
def _announce_for_ever(sender: Any, **_: object) -> None:
    """Say at once and then every now and then what this worker can host.

    By the worker's own timer and not by a thread: a thread that holds a lock when the pool forks would leave it locked.
    """
    found = hosting.report()
    for layer in found.layers:
        if not layer.stands:
            log.warning("a wall of the sandbox is missing: %s (%s)", layer.name, layer.advice)
    if not found.strong:
        log.warning("uploaded bots are not run by this worker: %s", found.why)
    _announce()
    sender.timer.call_repeatedly(hosting.ANNOUNCE_SECONDS, _announce)


def _announce() -> None:
    try:
        hosting.announce(name=_name)
    except django.db.Error as error:
        log.warning("this worker could not say that it is there: %s", error)
    finally:
        django.db.connection.close()


@worker_shutdown.connect
def _leave(**_: object) -> None:
    """Once the pool has ended, and not as the signal comes: that may be in the middle of an announcement."""
    try:
        hosting.leave(name=_name)
    except django.db.Error as error:
        log.warning("this worker could not say that it ends: %s", error)
    finally:
        django.db.connection.close()
