"""The page of a bot that everybody sees."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from arena.games import GAMES
from webapp.bots import public_selectors, quarantine
from webapp.bots.languages import language_of
from webapp.bots.models import Bot
from webapp.matches import selectors as matches
from webapp.pages.asking import before_of
from webapp.ratings import influence
from webapp.ratings import selectors as ratings
from webapp.ratings.against import Better, better, meetings, shown_opponents
from webapp.ratings.course import course, two_courses
from webapp.ratings.scale import Scale
from webapp.style.selectors import style_of


@require_safe
def bot(request: HttpRequest, game: str, name: str) -> HttpResponse:
    """A bot: its rating, what it is doing, its versions, its newest matches. Nine queries at most."""
    found = public_selectors.find_bot(game=game, name=name)
    if found is None:
        renamed = public_selectors.renamed_bot(game=game, name=name)
        if renamed is None:
            raise Http404
        return redirect("bot", game=game, name=renamed.name)
    if found.name != name:
        return redirect("bot", game=game, name=found.name, permanent=True)
    before = request.GET.get("before")
    rated = ratings.ratings_of(bot=found)
    active = [one for one in rated if one.version_id == found.active_version_id]
    scale = Scale.around((one.elo, one.half_width) for one in rated)
    # the leaderboard that it has played most for
    board = max(active or rated, key=lambda one: one.matches, default=None)
    ruleset = board.snapshot.ruleset if board is not None and not before else None
    page = matches.matches_of_bot(bot=found, before=before_of(request))
    played = {entry.version_id for row in page.rows for entry in row.entries if entry.bot_id == found.pk}
    heads = influence.heads_of(versions=[*played, *([found.active_version_id] if found.active_version_id else [])])
    wanted = (found.active_version_id, ruleset.pk if ruleset is not None else None)
    head = next((one for one in heads if (one.version_id, one.ruleset_id) == wanted), None)
    others = [*shown_opponents(head), *influence.at_their_tables(head)] if head is not None else []
    named = public_selectors.named(bot=found, others=others)
    context: dict[str, object] = {
        "bot": found,
        "owner": ratings.owner_name(found),
        "doing": public_selectors.doing(bot=found),
        "ratings": [(one, scale.bar(one.elo, one.half_width, settled=not one.provisional)) for one in active],
        "axis": scale.axis(),
        "versions": [(version, [one for one in rated if one.version_id == version.pk]) for version in named.versions],
        "page": page,
        "rows": influence.moved_rows(bot=found.pk, rows=page.rows, heads=heads),
        "newest": influence.NEWEST,
        "before": before,
        "language": language_of(found, found.active_version) if found.active_version is not None else "",
        "siblings": named.siblings,
        "has_feed": found.state not in (Bot.State.QUARANTINED, Bot.State.BANNED),
        "own": request.user.is_authenticated and found.owner_id == request.user.pk,
        "troubles": quarantine.troubles(bot=found) if found.state == Bot.State.QUARANTINED else (),
    }
    if head is not None:
        context["meetings"] = meetings(head, named.others)
        context["moved"] = influence.best_and_worst(head, named.others)
    if ruleset is not None:
        context["course"] = course(bot=found, ruleset=ruleset)
        if found.active_version is not None:
            context["style"] = style_of(ruleset=ruleset, versions=[found.active_version])
    return render(request, "bots/bot.html", context)


@require_safe
def compare(request: HttpRequest, game: str) -> HttpResponse:
    """Two bots of a game, named by ``a`` and ``b``: which one is better, on every leaderboard that has both."""
    names = [request.GET.get(key, "")[:40].replace("\0", "") for key in ("a", "b")]
    one, other = (public_selectors.find_bot(game=game, name=name) for name in names)
    if game not in GAMES or any(name and found is None for name, found in zip(names, (one, other), strict=True)):
        raise Http404
    boards: list[Better] = []
    context: dict[str, object] = {"game": game, "one": one, "other": other, "names": names}
    if one and other and one != other and one.active_version and other.active_version:
        boards = better(one=one.active_version, other=other.active_version)
    if boards and one and other and one.active_version and other.active_version:
        ruleset = boards[0].ruleset
        context["style"] = style_of(ruleset=ruleset, versions=[one.active_version, other.active_version])
        context["picture"] = two_courses(bots=(one, other), ruleset=ruleset)
    context["boards"] = boards
    return render(request, "bots/two.html", context)
