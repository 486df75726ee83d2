"""What happens at the same moment, in threads with connections of their own: for tests on a real database."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from django.db import connections


def together(*calls: Callable[[], Any]) -> list[Any]:
    """Call all of them at once: what each returned, or the exception that it raised, in the order of the calls."""
    results: list[Any] = [None] * len(calls)
    ready = threading.Barrier(len(calls))

    def run(number: int, call: Callable[[], Any]) -> None:
        ready.wait()
        try:
            results[number] = call()
        except Exception as error:  # noqa: BLE001  # for the caller to look at
            results[number] = error
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=numbered) for numbered in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def at_once(*calls: Callable[[], object], refused: type[Exception]) -> list[str]:
    """Call all of them at once; what each that was refused said."""
    results = together(*calls)
    for result in results:
        if isinstance(result, Exception) and not isinstance(result, refused):
            raise result
    return [str(result) for result in results if isinstance(result, refused)]
