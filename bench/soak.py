"""Random matches of everything: all games, presets, table sizes and options, through the real referee.

``python -m bench.soak --matches 10000 --jobs 2 --seed 1`` plays them with random bots, some of which fail now and
then, on luck of real keys; verifies each record as whoever downloads it would; and counts what was covered. Every
match follows from the seed and its number alone: what fails is played again by ``--only``.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import random
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any, NamedTuple

from arena import record
from arena.clock import WallClock
from arena.games import GAMES
from arena.kit import Bot, read_choice
from arena.record import DrawStep, FaultStep, MovesStep, Record
from arena.referee import Luck, Terms, play
from arena.rules import AnyGame, Option, Ruleset, RulesetError, Value, ruleset
from arena.seats import LocalSeat
from arena.table import Penalty, Player
from arena.verify import verify
from bench.bound import bound

CHUNK = 50
"""Matches that a process plays at a time."""

CARELESS = 0.03
"""How often a careless bot answers what is no move, or none that is legal now."""

LONG = ("commerce",)
"""A match of these takes as long as ten of the others: they are played half as often."""

LARGEST = 100
"""Larger numbers than this, where they are no default, only make matches longer."""


class TooLong(Exception):
    """A match goes on beyond its bound."""


class Wrong(Exception):
    """A record that does not say what was played."""


# ---- what is played ------------------------------------------------------------------------------


TURNS = [game for game in GAMES.values() for _ in range(1 if game.name in LONG else 2)]
"""The games in the order in which they are played, over and over."""


class Fixture(NamedTuple):
    """A match, before it is played."""

    game: AnyGame
    rules: Ruleset
    preset: str
    """The preset from which the options were changed."""
    players: int
    penalty: Penalty
    careless: bool
    """Do the bots fail now and then?"""
    dice: random.Random
    """For all else that is random in it."""


def fixture(seed: str, number: int) -> Fixture:
    """The match of this number."""
    dice = random.Random(f"{seed}/{number}")  # noqa: S311
    game = TURNS[number % len(TURNS)]
    preset = dice.choice(game.presets)
    rules = ruleset(game, preset.name)
    if dice.random() < 0.75:
        for option in dice.sample(game.options, dice.randint(1, len(game.options))):
            # what contradicts the choices so far is left out
            with contextlib.suppress(RulesetError):
                rules = ruleset(game, preset.name, {**rules.values, option.name: some_value(option, dice)})
    return Fixture(
        game=game,
        rules=rules,
        preset=preset.name,
        players=dice.choice(rules.players),
        penalty=dice.choice(("forfeit", "default")),
        careless=dice.random() < 0.25,
        dice=dice,
    )


def some_value(option: Option, dice: random.Random) -> Value:
    """Any word; of the numbers the small ones, where the rules bite, and the highest where it is not too long."""
    if option.words:
        return dice.choice(option.words)
    small = range(option.low, min(option.high, option.low + 6) + 1)
    return dice.choice([option.default, *small, *([option.high] if option.high <= LARGEST else [])])


class Anybody(Bot):
    """First a kind of move, then one of it, so that rare kinds are played often; careless, if it is so made."""

    def __init__(self, game: AnyGame, dice: random.Random, *, careless: bool) -> None:
        self.played = game
        self.dice = dice
        self.careless = careless

    def choose(self, view: Any) -> Any:
        """Any move."""
        if self.careless and self.dice.random() < CARELESS:
            return self.dice.choice(("", "nonsense", "bid 0", "say 31", "give 2C", "pass 66", 7))
        kinds: dict[str, list[Any]] = {}
        for move in view.legal:
            kinds.setdefault(move.kind, []).append(move)
        return self.dice.choice(kinds[self.dice.choice(list(kinds))])


async def played(one: Fixture, clock: WallClock) -> Record:
    """The match, through the referee.

    Raises:
        TooLong: it has more steps than its bound.
    """
    luck = Luck(one.dice.randbytes(32), tuple(one.dice.randbytes(one.dice.randint(0, 32)) for _ in range(one.players)))
    longest = bound(one.game.name, one.rules.values, one.players)
    steps = 0

    def count(_state: Any, _events: Any) -> None:
        nonlocal steps
        steps += 1
        if steps > longest + 1:  # the start is shown too
            raise TooLong(f"it goes on after {longest} steps")

    seats = [
        LocalSeat(
            one.game,
            Anybody(one.game, random.Random(one.dice.random()), careless=one.careless),  # noqa: S311
            read_choice=read_choice,
        )
        for _ in range(one.players)
    ]
    players = tuple(Player(f"bot {seat}", f"sha256:{seat:064x}") for seat in range(one.players))
    terms = Terms("m-1", one.rules, players, None, one.penalty)
    return await play(one.game, terms, seats, luck, clock=clock, watch=count)


def check(one: Fixture, kept: Record) -> None:
    """Read it back, verify it, and see that it is about this match.

    Raises:
        RecordError, VerificationError: it does not hold.
        Wrong: it is about something else, or the places are none.
    """
    again = record.read(record.write(kept))
    if again != kept or record.name(again) != record.name(kept):
        raise Wrong("the record is not read back as it was written")
    verify(again)
    if dict(again.options) != dict(one.rules.values) or len(again.players) != one.players:
        raise Wrong("the record is of another table")
    places = again.outcome.places
    if any(place != 1 + sum(other < place for other in places) for place in places):
        raise Wrong(f"the places {places} are none")
    faults = [step for step in again.steps if isinstance(step, FaultStep)]
    if any(step.then != one.penalty for step in faults) or (faults and not one.careless):
        raise Wrong("the faults are none that were made")


# ---- what came of it -----------------------------------------------------------------------------


class Failure(NamedTuple):
    """A match that did not go as it should."""

    number: int
    what: str
    """The match in a line."""
    why: str


class Tally(NamedTuple):
    """What was covered, and what failed."""

    presets: Counter[tuple[str, str]]
    """Matches by game and ruleset: a preset's name, or the word for options of one's own."""
    sizes: Counter[tuple[str, int]]
    values: Counter[tuple[str, str, Value]]
    reasons: Counter[tuple[str, str]]
    counts: Counter[str]
    """Matches, steps, moves, draws, faults; and the longest match by game."""
    failures: list[Failure]

    @classmethod
    def empty(cls) -> Tally:
        """Nothing yet."""
        return cls(Counter(), Counter(), Counter(), Counter(), Counter(), [])

    def add(self, other: Tally) -> None:
        """Take up what another process found."""
        longest = {key: max(self.counts[key], other.counts[key]) for key in other.counts if key.startswith("longest")}
        for own, more in zip(self[:5], other[:5], strict=True):
            own.update(more)
        self.counts.update({key: most - self.counts[key] for key, most in longest.items()})
        self.failures.extend(other.failures)


OWN = "changed options"


def _note(tally: Tally, one: Fixture, kept: Record) -> None:
    game = one.game.name
    tally.presets[game, one.rules.preset or OWN] += 1
    tally.sizes[game, one.players] += 1
    tally.values.update((game, name, value) for name, value in one.rules.values.items())
    tally.reasons[game, kept.outcome.reason] += 1
    moves = sum(len(step.moves) for step in kept.steps if isinstance(step, MovesStep))
    draws = sum(isinstance(step, DrawStep) for step in kept.steps)
    faults = sum(isinstance(step, FaultStep) for step in kept.steps)
    tally.counts.update({"matches": 1, "steps": len(kept.steps), "moves": moves, "draws": draws, "faults": faults})
    key = f"longest {game}"
    tally.counts[key] = max(tally.counts[key], len(kept.steps))


def soak(seed: str, numbers: Iterable[int]) -> Tally:
    """Play the matches of these numbers, one after the other."""
    return asyncio.run(_soak(seed, numbers))


async def _soak(seed: str, numbers: Iterable[int]) -> Tally:
    tally = Tally.empty()
    async with WallClock() as clock:
        for number in numbers:
            one = fixture(seed, number)
            try:
                kept = await played(one, clock)
                check(one, kept)
            except Exception:  # noqa: BLE001  # whatever it is, it is what is looked for
                changed = {o.name: one.rules.values[o.name] for o in one.game.options}
                what = f"{one.game.name}, from {one.preset}, {one.players} players, {one.penalty}, {changed}"
                tally.failures.append(Failure(number, what, traceback.format_exc(limit=-6)))
            else:
                _note(tally, one, kept)
    return tally


def in_processes(seed: str, matches: int, jobs: int) -> Iterator[Tally]:
    """The same with many at once: a tally now and then."""
    chunks = [range(first, min(first + CHUNK, matches)) for first in range(0, matches, CHUNK)]
    if jobs == 1:
        yield from (soak(seed, numbers) for numbers in chunks)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(soak, [seed] * len(chunks), chunks)


def _numbers(counted: Iterable[tuple[str, int]]) -> str:
    return ", ".join(f"{name} {number:,}" for name, number in counted)


def told(tally: Tally) -> Iterator[str]:
    """What was covered, in lines."""
    counts = tally.counts
    yield _numbers((name, counts[name]) for name in ("matches", "steps", "moves", "draws", "faults"))
    for game in GAMES.values():
        own = game.name
        yield ""
        yield f"{own}: longest {counts[f'longest {own}']:,} steps"
        known = [*(preset.name for preset in game.presets), OWN]
        yield "  rulesets  " + _numbers((name, tally.presets[own, name]) for name in known)
        yield "  players   " + _numbers((str(size), tally.sizes[own, size]) for size in game.players)
        yield "  ended by  " + _numbers((why, n) for (of, why), n in sorted(tally.reasons.items()) if of == own)
        for option in game.options:
            found = {value: n for (of, name, value), n in tally.values.items() if (of, name) == (own, option.name)}
            values = option.words or sorted(found)
            yield f"  {option.name}: " + _numbers((str(value), found.get(value, 0)) for value in values)


def missing(tally: Tally) -> list[str]:
    """What no match has covered: presets, table sizes, words of options."""
    found = []
    for game in GAMES.values():
        own = game.name
        found += [f"{own} {preset.name}" for preset in game.presets if not tally.presets[own, preset.name]]
        found += [f"{own} with {size} players" for size in game.players if not tally.sizes[own, size]]
        words = [(option.name, word) for option in game.options for word in option.words]
        found += [f"{own} {name}={word}" for name, word in words if not tally.values[own, name, word]]
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Play, print, and return 1 if anything failed."""
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description=__doc__.partition("\n")[0])
    parser.add_argument("--matches", type=int, default=1000, help="how many (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes (default: %(default)s)")
    parser.add_argument("--seed", default="1", help="what everything follows from (default: %(default)s)")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="just the match of this number")
    chosen = parser.parse_args(arguments)
    tally, began = Tally.empty(), time.perf_counter()
    if chosen.only is not None:
        tally = soak(chosen.seed, [chosen.only])
    else:
        for part in in_processes(chosen.seed, chosen.matches, chosen.jobs):
            tally.add(part)
    seconds = time.perf_counter() - began
    for line in told(tally):
        print(line)
    print(f"\n{seconds:,.1f} s, {tally.counts['moves'] / seconds:,.0f} moves/s, {chosen.jobs} at a time")
    for what in missing(tally) if chosen.only is None else ():
        print(f"not covered: {what}")
    for failure in tally.failures:
        print(f"\nFAILED: {failure.what}\n{failure.why}", file=sys.stderr)
        print(f"again: python -m bench.soak --seed {chosen.seed} --only {failure.number}", file=sys.stderr)
    print(f"{len(tally.failures)} failures")
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())
