"""What a worker asks about a series of a tournament: which luck its blocks have, and how long to wait for whom."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from arena.pairing.luck import block_seed
from webapp.matches.models import Block, SeriesSeat
from webapp.matches.services import Claim, hand_back
from webapp.tournaments.models import Pairing


def seed_of_block(*, series: int, number: int) -> bytes | None:
    """The house's seed of a block (which counts the blocks of its series from 1); None: it is no tournament's."""
    pairing = Pairing.objects.select_related("tournament", "series").filter(series=series).first()
    if pairing is None:
        return None
    secret = pairing.tournament.secret
    assert secret is not None, "a tournament has a secret before it has a table"
    return block_seed(bytes(secret), pairing.name, luck_number(pairing=pairing, number=number))


def luck_number(*, pairing: Pairing, number: int, whole: int | None = None) -> int:
    """The number, from 0, that stands in the seed of the block with this number of the pairing's series.

    Hosted bots take no memory along, so that at their tables a block that was broken off keeps its luck: it does not
    count. A remote one may have seen something of it: at its tables every block counts.

    Args:
        pairing: the table.
        number: of the block.
        whole: how many of the blocks before it were not broken off, where that is known; else it is looked for.
    """
    if pairing.series.duplicate and whole is not None:
        return whole
    if pairing.series.duplicate:
        before = Block.objects.filter(series=pairing.series, number__lt=number)
        return before.exclude(state=Block.State.BROKEN).count()
    return pairing.first_block + number - 1


@transaction.atomic
def wait_for(*, claim: Claim, seats: Sequence[int], note: str) -> bool:
    """The bots on these series seats are not connected. The table waits, or is played without them.

    Returns:
        False where the series is no tournament's, and nothing was done.

    Raises:
        ClaimLost: the series is somebody else's by now.
    """
    pairing = Pairing.objects.select_for_update().filter(series=claim.series).first()
    if pairing is None or not seats:
        return False
    now = timezone.now()
    if pairing.missed_since is None:
        pairing.missed_since = now
        pairing.save(update_fields=["missed_since"])
    patience = timedelta(seconds=pairing.tournament.patience_s)
    if now < pairing.missed_since + patience:
        hand_back(claim=claim, note=f"{note} The table waits until {pairing.missed_since + patience:%H:%M:%S} UTC.")
        return True
    hand_back(claim=claim)
    # Not a fault that leads into quarantine: whoever is not there has broken nothing.
    SeriesSeat.objects.filter(series=claim.series, seat__in=seats, removed="").update(
        removed=f"absent: it was not connected within {pairing.tournament.patience_s} s"
    )
    return True
