"""Counts what has been played, each match once, however often and by however many this is done.

A block carries whether it has been counted, and is marked in the transaction that adds its matches to the sums: so
there is no number up to which everything is counted, and none that a match committed late could be below. Only closed
blocks are counted, since the sums would tell of the luck of others.
"""

from __future__ import annotations

import logging
import time
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from operator import itemgetter
from typing import TypeAlias

from django.db import connection, transaction
from django.db.models import Prefetch, QuerySet

from arena import record as records
from arena import style
from arena.verify import VerificationError
from webapp.matches.models import Block, Entry, Match
from webapp.style.models import Tally

log = logging.getLogger(__name__)

AT_ONCE = 50
"""Blocks that are counted in one transaction."""

Key: TypeAlias = tuple[int, int]
"""The ruleset, the version."""


class Counted:
    """Sums that are to be added to a tally, or taken off it."""

    __slots__ = ("faults", "last", "matches", "most", "points", "sums")

    def __init__(self, last: datetime) -> None:
        self.matches = self.points = self.most = self.faults = 0
        self.sums: Counter[str] = Counter()
        self.last = last


def count(*, seconds: float = 1.0) -> int:
    """Count closed blocks that have not been counted, for about so long; how many there were."""
    ends, found = time.monotonic() + seconds, 0
    while more := _count_some():
        found += more
        if time.monotonic() > ends:
            break
    return found


@transaction.atomic
def _count_some() -> int:
    due = Block.objects.filter(state=Block.State.CLOSED, counted=False).order_by("id")
    blocks = list(due.select_for_update(skip_locked=True).values_list("id", flat=True)[:AT_ONCE])
    if blocks:
        _add(_sums(Match.objects.filter(block__in=blocks)), 1)
        Block.objects.filter(id__in=blocks).update(counted=True)
    return len(blocks)


def voided(matches: Sequence[Match]) -> None:
    """These matches have just been voided, or restored: their sums follow. To be called in that transaction, with
    their blocks locked."""
    counted = Match.objects.filter(id__in=[match.pk for match in matches], block__counted=True)
    _add(_sums(counted.filter(voided=False)), 1)
    _add(_sums(counted.filter(voided=True), anyway=True), -1)


def rebuild() -> int:
    """Count everything anew; how many blocks there were. Meanwhile the sums are incomplete."""
    with transaction.atomic():
        Block.objects.filter(counted=True).update(counted=False)
        Tally.objects.all().delete()
    found = 0
    while more := _count_some():
        found += more
    return found


def check() -> list[str]:
    """What of the sums is not what the matches give. Writes nothing."""
    with transaction.atomic():
        if connection.vendor == "postgresql" and len(connection.savepoint_ids) == 0:
            with connection.cursor() as cursor:  # all of it as of one moment, while others go on counting
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        found: dict[Key, Counted] = {}
        blocks = Block.objects.filter(counted=True).order_by("id")
        after = 0
        while some := list(blocks.filter(id__gt=after).values_list("id", flat=True)[:AT_ONCE]):
            _sums(Match.objects.filter(block__in=some), found)
            after = some[-1]
        kept = {(one.ruleset_id, one.version_id): one for one in Tally.objects.all()}
    problems = []
    for key in sorted(kept.keys() | found.keys()):
        have, right = kept.get(key), found.get(key)
        if have is None or right is None or _numbers(have) != _numbers_of(right):
            problems.append(f"ruleset {key[0]}, version {key[1]}")
    return problems


def _numbers(have: Tally) -> tuple[object, ...]:
    return have.matches, have.points, have.most, have.faults, have.sums, have.last_played


def _numbers_of(right: Counted) -> tuple[object, ...]:
    return right.matches, right.points, right.most, right.faults, {n: k for n, k in right.sums.items() if k}, right.last


# ---- counting ------------------------------------------------------------------------------------


def _sums(
    matches: QuerySet[Match], into: dict[Key, Counted] | None = None, *, anyway: bool = False
) -> dict[Key, Counted]:
    """What these matches give, of those that are rated; of those that are voided, unless ``anyway``, only when."""
    found = {} if into is None else into
    entries = Entry.objects.order_by("seat")
    counted = matches.filter(rated=True).exclude(ruleset__preset="").order_by("id")
    for match in counted.prefetch_related(Prefetch("entries", entries)):
        seats = list(match.entries.all())
        for version in {entry.version_id for entry in seats}:
            own = found.setdefault((match.ruleset_id, version), Counted(match.finished))
            own.last = max(own.last, match.finished)
            if not match.voided or anyway:
                own.matches += 1
                own.faults += any(entry.fault for entry in seats if entry.version_id == version)
        if match.voided and not anyway:
            continue
        for entry, played in zip(seats, _played(match, len(seats)), strict=True):
            own = found[match.ruleset_id, entry.version_id]
            others = [other for other in seats if other.version_id != entry.version_id]
            own.most += 2 * len(others)
            own.points += sum((entry.place < one.place) - (entry.place > one.place) + 1 for one in others)
            own.sums.update(played)
    return found


def _played(match: Match, seats: int) -> Sequence[style.Sums]:
    try:
        return style.count(records.read(zlib.decompress(bytes(match.record))))
    except VerificationError as error:
        log.warning("how %s was played is not counted: %s", match.name, error)
        return [Counter() for _ in range(seats)]


def _add(found: dict[Key, Counted], sign: int) -> None:
    """Add sums to the tallies, or take them off."""
    if not found:
        return
    Tally.objects.bulk_create(
        [
            Tally(ruleset_id=ruleset, version_id=version, last_played=one.last)
            for (ruleset, version), one in sorted(found.items(), key=itemgetter(0))  # in one order, too, see `_of`
        ],
        ignore_conflicts=True,
    )
    tallies = _of(found)
    for tally in tallies:
        more = found[tally.ruleset_id, tally.version_id]
        tally.matches += sign * more.matches
        tally.points += sign * more.points
        tally.most += sign * more.most
        tally.faults += sign * more.faults
        sums = Counter(tally.sums)
        for name, number in more.sums.items():
            sums[name] += sign * number
        tally.sums = {name: sums[name] for name in sorted(sums) if sums[name]}
        tally.last_played = max(tally.last_played, more.last)
    Tally.objects.bulk_update(tallies, ["matches", "points", "most", "faults", "sums", "last_played"], batch_size=200)


def _of(keys: Iterable[Key]) -> list[Tally]:
    """These tallies, locked, in one order: two who lock the same ones never wait for each other both."""
    wanted = set(keys)
    rows = Tally.objects.select_for_update().filter(
        ruleset__in={ruleset for ruleset, _ in wanted}, version__in={version for _, version in wanted}
    )
    return [one for one in rows.order_by("id") if (one.ruleset_id, one.version_id) in wanted]
