"""Quarantine: a bot that was at fault in each of its last series is seated no more, until it shows that it works.

The rule, all of it. A series counts once it is decided for the bot: when it is finished, or when the bot is taken off
the table before a match. The bot was at fault in it if it was taken off, or made a fault of its own (unreadable,
illegal, late, gone) in one of its matches that is not voided. `FAULTY_SERIES_IN_A_ROW` of them in a row, by their ends,
and it goes into quarantine; one without a fault, and the count starts anew. What the platform breaks off or cancels
counts neither way, nor does validation, a comparison of versions, or a table with a person, nor a series that was made
before the bot was let out of quarantine or of a ban. Bots of the house are exempt.

The bot's row carries the ids of the series in a row, so that deciding reads nothing else of its past.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Value
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from webapp.accounts.audit import write_down
from webapp.accounts.models import User
from webapp.accounts.notices import tell
from webapp.bots.models import FAULTY_SERIES_IN_A_ROW, Bot
from webapp.bots.services import NotAllowed
from webapp.matches.models import Block, Entry, EntryLog, Series, SeriesSeat

COUNTED = (Bot.State.ACTIVE, Bot.State.RETIRED)
"""A bot that its author retires while it plays has played all the same: else that would be a way out."""

NOT_COUNTED = (*Series.PRIVATE, Series.Purpose.PERSON)


def judge_removal(*, series: Series, reasons: Mapping[int, str]) -> None:
    """These bots (by id) were taken off the table before a match. To be called in the transaction that does it."""
    _count(series, reasons)


def judge_series(*, series: Series) -> None:
    """All matches of the series are written. To be called in the transaction that finishes it."""
    if series.purpose in NOT_COUNTED:
        return
    faults: dict[int, str] = {}
    played = set()
    entries = Entry.objects.filter(match__series=series, match__voided=False, bot__house=False)
    for bot, fault in entries.order_by("match_id", "seat").values_list("bot_id", "fault"):
        played.add(bot)
        if fault:
            faults[bot] = fault
    _count(series, faults)
    clean = played - faults.keys()
    # most of them had nothing to clear: looked at first, so that a series without faults writes to no bot
    rows = Bot.objects.filter(pk__in=clean, state__in=COUNTED).values_list("pk", "faulty_series")
    cleared = [pk for pk, faulty in rows if faulty and series.pk not in faulty]
    if cleared:
        Bot.objects.filter(pk__in=cleared, state__in=COUNTED).update(faulty_series=[])


def _count(series: Series, reasons: Mapping[int, str]) -> None:
    if not reasons or series.purpose in NOT_COUNTED:
        return
    # in the order of their numbers, so that two series that end at once wait for each other, and not for ever
    bots = Bot.objects.select_for_update().filter(pk__in=reasons, house=False, state__in=COUNTED)
    for bot in bots.order_by("pk"):
        before = bot.counted_since is not None and series.created < bot.counted_since
        if before or series.pk in bot.faulty_series:
            continue
        bot.faulty_series = [*bot.faulty_series, series.pk][-FAULTY_SERIES_IN_A_ROW:]
        if len(bot.faulty_series) == FAULTY_SERIES_IN_A_ROW:
            stands = _still_at_fault(bot) | {series.pk}
            bot.faulty_series = [pk for pk in bot.faulty_series if pk in stands]
        bot.save(update_fields=["faulty_series"])
        if bot.unreliable and bot.state == Bot.State.ACTIVE:  # a retired one goes there when it is brought back
            _quarantine(bot, reasons[bot.pk])


def _still_at_fault(bot: Bot) -> set[int]:
    """Those of the series in which it is at fault still: an organiser may have voided matches since."""
    removed = SeriesSeat.objects.filter(series__in=bot.faulty_series, version__bot=bot).exclude(removed="")
    faulty = Entry.objects.filter(match__series__in=bot.faulty_series, bot=bot, match__voided=False).exclude(fault="")
    return set(removed.values_list("series_id", flat=True)) | set(faulty.values_list("match__series_id", flat=True))


def _quarantine(bot: Bot, reason: str) -> None:
    # Stored, so not translated here.
    said = f"It was at fault in {FAULTY_SERIES_IN_A_ROW} series in a row; in the last one: {reason}"
    bot.state, bot.state_reason = Bot.State.QUARANTINED, said[:300]
    bot.save(update_fields=["state", "state_reason"])
    if bot.owner is not None:
        tell(
            person=bot.owner,
            subject=_("%(bot)s is in quarantine") % {"bot": bot.name},
            text=_message(bot),
        )


def _message(bot: Bot) -> str:
    base = settings.ARENA_BASE_URL
    lines = [
        _("%(bot)s was at fault in each of its last %(n)d series, so it is seated at no table for the time being:")
        % {"bot": bot.name, "n": FAULTY_SERIES_IN_A_ROW},
        "",
    ]
    for one in troubles(bot=bot):
        where = reverse("match", args=[one.match]) if one.match else reverse("series", args=[one.series])
        lines.append(f"- {one.fault}: {base}{where}")
    lines += [
        "",
        _("What it wrote during these matches, and how it comes back, is on its page:"),
        base + reverse("bots:own", args=[bot.pk]),
    ]
    return "\n".join(lines)


# ---- coming back ---------------------------------------------------------------------------------


@transaction.atomic
def release_from_quarantine(*, bot: Bot, because: str, by: User | None = None) -> bool:
    """Let a bot out of quarantine; False where it is in none. What it did before does not count any more.

    Args:
        bot: the bot.
        because: what for, in a sentence, for the organisers' log.
        by: the organiser who does it; None when the platform does, because a version passed validation.

    Raises:
        NotAllowed: `by` is no organiser, or the bot is his own.
    """
    if by is not None and not (by.is_active and by.is_staff):
        raise NotAllowed(_("This is for organisers."))
    if by is not None and by.is_of(bot.owner):
        raise NotAllowed(_("This bot is yours: another organiser has to judge that."))
    released = Bot.objects.filter(pk=bot.pk, state=Bot.State.QUARANTINED).update(
        state=Bot.State.ACTIVE, state_reason="", counted_since=timezone.now(), faulty_series=[]
    )
    bot.refresh_from_db(fields=["state", "state_reason", "counted_since", "faulty_series"])
    if released and by is not None:
        write_down(by=by, rows=[bot], text=f"Released from quarantine. {because}".strip())
    return bool(released)


# ---- showing why ---------------------------------------------------------------------------------


class Trouble(NamedTuple):
    """A series in which a bot was at fault: what its first fault was, and where to see it."""

    series: int
    fault: str
    match: str
    """The name of the match; empty where the bot was taken off the table before one."""
    seat: int
    logged: bool
    """Did it write anything in that match that its author may read by now?"""


LAST = 1 << 30
"""The number of a match that comes after all that were played."""


def troubles(*, bot: Bot) -> Sequence[Trouble]:
    """The series in a row in which the bot was at fault, the oldest first. One query; none where there are none."""
    if not bot.faulty_series:
        return ()
    found: dict[int, Trouble] = {}
    logs = EntryLog.objects.filter(entry=OuterRef("pk")).exclude(entry__match__block__state=Block.State.OPEN)
    entries = Entry.objects.filter(match__series__in=bot.faulty_series, bot=bot, match__voided=False).exclude(fault="")
    played = entries.annotate(logged=Exists(logs), number=F("match__number"))
    seats = SeriesSeat.objects.filter(series__in=bot.faulty_series, version__bot=bot).exclude(removed="")
    removed = seats.annotate(name=Value(""), logged=Value(False), number=Value(LAST))
    rows = played.values_list("match__series_id", "fault", "match__name", "seat", "logged", "number").union(
        removed.values_list("series_id", "removed", "name", "seat", "logged", "number"), all=True
    )
    for series, fault, match, seat, logged, _number in sorted(rows, key=lambda row: (row[5], row[3])):
        found.setdefault(series, Trouble(series, fault, match, seat, bool(logged)))
    return tuple(found[series] for series in bot.faulty_series if series in found)
