"""How probable is what one could say or do now: exact, and from what one seat sees alone.

It is arithmetic, not judgement: hands, dice and cards that the seat does not know count as equally likely, whatever
the others have said. So it tells the odds of the game, and leaves the bluffing to who plays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

from arena.games import commerce, mia, three_coins

Odds = Mapping[str, Fraction]
"""By the text of a move; moves about which nothing can be said are missing."""


def odds(game: str, view: Any) -> Odds:
    """For each legal move of the view's seat how probable it is that it is true, right, or succeeds.

    Three Coins: a bid, that so many coins are in the fists; a word, that it is right. Mia: an announcement, that the
    dice bear it out; a roll, that it beats what was announced; a doubt, that it is right. Commerce: a card given
    away, that the hand is a combination afterwards.
    """
    found = _GAMES.get(game)
    return found(view) if found is not None and view.legal else {}


# ---- Three Coins -----------------------------------------------------------------------------------


def totals(view: three_coins.View) -> dict[int, Fraction]:
    """How probable each number of coins in all fists is."""
    spread = {0: Fraction(1)}
    for seat in view.live:
        hand = view.hands[seat]
        options = range(view.coins[seat] + 1) if hand is None else (hand,)
        after: dict[int, Fraction] = {}
        for total, share in spread.items():
            for coins in options:
                after[total + coins] = after.get(total + coins, Fraction(0)) + share / len(options)
        spread = after
    return spread


def _three_coins(view: three_coins.View) -> Odds:
    if view.phase != "bidding":
        return {}
    spread = totals(view)

    def right(move: three_coins.Move) -> Callable[[int], bool]:
        bid = view.bid or 0
        return {
            "bid": lambda total: total >= move.number,
            "call": lambda total: total < bid,
            "cliff": lambda total: total == bid,
            "zero": lambda total: total == 0,
            "max": lambda total: total == view.in_play,
        }[move.kind]

    return {str(move): _sum(share for total, share in spread.items() if right(move)(total)) for move in view.legal}


def _sum(shares: Iterable[Fraction]) -> Fraction:
    return sum(shares, Fraction(0))


# ---- Mia -------------------------------------------------------------------------------------------


def _mia(view: mia.View) -> Odds:
    options = view.options
    under = mia.ROLLS if view.dice is None else (view.dice,)
    rank = mia.ranking(options).rank
    called = mia.ranking(options).called

    def borne_out(value: str) -> Fraction:
        return _share(mia.bears_out(options, dice, value, view.to_beat) for dice in under)

    found: dict[str, Fraction] = {}
    for move in view.legal:
        if move.kind in mia.VALUED:
            found[str(move)] = borne_out(move.value)
        elif move.kind in ("challenge", "look") and view.announced is not None:
            found[str(move)] = 1 - borne_out(view.announced)
        elif move.kind in ("roll", "roll blind") and view.announced is not None:
            least = rank[view.announced] + (options.raise_rule == "higher")
            found[str(move)] = _share(rank[called[dice]] >= least for dice in mia.ROLLS)
    return found


def _share(hits: Iterable[bool]) -> Fraction:
    counted = list(hits)
    return Fraction(sum(counted), len(counted))


# ---- Commerce --------------------------------------------------------------------------------------


def _commerce(view: commerce.View) -> Odds:
    assert view.seat is not None
    own = view.hands[view.seat] or ()
    known = {*own, *(discard.card for discard in view.discards if discard.card is not None)}
    unseen = [card for card in commerce.DECK if card not in known]
    found: dict[str, Fraction] = {}
    for move in view.legal:
        if move.kind not in commerce.WITH_CARD:
            continue
        kept = tuple(card for card in own if card != move.card)
        coming = [view.offer] if move.kind == "give" and view.offer is not None else unseen
        found[str(move)] = _share(commerce.combination((*kept, card)) is not None for card in coming)
    return found


_GAMES: Mapping[str, Callable[[Any], Odds]] = {"three_coins": _three_coins, "mia": _mia, "commerce": _commerce}
