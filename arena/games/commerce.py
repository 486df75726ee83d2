"""Commerce (Торговля): three cards each, bought from the stock and bartered with a neighbour, for one pot.

The rules are those of the Russian description of the game ("Торговля"); ``docs/rules/commerce.md`` has them
exactly. A card is written as two characters, its rank and its suit: ``TD`` is the ten of diamonds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, Literal, NamedTuple, cast

from arena.chance import FRESH_DECK, ChanceError, shuffle_sizes, shuffled
from arena.rules import (
    Draw,
    Drawn,
    Event,
    Happening,
    IllegalMove,
    Left,
    MatchEnded,
    Moved,
    MoveTextError,
    Option,
    Outcome,
    Preset,
    RulesError,
    Ruleset,
    Value,
    Viewer,
    check_players,
    next_live,
    placed,
)

HAND_LIMIT = 10_000
"""The most hands of a match that is played until one player has the chips (``end = last_with_chips``)."""

QUIET_CIRCLES = 2
"""After so many circles in a row in which nobody bought and nobody bartered, a hand is over."""

MANY = 1_000_000
"""The highest value of an option that needs no limit."""

OPTIONS = (
    Option("chips", 20, "chips that everybody starts with; not below ante", low=1, high=1000),
    Option("ante", 1, "chips that everybody pays to the pot before a hand", low=1, high=MANY),
    Option("fee", 1, "chips that a card from the stock costs", low=1, high=MANY),
    Option(
        "end",
        "hands",
        "the match ends after so many hands, or when only one can pay the ante (at the latest after 10000 hands)",
        ("hands", "last_with_chips"),
    ),
    Option("hands", 30, "after so many hands the match ends, ranked by chips (end = hands)", low=1, high=MANY),
    Option("fee_to", "pot", "the fee goes to the pot, or to the banker", ("pot", "banker")),
    Option(
        "barter_consent",
        "required",
        "a neighbour to whom a card is offered may refuse it, or has to give one of his own in return",
        ("required", "forced"),
    ),
    Option("barter_side", "left", "cards are offered to the neighbour on the left, or on the right", ("left", "right")),
    Option("offer_visible", "off", "is the neighbour shown the offered card before he answers?", ("off", "on")),
    Option("may_pass", "on", "may one pass who could buy or offer?", ("on", "off")),
    Option("circle_ante", 0, "chips that everybody adds to the pot before each further circle", low=0, high=5),
    Option("discard", "pile", "discards make a pile of their own, or go under the stock", ("pile", "bottom")),
    Option(
        "tie_topup",
        "others",
        "at a tie the others add the ante to the pot, or all do, or nobody (tie = redeal)",
        ("others", "all", "none"),
    ),
    Option(
        "tie",
        "redeal",
        "at a tie the same banker deals again, or those tied share the pot, or the first of them from the banker's "
        "left takes it",
        ("redeal", "split", "banker_left"),
    ),
    Option(
        "mode",
        "pot",
        "the best combination takes the pot, or points are collected until the stock is used up",
        ("pot", "deck_out"),
    ),
    Option("points_poen", 1, "points for a poen (mode = deck_out)", low=0, high=MANY),
    Option("points_terz", 2, "points for a terz (mode = deck_out)", low=0, high=MANY),
    Option("points_tricon", 3, "points for a tricon (mode = deck_out)", low=0, high=MANY),
    Option("max_circles", 50, "after so many circles a hand is over", low=1, high=MANY),
)

PRESETS = (
    Preset("classic", "the game as it is described: the best combination takes the pot"),
    Preset("deck-out", "points for every combination until the stock is used up", {"mode": "deck_out"}),
    Preset(
        "old-hoyle",
        "as in older books: no barter can be refused, and the banker is paid for the cards",
        {"barter_consent": "forced", "fee_to": "banker"},
    ),
    Preset(
        "high-stakes",
        "everybody adds a chip before each further circle, and at every tie",
        {"circle_ante": 1, "tie_topup": "all"},
    ),
)


class Options(NamedTuple):
    """The values of a ruleset, named; see `OPTIONS`."""

    chips: int
    ante: int
    fee: int
    end: str
    hands: int
    fee_to: str
    barter_consent: str
    barter_side: str
    offer_visible: str
    may_pass: str
    circle_ante: int
    discard: str
    tie_topup: str
    tie: str
    mode: str
    points_poen: int
    points_terz: int
    points_tricon: int
    max_circles: int


class Move(NamedTuple):
    """``buy C`` (the card to discard), ``offer C``, ``give C``, or ``refuse`` or ``pass`` (card is then empty)."""

    kind: str
    card: str = ""

    def __str__(self) -> str:
        """Its text, as in records."""
        return f"{self.kind} {self.card}" if self.kind in WITH_CARD else self.kind


REFUSE, PASS = Move("refuse"), Move("pass")
WITH_CARD = ("buy", "offer", "give")
WORDS = {m.kind: m for m in (REFUSE, PASS)}

Phase = Literal["lot", "deal", "trading", "offered", "reshuffle", "over"]


# ---- combinations --------------------------------------------------------------------------------

DECK = FRESH_DECK
"""All cards, in the order in which hands and moves are listed: 2C..AC, 2D..AD, 2H..AH, 2S..AS."""

HEIGHTS = {rank: height for height, rank in enumerate("23456789TJQKA", start=2)}
"""How high a rank is, from 2 to 14; the ace is always the highest."""

KINDS = ("poen", "terz", "tricon")
"""Three of a suit, three of a suit in a row, three of a rank; the lowest first."""


class Combination(NamedTuple):
    """What three cards are worth."""

    kind: str
    """One of `KINDS`."""
    heights: tuple[int, ...]
    """What decides between two of a kind: all three cards of a poen from the highest down, else the highest card."""


@lru_cache(maxsize=22_100)
def combination(cards: tuple[str, ...]) -> Combination | None:
    """The combination that three cards make, or None."""
    low, middle, high = sorted([HEIGHTS[card[0]] for card in cards])
    if low == high:
        return Combination("tricon", (high,))
    if not cards[0][1] == cards[1][1] == cards[2][1]:
        return None
    if high - middle == middle - low == 1:
        return Combination("terz", (high,))
    return Combination("poen", (high, middle, low))


def strength(found: Combination) -> tuple[int, tuple[int, ...]]:
    """The better of two combinations has the greater strength; with equal ones they tie."""
    return KINDS.index(found.kind), found.heights


# ---- positions -----------------------------------------------------------------------------------


class Shown(NamedTuple):
    """A combination that lies on the table."""

    seat: int
    cards: tuple[str, ...]
    combination: Combination


class Discard(NamedTuple):
    """A discarded card."""

    seat: int
    """Who discarded it, and so knows it."""
    card: str | None
    """In a view None where the viewer does not know it."""
    shown: bool = False
    """It was part of a combination that everybody saw."""


class HandResult(NamedTuple):
    """How a hand ended."""

    hand: int
    how: Literal["taken", "split", "tied", "carried"]
    """One took the pot; several shared it; it stays for a new deal between these; it stays because nobody won."""
    shown: tuple[Shown, ...]
    """The combinations that were laid open at its end, clockwise from the banker's left."""
    winners: tuple[int, ...]
    """Who took or shared the pot, or is tied."""
    gains: tuple[int, ...]
    """Chips that each seat took out of the pot."""
    points: tuple[int, ...]
    """Points of each seat, all 0 but in deck_out."""
    pot: int
    """Chips that stay in the pot."""


