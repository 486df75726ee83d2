"""A record folded over the rules again: to check it, and to show it.

`verify` redoes all that a record claims: its ruleset, the commitments, the table key, every draw,
the legality of every move, the faults, the outcome. `frames` is the same fold with one viewer's view
on each state. Neither knows a particular game, and neither knows the referee.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from arena import chance
from arena.games import find_game
from arena.record import DrawStep, FaultStep, MovesStep, Record, Step, name, place
from arena.rules import (
    AnyGame,
    Draw,
    Drawn,
    Event,
    Left,
    Moved,
    MoveTextError,
    Outcome,
    RulesError,
    Ruleset,
    RulesetError,
    Viewer,
    check_players,
    find_preset,
    heard,
    ruleset,
)


class VerificationError(Exception):
    """A record that does not hold.

    ``where`` is the place as a path in the record (``steps[11].got``, ``fairness.commitment``, ``name``),
    ``message`` says how it differs. The text of the error counts steps from 1 too: ``step 12 (steps[11].got): …``.
    """

    def __init__(self, where: str, message: str) -> None:
        super().__init__(where, message)
        self.where = where
        self.message = message

    def __str__(self) -> str:
        return f"{place(self.where)}: {self.message}"


class NotYetRevealed(VerificationError):
    """The house still hides the seed: whether the record holds cannot be said before it is published."""


class Folded(NamedTuple):
    """What a step led to."""

    step: int
    """The step's place in ``record.steps``, from 0; -1 is the start, before any step."""
    state: Any
    """A state of the record's game."""
    events: tuple[Event, ...]
    """All that was perceived, by whomever."""


class Frame(NamedTuple):
    """What one viewer saw of a step."""

    step: int
    """As in `Folded`."""
    view: Any
    """A view of the record's game."""
    events: tuple[Event, ...]
    """What this viewer heard."""


# ---- the two uses --------------------------------------------------------------------------------


def verify(record: Record) -> None:
    """Redo the whole of ``record``; returns only if all of it agrees.

    Raises:
        NotYetRevealed: its seed is still hidden.
        VerificationError: something does not agree; names the step or the field and says how it differs.
    """
    if record.fairness.seed is None:
        raise NotYetRevealed("fairness.seed", "nothing can be verified yet: the seed is not revealed")
    game, rules = _rules(record)
    state = None
    for folded in _fold(record, game, rules, _key(record)):
        state = folded.state
    outcome = game.outcome(state)
    assert outcome is not None, "the fold ends with the match"
    _check_outcome(record.outcome, outcome)


def check_name(record: Record, sha256: str) -> None:
    """Check that ``record`` is the one with the name ``sha256`` (hex).

    Raises:
        VerificationError: it has another name, so something in it was changed.
    """
    own = name(record)
    if own != sha256.strip().lower():
        raise VerificationError("name", f"this record is {own}, not {sha256!a}: it is another, or was changed")


def fold(record: Record) -> Iterator[Folded]:
    """The start and then every step of ``record``, one `Folded` for each, in order.

    Of consecutive forfeits in one simultaneous decision the last one carries what came of them all.
    Draws are checked to be due, not to follow from the seed; the outcome is not looked at.

    Raises:
        VerificationError: a step that the rules do not allow, when it is reached.
    """
    return _fold(record, *_rules(record), key=None)


def frames(record: Record, viewer: Viewer) -> Iterator[Frame]:
    """``record`` as ``viewer`` saw it: the start and then every step, one `Frame` for each, in order.

    Raises:
        VerificationError: as `fold`.
    """
    game, rules = _rules(record)
    for step, state, events in _fold(record, game, rules, key=None):
        yield Frame(step, game.view(state, viewer), heard(events, viewer))


def so_far(rules: Ruleset, players: int, steps: Sequence[Step], viewer: Viewer) -> Iterator[Frame]:
    """The same of a match that is not over yet, from the steps that were written down.

    Raises:
        VerificationError: a step that the rules do not allow, when it is reached.
    """
    game = find_game(rules.game)
    for step, state, events in _steps(game, rules, players, steps, key=None):
        yield Frame(step, game.view(state, viewer), heard(events, viewer))


