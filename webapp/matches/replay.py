"""A finished match as one viewer may follow it, step by step.

The record goes in at `replay`, and is at once turned into frames of one viewer; all pictures are drawn
from those frames. What is shown beside them (faults, thinking times) is filtered here for the same viewer.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol

from django.utils import translation
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from arena import verify
from arena.games import find_game
from arena.insight import Insight, Mark, insight, words
from arena.record import FaultStep, MovesStep, Record, Step
from arena.rules import OMNISCIENT, PUBLIC, Viewer, at_seat
from arena.story import tell
from arena.table import Limits
from arena.verify import Frame
from webapp.matches import clocks
from webapp.matches.clocks import Clocks
from webapp.matches.drawing import Drawing, drawing
from webapp.matches.drawing.svg import Svg
from webapp.matches.drawing.telling import Told, listed
from webapp.matches.held import Held
from webapp.matches.marks import Kind, Pinned, kinds, pinned
from webapp.pages.naming import game_title
from webapp.pages.stored import stored

NO_CLOCKS = Clocks()


class Course(Protocol):
    """What was played, step by step: a record, or an example."""

    @property
    def game(self) -> str: ...
    @property
    def steps(self) -> tuple[Step, ...]: ...


class Line(NamedTuple):
    """One step in the story, or several that are told together."""

    step: int
    """Where it leads: to the last one of its steps."""
    text: str
    notes: tuple[str, ...]
    """What else is told of it; also how likely it was, as far as the viewer can tell."""
    mark: str
    """How it is marked: ``true``, ``bluff``, ``unseen``, ``word``, ``fault``, ``plain``."""
    mark_words: str
    """The same, for who does not see it."""
    time: str
    fault: bool
    current: bool


class RoundLines(NamedTuple):
    """A round in the story: its steps where it is the one shown, else a line that leads to it."""

    title: str
    summary: str
    """How it ended; empty where the viewer cannot know yet, or it has not ended."""
    step: int
    """Where it leads: to its end where that is known, else to its start."""
    lines: tuple[Line, ...]
    current: bool


class Telling(NamedTuple):
    """One of the moments that decided the match."""

    step: int
    text: str


class Seat(NamedTuple):
    """A viewer that one can choose."""

    key: str
    label: str
    chosen: bool


class Replay(NamedTuple):
    """All that a page shows of one step."""

    title: str
    caption: str
    step: int
    last: int
    round: int
    rounds: int
    part: str
    """What the round is called within a sentence."""
    viewer: str
    viewers: tuple[Seat, ...]
    story: tuple[RoundLines, ...]
    tables: tuple[Svg, ...]
    signatures: tuple[Svg, ...]
    signature_title: str
    key: tuple[tuple[str, str], ...]
    """The kinds of marks in the signature picture, and what they mean."""
    strip: Svg
    faults: tuple[str, ...]
    moments: tuple[Telling, ...]
    """The steps that decided the match, the most telling one first; none but for who sees everything."""
    doubt: str
    """Why the record cannot be verified; empty where it was."""
    ahead: bool = False
    """Whether what comes after this step is shown, too."""
    starts: tuple[int, ...] = ()
    """The first step of each round."""
    marks: tuple[Mark, ...] = ()
    """What is marked on the bar, as far as it may be known, in the order of the steps."""
    clocks: Clocks = NO_CLOCKS
    """The thinking times, as far as they may be known."""

    @property
    def over(self) -> bool:
        """Whether this is the end."""
        return self.step == self.last

    @property
    def round_before(self) -> int | None:
        """Where this round begins; at its first step, where the round before it does."""
        return max((start for start in self.starts if start < self.step), default=None)

    @property
    def round_after(self) -> int | None:
        """Where the next round begins; in the last one, the end."""
        following = min((start for start in self.starts if start > self.step), default=self.last)
        return following if following > self.step else None

    @property
    def mark_before(self) -> int | None:
        """The step of the mark before this step."""
        return max((mark.step for mark in self.marks if mark.step < self.step), default=None)

    @property
    def mark_after(self) -> int | None:
        """The step of the mark after this step."""
        return min((mark.step for mark in self.marks if mark.step > self.step), default=None)

    @property
    def pinned(self) -> list[Pinned]:
        """The marks where they stand on the bar."""
        return pinned(self.marks, self.last)

    @property
    def kinds(self) -> list[Kind]:
        """The kinds of marks on the bar."""
        return kinds(self.marks)

    @property
    def first(self) -> int | None:
        """The start, for who is not there."""
        return 0 if self.step else None

    @property
    def end(self) -> int | None:
        """The end, likewise."""
        return None if self.over else self.last

    @property
    def previous(self) -> int | None:
        return self.step - 1 if self.step else None

    @property
    def next(self) -> int | None:
        return None if self.over else self.step + 1


class Steps(NamedTuple):
    """How the addresses of steps are made: ``before``, the step, ``between``, the viewer's key, ``after``."""

    before: str
    between: str
    after: str = ""

    def at(self, step: int | str, key: str) -> str:
        """The address of a step as ``key`` sees it."""
        return f"{self.before}{step}{self.between}{key}{self.after}"


