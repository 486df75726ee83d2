"""The worked examples of the games: what is played in them is written down, what comes of it the rules say.

Each is a file ``<game>.json`` beside this one: the ruleset, who plays, the draws by their labels, the moves by
seat. The dice and cards of an example are chosen so that it tells something; they follow from no seed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from django.utils.translation import gettext, gettext_noop

from arena.games import find_game
from arena.insight import Insight, insight
from arena.record import DrawStep, MovesStep, Step
from arena.rules import Drawn, Moved, RulesError, Ruleset, Viewer, heard, ruleset
from arena.verify import Folded, Frame
from webapp.matches import replay
from webapp.matches.replay import NoSuchStep, Replay, viewer_of

NAMES = (
    *(gettext_noop("Daryna"), gettext_noop("Orest"), gettext_noop("Semen")),
    *(gettext_noop("A"), gettext_noop("B"), gettext_noop("C"), gettext_noop("D")),
)
"""Those who play. They are people, not bots: each language writes them as the rules beside the example do."""


class Example(NamedTuple):
    """A game, or the beginning of one, as it was played."""

    game: str
    rules: Ruleset
    names: tuple[str, ...]
    steps: tuple[Step, ...]
    folded: tuple[Folded, ...]
    """The start, and what each step led to."""
    opens_at: int
    """The step that the rules' page shows first."""


def read(text: str | bytes) -> Example:
    """The example that a file writes, every draw and move of it checked by the rules.

    Raises:
        RulesError: a move is illegal, a draw is not due or missing, or something is left over.
    """
    written = json.loads(text)
    game = find_game(written["game"])
    rules = ruleset(game, written["preset"], written["options"])
    names = tuple(written["players"])
    draws: dict[str, Sequence[int]] = dict(written["draws"])
    moves: list[Mapping[str, str]] = list(written["moves"])
    state, events = game.start(rules, len(names))
    steps: list[Step] = []
    folded = [Folded(-1, state, events)]
    while draws or moves:
        due = game.due(state)
        if due is not None:
            if due.label not in draws:
                raise RulesError(f"step {len(steps) + 1}: {due.label} is due, and nothing is said of it")
            got = tuple(draws.pop(due.label))
            steps.append(DrawStep(due.label, due.sizes, got))
            state, events = game.step(state, Drawn(got))
        elif moves:
            texts = {int(seat): move for seat, move in moves.pop(0).items()}
            steps.append(MovesStep(texts, None))
            state, events = game.step(state, Moved({seat: game.parse(move) for seat, move in texts.items()}))
        else:
            raise RulesError(f"never due: {', '.join(draws)}")
        folded.append(Folded(len(steps) - 1, state, events))
    return Example(game.name, rules, names, tuple(steps), tuple(folded), written["opens_at"])


@cache
def example(game: str) -> Example | None:
    """The worked example of a game, or None where nobody has written one."""
    file = files(__name__) / f"{game}.json"
    return read(file.read_bytes()) if file.is_file() else None


@cache
def _frames(game: str, viewer: Viewer) -> tuple[Frame, ...]:
    found, played = example(game), find_game(game)
    assert found is not None
    return tuple(Frame(one.step, played.view(one.state, viewer), heard(one.events, viewer)) for one in found.folded)


@cache
def _noted(game: str, viewer: Viewer) -> Insight:
    found = example(game)
    assert found is not None
    return insight(game, _frames(game, viewer), found.steps)


def example_replay(*, game: str, key: str = "everything", step: int | None = None) -> Replay:
    """What ``key`` sees of a game's worked example at ``step``; None is where the rules' page begins.

    Raises:
        NoSuchStep: there is no such step, or nobody is called so; or the game has no example.
    """
    found = example(game)
    if found is None:
        raise NoSuchStep(game)
    viewer = viewer_of(key, len(found.names))
    at = found.opens_at if step is None else step
    names = tuple(map(gettext, found.names))
    seen, noted = _frames(game, viewer), _noted(game, viewer)
    return replay.shown(course=found, seen=seen, noted=noted, names=names, key=key, at=at)
