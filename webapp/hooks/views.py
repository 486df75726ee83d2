"""A person's webhooks. Everybody else, organisers too, is told that there is no such page."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from webapp.accounts.models import User
from webapp.hooks import selectors, services
from webapp.hooks.forms import HookForm
from webapp.hooks.models import Hook


def _of_owner(view: Callable[[HttpRequest, Hook], HttpResponse]) -> Callable[..., HttpResponse]:
    """Gives the view the hook with the number ``pk``, if it is of who asks."""

    @wraps(view)
    def guarded(request: HttpRequest, pk: int) -> HttpResponse:
        hook = selectors.find_hook(owner=cast(User, request.user), pk=pk)
        if hook is None:
            raise Http404(_("There is no such webhook among yours."))
        return view(request, hook)

    return never_cache(login_required(guarded))


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def hooks(request: HttpRequest) -> HttpResponse:
    """All of a person's webhooks, and a new one. Its secret is shown in the answer itself, and nowhere again."""
    person = cast(User, request.user)
    bots, tournaments = selectors.bots_for(person=person), selectors.tournaments_for(person=person)
    form = HookForm(request.POST if request.method == "POST" else None, bots=bots, tournaments=tournaments)
    made, secret = None, ""
    if form.is_valid():
        try:
            made, secret = services.make_hook(by=person, about=form.cleaned_data["about"], url=form.cleaned_data["url"])
        except services.HookRefused as error:
            form.add_error("url", str(error))
        else:
            form = HookForm(bots=bots, tournaments=tournaments)
    context = {
        "form": form,
        "hooks": selectors.hooks_of(owner=person),
        "made": made,
        "secret": secret,
        "most": services.MOST_HOOKS,
        "anything": bool(bots or tournaments),
    }
    return render(request, "hooks/hooks.html", context, status=422 if form.errors else 200)


@require_safe
@_of_owner
def hook(request: HttpRequest, hook: Hook) -> HttpResponse:
    """A webhook and its newest messages."""
    return render(request, "hooks/hook.html", {"hook": hook, "deliveries": selectors.deliveries_of(hook=hook)})


@require_POST
@_of_owner
def test(request: HttpRequest, hook: Hook) -> HttpResponse:
    """Send a message that tells of nothing."""
    try:
        services.send_test(hook=hook)
    except services.HookRefused as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("The test message is sent within some seconds. Load this page again to see."))
    return redirect("hooks:hook", hook.pk)


@require_POST
@_of_owner
def switch_on(request: HttpRequest, hook: Hook) -> HttpResponse:
    services.switch_on(hook=hook)
    messages.success(request, _("It is told what happens from now on."))
    return redirect("hooks:hook", hook.pk)


@require_POST
@_of_owner
def switch_off(request: HttpRequest, hook: Hook) -> HttpResponse:
    services.switch_off(hook=hook)
    messages.success(request, _("It is told nothing any more."))
    return redirect("hooks:hook", hook.pk)


@require_POST
@_of_owner
def delete(request: HttpRequest, hook: Hook) -> HttpResponse:
    services.delete_hook(hook=hook)
    messages.success(request, _("The webhook is deleted."))
    return redirect("hooks:hooks")
