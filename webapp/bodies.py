"""No request may bring more than the largest upload: refused by what it announces, before any of it is read."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from arena.package import MOST_BYTES


def refuse_large_bodies(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """A middleware. It stands before all that reads a form, as the protection against CSRF does."""

    def answer(request: HttpRequest) -> HttpResponse:
        if request.META.get("HTTP_TRANSFER_ENCODING"):
            # its length is only known once all of it is there, and what has none looks empty to Django
            said = _("Say how long it is: a body in chunks, without Content-Length, is not taken.")
            return _refused(request, said, 411)
        charset = (request.content_params or {}).get("charset", "utf-8").lower()
        if charset not in ("utf-8", "utf8"):
            return _refused(request, _("Please say it in UTF-8: no other charset is read."), 400)
        announced = request.META.get("CONTENT_LENGTH") or "0"
        if announced.isascii() and announced.isdecimal() and int(announced) <= settings.ARENA_MOST_BODY_BYTES:
            return get_response(request)
        said = _("That is too large: an upload has at most %(most)d KiB.") % {"most": MOST_BYTES >> 10}
        return _refused(request, said, 413)

    return answer


def _refused(request: HttpRequest, said: str, status: int) -> HttpResponse:
    if request.path.startswith("/api/"):
        return JsonResponse({"error": said}, status=status)
    return render(request, "413.html", {"said": said}, status=status)
