"""The front page, what to read, and how the arena is doing."""

from __future__ import annotations

from django.db import DatabaseError, connection
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import select_template
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from arena.games import GAMES
from webapp.live.fragments import once_a_second
from webapp.live.health import streaming
from webapp.matches import chunks
from webapp.matches import selectors as matches
from webapp.matches.drawing import drawing
from webapp.matches.examples import example as find_example
from webapp.matches.examples import example_replay
from webapp.matches.models import Series
from webapp.matches.replay import NoSuchStep, Replay, Steps
from webapp.pages import selectors
from webapp.pages.asking import before_of
from webapp.pages.naming import door_address
from webapp.tournaments.overview import front_page


@require_safe
@vary_on_headers("HX-Request")
@once_a_second
def home(request: HttpRequest) -> HttpResponse:
    """What is going on now."""
    newest = matches.newest_pictured(size=6)
    context = {
        "hero": newest.hero,
        "playing": matches.series_in_state(state=Series.State.PLAYING, size=6),
        "newest": newest.rows,
        "boards": selectors.tops(),
        "cups": front_page(),
        "games": list(GAMES.values()),
    }
    part = request.headers.get("HX-Request") == "true"
    return render(request, "pages/_now.html" if part else "pages/home.html", context)


@require_safe
def rules_index(request: HttpRequest) -> HttpResponse:
    """The games that are played here."""
    return render(request, "pages/rules_index.html", {"games": list(GAMES.values())})


@require_safe
def rules(request: HttpRequest, game: str) -> HttpResponse:
    """The rules of a game: an introduction for people, an example, then every option, from the rules themselves."""
    found = GAMES.get(game)
    if found is None:
        raise Http404
    shown = _example(request, found.name, before_of(request, "step"))
    embedded = {"replay": shown, "steps": Steps("?step=", "&as=", "#example"), **_frames(game)}
    template = select_template([f"pages/rules/{game}.html", "pages/rules/_game.html"])
    presets = [
        (
            preset,
            [(option.name, preset.values[option.name]) for option in found.options if option.name in preset.values],
        )
        for preset in found.presets
    ]
    drawn = drawing(game)
    context = {
        "game": found,
        "presets": presets,
        "own": matches.own_rulesets(game=game),
        **embedded,
        **(drawn.page() if drawn else {}),
    }
    return HttpResponse(template.render(context, request))


@require_safe
def example(request: HttpRequest, game: str, step: int | None = None) -> HttpResponse:
    """The worked example of a game, with its story."""
    found = GAMES.get(game)
    shown = _example(request, game, step) if found is not None else None
    if shown is None:
        raise Http404
    steps = Steps(reverse("example_step", args=[game, 0]).removesuffix("0/"), "/?as=")
    context = {"game": found, "replay": shown, "steps": steps, **_frames(game)}
    return render(request, "pages/rules/example.html", context)


@require_safe
@gzip_page
def example_frames(request: HttpRequest, game: str, edition: str, language: str, key: str, number: int) -> HttpResponse:
    """Some steps of an example at once, for scripts."""
    if game not in GAMES or find_example(game) is None:
        raise Http404
    source = chunks.Source(("example", game, key), lambda step: example_replay(game=game, key=key, step=step))
    try:
        return chunks.answer(source=source, number=number, language=language, wanted=edition)
    except NoSuchStep as error:
        raise Http404 from error


def _frames(game: str) -> dict[str, object]:
    """Where a script finds the steps of a game's example."""
    return {"frames": chunks.address("example_frames", game), "frames_size": chunks.SIZE}


def _example(request: HttpRequest, game: str, step: int | None) -> Replay | None:
    """The example as it is asked for, or None where the game has none."""
    if find_example(game) is None:
        return None
    try:
        return example_replay(game=game, key=request.GET.get("as", "everything"), step=step)
    except NoSuchStep as error:
        raise Http404 from error


@require_safe
def write(request: HttpRequest) -> HttpResponse:
    """How to write a bot."""
    return render(request, "pages/write.html", {"games": list(GAMES.values()), "door": door_address()})


@require_safe
@never_cache
@vary_on_headers("HX-Request")
@once_a_second
def status(request: HttpRequest) -> HttpResponse:
    """How the arena is doing: a stalled ladder is visible here."""
    part = request.headers.get("HX-Request") == "true"
    return render(
        request,
        "pages/_status.html" if part else "pages/status.html",
        {"status": selectors.status(), "many": selectors.MANY},
    )


@require_safe
@never_cache
def healthz(request: HttpRequest) -> JsonResponse:
    """For machines: 200 when the database answers and the ladder moves, else 503."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        count, since = selectors.waiting()
        newest = selectors.newest_match()
    except DatabaseError:
        return JsonResponse({"ok": False, "database": False}, status=503)
    now = timezone.now()
    stalled = selectors.is_stalled(since, newest, now)
    return JsonResponse(
        {
            "ok": not stalled,
            "database": True,
            "newest_match_age_seconds": None if newest is None else round((now - newest.finished).total_seconds()),
            "waiting": count,
            "stalled": stalled,
            # not a reason to be unwell: without it pages look for themselves, less often
            "streaming": streaming() is not None,
        },
        status=503 if stalled else 200,
    )
