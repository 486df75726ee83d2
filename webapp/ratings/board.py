"""What a leaderboard shows of itself: a part of its rows, in an order, as an address asks for it.

The page, its JSON and its CSV read the same address, so that each gives exactly what the others do. However many
matches were played, the rows are read from the newest fit and from the tallies, and of the bots only a page.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.db.models import Count, ExpressionWrapper, F, FilteredRelation, FloatField, Max, Min, Q, QuerySet
from django.db.models.functions import Cast, Lower, NullIf

from arena.ratings import ANCHOR_ELO
from webapp.bots.languages import language_of
from webapp.matches.models import Ruleset
from webapp.ratings.models import Rating
from webapp.ratings.selectors import Row, row_of, standing_on

PAGE = 100
"""Rows of a page."""

MOST_PAGES = 1000

CHOICES = {"who": ("house", "people"), "kind": ("hosted", "remote"), "state": ("settled", "provisional")}
"""What can be filtered by, with the values; anything else shows all."""

ORDERS = ("elo", "name", "author", "matches", "score", "faults", "last")
"""What can be sorted by. Elo, downwards, is the usual one."""

DOWN_FIRST = ("elo", "matches", "score", "faults", "last")
"""Whose largest values are looked for."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What an address asks for. What it says wrongly it does not say: a link that somebody has cut still works."""

    who: str = ""
    kind: str = ""
    state: str = ""
    q: str = ""
    sort: str = "elo"
    down: bool = True
    page: int = 1
    around: str = ""
    """The name of a bot: the page that it is on, whatever ``page`` says."""

    @classmethod
    def of(cls, given: Mapping[str, str]) -> Wanted:
        """From the fields of an address."""
        chosen = {name: given.get(name, "") for name in CHOICES}
        sort = given.get("sort", "") or "-elo"
        name = sort.removeprefix("-")
        page = given.get("page", "")
        return cls(
            **{name: value if value in CHOICES[name] else "" for name, value in chosen.items()},
            q=given.get("q", "").replace("\0", "").strip()[:40],
            sort=name if name in ORDERS else "elo",
            down=sort.startswith("-") if name in ORDERS else True,
            page=int(page) if page.isascii() and page.isdecimal() and 0 < len(page) < 5 and int(page) else 1,
            around=given.get("around", "").replace("\0", "")[:40],
        )

    @property
    def narrowed(self) -> bool:
        """Is anything left out?"""
        return bool(self.who or self.kind or self.state or self.q)

    @property
    def plain(self) -> bool:
        """Are the rows in their usual order?"""
        return self.sort == "elo" and self.down

    def query(self, **changes: Any) -> str:
        """The address of the same with these changes, from the question mark on; empty where nothing is asked for."""
        fields = {name: changes.get(name, getattr(self, name)) for name in ("who", "kind", "state", "q")}
        sort, down = changes.get("sort", self.sort), changes.get("down", self.down)
        fields["sort"] = "" if (sort, down) == ("elo", True) else f"{'-' if down else ''}{sort}"
        fields["page"] = changes.get("page", 1)
        told = {name: value for name, value in fields.items() if value not in ("", 1)}
        return f"?{urlencode(told)}" if told else "?"


class Column(NamedTuple):
    """The head of a column that can be sorted by."""

    name: str
    address: str
    aria: str
    """``ascending``, ``descending`` or empty: how the rows are sorted by it now."""


@dataclass(frozen=True, slots=True)
class BoardRow:
    """A bot on a leaderboard, with all that is told of it."""

    row: Row
    language: str
    """Of its program; empty where it is not known."""
    score: float | None
    """The share of opponents at its tables that it came before, a tie counting half; None before it was counted."""
    faults: float | None
    """The share of its matches in which it was at fault."""
    faulty: int
    last_played: datetime | None


@dataclass(frozen=True, slots=True)
class Board:
    """A page of a leaderboard."""

    wanted: Wanted
    rows: list[BoardRow]
    page: int
    pages: int
    found: int
    """How many rows there are on all pages."""
    bots: int
    """How many stand on the leaderboard, whatever is left out."""
    settled: bool
    """Stand those whose rating is settled apart? Not where nobody's is but the anchor's, by definition."""
    low: float
    high: float
    """Between which Elo all intervals lie, whatever is left out."""
    columns: dict[str, Column] = field(default_factory=dict)


