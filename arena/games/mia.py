"""Mia: two dice under a cup that goes round; each announces more than the one before, true or not, until one doubts.

The rules are those of the Russian description of the game ("Миа: правила игры в кости на блеф");
``docs/rules/mia.md`` has them exactly. A value is what a roll is called: the larger die, then the smaller
one (``65``); where mixed rolls are worth their sum, ``9p`` is nine points.
"""
# ruff: noqa: S105  # passing the cup on is no password

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Literal, NamedTuple

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

MIA = "21"
"""The highest value, whatever the options."""

OPTIONS = (
    Option("lives", 6, "lives that everybody starts with", low=1, high=20),
    Option(
        "end",
        "first_out",
        "the match ends with the first player who has lost all lives, or with the last one who has any",
        ("first_out", "last_standing"),
    ),
    Option(
        "raise_rule",
        "higher",
        "after a roll one announces more than the last announcement, or at least as much (then pass is off)",
        ("higher", "at_least"),
    ),
    Option(
        "pass",
        "same_or_higher",
        "may one hand the cup on unrolled, announcing the same value or a higher one, only the same, or not at all?",
        ("same_or_higher", "same_only", "off"),
    ),
    Option(
        "pass_return",
        "raise_or_challenge",
        "a cup that comes back to who first named the present value may not be passed on with that value, or may",
        ("raise_or_challenge", "free"),
    ),
    Option("doubles", "descending", "66 is the highest double, or 11 is", ("descending", "ascending")),
    Option("little_mia", "off", "is 31 the second highest value?", ("off", "on")),
    Option(
        "joker_32",
        "none",
        "32 is a roll like any other; or the highest below Mia (and the little Mia); "
        "or whoever announces it turns the direction of play",
        ("none", "third_best", "reverse"),
    ),
    Option("mixed", "digits", "31 to 65 are worth their digits, or the sum of the dice", ("digits", "sum")),
    Option("mia_concede", 1, "lives lost by who gives in to an announced Mia without looking", low=1, high=20),
    Option("mia_wrong_look", 2, "lives lost by who looks at an announced Mia and finds one", low=1, high=20),
    Option("mia_liar", 1, "lives lost by who announced a Mia that is none, when one looks", low=1, high=2),
    Option(
        "must_beat_actual",
        "off",
        "on a challenge, must the dice also be above the announcement that stood when they were rolled?",
        ("off", "on"),
    ),
    Option("blind", "allowed", "may one roll and announce without looking?", ("allowed", "forbidden")),
    Option(
        "first_starter",
        "die_roll",
        "the first round is started by the highest of a die each, by lot, or by seat 0",
        ("die_roll", "lot", "seat"),
    ),
    Option(
        "next_starter",
        "after_loser",
        "the next round is started by the next player after who lost, by who lost, or by the other one of the two",
        ("after_loser", "loser", "challenge_winner"),
    ),
    Option(
        "penalty",
        "life",
        "one loses lives; or one takes sips, nobody goes out, and after some rounds the fewest sips win",
        ("life", "sip"),
    ),
    Option("rounds", 20, "rounds of a match with sips", low=1, high=1_000_000),
    Option(
        "max_announcements",
        200,
        "after so many announcements in a round the next player must challenge",
        low=1,
        high=1_000_000,
    ),
)

PRESETS = (
    Preset("classic", "the game as it is described: the first to lose all lives loses"),
    Preset("ladder", "until one player is left", {"end": "last_standing"}),
    Preset("meyer", "the Danish way: 31 is the little Mia", {"little_mia": "on", "end": "last_standing"}),
    Preset("sum", "mixed rolls are worth their sum", {"mixed": "sum", "end": "last_standing"}),
    Preset("no-pass", "believe or doubt, nothing else", {"pass": "off", "end": "last_standing"}),
    Preset("double-or-nothing", "a false Mia costs two lives", {"mia_liar": 2, "end": "last_standing"}),
)


class Options(NamedTuple):
    """The values of a ruleset, named and in the order of `OPTIONS`; ``pass`` is a word of Python, hence ``pass_``."""

    lives: int
    end: str
    raise_rule: str
    pass_: str
    pass_return: str
    doubles: str
    little_mia: str
    joker_32: str
    mixed: str
    mia_concede: int
    mia_wrong_look: int
    mia_liar: int
    must_beat_actual: str
    blind: str
    first_starter: str
    next_starter: str
    penalty: str
    rounds: int
    max_announcements: int


