"""Three Coins: the document's own game, every refusal, every option, forfeits, and the ends of a match."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from arena import rules
from arena.games.three_coins import (
    CALL,
    CLIFF,
    GAME,
    MAX,
    OPTIONS,
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
    State,
    WentOut,
)
from arena.rules import (
    OMNISCIENT,
    PUBLIC,
    Draw,
    Drawn,
    Event,
    Happening,
    IllegalMove,
    Left,
    MatchEnded,
    Moved,
    MoveTextError,
    Outcome,
    RulesError,
    RulesetError,
    at_seat,
    ruleset,
)

TRACE = json.loads((Path(__file__).parents[2] / "data" / "traces" / "three_coins.json").read_text())


class Table:
    """A match in progress: the state, and the events of the last step."""

    def __init__(self, players: int = 3, starter: int = 0, **options: object) -> None:
        self.state: State
        self.events: tuple[Event, ...]
        self.state, self.events = GAME.start(ruleset(GAME, None, options), players)
        if GAME.due(self.state) is not None:
            self.step(Drawn((starter,)))

    def step(self, happening: Happening) -> Table:
        self.state, self.events = GAME.step(self.state, happening)
        return self

    def hide(self, *coins: int) -> Table:
        """All who are still in, in the order of their seats, hide so many coins."""
        return self.step(Moved({s: Move("hide", n) for s, n in zip(self.state.live, coins, strict=True)}))

    def say(self, *words: str) -> Table:
        """Whose turn it is says the first of these, the next player the second, and so on."""
        for word in words:
            self.step(Moved({self.state.turn: GAME.parse(word)}))
        return self

    def leave(self, *seats: int) -> Table:
        return self.step(Left(frozenset(seats)))

    def refusal(self, word: str) -> str | None:
        """Why whose turn it is may not say ``word``; made sure of in all ways in which it can be asked."""
        move = GAME.parse(word)
        seat = self.state.turn
        reason = GAME.refusal(self.state, seat, move)
        assert (move in GAME.legal(self.state, seat)) == (reason is None)
        if reason is not None:
            with pytest.raises(IllegalMove) as refused:
                GAME.step(self.state, Moved({seat: move}))
            assert str(refused.value) == reason
        return reason

    @property
    def outcome(self) -> Outcome | None:
        return GAME.outcome(self.state)

    @property
    def opened(self) -> Showdown:
        """The fists as they were opened in the last step."""
        (event,) = (event for event in self.events if isinstance(event, FistsOpened))
        return event.showdown


# ---- the document's own game ---------------------------------------------------------------------


def test_the_game_of_daryna_orest_and_semen() -> None:
    names = TRACE["seats"]
    seat = {name: number for number, name in enumerate(names)}
    table = Table(players=3, starter=seat[TRACE["starter"]])
    for number, played in enumerate(TRACE["rounds"], start=1):
        state = table.state
        assert (state.phase, state.round) == ("hiding", number)
        assert GAME.view(state, PUBLIC).in_play == played["in_play"]
        assert [names[s] for s in state.live] == [name for name in names if name in played["hide"]]
        table.hide(*(played["hide"][names[s]] for s in state.live))
        for name, said in played["says"]:
            assert GAME.asked(table.state) == (seat[name],)
            table.say(f"bid {said}" if isinstance(said, int) else said)
        word, moved = played["result"]
        right = played["total"] < played["says"][-2][1] if word == "call" else word == f"{played['says'][-1][1]}+"
        assert (table.opened.total, table.opened.right) == (played["total"], right)
        if word == "call":
            assert table.opened.changes[seat[moved]] == -1
        coins = tuple(played["coins"][name] for name in names)
        assert (table.state.coins, table.state.pot) == (coins, played["pot"])
        out = [event.seats for event in table.events if isinstance(event, WentOut)]
        assert out == [(seat[name],) for name in played["eliminated"]]
        if number < len(TRACE["rounds"]):
            assert table.state.starter == seat[played["next"]]
    # 1st Semen, 2nd Orest, 3rd Daryna
    assert table.outcome == Outcome((3, 2, 1), "last_left", (0, 0, 2))
    assert {name: table.outcome.places[seat[name]] for name in names} == TRACE["places"]


# ---- a round -------------------------------------------------------------------------------------


def test_the_first_starter_is_drawn_by_lot() -> None:
    state, events = GAME.start(ruleset(GAME), 4)
    assert (GAME.due(state), GAME.asked(state), events) == (Draw("start/lot", (4,)), (), ())
    state, events = GAME.step(state, Drawn((2,)))
    assert events == (RoundBegan(1, 2),)
    assert (GAME.due(state), GAME.asked(state)) == (None, (0, 1, 2, 3))


def test_hands_are_known_to_their_owners_until_fists_open() -> None:
    table = Table(starter=2).hide(3, 2, 0)
    assert table.events == (
        Hid(0, 3, frozenset({0})),
        Hid(1, 2, frozenset({1})),
        Hid(2, 0, frozenset({2})),
        FistsClosed((0, 1, 2), 2),
    )
    assert GAME.view(table.state, at_seat(0)).hands == (3, None, None)
    assert GAME.view(table.state, at_seat(2)).hands == (None, None, 0)
    assert GAME.view(table.state, PUBLIC).hands == (None, None, None)
    assert GAME.view(table.state, OMNISCIENT).hands == (3, 2, 0)
    table.say("bid 4")
    assert table.events == (Spoke(2, Move("bid", 4)),)
    table.say("call")
    assert table.opened == Showdown(
        1, (3, 2, 0), 5, (Said(2, Move("bid", 4)), Said(0, CALL)), right=False, changes=(-1, 0, 0), pot=1
    )
    assert GAME.view(table.state, at_seat(1)).last == table.opened
    assert GAME.view(table.state, PUBLIC).hands == (None, None, None)


def test_bids_go_round_clockwise() -> None:
    table = Table(players=4, starter=2).hide(1, 1, 1, 1)
    turns = []
    for bid in range(1, 7):
        turns.append(table.state.turn)
        table.say(f"bid {bid}")
    assert turns == [2, 3, 0, 1, 2, 3]
    assert (table.state.bid, table.state.bidder, table.state.turn) == (6, 3, 0)


@pytest.mark.parametrize(
    ("hides", "says", "right", "coins", "pot"),
    [
        # a call is right when fewer coins are hidden than bid
        ((1, 1, 1), ("bid 4", "call"), True, (2, 3, 3), 1),
        ((1, 1, 1), ("bid 3", "call"), False, (3, 2, 3), 1),
        ((1, 1, 1), ("bid 2", "call"), False, (3, 2, 3), 1),
        ((1, 1, 1), ("bid 1", "bid 2", "bid 9", "call"), True, (3, 3, 2), 1),
        # cliff: exactly as many as bid; nobody owns more than three
        ((1, 1, 1), ("bid 3", "cliff"), True, (3, 3, 3), 0),
        ((1, 1, 1), ("bid 4", "cliff"), False, (3, 2, 3), 1),
        ((1, 1, 1), ("bid 2", "cliff"), False, (3, 2, 3), 1),
        # zero: no coin in any fist
        ((0, 0, 0), ("zero",), True, (3, 2, 2), 2),
        ((0, 0, 0), ("bid 1", "zero"), True, (2, 3, 2), 2),
        ((0, 1, 0), ("zero",), False, (2, 3, 3), 1),
        # max: every coin in a fist; then none moves
        ((3, 3, 3), ("max",), True, (3, 3, 3), 0),
        ((3, 3, 3), ("bid 1", "bid 2", "bid 3", "max"), True, (3, 3, 3), 0),
        ((3, 3, 2), ("bid 9", "max"), False, (3, 2, 3), 1),
    ],
)
def test_words_that_open_the_fists(
    hides: tuple[int, ...], says: tuple[str, ...], right: bool, coins: tuple[int, ...], pot: int
) -> None:
    table = Table().hide(*hides).say(*says)
    assert (table.opened.right, table.state.coins, table.state.pot) == (right, coins, pot)
    ender = (len(says) - 1) % 3
    assert (table.state.phase, table.state.round, table.state.starter) == ("hiding", 2, ender)
    assert table.events[0] == Spoke(ender, GAME.parse(says[-1]))
    assert table.events[-1] == RoundBegan(2, ender)


def test_a_coin_is_won_back_from_the_pot() -> None:
    table = Table().hide(0, 0, 0).say("bid 1", "call")  # seat 0 is down to 2, and seat 1 starts
    table.hide(1, 1, 1).say("bid 1", "bid 3", "cliff")
    assert (table.state.coins, table.state.pot) == ((3, 3, 3), 0)


def test_who_has_no_coins_is_out_and_the_next_one_starts() -> None:
    table = Table(start_coins=1).hide(1, 1, 1).say("bid 1", "bid 2", "call")
    assert WentOut((2,), forfeit=False) in table.events
    assert (table.state.live, table.state.starter) == ((0, 1), 0)
    assert GAME.asked(table.state) == (0, 1)
    table.hide(1, 1)
    assert GAME.view(table.state, OMNISCIENT).hands == (1, 1, None)


def test_truths_about_open_fists() -> None:
    """Enumerated for three players with three coins: what each word says of the others."""
    for hides in product(range(4), repeat=3):
        total = sum(hides)
        closed = Table().hide(*hides)
        zero, most = (Table().hide(*hides).say(word).opened.right for word in ("zero", "max"))
        assert zero == (total == 0)
        assert most == (total == 9)
        for bid in range(1, 10):
            state, _ = GAME.step(closed.state, Moved({0: Move("bid", bid)}))
            _, events = GAME.step(state, Moved({1: CALL}))
            called = next(e.showdown for e in events if isinstance(e, FistsOpened))
            # exactly one of the two loses a coin
            assert sorted(called.changes) == [-1, 0, 0]
            assert called.right == (called.changes[0] == -1) == (total < bid)
            assert not zero or called.right  # zero right: every bid from 1 was wrong
            assert not most or not called.right  # max right: no bid up to T was wrong


# ---- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("says", "word", "reason"),
    [
        ((), "bid 0", "bid 0: the first bid is at least 1"),
        ((), "bid 10", "bid 10: only 9 coins are in play"),
        (("bid 4",), "bid 4", "bid 4: it must be above 4"),
        (("bid 4",), "bid 0", "bid 0: it must be above 4"),
        (("bid 9",), "bid 10", "bid 10: only 9 coins are in play"),
        ((), "call", "call: there is no bid yet"),
        ((), "cliff", "cliff: there is no bid yet"),
        (("bid 1", "bid 2", "bid 3"), "zero", "zero: only who has said nothing this round may say it"),
        ((), "hide 1", "hide 1: the fists are closed; bid, or end the bidding"),
    ],
)
def test_refused_while_bidding(says: tuple[str, ...], word: str, reason: str) -> None:
    assert Table().hide(1, 1, 1).say(*says).refusal(word) == reason


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        (Move("hide", 4), "hide 4: this seat owns 3"),
        (Move("hide", -1), "hide -1: this seat owns 3"),
        (Move("bid", 2), "bid 2: coins are being hidden now; say hide N"),
        (CALL, "call: coins are being hidden now; say hide N"),
    ],
)
def test_refused_while_hiding(move: Move, reason: str) -> None:
    state = Table().state
    assert GAME.refusal(state, 1, move) == reason
    with pytest.raises(IllegalMove) as refused:
        GAME.step(state, Moved({0: Move("hide", 0), 1: move, 2: Move("hide", 0)}))
    assert str(refused.value) == reason


def test_one_hides_no_more_than_one_owns() -> None:
    state = Table().hide(0, 0, 0).say("zero").state
    assert GAME.legal(state, 1) == (Move("hide", 0), Move("hide", 1), Move("hide", 2))
    assert GAME.refusal(state, 1, Move("hide", 3)) == "hide 3: this seat owns 2"
    assert GAME.refusal(state, 0, Move("hide", 3)) is None


def test_refused_to_others() -> None:
    bidding = Table().hide(1, 1, 1).state
    for state, seat in ((bidding, 1), (GAME.start(ruleset(GAME), 3)[0], 0), (Table().leave(0, 1).state, 2)):
        assert GAME.refusal(state, seat, Move("bid", 1)) == "it is not this seat's turn"
        assert GAME.legal(state, seat) == ()
    assert GAME.refusal(bidding, 0, Move("spoof")) == "'spoof' is nothing that one can say"


@pytest.mark.parametrize(
    ("state", "happening", "says"),
    [
        (Table().state, Moved({0: Move("hide", 1)}), "moves of seats [0], but asked are [0, 1, 2]"),
        (Table().hide(1, 1, 1).state, Moved({1: Move("bid", 1)}), "moves of seats [1], but asked are [0]"),
        (Table().hide(1, 1, 1).state, Left(frozenset({1})), "seats [1] leave, but asked are [0]"),
        (Table().state, Left(frozenset()), "seats [] leave"),
        (Table().state, Drawn((0,)), "no draw that could give [0] is due"),
        (GAME.start(ruleset(GAME), 3)[0], Drawn((3,)), "no draw that could give [3] is due"),
        (GAME.start(ruleset(GAME), 3)[0], Drawn((0, 1)), "no draw that could give [0, 1] is due"),
    ],
)
def test_what_cannot_happen(state: State, happening: Happening, says: str) -> None:
    with pytest.raises(RulesError) as refused:
        GAME.step(state, happening)
    assert str(refused.value).startswith(says)


@pytest.mark.parametrize("text", ["hide 0", "hide 9", "bid 0", "bid 7", "bid 99", "call", "cliff", "zero", "max"])
def test_move_texts(text: str) -> None:
    assert GAME.write(GAME.parse(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        *("", "hide", "hide ", "hide  1", "hide 01", "hide -1", "hide +1", "hide 1 ", " hide 1", "Hide 1", "bid"),
        *("bid ٣", "bid 1.0", "bid 1000000000", "bid " + "9" * 5000, "call 1", "Call", "spoof", "zero\n", "не вірю"),
        "\ud800",
    ],
    ids=ascii,
)
def test_what_is_no_move(text: str) -> None:
    with pytest.raises(MoveTextError, match="is no move of Three Coins"):
        GAME.parse(text)


# ---- options -------------------------------------------------------------------------------------


class Case(NamedTuple):
    """The same things happen with a value of an option and without; ``look`` sees the difference."""

    option: str
    value: rules.Value
    happen: Callable[[Table], Table]
    look: Callable[[Table], Any]
    with_it: Any
    without: Any
    base: Mapping[str, rules.Value] = {}


def refused(word: str) -> Callable[[Table], str | None]:
    return lambda table: table.refusal(word)


def reason(table: Table) -> str | None:
    return table.state.reason


CASES = [
    Case("start_coins", 5, lambda t: t, lambda t: t.state.coins, (5, 5, 5), (3, 3, 3), {"coin_cap": 5}),
    Case("coin_cap", 4, lambda t: t.hide(1, 1, 1).say("bid 3", "cliff"), lambda t: t.state.coins, (3, 4, 3), (3, 3, 3)),
    Case(
        "coin_cap",
        4,
        lambda t: t.hide(1, 1, 1).say("bid 3", "cliff").hide(1, 1, 1).say("bid 1", "bid 2", "bid 3", "cliff"),
        lambda t: t.state.coins,
        (3, 4, 3),
        (3, 3, 3),
    ),
    Case(
        "cliff",
        "off",
        lambda t: t.hide(1, 1, 1).say("bid 3"),
        refused("cliff"),
        "cliff: this ruleset plays without it",
        None,
    ),
    Case("zero", "off", lambda t: t.hide(0, 0, 0), refused("zero"), "zero: this ruleset plays without it", None),
    Case("max", "off", lambda t: t.hide(3, 3, 3), refused("max"), "max: this ruleset plays without it", None),
    Case("max_bid", "none", lambda t: t.hide(1, 1, 1), refused("bid 10"), None, "bid 10: only 9 coins are in play"),
    Case(
        "max_bid",
        "none",
        lambda t: t.hide(1, 1, 1),
        refused("bid 100"),
        "bid 100: no bid goes above 99",
        "bid 100: only 9 coins are in play",
    ),
    Case("first_bid_min", 0, lambda t: t.hide(1, 1, 1), refused("bid 0"), None, "bid 0: the first bid is at least 1"),
    Case(
        "zero_when",
        "opening_only",
        lambda t: t.hide(0, 0, 0).say("bid 1"),
        refused("zero"),
        "zero: only who opens the round may say it",
        None,
    ),
    Case("zero_when", "opening_only", lambda t: t.hide(0, 0, 0), refused("zero"), None, None),
    Case(
        "max_when",
        "not_spoken",
        lambda t: t.hide(3, 3, 3).say("bid 1", "bid 2", "bid 3"),
        refused("max"),
        "max: only who has said nothing this round may say it",
        None,
    ),
    Case("max_when", "not_spoken", lambda t: t.hide(3, 3, 3).say("bid 1"), refused("max"), None, None),
    Case(
        "first_starter",
        "seat",
        lambda t: t,
        lambda t: GAME.due(GAME.start(ruleset(GAME, None, t.state.options._asdict()), 3)[0]),
        None,
        Draw("start/lot", (3,)),
    ),
    Case(
        "next_starter",
        "loser",
        lambda t: t.hide(1, 1, 1).say("bid 4", "call"),
        lambda t: t.state.starter,
        0,
        1,
    ),
    Case(
        "objective",
        "first_empty",
        lambda t: t.hide(1, 1, 1).say("bid 4", "call"),
        lambda t: t.state.coins,
        (3, 2, 3),
        (2, 3, 3),
    ),
    Case("max_rounds", 1, lambda t: t.hide(1, 1, 1).say("bid 4", "call"), reason, "max_rounds", None),
    Case("stall_rounds", 1, lambda t: t.hide(3, 3, 3).say("max"), reason, "stall_rounds", None),
]


@pytest.mark.parametrize("case", CASES, ids=[f"{n}-{case.option}-{case.value}" for n, case in enumerate(CASES)])
def test_an_option_makes_its_difference(case: Case) -> None:
    assert case.look(case.happen(Table(**case.base, **{case.option: case.value}))) == case.with_it
    assert case.look(case.happen(Table(**case.base))) == case.without


def test_every_value_of_every_option_is_tested() -> None:
    told_apart = {(case.option, case.value) for case in CASES if case.with_it != case.without}
    for option in OPTIONS:
        if option.words:
            assert {(option.name, word) for word in option.words if word != option.default} <= told_apart
        else:
            assert option.name in {name for name, _ in told_apart}


def test_the_cap_is_not_below_the_start() -> None:
    with pytest.raises(RulesetError, match=r"coin_cap \(3\) is below start_coins \(4\)"):
        ruleset(GAME, None, {"start_coins": 4})


def test_with_a_larger_cap_the_bank_pays_when_the_pot_is_empty() -> None:
    table = Table(coin_cap=4).hide(1, 1, 1).say("bid 3", "cliff")
    assert (table.state.coins, table.state.pot) == ((3, 4, 3), 0)
    table.hide(0, 0, 0).say("bid 1", "call")  # seat 1 loses one to the pot
    assert (table.state.coins, table.state.pot) == ((3, 3, 3), 1)
    table.hide(1, 1, 1).say("bid 3", "cliff")  # seat 0 takes it
    assert (table.state.coins, table.state.pot) == ((4, 3, 3), 0)
    table.hide(1, 1, 1).say("bid 1", "bid 2", "bid 3", "cliff")  # seat 0 again, at the cap
    assert (table.opened.right, table.opened.changes, table.state.coins) == (True, (0, 0, 0), (4, 3, 3))


@pytest.mark.parametrize("value", [0, 10, "three", True, None, 3.0])
def test_values_that_are_not_allowed(value: object) -> None:
    with pytest.raises(RulesetError, match=r"option start_coins: .* is not one of 1\.\.9"):
        ruleset(GAME, None, {"start_coins": value})


def test_bids_without_a_limit() -> None:
    table = Table(max_bid="none").hide(1, 1, 1).say("bid 99")
    assert GAME.legal(table.state, 1) == (CALL, CLIFF, ZERO, MAX)
    assert table.say("call").state.coins == (2, 3, 3)


def test_a_call_on_a_bid_of_nothing_is_always_wrong() -> None:
    assert Table(first_bid_min=0).hide(0, 0, 0).say("bid 0", "call").state.coins == (3, 2, 3)
    exact = Table(first_bid_min=0, coin_cap=4).hide(0, 0, 0).say("bid 0", "cliff")
    assert exact.state.coins == (3, 4, 3)


@pytest.mark.parametrize(
    ("hides", "says", "starter"),
    [
        ((1, 1, 1), ("bid 3", "call"), 1),  # the caller lost
        ((1, 1, 1), ("bid 4", "call"), 0),  # the bidder lost
        ((1, 1, 1), ("bid 3", "cliff"), 1),  # nobody lost: the ender
        ((0, 0, 0), ("bid 1", "zero"), 1),  # two lost: the ender
        ((0, 1, 0), ("bid 1", "bid 2", "zero"), 2),
        ((3, 3, 3), ("bid 1", "max"), 1),
    ],
)
def test_the_loser_starts(hides: tuple[int, ...], says: tuple[str, ...], starter: int) -> None:
    assert Table(next_starter="loser").hide(*hides).say(*says).state.starter == starter


def test_the_next_after_a_loser_who_is_out_starts() -> None:
    # seat 1 bids too much and is out; seat 2 called
    table = Table(players=4, start_coins=1, next_starter="loser").hide(1, 0, 1, 1).say("bid 1", "bid 4", "call")
    assert (table.state.live, table.state.starter) == ((0, 2, 3), 2)
    table = Table(players=4, start_coins=1, starter=3, next_starter="loser").hide(1, 0, 1, 1).say("bid 4", "call")
    assert (table.state.live, table.state.starter) == ((0, 1, 2), 0)


@pytest.mark.parametrize(
    ("hides", "says", "coins"),
    [
        ((1, 1, 1), ("bid 4", "call"), (3, 2, 3)),
        ((1, 1, 1), ("bid 3", "call"), (3, 3, 3)),
        ((1, 1, 1), ("bid 3", "cliff"), (3, 2, 3)),
        ((1, 1, 1), ("bid 2", "cliff"), (3, 3, 3)),
        ((0, 0, 0), ("zero",), (2, 3, 3)),
        ((0, 0, 1), ("zero",), (3, 3, 3)),
        ((3, 3, 3), ("max",), (2, 3, 3)),
        ((3, 3, 2), ("max",), (3, 3, 3)),
    ],
)
def test_first_empty_moves_the_coins_of_who_is_right(
    hides: tuple[int, ...], says: tuple[str, ...], coins: tuple[int, ...]
) -> None:
    table = Table(objective="first_empty").hide(*hides).say(*says)
    assert table.state.coins == coins
    assert table.state.pot == 9 - sum(coins)
    assert table.state.still == (1 if coins == (3, 3, 3) else 0)


def test_first_empty_ends_with_the_first_empty() -> None:
    table = Table(objective="first_empty", starter=1, start_coins=2).hide(2, 2, 2).say("max")
    table.hide(0, 0, 0).say("bid 1", "call")  # seat 1 bids, seat 2 is right
    assert table.state.coins == (2, 1, 1)
    table.hide(0, 0, 0).say("zero")
    assert table.outcome == Outcome((3, 2, 1), "first_empty", (2, 1, 0))
    assert not [event for event in table.events if isinstance(event, WentOut)]


@pytest.mark.parametrize("limit", ["max_rounds", "stall_rounds"])
def test_first_empty_ranks_the_fewest_first_at_a_limit_too(limit: str) -> None:
    table = Table(players=4, objective="first_empty", **{limit: 2})
    table.hide(3, 3, 3, 3).say("max")
    if limit == "max_rounds":
        table.hide(0, 0, 0, 0).say("max")
    else:
        table.hide(0, 0, 0, 0).say("max").hide(0, 0, 0, 0).say("max")
    assert table.outcome == Outcome((1, 2, 2, 2), limit, (2, 3, 3, 3))


def test_who_forfeits_in_first_empty_has_not_won() -> None:
    table = Table(objective="first_empty", max_rounds=2).leave(0)
    assert table.outcome is None
    table.hide(0, 0).say("zero").hide(0, 0).say("bid 1", "call")
    assert table.outcome == Outcome((3, 1, 1), "max_rounds", (0, 2, 2))
    assert Table(players=2, objective="first_empty").leave(0).outcome == Outcome((2, 1), "last_left", (0, 3))


# ---- the ends ------------------------------------------------------------------------------------


def test_who_is_knocked_out_by_the_same_zero_shares_a_place() -> None:
    table = Table(players=4, start_coins=1).hide(0, 0, 0, 0).say("zero")
    assert table.outcome == Outcome((1, 2, 2, 2), "last_left", (1, 0, 0, 0))
    assert table.events[-2:] == (WentOut((1, 2, 3), forfeit=False), MatchEnded(table.outcome))


def test_later_out_is_better() -> None:
    table = Table(players=4, start_coins=1).hide(0, 0, 0, 0).say("bid 1", "call")  # out: seat 0
    table.hide(0, 0, 0).say("bid 1", "call")  # out: seat 1
    table.hide(0, 0).say("bid 1", "call")  # out: seat 2
    assert table.outcome == Outcome((4, 3, 2, 1), "last_left", (0, 0, 0, 1))
    assert GAME.asked(table.state) == ()
    assert GAME.due(table.state) is None


def test_stalling() -> None:
    table = Table(stall_rounds=3)
    for _ in range(2):
        table.hide(3, 3, 3).say("max")
    table.hide(3, 3, 2).say("max")  # a coin moves, so the count begins again
    assert table.state.still == 0
    table.hide(2, 3, 3).say("max").hide(2, 3, 3).say("max")
    table.hide(1, 0, 0).say("bid 1", "cliff")  # right, but seat 1 is at the cap: no coin moves
    assert table.outcome == Outcome((3, 1, 1), "stall_rounds", (2, 3, 3))


def test_the_limit_of_rounds_ranks_by_coins() -> None:
    table = Table(players=4, max_rounds=2).hide(0, 0, 0, 0).say("zero").hide(1, 1, 1, 1).say("bid 1", "call")
    assert table.outcome == Outcome((1, 4, 2, 2), "max_rounds", (3, 1, 2, 2))


def test_limits_are_checked_in_their_order() -> None:
    both = {"max_rounds": 1, "stall_rounds": 1}
    assert Table(**both).hide(3, 3, 3).say("max").state.reason == "max_rounds"
    assert Table(start_coins=1, **both).hide(0, 0, 0).say("zero").state.reason == "last_left"
    empty = Table(start_coins=1, objective="first_empty", **both).hide(0, 0, 0).say("zero")
    assert empty.outcome == Outcome((1, 2, 2), "first_empty", (0, 1, 1))


# ---- forfeits ------------------------------------------------------------------------------------


def test_a_forfeit_while_bidding_breaks_the_round_off() -> None:
    table = Table(starter=1).hide(1, 2, 3).say("bid 4")
    assert table.state.turn == 2
    table.leave(2)
    # nobody else's coins move, no fist opens, and the next one clockwise starts
    assert table.events == (WentOut((2,), forfeit=True), RoundBroken(1, 2), RoundBegan(2, 0))
    assert (table.state.coins, table.state.pot, table.state.live) == ((3, 3, 0), 3, (0, 1))
    assert (table.state.starter, table.state.round, table.state.phase) == (0, 2, "hiding")
    assert (table.state.hands, table.state.said, table.state.bid) == ((None,) * 3, (), None)


def test_nothing_is_shown_of_a_broken_round() -> None:
    table = Table().hide(3, 3, 3).say("max")
    shown = GAME.view(table.state, PUBLIC).last
    assert shown == table.opened
    table.hide(1, 2, 3)
    assert GAME.view(table.state, PUBLIC).last == shown
    table.leave(0)
    assert GAME.view(table.state, PUBLIC).last is None


def test_the_starter_after_a_broken_round_whatever_next_starter_says() -> None:
    for next_starter in ("ender", "loser"):
        table = Table(players=4, starter=1, next_starter=next_starter).hide(1, 1, 1, 1).say("bid 2").leave(2)
        assert table.state.starter == 3


def test_a_broken_round_counts_as_one_in_which_a_coin_moved() -> None:
    table = Table(stall_rounds=2).hide(3, 3, 3).say("max").hide(3, 3, 3).leave(0)
    assert (table.state.still, table.state.reason, table.state.round) == (0, None, 3)
    table.hide(3, 3).say("max")
    assert table.state.reason is None
    assert table.hide(3, 3).say("max").state.reason == "stall_rounds"


def test_a_broken_round_counts_for_the_limit_of_rounds() -> None:
    table = Table(max_rounds=1).hide(1, 1, 1).leave(0)
    assert table.outcome == Outcome((3, 1, 1), "max_rounds", (0, 3, 3))
    assert Table(players=2, max_rounds=1).hide(1, 1).leave(0).state.reason == "last_left"


@pytest.mark.parametrize(
    ("starter", "leavers", "then"),
    [(0, (1,), 0), (1, (1,), 2), (1, (1, 2), 3), (3, (3,), 0), (3, (0, 3), 1), (0, (3,), 0)],
)
def test_a_forfeit_while_hiding_goes_on_without_the_forfeiter(
    starter: int, leavers: tuple[int, ...], then: int
) -> None:
    table = Table(players=4, starter=starter).leave(*leavers)
    assert table.events == (WentOut(leavers, forfeit=True),)
    assert (table.state.phase, table.state.round, table.state.starter) == ("hiding", 1, then)
    staying = tuple(seat for seat in range(4) if seat not in leavers)
    assert GAME.asked(table.state) == staying
    table.hide(*[1] * len(staying))
    assert table.state.turn == then
    assert table.state.pot == 3 * len(leavers)


def test_who_forfeits_together_shares_a_place() -> None:
    table = Table(players=4).leave(0, 2).leave(1)
    assert table.outcome == Outcome((3, 2, 3, 1), "last_left", (0, 0, 0, 3))
    assert Table(players=3).leave(0, 1, 2).outcome == Outcome((1, 1, 1), "last_left", (0, 0, 0))
    earlier = Table(players=4, start_coins=1).hide(0, 0, 0, 0).say("bid 1", "call")
    assert earlier.leave(1, 2, 3).outcome == Outcome((4, 1, 1, 1), "last_left", (0, 0, 0, 0))


def test_a_forfeit_counts_as_going_out_at_that_moment() -> None:
    table = Table(players=4, start_coins=1).hide(0, 0, 0, 0).say("bid 1", "call")  # out: seat 0
    table.hide(0, 0, 0).leave(1)  # forfeits: seat 1
    table.hide(0, 0).say("bid 1", "call")  # out: seat 2
    assert table.outcome == Outcome((4, 3, 2, 1), "last_left", (0, 0, 0, 1))


def test_the_pot_of_forfeiters_can_be_won() -> None:
    table = Table(starter=0).hide(0, 0, 0).say("bid 1", "call").leave(2)  # seat 0 is down to 2
    assert (table.state.coins, table.state.pot) == ((2, 3, 0), 4)
    table.hide(1, 1).say("bid 2", "cliff")
    assert (table.state.coins, table.state.pot) == ((3, 3, 0), 3)


# ---- default moves -------------------------------------------------------------------------------


def test_default_moves() -> None:
    table = Table()
    assert GAME.default(table.state, 1) == Move("hide", 0)
    table.hide(1, 1, 1)
    assert GAME.default(table.state, 0) == Move("bid", 1)
    assert GAME.default(table.say("bid 2").state, 1) == CALL
    assert GAME.default(Table(first_bid_min=0).hide(1, 1, 1).state, 0) == Move("bid", 0)
