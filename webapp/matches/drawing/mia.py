"""Mia on the felt, and its signature picture, the ladder of lies.

Everything here is drawn from what one viewer saw, and from names: dice lie under the cup, or beside an
announcement, only where the viewer's own views had them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from arena.games.mia import (
    GAME,
    MIA,
    ROLLS,
    SUMS,
    VALUED,
    Acted,
    Dice,
    Options,
    RoundBegan,
    RoundBroken,
    RoundEnded,
    Showdown,
    StartRolled,
    View,
    WentOut,
    options_of,
    ranking,
)
from arena.rules import Event, Outcome, ruleset
from arena.verify import Frame
from webapp.matches.drawing import felt, graph
from webapp.matches.drawing.graph import CANVASES, STRIP_FLOOR, STRIP_TOP, Canvas, climb, cross, mark
from webapp.matches.drawing.svg import Svg, el, picture, short, words
from webapp.matches.drawing.telling import Told, winners, won


class Said(NamedTuple):
    """An announcement, by who rolled or by who passed the cup on."""

    seat: int
    passed: bool
    value: str
    roll: int
    """The roll of the round that lay under the cup."""
    looked: bool
    """Had who said it seen these dice? Everybody sees that."""
    dice: Dice | None
    """As far as the viewer knows."""


class Round(NamedTuple):
    """A round as far as the viewer has seen it."""

    number: int
    said: tuple[Said, ...] = ()
    end: Showdown | None = None
    left: int | None = None
    """Who broke it off by leaving."""

    @property
    def over(self) -> bool:
        return self.end is not None or self.left is not None

    @property
    def dice(self) -> Dice | None:
        """What lay under the cup at its end, as far as the viewer knows."""
        return self.said[-1].dice if self.end is not None else None


def rounds(seen: Iterable[Frame]) -> tuple[Round, ...]:
    """The rounds of what was seen. When a cup is lifted, all that was said of its dice is known."""
    found: list[Round] = []
    rolls = 0
    for frame in seen:
        view: View = frame.view
        for event in frame.events:
            match event:
                case RoundBegan(number):
                    found.append(Round(number))
                    rolls = 0
                case _ if not found:  # of the round before the first that is looked at
                    pass
                case Acted(_seat, move) if move.kind.startswith("roll"):
                    rolls += 1
                case Acted(seat, move) if move.kind in VALUED:
                    said = Said(seat, move.kind == "pass", move.value, rolls, seat in view.seen, view.dice)
                    found[-1] = found[-1]._replace(said=(*found[-1].said, said))
                case RoundEnded(showdown):
                    found[-1] = _lifted(found[-1]._replace(end=showdown), rolls)
                case RoundBroken(_number, seat):
                    found[-1] = found[-1]._replace(left=seat)
    return tuple(found)


def _lifted(round_: Round, roll: int) -> Round:
    dice = round_.end.dice if round_.end is not None else None
    if dice is None:
        return round_
    return round_._replace(said=tuple(one._replace(dice=dice) if one.roll == roll else one for one in round_.said))


def shown(seen: Sequence[Frame]) -> Round:
    """The round that a table looks at: the one in progress, or the one that this very step has ended."""
    ended = any(isinstance(event, RoundEnded | RoundBroken) for event in seen[-1].events)
    for index in range(len(seen) - 1 - ended, -1, -1):
        if any(isinstance(event, RoundBegan) for event in seen[index].events):
            return next(one for one in rounds(seen[index:]) if one.over or not ended)
    return Round(0)


def truth_of(options: Options, said: Said) -> str | None:
    """What an announcement was: ``unseen`` where the dice had not been looked at; None where it is not known."""
    if not said.looked:
        return "unseen"
    if said.dice is None:
        return None
    return "true" if _above(options, said) <= 0 else "bluff"


def _above(options: Options, said: Said) -> int:
    """By how many steps the announcement is above its dice."""
    _values, rank, called, *_ = ranking(options)
    assert said.dice is not None
    return rank[said.value] - rank[called[said.dice]]


def reach(options: Options, value: str) -> int:
    """How many of the 36 rolls are this value or a higher one."""
    _values, rank, called, *_ = ranking(options)
    return sum(rank[called[dice]] >= rank[value] for dice in ROLLS)


# ---- words ---------------------------------------------------------------------------------------


def spoken(value: str) -> str:
    """A value as one says it."""
    if value == MIA:
        return _("Mia")
    if value not in SUMS:
        return value
    points = int(value.removesuffix("p"))
    return ngettext("%(n)d point", "%(n)d points", points) % {"n": points}


def brief(value: str) -> str:
    """A value where there is little room."""
    return _("Mia") if value == MIA else value


def digits(dice: Dice) -> str:
    """Dice as they lie."""
    return "{}{}".format(*dice)


def fallen(dice: Dice) -> str:
    """Dice as one says it, by their digits, whatever they are worth."""
    return brief(digits(dice))


def percent(ways: int) -> str:
    """A share of the 36 rolls."""
    return _("%(n)d %%") % {"n": round(100 * ways / 36)}


def lost(showdown: Showdown) -> str:
    """What the loser of a round has lost, or drunk."""
    if showdown.lives:
        return ngettext("−%(n)d life", "−%(n)d lives", showdown.lives) % {"n": showdown.lives}
    if showdown.hard:
        return ngettext("+%(n)d hard sip", "+%(n)d hard sips", showdown.sips) % {"n": showdown.sips}
    return ngettext("+%(n)d sip", "+%(n)d sips", showdown.sips) % {"n": showdown.sips}


def _sips(number: int) -> str:
    return ngettext("%(n)d sip", "%(n)d sips", number) % {"n": number} if number else _("no sips")


def heading(event: Event, names: Sequence[str]) -> str | None:
    """The title of a round."""
    if isinstance(event, RoundBegan):
        return _("Round %(round)d") % {"round": event.round}
    return None


def part(number: int) -> str:
    """What a round is called within a sentence."""
    return _("round %(round)d") % {"round": number}


def truth(view: View, event: Event) -> str | None:
    """What ``event`` was, for a viewer whose view after it is ``view``."""
    if not isinstance(event, Acted):
        return None
    if event.move.kind in VALUED:
        said = Said(event.seat, event.move.kind == "pass", event.move.value, 0, event.seat in view.seen, view.dice)
        return truth_of(view.options, said)
    if event.move.kind in ("challenge", "look") and view.last is not None:
        return "wrong" if view.last.loser == event.seat else "right"
    return "given" if event.move.kind == "concede" else None


def _case(showdown: Showdown) -> str:
    """Which sentence tells how a round ended."""
    if showdown.how == "concede" or showdown.dice is None:
        return "concede"
    right = showdown.loser != showdown.ender
    if showdown.how == "look":
        return "look right" if right else "look wrong"
    if not right:
        return "wrong"
    high, low = showdown.dice
    if showdown.announced in (f"{high}{low}", f"{high + low}p"):
        return "level"  # the dice are what was said, and had to be more
    return "bluff" if showdown.looked and showdown.roller == showdown.announcer else "unseen"


_ENDED = {
    "bluff": gettext_noop("%(who)s calls %(other)s's bluff on %(value)s"),
    "unseen": gettext_noop("%(who)s doubts %(other)s's %(value)s, rightly: %(dice)s"),
    "level": gettext_noop("%(who)s doubts %(other)s's %(value)s, which had to be beaten"),
    "wrong": gettext_noop("%(who)s doubts %(other)s's %(value)s, wrongly: %(dice)s"),
    "look right": gettext_noop("%(who)s looks at %(other)s's Mia: it is %(dice)s"),
    "look wrong": gettext_noop("%(who)s looks at %(other)s's Mia, and it is one"),
    "concede": gettext_noop("%(who)s gives in to %(other)s's Mia"),
}

_HAD_ENDED = {
    "bluff": gettext_noop("called %(other)s's bluff on %(value)s"),
    "unseen": gettext_noop("doubted %(other)s's %(value)s over %(dice)s"),
    "level": gettext_noop("doubted %(other)s's %(value)s, which had to be beaten"),
    "wrong": gettext_noop("doubted %(other)s's %(value)s, wrongly"),
    "look right": gettext_noop("looked at %(other)s's Mia, and it was %(dice)s"),
    "look wrong": gettext_noop("looked at %(other)s's Mia, and it was one"),
    "concede": gettext_noop("gave in to %(other)s's Mia"),
}


def _ended(showdown: Showdown, names: Sequence[str]) -> str:
    """How a round was ended, and on what."""
    return _(_ENDED[_case(showdown)]) % _told_of(showdown, names)


def _told_of(showdown: Showdown, names: Sequence[str]) -> dict[str, str]:
    return {
        "who": names[showdown.ender],
        "other": names[showdown.announcer],
        "value": spoken(showdown.announced),
        "dice": fallen(showdown.dice) if showdown.dice is not None else "",
    }


def _had_ended(showdown: Showdown, names: Sequence[str], *, own: bool) -> str:
    """The same of a match, looking back; ``own``: after the name of who ended the round."""
    how = _(_HAD_ENDED[_case(showdown)]) % _told_of(showdown, names)
    return how if own else _("%(who)s %(how)s") % {"who": names[showdown.ender], "how": how}


def result(view: View, outcome: Outcome, names: Sequence[str]) -> str:
    """Who won, and how, in one line. ``view`` is one of the end."""
    first, last = winners(outcome), view.last
    if outcome.reason == "rounds":
        sips = _sips(outcome.scores[first[0]])
        ended = ngettext("%(sips)s after %(n)d round", "%(sips)s after %(n)d rounds", view.round)
        return won(outcome, names, ended % {"sips": sips, "n": view.round})
    if last is None or last.round != view.round:
        return won(outcome, names, _("nobody else was left at the table"))
    how = _had_ended(last, names, own=first == [last.ender])
    if outcome.reason == "first_out" and len(view.lives) > 2:
        lives = outcome.scores[first[0]]
        left = ngettext("%(n)d life left", "%(n)d lives left", lives) % {"n": lives}
        told = {"left": left, "how": how}
        how = (_("%(how)s, with %(left)s") if first == [last.ender] else _("%(left)s when %(how)s")) % told
    return won(outcome, names, how)


def summary(event: Event, names: Sequence[str]) -> str | None:
    """A round in a line, from the event that ended it; None for any other event."""
    if isinstance(event, RoundEnded):
        return _ended(event.showdown, names)
    if isinstance(event, RoundBroken):
        return _("%(who)s leaves, and the dice stay hidden") % {"who": names[event.seat]}
    return None


def caption(seen: Sequence[Frame], names: Sequence[str]) -> str:
    """What the table looks like now, in a line: for those who do not see it, and under the title."""
    for event in seen[-1].events:
        if (line := summary(event, names)) is not None:
            return line
    view: View = seen[-1].view
    if view.phase == "starting":
        by_lot = view.options.first_starter == "lot"
        return _("The lot decides who starts") if by_lot else _("A die each decides who starts")
    who = names[view.turn] if view.turn is not None else ""
    told = {"who": who, "round": view.round, "dice": fallen(view.dice) if view.dice is not None else ""}
    if view.phase in ("answering", "mia"):
        return _announced(view, shown(seen).said[-1], names)
    if view.phase == "over":
        return _("The match is over")
    if view.phase == "opening":
        line = _("Round %(round)d: %(who)s takes the cup")
    elif view.phase == "rolling":
        line = _("%(who)s rolls") if view.seen else _("%(who)s rolls blind")
    elif not view.seen:
        line = _("%(who)s does not look")
    else:
        line = _("%(who)s has looked") if view.dice is None else _("%(who)s has looked: %(dice)s")
    return line % told


def _announced(view: View, said: Said, names: Sequence[str]) -> str:
    told = {
        "who": names[said.seat],
        "value": spoken(said.value),
        "dice": fallen(said.dice) if said.dice is not None else "",
    }
    line = (_("%(who)s passes at %(value)s") if said.passed else _("%(who)s says %(value)s")) % told
    judged = {
        "true": _("%(line)s over %(dice)s: true"),
        "bluff": _("%(line)s over %(dice)s: a bluff"),
        "unseen": _("%(line)s without looking") if said.dice is None else _("%(line)s without looking, over %(dice)s"),
        None: "%(line)s",
    }[truth_of(view.options, said)]
    return judged % (told | {"line": line})


# ---- the story -----------------------------------------------------------------------------------


def joins(frame: Frame) -> bool:
    """Somebody rolls, the dice fall, and he announces: that is one line."""
    view: View = frame.view
    if any(isinstance(event, Acted) for event in frame.events):
        return any(isinstance(event, Acted) and event.move.kind == "say" for event in frame.events)
    return view.phase == "announcing"


def told(frames: Sequence[Frame], names: Sequence[str]) -> Told | None:
    """``mirror rolls 43, says 65``; ``honest passes at 65``."""
    acted = [event for frame in frames for event in frame.events if isinstance(event, Acted)]
    if not acted or acted[0].move.kind not in (*VALUED, "roll", "roll blind"):
        return None
    view: View = frames[-1].view
    said = next((event.move for event in acted if event.move.kind in VALUED), None)
    value = spoken(said.value) if said is not None else ""
    who = {"who": names[acted[0].seat], "value": value}
    if acted[0].move.kind == "pass":
        return Told(_("%(who)s passes at %(value)s") % who)
    if acted[0].move.kind == "say":
        return Told(_("%(who)s says %(value)s") % who)
    blind = acted[0].move.kind == "roll blind"
    if view.dice is not None:
        line = _("%(who)s rolls %(dice)s blind") if blind else _("%(who)s rolls %(dice)s")
        line %= who | {"dice": fallen(view.dice)}
    else:
        line = (_("%(who)s rolls blind") if blind else _("%(who)s rolls")) % who
    if said is not None:
        line = _("%(line)s, says %(value)s") % (who | {"line": line})
    return Told(line)


# ---- the felt ------------------------------------------------------------------------------------


def table(seen: Sequence[Frame], names: Sequence[str], shape: str) -> Svg:
    """The felt as this viewer sees it."""
    view: View = seen[-1].view
    first, players = view.seat or 0, len(view.lives)
    layout = (
        felt.wide(players, first, across=180 if players > 6 else 168, rise=180, near=109, near_many=109)
        if shape == "wide"
        else felt.tall(players, first, step=134, near=78, above=36, below=164)
    )
    look = shown(seen)
    out = felt.went_out(seen, WentOut, lambda event: event.round if isinstance(event, RoundBegan) else None)
    parts = felt.rim(layout)
    parts += [_seat(view, look, out, seat, layout, names[seat]) for seat in range(players)]
    parts += _starting_dice(seen[-1], layout)
    parts += [_cup(view, look, layout), *_under_the_cup(view, look, layout.x, layout.y)]
    if look.said and (look.over or view.phase in ("answering", "mia")):
        said = look.said[-1]
        text = brief(said.value)
        place = layout.places[said.seat]
        width = 68 if len(text) < 3 else 26 + 14.5 * len(text)
        parts.append(felt.bubble(place.inner_x, place.inner_y, width, 44, place.x, place.y + 14, text))
    top, height = layout.top, layout.height
    if view.options.joker_32 == "reverse":
        if shape == "tall":
            top, height = top - 26, height + 26
        at = top + (24 if shape == "tall" else height - 14)
        parts += [words(14, at, _direction(view), "f-soft", "start"), *_arrows(layout, view)]
    return picture(layout.width, height, caption(seen, names), parts, f"table table-{shape}", top=top)


def _direction(view: View) -> str:
    return _("↻ play goes clockwise") if view.clockwise else _("↺ play goes counterclockwise")


def _arrows(layout: felt.Layout, view: View) -> list[Svg]:
    """On the edge of the table: which way play goes."""
    if layout.shape == "tall":
        return []
    arrows = []
    for angle in (-0.75 * math.pi, 0.25 * math.pi):
        x, y = layout.x + 226 * math.cos(angle), layout.y + 12 + 112 * math.sin(angle)
        turn = math.degrees(math.atan2(112 * math.cos(angle), -226 * math.sin(angle))) + (0 if view.clockwise else 180)
        turned = f"translate({x:.1f} {y:.1f}) rotate({turn:.0f})"
        arrows.append(el("path", d="M-6 -7l8 7l-8 7", transform=turned, class_="arrow"))
    return arrows


def _seat(view: View, look: Round, out: Mapping[int, int], seat: int, layout: felt.Layout, name: str) -> Svg:
    place = layout.places[seat]
    plays = seat in view.live or out.get(seat) == look.number
    if view.options.penalty == "sip":
        owns = words(place.x, place.y + 18, _sips(view.sips[seat]), "f-count")
    else:
        gone = look.end.lives if look.end is not None and look.end.loser == seat else 0
        owns = felt.dots(place.x, place.y + 13, view.lives[seat], -gone, view.options.lives)
    acts = not look.over and view.turn == seat
    return felt.seat(layout, seat, name, owns, _standing(view, look, out, seat), acts=acts, plays=plays)


def _standing(view: View, look: Round, out: Mapping[int, int], seat: int) -> felt.Standing:
    """The line under a seat's lives."""
    if look.end is not None and seat in (look.end.ender, look.end.loser):
        return _after(look.end, seat, out=seat in out)
    if seat in out:
        return felt.Standing(_("out") if look.left == seat else _("out in round %(n)d") % {"n": out[seat]})
    if view.turn == seat and not look.over:
        return felt.Standing(_to_act(view), "f-brass")
    said = next((one for one in reversed(look.said) if one.seat == seat), None)
    if said is None:
        return felt.Standing()
    value = {"value": brief(said.value)}
    if said.passed and not said.looked:
        return felt.Standing(_("passed at %(value)s") % value)
    line = (_("passed at %(value)s") if said.passed else _("said %(value)s")) % value
    judged = {
        "true": felt.Standing(_("%(line)s · true"), "f-true"),
        "bluff": felt.Standing(_("%(line)s · bluff"), "f-bluff"),
        "unseen": felt.Standing(_("%(line)s, unseen")),
        None: felt.Standing("%(line)s"),
    }[truth_of(view.options, said)]
    return judged._replace(text=judged.text % {"line": line})


