"""The ladder: seats bots at rated tables, for ever, as fast as there are workers and no faster than makes sense."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from random import Random

from django.conf import settings
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from arena.games import find_game
from arena.pairing import Candidate, ladder_table
from arena.rules import ruleset
from webapp.bots.models import Bot, Connection, Version
from webapp.bots.selectors import ANCHOR
from webapp.matches.models import Ruleset, Series, SeriesSeat
from webapp.matches.services import create_series
from webapp.ratings.selectors import match_counts

LARGEST_TABLE = 4
"""Tables on the ladder have two to so many seats, as the rules allow."""

FLAGSHIP_SHARE = 0.6
"""The share of a game's ladder tables that its flagship gets."""

MOST_WAITING = 1
"""How many waiting ladder series there may be; more would only grow old in the queue."""


def tick(random: Random | None = None) -> Series | None:
    """Make one series if there is room for it, and if somebody needs it or it is time for the house to play."""
    dice = random or Random()  # noqa: S311  # who meets whom is no secret
    ladder = Series.objects.filter(purpose=Series.Purpose.LADDER)
    if ladder.filter(state=Series.State.WAITING).count() >= MOST_WAITING:
        return None
    under_way = ladder.filter(state__in=[Series.State.WAITING, Series.State.PLAYING])
    if settings.ARENA_LADDER_TABLES and under_way.count() >= settings.ARENA_LADDER_TABLES:
        return None
    newest = ladder.order_by("-id").values_list("created", flat=True).first()
    if newest is not None and timezone.now() - newest < timedelta(seconds=_pause()):
        return None
    rows = list(Ruleset.objects.exclude(preset="").order_by("key"))
    games = sorted({row.game for row in rows})
    if not games:
        return None
    game = dice.choice(games)
    # a ruleset, or a game, that nobody can play now must not stop the others
    for row in sorted(_in_drawn_order(rows, dice), key=lambda row: row.game != game):
        versions = _table(row, dice)
        if versions:
            # as many matches as there are seats, so that everybody sits everywhere once
            return create_series(ruleset=row, versions=versions, planned=len(versions))
    return None


def _pause() -> float:
    """Seconds between two series. The house alone plays slowly; as soon as an author's bot is there, it is served."""
    authors = Bot.objects.filter(house=False, state=Bot.State.ACTIVE).exclude(active_version=None)
    hosted = authors.filter(kind=Bot.Kind.HOSTED).exists()
    there = hosted or Connection.objects.filter(_waiting(), bot__in=authors).exists()
    return float(settings.ARENA_LADDER_PAUSE_SERVING if there else settings.ARENA_LADDER_PAUSE)


def _in_drawn_order(rows: Sequence[Ruleset], dice: Random) -> list[Ruleset]:
    shuffled = dice.sample(list(rows), len(rows))
    flagship_first = dice.random() < FLAGSHIP_SHARE
    return sorted(shuffled, key=lambda row: row.flagship is not flagship_first)


def _table(row: Ruleset, dice: Random) -> list[Version]:
    versions = {version.pk: version for version in _available(row.game)}
    if not versions:
        return []
    rules = ruleset(find_game(row.game), row.preset, row.options)
    counts = match_counts(ruleset=row, versions=versions)
    candidates = [
        Candidate(
            version=version.pk,
            author=None if version.bot.owner is None else version.bot.owner.person,
            matches=counts.get(version.pk, 0),
            anchor=version.bot.house and version.bot.name == ANCHOR,
        )
        for version in versions.values()
    ]
    largest = min(LARGEST_TABLE, rules.players[-1])
    size = dice.randint(rules.players[0], max(rules.players[0], largest))
    table = ladder_table(candidates, size, dice)
    return [versions[seat.version] for seat in table] if len(table) >= rules.players[0] else []


def _available(game: str) -> list[Version]:
    """The active versions that could sit down now: hosted ones, and remote ones with a line that waits."""
    # a line for which a table of a tournament waits is not taken away from it
    wanted = SeriesSeat.objects.filter(
        series__purpose=Series.Purpose.TOURNAMENT, series__state=Series.State.WAITING, removed=""
    )
    lines = Connection.objects.filter(_waiting()).exclude(version__in=wanted.values("version")).values("version")
    playable = Q(kind=Bot.Kind.HOSTED, active_version__source__isnull=False) | Q(
        kind=Bot.Kind.REMOTE, active_version__in=lines
    )
    bots = Bot.objects.filter(playable, game=game, state=Bot.State.ACTIVE).exclude(owner__is_active=False)
    return list(Version.objects.filter(active_for__in=bots).select_related("bot__owner").defer("source"))


def _waiting() -> Q:
    return Q(state=Connection.State.WAITING, lease_until__gt=Now())
