"""What programs may read of the site: what is public, and nothing else. Nothing is written here.

What an author's program may do with a key is in `webapp.api_authors`.

Every shape is spelled out field by field, so that what is not named in one is not shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_cache_control
from django.views.decorators.http import conditional_page
from ninja import NinjaAPI, Query, Router, Schema
from ninja.decorators import decorate_view
from ninja.errors import AuthenticationError, HttpError, ValidationError
from pydantic import Field

from webapp.accounts.addresses import client_address
from webapp.api_authors import router as authors
from webapp.api_entries import router as entries
from webapp.api_tournaments import router as tournaments
from webapp.bots import public_selectors as bots
from webapp.bots.models import Bot, Version
from webapp.limits import TooOften, spend
from webapp.matches import downloads, feed
from webapp.matches import selectors as matches
from webapp.matches.models import Block, Match, Ruleset
from webapp.ratings import selectors as ratings
from webapp.ratings.board import BoardRow, Wanted, all_rows, board
from webapp.ratings.board_csv import write_csv
from webapp.ratings.models import Rating, Snapshot

api = NinjaAPI(
    title="Bluff Arena",
    version="1",
    description="Leaderboards, bots, matches, series, tournaments and records. All of it is public, and read "
    "without a key. Under `/my` an author hands in bots, with a key from the page of the account.",
    urls_namespace="api",
)

# ---- the shapes ----------------------------------------------------------------------------------


class Error(Schema):
    error: str = Field(description="What is wrong, for people.")


class BotName(Schema):
    game: str
    name: str
    owner: str | None = Field(description="The author's username; `house`; null if the author has left.")


class VersionShape(Schema):
    number: int = Field(description="Counts the bot's versions from 1.")
    label: str = Field(description="The author's name for it; empty for hosted bots.")
    digest: str = Field(description="`sha256:` and the hash that stands in records.")
    declared: bool = Field(description="The author says that this is what plays; nobody has seen the program.")


class RatingShape(Schema):
    elo: float
    plus_minus: float = Field(description="Half of the 95 % interval of the difference to the bot `random`, in Elo.")
    rank_low: int = Field(description="1 + the number of bots that are surely better.")
    rank_high: int
    provisional: bool = Field(description="The standard error is above 40 Elo.")
    matches: int


class BoardShape(Schema):
    ruleset: str
    game: str
    preset: str
    flagship: bool
    options: dict[str, str | int]
    matches: int = Field(description="Matches counted in the newest fit.")
    updated: datetime | None


class RowShape(Schema):
    bot: BotName
    version: VersionShape
    rating: RatingShape
    kind: str = Field(description="`hosted` or `remote`.")
    language: str | None = Field(description="What it is written in, as far as is known.")
    score: float | None = Field(description="The share of opponents at its tables that it came before; a tie is half.")
    faulty: int = Field(description="Matches in which it was at fault.")
    faults: float | None = Field(description="Their share.")
    last_played: datetime | None


class LeaderboardShape(BoardShape):
    found: int = Field(description="Rows that there are on all pages.")
    rows: list[RowShape] = Field(description="The settled ones first, then the provisional ones; the best first.")


class EntryShape(Schema):
    seat: int
    bot: str = Field(description="The bot's name; its game is the match's.")
    version: str
    place: int
    score: int
    fault: str | None = Field(description="The kind of its first fault.")
    moves: int
    thinking_ms: float
    slowest_ms: float


class MatchShape(Schema):
    name: str
    ruleset: str
    series: int
    number: int = Field(description="Which match of the series, from 1.")
    block: int = Field(description="The number of its block within the series; see there for the commitment.")
    rated: bool
    voided: bool = Field(description="An organiser took it out of the ratings.")
    reason: str
    steps: int
    started: datetime
    finished: datetime
    runtime: str | None = Field(description="The runtime in which its hosted bots played; null where there were none.")
    record_sha256: str | None = Field(description="The name of the record; null until the block is closed.")
    entries: list[EntryShape] = Field(description="By seat.")


class MatchList(Schema):
    matches: list[MatchShape] = Field(description="The newest first.")
    before: str | None = Field(description="Ask with this for the ones before; null where these are the oldest.")


class BotRating(Schema):
    ruleset: str
    version: int
    rating: RatingShape


class BotShape(BotName):
    kind: str
    state: str
    about: str
    created: datetime
    active_version: int | None
    versions: list[VersionShape] = Field(description="The newest first, 100 at most.")
    ratings: list[BotRating]


class SeatShape(Schema):
    seat: int
    bot: str
    version: str
    removed: str | None = Field(description="Why it was taken off the table before a match.")


class BlockShape(Schema):
    number: int
    state: str
    reason: str = Field(description="Why it was broken off.")
    commitment: str
    nonce_hashes: list[str]
    seed: str | None = Field(description="Null until the block is closed.")
    nonces: list[str] | None = Field(description="Null until the block is closed.")


class SeriesMatch(Schema):
    number: int
    name: str


class SeriesShape(Schema):
    id: int
    ruleset: str
    purpose: str
    rated: bool
    duplicate: bool = Field(description="All matches on the same luck, with the seats rotated.")
    state: str
    note: str
    planned: int
    created: datetime
    started: datetime | None
    finished: datetime | None
    seats: list[SeatShape] = Field(description="By seat in the first match.")
    matches: list[SeriesMatch]
    blocks: list[BlockShape] = Field(description="The newest first, broken ones too.")


# ---- leaderboards and bots -----------------------------------------------------------------------


@api.get("/leaderboards", response=list[BoardShape])
@decorate_view(conditional_page)
def leaderboards(request: HttpRequest) -> list[BoardShape]:
    """All leaderboards, without their rows."""
    newest = ratings.newest_snapshots()
    return [_board(ruleset, newest.get(ruleset.pk)) for ruleset in matches.rulesets()]


class Part(Schema):
    """Which rows, as the page of a leaderboard has it in its own address."""

    who: str = Field("", description="`house` or `people`: whose bots; by default all.")
    kind: str = Field("", description="`hosted` or `remote`.")
    state: str = Field("", description="`settled` or `provisional`.")
    q: str = Field("", description="Part of the name of the bot or of its author.")
    sort: str = Field(
        "-elo",
        description="`elo`, `name`, `author`, `matches`, `score`, `faults` or `last`; a minus before it: downwards.",
    )
    page: int | None = Field(None, description="A page of 100 rows, from 1; by default all rows.")


@api.get("/leaderboards/{game}/{preset}", response={200: LeaderboardShape, 404: Error}, url_name="leaderboard")
@decorate_view(conditional_page)
def leaderboard(request: HttpRequest, game: str, preset: str, part: Query[Part]) -> LeaderboardShape:
    """One leaderboard: a row for every bot, by its active version; the very rows that its page shows."""
    ruleset = _ruleset(f"{game}/{preset}")
    rows, found = _rows(ruleset, part)
    told = _board(ruleset, ratings.newest_snapshot(ruleset=ruleset))
    return LeaderboardShape(**told.dict(), found=found, rows=[_row(one) for one in rows])


@api.get(
    "/leaderboards/{game}/{preset}/csv",
    response={404: Error},
    openapi_extra={
        "responses": {
            200: {
                "description": "A row for each bot, with a line of titles. A text that begins like a formula has an "
                "apostrophe before it.",
                "content": {"text/csv": {"schema": {"type": "string"}}},
            }
        }
    },
)
@decorate_view(conditional_page)
def leaderboard_csv(request: HttpRequest, game: str, preset: str, part: Query[Part]) -> HttpResponse:
    """The same as a table for a spreadsheet."""
    rows, _found = _rows(_ruleset(f"{game}/{preset}"), part)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{game}-{preset}.csv"'
    write_csv(rows, response)
    return response


def _rows(ruleset: Ruleset, part: Part) -> tuple[list[BoardRow], int]:
    """The rows that an address asks for, and how many there are on all pages."""
    given = {name: str(value) for name, value in part.dict().items() if value is not None}
    wanted = Wanted.of(given)
    if part.page is None:
        rows = list(all_rows(ruleset=ruleset, wanted=wanted))
        return rows, len(rows)
    shown = board(ruleset=ruleset, wanted=wanted)
    return shown.rows, shown.found


def _row(one: BoardRow) -> RowShape:
    return RowShape(
        bot=_bot_name(one.row.bot),
        version=_version(one.row.version),
        rating=_rating(one.row),
        kind=one.row.bot.kind,
        language=one.language or None,
        score=one.score,
        faulty=one.faulty,
        faults=one.faults,
        last_played=one.last_played,
    )


@api.get(
    "/leaderboards/{game}/{preset}/records",
    response={404: Error, 429: Error, 503: Error},
    openapi_extra={
        "responses": {
            200: {
                "description": "Gzipped JSON lines, the oldest match first: `match` (its name), `rated`, `voided`, "
                "`record_sha256` and `record`. Where there are more matches, the header `Link` leads to the rest.",
                "content": {"application/gzip": {"schema": {"type": "string", "format": "binary"}}},
            },
            304: {"description": "Nothing has changed since the download with the `ETag` in `If-None-Match`."},
        }
    },
)
def all_records(
    request: HttpRequest,
    game: str,
    preset: str,
    after: Annotated[str | None, Query(description="The name of a match: only what was played after it.")] = None,
    limit: Annotated[int, Query(ge=1, le=downloads.MOST)] = downloads.MOST,
) -> HttpResponseBase:
    """All records of a leaderboard in one download, for training and statistics.

    It ends where a match is not published yet, so going on later with `after` misses nothing. Two downloads are
    given at the same time, one to an address, else 503 with `Retry-After`; an address has 50 a day, else 429; after
    ten minutes a download is cut off.
    """
    ruleset, start = _ruleset(f"{game}/{preset}"), None if after is None else _match(after)
    who = client_address(request)
    try:
        spend(downloads.A_DAY, who=who)  # even finding out that nothing has changed costs something
    except TooOften as error:
        raise HttpError(429, str(error)) from error
    chosen = downloads.part(ruleset=ruleset, after=start, most=limit)
    unchanged = get_conditional_response(request, etag=chosen.etag)
    if unchanged is not None:
        return unchanged
    try:
        seat = downloads.Seat(who=who)
    except downloads.Busy:
        answer = _error(request, "As many downloads are under way as may be. Please try again in a minute.", 503)
        answer["Retry-After"] = "60"
        return answer
    response = StreamingHttpResponse(downloads.packed(chosen, seat), content_type="application/gzip")
    response._resource_closers.append(seat.leave)  # type: ignore[attr-defined]  # also where nobody reads any of it
    response["ETag"] = chosen.etag
    response["Content-Disposition"] = f'attachment; filename="{game}-{preset}.jsonl.gz"'
    if chosen.more is not None:
        response["Link"] = f'<{request.path}?after={chosen.more}&limit={limit}>; rel="next"'
    return response


@api.get("/bots/{game}/{name}", response={200: BotShape, 404: Error})
@decorate_view(conditional_page)
def bot(request: HttpRequest, game: str, name: str) -> BotShape:
    """A bot, its versions, and its ratings on all leaderboards."""
    found = _bot(game, name)
    return BotShape(
        **_bot_name(found).dict(),
        kind=found.kind,
        state=found.state,
        about=found.about,
        created=found.created,
        active_version=found.active_version.number if found.active_version else None,
        versions=[_version(version) for version in bots.versions_of(bot=found, size=100)],
        ratings=[
            BotRating(ruleset=one.snapshot.ruleset.key, version=one.version.number, rating=_rating(one))
            for one in ratings.ratings_of(bot=found)
        ],
    )


# ---- matches and series --------------------------------------------------------------------------


@api.get("/matches", response={200: MatchList, 404: Error})
def match_list(
    request: HttpRequest,
    ruleset: Annotated[str | None, Query(description="Like `three_coins/classic`.")] = None,
    bot: Annotated[str | None, Query(description="Like `three_coins/random`.")] = None,
    before: Annotated[str | None, Query(description="The name of a match: go on with older ones.")] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
) -> MatchList:
    """The newest matches, of a ruleset or of a bot if one is named. Page by `before`."""
    of_bot = None
    if bot is not None:
        game, _, name = bot.partition("/")
        of_bot = _bot(game, name)
    found = feed.feed(
        ruleset=None if ruleset is None else _ruleset(ruleset),
        bot=of_bot,
        before=None if before is None else _match(before),
        size=limit + 1,
    )
    return MatchList(
        matches=[_match_shape(match) for match in found[:limit]],
        before=found[limit - 1].name if len(found) > limit else None,
    )


@api.get("/matches/{name}", response={200: MatchShape, 404: Error})
@decorate_view(conditional_page)
def match(request: HttpRequest, name: str) -> MatchShape:
    """One match: who played, and how it ended."""
    return _match_shape(_match(name))


@api.get(
    "/matches/{name}/record",
    response={404: Error, 409: Error},
    openapi_extra={
        "responses": {
            200: {
                "description": "The complete record; its canonical form has the SHA-256 of `record_sha256`.",
                "content": {"application/json": {"schema": {"type": "object"}}},
            }
        }
    },
)
def match_record(request: HttpRequest, name: str) -> HttpResponse:
    """The record of a match, complete, for `arena verify`. 409 until its block is closed."""
    found = _match(name)
    if found.block.state != Block.State.CLOSED:
        said = {
            Block.State.OPEN: "is not published yet: other matches may still be played on the same luck",
            Block.State.BROKEN: "is not published: its block was broken off",
        }
        raise HttpError(409, f"The record of {name} {said[Block.State(found.block.state)]}.")
    etag = f'"{found.record_name}"'
    unchanged = get_conditional_response(request, etag=etag)
    if unchanged is not None:
        return unchanged
    text = matches.closed_record_text(name=name)
    assert text is not None, "a closed block stays closed"
    response = HttpResponse(text, content_type="application/json", headers={"ETag": etag})
    patch_cache_control(response, public=True, max_age=365 * 24 * 3600, immutable=True)
    return response


@api.get("/series/{id}", response={200: SeriesShape, 404: Error})
@decorate_view(conditional_page)
def series(request: HttpRequest, id: int) -> SeriesShape:  # noqa: A002  # the address says {id}
    """A series: who sits where, its matches, and what its luck was committed to."""
    found = matches.find_series(pk=id) if 0 < id < 2**63 else None
    if found is None or found.private:
        raise Http404(f"There is no series {id}.")
    return SeriesShape(
        id=found.pk,
        ruleset=found.ruleset.key,
        purpose=found.purpose,
        rated=found.rated,
        duplicate=found.duplicate,
        state=found.state,
        note=found.note,
        planned=found.planned,
        created=found.created,
        started=found.started,
        finished=found.finished,
        seats=[
            SeatShape(seat=s.seat, bot=s.version.bot.name, version=s.version.digest, removed=s.removed or None)
            for s in found.seats.all()
        ],
        matches=[
            SeriesMatch(number=number, name=name)
            for number, name in found.matches.order_by("number").values_list("number", "name")
        ],
        blocks=[
            BlockShape(
                number=block.number,
                state=block.state,
                reason=block.reason,
                commitment=block.commitment,
                nonce_hashes=list(block.nonce_hashes),
                seed=block.seed,
                nonces=None if block.nonces is None else list(block.nonces),
            )
            for block in matches.blocks_of_series(series=found, size=10_000)
        ],
    )


api.add_router("/my", authors)
api.add_router("/tournaments", tournaments)
api.add_router("/tournaments", entries)

rest = Router()  # what comes last takes what nobody has taken


@rest.get("/{path:rest}", include_in_schema=False, response={404: Error})
def nothing(request: HttpRequest, rest: str) -> HttpResponse:
    raise Http404("There is nothing here; /api/openapi.json lists what there is.")


api.add_router("", rest)

# ---- finding, or saying that there is none -------------------------------------------------------


def _ruleset(key: str) -> Ruleset:
    game, _, preset = key.partition("/")
    found = matches.find_ruleset(game=game, preset=preset) if _can_be_asked(key) else None
    if found is None:
        raise Http404(f"There is no leaderboard {key!r}; /api/leaderboards lists them.")
    return found


def _bot(game: str, name: str) -> Bot:
    found = bots.find_bot(game=game, name=name) if _can_be_asked(game + name) else None
    if found is None:
        raise Http404(f"There is no bot {f'{game}/{name}'!r}; a bot is named like three_coins/random.")
    return found


def _match(name: str) -> Match:
    found = feed.one(name=name) if _can_be_asked(name) else None
    if found is None:
        raise Http404(f"There is no match {name!r}.")
    return found


def _can_be_asked(text: str) -> bool:
    """PostgreSQL does not even take a text with a NUL in it as a question."""
    return "\0" not in text


# ---- filling the shapes --------------------------------------------------------------------------


def _board(ruleset: Ruleset, snapshot: Snapshot | None) -> BoardShape:
    return BoardShape(
        ruleset=ruleset.key,
        game=ruleset.game,
        preset=ruleset.preset,
        flagship=ruleset.flagship,
        options=ruleset.options,
        matches=snapshot.matches if snapshot else 0,
        updated=snapshot.created if snapshot else None,
    )


def _bot_name(bot: Bot) -> BotName:
    return BotName(game=bot.game, name=bot.name, owner=ratings.owner_name(bot) or None)


def _version(version: Version) -> VersionShape:
    return VersionShape(number=version.number, label=version.label, digest=version.digest, declared=version.declared)


def _rating(found: ratings.Row | Rating) -> RatingShape:
    return RatingShape(
        elo=found.elo,
        plus_minus=found.half_width,
        rank_low=found.rank_low,
        rank_high=found.rank_high,
        provisional=found.provisional,
        matches=found.matches,
    )


def _match_shape(match: Match) -> MatchShape:
    return MatchShape(
        name=match.name,
        ruleset=match.ruleset.key,
        series=match.series_id,
        number=match.number,
        block=match.block.number,
        rated=match.rated,
        voided=match.voided,
        reason=match.reason,
        steps=match.steps,
        started=match.started,
        finished=match.finished,
        runtime=match.runtime or None,
        record_sha256=match.record_name if match.block.state == Block.State.CLOSED else None,
        entries=[
            EntryShape(
                seat=entry.seat,
                bot=entry.bot.name,
                version=entry.version.digest,
                place=entry.place,
                score=entry.score,
                fault=entry.fault or None,
                moves=entry.moves,
                thinking_ms=entry.thinking_ms,
                slowest_ms=entry.slowest_ms,
            )
            for entry in match.entries.all()
        ],
    )


# ---- errors --------------------------------------------------------------------------------------


def _error(request: HttpRequest, message: str, status: int) -> HttpResponse:
    return api.create_response(request, {"error": message}, status=status)


@api.exception_handler(Http404)
def _not_found(request: HttpRequest, error: Http404) -> HttpResponse:
    return _error(request, str(error) or "There is nothing here.", 404)


@api.exception_handler(AuthenticationError)
def _no_key(request: HttpRequest, error: AuthenticationError) -> HttpResponse:
    return _error(request, "This needs a key of yours, which lets you in: make one on the page of your account.", 401)


@api.exception_handler(HttpError)
def _http_error(request: HttpRequest, error: HttpError) -> HttpResponse:
    return _error(request, error.message, error.status_code)


@api.exception_handler(ValidationError)
def _invalid(request: HttpRequest, error: ValidationError) -> HttpResponse:
    wrong = [f"{_where(one['loc'])}: {one['msg']}" for one in error.errors]
    return _error(request, "; ".join(wrong), 422)


def _where(place: Sequence[str | int]) -> str:
    """The parameter's name: what comes before it says only whether it is in the path or in the query."""
    return str(place[-1])