class Hidden(NamedTuple):
    """What lies face down and nobody knows."""

    stock: tuple[str, ...]
    """The cards that were dealt to nobody, the top one last."""
    aside: tuple[str, ...]
    """The cards of players who left in the middle of this hand."""


class State(NamedTuple):
    """A position, complete. Seats that are out stay in every tuple, with the chips that they left with."""

    options: Options
    phase: Phase
    hand: int
    banker: int
    """The seat that dealt this hand, also when it has left since; -1 before the lot."""
    circle: int
    turn: int
    """Whose turn it is, also while another one is asked; else -1."""
    chips: tuple[int, ...]
    pot: int
    live: tuple[int, ...]
    """The seats still in, ascending."""
    hands: tuple[tuple[str, ...] | None, ...]
    """The three cards of each seat, in the order of the fresh deck; None for seats that are out."""
    stock: tuple[str, ...]
    """What was dealt to nobody; the top card is the last one."""
    discards: tuple[Discard, ...]
    """The oldest first. With ``discard = bottom`` they lie under the stock, the oldest uppermost."""
    aside: tuple[str, ...]
    """The cards of players who left in the middle of this hand, sorted."""
    offer: str | None
    """The card that is offered, still in its owner's hand."""
    offer_to: int
    """Who is asked to barter, while the phase is offered; else -1."""
    offered: bool
    """Whether an offer was made in this turn."""
    traded: bool
    """Whether somebody bought or bartered in this circle."""
    quiet: int
    """Circles in a row, just before this one, in which nobody did."""
    reshuffles: int
    """How often a new stock was made in this hand."""
    points: tuple[int, ...]
    last: HandResult | None
    """The hand before this one."""
    out: tuple[tuple[int, ...], ...]
    """Who left the match, in order of leaving; a group left together."""
    reason: str | None


