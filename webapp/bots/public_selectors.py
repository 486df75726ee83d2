"""Reads a bot for everybody: nothing here that only its author may know."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.db.models import Case, Exists, OuterRef, Q, QuerySet, When
from django.utils import timezone
from django.utils.translation import gettext as _

from webapp.bots.models import Bot, Connection, FormerName, Version
from webapp.matches.models import Series
from webapp.pages.stored import stored


class Doing(NamedTuple):
    """What a bot is doing, in a sentence, and why not more."""

    words: str
    why: str
    playing: Sequence[Series]


def find_bot(*, game: str, name: str) -> Bot | None:
    """A bot by the name that people know, with ``connected``: does a line of it live?"""
    if "\0" in name:  # PostgreSQL could not even be asked
        return None
    found = Bot.objects.filter(game=game, name__iexact=name).exclude(kind=Bot.Kind.PERSON)
    lines = Connection.objects.filter(bot=OuterRef("pk"), lease_until__gt=timezone.now())
    found = found.annotate(connected=Exists(lines))
    return found.select_related("owner", "active_version").defer("active_version__source").first()


def renamed_bot(*, game: str, name: str) -> Bot | None:
    """The bot that had this name before an organiser gave it another one."""
    if "\0" in name:
        return None
    former = FormerName.objects.filter(game=game, name__iexact=name).select_related("bot").first()
    return former.bot if former is not None else None


def versions_of(*, bot: Bot, size: int) -> QuerySet[Version]:
    """The newest versions that have shown that they work, without their source."""
    shown = bot.versions.exclude(state__in=[Version.State.VALIDATING, Version.State.FAILED])
    return shown.defer("source").order_by("-number")[:size]


class Named(NamedTuple):
    """All that the page of a bot names beside the bot itself."""

    versions: list[Version]
    """Its newest ones that have shown that they work, and the one that plays; the newest first."""
    others: dict[int, Version]
    """Those of others that were wanted, by id."""
    siblings: list[Bot]
    """What else its author has made that plays, of this game first; nothing of the house, whose bots are everywhere."""


def named(*, bot: Bot, others: Iterable[int], size: int = 20, siblings: int = 12) -> Named:
    """All that the page of a bot names. One query, as all of it are versions with their bots."""
    own = versions_of(bot=bot, size=size).values("pk")
    wanted = set(others)
    found = Q(pk__in=own) | Q(pk=bot.active_version_id) | Q(pk__in=wanted)
    if bot.owner_id is not None:
        same = Case(When(game=bot.game, then=0), default=1)
        play = Bot.objects.filter(owner=bot.owner_id, state=Bot.State.ACTIVE).exclude(pk=bot.pk)
        play = play.exclude(active_version=None).order_by(same, "game", "name")
        found |= Q(pk__in=play.values("active_version")[:siblings])
    rows = list(Version.objects.filter(found).select_related("bot").defer("source").order_by("-number"))
    # who made the bot may have met itself elsewhere than on the ladder, by a version that does not play any more
    playing = [one.bot for one in rows if one.pk == one.bot.active_version_id and one.bot.state == Bot.State.ACTIVE]
    made = [one for one in playing if one.owner_id == bot.owner_id and one.owner_id is not None and one.pk != bot.pk]
    return Named(
        [one for one in rows if one.bot_id == bot.pk],
        {one.pk: one for one in rows if one.pk in wanted},
        sorted(made, key=lambda one: (one.game != bot.game, one.game, one.name)),
    )


def doing(*, bot: Bot) -> Doing:
    """Is it playing, and if not, why."""
    if bot.state != Bot.State.ACTIVE:
        return Doing(
            _("It does not play: it is %(state)s.") % {"state": bot.get_state_display()}, stored(bot.state_reason), []
        )
    # only series that go on: a bot has few of them, however many it has played
    series = Series.objects.filter(state=Series.State.PLAYING, seats__version__bot=bot).distinct()
    playing = list(series.exclude(purpose__in=Series.PRIVATE).order_by("-id")[:16])
    if playing:
        return Doing(_("It is playing now."), "", playing)
    if bot.active_version_id is None:
        return Doing(_("It does not play yet."), _("No version of it has shown that it can."), [])
    if bot.kind == Bot.Kind.REMOTE:
        if not getattr(bot, "connected", True):
            return Doing(_("It is idle."), _("Its author's program is not connected."), [])
        return Doing(_("It is connected, and waiting for a table."), "", [])
    return Doing(_("It is waiting for a table."), "", [])
