"""What happened in a match, complete: its types, its text, its name.

A record is written once and read for ever, by programs that need not be this one, so reading is
strict: exactly the keys of ``docs/record-format.md``, each of its type and range, and an error that
names the place. Whether what is written there could have happened is `arena.verify`'s question.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, NoReturn

from arena.rules import Outcome, Value

FORMAT = 1
"""The version of the format that this module reads and writes."""

LARGEST = 2**53 - 1
"""The largest whole number in a record: every reader of JSON holds it exactly."""

PLAYERS = range(2, 11)
"""The table sizes of all games together."""


class RecordError(ValueError):
    """A text that is no record.

    ``where`` is the place as a path in the JSON (``steps[11].got``; empty for the whole), ``message``
    says what is wrong there. The text of the error counts steps from 1 too: ``step 12 (steps[11].got): …``.
    """

    def __init__(self, where: str, message: str) -> None:
        super().__init__(where, message)
        self.where = where
        self.message = message

    def __str__(self) -> str:
        return f"{place(self.where)}: {self.message}" if self.where else self.message


def place(where: str) -> str:
    """A path in a record as people read it: a step is named by its number too, counted from 1.

    >>> place("steps[11].got")
    'step 12 (steps[11].got)'
    """
    step = re.match(r"steps\[(\d+)\]", where)
    return f"step {int(step[1]) + 1} ({where})" if step else where


# ---- the types -----------------------------------------------------------------------------------


class DrawStep(NamedTuple):
    """Chance: ``got`` has one integer in ``[0, size)`` for each size in ``of``."""

    label: str
    of: tuple[int, ...]
    got: tuple[int, ...]


class MovesStep(NamedTuple):
    """What the seats that were asked together answered."""

    moves: Mapping[int, str]
    """The text of a move by seat."""
    ms: Mapping[int, float] | None
    """Thinking time in milliseconds by seat, as the referee measured it; None where the record has none."""


class FaultStep(NamedTuple):
    """A seat that was asked failed to make a legal move in time."""

    seat: int
    kind: str
    """``unreadable``, ``illegal``, ``late`` or ``gone``; other words may come from other programs."""
    detail: str
    then: str
    """``forfeit`` (the seat has left) or ``default`` (the default move was made; the moves step has it)."""


Step = DrawStep | MovesStep | FaultStep


class PlayerLine(NamedTuple):
    """Who sat where."""

    seat: int
    bot: str
    """The name of the bot, or a person's display name."""
    version: str | None
    """The version of the bot; None for a person."""


class Fairness(NamedTuple):
    """The exchange of commitments before the match. All of it hex, in lower case.

    ``nonce_hashes`` and ``nonces`` have one entry for each player, in the order of the seats in the
    block's *first* match, which is the order in which the nonces enter the table key.
    """

    commitment: str
    seed: str | None
    """None as long as the house keeps it hidden."""
    nonce_hashes: tuple[str, ...]
    nonces: tuple[str, ...]


class Record(NamedTuple):
    """A finished match, complete."""

    game: str
    preset: str | None
    options: Mapping[str, Value]
    """Every option of the game with its value."""
    match: str
    started: str | None
    """When the match began, as written; None where the record does not say."""
    players: tuple[PlayerLine, ...]
    fairness: Fairness
    steps: tuple[Step, ...]
    outcome: Outcome


# ---- writing -------------------------------------------------------------------------------------


def write(record: Record) -> str:
    """The text of ``record`` as it is downloaded: JSON, one step a line. `read` reads it back.

    Raises:
        RecordError: a text in it cannot be written as UTF-8, or a thinking time is no number.
    """
    lines = []
    for key, value in _tree(record).items():
        if key == "steps" and value:
            steps = ",\n  ".join(_json(step) for step in value)
            lines.append(f' "steps": [\n  {steps}\n ]')
        else:
            lines.append(f" {_json(key)}: {_json(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def write_steps(steps: Iterable[Step]) -> str:
    """The steps of a match that is not over yet, as JSON; `read_steps` reads it back. They hold what is hidden."""
    return _json([_step_tree(step) for step in steps])


def canonical(record: Record) -> bytes:
    """The one form of ``record`` that is hashed: no ``started`` and no ``ms``, keys sorted, no spaces, UTF-8.

    Raises:
        RecordError: a text in it cannot be written as UTF-8.
    """
    bare = record._replace(
        started=None,
        steps=tuple(step._replace(ms=None) if isinstance(step, MovesStep) else step for step in record.steps),
    )
    return _json(_tree(bare), sort_keys=True, separators=(",", ":")).encode()


def name(record: Record) -> str:
    """The name of ``record``: the SHA-256 of its canonical form, in hex."""
    return hashlib.sha256(canonical(record)).hexdigest()


def _json(value: object, **how: Any) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, **how)
        text.encode()
    except ValueError as error:  # a lone surrogate, or a number that is none
        raise RecordError("", f"this cannot be written as a record: {error}") from error
    return text


def _tree(record: Record) -> dict[str, Any]:
    """``record`` as JSON knows it, with its keys in the order of the format."""
    started = {} if record.started is None else {"started": record.started}
    return {
        "format": FORMAT,
        "game": record.game,
        "preset": record.preset,
        "options": dict(record.options),
        "match": record.match,
        **started,
        "players": [line._asdict() for line in record.players],
        "fairness": record.fairness._asdict(),
        "steps": [_step_tree(step) for step in record.steps],
        "outcome": record.outcome._asdict(),
    }


def _step_tree(step: Step) -> dict[str, Any]:
    match step:
        case DrawStep(label, of, got):
            return {"draw": label, "of": of, "got": got}
        case MovesStep(moves, ms):
            times = {} if ms is None else {"ms": {str(seat): ms[seat] for seat in sorted(ms)}}
            return {"moves": {str(seat): moves[seat] for seat in sorted(moves)}, **times}
        case FaultStep():
            return {"fault": step._asdict()}


# ---- reading -------------------------------------------------------------------------------------


def read(text: str | bytes) -> Record:
    """The record that ``text`` writes.

    Raises:
        RecordError: it is none; the error names the place and says what is wrong there.
    """
    top = _keys(
        _parse(text),
        "",
        ("format", "game", "preset", "options", "match", "players", "fairness", "steps", "outcome"),
        may=("started",),
    )
    if _whole(top["format"], "format") != FORMAT:
        raise RecordError("format", f"this is version {top['format']}; only version {FORMAT} is known here")
    players = _players(top["players"])
    seats = len(players)
    return Record(
        game=_text(top["game"], "game"),
        preset=None if top["preset"] is None else _text(top["preset"], "preset"),
        options=_options(top["options"]),
        match=_text(top["match"], "match"),
        started=_text(top["started"], "started") if "started" in top else None,
        players=players,
        fairness=_fairness(top["fairness"], seats),
        steps=tuple(_step(step, f"steps[{index}]", seats) for index, step in enumerate(_list(top["steps"], "steps"))),
        outcome=_outcome(top["outcome"], seats),
    )


def read_steps(text: str | bytes, players: int) -> tuple[Step, ...]:
    """The steps that `write_steps` wrote, of a match at a table of this size.

    Raises:
        RecordError: they are none.
    """
    return tuple(_step(step, f"steps[{index}]", players) for index, step in enumerate(_list(_parse(text), "steps")))


def _parse(text: str | bytes) -> object:
    """The JSON of ``text``, with all refused that JSON parsers are lax about."""
    try:
        if isinstance(text, bytes):
            text = text.decode()
        return json.loads(
            text,
            object_pairs_hook=_unique,
            parse_constant=_no_number,
            parse_float=_fraction,
            parse_int=_integer,
        )
    except UnicodeDecodeError as error:
        raise RecordError("", f"this is not UTF-8: {error.reason} at byte {error.start}") from error
    except json.JSONDecodeError as error:
        raise RecordError("", f"this is not JSON: {error}") from error
    except RecursionError:
        raise RecordError("", "this is nested far deeper than any record") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [key for key, _ in pairs]
        twice = next(key for key in names if names.count(key) > 1)
        raise RecordError("", f"the key {_short(twice)} stands twice in one object")
    return found


