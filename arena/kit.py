"""What the author of a bot imports: everything between a choice and the arena.

A bot is a class or a function in a file of its own::

    from arena.kit import Bot

    class Brave(Bot):
        game = "three_coins"

        def choose(self, view):
            return view.legal[-1]

or shorter still, ``GAME = "three_coins"`` and a function ``choose(view)``. A bot of several files is a folder with
``bot.py`` in it, which imports the modules beside it by their plain names. ``arena play`` runs it, ``arena submit``
hands it in to be run by a site, and ``arena connect`` plays it from the author's own machine. Everywhere each match
is played by a new bot, so that nothing is remembered from one match to the next.
"""

from __future__ import annotations

import os
import random
import threading
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, ClassVar

from arena.games import GAMES
from arena.rules import AnyGame, MoveTextError
from arena.siblings import ENTRY, Folder
from arena.table import MatchEnd, MatchInfo

__all__ = ["Bot", "BotError", "BotFactory", "ChoiceError", "load_bot", "own_traceback", "read_choice"]

_ARENA = str(Path(__file__).parent) + os.sep

LOG_BYTES = 4096
"""As much of its log as is kept with each of a bot's answers, in bytes."""


class BotError(Exception):
    """A file out of which no bot can be made. The message is written for its author."""


class ChoiceError(ValueError):
    """What a bot chose is no move of the game at all. The message is written for its author."""


class Bot:
    """A player of one game. Set ``game`` and write ``choose``; the other methods are there to be overridden.

    The same object plays one match. It is asked by one thread, one thing at a time.
    """

    game: ClassVar[str] = ""
    """The code name of the game that this bot plays."""

    random: random.Random
    """Dice of the bot's own. ``arena play --seed`` seeds them, so that a run can be repeated."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Bot:
        """Prepared here, so that a bot's own ``__init__`` need not call this class's."""
        bot = super().__new__(cls)
        bot.random = random.Random()  # noqa: S311  # a bot's dice are no secret
        bot.__dict__["_log_lines"] = []
        bot.__dict__["_log_left"] = LOG_BYTES
        return bot

    def choose(self, view: Any) -> Any:
        """The move to make in this position: one of ``view.legal``, or its text such as ``"bid 4"``."""
        raise NotImplementedError(f"{type(self).__name__} has no method choose(self, view)")

    def on_start(self, match: MatchInfo) -> None:
        """A match begins; ``match`` tells the seat, the other players and the rules."""

    def on_event(self, event: Any) -> None:
        """Something happened that this seat perceived. All of it arrives here, before the next question."""

    def on_end(self, end: MatchEnd) -> None:
        """The match is over for this seat."""

    def log(self, *words: object) -> None:
        """Write a line for the author's eyes, kept with the match; at most 4 KiB between two answers."""
        left: int = self.__dict__["_log_left"]
        if left <= 0:
            return
        line = " ".join(map(str, words)).encode(errors="replace")[:left].decode(errors="ignore")
        self.__dict__["_log_lines"].append(line)
        self.__dict__["_log_left"] = left - len(line.encode()) - 1

    def take_log(self) -> tuple[str, ...]:
        """The lines logged since the last call. For whoever runs the bot."""
        lines = self.__dict__["_log_lines"]
        if not lines:
            return ()
        self.__dict__["_log_lines"] = []
        self.__dict__["_log_left"] = LOG_BYTES
        return tuple(lines)


