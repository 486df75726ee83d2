"""Every read of series, blocks and matches that the public pages need.

A record leaves this module only when its block is closed: until then its draws are luck that other
matches still have before them. Lists are paged by id, so that no query grows with the number of matches.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple, Protocol

from django.contrib.auth.models import AnonymousUser
from django.db.models import Prefetch, QuerySet
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from arena import record as records
from arena.record import Record
from webapp.accounts.models import User
from webapp.bots.models import Bot, Version
from webapp.matches import replay
from webapp.matches.drawing.svg import Svg
from webapp.matches.drawing.telling import listed
from webapp.matches.models import Block, Entry, EntryLog, Match, Ruleset, Series, SeriesSeat
from webapp.pages.naming import shown_name

PAGE = 20


class MatchRow(NamedTuple):
    """A match in a list."""

    match: Match
    entries: tuple[Entry, ...]
    """By place, the best first."""
    picture: Svg | None
    """None as long as its block is not closed."""

    @property
    def title(self) -> str:
        """Who won against whom, in words."""
        return outcome_words(self.entries)


class MatchPage(NamedTuple):
    """A page of a list, the newest first."""

    rows: tuple[MatchRow, ...]
    older: int | None
    """``before`` for the next page; None where this is the last."""


def rulesets() -> list[Ruleset]:
    """Those with a leaderboard: the games in order, the flagship of each first."""
    return list(Ruleset.objects.exclude(preset="").order_by("game", "-flagship", "id"))


def find_ruleset(*, game: str, preset: str) -> Ruleset | None:
    """The ruleset of a leaderboard."""
    return Ruleset.objects.filter(game=game, preset=preset).exclude(preset="").first()


def own_rulesets(*, game: str, size: int = 50) -> list[Ruleset]:
    """The newest rulesets of a game that are no preset."""
    return list(Ruleset.objects.filter(game=game, preset="").order_by("-id")[:size])


def find_own_ruleset(*, game: str, digits: str) -> Ruleset | None:
    """The ruleset of this name that is no preset."""
    return Ruleset.objects.filter(game=game, preset="", key=f"{game}/{digits}").first()


NAMED = 4
"""How many losers are named in a line; the others are counted."""


class Placed(Protocol):
    """Who came in where: an entry, or as much of it as is needed."""

    @property
    def place(self) -> int:
        """From 1."""

    @property
    def bot(self) -> Bot:
        """Whose place it is."""


def outcome_words(entries: Sequence[Placed]) -> str:
    """Who won against whom, from the entries of a match by place."""
    first = [shown_name(entry.bot) for entry in entries if entry.place == 1]
    others = [shown_name(entry.bot) for entry in entries if entry.place != 1]
    if len(others) > NAMED + 1:
        others = [*others[:NAMED], _("%(n)d more") % {"n": len(others) - NAMED}]
    if not others:
        return _("%(winners)s share the first place") % {"winners": listed(first)}
    line = ngettext("%(winners)s beats %(others)s", "%(winners)s beat %(others)s", len(first))
    return line % {"winners": listed(first), "others": listed(others)}


# ---- matches -------------------------------------------------------------------------------------


def match_page(*, ruleset: Ruleset | None = None, before: int | None = None, size: int = PAGE) -> MatchPage:
    """The newest matches, of one ruleset or of all, that are older than ``before``."""
    found = Match.objects.filter(private=False).order_by("-id")
    if ruleset is not None:
        found = found.filter(ruleset=ruleset)
    if before is not None:
        found = found.filter(id__lt=before)
    return _page(_whole(found.values("id")[: size + 1]), size)


def matches_of_bot(*, bot: Bot, before: int | None = None, size: int = PAGE) -> MatchPage:
    """The newest matches of one bot that are older than ``before``."""
    entries = Entry.objects.filter(bot=bot, listed__isnull=False).order_by("-match_id")
    if before is not None:
        entries = entries.filter(match_id__lt=before)
    # distinct: a bot may sit at one table twice, with two of its versions
    return _page(_whole(entries.values("match_id").distinct()[: size + 1]), size)


def matches_of_series(*, series: Series, after: int = 0, size: int = 50) -> MatchPage:
    """The matches of a series in the order in which they are played; ``older`` leads to the following ones."""
    ids = Match.objects.filter(series=series, number__gt=after).order_by("number").values("id")[: size + 1]
    found = sorted(_whole(ids), key=lambda one: one.match.number)
    return MatchPage(_rows(found[:size]), found[size - 1].match.number if len(found) > size else None)


class _Whole(NamedTuple):
    """A match with its entries by place, the best first."""

    match: Match
    entries: tuple[Entry, ...]


def _whole(ids: QuerySet[Any, Any]) -> list[_Whole]:
    """The matches with these ids, the newest first, with all that a list shows of them but pictures. One query."""
    entries = Entry.objects.filter(match__in=ids).select_related("match__ruleset", "match__block", "bot", "version")
    light = entries.defer("match__record", *(f"match__block__{name}" for name in _LONG), "version__source")
    by_match = groupby(light.order_by("-match_id", "place", "seat"), key=lambda entry: entry.match_id)
    found = (tuple(entries) for _match, entries in by_match)
    return [_Whole(entries[0].match, entries) for entries in found]


_LONG = ("seed", "nonces", "nonce_hashes", "seating", "commitment", "reason")
"""What a list does not show of a block; some of it is secret."""


def _page(found: list[_Whole], size: int) -> MatchPage:
    return MatchPage(_rows(found[:size]), found[size - 1].match.pk if len(found) > size else None)


def _rows(found: Sequence[_Whole]) -> tuple[MatchRow, ...]:
    drawn = pictures(matches=[one.match for one in found])
    return tuple(MatchRow(match, entries, drawn.get(match.pk)) for match, entries in found)


def find_match(*, name: str) -> Match | None:
    """A match with its ruleset, series and block, without its record."""
    entries = Entry.objects.select_related("bot", "version").defer("version__source").order_by("place", "seat")
    found = Match.objects.select_related("ruleset", "series", "block").defer("record", "block__seed", "block__nonces")
    return found.prefetch_related(Prefetch("entries", entries)).filter(name=name).first()


def may_see(*, series: Series, user: User | AnonymousUser) -> bool:
    """What concerns an author alone is for that author to see, and nobody else learns that there was such a series."""
    return not series.private or concerns(series=series, user=user)


def concerns(*, series: Series, user: User | AnonymousUser) -> bool:
    """Whether a private series is this person's: it validates a version of theirs, or compares two."""
    if not user.is_authenticated:
        return False
    if series.purpose == Series.Purpose.COMPARISON:
        return series.seats.filter(version__bot__owner=user.pk).exists()
    return Version.objects.filter(validation=series, bot__owner=user.pk).exists()


