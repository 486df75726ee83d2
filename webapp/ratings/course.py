"""How a bot's rating went, over all its versions: a line for each, drawn on the server, and the same as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import NamedTuple

from django.db.models import Subquery
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from webapp.bots.models import Bot, Version
from webapp.matches.drawing.svg import Svg, el, picture, words
from webapp.matches.models import Ruleset
from webapp.ratings.models import Rating, Snapshot
from webapp.ratings.scale import ANCHOR

MOST_FITS = 500
"""Fits that are looked at: a week of hours, and a year of days."""

MOST_VERSIONS = 20
"""The newest ones: more lines could not be told apart."""

MOST_DAYS = 30
"""In the table."""

WIDTH, HEIGHT = 640.0, 200.0
LEFT, RIGHT, TOP, BOTTOM = 52.0, 12.0, 24.0, 28.0
STEPS = (20, 50, 100, 200, 400, 800, 1600)


class Point(NamedTuple):
    """What a version was worth once."""

    moment: datetime
    elo: float
    half_width: float


class Day(NamedTuple):
    """The last fit of a day, and the version in it that began last."""

    day: date
    version: Version
    point: Point


class Course(NamedTuple):
    """How the rating of a bot went on one leaderboard."""

    ruleset: Ruleset
    picture: Svg
    days: tuple[Day, ...]
    """The newest first."""


def course(*, bot: Bot, ruleset: Ruleset) -> Course | None:
    """How a bot's rating went; None before there are two fits with it. One query."""
    fits = Snapshot.objects.filter(ruleset=ruleset).order_by("-id").values("id")[:MOST_FITS]
    rows = Rating.objects.filter(version__bot=bot, snapshot__in=Subquery(fits)).order_by("snapshot__created")
    versions: dict[int, Version] = {}
    lines: dict[int, list[Point]] = {}
    columns = ("version_id", "version__number", "version__label", "snapshot__created", "elo", "half_width")
    for pk, number, label, *point in rows.values_list(*columns):
        versions.setdefault(pk, Version(pk=pk, number=number, label=label))
        lines.setdefault(pk, []).append(Point(*point))
    # by when they began, and not by number: an author may go back to an old one
    ordered = sorted(lines, key=lambda pk: lines[pk][0].moment)[-MOST_VERSIONS:]
    shown = [(versions[pk], lines[pk]) for pk in ordered]
    if sum(len(points) for _version, points in shown) < 2:
        return None
    by_day = {
        point.moment.date(): Day(point.moment.date(), version, point) for version, line in shown for point in line
    }
    days = sorted(by_day.values(), key=lambda day: day.day, reverse=True)[:MOST_DAYS]
    return Course(ruleset, _draw(shown), tuple(days))


def _draw(lines: Sequence[tuple[Version, Sequence[Point]]]) -> Svg:
    points = [point for _version, line in lines for point in line]
    low = min([ANCHOR, *(point.elo for point in points)])
    high = max([ANCHOR, *(point.elo for point in points)])
    step = next((step for step in STEPS if (high - low) / step <= 4), STEPS[-1])
    low, high = step * (low // step), step * -(-high // step)
    high = max(high, low + step)
    first, last = min(point.moment for point in points), max(point.moment for point in points)
    seconds = max(1.0, (last - first).total_seconds())

    def x(moment: datetime) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (moment - first).total_seconds() / seconds

    def y(elo: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (elo - low) / (high - low)

    parts: list[Svg] = []
    for number in range(round((high - low) / step) + 1):
        elo = low + number * step
        kind = "anchor-line" if elo == ANCHOR else "grid"
        parts.append(el("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y(elo), y2=y(elo), class_=kind))
        parts.append(words(LEFT - 8, y(elo) + 4, f"{elo:.0f}", "x-soft", "end"))
    taken = -1000.0
    for version, line in lines:
        left = x(line[0].moment)
        if len(lines) > 1:
            parts.append(el("line", x1=left, x2=left, y1=TOP, y2=HEIGHT - BOTTOM, class_="version-line"))
            name = version.label or str(version.number)
            if left - taken > 56:  # else the names would lie upon each other
                parts.append(words(min(left + 3, WIDTH - RIGHT), TOP - 8, name[:10], "x-soft", "start"))
                taken = left
        if len(line) == 1:
            parts.append(el("circle", cx=left, cy=y(line[0].elo), r=3, class_="estimate"))
        else:
            drawn = " ".join(f"{x(point.moment):.1f},{y(point.elo):.1f}" for point in line)
            parts.append(
                el("polyline", points=drawn, class_="course-line" if version is lines[-1][0] else "course-old")
            )
    ends = ((first, "start"), (last, "end")) if seconds > 3_600 else ((last, "end"),)
    for moment, anchor in ends:
        said = date_format(moment, "j M" if seconds > 2 * 86_400 else "j M, H:i")
        parts.append(words(x(moment), HEIGHT - 6, said, "x-soft", anchor))
    label = _("Elo from %(first).0f to %(last).0f") % {"first": points[0].elo, "last": lines[-1][1][-1].elo}
    return picture(WIDTH, HEIGHT, label, parts, "course")
