"""Sentences that the titles of all games need."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.utils.translation import gettext as _

from arena.rules import Outcome


def listed(names: Sequence[str]) -> str:
    """Names in a row: ``a, b and c``."""
    if len(names) < 2:
        return "".join(names)
    return _("%(most)s and %(last)s") % {"most": ", ".join(names[:-1]), "last": names[-1]}


def winners(outcome: Outcome) -> list[int]:
    """The seats on the first place."""
    return [seat for seat, place in enumerate(outcome.places) if place == 1]


def won(outcome: Outcome, names: Sequence[str], how: str) -> str:
    """Who won, and how, in one line."""
    who = listed([names[seat] for seat in winners(outcome)])
    line = (
        _("%(winners)s share the first place: %(how)s") if len(winners(outcome)) > 1 else _("%(winners)s wins: %(how)s")
    )
    return line % {"winners": who, "how": how}


class Told(NamedTuple):
    """A line of the story, and what stands under it."""

    text: str
    notes: tuple[str, ...] = ()
