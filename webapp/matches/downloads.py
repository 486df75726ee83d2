"""All records of a leaderboard in one download: gzipped JSON lines, as they are read from the database.

People train on them. That it cannot take the site down: a download has an end known beforehand, holds few records in
memory, ends after some minutes however slowly it is fetched, and only few are under way at the same time.
"""

from __future__ import annotations

import hashlib
import json
import logging
import time
import zlib
from collections.abc import Iterator
from types import TracebackType
from typing import NamedTuple, Self
from uuid import uuid4

from django.core.cache import cache
from django.db.models import Min, QuerySet
from redis.exceptions import RedisError

from webapp.limits import Limit
from webapp.matches.models import Block, Match, Ruleset

log = logging.getLogger(__name__)

MOST = 100_000
"""Matches in one download; it says where the next one goes on."""

AT_ONCE = 200
"""Records in memory."""

AT_THE_SAME_TIME = 2
"""Downloads under way on the whole site, one to an address: each occupies a thread of a web process."""

LONGEST_SECONDS = 600
"""Then it is cut off: gzip tells whoever unpacks it that the end is missing."""

A_DAY = Limit("downloads", 50, 86_400)
"""For each address."""


class Busy(Exception):
    """As many downloads are under way as may be, on the whole site or to this address."""


class Part(NamedTuple):
    """Which matches a download has: those with ids above ``after`` and up to ``last``."""

    ruleset: Ruleset
    after: int
    last: int
    matches: int
    more: str | None
    """The name of its last match, where there are more after it."""
    etag: str


class Seat:
    """One of the few places for downloads; it is given back at the end, and by itself after `LONGEST_SECONDS`."""

    def __init__(self, *, who: str) -> None:
        """Take a place for this address, which has one at most. Raises `Busy` where there is none."""
        self._mine = uuid4().hex
        self._keys: list[str] = []
        places = [f"download:{number}" for number in range(AT_THE_SAME_TIME)]
        try:
            if not (self._take(f"download-to:{who}") and any(map(self._take, places))):
                self.leave()
                raise Busy
        except (RedisError, OSError) as error:
            log.warning("downloads are not given while the cache does not answer: %s", error)
            raise Busy from error

    def _take(self, key: str) -> bool:
        taken = cache.add(key, self._mine, timeout=LONGEST_SECONDS)
        if taken:
            self._keys.append(key)
        return taken

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.leave()

    def leave(self) -> None:
        """Give the place back, if it is still one's own."""
        try:
            for key in self._keys:
                if cache.get(key) == self._mine:
                    cache.delete(key)
        except (RedisError, OSError) as failure:
            log.warning("a download's place becomes free only by itself: %s", failure)


def part(*, ruleset: Ruleset, after: Match | None, most: int) -> Part:
    """What a download from here on would have: a few queries, which look at no record."""
    start = after.pk if after is not None else 0
    found = _public(ruleset).filter(id__gt=start)
    # Up to the first match whose block is open, so that who goes on after the last one misses none.
    open_blocks = Block.objects.filter(state=Block.State.OPEN, series__ruleset=ruleset)
    first_open = Match.objects.filter(block__in=open_blocks).aggregate(first=Min("id"))["first"]
    if first_open is not None:
        found = found.filter(id__lt=first_open)
    ids = list(found.order_by("id").values_list("id", flat=True)[: most + 1])
    kept = ids[:most]
    last = kept[-1] if kept else start
    more = Match.objects.values_list("name", flat=True).get(pk=last) if len(ids) > most else None
    voided = found.filter(id__lte=last, voided=True).order_by("id").values_list("id", flat=True)
    told = json.dumps([ruleset.key, start, last, len(kept), list(voided)])
    return Part(ruleset, start, last, len(kept), more, f'"{hashlib.sha256(told.encode()).hexdigest()[:32]}"')


def _public(ruleset: Ruleset) -> QuerySet[Match]:
    return Match.objects.filter(ruleset=ruleset, private=False, block__state=Block.State.CLOSED)


def packed(chosen: Part, seat: Seat) -> Iterator[bytes]:
    """The download, piece by piece: a JSON object a line with the match's name, what became of it, and its record."""
    with seat:
        ends = time.monotonic() + LONGEST_SECONDS
        gzip = zlib.compressobj(1, wbits=31)
        yield gzip.flush(zlib.Z_SYNC_FLUSH)  # the header: what is cut off here is no empty file
        after = chosen.after
        while after < chosen.last and time.monotonic() < ends:
            rows = _public(chosen.ruleset).filter(id__gt=after, id__lte=chosen.last).order_by("id")[:AT_ONCE]
            lines = []
            for pk, name, rated, voided, sha256, record in rows.values_list(
                "id", "name", "rated", "voided", "record_name", "record"
            ):
                after = pk
                head = json.dumps({"match": name, "rated": rated, "voided": voided, "record_sha256": sha256})
                # a record is JSON of several lines; line ends within texts are escaped, so these are mere space
                text = zlib.decompress(bytes(record)).replace(b"\n", b" ").strip()
                lines.append(head[:-1].encode() + b', "record": ' + text + b"}\n")
            if not lines:
                break
            yield gzip.compress(b"".join(lines))
        else:
            if after < chosen.last:
                log.warning("a download of %s was cut off at match %s: it took too long", chosen.ruleset, after)
                return
        yield gzip.flush()
