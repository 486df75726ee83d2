"""What the tests of all games' replays need."""

from __future__ import annotations

from collections.abc import Callable
from xml.etree import ElementTree as ET

from arena import record as records
from arena.record import DrawStep, MovesStep, Record
from webapp.matches import replay
from webapp.matches.drawing.svg import Svg


def at(record: Record, key: str, step: int | None = None) -> replay.Replay:
    """What ``key`` is shown at ``step``, by default at the end."""
    return replay.replay(record=record, name=records.name(record), key=key, step=step)


def told(shown: replay.Replay) -> replay.Replay:
    """All that a viewer is shown; a twin made by hand follows from no luck, which is said of its record only."""
    return shown._replace(doubt="")


def pictures(shown: replay.Replay) -> tuple[Svg, ...]:
    return tuple(one for one in (*shown.tables, *shown.signatures, shown.strip) if one)


def with_move(record: Record, step: int, seat: int, text: str) -> Record:
    """A twin in which this seat did something else."""
    changed = record.steps[step]
    assert isinstance(changed, MovesStep)
    return _with_step(record, step, changed._replace(moves={**changed.moves, seat: text}))


def with_draw(record: Record, step: int, got: tuple[int, ...]) -> Record:
    """A twin in which something else was drawn."""
    changed = record.steps[step]
    assert isinstance(changed, DrawStep)
    return _with_step(record, step, changed._replace(got=got))


def _with_step(record: Record, step: int, changed: DrawStep | MovesStep) -> Record:
    return record._replace(steps=(*record.steps[:step], changed, *record.steps[step + 1 :]))


def check_pictures(record: Record, step: int) -> None:
    """They are well-formed, named, and hold no markup in their words, whatever the players are called."""
    for picture in pictures(at(record, "everything", step)):
        root = ET.fromstring(picture)
        assert not any("<" in text for text in root.itertext() if not text.startswith("<b"))
        assert root.get("aria-label")


def renamed(record: Record, name: Callable[[str], str]) -> Record:
    """The same match of players with other names."""
    return record._replace(players=tuple(line._replace(bot=name(line.bot)) for line in record.players))
