"""A seat that plays from a script, for tests: fake players ship beside the port that they fill."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from arena.rules import AnyGame
from arena.table import MatchEnd, MatchInfo, Question

Act = Callable[[Question], Awaitable[Any]]
"""Decides like a player: takes its time on whatever clock, returns a move, or raises a `SeatFault`."""


class ScriptedSeat:
    """Plays the given moves one after the other: a text is a move, a function is called with the question.

    When the script ends it plays the first legal move. ``questions`` and ``ends`` keep what it was told.
    """

    present = True

    def __init__(self, game: AnyGame, script: Iterable[str | Act] = (), *, immediate: bool = True) -> None:
        self.game = game
        self.script = list(script)
        self.immediate = immediate
        self.infos: list[MatchInfo] = []
        self.questions: list[Question] = []
        self.ends: list[MatchEnd] = []

    async def start(self, info: MatchInfo) -> None:
        """Notes what it is told; is ready at once."""
        self.infos.append(info)

    async def ask(self, question: Question) -> Any:
        """The next line of the script."""
        self.questions.append(question)
        if not self.script:
            return question.view.legal[0]
        line = self.script.pop(0)
        if isinstance(line, str):
            return self.game.parse(line)
        return await line(question)

    async def end(self, end: MatchEnd) -> None:
        """Notes what it is told."""
        self.ends.append(end)


async def never(_question: Question) -> Any:
    """An act for scripts: says nothing, for ever."""
    await asyncio.Event().wait()
