"""The part of the style sheet that pictures of tables need, for a renderer that knows no variables."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

SHEET = Path(__file__).parents[1] / "pages/static/site/site.css"


@cache
def colours() -> dict[str, str]:
    """The tokens of the style sheet by name, in the light."""
    root = _between(SHEET.read_text(), ":root {", "}")
    return dict(re.findall(r"--([a-z0-9-]+): ([^;]+);", root))


@cache
def felt_style() -> str:
    """The rules of what lies on the felt, with the values of their variables."""
    rules = _between(SHEET.read_text(), "/* ---- felt ---- */", "/* ----")
    known = colours()
    return re.sub(r"var\(--([a-z0-9-]+)\)", lambda found: known[found[1]], rules)


def _between(text: str, start: str, end: str) -> str:
    _before, found, rest = text.partition(start)
    inner, ended, _after = rest.partition(end)
    if not found or not ended:
        raise LookupError(f"the style sheet has no {start}")
    return inner