def options_of(values: Mapping[str, Value]) -> Options:
    """The values of a ruleset, named."""
    return Options._make(values[option.name] for option in OPTIONS)


class Move(NamedTuple):
    """``say V`` or ``pass V``; or, without a value, ``roll``, ``roll blind``, ``challenge``, ``concede``, ``look``."""

    kind: str
    value: str = ""

    def __str__(self) -> str:
        """Its text, as in records."""
        return f"{self.kind} {self.value}" if self.value else self.kind


ROLL, ROLL_BLIND, CHALLENGE = Move("roll"), Move("roll blind"), Move("challenge")
CONCEDE, LOOK = Move("concede"), Move("look")
WORDS = {m.kind: m for m in (ROLL, ROLL_BLIND, CHALLENGE, CONCEDE, LOOK)}
VALUED = ("say", "pass")

Phase = Literal["starting", "opening", "rolling", "announcing", "answering", "mia", "over"]
"""Dice or the lot find the first starter; the starter must roll; dice are falling; who rolled must announce;
the next player believes, passes or challenges; the next player answers a Mia; the match is over."""

Dice = tuple[int, int]
"""Two dice, the larger one first."""


class Showdown(NamedTuple):
    """How a round ended."""

    round: int
    how: str
    """``challenge``, ``look`` or ``concede``."""
    ender: int
    """Who challenged, looked or conceded."""
    announcer: int
    """Who answered for the cup."""
    announced: str
    """The last announcement."""
    roller: int
    """Who rolled the dice."""
    looked: bool
    """Did he look at them?"""
    to_beat: str | None
    """The announcement that stood when he rolled; None for the first roll of the round."""
    claim: str
    """What he announced."""
    dice: Dice | None
    """What lay under the cup; None when somebody conceded, for then nobody sees them."""
    loser: int
    lives: int
    """Lives that he lost; 0 where penalties are sips."""
    sips: int
    """Sips that he took; 0 where penalties are lives."""

    @property
    def hard(self) -> bool:
        """Was a Mia in it? Where penalties are drinks, such a one is a hard one."""
        return self.how != "challenge"


class State(NamedTuple):
    """A position, complete. Seats that are out stay in every tuple, with 0 lives."""

    options: Options
    phase: Phase
    round: int
    starter: int
    turn: int
    """Who holds the cup or must answer; -1 while the first starter is being found, and at the end."""
    clockwise: bool
    """The direction of play."""
    lives: tuple[int, ...]
    """Lives left. Nobody loses any where penalties are sips."""
    sips: tuple[int, ...]
    """Penalties taken; all 0 where they are lives."""
    live: tuple[int, ...]
    """The seats still in, ascending."""
    contenders: tuple[int, ...]
    """Who rolls a die for the first start; empty afterwards."""
    rolls: int
    """Rolls of this round; before the first round, roll-offs for the start."""
    roller: int
    """Who rolled these dice; -1 before the first roll."""
    dice: Dice | None
    """What lies under the cup."""
    seen: tuple[int, ...]
    """Who has seen these very dice: the one who rolled them, or nobody."""
    to_beat: str | None
    """The announcement that stood when these dice were rolled; None for the first roll of the round."""
    claim: str | None
    """What was announced by who rolled these dice."""
    announced: str | None
    """The last announcement of this round."""
    announcer: int
    """Who made it, and so answers for the cup; -1 before."""
    namer: int
    """Who first named the present value; -1 before."""
    announcements: int
    """How many there were in this round."""
    last: Showdown | None
    """The round before this one, unless it was broken off."""
    out: tuple[tuple[int, ...], ...]
    """Who left the match, in order of leaving."""
    reason: str | None


class View(NamedTuple):
    """What one viewer knows of a position."""

    seat: int | None
    """The viewer's own seat; None for who has none."""
    options: Options
    phase: Phase
    round: int
    starter: int | None
    turn: int | None
    asked: tuple[int, ...]
    clockwise: bool
    lives: tuple[int, ...]
    sips: tuple[int, ...]
    live: tuple[int, ...]
    roller: int | None
    dice: Dice | None
    """What lies under the cup, for who has seen it."""
    seen: tuple[int, ...]
    """Who has seen these very dice: everybody sees who looks."""
    to_beat: str | None
    claim: str | None
    announced: str | None
    announcer: int | None
    namer: int | None
    announcements: int
    last: Showdown | None
    legal: tuple[Move, ...]
    """The viewer's own legal moves, when he is asked."""


