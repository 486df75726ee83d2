"""How probable is what one could say or do now: exact, and from what one seat sees alone.

It is arithmetic, not judgement: hands, dice and cards that the seat does not know count as equally likely, whatever
the others have said. So it tells the odds of the game, and leaves the bluffing to who plays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from arena.games import commerce, mia, three_coins
from arena.insight import commerce as cards
from arena.insight import mia as dice
from arena.insight import three_coins as coins

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


def _three_coins(view: three_coins.View) -> Odds:
    if view.phase != "bidding":
        return {}
    hidden = [seat for seat in view.live if view.hands[seat] is None]
    counts = coins.ways(tuple(view.coins[seat] for seat in hidden))
    open_ = sum(view.hands[seat] or 0 for seat in view.live)
    found: dict[str, Fraction] = {}
    for move in view.legal:
        least, most = coins.bounds(move, view)
        hits = sum(count for total, count in enumerate(counts, start=open_) if least <= total <= most)
        found[str(move)] = Fraction(hits, sum(counts))
    return found


# ---- Mia -------------------------------------------------------------------------------------------


def _mia(view: mia.View) -> Odds:
    options = view.options
    rank, called = mia.ranking(options).rank, mia.ranking(options).called

    def borne_out(value: str) -> Fraction:
        if view.dice is None:
            return dice.reach(options, value, view.to_beat)
        return Fraction(mia.bears_out(options, view.dice, value, view.to_beat))

    found: dict[str, Fraction] = {}
    for move in view.legal:
        if move.kind in mia.VALUED:
            found[str(move)] = borne_out(move.value)
        elif move.kind in ("challenge", "look") and view.announced is not None:
            found[str(move)] = 1 - borne_out(view.announced)
        elif move.kind in ("roll", "roll blind") and view.announced is not None:
            least = mia.lowest_say(options, view.announced)
            hits = sum(rank[called[roll]] >= least for roll in mia.ROLLS)
            found[str(move)] = Fraction(hits, len(mia.ROLLS))
    return found


# ---- Commerce --------------------------------------------------------------------------------------


def _commerce(view: commerce.View) -> Odds:
    assert view.seat is not None
    own = view.hands[view.seat] or ()
    known = {*own, *(discard.card for discard in view.discards if discard.card is not None)}
    unseen = {card for card in commerce.DECK if card not in known}
    found: dict[str, Fraction] = {}
    for move in view.legal:
        if move.kind not in commerce.WITH_CARD:
            continue
        coming = {view.offer} if move.kind == "give" and view.offer is not None else unseen
        found[str(move)] = Fraction(len(coming & cards.completing(cards.without(own, move.card))), len(coming))
    return found


_GAMES: Mapping[str, Callable[[Any], Odds]] = {"three_coins": _three_coins, "mia": _mia, "commerce": _commerce}
