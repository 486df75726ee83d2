"""Reads bots, for their authors and for the platform."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import cached_property
from typing import NamedTuple

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from webapp.accounts.models import User
from webapp.bots.models import Bot, Connection, Token, Version
from webapp.matches.models import Block, Entry, EntryLog, Series, SeriesSeat
from webapp.pages.stored import stored

ANCHOR = "random"
"""The house bot that the ratings of its game are measured from: it is 1000 for ever."""

NEW_VERSIONS_A_DAY = 20
"""How many versions a remote bot can declare in 24 hours. Each one is rated from nothing, and stays in the ratings."""


def anchor_version(*, game: str) -> Version | None:
    """The version that is 1000: the first one of the house bot `random`. None as long as there is none."""
    found = Version.objects.filter(bot__game=game, bot__house=True, bot__name=ANCHOR)
    return found.defer("source").order_by("number").first()


def bots_of(*, owner: User) -> QuerySet[Bot]:
    """An author's bots, each with ``lines``: how many connections it has now. The retired ones last."""
    now = timezone.now()
    return (
        Bot.objects.filter(owner=owner)
        .select_related("active_version")
        .defer("active_version__source")
        .annotate(
            is_retired=Q(state=Bot.State.RETIRED),
            lines=Count("connections", filter=Q(connections__lease_until__gt=now)),
        )
        .order_by("is_retired", "game", "name")
    )


def active_bots(*, game: str) -> QuerySet[Bot]:
    """The bots of a game that can be seated, each with ``lines``: how many connections wait for a table now."""
    waits = Q(connections__state=Connection.State.WAITING, connections__lease_until__gt=timezone.now())
    return (
        Bot.objects.filter(game=game, state=Bot.State.ACTIVE)
        .exclude(active_version=None)
        .exclude(owner__is_active=False)
        .select_related("active_version", "owner")
        .defer("active_version__source")
        .annotate(lines=Count("connections", filter=waits))
        .order_by("-house", "name")
    )


def own_bot(*, owner: User, pk: int) -> Bot | None:
    """The bot with this number if it is this author's, else None.

    With ``last_match``, when its newest match was over, and ``was_removed``: was it ever taken off a table?
    """
    played = Entry.objects.filter(bot=OuterRef("pk"), listed__isnull=False).order_by("-match_id")
    mine = Bot.objects.filter(owner=owner, pk=pk).annotate(
        last_match=Subquery(played.values("match__finished")[:1]),
        was_removed=Exists(SeriesSeat.objects.filter(version__bot=OuterRef("pk")).exclude(removed="")),
    )
    return mine.select_related("active_version", "owner").defer("active_version__source").first()


def own_bot_named(*, owner: User, game: str, name: str) -> Bot | None:
    """The bot of this author that has this name, be it in capitals or not."""
    if "\0" in game + name:
        return None
    mine = Bot.objects.filter(owner=owner, game=game, name__iexact=name)
    return mine.select_related("active_version").defer("active_version__source").first()


def own_version_by_id(*, owner: User, pk: int) -> Version | None:
    """The version with this id if it is of a bot of this author, else None."""
    mine = Version.objects.filter(bot__owner=owner, pk=pk)
    return mine.select_related("bot", "validation").defer("source").first()


def own_version(*, bot: Bot, number: int) -> Version | None:
    """A version of this bot, with its series of validation."""
    found = Version.objects.filter(bot=bot, number=number)
    return found.select_related("bot__active_version", "validation").defer("source").first()


def removals_of(*, bot: Bot, size: int = 5) -> list[SeriesSeat]:
    """The newest rated series from which the bot was taken before a match, with what it printed then."""
    seats = SeriesSeat.objects.filter(version__bot=bot).exclude(removed="")
    seats = seats.exclude(series__purpose__in=Series.PRIVATE)
    return list(seats.select_related("version", "series").defer("version__source").order_by("-series_id")[:size])


