"""The ladder: seats bots at rated tables, for ever, as fast as there are workers and no faster than makes sense."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import cache
from random import Random

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from arena import pairing
from arena.games import find_game
from arena.pairing import Candidate
from arena.rules import ruleset
from webapp.bots.models import Bot, Connection, Version
from webapp.bots.selectors import ANCHOR
from webapp.matches.models import LadderTurn, Ruleset, Series, SeriesSeat
from webapp.matches.services import create_series
from webapp.ratings.selectors import Standing, deviations_from, standings_of

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
    under_way = ladder.filter(state__in=Series.UNDER_WAY)
    if settings.ARENA_LADDER_TABLES and under_way.count() >= settings.ARENA_LADDER_TABLES:
        return None
    newest = ladder.order_by("-id").values_list("created", flat=True).first()
    if newest is not None and timezone.now() - newest < timedelta(seconds=_pause()):
        return None
    boards = Ruleset.objects.exclude(preset="").order_by("key")
    if settings.ARENA_LADDER_GAMES:
        boards = boards.filter(game__in=settings.ARENA_LADDER_GAMES)
    rows = list(boards)
    games = sorted({row.game for row in rows})
    if not games:
        return None
    game = dice.choice(games)
    # a ruleset, or a game, that nobody can play now must not stop the others
    # and nobody can play anything of a game that has nobody
    available = cache(_available)
    for row in sorted(_in_drawn_order(rows, dice), key=lambda row: row.game != game):
        there = available(row.game)
        if not there:
            continue
        turns = _turns(row)
        number = 1 + max(turns.values(), default=-1)
        versions = _table(row, there, turns, number, dice)
        if versions:
            return _seat(row, versions, number)
    return None


@transaction.atomic
def _seat(row: Ruleset, versions: Sequence[Version], number: int) -> Series:
    LadderTurn.objects.bulk_create(
        [LadderTurn(ruleset=row, bot_id=version.bot_id, table=number) for version in versions],
        update_conflicts=True,
        unique_fields=["ruleset", "bot"],
        update_fields=["table"],
    )
    # as many matches as there are seats, so that everybody sits everywhere once
    return create_series(ruleset=row, versions=versions, planned=len(versions))


def _turns(row: Ruleset) -> dict[int, int]:
    """At which table each bot sat last, by its id."""
    return dict(LadderTurn.objects.filter(ruleset=row).values_list("bot_id", "table"))


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


def _table(
    row: Ruleset, there: Sequence[Version], turns: Mapping[int, int], number: int, dice: Random
) -> list[Version]:
    """Who of those that are there sits at the table with this number, by seat; nobody where they are too few."""
    versions = {version.pk: version for version in there}
    rules = ruleset(find_game(row.game), row.preset, row.options)
    least, most = rules.players[0], max(rules.players[0], min(LARGEST_TABLE, rules.players[-1]))
    if len(versions) < least:
        return []
    known = standings_of(ruleset=row, versions=versions.values())
    candidates = [_candidate(version, known[version.pk], turns, number) for version in versions.values()]
    first = pairing.ladder.seed(candidates, dice)
    assert first is not None, "there are versions"
    deviations = deviations_from(ruleset=row, version=first.version)
    size = pairing.ladder.table_size(number, least, most)
    table = pairing.ladder.fill(first, candidates, deviations, size, dice)
    return [versions[seat.version] for seat in table] if len(table) >= least else []


def _candidate(version: Version, known: Standing, turns: Mapping[int, int], number: int) -> Candidate:
    last = turns.get(version.bot_id)
    return Candidate(
        version=version.pk,
        author=None if version.bot.owner is None else version.bot.owner.person,
        elo=known.elo,
        error=known.error,
        matches=known.matches,
        waited=math.inf if last is None else number - last - 1,
        anchor=version.bot.house and version.bot.name == ANCHOR,
    )


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
