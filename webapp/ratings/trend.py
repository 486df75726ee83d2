"""The way that ratings have gone lately, as a line small enough for a row of a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.utils.translation import gettext as _

from webapp.matches.drawing.svg import Svg, el, picture
from webapp.matches.models import Ruleset
from webapp.ratings.models import Rating, Snapshot
from webapp.ratings.selectors import newest_fits

POINTS = 24
"""Of which so many are drawn, evenly spread."""

FLAT = 60.0
"""Elo that the height stands for at least, so that noise stays flat."""

WIDTH, HEIGHT, MARGIN = 84.0, 22.0, 3.0


def fits_of(*, ruleset: Ruleset) -> list[Snapshot]:
    """The fits of a leaderboard, the newest first. One query."""
    return list(newest_fits(ruleset))


def trends(*, fits: Sequence[Snapshot], versions: Iterable[int]) -> dict[int, Svg]:
    """A line for each of these versions that stands in two fits at least, by id. One query."""
    chosen = spread([fit.pk for fit in reversed(fits)])
    rows = Rating.objects.filter(snapshot__in=chosen, version__in=list(versions)).order_by("snapshot_id")
    lines: dict[int, list[tuple[int, float]]] = {}
    places = {pk: at for at, pk in enumerate(chosen)}
    for version, snapshot, elo in rows.values_list("version_id", "snapshot_id", "elo"):
        lines.setdefault(version, []).append((places[snapshot], elo))
    return {version: _draw(line, len(chosen)) for version, line in lines.items() if len(line) > 1}


def spread(fits: Sequence[int]) -> list[int]:
    """As many of these as are looked at, the last one among them."""
    if len(fits) <= POINTS:
        return list(fits)
    return [fits[round(at * (len(fits) - 1) / (POINTS - 1))] for at in range(POINTS)]


def _draw(line: Sequence[tuple[int, float]], fits: int) -> Svg:
    values = [elo for _at, elo in line]
    middle, height = (min(values) + max(values)) / 2, max(FLAT, max(values) - min(values))

    def x(at: int) -> float:
        return MARGIN + (WIDTH - 2 * MARGIN) * at / max(1, fits - 1)

    def y(elo: float) -> float:
        return HEIGHT / 2 - (HEIGHT - 2 * MARGIN) * (elo - middle) / height

    points = " ".join(f"{x(at):.1f},{y(elo):.1f}" for at, elo in line)
    last = line[-1]
    label = _("from %(first).0f to %(last).0f") % {"first": values[0], "last": values[-1]}
    parts = [
        el("polyline", points=points, class_="trend-line"),
        el("circle", cx=x(last[0]), cy=y(last[1]), r=2, class_="trend-end"),
    ]
    return picture(WIDTH, HEIGHT, label, parts, "trend")
