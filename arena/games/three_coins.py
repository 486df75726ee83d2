"""Three Coins (Milan Spoof): everybody hides some of his coins in a fist, then the table bids on the total.

The rules are those of the Ukrainian description of the game ("Міланський Спуф, або Три Монетки");
``docs/rules/three_coins.md`` has them exactly. In the names below: T is the number of coins that the
players still in own together, N the number of coins hidden in all fists, b the last bid.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, cast

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

HIGHEST_BID = 99
"""The highest bid there is, whatever the coins in play (``max_bid = none``)."""

OPTIONS = (
    Option("start_coins", 3, "coins that everybody starts with", low=1, high=9),
    Option("coin_cap", 3, "the most coins a player can own; not below start_coins", low=1, high=9),
    Option("cliff", "on", "may one say cliff (the last bid is exactly the total)?", ("on", "off")),
    Option("zero", "on", "may one say zero (all fists are empty)?", ("on", "off")),
    Option("max", "on", "may one say max (every coin is in a fist)?", ("on", "off")),
    Option("max_bid", "in_play", "bids go up to the coins in play, or up to 99", ("in_play", "none")),
    Option("first_bid_min", 1, "the lowest first bid of a round", low=0, high=1),
    Option(
        "zero_when",
        "not_spoken",
        "zero is for a player who has said nothing this round, or only for the one who opens it",
        ("not_spoken", "opening_only"),
    ),
    Option(
        "max_when",
        "any",
        "max is for any turn of one's own, or for a player who has said nothing this round",
        ("any", "not_spoken"),
    ),
    Option("first_starter", "lot", "the first round is started by lot, or by seat 0", ("lot", "seat")),
    Option(
        "next_starter",
        "ender",
        "the next round is started by who ended the bidding, or by who alone lost a coin",
        ("ender", "loser"),
    ),
    Option(
        "objective",
        "last_left",
        "the last player with coins wins, or the first without: then only a right call, cliff, zero or max "
        "moves a coin, its speaker's to the pot",
        ("last_left", "first_empty"),
    ),
    Option("max_rounds", 200, "after so many rounds the match ends, ranked by coins", low=1, high=1_000_000),
    Option(
        "stall_rounds",
        20,
        "after so many rounds in a row in which no coin moved the match ends, ranked by coins",
        low=1,
        high=1_000_000,
    ),
)

PRESETS = (
    Preset("classic", "the game as it is described: three coins, every call"),
    Preset("call-only", "without cliff, zero and max", {"cliff": "off", "zero": "off", "max": "off"}),
    Preset("duel", "classic for exactly two", players=range(2, 3)),
)


class Options(NamedTuple):
    """The values of a ruleset, named; see `OPTIONS`."""

    start_coins: int
    coin_cap: int
    cliff: str
    zero: str
    max: str
    max_bid: str
    first_bid_min: int
    zero_when: str
    max_when: str
    first_starter: str
    next_starter: str
    objective: str
    max_rounds: int
    stall_rounds: int


class Move(NamedTuple):
    """``hide N``, ``bid N``, or one of the words ``call``, ``cliff``, ``zero``, ``max`` (number is then 0)."""

    kind: str
    number: int = 0

    def __str__(self) -> str:
        """Its text, as in records."""
        return f"{self.kind} {self.number}" if self.kind in NUMBERED else self.kind


CALL, CLIFF, ZERO, MAX = Move("call"), Move("cliff"), Move("zero"), Move("max")
NUMBERED = ("hide", "bid")
WORDS = {m.kind: m for m in (CALL, CLIFF, ZERO, MAX)}

Phase = Literal["lot", "hiding", "bidding", "over"]


class Said(NamedTuple):
    """What ``seat`` said aloud in a round."""

    seat: int
    move: Move


class Showdown(NamedTuple):
    """How a round ended: the fists are open."""

    round: int
    hands: tuple[int | None, ...]
    """Coins in each seat's fist; None for seats that were out."""
    total: int
    said: tuple[Said, ...]
    """All that was said; the last of it ended the bidding."""
    right: bool
    """Was who ended the bidding right?"""
    changes: tuple[int, ...]
    """Coins won (+) or lost (-) by each seat."""
    pot: int
    """Coins in the pot afterwards."""


