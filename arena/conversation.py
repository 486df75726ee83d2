"""A bot's side of the conversation with the arena, without the line: messages in, replies out.

`Conversation` knows what to answer to each message, and outlives a lost line: the bot of a running match and
all that was promised stay with it until the seat is taken again. `arena.dial` carries the messages.
"""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from arena import __version__, chance, wire
from arena.games import find_game
from arena.kit import Bot, BotError, ChoiceError, own_traceback, read_choice
from arena.protocol.v1 import arena_pb2 as pb
from arena.table import MatchEnd, MatchInfo, Played, Promise
from arena.witness import asking

NONCE_BYTES = 16
"""The length of the nonces that the kit draws."""

ReportKind = Literal[
    "connected",
    "series",
    "match",
    "end",
    "voided",
    "fair",
    "unfair",
    "log",
    "bot-error",
    "late",
    "error",
    "series-end",
    "line",
]


class Report(NamedTuple):
    """Something that the author of the bot may want to know."""

    kind: ReportKind
    text: str


Tell = Callable[[Report], None]
"""Where reports go."""


def software() -> str:
    """What this program is built with, for `Hello`."""
    return f"bluff-arena {__version__} python {sys.version.split()[0]}"


class _Match:
    """A match that this process plays, or has played."""

    def __init__(self, info: MatchInfo, bot: Bot) -> None:
        self.info = info
        self.bot = bot
        self.heard = 0
        self.last: pb.Answer | None = None
        self.answers: list[str | None] = []
        self.trouble: list[str] = []
        """What went wrong in the bot since its last answer; it is sent with the next one."""


