"""Commerce: every rule of the two ways to play it, every refusal, every option, forfeits, and the ends of a match."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from arena import rules
from arena.chance import FRESH_DECK
from arena.games.commerce import (
    GAME,
    HAND_LIMIT,
    OPTIONS,
    PASS,
    PRESETS,
    REFUSE,
    Bartered,
    Bought,
    CircleBegan,
    Combination,
    Dealt,
    Discard,
    Discarded,
    Drew,
    HandBegan,
    HandEnded,
    HandResult,
    Hidden,
    Move,
    Offered,
    OfferRefused,
    OfferSeen,
    Paid,
    Passed,
    Reshuffled,
    Scored,
    Shown,
    State,
    Swapped,
    WentOut,
    combination,
    strength,
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
from tests.arena import commerce_laws, test_laws
from tests.arena.decks import draw_for, stacked

NOTHING = [
    " ".join(rank + "CDHS"[(place + turn) % 4] for place, rank in enumerate(ranks))
    for ranks in ("246", "357", "8TQ")
    for turn in range(4)
]
"""Hands that are no combination, for each seat another one."""

POEN, BETTER_POEN, TERZ, SAME_TERZ, TRICON = "3C 9C KC", "4H 9H AH", "7S 8S 9S", "7D 8D 9D", "JC JD JS"


def cards(text: str) -> tuple[str, ...]:
    """A hand, in the order of the fresh deck."""
    return tuple(sorted(text.split(), key=FRESH_DECK.index))


def only(seat: int) -> frozenset[int]:
    return frozenset((seat,))


class Table:
    """A match in progress: the state, and the events of the last step."""

    def __init__(self, players: int = 3, banker: int = 0, **options: object) -> None:
        self.state: State
        self.events: tuple[Event, ...]
        self.state, self.events = GAME.start(ruleset(GAME, None, options), players)
        self.step(Drawn((banker,)))

    def step(self, happening: Happening) -> Table:
        self.state, self.events = GAME.step(self.state, happening)
        return self

    def deal(self, hands: Mapping[int, str] | None = None, stock: str = "") -> Table:
        """Deal these hands (to others nothing), and put these cards on top of the stock, the first one uppermost."""
        assert self.state.phase == "deal"
        given = {seat: hand.split() for seat, hand in (hands or {}).items()}
        taken = {card for hand in given.values() for card in hand} | set(stock.split())
        for seat in self.state.live:
            if seat not in given:
                given[seat] = next(h for hand in (NOTHING[seat], *NOTHING[::-1]) if not taken & set(h := hand.split()))
                taken |= set(given[seat])
        banker = self.state.banker
        order = sorted(self.state.live, key=lambda seat: (seat - banker - 1) % len(self.state.chips))
        top = [given[seat][place] for place in range(3) for seat in order]
        return self.step(Drawn(draw_for(stacked([*top, *stock.split()]))))

    def do(self, *moves: str) -> Table:
        """Whoever is asked makes the first of these moves, and whoever is asked then the next one."""
        for text in moves:
            (seat,) = GAME.asked(self.state)
            self.step(Moved({seat: GAME.parse(text)}))
        return self

    def circle(self, *moves: str) -> Table:
        """Do these moves; all others of the circle pass."""
        circle, hand = self.state.circle, self.state.hand
        self.do(*moves)
        while GAME.asked(self.state) and (self.state.hand, self.state.circle) == (hand, circle):
            self.do("refuse" if self.state.phase == "offered" else "pass")
        return self

    def leave(self) -> Table:
        """Whoever is asked forfeits."""
        return self.step(Left(frozenset(GAME.asked(self.state))))

    def having(self, **changes: Any) -> Table:
        """Change the position itself."""
        self.state = self.state._replace(**changes)
        return self

    def refusal(self, text: str) -> str | None:
        """Why who is asked may not make this move; made sure of in all ways in which it can be asked."""
        move = GAME.parse(text)
        (seat,) = GAME.asked(self.state)
        reason = GAME.refusal(self.state, seat, move)
        assert (move in GAME.legal(self.state, seat)) == (reason is None)
        if reason is not None:
            with pytest.raises(IllegalMove) as refused:
                GAME.step(self.state, Moved({seat: move}))
            assert str(refused.value) == reason
        return reason

    def told(self, kind: type[Any]) -> list[Any]:
        """The events of this kind in the last step."""
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def outcome(self) -> Outcome | None:
        return GAME.outcome(self.state)

    @property
    def result(self) -> HandResult:
        """How the hand ended in the last step."""
        (event,) = self.told(HandEnded)
        assert isinstance(event.result, HandResult)
        assert self.state.last == event.result
        return event.result


# ---- combinations --------------------------------------------------------------------------------


def test_how_many_hands_are_a_combination() -> None:
    """Of all 22100 hands, the ace being high only."""
    kinds = Counter(found.kind if (found := combination(hand)) else None for hand in combinations(FRESH_DECK, 3))
    assert sum(kinds.values()) == 22_100
    assert (kinds["poen"], kinds["terz"], kinds["tricon"]) == (1100, 44, 52)
    shares = {kind: f"{kinds[kind] / 221:.3g}" for kind in ("poen", "terz", "tricon")}
    assert shares == {"poen": "4.98", "terz": "0.199", "tricon": "0.235"}


def test_two_tricons_can_never_be_equal_but_terzes_and_poens_can() -> None:
    found = {hand: combination(hand) for hand in combinations(FRESH_DECK, 3)}
    equal = Counter(
        one.kind
        for kind in ("poen", "terz", "tricon")
        for (hand, one), (other_hand, other) in combinations(
            [(hand, made) for hand, made in found.items() if made is not None and made.kind == kind], 2
        )
        if strength(one) == strength(other) and not set(hand) & set(other_hand)
    )
    # of four suits each pair can have the same three ranks: 275 poens and 11 terzes of a suit
    assert equal == {"poen": 275 * 6, "terz": 11 * 6}


@pytest.mark.parametrize(
    ("hand", "made"),
    [
        ("2C 3C 4C", Combination("terz", (4,))),
        ("QH KH AH", Combination("terz", (14,))),
        ("2S 3S AS", Combination("poen", (14, 3, 2))),  # the ace is never low
        ("2S KS AS", Combination("poen", (14, 13, 2))),
        ("9D TD JD", Combination("terz", (11,))),
        ("4C 9C JC", Combination("poen", (11, 9, 4))),
        ("2C 4C 6C", Combination("poen", (6, 4, 2))),
        ("3C 4C 6C", Combination("poen", (6, 4, 3))),
        ("3C 5C 6C", Combination("poen", (6, 5, 3))),
        ("AC AD AH", Combination("tricon", (14,))),
        ("2D 3C 4C", None),
        ("2C 2D 3C", None),
        ("5H 6H 7S", None),
    ],
)
def test_what_three_cards_make(hand: str, made: Combination | None) -> None:
    assert combination(cards(hand)) == made


def test_combinations_from_the_worst_to_the_best() -> None:
    rising = [
        *("2C 3C 5C", "2C 4C 6C", "3D 4D 6D", "2H 5H 6H", "4H 9H KH", "4H TH KH", "2C 3C AC", "JC KC AC"),
        *("2C 3C 4C", "3D 4D 5D", "QS KS AS"),
        *("2C 2D 2H", "3C 3D 3H", "KC KD KS", "AC AD AS"),
    ]
    strengths = [strength(found) for hand in rising if (found := combination(cards(hand)))]
    assert len(strengths) == len(rising)
    assert strengths == sorted(set(strengths))


# ---- the deal ------------------------------------------------------------------------------------


def test_the_first_banker_is_drawn_by_lot() -> None:
    state, events = GAME.start(ruleset(GAME), 4)
    assert (GAME.due(state), GAME.asked(state), events) == (Draw("start/lot", (4,)), (), ())
    state, events = GAME.step(state, Drawn((2,)))
    assert events == (HandBegan(1, 2, redeal=False), Paid("ante", (1, 1, 1, 1), 4))
    assert (state.banker, state.chips, state.pot) == (2, (19, 19, 19, 19), 4)
    assert (GAME.due(state), GAME.asked(state)) == (Draw("hand/1/deck", tuple(range(52, 1, -1))), ())


def test_cards_are_dealt_one_at_a_time_from_the_bankers_left() -> None:
    """The deck of the published test vector; its top card is the last one."""
    vector = json.loads((Path(__file__).parents[2] / "data" / "fairness-vector.json").read_text())["hand/1/deck"]
    deck = vector["deck_bottom_to_top"].split()
    assert deck[-9:] == ["TC", "7H", "9S", "5H", "AD", "2C", "TD", "7S", "3C"]
    table = Table(banker=1).step(Drawn(tuple(vector["got"])))
    # from the top: 3C to seat 2, 7S to seat 0, TD to the banker, 2C, AD, 5H, 9S, 7H, TC
    assert table.state.hands == (cards("7S AD 7H"), cards("TD 5H TC"), cards("3C 2C 9S"))
    assert table.state.stock == tuple(deck[:43])
    assert table.events == (
        Dealt(2, cards("3C 2C 9S"), only(2)),
        Dealt(0, cards("7S AD 7H"), only(0)),
        Dealt(1, cards("TD 5H TC"), only(1)),
        CircleBegan(1),
    )
    assert GAME.asked(table.do("buy 9S").state) == (0,)
    assert table.told(Drew) == [Drew(2, deck[42], only(2))]


def test_one_sees_ones_own_cards() -> None:
    state = Table().deal().state
    hands = tuple(map(cards, NOTHING[:3]))
    assert GAME.view(state, at_seat(1)).hands == (None, hands[1], None)
    assert GAME.view(state, PUBLIC).hands == (None, None, None)
    assert GAME.view(state, OMNISCIENT).hands == hands
    assert GAME.view(state, OMNISCIENT).hidden == Hidden(state.stock, ())
    for viewer in (at_seat(1), PUBLIC):
        assert GAME.view(state, viewer).hidden is None
        assert GAME.view(state, viewer).stock == 43


def test_a_dealt_combination_takes_the_pot_at_once() -> None:
    table = Table(banker=0).deal({2: POEN})
    shown = Shown(2, cards(POEN), Combination("poen", (13, 9, 3)))
    assert table.result == HandResult(1, "taken", (shown,), (2,), (0, 0, 3), (0, 0, 0), 0)
    assert table.events[-2:] == (HandBegan(2, 2, redeal=False), Paid("ante", (1, 1, 1), 3))
    assert (table.state.chips, table.state.pot) == ((18, 18, 21), 3)
    assert GAME.due(table.state) == Draw("hand/2/deck", tuple(range(52, 1, -1)))


def test_the_best_of_the_dealt_combinations_takes_it_and_all_are_shown() -> None:
    table = Table(players=4, banker=2).deal({0: POEN, 1: TERZ, 2: BETTER_POEN})
    assert [one.seat for one in table.result.shown] == [0, 1, 2]  # clockwise from the banker's left
    assert table.result.winners == (1,)
    assert table.state.banker == 1
    assert Table().deal({0: TRICON, 1: TERZ}).result.winners == (0,)
    assert Table().deal({0: POEN, 1: BETTER_POEN}).result.winners == (1,)


# ---- a turn --------------------------------------------------------------------------------------


def test_a_circle_goes_from_the_bankers_left_round_to_the_banker() -> None:
    table = Table(players=4, banker=2).deal()
    turns = []
    for _ in range(8):
        turns.append(table.state.turn)
        table.do("pass")
    assert turns == [3, 0, 1, 2, 3, 0, 1, 2]


def test_buying() -> None:
    table = Table(banker=2).deal(stock="KD QH").do("buy 4D")
    assert table.events == (Bought(0, 1, None), Discarded(0, "4D", only(0)), Drew(0, "KD", only(0)))
    assert (table.state.chips, table.state.pot) == ((18, 19, 19), 4)
    assert table.state.hands[0] == cards("2C 6H KD")
    assert (table.state.turn, table.state.traded) == (1, True)
    table.do("buy 2D")
    assert table.told(Drew) == [Drew(1, "QH", only(1))]
    assert GAME.view(table.state, at_seat(0)).discards == (Discard(0, "4D"), Discard(1, None))
    assert GAME.view(table.state, at_seat(1)).discards == (Discard(0, None), Discard(1, "2D"))
    assert GAME.view(table.state, PUBLIC).discards == (Discard(0, None), Discard(1, None))
    assert GAME.view(table.state, OMNISCIENT).discards == (Discard(0, "4D"), Discard(1, "2D"))
    assert GAME.view(table.state, PUBLIC).stock == 41


def test_an_offer_waits_for_the_neighbours_answer() -> None:
    table = Table(banker=2).deal().do("offer 4D")
    assert table.events == (Offered(0, 1), OfferSeen(0, "4D", only(0)))
    state = table.state
    # whose turn it is and who is asked are two things
    assert (state.phase, state.turn, GAME.asked(state)) == ("offered", 0, (1,))
    assert GAME.legal(state, 1) == (*(Move("give", card) for card in cards(NOTHING[1])), REFUSE)
    assert GAME.legal(state, 0) == ()
    assert state.hands[0] == cards(NOTHING[0])
    assert [GAME.view(state, at_seat(seat)).offer for seat in range(3)] == ["4D", None, None]
    assert (GAME.view(state, PUBLIC).offer, GAME.view(state, OMNISCIENT).offer) == (None, "4D")
    assert [GAME.view(state, at_seat(seat)).offer_to for seat in range(3)] == [1, 1, 1]


def test_an_accepted_offer_is_the_whole_turn() -> None:
    table = Table(banker=2).deal().do("offer 4D", "give 2D")
    assert table.events == (
        Bartered(0, 1),
        Swapped(0, "4D", "2D", only(0)),
        Swapped(1, "2D", "4D", only(1)),
    )
    assert table.state.hands[:2] == (cards("2C 2D 6H"), cards("4D 4H 6S"))
    assert (table.state.turn, table.state.phase, table.state.offer, table.state.offer_to) == (1, "trading", None, -1)
    assert (table.state.chips, table.state.pot) == ((19, 19, 19), 3)
    assert GAME.view(table.state, at_seat(1)).offered is False


def test_any_card_can_be_given() -> None:
    for card in cards(NOTHING[1]):
        assert Table(banker=2).deal().do("offer 4D").refusal(f"give {card}") is None


def test_after_a_refusal_one_may_still_buy_or_pass_but_not_offer_again() -> None:
    table = Table(banker=2).deal().do("offer 4D", "refuse")
    assert table.events == (OfferRefused(0, 1),)
    assert (table.state.turn, table.state.phase) == (0, "trading")
    assert table.refusal("offer 2C") == "offer 2C: there is one offer a turn, and it was refused"
    assert GAME.legal(table.state, 0) == (*(Move("buy", card) for card in cards(NOTHING[0])), PASS)
    assert GAME.view(table.state, at_seat(0)).offered is True
    # in the next turn one may offer anew
    assert table.circle("pass").refusal("offer 2C") is None


def test_who_has_no_chips_plays_on_but_cannot_buy() -> None:
    table = Table(banker=2, chips=1).deal()
    assert table.state.chips == (0, 0, 0)
    assert table.refusal("buy 2C") == "buy 2C: a card costs 1, and this seat has 0"
    assert GAME.legal(table.state, 0) == (*(Move("offer", card) for card in cards(NOTHING[0])), PASS)
    table.do("offer 2C", "refuse")
    # one legal move, and one is asked all the same
    assert (GAME.legal(table.state, 0), GAME.asked(table.state)) == ((PASS,), (0,))
    assert Table(banker=2, chips=2).deal().do("buy 2C").state.chips == (0, 1, 1)


def test_moves_are_listed_in_the_order_of_the_fresh_deck() -> None:
    hand = ("2C", "4D", "6H")
    table = Table(banker=2).deal({0: "6H 2C 4D"})
    assert GAME.legal(table.state, 0) == (
        *(Move("buy", card) for card in hand),
        *(Move("offer", card) for card in hand),
        PASS,
    )


# ---- a circle, and the end of a hand -------------------------------------------------------------


def test_the_best_takes_the_pot_when_the_circle_is_complete_and_deals() -> None:
    table = Table(banker=2).deal({0: "2C 4C 6H"}, stock="9C").do("buy 6H")
    assert table.state.phase == "trading"  # the others still have their turns
    table.do("pass", "pass")
    shown = Shown(0, cards("2C 4C 9C"), Combination("poen", (9, 4, 2)))
    assert table.result == HandResult(1, "taken", (shown,), (0,), (4, 0, 0), (0, 0, 0), 0)
    assert table.events[0] == Passed(2)
    assert (table.state.banker, table.state.hand) == (0, 2)
    assert table.state.chips == (22 - 1, 18, 18)
    assert (table.state.hands, table.state.stock, table.state.discards) == ((None,) * 3, (), ())


def test_combinations_that_were_made_by_the_end_of_the_circle_are_compared() -> None:
    table = Table(banker=2).deal({0: "2C 4C 6H", 1: "2D 4D 6S"}, stock="9C TD").do("buy 6H", "buy 6S", "pass")
    assert [one.seat for one in table.result.shown] == [0, 1]
    assert table.result.winners == (1,)
    # what somebody gives away again is no combination
    again = Table(banker=2).deal({0: "2C 4C 6H", 1: "9C JD QS"}).do("offer 6H", "give 9C", "offer JD", "refuse")
    again.do("pass", "offer 2H", "give 2C")
    assert again.told(HandEnded) == []


def test_hands_without_a_combination_are_never_shown() -> None:
    table = Table(banker=2).deal({0: "2C 4C 6H"}, stock="9C").circle("buy 6H")
    told = repr([event for event in table.events if event.audience is None]) + repr(GAME.view(table.state, PUBLIC))
    assert "9C" in told
    assert not any(card in told for seat in (1, 2) for card in NOTHING[seat].split())


def test_without_a_combination_there_is_another_circle() -> None:
    table = Table(banker=2).deal(stock="KS").circle("buy 2C")
    assert table.events[-1] == CircleBegan(2)
    assert (table.state.circle, table.state.turn, table.state.traded, table.state.quiet) == (2, 0, False, 0)


def test_two_circles_in_which_all_passed_end_the_hand() -> None:
    table = Table(banker=1).deal().circle()
    assert (table.state.circle, table.state.quiet) == (2, 1)
    table.circle()
    assert table.result == HandResult(1, "carried", (), (), (0, 0, 0), (0, 0, 0), 3)
    # the pot is carried over, and the same banker deals
    assert (table.state.pot, table.state.banker, table.state.hand) == (6, 1, 2)


@pytest.mark.parametrize(
    ("moves", "quiet"),
    [
        (("buy 2C",), 0),
        (("offer 2C", "give 2D"), 0),
        (("offer 2C", "refuse", "buy 2C"), 0),
        (("offer 2C", "refuse", "pass"), 1),  # a refused offer changes nothing
        (("pass", "pass", "pass"), 1),
    ],
)
def test_a_circle_is_quiet_when_nothing_was_bought_or_bartered(moves: tuple[str, ...], quiet: int) -> None:
    assert Table(banker=2).deal(stock="KS").circle(*moves).state.quiet == quiet


def test_quiet_circles_must_follow_each_other() -> None:
    table = Table(banker=2).deal(stock="KS QD").circle().circle("buy 2C").circle()
    assert (table.state.hand, table.state.circle, table.state.quiet) == (1, 4, 1)
    assert table.circle().state.hand == 2


def test_combinations_are_looked_for_before_a_quiet_hand_ends() -> None:
    table = Table(banker=2).deal(stock="KS").circle().having(hands=(cards(POEN), *map(cards, NOTHING[1:3]))).circle()
    assert table.result.winners == (0,)


# ---- ties ----------------------------------------------------------------------------------------


def test_equal_terzes_tie_and_the_others_pay() -> None:
    table = Table(players=4, banker=2, ante=2).deal({0: TERZ, 3: SAME_TERZ, 1: POEN})
    assert (table.result.how, table.result.winners, table.result.gains, table.result.pot) == (
        "tied",
        (3, 0),
        (0,) * 4,
        8,
    )
    assert len(table.result.shown) == 3
    # the ante is the chip that is added; in the new deal nobody antes and the same banker deals
    assert table.events[-2:] == (Paid("tie", (0, 2, 2, 0), 12), HandBegan(2, 2, redeal=True))
    assert (table.state.chips, table.state.pot) == ((18, 16, 16, 18), 12)
    assert GAME.due(table.state) == Draw("hand/2/deck", tuple(range(52, 1, -1)))
    assert table.deal({0: POEN}).result.gains == (12, 0, 0, 0)


def test_poens_equal_in_all_three_cards_tie() -> None:
    assert Table().deal({0: "3C 9C KC", 1: "3D 9D KD"}).result.how == "tied"
    assert Table().deal({0: "3C 9C KC", 1: "3D TD KD"}).result.winners == (1,)
    assert Table().deal({0: "4C 9C KC", 1: "3D 9D KD"}).result.winners == (0,)


def test_a_tie_after_a_circle() -> None:
    table = Table(banker=2).deal({0: "7S 8S 2D", 1: "7D 8D 2S"}, stock="9S 9D").do("buy 2D", "buy 2S", "pass")
    assert table.result.how == "tied"
    assert (table.state.pot, table.state.chips) == (6, (18, 18, 18))


def test_nobody_goes_out_at_a_redeal() -> None:
    """With the last chip somebody tops the pot up; what takes the place of an ante is paid."""
    table = Table(chips=2).deal({0: TERZ, 1: SAME_TERZ})
    assert (table.state.chips, table.state.live) == ((1, 1, 0), (0, 1, 2))
    table.deal({0: TERZ, 1: SAME_TERZ})
    # who has nothing left pays what he has, which is nothing
    assert table.told(Paid) == []
    assert (table.state.hand, table.state.live) == (3, (0, 1, 2))
    # the next ordinary hand takes him out
    table.deal({0: TRICON})
    assert WentOut((2,), forfeit=False) in table.events
    assert table.state.live == (0, 1)


def test_a_redeal_counts_as_a_hand() -> None:
    table = Table(hands=2).deal({0: TERZ, 1: SAME_TERZ})
    assert table.outcome is None
    table.deal({0: TERZ, 1: SAME_TERZ})
    # the pot of a tie in the last hand is nobody's, and the others have added to it
    assert table.outcome == Outcome((1, 1, 3), "hands", (19, 19, 17))


def test_split_leaves_the_odd_chip_in_the_pot() -> None:
    table = Table(banker=2, tie="split").deal({0: TERZ, 1: SAME_TERZ})
    assert table.result == table.result._replace(how="split", winners=(0, 1), gains=(1, 1, 0), pot=1)
    # the same banker deals an ordinary hand
    assert table.events[-2:] == (HandBegan(2, 2, redeal=False), Paid("ante", (1, 1, 1), 4))
    assert table.told(Paid) == [Paid("ante", (1, 1, 1), 4)]


def test_banker_left_takes_the_whole_pot_and_deals() -> None:
    for banker, first in ((0, 1), (1, 0), (2, 0)):
        table = Table(banker=banker, tie="banker_left", tie_topup="all").deal({0: TERZ, 1: SAME_TERZ})
        assert (table.result.how, table.result.winners, table.state.banker) == ("taken", (first,), first)
        assert table.result.gains[first] == 3
        assert [paid.why for paid in table.told(Paid)] == ["ante"]


# ---- the stock -----------------------------------------------------------------------------------


def reshuffling(**options: object) -> Table:
    """Three cards lie on the pile, and the stock is empty."""
    table = Table(banker=2, **options).deal(stock="KS QD JH").do("buy 2C", "buy 2D", "buy 2H")
    return table.having(stock=())


def test_from_an_empty_stock_the_pile_is_shuffled() -> None:
    table = reshuffling().do("buy 4D")
    assert table.events == (Bought(0, 1, None), Discarded(0, "4D", only(0)))
    assert (GAME.due(table.state), GAME.asked(table.state)) == (Draw("hand/1/reshuffle/1", (4, 3, 2)), ())
    assert table.state.hands[0] == cards("6H KS")
    # in order of discarding, his own discard last: 2C 2D 2H 4D
    table.step(Drawn((1, 0, 0)))  # 2C 4D 2H 2D, then 2H 4D 2C 2D, then 4D 2H 2C 2D
    assert table.events == (Reshuffled(4), Drew(0, "2D", only(0)))
    assert (table.state.stock, table.state.discards) == (("4D", "2H", "2C"), ())
    assert table.state.hands[0] == cards("2D 6H KS")
    assert (table.state.turn, table.state.traded) == (1, True)
    table.do("buy 4H", "buy 4S", "buy 6H")
    assert table.state.stock == ()
    assert GAME.due(table.do("buy 6S").state) == Draw("hand/1/reshuffle/2", (4, 3, 2))


def test_the_count_of_reshuffles_begins_again_with_every_hand() -> None:
    table = reshuffling().do("buy 4D").step(Drawn((0, 0, 0))).having(reshuffles=1).circle()
    while table.state.hand == 1:
        table.circle()
    assert table.deal().state.reshuffles == 0


def test_nobody_knows_where_his_discards_are_after_a_reshuffle() -> None:
    table = reshuffling().do("buy 4D").step(Drawn((1, 0, 0)))
    for seat in range(3):
        assert GAME.view(table.state, at_seat(seat)).discards == ()
        assert GAME.view(table.state, at_seat(seat)).stock == 3


def test_without_any_card_left_buying_is_illegal() -> None:
    table = Table(banker=2).deal().having(stock=())
    assert table.refusal("buy 2C") == "buy 2C: there is no card left to take"
    table = Table(banker=2, mode="deck_out").deal().having(stock=(), discards=(Discard(1, "KS"),))
    assert table.refusal("buy 2C") == "buy 2C: there is no card left to take"


def test_discards_under_the_stock_come_up_again() -> None:
    table = Table(banker=2, discard="bottom").deal(stock="KS QD").having(stock=("QD", "KS"))
    assert table.do("buy 2C").told(Drew) == [Drew(0, "KS", only(0))]
    assert table.do("buy 2D").told(Drew) == [Drew(1, "QD", only(1))]
    # the dealt stock is used up: the oldest discard is now the top card
    assert GAME.view(table.state, at_seat(0)).discards == (Discard(0, "2C"), Discard(1, None))
    assert GAME.view(table.state, at_seat(0)).stock == 2
    table.do("buy 2H")
    assert table.told(Drew) == [Drew(2, "2C", only(2))]
    assert GAME.view(table.state, at_seat(2)).discards == (Discard(1, None), Discard(2, "2H"))
    assert GAME.view(table.state, at_seat(0)).stock == 2
    # from nothing but his own discard one takes it back
    alone = Table(banker=2, discard="bottom").deal().having(stock=(), discards=(Discard(1, "KS"),)).do("buy 2C")
    assert alone.told(Drew) == [Drew(0, "KS", only(0))]
    assert alone.state.discards == (Discard(0, "2C"),)


# ---- the banker and the fee ----------------------------------------------------------------------


def test_the_banker_pays_himself() -> None:
    table = Table(banker=0, fee_to="banker", fee=2).deal().do("buy 2D", "pass")
    assert (table.state.chips, table.state.pot) == ((21, 17, 19), 3)
    table.do("buy 2C")
    assert table.events[0] == Bought(0, 2, 0)
    assert (table.state.chips, table.state.pot) == ((21, 17, 19), 3)
    # he needs the chips all the same
    poor = Table(banker=0, fee_to="banker", chips=1).deal().do("pass", "pass")
    assert poor.refusal("buy 2C") == "buy 2C: a card costs 1, and this seat has 0"


def test_without_a_banker_the_fee_goes_to_the_pot() -> None:
    table = Table(banker=0, fee_to="banker").deal(stock="KS QD").circle("buy 2D", "pass").do("pass", "pass").leave()
    assert (table.state.banker, table.state.live) == (0, (1, 2))
    table.do("buy 4H")
    assert table.events[0] == Bought(1, 1, None)
    assert table.state.pot == 4


# ---- deck_out ------------------------------------------------------------------------------------


def deck_out(players: int = 3, banker: int = 2, **options: object) -> Table:
    return Table(players, banker, mode="deck_out", **options)


def test_a_dealt_combination_is_scored_on_its_owners_first_turn() -> None:
    table = deck_out().deal({1: POEN}, stock="KS QD JH TS")
    assert table.told(HandEnded) == table.told(Scored) == []
    table.do("pass")
    shown = Shown(1, cards(POEN), Combination("poen", (13, 9, 3)))
    assert table.events == (
        Passed(0),
        Scored(shown, 1, 1),
        Paid("score", (1, 0, 1), 5),
        Dealt(1, cards("KS QD JH"), only(1)),
    )
    # then he acts as usual
    assert (table.state.turn, GAME.asked(table.state)) == (1, (1,))
    assert (table.state.points, table.state.chips) == ((0, 1, 0), (18, 19, 18))
    assert table.do("buy JH").told(Drew) == [Drew(1, "TS", only(1))]
    assert table.state.turn == 2


def test_the_first_player_scores_before_anybody_is_asked() -> None:
    table = deck_out().deal({0: TRICON}, stock="KS QD 9H")
    assert [event.points for event in table.told(Scored)] == [3]
    assert GAME.asked(table.state) == (0,)


@pytest.mark.parametrize(
    ("moves", "scorer"),
    [
        (("buy 6H",), 0),
        (("offer 6H", "give 9C"), 0),
        (("offer 6H", "refuse", "buy 6H"), 0),
    ],
)
def test_a_combination_made_in_ones_own_turn_is_scored_at_its_end(moves: tuple[str, ...], scorer: int) -> None:
    hands = {0: "2C 4C 6H", 1: "9C JD QS" if "give 9C" in moves else NOTHING[1]}
    table = deck_out().deal(hands, stock="TC KS QD JH" if "give 9C" not in moves else "KS QD JH").do(*moves)
    assert [event.shown.seat for event in table.told(Scored)] == [scorer]
    assert (table.state.turn, table.state.points) == (1, (1, 0, 0))
    assert table.state.hands[0] == cards("KS QD JH")


def test_what_a_neighbour_gets_by_a_barter_waits_for_his_turn() -> None:
    table = deck_out().deal({0: "2C 4C 9D", 1: "3D 5D QS"}, stock="KS 8H JH").do("offer 9D")
    table.do("give QS")
    assert [(event.shown.seat, event.shown.cards) for event in table.told(Scored)] == [(1, cards("3D 5D 9D"))]
    assert table.state.turn == 1
    other = deck_out(4, 3, barter_side="right").deal({0: "2C 4C 9D", 3: "3D 5D QS"}).do("offer 9D", "give QS")
    assert other.told(Scored) == []
    assert other.do("pass", "pass").told(Scored)[0].shown.seat == 3


def test_combinations_are_scored_one_after_another() -> None:
    table = deck_out().deal({0: POEN}, stock="TD JD QD AS AD AH 9S 5S 2S 8H 4H JS 2D QC")
    assert [event.shown.combination.kind for event in table.told(Scored)] == ["poen", "terz", "tricon", "poen"]
    assert table.state.points == (7, 0, 0)
    assert [event.total for event in table.told(Scored)] == [1, 3, 6, 7]
    assert table.state.hands[0] == cards("8H 4H JS")
    assert table.state.pot == 3 + 4 * 2
    # everybody saw them; the discards are not shuffled any more
    assert GAME.view(table.state, PUBLIC).discards[0] == Discard(0, "3C", shown=True)
    assert len(GAME.view(table.state, PUBLIC).discards) == 12


def test_a_combination_that_is_not_on_turn_when_the_hand_ends_is_worth_nothing() -> None:
    table = deck_out().deal({1: POEN}, stock="KS").having(stock=("KS",)).do("buy 2C")
    assert (table.result.how, table.result.points) == ("carried", (0, 0, 0))


def test_the_hand_ends_with_the_last_card_of_the_stock() -> None:
    table = deck_out().deal({0: "2C 4C 6H"}, stock="9C").having(stock=("9C",)).do("buy 6H")
    # what he then holds is scored, and the others pay for it
    assert [event.points for event in table.told(Scored)] == [1]
    assert table.told(Paid)[0] == Paid("score", (0, 1, 1), 6)
    assert table.told(Dealt) == []
    assert table.result == HandResult(1, "taken", (), (0,), (6, 0, 0), (1, 0, 0), 0)
    assert table.state.banker == 0


@pytest.mark.parametrize(("left", "goes_on"), [(1, False), (2, False), (3, False), (4, True)])
def test_a_refill_needs_three_cards_and_one_more(left: int, goes_on: bool) -> None:
    table = deck_out().deal({1: POEN}, stock="KS QD JH TS").having(stock=("TS", "JH", "QD", "KS")[-left:]).do("pass")
    assert len(table.told(Scored)) == 1
    assert table.told(Paid)[0] == Paid("score", (1, 0, 1), 5)
    assert bool(table.told(Dealt)) == (left >= 3)
    assert (table.state.hand == 1) == goes_on
    assert (table.told(HandEnded) == []) == goes_on


def test_what_the_last_refill_brings_is_scored_too() -> None:
    table = deck_out().deal({1: POEN}, stock="TD JD QD").having(stock=("QD", "JD", "TD")).do("pass")
    assert [event.shown.combination.kind for event in table.told(Scored)] == ["poen", "terz"]
    assert table.result.points == (0, 3, 0)


def test_others_pay_what_they_have_at_a_score() -> None:
    table = deck_out(ante=3, chips=4).deal({0: POEN}, stock="KS QD JH")
    assert table.told(Paid) == [Paid("score", (0, 1, 1), 11)]
    assert table.state.chips == (1, 0, 0)


def test_most_points_take_the_whole_pot() -> None:
    table = deck_out().deal().having(points=(2, 5, 3), stock=("KS",)).do("buy 2C")
    assert (table.result.winners, table.result.gains, table.result.points) == ((1,), (0, 4, 0), (2, 5, 3))
    assert table.state.banker == 1
    # points are forgotten
    assert table.deal().state.points == (0, 0, 0)


def test_equal_points_share_the_pot() -> None:
    table = deck_out(4, 3).deal().having(points=(5, 0, 5, 5), stock=("KS",)).do("buy 2C")
    assert (table.result.how, table.result.winners, table.result.gains, table.result.pot) == (
        "split",
        (0, 2, 3),
        (1, 0, 1, 1),
        2,
    )
    assert (table.state.banker, table.state.pot) == (3, 2 + 4)


def test_without_points_the_pot_is_carried_over() -> None:
    table = deck_out(points_poen=0).deal({0: POEN}, stock="KS QD JH").having(stock=("KS",)).do("buy KS")
    assert (table.result.how, table.result.pot, table.state.banker) == ("carried", 6, 2)


def test_two_quiet_circles_end_the_hand_even_if_somebody_scores_in_them() -> None:
    table = deck_out().deal({1: POEN}, stock="KS QD JH TS").circle()
    assert (table.state.quiet, table.state.points) == (1, (0, 1, 0))
    table.circle()
    assert (table.result.how, table.result.winners) == ("taken", (1,))


def test_there_is_no_showdown_after_a_circle() -> None:
    # with the last move of the circle seat 0 is given what makes a poen: it is scored in his next turn
    table = deck_out().deal({2: "KD 4C 6H", 0: "3D 9D 2S"}).do("pass", "pass", "offer KD", "give 2S")
    assert table.told(HandEnded) == []
    assert table.events.index(CircleBegan(2)) < table.events.index(table.told(Scored)[0])
    assert table.told(Scored)[0].shown.seat == 0


def test_ties_mean_nothing_in_deck_out() -> None:
    table = deck_out(tie="banker_left", tie_topup="all").deal().having(points=(5, 5, 0), stock=("KS",)).do("buy 2C")
    assert (table.result.how, table.result.gains) == ("split", (2, 2, 0))
    assert [paid.why for paid in table.told(Paid)] == ["ante"]


def test_circle_ante_and_max_circles_apply_in_deck_out() -> None:
    table = deck_out(circle_ante=2, max_circles=2).deal(stock="KS QD JH").circle("buy 2C")
    assert table.told(Paid) == [Paid("circle", (2, 2, 2), 10)]
    table.having(points=(0, 1, 0)).circle("buy 4D")
    assert (table.result.winners, table.result.gains) == ((1,), (0, 11, 0))


# ---- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("moves", "text", "reason"),
    [
        ((), "buy KS", "buy KS: this seat does not hold that card"),
        ((), "buy 2D", "buy 2D: this seat does not hold that card"),  # it is another's
        ((), "offer KS", "offer KS: this seat does not hold that card"),
        ((), "give 2C", "give 2C: nobody has offered a card"),
        ((), "refuse", "refuse: nobody has offered a card"),
        (("offer 2C",), "buy 2D", "buy 2D: a card is offered; give one in return, or refuse"),
        (("offer 2C",), "offer 2D", "offer 2D: a card is offered; give one in return, or refuse"),
        (("offer 2C",), "pass", "pass: a card is offered; give one in return, or refuse"),
        (("offer 2C",), "give 2C", "give 2C: this seat does not hold that card"),
        (("offer 2C", "refuse"), "offer 2C", "offer 2C: there is one offer a turn, and it was refused"),
        (("offer 2C", "refuse"), "give 2C", "give 2C: nobody has offered a card"),
        (("offer 2C", "refuse"), "refuse", "refuse: nobody has offered a card"),
    ],
)
def test_refused(moves: tuple[str, ...], text: str, reason: str) -> None:
    assert Table(banker=2).deal().do(*moves).refusal(text) == reason


def test_refused_to_others() -> None:
    trading, offered = Table(banker=2).deal(), Table(banker=2).deal().do("offer 2C")
    over = Table(players=2).deal().leave()
    for table, seat in ((trading, 1), (offered, 0), (offered, 2), (Table(), 0), (over, 0), (over, 1)):
        assert GAME.refusal(table.state, seat, PASS) == "it is not this seat's turn"
        assert GAME.legal(table.state, seat) == ()
    assert GAME.refusal(trading.state, 0, Move("fold")) == "'fold' is nothing that one can do"
    assert GAME.refusal(trading.state, 0, Move("pass", "2C")) == "pass: it goes without a card"


@pytest.mark.parametrize(
    ("state", "happening", "says"),
    [
        (Table(banker=2).deal().state, Moved({1: PASS}), "moves of seats [1], but asked are [0]"),
        (Table(banker=2).deal().state, Moved({0: PASS, 1: PASS}), "moves of seats [0, 1], but asked are [0]"),
        (Table(banker=2).deal().state, Left(frozenset({1})), "seats [1] leave, but asked are [0]"),
        (Table(banker=2).deal().do("offer 2C").state, Left(frozenset({0})), "seats [0] leave, but asked are [1]"),
        (Table(banker=2).deal().state, Left(frozenset()), "seats [] leave"),
        (Table(banker=2).deal().state, Drawn((0,)), "no draw that could give [0] is due"),
        (Table().state, Drawn((0,)), "no draw that could give [0] is due"),
        (Table().state, Drawn((52, *[0] * 50)), "no draw that could give [52, "),
        (GAME.start(ruleset(GAME), 3)[0], Drawn((3,)), "no draw that could give [3] is due"),
        (GAME.start(ruleset(GAME), 3)[0], Drawn((0, 1)), "no draw that could give [0, 1] is due"),
        (reshuffling().do("buy 4D").state, Drawn((0, 0)), "no draw that could give [0, 0] is due"),
    ],
)
def test_what_cannot_happen(state: State, happening: Happening, says: str) -> None:
    with pytest.raises(RulesError) as refused:
        GAME.step(state, happening)
    assert str(refused.value).startswith(says)


def test_move_texts() -> None:
    texts = [f"{kind} {card}" for kind in ("buy", "offer", "give") for card in FRESH_DECK] + ["refuse", "pass"]
    for text in texts:
        assert GAME.write(GAME.parse(text)) == text
    assert len(set(map(GAME.parse, texts))) == 158


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "buy",
            "buy ",
            "buy  2C",
            "buy 2c",
            "buy 10C",
            "buy C2",
            "buy 1C",
            "buy 2C ",
            " buy 2C",
            "Buy 2C",
            "offer",
        ),
        *("give", "give 2♣", "pass 2C", "refuse 2C", "Pass", "pass\n", "fold", "торг"),
        "\ud800",
    ],
    ids=ascii,
)
def test_what_is_no_move(text: str) -> None:
    with pytest.raises(MoveTextError, match="is no move of Commerce"):
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


def refused(text: str) -> Callable[[Table], str | None]:
    return lambda table: table.refusal(text)


def chips(table: Table) -> tuple[int, ...]:
    return table.state.chips


def pot(table: Table) -> int:
    return table.state.pot


def reason(table: Table) -> str | None:
    return table.state.reason


def points(table: Table) -> tuple[int, ...]:
    return table.state.points


def tied(table: Table) -> Table:
    return table.deal({1: TERZ, 2: SAME_TERZ})


def of(hand: str) -> Callable[[Table], Table]:
    return lambda table: table.deal({1: hand}, stock="KS QD TH")


DECK_OUT: Mapping[str, rules.Value] = {"mode": "deck_out"}

# the table has three players, and seat 0 is the first banker
CASES = [
    Case("chips", 5, lambda t: t, chips, (4, 4, 4), (19, 19, 19)),
    Case("ante", 3, lambda t: t, chips, (17, 17, 17), (19, 19, 19)),
    Case("ante", 3, tied, lambda t: t.told(Paid), [Paid("tie", (3, 0, 0), 12)], [Paid("tie", (1, 0, 0), 4)]),
    Case("ante", 3, of(POEN), pot, 15, 5, DECK_OUT),
    Case("fee", 4, lambda t: t.deal().do("buy 2D"), chips, (19, 15, 19), (19, 18, 19)),
    Case("end", "last_with_chips", lambda t: t.deal({1: POEN}), reason, None, "hands", {"hands": 1}),
    Case("hands", 1, lambda t: t.deal({1: POEN}), reason, "hands", None),
    Case("fee_to", "banker", lambda t: t.deal().do("buy 2D"), chips, (20, 18, 19), (19, 18, 19)),
    Case(
        "barter_consent",
        "forced",
        lambda t: t.deal().do("offer 2D"),
        refused("refuse"),
        "refuse: this ruleset plays without it",
        None,
    ),
    Case("barter_side", "right", lambda t: t.deal().do("offer 2D"), lambda t: GAME.asked(t.state), (0,), (2,)),
    Case(
        "offer_visible",
        "on",
        lambda t: t.deal().do("offer 2D"),
        lambda t: GAME.view(t.state, at_seat(2)).offer,
        "2D",
        None,
    ),
    Case(
        "offer_visible",
        "on",
        lambda t: t.deal().do("offer 2D"),
        lambda t: t.told(OfferSeen),
        [OfferSeen(1, "2D", only(1)), OfferSeen(2, "2D", only(2))],
        [OfferSeen(1, "2D", only(1))],
    ),
    Case(
        "may_pass",
        "off",
        lambda t: t.deal(),
        refused("pass"),
        "pass: only who can neither buy nor offer may pass",
        None,
    ),
    Case("circle_ante", 5, lambda t: t.deal().circle(), chips, (14, 14, 14), (19, 19, 19)),
    Case("discard", "bottom", lambda t: t.deal().do("buy 2D"), lambda t: GAME.view(t.state, PUBLIC).stock, 43, 42),
    Case("tie_topup", "all", tied, chips, (18, 18, 18), (18, 19, 19)),
    Case("tie_topup", "none", tied, chips, (19, 19, 19), (18, 19, 19)),
    Case("tie", "split", tied, lambda t: t.result.gains, (0, 1, 1), (0, 0, 0)),
    Case("tie", "banker_left", tied, lambda t: t.result.gains, (0, 3, 0), (0, 0, 0)),
    Case("mode", "deck_out", lambda t: t.deal({2: POEN}), lambda t: t.state.hand, 1, 2),
    Case("points_poen", 7, of(POEN), points, (0, 7, 0), (0, 1, 0), DECK_OUT),
    Case("points_terz", 7, of(TERZ), points, (0, 7, 0), (0, 2, 0), DECK_OUT),
    Case("points_tricon", 7, of(TRICON), points, (0, 7, 0), (0, 3, 0), DECK_OUT),
    Case("max_circles", 1, lambda t: t.deal().circle("buy 2D"), lambda t: t.state.hand, 2, 1),
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


def test_presets() -> None:
    assert {preset.name: dict(preset.values) for preset in PRESETS} == {
        "classic": {},
        "deck-out": {"mode": "deck_out"},
        "old-hoyle": {"barter_consent": "forced", "fee_to": "banker"},
        "high-stakes": {"circle_ante": 1, "tie_topup": "all"},
    }


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"ante": 21}, r"ante \(21\) is above chips \(20\): nobody could pay it"),
        ({"chips": 2, "ante": 3}, r"ante \(3\) is above chips \(2\)"),
        ({"mode": "deck_out", "discard": "bottom"}, "mode deck_out ends with the stock"),
        ({"chips": 0}, r"option chips: 0 is not one of 1\.\.1000"),
        ({"chips": 1001}, r"option chips: 1001 is not one of 1\.\.1000"),
        ({"ante": 0}, "option ante"),
        ({"fee": 0}, "option fee"),
        ({"hands": 0}, "option hands"),
        ({"max_circles": 0}, "option max_circles"),
        ({"circle_ante": 6}, r"option circle_ante: 6 is not one of 0\.\.5"),
        ({"points_poen": -1}, "option points_poen"),
        ({"tie": "fight"}, r"option tie: 'fight' is not one of redeal \| split \| banker_left"),
    ],
)
def test_rulesets_that_cannot_be(options: dict[str, object], says: str) -> None:
    with pytest.raises(RulesetError, match=says):
        ruleset(GAME, None, options)


@pytest.mark.parametrize(
    "options",
    [
        {"ante": 20},
        {"fee": 1000, "chips": 1},
        {"points_poen": 0, "points_terz": 0, "points_tricon": 0, "mode": "deck_out"},
        {"mode": "deck_out", "tie": "split", "tie_topup": "all", "circle_ante": 5},
        {"tie": "split", "tie_topup": "all"},
        {"end": "last_with_chips", "hands": 1},
        {"barter_consent": "forced", "offer_visible": "on"},
    ],
)
def test_options_that_merely_have_no_effect_are_accepted(options: dict[str, object]) -> None:
    assert ruleset(GAME, None, options).preset is None


@pytest.mark.parametrize("players", [1, 11])
def test_table_sizes(players: int) -> None:
    with pytest.raises(RulesetError, match="for 2 to 10 players"):
        GAME.start(ruleset(GAME), players)


def test_with_two_players_the_neighbour_is_the_opponent() -> None:
    for side in ("left", "right"):
        table = Table(players=2, barter_side=side).deal().do("offer 2D")
        assert GAME.asked(table.state) == (0,)


def test_ten_players_can_be_dealt_to() -> None:
    table = Table(players=10, banker=4).deal()
    assert len(table.state.stock) == 22
    assert GAME.asked(table.state) == (5,)


def test_forced_barter() -> None:
    table = Table(barter_consent="forced").deal().do("offer 2D")
    assert GAME.legal(table.state, 2) == tuple(Move("give", card) for card in cards(NOTHING[2]))
    assert table.do("give 4S").told(Bartered) == [Bartered(1, 2)]


@pytest.mark.parametrize(("side", "neighbours"), [("left", [2, 3, 1]), ("right", [3, 1, 2])])
def test_offers_pass_over_who_has_left(side: str, neighbours: list[int]) -> None:
    """Seats 1, 2 and 3 are left; each offers in turn."""
    table = Table(players=4, banker=3, barter_side=side).deal().leave()
    asked = []
    for card in ("2D", "2H", "2S"):
        table.do(f"offer {card}")
        asked += GAME.asked(table.state)
        table.do("refuse", "pass")
    assert asked == neighbours


def test_who_must_trade_can_pass_only_without_any_other_move() -> None:
    none = "pass: only who can neither buy nor offer may pass"
    table = Table(may_pass="off").deal()
    assert table.refusal("pass") == none
    table.do("offer 2D", "refuse")
    assert table.refusal("pass") == none
    assert GAME.legal(table.state, 1) == tuple(Move("buy", card) for card in cards(NOTHING[1]))
    # without chips: before the offer he must offer, after it he may pass
    poor = Table(may_pass="off", chips=1).deal()
    assert poor.refusal("pass") == none
    assert GAME.legal(poor.do("offer 2D", "refuse").state, 1) == (PASS,)
    assert poor.refusal("pass") is None


def test_circle_ante_is_paid_by_everybody_before_each_further_circle() -> None:
    table = Table(circle_ante=2, chips=4).deal(stock="KS QD").circle("buy 2D")
    assert table.events[-2:] == (CircleBegan(2), Paid("circle", (2, 2, 2), 10))
    assert table.state.chips == (1, 0, 1)
    # who has less pays what he has, and plays on
    table.circle("offer 4H", "give 2H")
    assert table.told(Paid) == [Paid("circle", (1, 0, 1), 12)]
    assert (table.state.circle, table.state.live) == (3, (0, 1, 2))
    # no ante at the deal but the hand's own
    assert [paid.why for paid in Table(circle_ante=2).deal({1: POEN}).told(Paid)] == ["ante"]


def test_max_circles_end_a_hand_after_the_check_for_combinations() -> None:
    table = Table(max_circles=2).deal(stock="KS QD").circle("buy 2D")
    assert table.state.circle == 2
    table.circle("buy 4H")
    assert (table.result.how, table.state.pot, table.state.banker) == ("carried", 5 + 3, 0)
    made = Table(max_circles=1).deal({1: "2C 4C 6H"}, stock="9C").circle("buy 6H")
    assert (made.result.how, made.result.winners) == ("taken", (1,))


# ---- the ends ------------------------------------------------------------------------------------


def test_after_the_last_hand_the_players_are_ranked_by_chips() -> None:
    table = Table(players=4, hands=2).deal({1: POEN}).deal({1: POEN})
    assert table.outcome == Outcome((2, 1, 2, 2), "hands", (18, 26, 18, 18))
    assert table.events[-1] == MatchEnded(table.outcome)
    assert (GAME.asked(table.state), GAME.due(table.state), table.state.phase) == ((), None, "over")


def test_who_cannot_pay_the_ante_is_out_before_the_others_pay() -> None:
    table = Table(players=4, banker=3, chips=5, ante=3).deal({1: POEN})
    # three players have two chips each: they keep them as their score and share a place
    assert table.events[1:-1] == (*table.told(Dealt)[1:], table.told(HandEnded)[0], WentOut((0, 2, 3), forfeit=False))
    assert table.outcome == Outcome((2, 1, 2, 2), "last_left", (2, 14, 2, 2))
    some = Table(players=4, banker=3, chips=5).having(chips=(9, 0, 0, 9)).deal({0: POEN})
    assert some.told(WentOut) == [WentOut((1, 2), forfeit=False)]
    assert some.told(Paid) == [Paid("ante", (1, 0, 0, 1), 2)]
    assert some.state.live == (0, 3)


def test_later_out_is_better() -> None:
    table = Table(players=4, chips=2).having(chips=(1, 0, 1, 9)).deal({3: POEN})
    assert table.state.live == (0, 2, 3)
    table.having(chips=(1, 0, 0, 9)).deal({3: POEN})
    assert table.state.live == (0, 3)
    table.having(chips=(0, 0, 0, 9)).deal({3: POEN})
    assert table.outcome is not None
    assert table.outcome.places == (2, 4, 3, 1)
    assert table.outcome.reason == "last_left"


def test_when_nobody_can_pay_the_ante_those_who_failed_share_the_place() -> None:
    for end in ("hands", "last_with_chips"):
        table = Table(chips=1, end=end).deal().circle().circle()
        assert table.events[-2:] == (
            WentOut((0, 1, 2), forfeit=False),
            MatchEnded(Outcome((1, 1, 1), "last_left", (0, 0, 0))),
        )
        assert table.outcome == Outcome((1, 1, 1), "last_left", (0, 0, 0))


def test_a_pot_that_nobody_took_is_in_no_score() -> None:
    table = Table(hands=1).deal().circle().circle()
    assert table.outcome == Outcome((1, 1, 1), "hands", (19, 19, 19))
    assert table.state.pot == 3


def test_the_limit_of_hands_comes_before_the_next_ante() -> None:
    table = Table(hands=1, chips=1).deal({1: POEN})
    assert table.outcome == Outcome((2, 1, 2), "hands", (0, 3, 0))


def test_last_with_chips_goes_on_to_its_own_limit() -> None:
    table = Table(end="last_with_chips", hands=1).having(hand=HAND_LIMIT - 1).deal({1: POEN})
    assert (table.state.hand, table.outcome) == (10_000, None)
    assert table.deal({1: POEN}).outcome == Outcome((2, 1, 2), "hands", (18, 24, 18))


def test_who_takes_the_pot_but_is_out_does_not_deal() -> None:
    # seats 1 and 2 share a small pot; the banker, seat 0, cannot pay and the next one deals
    table = Table(players=4, tie="split", ante=2, chips=10).having(chips=(1, 9, 9, 9), pot=2)
    table.deal({1: TERZ, 2: SAME_TERZ})
    assert WentOut((0,), forfeit=False) in table.events
    assert (table.state.banker, table.state.live) == (1, (1, 2, 3))


# ---- forfeits ------------------------------------------------------------------------------------


def test_a_forfeit_passes_the_turn_on() -> None:
    table = Table(players=4, banker=3).deal().do("pass").leave()
    assert table.events == (WentOut((1,), forfeit=True),)
    assert (table.state.turn, table.state.live, table.state.hand) == (2, (0, 2, 3), 1)
    # his cards lie aside unseen, and his chips leave with him
    assert (table.state.aside, table.state.hands[1]) == (cards(NOTHING[1]), None)
    for viewer in (PUBLIC, *map(at_seat, range(4))):
        view = GAME.view(table.state, viewer)
        assert view.aside == 3
        assert NOTHING[1].split()[0] not in repr(view)
    assert GAME.view(table.state, OMNISCIENT).hidden == Hidden(table.state.stock, cards(NOTHING[1]))
    assert (table.state.chips, table.state.pot) == ((19, 19, 19, 19), 4)
    assert [table.do("pass").state.turn for _ in range(4)] == [3, 0, 2, 3]


def test_the_cards_of_several_forfeiters_lie_aside_until_the_hand_is_over() -> None:
    table = Table(players=4, banker=3).deal({0: "9S KD 2H"}).leave().leave()
    assert table.state.aside == cards("9S KD 2H " + NOTHING[1])
    table.circle().circle()
    assert table.state.aside == ()
    assert table.deal().state.hands[:2] == (None, None)


def test_a_forfeit_ends_the_circle_when_nobody_is_left_in_it() -> None:
    table = Table(players=4, banker=3).deal({0: "2C 4C 6H"}, stock="9C").do("buy 6H", "pass", "pass").leave()
    assert table.result.winners == (0,)
    # the banker himself: the others go on without him, in his order
    other = Table(players=4, banker=1).deal().do("pass", "pass", "pass").leave()
    assert (other.state.circle, other.state.turn) == (2, 2)
    turns = []
    for _ in range(3):
        turns.append(other.state.turn)
        other.do("pass")
    assert turns == [2, 3, 0]
    assert (other.state.hand, other.state.banker) == (2, 2)  # the next one still in deals instead of him


def test_after_a_tie_the_next_one_deals_for_a_banker_who_has_left() -> None:
    table = Table(players=4, banker=3).deal().do("pass", "pass", "pass").leave()
    table.having(hands=(cards(TERZ), cards(SAME_TERZ), cards(NOTHING[2]), None)).circle()
    assert table.told(HandBegan) == [HandBegan(2, 0, redeal=True)]


def test_an_offer_to_a_forfeiter_counts_as_refused() -> None:
    table = Table(players=4, banker=3).deal().do("offer 2C").leave()
    assert table.events == (WentOut((1,), forfeit=True), OfferRefused(0, 1))
    assert (table.state.turn, GAME.asked(table.state), table.state.offer) == (0, (0,), None)
    assert table.refusal("offer 4D") == "offer 4D: there is one offer a turn, and it was refused"
    assert table.refusal("pass") is None
    assert table.refusal("buy 2C") is None
    forced = Table(players=4, banker=3, barter_consent="forced", may_pass="off", chips=1).deal().do("offer 2C").leave()
    assert GAME.legal(forced.state, 0) == (PASS,)


def test_a_forfeiters_chips_are_his_score() -> None:
    table = Table(hands=1).deal(stock="KD QC").do("buy 2D").leave().do("pass", "buy 4H").circle().circle().circle()
    assert table.outcome == Outcome((1, 2, 3), "hands", (19, 17, 19))
    assert table.state.pot + sum(table.state.chips) == 60


def test_a_forfeiters_points_are_lost() -> None:
    table = deck_out().deal().having(points=(5, 0, 1)).leave()
    assert table.state.points == (0, 0, 1)
    table.circle().circle()
    assert table.result.winners == (2,)


def test_in_deck_out_the_next_player_scores_after_a_forfeit() -> None:
    table = deck_out().deal({1: POEN}, stock="KS QD JH").leave()
    assert table.told(Paid) == [Paid("score", (0, 0, 1), 4)]
    assert table.told(Scored)[0].shown.seat == 1


def test_when_one_is_left_the_match_is_over() -> None:
    table = Table(banker=2).deal().leave()
    assert table.outcome is None
    table.leave()
    assert table.outcome == Outcome((3, 2, 1), "last_left", (19, 19, 19))
    assert table.events == (WentOut((1,), forfeit=True), MatchEnded(table.outcome))
    assert table.state.pot == 3  # it belongs to nobody
    answering = Table(players=2).deal().do("offer 2D").leave()
    assert answering.outcome == Outcome((2, 1), "last_left", (19, 19))


def test_a_forfeit_counts_as_going_out_at_that_moment() -> None:
    table = Table(players=4, banker=3).having(chips=(5, 0, 5, 5)).deal({0: POEN})  # out: seat 1
    table.deal().leave()  # forfeits: seat 2
    table.circle().circle().having(chips=(9, 0, 5, 0)).deal().circle().circle()  # out: seat 3
    assert table.outcome is not None
    assert table.outcome.places == (1, 4, 3, 2)


# ---- default moves -------------------------------------------------------------------------------


def test_default_moves() -> None:
    table = Table().deal()
    assert GAME.default(table.state, 1) == PASS
    table.do("offer 2D")
    assert GAME.default(table.state, 2) == REFUSE
    forced = Table(barter_consent="forced", may_pass="off").deal({1: "AD KC 3S", 2: "9H 7D 8D"})
    assert GAME.default(forced.state, 1) == Move("offer", "KC")
    assert GAME.default(forced.do("offer KC").state, 2) == Move("give", "7D")
    must = Table(may_pass="off").deal({1: "AD KC 3S"}).do("offer KC", "refuse")
    assert GAME.default(must.state, 1) == Move("buy", "KC")
    poor = Table(may_pass="off", chips=1).deal().do("offer 2D", "refuse")
    assert GAME.default(poor.state, 1) == PASS


# ---- secrecy -------------------------------------------------------------------------------------

SECRET_RULES: Mapping[str, rules.Value] = {"offer_visible": "on", "may_pass": "off"}


def settings(**options: rules.Value) -> list[test_laws.Setting]:
    return [test_laws.Setting(ruleset(GAME, None, options), players, seed) for players in (3, 5) for seed in range(12)]


@pytest.mark.parametrize("field", ["hands", "stock", "discards", "aside", "offer"])
def test_a_leak_of_any_hidden_field_would_be_found(field: str) -> None:
    """The law of secrecy is broken by a view that shows just this field to everybody."""
    leaky: Any = test_laws.Leaky(GAME, view=lambda state, viewer: (GAME.view(state, viewer), getattr(state, field)))
    with pytest.raises(AssertionError):  # noqa: PT012  # one of the matches is enough
        for setting in settings():
            test_laws.check_secrecy(leaky, setting)


@pytest.mark.parametrize("kind", [Dealt, Discarded, Drew, OfferSeen, Swapped])
def test_a_leak_of_any_secret_event_would_be_found(kind: type[Any]) -> None:
    def step(state: State, happening: Happening) -> tuple[State, tuple[Any, ...]]:
        after, events = GAME.step(state, happening)
        loud: tuple[Any, ...] = events
        return after, tuple(e._replace(audience=None) if isinstance(e, kind) else e for e in loud)

    leaky: Any = test_laws.Leaky(GAME, step=step)
    with pytest.raises(AssertionError):  # noqa: PT012  # one of the matches is enough
        for setting in settings():
            test_laws.check_secrecy(leaky, setting)


def test_the_twins_differ_where_they_may() -> None:
    """What the law compares is not the same state twice."""
    table = Table(players=4, banker=3).deal({0: "AS KD QH"}).leave().do("buy 2D", "offer 2H")
    dice = test_laws.random.Random(1)
    for viewer in (PUBLIC, *map(at_seat, range(4))):
        other, _ = commerce_laws.twin(table.state, None, viewer, dice)
        commerce_laws.conserved(other)
        assert GAME.view(other, viewer) == GAME.view(table.state, viewer)
        for field in ("hands", "stock", "aside"):
            assert getattr(other, field) != getattr(table.state, field), (viewer, field)
