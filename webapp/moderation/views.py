"""Reporting, for everybody who is signed in; and the organisers' pages."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from webapp.accounts.addresses import is_verified
from webapp.accounts.models import User
from webapp.bots import quarantine
from webapp.bots import services as bots
from webapp.bots.models import Bot
from webapp.matches.models import Match
from webapp.matches.selectors import find_match, may_see, outcome_words
from webapp.moderation import organisers, selectors, services
from webapp.moderation.forms import LinkForm, ReasonForm, RenameForm, ReportForm, ResolveForm
from webapp.moderation.models import Report
from webapp.moderation.signs import FALSE_SHARE

View = Callable[..., HttpResponse]


def _person(request: HttpRequest) -> User:
    return cast(User, request.user)


def _for_organisers(view: View) -> View:
    """Everybody else is told that it is not for him."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not _person(request).is_staff:
            raise PermissionDenied(_("This is for organisers."))
        return view(request, *args, **kwargs)

    return never_cache(login_required(guarded))


# ---- reporting -----------------------------------------------------------------------------------


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def report_bot(request: HttpRequest, pk: int) -> HttpResponse:
    found = selectors.find_bot(pk=pk)
    return _report(request, found, found.name if found else "")


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def report_author(request: HttpRequest, name: str) -> HttpResponse:
    found = selectors.find_person(name=name)
    return _report(request, found, found.username if found else "")


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def report_match(request: HttpRequest, name: str) -> HttpResponse:
    found = find_match(name=name)
    if found is not None and not may_see(series=found.series, user=request.user):
        found = None
    return _report(request, found, outcome_words(list(found.entries.all())) if found else "")


def _report(request: HttpRequest, about: Bot | User | Match | None, title: str) -> HttpResponse:
    if about is None:
        raise Http404
    by = _person(request)
    form = ReportForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            services.report(by=by, about=about, **form.cleaned_data)
        except services.ModerationError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, _("Thank you. The organisers will look at it; here you see what became of it."))
            return redirect("moderation:mine")
    context = {
        "form": form,
        "title": title,
        "open": services.open_report(by=by, about=about),
        "verified": is_verified(by),
    }
    return render(request, "moderation/report.html", context, status=422 if form.errors else 200)


@require_safe
@never_cache
@login_required
def mine(request: HttpRequest) -> HttpResponse:
    return render(request, "moderation/mine.html", {"reports": selectors.reports_of(person=_person(request))})


# ---- the organisers' pages -----------------------------------------------------------------------


@require_safe
@_for_organisers
def desk(request: HttpRequest) -> HttpResponse:
    """What waits, and a way to people and bots."""
    words = request.GET.get("q", "").replace("\0", "").strip()[:40]
    context = {
        "open": selectors.open_reports(),
        "count": selectors.open_count(),
        "resolved": selectors.resolved_reports(),
        "lines": selectors.log_lines(),
        "words": words,
        "found": selectors.search(words=words) if words else None,
    }
    return render(request, "moderation/desk.html", context)


@require_safe
@_for_organisers
def signs(request: HttpRequest) -> HttpResponse:
    """What may be collusion, or one person with several accounts."""
    context = {
        "pairs": selectors.pair_signs(),
        "tested": selectors.tested_pairs(),
        "false_percent": round(100 * FALSE_SHARE),
        "contents": selectors.shared_contents(),
        "addresses": selectors.shared_addresses(),
    }
    return render(request, "moderation/signs.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@_for_organisers
def report(request: HttpRequest, pk: int) -> HttpResponse:
    """A report, and its resolution."""
    found = selectors.find_report(pk=pk)
    if found is None:
        raise Http404
    form = ResolveForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            services.resolve(report=found, by=_person(request), **form.cleaned_data)
        except services.ModerationError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, _("Resolved."))
            return redirect("moderation:desk")
    status = 422 if form.errors else 200
    return render(request, "moderation/one_report.html", {"report": found, "form": form}, status=status)


@require_safe
@_for_organisers
def person(request: HttpRequest, name: str) -> HttpResponse:
    return _person_page(request, _find_person(name))


