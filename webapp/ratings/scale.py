"""Elo on a common scale: an estimate as a dot, its interval as a bar. The eye compares the overlap."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from django.utils.translation import gettext as _

from webapp.matches.drawing.svg import Svg, el, picture, words

WIDTH, HEIGHT = 320.0, 28.0
MARGIN = 18.0
ANCHOR = 1000.0
"""The rating of the house's anchor bot, by definition."""


class Scale(NamedTuple):
    """From ``low`` to ``high`` Elo, with a line at every ``step``."""

    low: float
    high: float
    step: float

    @classmethod
    def around(cls, intervals: Iterable[tuple[float, float]]) -> Scale:
        """The scale on which all intervals (estimate, half width) can be drawn, the anchor too."""
        found = [(elo - half, elo + half) for elo, half in intervals] or [(ANCHOR, ANCHOR)]
        low = min(ANCHOR, *(low for low, _high in found))
        high = max(ANCHOR, *(high for _low, high in found))
        step = next((s for s in (50, 100, 200, 400, 800) if (high - low) / s <= 4.2), 1600)
        return cls(math.floor(low / step) * step, max(math.ceil(high / step), math.floor(low / step) + 1) * step, step)

    def _x(self, elo: float) -> float:
        return MARGIN + (WIDTH - 2 * MARGIN) * (elo - self.low) / (self.high - self.low)

    def _lines(self, height: float) -> list[Svg]:
        count = round((self.high - self.low) / self.step)
        values = [self.low + self.step * i for i in range(count + 1)]
        return [
            el("line", x1=self._x(v), x2=self._x(v), y1=0, y2=height, class_="anchor-line" if v == ANCHOR else "grid")
            for v in values
        ]

    def axis(self) -> Svg:
        """The numbers over the bars."""
        count = round((self.high - self.low) / self.step)
        values = [self.low + self.step * i for i in range(count + 1)]
        parts = [words(self._x(v), 14, f"{v:.0f}", "x-soft") for v in values]
        return picture(WIDTH, 20, _("Elo"), parts, "elo-axis")

    def bar(self, elo: float, half_width: float, *, settled: bool) -> Svg:
        """One rating."""
        y = HEIGHT / 2
        left, right = self._x(elo - half_width), self._x(elo + half_width)
        parts = self._lines(HEIGHT)
        if half_width:
            parts.append(el("rect", x=left, y=y - 3, width=max(1.0, right - left), height=6, rx=3, class_="interval"))
        parts.append(el("circle", cx=self._x(elo), cy=y, r=3.5, class_="estimate" if settled else "estimate-open"))
        label = _("%(elo).0f, from %(low).0f to %(high).0f") % {
            "elo": elo,
            "low": elo - half_width,
            "high": elo + half_width,
        }
        return picture(WIDTH, HEIGHT, label, parts, "elo-bar")