class View(NamedTuple):
    """What one viewer knows of a position."""

    seat: int | None
    """The viewer's own seat; None for who has none."""
    options: Options
    phase: Phase
    hand: int
    banker: int | None
    circle: int
    turn: int | None
    asked: tuple[int, ...]
    chips: tuple[int, ...]
    pot: int
    live: tuple[int, ...]
    hands: tuple[tuple[str, ...] | None, ...]
    """The cards of each seat; None where the viewer may not see them, and for seats that are out."""
    stock: int
    """Cards that can still be bought, with ``discard = bottom`` also those that were laid under the stock."""
    discards: tuple[Discard, ...]
    """The oldest first; the viewer knows his own, and those that were shown."""
    aside: int
    """Cards of players who left in the middle of this hand; nobody knows them."""
    offer: str | None
    """The offered card, if the viewer knows it."""
    offer_to: int | None
    offered: bool
    """Whether whose turn it is has made his offer."""
    traded: bool
    """Whether somebody bought or bartered in this circle."""
    quiet: int
    """Circles in a row, just before this one, in which nobody did."""
    points: tuple[int, ...]
    last: HandResult | None
    hidden: Hidden | None
    """None for everybody but omniscient viewers."""
    legal: tuple[Move, ...]
    """The viewer's own legal moves, when he is asked."""


# ---- events --------------------------------------------------------------------------------------


class HandBegan(NamedTuple):
    """``banker`` is about to deal; after a tie it is a ``redeal``, for which nobody pays an ante."""

    hand: int
    banker: int
    redeal: bool
    audience: None = None


class Paid(NamedTuple):
    """Chips went to the pot: each seat paid so many."""

    why: Literal["ante", "circle", "tie", "score"]
    paid: tuple[int, ...]
    pot: int
    """Chips in the pot afterwards."""
    audience: None = None


class Dealt(NamedTuple):
    """``seat`` was dealt three cards: known to that seat alone."""

    seat: int
    cards: tuple[str, ...]
    audience: frozenset[int]


class CircleBegan(NamedTuple):
    """A circle of trading begins, at the banker's left."""

    circle: int
    audience: None = None


class Bought(NamedTuple):
    """``seat`` discards a card and pays ``fee`` for another one, to ``payee`` or (None) to the pot."""

    seat: int
    fee: int
    payee: int | None
    audience: None = None


class Discarded(NamedTuple):
    """The card that ``seat`` discarded: known to that seat alone."""

    seat: int
    card: str
    audience: frozenset[int]


class Reshuffled(NamedTuple):
    """The stock was used up, and so many discards were shuffled into a new one."""

    cards: int
    audience: None = None


class Drew(NamedTuple):
    """The card that ``seat`` took from the stock: known to that seat alone."""

    seat: int
    card: str
    audience: frozenset[int]


class Offered(NamedTuple):
    """``seat`` offers a card to its neighbour ``to``."""

    seat: int
    to: int
    audience: None = None


class OfferSeen(NamedTuple):
    """The offered card, as ``seat`` knows it: who offers it, and where offers are visible the neighbour."""

    seat: int
    card: str
    audience: frozenset[int]


class OfferRefused(NamedTuple):
    """``to`` does not want to barter, or has left instead; ``seat`` keeps the card."""

    seat: int
    to: int
    audience: None = None


class Bartered(NamedTuple):
    """``seat`` and its neighbour ``to`` gave each other a card."""

    seat: int
    to: int
    audience: None = None


class Swapped(NamedTuple):
    """What ``seat`` gave and got in a barter: each of the two has an event of its own."""

    seat: int
    gave: str
    got: str
    audience: frozenset[int]


class Passed(NamedTuple):
    """``seat`` neither bought nor bartered in its turn."""

    seat: int
    audience: None = None


class Scored(NamedTuple):
    """``seat`` shows a combination and gets points for it (deck_out)."""

    shown: Shown
    points: int
    total: int
    """The seat's points in this hand."""
    audience: None = None


class HandEnded(NamedTuple):
    """The hand is over, and this is how."""

    result: HandResult
    audience: None = None


class WentOut(NamedTuple):
    """These seats cannot pay the ante (or forfeited) and are out, together; they keep their chips."""

    seats: tuple[int, ...]
    forfeit: bool
    audience: None = None


CommerceEvent = (
    HandBegan
    | Paid
    | Dealt
    | CircleBegan
    | Bought
    | Discarded
    | Reshuffled
    | Drew
    | Offered
    | OfferSeen
    | OfferRefused
    | Bartered
    | Swapped
    | Passed
    | Scored
    | HandEnded
    | WentOut
    | MatchEnded
)

Events = tuple[Event, ...]
Stepped = tuple[State, Events]


# ---- the game ------------------------------------------------------------------------------------


