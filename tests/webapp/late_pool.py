"""The queue's workers, the processes of whose pool are not ready before they have been told that the worker ends."""

import os
import signal
import time
from pathlib import Path

from celery.signals import worker_process_init

_kill = os.kill


def _noted(pid: int, number: int) -> None:
    _kill(pid, number)
    if number == signal.SIGUSR2:
        Path(os.environ["TOLD"]).touch()


os.kill = _noted


@worker_process_init.connect
def _wait(**_: object) -> None:
    Path(os.environ["WAITING"]).touch()
    while not Path(os.environ["TOLD"]).exists():
        time.sleep(0.02)


from webapp.celery import app  # noqa: E402, F401
