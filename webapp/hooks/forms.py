"""What a new hook needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from webapp.bots.models import Bot
from webapp.hooks.addresses import LONGEST
from webapp.pages.naming import game_title
from webapp.tournaments.models import Tournament


class HookForm(forms.Form):
    """What to tell, and where to."""

    about = forms.ChoiceField(label=_("What to tell"))
    url = forms.CharField(
        label=_("Address"),
        max_length=LONGEST,
        widget=forms.URLInput(attrs={"placeholder": "https://", "autocomplete": "off"}),
    )

    def __init__(self, *args: Any, bots: Sequence[Bot], tournaments: Sequence[Tournament], **more: Any) -> None:
        super().__init__(*args, **more)
        self._about: dict[str, Bot | Tournament] = {f"bot-{bot.pk}": bot for bot in bots}
        self._about |= {f"tournament-{row.pk}": row for row in tournaments}
        self.fields["about"].choices = [  # type: ignore[attr-defined]
            *((f"bot-{bot.pk}", f"{bot.name}, {game_title(bot.game)}") for bot in bots),
            *((f"tournament-{row.pk}", row.name) for row in tournaments),
        ]

    def clean_about(self) -> Bot | Tournament:
        """The bot or the tournament."""
        return self._about[self.cleaned_data["about"]]
