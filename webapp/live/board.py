"""The channel of a series as spectators see it: one picture of the table, drawn once for each language.

What arrives are frames of what the public saw (`webapp.live.table`). Whoever is behind is sent the newest picture, not
those in between; so one that comes late, or reads slowly, is as far as everybody else at once.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.template.loader import render_to_string
from django.utils import translation

from arena.rules import MatchEnded
from arena.verify import Frame
from webapp.live import frames
from webapp.live.hub import START, Channel, Entry, Id
from webapp.matches.replay import UNNOTED, shown, told_apart

log = logging.getLogger(__name__)

REST = 2
"""After a picture was drawn, so many times as long as that took nothing is drawn for its series."""

LONGEST_REST = 0.3
"""But no longer: the first picture of a process takes its time."""


COARSE_MS = 1000
"""Numbers tell the moment of a message to the millisecond; spectators are told them so coarsely."""


class Course(NamedTuple):
    """A running match as the story reads it: its steps are written down only when it is over."""

    game: str
    steps: tuple[()] = ()


class _Match(NamedTuple):
    """What a ``match`` says."""

    match: str
    game: str
    number: int
    planned: int
    bots: tuple[str, ...]


class Board(Channel):
    """The running match of a series, and whether its page has changed."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._match: _Match | None = None
        self._texts: list[bytes] = []
        self._seen: list[Frame] = []
        self._end = ""
        self._newest: Id = START
        """The newest message that changes the picture."""
        self._changed: Id = START
        self._pictures: dict[str, tuple[Id, bytes]] = {}
        self._drawing: dict[str, asyncio.Task[bool]] = {}
        self._rested: dict[str, float] = {}

    def told_as(self, number: Id) -> Id:
        """Rounded down: how long somebody thought is not to be read off it, and who comes back misses nothing."""
        return number[0] // COARSE_MS * COARSE_MS, 0

    def keep(self, entry: Entry) -> None:
        """Take in one message."""
        if entry.kind == "changed":
            self._changed = entry.id
            return
        if entry.kind == "match":
            said = json.loads(entry.data)
            self._match = _Match(**{**said, "bots": told_apart(said["bots"])})
            self._texts, self._seen, self._end = [], [], ""
        elif entry.kind == "frame":
            number, _, text = entry.data.partition(b" ")
            if int(number) > len(self._texts):
                self._match = None  # something is missing: nothing is shown until the next match
            elif int(number) == len(self._texts):
                self._texts.append(text)
        elif entry.kind == "end":
            self._end = entry.data.decode()
        self._newest = entry.id

    async def after(self, place: Id, language: str) -> list[Entry]:
        """The picture, and that the page has changed, where a spectator at this place does not know it yet."""
        found = []
        if self._changed > place:
            found.append(Entry(self._changed, "changed", b""))
        if self._newest > place:
            found += await self._picture(language)
        return sorted(found)

    async def _picture(self, language: str) -> list[Entry]:
        """What is known now, or newer; all who wait for one language wait for the same picture."""
        wanted = self._newest
        while self._pictures.get(language, (START, b""))[0] < wanted:
            task = self._drawing.get(language)
            if task is None or task.done():
                task = self._drawing[language] = asyncio.create_task(self._draw(language))
            if not await asyncio.shield(task):
                return []
        return [Entry(self._pictures[language][0], "table", self._pictures[language][1])]

    async def _draw(self, language: str) -> bool:
        await asyncio.sleep(self._rested.get(language, 0) - time.monotonic())
        match, newest, end = self._match, self._newest, self._end
        if match is None or not self._texts:
            return False
        began = time.monotonic()
        self._seen += [frames.read(match.game, text) for text in self._texts[len(self._seen) :]]
        drawn = await asyncio.to_thread(draw, match, tuple(self._seen), end, language)
        self._rested[language] = time.monotonic() + min(LONGEST_REST, REST * (time.monotonic() - began))
        self._pictures[language] = newest, drawn
        return True


def draw(match: _Match, seen: Sequence[Frame], end: str, language: str) -> bytes:
    """The table and the story so far, as a piece of a page."""
    with translation.override(language):
        try:
            course = Course(match.game)
            replay = shown(course=course, seen=seen, noted=UNNOTED, names=match.bots, key="public", at=len(seen) - 1)
        except Exception:
            # a spectator's page must not take the stream of all others along
            log.exception("a table of %s could not be drawn", match.game)
            replay = None
        over = end == "whole" or any(isinstance(event, MatchEnded) for event in _events(seen[-1:]))
        context = {"match": match, "replay": replay, "over": over, "void": end == "void", "written": end == "whole"}
        return render_to_string("live/table.html", context).encode()


def _events(seen: Iterable[Frame]) -> list[object]:
    return [event for frame in seen for event in frame.events]
