"""Three Coins: notes against all the ways in which the fists could have been filled."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from arena.games.three_coins import GAME, Spoke
from arena.insight import insight
from arena.insight.model import Note
from arena.insight.words import tell_note
from arena.record import Record
from arena.rules import OMNISCIENT, PUBLIC, Viewer, at_seat
from arena.verify import fold, frames
from tests.arena.insight.played import match, names

OPTIONS = {"first_starter": "seat"}
PRESETS = [preset.name for preset in GAME.presets]


def notes(record: Record, viewer: Viewer = OMNISCIENT) -> tuple[Note, ...]:
    return insight("three_coins", tuple(frames(record, viewer)), record.steps).notes


def count(state: Any, seat: int | None, holds: Callable[[int], bool]) -> float:
    """In which part of the fists that ``seat`` cannot exclude something holds of their total."""
    fists = [(state.hands[other],) if other == seat else range(state.coins[other] + 1) for other in state.live]
    totals = [sum(one) for one in product(*fists)]
    return sum(map(holds, totals)) / len(totals)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("seed", [1, 2])
def test_every_bid_and_every_word_is_counted_fist_by_fist(preset: str, seed: int) -> None:
    players = 2 if preset == "duel" else 4
    record = match("three_coins", preset, players, seed=seed)
    folded: list[Any] = list(fold(record))
    own = {viewer: {note.step: note for note in notes(record, viewer)} for viewer in (OMNISCIENT, PUBLIC, at_seat(1))}
    spoken = 0
    for step, one in enumerate(folded):
        for event in one.events:
            if not isinstance(event, Spoke):
                continue
            spoken += 1
            state, seat, (kind, number) = folded[step - 1].state, event.seat, event.move
            total, in_play = sum(hand or 0 for hand in state.hands), sum(state.coins)
            bid = state.bid or 0
            holds: dict[str, Callable[[int], bool]] = {
                "bid": lambda n, number=number: n >= number,
                "call": lambda n, bid=bid: n < bid,
                "cliff": lambda n, bid=bid: n == bid,
                "zero": lambda n: n == 0,
                "max": lambda n, in_play=in_play: n == in_play,
            }
            note = own[OMNISCIENT][step]
            assert note.own == pytest.approx(count(state, seat, holds[kind]))
            assert note.truth in (("true", "right") if holds[kind](total) else ("bluff", "wrong"))
            if kind == "bid":
                assert note.by == number - total
                assert own[PUBLIC][step].heard == pytest.approx(count(state, None, holds[kind]))
                assert own[PUBLIC][step].own is None
                hearer = 1 if 1 in state.live else None
                assert own[at_seat(1)][step].heard == pytest.approx(count(state, hearer, holds[kind]))
                assert (own[at_seat(1)][step].own is not None) == (seat == 1)
    assert spoken > 5


def said(record: Record, viewer: Viewer) -> list[str]:
    return [str(tell_note("three_coins", note, names(record))).replace("\u00a0", " ") for note in notes(record, viewer)]


def test_what_is_told_of_a_round() -> None:
    script = "0 hide 3+1 hide 2+2 hide 0, 0 bid 4, 1 bid 6, 2 call"
    record = match("three_coins", None, 3, script=script, **OPTIONS)
    assert said(record, OMNISCIENT)[:3] == [
        "true, with 1 coin to spare · 94 % likely by a's own fist",
        "bluff by 1 coin · 38 % likely by b's own fist",
        "right · had a chance of 94 %",
    ]
    assert said(record, PUBLIC)[:3] == ["69 % likely", "31 % likely", "right · had a chance of 94 %"]
    assert said(record, at_seat(2))[:2] == ["38 % likely by c's own fist", "6 % likely by c's own fist"]


def test_a_bid_that_costs_nothing_has_nothing_at_stake() -> None:
    bids = [n for n in notes(match("three_coins", None, 3, objective="first_empty", seed=4)) if n.kind == "claim"]
    assert bids
    assert {bid.stake for bid in bids} == {0.0}
