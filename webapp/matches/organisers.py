"""What organisers do to matches and series. Each leaves a line in the organisers' log."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction
from django.utils import timezone

from webapp.accounts.audit import write_down
from webapp.accounts.models import User
from webapp.matches.models import Block, Entry, Match, Series
from webapp.matches.services import give_up_blocks
from webapp.matches.verdicts import conclude
from webapp.style import services as style


class NotAnOrganiser(Exception):
    """This is for organisers."""


class NotImpartial(Exception):
    """A bot of this organiser's own took part."""


def void_matches(*, matches: Iterable[Match], by: User) -> int:
    """Take matches out of the ratings; returns how many were in them. The next fit does not count them any more.

    Raises:
        NotAnOrganiser: it is not for this person to do.
        NotImpartial: nor for this organiser; then all of them stay as they are.
    """
    return _set_voided(matches, True, by, "Voided.")


def restore_matches(*, matches: Iterable[Match], by: User) -> int:
    """Let voided matches count again; returns how many were voided. Raises as `void_matches`."""
    return _set_voided(matches, False, by, "Restored: it counts again.")


def cancel_series(*, series: Series, by: User) -> bool:
    """Cancel a series that nobody plays now; False where it is being played, or is over."""
    check_organiser(by)
    idle = (Series.State.WAITING, Series.State.PUT_OFF)
    with transaction.atomic():
        # Only if it is idle still: a worker may be claiming it.
        changed = Series.objects.filter(pk=series.pk, state__in=idle).update(
            state=Series.State.CANCELLED, note="Cancelled by an organiser.", finished=timezone.now()
        )
        if changed:
            # It may have been broken off and be waiting to go on with the same luck.
            give_up_blocks(series=series, reason="Cancelled by an organiser.")
            series.refresh_from_db()
            if series.purpose == Series.Purpose.VALIDATION:
                conclude(series)
            write_down(by=by, rows=[series], text="Cancelled.")
    series.refresh_from_db()
    return bool(changed)


def _set_voided(matches: Iterable[Match], voided: bool, by: User, text: str) -> int:
    check_organiser(by)
    matches = list(matches)
    sat = Entry.objects.filter(match__in=[match.pk for match in matches], bot__owner__isnull=False)
    if any(by.is_of(owner) for owner in User.objects.filter(pk__in=sat.values("bot__owner"))):
        raise NotImpartial("A bot of yours took part: another organiser has to judge that.")
    with transaction.atomic():
        # first the blocks: who is counting them has ended, or has not begun
        list(Block.objects.select_for_update().filter(pk__in={match.block_id for match in matches}).order_by("pk"))
        changed = list(
            Match.objects.select_for_update()
            .filter(pk__in=[match.pk for match in matches], voided=not voided)
            .defer("record")
            .order_by("pk")
        )
        Match.objects.filter(pk__in=[match.pk for match in changed]).update(voided=voided)
        style.voided(changed)
        write_down(by=by, rows=changed, text=text)
    return len(changed)


def check_organiser(by: User) -> None:
    """Ask whether somebody is an organiser.

    Raises:
        NotAnOrganiser: no.
    """
    if not (by.is_active and by.is_staff):
        raise NotAnOrganiser("This is for organisers.")