def board(*, ruleset: Ruleset, wanted: Wanted) -> Board:
    """A page of a leaderboard. Two queries, and one more for ``around``."""
    all_rows = standing_on(ruleset)
    chosen = _filter(all_rows, wanted)
    told = all_rows.aggregate(
        bots=Count("id"),
        found=Count("id", filter=_condition(wanted)),
        settled=_SETTLED,
        low=Min(F("elo") - F("half_width")),
        high=Max(F("elo") + F("half_width")),
    )
    pages = max(1, -(-told["found"] // PAGE))
    settled = told["settled"] > 0
    ordered = _ordered(_with_tallies(chosen, ruleset), wanted, settled=settled)
    page = min(wanted.page, pages)
    if wanted.around and pages > 1:
        names = list(ordered.values_list("version__bot__name", flat=True)[: MOST_PAGES * PAGE])
        page = 1 + names.index(wanted.around) // PAGE if wanted.around in names else page
    rows = [_told(rating) for rating in ordered[(page - 1) * PAGE : page * PAGE]]
    columns = {name: _column(name, wanted) for name in ORDERS}
    low, high = (ANCHOR_ELO if told[end] is None else told[end] for end in ("low", "high"))
    return Board(wanted, rows, page, pages, told["found"], told["bots"], settled, low, high, columns)


def all_rows(*, ruleset: Ruleset, wanted: Wanted) -> Iterator[BoardRow]:
    """All rows that an address asks for, whatever page it says. Two queries."""
    rows = standing_on(ruleset)
    settled = rows.aggregate(settled=_SETTLED)["settled"] > 0
    for rating in _ordered(_with_tallies(_filter(rows, wanted), ruleset), wanted, settled=settled):
        yield _told(rating)


_SETTLED = Count("id", filter=Q(provisional=False, half_width__gt=0))


def _column(name: str, wanted: Wanted) -> Column:
    if wanted.sort != name:
        return Column(name, wanted.query(sort=name, down=name in DOWN_FIRST), "")
    return Column(name, wanted.query(down=not wanted.down), "descending" if wanted.down else "ascending")


def _filter(rows: QuerySet[Rating], wanted: Wanted) -> QuerySet[Rating]:
    return rows.filter(_condition(wanted))


def _condition(wanted: Wanted) -> Q:
    found = Q(pk__isnull=False)
    if wanted.who:
        found &= Q(version__bot__house=wanted.who == "house")
    if wanted.kind:
        found &= Q(version__bot__kind=wanted.kind)
    if wanted.state:
        found &= Q(provisional=wanted.state == "provisional")
    if wanted.q:
        found &= Q(version__bot__name__icontains=wanted.q) | Q(version__bot__owner__username__icontains=wanted.q)
    return found


def _with_tallies(rows: QuerySet[Rating], ruleset: Ruleset) -> QuerySet[Rating]:
    def share(part: str, whole: str) -> Any:
        return ExpressionWrapper(
            Cast(F(f"tally__{part}"), FloatField()) / NullIf(Cast(F(f"tally__{whole}"), FloatField()), 0.0),
            output_field=FloatField(),
        )

    return rows.annotate(
        tally=FilteredRelation("version__tallies", condition=Q(version__tallies__ruleset=ruleset)),
        score=share("points", "most"),
        fault_share=share("faults", "matches"),
        faulty=F("tally__faults"),
        last_played=F("tally__last_played"),
    )


def _ordered(rows: QuerySet[Rating], wanted: Wanted, *, settled: bool) -> QuerySet[Rating]:
    by: Any = {
        "elo": F("elo"),
        "name": Lower("version__bot__name"),
        "author": Lower("version__bot__owner__username"),
        "matches": F("matches"),
        "score": F("score"),
        "faults": F("fault_share"),
        "last": F("last_played"),
    }[wanted.sort]
    order = by.desc(nulls_last=True) if wanted.down else by.asc(nulls_last=True)
    # the provisional ones stand apart, whatever the order
    return rows.order_by(*(["provisional"] if settled else []), order, "-elo", "version_id")


def _told(rating: Any) -> BoardRow:
    version = rating.version
    return BoardRow(
        row_of(rating),
        language_of(version.bot, version),
        rating.score,
        rating.fault_share,
        rating.faulty or 0,
        rating.last_played,
    )
