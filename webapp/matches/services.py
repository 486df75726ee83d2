"""Every write to series, blocks and matches.

A series is played by whoever holds its `Claim`. Each write of a player of a series asks first whether the claim
still holds, in the same transaction; who has lost it, because his lease ran out meanwhile, changes nothing any more.
"""

from __future__ import annotations

import logging
import zlib
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any, NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils import timezone
from kombu import Queue
from kombu.exceptions import ChannelError, OperationalError

from arena.record import FaultStep, MovesStep, Record, name, write
from arena.referee import Luck
from webapp.bots.models import Bot, Connection, Version
from webapp.bots.quarantine import judge_removal, judge_series
from webapp.celery import Priority, app
from webapp.hooks.outbox import note_block
from webapp.live.news import changed, channel_of_series, series_changed
from webapp.matches.models import Block, Entry, EntryLog, Match, Ruleset, Series, SeriesSeat
from webapp.matches.verdicts import conclude

log = logging.getLogger(__name__)

LEASE = timedelta(seconds=5)
"""A worker that says nothing for so long has lost its series. Leases are told by the database's clock: machines
whose own clocks differ can share the work."""

RENEW_SECONDS = 1.5
"""How often a worker says that it is still there."""

MOST_BREAKS = 3
"""Times in a row that the platform may fail a series before it is put off, for an organiser to look at."""

LATER_SECONDS = 1.0
"""How long a series stays in the queue when the bots that it wants are all at other tables."""


BROKEN_OFF = "The arena broke this table off, through no fault of anybody at it:"
"""How the note of a series with a person begins that the platform failed."""


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
    clock: tuple[int, int] | None = None,
) -> Series:
    """A series of ``planned`` matches of these versions, by seat in the first match; a worker is woken on commit.

    Hosted bots alone play on the same luck in all seat orders; with a remote one every match has luck of its own.

    Args:
        ruleset: what is played.
        versions: who sits down.
        planned: how many matches.
        purpose: what for.
        rated: whether they count for ratings.
        clock: the milliseconds of a move and of the bank; None: the usual ones.
    """
    duplicate = all(version.bot.kind == Bot.Kind.HOSTED for version in versions)
    limits = {} if clock is None else {"move_ms": clock[0], "bank_ms": clock[1]}
    series = Series.objects.create(
        ruleset=ruleset, planned=planned, purpose=purpose, rated=rated, duplicate=duplicate, **limits
    )
    SeriesSeat.objects.bulk_create(
        SeriesSeat(series=series, seat=seat, version=version) for seat, version in enumerate(versions)
    )
    ring(series)
    return series


def ring(series: Series, *, in_seconds: float = 0.0) -> None:
    """Wake a worker for a waiting series, once the present transaction is committed. Ringing twice does no harm.

    Nobody is woken for a table with a person: the process that plays these looks for them itself.
    """
    if series.purpose == Series.Purpose.PERSON:
        return
    if series.purpose == Series.Purpose.VALIDATION:
        priority = Priority.PERSON
    elif series.purpose == Series.Purpose.COMPARISON:
        priority = Priority.COMPARING
    elif series.broken > 0 or series.purpose == Series.Purpose.TOURNAMENT:
        # what was broken off goes first: others have waited for it once already
        priority = Priority.TOURNAMENT
    else:
        priority = Priority.LADDER
    options: dict[str, Any] = {"priority": priority, "retry": False}
    if in_seconds:
        options["countdown"] = in_seconds
    transaction.on_commit(partial(_call_worker, series.pk, options))


def _call_worker(series_id: int, options: Mapping[str, Any]) -> None:
    from webapp.matches.tasks import play_series  # the task calls services itself

    try:
        play_series.apply_async((series_id,), **options)
    except OperationalError as error:
        log.warning("nobody is called to series %s, the scheduler will do it again: %s", series_id, error)


