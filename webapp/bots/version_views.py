"""Handing in bots, and what their author sees of their versions. Nobody else is told that there is anything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from arena.games import GAMES
from arena.starter import starter
from webapp.bots import comparing, runtime, selectors, services, uploads, versions
from webapp.bots.forms import NewSubmissionForm, SubmissionForm
from webapp.bots.models import Bot, Version
from webapp.bots.views import of_author, person
from webapp.live.news import channel_of_series
from webapp.ratings import selectors as ratings

# ---- handing in ----------------------------------------------------------------------------------


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def submit_new(request: HttpRequest) -> HttpResponse:
    """A new bot, as a file or out of the editor, which begins with one that plays."""
    game = request.GET.get("game", next(iter(GAMES)))
    if game not in GAMES:
        raise Http404(_("There is no such game."))
    if request.method == "POST":
        form = NewSubmissionForm(request.POST, request.FILES)
        if form.is_valid():
            try:
                done = uploads.submit_new(
                    owner=person(request),
                    game=game,
                    name=form.cleaned_data["name"],
                    content=form.content,
                    filename=form.filename,
                )
            except services.BotError as error:
                form.add_error(None, str(error))
            else:
                return redirect("bots:version", pk=done.version.bot_id, number=done.version.number)
    else:
        form = NewSubmissionForm(initial={"source": starter(game)})
    return _submit_page(request, form, game=game)


@require_http_methods(["GET", "HEAD", "POST"])
@of_author
def submit(request: HttpRequest, bot: Bot) -> HttpResponse:
    """Another version of a bot; the editor begins with the one that plays."""
    if bot.kind != Bot.Kind.HOSTED:
        raise Http404(_("A bot that dials in is not handed in."))
    if request.method == "POST":
        form = SubmissionForm(request.POST, request.FILES)
        if form.is_valid():
            try:
                done = uploads.submit(bot=bot, by=person(request), content=form.content, filename=form.filename)
            except services.BotError as error:
                form.add_error(None, str(error))
            else:
                if not done.new:
                    messages.info(request, _("This very content is there already: it is this version."))
                return redirect("bots:version", pk=bot.pk, number=done.version.number)
    else:
        form = SubmissionForm(initial={"source": _present_source(request, bot)})
    return _submit_page(request, form, game=bot.game, bot=bot)


def _submit_page(request: HttpRequest, form: SubmissionForm, *, game: str, bot: Bot | None = None) -> HttpResponse:
    context = {
        "form": form,
        "game": game,
        "games": list(GAMES.values()),
        "bot": bot,
        "closed": uploads.why_closed(by=person(request)),
        "runtime": runtime.describe(),
        "uploads_left": max(0, uploads.uploads_left(owner=person(request))),
    }
    return render(request, "bots/submit.html", context, status=422 if form.errors else 200)


def _present_source(request: HttpRequest, bot: Bot) -> str:
    """What the editor begins with: the newest version if it is one file, else a bot to begin with."""
    newest = bot.versions.order_by("-number").first()
    if newest is None or newest.source is None or newest.files != 1:
        return starter(bot.game)
    return uploads.own_source(version=newest, by=person(request)).files["bot.py"].decode()


# ---- a version -----------------------------------------------------------------------------------


def _of_version(view: Callable[[HttpRequest, Version], HttpResponse]) -> Callable[..., HttpResponse]:
    """Gives the view the version with this number of the author's bot."""

    @of_author
    def guarded(request: HttpRequest, bot: Bot, number: int) -> HttpResponse:
        version = selectors.own_version(bot=bot, number=number)
        if version is None or version.declared:
            raise Http404(_("There is no such version of this bot."))
        return view(request, version)

    return guarded


@require_safe
@vary_on_headers("HX-Request")
@_of_version
def version(request: HttpRequest, version: Version) -> HttpResponse:
    """What became of a version, live while it is being validated."""
    bot = version.bot
    context: dict[str, Any] = {
        "bot": bot,
        "version": version,
        "progress": selectors.progress_of(version=version),
        "failure": selectors.failure_of(version=version) if version.state == Version.State.FAILED else None,
        "ratings": [one for one in ratings.ratings_of(bot=bot) if one.version_id == version.pk],
        "active": bot.active_version_id == version.pk,
    }
    if version.state == Version.State.VALIDATING and version.validation_id is not None:
        context["channel"] = channel_of_series(version.validation_id, private=True)
    part = request.headers.get("HX-Request") == "true"
    return render(request, "bots/_version.html" if part else "bots/version.html", context)


@require_POST
@_of_version
def activate(request: HttpRequest, version: Version) -> HttpResponse:
    return _done(request, version, versions.activate, _("Version %(number)d plays from now on."))


@require_POST
@_of_version
def retire_version(request: HttpRequest, version: Version) -> HttpResponse:
    return _done(request, version, versions.retire, _("Version %(number)d is retired."))


@require_POST
@_of_version
def try_again(request: HttpRequest, version: Version) -> HttpResponse:
    return _done(request, version, uploads.try_again, _("Version %(number)d is being validated again."))


@require_safe
@_of_version
def source(request: HttpRequest, version: Version) -> HttpResponse:
    """The content of a version, as a file."""
    package = uploads.own_source(version=version, by=person(request))
    content = package.content()
    kind = "text/x-python; charset=utf-8" if len(package.files) == 1 else "application/zip"
    response = HttpResponse(content, content_type=kind)
    name = f"{slugify(version.bot.name) or 'bot'}-{version.number}.{package.filename.rpartition('.')[2]}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _done(request: HttpRequest, version: Version, service: Callable[..., None], text: str) -> HttpResponse:
    try:
        service(version=version, by=person(request))
    except services.BotError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, text % {"number": version.number})
    return redirect("bots:version", pk=version.bot_id, number=version.number)


# ---- all of them ---------------------------------------------------------------------------------


@require_POST
@of_author
def auto_activate(request: HttpRequest, bot: Bot) -> HttpResponse:
    """Whether what passes plays from then on."""
    versions.set_auto_activate(bot=bot, by=person(request), on=request.POST.get("on") == "on")
    messages.success(request, _("Saved."))
    return redirect("bots:own", pk=bot.pk)


@require_safe
@of_author
def compare(request: HttpRequest, bot: Bot) -> HttpResponse:
    """Two versions side by side: their ratings, and what was changed."""
    chosen = [_chosen(bot, request.GET.get(name, "")) for name in ("old", "new")]
    old, new = chosen
    context = {
        "bot": bot,
        "old": old,
        "new": new,
        "boards": comparing.ratings_side_by_side(bot=bot, old=old, new=new),
        "changes": comparing.changes(
            uploads.own_source(version=old, by=person(request)), uploads.own_source(version=new, by=person(request))
        ),
    }
    return render(request, "bots/compare.html", context)


def _chosen(bot: Bot, number: str) -> Version:
    if number.isascii() and number.isdecimal() and len(number) < 9:
        found = bot.versions.filter(number=int(number), declared=False).select_related("bot").first()
        if found is not None:
            return found
    raise Http404(_("There is no such version of this bot."))
