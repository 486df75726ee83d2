"""A player's own check after a block: nothing that was promised or played can be changed unnoticed."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from arena import chance, record
from arena.clock import FakeClock
from arena.fairness import differences
from arena.record import MovesStep, Record
from arena.referee import Luck, Terms, play
from arena.rules import ruleset
from arena.seats import ScriptedSeat
from arena.table import Penalty, Played, Player, Promise
from tests.arena.playouts import GAME

LUCK = Luck(b"s" * 32, (b"one", b"two"))
PROMISE = Promise(chance.digest(LUCK.seed), tuple(map(chance.digest, LUCK.nonces)), b"one")
RULES = ruleset(GAME, "duel")


def match(*scripts: list[str], penalty: Penalty = "forfeit") -> Record:
    terms = Terms("m-1", RULES, tuple(Player(f"p{seat}", None) for seat in range(len(scripts))), None, penalty)
    seats = [ScriptedSeat(GAME, script) for script in scripts]
    return asyncio.run(play(GAME, terms, seats, LUCK, clock=FakeClock()))


def remembered(played: Record, seat: int = 0) -> Played:
    answers = [s.moves[seat] for s in played.steps if isinstance(s, MovesStep) and seat in s.moves]
    return Played("m-1", seat, RULES, tuple(answers))


def check(one: Record, **changes: Any) -> list[str]:
    given: dict[str, Any] = {
        "seed": LUCK.seed,
        "nonces": LUCK.nonces,
        "records": [record.write(one)],
        "played": [remembered(one)],
    }
    promise = changes.pop("promise", PROMISE)
    return differences(promise, **(given | changes))


@pytest.fixture(scope="module")
def honest() -> Record:
    return match([], [])


def test_all_is_fair(honest: Record) -> None:
    assert check(honest) == []


def test_an_earlier_process_may_have_chosen_the_nonce(honest: Record) -> None:
    assert check(honest, promise=PROMISE._replace(own=None)) == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"seed": b"t" * 32}, "the seed is not the one"),
        ({"nonces": (b"one", b"other")}, "the nonces are not those"),
        ({"nonces": (b"two", b"one")}, "the nonces are not those"),
        ({"promise": PROMISE._replace(own=b"mine")}, "own nonce is not among those"),
        ({"records": []}, "m-1: there is no record"),
        ({"records": ["{}"]}, "cannot be read"),
    ],
)
def test_what_was_promised_is_checked(honest: Record, changes: dict[str, Any], said: str) -> None:
    assert any(said in difference for difference in check(honest, **changes))


def test_a_record_of_other_luck_is_found(honest: Record) -> None:
    other = honest._replace(fairness=Luck(b"u" * 32, LUCK.nonces).fairness())
    assert check(honest, records=[record.write(other)]) == ["m-1: its record names another seed or other nonces"]


def test_a_record_that_does_not_verify_is_found(honest: Record) -> None:
    lie = honest._replace(outcome=honest.outcome._replace(places=honest.outcome.places[::-1]))
    assert "outcome.places" in check(honest, records=[record.write(lie)])[0]


def test_a_move_that_was_not_made_is_found(honest: Record) -> None:
    own = remembered(honest)
    assert own.answers[0] is not None
    claimed = own._replace(answers=("hide 3", *own.answers[1:]))
    (difference,) = check(honest, played=[claimed])
    assert difference == "m-1: decision 1 of this bot was hide 3, but the record has hide 0"


@pytest.mark.parametrize(
    "change", [lambda answers: answers[:-1], lambda answers: (*answers, "call")], ids=["never asked", "left out"]
)
def test_decisions_that_were_never_asked_or_left_out_are_found(honest: Record, change: Any) -> None:
    own = remembered(honest)
    (difference,) = check(honest, played=[own._replace(answers=change(own.answers))])
    assert "times, but the record has" in difference


def test_a_record_with_other_rules_is_found(honest: Record) -> None:
    own = remembered(honest)._replace(ruleset=ruleset(GAME, None, {"max_rounds": 9}))
    assert check(honest, played=[own]) == ["m-1: its record names other rules than were played"]


def test_a_fault_of_ones_own_is_no_difference() -> None:
    played = match(["hide 1", "bid 99"], ["hide 1", "bid 1"])
    own = remembered(played)
    assert own.answers == ("hide 1",)
    # it remembers its faulty answer, knows that it had none to give, or was never reached by the question
    for answers in (("hide 1", "bid 99"), ("hide 1", None), ("hide 1",)):
        assert check(played, played=[own._replace(answers=answers)]) == []


def test_a_default_move_is_no_difference() -> None:
    played = match(["hide 9"], [], penalty="default")
    moves = remembered(played).answers
    assert moves[0] == "hide 0"
    assert check(played, played=[remembered(played)._replace(answers=("hide 9", *moves[1:]))]) == []
    assert check(played, played=[remembered(played)._replace(answers=(None, *moves[1:]))]) == []


def test_the_last_answer_is_nowhere_when_all_others_failed() -> None:
    played = match(["hide 1"], ["hide 9"])
    own = Played("m-1", 0, RULES, ("hide 1",))
    assert check(played, played=[own]) == []
