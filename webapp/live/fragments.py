"""What all spectators ask for at about the same moment is made once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import wraps
from typing import Any, cast

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers

SECONDS = 1

_PERSONAL = {settings.SESSION_COOKIE_NAME, CookieStorage.cookie_name}
"""Cookies upon which an answer may depend, beside that of the language."""


def once_a_second(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Answers of this view to pages that look again are kept for a second, for those who are not signed in.

    What somebody with a session sees is his own, and so is what one is told who has none any more, and an answer that
    sets a cookie.
    """

    @wraps(view)
    def shared(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        again = request.method == "GET" and request.headers.get("HX-Request") == "true"
        if not again or _PERSONAL & request.COOKIES.keys():
            return view(request, *args, **kwargs)
        asker = request.headers.get("HX-Trigger", "")
        asked = f"{request.get_host()} {getattr(request, 'LANGUAGE_CODE', '')} {request.get_full_path()} {asker}"
        key = f"once:{hashlib.sha256(asked.encode()).hexdigest()}"
        kept = cache.get(key)
        if kept is not None:
            patch_vary_headers(kept, ["HX-Request", "Cookie"])
            return cast(HttpResponse, kept)
        response = view(request, *args, **kwargs)
        if response.status_code in (200, 204) and not response.cookies and not response.streaming:
            cache.set(key, response, SECONDS)
        return response

    return shared