class Commerce:
    """The `arena.rules.Game` of Commerce."""

    name = "commerce"
    title = "Commerce"
    players = range(2, 11)
    options: tuple[Option, ...] = OPTIONS
    presets: tuple[Preset, ...] = PRESETS

    def contradiction(self, values: Mapping[str, Value]) -> str | None:
        """Refuses an ante that nobody can pay, and a stock that could never be used up."""
        chips, ante = cast(int, values["chips"]), cast(int, values["ante"])
        if ante > chips:
            return f"ante ({ante}) is above chips ({chips}): nobody could pay it"
        if values["mode"] == "deck_out" and values["discard"] == "bottom":
            return "mode deck_out ends with the stock, which discard bottom would never let end"
        return None

    def start(self, rules: Ruleset, players: int) -> Stepped:
        """Everybody has ``chips``; the first banker is drawn by lot."""
        check_players(rules, players)
        options = Options(**rules.values)  # type: ignore[arg-type]  # the ruleset was checked option by option
        state = State(
            options=options,
            phase="lot",
            hand=0,
            banker=-1,
            chips=(options.chips,) * players,
            pot=0,
            live=tuple(range(players)),
            **_no_hand(players),
            last=None,
            out=(),
            reason=None,
        )
        return state, ()

    def due(self, state: State) -> Draw | None:
        """The lot for the first banker, the deck of a hand, or the discards that become a new stock."""
        if state.phase == "deal":
            return Draw(f"hand/{state.hand}/deck", _DECK_SIZES)
        if state.phase == "reshuffle":
            label = f"hand/{state.hand}/reshuffle/{state.reshuffles + 1}"
            return Draw(label, shuffle_sizes(len(state.discards)))
        return Draw("start/lot", (len(state.chips),)) if state.phase == "lot" else None

    def asked(self, state: State) -> tuple[int, ...]:
        """Whose turn it is, or the neighbour to whom he offers a card."""
        if state.phase == "trading":
            return (state.turn,)
        return (state.offer_to,) if state.phase == "offered" else ()

    def legal(self, state: State, seat: int) -> tuple[Move, ...]:
        """Buys, offers, then pass; or gives, then refuse. Cards in the order of the fresh deck."""
        if seat not in self.asked(state):
            return ()
        hand = state.hands[seat] or ()
        if state.phase == "offered":
            gives = tuple(_GIVE[card] for card in hand)
            return gives if state.options.barter_consent == "forced" else (*gives, REFUSE)
        moves: list[Move] = []
        if _no_buying(state, seat) is None:
            moves += [_BUY[card] for card in hand]
        if not state.offered:
            moves += [_OFFER[card] for card in hand]
        if not moves or state.options.may_pass == "on":  # noqa: S105  # no password
            moves.append(PASS)
        return tuple(moves)

    def refusal(self, state: State, seat: int, move: Move) -> str | None:
        """The rule that stands against ``move``."""
        if seat not in self.asked(state):
            return "it is not this seat's turn"
        kind, card = move
        if kind in WORDS:
            return f"{kind}: it goes without a card" if card else _word_refusal(state, seat, kind)
        if kind not in WITH_CARD:
            return f"{kind!r} is nothing that one can do"
        if state.phase == "offered" and kind != "give":
            return f"{self.write(move)}: a card is offered; give one in return, or refuse"
        if state.phase == "trading" and kind == "give":
            return f"{self.write(move)}: nobody has offered a card"
        if card not in (state.hands[seat] or ()):
            return f"{self.write(move)}: this seat does not hold that card"
        if kind == "buy":
            reason = _no_buying(state, seat)
            return None if reason is None else f"{self.write(move)}: {reason}"
        if kind == "offer" and state.offered:
            return f"{self.write(move)}: there is one offer a turn, and it was refused"
        return None

    def default(self, state: State, seat: int) -> Move:
        """``refuse``, forced ``give``; ``pass``, or where that is illegal ``offer``, or ``buy``: of the first card."""
        lowest = (state.hands[seat] or ("",))[0]
        if state.phase == "offered":
            return _GIVE[lowest] if state.options.barter_consent == "forced" else REFUSE
        if _word_refusal(state, seat, "pass") is None:
            return PASS
        return _BUY[lowest] if state.offered else _OFFER[lowest]

    def step(self, state: State, happening: Happening) -> Stepped:
        """A player buys, offers, answers or passes; somebody leaves; a banker is drawn, or cards are shuffled."""
        match happening:
            case Moved(moves):
                if tuple(sorted(moves)) != self.asked(state):
                    raise RulesError(f"moves of seats {sorted(moves)}, but asked are {list(self.asked(state))}")
                ((seat, move),) = moves.items()
                reason = self.refusal(state, seat, move)
                if reason is not None:
                    raise IllegalMove(reason)
                return _MAKE[move.kind](state, move.card)
            case Left(seats):
                if not seats or not seats <= set(self.asked(state)):
                    raise RulesError(f"seats {sorted(seats)} leave, but asked are {list(self.asked(state))}")
                (seat,) = seats
                return _leave(state, seat)
            case Drawn(got):
                try:
                    return _draw(state, got)
                except ChanceError:
                    raise RulesError(f"no draw that could give {list(got)} is due") from None

    def view(self, state: State, viewer: Viewer) -> View:
        """One's own cards and one's own discards are known, and what was shown to everybody; the rest is counted."""
        everything = viewer.kind == "omniscient"
        seat = viewer.seat if viewer.kind == "seat" else None
        bottom = state.options.discard == "bottom"
        sees_offer = everything or (
            seat is not None
            and (seat == state.turn or (seat == state.offer_to and state.options.offer_visible == "on"))
        )
        return View(
            seat=seat,
            options=state.options,
            phase=state.phase,
            hand=state.hand,
            banker=state.banker if state.banker >= 0 else None,
            circle=state.circle,
            turn=state.turn if state.turn >= 0 else None,
            asked=self.asked(state),
            chips=state.chips,
            pot=state.pot,
            live=state.live,
            hands=tuple(cards if everything or owner == seat else None for owner, cards in enumerate(state.hands)),
            stock=len(state.stock) + (len(state.discards) if bottom else 0),
            discards=tuple(
                discard if everything or discard.seat == seat or discard.shown else Discard(discard.seat, None)
                for discard in state.discards
            ),
            aside=len(state.aside),
            offer=state.offer if sees_offer else None,
            offer_to=state.offer_to if state.offer_to >= 0 else None,
            offered=state.offered,
            traded=state.traded,
            quiet=state.quiet,
            points=state.points,
            last=state.last,
            hidden=Hidden(state.stock, state.aside) if everything else None,
            legal=() if seat is None else self.legal(state, seat),
        )

    def outcome(self, state: State) -> Outcome | None:
        """Those still in by their chips, then who left later before who left earlier."""
        if state.reason is None:
            return None
        by_chips: dict[int, list[int]] = {}
        for seat in state.live:
            by_chips.setdefault(state.chips[seat], []).append(seat)
        still_in = [by_chips[chips] for chips in sorted(by_chips, reverse=True)]
        return Outcome(placed((*still_in, *reversed(state.out)), len(state.chips)), state.reason, state.chips)

    def parse(self, text: str) -> Move:
        """Reads ``buy TD``, ``offer 2C``, ``give AS``, ``refuse``, ``pass``."""
        move = _TEXTS.get(text)
        if move is None:
            raise MoveTextError(
                f"{text[:40]!r} is no move of Commerce: buy C, offer C, give C, refuse, pass, "
                "where C is a card such as TD, the ten of diamonds"
            )
        return move

    def write(self, move: Move) -> str:
        """``buy TD``, ``pass``."""
        return str(move)