class Progress(NamedTuple):
    """How far the validation of a version is."""

    matches: int
    planned: int
    waiting: bool
    """For a free worker."""


def progress_of(*, version: Version) -> Progress:
    """How far the validation of a version is; of one that needed none, nothing of nothing."""
    series = version.validation
    if series is None:
        return Progress(0, 0, False)
    return Progress(series.matches.count(), series.planned, series.state == Series.State.WAITING)


class Failure(NamedTuple):
    """All that is known of why a version failed, for its author."""

    output: str
    """What it printed."""
    lines: tuple[str, ...]
    """What it logged with the answers to the newest questions."""
    asked: str
    answered: str
    match: str
    """The name of the match; empty where it did not get so far."""


NEWEST_LINES = 20


def failure_of(*, version: Version) -> Failure | None:
    """What is known of why a version failed; None where that is nothing, or is kept no more."""
    series = version.validation
    if series is None:
        return None
    seat = series.seats.filter(version=version).exclude(removed="").first()
    if seat is not None:
        return Failure(seat.output, (), "", "", "") if seat.output else None
    logs = EntryLog.objects.filter(entry__match__series=series, entry__version=version).exclude(entry__fault="")
    log = logs.select_related("entry__match").defer("entry__match__record").order_by("entry__match__number").first()
    if log is None:
        return None
    exchange = log.exchange or {}
    return Failure(
        output=log.text,
        lines=tuple(line for _step, line in log.lines[-NEWEST_LINES:]),
        asked=exchange.get("asked", ""),
        answered=exchange.get("answered", ""),
        match=log.entry.match.name,
    )


def details_of(*, version: Version) -> str:
    """The same as a text."""
    failure = failure_of(version=version)
    if failure is None:
        return ""
    parts = []
    if failure.asked:
        parts.append(_("It was asked:") + "\n" + failure.asked)
        parts.append(_("It answered:") + "\n" + (failure.answered or _("nothing that could be read as a move")))
    if failure.lines:
        parts.append(_("It logged:") + "\n" + "\n".join(failure.lines))
    if failure.output:
        parts.append(_("It printed:") + "\n" + failure.output.rstrip())
    return "\n\n".join(parts)


def tokens_of(*, bot: Bot) -> QuerySet[Token]:
    """The tokens that still let somebody in, the newest first."""
    return bot.tokens.filter(revoked=None).order_by("-id")


def versions_of(*, bot: Bot) -> QuerySet[Version]:
    """A bot's versions, the newest first."""
    return bot.versions.defer("source").order_by("-number")


def failed_proof(*, bot: Bot) -> Version | None:
    """The version of a bot that dials in with which it could not show, in quarantine, that it works."""
    if bot.state != Bot.State.QUARANTINED:
        return None
    return versions_of(bot=bot).filter(state=Version.State.FAILED, declared=True).first()


def connections_of(*, bot: Bot) -> QuerySet[Connection]:
    """The lines that the bot's programs hold now."""
    living = bot.connections.filter(lease_until__gt=timezone.now())
    return living.select_related("version", "series").defer("version__source").order_by("since")


