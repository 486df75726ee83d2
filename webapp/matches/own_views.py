"""The pages of rulesets that are no preset: to see, and for organisers to make and to have played."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from arena import rules
from arena.games import GAMES
from arena.rules import AnyGame, RulesetError
from webapp.accounts.models import User
from webapp.matches import own_rulesets as services
from webapp.matches import selectors
from webapp.matches.models import Ruleset
from webapp.matches.organisers import NotAnOrganiser, check_organiser
from webapp.matches.own_forms import ExhibitionForm, RulesetForm, TitleForm, field_of
from webapp.pages.asking import before_of
from webapp.pages.stored import stored
from webapp.ratings.selectors import leaderboard


def _organiser(request: HttpRequest) -> User:
    """Who asks, if it is an organiser; everybody else is told that there is no such page."""
    person = request.user
    try:
        if person.is_authenticated:
            check_organiser(person)
            return person
    except NotAnOrganiser:
        pass
    raise Http404


def _game(name: str) -> AnyGame:
    found = GAMES.get(name)
    if found is None:
        raise Http404
    return found


def _own(game: str, digits: str) -> Ruleset:
    found = selectors.find_own_ruleset(game=_game(game).name, digits=digits)
    if found is None:
        raise Http404
    return found


def address(ruleset: Ruleset) -> tuple[str, str, str]:
    """What `redirect` needs to lead to the page of a ruleset of one's own."""
    return "own_ruleset", ruleset.game, ruleset.digits


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def new(request: HttpRequest, game: str) -> HttpResponse:
    """Make a ruleset: a field for every option, filled in from a preset."""
    by, played = _organiser(request), _game(game)
    preset = request.GET.get("preset") or played.presets[0].name
    try:
        values = rules.ruleset(played, preset).values
    except RulesetError as error:
        raise Http404 from error
    form = RulesetForm(request.POST if request.method == "POST" else None, game=played, values=values)
    if form.is_valid():
        try:
            made = services.make_ruleset(
                game=played.name, preset=None, options=form.options(), title=form.cleaned_data["title"], by=by
            )
        except services.RulesRefused as refused:
            form.add_error(None, stored(str(refused)))
            for option, reason in refused.reasons.items():
                form.add_error(field_of(option), stored(reason))
        except services.Refused as refused:
            form.add_error("title", str(refused))
        else:
            return _made(request, made)
    context = {
        "games": list(GAMES.values()),
        "game": played,
        "preset": preset,
        "form": form,
        "choices": list(form.choices()),
    }
    return render(request, "matches/own_new.html", context, status=422 if form.errors else 200)


def _made(request: HttpRequest, made: services.Made) -> HttpResponse:
    row = made.ruleset
    if row.preset:
        messages.info(request, _("These are the rules of the preset %(name)s.") % {"name": row.preset})
        return redirect("rules", row.game)
    if not made.new:
        messages.info(request, _("This ruleset was there already."))
    return redirect(*address(row))


@require_safe
def show(request: HttpRequest, game: str, digits: str) -> HttpResponse:
    """A ruleset: its options, what is played with it, and its matches."""
    return _page(request, _own(game, digits))


def _page(request: HttpRequest, row: Ruleset, exhibition: ExhibitionForm | None = None) -> HttpResponse:
    game = _game(row.game)
    options = [(option, row.options.get(option.name, option.default)) for option in game.options]
    context = {
        "ruleset": row,
        "game": game,
        "changed": [(option, value) for option, value in options if value != option.default],
        "usual": [(option, value) for option, value in options if value == option.default],
        "page": selectors.match_page(ruleset=row, before=before_of(request)),
        "before": request.GET.get("before"),
        "open": selectors.open_series_of_ruleset(ruleset=row),
        "board": leaderboard(ruleset=row),
    }
    if request.user.is_active and request.user.is_staff:
        context |= {
            "exhibition": exhibition or ExhibitionForm(ruleset=row),
            "title_form": TitleForm(initial={"title": row.title}),
        }
    failed = exhibition is not None and exhibition.errors
    return render(request, "matches/own.html", context, status=422 if failed else 200)


@require_POST
def entitle(request: HttpRequest, game: str, digits: str) -> HttpResponse:
    """Give the ruleset another title."""
    by, row = _organiser(request), _own(game, digits)
    try:
        services.title_ruleset(ruleset=row, title=request.POST.get("title", ""), by=by)
    except services.Refused as refused:
        messages.error(request, str(refused))
    return redirect(*address(row))


@require_http_methods(["GET", "HEAD", "POST"])
def exhibition(request: HttpRequest, game: str, digits: str) -> HttpResponse:
    """Call an exhibition; who comes back to its address finds the ruleset."""
    by, row = _organiser(request), _own(game, digits)
    if request.method != "POST":
        return redirect(*address(row))
    form = ExhibitionForm(request.POST, ruleset=row)
    if form.is_valid():
        chosen = list(form.cleaned_data["bots"])
        try:
            series = services.start_exhibition(ruleset=row, bots=chosen, planned=form.cleaned_data["planned"], by=by)
        except services.Refused as refused:
            form.add_error("bots", str(refused))
        else:
            return redirect("series", series.pk)
    return _page(request, row, form)
