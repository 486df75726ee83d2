"""A table as the page of the person at it shows it: one of a few moments, each with what belongs to it."""

from __future__ import annotations

from typing import NamedTuple

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.odds import odds as odds_of
from webapp.matches import replay
from webapp.matches import selectors as matches
from webapp.matches.drawing import drawing
from webapp.matches.drawing.svg import Svg
from webapp.matches.drawing.telling import listed
from webapp.matches.models import Match, Series
from webapp.matches.replay import Line, RoundLines
from webapp.pages.stored import stored
from webapp.people import selectors
from webapp.people.choices import Decision, decision
from webapp.people.models import Sitting
from webapp.people.selectors import Position


class Shown(NamedTuple):
    """What the page shows."""

    state: str
    """``dealing``, ``asked``, ``waiting``, ``over`` or ``broken``."""
    title: str
    lead: str
    note: str = ""
    """What went wrong with the person's last decision."""
    seconds: float = 0.0
    allowed: float = 0.0
    decision: Decision | None = None
    caption: str = ""
    tables: tuple[Svg, ...] = ()
    story: tuple[RoundLines, ...] = ()
    replay: str = ""
    """Where the match can be followed again as the person saw it."""
    everything: str = ""
    """The same, with all hands open."""
    commitment: str = ""


def shown(sitting: Sitting, *, odds: bool) -> Shown:
    """The moment at which a table is."""
    state = sitting.series.state
    if state == Series.State.FINISHED:
        match = selectors.match_of(sitting)
        if match is not None:
            return _over(sitting, match)
    if state in (Series.State.FINISHED, Series.State.CANCELLED, Series.State.PUT_OFF):
        return Shown("broken", _("This table was broken off"), stored(sitting.series.note))
    position = selectors.position(sitting)
    commitment = selectors.commitment_of(sitting)
    if len(position.seen) == 1 and not sitting.question:
        return Shown("dealing", _("The others sit down"), _("It begins in a moment."), commitment=commitment)
    return _playing(sitting, position, odds=odds)._replace(commitment=commitment)


def _playing(sitting: Sitting, position: Position, *, odds: bool) -> Shown:
    left = selectors.seconds_left(sitting)
    view = position.view
    last = len(position.seen) - 1
    key = str(sitting.seat)
    drawn = drawing(position.course.game)
    assert drawn is not None
    base = Shown(
        "waiting",
        "",
        "",
        note=_missed(sitting, position),
        caption=drawn.caption(position.seen, position.names),
        tables=tuple(drawn.table(position.seen, position.labels, shape) for shape in ("wide", "tall")),
        story=_story(position, key, last),
    )
    if view.legal and left is not None and left > 0:
        found = odds_of(position.course.game, view) if odds else None
        asked = decision(position.course.game, view, position.names, found)
        return base._replace(
            state="asked",
            title=_("Your turn"),
            lead=asked.rule,
            seconds=left,
            allowed=sitting.series.move_ms / 1000,
            decision=asked,
        )
    if sitting.left:
        return base._replace(title=_("You have left the table"), lead=_("It is played to its end without you."))
    if view.legal and sitting.answered < sitting.question:
        return base._replace(title=_("The time is up"), lead=_("The usual move is made for you."))
    others = [position.names[seat] for seat in view.asked if seat != sitting.seat]
    if others:
        title = ngettext("%(names)s thinks", "%(names)s think", len(others)) % {"names": listed(others)}
        return base._replace(title=title)
    return base._replace(title=_("The table goes on"))


def _missed(sitting: Sitting, position: Position) -> str:
    fault = selectors.missed(position, sitting.seat)
    if fault is None or sitting.left:
        return ""
    return _("Your time was up, so the usual move was made for you. Once more in a row, and you have left the table.")


def _story(position: Position, key: str, last: int) -> tuple[RoundLines, ...]:
    """The rounds, the newest first; the one before the present is told in full, too: it has gone by in a blink."""
    course, seen, names = position.course, position.seen, position.names
    rounds = list(replay.told(course=course, seen=seen, names=names, key=key, at=last))
    if len(rounds) > 1:
        before = replay.told(course=course, seen=seen, names=names, key=key, at=rounds[-2].step)
        rounds[-2] = before[len(rounds) - 2]._replace(summary=rounds[-2].summary)
    return tuple(_newest_first(one) for one in reversed(rounds))


def _newest_first(one: RoundLines) -> RoundLines:
    lines: tuple[Line, ...] = tuple(reversed(one.lines))
    return one._replace(lines=lines)


def _over(sitting: Sitting, match: Match) -> Shown:
    record = matches.closed_record(name=match.name)
    entries = {entry.seat: entry for entry in match.entries.all()}
    place, of = entries[sitting.seat].place, len(entries)
    shared = sum(entry.place == place for entry in entries.values()) > 1
    if place == 1:
        title = _("You share the first place") if shared else _("You win")
    elif place == of and not shared:
        title = _("You come last") if of > 2 else _("You lose")
    else:
        title = _("You come in at place %(place)d of %(of)d") % {"place": place, "of": of}
    address = reverse("match", args=[match.name])
    over = Shown("over", title, "", replay=f"{address}?as={sitting.seat}", everything=address)
    if record is None:
        return over
    seen = replay.replay(record=record, name=match.record_name, key=str(sitting.seat))
    story = tuple(_newest_first(one) for one in reversed(seen.story))
    return over._replace(lead=seen.title, tables=seen.tables, story=story)