class State(NamedTuple):
    """A position, complete. Seats that are out stay in every tuple, with 0 coins."""

    options: Options
    phase: Phase
    round: int
    starter: int
    turn: int
    """Who speaks, while the phase is bidding; else -1."""
    coins: tuple[int, ...]
    pot: int
    live: tuple[int, ...]
    """The seats still in, ascending."""
    hands: tuple[int | None, ...]
    """The fists of this round, once everybody has hidden; None for seats that are out."""
    said: tuple[Said, ...]
    bid: int | None
    bidder: int | None
    last: Showdown | None
    """The round before this one, unless it was broken off."""
    still: int
    """Rounds in a row in which no coin moved."""
    out: tuple[tuple[int, ...], ...]
    """Who left the match, in order of leaving; a group left together."""
    reason: str | None


class View(NamedTuple):
    """What one viewer knows of a position. A fist that he may not see, and one of a seat that is out, is None."""

    seat: int | None
    """The viewer's own seat; None for who has none."""
    options: Options
    phase: Phase
    round: int
    starter: int | None
    turn: int | None
    asked: tuple[int, ...]
    coins: tuple[int, ...]
    pot: int
    in_play: int
    """T: the coins of all players still in."""
    live: tuple[int, ...]
    hands: tuple[int | None, ...]
    bid: int | None
    bidder: int | None
    said: tuple[Said, ...]
    last: Showdown | None
    legal: tuple[Move, ...]
    """The viewer's own legal moves, when he is asked."""


# ---- events --------------------------------------------------------------------------------------


class RoundBegan(NamedTuple):
    """Everybody hides coins; then ``starter`` speaks first."""

    round: int
    starter: int
    audience: None = None


class Hid(NamedTuple):
    """``seat`` put ``coins`` in its fist: known to that seat alone."""

    seat: int
    coins: int
    audience: frozenset[int]


class FistsClosed(NamedTuple):
    """All of ``seats`` have hidden their coins; ``starter`` opens the bidding."""

    seats: tuple[int, ...]
    starter: int
    audience: None = None


class Spoke(NamedTuple):
    """``seat`` bid, called, or said one of the other words, aloud."""

    seat: int
    move: Move
    audience: None = None


class FistsOpened(NamedTuple):
    """The bidding has ended, and this is how."""

    showdown: Showdown
    audience: None = None


class RoundBroken(NamedTuple):
    """``seat`` left in the middle of the bidding: the fists stay closed and no other coin moves."""

    round: int
    seat: int
    audience: None = None


class WentOut(NamedTuple):
    """These seats have no coins any more (or forfeited) and are out, together."""

    seats: tuple[int, ...]
    forfeit: bool
    audience: None = None


ThreeCoinsEvent = RoundBegan | Hid | FistsClosed | Spoke | FistsOpened | RoundBroken | WentOut | MatchEnded

Stepped = tuple[State, tuple[Event, ...]]


# ---- the game ------------------------------------------------------------------------------------


