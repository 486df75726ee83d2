"""What authors type about their bots. What is allowed is for the services to say."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from arena.games import GAMES
from arena.package import MOST_SOURCE
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


def _name() -> forms.CharField:
    return forms.CharField(
        label=_("Name"),
        min_length=2,
        max_length=40,
        help_text=_("Public, and for good. Letters from A to Z, digits, spaces and the signs . _ -"),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )


class NewBotForm(forms.Form):
    game = forms.ChoiceField(label=_("Game"), choices=_games)
    name = _name()
    about = _about()


class SubmissionForm(forms.Form):
    """A bot that is handed in: a file, or else what stands in the editor."""

    source = forms.CharField(
        label=_("Its source"),
        strip=False,
        required=False,
        max_length=MOST_SOURCE,
        help_text=_("Tab indents. To leave the editor with the keyboard, press Escape and then Tab."),
        widget=forms.Textarea(
            attrs={"rows": 22, "class": "editor", "spellcheck": "false", "autocapitalize": "off", "autocomplete": "off"}
        ),
    )
    file = forms.FileField(
        label=_("Or a file"),
        required=False,
        allow_empty_file=True,
        help_text=_("A .py file, or a .zip with bot.py in it. It is taken instead of what stands above."),
        widget=forms.ClearableFileInput(attrs={"accept": ".py,.zip"}),
    )

    content = b""
    filename = "bot.py"

    def clean(self) -> dict[str, Any]:
        """Sets ``content`` and ``filename`` to what is handed in."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        file = cleaned.get("file")
        if file is not None:
            self.content, self.filename = file.read(), file.name
        elif cleaned.get("source", "").strip():
            # browsers end lines as no file does
            self.content = cleaned["source"].replace("\r\n", "\n").encode()
        elif not self.errors:
            raise forms.ValidationError(_("Write a bot into the editor, or choose a file."))
        return cleaned


class NewSubmissionForm(SubmissionForm):
    name = _name()
    field_order = ["name", "source", "file"]


class AboutForm(forms.Form):
    about = _about()


class SettingsForm(AboutForm):
    max_tables = forms.IntegerField(
        label=_("Tables at once"),
        min_value=1,
        max_value=MOST_TABLES,
        help_text=_("Your program needs a connection for each of them; the kit's option --tables makes them."),
    )