class FunctionBot(Bot):
    """A bot that is a function ``choose(view)``."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        """Asks ``function``."""
        self.function = function

    def choose(self, view: Any) -> Any:
        """What the function says."""
        return self.function(view)


def read_choice(game: AnyGame, choice: object, legal: Sequence[Any] = ()) -> Any:
    """The move that a bot's ``choice`` means: a move of the game, or its text. Legal or not is another question.

    Args:
        game: the game that is played.
        choice: whatever ``choose`` returned.
        legal: the legal moves, where they are known; only makes the usual case faster.

    Raises:
        ChoiceError: it is no move of the game.
    """
    if isinstance(choice, tuple) and choice in legal:
        return legal[legal.index(choice)]
    if choice is None:
        raise ChoiceError("choose returned nothing (None); return one of view.legal, or the text of a move")
    try:
        text = choice if isinstance(choice, str) else game.write(choice)
        return game.parse(text)
    except MoveTextError as error:
        raise ChoiceError(f"choose returned {_short(choice)}: {error}") from error
    except Exception as error:
        raise ChoiceError(f"choose returned {_short(choice)}, which is no move of {game.title}") from error


def _short(value: object) -> str:
    """``value`` in an error message, whatever it is."""
    try:
        text = ascii(value)
    except Exception:  # noqa: BLE001  # even its repr is the author's
        text = f"a {type(value).__name__}"
    return text if len(text) <= 80 else text[:80] + "..."


# ---- bots from files -----------------------------------------------------------------------------


class BotFactory:
    """Makes the bot of a file. Each call runs the file anew, so that no bot shares anything with an earlier one."""

    def __init__(self, path: Path, code: CodeType) -> None:
        """Use `load_bot`."""
        self.path = path
        self.name = path.stem
        self.game = ""
        self._code = code
        self._folder = Folder(path)
        self._lock = threading.Lock()
        self._unused: ModuleType | None = None

    def __call__(self) -> Bot:
        """A new bot.

        Raises:
            BotError: the file, or the bot's own ``__init__``, failed.
        """
        with self._lock:
            module = self._unused or self._run()
            self._unused = None
            make = self._find(module)
            try:
                return make()
            except Exception as error:
                raise BotError(f"{_place(self.path, error)}: the bot cannot be made: {_say(error)}") from error

    def load(self) -> None:
        """Run the file and look for its bot; the next bot is made from this run.

        Raises:
            BotError: as a call.
        """
        module = self._run()
        self._find(module)
        self._unused = module

    def _run(self) -> ModuleType:
        module = self._folder.module()
        try:
            exec(self._code, module.__dict__)  # noqa: S102  # to run the author's file is what is asked for
        except (Exception, SystemExit) as error:
            raise BotError(f"{_place(self.path, error)}: {_say(error)}") from error
        return module

    def _find(self, module: ModuleType) -> Callable[[], Bot]:
        """The one bot in ``module``; sets ``game``."""
        own = [
            value
            for value in vars(module).values()
            if isinstance(value, type) and issubclass(value, Bot) and value.__module__ == module.__name__
        ]
        classes = [c for c in own if not any(other is not c and issubclass(other, c) for other in own)]
        function = vars(module).get("choose")
        found = [f"class {c.__name__}" for c in classes] + (["function choose"] if callable(function) else [])
        if len(found) > 1:
            raise BotError(f"{self.path}: there is more than one bot in this file: {', '.join(found)}")
        if classes:
            self.game = self._known(getattr(classes[0], "game", None), f'game = "…" in class {classes[0].__name__}')
            return classes[0]
        if callable(function):
            self.game = self._known(vars(module).get("GAME"), 'GAME = "…" beside the function choose')
            return lambda: FunctionBot(function)
        raise BotError(
            f"{self.path}: there is no bot in this file: write a class that inherits arena.kit.Bot, "
            "or GAME and a function choose(view)"
        )

    def _known(self, game: object, where: str) -> str:
        if isinstance(game, str) and game in GAMES:
            return game
        known = ", ".join(GAMES)
        if not game:
            raise BotError(f"{self.path}: which game does this bot play? Write {where}; there are: {known}")
        raise BotError(f"{self.path}: there is no game {_short(game)}; there are: {known}")


def load_bot(path: str | Path, game: str | None = None) -> BotFactory:
    """What makes the bot that is written in the file ``path``.

    Args:
        path: a Python file with one bot in it, or a folder with such a file, ``bot.py``. It may import the modules
            beside it, and finds its other files by its ``__file__``.
        game: the code name of the game that it must play; None for any.

    Raises:
        BotError: the file cannot be read or run, has no bot or several, or its bot plays another game.
    """
    path = Path(path)
    if path.is_dir():
        path /= ENTRY
    try:
        source = path.read_bytes()
    except OSError as error:
        raise BotError(f"{path}: {error.strerror or error}") from error
    try:
        code = compile(source, str(path), "exec", dont_inherit=True)
    except SyntaxError as error:
        line = f":{error.lineno}" if error.lineno else ""
        raise BotError(f"{path}{line}: syntax error: {error.msg}") from error
    except ValueError as error:
        raise BotError(f"{path}: this is not Python: {error}") from error
    factory = BotFactory(path, code)
    factory.load()
    if game is not None and factory.game != game:
        raise BotError(f"{path}: this bot plays {factory.game}, not {game}")
    return factory


def own_traceback(error: BaseException, *, frames: int | None = None) -> str:
    """The traceback of ``error`` for a bot's author: without the frames that are the arena's own.

    Args:
        error: what was raised.
        frames: at most so many of each part of it, the innermost ones; None for all.
    """
    whole = traceback.TracebackException.from_exception(error)
    part: traceback.TracebackException | None = whole
    while part is not None:
        own = [frame for frame in part.stack if not frame.filename.startswith(_ARENA)]
        part.stack = traceback.StackSummary.from_list(own[-frames:] if frames else own)
        part = part.__cause__ or part.__context__
    return "".join(whole.format()).strip()


def _place(path: Path, error: BaseException) -> str:
    """The last line of the bot's own files that took part in ``error``, with its file."""
    folder = path.absolute().parent
    own = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == str(path) or folder in Path(frame.filename).parents
    ]
    return f"{own[-1].filename}:{own[-1].lineno}" if own else str(path)


def _say(error: BaseException) -> str:
    text = str(error).strip().partition("\n")[0]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
