"""How a test went: the LLR after every block, between the two bounds at which it ends."""

from __future__ import annotations

from django.utils.translation import gettext as _

from webapp.comparing.models import Comparison
from webapp.matches.drawing.svg import Svg, el, picture, words

WIDTH, HEIGHT = 640.0, 230.0
LEFT, RIGHT, TOP, BOTTOM = 52.0, 14.0, 26.0, 30.0
ROOM = 0.35
"""Of LLR, beyond the bounds."""


def draw(found: Comparison) -> Svg:
    """The picture of a comparison."""
    question = found.question
    path = [(0.0, 0.0), *((float(matches), float(llr)) for matches, llr in found.path)]
    low = min(question.lower - ROOM, *(llr for _matches, llr in path))
    high = max(question.upper + ROOM, *(llr for _matches, llr in path))
    most = max(40.0, path[-1][0])

    def x(matches: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * matches / most

    def y(llr: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (llr - low) / (high - low)

    parts = [el("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y(0), y2=y(0), class_="grid")]
    for bound, kind, text in (
        (question.upper, "bound-better", _("better")),
        (question.lower, "bound-not", _("not better")),
    ):
        parts.append(el("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y(bound), y2=y(bound), class_=kind))
        parts.append(words(LEFT + 6, y(bound) - 6 if bound > 0 else y(bound) + 16, text, "x-soft", "start"))
        parts.append(words(LEFT - 8, y(bound) + 4, f"{bound:.1f}".replace("-", "\N{MINUS SIGN}"), "x-soft", "end"))
    parts.append(words(LEFT - 8, y(0) + 4, "0", "x-soft", "end"))
    drawn = " ".join(f"{x(matches):.1f},{y(llr):.1f}" for matches, llr in path)
    parts.append(el("polyline", points=drawn, class_="course-line"))
    parts.append(el("circle", cx=x(path[-1][0]), cy=y(path[-1][1]), r=4, class_="estimate"))
    parts.append(words(WIDTH - RIGHT, HEIGHT - 8, _("%(n)d matches") % {"n": most}, "x-soft", "end"))
    label = _("LLR %(llr).2f, between %(low).2f and %(high).2f") % {
        "llr": path[-1][1],
        "low": question.lower,
        "high": question.upper,
    }
    return picture(WIDTH, HEIGHT, label, parts, "course llr")
