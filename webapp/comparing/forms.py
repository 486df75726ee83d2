"""What an author asks for."""

from __future__ import annotations

from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from webapp.bots.models import Bot, Version
from webapp.comparing import selectors
from webapp.comparing.services import DIFFERENCES, WORKING
from webapp.matches.models import Ruleset


class _Numbered(forms.ModelChoiceField):  # type: ignore[type-arg]
    def label_from_instance(self, obj: Any) -> str:
        return gettext("version %(n)d") % {"n": obj.number}


class _Preset(forms.ModelChoiceField):  # type: ignore[type-arg]
    def label_from_instance(self, obj: Any) -> str:
        return str(obj.preset)


def _differences() -> list[tuple[str, str]]:
    return [(f"{elo:g}", gettext("%(n)d Elo") % {"n": elo}) for elo in DIFFERENCES]


class StartForm(forms.Form):
    """Which version, against which, by which rules, and what counts as better."""

    new = _Numbered(Version.objects.none(), label=_("Is this version better"), empty_label=None)
    old = _Numbered(Version.objects.none(), label=_("than this one"), empty_label=None)
    ruleset = _Preset(Ruleset.objects.none(), label=_("Rules"), empty_label=None)
    elo1 = forms.TypedChoiceField(
        label=_("by at least"),
        coerce=float,
        initial="20",
        choices=_differences,
    )

    def __init__(self, *args: Any, bot: Bot, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        shown = bot.versions.filter(state__in=WORKING, source__isnull=False).defer("source").order_by("-number")
        self._offer("new", shown)
        self._offer("old", shown)
        self._offer("ruleset", selectors.rulesets_of(bot=bot))

    def _offer(self, name: str, rows: QuerySet[Any]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = rows
