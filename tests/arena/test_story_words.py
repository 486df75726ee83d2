"""The words of stories: every event of every game has its sentence, and every word of a game is used."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from arena import story
from arena.games import GAMES, commerce, find_game
from arena.rules import AnyGame, Drawn, Event, Left, Moved, RulesetError, ruleset

NAMES = ("Darina", "", "Semen", "A", "B", "C", "D", "E", "F", "G")


def events_of(game: AnyGame, seed: int) -> Iterator[tuple[Event, ...]]:
    """What happens in a random match, in which players also leave now and then."""
    dice = random.Random(seed)
    rules = ruleset(game, dice.choice(game.presets).name)
    for option in dice.sample(game.options, 4):
        value = (
            dice.choice(option.words) if option.words else dice.randint(option.low, min(option.high, option.low + 4))
        )
        try:
            rules = ruleset(game, None, {**rules.values, option.name: value})
        except RulesetError:
            continue  # it contradicts the others
    state, events = game.start(rules, dice.choice(rules.players))
    for _ in range(400):
        yield events
        due = game.due(state)
        if due is not None:
            state, events = game.step(state, Drawn(tuple(dice.randrange(size) for size in due.sizes)))
            continue
        asked = game.asked(state)
        if not asked:
            return
        if dice.random() < 0.01:
            state, events = game.step(state, Left(frozenset(dice.sample(asked, dice.randint(1, len(asked))))))
        else:
            state, events = game.step(state, Moved({seat: dice.choice(game.legal(state, seat)) for seat in asked}))


class Listener:
    """English, which knows what it was asked for."""

    def __init__(self) -> None:
        self.used: set[str | story.Counted] = set()

    def gettext(self, message: str, /) -> str:
        self.used.add(message)
        return message

    def ngettext(self, singular: str, plural: str, number: int, /) -> str:
        self.used.add(story.Counted(singular, plural))
        return singular if number == 1 else plural


RARE = {"commerce": {"tied", "split", "redeal", "paid_tie"}}
"""What hardly happens at random; its sentences stand below."""


@pytest.mark.parametrize("name", ["mia", "commerce"])
def test_every_event_is_told_and_every_word_is_used(name: str) -> None:
    game = find_game(name)
    words = story.WORDS[name]
    language = Listener()
    for seed in range(150):
        for events in events_of(game, seed):
            for event in events:
                told = story.tell(game, event, NAMES, language)
                assert told, event
                assert told.strip() == told
                assert not set("{}") & set(told)
                assert not told.endswith(".")
    together = {"out_together", "forfeit_together"}  # nobody leaves together in this game, but the word may be wanted
    assert {key for key, word in words.items() if word not in language.used} <= together | RARE.get(name, set())
    assert language.used <= set(words.values())


TERZES = tuple(
    commerce.Shown(seat, tuple(rank + suit for rank in "789"), commerce.Combination("terz", (9,)))
    for seat, suit in ((0, "D"), (2, "S"))
)


@pytest.mark.parametrize(
    ("event", "told"),
    [
        (commerce.HandBegan(4, 2, redeal=True), "hand 4: Semen deals again, and nobody pays an ante"),
        (commerce.Paid("tie", (0, 1, 0, 1), 9), "for the tie seat 1 and A must add to the pot: it holds 9"),
        (
            commerce.HandEnded(commerce.HandResult(3, "tied", TERZES, (0, 2), (0,) * 4, (0,) * 4, 7)),
            (
                "Darina shows a terz (7D 8D 9D), Semen shows a terz (7S 8S 9S); "
                "Darina and Semen are tied, and the pot of 7 stays"
            ),
        ),
        (
            commerce.HandEnded(commerce.HandResult(3, "split", (), (0, 2), (3, 0, 3, 0), (2, 1, 2, 0), 1)),
            "Darina and Semen share the pot, 3 each",
        ),
    ],
)
def test_what_hardly_happens_in_commerce(event: Event, told: str) -> None:
    assert story.tell(find_game("commerce"), event, NAMES) == told


def test_every_game_has_a_story() -> None:
    for game in GAMES.values():
        _, events = game.start(ruleset(game), 3)
        for event in events:
            assert story.tell(game, event, NAMES)
