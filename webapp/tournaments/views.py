"""The pages of tournaments, for everybody and for authors."""

from __future__ import annotations

import hashlib
from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from webapp.accounts.addresses import client_address
from webapp.accounts.models import User
from webapp.limits import TooOften, spend
from webapp.live.fragments import once_a_second
from webapp.matches import downloads
from webapp.moderation.selectors import log_lines
from webapp.pages.asking import before_of
from webapp.tournaments import exports, selectors, services, telling
from webapp.tournaments.asking import NotAllowed, Refused
from webapp.tournaments.bracket import brackets_of
from webapp.tournaments.crosstable import crosstables_of
from webapp.tournaments.forms import EntrantsForm, form_words
from webapp.tournaments.models import Entrant, Round, Tournament
from webapp.tournaments.overview import headline, overview


def find(request: HttpRequest, slug: str) -> Tournament:
    """The tournament of an address, if whoever asks may see it."""
    found = selectors.find(slug=slug, user=request.user)
    if found is None:
        raise Http404
    return found


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """All tournaments: what runs, what comes, and a page of what is over."""
    listed = overview(user=request.user, before=before_of(request, "before"))
    context = {"all": listed, "headline": headline(listed), "organiser": _organiser(request)}
    return render(request, "tournaments/index.html", context)


def _organiser(request: HttpRequest) -> bool:
    return request.user.is_authenticated and request.user.is_active and request.user.is_staff


@require_safe
@vary_on_headers("HX-Request")
@once_a_second
def show(request: HttpRequest, slug: str) -> HttpResponse:
    """A tournament: how it stands, its rounds, its luck; and what whoever looks at it may do."""
    row = find(request, slug)
    whole = selectors.whole(tournament=row)
    rounds = selectors.rounds_of(whole=whole)
    standings = selectors.standings_of(whole=whole)
    entrants = list(whole.entrants.values())
    playing = next((one for one in rounds if one.round.state == Round.State.PLAYING), None)
    context = {
        "tournament": row,
        "headline": telling.headline(tournament=row, standings=standings, rounds=rounds),
        "progress": telling.progress(tournament=row, rounds=rounds, entrants=len(entrants)),
        "planned": 0 if playing is None else sum(table.pairing.series.planned for table in playing.tables),
        "closed": telling.closed(row),
        "form": form_words(row.form["format"]),
        "rounds": rounds,
        "playing": playing,
        "earlier": [one for one in rounds if one is not playing],
        "standings": standings,
        "ranked": row.form["format"] in ("swiss", "round-robin"),
        "tied": any(one.row.among is not None for one in standings),
        "brackets": brackets_of(whole=whole, rounds=rounds),
        "crosstables": crosstables_of(whole=whole, standings=[one.row for one in standings]),
        "entrants": entrants,
        "moving": row.state == Tournament.State.RUNNING,
        "before": row.state in services.BEFORE,
    }
    body = render_to_string("tournaments/_body.html", context, request)
    context["body"] = SafeString(body)
    context["digest"] = hashlib.sha256(body.encode()).hexdigest()[:16]
    if request.headers.get("HX-Request") == "true":
        if request.GET.get("seen") == context["digest"]:  # what stands there is left alone
            return HttpResponse(status=204)
        return render(request, "tournaments/_live.html", context)
    return render(request, "tournaments/show.html", {**context, **_beside(request, row, entrants)})


def _beside(request: HttpRequest, row: Tournament, entrants: list[Entrant]) -> dict[str, object]:
    """What stands beside, and does not renew itself."""
    entered = {one.bot_id for one in entrants}
    organiser = _organiser(request)
    return {
        "mine": [one for one in entrants if one.bot.owner_id is not None and one.bot.owner_id == request.user.pk],
        "enterable": [bot for bot in selectors.may_enter(tournament=row, user=request.user) if bot.pk not in entered],
        "secret": selectors.secret_of(tournament=row),
        "organiser": organiser,
        **(_desk(row) if organiser else {}),
    }


