"""The vocabulary of the games, and the contract that every game fulfils.

Values go in and values come out: a game never mutates, prints, sleeps, reads a clock or rolls dice.
``docs/design.md`` tells why the contract has this shape and how each game fits it.
Only the standard library is imported here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple, Protocol, TypeVar


class RulesError(Exception):
    """Something does not fit the rules. The message is written for the person who caused it."""


class RulesetError(RulesError):
    """A ruleset that cannot be: an unknown option, a value out of range, a senseless combination."""


class MoveTextError(RulesError):
    """A text that is no move of the game at all, whatever the position."""


class IllegalMove(RulesError):
    """A move of the game that the rules refuse in this position. Nothing has changed."""


# ---- who looks -----------------------------------------------------------------------------------


class Viewer(NamedTuple):
    """Whose eyes a view is made for. Make one with `at_seat`, or take `PUBLIC` or `OMNISCIENT`."""

    kind: Literal["seat", "public", "omniscient"]
    seat: int = -1


PUBLIC = Viewer("public")
"""Sees what everybody at the table sees, and nothing else."""

OMNISCIENT = Viewer("omniscient")
"""Sees everything: for readers of finished records only."""


def at_seat(seat: int) -> Viewer:
    """The viewer that sits on ``seat``: sees what is public and what this seat alone was shown."""
    return Viewer("seat", seat)


# ---- what happens --------------------------------------------------------------------------------


class Draw(NamedTuple):
    """Chance that is due now: one uniform integer in ``[0, size)`` for each of ``sizes``."""

    label: str
    sizes: tuple[int, ...]


class Drawn(NamedTuple):
    """The draw that was due has been made; ``got`` has one integer for each of its sizes."""

    got: tuple[int, ...]


class Moved(NamedTuple):
    """All who were asked have answered: a move for each of exactly these seats."""

    moves: Mapping[int, Any]


class Left(NamedTuple):
    """These seats, all of them being asked, leave the table for good and together."""

    seats: frozenset[int]


Happening = Drawn | Moved | Left


class Event(Protocol):
    """One thing that was perceived. Heard whole or not at all: what only some may know is an event of its own."""

    @property
    def audience(self) -> frozenset[int] | None:
        """The seats that perceive it; None for everybody, spectators included."""


E = TypeVar("E", bound=Event)


def heard(events: Iterable[E], viewer: Viewer) -> tuple[E, ...]:
    """Those of ``events`` that ``viewer`` perceives, in order."""
    if viewer.kind == "omniscient":
        return tuple(events)
    return tuple(e for e in events if e.audience is None or viewer.seat in e.audience)


class Outcome(NamedTuple):
    """How a match ended: a place for every seat, one reason, and the game's own points.

    ``places[i]`` is the place of seat i: 1 is best, equal places are shared (1, 2, 2, 4).
    ``scores[i]`` is what the game counts (coins, lives, chips), also where less is better.
    """

    places: tuple[int, ...]
    reason: str
    scores: tuple[int, ...]


class MatchEnded(NamedTuple):
    """The match is over: the last event of every match, in all games."""

    outcome: Outcome
    audience: None = None


def placed(ranks: Iterable[Iterable[int]], players: int) -> tuple[int, ...]:
    """Places from groups of seats, the best group first; a group shares its place.

    >>> placed([[2], [0, 3], [1]], 4)
    (2, 4, 1, 2)
    """
    places = [0] * players
    better = 0
    for group in ranks:
        seats = tuple(group)
        for seat in seats:
            places[seat] = better + 1
        better += len(seats)
    return tuple(places)


def next_live(live: tuple[int, ...], seat: int, *, clockwise: bool = True) -> int:
    """The next of the seats still in, ascending in ``live``, from ``seat``, which itself comes last.

    Clockwise is upwards, and after the highest seat the lowest.

    >>> next_live((0, 2, 3), 3), next_live((0, 2, 3), 2, clockwise=False)
    (0, 0)
    """
    if clockwise:
        return next((other for other in live if other > seat), live[0])
    return next((other for other in reversed(live) if other < seat), live[-1])


# ---- rulesets ------------------------------------------------------------------------------------

Value = str | int


class Option(NamedTuple):
    """One choice that a ruleset makes: a word out of ``words``, or a whole number from ``low`` to ``high``."""

    name: str
    default: Value
    meaning: str
    words: tuple[str, ...] = ()
    low: int = 0
    high: int = 0

    @property
    def allowed(self) -> str:
        """The allowed values as a person reads them: ``on | off`` or ``1..9``."""
        return " | ".join(self.words) if self.words else f"{self.low}..{self.high}"

    def read(self, value: object) -> Value:
        """The value that ``value`` stands for; a number may also come as its decimal text.

        Raises:
            RulesetError: it is none of the allowed values.
        """
        if self.words:
            if isinstance(value, str) and value in self.words:
                return value
        elif isinstance(value, int) and not isinstance(value, bool):
            if self.low <= value <= self.high:
                return value
        elif isinstance(value, str) and re.fullmatch("0|[1-9][0-9]{0,8}", value):
            return self.read(int(value))
        raise RulesetError(f"option {self.name}: {value!r} is not one of {self.allowed}")


class Preset(NamedTuple):
    """A named ruleset with its own leaderboard: the defaults, changed by ``values``."""

    name: str
    summary: str
    values: Mapping[str, Value] = {}
    players: range | None = None
    """Narrower than the game's own range of table sizes, or None."""