# ---- events --------------------------------------------------------------------------------------


class StartRolled(NamedTuple):
    """Each of ``seats`` rolled a die for the start; the highest starts, ties roll again."""

    seats: tuple[int, ...]
    dice: tuple[int, ...]
    audience: None = None


class RoundBegan(NamedTuple):
    """``starter`` takes the cup."""

    round: int
    starter: int
    audience: None = None


class Acted(NamedTuple):
    """``seat`` rolled, announced, passed, challenged, conceded or looked, for all to see and hear."""

    seat: int
    move: Move
    audience: None = None


class Saw(NamedTuple):
    """``seat`` looked at what it rolled: known to that seat alone."""

    seat: int
    dice: Dice
    audience: frozenset[int]


class Turned(NamedTuple):
    """32 was announced: this is the direction of play from now on."""

    clockwise: bool
    audience: None = None


class RoundEnded(NamedTuple):
    """The round is over, and this is how. The cup is lifted for all to see, but not when somebody conceded."""

    showdown: Showdown
    audience: None = None


class RoundBroken(NamedTuple):
    """``seat`` left in the middle of a round: the dice stay hidden and nobody loses anything."""

    round: int
    seat: int
    audience: None = None


class WentOut(NamedTuple):
    """These seats have no lives any more (or forfeited) and are out."""

    seats: tuple[int, ...]
    forfeit: bool
    audience: None = None


MiaEvent = StartRolled | RoundBegan | Acted | Saw | Turned | RoundEnded | RoundBroken | WentOut | MatchEnded

Stepped = tuple[State, tuple[Event, ...]]


# ---- what rolls are called, and how they rank ----------------------------------------------------

ROLLS: tuple[Dice, ...] = tuple((max(a, b), min(a, b)) for a in range(1, 7) for b in range(1, 7))
"""The 36 ways in which two dice can fall, each as likely as the others."""

DIGITS = tuple(dict.fromkeys(f"{high}{low}" for high, low in ROLLS))
SUMS = tuple(f"{points}p" for points in range(4, 12))
VALUES = (*DIGITS, *SUMS)
"""Everything that is a value under some ruleset."""

MOVES = {
    f"{move.kind} {move.value}".rstrip(): move
    for move in (*WORDS.values(), *(Move(kind, value) for kind in VALUED for value in VALUES))
}
"""Every move, by its text."""


class Ranking(NamedTuple):
    """The values of a ruleset."""

    values: tuple[str, ...]
    """All that can be announced, the lowest first."""
    rank: Mapping[str, int]
    """The place of a value among them, from 0."""
    called: Mapping[Dice, str]
    """The value of each roll."""
    says: tuple[Move, ...]
    """``say`` with each value, the lowest first."""
    passes: tuple[Move, ...]
    """``pass`` with each value, the lowest first."""


def ranking(options: Options) -> Ranking:
    """How the rolls are called and rank under these options."""
    return _ranking(options.doubles, options.little_mia, options.joker_32, options.mixed)


@cache
def _ranking(doubles: str, little_mia: str, joker_32: str, mixed: str) -> Ranking:
    special = [MIA, *(["31"] if little_mia == "on" else []), *(["32"] if joker_32 == "third_best" else [])]

    def called(dice: Dice) -> str:
        high, low = dice
        digits = f"{high}{low}"
        return f"{high + low}p" if mixed == "sum" and high != low and digits not in special else digits

    pairs = [f"{n}{n}" for n in range(1, 7)]
    # sums by their points, digits as a number: both are read off the text
    others = {called(dice) for dice in ROLLS} - {*special, *pairs}
    values = (
        *sorted(others, key=lambda value: int(value.removesuffix("p"))),
        *(pairs if doubles == "descending" else reversed(pairs)),
        *reversed(special),
    )
    return Ranking(
        values=values,
        rank={value: rank for rank, value in enumerate(values)},
        called={dice: called(dice) for dice in ROLLS},
        says=tuple(Move("say", value) for value in values),
        passes=tuple(Move("pass", value) for value in values),
    )


