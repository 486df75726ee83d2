"""What organisers fill in about tournaments. What is allowed is for the services to say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from webapp.bots.models import Bot
from webapp.bots.selectors import active_bots
from webapp.matches.models import Ruleset
from webapp.matches.own_forms import BotChoice
from webapp.tournaments.models import Tournament
from webapp.tournaments.services import LIMITS, SETTLED

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

FORMS = [
    ("swiss", _("Swiss")),
    ("round-robin", _("round robin")),
    ("single", _("knockout")),
    ("double", _("double elimination")),
    ("groups", _("groups, then a knockout")),
]


def form_words(name: str) -> str:
    """What a form of tournament is called."""
    return str(dict(FORMS).get(name, name))


def _moment(label: StrOrPromise, help_text: StrOrPromise) -> forms.DateTimeField:
    widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")
    return forms.DateTimeField(label=label, required=False, help_text=help_text, widget=widget)


def _number(label: StrOrPromise, field: str, initial: int, help_text: StrOrPromise = "") -> forms.IntegerField:
    low, high = LIMITS[field]
    return forms.IntegerField(label=label, min_value=low, max_value=high, initial=initial, help_text=help_text)


class TournamentForm(forms.Form):
    name = forms.CharField(
        label=pgettext_lazy("tournament", "Name"), max_length=60, widget=forms.TextInput(attrs={"autocomplete": "off"})
    )
    ruleset = forms.ModelChoiceField(label=_("Ruleset"), queryset=Ruleset.objects.order_by("game", "-flagship", "id"))
    form = forms.ChoiceField(label=_("Form"), choices=FORMS)
    most = forms.IntegerField(label=_("Largest table"), min_value=2, max_value=6, initial=2)
    rounds = forms.IntegerField(
        label=_("Rounds"),
        required=False,
        min_value=1,
        max_value=60,
        help_text=_("Swiss: how many there are. Round robin and groups: empty is until everybody has met everybody."),
    )
    advance = forms.IntegerField(
        label=_("How many of each table go on"),
        required=False,
        min_value=1,
        max_value=5,
        help_text=_("In a knockout; empty is one."),
    )
    size = forms.IntegerField(label=_("Size of a group"), required=False, min_value=2, max_value=16)
    qualify = forms.IntegerField(
        label=_("How many of each group go on"), required=False, min_value=1, max_value=8, help_text=_("Empty is two.")
    )
    matches = _number(_("Matches of a series"), "matches", 6)
    move_ms = _number(_("Milliseconds for a move"), "move_ms", 1000)
    bank_ms = _number(_("Milliseconds in the bank"), "bank_ms", 10_000)
    patience_s = _number(
        _("Seconds that a table waits for absent bots"), "patience_s", 120, _("Then it is played without them.")
    )
    most_each = _number(_("Bots that one author may enter"), "most_each", 1)
    fill_top = _number(
        _("Enter the best of the leaderboard at the start"), "fill_top", 0, _("So many bots, beside those entered.")
    )
    deadline = _moment(_("Entries end (UTC)"), _("Empty: when it starts."))
    starts_at = _moment(_("It starts (UTC)"), _("Empty: when an organiser starts it."))
    every = forms.ChoiceField(label=_("Again"), required=False, choices=Tournament.Every.choices)

    def settled(self) -> dict[str, Any]:
        """What is said beside the ruleset and the form."""
        return {name: self.cleaned_data[name] for name in SETTLED}

    def options(self) -> dict[str, int | None]:
        """What is said of the form."""
        return {name: self.cleaned_data[name] for name in ("rounds", "advance", "size", "qualify")}


def initial_of(tournament: Tournament) -> dict[str, Any]:
    """What the form is filled in with to change a tournament."""
    said = {name: getattr(tournament, name) for name in SETTLED}
    form = tournament.form
    chosen = {name: form.get(name) for name in ("most", "rounds", "advance", "size", "qualify")}
    return {**said, **chosen, "ruleset": tournament.ruleset_id, "form": form["format"]}


class EntrantsForm(forms.Form):
    """Bots to be entered by hand."""

    bots = BotChoice(label=_("Bots"), queryset=Bot.objects.none(), widget=forms.CheckboxSelectMultiple)

    def __init__(self, data: Mapping[str, object] | None = None, *, tournament: Tournament) -> None:
        super().__init__(data)
        field = self.fields["bots"]
        assert isinstance(field, BotChoice)
        entered = tournament.entrants.values("bot")
        field.queryset = active_bots(game=tournament.ruleset.game).exclude(pk__in=entered)