class ThreeCoins:
    """The `arena.rules.Game` of Three Coins."""

    name = "three_coins"
    title = "Three Coins"
    players = range(2, 11)
    options: tuple[Option, ...] = OPTIONS
    presets: tuple[Preset, ...] = PRESETS

    def contradiction(self, values: Mapping[str, Value]) -> str | None:
        """Refuses a cap below the start."""
        start, cap = cast(int, values["start_coins"]), cast(int, values["coin_cap"])
        if cap < start:
            return f"coin_cap ({cap}) is below start_coins ({start}): nobody may own what everybody starts with"
        return None

    def start(self, rules: Ruleset, players: int) -> Stepped:
        """Everybody has ``start_coins``; the first starter is drawn, or is seat 0."""
        check_players(rules, players)
        options = Options(**rules.values)  # type: ignore[arg-type]  # the ruleset was checked option by option
        state = State(
            options=options,
            phase="lot",
            round=0,
            starter=-1,
            turn=-1,
            coins=(options.start_coins,) * players,
            pot=0,
            live=tuple(range(players)),
            hands=(None,) * players,
            said=(),
            bid=None,
            bidder=None,
            last=None,
            still=0,
            out=(),
            reason=None,
        )
        return (state, ()) if options.first_starter == "lot" else _begin_round(state, 0)

    def due(self, state: State) -> Draw | None:
        """The lot for the first starter."""
        return Draw("start/lot", (len(state.coins),)) if state.phase == "lot" else None

    def asked(self, state: State) -> tuple[int, ...]:
        """Everybody still in while hiding, then one at a time."""
        if state.phase == "bidding":
            return (state.turn,)
        return state.live if state.phase == "hiding" else ()

    def legal(self, state: State, seat: int) -> tuple[Move, ...]:
        """Hides from 0 up; else bids from the lowest up, then the words."""
        if state.phase == "hiding" and seat in state.live:
            return _HIDES[: state.coins[seat] + 1]
        if state.phase != "bidding" or seat != state.turn:
            return ()
        words = [word for word in WORDS.values() if _word_refusal(state, seat, word.kind) is None]
        return (*_BIDS[_lowest_bid(state) : _highest_bid(state) + 1], *words)

    def refusal(self, state: State, seat: int, move: Move) -> str | None:
        """The rule that stands against ``move``."""
        if seat not in self.asked(state):
            return "it is not this seat's turn"
        kind, number = move
        if state.phase == "hiding":
            if kind != "hide":
                return f"{self.write(move)}: coins are being hidden now; say hide N"
            if not 0 <= number <= state.coins[seat]:
                return f"hide {number}: this seat owns {state.coins[seat]}"
            return None
        if kind == "hide":
            return f"hide {number}: the fists are closed; bid, or end the bidding"
        if kind != "bid":
            return _word_refusal(state, seat, kind)
        lowest, highest = _lowest_bid(state), _highest_bid(state)
        if number < lowest:
            return f"bid {number}: " + (
                f"the first bid is at least {lowest}" if state.bid is None else f"it must be above {state.bid}"
            )
        if number > highest:
            return f"bid {number}: " + (
                f"only {highest} coins are in play"
                if state.options.max_bid == "in_play"
                else f"no bid goes above {HIGHEST_BID}"
            )
        return None

    def default(self, state: State, seat: int) -> Move:
        """``hide 0``; ``call``, or without a bid the lowest one."""
        if state.phase == "hiding":
            return _HIDES[0]
        return CALL if state.bid is not None else _BIDS[_lowest_bid(state)]

    def step(self, state: State, happening: Happening) -> Stepped:
        """Fists close, somebody speaks (which may open them), somebody leaves, or the lot falls."""
        match happening:
            case Moved(moves):
                if tuple(sorted(moves)) != self.asked(state):
                    raise RulesError(f"moves of seats {sorted(moves)}, but asked are {list(self.asked(state))}")
                for seat, move in moves.items():
                    reason = self.refusal(state, seat, move)
                    if reason is not None:
                        raise IllegalMove(reason)
                return _hide(state, moves) if state.phase == "hiding" else _speak(state, moves[state.turn])
            case Left(seats):
                if not seats or not seats <= set(self.asked(state)):
                    raise RulesError(f"seats {sorted(seats)} leave, but asked are {list(self.asked(state))}")
                return _leave(state, seats)
            case Drawn(got):
                if state.phase != "lot" or len(got) != 1 or not 0 <= got[0] < len(state.coins):
                    raise RulesError(f"no draw that could give {list(got)} is due")
                return _begin_round(state, got[0])

    def view(self, state: State, viewer: Viewer) -> View:
        """One's own fist is known once it is closed; the others' when they open."""
        if viewer.kind == "omniscient":
            hands = state.hands
        else:
            hands = tuple(hand if seat == viewer.seat else None for seat, hand in enumerate(state.hands))
        return View(
            seat=viewer.seat if viewer.kind == "seat" else None,
            options=state.options,
            phase=state.phase,
            round=state.round,
            starter=state.starter if state.starter >= 0 else None,
            turn=state.turn if state.turn >= 0 else None,
            asked=self.asked(state),
            coins=state.coins,
            pot=state.pot,
            in_play=sum(state.coins),
            live=state.live,
            hands=hands,
            bid=state.bid,
            bidder=state.bidder,
            said=state.said,
            last=state.last,
            legal=self.legal(state, viewer.seat) if viewer.kind == "seat" else (),
        )

    def outcome(self, state: State) -> Outcome | None:
        """Those still in by their coins, then who left later before who left earlier."""
        if state.reason is None:
            return None
        fewest_first = state.options.objective == "first_empty"
        by_coins: dict[int, list[int]] = {}
        for seat in state.live:
            by_coins.setdefault(state.coins[seat], []).append(seat)
        still_in = [by_coins[coins] for coins in sorted(by_coins, reverse=not fewest_first)]
        return Outcome(placed((*still_in, *reversed(state.out)), len(state.coins)), state.reason, state.coins)

    def parse(self, text: str) -> Move:
        """Reads ``hide 2``, ``bid 7``, ``call``, ``cliff``, ``zero``, ``max``."""
        if text in WORDS:
            return WORDS[text]
        kind, space, number = text.partition(" ")
        if kind in NUMBERED and space and number.isascii() and number.isdecimal() and len(number) <= 9:
            move = Move(kind, int(number))
            if self.write(move) == text:
                return move
        raise MoveTextError(f"{text[:40]!r} is no move of Three Coins: hide N, bid N, {', '.join(WORDS)}")

    def write(self, move: Move) -> str:
        """``hide 2``, ``bid 7``, ``call``."""
        return str(move)