def bears_out(options: Options, dice: Dice, announced: str, to_beat: str | None) -> bool:
    """Would these dice win a challenge for who announced ``announced``, having been rolled against ``to_beat``?"""
    _, rank, called, *_ = ranking(options)
    shown = rank[called[dice]]
    if options.must_beat_actual == "on" and to_beat is not None and shown <= rank[to_beat]:
        return False
    return shown >= rank[announced]


def lowest_say(options: Options, announced: str | None) -> int:
    """The rank of the lowest value that can be announced after a roll, where ``announced`` stands."""
    if announced is None:
        return 0
    rank = ranking(options).rank[announced]
    return rank if options.raise_rule == "at_least" else rank + 1


# ---- the game ------------------------------------------------------------------------------------


class Mia:
    """The `arena.rules.Game` of Mia."""

    name = "mia"
    title = "Mia"
    players = range(2, 11)
    options: tuple[Option, ...] = OPTIONS
    presets: tuple[Preset, ...] = PRESETS

    def contradiction(self, values: Mapping[str, Value]) -> str | None:
        """Refuses passing where the same value may be announced again, and a joker that is no announcement."""
        if values["raise_rule"] == "at_least" and values["pass"] != "off":
            return f"raise_rule = at_least allows no pass = {values['pass']}: the same value is announced after a roll"
        if values["mixed"] == "sum" and values["joker_32"] == "reverse":
            return "mixed = sum allows no joker_32 = reverse: 32 is announced as 5 points, like 41"
        return None

    def start(self, rules: Ruleset, players: int) -> Stepped:
        """Everybody has all lives; the first starter is rolled for, drawn, or is seat 0."""
        check_players(rules, players)
        options = options_of(rules.values)
        seats = tuple(range(players))
        state = State(
            options=options,
            phase="starting",
            round=0,
            starter=-1,
            turn=-1,
            clockwise=True,
            lives=(options.lives,) * players,
            sips=(0,) * players,
            live=seats,
            contenders=seats if options.first_starter == "die_roll" else (),
            rolls=0,
            roller=-1,
            dice=None,
            seen=(),
            to_beat=None,
            claim=None,
            announced=None,
            announcer=-1,
            namer=-1,
            announcements=0,
            last=None,
            out=(),
            reason=None,
        )
        return _begin_round(state, 0) if options.first_starter == "seat" else (state, ())

    def due(self, state: State) -> Draw | None:
        """The dice under the cup; before the first round a die for each contender, or the lot."""
        if state.phase == "rolling":
            return Draw(f"round/{state.round}/roll/{state.rolls + 1}", (6, 6))
        if state.phase != "starting":
            return None
        if state.contenders:
            return Draw(f"start/die/{state.rolls + 1}", (6,) * len(state.contenders))
        return Draw("start/lot", (len(state.lives),))

    def asked(self, state: State) -> tuple[int, ...]:
        """Whose turn it is, unless dice are falling."""
        return () if state.phase in _NOBODY_ASKED else (state.turn,)

    def legal(self, state: State, seat: int) -> tuple[Move, ...]:
        """``roll``, ``roll blind``, ``challenge``, passes from the lowest up; or what the moment asks for."""
        phase, options = state.phase, state.options
        if seat != state.turn or phase in _NOBODY_ASKED:
            return ()
        if phase == "mia":
            return (CONCEDE, LOOK)
        rolls = (ROLL, ROLL_BLIND) if options.blind == "allowed" else (ROLL,)
        if phase == "opening":
            return rolls
        _, _, _, says, passes = ranking(options)
        if phase == "announcing":
            return says[lowest_say(state.options, state.announced) :]
        if state.announcements >= options.max_announcements:
            return (CHALLENGE,)
        lowest, highest = _passes(state, seat)
        return (*rolls, CHALLENGE, *passes[lowest : highest + 1])

    def refusal(self, state: State, seat: int, move: Move) -> str | None:
        """The rule that stands against ``move``."""
        if seat not in self.asked(state):
            return "it is not this seat's turn"
        kind, value = move
        text = self.write(move)
        if MOVES.get(text) != move:
            return f"{text!r} is nothing that one can do"
        options, phase = state.options, state.phase
        if phase == "mia":
            return None if kind in ("concede", "look") else f"{text}: a Mia was announced; concede or look"
        if kind in ("concede", "look"):
            return f"{text}: that is for an announced Mia"
        if phase == "announcing":
            return _say_refusal(state, value) if kind == "say" else f"{text}: the dice have fallen; say a value"
        if kind == "say":
            return f"{text}: roll first"
        if phase == "answering" and state.announcements >= options.max_announcements and kind != "challenge":
            return f"{text}: after {state.announcements} announcements one can only challenge"
        if kind == "roll blind" and options.blind == "forbidden":
            return f"{text}: this ruleset plays without it"
        if phase == "opening" and kind in ("challenge", "pass"):
            return f"{text}: the round begins with a roll"
        return _pass_refusal(state, seat, value) if kind == "pass" else None

    def default(self, state: State, seat: int) -> Move:
        """``roll`` to open a round, then the lowest ``say``; ``challenge``, or after a Mia ``concede``."""
        if state.phase == "announcing":
            return ranking(state.options).says[lowest_say(state.options, state.announced)]
        return {"opening": ROLL, "mia": CONCEDE}.get(state.phase, CHALLENGE)

    def step(self, state: State, happening: Happening) -> Stepped:
        """Somebody acts (which may end the round), dice fall, or somebody leaves."""
        match happening:
            case Moved(moves):
                if tuple(moves) != self.asked(state):
                    raise RulesError(f"moves of seats {sorted(moves)}, but asked are {list(self.asked(state))}")
                move = moves[state.turn]
                reason = self.refusal(state, state.turn, move)
                if reason is not None:
                    raise IllegalMove(reason)
                return _act(state, move)
            case Left(seats):
                if not seats or not seats <= set(self.asked(state)):
                    raise RulesError(f"seats {sorted(seats)} leave, but asked are {list(self.asked(state))}")
                return _leave(state)
            case Drawn(got):
                due = self.due(state)
                sizes = () if due is None else due.sizes
                if not sizes or len(got) != len(sizes) or not all(0 <= g < n for g, n in zip(got, sizes, strict=True)):
                    raise RulesError(f"no draw that could give {list(got)} is due")
                return _fall(state, got) if state.phase == "rolling" else _find_starter(state, got)

    def view(self, state: State, viewer: Viewer) -> View:
        """The dice are known to who has looked at them; that he has looked, to everybody."""
        return View(
            seat=viewer.seat if viewer.kind == "seat" else None,
            options=state.options,
            phase=state.phase,
            round=state.round,
            starter=_or_none(state.starter),
            turn=_or_none(state.turn),
            asked=self.asked(state),
            clockwise=state.clockwise,
            lives=state.lives,
            sips=state.sips,
            live=state.live,
            roller=_or_none(state.roller),
            dice=state.dice if viewer.kind == "omniscient" or viewer.seat in state.seen else None,
            seen=state.seen,
            to_beat=state.to_beat,
            claim=state.claim,
            announced=state.announced,
            announcer=_or_none(state.announcer),
            namer=_or_none(state.namer),
            announcements=state.announcements,
            last=state.last,
            legal=self.legal(state, viewer.seat) if viewer.kind == "seat" else (),
        )

    def outcome(self, state: State) -> Outcome | None:
        """Those still in by their lives (or sips), then who left later before who left earlier."""
        if state.reason is None:
            return None
        sips = state.options.penalty == "sip"
        scores = state.sips if sips else state.lives
        by_score: dict[int, list[int]] = {}
        for seat in state.live:
            by_score.setdefault(scores[seat], []).append(seat)
        still_in = [by_score[score] for score in sorted(by_score, reverse=not sips)]
        return Outcome(placed((*still_in, *reversed(state.out)), len(scores)), state.reason, scores)

    def parse(self, text: str) -> Move:
        """Reads ``roll``, ``roll blind``, ``say 65``, ``challenge``, ``pass 65``, ``concede``, ``look``."""
        move = MOVES.get(text)
        if move is None:
            kinds = ", ".join((*(f"{kind} V" for kind in VALUED), *WORDS))
            raise MoveTextError(f"{text[:40]!r} is no move of Mia: {kinds}; V is a value like 65, or 9p for a sum")
        return move

    def write(self, move: Move) -> str:
        """``say 65``, ``roll``."""
        return str(move)


