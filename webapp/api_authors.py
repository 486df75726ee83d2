"""What a program may do for its author, who shows a key: hand in a bot, and ask what became of it.

Nothing here tells whether somebody else's bot or version exists: what is not one's own is not there.
"""

from __future__ import annotations

from typing import Annotated

from django.http import Http404, HttpRequest
from django.urls import reverse
from ninja import Query, Router, Schema, Status
from ninja.errors import HttpError
from ninja.security import HttpBearer
from pydantic import Field

from arena.package import MOST_BYTES
from webapp.accounts.keys import person_of
from webapp.accounts.models import User
from webapp.bots import selectors, services, uploads
from webapp.bots.models import Bot, Version


class Key(HttpBearer):
    """``Authorization: Bearer bk_…``, from the page of one's account."""

    def authenticate(self, request: HttpRequest, token: str) -> User | None:
        """The person whose key it is."""
        return person_of(token)


router = Router(auth=Key(), tags=["authors"])


class Refusal(Schema):
    error: str = Field(description="What is wrong, for people.")


class Me(Schema):
    username: str
    uploads_left: int = Field(description="How often something can be handed in now.")
    closed: str = Field(description="Why nothing can be handed in now; empty where nothing stands in the way.")


class VersionState(Schema):
    id: int
    game: str
    bot: str
    number: int
    digest: str
    state: str = Field(description="`validating`, `passed`, `failed` or `retired`.")
    active: bool = Field(description="It is the version that plays.")
    new: bool = Field(description="False: the very same content was there already.")
    matches: int = Field(description="Of its validation, over so far.")
    planned: int
    waiting: bool = Field(description="Its validation waits for a free worker.")
    reason: str = Field(description="Why it failed.")
    details: str = Field(description="Of a failure: what was asked and answered, and what the bot wrote.")
    page: str = Field(description="Its page on the site.")


@router.get("/me", response=Me)
def me(request: HttpRequest) -> Me:
    """Who you are, and whether you can hand something in."""
    person = _person(request)
    return Me(
        username=person.username,
        uploads_left=uploads.uploads_left(owner=person),
        closed=uploads.why_closed(by=person),
    )


@router.post(
    "/submit",
    response={200: VersionState, 201: VersionState, 403: Refusal, 409: Refusal, 413: Refusal, 429: Refusal},
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        }
    },
)
def submit(
    request: HttpRequest,
    game: Annotated[str, Query(description="Like `three_coins`.")],
    name: Annotated[str, Query(description="The bot's name; one of yours, or a new one.")],
    filename: Annotated[str, Query(description="Ends in `.py` or `.zip`.", max_length=200)],
) -> Status[VersionState]:
    """Hand in a bot, as the body of the request. 201 for a new version, 200 where this content was there already."""
    if len(request.body) > MOST_BYTES:
        raise HttpError(413, f"That is too large: an upload has at most {MOST_BYTES >> 10} KiB.")
    person = _person(request)
    bot = selectors.own_bot_named(owner=person, game=game, name=name)
    try:
        if bot is None:
            done = uploads.submit_new(owner=person, game=game, name=name, content=request.body, filename=filename)
        else:
            done = uploads.submit(bot=bot, by=person, content=request.body, filename=filename)
    except services.NotAllowed as error:
        raise HttpError(403, str(error)) from error
    except uploads.TooMany as error:
        raise HttpError(429, str(error)) from error
    except services.BotError as error:
        raise HttpError(409, str(error)) from error
    return Status(201 if done.new else 200, _state(request, done.version, new=done.new))


@router.get("/versions/{id}", response={200: VersionState, 404: Refusal})
def version(request: HttpRequest, id: int) -> VersionState:  # noqa: A002  # the address says {id}
    """What became of a version of yours."""
    found = selectors.own_version_by_id(owner=_person(request), pk=id) if 0 < id < 2**63 else None
    if found is None:
        raise Http404("There is no such version among yours.")
    return _state(request, found, new=False)


def _person(request: HttpRequest) -> User:
    person = request.auth  # type: ignore[attr-defined]  # put there by ninja
    assert isinstance(person, User)
    return person


def _state(request: HttpRequest, found: Version, *, new: bool) -> VersionState:
    bot: Bot = found.bot
    progress = selectors.progress_of(version=found)
    page = request.build_absolute_uri(reverse("bots:version", args=[bot.pk, found.number]))
    return VersionState(
        id=found.pk,
        game=bot.game,
        bot=bot.name,
        number=found.number,
        digest=found.digest,
        state=found.state,
        active=bot.active_version_id == found.pk,
        new=new,
        matches=progress.matches,
        planned=progress.planned,
        waiting=progress.waiting,
        reason=found.reason,
        details=selectors.details_of(version=found) if found.state == Version.State.FAILED else "",
        page=page,
    )