UNNOTED = Insight((), (), (), ())
"""Nothing is noted of what is still being played: whoever sits there does his own reckoning."""


class NoSuchStep(LookupError):
    """The match has no such step, or no such viewer."""


def viewer_of(key: str, players: int) -> Viewer:
    """``everything``, ``public``, or the number of a seat.

    Raises:
        NoSuchStep: it is none of them.
    """
    if key == "everything":
        return OMNISCIENT
    if key == "public":
        return PUBLIC
    if key.isascii() and key.isdecimal() and len(key) <= 2 and int(key) < players and str(int(key)) == key:
        return at_seat(int(key))
    raise NoSuchStep(key)


@lru_cache(maxsize=24)  # the frames of a long match at a full table take some megabytes
def _frames(held: Held, viewer: Viewer) -> tuple[Frame, ...]:
    return tuple(verify.frames(held.record, viewer))


def frames(record: Record, name: str, viewer: Viewer) -> tuple[Frame, ...]:
    """`arena.verify.frames`, remembered by the record's name: a record never changes."""
    return _frames(Held(name, record), viewer)


@lru_cache(maxsize=24)
def _insight(held: Held, viewer: Viewer) -> Insight:
    return insight(held.record.game, _frames(held, viewer), held.record.steps)


@lru_cache(maxsize=1024)
def _verified(held: Held) -> str:
    try:
        verify.verify(held.record)
    except verify.VerificationError as error:
        return str(error)
    return ""


def doubt(record: Record, name: str) -> str:
    """What is wrong with a record by its own luck and rules; empty where it can be verified."""
    return _verified(Held(name, record))


def seat_names(record: Record) -> tuple[str, ...]:
    """The names of the players, told apart where two are the same."""
    return told_apart([line.bot if line.version is not None else _("a person") for line in record.players])


def told_apart(names: Sequence[str]) -> tuple[str, ...]:
    """The names of players by seat, numbered where two are the same."""
    return tuple(
        f"{name} ({names[: seat + 1].count(name)})" if names.count(name) > 1 else name
        for seat, name in enumerate(names)
    )


def replay(
    *,
    record: Record,
    name: str,
    key: str,
    step: int | None = None,
    ahead: bool = True,
    limits: Limits | None = None,
) -> Replay:
    """What ``key`` sees at ``step`` (counted from 0, the start; None is the end) of the record with the name ``name``.

    Args:
        record: what was played.
        name: what it is remembered by.
        key: who looks.
        step: which step.
        ahead: whether who sees everything is shown also what comes later: how it ended, above all.
        limits: how much time the seats had; None where that is not known.

    Raises:
        NoSuchStep: there is no such step, or nobody is called so.
    """
    viewer = viewer_of(key, len(record.players))
    seen = frames(record, name, viewer)
    names = seat_names(record)
    noted = _insight(Held(name, record), viewer)
    at = len(seen) - 1 if step is None else step
    made = shown(course=record, seen=seen, noted=noted, names=names, key=key, at=at, ahead=ahead, limits=limits)
    title = _title(record, seen[-1], made.part, names, viewer, made.ahead or made.over)
    return made._replace(title=title, doubt=doubt(record, name))


