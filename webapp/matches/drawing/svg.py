"""SVG as text: what is no `Svg` already is text, and is escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

Attribute = str | int | float | None


class Svg(str):
    """A piece of markup. Templates take it as it is, by its ``__html__``."""

    __slots__ = ()

    def __html__(self) -> str:
        return self


def el(tag: str, *children: str, **attributes: Attribute) -> Svg:
    """One element. ``class_`` writes ``class``, an underscore a hyphen; what is None is left out.

    >>> el("circle", r=2.50, class_="coin")
    '<circle r="2.5" class="coin"/>'
    >>> el("text", "a < b")
    '<text>a &lt; b</text>'
    """
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    inner = "".join(child if isinstance(child, Svg) else escape(child) for child in children)
    return Svg(f"<{tag}{written}>{inner}</{tag}>" if inner else f"<{tag}{written}/>")


def words(x: float, y: float, content: str, class_: str, anchor: str = "middle") -> Svg:
    """A line of text with its baseline at ``y``."""
    return el("text", content, x=x, y=y, class_=class_, text_anchor=anchor)


def picture(width: float, height: float, label: str, parts: Iterable[Svg], class_: str, *, top: float = 0) -> Svg:
    """The whole: an image with a name for those who do not see it."""
    return el(
        "svg",
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 {_number(top)} {_number(width)} {_number(height)}",
        role="img",
        aria_label=label,
        class_=class_,
    )


def short(text: str, width: float, size: float) -> str:
    """``text`` cut to about ``width``, at a letter size of ``size``.

    >>> short("calculator", 40, 14)
    'calc…'
    """
    room = max(2, int(width / (size * 0.56)))
    return text if len(text) <= room else text[: room - 1].rstrip() + "…"


def _value(value: Attribute) -> str:
    return escape(value) if isinstance(value, str) else _number(value or 0)


def _number(value: float) -> str:
    return f"{round(value, 1):g}"
