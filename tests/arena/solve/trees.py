"""Games as sequence forms, built by walking the rules and nothing else; and CFR+, which knows no linear programs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from arena.rules import AnyGame, Drawn, Moved, at_seat, heard
from arena.solve.common import Choice

Floats = npt.NDArray[np.float64]


class Form(NamedTuple):
    """A game of two in sequence form; what seat 0 gets."""

    payoff: Any
    choices: tuple[list[Choice], list[Choice]]


class _Builder:
    """Numbers the sequences of both seats while a tree is walked."""

    def __init__(self) -> None:
        self.known: tuple[dict[Hashable, dict[Any, int]], ...] = ({}, {})
        self.choices: tuple[list[Choice], list[Choice]] = ([], [])
        self.counts = [1, 1]
        self.leaves: list[tuple[int, int, float]] = []

    def sequences(self, seat: int, information: Hashable, parent: int, moves: Sequence[Any]) -> dict[Any, int]:
        known = self.known[seat]
        if information not in known:
            first = self.counts[seat]
            self.counts[seat] += len(moves)
            known[information] = {move: first + at for at, move in enumerate(moves)}
            self.choices[seat].append(Choice(parent, range(first, self.counts[seat])))
        return known[information]

    def form(self) -> Form:
        rows, columns, entries = zip(*self.leaves, strict=True)
        shape = (self.counts[0], self.counts[1])
        return Form(csr_array((entries, (rows, columns)), shape=shape), self.choices)


def walk(
    game: AnyGame,
    state: Any,
    worth: Callable[[Any], float | None],
    outcomes: Callable[[Any], Iterator[tuple[tuple[int, ...], float]]],
) -> Form:
    """The game from ``state`` on, in which both seats remember all that they have heard since.

    Args:
        game: its rules.
        state: a position.
        worth: what a position is worth to seat 0 where the walk ends, else None.
        outcomes: what can come of a draw, and how likely.
    """
    builder = _Builder()

    def go(state: Any, at: tuple[int, int], memory: tuple[tuple[Any, ...], ...], chance: float) -> None:
        value = worth(state)
        if value is not None:
            builder.leaves.append((*at, chance * value))
            return
        draw = game.due(state)
        if draw is not None:
            for got, likely in outcomes(draw):
                step(state, Drawn(got), at, memory, chance * likely)
            return
        choose(state, list(game.asked(state)), {}, at, memory, chance)

    def choose(
        state: Any,
        left: list[int],
        moves: dict[int, Any],
        at: tuple[int, int],
        memory: tuple[tuple[Any, ...], ...],
        chance: float,
    ) -> None:
        if not left:
            step(state, Moved(moves), at, memory, chance)
            return
        seat, *others = left
        view = game.view(state, at_seat(seat))
        sequences = builder.sequences(seat, (memory[seat], view), at[seat], view.legal)
        for move, sequence in sequences.items():
            reached = (sequence, at[1]) if seat == 0 else (at[0], sequence)
            choose(state, others, {**moves, seat: move}, reached, memory, chance)

    def step(
        state: Any, happening: Any, at: tuple[int, int], memory: tuple[tuple[Any, ...], ...], chance: float
    ) -> None:
        after, events = game.step(state, happening)
        go(after, at, tuple((*old, *heard(events, at_seat(seat))) for seat, old in enumerate(memory)), chance)

    go(state, (0, 0), ((), ()), 1.0)
    return builder.form()


# ---- CFR+ ----------------------------------------------------------------------------------------


def cfr_plus(form: Form, iterations: int) -> tuple[float, float]:
    """What seat 0 can be sure of, and what it can get at most, by regret matching (Tammelin 2014)."""
    players = [_Regrets(choices, size) for choices, size in zip(form.choices, form.payoff.shape, strict=True)]
    one, other = players
    payoff, transposed = csr_array(form.payoff), csr_array(form.payoff.T)
    for weight in range(1, iterations + 1):
        one.learn(payoff @ other.plan, weight)
        other.learn(-(transposed @ one.plan), weight)
    return -other.best(-(transposed @ one.average())), one.best(payoff @ other.average())


class _Regrets:
    def __init__(self, choices: Sequence[Choice], size: int) -> None:
        self.choices = [(parent, np.array(children)) for parent, children in choices]
        self.regret = np.zeros(size)
        self.summed = np.zeros(size)
        self.plan = np.zeros(size)
        self.follow()

    def follow(self) -> None:
        """The realisation plan that the regrets ask for."""
        self.plan[0] = 1.0
        for parent, children in self.choices:
            wanted = self.regret[children]
            total = wanted.sum()
            self.plan[children] = self.plan[parent] * (wanted / total if total > 0 else 1 / len(children))

    def learn(self, gradient: Floats, weight: int) -> None:
        value = gradient.copy()
        for parent, children in reversed(self.choices):
            wanted = self.regret[children]
            total = wanted.sum()
            mixed = wanted / total if total > 0 else np.full(len(children), 1 / len(children))
            here = float(mixed @ value[children])
            self.regret[children] = np.maximum(0.0, wanted + value[children] - here)
            value[parent] += here
        self.follow()
        self.summed += weight * self.plan

    def average(self) -> Floats:
        averaged: Floats = self.summed / self.summed[0]
        return averaged

    def best(self, gradient: Floats) -> float:
        value = gradient.copy()
        for parent, children in reversed(self.choices):
            value[parent] += value[children].max()
        return float(value[0])