# ---- what stands before the steps ----------------------------------------------------------------


def _rules(record: Record) -> tuple[AnyGame, Ruleset]:
    """The game and the ruleset that the record names, every option of it spelled out."""
    try:
        game = find_game(record.game)
    except RulesError as error:
        raise VerificationError("game", str(error)) from error
    known = {option.name: option for option in game.options}
    for given, value in record.options.items():
        if given not in known:
            raise VerificationError("options", f"{game.name} has no option {given!a}")
        try:
            # a number is a number in a record, though elsewhere its decimal text is as good
            fits = known[given].read(value) == value
        except RulesetError:
            fits = False
        if not fits:
            raise VerificationError(f"options.{given}", f"{value!a} is not one of {known[given].allowed}")
    for option in game.options:
        if option.name not in record.options:
            raise VerificationError(f"options.{option.name}", "this option has no value in the record")
    try:
        rules = ruleset(game, record.preset, record.options)
    except RulesetError as error:
        preset_unknown = record.preset not in (None, *(preset.name for preset in game.presets))
        raise VerificationError("preset" if preset_unknown else "options", str(error)) from error
    if record.preset is not None and rules.preset is None:
        values = find_preset(game, record.preset).values
        for option in game.options:
            own, preset = record.options[option.name], values.get(option.name, option.default)
            if own != preset:
                raise VerificationError(
                    "preset", f"{record.preset} has {option.name} = {preset}, but the record plays with {own}"
                )
    try:
        check_players(rules, len(record.players))
    except RulesetError as error:
        raise VerificationError("players", str(error)) from error
    return game, rules


def _key(record: Record) -> bytes:
    """The table key, after checking what was committed to."""
    commitment, seed, hashes, nonces = record.fairness
    assert seed is not None
    made = chance.digest(bytes.fromhex(seed)).hex()
    if made != commitment:
        raise VerificationError("fairness.commitment", f"the seed's SHA-256 is {made}, not {commitment}")
    for index, (nonce, claimed) in enumerate(zip(nonces, hashes, strict=True)):
        made = chance.digest(bytes.fromhex(nonce)).hex()
        if made != claimed:
            raise VerificationError(f"fairness.nonce_hashes[{index}]", f"the nonce's SHA-256 is {made}, not {claimed}")
    return chance.table_key(bytes.fromhex(seed), [bytes.fromhex(nonce) for nonce in nonces])


def _check_outcome(claimed: Outcome, played: Outcome) -> None:
    for field, own, right in zip(Outcome._fields, claimed, played, strict=True):
        if own != right:
            written = [ascii(v) if isinstance(v, str) else str(list(v)) for v in (own, right)]
            raise VerificationError(f"outcome.{field}", f"this is {written[0]}, but the match ends with {written[1]}")


# ---- the fold ------------------------------------------------------------------------------------


def _fold(record: Record, game: AnyGame, rules: Ruleset, key: bytes | None) -> Iterator[Folded]:
    """Every step in turn, up to the end of the match; with ``key`` the numbers of each draw are redone too."""
    state = None
    for folded in _steps(game, rules, len(record.players), record.steps, key):
        state = folded.state
        yield folded
    if game.outcome(state) is None:
        missing = _missing(game, state)
        raise VerificationError("steps", f"the record ends after step {len(record.steps)}, but {missing}")


