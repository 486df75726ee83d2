"""What authors type about their bots. What is allowed is for the services to say."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from arena.games import GAMES
from webapp.bots.services import MOST_TABLES
from webapp.pages.naming import game_title


def _games() -> list[tuple[str, str]]:
    return [(name, game_title(name)) for name in GAMES]


def _about() -> forms.CharField:
    return forms.CharField(
        label=_("About it"),
        max_length=300,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("A sentence or two for its public page."),
    )


class NewBotForm(forms.Form):
    game = forms.ChoiceField(label=_("Game"), choices=_games)
    name = forms.CharField(
        label=_("Name"),
        min_length=2,
        max_length=40,
        help_text=_("Public, and for good. Letters from A to Z, digits, spaces and the signs . _ -"),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    about = _about()


class SettingsForm(forms.Form):
    about = _about()
    max_tables = forms.IntegerField(
        label=_("Tables at once"),
        min_value=1,
        max_value=MOST_TABLES,
        help_text=_("Your program needs a connection for each of them; the kit's option --tables makes them."),
    )
