"""Reads how bots play, and draws it: one against all others on its leaderboard."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from django.db.models import Case, Q, When
from django.utils.translation import gettext as _

from webapp.bots.models import Version
from webapp.matches.drawing.svg import Svg, el, picture
from webapp.matches.models import Ruleset
from webapp.ratings.selectors import SHOWN
from webapp.style.measures import LEAST, MEASURES, SHARES, Measure
from webapp.style.models import Tally

FIELD = 300
"""Bots that one is shown against: those that have played most."""

OPTIMAL = "equilibrium"
"""The house's bot that plays for two as well as can be: where it stands is marked."""

MOST_SHARES = 4

WIDTH, HEIGHT, MARGIN = 320.0, 26.0, 8.0


class Strip(NamedTuple):
    """One measure of one or two bots, against the field."""

    name: str
    of: str
    values: tuple[float | None, ...]
    field: float | None
    """The median of the others."""
    best: float | None
    """What the house's equilibrium does; None where it is not among the others, or has done it too rarely."""
    mean: bool
    picture: Svg


class Frequent(NamedTuple):
    """What is done most often of several things."""

    name: str
    shares: tuple[tuple[str, float], ...]


class Style(NamedTuple):
    """How one bot plays, or two."""

    ruleset: Ruleset
    strips: tuple[Strip, ...]
    frequent: tuple[Frequent, ...]
    """Of the first bot."""
    matches: int
    others: int
    optimal: bool
    """Is the house's equilibrium among the others?"""


def style_of(*, ruleset: Ruleset, versions: Sequence[Version]) -> Style | None:
    """How these versions play on a leaderboard; None before it was counted. One query, however much was played."""
    wanted = [version.pk for version in versions]
    shown = Q(version__in=wanted) | Q(version__active_for__state__in=SHOWN)
    mine = Case(When(version__in=wanted, then=0), default=1)
    rows = Tally.objects.filter(shown, ruleset=ruleset).select_related("version__bot").defer("version__source")
    found = list(rows.order_by(mine, "-matches", "id")[: FIELD + len(wanted)])
    own = {one.version_id: one for one in found if one.version_id in wanted}
    sums = [dict(own[version.pk].sums) if version.pk in own else {} for version in versions]
    if not any(sums):
        return None
    field = [(one.sums, one.version.bot) for one in found if one.version_id not in wanted]
    optimal = next((sums for sums, bot in field if bot.house and bot.name == OPTIMAL), None)
    strips = tuple(
        strip
        for measure in MEASURES[ruleset.game]
        if (strip := _strip(measure, sums, [others for others, _bot in field], optimal)) is not None
    )
    if not strips:
        return None
    frequent = tuple(_frequent(sums[0], *what) for what in SHARES[ruleset.game] if sums[0].get(what[1], 0) >= LEAST)
    matches = own[versions[0].pk].matches if versions[0].pk in own else 0
    return Style(ruleset, strips, frequent, matches, len(field), optimal is not None)


def _strip(
    measure: Measure,
    sums: Sequence[Mapping[str, int]],
    field: Sequence[Mapping[str, int]],
    optimal: Mapping[str, int] | None,
) -> Strip | None:
    values = tuple(measure.of_sums(one) for one in sums)
    if all(value is None for value in values):
        return None
    others = sorted(value for one in field if (value := measure.of_sums(one)) is not None)
    best = measure.of_sums(optimal) if optimal is not None else None
    middle = statistics.median(others) if others else None
    drawn = _draw(measure, values, others, best, middle)
    return Strip(str(measure.name), str(measure.of), values, middle, best, measure.mean, drawn)


def _frequent(sums: Mapping[str, int], prefix: str, whole: str, name: object) -> Frequent:
    found = sorted(
        ((number / sums[whole], key.removeprefix(prefix)) for key, number in sums.items() if key.startswith(prefix)),
        key=lambda one: (-one[0], one[1]),
    )
    return Frequent(str(name), tuple((what, share) for share, what in found[:MOST_SHARES]))


# ---- drawing -------------------------------------------------------------------------------------


def _draw(
    measure: Measure,
    values: Sequence[float | None],
    others: Sequence[float],
    best: float | None,
    middle: float | None,
) -> Svg:
    known = [value for value in values if value is not None]
    most = max([*known, *others, 1.0]) if measure.mean else 1.0
    y = HEIGHT / 2

    def x(value: float) -> float:
        return MARGIN + (WIDTH - 2 * MARGIN) * value / most

    parts = [el("line", x1=MARGIN, x2=WIDTH - MARGIN, y1=y, y2=y, class_="grid")]
    if len(others) >= 4:
        low, _middle, high = statistics.quantiles(others, n=4)
        parts.append(el("rect", x=x(low), y=y - 5, width=max(1.0, x(high) - x(low)), height=10, class_="strip-band"))
    if others:
        ticks = "".join(f"M{x(value):.1f} {y - 5:g}v10" for value in others)
        parts.append(el("path", d=ticks, class_="strip-other"))
    if middle is not None:
        parts.append(el("line", x1=x(middle), x2=x(middle), y1=y - 9, y2=y + 9, class_="strip-middle"))
    if best is not None:
        at = x(best)
        parts.append(el("path", d=f"M{at - 4:.1f} {HEIGHT - 1:g}l4 -7l4 7z", class_="strip-best"))
    for number, value in enumerate(values):
        if value is not None:
            parts.append(el("circle", cx=x(value), cy=y, r=5.5, class_="strip-own" if number == 0 else "strip-second"))
    said = ", ".join(_told(value, mean=measure.mean) for value in values)
    label = _("%(name)s: %(values)s; the field %(field)s") % {
        "name": measure.name,
        "values": said,
        "field": _told(middle, mean=measure.mean),
    }
    if best is not None:
        label += f"; {OPTIMAL} {_told(best, mean=measure.mean)}"
    return picture(WIDTH, HEIGHT, label, parts, "strip-style")


def _told(value: float | None, *, mean: bool) -> str:
    if value is None:
        return "–"
    return f"{value:.1f}" if mean else f"{100 * value:.0f} %"
