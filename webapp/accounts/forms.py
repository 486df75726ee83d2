"""What people type about their accounts."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _


class DeleteForm(forms.Form):
    password = forms.CharField(
        label=_("Your password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )
