"""Every write to series, blocks and matches.

A series is played by whoever holds its `Claim`. Each write of a player of a series asks first whether the claim
still holds, in the same transaction; who has lost it, because his lease ran out meanwhile, changes nothing any more.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone

from arena.record import FaultStep, MovesStep, Record, name, write
from arena.referee import Luck
from webapp.bots.models import Bot, Connection, Version
from webapp.celery import Priority
from webapp.matches.models import Block, Entry, EntryLog, Match, Ruleset, Series, SeriesSeat

LEASE = timedelta(seconds=5)
"""A worker that says nothing for so long has lost its series."""

RENEW_SECONDS = 1.5
"""How often a worker says that it is still there."""

MOST_BREAKS = 3
"""Times in a row that the platform may fail a series before it is put off, for an organiser to look at."""

MOST_ABSENCES = 3
"""Series in a row from which a bot may be taken before their first match; then it is quarantined."""


class ClaimLost(Exception):
    """Somebody else holds the series now, or nobody: what this worker has of it is worth nothing any more."""


class Claim(NamedTuple):
    """The right to play a series."""

    series: int
    attempt: int
    worker: str


# ---- making and claiming -------------------------------------------------------------------------


@transaction.atomic
def create_series(
    *,
    ruleset: Ruleset,
    versions: Sequence[Version],
    planned: int,
    purpose: str = Series.Purpose.LADDER,
    rated: bool = True,
) -> Series:
    """A series of ``planned`` matches of these versions, by seat in the first match; a worker is woken on commit.

    Hosted bots alone play on the same luck in all seat orders; with a remote one every match has luck of its own.
    """
    duplicate = all(version.bot.kind == Bot.Kind.HOSTED for version in versions)
    series = Series.objects.create(ruleset=ruleset, planned=planned, purpose=purpose, rated=rated, duplicate=duplicate)
    SeriesSeat.objects.bulk_create(
        SeriesSeat(series=series, seat=seat, version=version) for seat, version in enumerate(versions)
    )
    ring(series)
    return series


def ring(series: Series) -> None:
    """Wake a worker for a waiting series, once the present transaction is committed. Ringing twice does no harm."""
    from webapp.matches.tasks import play_series  # the task calls services itself

    priority = Priority.TOURNAMENT if series.purpose == Series.Purpose.TOURNAMENT else Priority.LADDER
    series_id = series.pk
    # robust: without the queue the row is still there, and the sweeper rings again
    transaction.on_commit(lambda: play_series.apply_async((series_id,), priority=priority, retry=False), robust=True)


def claim(*, series_id: int, worker: str) -> Claim | None:
    """Take a waiting series; None when it is not waiting (any more)."""
    with transaction.atomic():
        taken = Series.objects.filter(pk=series_id, state=Series.State.WAITING).update(
            state=Series.State.PLAYING,
            attempt=F("attempt") + 1,
            worker=worker,
            lease_until=timezone.now() + LEASE,
            started=timezone.now(),
        )
        if not taken:
            return None
        return Claim(series_id, Series.objects.values_list("attempt", flat=True).get(pk=series_id), worker)


def renew(*, claim: Claim) -> bool:
    """Say that the worker is still there; False when it has lost the series."""
    return bool(_held(claim).update(lease_until=timezone.now() + LEASE))


def _held(claim: Claim):  # type: ignore[no-untyped-def]  # a queryset of Series
    return Series.objects.filter(pk=claim.series, attempt=claim.attempt, state=Series.State.PLAYING)


def _hold(claim: Claim) -> Series:
    """The series, locked until the end of the transaction. Raises `ClaimLost`."""
    series: Series | None = _held(claim).select_for_update().first()
    if series is None:
        raise ClaimLost(f"series {claim.series} is not held any more (attempt {claim.attempt})")
    return series


# ---- playing -------------------------------------------------------------------------------------


def blocks_of(series_id: int) -> int:
    """How many blocks the series has had so far."""
    return Block.objects.filter(series=series_id).count()


@transaction.atomic
def open_block(
    *, claim: Claim, commitment: bytes, seed: bytes, nonce_hashes: Sequence[bytes], seating: Sequence[int]
) -> Block:
    """Publish what everybody is bound to, before any nonce is revealed."""
    series = _hold(claim)
    return Block.objects.create(
        series=series,
        number=blocks_of(series.pk) + 1,
        commitment=commitment.hex(),
        seed=seed.hex(),
        nonce_hashes=[hashed.hex() for hashed in nonce_hashes],
        nonces=[],
        seating=list(seating),
    )


@transaction.atomic
def keep_nonces(*, claim: Claim, block: Block, nonces: Sequence[bytes]) -> None:
    """The nonces have been revealed; with them the luck of the block is complete."""
    _hold(claim)
    block.nonces = [nonce.hex() for nonce in nonces]
    block.save(update_fields=["nonces"])


def luck_of(block: Block) -> Luck | None:
    """The luck of an open block, or None where its nonces were never revealed."""
    if len(block.nonces) != len(block.nonce_hashes):
        return None
    return Luck(bytes.fromhex(block.seed), tuple(map(bytes.fromhex, block.nonces)))


@transaction.atomic
def close_block(*, claim: Claim, block: Block) -> None:
    """All matches of the block are over: its luck is no secret any more."""
    _hold(claim)
    _close(block, Block.State.CLOSED, "")


@transaction.atomic
def break_block(*, claim: Claim, block: Block, reason: str) -> None:
    """The block will not be played (on); its commitment stays published, with the reason."""
    _hold(claim)
    _close(block, Block.State.BROKEN, reason)


def _close(block: Block, state: Block.State, reason: str) -> None:
    block.state, block.reason, block.closed = state, reason[:300], timezone.now()
    block.save(update_fields=["state", "reason", "closed"])


@transaction.atomic
def write_match(
    *,
    claim: Claim,
    block: Block,
    number: int,
    record: Record,
    versions: Sequence[Version],
    logs: Sequence[str],
    finished: datetime,
) -> Match:
    """Write the whole result of a match, once.

    Args:
        number: which match of the series, from 1.
        versions: who played, by seat.
        logs: what each of them wrote for its author, by seat.
    """
    series = _hold(claim)
    if not record.started:
        raise ValueError("a match that is kept says when it started")
    try:
        match = Match.objects.create(
            name=record.match,
            series=series,
            number=number,
            block=block,
            ruleset_id=series.ruleset_id,
            rated=series.rated,
            reason=record.outcome.reason,
            steps=len(record.steps),
            faults=sum(isinstance(step, FaultStep) for step in record.steps),
            record=zlib.compress(write(record).encode(), 9),
            record_name=name(record),
            started=datetime.fromisoformat(record.started),
            finished=finished,
        )
    except IntegrityError as error:
        raise ClaimLost(f"match {number} of series {series.pk} is written already") from error
    entries = Entry.objects.bulk_create(_entry(match, record, seat, version) for seat, version in enumerate(versions))
    EntryLog.objects.bulk_create(
        EntryLog(entry=entry, text=text.replace("\0", "\ufffd"))
        for entry, text in zip(entries, logs, strict=True)
        if text
    )
    if series.broken:
        series.broken = 0
        series.save(update_fields=["broken"])
    return match


def _entry(match: Match, record: Record, seat: int, version: Version) -> Entry:
    times = [
        step.ms[seat]
        for step in record.steps
        if isinstance(step, MovesStep) and step.ms is not None and seat in step.ms
    ]
    faults = [step.kind for step in record.steps if isinstance(step, FaultStep) and step.seat == seat]
    return Entry(
        match=match,
        seat=seat,
        version=version,
        bot_id=version.bot_id,
        place=record.outcome.places[seat],
        score=record.outcome.scores[seat],
        fault=faults[0] if faults else "",
        moves=len(times),
        thinking_ms=sum(times),
        slowest_ms=max(times, default=0.0),
    )


@transaction.atomic
def remove_seats(*, claim: Claim, reasons: dict[int, str]) -> None:
    """Take these seats of the series off the table before a match, each for its reason."""
    series = _hold(claim)
    for seat, reason in reasons.items():
        taken = SeriesSeat.objects.select_related("version__bot").get(series=series, seat=seat)
        taken.removed = reason[:300]
        taken.save(update_fields=["removed"])
        _quarantine_if_absent(taken.version.bot, reason)


def _quarantine_if_absent(bot: Bot, reason: str) -> None:
    """A bot that never gets as far as its first match would be seated again and again, for nothing."""
    newest = SeriesSeat.objects.filter(version__bot=bot).order_by("-series_id")[:MOST_ABSENCES]
    removed = [seat.removed for seat in newest]
    if len(removed) == MOST_ABSENCES and all(removed) and not bot.house:
        Bot.objects.filter(pk=bot.pk, state=Bot.State.ACTIVE).update(
            state=Bot.State.QUARANTINED,
            state_reason=f"It did not begin {MOST_ABSENCES} series in a row; the last time: {reason}"[:300],
        )


# ---- ends ----------------------------------------------------------------------------------------


@transaction.atomic
def finish(*, claim: Claim) -> None:
    """All matches of the series are written."""
    _end(_hold(claim), Series.State.FINISHED, "")


@transaction.atomic
def cancel(*, claim: Claim, note: str) -> None:
    """The series cannot be played (on), and nobody is to be charged for it beyond what is already written."""
    series = _hold(claim)
    for block in series.blocks.filter(state=Block.State.OPEN):
        _close(block, Block.State.BROKEN, note)
    _end(series, Series.State.CANCELLED, note)


@transaction.atomic
def break_off(*, claim: Claim, reason: str) -> None:
    """The platform failed: what was being played is played again from its start."""
    _break_off(_hold(claim), reason)


def _break_off(series: Series, reason: str) -> None:
    series.broken += 1
    for block in series.blocks.filter(state=Block.State.OPEN):
        # Hosted bots take no memory along, so their matches can be played again on the same luck. A remote one
        # may have seen something of it.
        if not series.duplicate or luck_of(block) is None or series.broken >= MOST_BREAKS:
            _close(block, Block.State.BROKEN, reason)
    if series.broken >= MOST_BREAKS:
        _end(series, Series.State.PUT_OFF, f"The platform failed it {series.broken} times in a row; at last: {reason}")
        return
    Connection.objects.filter(series=series).delete()
    series.state, series.worker, series.lease_until = Series.State.WAITING, "", None
    series.save(update_fields=["state", "worker", "lease_until", "broken"])
    ring(series)


def _end(series: Series, state: Series.State, note: str) -> None:
    Connection.objects.filter(series=series).delete()
    series.state, series.note, series.finished = state, note[:300], timezone.now()
    series.worker, series.lease_until = "", None
    series.save(update_fields=["state", "note", "finished", "worker", "lease_until", "broken"])


# ---- the sweeper ---------------------------------------------------------------------------------


def sweep() -> int:
    """Take the series of workers that have fallen silent from them; how many there were."""
    swept = 0
    expired = Series.objects.filter(state=Series.State.PLAYING, lease_until__lt=timezone.now())
    for series_id in expired.values_list("pk", flat=True)[:100]:
        with transaction.atomic():
            # asked again under the lock: the worker may have renewed, and another sweeper may be here too
            series = (
                Series.objects.select_for_update()
                .filter(pk=series_id, state=Series.State.PLAYING, lease_until__lt=timezone.now())
                .first()
            )
            if series is not None:
                _break_off(series, f"the worker {series.worker} fell silent")
                swept += 1
    return swept


def ring_again(*, older_than: timedelta) -> int:
    """Wake workers again for series that have been waiting so long: the queue may have lost the first call."""
    waiting = Series.objects.filter(state=Series.State.WAITING, created__lt=timezone.now() - older_than)
    rung = list(waiting.order_by("created")[:100])
    for series in rung:
        ring(series)
    return len(rung)