@require_POST
@_for_organisers
def to_person(request: HttpRequest, name: str, deed: str) -> HttpResponse:
    """Does something to an author."""
    found, by = _find_person(name), _person(request)
    forms: dict[str, Form] = {"ban": ReasonForm(request.POST), "link": LinkForm(request.POST)}
    form = forms.get(deed)
    if form is not None and not form.is_valid():
        return _person_page(request, found, **{deed: form}, status=422)
    try:
        match deed:
            case "ban":
                assert form is not None
                organisers.ban_author(person=found, by=by, reason=form.cleaned_data["reason"])
            case "unban":
                organisers.unban_author(person=found, by=by)
            case "link":
                assert form is not None
                other = selectors.find_person(name=form.cleaned_data["other"])
                if other is None:
                    raise services.Refused(_("There is no account of this name."))
                organisers.link_accounts(one=found, other=other, by=by, note=form.cleaned_data["note"])
            case "unlink":
                organisers.unlink_account(person=found, by=by)
            case _:
                raise Http404
    except services.ModerationError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("Done."))
    return redirect("moderation:person", name=found.username)


def _find_person(name: str) -> User:
    found = selectors.find_person(name=name)
    if found is None:
        raise Http404
    return found


def _person_page(request: HttpRequest, found: User, *, status: int = 200, **forms: Form) -> HttpResponse:
    mine = selectors.bots_of(person=found)
    context = {
        "person": found,
        "bots": mine,
        "linked": selectors.linked_with(person=found),
        "neighbours": selectors.neighbours(person=found),
        "reports": selectors.reports_about(person=found),
        "lines": selectors.log_lines(found, *mine),
        "ban": forms.get("ban", ReasonForm()),
        "link": forms.get("link", LinkForm()),
    }
    return render(request, "moderation/person.html", context, status=status)


@require_safe
@_for_organisers
def bot(request: HttpRequest, pk: int) -> HttpResponse:
    return _bot_page(request, _find_bot(pk))


@require_POST
@_for_organisers
def to_bot(request: HttpRequest, pk: int, deed: str) -> HttpResponse:
    """Does something to a bot."""
    found, by = _find_bot(pk), _person(request)
    forms: dict[str, Form] = {
        "ban": ReasonForm(request.POST, auto_id="ban_%s"),
        "release": ReasonForm(request.POST, auto_id="release_%s"),
        "rename": RenameForm(request.POST),
    }
    form = forms.get(deed)
    if form is not None and not form.is_valid():
        return _bot_page(request, found, **{deed: form}, status=422)
    said = form.cleaned_data if form is not None else {}
    try:
        match deed:
            case "ban":
                organisers.ban_bot(bot=found, by=by, reason=said["reason"])
            case "reactivate":
                bots.reactivate_bot(bot=found, by=by)
            case "release":
                if not quarantine.release_from_quarantine(bot=found, because=said["reason"], by=by):
                    raise services.Refused(_("It is in no quarantine."))
            case "rename":
                organisers.rename_bot(bot=found, by=by, name=said["name"])
            case "clear":
                organisers.clear_about(bot=found, by=by)
            case _:
                raise Http404
    except (services.ModerationError, bots.BotError) as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("Done."))
    return redirect("moderation:bot", pk=found.pk)


def _find_bot(pk: int) -> Bot:
    found = selectors.find_bot(pk=pk)
    if found is None:
        raise Http404
    return found


def _bot_page(request: HttpRequest, found: Bot, *, status: int = 200, **forms: Form) -> HttpResponse:
    context = {
        "bot": found,
        "troubles": quarantine.troubles(bot=found),
        "reports": list(Report.objects.filter(bot=found).order_by("-id")[:20]),
        "lines": selectors.log_lines(found),
        "ban": forms.get("ban", ReasonForm(auto_id="ban_%s")),
        "release": forms.get("release", ReasonForm(auto_id="release_%s")),
        "rename": forms.get("rename", RenameForm()),
    }
    return render(request, "moderation/bot.html", context, status=status)
