"""A person's account."""

from __future__ import annotations

from allauth.core import ratelimit
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from webapp.accounts import keys, services
from webapp.accounts.forms import DeleteForm
from webapp.accounts.models import User


@require_safe
@login_required
@never_cache
def account(request: HttpRequest) -> HttpResponse:
    return _account_page(request)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@never_cache
def make_key(request: HttpRequest) -> HttpResponse:
    """Shows the new key in the answer itself, and nowhere again; who comes back to its address finds the account."""
    if request.method != "POST":
        return redirect("accounts:account")
    user = request.user
    assert isinstance(user, User)
    try:
        key = keys.make_key(user=user)
    except keys.KeyRefused as error:
        messages.error(request, str(error))
        return redirect("accounts:account")
    return _account_page(request, key=key)


@require_POST
@login_required
@never_cache
def delete_key(request: HttpRequest, pk: int) -> HttpResponse:
    user = request.user
    assert isinstance(user, User)
    if not keys.delete_key(user=user, pk=pk):
        raise Http404(_("There is no such key among yours."))
    messages.success(request, _("The key lets no program in any more."))
    return redirect("accounts:account")


def _account_page(request: HttpRequest, *, key: str = "") -> HttpResponse:
    user = request.user
    assert isinstance(user, User)
    return render(request, "accounts/account.html", {"key": key, "keys": user.api_keys.order_by("-id")})


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@never_cache
def delete(request: HttpRequest) -> HttpResponse:
    """Asks for the password, and deletes the account."""
    user = request.user
    assert isinstance(user, User)
    form = DeleteForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        if not ratelimit.consume(request, action="reauthenticate", user=user):
            form.add_error(None, _("Too many attempts. Please wait a minute."))
            return render(request, "accounts/delete.html", {"form": form}, status=429)
        try:
            services.delete_account(user=user, password=form.cleaned_data["password"])
        except services.WrongPassword as error:
            form.add_error("password", str(error))
        else:
            logout(request)
            messages.success(request, _("Your account is deleted."))
            return redirect("/")
    status = 422 if form.errors else 200
    return render(request, "accounts/delete.html", {"form": form, "bots": user.bots.count()}, status=status)
