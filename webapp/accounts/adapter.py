"""Where the site has a word in what allauth does."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest, HttpResponse

from webapp.accounts import addresses
from webapp.accounts.models import User


class Adapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth is not typed
    """Remembers from which address an account was signed in to, as a print."""

    def post_login(self, request: HttpRequest, user: User, **more: Any) -> HttpResponse:
        """Signing up signs in, so that both come by here."""
        addresses.note_sign_in(user=user, address=addresses.client_address(request))
        answer: HttpResponse = super().post_login(request, user, **more)
        return answer