def claim(*, series_id: int, worker: str, people: bool = False) -> Claim | None:
    """Take a waiting series; None when it is not waiting (any more), or has to wait for other validations.

    Those with a person at the table are for the process that plays with ``people``, and all others for the workers:
    who sits and thinks for minutes must not keep a worker from the ladder.
    """
    kinds = Q(purpose=Series.Purpose.PERSON) if people else ~Q(purpose=Series.Purpose.PERSON)
    with transaction.atomic():
        if not validation_may_begin(series_id):
            return None
        taken = Series.objects.filter(kinds, pk=series_id, state=Series.State.WAITING).update(
            state=Series.State.PLAYING,
            attempt=F("attempt") + 1,
            worker=worker,
            lease_until=Now() + LEASE,
            started=timezone.now(),
            note="",
        )
        if not taken:
            return None
        series = Series.objects.get(pk=series_id)
        _tell(series)
        return Claim(series_id, series.attempt, worker)


def validation_may_begin(series_id: int) -> bool:
    """Whether a series is no validation, or one that those under way leave room for: one an author, so many in all."""
    own = Version.objects.filter(validation=series_id).values_list("bot__owner", flat=True).first()
    if own is None:
        return True
    under_way = Version.objects.filter(validation__state=Series.State.PLAYING)
    if settings.ARENA_VALIDATIONS and under_way.count() >= settings.ARENA_VALIDATIONS:
        return False
    return not under_way.filter(bot__owner=own).exists()


def renew(*, claim: Claim) -> bool:
    """Say that the worker is still there; False when it has lost the series."""
    return bool(_held(claim).update(lease_until=Now() + LEASE))


def _held(claim: Claim):  # type: ignore[no-untyped-def]  # a queryset of Series
    return Series.objects.filter(pk=claim.series, attempt=claim.attempt, state=Series.State.PLAYING)


def _hold(claim: Claim) -> Series:
    """The series, locked until the end of the transaction. Raises `ClaimLost`."""
    series: Series | None = _held(claim).select_for_update().first()
    if series is None:
        raise ClaimLost(f"series {claim.series} is not held any more (attempt {claim.attempt})")
    return series


def _tell(series: Series) -> None:
    """Have the pages that show the series look again. A private one concerns its author alone."""
    if series.private:
        changed(channel_of_series(series.pk, private=True))
        return
    series_changed(series.pk)
    if series.purpose == Series.Purpose.TOURNAMENT:
        slugs = Series.objects.filter(pk=series.pk).values_list("pairing__tournament__slug", flat=True)
        changed(*(f"tournament-{slug}" for slug in slugs if slug))


# ---- the lines of remote bots ----------------------------------------------------------------------


class Missing(NamedTuple):
    """Bots that cannot sit down now, by name."""

    absent: tuple[str, ...]
    """They hang on no door."""
    busy: tuple[str, ...]
    """All of their lines are at other tables."""
    seats: tuple[int, ...] = ()
    """The series seats of those that are absent."""


@transaction.atomic
def take_lines(*, claim: Claim, versions: Mapping[int, Version]) -> dict[int, Connection] | Missing:
    """A waiting line for each of these seats, from now on at the table of the series; or none at all.

    All or none: two series that want the same bots would else hold one each, and wait for the other for ever.
    """
    series = _hold(claim)
    taken: dict[int, Connection] = {}
    missing: list[Version] = []
    for seat, version in versions.items():
        waiting = Connection.objects.filter(version=version, state=Connection.State.WAITING, lease_until__gt=Now())
        # skipped, not waited for: whoever has it locked is taking it
        line = waiting.select_for_update(skip_locked=True).order_by("since").exclude(pk__in=_keys(taken)).first()
        if line is None:
            missing.append(version)
        else:
            taken[seat] = line
    if missing:
        there = Connection.objects.filter(state=Connection.State.SEATED).exclude(series=series)
        busy = set(there.filter(version__in=missing).values_list("version", flat=True))
        return Missing(
            absent=tuple(version.bot.name for version in missing if version.pk not in busy),
            busy=tuple(version.bot.name for version in missing if version.pk in busy),
            seats=tuple(seat for seat, one in versions.items() if one in missing and one.pk not in busy),
        )
    Connection.objects.filter(pk__in=_keys(taken)).update(state=Connection.State.SEATED, series=series)
    return taken


