"""Is my new version better? For the author of the bot; nobody else is told that there is such a page."""

from __future__ import annotations

import math

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from webapp.bots.models import Bot
from webapp.bots.services import BotError
from webapp.bots.views import of_author, person
from webapp.comparing import selectors, services
from webapp.comparing.forms import StartForm
from webapp.comparing.models import Comparison
from webapp.comparing.picture import draw
from webapp.live.news import own_channel


@require_http_methods(["GET", "HEAD", "POST"])
@of_author
def comparisons(request: HttpRequest, bot: Bot) -> HttpResponse:
    """All of a bot, and the form that starts another one."""
    if bot.kind != Bot.Kind.HOSTED:
        raise Http404(_("Only hosted versions can be compared here."))
    form = StartForm(request.POST if request.method == "POST" else None, bot=bot, initial=_usual(request, bot))
    if form.is_valid():
        chosen = form.cleaned_data
        try:
            made = services.start(
                new=chosen["new"],
                old=chosen["old"],
                ruleset=chosen["ruleset"],
                elo1=chosen["elo1"],
                by=person(request),
            )
        except BotError as error:
            form.add_error(None, str(error))
        else:
            return redirect("comparing:one", pk=bot.pk, number=made.pk)
    context = {
        "bot": bot,
        "form": form,
        "comparisons": selectors.comparisons_of(bot=bot),
        "most": services.MOST_MATCHES,
        "a_day": services.A_DAY.most,
        "enough": bot.versions.filter(state__in=services.WORKING, source__isnull=False).count() > 1,
    }
    return render(request, "comparing/all.html", context, status=422 if form.errors else 200)


def _usual(request: HttpRequest, bot: Bot) -> dict[str, object]:
    """The newest version against the one before; or those that an address names."""
    named = [request.GET.get(name, "") for name in ("new", "old")]
    working = bot.versions.filter(state__in=services.WORKING).order_by("-number").values_list("number", "pk")
    if all(text.isascii() and text.isdecimal() and len(text) < 9 for text in named):
        by_number = dict(working.filter(number__in=map(int, named)))
        return {name: by_number.get(int(text)) for name, text in zip(("new", "old"), named, strict=True)}
    return dict(zip(("new", "old"), [pk for _number, pk in working[:2]], strict=False))


def _found(bot: Bot, number: int) -> Comparison:
    found = selectors.comparison(bot=bot, pk=number)
    if found is None:
        raise Http404(_("There is no such comparison of this bot."))
    return found


@require_safe
@vary_on_headers("HX-Request")
@of_author
def comparison(request: HttpRequest, bot: Bot, number: int) -> HttpResponse:
    """How a comparison stands, live while it runs."""
    found = _found(bot, number)
    sample, question = found.sample, found.question
    left = sample.blocks_left(question) * services.BLOCK
    context = {
        "bot": bot,
        "comparison": found,
        "channel": own_channel("comparison", found.pk),
        "running": found.state == Comparison.State.RUNNING,
        "llr": sample.llr(question) if found.blocks else 0.0,
        "question": question,
        "sample": sample if found.blocks else None,
        "score": found.total / found.blocks if found.blocks else None,
        "left": None if math.isinf(left) else min(round(left), found.most - found.matches),
        "most_left": found.most - found.matches,
        "picture": draw(found),
    }
    part = request.headers.get("HX-Request") == "true"
    return render(request, "comparing/_one.html" if part else "comparing/one.html", context)


@require_POST
@of_author
def cancel(request: HttpRequest, bot: Bot, number: int) -> HttpResponse:
    """The author has seen enough."""
    try:
        services.cancel(comparison=_found(bot, number), by=person(request))
    except BotError as error:
        messages.error(request, str(error))
    return redirect("comparing:one", pk=bot.pk, number=number)