_HIDES = tuple(Move("hide", n) for n in range(10))
_BIDS = tuple(Move("bid", n) for n in range(HIGHEST_BID + 1))


def _lowest_bid(state: State) -> int:
    return state.options.first_bid_min if state.bid is None else state.bid + 1


def _highest_bid(state: State) -> int:
    return sum(state.coins) if state.options.max_bid == "in_play" else HIGHEST_BID


def _word_refusal(state: State, seat: int, word: str) -> str | None:
    """Why ``word`` may not be said by ``seat``, whose turn it is; None where it may."""
    options = state.options
    if word not in WORDS:
        return f"{word!r} is nothing that one can say"
    if word == "call":
        return None if state.bid is not None else "call: there is no bid yet"
    if getattr(options, word) == "off":
        return f"{word}: this ruleset plays without it"
    if word == "cliff":
        return None if state.bid is not None else "cliff: there is no bid yet"
    when = options.zero_when if word == "zero" else options.max_when
    if when == "opening_only" and state.said:
        return f"{word}: only who opens the round may say it"
    if when == "not_spoken" and any(said.seat == seat for said in state.said):
        return f"{word}: only who has said nothing this round may say it"
    return None


def _begin_round(state: State, starter: int) -> Stepped:
    begun = state._replace(
        phase="hiding",
        round=state.round + 1,
        starter=starter,
        turn=-1,
        hands=(None,) * len(state.coins),
        said=(),
        bid=None,
        bidder=None,
    )
    return begun, (RoundBegan(begun.round, starter),)


def _hide(state: State, moves: Mapping[int, Move]) -> Stepped:
    hands = tuple(moves[seat].number if seat in moves else None for seat in range(len(state.coins)))
    hid = tuple(Hid(seat, moves[seat].number, frozenset((seat,))) for seat in state.live)
    closed = state._replace(phase="bidding", turn=state.starter, hands=hands)
    return closed, (*hid, FistsClosed(state.live, state.starter))


def _speak(state: State, move: Move) -> Stepped:
    seat = state.turn
    said = (*state.said, Said(seat, move))
    spoke = Spoke(seat, move)
    if move.kind == "bid":
        turn = next_live(state.live, seat)
        return state._replace(said=said, bid=move.number, bidder=seat, turn=turn), (spoke,)
    showdown = _open_fists(state, seat, move.kind, said)
    after, events = _settle(state, seat, showdown)
    return after, (spoke, FistsOpened(showdown), *events)


