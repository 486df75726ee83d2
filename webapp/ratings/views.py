"""The pages of the leaderboards."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from webapp.live.fragments import once_a_second
from webapp.live.news import leaderboard_channel
from webapp.matches import selectors as matches
from webapp.pages.naming import game_title
from webapp.ratings import selectors
from webapp.ratings.lead import apart, lead
from webapp.ratings.scale import Scale

LEADERS = 4
"""As many rows are enough to say who leads: two that are settled, the anchor, and one more."""


@require_safe
def leaderboards(request: HttpRequest) -> HttpResponse:
    """All leaderboards, each with its answer."""
    rulesets = matches.rulesets()
    tops = selectors.tops(rulesets=rulesets, size=LEADERS)
    context = {
        "boards": [
            (
                ruleset,
                lead(tops[ruleset.pk].rows, f"{game_title(ruleset.game)} {ruleset.preset}"),
                tops[ruleset.pk].bots,
            )
            for ruleset in rulesets
        ]
    }
    return render(request, "ratings/leaderboards.html", context)


@require_safe
@vary_on_headers("HX-Request")
@once_a_second
def leaderboard(request: HttpRequest, game: str, preset: str) -> HttpResponse:
    """One row a bot, the best first; those whose rating is not settled apart."""
    ruleset = matches.find_ruleset(game=game, preset=preset)
    if ruleset is None:
        raise Http404
    rows = selectors.leaderboard(ruleset=ruleset)
    scale = Scale.around((row.elo, row.half_width) for row in rows)
    settled, provisional = (
        [(row, scale.bar(row.elo, row.half_width, settled=not row.provisional)) for row in part] for part in apart(rows)
    )
    context = {
        "ruleset": ruleset,
        "channel": leaderboard_channel(ruleset.key),
        "others": [one for one in matches.rulesets() if one.game == game],
        "answer": lead(rows, f"{game_title(game)} {preset}"),
        "settled": settled,
        "provisional": provisional,
        "axis": scale.axis(),
        "snapshot": selectors.newest_snapshot(ruleset=ruleset),
    }
    return render(request, "ratings/leaderboard.html", context)
