"""One match of every preset, written out: each step with all that each seat and the public see and hear of it.

Of a long match only the first steps and the last ones stand there.

The files in ``tests/playthroughs`` are the expected texts. A change of the rules shows as a change in them,
and reading that change is the review. To write them anew:

    python tests/arena/test_playthroughs.py
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from arena import chance
from arena.games import GAMES
from arena.rules import PUBLIC, AnyGame, Drawn, Event, Happening, Left, Moved, at_seat, ruleset

FOLDER = Path(__file__).parents[1] / "playthroughs"
PRESETS = {f"{game.name}-{preset.name}": (game, preset.name) for game in GAMES.values() for preset in game.presets}

PLAYERS = 4
"""At a table, where so many can play."""

FORFEIT_AT = 20
"""The step at which somebody leaves the table, where that leaves three."""

FIRST, LAST = 100, 5
"""The steps that are written out of a match that has more."""


# ---- the text of values --------------------------------------------------------------------------


def text_of(value: Any, game: AnyGame) -> str:
    """A view's or an event's value in a line: moves as they are written, ``-`` for None."""
    if value is None:
        return "-"
    if hasattr(value, "_asdict"):
        name = type(value).__name__
        if name == "Move":
            return game.write(value)
        fields = (f"{key} {text_of(v, game)}" for key, v in value._asdict().items() if key != "audience")
        return f"{name}({', '.join(fields)})"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {text_of(v, game)}" for key, v in value.items()) + "}"
    if isinstance(value, frozenset):
        return "{" + ", ".join(text_of(v, game) for v in sorted(value)) + "}"
    if isinstance(value, tuple):
        texts = [text_of(v, game) for v in value]
        return "[" + (", " if any(" " in text for text in texts) else " ").join(texts) + "]"
    return str(value)


def whose(viewers: Iterable[str], players: int) -> str:
    """Who perceived something: the numbers of seats, ``public``, or ``all``."""
    names = list(viewers)
    return "all" if len(names) == players + 1 else " ".join(names)


def happening_text(happening: Happening, label: str, game: AnyGame) -> str:
    match happening:
        case Drawn(got):
            return f"{label} gives {text_of(got, game)}"
        case Left(seats):
            return f"{text_of(tuple(sorted(seats)), game)} forfeit"
        case Moved(moves):
            return " · ".join(f"{seat}: {game.write(move)}" for seat, move in sorted(moves.items()))


# ---- the match -----------------------------------------------------------------------------------


def choose(game: AnyGame, state: Any, seat: int, key: bytes, step: int) -> Any:
    """A kind of move (the first word of its text), then one of it."""
    kinds: dict[str, list[Any]] = {}
    for move in game.legal(state, seat):
        kinds.setdefault(game.write(move).partition(" ")[0], []).append(move)
    (kind,) = chance.draw(key, f"kind/{step}/{seat}", [len(kinds)])
    moves = list(kinds.values())[kind]
    (number,) = chance.draw(key, f"move/{step}/{seat}", [len(moves)])
    return moves[number]


def playthrough(game: AnyGame, preset: str) -> Iterator[str]:
    """The lines of a match: its first steps, and its last ones."""
    rules = ruleset(game, preset)
    players = min(PLAYERS, rules.players[-1])
    key = chance.digest(f"{game.name}-{preset}".encode())
    viewers = {str(seat): at_seat(seat) for seat in range(players)} | {"public": PUBLIC}
    seen: dict[str, dict[str, str]] = {name: {} for name in viewers}

    def perceived(state: Any, events: tuple[Event, ...]) -> Iterator[str]:
        """What each viewer heard, and what has changed in what each one sees."""
        for event in events:
            hearers = [n for n, v in viewers.items() if event.audience is None or v.seat in event.audience]
            yield f"  hear {whose(hearers, players)}: {text_of(event, game)}"
        changes: dict[tuple[str, str], list[str]] = {}
        for name, viewer in viewers.items():
            view = game.view(state, viewer)._asdict()
            now = {field: text_of(value, game) for field, value in view.items() if field not in ("options", "seat")}
            for field, text in now.items():
                if seen[name].get(field) != text:
                    changes.setdefault((field, text), []).append(name)
            seen[name] = now
        lines: dict[str, list[str]] = {}
        for (field, text), seers in changes.items():
            lines.setdefault(whose(seers, players), []).append(f"{field} = {text}")
        for seers_text, fields in lines.items():
            yield f"  see {seers_text}: {' · '.join(fields)}"

    yield f"{game.title}, {preset}, {players} players"
    yield " · ".join(f"{option} {value}" for option, value in rules.values.items())
    yield ""
    state, events = game.start(rules, players)
    yield "start"
    yield from perceived(state, events)
    steps: list[list[str]] = []
    step = 0
    left = players < PLAYERS
    while game.outcome(state) is None:
        step += 1
        due = game.due(state)
        happening: Happening
        if due is not None:
            happening = Drawn(chance.draw(key, due.label, due.sizes))
        elif step >= FORFEIT_AT and not left:
            happening, left = Left(frozenset(game.asked(state)[:1])), True
        else:
            happening = Moved({seat: choose(game, state, seat, key, step) for seat in game.asked(state)})
        state, events = game.step(state, happening)
        made = f"{step}. {happening_text(happening, due.label if due else '', game)}"
        steps.append([made, *perceived(state, events)])
    left_out = len(steps) - FIRST - LAST
    if left_out > 0:
        steps[FIRST:-LAST] = [[f"and so on for {left_out} steps", ""]]
    for lines in steps:
        yield from lines


# ---- the tests -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PRESETS)
def test_playthrough(name: str) -> None:
    file = FOLDER / f"{name}.txt"
    assert file.exists(), f"{name} has no playthrough; {__doc__}"
    expected = file.read_text(encoding="utf-8").splitlines()
    changes = list(difflib.unified_diff(expected, list(playthrough(*PRESETS[name])), "expected", "played", lineterm=""))
    assert not changes, "\n".join(changes[:60])


def test_no_playthrough_of_what_is_no_preset() -> None:
    assert {file.stem for file in FOLDER.glob("*.txt")} == set(PRESETS)


def regenerate() -> None:
    """Write every playthrough anew, and remove those of presets that are gone."""
    FOLDER.mkdir(exist_ok=True)
    for file in FOLDER.glob("*.txt"):
        file.unlink()
    for name, (game, preset) in PRESETS.items():
        (FOLDER / f"{name}.txt").write_text("\n".join(playthrough(game, preset)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    regenerate()
