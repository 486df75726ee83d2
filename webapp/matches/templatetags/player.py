"""The signs on the buttons of a replay: drawn, since fonts draw arrows as they like."""

from __future__ import annotations

from django import template

from webapp.matches.drawing.svg import Svg, el

register = template.Library()

ICONS = {
    "first": "M5 4v12M15 4l-7 6 7 6z",
    "round-before": "M10 4l-6 6 6 6M16 4l-6 6 6 6",
    "previous": "M12.5 4l-6 6 6 6",
    "next": "M7.5 4l6 6-6 6",
    "round-after": "M4 4l6 6-6 6M10 4l6 6-6 6",
    "last": "M15 4v12M5 4l7 6-7 6z",
    "mark-before": "M7 4.5l-5 5.5 5 5.5M14 5.5l4.5 4.5-4.5 4.5-4.5-4.5z",
    "mark-after": "M13 4.5l5 5.5-5 5.5M6 5.5l-4.5 4.5 4.5 4.5 4.5-4.5z",
    "full": "M3 7.5V3h4.5M12.5 3H17v4.5M17 12.5V17h-4.5M7.5 17H3v-4.5",
    "keys": "M2.5 5h15v10h-15zM6 8.5h.01M10 8.5h.01M14 8.5h.01M6.5 12h7",
}


@register.simple_tag
def icon(name: str) -> Svg:
    """The sign of this name; the button says in words what it does."""
    return el("svg", el("path", d=ICONS[name]), viewBox="0 0 20 20", aria_hidden="true", class_="icon")
