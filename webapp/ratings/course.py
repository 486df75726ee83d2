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
from webapp.ratings.models import Rating
from webapp.ratings.scale import ANCHOR
from webapp.ratings.selectors import newest_fits

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
    fits = newest_fits(ruleset).values("id")
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


def two_courses(*, bots: Sequence[Bot], ruleset: Ruleset) -> Svg | None:
    """How the ratings of the active versions of two bots went, in one picture; None before each is in two fits."""
    fits = newest_fits(ruleset).values("id")
    versions = [bot.active_version_id for bot in bots]
    rows = Rating.objects.filter(version__in=versions, snapshot__in=Subquery(fits)).order_by("snapshot__created")
    lines: dict[int, list[Point]] = {}
    for pk, moment, elo, half in rows.values_list("version_id", "snapshot__created", "elo", "half_width"):
        lines.setdefault(pk, []).append(Point(moment, elo, half))
    both = [lines[pk] for pk in versions if pk is not None and len(lines.get(pk, ())) > 1]
    if len(both) < 2:
        return None
    axes = _Axes.around([point for line in both for point in line])
    parts = axes.scale()
    for line, kind in zip(both, ("course-band", "course-band-second"), strict=True):
        parts.append(axes.band(line, kind))
    for line, kind in zip(reversed(both), ("course-second", "course-line"), strict=True):
        parts.append(axes.line(line, kind))
    parts += axes.ends()
    said = {"first": both[0][-1].elo, "second": both[1][-1].elo}
    return picture(WIDTH, HEIGHT, _("Elo, in the end %(first).0f and %(second).0f") % said, parts, "course")


class _Axes(NamedTuple):
    """Where moments and ratings are in the picture."""

    low: float
    high: float
    step: float
    first: datetime
    last: datetime

    @classmethod
    def around(cls, points: Sequence[Point]) -> _Axes:
        """Axes on which all of these can be drawn, the anchor too."""
        low = min([ANCHOR, *(point.elo for point in points)])
        high = max([ANCHOR, *(point.elo for point in points)])
        step = next((step for step in STEPS if (high - low) / step <= 4), STEPS[-1])
        low, high = step * (low // step), step * -(-high // step)
        moments = [point.moment for point in points]
        return cls(low, max(high, low + step), step, min(moments), max(moments))

    @property
    def seconds(self) -> float:
        return max(1.0, (self.last - self.first).total_seconds())

    def x(self, moment: datetime) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (moment - self.first).total_seconds() / self.seconds

    def y(self, elo: float) -> float:
        within = min(self.high, max(self.low, elo))
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (within - self.low) / (self.high - self.low)

    def scale(self) -> list[Svg]:
        """The lines of the ratings, with their numbers."""
        parts: list[Svg] = []
        for number in range(round((self.high - self.low) / self.step) + 1):
            elo = self.low + number * self.step
            kind = "anchor-line" if elo == ANCHOR else "grid"
            parts.append(el("line", x1=LEFT, x2=WIDTH - RIGHT, y1=self.y(elo), y2=self.y(elo), class_=kind))
            parts.append(words(LEFT - 8, self.y(elo) + 4, f"{elo:.0f}", "x-soft", "end"))
        return parts

    def ends(self) -> list[Svg]:
        """When it began, and when the last fit was."""
        ends = ((self.first, "start"), (self.last, "end")) if self.seconds > 3_600 else ((self.last, "end"),)
        return [
            words(
                self.x(moment),
                HEIGHT - 6,
                date_format(moment, "j M" if self.seconds > 2 * 86_400 else "j M, H:i"),
                "x-soft",
                anchor,
            )
            for moment, anchor in ends
        ]

    def line(self, line: Sequence[Point], class_: str) -> Svg:
        """The estimates, joined."""
        drawn = " ".join(f"{self.x(point.moment):.1f},{self.y(point.elo):.1f}" for point in line)
        return el("polyline", points=drawn, class_=class_)

    def band(self, line: Sequence[Point], class_: str) -> Svg:
        """The intervals, as an area; cut off where they leave the picture."""
        above = [(self.x(point.moment), self.y(point.elo + point.half_width)) for point in line]
        below = [(self.x(point.moment), self.y(point.elo - point.half_width)) for point in reversed(line)]
        return el("polygon", points=" ".join(f"{x:.1f},{y:.1f}" for x, y in (*above, *below)), class_=class_)


def _draw(lines: Sequence[tuple[Version, Sequence[Point]]]) -> Svg:
    points = [point for _version, line in lines for point in line]
    axes = _Axes.around(points)
    parts = axes.scale()
    for version, line in lines:
        if len(line) > 1:
            parts.append(axes.band(line, "course-band" if version is lines[-1][0] else "course-band-old"))
    taken = -1000.0
    for version, line in lines:
        left = axes.x(line[0].moment)
        if len(lines) > 1:
            parts.append(el("line", x1=left, x2=left, y1=TOP, y2=HEIGHT - BOTTOM, class_="version-line"))
            name = version.label or str(version.number)
            if left - taken > 56:  # else the names would lie upon each other
                parts.append(words(min(left + 3, WIDTH - RIGHT), TOP - 8, name[:10], "x-soft", "start"))
                taken = left
        if len(line) == 1:
            parts.append(el("circle", cx=left, cy=axes.y(line[0].elo), r=3, class_="estimate"))
        else:
            parts.append(axes.line(line, "course-line" if version is lines[-1][0] else "course-old"))
    parts += axes.ends()
    label = _("Elo from %(first).0f to %(last).0f") % {"first": points[0].elo, "last": lines[-1][1][-1].elo}
    return picture(WIDTH, HEIGHT, label, parts, "course")
