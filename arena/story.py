"""A match told in plain sentences, one for each event.

All words stand in one table a game, under a key each, so that they can be translated: ``{who}`` and the like
are filled in. A seat is called by its player's name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from arena.games import three_coins
from arena.rules import AnyGame, Event, Outcome

Texts = Mapping[str, str]
"""The words of a game: templates for `str.format`, by key."""

COMMON: dict[str, str] = {
    "seat": "seat {seat}",
    "and": "{most} and {last}",
    "won": "{who} wins: {why}",
    "won_together": "{who} share the first place: {why}",
}
"""The words that every game needs."""

THREE_COINS: dict[str, str] = {
    **COMMON,
    "round": "round {round}: everybody hides coins, {who} will speak first",
    "hid": "{who} hides {coins}",
    "closed": "the fists are closed; {who} opens the bidding",
    "bid": "{who} bids {number}",
    "call": "{who} does not believe it and calls",
    "cliff": "{who} says cliff: exactly that many",
    "zero": "{who} says zero: every fist is empty",
    "max": "{who} says max: every coin is in a fist",
    "opened_0": "the fists open ({hands}): no coin at all; {what}",
    "opened_1": "the fists open ({hands}): 1 coin; {what}",
    "opened": "the fists open ({hands}): {total} coins; {what}",
    "hand": "{who} {coins}",
    "loses": "{who} loses one",
    "lose": "{who} lose one each",
    "wins": "{who} wins one",
    "discards": "{who} is right and gives one away",
    "no_change": "no coin moves",
    "broken": "{who} leaves in the middle of round {round}: the fists stay closed",
    "out": "{who} is out",
    "out_together": "{who} are out",
    "forfeit": "{who} forfeits and is out",
    "forfeit_together": "{who} forfeit and are out",
    "last_left": "nobody else is left",
    "first_empty": "the first without a coin",
    "max_rounds": "the last round has been played",
    "stall_rounds": "no coin has moved for too long",
}
"""The words of Three Coins."""


class _Teller:
    """Fills templates in."""

    def __init__(self, texts: Texts, names: Sequence[str]) -> None:
        self.texts = texts
        self.names = names

    def __call__(self, key: str, **values: object) -> str:
        return self.texts[key].format(**values)

    def who(self, *seats: int) -> str:
        """The names of these seats, listed."""
        *most, last = (self._name(seat) for seat in seats)
        return self("and", most=", ".join(most), last=last) if most else last

    def _name(self, seat: int) -> str:
        name = self.names[seat] if seat < len(self.names) else ""
        return name or self("seat", seat=seat)

    def one_or_more(self, key: str, together: str, seats: Sequence[int]) -> str:
        """A sentence about one player or several."""
        return self(key if len(seats) == 1 else together, who=self.who(*seats))

    def ended(self, outcome: Outcome) -> str:
        """Who has won, and why the match is over."""
        best = [seat for seat, place in enumerate(outcome.places) if place == 1]
        why = self(outcome.reason)
        return self("won" if len(best) == 1 else "won_together", who=self.who(*best), why=why)


def _three_coins(tell: _Teller, event: Event) -> str | None:
    match event:
        case three_coins.RoundBegan(number, starter):
            return tell("round", round=number, who=tell.who(starter))
        case three_coins.Hid(seat, coins):
            return tell("hid", who=tell.who(seat), coins=coins)
        case three_coins.FistsClosed(_, starter):
            return tell("closed", who=tell.who(starter))
        case three_coins.Spoke(seat, move):
            return tell(move.kind, who=tell.who(seat), number=move.number)
        case three_coins.FistsOpened(showdown):
            return _showdown(tell, showdown)
        case three_coins.RoundBroken(number, seat):
            return tell("broken", who=tell.who(seat), round=number)
        case three_coins.WentOut(seats, forfeit):
            key = "forfeit" if forfeit else "out"
            return tell.one_or_more(key, f"{key}_together", seats)
        case three_coins.MatchEnded(outcome):
            return tell.ended(outcome)
    return None


def _showdown(tell: _Teller, showdown: three_coins.Showdown) -> str:
    hands = ", ".join(
        tell("hand", who=tell.who(seat), coins=hand) for seat, hand in enumerate(showdown.hands) if hand is not None
    )
    key = f"opened_{showdown.total}" if showdown.total < 2 else "opened"
    return tell(key, hands=hands, total=showdown.total, what=_coins_move(tell, showdown))


def _coins_move(tell: _Teller, showdown: three_coins.Showdown) -> str:
    losers = _seats(change < 0 for change in showdown.changes)
    winners = _seats(change > 0 for change in showdown.changes)
    if losers == [showdown.said[-1].seat] and showdown.right:
        return tell("discards", who=tell.who(*losers))  # with objective = first_empty that is what one wants
    if losers:
        return tell.one_or_more("loses", "lose", losers)
    return tell("wins", who=tell.who(*winners)) if winners else tell("no_change")


def _seats(chosen: Iterable[bool]) -> list[int]:
    return [seat for seat, yes in enumerate(chosen) if yes]


_STORIES: dict[str, tuple[Texts, Callable[[Any, Event], str | None]]] = {
    "three_coins": (THREE_COINS, _three_coins),
}


def tell(game: AnyGame, event: Event, names: Sequence[str], texts: Texts | None = None) -> str | None:
    """One plain sentence that says what ``event`` was, without a full stop; None where there is nothing to say.

    Args:
        game: the game that is played.
        event: one of its events.
        names: the players' names by seat; an empty one is replaced by the number of the seat.
        texts: the words, translated; by default the game's own English ones.
    """
    words, story = _STORIES[game.name]
    return story(_Teller(texts or words, names), event)
