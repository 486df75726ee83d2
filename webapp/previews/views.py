"""The pictures of links to matches."""

from __future__ import annotations

import hashlib
import threading

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from webapp.accounts.addresses import client_address
from webapp.limits import Limit, TooOften, spend
from webapp.matches.models import Block, Match
from webapp.matches.replay import NoSuchStep
from webapp.previews import picture, selectors, shelf

LOOK = "1"
"""Counts up when pictures look otherwise than before."""

DRAWINGS = Limit("pictures", 120, 3600)
"""For each address. Pictures that are kept cost nothing and are not counted."""

_PATIENCE_SECONDS = 5.0
_drawing = threading.BoundedSemaphore(2)
"""Each takes a processor for a quarter of a second; the threads of the pages are not for that."""


@require_safe
def match(request: HttpRequest, name: str, step: int | None = None) -> HttpResponse:
    """The table of a match at its end, or at a step as ``as`` saw it."""
    # asked each time, also of pictures that are kept: whether it may be shown does not stand in a file
    shown = Match.objects.filter(name=name, private=False, block__state=Block.State.CLOSED)
    record = shown.values_list("record_name", flat=True).first()
    if record is None:
        raise Http404
    viewer = request.GET.get("as", "everything") if step is not None else "everything"
    what = "\n".join((LOOK, record, name, "" if step is None else str(step), viewer, get_language() or ""))
    digest = hashlib.sha256(what.encode(errors="replace")).hexdigest()[:40]
    tag = f'"{digest}"'
    known = get_conditional_response(request, etag=tag)
    if known is None:
        found = shelf.find(f"{digest}.png")
        if found is None:
            try:
                found = _draw(request, name, step, viewer)
            except TooOften as error:
                return HttpResponse(str(error), status=429, content_type="text/plain; charset=utf-8")
            if found is None:
                return _busy()
            shelf.keep(f"{digest}.png", found)
        known = HttpResponse(found, content_type="image/png")
    known.headers["ETag"] = tag
    patch_cache_control(known, public=True, max_age=86_400)
    return known


def _draw(request: HttpRequest, name: str, step: int | None, viewer: str) -> bytes | None:
    """The picture; None where too many are being drawn. Raises `TooOften` and `Http404`."""
    spend(DRAWINGS, who=client_address(request))
    if not _drawing.acquire(timeout=_PATIENCE_SECONDS):
        return None
    try:
        svg = selectors.drawn(name=name, step=step, key=viewer)
        if svg is None:
            raise Http404
        return picture.png(svg)
    except NoSuchStep as error:
        raise Http404 from error
    finally:
        _drawing.release()


def _busy() -> HttpResponse:
    response = HttpResponse(status=503)
    response.headers["Retry-After"] = "10"
    return response