def most_telling(*, record: Record, name: str) -> tuple[str, Replay]:
    """The moment of a match that changed most, in words, and the table then; else how it ended, and the end."""
    first = next(iter(_moments(_insight(Held(name, record), OMNISCIENT), seat_names(record))), None)
    then = replay(record=record, name=name, key="everything", step=None if first is None else first.step)
    return then.title if first is None else first.text, then


def shown(
    *,
    course: Course,
    seen: Sequence[Frame],
    noted: Insight,
    names: Sequence[str],
    key: str,
    at: int,
    ahead: bool = True,
    limits: Limits | None = None,
) -> Replay:
    """The same of anything that was played, from what ``key`` saw of it and what is noted of that; without a title.

    Raises:
        NoSuchStep: there is no such step, or nobody is called so.
    """
    viewer = viewer_of(key, len(names))
    last = len(seen) - 1
    if not 0 <= at <= last:
        raise NoSuchStep(str(at))
    drawn = drawing(course.game)
    assert drawn is not None
    ahead = ahead and viewer == OMNISCIENT
    groups = _groups(seen, names, drawn)
    story = tuple(
        _round(course, seen, noted, names, viewer, drawn, at, group, last if ahead else at)
        for group in _begun(groups, last if ahead else at)
    )
    upto = seen[: at + 1]
    round_ = next((i for i, one in enumerate(story, 1) if one.current), 0)
    return Replay(
        title="",
        caption=drawn.caption(upto, names),
        step=at,
        last=last,
        round=round_,
        rounds=len(groups),
        part=drawn.part(round_),
        viewer=key,
        viewers=_viewers(names, key),
        story=story,
        tables=tuple(drawn.table(upto, names, shape) for shape in ("wide", "tall")),
        signatures=tuple(drawn.signature(upto, names, shape) for shape in ("wide", "tall")),
        signature_title=drawn.signature_title(round_),
        key=tuple(drawn.key(upto)),
        # what comes later is no secret to who sees everything, and would be one to all others
        strip=drawn.strip(seen if ahead else upto),
        faults=_faults(course, names, viewer, last if ahead else at),
        moments=_moments(noted, names) if ahead else (),
        marks=tuple(mark for mark in noted.marks if ahead or mark.step <= at),
        doubt="",
        ahead=ahead,
        starts=tuple(group.first for group in groups),
        clocks=clocks.clocks(course.steps, names, viewer, at, ahead=ahead, limits=limits),
    )


def strip(record: Record) -> Svg:
    """The match's signature picture, small, for who sees everything."""
    drawn = drawing(record.game)
    return drawn.strip(verify.frames(record, OMNISCIENT)) if drawn else Svg()


def _title(record: Record, end: Frame, part: str, names: Sequence[str], viewer: Viewer, told: bool) -> str:
    """How it ended, where that may be told; else who looks at what."""
    if told:
        drawn = drawing(record.game)
        assert drawn is not None
        return drawn.result(end.view, record.outcome, names)
    if viewer == OMNISCIENT:
        return _("%(game)s: %(names)s") % {"game": game_title(record.game), "names": listed(names)}
    if viewer == PUBLIC:
        return _("What the table saw in %(part)s") % {"part": part}
    return _("What %(name)s knew in %(part)s") % {"part": part, "name": names[viewer.seat]}


def _viewers(names: Sequence[str], key: str) -> tuple[Seat, ...]:
    keys = [("everything", _("Everything")), ("public", _("Public"))]
    keys += [(str(seat), _("as %(name)s") % {"name": name}) for seat, name in enumerate(names)]
    return tuple(Seat(one, label, one == key) for one, label in keys)