def _after(end: Showdown, seat: int, *, out: bool) -> felt.Standing:
    """How a round went for who ended it, or who lost it."""
    what = lost(end)
    if out:
        return felt.Standing(_("out, %(lost)s") % {"lost": what}, "f-soft f-new")
    if seat != end.ender:
        return felt.Standing(what, "f-soft f-new")
    did = {"challenge": _("doubted"), "look": _("looked"), "concede": _("gave in")}[end.how]
    if end.loser == seat:
        return felt.Standing(_("%(did)s, %(lost)s") % {"did": did, "lost": what}, "f-soft f-new")
    return felt.Standing(_("%(did)s: right") % {"did": did}, "f-soft f-new")


def _to_act(view: View) -> str:
    if view.phase == "rolling":
        return _("rolls") if view.seen else _("rolls blind")
    if view.phase == "announcing":
        return _("looked, to announce") if view.seen else _("blind, to announce")
    return {"opening": _("to roll"), "mia": _("looks or gives in?")}.get(view.phase, _("believes or doubts?"))


def _starting_dice(frame: Frame, layout: felt.Layout) -> list[Svg]:
    """A die each, for the first start."""
    rolled = [event for event in frame.events if isinstance(event, StartRolled)]
    return [
        _die(layout.places[seat].inner_x, layout.places[seat].inner_y, die, turn=9 * (seat % 3 - 1))
        for event in rolled
        for seat, die in zip(event.seats, event.dice, strict=True)
    ]


