"""The page of a bot that everybody sees."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from webapp.bots import public_selectors, quarantine
from webapp.bots.models import Bot
from webapp.matches import selectors as matches
from webapp.pages.asking import before_of
from webapp.ratings import selectors as ratings
from webapp.ratings.scale import Scale


@require_safe
def bot(request: HttpRequest, game: str, name: str) -> HttpResponse:
    """A bot: its rating, what it is doing, its versions, its newest matches."""
    found = public_selectors.find_bot(game=game, name=name)
    if found is None:
        renamed = public_selectors.renamed_bot(game=game, name=name)
        if renamed is None:
            raise Http404
        return redirect("bot", game=game, name=renamed.name)
    if found.name != name:
        return redirect("bot", game=game, name=found.name, permanent=True)
    rated = ratings.ratings_of(bot=found)
    active = [one for one in rated if one.version_id == found.active_version_id]
    scale = Scale.around((one.elo, one.half_width) for one in rated)
    context = {
        "bot": found,
        "owner": ratings.owner_name(found),
        "doing": public_selectors.doing(bot=found),
        "ratings": [(one, scale.bar(one.elo, one.half_width, settled=not one.provisional)) for one in active],
        "axis": scale.axis(),
        "versions": [
            (version, [one for one in rated if one.version_id == version.pk])
            for version in public_selectors.versions_of(bot=found)
        ],
        "page": matches.matches_of_bot(bot=found, before=before_of(request)),
        "before": request.GET.get("before"),
        "own": request.user.is_authenticated and found.owner_id == request.user.pk,
        "troubles": quarantine.troubles(bot=found) if found.state == Bot.State.QUARANTINED else (),
    }
    return render(request, "bots/bot.html", context)
