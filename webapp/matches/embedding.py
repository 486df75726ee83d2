"""What is shown within pages of others: it reads no cookie and sets none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.utils.translation.trans_real import get_supported_language_variant, parse_accept_lang_header


def _language(request: HttpRequest) -> str:
    """From the address (``?language=uk``), else what the browser asks for."""
    accepted = (code for code, _share in parse_accept_lang_header(request.headers.get("Accept-Language", "").lower()))
    for code in (request.GET.get("language", ""), *accepted):
        try:
            return get_supported_language_variant(code)
        except LookupError:
            continue
    return settings.LANGUAGE_CODE


@contextmanager
def language_of(request: HttpRequest) -> Iterator[str]:
    """Speak the language of whoever looks, without the cookie of his choice."""
    language = _language(request)
    with translation.override(language):
        yield language


def without_reader(response: HttpResponse, language: str) -> HttpResponse:
    """Say that the answer depends on nothing but its address and the languages that a browser asks for."""
    response["Content-Language"] = language
    patch_vary_headers(response, ["Accept-Language"])
    return response
