"""How somebody plays, counted: known matches by hand, recorded ones by another way of counting."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from arena import record, style
from arena.games import GAMES, find_game
from arena.record import FaultStep, MovesStep, Record
from arena.verify import fold
from tests.webapp.factories import play

RECORDS = sorted(Path(__file__).parents[1].joinpath("data/records").glob("*.json"))

MIA = [
    {0: "roll"},  # 4 and 3
    {0: "say 43"},
    {1: "roll"},  # 3 and 2
    {1: "say 65"},
    {0: "challenge"},
]


def test_mia_a_round_by_hand() -> None:
    """0 tells the truth, 1 a lie, and 0 doubts it rightly."""
    luck = {"round/1/roll/1": (3, 2), "round/1/roll/2": (2, 1)}
    played = play(
        ["a", "b"], match="m-1", game="mia", options={"first_starter": "seat", "lives": 1}, luck=luck, script=MIA
    )
    first, second = style.count(played)
    assert first == Counter(claims=1, bluffs=0, steps=0, rolls=1, blind=0, answers=1, doubts=1, right=1, opens=1) | {
        "open 43": 1
    }
    # from 32 to 65 there are twelve values
    assert second == Counter(claims=1, bluffs=1, steps=12, rolls=1, blind=0, answers=1)


def test_mia_a_lie_by_hand() -> None:
    """The dice are 3 and 1, and 65 is said: from 31 to 65 there are 13 values. The doubt is right."""
    luck = {"round/1/roll/1": (2, 0)}
    script = [{0: "roll"}, {0: "say 65"}, {1: "challenge"}]
    played = play(
        ["a", "b"], match="m-1", game="mia", options={"first_starter": "seat", "lives": 1}, luck=luck, script=script
    )
    liar, doubter = style.count(played)
    assert (liar["claims"], liar["bluffs"], liar["steps"], liar["open 65"]) == (1, 1, 13, 1)
    assert (doubter["answers"], doubter["doubts"], doubter["right"]) == (1, 1, 1)


def test_mia_blind_is_no_claim_and_a_wrong_doubt_is_wrong() -> None:
    luck = {"round/1/roll/1": (5, 4)}
    script = [{0: "roll blind"}, {0: "say 64"}, {1: "challenge"}]
    played = play(
        ["a", "b"], match="m-1", game="mia", options={"first_starter": "seat", "lives": 1}, luck=luck, script=script
    )
    blind, doubter = style.count(played)
    assert (blind["rolls"], blind["blind"], blind["claims"]) == (1, 1, 0)
    assert (doubter["doubts"], doubter["right"]) == (1, 0)


def test_three_coins_by_hand() -> None:
    """Fists of 2 and 1 make 3; 0 bids 1, 1 bids 5, which is 2 above, and 0 calls."""
    script = [{0: "hide 2", 1: "hide 1"}, {0: "bid 1"}, {1: "bid 5"}, {0: "call"}]
    played = play(["a", "b"], match="m-1", options={"first_starter": "seat", "start_coins": 3}, script=script)
    first = _of_steps(played, 4)
    assert first[0] == {
        "hands": 1,
        "owned": 3,
        "hidden": 2,
        "empty": 0,
        "opens": 1,
        "bids": 1,
        "over": 0,
        "steps": 0,
        "answers": 1,
        "calls": 1,
        "right": 1,
        "hand 2": 1,
        "open 1": 1,
    }
    assert first[1] == {
        "hands": 1,
        "owned": 3,
        "hidden": 1,
        "empty": 0,
        "answers": 1,
        "bids": 1,
        "over": 1,
        "steps": 2,
        "hand 1": 1,
    }


def _of_steps(played: Record, steps: int) -> tuple[style.Sums, ...]:
    """What the first steps of a record count, where no draw is among them."""
    from arena.style import three_coins

    sums: list[style.Sums] = [Counter() for _ in played.players]
    states = list(fold(played))[: steps + 1]
    for before, after in pairwise(states):
        three_coins.count(before.state, after.state, after.events, frozenset(), sums)
    return tuple(sums)


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_recorded_matches_counted_by_their_texts(path: Path) -> None:
    """Every move by its first word, without the rules: the sums must be the same."""
    played = record.read(path.read_bytes())
    words: list[Counter[str]] = [Counter() for _ in played.players]
    for index, step in enumerate(played.steps):
        if isinstance(step, MovesStep):
            forced = set()
            at = index
            while at and isinstance(fault := played.steps[at - 1], FaultStep):
                forced.add(fault.seat)
                at -= 1
            for seat, text in step.moves.items():
                if seat not in forced:
                    words[seat][text.split(" ")[0]] += 1
    for sums, said in zip(style.count(played), words, strict=True):
        if played.game == "mia":
            assert sums["rolls"] == said["roll"]
            assert sums["doubts"] == said["challenge"] + said["look"]
            assert sums["bluffs"] <= sums["claims"] <= said["say"]
        elif played.game == "three_coins":
            assert (sums["bids"], sums["hands"]) == (said["bid"], said["hide"])
            assert sums["calls"] <= said["call"] + said["cliff"] + said["zero"] + said["max"]
        else:
            assert (sums["buys"], sums["offers"]) == (said["buy"], said["offer"])
            assert sums["takes"] <= said["give"] + sum(other["offer"] for other in words)
        assert sums["right"] <= sums["doubts"] + sums["calls"] <= sums["answers"]
        assert sums["opens"] == sum(number for name, number in sums.items() if name.startswith("open "))


@pytest.mark.parametrize("game", GAMES)
def test_a_move_that_a_fault_made_is_not_its_own(game: str) -> None:
    """The same match, in which one move is the default that a fault led to."""
    rules = find_game(game)
    played = play(["a", "b", "c"], match="m-1", game=game, seed=2)
    states = list(fold(played))
    whole = [sum(sums.values()) for sums in style.count(played)]
    found = 0
    for index, step in enumerate(played.steps):
        before = states[index].state  # the start stands first
        if not isinstance(step, MovesStep) or len(step.moves) != 1:
            continue
        ((seat, text),) = step.moves.items()
        if rules.write(rules.default(before, seat)) != text:
            continue
        fault = FaultStep(seat, "late", "no answer; it had 1000 ms to move (after 1000.7 ms)", "default")
        faulty = played._replace(steps=(*played.steps[:index], fault, *played.steps[index:]))
        less = style.count(faulty)[seat]
        assert sum(less.values()) <= whole[seat], text
        found += sum(less.values()) < whole[seat]
        if found == 3:
            break
    assert found, "the default move was made somewhere"