def _known(view: View, look: Round) -> Dice | None:
    """What lies under the cup, or lay there, as far as the viewer knows."""
    return look.dice if look.over else view.dice


def _cup(view: View, look: Round, layout: felt.Layout) -> Svg:
    """Lifted, or closed with the dice shining through where the viewer knows them, or empty."""
    x, y = layout.x, layout.y
    if view.phase == "starting":
        return Svg()
    dice = _known(view, look)
    if look.end is not None and look.end.dice is not None:
        # to the side where nobody speaks
        side = 1 if layout.places[look.end.announcer].inner_x < x - 1 else -1
        return el(
            "g",
            el(
                "g",
                *_leather("cup"),
                transform=f"translate({x + side * 52:g} {y - 8:g}) rotate({side * 28}) scale(0.8)",
            ),
            *_pair(x - side * 14, y + 12, look.end.dice),
            class_="dice f-new",
            data_dice=digits(look.end.dice),
        )
    at = f"translate({x:g} {y:g})"
    if dice is not None:
        known = [el("g", *_leather("cup cup-known"), transform=at), *_pair(x, y + 12, dice)]
        return el("g", *known, class_="dice", data_dice=digits(dice))
    if not look.over and view.phase == "opening":
        return el("g", *_leather("cup cup-empty"), transform=at)
    if view.phase == "rolling":
        shaken = (el("path", d=f"M{side * 62:g} -26q{side * 12:g} 24 0 48", class_="shaken") for side in (-1, 1))
        return el("g", el("g", *_leather("cup"), transform="rotate(7)"), *shaken, transform=at, class_="f-new")
    return el("g", *_leather("cup"), transform=at, class_="dice")


