"""What a preview of a match says and shows. Only of matches whose replay may be opened by everybody."""

from __future__ import annotations

from typing import NamedTuple

from django.utils.translation import gettext as _

from webapp.matches import replay as replays
from webapp.matches import selectors as matches
from webapp.matches.drawing.svg import Svg
from webapp.matches.drawing.telling import listed
from webapp.matches.models import Match
from webapp.matches.replay import Replay
from webapp.pages.templatetags.arena import ruleset_title
from webapp.previews import picture


class Heading(NamedTuple):
    """The words of a preview."""

    title: str
    line: str
    invitation: str


def heading(*, match: Match, replay: Replay, whole: bool) -> Heading:
    """Of the whole match how it ended; of a step of it who plays, and nothing of how it goes on."""
    ruleset = ruleset_title(match.ruleset)
    if whole:
        return Heading(replay.title, ruleset, _("Step by step, with what everybody knew."))
    names = listed([entry.bot.name for entry in sorted(match.entries.all(), key=lambda entry: entry.seat)])
    line = f"{ruleset}, {replay.part}" if replay.round else ruleset
    return Heading(names, line, replay.caption)


def drawn(*, name: str, step: int | None, key: str) -> Svg | None:
    """The picture of a match, or of a step of it as somebody saw it; None where there is nothing to be shown.

    Of how a version was validated nothing is shown, not to its author either: pictures are kept by others on the way.

    Raises:
        NoSuchStep: the match has no such step, or no such viewer.
    """
    match = matches.find_match(name=name)
    if match is None or match.series.private:
        return None
    record = matches.closed_record(name=name)
    if record is None:
        return None
    if step is None:
        _told, made = replays.most_telling(record=record, name=match.record_name)
    else:
        made = replays.replay(record=record, name=match.record_name, key=key, step=step)
    words = heading(match=match, replay=made, whole=step is None)
    return picture.draw(title=words.title, line=words.line, table=made.tables[0])
