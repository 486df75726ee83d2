"""What organisers fill in about rulesets. What is allowed is for the rules and the services to say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from django import forms
from django.forms.boundfield import BoundField
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from arena.rules import AnyGame, Option, Value
from webapp.bots.models import Bot
from webapp.bots.selectors import active_bots
from webapp.matches.models import Ruleset
from webapp.matches.own_rulesets import LONGEST_TITLE, MOST_MATCHES

LONGEST_ID = 18
"""Digits of a bot's number: all that are no longer fit into a row."""


class Choice(NamedTuple):
    """An option beside the field in which it is chosen."""

    option: Option
    field: BoundField


def field_of(option: str) -> str:
    """The name of an option's field: an option may be called like anything else that a form holds."""
    return f"option_{option}"


class RulesetForm(forms.Form):
    """A field for every option of a game, and a title."""

    title = forms.CharField(
        label=gettext_lazy("Title"),
        required=False,
        max_length=LONGEST_TITLE,
        help_text=gettext_lazy("Public, and not needed: without one the ruleset goes by its options alone."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )

    def __init__(self, data: Mapping[str, object] | None, *, game: AnyGame, values: Mapping[str, Value]) -> None:
        super().__init__(data)
        self.game = game
        for option in game.options:
            # any text is taken here, so that the rules can say what is wrong with it
            self.fields[field_of(option.name)] = forms.CharField(
                label=option.name, required=False, initial=values[option.name], widget=_widget(option)
            )

    def choices(self) -> Iterator[Choice]:
        """The options in their order, each with its field."""
        return (Choice(option, self[field_of(option.name)]) for option in self.game.options)

    def options(self) -> dict[str, object]:
        """What was chosen, as text, by option."""
        return {option.name: self.cleaned_data[field_of(option.name)] for option in self.game.options}


def _widget(option: Option) -> forms.Widget:
    if option.words:
        return forms.Select(choices=[(word, word) for word in option.words])
    return forms.NumberInput(attrs={"min": option.low, "max": option.high})


class TitleForm(forms.Form):
    title = forms.CharField(label=gettext_lazy("Title"), required=False, max_length=LONGEST_TITLE)


class BotChoice(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]
    """Bots, each with what keeps it from sitting down now."""

    def clean(self, value: Any) -> Any:
        """The bots. A number that no database can have is no choice: Django would ask the database for it."""
        for said in value if isinstance(value, (list, tuple)) else ():
            if len(str(said)) > LONGEST_ID:
                message = self.error_messages["invalid_choice"]
                raise forms.ValidationError(message, code="invalid_choice", params={"value": said})
        return super().clean(value)

    def label_from_instance(self, obj: object) -> str:
        assert isinstance(obj, Bot)
        away = obj.kind == Bot.Kind.REMOTE and not obj.lines  # type: ignore[attr-defined]  # annotated
        return _("%(bot)s (not connected, or at another table)") % {"bot": obj.name} if away else obj.name


class ExhibitionForm(forms.Form):
    bots = BotChoice(
        label=gettext_lazy("Bots"),
        queryset=Bot.objects.none(),
        widget=forms.CheckboxSelectMultiple,
    )
    planned = forms.IntegerField(
        label=gettext_lazy("Matches"),
        min_value=1,
        max_value=MOST_MATCHES,
        initial=6,
        help_text=gettext_lazy("The seats are rotated from match to match."),
    )

    def __init__(self, data: Mapping[str, object] | None = None, *, ruleset: Ruleset) -> None:
        super().__init__(data)
        field = self.fields["bots"]
        assert isinstance(field, BotChoice)
        field.queryset = active_bots(game=ruleset.game)
