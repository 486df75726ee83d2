"""What is said at a table: the words that the referee, the seats, the wire and the kit share."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from arena.rules import Event, Outcome, Ruleset

FaultKind = Literal["unreadable", "illegal", "late", "gone"]
"""What a bot can do wrong: its message could not be understood; the rules refuse its move; no answer before the
deadline; its line was lost or its process ended."""

Penalty = Literal["forfeit", "default"]
"""What a fault costs: the place at the table (rated play), or a documented default move is made (practice)."""


class Limits(NamedTuple):
    """How much time a seat has. The bank is what decisions may take beyond ``move_ms``, over a whole match."""

    ready_ms: int = 10_000
    move_ms: int = 1_000
    bank_ms: int = 10_000


class Player(NamedTuple):
    """Who sits on a seat: a bot's name and version (``sha256:…``), or a person's name and None."""

    bot: str
    version: str | None


class Fault(NamedTuple):
    """A fault that was judged."""

    seat: int
    kind: FaultKind
    detail: str


class MatchInfo(NamedTuple):
    """What a seat is told when a match begins."""

    match: str
    seat: int
    players: tuple[Player, ...]
    """By seat."""
    ruleset: Ruleset
    limits: Limits | None
    """None: no time limit."""
    penalty: Penalty
    number: int = 1
    """Which match of the series, from 1."""


class Question(NamedTuple):
    """A decision that is asked of a seat."""

    decision: int
    """Rises from question to question within a match."""
    events: tuple[Event, ...]
    """What the seat perceived since its last question."""
    view: Any
    """The position as the seat may know it; has the legal moves."""
    deadline_ms: float | None
    """Time for this answer: the move's and what is left of the bank. None: no limit."""
    bank_ms: float
    """What is left of the bank."""


class MatchEnd(NamedTuple):
    """What a seat is told when a match is over for it."""

    match: str
    outcome: Outcome | None
    """None when the seat forfeited, or the match was broken off."""
    events: tuple[Event, ...] = ()
    """What the seat perceived since its last question."""
    faults: tuple[Fault, ...] = ()
    """The seat's own."""
    voided: str = ""
    """Why the arena broke the match off; it counts for nobody. Empty otherwise."""


class Promise(NamedTuple):
    """What a player was told before it revealed its nonce."""

    commitment: bytes
    """SHA-256 of the arena's seed."""
    hashes: tuple[bytes, ...]
    """SHA-256 of every nonce of the table."""
    own: bytes | None = None
    """The player's own nonce; None where an earlier process of the same seat chose it."""


class Played(NamedTuple):
    """A match as the player remembers it."""

    match: str
    seat: int
    ruleset: Ruleset
    answers: tuple[str | None, ...]
    """What it answered to each question: the text of a move, or None where it had none to give."""