_DECK_SIZES = shuffle_sizes(len(FRESH_DECK))
_ORDER = {card: place for place, card in enumerate(FRESH_DECK)}
_BUY, _OFFER, _GIVE = ({card: Move(kind, card) for card in FRESH_DECK} for kind in WITH_CARD)
_TEXTS = WORDS | {f"{move.kind} {move.card}": move for moves in (_BUY, _OFFER, _GIVE) for move in moves.values()}


def _no_buying(state: State, seat: int) -> str | None:
    """Why ``seat`` cannot buy a card; None where it can."""
    if state.chips[seat] < state.options.fee:
        return f"a card costs {state.options.fee}, and this seat has {state.chips[seat]}"
    # under the stock or shuffled into a new one, discards can be bought; but not where the stock is to be used up
    if not state.stock and (state.options.mode == "deck_out" or not state.discards):
        return "there is no card left to take"
    return None


def _word_refusal(state: State, seat: int, word: str) -> str | None:
    """Why ``seat``, which is asked, may not say ``word``; None where it may."""
    if word == "refuse":
        if state.phase != "offered":
            return "refuse: nobody has offered a card"
        return "refuse: this ruleset plays without it" if state.options.barter_consent == "forced" else None
    if state.phase == "offered":
        return "pass: a card is offered; give one in return, or refuse"
    must_trade = state.options.may_pass == "off"  # noqa: S105  # no password
    if must_trade and (not state.offered or _no_buying(state, seat) is None):
        return "pass: only who can neither buy nor offer may pass"
    return None


def _circle(state: State) -> tuple[int, ...]:
    """The seats still in, clockwise from the banker's left; a banker still in is the last."""
    return (
        *(seat for seat in state.live if seat > state.banker),
        *(seat for seat in state.live if seat <= state.banker),
    )


def _sorted(cards: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(cards, key=_ORDER.__getitem__))


def _with_hand(state: State, seat: int, cards: tuple[str, ...] | None) -> tuple[tuple[str, ...] | None, ...]:
    return (*state.hands[:seat], cards, *state.hands[seat + 1 :])