def _leather(class_: str) -> tuple[Svg, ...]:
    """A dice cup, upside down on the table."""
    return (
        el("path", d="M-52 40L-39 -38Q0 -54 39 -38L52 40Q0 58 -52 40z", class_=class_),
        el("path", d="M-49.5 25Q0 42 49.5 25", class_="seam"),
        el("path", d="M-39 -38Q0 -54 39 -38Q0 -26 -39 -38z", class_="cup-top"),
    )


PIPS = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
}


def _pair(x: float, y: float, dice: Dice) -> tuple[Svg, Svg]:
    return _die(x - 20, y - 1, dice[0], turn=-4), _die(x + 20, y + 3, dice[1], turn=8)


def _die(x: float, y: float, pips: int, *, turn: float = 0) -> Svg:
    body = el("rect", x=-17, y=-17, width=34, height=34, rx=7, class_="die")
    spots = (el("circle", cx=9 * across, cy=9 * down, r=3.4, class_="spot") for across, down in PIPS[pips])
    return el("g", body, *spots, transform=f"translate({x:g} {y:g}) rotate({turn:g})")


def _under_the_cup(view: View, look: Round, x: float, y: float) -> list[Svg]:
    """Two short lines: what lies there, and what it means."""
    lines = _below(view, look)
    return [
        words(x, y + (69 if index == 0 else 87), text, class_) for index, (text, class_) in enumerate(lines) if text
    ]


