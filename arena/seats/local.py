"""A seat for a bot that lives in this process."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from arena import chance
from arena.referee import Unreadable
from arena.rules import AnyGame, Event
from arena.table import MatchEnd, MatchInfo, Question

PARTING_SECONDS = 1.0
"""How long a bot with a thread of its own may hold up the end of its match."""


class LocalBot(Protocol):
    """What a bot in this process has to offer; `arena.kit.Bot` does."""

    def on_start(self, match: MatchInfo) -> None:
        """A match begins."""

    def on_event(self, event: Event) -> None:
        """Something was perceived."""

    def choose(self, view: Any) -> Any:
        """Its move, or the text of one."""

    def on_end(self, end: MatchEnd) -> None:
        """The match is over."""


class LocalSeat:
    """Asks a bot directly; with a time limit in a thread of its own, so that the deadline holds while it thinks.

    That thread asks it one thing after the other: what comes while it still thinks about an earlier question waits.
    A bot that never returns keeps its thread for ever (Python cannot stop one); it is a daemon thread, so that it
    does not keep the process.
    """

    present = True

    def __init__(
        self,
        game: AnyGame,
        bot: LocalBot,
        *,
        read_choice: Callable[[AnyGame, object, Sequence[Any]], Any],
        nonce: bytes = b"",
        timed: bool = False,
    ) -> None:
        self.game = game
        self.bot = bot
        self.read_choice = read_choice
        self.nonce = nonce
        self.immediate = not timed
        self._thread: _Thread | None = None

    async def start(self, info: MatchInfo) -> None:
        """Calls ``on_start``."""
        await self._run(lambda: self.bot.on_start(info), "on_start")

    async def ask(self, question: Question) -> Any:
        """Calls ``on_event`` for each event, then ``choose``."""

        def think() -> Any:
            for event in question.events:
                self.bot.on_event(event)
            choice = self.bot.choose(question.view)
            try:
                return self.read_choice(self.game, choice, question.view.legal)
            except Exception as failure:  # noqa: BLE001  # told apart from what the bot raises
                return _Failure(failure, str(failure))

        read = await self._run(think, "choose")
        if isinstance(read, _Failure):
            raise Unreadable(read.text) from read.cause
        return read

    async def end(self, end: MatchEnd) -> None:
        """Calls ``on_event`` for each event, then ``on_end``; what goes wrong in there changes nothing any more."""

        def finish() -> None:
            for event in end.events:
                self.bot.on_event(event)
            self.bot.on_end(end)

        if self.immediate:
            _tried(finish)
            return
        thread, self._thread = self._thread or _Thread(), None
        finishing = asyncio.ensure_future(thread.run(finish))
        await asyncio.wait({finishing}, timeout=PARTING_SECONDS)
        finishing.cancel()
        thread.end()

    async def commit(self, block: str) -> bytes:
        """The hash of the nonce that it was made with."""
        return chance.digest(self.nonce)

    async def reveal(self, block: str, commitment: bytes, hashes: Sequence[bytes]) -> bytes:
        """That nonce."""
        return self.nonce

    async def _run(self, call: Callable[[], Any], where: str) -> Any:
        if self.immediate:
            result = _tried(call)
        else:
            self._thread = self._thread or _Thread()
            result = await self._thread.run(call)
        if type(result) is _Failed:
            failure = result.failure
            raise Unreadable(f"{where} raised {type(failure.cause).__name__}: {failure.text}") from failure.cause
        return result


class _Failure(NamedTuple):
    """An exception, and what it says: even to ask it for that runs a stranger's code."""

    cause: BaseException
    text: str


class _Failed(NamedTuple):
    """Comes in place of a result."""

    failure: _Failure


def _tried(call: Callable[[], Any]) -> Any:
    """What ``call`` returns, or how it `_Failed`. A stranger's code may raise anything; only Ctrl-C is a person's."""
    try:
        return call()
    except KeyboardInterrupt:
        raise
    except BaseException as cause:  # noqa: BLE001  # SystemExit among them: a bot cannot end our process
        return _Failed(_Failure(cause, _text(cause)))


def _text(cause: BaseException) -> str:
    try:
        return str(cause)
    except Exception:  # noqa: BLE001  # its __str__ is the stranger's too
        return "(it cannot be printed)"


class _Thread:
    """A daemon thread that makes calls, one after the other, until it is told to end."""

    def __init__(self) -> None:
        self._calls: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        threading.Thread(target=self._work, daemon=True, name="bot").start()

    async def run(self, call: Callable[[], Any]) -> Any:
        """What ``call`` returns, or how it `_Failed`. Cancelled, ``call`` is made all the same."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Any] = loop.create_future()

        def settle(result: Any) -> None:
            if not done.done():
                done.set_result(result)

        def work() -> None:
            try:
                result = _tried(call)
            except KeyboardInterrupt as raised:  # in a thread it is the bot's own
                result = _Failed(_Failure(raised, _text(raised)))
            try:
                loop.call_soon_threadsafe(settle, result)
            except RuntimeError:
                return  # the loop is closed: nobody waits any more

        self._calls.put(work)
        return await done

    def end(self) -> None:
        """Make the calls that wait, and then no more."""
        self._calls.put(None)

    def _work(self) -> None:
        while (call := self._calls.get()) is not None:
            call()
