"""The pages of matches, replays and series."""

from __future__ import annotations

from csp.decorators import csp_replace
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from arena.record import Record
from webapp.live.fragments import once_a_second
from webapp.live.news import channel_of_series
from webapp.matches import chunks, embedding, pages, replay, selectors
from webapp.matches.drawing import drawing
from webapp.matches.models import Match, Series
from webapp.pages.asking import before_of
from webapp.ratings import influence


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
@gzip_page
def match(request: HttpRequest, name: str, step: int | None = None) -> HttpResponse:
    """The replay of a match: its end, or one step of it, as somebody saw it."""
    found = selectors.find_match(name=name)
    if found is None or not selectors.may_see(series=found.series, user=request.user):
        raise Http404
    record = selectors.closed_record(name=name)
    entries = list(found.entries.all())
    context: dict[str, object] = {"match": found, "entries": entries}
    if record is None:
        context["title"] = selectors.outcome_words(entries)
        if step is not None:
            raise Http404
        return render(request, "matches/closed.html", context)
    shown = _shown(request, found, record, step)
    context |= pages.of_match(shown=shown, name=name, blind=chunks.blind(request))
    context |= {"record": record, "fairness": record.fairness, "private": found.series.private}
    moved = influence.moved_in(match=found, versions=[entry.version_id for entry in entries])
    context["places"] = [(entry, moved.get(entry.version_id)) for entry in entries]
    context["own_logs"] = selectors.own_logs(match=found, user=request.user, step=shown.step)
    return render(request, "matches/match.html", context)


def _shown(request: HttpRequest, match: Match, record: Record, step: int | None) -> replay.Replay:
    """What the address asks for. Who does not want to know how it ends begins at the start."""
    key, blind = request.GET.get("as", "everything"), chunks.blind(request)
    at = 0 if blind and step is None else step
    try:
        return replay.replay(
            record=record,
            name=match.record_name,
            key=key,
            step=at,
            ahead=not blind,
            limits=match.series.limits,
        )
    except replay.NoSuchStep as error:
        raise Http404 from error


@require_safe
@gzip_page
def match_frames(request: HttpRequest, name: str, edition: str, language: str, key: str, number: int) -> HttpResponse:
    """Some steps of a replay at once, for scripts."""
    found = selectors.find_match(name=name)
    if found is None or not selectors.may_see(series=found.series, user=request.user):
        raise Http404
    record, ahead = selectors.closed_record(name=name), not chunks.blind(request)
    if record is None:
        raise Http404
    limits = found.series.limits
    source = pages.frames_of(record=record, name=found.record_name, key=key, ahead=ahead, limits=limits)
    try:
        return chunks.answer(
            source=source,
            number=number,
            language=language,
            wanted=edition,
            private=found.series.private,
        )
    except replay.NoSuchStep as error:
        raise Http404 from error


@require_safe
@gzip_page
@xframe_options_exempt
@csp_replace({"frame-ancestors": ["*"]})  # type: ignore[arg-type]  # it takes views without arguments alone
def embed(request: HttpRequest, name: str, step: int | None = None) -> HttpResponse:
    """A replay within a page of somebody else's: nothing of it depends on who looks, and nothing is kept of him."""
    found = selectors.find_match(name=name)
    record = selectors.closed_record(name=name) if found is not None and not found.series.private else None
    if found is None or record is None:
        raise Http404
    with embedding.language_of(request) as language:
        shown = _shown(request, found, record, step)
        context = pages.of_match(shown=shown, name=name, blind=chunks.blind(request), embedded=True)
        response = HttpResponse(render_to_string("matches/embed.html", {"match": found, **context}))
    return embedding.without_reader(response, language)


@require_safe
def match_record(request: HttpRequest, name: str) -> HttpResponse:
    """The record of a match, once its block is closed."""
    found = selectors.find_match(name=name)
    text = selectors.closed_record_text(name=name)
    if found is None or text is None or not selectors.may_see(series=found.series, user=request.user):
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
    if found is None or not selectors.may_see(series=found, user=request.user):
        raise Http404
    page = selectors.matches_of_series(series=found, after=before_of(request, "after") or 0)
    context = {
        "series": found,
        "seats": list(found.seats.all()),
        "page": page,
        "blocks": selectors.blocks_of_series(series=found),
        "channel": channel_of_series(found.pk, private=found.private),
        "moving": found.state in Series.UNDER_WAY,
    }
    part = request.headers.get("HX-Request") == "true"
    return render(request, "matches/_series.html" if part else "matches/series.html", context)