def _below(view: View, look: Round) -> list[tuple[str, str]]:
    if view.phase == "starting":
        return [(_("who starts?"), "f-soft")]
    dice = _known(view, look)
    lies = [(_("%(dice)s under the cup") % {"dice": fallen(dice)}, "f-name")] if dice is not None else []
    if look.left is not None:
        return [*lies, (_("never shown"), "f-soft")]
    if look.end is not None:
        return [*(lies or [(_("never shown"), "f-soft")]), *_judged(view.options, look.said[-1], look.end)]
    if view.phase in ("answering", "mia"):
        value = view.announced or ""
        share = percent(reach(view.options, value))
        return [*lies, (_("%(share)s of rolls reach %(value)s") % {"share": share, "value": brief(value)}, "f-soft")]
    if view.announced is not None:
        least = _("%(value)s or more") if view.options.raise_rule == "at_least" else _("above %(value)s")
        return [*lies, (least % {"value": brief(view.announced)}, "f-soft")]
    return [*lies, (_("round %(round)d") % {"round": view.round}, "f-soft")]


def _judged(options: Options, said: Said, end: Showdown) -> list[tuple[str, str]]:
    """What the last announcement was, now that its round is over."""
    if said.dice is None:
        return []
    value = {"value": brief(said.value)}
    if _above(options, said) <= 0:
        if end.loser == end.announcer:
            return [(_("%(value)s had to be beaten") % value, "f-soft f-new")]
        return [(_("%(value)s was true") % value, "f-true f-new")]
    if said.looked:
        return [(_("%(value)s was a bluff") % value, "f-bluff f-new")]
    return [(_("%(value)s was too high") % value, "f-soft f-new")]