def _open_fists(state: State, ender: int, word: str, said: tuple[Said, ...]) -> Showdown:
    """Who was right, and which coins move for it."""
    total = sum(hand or 0 for hand in state.hands)
    right = {
        "call": state.bid is not None and total < state.bid,
        "cliff": total == state.bid,
        "zero": total == 0,
        "max": total == sum(state.coins),
    }[word]
    changes = [0] * len(state.coins)
    if state.options.objective == "first_empty":
        changes[ender] = -1 if right else 0
    elif not right:
        # a call is wrong against its caller, like every other wrong word
        changes[ender] = -1
    elif word == "call" and state.bidder is not None:
        changes[state.bidder] = -1
    elif word == "cliff":
        changes[ender] = 1 if state.coins[ender] < state.options.coin_cap else 0
    elif word == "zero":
        for other in state.live:
            changes[other] = 0 if other == ender else -1
    # where the cap lies above the start, a won coin can come from the bank: the pot never goes below nothing
    pot = max(0, state.pot - sum(changes))
    return Showdown(state.round, state.hands, total, said, right, tuple(changes), pot)


def _settle(state: State, ender: int, showdown: Showdown) -> Stepped:
    """Coins move, players go out, and the match ends or the next round begins."""
    coins = tuple(own + change for own, change in zip(state.coins, showdown.changes, strict=True))
    still = 0 if any(showdown.changes) else state.still + 1
    after = state._replace(coins=coins, pot=showdown.pot, last=showdown, still=still)
    if state.options.objective == "first_empty":
        if 0 in (coins[seat] for seat in state.live):
            return _end(after, "first_empty")
        return _go_on(after, _next_starter(after, ender, showdown))
    broke = tuple(seat for seat in state.live if coins[seat] == 0)
    if not broke:
        return _go_on(after, _next_starter(after, ender, showdown))
    after = _take_out(after, broke)
    went = WentOut(broke, forfeit=False)
    if len(after.live) <= 1:
        ended, events = _end(after, "last_left")
    else:
        ended, events = _go_on(after, _next_starter(after, ender, showdown))
    return ended, (went, *events)


def _next_starter(state: State, ender: int, showdown: Showdown) -> int:
    losers = [seat for seat, change in enumerate(showdown.changes) if change < 0]
    first = losers[0] if state.options.next_starter == "loser" and len(losers) == 1 else ender
    return first if first in state.live else next_live(state.live, first)


def _leave(state: State, seats: frozenset[int]) -> Stepped:
    """A forfeit: the coins go to the pot; bidding is broken off, hiding goes on without them."""
    left = tuple(sorted(seats))
    pot = state.pot + sum(state.coins[seat] for seat in left)
    coins = tuple(0 if seat in seats else own for seat, own in enumerate(state.coins))
    after = _take_out(state._replace(coins=coins, pot=pot), left)
    went = WentOut(left, forfeit=True)
    if state.phase == "bidding":
        broken = RoundBroken(state.round, state.turn)
        # a broken round counts as one in which a coin moved
        after = after._replace(still=0, last=None)
        if len(after.live) <= 1:
            ended, events = _end(after, "last_left")
        else:
            ended, events = _go_on(after, next_live(after.live, state.turn))
        return ended, (went, broken, *events)
    if len(after.live) <= 1:
        ended, events = _end(after, "last_left")
        return ended, (went, *events)
    starter = after.starter if after.starter in after.live else next_live(after.live, after.starter)
    return after._replace(starter=starter), (went,)


def _take_out(state: State, seats: tuple[int, ...]) -> State:
    return state._replace(live=tuple(s for s in state.live if s not in seats), out=(*state.out, seats))


def _go_on(state: State, starter: int) -> Stepped:
    """After a round: end by one of the two limits, or begin the next round."""
    if state.round >= state.options.max_rounds:
        return _end(state, "max_rounds")
    if state.still >= state.options.stall_rounds:
        return _end(state, "stall_rounds")
    return _begin_round(state, starter)


def _end(state: State, reason: str) -> Stepped:
    over = state._replace(phase="over", turn=-1, hands=(None,) * len(state.coins), reason=reason)
    outcome = GAME.outcome(over)
    assert outcome is not None
    return over, (MatchEnded(outcome),)


GAME = ThreeCoins()