def told(*, course: Course, seen: Sequence[Frame], names: Sequence[str], key: str, at: int) -> tuple[RoundLines, ...]:
    """The story alone of anything that is being played, as ``key`` saw it up to ``at``."""
    drawn = drawing(course.game)
    assert drawn is not None
    viewer = viewer_of(key, len(names))
    groups = _begun(_groups(seen, names, drawn), at)
    return tuple(_round(course, seen, UNNOTED, names, viewer, drawn, at, group, at) for group in groups)


def _moments(noted: Insight, names: Sequence[str]) -> tuple[Telling, ...]:
    return tuple(Telling(one.step, words.tell_moment(one, names, translation)) for one in noted.moments)


# ---- the story -----------------------------------------------------------------------------------


class _Group:
    """A round while its steps are collected."""

    def __init__(self, first: int) -> None:
        self.title = ""
        self.first = first
        self.last = first
        self.summary = ""


def _groups(seen: Sequence[Frame], names: Sequence[str], drawn: Drawing) -> list[_Group]:
    """The rounds: where each of them begins and ends, and how it ended."""
    groups = [_Group(0)]
    for index, frame in enumerate(seen):
        group = groups[-1]
        group.last = index
        for event in frame.events:
            group.summary = drawn.summary(event, names) or group.summary
        # the step that ends a round has already begun the next one, and still belongs to its own
        heading = next((title for event in frame.events if (title := drawn.heading(event, names))), None)
        if heading is not None and group.title:
            groups.append(_Group(index + 1))
        if heading is not None:
            groups[-1].title = heading
    return groups


def _begun(groups: Sequence[_Group], at: int) -> list[_Group]:
    """Those that had begun by then: that there is another round is known when it begins."""
    return [group for group in groups if group.first <= at]


def _round(
    course: Course,
    seen: Sequence[Frame],
    noted: Insight,
    names: Sequence[str],
    viewer: Viewer,
    drawn: Drawing,
    at: int,
    group: _Group,
    told: int,
) -> RoundLines:
    """A round in the story, which tells what happened until the step ``told``."""
    current = group.first <= at <= group.last
    upto = min(group.last, told)
    known = upto == group.last
    shown = _joined(course, seen, range(group.first, upto + 1), drawn) if current else []
    lines = tuple(_line(course, seen, noted, steps, names, viewer, drawn, at) for steps in shown)
    return RoundLines(group.title, group.summary if known else "", group.last if known else group.first, lines, current)


def _joined(course: Course, seen: Sequence[Frame], steps: range, drawn: Drawing) -> list[range]:
    """The steps that are told in one line each. A fault is always told by itself."""
    lines: list[range] = []
    for index in steps:
        apart = any(_is_fault(course, seen[one]) for one in (index, index - 1) if one in steps)
        if lines and not apart and drawn.joins(seen[index]):
            lines[-1] = range(lines[-1].start, index + 1)
        else:
            lines.append(range(index, index + 1))
    return lines


def _step(course: Course, frame: Frame) -> Step | None:
    return course.steps[frame.step] if frame.step >= 0 else None


def _is_fault(course: Course, frame: Frame) -> bool:
    return isinstance(_step(course, frame), FaultStep)


def _line(
    course: Course,
    seen: Sequence[Frame],
    noted: Insight,
    steps: range,
    names: Sequence[str],
    viewer: Viewer,
    drawn: Drawing,
    at: int,
) -> Line:
    frames = seen[steps.start : steps.stop]
    step = _step(course, frames[0])
    truth = next(
        (found for frame in frames for event in frame.events if (found := drawn.truth(frame.view, event))), None
    )
    text, notes = drawn.told(frames, names) or _told(course, frames[0], names, drawn)
    if isinstance(step, FaultStep):
        fault, mark = _fault(step, names, viewer), "fault"
        text, notes = fault, (text, *notes) if text else notes
    else:
        mark = truth if truth in ("true", "bluff", "unseen") else "word" if truth else "plain"
    mark_words = {
        "true": _("true"),
        "bluff": _("bluff"),
        "unseen": _("did not look"),
        "right": _("right"),
        "wrong": _("wrong"),
        "fault": _("fault"),
    }.get(mark if mark == "fault" else truth or "", "")
    exact, likely = _noted(course.game, noted, steps, names)
    return Line(
        steps[-1],
        _sentence(text or _("The match begins"), names),
        tuple(_sentence(note, names) for note in (*likely, *notes, *_changed(noted, steps, names, viewer))),
        mark,
        mark_words if mark == "fault" else exact or mark_words,
        _time(course, frames, viewer, over=at == len(seen) - 1),
        mark == "fault",
        at in steps,
    )


