"""Examples for pictures, played by the rules themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from arena.rules import AnyGame, Drawn, Moved, Ruleset, Viewer, heard
from arena.verify import Frame


def played(
    game: AnyGame,
    rules: Ruleset,
    players: int,
    moves: Sequence[Mapping[int, str]],
    luck: Mapping[str, tuple[int, ...]],
    viewer: Viewer,
) -> tuple[Frame, ...]:
    """What ``viewer`` sees of a match that goes on until ``moves`` (by seat) are made; ``luck`` is drawn, by label."""
    state, events = game.start(rules, players)
    frames = [Frame(-1, game.view(state, viewer), heard(events, viewer))]
    left = list(moves)
    while (due := game.due(state)) is not None or left:
        happening = (
            Drawn(luck[due.label])
            if due is not None
            else Moved({seat: game.parse(text) for seat, text in left.pop(0).items()})
        )
        state, events = game.step(state, happening)
        frames.append(Frame(len(frames) - 1, game.view(state, viewer), heard(events, viewer)))
    return tuple(frames)