# ---- the ladder of lies: the signature picture ---------------------------------------------------


class Scale:
    """Values upwards: equal steps, with some room between mixed rolls, doubles and the special ones."""

    def __init__(self, options: Options, top: float, floor: float) -> None:
        self.values = ranking(options).values
        at, place = 0.0, {}
        for index, value in enumerate(self.values):
            if index:
                kind, before = _kind(value, index, self.values), _kind(self.values[index - 1], index - 1, self.values)
                at += 2.2 if kind == "special" else 1.9 if kind != before else 1
            place[value] = at
        self._place = place
        self._step = (floor - top) / at
        self._floor = floor

    def up(self, value: str) -> float:
        """How high a value stands."""
        return self._floor - self._step * self._place[value]

    def ticks(self, apart: float = 17) -> Iterator[str]:
        """The values that are written at the side: the ends, the ends of the doubles, then what else fits."""
        doubles = [value for index, value in enumerate(self.values) if _kind(value, index, self.values) == "double"]
        heads = [
            value
            for value, above in zip(self.values, self.values[1:], strict=False)
            if value in SUMS or value[0] != above[0]
        ]
        taken: list[float] = []
        for value in (self.values[-1], self.values[0], doubles[-1], doubles[0], *reversed(heads)):
            if all(abs(self.up(value) - y) >= apart for y in taken):
                taken.append(self.up(value))
                yield value


def _kind(value: str, index: int, values: Sequence[str]) -> str:
    if value not in SUMS and value[0] == value[1]:
        return "double"
    above_all = not any(other not in SUMS and other[0] == other[1] for other in values[index:])
    return "special" if above_all else "mixed"


TOP, FLOOR, HEIGHT = 50.0, 236.0, 296.0


