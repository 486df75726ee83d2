"""Every read of tournaments that pages, exports and the API need. The secret leaves this module only after the end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from django.contrib.auth.models import AnonymousUser
from django.db.models import Case, Count, Prefetch, Q, QuerySet, When

from arena.pairing import FormatError, Result, Row, explain
from arena.pairing.scores import read_result
from arena.pairing.standings import in_decimals
from webapp.accounts.models import User
from webapp.bots.models import Bot
from webapp.matches.models import Block, Match, Series
from webapp.tournaments import facts
from webapp.tournaments.at_table import luck_number
from webapp.tournaments.models import Entrant, Pairing, Round, Tournament
from webapp.tournaments.results import finished_early

_SECRETS = ("secret",)


def _rows() -> QuerySet[Tournament]:
    return Tournament.objects.select_related("ruleset", "organiser", "champion__bot").defer(*_SECRETS)


def find(*, slug: str, user: User | AnonymousUser) -> Tournament | None:
    """A tournament; drafts are there for organisers only."""
    return visible(user=user).filter(slug=slug).first()


def listed(*, user: User | AnonymousUser, size: int = 60) -> list[Tournament]:
    """Those that run, those that come, and then those that are over, the newest first."""
    order = ("running", "open", "draft", "finished", "cancelled")
    place = Case(*(When(state=state, then=number) for number, state in enumerate(order)))
    return list(visible(user=user).order_by(place, "-id")[:size])


def visible(*, user: User | AnonymousUser) -> QuerySet[Tournament]:
    """All that this person may see."""
    found = _rows()
    organiser = user.is_authenticated and user.is_active and user.is_staff
    return found if organiser else found.exclude(state=Tournament.State.DRAFT)


def secret_of(*, tournament: Tournament) -> str | None:
    """The secret in hex digits, once nothing is played on luck that follows from it. Two queries at most."""
    if tournament.state not in (Tournament.State.FINISHED, Tournament.State.CANCELLED) or not tournament.begun:
        return None
    under_way = Q(series__state__in=Series.UNDER_WAY)
    if tournament.pairings.filter(under_way).exists():
        return None
    secret = Tournament.objects.values_list("secret", flat=True).get(pk=tournament.pk)
    return None if secret is None else bytes(secret).hex()


# ---- entrants and standings -----------------------------------------------------------------------


class Whole(NamedTuple):
    """A tournament with its entrants and rounds: read once, for all that a page tells of them."""

    tournament: Tournament
    entrants: dict[int, Entrant]
    """By id, the favourite first."""
    rounds: list[Round]
    """The newest first, each with its tables by position, and their series."""


def whole(*, tournament: Tournament) -> Whole:
    """All of a tournament. Three queries, however many have played."""
    tables = Pairing.objects.select_related("series").order_by("position")
    rounds = tournament.rounds.order_by("-number").prefetch_related(Prefetch("pairings", tables))
    return Whole(tournament, {one.pk: one for one in entrants_of(tournament=tournament)}, list(rounds))


def entrants_of(*, tournament: Tournament) -> list[Entrant]:
    """Who takes part, the favourite first."""
    found = tournament.entrants.select_related("bot__owner", "version").defer("version__source")
    return sorted(found, key=lambda one: (one.rank or facts.LAST, one.pk))


def takes_late_entries(*, tournament: Tournament) -> bool:
    """Whether bots may still be entered although it has begun: there is a round to come that could seat them."""
    if tournament.state != Tournament.State.RUNNING or tournament.form["format"] != "swiss":
        return False
    present = tournament.rounds.filter(state=Round.State.PLAYING).first()
    drawn = tournament.rounds.filter(pairings__extra=True).exists()
    return not drawn and (present is None or present.number < tournament.form["rounds"])


def may_enter(*, tournament: Tournament, user: User | AnonymousUser) -> list[Bot]:
    """The bots that this person could enter; what was entered already is among them."""
    if not user.is_authenticated or tournament.state != Tournament.State.OPEN:
        return []
    own = Bot.objects.filter(owner=user.pk, game=tournament.ruleset.game, state=Bot.State.ACTIVE)
    return list(own.exclude(active_version=None).select_related("active_version").order_by("name"))


def own_entrant(*, tournament: Tournament, owner: User, name: str) -> Entrant | None:
    """The entrant of this name, be it in capitals or not, if the bot is this person's."""
    found = tournament.entrants.filter(bot__owner=owner, bot__name__iexact=name.replace("\0", ""))
    return found.select_related("bot", "tournament").first()


class Standing(NamedTuple):
    """A line of the standings, as it is shown."""

    row: Row
    entrant: Entrant
    points: str
    among: str
    buchholz: str
    sonneborn: str
    why: str
    """What put it behind the one before."""


