"""What happens at the same moment, in threads with connections of their own: for tests on a real database."""

from __future__ import annotations

import threading
from collections.abc import Callable

from django.db import connections


def at_once(*calls: Callable[[], object], refused: type[Exception]) -> list[str]:
    """Call all of them together; what each that was refused said."""
    said: list[str] = []
    ready = threading.Barrier(len(calls))

    def run(call: Callable[[], object]) -> None:
        ready.wait()
        try:
            call()
        except refused as error:
            said.append(str(error))
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return said