def signature(seen: Sequence[Frame], names: Sequence[str], shape: str) -> Svg:
    """What was said in a round, from left to right, and what the dice were."""
    view: View = seen[-1].view
    look = shown(seen)
    canvas = CANVASES[shape] if shape == "wide" else CANVASES[shape]._replace(margin=42)
    scale = Scale(view.options, TOP, FLOOR)
    last = _last_seat(view, look)
    room = canvas.room(62 if shape == "wide" else 44) - (last is not None)
    said = look.said[-room:]
    seats = [*(one.seat for one in said), *([last] if last is not None else [])]
    gap, places = canvas.columns(len(seats))
    parts = []
    for value in scale.ticks():
        parts.append(canvas.line(scale.up(value), "grid"))
        parts.append(words(canvas.margin - 14, scale.up(value) + 4.5, brief(value), "x-soft", "end"))
    parts += _names(seats, places, gap, names, len(said))
    if len(look.said) > len(said):
        before = len(look.said) - len(said)
        more = ngettext("%(n)d announcement before", "%(n)d announcements before", before)
        parts.append(words(canvas.margin - 8, 18, more % {"n": before}, "x-soft", "start"))
    points = [(x, scale.up(one.value)) for x, one in zip(places, said, strict=False)]
    marks = _lies(view.options, said, places, gap, scale)
    if look.over and last is not None:
        level = points[-1][1] if points else FLOOR
        parts += _over_the_dice(view.options, said, places, scale)
        points.append((places[-1], level))
        marks.append(_end(look, places[-1], level, names, canvas))
    label = _ladder_words(look, names)
    return picture(canvas.width, HEIGHT, label, [*parts, *climb(points), *marks], f"signature signature-{shape}")


def _last_seat(view: View, look: Round) -> int | None:
    """Who ended the round; or who is to act, if anybody is."""
    if look.end is not None:
        return look.end.ender
    return look.left if look.left is not None else view.turn


def _names(seats: Sequence[int], places: Sequence[float], gap: float, names: Sequence[str], said: int) -> Iterator[Svg]:
    """Under each column its seat; on two lines in turn where they are narrow."""
    narrow = any(len(names[seat]) * 7.6 > gap - 6 for seat in seats)
    for index, (seat, x) in enumerate(zip(seats, places, strict=True)):
        name = short(names[seat], gap * 2 - 12 if narrow else gap - 6, 13.5)
        y = FLOOR + (50 if narrow and index % 2 else 32)
        yield words(x, y, name, "x-name" if index < said else "x-soft")


def _lies(options: Options, said: Sequence[Said], places: Sequence[float], gap: float, scale: Scale) -> list[Svg]:
    """The marks of what was said, each with the dice that it was said of."""
    marks = []
    before: Said | None = None
    for one, x in zip(said, places, strict=False):
        y = scale.up(one.value)
        new = before is None or before.value != one.value
        rolled = before is None or before.roll != one.roll
        truth_ = truth_of(options, one)
        below = True  # where the dice are written
        if rolled and one.dice is not None and (above := _above(options, one)) != 0:
            at = scale.up(ranking(options).called[one.dice])
            below = above > 0
            aside = 14 if abs(at - y) < 17 else 0
            kind = "lie" if truth_ == "bluff" else "off"
            marks.append(el("line", x1=x, y1=y, x2=x + aside, y2=at, class_=f"m-join m-join-{kind}"))
            marks.append(el("circle", cx=x + aside, cy=at, r=5, class_=f"m-dice m-dice-{kind}"))
            text, start = fallen(one.dice), x + aside + 10
            if gap >= 60 or aside:
                marks.append(words(start, at + 4.5, text, "x-dice", "start"))
            else:
                marks.append(words(x, at + (17 if below else -11), text, "x-dice"))
        marks.append(mark(x, y, truth_) if truth_ else el("circle", cx=x, cy=y, r=6, class_="m-said"))
        if new:
            marks.append(words(x, y - 13 if below else y + 23, brief(one.value), "x-bid"))
        before = one
    return marks


def _over_the_dice(options: Options, said: Sequence[Said], places: Sequence[float], scale: Scale) -> list[Svg]:
    """A dashed line from the last roll to the end: what lay under the cup all the while."""
    if not said or said[-1].dice is None:
        return []
    first = next(index for index, one in enumerate(said) if one.roll == said[-1].roll)
    y = scale.up(ranking(options).called[said[-1].dice])
    if y == scale.up(said[-1].value):
        return []
    return [el("line", x1=places[first], x2=places[-1], y1=y, y2=y, class_="m-under")]