class OwnLog(NamedTuple):
    """What a bot of the viewer's wrote in a match."""

    entry: Entry
    lines: tuple[str, ...]
    """Those at the step that is shown."""


def own_logs(*, match: Match, user: User | AnonymousUser, step: int) -> list[OwnLog]:
    """What this person's own bots wrote in a match; of others nothing, not even whether there is anything."""
    if not user.is_authenticated:
        return []
    logs = EntryLog.objects.filter(entry__match=match, entry__bot__owner=user.pk).order_by("entry__seat")
    return [
        OwnLog(log.entry, tuple(line for at, line in log.lines if at == step))
        for log in logs.select_related("entry__bot")
    ]


# ---- records: closed blocks only -----------------------------------------------------------------


def closed_record_text(*, name: str) -> bytes | None:
    """The record of a match as it is downloaded, or None as long as its block is not closed."""
    found = Match.objects.filter(name=name, block__state=Block.State.CLOSED).values_list("record", flat=True).first()
    return None if found is None else zlib.decompress(bytes(found))


def closed_record(*, name: str) -> Record | None:
    """The record of a match, or None as long as its block is not closed."""
    text = closed_record_text(name=name)
    return None if text is None else records.read(text)


class _Pictures:
    """Small pictures by the match's id and the language of their words; a record never changes, so neither do they."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: dict[tuple[int, str, str | None], Svg] = {}

    def get(self, match: Match) -> Svg | None:
        return self._kept.get((match.pk, match.record_name, get_language()))

    def put(self, match: Match, drawn: Svg) -> None:
        if len(self._kept) >= self._most:
            self._kept.pop(next(iter(self._kept)), None)
        self._kept[(match.pk, match.record_name, get_language())] = drawn


_pictures = _Pictures(2000)


def pictures(*, matches: Iterable[Match]) -> dict[int, Svg]:
    """The small signature pictures of those matches whose block is closed, by id. At most one query."""
    drawn, missing = _kept_pictures(matches)
    return drawn | _draw(missing, _closed_records(missing))


def _kept_pictures(matches: Iterable[Match]) -> tuple[dict[int, Svg], list[Match]]:
    """The pictures that are there, and the matches that are still to be drawn."""
    closed = [match for match in matches if match.block.state == Block.State.CLOSED]
    drawn = {match.pk: kept for match in closed if (kept := _pictures.get(match)) is not None}
    return drawn, [match for match in closed if match.pk not in drawn]


def _closed_records(matches: Iterable[Match]) -> dict[int, Record]:
    """The records of those of these matches whose block is closed, by id. At most one query."""
    ids = [match.pk for match in matches]
    if not ids:
        return {}
    found = Match.objects.filter(id__in=ids, block__state=Block.State.CLOSED)
    return {pk: records.read(zlib.decompress(bytes(packed))) for pk, packed in found.values_list("id", "record")}


def _draw(matches: Iterable[Match], read: Mapping[int, Record]) -> dict[int, Svg]:
    drawn = {match.pk: (match, replay.strip(read[match.pk])) for match in matches if match.pk in read}
    for match, picture in drawn.values():
        _pictures.put(match, picture)
    return {pk: picture for pk, (_match, picture) in drawn.items()}


class Hero(NamedTuple):
    """A match that is shown large: what told most in it, and the table as it was then."""

    name: str
    title: str
    step: int
    tables: tuple[Svg, ...]


def _hero(match: Match, record: Record) -> Hero:
    told, then = replay.most_telling(record=record, name=match.record_name)
    return Hero(match.name, told, then.step, then.tables)


class Newest(NamedTuple):
    """The newest matches whose records are published."""

    rows: tuple[MatchRow, ...]
    hero: Hero | None
    """The first of them, large; None where there is none."""


def newest_pictured(*, size: int = 6) -> Newest:
    """The newest matches whose records are published. Two queries."""
    found = Match.objects.filter(private=False, block__state=Block.State.CLOSED)
    shown = _whole(found.order_by("-id").values("id")[:size])
    drawn, missing = _kept_pictures(one.match for one in shown)
    read = _closed_records([*(one.match for one in shown[:1]), *missing])
    drawn |= _draw(missing, read)
    rows = tuple(MatchRow(match, entries, drawn.get(match.pk)) for match, entries in shown)
    hero = next((_hero(match, read[match.pk]) for match, _entries in shown[:1] if match.pk in read), None)
    return Newest(rows, hero)


# ---- series --------------------------------------------------------------------------------------


def _series() -> QuerySet[Series]:
    seats = SeriesSeat.objects.select_related("version__bot").defer("version__source").order_by("seat")
    return Series.objects.select_related("ruleset").prefetch_related(Prefetch("seats", seats))


def series_in_state(*, state: str, size: int = 8) -> list[Series]:
    """The newest series in a state, with their seats; without those that validate a version."""
    return list(_series().filter(state=state).exclude(purpose__in=Series.PRIVATE).order_by("-id")[:size])


def open_series_of_ruleset(*, ruleset: Ruleset, size: int = 20) -> list[Series]:
    """The newest series in a ruleset that wait or are being played."""
    states = Series.UNDER_WAY
    return list(_series().filter(ruleset=ruleset, state__in=states).order_by("-id")[:size])


def find_series(*, pk: int) -> Series | None:
    """A series with its ruleset and seats."""
    return _series().filter(pk=pk).first()


class BlockRow(NamedTuple):
    """A block as everybody may see it: its seed and its nonces only when it is closed."""

    number: int
    state: str
    state_words: str
    reason: str
    commitment: str
    nonce_hashes: tuple[str, ...]
    seed: str | None
    nonces: tuple[str, ...] | None


def blocks_of_series(*, series: Series, size: int = 100) -> tuple[BlockRow, ...]:
    """The newest blocks of a series, those that were broken off among them."""
    return tuple(_block_row(block) for block in series.blocks.order_by("-number")[:size])


def _block_row(block: Block) -> BlockRow:
    closed = block.state == Block.State.CLOSED
    return BlockRow(
        number=block.number,
        state=block.state,
        state_words=block.get_state_display(),
        reason=block.reason,
        commitment=block.commitment,
        nonce_hashes=tuple(block.nonce_hashes),
        seed=block.seed if closed else None,
        nonces=tuple(block.nonces) if closed else None,
    )
