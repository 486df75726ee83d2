"""The forms of tournaments by name, and as plain values, to be stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

from arena.pairing.double import DoubleElimination
from arena.pairing.format import Format
from arena.pairing.groups import Groups
from arena.pairing.knockout import SingleElimination
from arena.pairing.model import FormatError
from arena.pairing.round_robin import RoundRobin
from arena.pairing.swiss import Swiss

FORMATS: dict[str, type[RoundRobin | Swiss | SingleElimination | DoubleElimination | Groups]] = {
    "swiss": Swiss,
    "round-robin": RoundRobin,
    "single": SingleElimination,
    "double": DoubleElimination,
    "groups": Groups,
}
"""All forms, by the name under which they are stored and asked for."""


RULES = 1
"""Rises when the same rounds would be drawn or ranked otherwise: what was begun is never ended by other rules."""


def write_format(form: Format) -> dict[str, str | int | None]:
    """A form as plain values, from which `read_format` makes it again."""
    ((name, kind),) = ((name, kind) for name, kind in FORMATS.items() if type(form) is kind)
    return {"format": name, "rules": RULES, **{field.name: getattr(form, field.name) for field in fields(kind)}}


def read_format(values: Mapping[str, object]) -> Format:
    """The form that these values describe. What is not mentioned has its default; of the rules, the newest.

    Raises:
        FormatError: they describe none.
    """
    options = dict(values)
    name = options.pop("format", None)
    rules = options.pop("rules", RULES)
    if rules != RULES:
        raise FormatError(f"this tournament was begun by the rules {rules!r}; this program has the rules {RULES}")
    kind = FORMATS.get(str(name))
    if kind is None:
        raise FormatError(f"there is no tournament of the form {name!r}; there are: {', '.join(FORMATS)}")
    known = {field.name: "None" in str(field.type) for field in fields(kind)}
    for option, value in options.items():
        if option not in known:
            raise FormatError(f"a {name} tournament has no {option!r}; it has: {', '.join(known)}")
        if not (type(value) is int or (value is None and known[option])):
            raise FormatError(f"a {name} tournament's {option} is a whole number, not {value!r}")
    try:
        return kind(**options)  # type: ignore[arg-type]  # just checked
    except TypeError:
        raise FormatError(f"a {name} tournament needs: {', '.join(known)}") from None
