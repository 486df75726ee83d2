"""What a series of validation says about its version, once it is over."""

from __future__ import annotations

import zlib

from arena import record as records
from arena.record import FaultStep
from webapp.bots import versions
from webapp.bots.models import Version
from webapp.matches.models import Entry, Series, SeriesSeat

TOO_LONG = "It was not over within"
"""How the note of a series begins that was ended because it took too long."""


def conclude(series: Series) -> None:
    """Let the version that this series validates pass or fail. To be called in the transaction that ends the series."""
    version = Version.objects.filter(validation=series).defer("source").first()
    if version is None:
        return
    reason = _reason(series, version)
    if reason:
        versions.failed(version, reason)
    else:
        versions.passed(version)


def _reason(series: Series, version: Version) -> str:
    # stored, so not translated here
    seat = SeriesSeat.objects.filter(series=series, version=version).exclude(removed="").first()
    if seat is not None:
        return f"It did not begin to play: {seat.removed}"
    entry = first_fault(series, version)
    if entry is not None:
        return f"Match {entry.match.number}: {_detail(entry)}"
    if series.state == Series.State.FINISHED:
        return ""
    if series.note.startswith(TOO_LONG):
        return f"It plays too slowly. {series.note}"
    return f"The arena could not find out, through no fault of the bot. Validate it again. {series.note}".strip()


def first_fault(series: Series, version: Version) -> Entry | None:
    """The version's first entry with a fault in this series."""
    faulty = Entry.objects.filter(match__series=series, version=version).exclude(fault="")
    return faulty.select_related("match").order_by("match__number").first()


def _detail(entry: Entry) -> str:
    record = records.read(zlib.decompress(bytes(entry.match.record)))
    faults = (step for step in record.steps if isinstance(step, FaultStep) and step.seat == entry.seat)
    return next((f"{step.kind}: {step.detail}" for step in faults), entry.fault)