def _pay(state: State, seats: Iterable[int], amount: int, why: Literal["ante", "circle", "tie", "score"]) -> Stepped:
    """Each of ``seats`` pays ``amount`` to the pot, or what it has. It is no event where that is nothing."""
    paying = set(seats)
    paid = tuple(min(amount, own) if seat in paying else 0 for seat, own in enumerate(state.chips))
    chips = tuple(own - less for own, less in zip(state.chips, paid, strict=True))
    pot = state.pot + sum(paid)
    return state._replace(chips=chips, pot=pot), (Paid(why, paid, pot),) if pot > state.pot else ()


# ---- a hand from deal to showdown ----------------------------------------------------------------


def _draw(state: State, got: tuple[int, ...]) -> Stepped:
    """What was due has been drawn."""
    if state.phase == "deal":
        return _deal(state, shuffled(FRESH_DECK, got))
    if state.phase == "reshuffle":
        pile = [cast(str, discard.card) for discard in state.discards]
        stock = shuffled(pile, got)
        made = state._replace(phase="trading", stock=stock, discards=(), reshuffles=state.reshuffles + 1)
        after, events = _take_top(made)
        return after, (Reshuffled(len(stock)), *events)
    if state.phase != "lot" or len(got) != 1 or not 0 <= got[0] < len(state.chips):
        raise ChanceError
    return _begin_hand(state._replace(banker=got[0]), redeal=False)


def _begin_hand(state: State, *, redeal: bool) -> Stepped:
    """Who cannot pay the ante goes out, the others pay, and the deck is to be shuffled. A redeal costs nothing."""
    events: Events = ()
    if not redeal:
        broke = tuple(seat for seat in state.live if state.chips[seat] < state.options.ante)
        if broke:
            state = _take_out(state, broke)
            events = (WentOut(broke, forfeit=False),)
            if len(state.live) <= 1:
                ended, ends = _end(state, "last_left")
                return ended, (*events, *ends)
    banker = state.banker if state.banker in state.live else next_live(state.live, state.banker)
    hand = state.hand + 1
    began = state._replace(phase="deal", hand=hand, banker=banker)
    events = (*events, HandBegan(hand, banker, redeal))
    if redeal:
        return began, events
    paid, pays = _pay(began, began.live, began.options.ante, "ante")
    return paid, (*events, *pays)


def _deal(state: State, deck: tuple[str, ...]) -> Stepped:
    """Three cards each, one at a time from the banker's left; in the pot game a dealt combination is shown at once."""
    order = _circle(state)
    top = deck[::-1]
    hands = list(state.hands)
    for place, seat in enumerate(order):
        hands[seat] = _sorted(top[place : 3 * len(order) : len(order)])
    dealt = state._replace(hands=tuple(hands), stock=deck[: len(deck) - 3 * len(order)])
    deals = tuple(Dealt(seat, cast("tuple[str, ...]", hands[seat]), frozenset((seat,))) for seat in order)
    if state.options.mode == "pot":
        shown = _combinations(dealt)
        if shown:
            after, events = _showdown(dealt, shown)
            return after, (*deals, *events)
    after, events = _begin_circle(dealt)
    return after, (*deals, *events)


def _combinations(state: State) -> tuple[Shown, ...]:
    """Every combination that is held, clockwise from the banker's left."""
    shown = []
    for seat in _circle(state):
        cards = state.hands[seat]
        assert cards is not None
        found = combination(cards)
        if found is not None:
            shown.append(Shown(seat, cards, found))
    return tuple(shown)


def _begin_circle(state: State) -> Stepped:
    """From the second circle of a hand on, everybody adds ``circle_ante``."""
    circle = state.circle + 1
    began = state._replace(circle=circle, traded=False)
    events: Events = (CircleBegan(circle),)
    if circle > 1 and state.options.circle_ante:
        began, pays = _pay(began, began.live, began.options.circle_ante, "circle")
        events = (*events, *pays)
    after, more = _begin_turn(began, _circle(began)[0])
    return after, (*events, *more)


def _begin_turn(state: State, seat: int) -> Stepped:
    """In deck_out the combination that a player holds at the beginning of his turn is scored."""
    turn = state._replace(phase="trading", turn=seat, offer=None, offer_to=-1, offered=False)
    if state.options.mode == "pot":
        return turn, ()
    after, events = _score(turn)
    if after.stock:
        return after, events
    ended, ends = _count_points(after)
    return ended, (*events, *ends)


