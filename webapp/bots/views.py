"""An author's bots. Everybody else, organisers too, is told that there is no such page."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from itertools import groupby
from operator import itemgetter
from typing import Any, Concatenate, ParamSpec

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from webapp.accounts.models import User
from webapp.bots import comparing, quarantine, selectors, services, uploads
from webapp.bots.forms import AboutForm, NewBotForm, SettingsForm
from webapp.bots.models import Bot
from webapp.pages.naming import door_address

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]


def person(request: HttpRequest) -> User:
    """Who asks, behind `login_required`."""
    assert isinstance(request.user, User), "login_required has seen to it"
    return request.user


def of_author(view: Callable[Concatenate[HttpRequest, Bot, P], HttpResponse]) -> Callable[..., HttpResponse]:
    """Gives the view the bot with the number ``pk``, if it is the bot of who asks."""

    @wraps(view)
    def guarded(request: HttpRequest, pk: int, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        bot = selectors.own_bot(owner=person(request), pk=pk)
        if bot is None:
            raise Http404(_("There is no such bot among yours."))
        return view(request, bot, *args, **kwargs)

    return never_cache(login_required(guarded))


@require_safe
@never_cache
@login_required
def mine(request: HttpRequest) -> HttpResponse:
    return render(request, "bots/mine.html", {"bots": selectors.bots_of(owner=person(request))})


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def new(request: HttpRequest) -> HttpResponse:
    form = NewBotForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            bot = services.create_bot(owner=person(request), **form.cleaned_data)
        except services.BotError as error:
            form.add_error("name", str(error))
        else:
            return redirect("bots:own", pk=bot.pk)
    return render(request, "bots/new.html", {"form": form}, status=422 if form.errors else 200)


@require_safe
@of_author
def own(request: HttpRequest, bot: Bot) -> HttpResponse:
    return _own_page(request, bot)


@require_http_methods(["GET", "HEAD", "POST"])
@of_author
def make_token(request: HttpRequest, bot: Bot) -> HttpResponse:
    """Shows the new token in the answer itself, and nowhere again; who comes back to its address finds the bot."""
    if request.method != "POST":
        return redirect("bots:own", pk=bot.pk)
    try:
        token = services.issue_token(bot=bot, by=person(request))
    except services.BotError as error:
        messages.error(request, str(error))
        return redirect("bots:own", pk=bot.pk)
    return _own_page(request, bot, token=token)


@require_POST
@of_author
def revoke_token(request: HttpRequest, bot: Bot, token: int) -> HttpResponse:
    found = get_object_or_404(bot.tokens, pk=token)
    services.revoke_token(token=found, by=person(request))
    messages.success(request, _("The token that ends in %(hint)s lets no program in any more.") % {"hint": found.hint})
    return redirect("bots:own", pk=bot.pk)


@require_POST
@of_author
def change(request: HttpRequest, bot: Bot) -> HttpResponse:
    form = SettingsForm(request.POST) if bot.kind == Bot.Kind.REMOTE else AboutForm(request.POST)
    if form.is_valid():
        by = person(request)
        try:
            services.describe_bot(bot=bot, by=by, about=form.cleaned_data["about"])
            if bot.kind == Bot.Kind.REMOTE:
                services.set_max_tables(bot=bot, by=by, max_tables=form.cleaned_data["max_tables"])
        except services.BotError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, _("Saved."))
            return redirect("bots:own", pk=bot.pk)
    return _own_page(request, bot, form=form, status=422)


@require_POST
@of_author
def retire(request: HttpRequest, bot: Bot) -> HttpResponse:
    return _done(request, bot, services.retire_bot, _("%(bot)s is retired.") % {"bot": bot.name})


@require_POST
@of_author
def prove(request: HttpRequest, bot: Bot) -> HttpResponse:
    """A bot in quarantine shows that it works."""
    try:
        version = uploads.prove(bot=bot, by=person(request))
    except services.BotError as error:
        messages.error(request, str(error))
        return redirect("bots:own", pk=bot.pk)
    if version.declared:
        messages.success(request, _("It plays some matches against the house now. This page tells how they end."))
        return redirect("bots:own", pk=bot.pk)
    return redirect("bots:version", pk=bot.pk, number=version.number)


@require_POST
@of_author
def reactivate(request: HttpRequest, bot: Bot) -> HttpResponse:
    return _done(request, bot, services.reactivate_bot, _("%(bot)s is back.") % {"bot": bot.name})


@require_safe
@of_author
def log(request: HttpRequest, bot: Bot, match: str, seat: int) -> HttpResponse:
    found = get_object_or_404(selectors.logs_of(bot=bot), entry__match__name=match, entry__seat=seat)
    steps = [(step, [line for _, line in lines]) for step, lines in groupby(found.lines, key=itemgetter(0))]
    context = {"bot": bot, "log": found, "steps": steps, "entry": found.entry, "days": settings.ARENA_LOG_DAYS}
    return render(request, "bots/log.html", context)


def _done(request: HttpRequest, bot: Bot, service: Callable[..., None], text: str) -> HttpResponse:
    try:
        service(bot=bot, by=person(request))
    except services.BotError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, text)
    return redirect("bots:own", pk=bot.pk)


def _own_page(
    request: HttpRequest, bot: Bot, *, token: str = "", form: AboutForm | None = None, status: int = 200
) -> HttpResponse:
    hosted = bot.kind == Bot.Kind.HOSTED
    around = selectors.Own(bot)
    context: dict[str, Any] = {
        "bot": bot,
        "troubles": quarantine.troubles(bot=bot),
        "proof": selectors.failed_proof(bot=bot),
        "hosted": hosted,
        "quotas": uploads.quotas_of(bot=bot) if hosted else None,
        "rated": comparing.rated_versions(bot=bot, size=selectors.SHOWN_VERSIONS) if hosted else None,
        "around": around,
        "doing": selectors.doing(own=around),
        "token": token,
        "logs": selectors.logs_of(bot=bot)[:20],
        "removals": partial(selectors.removals_of, bot=bot),  # asked for where there are any
        "settings": form
        or (AboutForm if hosted else SettingsForm)(initial={"about": bot.about, "max_tables": bot.max_tables}),
        "door": door_address(),
        "days": settings.ARENA_LOG_DAYS,
        "own_address": reverse("bots:own", args=[bot.pk]),
    }
    return render(request, "bots/own.html", context, status=status)