def _no_number(word: str) -> NoReturn:
    raise RecordError("", f"{word} is not a number")


def _fraction(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise RecordError("", f"the number {_short(digits)} is out of range")
    return value


def _integer(digits: str) -> int:
    if len(digits) > 17 or abs(int(digits)) > LARGEST:
        raise RecordError("", f"the number {_short(digits)} is out of range")
    return int(digits)


def _short(value: object) -> str:
    """``value`` in an error message: printable whatever it is, and not long."""
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    text = ascii(value[:40] + "…" if isinstance(value, str) and len(value) > 40 else value)
    return text if len(text) <= 60 else text[:60] + "..."


def _under(where: str, key: str) -> str:
    return f"{where}.{key}" if where else key


def _keys(value: object, where: str, must: tuple[str, ...], may: tuple[str, ...] = ()) -> dict[str, Any]:
    """``value`` as an object with exactly these keys."""
    if not isinstance(value, dict):
        raise RecordError(where, f"{_short(value)} is not an object")
    for key in value:
        if key not in must and key not in may:
            raise RecordError(where, f"there is no key {_short(key)} here; there are: {', '.join((*must, *may))}")
    for key in must:
        if key not in value:
            raise RecordError(_under(where, key), "this is missing")
    return value


def _list(value: object, where: str, length: int | None = None) -> list[Any]:
    if not isinstance(value, list):
        raise RecordError(where, f"{_short(value)} is not a list")
    if length is not None and len(value) != length:
        raise RecordError(where, f"this list has {len(value)} entries where {length} belong")
    return value


def _text(value: object, where: str) -> str:
    if not isinstance(value, str):
        raise RecordError(where, f"{_short(value)} is not a text")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise RecordError(where, f"{_short(value)} has half a character in it (a lone surrogate)") from None
    return value


def _whole(value: object, where: str, low: int = -LARGEST, high: int = LARGEST) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise RecordError(where, f"{_short(value)} is not a whole number")
    if not low <= value <= high:
        limits = f"{low} to {high}" if high < LARGEST else f"at least {low}"
        raise RecordError(where, f"{value} is out of range; it is {limits}")
    return value


def _wholes(values: Iterable[object], where: str, low: int = -LARGEST, high: int = LARGEST) -> tuple[int, ...]:
    return tuple(_whole(value, f"{where}[{index}]", low, high) for index, value in enumerate(values))


def _hex(value: object, where: str, fewest: int, most: int) -> str:
    """Hex of so many bytes, put into lower case."""
    text = _text(value, where)
    if not re.fullmatch(r"(?:[0-9a-fA-F]{2})*", text):
        raise RecordError(where, f"{_short(text)} is not hex, two digits a byte")
    if not fewest <= len(text) // 2 <= most:
        length = str(fewest) if fewest == most else f"{fewest} to {most}"
        raise RecordError(where, f"this has {len(text) // 2} bytes where {length} belong")
    return text.lower()


def _options(value: object) -> dict[str, Value]:
    if not isinstance(value, dict):
        raise RecordError("options", f"{_short(value)} is not an object")
    options: dict[str, Value] = {}
    for key, chosen in value.items():
        name = _text(key, "options")
        where = f"options.{name if name.isidentifier() else _short(name)}"
        options[name] = _text(chosen, where) if isinstance(chosen, str) else _whole(chosen, where)
    return options


def _players(value: object) -> tuple[PlayerLine, ...]:
    lines = _list(value, "players")
    if len(lines) not in PLAYERS:
        raise RecordError("players", f"{len(lines)} players; a table has {PLAYERS[0]} to {PLAYERS[-1]}")
    players = []
    for seat, line in enumerate(lines):
        where = f"players[{seat}]"
        fields = _keys(line, where, PlayerLine._fields)
        if _whole(fields["seat"], f"{where}.seat") != seat:
            raise RecordError(f"{where}.seat", f"seat {fields['seat']} stands where seat {seat} belongs")
        version = None if fields["version"] is None else _text(fields["version"], f"{where}.version")
        players.append(PlayerLine(seat, _text(fields["bot"], f"{where}.bot"), version))
    return tuple(players)


def _fairness(value: object, seats: int) -> Fairness:
    fields = _keys(value, "fairness", Fairness._fields)
    hashes = _list(fields["nonce_hashes"], "fairness.nonce_hashes", seats)
    nonces = _list(fields["nonces"], "fairness.nonces", seats)
    return Fairness(
        commitment=_hex(fields["commitment"], "fairness.commitment", 32, 32),
        seed=None if fields["seed"] is None else _hex(fields["seed"], "fairness.seed", 32, 32),
        nonce_hashes=tuple(_hex(h, f"fairness.nonce_hashes[{i}]", 32, 32) for i, h in enumerate(hashes)),
        nonces=tuple(_hex(n, f"fairness.nonces[{i}]", 0, 32) for i, n in enumerate(nonces)),
    )


def _step(value: object, where: str, seats: int) -> Step:
    if isinstance(value, dict) and "draw" in value:
        fields = _keys(value, where, ("draw", "of", "got"))
        of = _wholes(_list(fields["of"], f"{where}.of"), f"{where}.of", 1)
        got = _wholes(_list(fields["got"], f"{where}.got", len(of)), f"{where}.got", 0)
        for index, (size, number) in enumerate(zip(of, got, strict=True)):
            if number >= size:
                raise RecordError(f"{where}.got[{index}]", f"{number} cannot be drawn out of {size}")
        return DrawStep(_text(fields["draw"], f"{where}.draw"), of, got)
    if isinstance(value, dict) and "moves" in value:
        fields = _keys(value, where, ("moves",), may=("ms",))
        moves = {
            seat: _text(move, f"{where}.moves.{seat}")
            for seat, move in _by_seat(fields["moves"], f"{where}.moves", seats).items()
        }
        if not moves:
            raise RecordError(f"{where}.moves", "nobody moves here")
        return MovesStep(moves, _times(fields["ms"], f"{where}.ms", moves) if "ms" in fields else None)
    if isinstance(value, dict) and "fault" in value:
        fields = _keys(_keys(value, where, ("fault",))["fault"], f"{where}.fault", FaultStep._fields)
        then = _text(fields["then"], f"{where}.fault.then")
        if then not in ("forfeit", "default"):
            raise RecordError(f"{where}.fault.then", f"{_short(then)} is neither 'forfeit' nor 'default'")
        return FaultStep(
            _whole(fields["seat"], f"{where}.fault.seat", 0, seats - 1),
            _text(fields["kind"], f"{where}.fault.kind"),
            _text(fields["detail"], f"{where}.fault.detail"),
            then,
        )
    raise RecordError(where, "a step is an object with the key draw, moves or fault")


def _by_seat(value: object, where: str, seats: int) -> dict[int, Any]:
    """An object whose keys are the numbers of seats."""
    if not isinstance(value, dict):
        raise RecordError(where, f"{_short(value)} is not an object")
    numbers = {str(seat): seat for seat in range(seats)}
    for key in value:
        if key not in numbers:
            raise RecordError(where, f"{_short(key)} is none of the seats 0 to {seats - 1}")
    return {numbers[key]: entry for key, entry in value.items()}


def _times(value: object, where: str, moves: Mapping[int, str]) -> dict[int, float]:
    times = {}
    for seat, ms in _by_seat(value, where, PLAYERS[-1]).items():
        at = f"{where}.{seat}"
        if seat not in moves:
            raise RecordError(at, f"seat {seat} made no move in this step")
        if not isinstance(ms, int | float) or isinstance(ms, bool):
            raise RecordError(at, f"{_short(ms)} is not a number of milliseconds")
        if ms < 0:
            raise RecordError(at, f"{ms} is less than no time")
        times[seat] = float(ms)
    return times


def _outcome(value: object, seats: int) -> Outcome:
    fields = _keys(value, "outcome", Outcome._fields)
    places = _list(fields["places"], "outcome.places", seats)
    scores = _list(fields["scores"], "outcome.scores", seats)
    return Outcome(
        _wholes(places, "outcome.places", 1, seats),
        _text(fields["reason"], "outcome.reason"),
        _wholes(scores, "outcome.scores"),
    )