def _end(look: Round, x: float, y: float, names: Sequence[str], canvas: Canvas) -> Svg:
    """A cross where somebody doubted, a bar where he gave in or left; and what came of it."""
    end = look.end
    sign = (
        cross(x, y)
        if end is not None and end.how != "concede"
        else el("path", d=f"M{x:g} {y - 8:g}v16", class_="m-end")
    )
    if end is None:
        return el("g", sign, words(x, y - 15, _("leaves"), "x-dice"))
    did = {"challenge": _("doubts"), "look": _("looks"), "concede": _("gives in")}[end.how]
    penalty = f"−{end.lives}" if end.lives else f"+{end.sips}"
    name = short(names[end.loser], 150 if canvas.shape == "wide" else 92, 14)
    text = f"{name} {penalty}"
    half = len(text) * 4
    at = min(x, canvas.width - 6 - half)
    return el("g", sign, words(at, y - 31, text, "x-bid"), words(x, y - 14, did, "x-dice"))


def _ladder_words(look: Round, names: Sequence[str]) -> str:
    said = ", ".join(f"{names[one.seat]} {spoken(one.value)}" for one in look.said) or _("nothing said yet")
    line = _("Round %(round)d: %(said)s") % {"round": look.number, "said": said}
    return line if look.end is None else f"{line}; {_ended(look.end, names)}"


def signature_title(number: int) -> str:
    """What the signature picture of a round is called."""
    return _("The ladder of lies, round %(round)d") % {"round": number}


def key(seen: Sequence[Frame]) -> list[tuple[str, str]]:
    """What the marks mean that can be in the picture now."""
    look, options = shown(seen), seen[-1].view.options
    unknown = any(truth_of(options, one) is None for one in look.said)
    return [
        ("true", _("true")),
        ("bluff", _("bluff")),
        ("unseen", _("did not look")),
        *([("said", _("not known"))] if unknown else []),
        ("dice", _("what the dice were")),
    ]


# ---- the ladder, small: a whole match ------------------------------------------------------------


def strip(seen: Iterable[Frame]) -> Svg:
    """The ladders of a match, small enough for a row of a table: its last rounds side by side."""
    frames = tuple(seen)
    options: Options = frames[-1].view.options
    every = [one for one in rounds(frames) if one.over]
    scale = Scale(options, STRIP_TOP, STRIP_FLOOR)
    parts: list[Svg] = []
    for places, round_ in graph.packed(every, [len(one.said) + 1 for one in every]):
        said = round_.said[-len(places) + 1 :]
        points = [(x, scale.up(one.value)) for x, one in zip(places, said, strict=False)]
        parts += climb([*points, (places[-1], points[-1][1])] if points else [])
        roll = 0
        for (x, y), one in zip(points, said, strict=True):
            truth_ = truth_of(options, one)
            if truth_ == "bluff" and one.roll != roll and one.dice is not None:
                at = scale.up(ranking(options).called[one.dice])
                parts.append(el("line", x1=x, y1=y, x2=x, y2=at, class_="m-join m-join-lie"))
                parts.append(el("circle", cx=x, cy=at, r=1.9, class_="m-dice m-dice-lie"))
            parts.append(mark(x, y, truth_, 2.6) if truth_ else el("circle", cx=x, cy=y, r=2, class_="m-said"))
            roll = one.roll
        if points and round_.end is not None and round_.end.how != "concede":
            parts.append(cross(places[-1], points[-1][1], 2.2))
    bluffs = sum(truth_of(options, one) == "bluff" for round_ in every for one in round_.said)
    label = ngettext("%(n)d announcement was a bluff", "%(n)d announcements were bluffs", bluffs) % {"n": bluffs}
    return graph.strip(parts, len(every), label)


def legend() -> str:
    """How to read the small pictures."""
    return _(
        "announcements climb. A disc was true, a diamond a bluff, joined to what the dice were; a square was said "
        "without looking, and a cross is a doubt."
    )


# ---- the rules' page -----------------------------------------------------------------------------


class Order(NamedTuple):
    """The order of the values in some presets."""

    presets: tuple[str, ...]
    values: tuple[tuple[str, str], ...]
    """Each value as one says it, the highest first, with the share of rolls that reach it."""


def page() -> dict[str, object]:
    """The orders of the values that the presets play with, the usual one first."""
    found: dict[tuple[str, ...], list[str]] = {}
    options: dict[tuple[str, ...], Options] = {}
    for preset in GAME.presets:
        own = options_of(ruleset(GAME, preset.name).values)
        values = ranking(own).values
        found.setdefault(values, []).append(preset.name)
        options[values] = own
    orders = [
        Order(
            tuple(presets),
            tuple((spoken(value), percent(reach(options[values], value))) for value in reversed(values)),
        )
        for values, presets in found.items()
    ]
    return {"usual": orders[0], "others": orders[1:]}