_NOBODY_ASKED = ("rolling", "starting", "over")


def _or_none(seat: int) -> int | None:
    return seat if seat >= 0 else None


def _passes(state: State, seat: int) -> tuple[int, int]:
    """The ranks of the lowest and the highest value with which ``seat`` can pass; lowest > highest: with none."""
    options, (values, ranks, *_) = state.options, ranking(state.options)
    if options.pass_ == "off" or state.announced is None:
        return 1, 0
    rank = ranks[state.announced]
    named = options.pass_return == "raise_or_challenge" and seat == state.namer
    return rank + 1 if named else rank, rank if options.pass_ == "same_only" else len(values) - 1


def _value_refusal(state: State, kind: str, value: str) -> str | None:
    """Why ``value`` is none of this ruleset; None where it is one."""
    _, rank, called, *_ = ranking(state.options)
    if value in rank:
        return None
    if value in SUMS:
        why = "is played with digits" if state.options.mixed == "digits" else "calls these rolls by their digits"
        return f"{kind} {value}: this ruleset {why}"
    return f"{kind} {value}: this ruleset calls it {called[int(value[0]), int(value[1])]}"


def _say_refusal(state: State, value: str) -> str | None:
    reason = _value_refusal(state, "say", value)
    if reason is None and ranking(state.options).rank[value] < lowest_say(state.options, state.announced):
        least = "at least" if state.options.raise_rule == "at_least" else "above"
        return f"say {value}: it must be {least} {state.announced}"
    return reason