class Conversation:
    """One bot at one table: `receive` takes a message of the arena and gives the replies to it."""

    def __init__(
        self, make: Callable[[], Bot], *, game: str, token: str, version: str = "", tell: Tell | None = None
    ) -> None:
        """Nothing is said before `hello`.

        Args:
            make: makes the bot of each match.
            game: the code name of the game that it plays.
            token: the bot's token, or the ticket of a hosted process.
            version: the author's own label for this build.
            tell: is called with everything that the author may want to know.
        """
        self.game = find_game(game)
        self.session = ""
        """Takes the seat back after a lost line; empty before the first Welcome."""
        self.name = ""
        """The name that the bot has on the site, once it is welcome."""
        self.welcomed = False
        """Whether the present line was accepted."""
        self.over = False
        """The series has ended."""
        self.seated = False
        """A table has been found, and its series is not over yet: to leave now would cost the match."""
        self.error: pb.Error | None = None
        """The error that the arena reported last on this line, if nothing came after it."""
        self.unfair: list[str] = []
        """What did not fit at the revealing of a block. Empty as long as all is fair."""
        self.matches = 0
        """Matches that have ended for this seat."""
        self.nonces: Callable[[], bytes] = lambda: secrets.token_bytes(NONCE_BYTES)
        """Draws a nonce. Only an example has another way."""
        self._make = make
        self._token = token
        self._version = version
        self._tell: Tell = tell or (lambda report: None)
        self._series: set[str] = set()
        self._nonces: dict[str, bytes] = {}
        self._promises: dict[str, Promise] = {}
        self._block = ""
        self._played: dict[str, list[_Match]] = {}
        self._ended: set[str] = set()
        self._match: _Match | None = None

    def hello(self) -> pb.PlayRequest:
        """The first message of a new line; after a lost one it asks for the old seat."""
        self.error = None
        self.welcomed = False
        return pb.PlayRequest(
            hello=pb.Hello(
                token=self._token,
                game=self.game.name,
                version=self._version,
                software=software(),
                resume=self.session,
            )
        )

    def forget_session(self) -> None:
        """The old seat is lost for good; the next `hello` asks for a new one."""
        self.session = ""
        self.seated = False
        self._match = None

    def receive(self, message: pb.PlayResponse) -> list[pb.PlayRequest]:
        """What to say to ``message``. A message of an unknown kind is passed over."""
        which = message.WhichOneof("message")
        if which is None:
            return []
        self.error = None
        replies: list[pb.PlayRequest] = getattr(self, f"_on_{which}")(getattr(message, which))
        return replies

    @property
    def match(self) -> str:
        """The name of the match that is on; empty between matches."""
        match = self._match
        return match.info.match if match is not None else ""

    # ---- coming and going --------------------------------------------------------------------------

    def _on_welcome(self, welcome: pb.Welcome) -> list[pb.PlayRequest]:
        again = bool(self.session) and welcome.session == self.session
        self.welcomed = True
        self.session, self.name = welcome.session, welcome.bot
        back = " again, at the same table" if again else ""
        version = f" ({welcome.version[:19]})" if welcome.version else ""
        self._say("connected", f"connected{back} as {welcome.bot}{version}; waiting for a table")
        if welcome.notice:
            self._say("connected", welcome.notice)
        return []

    def _on_series_start(self, series: pb.SeriesStart) -> list[pb.PlayRequest]:
        self.seated = True
        names = ", ".join(player.bot for player in series.players)
        count = "1 match" if series.matches == 1 else f"{series.matches} matches"
        self._say("series", f"{series.series or 'a table'}: {count} of {names}")
        return []

    def _on_series_end(self, end: pb.SeriesEnd) -> list[pb.PlayRequest]:
        self.over = True
        self.seated = False
        self._say("series-end", end.message or "the series is over")
        return []

    def _on_error(self, error: pb.Error) -> list[pb.PlayRequest]:
        self.error = error
        self._say("error", error.message or f"the arena reports error {error.code}")
        return []

    # ---- the luck of a block -----------------------------------------------------------------------

    def _on_block_opening(self, opening: pb.BlockOpening) -> list[pb.PlayRequest]:
        # asked again after a lost line, it is the same nonce: the arena may know its hash already
        nonce = self._nonces.setdefault(opening.block, self.nonces())
        return [pb.PlayRequest(nonce_hash=pb.NonceHash(hash=chance.digest(nonce)))]

    def _on_block_commitment(self, told: pb.BlockCommitment) -> list[pb.PlayRequest]:
        nonce = self._nonces.get(told.block)
        promise = Promise(told.commitment, tuple(told.nonce_hashes), nonce)
        earlier = self._promises.setdefault(told.block, promise)
        self._block = told.block
        if earlier != promise:
            self._unfair(told.block, ["its commitment was changed after it had been given"])
        if nonce is not None and chance.digest(nonce) not in promise.hashes:
            self._unfair(told.block, ["the hash of this bot's nonce is not among those of the table"])
        return [pb.PlayRequest(nonce=pb.Nonce(nonce=nonce or b""))] if told.send_nonce else []

    def _on_block_reveal(self, reveal: pb.BlockReveal) -> list[pb.PlayRequest]:
        promise = self._promises.pop(reveal.block, None)
        own = self._nonces.pop(reveal.block, None)
        matches = self._played.pop(reveal.block, [])
        if promise is None:
            # an earlier process of this seat, or an earlier line, was told; nothing to compare with here
            return []
        played = [
            Played(m.info.match, m.info.seat, m.info.ruleset, tuple(m.answers))
            for m in matches
            if m.info.match in self._ended
        ]
        # imported only where it is needed: a hosted bot's process ends before there is anything to check
        from arena.fairness import differences

        found = differences(
            promise._replace(own=own), seed=reveal.seed, nonces=reveal.nonces, records=reveal.records, played=played
        )
        if found:
            self._unfair(reveal.block, found)
        else:
            count = len(reveal.records)
            self._say("fair", f"the luck of {count} match{'es' if count != 1 else ''} is as it was committed to")
        return []

    def _unfair(self, block: str, found: list[str]) -> None:
        self.unfair += [f"block {block}: {difference}" for difference in found]
        for difference in found:
            self._say("unfair", f"NOT FAIR: block {block}: {difference}")

    # ---- a match -----------------------------------------------------------------------------------

    def _on_match_start(self, start: pb.MatchStart) -> list[pb.PlayRequest]:
        try:
            info, so_far = wire.match_start_from_proto(start)
        except wire.WireError as error:
            self._match = None
            self._say("error", f"match {start.match} cannot be played: {error}")
            return [pb.PlayRequest(ready=pb.Ready(match=start.match))]
        match = self._match
        if match is None or match.info.match != info.match:
            try:
                match = _Match(info, self._make())
            except BotError as error:
                self._match = None
                self._say("bot-error", str(error))
                return [pb.PlayRequest(ready=pb.Ready(match=start.match))]
            self._match = match
            self._played.setdefault(self._block, []).append(match)
            names = ", ".join(player.bot for player in info.players)
            self._say("match", f"{info.match} begins: {names}; this bot has seat {info.seat}")
            self._guard(match, match.bot.on_start, info)
        for event in so_far[match.heard :]:
            self._hear(match, event)
        return [pb.PlayRequest(ready=pb.Ready(match=start.match))]

    def _on_question(self, asked: pb.Question) -> list[pb.PlayRequest]:
        match = self._match
        if match is None:
            return [_silence(asked.decision, "there is no bot for this match; what went wrong was said at its start")]
        if match.last is not None and match.last.decision == asked.decision:
            # asked again after a lost line: the bot has decided already
            return [pb.PlayRequest(answer=match.last)]
        try:
            question = wire.question_from_proto(self.game, asked, seat=match.info.seat, rules=match.info.ruleset)
        except wire.WireError as error:
            self._say("error", f"a question that cannot be understood: {error}")
            match.answers.append(None)
            silence = _silence(asked.decision, str(error))
            match.last = silence.answer
            return [silence]
        for event in question.events:
            self._hear(match, event)
        move = self._choose(match, question.view)
        match.answers.append(None if move is None else self.game.write(move))
        lines = (*map(_sayable, match.trouble), *match.bot.take_log())
        match.trouble.clear()
        for line in lines:
            self._say("log", line)
        match.last = wire.answer_to_proto(self.game, asked.decision, move, lines)
        return [pb.PlayRequest(answer=match.last)]

    def _choose(self, match: _Match, view: Any) -> Any | None:
        """The bot's move, or None with the reason in the trouble list; a hook that failed before is reason enough."""
        if match.trouble:
            return None
        try:
            with asking(self.name):
                choice = match.bot.choose(view)
            return read_choice(self.game, choice, view.legal)
        except ChoiceError as error:
            match.trouble.append(str(error))
            self._say("bot-error", str(error))
        except Exception as error:  # noqa: BLE001  # the bot's own failure, whatever it is, is its author's to see
            self._trouble(match, error)
        return None

    def _on_match_end(self, end: pb.MatchEnd) -> list[pb.PlayRequest]:
        match = self._match
        if match is None or match.info.match != end.match:
            return []
        self._match = None
        try:
            told = wire.match_end_from_proto(self.game, end)
        except wire.WireError as error:
            self._say("error", f"the end of {end.match} cannot be understood: {error}")
            return []
        for event in told.events:
            self._hear(match, event)
        self._guard(match, match.bot.on_end, told)
        for line in match.bot.take_log():
            self._say("log", line)
        self.matches += 1
        if told.voided:
            self._say("voided", f"{told.match} was broken off and counts for nobody: {told.voided}")
            self._played.get(self._block, []).remove(match)
        else:
            self._ended.add(told.match)
            self._say("end", _summary(told, match.info.seat))
        return []

    def _hear(self, match: _Match, event: Any) -> None:
        match.heard += 1
        self._guard(match, match.bot.on_event, event)

    def _guard(self, match: _Match, hook: Callable[[Any], None], value: Any) -> None:
        """Call a hook of the bot. If it fails, the next question is answered with the traceback and no move."""
        try:
            with asking(self.name):
                hook(value)
        except Exception as error:  # noqa: BLE001  # as for choose
            self._trouble(match, error)

    def _trouble(self, match: _Match, error: Exception) -> None:
        text = own_traceback(error, frames=8)
        if not match.trouble:  # what follows from the first failure would only bury it
            match.trouble.append(text[-2000:])
        self._say("bot-error", text)

    def _say(self, kind: ReportKind, text: str) -> None:
        self._tell(Report(kind, _sayable(text)))


def _sayable(text: str) -> str:
    """Without halves of characters, which an exception may bring along and which no message and no terminal can say."""
    return text.encode(errors="replace").decode()


def _silence(decision: int, reason: str) -> pb.PlayRequest:
    """An answer without a move, which is a fault; the author finds the reason with the match."""
    return pb.PlayRequest(answer=pb.Answer(decision=decision, log=[_sayable(reason)]))


def _summary(end: MatchEnd, seat: int) -> str:
    faults = "".join(f"; {fault.kind}: {fault.detail}" for fault in end.faults)
    if end.outcome is None:
        return f"{end.match}: this bot is off the table{faults}"
    places = end.outcome.places
    return f"{end.match}: place {places[seat]} of {len(places)}{faults}"