def _desk(row: Tournament) -> dict[str, object]:
    """What organisers need."""
    late = selectors.takes_late_entries(tournament=row)
    entering = late or row.state in services.BEFORE
    return {
        "late": late,
        "log": log_lines(row, size=12),
        **({"entrants_form": EntrantsForm(tournament=row)} if entering else {}),
    }


# ---- to take away ---------------------------------------------------------------------------------


def _attached(response: HttpResponse | StreamingHttpResponse, name: str) -> None:
    response["Content-Disposition"] = f'attachment; filename="{name}"'


@require_safe
def standings(request: HttpRequest, slug: str) -> HttpResponse:
    """The standings as CSV."""
    row = find(request, slug)
    response = HttpResponse(exports.standings_csv(tournament=row), content_type="text/csv; charset=utf-8")
    _attached(response, f"{row.slug}-standings.csv")
    return response


@require_safe
def luck(request: HttpRequest, slug: str) -> HttpResponse:
    """All blocks as CSV; seeds only of those that are closed."""
    row = find(request, slug)
    response = HttpResponse(exports.luck_csv(tournament=row), content_type="text/csv; charset=utf-8")
    _attached(response, f"{row.slug}-luck.csv")
    return response


@require_safe
def records(request: HttpRequest, slug: str) -> HttpResponseBase:
    """All records as one zip; none of a block that is not closed. Limited like the records of a leaderboard."""
    row = find(request, slug)
    who = client_address(request)
    try:
        spend(downloads.A_DAY, who=who)
    except TooOften:
        return render(request, "429.html", status=429)
    try:
        seat = downloads.Seat(who=who)
    except downloads.Busy:
        busy = HttpResponse(_("As many downloads are under way as may be. Please try again in a minute."), status=503)
        busy["Content-Type"] = "text/plain; charset=utf-8"
        busy["Retry-After"] = "60"
        return busy
    response = StreamingHttpResponse(exports.records_zip(tournament=row), content_type="application/zip")
    response._resource_closers.append(seat.leave)  # type: ignore[attr-defined]  # also where nobody reads any of it
    _attached(response, f"{row.slug}-records.zip")
    return response


# ---- authors --------------------------------------------------------------------------------------


@require_POST
@login_required
def enter(request: HttpRequest, slug: str) -> HttpResponse:
    """Enter a bot of one's own."""
    row, person = find(request, slug), cast(User, request.user)
    bots = {str(bot.pk): bot for bot in selectors.may_enter(tournament=row, user=person)}
    bot = bots.get(request.POST.get("bot", ""))
    if bot is None:
        messages.error(request, _("Entries are not open, or this bot is none of yours that can play."))
        return redirect("tournament", row.slug)
    try:
        services.enter(tournament=row, bot=bot, by=person)
        messages.success(request, _("%(bot)s takes part.") % {"bot": bot.name})
    except (NotAllowed, Refused) as refused:
        messages.error(request, str(refused))
    return redirect("tournament", row.slug)


@require_POST
@login_required
def leave(request: HttpRequest, slug: str) -> HttpResponse:
    """Take a bot of one's own out."""
    row, person = find(request, slug), cast(User, request.user)
    number = request.POST.get("entrant", "")
    own = row.entrants.filter(bot__owner=person).select_related("bot", "tournament")
    whole = number.isascii() and number.isdecimal() and len(number) <= 18
    entrant = own.filter(pk=int(number)).first() if whole else None
    if entrant is None:
        messages.error(request, _("This is no bot of yours that takes part."))
        return redirect("tournament", row.slug)
    name = entrant.bot.name
    try:
        services.withdraw(entrant=entrant, by=person)
        messages.success(request, _("%(bot)s is taken out.") % {"bot": name})
    except (NotAllowed, Refused) as refused:
        messages.error(request, str(refused))
    return redirect("tournament", row.slug)
