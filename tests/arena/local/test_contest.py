"""The plan of a local run: who plays, in which order of the seats, with which luck."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from arena.games import find_game
from arena.local import contest as plan
from arena.local.contest import Contest, ContestError, blocks, find_entrants
from arena.rules import ruleset
from bots import house_bots

HOUSE = house_bots("three_coins")


def contest(bots: int = 3, matches: int = 12) -> Contest:
    entrants = find_entrants(["random"] * bots, HOUSE)
    return Contest(ruleset(find_game("three_coins")), entrants, matches, b"seed", None, "forfeit")


@pytest.mark.parametrize(("bots", "matches", "orders"), [(2, 1, 1), (2, 9, 2), (3, 6, 6), (3, 5, 3), (4, 99, 4)])
def test_a_block_takes_every_order_of_few_seats_and_the_rotations_of_many(bots: int, matches: int, orders: int) -> None:
    first = next(blocks(contest(bots, matches)))
    found = [fixture.order for fixture in first]
    assert len(set(found)) == len(found) == orders
    assert found[0] == tuple(range(bots))


@pytest.mark.parametrize("matches", [1, 5, 6, 7, 20])
def test_blocks_hold_every_match_once(matches: int) -> None:
    made = list(blocks(contest(matches=matches)))
    fixtures = [fixture for block in made for fixture in block]
    assert [fixture.number for fixture in fixtures] == list(range(matches))
    assert [fixture.block for block in made for fixture in block] == [n for n, block in enumerate(made) for _ in block]


def test_all_luck_is_different_and_follows_from_the_seed() -> None:
    one = contest()
    kinds = (plan.block_seed(one, 0), plan.block_seed(one, 1), plan.bot_seed(one, 0, 0), plan.bot_seed(one, 0, 1))
    more = (plan.bot_seed(one, 1, 0), plan.global_seed(one, 0), plan.global_seed(one, 1))
    assert len({*kinds, *more}) == 7
    assert len({plan.nonce(one, block, entrant) for block in (0, 1) for entrant in (0, 1)}) == 4
    assert plan.match_name(one, 0) != plan.match_name(one, 1)
    assert plan.block_seed(contest(), 0) == plan.block_seed(one, 0)
    assert plan.block_seed(one._replace(seed=b"other"), 0) != plan.block_seed(one, 0)


def test_the_derivation_is_the_documented_one() -> None:
    import hashlib
    import hmac

    assert plan.bot_seed(contest(), 4, 2) == hmac.digest(b"seed", b"bot/4/2", hashlib.sha256)


def test_a_contest_can_be_sent_to_another_process() -> None:
    assert pickle.loads(pickle.dumps(contest())) == contest()


def test_copies_of_a_bot_have_different_names(tmp_path: Path) -> None:
    own = tmp_path / "random.py"
    own.write_text("")
    words = ["random", "honest", "random", str(own), "cmd:python3 -u my/random.py --fast yes/random"]
    entrants = find_entrants(words, HOUSE)
    assert [entrant.name for entrant in entrants] == ["random", "honest", "random (2)", "random (3)", "random (4)"]
    assert entrants[0].version == entrants[2].version != entrants[3].version
    assert [entrant.command is None for entrant in entrants] == [True, True, True, True, False]


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("nobody", "no house bot 'nobody'; there are: calculator, equilibrium, honest, observer, random"),
        ("gone.py", r"gone\.py: No such file"),
        ("cmd:", "needs the command"),
        ("cmd:'open", "cannot be read"),
    ],
)
def test_what_is_no_bot_is_said(word: str, said: str) -> None:
    with pytest.raises(ContestError, match=said):
        find_entrants([word], HOUSE)
