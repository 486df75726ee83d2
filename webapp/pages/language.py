"""Which language a page speaks, and the choice of it."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.middleware.locale import LocaleMiddleware
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.views.decorators.csrf import csrf_exempt
from django.views.i18n import set_language

ENGLISH_ONLY = ("/api/", "/admin/")
"""What programs read speaks one language, and the organisers' tables have no texts of ours but English ones."""


class LanguageMiddleware(LocaleMiddleware):
    """By the cookie of the visitor's choice, else by what the browser asks for. An address has no language of its own:
    a link that one sends to somebody opens in the language of who opens it.
    """

    def process_request(self, request: HttpRequest) -> None:
        if request.path_info.startswith(ENGLISH_ONLY):
            translation.activate(settings.LANGUAGE_CODE)
            request.LANGUAGE_CODE = settings.LANGUAGE_CODE
        else:
            super().process_request(request)

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if request.path_info.startswith(ENGLISH_ONLY):
            response.headers.setdefault("Content-Language", settings.LANGUAGE_CODE)
            return response
        if response.has_header("Content-Language"):
            return response  # its language stands in the address
        # Also where nobody asked for a session: the cookie decides before the header does.
        patch_vary_headers(response, ("Cookie",))
        return super().process_response(request, response)


# Without a token against forged requests: it would give every reader a cookie, and all that somebody could forge is the
# language that a reader sees.
choose = csrf_exempt(set_language)
