"""A player's own check, after a block, that the luck was what everybody had been bound to before it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from arena import chance
from arena.record import FaultStep, MovesStep, Record, RecordError, read
from arena.table import Played, Promise
from arena.verify import VerificationError, verify


def differences(
    promise: Promise, *, seed: bytes, nonces: Sequence[bytes], records: Iterable[str], played: Iterable[Played]
) -> list[str]:
    """How what was revealed differs from what was promised and played; empty when all is fair."""
    found = []
    if chance.digest(seed) != promise.commitment:
        found.append("the seed is not the one that the arena committed to")
    if tuple(map(chance.digest, nonces)) != promise.hashes:
        found.append("the nonces are not those whose hashes were shown")
    if promise.own is not None and promise.own not in nonces:
        found.append("this bot's own nonce is not among those that were used")
    by_match: dict[str, Record] = {}
    for text in records:
        try:
            record = read(text)
        except RecordError as error:
            found.append(f"a record cannot be read: {error}")
            continue
        by_match[record.match] = record
        found += [f"{record.match}: {difference}" for difference in _record_differences(record, seed, nonces)]
    for own in played:
        if own.match in by_match:
            found += [f"{own.match}: {difference}" for difference in _memory_differences(by_match[own.match], own)]
        else:
            found.append(f"{own.match}: there is no record of this match")
    return found


def _record_differences(record: Record, seed: bytes, nonces: Sequence[bytes]) -> list[str]:
    if record.fairness.seed != seed.hex() or record.fairness.nonces != tuple(nonce.hex() for nonce in nonces):
        return ["its record names another seed or other nonces"]
    try:
        verify(record)
    except VerificationError as error:
        return [str(error)]
    return []


def _memory_differences(record: Record, own: Played) -> list[str]:
    if (record.game, dict(record.options)) != (own.ruleset.game, dict(own.ruleset.values)):
        return ["its record names other rules than were played"]
    if own.seat >= len(record.players):
        return [f"its record has no seat {own.seat}"]
    written = _decisions(record, own.seat)
    for number, (text, answered) in enumerate(zip(written, own.answers, strict=False), start=1):
        if text is not None and text != answered:
            return [f"decision {number} of this bot was {answered or 'no move'}, but the record has {text}"]
    # a fault may be written down for a question that never arrived, a move may not; and where the faults of all
    # others ended the match in the middle of a simultaneous decision, the last answer is nowhere
    unwritten = 1 if record.steps and isinstance(record.steps[-1], FaultStep) else 0
    if len(written) + unwritten < len(own.answers) or any(text is not None for text in written[len(own.answers) :]):
        return [f"this bot was asked {len(own.answers)} times, but the record has {len(written)} decisions of it"]
    return []


def _decisions(record: Record, seat: int) -> list[str | None]:
    """The seat's own moves in order; None for a decision at which it was at fault."""
    decisions: list[str | None] = []
    defaulted = False
    for step in record.steps:
        if isinstance(step, FaultStep) and step.seat == seat:
            decisions.append(None)
            defaulted = step.then == "default"
        elif isinstance(step, MovesStep) and seat in step.moves:
            if not defaulted:
                decisions.append(step.moves[seat])
            defaulted = False
    return decisions
