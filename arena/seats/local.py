"""A seat for a bot that lives in this process."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from arena import chance
from arena.referee import Unreadable
from arena.rules import AnyGame, Event
from arena.table import MatchEnd, MatchInfo, Question


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

    A bot that never returns keeps its thread for ever (Python cannot stop one); it is a daemon thread, so that it
    does not keep the process.
    """

    present = True

    def __init__(
        self,
        game: AnyGame,
        bot: LocalBot,
        *,
        read_choice: Callable[[AnyGame, object], Any],
        nonce: bytes = b"",
        timed: bool = False,
    ) -> None:
        self.game = game
        self.bot = bot
        self.read_choice = read_choice
        self.nonce = nonce
        self.immediate = not timed

    async def start(self, info: MatchInfo) -> None:
        """Calls ``on_start``."""
        await self._run(lambda: self.bot.on_start(info), "on_start")

    async def ask(self, question: Question) -> Any:
        """Calls ``on_event`` for each event, then ``choose``."""

        def think() -> object:
            for event in question.events:
                self.bot.on_event(event)
            return self.bot.choose(question.view)

        choice = await self._run(think, "choose")
        try:
            return self.read_choice(self.game, choice)
        except Exception as failure:
            raise Unreadable(str(failure)) from failure

    async def end(self, end: MatchEnd) -> None:
        """Calls ``on_event`` for each event, then ``on_end``; what goes wrong in there changes nothing any more."""

        def finish() -> None:
            for event in end.events:
                self.bot.on_event(event)
            self.bot.on_end(end)

        if not self.immediate:
            return await self._finish_in_thread(finish)
        try:
            finish()
        except Exception:  # noqa: BLE001  # a stranger's code, and the match is over
            return None

    async def commit(self, block: str) -> bytes:
        """The hash of the nonce that it was made with."""
        return chance.digest(self.nonce)

    async def reveal(self, block: str, commitment: bytes, hashes: Sequence[bytes]) -> bytes:
        """That nonce."""
        return self.nonce

    async def _run(self, call: Callable[[], Any], where: str) -> Any:
        try:
            return call() if self.immediate else await _in_thread(call)
        except Exception as failure:
            raise Unreadable(f"{where} raised {type(failure).__name__}: {failure}") from failure

    async def _finish_in_thread(self, finish: Callable[[], None]) -> None:
        async def bounded() -> None:
            await asyncio.wait_for(_in_thread(finish), 1.0)

        await asyncio.gather(bounded(), return_exceptions=True)


async def _in_thread(call: Callable[[], Any]) -> Any:
    """Run ``call`` in a new daemon thread; giving up waiting for it leaves the thread alone."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Any] = loop.create_future()

    def settle(result: Any, failure: BaseException | None) -> None:
        if done.done():
            return
        if failure is None:
            done.set_result(result)
        else:
            done.set_exception(failure)

    def work() -> None:
        result, failure = None, None
        try:
            result = call()
        except Exception as raised:  # noqa: BLE001  # handed to who waits
            failure = raised
        try:
            loop.call_soon_threadsafe(settle, result, failure)
        except RuntimeError:
            return  # the loop is closed: nobody waits any more

    threading.Thread(target=work, daemon=True, name="bot").start()
    return await done
