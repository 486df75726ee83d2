"""All tournaments at a glance: what runs, what comes, what is over. For their index and for the front page."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from webapp.accounts.models import User
from webapp.matches.models import Series
from webapp.tournaments import selectors
from webapp.tournaments.forms import form_words
from webapp.tournaments.models import Entrant, Round, Tournament
from webapp.tournaments.telling import closed

MOST = 60
"""Of those that run, and of those that come."""

A_PAGE = 30
"""Of those that are over."""

State = Tournament.State


class Listed(NamedTuple):
    """A tournament in a list."""

    tournament: Tournament
    form: str
    bots: int
    stage: str
    """Of the round that is being played; empty where none is."""
    over: int
    """How many of its tables are over."""
    tables: int
    open: bool
    """Whether entries are taken."""


class Overview(NamedTuple):
    """All of them."""

    running: list[Listed]
    coming: list[Listed]
    over: list[Listed]
    before: int | None
    """There are older ones: those with ids below this."""


def overview(*, user: User | AnonymousUser, before: int | None = None) -> Overview:
    """Those that run, those that come (for organisers drafts, too), and a page of those that are over."""
    seen = _counted(user)
    running = seen.filter(state=State.RUNNING).order_by("-started", "-pk")[:MOST]
    coming = seen.filter(state__in=(State.OPEN, State.DRAFT)).order_by(F("starts_at").asc(nulls_last=True), "pk")[:MOST]
    over = seen.filter(state__in=(State.FINISHED, State.CANCELLED)).order_by("-pk")
    if before is not None:
        over = over.filter(pk__lt=before)
    older = list(over[: A_PAGE + 1])
    more = older[A_PAGE - 1].pk if len(older) > A_PAGE else None
    begun, ahead = list(running), list(coming)
    listed = _listed([*begun, *ahead, *older[:A_PAGE]])
    first, last = len(begun), len(begun) + len(ahead)
    return Overview(listed[:first], listed[first:last], listed[last:], more)


class FrontPage(NamedTuple):
    """What the front page says of tournaments."""

    coming: list[Listed]
    champions: list[Tournament]


def front_page() -> FrontPage:
    """What comes next, and who has won last. Two queries, however many tournaments there are."""
    return FrontPage(coming(), champions())


def champions(*, size: int = 3) -> list[Tournament]:
    """The newest tournaments that somebody has won. One query."""
    seen = selectors.visible(user=AnonymousUser())
    return list(seen.filter(state=State.FINISHED, champion__isnull=False).order_by("-finished", "-pk")[:size])


def coming(*, size: int = 3) -> list[Listed]:
    """Those that take entries or start next."""
    seen = _counted(AnonymousUser())
    return _listed(seen.filter(state=State.OPEN).order_by(F("starts_at").asc(nulls_last=True), "pk")[:size])


def _counted(user: User | AnonymousUser) -> QuerySet[Any, Any]:
    """All that this person may see, each with ``bots``: how many take part."""
    entrants = Entrant.objects.filter(tournament=OuterRef("pk")).order_by().values("tournament")
    count = Subquery(entrants.annotate(n=Count("pk")).values("n"))
    return selectors.visible(user=user).annotate(bots=Coalesce(count, 0))


def _listed(found: Iterable[Any]) -> list[Listed]:
    """With what is shown of each: one query where some are being played, however many."""
    rows = list(found)
    rounds = _present([row for row in rows if row.state == State.RUNNING])
    listed = []
    for row in rows:
        playing = rounds.get(row.pk)
        tables = 0 if playing is None else playing.tables
        over = 0 if playing is None else playing.tables - playing.left
        taken = row.state == State.OPEN and not closed(row)
        stage = "" if playing is None else playing.stage
        listed.append(Listed(row, form_words(row.form["format"]), row.bots, stage, over, tables, taken))
    return listed


def _present(running: Iterable[Tournament]) -> dict[int, Any]:
    """The rounds that are being played, by tournament, with how many tables they have and how many are not over."""
    ids = [row.pk for row in running]
    if not ids:
        return {}
    under_way = Q(pairings__series__state__in=Series.UNDER_WAY)
    present = Round.objects.filter(tournament__in=ids, state=Round.State.PLAYING)
    counted = present.annotate(tables=Count("pairings"), left=Count("pairings", filter=under_way))
    return {row.tournament_id: row for row in counted}


def headline(found: Overview) -> str:
    """What is going on, in a line."""
    if found.running:
        count = len(found.running)
        if count == 1:
            return _("%(name)s is being played") % {"name": found.running[0].tournament.name}
        return ngettext("%(n)d tournament is being played", "%(n)d tournaments are being played", count) % {"n": count}
    won = next((one.tournament for one in found.over if one.tournament.champion is not None), None)
    if won is not None and won.champion is not None:
        return _("%(bot)s has won %(name)s") % {"bot": won.champion.bot.name, "name": won.name}
    taking = next((one.tournament for one in found.coming if one.open), None)
    return _("Tournaments") if taking is None else _("%(name)s is open for entries") % {"name": taking.name}
