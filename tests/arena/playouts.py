"""Random play-outs, and everything that each seat is asked and hears in them."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any, NamedTuple

from arena.games import find_game
from arena.rules import Drawn, Event, Left, Moved, Ruleset, at_seat, heard, ruleset
from arena.table import Question

GAME = find_game("three_coins")

# each of them shows something that the others do not
RULESETS: tuple[tuple[str | None, int, dict[str, object]], ...] = (
    ("classic", 3, {}),
    ("call-only", 5, {}),
    ("duel", 2, {}),
    (None, 10, {"max_bid": "none", "first_bid_min": 0}),
    (None, 4, {"start_coins": 9, "coin_cap": 9, "first_starter": "seat"}),
    (None, 3, {"objective": "first_empty", "zero_when": "opening_only"}),
)


class Asked(NamedTuple):
    """A question that was asked of a seat."""

    seat: int
    question: Question


class Playout(NamedTuple):
    """What came of one random match."""

    rules: Ruleset
    asked: list[Asked]
    events: list[Event]
    views: list[tuple[int, Any]]
    """The view of every seat in every position, also where nobody asks it."""


def playout(seed: int, preset: str | None, players: int, options: Mapping[str, object], *, leave: float = 0) -> Playout:
    """A match of random moves, in which players also leave now and then."""
    dice = random.Random(seed)
    rules = ruleset(GAME, preset, options)
    state, events = GAME.start(rules, players)
    every: list[Event] = []
    news: list[list[Event]] = [[] for _ in range(players)]
    asked: list[Asked] = []
    views: list[tuple[int, Any]] = []
    while True:
        every += events
        for seat in range(players):
            news[seat] += heard(events, at_seat(seat))
            views.append((seat, GAME.view(state, at_seat(seat))))
        if GAME.outcome(state) is not None:
            return Playout(rules, asked, every, views)
        due = GAME.due(state)
        if due is not None:
            state, events = GAME.step(state, Drawn(tuple(dice.randrange(size) for size in due.sizes)))
            continue
        moves = {}
        for seat in GAME.asked(state):
            view = GAME.view(state, at_seat(seat))
            asked.append(Asked(seat, Question(len(asked) + 1, tuple(news[seat]), view, 1500, 4000)))
            news[seat].clear()
            moves[seat] = dice.choice(view.legal)
        if dice.random() < leave:
            state, events = GAME.step(state, Left(frozenset({dice.choice(list(moves))})))
        else:
            state, events = GAME.step(state, Moved(moves))
