"""What a person chooses before a table is laid."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from arena.games import GAMES, find_game
from webapp.bots.models import Version
from webapp.matches.models import Ruleset
from webapp.matches.rulesets import rules_of
from webapp.people import selectors
from webapp.people.services import MOST_SEATS

PACE_WORDS = (("easy", _("two minutes a move")), ("quick", _("half a minute a move")))

SEATS = 3
"""How many sit at a table unless somebody chooses otherwise."""


class TableForm(forms.Form):
    """Which rules, how many at the table, whom against, how fast; all of one game."""

    preset = forms.ChoiceField(label=_("Rules"))
    seats = forms.TypedChoiceField(label=_("At the table"), coerce=int)
    opponent = forms.ChoiceField(label=_("Against"), required=False)
    pace = forms.ChoiceField(label=_("Pace"), choices=PACE_WORDS)

    def __init__(self, game: str, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data)
        self.game = game
        self.rows = {row.preset: row for row in selectors.presets(game=game)}
        self.versions = selectors.opponents(game=game)
        known = {preset.name: preset.summary for preset in find_game(game).presets}
        named = [(name, f"{name}: {_summary(known.get(name, ''))}") for name in self.rows]
        mixed = ("", _("a mixed table of the house's bots"))
        against = [mixed, *((str(one.pk), one.bot.name) for one in self.versions)]
        _choice(self.fields["preset"]).choices = named
        _choice(self.fields["seats"]).choices = [
            (size, str(size)) for size in GAMES[game].players if size <= MOST_SEATS
        ]
        _choice(self.fields["opponent"]).choices = against
        self.fields["seats"].initial = SEATS
        self.fields["pace"].initial = "easy"

    def clean(self) -> dict[str, Any]:
        """The size has to be one of the rules'."""
        cleaned: dict[str, Any] = super().clean() or {}
        row, seats = self.rows.get(cleaned.get("preset", "")), cleaned.get("seats")
        if row is not None and seats is not None and seats not in sizes(row):
            low, high = sizes(row)[0], sizes(row)[-1]
            size = str(low) if low == high else f"{low}–{high}"
            self.add_error("seats", _("These rules are for a table of %(size)s.") % {"size": size})
        return cleaned

    def row(self) -> Ruleset:
        """The rules that were chosen."""
        return self.rows[self.cleaned_data["preset"]]

    def opponents(self) -> list[Version]:
        """Who sits down with the person; a bot may have several seats."""
        others = int(self.cleaned_data["seats"]) - 1
        chosen = [one for one in self.versions if str(one.pk) == self.cleaned_data["opponent"]]
        if chosen:
            return chosen * others
        house = sorted((one for one in self.versions if one.bot.house), key=lambda one: _order(one.bot.name))
        return [house[number % len(house)] for number in range(others)] if house else []


def sizes(row: Ruleset) -> range:
    """The table sizes of a ruleset."""
    return rules_of(row).players


MIXED = ("calculator", "observer", "honest", "equilibrium", "random")
"""Who of the house sits down first at a mixed table."""


def _order(name: str) -> int:
    return MIXED.index(name) if name in MIXED else len(MIXED)


def _summary(text: str) -> str:
    return gettext(text) if text else ""


def _choice(field: forms.Field) -> forms.ChoiceField:
    assert isinstance(field, forms.ChoiceField)
    return field
