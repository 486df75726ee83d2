"""The background: ``celery -A webapp worker``. Its settings are the ``CELERY_`` ones in ``webapp/settings.py``."""

import os
import warnings
from enum import IntEnum

from celery import Celery
from celery.signals import setup_logging, worker_process_init

from arena.lifeline import die_with_parent

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")

# As root in a container or on a bare machine is usual. Messages are JSON, and bots run under users of their own.
warnings.filterwarnings("ignore", "You're running the worker with superuser privileges")

app = Celery("webapp")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


class Priority(IntEnum):
    """How soon a task should start: ``task.apply_async(args, priority=Priority.PERSON)``. The lower, the sooner."""

    PERSON = 0
    """Somebody sits and waits for it."""
    TOURNAMENT = 3
    LADDER = 6
    COMPARING = 9
    """Somebody waits for it, and can: it takes what is left over."""


@setup_logging.connect
def _leave_logging_to_django(**_: object) -> None:
    """Celery sets up the logging of its own liking unless somebody answers this signal."""


_worker = os.getpid()


@worker_process_init.connect
def _end_with_the_worker(**_: object) -> None:
    """The pool's processes would outlive a worker that is killed, and go on playing matches nobody waits for."""
    if os.getpid() != _worker:  # the pool named `solo` has no processes of its own
        die_with_parent(_worker)
