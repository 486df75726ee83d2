"""The pages of one record, which is given when the program starts."""

from __future__ import annotations

from pathlib import Path

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from arena import record as records
from arena.record import Record
from webapp.matches import chunks, pages, replay
from webapp.matches.held import Held
from webapp.matches.replay import NoSuchStep, Steps
from webapp.pages.naming import game_title

_shown: dict[str, Held] = {}
"""The record by the name of its file; there is one."""


def open_record(*, record: Record, file: str, key: str = "everything", step: int | None = None) -> str:
    """Show ``record`` from now on; the address at which that begins.

    Raises:
        NoSuchStep: there is no such step, or nobody is called so.
        VerificationError: the rules do not allow a step of it, so that it cannot be shown.
    """
    name = records.name(record)
    replay.replay(record=record, name=name, key=key, step=step)
    _shown.clear()
    _shown[Path(file).name] = Held(name, record)
    if step is None and key == "everything":
        return "/"
    return _steps().at(len(record.steps) if step is None else step, key)


def _steps() -> Steps:
    return Steps("/step/", "/?as=")


@require_safe
def show(request: HttpRequest, step: int | None = None) -> HttpResponse:
    """A step of the record, by default the end."""
    [(file, held)] = _shown.items()
    try:
        shown = replay.replay(record=held.record, name=held.name, key=request.GET.get("as", "everything"), step=step)
    except NoSuchStep as error:
        raise Http404 from error
    title = game_title(held.record.game)
    preset = held.record.preset
    context = {
        "replay": shown,
        "file": file,
        "name": held.name,
        "rules": f"{title}, {preset}" if preset else _("%(game)s, rules of its own") % {"game": title},
        "fairness": held.record.fairness,
        "steps": _steps(),
        "frames": chunks.address("local_frames"),
        "frames_size": chunks.SIZE,
        "record_address": reverse("local_record"),
    }
    return render(request, "matches/local.html", context)


@require_safe
def frames(request: HttpRequest, edition: str, language: str, key: str, number: int) -> HttpResponse:
    """Some steps at once, for scripts."""
    [held] = _shown.values()
    source = pages.frames_of(record=held.record, name=held.name, key=key, ahead=True)
    try:
        response = chunks.answer(source=source, number=number, language=language, wanted=edition)
    except NoSuchStep as error:
        raise Http404 from error
    # the next record may be shown at the same address
    response["Cache-Control"] = "no-store"
    return response


@require_safe
def record(request: HttpRequest) -> HttpResponse:
    """The record itself."""
    [held] = _shown.values()
    response = HttpResponse(records.write(held.record), content_type="application/json; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{held.name[:16]}.json"'
    return response


def nowhere(_request: HttpRequest, exception: Exception) -> HttpResponse:
    """What is not there: the site's own page for that leads to places that are not here."""
    return HttpResponse(_("There is no such page.") + "\n", content_type="text/plain; charset=utf-8", status=404)
