"""The pages of matches, replays and series."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from webapp.live.fragments import once_a_second
from webapp.matches import replay, selectors
from webapp.matches.drawing import drawing
from webapp.matches.models import Series
from webapp.pages.asking import before_of


def _may_see(request: HttpRequest, series: Series) -> bool:
    """What concerns an author alone is for that author to see, and nobody else learns that there was such a series."""
    return series.purpose not in Series.PRIVATE or selectors.concerns(series=series, user=request.user)


@require_safe
def matches(request: HttpRequest) -> HttpResponse:
    """The newest matches, of one ruleset or of all."""
    rulesets = selectors.rulesets()
    key = request.GET.get("ruleset", "")
    chosen = next((one for one in rulesets if one.key == key), None)
    if key and chosen is None:
        raise Http404
    page = selectors.match_page(ruleset=chosen, before=before_of(request))
    drawn = drawing(chosen.game) if chosen is not None else None
    context = {
        "page": page,
        "rulesets": rulesets,
        "chosen": chosen,
        "before": request.GET.get("before"),
        "legend": drawn.legend() if drawn is not None else "",
    }
    return render(request, "matches/matches.html", context)


@require_safe
@vary_on_headers("HX-Request")
def match(request: HttpRequest, name: str, step: int | None = None) -> HttpResponse:
    """The replay of a match: its end, or one step of it, as somebody saw it."""
    found = selectors.find_match(name=name)
    if found is None or not _may_see(request, found.series):
        raise Http404
    record = selectors.closed_record(name=name)
    entries = list(found.entries.all())
    context: dict[str, object] = {"match": found, "entries": entries}
    if record is None:
        context["title"] = selectors.outcome_words(entries)
        if step is not None:
            raise Http404
        return render(request, "matches/closed.html", context)
    try:
        shown = replay.replay(record=record, name=found.record_name, key=request.GET.get("as", "everything"), step=step)
    except replay.NoSuchStep as error:
        raise Http404 from error
    steps = replay.Steps(reverse("match_step", args=[name, 0]).removesuffix("0/"), "/?as=")
    context |= {"replay": shown, "steps": steps, "record": record, "fairness": record.fairness}
    context["own_logs"] = selectors.own_logs(match=found, user=request.user, step=shown.step)
    part = request.headers.get("HX-Request") == "true"
    return render(request, "matches/_replay.html" if part else "matches/match.html", context)


@require_safe
def match_record(request: HttpRequest, name: str) -> HttpResponse:
    """The record of a match, once its block is closed."""
    found = selectors.find_match(name=name)
    text = selectors.closed_record_text(name=name)
    if found is None or text is None or not _may_see(request, found.series):
        raise Http404
    response = HttpResponse(text, content_type="application/json; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}.json"'
    return response


@require_safe
@vary_on_headers("HX-Request")
@once_a_second
def series(request: HttpRequest, pk: int) -> HttpResponse:
    """A series: who plays, how far it is, its matches and its blocks."""
    found = selectors.find_series(pk=pk)
    if found is None or not _may_see(request, found):
        raise Http404
    page = selectors.matches_of_series(series=found, after=before_of(request, "after") or 0)
    context = {
        "series": found,
        "seats": list(found.seats.all()),
        "page": page,
        "blocks": selectors.blocks_of_series(series=found),
        "moving": found.state in (Series.State.WAITING, Series.State.PLAYING),
    }
    part = request.headers.get("HX-Request") == "true"
    return render(request, "matches/_series.html" if part else "matches/series.html", context)
