"""The database from within an event loop."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import ParamSpec, TypeVar

from asgiref.sync import sync_to_async
from django.db import close_old_connections

P = ParamSpec("P")
R = TypeVar("R")


def in_database(call: Callable[P, R]) -> Callable[P, Awaitable[R]]:
    """``call`` for the event loop: it runs in the one thread that talks to the database.

    A connection that was lost meanwhile is replaced first, so that a database that went away and came back is used
    again.
    """

    def fresh(*args: P.args, **kwargs: P.kwargs) -> R:
        close_old_connections()
        return call(*args, **kwargs)

    return sync_to_async(fresh, thread_sensitive=True)