def _keys(lines: Mapping[int, Connection]) -> list[int]:
    return [line.pk for line in lines.values()]


def release_line(*, claim: Claim, connection: int) -> None:
    """The bot on this line leaves the table. From now on it does not count against those that it may sit at."""
    Connection.objects.filter(pk=connection, series=claim.series).delete()


def whereabouts(*, claim: Claim, connection: int) -> tuple[str, str] | None:
    """Door and line of a bot at the table; empty while it is on no door; None when its seat was given up."""
    return Connection.objects.filter(pk=connection, series=claim.series).values_list("door", "line").first()


# ---- playing -------------------------------------------------------------------------------------


class Log(NamedTuple):
    """What a bot wrote in a match, for its author's eyes."""

    lines: tuple[tuple[int, str], ...] = ()
    """What it logged, each line with the number of the question whose answer it came with."""
    questions: int = 0
    """How many it was asked."""
    output: str = ""
    """What it printed beside that."""
    exchange: Mapping[str, str] | None = None
    """If it was at fault: what was ``asked``, and what was ``answered``."""


def blocks_of(series_id: int) -> int:
    """How many blocks the series has had so far."""
    return Block.objects.filter(series=series_id).count()


@transaction.atomic
def open_block(
    *, claim: Claim, commitment: bytes, seed: bytes, nonce_hashes: Sequence[bytes], seating: Sequence[int]
) -> Block:
    """Publish what everybody is bound to, before any nonce is revealed."""
    series = _hold(claim)
    _tell(series)
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
def break_block(*, claim: Claim, block: Block, reason: str) -> None:
    """The block will not be played (on); its commitment stays published, with the reason."""
    _tell(_hold(claim))
    _close(block, Block.State.BROKEN, reason)


def _close(block: Block, state: Block.State, reason: str) -> None:
    block.state, block.reason, block.closed = state, reason[:300], timezone.now()
    block.save(update_fields=["state", "reason", "closed"])
    if state == Block.State.CLOSED:
        note_block(block)


@transaction.atomic
def write_match(
    *,
    claim: Claim,
    block: Block,
    number: int,
    record: Record,
    versions: Sequence[Version],
    logs: Sequence[Log],
    finished: datetime,
    closing: bool,
    runtime: str = "",
) -> Match:
    """Write the whole result of a match, once.

    Args:
        number: which match of the series, from 1.
        versions: who played, by seat.
        logs: what each of them wrote for its author, by seat.
        closing: it is the last match of its block, whose luck is no secret any more.
        runtime: where its hosted bots played; empty where there were none.
    """
    series = _hold(claim)
    if not record.started:
        raise ValueError("a match that is kept says when it started")
    if series.matches.filter(number=number).exists():
        raise ClaimLost(f"match {number} of series {series.pk} is written already")
    match = Match.objects.create(
        name=record.match,
        series=series,
        number=number,
        block=block,
        ruleset_id=series.ruleset_id,
        rated=series.rated,
        private=series.private,
        reason=record.outcome.reason,
        steps=len(record.steps),
        faults=sum(isinstance(step, FaultStep) for step in record.steps),
        record=zlib.compress(write(record).encode(), 9),
        record_name=name(record),
        runtime=runtime,
        started=datetime.fromisoformat(record.started),
        finished=finished,
    )
    entries = Entry.objects.bulk_create(_entry(match, record, seat, version) for seat, version in enumerate(versions))
    EntryLog.objects.bulk_create(
        EntryLog(
            entry=entry,
            lines=_at_steps(record, entry.seat, log),
            text=log.output.replace("\0", "\ufffd"),
            exchange=log.exchange if entry.fault else None,
        )
        for entry, log in zip(entries, logs, strict=True)
        if log.lines or log.output or (entry.fault and log.exchange)
    )
    if closing:
        _close(block, Block.State.CLOSED, "")
    if series.broken:
        series.broken = 0
        series.save(update_fields=["broken"])
    _tell(series)
    return match