def _noted(game: str, noted: Insight, steps: range, names: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """What a claim or a doubt was, exactly; and the lines under it: how likely that was, or what a try could bring."""
    notes = [note for note in noted.notes if note.step in steps]
    exact, lines = "", words.tell_notes(game, notes, names, translation)
    if len(notes) == 1 and notes[0].kind in ("claim", "doubt"):
        exact, likely = words.tell_note(game, notes[0], names, translation)
        lines = (likely,) if likely else ()
    return exact, lines


def _changed(noted: Insight, steps: range, names: Sequence[str], viewer: Viewer) -> list[str]:
    """How the chances to win changed, for who sees everything."""
    swings = [swing for swing in noted.swings if swing.step in steps] if viewer == OMNISCIENT else []
    return [line for swing in swings if (line := words.tell_swing(swing, names, translation))]


def _told(course: Course, frame: Frame, names: Sequence[str], drawn: Drawing) -> Told:
    """The sentences of a step's events: what all heard before what only the viewer did."""
    told = [
        (event, text)
        for event in frame.events
        if (not drawn.heading(event, names) or len(frame.events) == 1)
        and (text := tell(find_game(course.game), event, names, translation)) is not None
    ]
    public = [text for event, text in told if event.audience is None]
    own = [text for event, text in told if event.audience is not None]
    if not public:
        return Told(own[0] if own else "", tuple(own[1:]))
    return Told(public[0], (*public[1:], *([" · ".join(own)] if own else [])))


def _sentence(text: str, names: Sequence[str]) -> str:
    """With a capital, but where it begins with a name: names are written as their authors write them."""
    return text if text.startswith(tuple(names)) else text[:1].upper() + text[1:]


def _time(course: Course, frames: Sequence[Frame], viewer: Viewer, *, over: bool) -> str:
    """The thinking time of joined steps, in milliseconds, as far as the viewer may know it by then."""
    spent: dict[int, float] = {}
    for frame in frames:
        step = _step(course, frame)
        if isinstance(step, MovesStep):
            for seat, ms in (step.ms or {}).items():
                if clocks.is_known(seat, viewer, over=over):
                    spent[seat] = spent.get(seat, 0.0) + ms
    if not spent:
        return ""
    low, high = min(spent.values()), max(spent.values())
    least, most = number_format(low, 1), number_format(high, 1)
    return _("%(ms)s ms") % {"ms": least if least == most else f"{least}–{most}"}


def _fault(step: FaultStep, names: Sequence[str], viewer: Viewer) -> str:
    """A fault in words. Its detail may quote a hidden move: it is for that seat, and for who sees everything."""
    kind = {
        "unreadable": _("%(name)s: the answer could not be read"),
        "illegal": _("%(name)s: an illegal move"),
        "late": _("%(name)s: too late"),
        "gone": _("%(name)s: the line was lost"),
    }.get(step.kind, "%(name)s: " + step.kind.replace("%", "%%"))
    line = kind % {"name": names[step.seat]}
    if step.detail and (viewer == OMNISCIENT or viewer.seat == step.seat):
        line += f" ({stored(step.detail)})"
    then = _("and forfeits") if step.then == "forfeit" else _("and the default move is made")
    return f"{line}, {then}"


def _faults(course: Course, names: Sequence[str], viewer: Viewer, upto: int) -> tuple[str, ...]:
    return tuple(_fault(step, names, viewer) for step in course.steps[:upto] if isinstance(step, FaultStep))
