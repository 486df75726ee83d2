"""The feeds. Nobody is asked who he is: what they say, everybody may know."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from webapp.bots import public_selectors
from webapp.feeds import selectors
from webapp.feeds.atom import Feed, respond
from webapp.tournaments import selectors as tournaments


@require_safe
def news(request: HttpRequest) -> HttpResponse:
    """What is new on the site."""
    return respond(request, selectors.news())


@require_safe
def bot(request: HttpRequest, game: str, name: str) -> HttpResponse:
    """The newest results of a bot. An old name of it leads on, as that of its page does."""
    found = public_selectors.find_bot(game=game, name=name)
    found = found or public_selectors.renamed_bot(game=game, name=name)
    if found is None:
        raise Http404
    if found.name != name:
        return redirect("bot_feed", game=game, name=found.name)
    return _respond(request, selectors.of_bot(bot=found))


@require_safe
def tournament(request: HttpRequest, slug: str) -> HttpResponse:
    """How a tournament goes. A draft has no feed, not for organisers either: their reader may not be theirs alone."""
    found = tournaments.find(slug=slug, user=AnonymousUser())
    return _respond(request, selectors.of_tournament(tournament=found) if found is not None else None)


def _respond(request: HttpRequest, feed: Feed | None) -> HttpResponse:
    if feed is None:
        raise Http404
    return respond(request, feed)
