"""The picture of a link: the table as it was at a moment, 1200 by 630, with a title."""

from __future__ import annotations

import re
import textwrap

import resvg_py
from fontpkg_noto_sans import ROOT

from webapp.matches.drawing.svg import Svg, el, words
from webapp.previews.style import colours, felt_style

WIDTH, HEIGHT = 1200, 630

_FONT = str(ROOT / "files" / "NotoSans[wdth,wght].ttf")
_FAMILY = "Noto Sans"

_EDGE = 56
_TITLE = 42.0
_STEP = 52.0
_LINE = 26.0
_WIDE = 0.56
"""How wide a letter is on the average, in sizes."""

_STYLE = """
text { font-family: "Noto Sans"; }
.p-title { fill: #fff; font-weight: 600; }
.p-line { fill: #f5efe1; fill-opacity: 0.82; }
.p-mark { fill: #f5efe1; font-weight: 600; }
.p-dot { fill: #dcae52; }
"""


def draw(*, title: str, line: str, table: Svg) -> Svg:
    """The picture as SVG.

    Args:
        title: what it shows; two lines at most, the rest is cut.
        line: of what game.
        table: a drawing of the felt.
    """
    rows = _wrapped(title, WIDTH - 2 * _EDGE)
    top = 70.0
    heading = [
        el("text", row, x=_EDGE, y=top + _STEP * index, class_="p-title", font_size=_TITLE)
        for index, row in enumerate(rows)
    ]
    under = top + _STEP * (len(rows) - 1) + 42
    room = HEIGHT - under - 16
    mark = el(
        "text",
        Svg('Bluff<tspan class="p-dot">·</tspan>Arena'),
        x=WIDTH - _EDGE,
        y=under,
        class_="p-mark",
        text_anchor="end",
        font_size=_LINE,
    )
    known = colours()
    glow = el(
        "radialGradient",
        el("stop", offset="0", stop_color=known["felt-in"]),
        el("stop", offset="1", stop_color=known["felt-out"]),
        id="felt",
        cx="50%",
        cy="55%",
        r="62%",
    )
    return el(
        "svg",
        el("style", Svg(felt_style() + _STYLE)),
        el("defs", glow),
        el("rect", width=WIDTH, height=HEIGHT, fill="url(#felt)"),
        *heading,
        _sized(words(_EDGE, under, line, "p-line", "start")),
        mark,
        _placed(table, under + 2, room),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
    )


def png(picture: Svg) -> bytes:
    """The picture as PNG. No font of the machine is used: it is the same everywhere."""
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=picture,
            skip_system_fonts=True,
            font_files=[_FONT],
            font_family=_FAMILY,
            sans_serif_family=_FAMILY,
            width=WIDTH,
            height=HEIGHT,
        )
    )


def _sized(line: Svg) -> Svg:
    return Svg(line.replace("<text ", f'<text font-size="{_LINE:g}" ', 1))


def _placed(table: Svg, top: float, room: float) -> Svg:
    """The drawing as large as it can be, in the middle of the room that is left."""
    box = re.search(r'viewBox="([^"]+)"', table)
    assert box is not None
    _left, _top, width, height = map(float, box[1].split())
    scale = min((WIDTH - _EDGE) / width, room / height)
    place = f'<svg x="{(WIDTH - width * scale) / 2:.1f}" y="{top:.1f}" width="{width * scale:.1f}" '
    return Svg(table.replace("<svg ", f'{place}height="{height * scale:.1f}" ', 1))


def _wrapped(text: str, width: float) -> list[str]:
    """One line, or two that are about as long."""
    most = int(width / (_TITLE * _WIDE))
    if len(text) <= most:
        return [text]
    # the shortest lines into which all of it goes, else what there is room for
    rows = next((rows for room in range(len(text) // 2, most + 1) if len(rows := textwrap.wrap(text, room)) <= 2), None)
    return rows or textwrap.wrap(text, most, max_lines=2, placeholder=" …")
