"""Taking in what authors hand in. Each is read, checked and named; then it has to show that it works."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, NamedTuple

from allauth.account.models import EmailAddress
from django.conf import settings
from django.db import transaction
from django.db.models import Count, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext as _

from arena.package import Package, PackageError, read_package, stored_package
from arena.siblings import ENTRY
from webapp.accounts.audit import write_down
from webapp.accounts.models import User
from webapp.bots import services
from webapp.bots.models import Bot, Connection, Upload, Version
from webapp.bots.selectors import NEW_VERSIONS_A_DAY, connections_of, versions_of
from webapp.bots.services import NotAllowed, Refused
from webapp.bots.versions import check_author
from webapp.matches import validation
from webapp.matches.hosting import hosting
from webapp.pages.stored import stored

UPLOADS_AN_HOUR = 30
"""What one author may hand in within an hour, whatever becomes of it."""

MOST_VALIDATING = 3
"""How many versions of one author may be in validation at the same time."""

CHECK_SECONDS = 4
CHECK_BYTES = 1 << 30
"""What the compiler may take to look at the sources of an upload."""


class TooMany(Refused):
    """A quota is used up; later it may be done."""


class Submitted(NamedTuple):
    """What became of something that was handed in."""

    version: Version
    new: bool
    """False: the very same content was there already, and this is it."""


# ---- handing in ----------------------------------------------------------------------------------


def submit_new(*, owner: User, game: str, name: str, content: bytes, filename: str, about: str = "") -> Submitted:
    """A new hosted bot of this author, with its first version. Nothing is made where anything is wrong.

    Raises:
        BotError: the upload, the name or the author cannot be taken; the message says why.
    """
    package = _taken_in(owner, content, filename)
    with transaction.atomic():
        bot = services.create_bot(owner=owner, game=game, name=name, kind=Bot.Kind.HOSTED, about=about)
        return _add(bot, owner, package)


def submit(*, bot: Bot, by: User, content: bytes, filename: str) -> Submitted:
    """Another version of a hosted bot; the same content again is the version that it was before.

    Raises:
        BotError: the upload, or the author, cannot be taken; the message says why.
    """
    check_author(bot, by)
    if bot.kind != Bot.Kind.HOSTED:
        raise Refused(_("%(bot)s dials in from its author's machine; hand this in as another bot.") % {"bot": bot.name})
    package = _taken_in(by, content, filename)
    with transaction.atomic():
        return _add(bot, by, package)


def try_again(*, version: Version, by: User) -> None:
    """Validate a version again: one that failed, for the arena may have failed it, or any of a bot in quarantine.

    Raises:
        BotError: it cannot be done, or not now.
    """
    bot = version.bot
    check_author(bot, by)
    if bot.kind == Bot.Kind.HOSTED:
        _check_hosting()
    _count(by)
    with transaction.atomic():
        locked = _check_bot(bot, by)
        states = [Version.State.FAILED]
        if locked.state == Bot.State.QUARANTINED:
            states.append(Version.State.PASSED)
        again = Version.objects.filter(pk=version.pk, state__in=states)
        if not again.update(state=Version.State.VALIDATING, reason=""):
            raise Refused(_("Only a version that failed can be validated again."))
        version.refresh_from_db(fields=["state", "reason"])
        validation.begin(version)


def prove(*, bot: Bot, by: User) -> Version:
    """Let a bot in quarantine show that it works again; returns the version that does.

    Raises:
        BotError: it cannot be done, or not now.
    """
    check_author(bot, by)
    if bot.state != Bot.State.QUARANTINED:
        raise Refused(_("%(bot)s is in no quarantine.") % {"bot": bot.name})
    if bot.kind == Bot.Kind.REMOTE:
        line = connections_of(bot=bot).filter(state=Connection.State.WAITING).first()
        if line is None:
            raise Refused(_("%(bot)s has to be connected for that: let it dial in first.") % {"bot": bot.name})
        version = line.version
    else:
        newest = bot.active_version or versions_of(bot=bot).exclude(state=Version.State.RETIRED).first()
        if newest is None:
            raise Refused(_("%(bot)s has no version that could. Submit one.") % {"bot": bot.name})
        version = newest
    try_again(version=version, by=by)
    return version


def why_closed(*, by: User) -> str:
    """Why this author can hand in nothing at the moment, in a sentence; empty where nothing stands in the way.

    An organiser reads what would help.
    """
    try:
        _check_author(by)
        _check_hosting()
    except services.BotError as error:
        help_ = stored(hosting().why) if by.is_staff else ""
        return f"{error} {help_}".strip()
    return ""


def _taken_in(by: User, content: bytes, filename: str) -> Package:
    _check_author(by)
    _check_hosting()
    _count(by)
    try:
        return read_package(content, filename, check=check_apart)
    except PackageError as error:
        raise Refused(f"{stored(str(error))}.") from error


def _add(bot: Bot, by: User, package: Package) -> Submitted:
    _check_bot(bot, by)
    old = bot.versions.defer("source").filter(digest=package.digest).first()
    if old is not None:
        return Submitted(old, new=False)
    day = timezone.now() - timedelta(days=1)
    if bot.versions.filter(created__gt=day).count() >= NEW_VERSIONS_A_DAY:
        said = _("%(bot)s has had %(most)d new versions within a day. Wait until tomorrow.")
        raise TooMany(said % {"bot": bot.name, "most": NEW_VERSIONS_A_DAY})
    version = Version.objects.create(
        bot=bot,
        digest=package.digest,
        number=(bot.versions.order_by("-number").values_list("number", flat=True).first() or 0) + 1,
        source=package.content(),
        filename=package.filename,
        files=len(package.files),
        size=package.size,
        state=Version.State.VALIDATING,
    )
    validation.begin(version)
    return Submitted(version, new=True)


def _check_bot(bot: Bot, by: User) -> Bot:
    """Lock the author and the bot: who hands in twice at the same time is counted twice."""
    User.objects.select_for_update().get(pk=by.pk)
    locked = Bot.objects.select_for_update().get(pk=bot.pk)
    if locked.state in (Bot.State.BANNED, Bot.State.RETIRED):
        said = _("%(bot)s is %(state)s.") % {"bot": bot.name, "state": locked.get_state_display()}
        raise Refused(f"{said} {stored(locked.state_reason)}".strip())
    if Version.objects.filter(bot__owner=by, state=Version.State.VALIDATING).count() >= MOST_VALIDATING:
        said = _("%(most)d versions of yours are being validated. Wait until one of them is through.")
        raise TooMany(said % {"most": MOST_VALIDATING})
    return locked


def _check_author(by: User) -> None:
    if not by.is_active:
        raise NotAllowed(_("This account is closed."))
    if settings.ARENA_CONFIRMED_AUTHORS and not EmailAddress.objects.filter(user=by, verified=True).exists():
        raise NotAllowed(
            _("Confirm your e-mail address first: the mail that came when you signed up has the link for it.")
        )


def _check_hosting() -> None:
    if not hosting().strong:
        raise Refused(
            _("This arena takes no uploads: it has no wall to run strangers' programs behind. Your bot can dial in.")
        )


def _count(by: User) -> None:
    """Write down that somebody hands something in. Kept also when it is refused: looking at it costs as much."""
    with transaction.atomic():
        User.objects.select_for_update().get(pk=by.pk)
        if uploads_left(owner=by) <= 0:
            said = _("You have handed in %(most)d times within an hour. Wait a little.")
            raise TooMany(said % {"most": UPLOADS_AN_HOUR})
        Upload.objects.create(owner=by)


def uploads_left(*, owner: User) -> int:
    """How often this author can hand something in now."""
    return UPLOADS_AN_HOUR - _within_the_hour().filter(owner=owner).count()


def _within_the_hour() -> QuerySet[Upload]:
    return Upload.objects.filter(created__gt=timezone.now() - timedelta(hours=1))


class Quota(NamedTuple):
    """Something of which there is only so much."""

    words: str
    used: int
    most: int


def quotas_of(*, bot: Bot) -> list[Quota]:
    """How much of what an author may do is used up. One query."""
    assert bot.owner_id is not None, "only an author sees this"
    counted = User.objects.filter(pk=bot.owner_id).values_list(
        _number(_within_the_hour().filter(owner=OuterRef("pk"))),
        _number(Version.objects.filter(bot=bot, created__gt=timezone.now() - timedelta(days=1))),
        _number(Bot.objects.filter(owner=OuterRef("pk")).exclude(state=Bot.State.RETIRED)),
    )
    uploads, versions, bots = counted.get()
    return [
        Quota(_("uploads within an hour"), uploads, UPLOADS_AN_HOUR),
        Quota(_("new versions of this bot within a day"), versions, NEW_VERSIONS_A_DAY),
        Quota(_("bots that are not retired"), bots, services.MOST_BOTS),
    ]


def _number(rows: QuerySet[Any]) -> Coalesce:
    """How many of these there are, as a part of another query."""
    whole = rows.order_by().annotate(all=Value(1)).values("all").annotate(number=Count("pk")).values("number")
    return Coalesce(Subquery(whole), 0)


def forget_uploads() -> int:
    """Forget what counts no more; how much there was."""
    old = timezone.now() - timedelta(days=1)
    return Upload.objects.filter(created__lt=old).delete()[0]


# ---- looking at strangers' sources ---------------------------------------------------------------

_LOOK = f"""
import resource, sys
for limit, most in (("AS", {CHECK_BYTES}), ("CPU", {CHECK_SECONDS}), ("CORE", 0)):
    resource.setrlimit(getattr(resource, "RLIMIT_" + limit), (most, most))
