"""A match told in plain sentences, one for each event.

All words stand in one table a game, under a key each; ``{who}`` and the like are filled in. Whoever tells the story
in another language brings a `Language`, which translates them. A seat is called by its player's name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from gettext import NullTranslations
from typing import Any, NamedTuple, Protocol

from arena.games import commerce, mia, three_coins
from arena.rules import AnyGame, Event, MatchEnded, Outcome


class Counted(NamedTuple):
    """A template whose words follow a number."""

    one: str
    several: str


Texts = Mapping[str, str | Counted]
"""The words of a game: templates for `str.format`, by key."""


class Language(Protocol):
    """Translates templates: what the translations of Python's `gettext` and Django's module of that name can do."""

    def gettext(self, message: str, /) -> str:
        """The translation of a template."""

    def ngettext(self, singular: str, plural: str, number: int, /) -> str:
        """The translation that fits this number: other languages have more than two forms."""


ENGLISH: Language = NullTranslations()
"""The templates as they stand here."""

COMMON: dict[str, str | Counted] = {
    "seat": "seat {seat}",
    "and": "{most} and {last}",
    "won": "{who} wins: {why}",
    "won_together": "{who} share the first place: {why}",
}
"""The words that every game needs."""

THREE_COINS: dict[str, str | Counted] = {
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
    "opened": Counted("the fists open ({hands}): 1 coin; {what}", "the fists open ({hands}): {total} coins; {what}"),
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

MIA: dict[str, str | Counted] = {
    **COMMON,
    "start_rolled": "a die each for the start: {dice}",
    "die": "{who} {die}",
    "round": "round {round}: {who} takes the cup",
    "roll": "{who} rolls and looks",
    "roll blind": "{who} rolls without looking",
    "saw": "{who} sees {dice}",
    "say": "{who} says {value}",
    "pass": "{who} passes the cup on and says {value}",
    "mia": "Mia",
    "points": Counted("{number} point", "{number} points"),
    "clockwise": "the direction turns: play goes clockwise",
    "counterclockwise": "the direction turns: play goes counterclockwise",
    "challenge": "{who} does not believe it",
    "look": "{who} looks under the cup",
    "concede": "{who} gives in without looking",
    "lifted": "under the cup: {dice}; {what}",
    "loses": Counted("{who} loses a life", "{who} loses {lost} lives"),
    "sip": "{who} takes a sip",
    "hard": Counted("{who} takes a hard sip", "{who} takes {lost} hard sips"),
    "broken": "{who} leaves in the middle of round {round}: the dice stay hidden",
    "out": "{who} is out",
    "out_together": "{who} are out",
    "forfeit": "{who} forfeits and is out",
    "forfeit_together": "{who} forfeit and are out",
    "first_out": "somebody has lost all lives",
    "last_left": "nobody else is left",
    "rounds": "the last round has been played",
}
"""The words of Mia."""

COMMERCE: dict[str, str | Counted] = {
    **COMMON,
    "hand": "hand {hand}: {who} deals",
    "redeal": "hand {hand}: {who} deals again, and nobody pays an ante",
    "paid_ante": "everybody pays the ante: the pot holds {pot}",
    "paid_circle": "everybody adds to the pot: it holds {pot}",
    "paid_tie": "for the tie {who} must add to the pot: it holds {pot}",
    "paid_score": "for that {who} must add to the pot: it holds {pot}",
    "dealt": "{who} is dealt {cards}",
    "circle": "circle {circle} of the trading",
    "bought": "{who} buys a card for {fee}, paid to the pot",
    "bought_of": "{who} buys a card for {fee}, paid to {payee}",
    "discarded": "{who} discards {card}",
    "reshuffled": "the stock is used up; the {cards} discards are shuffled into a new one",
    "drew": "{who} takes {card} from the stock",
    "offered": "{who} offers {to} a card",
    "offer_seen": "{who} knows the card on offer, {card}",
    "offer_refused": "{to} does not barter",
    "bartered": "{who} and {to} barter",
    "swapped": "{who} gives {gave} and gets {got}",
    "passed": "{who} passes",
    "scored": "{who} shows {combination} and scores {points}, in all {total}",
    "shown": "{who} shows {combination}",
    "poen": "a poen ({cards})",
    "terz": "a terz ({cards})",
    "tricon": "a tricon ({cards})",
    "ended": "{shown}; {what}",
    "taken": "{who} takes the pot of {chips}",
    "split": "{who} share the pot, {chips} each",
    "tied": "{who} are tied, and the pot of {pot} stays",
    "carried": "nobody takes the pot of {pot}",
    "out": "{who} cannot pay the ante and is out",
    "out_together": "{who} cannot pay the ante and are out",
    "forfeit": "{who} forfeits and is out",
    "forfeit_together": "{who} forfeit and are out",
    "hands": "the last hand has been played",
    "last_left": "nobody else is left",
}
"""The words of Commerce."""


class Teller:
    """Fills templates in."""

    def __init__(self, texts: Texts, names: Sequence[str], language: Language) -> None:
        self.texts = texts
        self.names = names
        self.language = language

    def __call__(self, key: str, count: int = 0, /, **values: object) -> str:
        """The sentence under ``key``, where its words follow a number for that of ``count``."""
        text = self.texts[key]
        found = self.language.ngettext(*text, count) if isinstance(text, Counted) else self.language.gettext(text)
        return found.format(**values)

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


def _three_coins(tell: Teller, event: Event) -> str | None:
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
        case MatchEnded(outcome):
            return tell.ended(outcome)
    return None


def _showdown(tell: Teller, showdown: three_coins.Showdown) -> str:
    hands = ", ".join(
        tell("hand", who=tell.who(seat), coins=hand) for seat, hand in enumerate(showdown.hands) if hand is not None
    )
    key = "opened" if showdown.total else "opened_0"
    return tell(key, showdown.total, hands=hands, total=showdown.total, what=_coins_move(tell, showdown))


def _coins_move(tell: Teller, showdown: three_coins.Showdown) -> str:
    losers = _seats(change < 0 for change in showdown.changes)
    winners = _seats(change > 0 for change in showdown.changes)
    if losers == [showdown.said[-1].seat] and showdown.right:
        return tell("discards", who=tell.who(*losers))  # with objective = first_empty that is what one wants
    if losers:
        return tell.one_or_more("loses", "lose", losers)
    return tell("wins", who=tell.who(*winners)) if winners else tell("no_change")


def _seats(chosen: Iterable[bool]) -> list[int]:
    return [seat for seat, yes in enumerate(chosen) if yes]


def _mia(tell: Teller, event: Event) -> str | None:
    match event:
        case mia.StartRolled(seats, dice):
            rolled = (tell("die", who=tell.who(seat), die=die) for seat, die in zip(seats, dice, strict=True))
            return tell("start_rolled", dice=", ".join(rolled))
        case mia.RoundBegan(number, starter):
            return tell("round", round=number, who=tell.who(starter))
        case mia.Acted(seat, move):
            return tell(move.kind, who=tell.who(seat), value=mia_value(tell, move.value))
        case mia.Saw(seat, dice):
            return tell("saw", who=tell.who(seat), dice="{}{}".format(*dice))
        case mia.Turned(clockwise):
            return tell("clockwise" if clockwise else "counterclockwise")
        case mia.RoundEnded(showdown):
            return _mia_showdown(tell, showdown)
        case mia.RoundBroken(number, seat):
            return tell("broken", who=tell.who(seat), round=number)
        case mia.WentOut(seats, forfeit):
            key = "forfeit" if forfeit else "out"
            return tell.one_or_more(key, f"{key}_together", seats)
        case MatchEnded(outcome):
            return tell.ended(outcome)
    return None


def mia_value(tell: Teller, value: str) -> str:
    """A value of Mia as one says it."""
    if value == mia.MIA:
        return tell("mia")
    if value not in mia.SUMS:
        return value
    points = int(value.removesuffix("p"))
    return tell("points", points, number=points)


def _mia_showdown(tell: Teller, showdown: mia.Showdown) -> str:
    kind = "loses" if showdown.lives else "hard" if showdown.hard else "sip"
    lost = showdown.lives or showdown.sips
    what = tell(kind, lost, who=tell.who(showdown.loser), lost=lost)
    return what if showdown.dice is None else tell("lifted", dice="{}{}".format(*showdown.dice), what=what)


def _commerce(tell: Teller, event: Event) -> str | None:  # one case a kind of event
    match event:
        case commerce.HandBegan(hand, banker, redeal):
            return tell("redeal" if redeal else "hand", hand=hand, who=tell.who(banker))
        case commerce.Paid(why, paid, pot):
            return tell(f"paid_{why}", who=tell.who(*_seats(chips > 0 for chips in paid)), pot=pot)
        case commerce.Dealt(seat, cards):
            return tell("dealt", who=tell.who(seat), cards=" ".join(cards))
        case commerce.CircleBegan(circle):
            return tell("circle", circle=circle)
        case commerce.Bought(seat, fee, None):
            return tell("bought", who=tell.who(seat), fee=fee)
        case commerce.Bought(seat, fee, int(payee)):
            return tell("bought_of", who=tell.who(seat), fee=fee, payee=tell.who(payee))
        case commerce.Discarded(seat, card):
            return tell("discarded", who=tell.who(seat), card=card)
        case commerce.Reshuffled(count):
            return tell("reshuffled", cards=count)
        case commerce.Drew(seat, card):
            return tell("drew", who=tell.who(seat), card=card)
        case commerce.Offered(seat, to):
            return tell("offered", who=tell.who(seat), to=tell.who(to))
        case commerce.OfferSeen(seat, card):
            return tell("offer_seen", who=tell.who(seat), card=card)
        case commerce.OfferRefused(seat, to):
            return tell("offer_refused", who=tell.who(seat), to=tell.who(to))
        case commerce.Bartered(seat, to):
            return tell("bartered", who=tell.who(seat), to=tell.who(to))
        case commerce.Swapped(seat, gave, got):
            return tell("swapped", who=tell.who(seat), gave=gave, got=got)
        case commerce.Passed(seat):
            return tell("passed", who=tell.who(seat))
        case commerce.Scored(shown, points, total):
            named = _combination(tell, shown)
            return tell("scored", who=tell.who(shown.seat), combination=named, points=points, total=total)
        case commerce.HandEnded(result):
            return _hand_result(tell, result)
        case commerce.WentOut(seats, forfeit):
            key = "forfeit" if forfeit else "out"
            return tell.one_or_more(key, f"{key}_together", seats)
        case MatchEnded(outcome):
            return tell.ended(outcome)
    return None


def _combination(tell: Teller, shown: commerce.Shown) -> str:
    return tell(shown.combination.kind, cards=" ".join(shown.cards))


def _hand_result(tell: Teller, result: commerce.HandResult) -> str:
    who = tell.who(*result.winners) if result.winners else ""
    what = tell(result.how, who=who, chips=max(result.gains), pot=result.pot)
    if not result.shown:
        return what
    shown = ", ".join(
        tell("shown", who=tell.who(one.seat), combination=_combination(tell, one)) for one in result.shown
    )
    return tell("ended", shown=shown, what=what)


WORDS: dict[str, Texts] = {"three_coins": THREE_COINS, "mia": MIA, "commerce": COMMERCE}
"""The words of every game."""

_STORIES: dict[str, Callable[[Teller, Any], str | None]] = {
    "three_coins": _three_coins,
    "mia": _mia,
    "commerce": _commerce,
}


def tell(game: AnyGame, event: Event, names: Sequence[str], language: Language = ENGLISH) -> str | None:
    """One plain sentence that says what ``event`` was, without a full stop; None where there is nothing to say.

    Args:
        game: the game that is played.
        event: one of its events.
        names: the players' names by seat; an empty one is replaced by the number of the seat.
        language: what the words are translated by.
    """
    return _STORIES[game.name](Teller(WORDS[game.name], names, language), event)