def _buy(state: State, card: str) -> Stepped:
    """The fee is paid and the card discarded; from an empty stock nothing is taken before the pile is shuffled."""
    seat, options = state.turn, state.options
    to_banker = options.fee_to == "banker" and state.banker in state.live
    chips = list(state.chips)
    chips[seat] -= options.fee
    if to_banker:
        chips[state.banker] += options.fee
    kept = tuple(own for own in state.hands[seat] or () if own != card)
    after = state._replace(
        chips=tuple(chips),
        pot=state.pot if to_banker else state.pot + options.fee,
        hands=_with_hand(state, seat, kept),
        discards=(*state.discards, Discard(seat, card)),
    )
    buys = (Bought(seat, options.fee, state.banker if to_banker else None), Discarded(seat, card, frozenset((seat,))))
    if not state.stock and options.discard == "pile":
        return after._replace(phase="reshuffle"), buys
    taken, events = _take_top(after)
    return taken, (*buys, *events)


def _take_top(state: State) -> Stepped:
    """Whose turn it is takes the top card of the stock, under which (``discard = bottom``) the discards lie."""
    seat = state.turn
    if state.stock:
        card: str | None = state.stock[-1]
        after = state._replace(stock=state.stock[:-1])
    else:
        card = state.discards[0].card
        after = state._replace(discards=state.discards[1:])
    assert card is not None
    hand = _sorted((*(state.hands[seat] or ()), card))
    ended, events = _end_turn(after._replace(hands=_with_hand(after, seat, hand), traded=True))
    return ended, (Drew(seat, card, frozenset((seat,))), *events)


def _offer(state: State, card: str) -> Stepped:
    """The neighbour is asked; the card stays in its owner's hand until he accepts."""
    seat = state.turn
    to = next_live(state.live, seat, clockwise=state.options.barter_side == "left")
    seers = (seat, to) if state.options.offer_visible == "on" else (seat,)
    seen = tuple(OfferSeen(seer, card, frozenset((seer,))) for seer in seers)
    return state._replace(phase="offered", offer=card, offer_to=to, offered=True), (Offered(seat, to), *seen)


def _give(state: State, card: str) -> Stepped:
    """The two cards change hands, and that was the turn."""
    seat, to, offer = state.turn, state.offer_to, state.offer
    assert offer is not None
    mine = _sorted((*(own for own in state.hands[seat] or () if own != offer), card))
    theirs = _sorted((*(own for own in state.hands[to] or () if own != card), offer))
    hands = tuple(mine if s == seat else theirs if s == to else cards for s, cards in enumerate(state.hands))
    after, events = _end_turn(state._replace(hands=hands, traded=True))
    swaps = (Swapped(seat, offer, card, frozenset((seat,))), Swapped(to, card, offer, frozenset((to,))))
    return after, (Bartered(seat, to), *swaps, *events)


def _refuse(state: State, _: str = "") -> Stepped:
    """It is still the same player's turn, but he cannot offer again."""
    after = state._replace(phase="trading", offer=None, offer_to=-1)
    return after, (OfferRefused(state.turn, state.offer_to),)


def _pass(state: State, _: str) -> Stepped:
    """Nothing changes hands."""
    after, events = _end_turn(state)
    return after, (Passed(state.turn), *events)


_MAKE: Mapping[str, Callable[[State, str], Stepped]] = {
    "buy": _buy,
    "offer": _offer,
    "give": _give,
    "refuse": _refuse,
    "pass": _pass,
}


def _end_turn(state: State) -> Stepped:
    """In deck_out a combination is scored, and the hand is over with the last card of the stock."""
    if state.options.mode == "pot":
        return _next_turn(state)
    scored, events = _score(state)
    after, more = _next_turn(scored) if scored.stock else _count_points(scored)
    return after, (*events, *more)


def _next_turn(state: State) -> Stepped:
    """The next player of the circle, or its end; who left is passed over."""
    places = len(state.chips)
    seat = state.turn
    while seat != state.banker:
        seat = (seat + 1) % places
        if seat in state.live:
            return _begin_turn(state, seat)
    return _end_circle(state)


def _end_circle(state: State) -> Stepped:
    """Combinations are shown; without any, another circle begins unless it has been enough."""
    if state.options.mode == "pot":
        shown = _combinations(state)
        if shown:
            return _showdown(state, shown)
    quiet = 0 if state.traded else state.quiet + 1
    if quiet < QUIET_CIRCLES and state.circle < state.options.max_circles:
        return _begin_circle(state._replace(quiet=quiet))
    if state.options.mode == "deck_out":
        return _count_points(state)
    return _end_hand(state, "carried", (), ())


def _showdown(state: State, shown: tuple[Shown, ...]) -> Stepped:
    """The best combination takes the pot; several that are equally good are a tie."""
    best = max(strength(one.combination) for one in shown)
    winners = tuple(one.seat for one in shown if strength(one.combination) == best)
    if len(winners) == 1 or state.options.tie == "banker_left":
        return _end_hand(state, "taken", shown, winners[:1])
    return _end_hand(state, "split" if state.options.tie == "split" else "tied", shown, winners)


# ---- deck_out ------------------------------------------------------------------------------------


