"""Entering tournaments from a program: with the same key and by the same rules as on their pages."""

from __future__ import annotations

from typing import Annotated

from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest
from ninja import Query, Router, Schema, Status
from ninja.errors import HttpError
from pydantic import Field

from webapp.accounts.models import User
from webapp.api_authors import Key, Refusal
from webapp.bots import selectors as bots
from webapp.limits import Limit, TooOften, spend
from webapp.tournaments import selectors, services
from webapp.tournaments.asking import NotAllowed, Refused
from webapp.tournaments.models import Entrant, Tournament

ENTRIES = Limit("tournament-entries", 200, 3_600)
"""For each person: a program that asks again and again is told to wait."""

router = Router(auth=Key(), tags=["authors"])


class Entry(Schema):
    tournament: str
    bot: str
    version: str = Field(description="The digest of the version that takes part; settled when the tournament starts.")


Name = Annotated[str, Query(description="One of your bots, by its name.", max_length=100)]


@router.post("/{slug}/entries", response={200: Entry, 403: Refusal, 404: Refusal, 409: Refusal, 429: Refusal})
def enter(request: HttpRequest, slug: str, bot: Name) -> Entry:
    """Enter a bot of yours until the deadline. Once more, and it takes part with the version that is active then."""
    person, row = _asked(request, slug)
    found = bots.own_bot_named(owner=person, game=row.ruleset.game, name=bot)
    if found is None:
        raise Http404("You have no bot of this name that plays this game.")
    try:
        entrant = services.enter(tournament=row, bot=found, by=person)
    except NotAllowed as error:
        raise HttpError(403, str(error)) from error
    except Refused as error:
        raise HttpError(409, str(error)) from error
    return Entry(tournament=row.slug, bot=found.name, version=entrant.version.digest)


@router.delete("/{slug}/entries", response={204: None, 403: Refusal, 404: Refusal, 409: Refusal, 429: Refusal})
def leave(request: HttpRequest, slug: str, bot: Name) -> Status[None]:
    """Take a bot of yours out. Before the start it has never been there; later it is not drawn any more."""
    person, row = _asked(request, slug)
    entrant = selectors.own_entrant(tournament=row, owner=person, name=bot)
    if entrant is None:
        raise Http404("No bot of yours of this name takes part.")
    return _taken_out(entrant, person)


def _taken_out(entrant: Entrant, person: User) -> Status[None]:
    try:
        services.withdraw(entrant=entrant, by=person)
    except NotAllowed as error:
        raise HttpError(403, str(error)) from error
    except Refused as error:
        raise HttpError(409, str(error)) from error
    return Status(204, None)


def _asked(request: HttpRequest, slug: str) -> tuple[User, Tournament]:
    person = request.auth  # type: ignore[attr-defined]  # put there by ninja
    assert isinstance(person, User)
    try:
        spend(ENTRIES, who=person.pk)
    except TooOften as error:
        raise HttpError(429, str(error)) from error
    # as everybody sees them: that there is a draft is told to nobody
    row = None if "\0" in slug else selectors.find(slug=slug, user=AnonymousUser())
    if row is None:
        raise Http404(f"There is no tournament {slug!r}; /api/tournaments lists them.")
    return person, row
