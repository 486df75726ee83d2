"""What becomes of the versions of hosted bots: they pass or fail, play, and are retired."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from webapp.accounts.models import User
from webapp.bots.models import Bot, Version
from webapp.bots.quarantine import release_from_quarantine
from webapp.bots.services import NotAllowed, Refused


def check_author(bot: Bot, by: User) -> None:
    """Only its author does this to a bot, and no organiser.

    Raises:
        NotAllowed: it is somebody else, or the account is closed.
    """
    if not by.is_active or bot.owner_id is None or bot.owner_id != by.pk:
        raise NotAllowed(_("This bot is somebody else's."))


# ---- the verdict ---------------------------------------------------------------------------------


@transaction.atomic
def passed(version: Version) -> None:
    """It has shown that it works. It plays from now on, where its author has not said otherwise.

    An older version that took longer does not push a newer one aside. A bot that kept failing is let out of
    quarantine where it is this version that plays: so it has shown that it works again.
    """
    if not _settle(version, Version.State.PASSED, ""):
        return
    bot = Bot.objects.select_for_update().get(pk=version.bot_id)
    newer = bot.active_version is not None and bot.active_version.number > version.number
    if bot.auto_activate and not newer:
        bot.active_version = version
        bot.save(update_fields=["active_version"])
    if bot.active_version_id == version.pk:
        release_from_quarantine(bot=bot, because=f"Version {version.number} has passed its validation.")


@transaction.atomic
def failed(version: Version, reason: str) -> None:
    """It has shown that it does not work, or the arena could not find out. It plays no more, if it did before."""
    if _settle(version, Version.State.FAILED, reason):
        Bot.objects.filter(pk=version.bot_id, active_version=version).update(active_version=None)


def _settle(version: Version, state: Version.State, reason: str) -> bool:
    waiting = Version.objects.filter(pk=version.pk, state=Version.State.VALIDATING)
    return bool(waiting.update(state=state, reason=reason[:300]))


# ---- what its author does ------------------------------------------------------------------------


def activate(*, version: Version, by: User) -> None:
    """Let this version play from now on.

    Raises:
        NotAllowed: the bot is somebody else's.
        Refused: it has not passed its validation.
    """
    bot = version.bot
    check_author(bot, by)
    if bot.kind != Bot.Kind.HOSTED:
        raise Refused(_("Of a bot that dials in, the version plays that dialled in last."))
    with transaction.atomic():
        Bot.objects.select_for_update().get(pk=bot.pk)
        works = Q(state=Version.State.PASSED) | Q(state=Version.State.RETIRED)
        if not Version.objects.filter(works, pk=version.pk).update(state=Version.State.PASSED):
            raise Refused(_("Only a version that has passed its validation can play."))
        Bot.objects.filter(pk=bot.pk).update(active_version=version)


def retire(*, version: Version, by: User) -> None:
    """Let this version play no more; its author can bring it back. Where it was the active one, the bot pauses.

    Raises:
        NotAllowed: the bot is somebody else's.
        Refused: it does not play anyway.
    """
    bot = version.bot
    check_author(bot, by)
    if bot.kind != Bot.Kind.HOSTED:
        raise Refused(_("Of a bot that dials in, the version plays that dialled in last."))
    with transaction.atomic():
        Bot.objects.select_for_update().get(pk=bot.pk)
        changed = Version.objects.filter(pk=version.pk, state=Version.State.PASSED)
        if not changed.update(state=Version.State.RETIRED):
            raise Refused(_("Only a version that has passed its validation can be retired."))
        Bot.objects.filter(pk=bot.pk, active_version=version).update(active_version=None)


def set_auto_activate(*, bot: Bot, by: User, on: bool) -> None:
    """Whether a version that passes its validation plays from then on by itself."""
    check_author(bot, by)
    bot.auto_activate = on
    bot.save(update_fields=["auto_activate"])