def _pass_refusal(state: State, seat: int, value: str) -> str | None:
    if state.options.pass_ == "off":
        return f"pass {value}: this ruleset plays without it"
    reason = _value_refusal(state, "pass", value)
    if reason is not None:
        return reason
    rank = ranking(state.options).rank[value]
    lowest, highest = _passes(state, seat)
    if value == state.announced and rank < lowest:
        raising = ", pass it on with a higher value" if lowest <= highest else ""
        return f"pass {value}: this seat was the first to say {value}; roll{raising} or challenge"
    if rank < lowest:
        return f"pass {value}: it must be at least {state.announced}"
    if rank > highest:
        return f"pass {value}: the cup is passed on with {state.announced} or not at all"
    return None


def _find_starter(state: State, got: tuple[int, ...]) -> Stepped:
    """The lot has fallen, or everybody who still can start has rolled a die."""
    if not state.contenders:
        return _begin_round(state, got[0])
    rolled = StartRolled(state.contenders, tuple(die + 1 for die in got))
    best = max(got)
    tied = tuple(seat for seat, die in zip(state.contenders, got, strict=True) if die == best)
    if len(tied) > 1:
        return state._replace(contenders=tied, rolls=state.rolls + 1), (rolled,)
    begun, events = _begin_round(state, tied[0])
    return begun, (rolled, *events)


def _begin_round(state: State, starter: int) -> Stepped:
    begun = state._replace(
        phase="opening",
        round=state.round + 1,
        starter=starter,
        turn=starter,
        contenders=(),
        rolls=0,
        roller=-1,
        dice=None,
        seen=(),
        to_beat=None,
        claim=None,
        announced=None,
        announcer=-1,
        namer=-1,
        announcements=0,
    )
    return begun, (RoundBegan(begun.round, starter),)


def _act(state: State, move: Move) -> Stepped:
    seat = state.turn
    after: State
    events: tuple[Event, ...]
    if move.kind in VALUED:
        after, events = _announce(state, move)
    elif move.kind in ("roll", "roll blind"):
        seen = (seat,) if move.kind == "roll" else ()
        # nobody will ever know what lay there; what was announced of it is what the new dice have to beat
        after = state._replace(phase="rolling", roller=seat, dice=None, seen=seen, to_beat=state.announced, claim=None)
        events = ()
    else:
        after, events = _end_round(state, move.kind)
    return after, (Acted(seat, move), *events)


def _fall(state: State, got: tuple[int, ...]) -> Stepped:
    one, other = got[0] + 1, got[1] + 1
    dice = (one, other) if one >= other else (other, one)
    saw = tuple(Saw(seat, dice, frozenset((seat,))) for seat in state.seen)
    return state._replace(phase="announcing", dice=dice, rolls=state.rolls + 1), saw


