"""The laws that hold for every game, whatever its rules: played at random with random rulesets and tables.

A game is covered as soon as it is registered in `arena.games`. Two laws cannot be stated without knowing
the game, so each game says two things about itself, in `GAMES_KNOWN`: what is conserved, and how a secret
can be swapped for another one.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple
from zlib import crc32

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.games import GAMES, mia, three_coins
from arena.rules import (
    OMNISCIENT,
    PUBLIC,
    AnyGame,
    Drawn,
    Event,
    Happening,
    IllegalMove,
    Left,
    Moved,
    MoveTextError,
    Option,
    Ruleset,
    RulesetError,
    Value,
    Viewer,
    at_seat,
    heard,
    ruleset,
)
from tests.arena import commerce_laws
from tests.breadth import often

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES.keys())
law = settings(
    max_examples=often(20, everything=160),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

LONGEST_WALK = 250
"""Steps of a match that are looked at; `test_every_match_ends` plays to the end."""


# ---- what only the game knows --------------------------------------------------------------------


class Known(NamedTuple):
    """What one game says about itself."""

    conserved: Callable[[Any], None]
    """Asserts of a state what never gets lost."""
    twin: Callable[[Any, Happening | None, Viewer, random.Random], tuple[Any, Happening | None]]
    """Swaps what the viewer cannot know: another state, and another happening in place of the given one.

    The viewer can tell neither the states apart nor what comes of the happenings; the happening is
    None where it lays open what was swapped, so that only the states are alike.
    """


def coins_conserved(state: three_coins.State) -> None:
    options = state.options
    total = sum(state.coins) + state.pot
    start = options.start_coins * len(state.coins)
    assert total == start if options.coin_cap == options.start_coins else total >= start
    assert state.pot >= 0
    for seat, coins in enumerate(state.coins):
        assert 0 <= coins <= options.coin_cap
        assert seat in state.live or coins == 0
        hidden = state.hands[seat]
        assert hidden is None or 0 <= hidden <= coins


def coins_twin(
    state: three_coins.State, happening: Happening | None, viewer: Viewer, dice: random.Random
) -> tuple[three_coins.State, Happening | None]:
    """Other coins in the fists of the others, those that are closed or those that are just closing."""

    def other(seat: int, coins: int) -> int:
        return coins if seat == viewer.seat else dice.randint(0, state.coins[seat])

    hands = tuple(None if coins is None else other(seat, coins) for seat, coins in enumerate(state.hands))
    if isinstance(happening, Moved):
        if state.phase == "hiding":
            moves = {seat: three_coins.Move("hide", other(seat, move.number)) for seat, move in happening.moves.items()}
            happening = Moved(moves)
        elif happening.moves[state.turn].kind != "bid":
            happening = None
    return state._replace(hands=hands), happening


def lives_conserved(state: mia.State) -> None:
    options = state.options
    for seat, (lives, sips) in enumerate(zip(state.lives, state.sips, strict=True)):
        assert (lives > 0) == (seat in state.live)
        assert 0 <= lives <= options.lives
        assert sips == 0 or options.penalty == "sip"
        assert options.penalty == "life" or lives in (0, options.lives)
    assert sorted(state.live + tuple(seat for group in state.out for seat in group)) == list(range(len(state.lives)))
    assert 0 <= state.announcements <= options.max_announcements
    assert state.clockwise or options.joker_32 == "reverse"
    assert set(state.seen) <= {state.roller} & set(state.live)
    assert state.dice is None or state.dice in mia.ROLLS
    named = (state.announced is None, state.announcer < 0, state.namer < 0, state.announcements == 0)
    assert len(set(named)) == 1


def dice_twin(
    state: mia.State, happening: Happening | None, viewer: Viewer, dice: random.Random
) -> tuple[mia.State, Happening | None]:
    """Other dice under the cup, those that lie there or those that are just falling, unless he looks at them."""
    if viewer.seat in state.seen:
        return state, happening
    if isinstance(happening, Drawn) and state.phase == "rolling":
        happening = Drawn((dice.randrange(6), dice.randrange(6)))
    if state.dice is not None:
        state = state._replace(dice=dice.choice(mia.ROLLS))
        if isinstance(happening, Moved) and happening.moves[state.turn].kind in ("challenge", "look"):
            happening = None
    return state, happening


GAMES_KNOWN: dict[str, Known] = {
    "three_coins": Known(coins_conserved, coins_twin),
    "commerce": Known(commerce_laws.conserved, commerce_laws.twin),
    "mia": Known(lives_conserved, dice_twin),
}


def test_every_game_says_what_the_laws_must_know() -> None:
    assert set(GAMES_KNOWN) == set(GAMES)


# ---- tables, and random play ---------------------------------------------------------------------


class Setting(NamedTuple):
    """A table at which a match can begin, and the dice by which it goes on."""

    rules: Ruleset
    players: int
    seed: int


def some_value(option: Option) -> st.SearchStrategy[Value]:
    """Any allowed word; of the numbers the small ones, where the rules bite, and the highest."""
    if option.words:
        return st.sampled_from(option.words)
    small = range(option.low, min(option.high, option.low + 6) + 1)
    return st.sampled_from([option.default, *small, option.high])


@st.composite
def settings_of(draw: st.DrawFn, game: AnyGame) -> Setting:
    """A preset as it is, or with some of its options changed, at a table of any size it allows."""
    preset = draw(st.sampled_from(game.presets)).name
    changed = draw(st.lists(st.sampled_from(game.options), unique=True, max_size=6))
    rules = ruleset(game, preset)
    for option in changed:
        # what contradicts the choices so far is left out
        with contextlib.suppress(RulesetError):
            rules = ruleset(game, preset, {**rules.values, option.name: draw(some_value(option))})
    return Setting(rules, draw(st.sampled_from(list(rules.players))), draw(st.integers(0, 2**32)))


Policy = Callable[[AnyGame, Any, int, random.Random], Any]


def any_kind(game: AnyGame, state: Any, seat: int, dice: random.Random) -> Any:
    """First a kind of move (the first word of its text), then one of it: rare kinds are played often."""
    kinds: dict[str, list[Any]] = {}
    for move in game.legal(state, seat):
        kinds.setdefault(game.write(move).partition(" ")[0], []).append(move)
    return dice.choice(kinds[dice.choice(list(kinds))])


def first_legal(game: AnyGame, state: Any, seat: int, _: random.Random) -> Any:
    return game.legal(state, seat)[0]


def last_legal(game: AnyGame, state: Any, seat: int, _: random.Random) -> Any:
    return game.legal(state, seat)[-1]


def default_move(game: AnyGame, state: Any, seat: int, _: random.Random) -> Any:
    return game.default(state, seat)


def next_happening(
    game: AnyGame, state: Any, dice: random.Random, policy: Policy = any_kind, leaving: float = 0.02
) -> Happening | None:
    """What happens next in a match that is played at random; None when it is over."""
    draw = game.due(state)
    if draw is not None:
        return Drawn(tuple(dice.randrange(size) for size in draw.sizes))
    asked = game.asked(state)
    if not asked:
        return None
    if dice.random() < leaving:
        return Left(frozenset(dice.sample(asked, dice.randint(1, len(asked)))))
    return Moved({seat: policy(game, state, seat, dice) for seat in asked})


class Moment(NamedTuple):
    """A state, what happened next, and what came of it; in the last one nothing more happens."""

    state: Any
    happening: Happening | None
    after: Any
    events: tuple[Event, ...]


def moments(game: AnyGame, setting: Setting) -> Iterator[Moment]:
    """A match played at random, to its end or for `LONGEST_WALK` steps."""
    dice = random.Random(setting.seed)
    state, _ = game.start(setting.rules, setting.players)
    for _ in range(LONGEST_WALK):
        happening = next_happening(game, state, dice)
        if happening is None:
            yield Moment(state, None, state, ())
            return
        after, events = game.step(state, happening)
        yield Moment(state, happening, after, events)
        state = after


def viewers(players: int) -> tuple[Viewer, ...]:
    return (PUBLIC, *map(at_seat, range(players)))


# ---- the laws ------------------------------------------------------------------------------------


@every_game
@law
@given(data=st.data())
def test_a_draw_is_due_or_somebody_is_asked_or_it_is_over(game: AnyGame, data: st.DataObject) -> None:
    setting = data.draw(settings_of(game))
    for state, _, _, _ in moments(game, setting):
        due, asked, outcome = game.due(state), game.asked(state), game.outcome(state)
        assert [due is not None, bool(asked), outcome is not None].count(True) == 1
        assert list(asked) == sorted(set(asked) & set(range(setting.players)))
        assert due is None or (due.label and all(size >= 1 for size in due.sizes))
        if outcome is not None:
            assert len(outcome.places) == len(outcome.scores) == setting.players
            # a place is one more than the number of those who did better
            assert all(place == 1 + sum(p < place for p in outcome.places) for place in outcome.places)
            assert outcome.reason


@every_game
@law
@given(data=st.data())
def test_legal_and_refusal_agree(game: AnyGame, data: st.DataObject) -> None:
    setting = data.draw(settings_of(game))
    dice = random.Random(setting.seed)
    vocabulary: dict[Any, None] = {}  # every move that was ever legal in this match, in order
    for state, happening, _, _ in moments(game, setting):
        asked = game.asked(state)
        for seat in range(setting.players):
            legal = game.legal(state, seat)
            assert bool(legal) == (seat in asked)
            assert len(set(legal)) == len(legal)
            vocabulary |= dict.fromkeys(legal)
            some = dice.sample(list(vocabulary), min(len(vocabulary), 25))
            for move in (*legal, *some):
                reason = game.refusal(state, seat, move)
                assert (reason is None) == (move in legal), (seat, move, reason)
                assert reason is None or (reason.strip() == reason and reason)
            if seat in asked:
                assert game.default(state, seat) in legal
                assert isinstance(happening, Moved | Left)
                if isinstance(happening, Moved):
                    one_move_each(game, state, seat, happening, [m for m in some if m not in legal][:3], legal)


def one_move_each(
    game: AnyGame, state: Any, seat: int, happening: Moved, illegal: list[Any], legal: tuple[Any, ...]
) -> None:
    """What is refused is not played, and says why; what is legal is played."""
    for move in illegal:
        with pytest.raises(IllegalMove) as refused:
            game.step(state, Moved({**happening.moves, seat: move}))
        assert str(refused.value) == game.refusal(state, seat, move)
    for move in legal[:12]:
        game.step(state, Moved({**happening.moves, seat: move}))


@every_game
@law
@given(data=st.data())
def test_moves_are_read_back_from_their_text(game: AnyGame, data: st.DataObject) -> None:
    setting = data.draw(settings_of(game))
    seen = {
        move for state, *_ in moments(game, setting) for seat in game.asked(state) for move in game.legal(state, seat)
    }
    texts = set(map(game.write, seen))
    assert texts == set(map(str, seen))  # so that a bot's author may print a move, or return what it prints
    assert len(texts) == len(seen)
    assert set(map(game.parse, texts)) == seen
    if not texts:
        return  # the match was over before anybody was asked
    spoiled = st.sampled_from(sorted(texts)).flatmap(
        lambda text: st.sampled_from([text + " ", " " + text, text.upper(), text.replace(" ", "  "), text[:-1]])
    )
    text = data.draw(spoiled | st.text(max_size=9) | st.sampled_from(sorted(texts)))
    with contextlib.suppress(MoveTextError):
        assert game.write(game.parse(text)) == text


@every_game
@law
@given(data=st.data())
def test_the_same_happenings_make_the_same_match(game: AnyGame, data: st.DataObject) -> None:
    setting = data.draw(settings_of(game))
    walked = list(moments(game, setting))
    before = [repr(moment) for moment in walked]
    state, _ = game.start(setting.rules, setting.players)
    for moment in walked:
        assert state == moment.state
        if moment.happening is not None:
            state, events = game.step(state, moment.happening)
            assert repr((state, events)) == repr((moment.after, moment.events))
    # and nothing that was handed out has changed since
    assert [repr(moment) for moment in walked] == before


@every_game
@law
@given(data=st.data())
def test_events_have_an_audience(game: AnyGame, data: st.DataObject) -> None:
    setting = data.draw(settings_of(game))
    seats = frozenset(range(setting.players))
    for _, _, after, events in moments(game, setting):
        for event in events:
            assert event.audience is None or (event.audience and event.audience <= seats)
        public = heard(events, PUBLIC)
        assert heard(events, OMNISCIENT) == events
        for seat in seats:
            own = heard(events, at_seat(seat))
            assert [event for event in own if event.audience is None] == list(public)
        assert game.view(after, PUBLIC) is not None


@every_game
@law
@given(data=st.data())
def test_nothing_gets_lost(game: AnyGame, data: st.DataObject) -> None:
    for state, *_ in moments(game, data.draw(settings_of(game))):
        GAMES_KNOWN[game.name].conserved(state)


POLICIES: Mapping[str, Policy] = {
    "random": any_kind,
    "first": first_legal,
    "last": last_legal,
    "default": default_move,
}


@every_game
@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES.keys())
def test_every_match_ends(game: AnyGame, policy: Policy) -> None:
    for preset in game.presets:
        rules = ruleset(game, preset.name)
        for players in {rules.players[0], rules.players[-1]}:
            dice = random.Random(players)
            state, _ = game.start(rules, players)
            for _ in range(50_000):
                happening = next_happening(game, state, dice, policy, leaving=0)
                if happening is None:
                    break
                state, _ = game.step(state, happening)
            assert game.outcome(state) is not None, (preset.name, players)


# ---- secrecy -------------------------------------------------------------------------------------


def check_secrecy(game: AnyGame, setting: Setting) -> None:
    """Swap what a viewer may not know: nothing that he sees, may do, or hears changes by one byte."""
    twin = GAMES_KNOWN[game.name].twin
    dice = random.Random(setting.seed + 1)
    for state, happening, after, events in moments(game, setting):
        for viewer in viewers(setting.players):
            other, otherwise = twin(state, happening, viewer, dice)
            assert repr(game.view(state, viewer)) == repr(game.view(other, viewer))
            assert game.due(state) == game.due(other)
            assert game.asked(state) == game.asked(other)
            if viewer.kind == "seat":
                assert repr(game.legal(state, viewer.seat)) == repr(game.legal(other, viewer.seat))
            if otherwise is not None:
                other_after, other_events = game.step(other, otherwise)
                assert repr(heard(events, viewer)) == repr(heard(other_events, viewer))
                assert repr(game.view(after, viewer)) == repr(game.view(other_after, viewer))


@every_game
@law
@given(data=st.data())
def test_nobody_sees_what_he_may_not_know(game: AnyGame, data: st.DataObject) -> None:
    check_secrecy(game, data.draw(settings_of(game)))


class Leaky:
    """A game that does as the real one does, but for the functions that are given."""

    def __init__(self, game: AnyGame, **leaks: Callable[..., Any]) -> None:
        self._game = game
        self.__dict__.update(leaks)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)


def leaking_view(game: AnyGame) -> Any:
    return Leaky(game, view=lambda state, viewer: (game.view(state, viewer), game.view(state, OMNISCIENT)))


def leaking_legal(game: AnyGame) -> Any:
    def legal(state: Any, seat: int) -> tuple[Any, ...]:
        moves = game.legal(state, seat)
        return moves[1:] if len(moves) > 1 and crc32(repr(game.view(state, OMNISCIENT)).encode()) % 2 else moves

    return Leaky(game, legal=legal)


def leaking_events(game: AnyGame) -> Any:
    def step(state: Any, happening: Happening) -> Any:
        after, events = game.step(state, happening)
        loud: tuple[Any, ...] = events
        return after, tuple(event._replace(audience=None) for event in loud)

    return Leaky(game, step=step)


@every_game
@pytest.mark.parametrize("leak", [leaking_view, leaking_legal, leaking_events])
def test_a_leak_would_be_found(game: AnyGame, leak: Callable[[AnyGame], Any]) -> None:
    """The law of secrecy has teeth: every match of a game that leaks breaks it."""
    rules = ruleset(game)
    leaky = leak(game)
    for seed in range(5):
        setting = Setting(rules, rules.players[1], seed)
        check_secrecy(game, setting)
        with pytest.raises(AssertionError):
            check_secrecy(leaky, setting)
