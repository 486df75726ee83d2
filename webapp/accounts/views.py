"""A person's account."""

from __future__ import annotations

from allauth.core import ratelimit
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from webapp.accounts import services
from webapp.accounts.forms import DeleteForm
from webapp.accounts.models import User


@require_safe
@login_required
@never_cache
def account(request: HttpRequest) -> HttpResponse:
    return render(request, "accounts/account.html")


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