def _announce(state: State, move: Move) -> Stepped:
    """``say`` or ``pass``: whoever says it answers for the cup, and the next player must respond."""
    seat, (kind, value) = state.turn, move
    turns = value == "32" and state.options.joker_32 == "reverse"
    clockwise = state.clockwise != turns
    after = state._replace(
        phase="mia" if value == MIA else "answering",
        turn=next_live(state.live, seat, clockwise=clockwise),
        clockwise=clockwise,
        claim=value if kind == "say" else state.claim,
        announced=value,
        announcer=seat,
        namer=state.namer if value == state.announced else seat,
        announcements=state.announcements + 1,
    )
    return after, (Turned(clockwise),) if turns else ()


def _end_round(state: State, how: str) -> Stepped:
    """A challenge, or a Mia answered: who loses, how much, and what that leads to."""
    options, ender, announcer = state.options, state.turn, state.announcer
    assert state.announced is not None
    assert state.claim is not None
    assert state.dice is not None
    if how == "concede":
        loser, price = ender, options.mia_concede
    elif how == "look":
        loser, price = (ender, options.mia_wrong_look) if state.dice == (2, 1) else (announcer, options.mia_liar)
    else:
        true = bears_out(options, state.dice, state.announced, state.to_beat)
        loser, price = ender if true else announcer, 1
    sips = options.penalty == "sip"
    showdown = Showdown(
        round=state.round,
        how=how,
        ender=ender,
        announcer=announcer,
        announced=state.announced,
        roller=state.roller,
        looked=state.roller in state.seen,
        to_beat=state.to_beat,
        claim=state.claim,
        dice=None if how == "concede" else state.dice,
        loser=loser,
        lives=0 if sips else min(price, state.lives[loser]),
        sips=price if sips else 0,
    )
    after, events = _settle(state, showdown)
    return after, (RoundEnded(showdown), *events)


def _settle(state: State, showdown: Showdown) -> Stepped:
    """The penalty is taken, the loser may go out, and the match ends or the next round begins."""
    options, loser = state.options, showdown.loser
    if options.penalty == "sip":
        after = state._replace(sips=_changed(state.sips, loser, state.sips[loser] + showdown.sips), last=showdown)
        return _go_on(after, _next_starter(after, showdown))
    left = state.lives[loser] - showdown.lives
    after = state._replace(lives=_changed(state.lives, loser, left), last=showdown)
    if left:
        return _go_on(after, _next_starter(after, showdown))
    after = _take_out(after, loser)
    went = WentOut((loser,), forfeit=False)
    if options.end == "first_out":
        ended, events = _end(after, "first_out")
    elif len(after.live) <= 1:
        ended, events = _end(after, "last_left")
    else:
        ended, events = _go_on(after, _next_starter(after, showdown))
    return ended, (went, *events)


def _next_starter(state: State, showdown: Showdown) -> int:
    loser, next_starter = showdown.loser, state.options.next_starter
    if next_starter == "challenge_winner":
        return showdown.announcer if loser == showdown.ender else showdown.ender
    if next_starter == "loser" and loser in state.live:
        return loser
    return next_live(state.live, loser, clockwise=state.clockwise)


def _leave(state: State) -> Stepped:
    """A forfeit of whose turn it is: the round is broken off without a penalty for anybody else."""
    seat = state.turn
    after = _take_out(state._replace(lives=_changed(state.lives, seat, 0), last=None), seat)
    went, broken = WentOut((seat,), forfeit=True), RoundBroken(state.round, seat)
    if len(after.live) <= 1:
        ended, events = _end(after, "last_left")
    else:
        ended, events = _go_on(after, next_live(after.live, seat, clockwise=after.clockwise))
    return ended, (went, broken, *events)


def _changed(values: tuple[int, ...], seat: int, value: int) -> tuple[int, ...]:
    return (*values[:seat], value, *values[seat + 1 :])


def _take_out(state: State, seat: int) -> State:
    return state._replace(live=tuple(s for s in state.live if s != seat), out=(*state.out, (seat,)))


def _go_on(state: State, starter: int) -> Stepped:
    """After a round: end by the limit of rounds, which sips have, or begin the next round."""
    if state.options.penalty == "sip" and state.round >= state.options.rounds:
        return _end(state, "rounds")
    return _begin_round(state, starter)


def _end(state: State, reason: str) -> Stepped:
    over = state._replace(phase="over", turn=-1, dice=None, seen=(), reason=reason)
    outcome = GAME.outcome(over)
    assert outcome is not None
    return over, (MatchEnded(outcome),)


GAME = Mia()
