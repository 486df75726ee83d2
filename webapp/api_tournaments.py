"""Tournaments, for programs: public, read-only, and without a secret before the end."""

from __future__ import annotations

from datetime import datetime

from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest
from ninja import Router, Schema
from pydantic import Field

from webapp.tournaments import selectors
from webapp.tournaments.models import Tournament

router = Router()


class TournamentLine(Schema):
    slug: str
    name: str
    ruleset: str
    state: str
    starts: datetime | None
    started: datetime | None
    finished: datetime | None
    champion: str | None


class EntrantShape(Schema):
    id: int = Field(description="Stands in the seats and places of the tables.")
    bot: str
    version: str = Field(description="Its digest.")
    rank: int | None = Field(description="Its seeding, 1 the favourite; null before the start.")
    since: int = Field(description="The first round for which it was drawn; later than 1 for late entries.")
    until: int | None = Field(description="The first round for which it was not drawn any more.")
    disqualified: bool
    reason: str


class StandingShape(Schema):
    place: int | None
    entrant: int
    points: str = Field(description="An exact fraction, like the other scores.")
    among: str | None
    buchholz: str
    sonneborn: str
    played: int
    status: str
    decision: str = Field(description="What put it behind the row before.")
    why: str


class TableShape(Schema):
    name: str
    seats: list[int] = Field(description="The entrants, in the order of their seats in the first match.")
    extra: bool = Field(description="It only decides a tie.")
    series: int
    state: str
    earlier: list[int] = Field(description="Series that were played before it at this table and do not count.")
    places: list[list[int | None]] | None = Field(
        description="For each match the places by seat, null for who did not take part; null until the round is over."
    )


class RoundShape(Schema):
    number: int
    stage: str
    state: str
    byes: list[int]
    tables: list[TableShape]


class TournamentShape(TournamentLine):
    form: dict[str, str | int | None] = Field(description="What its draws and ties are computed with.")
    matches: int = Field(description="Of a series.")
    move_ms: int
    bank_ms: int
    patience_s: int = Field(description="How long a table waits for absent bots.")
    most_each: int = Field(description="How many bots an author may enter.")
    fill_top: int = Field(description="How many of the best of the leaderboard are entered at the start, in any case.")
    draw_seed: str | None
    commitment: str | None = Field(description="The SHA-256 of the secret.")
    secret: str | None = Field(description="From which the seeds of all blocks follow; null until it is over.")
    entrants: list[EntrantShape]
    standings: list[StandingShape]
    rounds: list[RoundShape] = Field(description="The newest first.")


@router.get("", response=list[TournamentLine])
def tournaments(request: HttpRequest) -> list[TournamentLine]:
    """The newest tournaments: those that run, those that come, those that are over."""
    return [_line(row) for row in selectors.listed(user=AnonymousUser())]


@router.get("/{slug}", response=TournamentShape, url_name="tournament")
def tournament(request: HttpRequest, slug: str) -> TournamentShape:
    """A tournament, with all that its draws and its standings can be computed from again."""
    row = None if "\0" in slug else selectors.find(slug=slug, user=AnonymousUser())
    if row is None:
        raise Http404(f"There is no tournament {slug!r}; /api/tournaments lists them.")
    whole = selectors.whole(tournament=row)
    return TournamentShape(
        **_line(row).dict(),
        form=row.form,
        matches=row.matches,
        move_ms=row.move_ms,
        bank_ms=row.bank_ms,
        patience_s=row.patience_s,
        most_each=row.most_each,
        fill_top=row.fill_top,
        draw_seed=row.draw_seed or None,
        commitment=row.commitment or None,
        secret=selectors.secret_of(tournament=row),
        entrants=[
            EntrantShape(
                id=one.pk,
                bot=one.bot.name,
                version=one.version.digest,
                rank=one.rank,
                since=one.since,
                until=one.until,
                disqualified=one.disqualified,
                reason=one.reason,
            )
            for one in whole.entrants.values()
        ],
        standings=[_standing(one) for one in selectors.standings_of(whole=whole)],
        rounds=[_round(one) for one in selectors.rounds_of(whole=whole)],
    )


def _line(row: Tournament) -> TournamentLine:
    return TournamentLine(
        slug=row.slug,
        name=row.name,
        ruleset=row.ruleset.key,
        state=row.state,
        starts=row.starts_at,
        started=row.started,
        finished=row.finished,
        champion=None if row.champion is None else row.champion.bot.name,
    )


def _standing(one: selectors.Standing) -> StandingShape:
    row = one.row
    return StandingShape(
        place=row.place,
        entrant=row.entrant,
        points=str(row.points),
        among=None if row.among is None else str(row.among),
        buchholz=str(row.buchholz),
        sonneborn=str(row.sonneborn),
        played=row.played,
        status=row.status,
        decision=row.decision,
        why=one.why,
    )


def _round(one: selectors.RoundRow) -> RoundShape:
    return RoundShape(
        number=one.round.number,
        stage=one.round.stage,
        state=one.round.state,
        byes=one.round.byes,
        tables=[
            TableShape(
                name=table.pairing.name,
                seats=table.pairing.seats,
                extra=table.pairing.extra,
                series=table.pairing.series_id,
                state=table.pairing.series.state,
                earlier=table.pairing.earlier,
                places=table.pairing.places,
            )
            for table in one.tables
        ],
    )