class Own:
    """What stands around a bot, for its author. Each is asked for when it is wanted, and once.

    Each question is answered by a few rows at one end of an index, however much the bot has played.
    """

    def __init__(self, bot: Bot) -> None:
        self.bot = bot

    @cached_property
    def lines(self) -> list[Connection]:
        """The lines that its programs hold now; one that runs here has none."""
        return [] if self.bot.kind == Bot.Kind.HOSTED else list(connections_of(bot=self.bot))

    @cached_property
    def tokens(self) -> list[Token]:
        """Those that still let somebody in, the newest first."""
        return list(tokens_of(bot=self.bot))

    @cached_property
    def versions(self) -> list[Version]:
        """Its newest ones."""
        return list(versions_of(bot=self.bot)[:SHOWN_VERSIONS])

    @cached_property
    def series(self) -> list[Series]:
        """Those that are being played, those that wait, and the newest one of the version that plays."""
        seated = SeriesSeat.objects.filter(series=OuterRef("pk"), version__bot=self.bot)
        going_on = Q(state=Series.State.PLAYING) | Q(state=Series.State.WAITING)  # each has an index of its own
        seats = SeriesSeat.objects.filter(version=self.bot.active_version_id)
        newest = seats.exclude(series__purpose__in=Series.PRIVATE).order_by("-series_id").values("series_id")[:1]
        found = Series.objects.filter(going_on & Q(Exists(seated)) | Q(pk=Subquery(newest)))
        # those that are being played first, and in any case the newest one
        return list(found.exclude(purpose__in=Series.PRIVATE).order_by("state", "-id")[:SHOWN_SERIES])

    @property
    def playing(self) -> list[Series]:
        """Those that are being played."""
        return [one for one in self.series if one.state == Series.State.PLAYING]

    @property
    def waits(self) -> bool:
        """Has it a place at a table that waits?"""
        return any(one.state == Series.State.WAITING for one in self.series)

    @cached_property
    def last_used(self) -> datetime | None:
        """When a program dialled in last, with whichever token."""
        used: datetime | None = self.bot.tokens.aggregate(last=Max("last_used"))["last"]
        return used


SHOWN_VERSIONS = 50
SHOWN_SERIES = 64
"""More than a bot can have under way: it plays at 16 tables at most."""


class Doing(NamedTuple):
    """What a bot is doing, in a sentence, and where it does nothing, why and what would help."""

    headline: str
    help: str


def doing(*, own: Own) -> Doing:
    """What the bot is doing now, and why it is not doing more."""
    headline, help_ = _sentence(own)
    return Doing(headline % {"bot": own.bot.name, "tables": len(own.playing)}, help_)


def _sentence(own: Own) -> tuple[str, str]:
    bot, playing = own.bot, len(own.playing)
    match bot.state:
        case Bot.State.RETIRED:
            return _because(_("%(bot)s is retired."), bot.state_reason), _("Bring it back below, and it plays again.")
        case Bot.State.BANNED:
            return (
                _because(_("%(bot)s is banned."), bot.state_reason),
                _("Write to the organisers if you think that this is wrong."),
            )
        case Bot.State.QUARANTINED:
            return (
                _because(_("%(bot)s is in quarantine."), bot.state_reason),
                _proving(bot),
            )
    if playing:
        said = ngettext("%(bot)s is playing.", "%(bot)s is playing at %(tables)d tables.", playing)
        return said, _free_lines(own)
    if own.waits:
        return _("%(bot)s has a place at a table, which waits for a free worker."), ""
    if bot.kind == Bot.Kind.HOSTED:
        return _hosted(own)
    if not own.lines:
        headline, help_ = _not_connected(own)
        return headline, _versions_left(own) or help_
    return _("%(bot)s is connected and waiting for a table."), _put_off(own) or opponents(bot=bot)


def _proving(bot: Bot) -> str:
    """How a bot comes out of quarantine."""
    if bot.versions.filter(state=Version.State.VALIDATING).exists():
        return _("It is showing that it works. As soon as it has, it is seated again.")
    if bot.kind == Bot.Kind.HOSTED:
        return _("It kept failing. Submit a mended version, or let it show that it works as it is.")
    return _("It kept failing. Connect it mended, and let it show on its page that it works.")


def _hosted(own: Own) -> tuple[str, str]:
    if own.bot.active_version_id is not None:
        return _("%(bot)s is waiting for a table."), _put_off(own)
    states = set(own.bot.versions.values_list("state", flat=True))
    if Version.State.VALIDATING in states:
        return _("%(bot)s is showing that it works."), _("As soon as it has, the ladder seats it.")
    if states & {Version.State.PASSED, Version.State.RETIRED}:
        return _("No version of %(bot)s plays."), _("Choose one below, and let it play.")
    return _("No version of %(bot)s works yet."), _("Below it says why. Submit a mended one.")