def _at_steps(record: Record, seat: int, log: Log) -> list[tuple[int, str]]:
    """The log lines, each with the step of the replay that shows what the seat did then."""
    decided: list[int] = []
    for number, step in enumerate(record.steps, start=1):
        if isinstance(step, FaultStep) and step.seat == seat:
            decided.append(number)
        elif isinstance(step, MovesStep) and seat in step.moves:
            before = record.steps[decided[-1] - 1] if decided else None
            if isinstance(before, FaultStep) and before.then == "default" and _same_moment(record, decided[-1], number):
                decided[-1] = number  # the default move was made for it
            else:
                decided.append(number)
    unasked = max(0, len(decided) - log.questions)  # who was not ready is at fault before the first question
    last = len(record.steps)
    return [
        (decided[index] if 0 <= (index := question - 1 + unasked) < len(decided) else last, line)
        for question, line in log.lines
    ]


def _same_moment(record: Record, fault: int, moves: int) -> bool:
    """Whether nothing but faults stands between two steps, counted from 1: they are one decision."""
    return all(isinstance(step, FaultStep) for step in record.steps[fault - 1 : moves - 1])


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
        listed_id=None if match.private else match.ruleset_id,
        place=record.outcome.places[seat],
        score=record.outcome.scores[seat],
        fault=faults[0] if faults else "",
        moves=len(times),
        thinking_ms=sum(times),
        slowest_ms=max(times, default=0.0),
    )


@transaction.atomic
def remove_seats(*, claim: Claim, reasons: dict[int, str], outputs: Mapping[int, str] | None = None) -> None:
    """Take these seats of the series off the table before a match, each for its reason, and keep what it printed."""
    series = _hold(claim)
    removed: dict[int, str] = {}
    for seat, reason in reasons.items():
        taken = SeriesSeat.objects.select_related("version").get(series=series, seat=seat)
        taken.removed = reason[:300]
        taken.output = (outputs or {}).get(seat, "").replace("\0", "\ufffd")
        taken.save(update_fields=["removed", "output"])
        removed.setdefault(taken.version.bot_id, reason)
    judge_removal(series=series, reasons=removed)
    _tell(series)


# ---- ends ----------------------------------------------------------------------------------------


@transaction.atomic
def finish(*, claim: Claim) -> None:
    """All matches of the series are written."""
    series = _hold(claim)
    _end(series, Series.State.FINISHED, "")
    judge_series(series=series)


@transaction.atomic
def cancel(*, claim: Claim, note: str) -> None:
    """The series cannot be played (on), and nobody is to be charged for it beyond what is already written."""
    series = _hold(claim)
    give_up_blocks(series=series, reason=note)
    _end(series, Series.State.CANCELLED, note)


@transaction.atomic
def withdraw(*, series_id: int, note: str) -> None:
    """Nobody wants the series any more. A worker that plays it finds that it has lost it."""
    going_on = (Series.State.WAITING, Series.State.PLAYING, Series.State.PUT_OFF)
    series = Series.objects.select_for_update().filter(pk=series_id, state__in=going_on).first()
    if series is not None:
        give_up_blocks(series=series, reason=note)
        _end(series, Series.State.CANCELLED, note)


@transaction.atomic
def hand_back(*, claim: Claim, note: str = "", in_seconds: float = LATER_SECONDS) -> None:
    """The series cannot go on here and now, and nobody is to blame: it goes back into the queue, for a little later."""
    series = _hold(claim)
    if series.purpose == Series.Purpose.PERSON:  # who sits there is told at once, and may begin anew
        _end(series, Series.State.CANCELLED, note)
        return
    series.note = note[:300]
    _wait(series)
    ring(series, in_seconds=in_seconds)


