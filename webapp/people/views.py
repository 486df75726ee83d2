"""The pages on which people play. Each asks for the secret in the address and for the one in the session."""

from __future__ import annotations

import secrets
import time

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from arena.games import GAMES
from webapp.accounts.addresses import client_address
from webapp.limits import TooOften, spend
from webapp.matches.models import Series
from webapp.people import selectors, services
from webapp.people.forms import TableForm
from webapp.people.models import Sitting
from webapp.people.services import Refused, digest
from webapp.people.showing import shown

VISITOR = "people_visitor"
"""Where the session keeps the secret of who plays."""

TABLE = "people_table"
"""Where it keeps the secret of the newest table."""

PATIENCE_SECONDS = 1.0
"""How long an answer waits for what the others make of it; after that the page asks again by itself."""


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def choose(request: HttpRequest) -> HttpResponse:
    """Choose a game and whom against, and sit down."""
    game = (request.POST if request.method == "POST" else request.GET).get("game", next(iter(GAMES)))
    if game not in GAMES:
        raise Http404
    form = TableForm(game, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        visitor = _known(request) or secrets.token_urlsafe(24)
        try:
            token = services.sit_down(
                row=form.row(),
                opponents=form.opponents(),
                pace=form.cleaned_data["pace"],
                visitor=visitor,
                address=client_address(request),
            )
        except (Refused, TooOften) as refusal:
            form.add_error(None, str(refusal))
        else:
            request.session[VISITOR] = visitor  # who has no seat needs no session
            return _to(request, token)
    context = {"game": game, "games": list(GAMES), "form": form}
    visitor = _known(request)
    if visitor and TABLE in request.session:
        context["open"] = selectors.running(visitor=digest(visitor))
        context["open_at"] = request.session[TABLE]
    return render(request, "people/choose.html", context, status=422 if form.errors else 200)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@vary_on_headers("HX-Request")
def table(request: HttpRequest, token: str) -> HttpResponse:
    """The table as it is now; an answer to what is asked comes here, too."""
    sitting = _sitting(request, token)
    odds = request.GET.get("odds") == "1"
    part = request.headers.get("HX-Request") == "true"
    refused = ""
    if request.method == "POST":
        try:
            spend(services.ANSWERS, who=client_address(request))
            services.answer(
                sitting=sitting,
                question=_number(request.POST.get("question", "")),
                text=request.POST.get("move", "")[:40],
            )
            _wait_for_news(sitting)
        except (Refused, TooOften) as refusal:
            refused = str(refusal)
        if not part:
            if refused:
                messages.error(request, refused)
            return redirect(_address(token, odds=odds))
        sitting = _sitting(request, token)
    context = {
        "sitting": sitting,
        "token": token,
        "odds": odds,
        "here": _address(token, odds=odds),
        "other": _address(token, odds=not odds),
        "table": shown(sitting, odds=odds),
        "refused": refused,
    }
    return render(request, "people/_table.html" if part else "people/table.html", context)


@never_cache
@require_safe
def now(request: HttpRequest, token: str) -> HttpResponse:
    """Whether there is anything new, in a number: so that a page need not draw the table to find that out."""
    sitting = _sitting(request, token)
    return JsonResponse({"written": sitting.written, "state": sitting.series.state})


@require_POST
def leave(request: HttpRequest, token: str) -> HttpResponse:
    """Get up."""
    services.leave(sitting=_sitting(request, token))
    return redirect("people:table", token=token)


@require_POST
def again(request: HttpRequest, token: str) -> HttpResponse:
    """The same table once more."""
    sitting = _sitting(request, token)
    try:
        fresh = services.sit_down_again(sitting=sitting, visitor=_known(request), address=client_address(request))
    except (Refused, TooOften) as refusal:
        messages.error(request, str(refusal))
        return redirect("people:table", token=token)
    return _to(request, fresh)


# ---- who asks --------------------------------------------------------------------------------------


def _known(request: HttpRequest) -> str:
    """The secret of this visitor; empty for who has never sat down."""
    return str(request.session.get(VISITOR, ""))


def _sitting(request: HttpRequest, token: str) -> Sitting:
    """The seat. To anybody else it is as if there were none."""
    visitor = _known(request)
    found = selectors.find(token=digest(token), visitor=digest(visitor)) if visitor else None
    if found is None:
        raise Http404
    return found


def _to(request: HttpRequest, token: str) -> HttpResponse:
    """To a new table, which the session remembers, so that who closed its window finds it again."""
    request.session[TABLE] = token
    return redirect("people:table", token=token)


def _address(token: str, *, odds: bool) -> str:
    return reverse("people:table", args=[token]) + ("?odds=1" if odds else "")


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 6 else 0


def _wait_for_news(sitting: Sitting) -> None:
    """Return when the person is asked again or the table has ended, or when that takes too long."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        time.sleep(0.05)
        row = Sitting.objects.filter(pk=sitting.pk).values_list("question", "series__state").first()
        if row is None or row[0] > sitting.question or row[1] != Series.State.PLAYING:
            return
