"""What people type about their accounts."""

from __future__ import annotations

from allauth.account.forms import AddEmailForm as AllauthAddEmailForm
from allauth.account.forms import SignupForm as AllauthSignupForm
from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from webapp.accounts.addresses import is_banned
from webapp.accounts.models import User


def _not_banned(address: str) -> str:
    if is_banned(address):
        raise ValidationError(_now("This address cannot be used here. Write to the organisers if you think it should."))
    return address


class SignupForm(AllauthSignupForm):  # type: ignore[misc]  # allauth is not typed
    """Signing up, for all but those who are banned."""

    def clean_email(self) -> str:
        """The address, if it may be used."""
        return _not_banned(super().clean_email())

    def try_save(self, request: HttpRequest) -> tuple[User | None, HttpResponse | None]:
        """The new account; or the answer to who is the second of two that take a name at the same moment."""
        try:
            with transaction.atomic():
                made: tuple[User | None, HttpResponse | None] = super().try_save(request)
                return made
        except IntegrityError:
            messages.error(request, _now("A user with that username already exists."))
            return None, redirect("account_signup")


class AddEmailForm(AllauthAddEmailForm):  # type: ignore[misc]  # allauth is not typed
    """Another address for an account."""

    def clean_email(self) -> str:
        """The address, if it may be used."""
        return _not_banned(super().clean_email())


class DeleteForm(forms.Form):
    password = forms.CharField(
        label=_("Your password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )
