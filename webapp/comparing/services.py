"""Starts, goes on with, and ends comparisons.

A comparison is a row, and the series that are played for it one after the other. `tick` counts what has been played
since it looked last, block by block in their order, asks after each whether that is enough, and makes the next series.
It keeps nothing in memory, and may be done by several at once, since each locks the row first.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from django.db import DatabaseError, IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from arena.compare import block_score
from arena.games import find_game
from arena.rules import ruleset as ruleset_of
from webapp.accounts.models import User
from webapp.bots import uploads
from webapp.bots.models import Bot, Version
from webapp.bots.services import Refused
from webapp.bots.versions import check_author
from webapp.comparing.models import Comparison
from webapp.limits import Limit, TooOften, spend
from webapp.live.news import changed, own_channel
from webapp.matches import services as matches
from webapp.matches.models import Block, Match, Ruleset, Series

log = logging.getLogger(__name__)

A_DAY = Limit("comparisons", 10, 86_400)

MOST_MATCHES = 4_000
"""Of one comparison."""

SERIES_MATCHES = 20
"""Of one series: so soon somebody who is more important gets the worker."""

BLOCK = 2
"""Matches on one luck: the two versions sit on each seat once."""

DIFFERENCES = (10.0, 20.0, 40.0)
"""How much better, in Elo, NEW is to be at least: the smaller, the longer it takes."""

MOST_POINTS = 240
"""Of the path that is kept."""

WORKING = (Version.State.PASSED, Version.State.RETIRED)


# ---- its author ----------------------------------------------------------------------------------


def start(*, new: Version, old: Version, ruleset: Ruleset, by: User, elo1: float = 20.0) -> Comparison:
    """Let two versions of a bot play until it is known whether the new one is better, or for a while.

    Raises:
        BotError: it cannot be done, or not now; the message says why.
    """
    bot = new.bot
    check_author(bot, by)
    if new.pk == old.pk:
        raise Refused(_("A version is compared with another one."))
    why = _why_not(bot, new, old, ruleset)
    if why:
        raise Refused(why)
    if elo1 not in DIFFERENCES:
        raise Refused(_("This difference cannot be asked for."))
    closed = uploads.why_closed(by=by)
    if closed:
        raise Refused(closed)
    if Comparison.objects.filter(author=by, state=Comparison.State.RUNNING).exists():
        raise Refused(_("Another comparison of yours is running. Wait for its end, or cancel it."))
    try:
        spend(A_DAY, who=by.pk)
    except TooOften as error:
        raise Refused(str(error)) from error
    try:
        with transaction.atomic():
            made = Comparison.objects.create(
                author=by, bot=bot, new=new, old=old, ruleset=ruleset, elo1=elo1, most=MOST_MATCHES
            )
            _next_series(made)
    except IntegrityError as error:  # two at once
        raise Refused(_("Another comparison of yours is running. Wait for its end, or cancel it.")) from error
    return made


@transaction.atomic
def cancel(*, comparison: Comparison, by: User) -> None:
    """End a comparison; what is known stays.

    Raises:
        BotError: it is somebody else's, or over.
    """
    check_author(comparison.bot, by)
    found = Comparison.objects.select_for_update().get(pk=comparison.pk)
    if found.state != Comparison.State.RUNNING:
        raise Refused(_("It is over already."))
    _end(found, Comparison.State.CANCELLED)


def _why_not(bot: Bot, new: Version, old: Version, ruleset: Ruleset) -> str:
    """Why these cannot be compared; empty where they can."""
    if bot.kind != Bot.Kind.HOSTED or old.bot_id != bot.pk:
        return _("Only two hosted versions of one bot can be compared here.")
    if bot.state != Bot.State.ACTIVE:
        return _("%(bot)s does not play: it is %(state)s.") % {"bot": bot.name, "state": bot.get_state_display()}
    if any(version.state not in WORKING for version in (new, old)):
        return _("Both versions must have shown that they work.")
    if ruleset.game != bot.game or not ruleset.preset:
        return _("The bot does not play by these rules.")
    if BLOCK not in ruleset_of(find_game(ruleset.game), ruleset.preset, ruleset.options).players:
        return _("These rules are not for two.")
    return ""


# ---- the scheduler -------------------------------------------------------------------------------


def tick() -> int:
    """Go on with all that are running; how many there are. One that fails does not keep the others."""
    running = list(
        Comparison.objects.filter(state=Comparison.State.RUNNING).order_by("pk").values_list("pk", flat=True)
    )
    for pk in running:
        try:
            advance(pk)
        except DatabaseError:
            raise
        except Exception:
            log.exception("comparison %s did not go on", pk)
    return len(running)


@transaction.atomic
def advance(pk: int) -> None:
    """Count what has been played of a comparison since, and see that it goes on, or ends."""
    found = (
        Comparison.objects.select_for_update(of=("self",))
        .select_related("bot", "new", "old", "ruleset", "series")
        .defer("new__source", "old__source")
        .filter(pk=pk, state=Comparison.State.RUNNING)
        .first()
    )
    if found is None:
        return
    series = found.series
    if series is not None and _count(found, series):
        return
    if series is not None and series.state in Series.UNDER_WAY:
        found.save()
    elif series is not None and series.state != Series.State.FINISHED:
        _end(found, Comparison.State.FAILED, series.note)
    elif why := _why_not(found.bot, found.new, found.old, found.ruleset):
        _end(found, Comparison.State.FAILED, why)
    else:
        _next_series(found)


def _next_series(found: Comparison) -> None:
    found.series = matches.create_series(
        ruleset=found.ruleset,
        versions=[found.new, found.old],
        planned=min(SERIES_MATCHES, found.most - found.matches),
        purpose=Series.Purpose.COMPARISON,
        rated=False,
    )
    found.counted = 0
    found.save()


def _count(found: Comparison, series: Series) -> bool:
    """Count the blocks of the present series that are over; True when the comparison has ended with one of them."""
    blocks = _blocks(series, found.counted)
    if blocks:
        changed(own_channel("comparison", found.pk))
    for block in blocks:
        played = [_places(found, match) for match in block]
        sample = found.sample.add(block_score([(places, 0, 1) for places in played]))
        found.blocks, found.total, found.squares = sample
        found.matches += len(block)
        found.counted += len(block)
        for match in block:
            for entry in match.entries.all():
                found.faults_new += bool(entry.fault) and entry.version_id == found.new_id
                found.faults_old += bool(entry.fault) and entry.version_id == found.old_id
        found.path = thinned([*found.path, [found.matches, round(sample.llr(found.question), 3)]])
        verdict = sample.verdict(found.question)
        if verdict != "undecided":
            _end(found, Comparison.State.BETTER if verdict == "better" else Comparison.State.NOT_BETTER)
            return True
        if found.matches + BLOCK > found.most:
            _end(found, Comparison.State.UNDECIDED)
            return True
    return False


def _blocks(series: Series, counted: int) -> list[list[Match]]:
    """The whole blocks of a series that are closed and not counted yet, in their order."""
    rest = series.matches.filter(number__gt=counted, block__state=Block.State.CLOSED).defer("record")
    blocks: dict[int, list[Match]] = {}
    for match in rest.order_by("number").prefetch_related("entries"):
        blocks.setdefault(match.block_id, []).append(match)
    found: list[list[Match]] = []
    for block in blocks.values():
        # one is still being played, or was broken off with the series
        if len(block) < BLOCK or block[0].number != counted + BLOCK * len(found) + 1:
            break
        found.append(block)
    return found


def _places(found: Comparison, match: Match) -> tuple[int, int]:
    """The place of the new version, and that of the old one."""
    by_version = {entry.version_id: entry.place for entry in match.entries.all()}
    return by_version[found.new_id], by_version[found.old_id]


def thinned(path: Sequence[list[float]]) -> list[list[float]]:
    """A path that is not too long: every other point goes where it would be, but never the first or the last."""
    if len(path) <= MOST_POINTS:
        return list(path)
    return [*path[:-1:2], path[-1]]


def _end(found: Comparison, state: Comparison.State, note: str = "") -> None:
    found.state, found.note, found.finished = state, note[:300], timezone.now()
    found.save()
    changed(own_channel("comparison", found.pk))
    if found.series_id is not None:
        matches.withdraw(series_id=found.series_id, note="The comparison is over.")
