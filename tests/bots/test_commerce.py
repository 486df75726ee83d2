"""The house bots of Commerce: each plays every preset and odd rules without a fault, and each is what its name says."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import pytest

from arena.games.commerce import (
    GAME,
    PASS,
    PRESETS,
    REFUSE,
    Bartered,
    Combination,
    HandEnded,
    HandResult,
    Move,
    OfferRefused,
    Passed,
    Shown,
    Swapped,
    View,
)
from arena.kit import Bot, load_bot
from arena.rules import Drawn, Moved, Outcome, Ruleset, at_seat, heard, ruleset
from arena.table import MatchInfo, Player
from bots import house_bots
from tests.arena.games.test_commerce import POEN, TRICON, Table, cards
from tests.breadth import crossed

MAKERS = {name: load_bot(file, "commerce") for name, file in house_bots("commerce").items()}

ODD: tuple[Mapping[str, object], ...] = (
    {"may_pass": "off", "chips": 3},
    {"may_pass": "off", "barter_consent": "forced", "barter_side": "right"},
    {"offer_visible": "on", "discard": "bottom", "fee": 3},
    {"end": "last_with_chips", "circle_ante": 5, "tie": "split"},
    {"mode": "deck_out", "points_poen": 0, "points_terz": 0, "points_tricon": 0},
    {"mode": "deck_out", "barter_consent": "forced", "ante": 4, "max_circles": 3},
    {"fee_to": "banker", "ante": 20, "max_circles": 1, "hands": 3},
)


def sit(bot: Bot, rules: Ruleset, seat: int, players: int, seed: int) -> Bot:
    bot.random = random.Random(f"{seed}/{seat}")
    table = (Player("bot", None),) * players
    bot.on_start(MatchInfo("m-1", seat, table, rules, None, "forfeit"))
    return bot


def play(names: tuple[str, ...], rules: Ruleset, seed: int) -> Outcome:
    """A match of these bots; whatever they choose must be legal."""
    players = len(names)
    bots = [sit(MAKERS[name](), rules, seat, players, seed) for seat, name in enumerate(names)]
    dice = random.Random(seed)
    state, events = GAME.start(rules, players)
    while True:
        for seat, bot in enumerate(bots):
            for event in heard(events, at_seat(seat)):
                bot.on_event(event)
        outcome = GAME.outcome(state)
        if outcome is not None:
            return outcome
        due = GAME.due(state)
        if due is not None:
            state, events = GAME.step(state, Drawn(tuple(dice.randrange(size) for size in due.sizes)))
        else:
            (seat,) = GAME.asked(state)
            state, events = GAME.step(state, Moved({seat: bots[seat].choose(GAME.view(state, at_seat(seat)))}))


def thinking(name: str, **options: object) -> Any:
    """A bot of that name on seat 1 of three; ``Any`` since these tests look inside."""
    return sit(MAKERS[name](), ruleset(GAME, None, options), 1, 3, 0)


def asked(table: Table) -> View:
    """What seat 1 sees when it is asked."""
    assert GAME.asked(table.state) == (1,)
    return GAME.view(table.state, at_seat(1))


# ---- all of them ---------------------------------------------------------------------------------


def test_there_are_four() -> None:
    assert set(MAKERS) == {"random", "honest", "calculator", "observer"}


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("preset", [preset.name for preset in PRESETS])
def test_each_plays_every_preset(name: str, preset: str) -> None:
    rules = ruleset(GAME, preset)
    for players in (2, 3, 6, 10):
        few = rules._replace(values={**rules.values, "hands": 5})
        play((name,) * players, few, players)
        play((name, *["random"] * (players - 1)), few, players)


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("options", ODD, ids=str)
def test_each_plays_odd_rules(name: str, options: Mapping[str, object]) -> None:
    rules = ruleset(GAME, None, {"hands": 5, **options})
    for seed in range(3):
        play((name, "random", "honest", name), rules, seed)


@pytest.mark.parametrize(
    ("name", "preset"), crossed(["honest", "calculator", "observer"], [preset.name for preset in PRESETS])
)
def test_the_thinking_ones_get_more_than_their_share_at_a_table_of_four(name: str, preset: str) -> None:
    """Far more than a quarter of 24 matches; by chance 15 would be won once in ten thousand times."""
    won = 0
    for seed in range(24):
        table = [name, "random", "random", "random"]
        turned = (*table[-seed % 4 :], *table[: -seed % 4])
        won += play(turned, ruleset(GAME, preset), seed).places[turned.index(name)] == 1
    assert won >= 15


# ---- each of them --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["honest", "calculator", "observer"])
def test_a_combination_is_kept(name: str) -> None:
    table = Table().deal().having(hands=(cards("2C 7D 9H"), cards(POEN), cards("4S JH QD")))
    assert thinking(name).choose(asked(table)) == PASS
    offered = Table(banker=2).deal().do("offer 2C")
    offered.having(hands=(offered.state.hands[0], cards(TRICON), cards("4S 8H QD")))
    assert thinking(name).choose(asked(offered)) == REFUSE


@pytest.mark.parametrize("name", ["honest", "calculator", "observer"])
@pytest.mark.parametrize(
    ("hand", "spare"),
    [
        ("4D 9D KS", "KS"),  # two of a suit wait for eleven cards
        ("4D 4S 9C", "9C"),  # a pair waits for two
        ("4D 4S 9S", "4D"),  # rather for a suit than for a rank
    ],
)
def test_the_card_that_helps_least_is_offered(name: str, hand: str, spare: str) -> None:
    assert thinking(name).choose(asked(Table().deal({1: hand}))) == Move("offer", spare)


def test_honest_buys_after_a_refusal_and_passes_without_chips() -> None:
    refused = Table().deal({1: "4D 9D KS"}).do("offer KS", "refuse")
    assert thinking("honest").choose(asked(refused)) == Move("buy", "KS")
    poor = Table(chips=1).deal({1: "4D 9D KS"}).do("offer KS", "refuse")
    assert thinking("honest").choose(asked(poor)) == PASS
    answer = Table(banker=2).deal({0: "2C 8H JS", 1: "4D 9D KS"}).do("offer 2C")
    assert thinking("honest").choose(asked(answer)) == Move("give", "KS")


def test_calculator_buys_only_what_is_worth_its_price() -> None:
    def bought(pot: int, **options: object) -> Move:
        table = Table(**options).deal({1: "4D 9D KS"}).do("offer KS", "refuse").having(pot=pot)
        choice = thinking("calculator", **options).choose(asked(table))
        assert isinstance(choice, Move)
        return choice

    assert bought(3) == PASS
    assert bought(30) == Move("buy", "KS")
    assert bought(30, fee=12) == PASS
    # a card that costs the banker nothing is always worth it
    banker = Table(banker=1, fee_to="banker").deal({1: "4D 9D KS"}).do("pass", "pass", "offer KS", "refuse")
    assert thinking("calculator", fee_to="banker").choose(asked(banker)) == Move("buy", "KS")


def test_calculator_looks_at_a_visible_offer() -> None:
    def answered(offer: str) -> Move:
        table = Table(banker=2, offer_visible="on").deal({0: f"{offer} 3H JS", 1: "4D 9D KS"}).do(f"offer {offer}")
        choice = thinking("calculator", offer_visible="on").choose(asked(table))
        assert isinstance(choice, Move)
        return choice

    assert answered("TD") == Move("give", "KS")
    assert answered("6C") == REFUSE


def test_calculator_knows_better_combinations_from_worse() -> None:
    bot: Any = MAKERS["calculator"]()
    bot.choose(asked(Table().deal()))
    values = [bot.value(cards(hand)) for hand in ("2C 4D 7H", "2C 3C 5C", "JS KS AS", "2C 3C 4C", "AC AD AH")]
    assert values == sorted(set(values))
    assert values[-1] == bot.prize


def shown(*seats: int) -> HandResult:
    found = tuple(Shown(seat, cards(POEN), Combination("poen", (13, 9, 3))) for seat in seats)
    return HandResult(1, "taken", found, seats[:1], (0, 0, 0), (0, 0, 0), 0)


def test_observer_learns_whose_passing_is_telling() -> None:
    observer = thinking("observer")
    table = Table().deal({1: "4D 9D KS"}).do("offer KS", "refuse").having(pot=5)
    for event in (Passed(0), Passed(2)):
        observer.on_event(event)
    assert observer.choose(asked(table)) == Move("buy", "KS")
    for _ in range(40):
        for event in (HandEnded(shown(0, 2)), Passed(0), Passed(2)):
            observer.on_event(event)
    assert observer.choose(asked(table)) == PASS
    for _ in range(400):
        for event in (HandEnded(shown()), Passed(0), Passed(2)):
            observer.on_event(event)
    assert observer.choose(asked(table)) == Move("buy", "KS")


def test_observer_does_not_ask_who_always_refuses() -> None:
    observer = thinking("observer")
    view = asked(Table().deal({1: "4D 9D KS"}).having(pot=30))
    for _ in range(20):
        observer.on_event(OfferRefused(1, 2))
    assert observer.choose(view) == Move("buy", "KS")
    for _ in range(20):
        observer.on_event(Bartered(0, 2))
    assert observer.choose(view) == Move("offer", "KS")


def test_observer_does_not_wait_for_cards_that_it_gave_away() -> None:
    observer = thinking("observer")
    view = asked(Table().deal({1: "4D 9D KS"}))
    hand = view.hands[1]
    before = observer.chance(view, hand, "KS")
    observer.on_event(Swapped(1, "TD", "2H", frozenset({1})))
    assert observer.chance(view, hand, "KS") < before
    observer.on_event(HandEnded(shown(0)))
    assert observer.chance(view, hand, "KS") == before
    observer.on_event(Swapped(1, "TD", "2H", frozenset({1})))
    observer.on_event(Swapped(1, "2H", "TD", frozenset({1})))
    assert observer.gone == {"2H"}


def test_observer_saves_its_chips_when_it_has_fallen_behind() -> None:
    table = Table(mode="deck_out").deal({1: "4D 9D KS"}).do("offer KS", "refuse")
    assert thinking("observer", mode="deck_out").choose(asked(table)) == Move("buy", "KS")
    table.having(points=(9, 0, 0))
    assert thinking("observer", mode="deck_out").choose(asked(table)) == PASS