def _steps(game: AnyGame, rules: Ruleset, players: int, steps: Sequence[Step], key: bytes | None) -> Iterator[Folded]:
    """The start and then every step in turn."""
    state, events = game.start(rules, players)
    yield Folded(-1, state, events)
    forfeits: set[int] = set()  # of the simultaneous decision that is open
    defaults: set[int] = set()  # seats whose default move the next moves step must hold
    for index, step in enumerate(steps):
        where = f"steps[{index}]"
        draw = game.due(state)
        if game.outcome(state) is not None:
            raise VerificationError(where, "the match is over before this step")
        if draw is not None or isinstance(step, DrawStep):
            _check_draw(draw, step, where, key)
            assert isinstance(step, DrawStep)
            state, events = game.step(state, Drawn(step.got))
        elif isinstance(step, MovesStep):
            state, events = game.step(state, Moved(_moves(game, state, step, defaults, where)))
            defaults.clear()
        else:
            _check_fault(game.asked(state), step, forfeits | defaults, where)
            (forfeits if step.then == "forfeit" else defaults).add(step.seat)
            events = ()
            if forfeits and not _goes_on(game, state, steps, index):
                state, events = game.step(state, Left(frozenset(forfeits)))
                forfeits.clear()
        yield Folded(index, state, events)


def _goes_on(game: AnyGame, state: Any, steps: Sequence[Step], index: int) -> bool:
    """Is the next step one more fault in the same simultaneous decision?"""
    return len(game.asked(state)) > 1 and index + 1 < len(steps) and isinstance(steps[index + 1], FaultStep)


def _missing(game: AnyGame, state: Any) -> str:
    draw = game.due(state)
    return f"the draw {draw.label} is due" if draw is not None else f"{_asked(game.asked(state))} asked"


def _asked(seats: tuple[int, ...]) -> str:
    numbers = ", ".join(map(str, seats))
    return f"seat {numbers} is" if len(seats) == 1 else f"seats {numbers} are"


def _check_draw(due: Draw | None, step: Step, where: str, key: bytes | None) -> None:
    if due is None:
        assert isinstance(step, DrawStep)
        raise VerificationError(f"{where}.draw", f"{step.label!a} is drawn, but no draw is due")
    if not isinstance(step, DrawStep):
        raise VerificationError(where, f"the draw {due.label} is due before anything else")
    if step.label != due.label:
        raise VerificationError(f"{where}.draw", f"{step.label!a} is drawn, but due is {due.label}")
    if step.of != due.sizes:
        raise VerificationError(f"{where}.of", f"{due.label} is drawn out of {list(due.sizes)}, not {list(step.of)}")
    if key is not None:
        for index, (own, right) in enumerate(zip(step.got, chance.draw(key, due.label, due.sizes), strict=True)):
            if own != right:
                raise VerificationError(
                    f"{where}.got[{index}]", f"{due.label} has {own} here, but the table key gives {right}"
                )


def _moves(game: AnyGame, state: Any, step: MovesStep, defaults: set[int], where: str) -> Mapping[int, Any]:
    """The moves of a step, parsed, each of them legal, for exactly the seats that are asked."""
    asked = game.asked(state)
    if tuple(sorted(step.moves)) != asked:
        raise VerificationError(f"{where}.moves", f"{_asked(asked)} asked, but the moves are of {sorted(step.moves)}")
    moves = {}
    for seat in asked:
        here = f"{where}.moves.{seat}"
        text = step.moves[seat]
        try:
            move = game.parse(text)
        except MoveTextError as error:
            raise VerificationError(here, str(error)) from error
        if game.write(move) != text:
            raise VerificationError(here, f"{text!a} is written {game.write(move)!r}")
        reason = game.refusal(state, seat, move)
        if reason is not None:
            raise VerificationError(here, f"illegal: {reason}")
        if seat in defaults and move != game.default(state, seat):
            default = game.write(game.default(state, seat))
            raise VerificationError(here, f"after the fault the default move {default!r} is made, not {text!r}")
        moves[seat] = move
    return moves


def _check_fault(asked: tuple[int, ...], step: FaultStep, earlier: set[int], where: str) -> None:
    """A fault names a seat that is asked, once at a decision, in ascending order."""
    if step.seat not in asked:
        raise VerificationError(f"{where}.fault.seat", f"{_asked(asked)} asked, not seat {step.seat}")
    if step.seat in earlier:
        raise VerificationError(
            f"{where}.fault.seat", f"the first fault of seat {step.seat} at this decision was final"
        )
    if earlier and step.seat < max(earlier):
        raise VerificationError(f"{where}.fault.seat", "faults at one decision stand in the order of the seats")