class Ruleset(NamedTuple):
    """A game with every option given a value. Made by `ruleset`, which checks it."""

    game: str
    preset: str | None
    """The preset whose every value this is, or None for a ruleset of one's own."""
    values: Mapping[str, Value]
    players: range


# ---- the contract --------------------------------------------------------------------------------

S = TypeVar("S")
M = TypeVar("M")
V_co = TypeVar("V_co", covariant=True)


class Game(Protocol[S, M, V_co]):
    """A game: state S, moves M, views V_co, all of them values (NamedTuples).

    At every moment of a match exactly one of three holds: a draw is due (``due`` is not None and
    nobody is asked), somebody is asked, or the match is over (``outcome`` is not None).
    """

    name: str
    """The code name, as in records and commands: ``three_coins``."""
    title: str
    """The name that people read."""
    players: range
    """The table sizes that the game can be played with."""
    options: tuple[Option, ...]
    presets: tuple[Preset, ...]
    """The first one has every option at its default."""

    def contradiction(self, values: Mapping[str, Value]) -> str | None:
        """Why these option values make no sense together, or None where they do."""

    def start(self, rules: Ruleset, players: int) -> tuple[S, tuple[Event, ...]]:
        """The state before anything has happened, with ``players`` seats."""

    def due(self, state: S) -> Draw | None:
        """The draw that must be made next, before anybody is asked."""

    def asked(self, state: S) -> tuple[int, ...]:
        """The seats that must decide now, ascending; more than one where the rules say simultaneously."""

    def legal(self, state: S, seat: int) -> tuple[M, ...]:
        """Every legal move of a seat that is asked, in a fixed order; empty for any other seat."""

    def refusal(self, state: S, seat: int, move: M) -> str | None:
        """Why ``move`` is illegal for ``seat`` now, in words, or None where it is legal."""

    def default(self, state: S, seat: int) -> M:
        """The documented move that practice play makes for a seat that failed to make one."""

    def step(self, state: S, happening: Happening) -> tuple[S, tuple[Event, ...]]:
        """What comes of ``happening``: the new state, and what was perceived.

        Raises:
            IllegalMove: a move is refused; says why.
            RulesError: something else happened than what was due or asked.
        """

    def view(self, state: S, viewer: Viewer) -> V_co:
        """All that ``viewer`` may know of the state, built up from nothing; the only way to show a state."""

    def outcome(self, state: S) -> Outcome | None:
        """The outcome of a match that is over, else None."""

    def parse(self, text: str) -> M:
        """The move that ``text`` writes.

        Raises:
            MoveTextError: it is no move of this game.
        """

    def write(self, move: M) -> str:
        """The text of ``move``; `parse` reads it back."""


AnyGame = Game[Any, Any, Any]


def find_preset(game: AnyGame, name: str) -> Preset:
    """The preset called ``name``.

    Raises:
        RulesetError: there is none.
    """
    for preset in game.presets:
        if preset.name == name:
            return preset
    known = ", ".join(p.name for p in game.presets)
    raise RulesetError(f"{game.name} has no preset {name!r}; there are: {known}")


def ruleset(game: AnyGame, preset: str | None = None, options: Mapping[str, object] | None = None) -> Ruleset:
    """The ruleset of ``game`` that takes ``preset`` (by default the first one) and changes ``options``.

    Its ``preset`` is None as soon as one value differs from the preset's.

    Raises:
        RulesetError: an unknown preset or option, a value that is not allowed, a combination that makes no sense.
    """
    chosen = find_preset(game, preset) if preset is not None else game.presets[0]
    known = {option.name: option for option in game.options}
    unknown = [name for name in (options or {}) if name not in known]
    if unknown:
        raise RulesetError(f"{game.name} has no option {unknown[0]!r}; there are: {', '.join(known)}")
    base = {option.name: chosen.values.get(option.name, option.default) for option in game.options}
    values = base | {name: known[name].read(value) for name, value in (options or {}).items()}
    reason = game.contradiction(values)
    if reason is not None:
        raise RulesetError(reason)
    same = values == base
    players = chosen.players if same and chosen.players is not None else game.players
    return Ruleset(game.name, chosen.name if same else None, values, players)


def check_players(rules: Ruleset, players: int) -> None:
    """Refuse a table size that the ruleset does not allow.

    Raises:
        RulesetError: too few or too many.
    """
    if players not in rules.players:
        low, high = rules.players[0], rules.players[-1]
        size = str(low) if low == high else f"{low} to {high}"
        of = f"{rules.game} ({rules.preset})" if rules.preset else rules.game
        raise RulesetError(f"{of} is for {size} players, not for {players}")