def standings_of(*, whole: Whole) -> list[Standing]:
    """How it stands after the rounds that are over; empty before the start. No query."""
    entrants = whole.entrants
    try:
        rows = facts.standings(whole.tournament, entrants=entrants.values(), rounds=whole.rounds)
    except FormatError:
        return []
    names = {pk: one.bot.name for pk, one in entrants.items()}
    by_entrant = {row.entrant: row for row in rows}
    return [
        Standing(
            row,
            entrants[row.entrant],
            in_decimals(row.points),
            in_decimals(row.among),
            in_decimals(row.buchholz),
            in_decimals(row.sonneborn),
            explain(row, None if row.behind is None else by_entrant[row.behind], names),
        )
        for row in rows
    ]


# ---- rounds ---------------------------------------------------------------------------------------


class Seat(NamedTuple):
    """An entrant at a table."""

    entrant: Entrant
    points: str
    """Of this series; empty as long as that is not over."""
    best: bool
    absent: bool
    """It took part in no match."""


class TableRow(NamedTuple):
    """A table and what came of it."""

    pairing: Pairing
    seats: tuple[Seat, ...]
    """By points, as soon as there are any."""
    played: int
    """Matches that are written."""


class RoundRow(NamedTuple):
    """A round with its tables."""

    round: Round
    tables: tuple[TableRow, ...]
    byes: tuple[Entrant, ...]

    @property
    def over(self) -> int:
        """How many of its tables are over."""
        states = Series.UNDER_WAY
        return sum(table.pairing.series.state not in states for table in self.tables)

    @property
    def written(self) -> int:
        """How many of its matches are."""
        return sum(table.played for table in self.tables)


def rounds_of(*, whole: Whole) -> list[RoundRow]:
    """All rounds that were drawn, the newest first. Three queries at most."""
    entrants, rounds = whole.entrants, whole.rounds
    counted = Series.objects.filter(pairing__tournament=whole.tournament).annotate(written=Count("matches"))
    written = dict(counted.values_list("pk", "written"))
    present = [table for one in rounds if one.state == Round.State.PLAYING for table in one.pairings.all()]
    early = finished_early(present=present)
    return [
        RoundRow(
            one,
            tuple(
                TableRow(table, _seats(table, entrants, early.get(table.pk)), written.get(table.series_id, 0))
                for table in one.pairings.all()
            ),
            tuple(entrants[pk] for pk in one.byes),
        )
        for one in rounds
    ]


def _seats(pairing: Pairing, entrants: dict[int, Entrant], early: Result | None) -> tuple[Seat, ...]:
    if pairing.places is None and early is None:
        return tuple(Seat(entrants[pk], "", False, False) for pk in pairing.seats)
    lines = read_result(early or facts.result(pairing))
    best = max(line.points for line in lines.values())
    ordered = sorted(pairing.seats, key=lambda pk: -lines[pk].points)
    return tuple(
        Seat(entrants[pk], in_decimals(lines[pk].points), lines[pk].points == best, not lines[pk].present)
        for pk in ordered
    )


# ---- luck, and what was played --------------------------------------------------------------------


class LuckRow(NamedTuple):
    """A block of a tournament, and what its seed is made of."""

    table: str
    series: int
    block: int
    """Its number in the series, from 1."""
    luck: int
    """The number that stands in its seed, from 0."""
    state: str
    commitment: str
    seed: str | None
    """None until it is closed."""


def luck_of(*, tournament: Tournament) -> Iterator[LuckRow]:
    """All blocks of the series that count. Two queries, however many there are."""
    blocks = Prefetch("series__blocks", Block.objects.order_by("number"))
    found = tournament.pairings.select_related("series").prefetch_related(blocks)
    for pairing in found.order_by("round__number", "position"):
        whole = 0
        for block in pairing.series.blocks.all():
            closed = block.state == Block.State.CLOSED
            number = luck_number(pairing=pairing, number=block.number, whole=whole)
            seed = block.seed if closed else None
            yield LuckRow(pairing.name, pairing.series_id, block.number, number, block.state, block.commitment, seed)
            whole += block.state != Block.State.BROKEN


def closed_records(*, tournament: Tournament) -> Iterator[tuple[str, str, int, bytes]]:
    """Of each match of the series that count, if its block is closed: table, name, number, and the packed record."""
    found = Match.objects.filter(series__pairing__tournament=tournament, block__state=Block.State.CLOSED)
    values = found.order_by("series_id", "number").values_list("series__pairing__name", "name", "number", "record")
    for table, name, number, record in values.iterator(chunk_size=50):
        yield table, name, number, bytes(record)
