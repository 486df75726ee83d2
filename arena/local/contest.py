"""What is to be played, and with which luck: a plan from which every match follows, in whatever process.

All luck comes from one seed. A run without a seed of its own draws one, so that there is one way of playing.
"""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Iterator, Sequence
from itertools import chain, count
from pathlib import Path
from typing import NamedTuple

from arena import chance
from arena.package import PackageError, read_folder
from arena.pairing import seat_orders
from arena.rules import Ruleset
from arena.siblings import ENTRY
from arena.table import Limits, Penalty, Player


class ContestError(Exception):
    """Something that cannot be played. The message is for the person who asked for it."""


class Absent(ContestError):
    """A program that was started did not take part: it never dialled in, or lost its line between two matches."""


class Entrant(NamedTuple):
    """One of the bots that play: a file, or a command that starts a program."""

    name: str
    """Its own at this table: two copies of a bot have different ones."""
    path: Path | None
    command: str | None
    version: str

    @property
    def player(self) -> Player:
        """As it is told to the others, and recorded."""
        return Player(self.name, self.version)


class Contest(NamedTuple):
    """Everything that is settled before the first match. It can be sent to another process."""

    rules: Ruleset
    entrants: tuple[Entrant, ...]
    matches: int
    seed: bytes
    limits: Limits | None
    penalty: Penalty

    @property
    def launches(self) -> bool:
        """Does a program of its own take part? What it does cannot be repeated by a seed."""
        return any(entrant.command is not None for entrant in self.entrants)


class Fixture(NamedTuple):
    """One match of a contest."""

    number: int
    """From 0, over the whole contest."""
    block: int
    order: tuple[int, ...]
    """Which entrant sits on each seat."""
    dice: int | None = None
    """The match whose dice each seat's bot rolls; None for its own."""


def exchanged_orders(players: int) -> list[tuple[int, ...]]:
    """The orders of the seats of a block that compares the first two entrants.

    Every rotation, and next to each the same with these two exchanged: two copies of a bot without dice score the
    same in it, at tables of any size.
    """
    rotated = seat_orders(players, 1)
    swap = {0: 1, 1: 0}
    both = [order for one in rotated for order in (one, tuple(swap.get(entrant, entrant) for entrant in one))]
    return list(dict.fromkeys(both))


def exchanged_blocks(players: int, most: int | None) -> Iterator[tuple[Fixture, ...]]:
    """Blocks with `exchanged_orders`: as many whole ones as ``most`` matches allow, or without end.

    In the two matches between which only these two are exchanged, whoever sits on a seat rolls the same dice of his
    own. That makes no match different by itself, and the better of the two easier to tell.
    """
    orders = exchanged_orders(players)
    for block in count() if most is None else range(most // len(orders)):
        first = block * len(orders)
        yield tuple(
            Fixture(first + offset, block, order, dice=first + offset - offset % 2)
            for offset, order in enumerate(orders)
        )


def blocks(contest: Contest) -> Iterator[tuple[Fixture, ...]]:
    """The blocks of ``contest``: matches with the same luck and the seats changed. The last one may be short."""
    orders = seat_orders(len(contest.entrants), contest.matches)
    for block, first in enumerate(range(0, contest.matches, len(orders))):
        some = orders[: contest.matches - first]
        yield tuple(Fixture(first + offset, block, order) for offset, order in enumerate(some))


def block_seed(contest: Contest, block: int) -> bytes:
    """The house's secret of a block."""
    return chance.derive(contest.seed, "block", block, 0)


def nonce(contest: Contest, block: int, entrant: int) -> bytes:
    """The nonce of an entrant in a block."""
    return chance.derive(contest.seed, "nonce", block, entrant)[:16]


def bot_seed(contest: Contest, match: int, seat: int) -> bytes:
    """What a bot's own dice come from."""
    return chance.derive(contest.seed, "bot", match, seat)


def global_seed(contest: Contest, match: int) -> bytes:
    """What Python's global dice are set to for a match; bots that are functions may use them."""
    return chance.derive(contest.seed, "global", match, 0)


def match_name(contest: Contest, match: int) -> str:
    """The identifier of a match."""
    return f"m-{chance.derive(contest.seed, 'match', match, 0)[:8].hex()}"


# ---- entrants ------------------------------------------------------------------------------------


def find_entrants(words: Sequence[str], house: dict[str, Path]) -> tuple[Entrant, ...]:
    """The bots that ``words`` name: a house bot, a ``.py`` file, a folder, or ``cmd:`` and a command.

    Raises:
        ContestError: a word names none of these.
    """
    entrants: list[Entrant] = []
    for word in words:
        entrant = _entrant(word, house)
        taken = {other.name for other in entrants}
        copies = (f"{entrant.name} ({number})" for number in count(2))
        name = next(name for name in chain([entrant.name], copies) if name not in taken)
        entrants.append(entrant._replace(name=name))
    return tuple(entrants)


def _entrant(word: str, house: dict[str, Path]) -> Entrant:
    if word.startswith("cmd:"):
        command = word.removeprefix("cmd:").strip()
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise ContestError(f"{word}: this command cannot be read: {error}") from error
        if not words:
            raise ContestError("cmd: needs the command that starts the bot behind it")
        return Entrant(Path(words[-1]).stem, None, command, _version(command.encode()))
    path = house.get(word, Path(word))
    if word not in house and path.is_dir():
        try:
            return Entrant(path.absolute().name, path / ENTRY, None, read_folder(path).digest)
        except PackageError as error:
            raise ContestError(f"{path}: {error}") from error
    if word not in house and path.suffix != ".py":
        raise ContestError(
            f"there is no house bot {word!r}; there are: {', '.join(house) or 'none'}. "
            "A bot may also be a .py file, a folder or a .zip with bot.py in it, or cmd: and the command that starts it"
        )
    try:
        source = path.read_bytes()
    except OSError as error:
        raise ContestError(f"{path}: {error.strerror or error}") from error
    return Entrant(path.stem, path, None, _version(source))


def _version(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"
