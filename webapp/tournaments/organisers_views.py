"""Where organisers prepare tournaments, and what they do to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from django.contrib import messages
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from arena.pairing import Format
from webapp.accounts.models import User
from webapp.matches.models import Match
from webapp.tournaments import organisers, seeding, services
from webapp.tournaments.asking import NotAllowed, Refused, check_organiser
from webapp.tournaments.forms import EntrantsForm, TournamentForm, initial_of
from webapp.tournaments.models import Entrant, Pairing, Tournament
from webapp.tournaments.views import find

Found = TypeVar("Found", bound=Model)


def _organiser(request: HttpRequest) -> User:
    """Who asks, if it is an organiser; everybody else is told that there is no such page."""
    person = request.user
    try:
        if person.is_authenticated:
            check_organiser(person)
            return person
    except NotAllowed:
        pass
    raise Http404


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def new(request: HttpRequest) -> HttpResponse:
    """Prepare a tournament."""
    by = _organiser(request)
    form = TournamentForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            made = services.create(by=by, ruleset=form.cleaned_data["ruleset"], form=_form(form), **form.settled())
            return redirect("tournament", made.slug)
        except Refused as refused:
            form.add_error(None, str(refused))
    return render(request, "tournaments/edit.html", {"form": form}, status=422 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def edit(request: HttpRequest, slug: str) -> HttpResponse:
    """Change a tournament that has not begun."""
    by, row = _organiser(request), find(request, slug)
    form = TournamentForm(request.POST if request.method == "POST" else None, initial=initial_of(row))
    if form.is_valid():
        try:
            ruleset = form.cleaned_data["ruleset"]
            services.edit(tournament=row, by=by, ruleset=ruleset, form=_form(form), **form.settled())
            return redirect("tournament", row.slug)
        except Refused as refused:
            form.add_error(None, str(refused))
    context = {"form": form, "tournament": row}
    return render(request, "tournaments/edit.html", context, status=422 if form.errors else 200)


def _form(said: TournamentForm) -> Format:
    data = said.cleaned_data
    return services.make_form(data["form"], most=data["most"], ruleset=data["ruleset"], options=said.options())


# ---- deeds ----------------------------------------------------------------------------------------


def _open(request: HttpRequest, row: Tournament, by: User) -> None:
    services.open_entries(tournament=row, by=by)


def _start(request: HttpRequest, row: Tournament, by: User) -> None:
    services.start(tournament=row, by=by)


def _enter(request: HttpRequest, row: Tournament, by: User) -> None:
    form = EntrantsForm(request.POST, tournament=row)
    if not form.is_valid():
        raise Refused(_("Choose bots that are not in yet."))
    services.enter_by_hand(tournament=row, bots=list(form.cleaned_data["bots"]), by=by)


def _late(request: HttpRequest, row: Tournament, by: User) -> None:
    form = EntrantsForm(request.POST, tournament=row)
    if not form.is_valid():
        raise Refused(_("Choose bots that are not in yet."))
    seeding.enter_late(tournament=row, bots=list(form.cleaned_data["bots"]), by=by)


def _seed(request: HttpRequest, row: Tournament, by: User) -> None:
    ranks: dict[int, int | None] = {}
    for name in request.POST:
        number, said = name.removeprefix("rank-"), request.POST.get(name, "").strip()
        if not name.startswith("rank-") or not _whole(number):
            continue
        if said and not _whole(said):
            raise Refused(_("A rank is a whole number from 1 to %(most)d.") % {"most": services.MOST_ENTRANTS})
        ranks[int(number)] = int(said) if said else None
    seeding.seed(tournament=row, ranks=ranks, by=by)


def _whole(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 18


def _top(request: HttpRequest, row: Tournament, by: User) -> None:
    count = request.POST.get("count", "")
    if not (_whole(count) and 1 <= int(count) <= 100):
        raise Refused(_("Say how many, from 1 to 100."))
    services.enter_top(tournament=row, count=int(count), by=by)


def _one(request: HttpRequest, field: str, rows: QuerySet[Found]) -> Found:
    number = request.POST.get(field, "")
    found = rows.filter(pk=int(number)).first() if _whole(number) else None
    if found is None:
        raise Refused(_("There is no such thing in this tournament."))
    return found


def _withdraw(request: HttpRequest, row: Tournament, by: User) -> None:
    services.withdraw(entrant=_one(request, "entrant", _entrants(row)), by=by)


def _disqualify(request: HttpRequest, row: Tournament, by: User) -> None:
    entrant = _one(request, "entrant", _entrants(row))
    organisers.disqualify(entrant=entrant, reason=_reason(request), by=by)


def _entrants(row: Tournament) -> QuerySet[Entrant]:
    return row.entrants.select_related("bot__owner", "tournament")


def _replay(request: HttpRequest, row: Tournament, by: User) -> None:
    table = _one(request, "pairing", Pairing.objects.filter(tournament=row).select_related("tournament"))
    organisers.replay_table(pairing=table, reason=_reason(request), by=by)


def _void(request: HttpRequest, row: Tournament, by: User) -> None:
    name = request.POST.get("match", "").strip().replace("\0", "")
    match = Match.objects.filter(series__pairing__tournament=row, name=name).defer("record").first()
    if match is None:
        raise Refused(_("There is no such match in this tournament."))
    organisers.void_match(match=match, reason=_reason(request), by=by)


def _hold(request: HttpRequest, row: Tournament, by: User) -> None:
    organisers.hold(tournament=row, held=True, by=by)


def _go_on(request: HttpRequest, row: Tournament, by: User) -> None:
    organisers.hold(tournament=row, held=False, by=by)


def _cancel(request: HttpRequest, row: Tournament, by: User) -> None:
    organisers.cancel(tournament=row, reason=_reason(request), by=by)


def _reason(request: HttpRequest) -> str:
    return request.POST.get("reason", "").replace("\0", "")


DEEDS: dict[str, Callable[[HttpRequest, Tournament, User], None]] = {
    "open": _open,
    "start": _start,
    "enter": _enter,
    "late": _late,
    "seed": _seed,
    "top": _top,
    "withdraw": _withdraw,
    "disqualify": _disqualify,
    "replay": _replay,
    "void": _void,
    "hold": _hold,
    "go-on": _go_on,
    "cancel": _cancel,
}


@require_POST
def do(request: HttpRequest, slug: str, deed: str) -> HttpResponse:
    """Do something to a tournament; what could not be done is said on its page."""
    by, row = _organiser(request), find(request, slug)
    act = DEEDS.get(deed)
    if act is None:
        raise Http404
    try:
        act(request, row, by)
        messages.success(request, _("Done."))
    except (NotAllowed, Refused) as refused:
        messages.error(request, str(refused))
    return redirect("tournament", row.slug)