def _score(state: State) -> Stepped:
    """As long as whose turn it is holds a combination it is scored and replaced, if the stock allows.

    Afterwards the hand is over if the stock is empty.
    """
    seat, options = state.turn, state.options
    events: list[Event] = []
    while True:
        cards = state.hands[seat]
        found = combination(cards) if cards else None
        if cards is None or found is None:
            return state, tuple(events)
        worth = {"poen": options.points_poen, "terz": options.points_terz, "tricon": options.points_tricon}[found.kind]
        points = tuple(own + worth if s == seat else own for s, own in enumerate(state.points))
        events.append(Scored(Shown(seat, cards, found), worth, points[seat]))
        state, pays = _pay(state, (other for other in state.live if other != seat), options.ante, "score")
        refill = state.stock[-3:][::-1] if len(state.stock) >= 3 else ()
        state = state._replace(
            points=points,
            hands=_with_hand(state, seat, _sorted(refill)),
            stock=state.stock[:-3],
            discards=(*state.discards, *(Discard(seat, card, shown=True) for card in cards)),
        )
        events += pays
        if refill:
            events.append(Dealt(seat, _sorted(refill), frozenset((seat,))))


def _count_points(state: State) -> Stepped:
    """The hand is over: most points take the pot, equal points share it, without points it stays."""
    best = max(state.points[seat] for seat in state.live)
    if best == 0:
        return _end_hand(state, "carried", (), ())
    winners = tuple(seat for seat in _circle(state) if state.points[seat] == best)
    return _end_hand(state, "taken" if len(winners) == 1 else "split", (), winners)


# ---- the end of a hand, of a player, of the match ------------------------------------------------


def _end_hand(
    state: State,
    how: Literal["taken", "split", "tied", "carried"],
    shown: tuple[Shown, ...],
    winners: tuple[int, ...],
) -> Stepped:
    """The pot goes to the winners, unless they are tied; then the next hand begins, or the match ends."""
    share = 0 if how in ("tied", "carried") else state.pot // len(winners)
    gains = tuple(share if seat in winners else 0 for seat in range(len(state.chips)))
    pot = state.pot - sum(gains)
    result = HandResult(state.hand, how, shown, winners, gains, state.points, pot)
    after = _cleared(state)._replace(
        chips=tuple(own + gain for own, gain in zip(state.chips, gains, strict=True)),
        pot=pot,
        # whoever took the whole pot deals
        banker=winners[0] if how == "taken" else state.banker,
        last=result,
    )
    events: Events = (HandEnded(result),)
    if how == "tied" and state.options.tie_topup != "none":
        everybody = state.options.tie_topup == "all"
        payers = [seat for seat in after.live if everybody or seat not in winners]
        after, pays = _pay(after, payers, after.options.ante, "tie")
        events = (*events, *pays)
    if state.hand >= (state.options.hands if state.options.end == "hands" else HAND_LIMIT):
        ended, more = _end(after, "hands")
    else:
        ended, more = _begin_hand(after, redeal=how == "tied")
    return ended, (*events, *more)


def _leave(state: State, seat: int) -> Stepped:
    """A forfeit: the cards lie aside and the chips leave the game; the hand goes on with the others."""
    aside = _sorted((*state.aside, *(state.hands[seat] or ())))
    points = tuple(0 if s == seat else own for s, own in enumerate(state.points))
    after = _take_out(state, (seat,))._replace(aside=aside, points=points)
    went = WentOut((seat,), forfeit=True)
    if len(after.live) <= 1:
        ended, events = _end(after, "last_left")
    elif state.phase == "offered":
        ended, events = _refuse(after)
    else:
        ended, events = _next_turn(after)
    return ended, (went, *events)


def _take_out(state: State, seats: tuple[int, ...]) -> State:
    return state._replace(
        live=tuple(seat for seat in state.live if seat not in seats),
        hands=tuple(None if seat in seats else cards for seat, cards in enumerate(state.hands)),
        out=(*state.out, seats),
    )


def _cleared(state: State) -> State:
    """All cards are gathered in; nothing of the hand is left."""
    return state._replace(**_no_hand(len(state.chips)))


def _no_hand(players: int) -> dict[str, Any]:
    """The fields of a state that tell of a hand, where none is played."""
    return {
        "circle": 0,
        "turn": -1,
        "hands": (None,) * players,
        "stock": (),
        "discards": (),
        "aside": (),
        "offer": None,
        "offer_to": -1,
        "offered": False,
        "traded": False,
        "quiet": 0,
        "reshuffles": 0,
        "points": (0,) * players,
    }


def _end(state: State, reason: str) -> Stepped:
    over = _cleared(state)._replace(phase="over", reason=reason)
    outcome = GAME.outcome(over)
    assert outcome is not None
    return over, (MatchEnded(outcome),)


GAME = Commerce()
