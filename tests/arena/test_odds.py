"""How probable a claim is from what one seat sees: against counting by hand."""

from __future__ import annotations

import random
from fractions import Fraction

from arena.games import commerce, find_game, mia, three_coins
from arena.odds import odds
from arena.rules import Drawn, Moved, at_seat, ruleset


def test_three_coins_counts_the_other_fists() -> None:
    game = three_coins.GAME
    state, _ = game.start(ruleset(game, "classic"), 2)
    state, _ = game.step(state, Drawn((0,)))
    assert odds("three_coins", game.view(state, at_seat(0))) == {}
    state, _ = game.step(state, Moved({0: three_coins.Move("hide", 2), 1: three_coins.Move("hide", 0)}))
    found = odds("three_coins", game.view(state, at_seat(0)))
    # the other fist holds 0 to 3, each as likely
    assert [found[f"bid {n}"] for n in range(1, 7)] == [1, 1, Fraction(3, 4), Fraction(1, 2), Fraction(1, 4), 0]
    assert (found["zero"], found["max"]) == (0, 0)
    state, _ = game.step(state, Moved({0: three_coins.Move("bid", 3)}))
    found = odds("three_coins", game.view(state, at_seat(1)))
    assert (found["call"], found["cliff"]) == (Fraction(3, 4), Fraction(1, 4))
    assert odds("three_coins", game.view(state, at_seat(0))) == {}, "it is not asked"


def test_mia_counts_the_rolls_and_knows_what_was_seen() -> None:
    game = mia.GAME
    state, _ = game.start(ruleset(game, None, {"first_starter": "seat"}), 2)
    state, _ = game.step(state, Moved({0: mia.ROLL}))
    state, _ = game.step(state, Drawn((5, 4)))
    found = odds("mia", game.view(state, at_seat(0)))
    assert (found["say 65"], found["say 11"], found["say 31"]) == (1, 0, 1)
    state, _ = game.step(state, Moved({0: mia.Move("say", "66")}))
    found = odds("mia", game.view(state, at_seat(1)))
    # 66 or Mia: 1 + 2 of the 36
    assert (found["challenge"], found["roll"]) == (Fraction(33, 36), Fraction(2, 36))
    assert found["pass 66"] == Fraction(3, 36)
    state, _ = game.step(state, Moved({1: mia.ROLL_BLIND}))
    state, _ = game.step(state, Drawn((0, 0)))
    assert odds("mia", game.view(state, at_seat(1)))["say 21"] == Fraction(2, 36), "blind, it knows nothing"


def test_commerce_counts_the_cards_that_are_not_known() -> None:
    game = find_game("commerce")
    state, _ = game.start(ruleset(game, "classic"), 2)
    state, _ = game.step(state, Drawn((0,)))
    due = game.due(state)
    assert due is not None
    dice = random.Random(1)
    state, _ = game.step(state, Drawn(tuple(dice.randrange(size) for size in due.sizes)))
    seat = game.asked(state)[0]
    view = game.view(state, at_seat(seat))
    found = odds("commerce", view)
    for card in view.hands[seat]:
        kept = [other for other in view.hands[seat] if other != card]
        hits = sum(
            commerce.combination((*kept, other)) is not None for other in commerce.DECK if other not in view.hands[seat]
        )
        assert found[f"buy {card}"] == found[f"offer {card}"] == Fraction(hits, 49)
    assert "pass" not in found
