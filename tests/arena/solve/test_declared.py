"""A declared policy against what a bot really chooses."""

from __future__ import annotations

from typing import Any

import pytest

from arena.games.mia import GAME as MIA
from arena.games.three_coins import GAME as COINS
from arena.kit import Bot, load_bot
from arena.local.declared import Agreement, PolicyRefusedError, agree, declared, watch
from arena.rules import AnyGame, ruleset
from arena.solve import solver
from bots import house_bots

RULES = {"three_coins": ruleset(COINS, "duel"), "mia": ruleset(MIA, "no-pass", {"lives": 2})}
GAMES: dict[str, AnyGame] = {"three_coins": COINS, "mia": MIA}


def judge(make: Any, game: str = "three_coins", choices: int = 3000) -> Agreement:
    one = solver(game)
    return agree(watch(make, one, RULES[game], choices, 1), declared(make(), "it"), one)


class Uniform(Bot):
    """As it says."""

    game = "three_coins"

    def choose(self, view: Any) -> Any:
        return self.random.choice(view.legal)

    def policy(self, view: Any) -> dict[Any, float]:
        return dict.fromkeys(view.legal, 1 / len(view.legal))


class Slanted(Uniform):
    """Hides nothing a little more often than it says."""

    def choose(self, view: Any) -> Any:
        return view.legal[0] if self.random.random() < 0.15 else super().choose(view)


class Caller(Uniform):
    """Never bids more than once, and says so of one move too few."""

    def policy(self, view: Any) -> dict[Any, float]:
        return dict.fromkeys(view.legal[:-1], 1 / (len(view.legal) - 1))


class Broken(Uniform):
    def choose(self, view: Any) -> Any:
        raise ValueError("no idea")


class Illegal(Uniform):
    def choose(self, view: Any) -> Any:
        return "bid 99"


class Silent(Bot):
    game = "three_coins"


@pytest.mark.parametrize("game", ["three_coins", "mia"])
@pytest.mark.parametrize("name", ["random", "honest", "calculator", "equilibrium"])
def test_the_house_bots_play_as_they_declare(game: str, name: str) -> None:
    bot = load_bot(house_bots(game)[name])()
    found = judge(type(bot), game)
    assert found.choices >= 3000
    assert found.sets > 100
    assert found.probability > 1e-4


def test_a_bot_that_plays_otherwise_is_refused() -> None:
    assert judge(Uniform).probability > 1e-4
    with pytest.raises(PolicyRefusedError, match="does not play as its policy says: chi-square"):
        judge(Slanted)


def test_otherwise_in_rare_places_only_is_refused_too() -> None:
    """In Mia nearly every information set is seen once or twice, and what is seen so rarely is tested together."""

    class Low(Uniform):
        game = "mia"

        def choose(self, view: Any) -> Any:
            return self.random.choice(view.legal[: len(view.legal) // 2 + 1])

    with pytest.raises(PolicyRefusedError, match="does not play"):
        judge(Low, "mia")


def test_a_choice_that_should_never_be_made() -> None:
    with pytest.raises(PolicyRefusedError, match=r"at 3 coins to .* the bot chose 'hide 3', .* probability 0"):
        judge(Caller)


@pytest.mark.parametrize(
    ("bot", "message"), [(Broken, "failed in a match: ValueError: no idea"), (Illegal, "IllegalMove")]
)
def test_a_bot_that_fails(bot: type[Bot], message: str) -> None:
    with pytest.raises(PolicyRefusedError, match=message):
        judge(bot)


def test_a_bot_that_declares_nothing() -> None:
    with pytest.raises(PolicyRefusedError, match="declares no policy: its class needs a method policy"):
        declared(Silent(), "it")


def test_p_values_are_spread_evenly() -> None:
    """Of a bot that plays as it says: else the bound on refusals would mean nothing."""
    one = solver("three_coins")
    found = [agree(watch(Uniform, one, RULES["three_coins"], 400, seed), Uniform().policy, one) for seed in range(30)]
    low = sum(agreement.probability < 0.5 for agreement in found)
    assert 5 <= low <= 25
    assert min(agreement.probability for agreement in found) > 1e-4