def _because(sentence: str, reason: str) -> str:
    return f"{sentence} {stored(reason).replace('%', '%%')}".strip()


def _free_lines(own: Own) -> str:
    free = sum(line.state == Connection.State.WAITING for line in own.lines)
    if not free and own.bot.kind == Bot.Kind.REMOTE and len(own.playing) >= own.bot.max_tables:
        return _("That is as many tables as it may play at; the number stands in its settings.")
    if not free:
        return ""
    return ngettext(
        "One of its lines is free for another table.", "%(free)d of its lines are free for other tables.", free
    ) % {"free": free}


def _not_connected(own: Own) -> tuple[str, str]:
    if not own.tokens:
        return (
            _("No program can play as %(bot)s: it has no token."),
            _("Make a token below, and start your program with it."),
        )
    if all(token.last_used is None for token in own.tokens) or own.last_used is None:
        return (
            _("No program has dialled in as %(bot)s yet."),
            _("Start your program with the token. It prints why, if the arena refuses it."),
        )
    when = date_format(own.last_used, "j E Y, H:i").replace("%", "%%")
    return (
        _("No program is connected as %(bot)s; the last one dialled in on %(when)s UTC.")
        % {"bot": "%(bot)s", "when": when},
        _("Start your program again. It takes its seat back if a match is still going on."),
    )


def _put_off(own: Own) -> str:
    newest = max(own.series, key=lambda one: one.pk, default=None)
    if newest is None or newest.state not in (Series.State.PUT_OFF, Series.State.CANCELLED):
        return ""
    said = _("Its last series was %(state)s.") % {"state": newest.get_state_display()}
    return f"{said} {stored(newest.note)}".strip()


def _versions_left(own: Own) -> str:
    """Whether it may declare no new version today."""
    day = timezone.now() - timedelta(days=1)
    if sum(version.created > day for version in own.versions) < NEW_VERSIONS_A_DAY:
        return ""
    said = _("It has declared %(most)d new versions within a day, as many as it may: start one of these again.")
    return said % {"most": NEW_VERSIONS_A_DAY}


def outlook(*, bot: Bot) -> str:
    """What a program that has just dialled in is told: who is there to play with, or why nobody is."""
    if bot.state == Bot.State.QUARANTINED:
        return f"{bot.name} is in quarantine. {_proving(bot)}"
    return opponents(bot=bot)


def opponents(*, bot: Bot) -> str:
    """How many bots could be seated with this one, in a sentence."""
    line = Connection.objects.filter(bot=OuterRef("pk"), state="waiting", lease_until__gt=timezone.now())
    others = Bot.objects.filter(game=bot.game, state=Bot.State.ACTIVE).exclude(pk=bot.pk).exclude(active_version=None)
    if bot.owner is not None:
        # Not .exclude(...) alone, which would also leave out those without an owner: the house.
        person = Coalesce("owner__linked_to", "owner")
        others = others.annotate(person=person).filter(Q(owner=None) | ~Q(person=bot.owner.person))
    free = others.filter(Q(kind=Bot.Kind.HOSTED) | Exists(line)).count()
    if not free:
        return _("Nobody else is there to play against: bots of one author do not meet at a rated table.")
    return ngettext("One other bot can be seated with it.", "%(free)d other bots can be seated with it.", free) % {
        "free": free
    }


def logs_of(*, bot: Bot) -> QuerySet[EntryLog]:
    """What the bot wrote during its matches, the newest first; of matches whose luck is still secret, nothing."""
    return (
        EntryLog.objects.filter(entry__bot=bot)
        .exclude(entry__match__block__state=Block.State.OPEN)
        .select_related("entry__match__ruleset", "entry__version")
        .defer("entry__match__record", "entry__version__source")
        .order_by("-entry__match_id", "entry__seat")
    )
