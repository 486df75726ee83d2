"""Every event is told in a plain sentence, by name."""

from __future__ import annotations

import re
import string
from typing import Any

import pytest

from arena import story
from arena.games import GAMES
from arena.games.three_coins import (
    CALL,
    CLIFF,
    MAX,
    ZERO,
    FistsClosed,
    FistsOpened,
    Hid,
    Move,
    RoundBegan,
    RoundBroken,
    Said,
    Showdown,
    Spoke,
    ThreeCoinsEvent,
    WentOut,
)
from arena.rules import MatchEnded, Outcome
from tests.arena.playouts import GAME, RULESETS, playout

NAMES = ("Daryna", "Orest", "Semen")


def opened(word: Move = CALL, seat: int = 0, *, right: bool = True, **changes: Any) -> FistsOpened:
    showdown = Showdown(3, (2, 0, 3), 5, (Said(1, Move("bid", 6)), Said(seat, word)), right, (0, 0, 0), 1)
    return FistsOpened(showdown._replace(**changes))


@pytest.mark.parametrize(
    ("event", "told"),
    [
        (RoundBegan(3, 1), "round 3: everybody hides coins, Orest will speak first"),
        (Hid(2, 1, frozenset({2})), "Semen hides 1"),
        (FistsClosed((0, 1, 2), 0), "the fists are closed; Daryna opens the bidding"),
        (Spoke(2, Move("bid", 4)), "Semen bids 4"),
        (Spoke(2, CALL), "Semen does not believe it and calls"),
        (Spoke(2, CLIFF), "Semen says cliff: exactly that many"),
        (Spoke(2, ZERO), "Semen says zero: every fist is empty"),
        (Spoke(2, MAX), "Semen says max: every coin is in a fist"),
        (
            opened(changes=(0, -1, 0)),
            "the fists open (Daryna 2, Orest 0, Semen 3): 5 coins; Orest loses one",
        ),
        (
            opened(ZERO, hands=(0, 0, None), total=0, changes=(0, -1, 0)),
            "the fists open (Daryna 0, Orest 0): no coin at all; Orest loses one",
        ),
        (
            opened(ZERO, hands=(0, 1, 0), total=1, right=False, changes=(-1, 0, 0)),
            "the fists open (Daryna 0, Orest 1, Semen 0): 1 coin; Daryna loses one",
        ),
        (
            opened(ZERO, changes=(0, -1, -1)),
            "the fists open (Daryna 2, Orest 0, Semen 3): 5 coins; Orest and Semen lose one each",
        ),
        (
            opened(CLIFF, changes=(1, 0, 0)),
            "the fists open (Daryna 2, Orest 0, Semen 3): 5 coins; Daryna wins one",
        ),
        (opened(MAX), "the fists open (Daryna 2, Orest 0, Semen 3): 5 coins; no coin moves"),
        (
            opened(changes=(-1, 0, 0)),  # objective = first_empty: that is what one wants
            "the fists open (Daryna 2, Orest 0, Semen 3): 5 coins; Daryna is right and gives one away",
        ),
        (RoundBroken(4, 1), "Orest leaves in the middle of round 4: the fists stay closed"),
        (WentOut((1,), forfeit=False), "Orest is out"),
        (WentOut((0, 1, 2), forfeit=False), "Daryna, Orest and Semen are out"),
        (WentOut((1,), forfeit=True), "Orest forfeits and is out"),
        (WentOut((1, 2), forfeit=True), "Orest and Semen forfeit and are out"),
        (MatchEnded(Outcome((2, 1, 3), "last_left", (0, 3, 0))), "Orest wins: nobody else is left"),
        (
            MatchEnded(Outcome((1, 1, 3), "stall_rounds", (3, 3, 0))),
            "Daryna and Orest share the first place: no coin has moved for too long",
        ),
    ],
)
def test_an_event_is_told(event: ThreeCoinsEvent, told: str) -> None:
    assert story.tell(GAME, event, NAMES) == told


def test_who_has_no_name_is_called_by_the_seat() -> None:
    assert story.tell(GAME, Spoke(1, Move("bid", 4)), ("Daryna", "")) == "seat 1 bids 4"
    assert story.tell(GAME, Spoke(2, Move("bid", 4)), ("Daryna", "")) == "seat 2 bids 4"


@pytest.mark.parametrize(("preset", "players", "options"), RULESETS)
def test_every_event_of_random_matches_is_told_without_seat_numbers(
    preset: str | None, players: int, options: dict[str, object]
) -> None:
    names = [f"<{chr(65 + seat)}>" for seat in range(players)]
    for seed in range(3):
        for event in playout(seed, preset, players, options, leave=0.03).events:
            told = story.tell(GAME, event, names)
            assert told
            assert not re.search(r"seat|\bNone\b|[{}]", told)
            assert "<" in told


def test_every_reason_and_every_game_has_its_words() -> None:
    assert set(story._STORIES) == set(GAMES)
    for reason in ("last_left", "first_empty", "max_rounds", "stall_rounds"):
        assert story.tell(GAME, MatchEnded(Outcome((1, 2), reason, (3, 0))), NAMES)


def test_a_language_translates_every_template() -> None:
    class Backwards:
        def gettext(self, message: str, /) -> str:
            return f"[{message}]"

        def ngettext(self, singular: str, plural: str, number: int, /) -> str:
            return f"<{number}: {plural}>"

    assert story.tell(GAME, Spoke(0, Move("bid", 4)), NAMES, Backwards()) == "[Daryna bids 4]"
    told = story.tell(GAME, opened(changes=(0, -1, 0)), NAMES, Backwards())
    assert told == "<5: the fists open ([Daryna 2], [Orest 0], [Semen 3]): 5 coins; [Orest loses one]>"


def test_templates_name_what_they_fill_in() -> None:
    texts = [word for words in story.WORDS.values() for word in words.values()]
    for text in [one for word in texts for one in (word if isinstance(word, story.Counted) else [word])]:
        assert all(field is None or field for _, field, _, _ in string.Formatter().parse(text))