from arena.package import PackageError, check_syntax, stored_package
try:
    check_syntax(stored_package(sys.stdin.buffer.read(), sys.argv[1]).files)
except PackageError as error:
    sys.stdout.buffer.write(str(error).encode(errors="replace"))
    sys.exit(3)
"""


_looking = threading.BoundedSemaphore(2)
"""So many sources of strangers are compiled at the same time by this process, which has pages to serve meanwhile."""


def check_apart(files: Mapping[str, bytes]) -> None:
    """`arena.package.check_syntax` in a process of its own: a source can take the compiler down, or all memory.

    Raises:
        PackageError: one of the sources is no Python, or is made to hurt.
    """
    package = Package(dict(files))
    if not _looking.acquire(timeout=CHECK_SECONDS):
        raise PackageError("many uploads are being looked at just now; try again in a moment")
    try:
        done = subprocess.run(  # noqa: S603  # our own code; the source comes as data
            [sys.executable, "-I", "-c", _LOOK, package.filename],
            input=package.content(),
            capture_output=True,
            timeout=CHECK_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as slow:
        raise PackageError(f"its sources take more than {CHECK_SECONDS} s to compile") from slow
    finally:
        _looking.release()
    if done.returncode == 3:
        raise PackageError(done.stdout.decode(errors="replace"))
    if done.returncode != 0:
        raise PackageError("its sources cannot be compiled: they take too much memory, or nest too deeply")


# ---- reading what was handed in ------------------------------------------------------------------


def own_source(*, version: Version, by: User) -> Package:
    """The files of a version, for its author.

    Raises:
        NotAllowed: it is somebody else's.
        Refused: there is none.
    """
    check_author(version.bot, by)
    return _package_of(version)


def inspect_source(*, version: Version, by: User) -> Package:
    """The files of anybody's version, for an organiser. It leaves a line in the organisers' log.

    Raises:
        NotAllowed: for organisers only.
    """
    if not (by.is_active and by.is_staff):
        raise NotAllowed(_("This is for organisers."))
    package = _package_of(version)
    with transaction.atomic():
        write_down(by=by, rows=[version.bot], text=f"Read the source of version {version.number}.")
    return package


def _package_of(version: Version) -> Package:
    if not version.source:
        raise Refused(_("There is no source of this version here."))
    return stored_package(bytes(version.source), version.filename or ENTRY)
