"""What reporters and organisers type. What is allowed is for the services to say."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from webapp.moderation.models import Report
from webapp.moderation.services import LONGEST_TEXT


class ReportForm(forms.Form):
    category = forms.ChoiceField(
        label=_("What is it?"), choices=Report.Category.choices, widget=forms.RadioSelect, initial=Report.Category.OTHER
    )
    text = forms.CharField(
        label=_("In your words"),
        max_length=LONGEST_TEXT,
        required=False,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text=_("What should the organisers look at, and where do they see it? Only they read this."),
    )


class ResolveForm(forms.Form):
    state = forms.ChoiceField(
        label=_("What was done"),
        choices=[(state.value, state.label) for state in (Report.State.ACTED, Report.State.DISMISSED)],
        widget=forms.RadioSelect,
    )
    note = forms.CharField(
        label=_("Note"),
        max_length=LONGEST_TEXT,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("For the other organisers: what was found and done. Who reported it sees only the line above."),
    )


class ReasonForm(forms.Form):
    reason = forms.CharField(label=_("Reason"), max_length=300, widget=forms.Textarea(attrs={"rows": 2}))


class LinkForm(forms.Form):
    other = forms.CharField(
        label=_("The other account"), max_length=30, widget=forms.TextInput(attrs={"autocomplete": "off"})
    )
    note = forms.CharField(label=_("How this is known"), max_length=300, widget=forms.Textarea(attrs={"rows": 2}))


class RenameForm(forms.Form):
    name = forms.CharField(
        label=_("Another name"), max_length=40, widget=forms.TextInput(attrs={"autocomplete": "off"})
    )
