"""The pages of the leaderboards."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from webapp.live.fragments import once_a_second
from webapp.live.news import leaderboard_channel
from webapp.matches import selectors as matches
from webapp.pages.naming import game_title
from webapp.ratings import selectors
from webapp.ratings.board import PAGE, Wanted, board
from webapp.ratings.lead import lead
from webapp.ratings.scale import Scale
from webapp.ratings.trend import fits_of, trends

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
    """One row a bot, those whose rating is not settled apart; a page of them, as the address asks for."""
    rulesets = matches.rulesets()
    ruleset = next((one for one in rulesets if (one.game, one.preset) == (game, preset)), None)
    if ruleset is None:
        raise Http404
    wanted = Wanted.of(request.GET.dict())
    shown = board(ruleset=ruleset, wanted=wanted)
    leaders = selectors.leaders(ruleset=ruleset, size=LEADERS)
    fits = fits_of(ruleset=ruleset)
    lines = trends(fits=fits, versions=[one.row.version.pk for one in shown.rows])
    scale = Scale.around([(shown.low, 0.0), (shown.high, 0.0)])
    settled = [one for one in shown.rows if shown.settled and not one.row.provisional]
    context = {
        "ruleset": ruleset,
        "channel": leaderboard_channel(ruleset.key),
        "others": [one for one in rulesets if one.game == game],
        "answer": lead(leaders, f"{game_title(game)} {preset}"),
        "board": shown,
        "wanted": wanted,
        "parts": [
            (
                name,
                [
                    (
                        one,
                        scale.bar(one.row.elo, one.row.half_width, settled=not one.row.provisional),
                        lines.get(one.row.version.pk),
                    )
                    for one in rows
                ],
            )
            for name, rows in (("settled", settled), ("provisional", shown.rows[len(settled) :]))
            if rows
        ],
        "axis": scale.axis(),
        "snapshot": fits[0] if fits else None,
        "mine": selectors.standing_of(ruleset=ruleset, owner=request.user) if request.user.is_authenticated else (),
        "previous_page": wanted.query(page=shown.page - 1),
        "next_page": wanted.query(page=shown.page + 1),
        "unsifted": wanted.query(who="", kind="", state="", q=""),
        "around": f"{order}&" if (order := wanted.query(who="", kind="", state="", q="")) != "?" else order,
        "here": wanted.query(page=shown.page).removesuffix("?"),
        "api": reverse("api:leaderboard", args=[game, preset]),
        "first": (shown.page - 1) * PAGE + 1,
        "last": (shown.page - 1) * PAGE + len(shown.rows),
    }
    response = render(request, "ratings/leaderboard.html", context)
    # a page that renews its rows is where it was
    if request.headers.get("HX-Request") == "true" and request.headers.get("HX-Trigger") != "rows":
        response["HX-Push-Url"] = request.path + wanted.query(page=shown.page).removesuffix("?")
    return response
