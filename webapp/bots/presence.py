"""Who hangs on which door: every write to connections that is not a matter of a series.

A line that waits and has no door was replaced by a newer one: the row stays until its own door has read that there.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now

from arena.door import Arrival
from arena.protocol.v1 import arena_pb2 as pb
from arena.seats.stream import Refused
from webapp.bots import selectors, services
from webapp.bots.models import Bot, Connection, Version
from webapp.database import in_database

LEASE = timedelta(seconds=8)
"""A door that says nothing for so long has lost its lines."""


class DatabaseRegistry:
    """The `arena.door.Registry` in the site's database."""

    async def arrive(self, hello: pb.Hello, *, door: str, line: str) -> Arrival:
        """See `arrive`."""
        return await in_database(arrive)(hello, door, line)

    async def leave(self, line: str) -> None:
        """See `leave`."""
        await in_database(leave)(line)

    async def renew(self, lines: Mapping[str, str]) -> Mapping[str, Refused]:
        """See `renew`."""
        return await in_database(renew)(lines)


def arrive(hello: pb.Hello, door: str, line: str) -> Arrival:
    """Let a bot in: back to the seat that it lost, or to wait for a table.

    Raises:
        Refused: it may not stay.
    """
    try:
        bot = services.authenticate(hello.token)
    except services.TokenRefused as refused:
        raise Refused(pb.ERROR_CODE_UNAUTHENTICATED, str(refused)) from refused
    if hello.game != bot.game:
        wrong = f"{bot.name} plays {bot.game}, but this program says that it plays {hello.game[:40] or 'nothing'}."
        raise Refused(pb.ERROR_CODE_WRONG_GAME, wrong)
    if hello.resume and (arrival := _take_back(bot, hello.resume, door, line)) is not None:
        return arrival
    if (refusal := _not_now(bot)) is not None:
        raise refusal
    try:
        version = services.declare_version(bot=bot, label=hello.version)
    except services.BotError as error:
        raise Refused(pb.ERROR_CODE_NOT_ALLOWED, str(error)) from error
    session = secrets.token_urlsafe(24)
    with transaction.atomic():
        # the lock makes lines that arrive at the same time wait for each other, so that all of them are counted
        Bot.objects.select_for_update().get(pk=bot.pk)
        if hello.resume:
            # the line that it lost while it waited, which its door may not have noticed, or not have lived to tell
            waiting = Connection.objects.filter(bot=bot, state=Connection.State.WAITING)
            waiting.filter(session=_hash(hello.resume)).delete()
        _make_room(bot)
        built_with = hello.software[:100].replace("\0", "\ufffd")
        if version.software != built_with:
            Version.objects.filter(pk=version.pk).update(software=built_with)
        Connection.objects.create(
            bot=bot,
            version=version,
            session=_hash(session),
            door=door,
            line=line,
            lease_until=Now() + LEASE,
            software=built_with,
        )
    return Arrival(bot.name, version.digest, session, selectors.outlook(bot=bot))


def _take_back(bot: Bot, session: str, door: str, line: str) -> Arrival | None:
    """Give a bot its seat at a running table back; None when there is no such seat any more."""
    seated = Connection.objects.filter(bot=bot, session=_hash(session), state=Connection.State.SEATED)
    if not seated.update(door=door, line=line, lease_until=Now() + LEASE):
        return None
    connection = seated.select_related("version").first()
    return Arrival(bot.name, connection.version.digest, session) if connection is not None else None


def _make_room(bot: Bot) -> None:
    """See that there is room for one more line. A line that only waits gives way to the newer one.

    Raises:
        Refused: the bot plays at as many tables as it may.
    """
    # a seat whose program is gone is kept for it to come back to, but does not keep its author from starting another
    there = Connection.objects.filter(bot=bot).exclude(door="")
    waiting = there.filter(state=Connection.State.WAITING)
    waiting.filter(lease_until__lt=Now()).delete()
    while there.count() >= bot.max_tables:
        oldest = waiting.order_by("since", "pk").first()
        if oldest is None:
            raise Refused(
                pb.ERROR_CODE_TOO_MANY,
                f"{bot.name} plays at {_tables(bot)} already, as many as it may; its page lets you change that.",
            )
        # only if it waits still: a worker may be taking it to a table at this moment
        waiting.filter(pk=oldest.pk).update(door="", lease_until=Now())


def _tables(bot: Bot) -> str:
    return "1 table" if bot.max_tables == 1 else f"{bot.max_tables} tables"


def leave(line: str) -> None:
    """A line has ended. A seat at a table is kept for a while, for the bot to come back to."""
    Connection.objects.filter(line=line, state=Connection.State.WAITING).delete()
    grace = timedelta(seconds=settings.ARENA_GRACE_SECONDS)
    Connection.objects.filter(line=line, state=Connection.State.SEATED).update(
        door="", line="", lease_until=Now() + grace
    )


def renew(lines: Mapping[str, str]) -> Mapping[str, Refused]:
    """These lines still stand; returns those that shall not, and why.

    Args:
        lines: their names, each with the session that was given out for it.
    """
    known = Connection.objects.filter(line__in=lines)
    known.exclude(door="").update(lease_until=Now() + LEASE)
    found = {row.line: row for row in known.select_related("bot__owner").defer("session")}
    reasons = {line: _why_not(found.get(line), session) for line, session in lines.items()}
    return {line: reason for line, reason in reasons.items() if reason is not None}


def _why_not(connection: Connection | None, session: str) -> Refused | None:
    """Why a line shall not stand any longer; None where it shall."""
    if connection is None:
        if Connection.objects.filter(session=_hash(session)).exclude(line="").exists():
            taken = "the seat of this line was taken back on another one, so this one is closed"
            return Refused(pb.ERROR_CODE_REPLACED, taken)
        unknown = "the arena does not know this line any more; dial again, and it tells you why if you may not play"
        return Refused(pb.ERROR_CODE_UNAVAILABLE, unknown)
    if connection.state == Connection.State.SEATED:
        return None  # a match that is on is played to its end
    bot = connection.bot
    if not connection.door:
        return Refused(
            pb.ERROR_CODE_REPLACED,
            f"{bot.name} plays at {_tables(bot)} at once, and a newer line has dialled in for it, so this one is "
            "closed. Its page shows what is connected, and lets you change the number.",
        )
    if refusal := services.why_not_seated(bot):
        return Refused(pb.ERROR_CODE_NOT_ALLOWED, refusal)
    return _not_now(bot)


def _not_now(bot: Bot) -> Refused | None:
    # one in quarantine may wait, for it has to be there to show that it works; the ladder does not seat it
    if bot.state in (Bot.State.ACTIVE, Bot.State.QUARANTINED):
        return None
    return Refused(pb.ERROR_CODE_NOT_ALLOWED, f"{bot.name} is {bot.get_state_display()}. {bot.state_reason}".strip())


def sweep() -> int:
    """Forget the lines of doors that have fallen silent; how many there were."""
    gone, _ = Connection.objects.filter(state=Connection.State.WAITING, lease_until__lt=Now() - LEASE).delete()
    return gone


def _hash(session: str) -> str:
    return hashlib.sha256(session.encode(errors="replace")).hexdigest()
