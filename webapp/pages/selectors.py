"""Reads how the arena as a whole is doing."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import Count, Min
from django.utils import timezone

from webapp.bots.models import Connection
from webapp.live.health import Streaming, streaming
from webapp.matches import selectors as matches
from webapp.matches.hosting import Hosting, hosting
from webapp.matches.models import Match, Series
from webapp.ratings import selectors as ratings
from webapp.ratings.lead import apart
from webapp.ratings.selectors import Row

MANY = 1000
"""Counting stops here: a longer queue is long, however long it is."""

STALLED = timedelta(minutes=10)
"""When series have waited for so long and nothing was finished, something is wrong."""


class Board(NamedTuple):
    """The top of a leaderboard."""

    game: str
    preset: str
    rows: tuple[Row, ...]


def tops(*, size: int = 5) -> tuple[Board, ...]:
    """The top of every game's flagship leaderboard, where anybody stands on it."""
    flagships = [ruleset for ruleset in matches.rulesets() if ruleset.flagship]
    found = ratings.tops(rulesets=flagships, size=size + 1)  # one more, as the anchor may stand among the settled
    boards = []
    for ruleset in flagships:
        settled, provisional = apart(found[ruleset.pk].rows)
        boards.append(Board(ruleset.game, ruleset.preset, tuple((settled or provisional)[:size])))
    return tuple(board for board in boards if board.rows)


class Status(NamedTuple):
    """What the status page shows."""

    waiting: int
    """At most `MANY`."""
    waiting_since: datetime | None
    playing: tuple[Series, ...]
    put_off: tuple[Series, ...]
    lost: int
    """Series whose worker has not renewed its lease in time."""
    lines: int
    seated: int
    newest: Match | None
    stalled: bool
    hosting: Hosting
    streaming: Streaming | None
    """None where the streaming process gives no sign."""
    now: datetime

    @property
    def abandoned(self) -> bool:
        """Is everything that is being played without a sign of its worker?"""
        return 0 < self.lost == len(self.playing)


def newest_match() -> Match | None:
    """The match that was written last."""
    return Match.objects.only("name", "finished", "private").order_by("-id").first()


def waiting() -> tuple[int, datetime | None]:
    """How many series wait for a worker (at most `MANY`), and since when the first of them does."""
    queue = Series.objects.filter(state=Series.State.WAITING).order_by("created")
    told = queue[:MANY].aggregate(count=Count("id"), first=Min("created"))
    return told["count"], told["first"]


def status() -> Status:
    """How the arena is doing now."""
    now = timezone.now()
    count, since = waiting()
    playing = matches.series_in_state(state=Series.State.PLAYING, size=50)
    newest = newest_match()
    lines = Connection.objects.filter(lease_until__gt=now).values_list("state").annotate(n=Count("id"))
    by_state = dict(lines)
    return Status(
        waiting=count,
        waiting_since=since,
        playing=tuple(playing),
        put_off=tuple(matches.series_in_state(state=Series.State.PUT_OFF, size=20)),
        lost=sum(1 for series in playing if series.lease_until is not None and series.lease_until < now),
        lines=sum(by_state.values()),
        seated=by_state.get(Connection.State.SEATED, 0),
        newest=newest,
        stalled=is_stalled(since, newest, now),
        hosting=hosting(),
        streaming=streaming(),
        now=now,
    )


def is_stalled(waiting_since: datetime | None, newest: Match | None, now: datetime) -> bool:
    """Does a series wait, and has nothing been finished for long?"""
    if waiting_since is None or now - waiting_since < STALLED:
        return False
    return newest is None or now - newest.finished >= STALLED
