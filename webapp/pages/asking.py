"""What pages ask of an address."""

from __future__ import annotations

from django.http import Http404, HttpRequest


def before_of(request: HttpRequest, name: str = "before") -> int | None:
    """The id before which a list goes on.

    Raises:
        Http404: it is no id.
    """
    text = request.GET.get(name)
    if text is None:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) <= 18):
        raise Http404
    return int(text)
