"""How often somebody may do something. What allauth's pages limit, allauth counts; all else is counted here.

Both count in Django's cache, which is the Redis that all processes of the site share.
"""

from __future__ import annotations

import logging
from typing import NamedTuple

from django.core.cache import cache
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from redis.exceptions import RedisError

log = logging.getLogger(__name__)


class Limit(NamedTuple):
    """So many times within so many seconds, counted from the first of them."""

    name: str
    most: int
    seconds: int


class TooOften(Exception):
    """It was done too often. The message is written for the person who asked."""


def spend(limit: Limit, *, who: int | str) -> None:
    """Count one more time that ``who`` (the number of an account, an address) does this.

    A cache that is away lets everybody through: then the pages should work all the same, and the log says so.

    Raises:
        TooOften: the limit is used up. Asking again does not make the wait longer.
    """
    key = f"limit:{limit.name}:{who}"
    try:
        count = _count(key, limit.seconds)
    except (RedisError, OSError) as error:
        log.warning("%s is not limited at the moment, the cache does not answer: %s", limit.name, error)
        return
    if count > limit.most:
        raise TooOften(
            _("That was too often: at most %(most)d times in %(period)s. Please try again later.")
            % {"most": limit.most, "period": _period(limit.seconds)}
        )


def _count(key: str, seconds: int) -> int:
    while True:
        # adding and counting are each one step of the cache's, so that of many who come at once each is counted
        cache.add(key, 0, timeout=seconds)
        try:
            return cache.incr(key)
        except ValueError:  # it ran out between the two
            continue


def _period(seconds: int) -> str:
    if seconds % 86_400 == 0:
        return ngettext("a day", "%(n)d days", seconds // 86_400) % {"n": seconds // 86_400}
    if seconds % 3_600 == 0:
        return ngettext("an hour", "%(n)d hours", seconds // 3_600) % {"n": seconds // 3_600}
    return ngettext("a second", "%(n)d seconds", seconds) % {"n": seconds}