@transaction.atomic
def break_off(*, claim: Claim, reason: str) -> None:
    """The platform failed: what was being played is played again from its start."""
    _break_off(_hold(claim), reason)


def _break_off(series: Series, reason: str) -> None:
    if series.purpose == Series.Purpose.PERSON:  # nobody sits through the same match twice
        give_up_blocks(series=series, reason=reason)
        _end(series, Series.State.CANCELLED, f"{BROKEN_OFF} {reason}")
        return
    series.broken += 1
    if series.broken >= MOST_BREAKS:
        give_up_blocks(series=series, reason=reason)
        _end(series, Series.State.PUT_OFF, f"The platform failed it {series.broken} times in a row; at last: {reason}")
        return
    open_block = series.blocks.filter(state=Block.State.OPEN).first()
    # Hosted bots take no memory along, so their matches can be played again on the same luck. A remote one may have
    # seen something of it.
    if open_block is not None and not (series.duplicate and luck_of(open_block)):
        _close(open_block, Block.State.BROKEN, reason)
    _wait(series)
    ring(series)


def give_up_blocks(*, series: Series, reason: str) -> None:
    """Nothing more is played in the series: not on its open block either, if it has one."""
    for block in series.blocks.filter(state=Block.State.OPEN):
        # What was played on it stays, and counts. So it must be possible to check it.
        _close(block, Block.State.CLOSED if block.matches.exists() else Block.State.BROKEN, reason)


def _wait(series: Series) -> None:
    Connection.objects.filter(series=series).delete()
    series.state, series.worker, series.lease_until = Series.State.WAITING, "", None
    series.save(update_fields=["state", "note", "worker", "lease_until", "broken"])
    _tell(series)


def _end(series: Series, state: Series.State, note: str) -> None:
    Connection.objects.filter(series=series).delete()
    series.state, series.note, series.finished = state, note[:300], timezone.now()
    series.worker, series.lease_until = "", None
    series.save(update_fields=["state", "note", "finished", "worker", "lease_until", "broken"])
    _tell(series)
    if series.purpose == Series.Purpose.VALIDATION:
        conclude(series)
        for waiting in Series.objects.filter(purpose=series.purpose, state=Series.State.WAITING).order_by("pk")[:20]:
            ring(waiting)  # it may have had to wait for this one


# ---- the sweeper ---------------------------------------------------------------------------------


def sweep() -> int:
    """Take the series of workers that have fallen silent from them; how many there were."""
    swept = 0
    expired = Series.objects.filter(state=Series.State.PLAYING, lease_until__lt=Now())
    for series_id in expired.values_list("pk", flat=True)[:100]:
        with transaction.atomic():
            # asked again under the lock: the worker may have renewed, and another sweeper may be here too. Who holds it
            # is about to say more of it, or hangs: the other series do not wait for that.
            series = (
                Series.objects.select_for_update(skip_locked=True)
                .filter(pk=series_id, state=Series.State.PLAYING, lease_until__lt=Now())
                .first()
            )
            if series is not None:
                _break_off(series, f"the worker {series.worker} fell silent")
                swept += 1
    return swept


def ring_again(*, older_than: timedelta) -> int:
    """Wake workers again for series that have been waiting so long, if the queue has lost the calls for them.

    As long as there are calls in the queue, the workers are merely busy; more calls would only make it longer.
    """
    waiting = Series.objects.filter(state=Series.State.WAITING, created__lt=timezone.now() - older_than)
    waiting = waiting.exclude(purpose=Series.Purpose.PERSON)
    rung = list(waiting.order_by("created")[:100])
    if not rung or _calls_in_queue():
        return 0
    for series in rung:
        ring(series)
    return len(rung)


def _calls_in_queue() -> int:
    with app.connection_for_write() as connection:
        try:
            queue = Queue(app.conf.task_default_queue, channel=connection.default_channel)
            declared: Any = queue.queue_declare(passive=True)
            return int(declared.message_count)
        except ChannelError:  # an empty queue is no queue
            return 0
