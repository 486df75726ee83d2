"""Signs of collusion, as the scheduler gathers them. Nothing is decided here: organisers look at signs, and judge.

Each run reads a bounded number of series, in the order in which they finished, and adds what they say to the sums in
`BotHabits` and `PairSigns`; the pages read only these. What an organiser voids later stays in the sums.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import combinations
from typing import NamedTuple

from django.db import transaction
from django.db.models import Count, Q, Sum
from django.utils import timezone

from arena import collusion
from arena import record as records
from arena.collusion import Habit, Tally
from webapp.bots.models import Bot, Version
from webapp.matches.models import Entry, Match, Series
from webapp.moderation.models import BotHabits, PairSigns, SharedContent, Watermark
from webapp.ratings.models import Rating
from webapp.ratings.selectors import newest_snapshots

SERIES_A_RUN = 200

LEAST_SEATS = 3
"""At a table of two there is nobody from whom the two could take anything."""

FALSE_SHARE = 0.01
"""Of all signs shown of each kind, on average at most this share is chance; see `arena.collusion`."""

SETTLED = timedelta(seconds=60)
"""Only series that have been over for so long: whatever finished before them is committed by then."""

Key = tuple[int, int]
"""A bot and a ruleset."""


class _Seat(NamedTuple):
    bot: int
    version: int
    person: int | None
    """None for the house."""


@dataclass(slots=True)
class _Reading:
    """What is known, with the series of this run added to it."""

    habits: dict[Key, BotHabits]
    pairs: dict[tuple[int, int, int], PairSigns]
    everybody: dict[int, Habit]
    touched_habits: set[Key] = field(default_factory=set)

    def of(self, bot: int, ruleset: int) -> BotHabits:
        key = bot, ruleset
        self.touched_habits.add(key)
        if key not in self.habits:
            self.habits[key] = BotHabits(bot_id=bot, ruleset_id=ruleset)
        return self.habits[key]

    def pair(self, one: int, other: int, ruleset: int) -> PairSigns:
        one, other = sorted((one, other))
        key = one, other, ruleset
        if key not in self.pairs:
            self.pairs[key] = PairSigns(one_id=one, other_id=other, ruleset_id=ruleset)
        return self.pairs[key]


def gather(*, most: int = SERIES_A_RUN) -> int:
    """Read on from where the last run ended; returns how many series were read. May run twice at the same time."""
    mark, _made = Watermark.objects.get_or_create(name="pairs")
    series = _next_series(mark, most)
    if not series:
        return 0
    reading = _read(series)
    # all of the reading is over by now: writers wait no longer than for some rows
    with transaction.atomic():
        at = Watermark.objects.select_for_update().get(pk=mark.pk)
        if (at.finished, at.series) != (mark.finished, mark.series):
            return 0  # another scheduler was there first
        _write(reading)
        _mark_signs()
        at.finished, at.series = series[-1].finished, series[-1].pk
        at.save()
    return len(series)


def _next_series(mark: Watermark, most: int) -> list[Series]:
    settled = timezone.now() - SETTLED
    over = Series.objects.filter(state=Series.State.FINISHED, finished__lt=settled)
    if mark.finished is not None:
        over = over.filter(Q(finished__gt=mark.finished) | Q(finished=mark.finished, id__gt=mark.series))
    return list(over.order_by("finished", "id")[:most])


def _read(series: Sequence[Series]) -> _Reading:
    rulesets = {one.pk: one.ruleset_id for one in series}
    tables = _tables([one.pk for one in series])
    bots = {seat.bot for table in tables.values() for seat in next(iter(table.values())).values()}
    reading = _known(bots, set(rulesets.values()))
    elo = _elo({seat.version for table in tables.values() for seat in next(iter(table.values())).values()})
    places = _places(tables)
    names = [match for table in tables.values() for match in table]
    texts = dict(Match.objects.filter(pk__in=names).values_list("pk", "record"))
    for pk in (one.pk for one in series if one.pk in tables):
        table, ruleset = tables[pk], rulesets[pk]
        _add_places(reading, table, places, ruleset, elo)
        _add_doubts(reading, table, texts, ruleset)
    return reading


_Table = dict[int, dict[int, _Seat]]
"""By match the seats, of a series whose matches all have the same bots."""


def _tables(series: Sequence[int]) -> dict[int, _Table]:
    """Those of the series that say something: rated, three bots or more, one of them an author's."""
    found: dict[int, _Table] = defaultdict(dict)
    rows = Entry.objects.filter(match__series__in=series, match__rated=True, match__voided=False)
    for one, match, seat, bot, version, owner, linked in rows.order_by("match_id", "seat").values_list(
        "match__series_id", "match_id", "seat", "bot_id", "version_id", "bot__owner_id", "bot__owner__linked_to_id"
    ):
        found[one].setdefault(match, {})[seat] = _Seat(bot, version, linked or owner)
    kept = {}
    for one, table in found.items():
        first = sorted(seat.version for seat in next(iter(table.values())).values())
        # a bot that was taken off the table in between leaves another table behind
        same = {match: seats for match, seats in table.items() if sorted(s.version for s in seats.values()) == first}
        seats = list(next(iter(same.values())).values())
        different = len({seat.bot for seat in seats}) == len(seats)
        if len(seats) >= LEAST_SEATS and different and any(seat.person for seat in seats):
            kept[one] = same
    return kept


def _places(tables: Mapping[int, _Table]) -> dict[tuple[int, int], int]:
    matches = [match for table in tables.values() for match in table]
    rows = Entry.objects.filter(match__in=matches).values_list("match_id", "bot_id", "place")
    return {(match, bot): place for match, bot, place in rows}


def _known(bots: Iterable[int], rulesets: Iterable[int]) -> _Reading:
    habits = BotHabits.objects.filter(bot__in=bots, ruleset__in=rulesets)
    pairs = PairSigns.objects.filter(one__in=bots, other__in=bots, ruleset__in=rulesets)
    everybody = BotHabits.objects.filter(ruleset__in=rulesets).values_list("ruleset_id")
    sums = everybody.annotate(chances=Sum("chances"), doubts=Sum("doubts"))
    return _Reading(
        habits={(row.bot_id, row.ruleset_id): row for row in habits},
        pairs={(row.one_id, row.other_id, row.ruleset_id): row for row in pairs},
        everybody={ruleset: Habit(chances, doubts) for ruleset, chances, doubts in sums},
    )


def _elo(versions: Iterable[int]) -> dict[tuple[int, int], tuple[float, bool]]:
    """The newest rating of versions and whether it is provisional, by version and ruleset."""
    newest = {snapshot.pk: ruleset for ruleset, snapshot in newest_snapshots().items()}
    rows = Rating.objects.filter(snapshot__in=list(newest), version__in=versions)
    return {
        (version, newest[snapshot]): (elo, provisional)
        for version, snapshot, elo, provisional in rows.values_list("version_id", "snapshot_id", "elo", "provisional")
    }


# ---- adding --------------------------------------------------------------------------------------


def _strangers(seats: Iterable[_Seat]) -> list[tuple[_Seat, _Seat]]:
    """The pairs of authors' bots at a table that belong to different people."""
    authors = sorted((seat for seat in seats if seat.person is not None), key=lambda seat: seat.bot)
    return [(one, other) for one, other in combinations(authors, 2) if one.person != other.person]


def _add_places(
    reading: _Reading,
    table: _Table,
    places: Mapping[tuple[int, int], int],
    ruleset: int,
    elo: Mapping[tuple[int, int], tuple[float, bool]],
) -> None:
    seats = list(next(iter(table.values())).values())
    rated = {seat.bot: elo[seat.version, ruleset] for seat in seats if (seat.version, ruleset) in elo}
    if len(rated) < len(seats):
        return
    settled = {bot for bot, (_elo, provisional) in rated.items() if not provisional}
    matches = [{seat.bot: places[match, seat.bot] for seat in seats} for match in table]
    said = collusion.residuals(matches, {bot: number for bot, (number, _provisional) in rated.items()})
    for seat in seats:
        if seat.person is not None and seat.bot in settled:
            row, value = reading.of(seat.bot, ruleset), said.alone[seat.bot]
            row.n, row.total, row.squares = Tally(row.n, row.total, row.squares).add(value)
    for one, other in _strangers(seats):
        if one.bot in settled and other.bot in settled:
            pair = reading.pair(one.bot, other.bot, ruleset)
            found = said.together.get((one.bot, other.bot), said.together.get((other.bot, one.bot)))
            assert found is not None
            pair.n, pair.total, pair.squares = Tally(pair.n, pair.total, pair.squares).add(found)
            mine, yours = said.alone[one.bot], said.alone[other.bot]
            pair.one_total, pair.one_squares = pair.one_total + mine, pair.one_squares + mine * mine
            pair.other_total, pair.other_squares = pair.other_total + yours, pair.other_squares + yours * yours


def _add_doubts(reading: _Reading, table: _Table, texts: Mapping[int, bytes | memoryview], ruleset: int) -> None:
    seen: dict[tuple[int, int], Habit] = {}
    for match, seats in table.items():
        record = records.read(zlib.decompress(bytes(texts[match])))
        for (asked, claimed), habit in collusion.doubts(record).items():
            pair = seats[asked].bot, seats[claimed].bot
            seen[pair] = seen.get(pair, Habit()).plus(habit)
    if not seen:
        return
    everybody = reading.everybody.get(ruleset, Habit())
    for one, other in _strangers(next(iter(table.values())).values()):
        known: list[tuple[Habit, float]] = []
        for asked, claimed in ((one.bot, other.bot), (other.bot, one.bot)):
            habit = seen.get((asked, claimed), Habit())
            doubter, doubted = _doubter(reading, asked, ruleset), _doubted(reading, claimed, ruleset)
            surplus = collusion.surplus(habit, doubter, doubted, everybody)
            if habit.chances and surplus is not None:
                known.append((habit, surplus))
        if known:
            signs = reading.pair(one.bot, other.bot, ruleset)
            tally = Tally(signs.spared_n, signs.spared_total, signs.spared_squares)
            signs.spared_n, signs.spared_total, signs.spared_squares = tally.add(sum(more for _habit, more in known))
            signs.chances += sum(habit.chances for habit, _more in known)
            signs.doubts += sum(habit.doubts for habit, _more in known)
    # only now: what was expected of a series is what was known before it
    for (asked, claimed), habit in seen.items():
        row = reading.of(asked, ruleset)
        row.chances, row.doubts = row.chances + habit.chances, row.doubts + habit.doubts
        row = reading.of(claimed, ruleset)
        row.was_before, row.was_doubted = row.was_before + habit.chances, row.was_doubted + habit.doubts
        everybody = everybody.plus(habit)
    reading.everybody[ruleset] = everybody


def _doubter(reading: _Reading, bot: int, ruleset: int) -> Habit:
    row = reading.of(bot, ruleset)
    return Habit(row.chances, row.doubts)


def _doubted(reading: _Reading, bot: int, ruleset: int) -> Habit:
    row = reading.of(bot, ruleset)
    return Habit(row.was_before, row.was_doubted)


# ---- writing -------------------------------------------------------------------------------------


def _write(reading: _Reading) -> None:
    for pair in reading.pairs.values():
        _judge(pair, reading)
    BotHabits.objects.bulk_create(
        [reading.habits[key] for key in sorted(reading.touched_habits)],
        update_conflicts=True,
        unique_fields=["bot", "ruleset"],
        update_fields=["n", "total", "squares", "chances", "doubts", "was_before", "was_doubted"],
    )
    sums = [field.name for field in PairSigns._meta.concrete_fields if not field.is_relation and field.name != "id"]
    PairSigns.objects.bulk_create(
        [reading.pairs[key] for key in sorted(reading.pairs)],
        update_conflicts=True,
        unique_fields=["one", "other", "ruleset"],
        update_fields=sums,
    )


def _judge(pair: PairSigns, reading: _Reading) -> None:
    def apart(bot: int, total: float, squares: float) -> Tally:
        known = reading.habits.get((bot, pair.ruleset_id)) or BotHabits()
        return Tally(known.n, known.total, known.squares).less(Tally(pair.n, total, squares))

    pair.together_z = collusion.better_together(
        Tally(pair.n, pair.total, pair.squares),
        apart(pair.one_id, pair.one_total, pair.one_squares),
        apart(pair.other_id, pair.other_total, pair.other_squares),
    )
    surpluses = Tally(pair.spared_n, pair.spared_total, pair.spared_squares)
    pair.sparing_z = collusion.sparing(surpluses, expected=pair.doubts - pair.spared_total)
    # a pair that is not tested yet has 0 for z; 1 keeps it from among those that are
    pair.together_chance = collusion.chance_of(pair.together_z) if pair.together_z else 1.0
    pair.sparing_chance = collusion.chance_of(pair.sparing_z) if pair.sparing_z else 1.0


def _mark_signs() -> None:
    for kind in ("together", "sparing"):
        chance, sign = f"{kind}_chance", f"{kind}_sign"
        tested = PairSigns.objects.filter(**{f"{chance}__lt": 1}).count()
        small = PairSigns.objects.filter(**{f"{chance}__lte": FALSE_SHARE}).values_list(chance, flat=True)
        least = collusion.threshold(list(small), max(1, tested), FALSE_SHARE)
        PairSigns.objects.filter(**{f"{chance}__lte": least, sign: False}).update(**{sign: True})
        PairSigns.objects.filter(**{f"{chance}__gt": least, sign: True}).update(**{sign: False})


# ---- the same content ----------------------------------------------------------------------------


def find_shared_content() -> int:
    """Look for uploads that several people have; returns how many contents. Copies of the house's bots are no sign."""
    uploads = Version.objects.filter(declared=False, bot__house=False, bot__owner__isnull=False)
    house = Version.objects.filter(bot__house=True).values("digest")
    several = uploads.exclude(digest__in=house).values("digest").annotate(people=Count("bot__owner", distinct=True))
    digests = list(several.filter(people__gt=1).values_list("digest", flat=True)[:1000])
    bots = Bot.objects.filter(versions__digest__in=digests, owner__isnull=False).distinct()
    owners = {bot.pk: bot.owner.person for bot in bots.select_related("owner") if bot.owner is not None}
    found: dict[str, set[int]] = defaultdict(set)
    for digest, bot in uploads.filter(digest__in=digests).values_list("digest", "bot_id"):
        found[digest].add(bot)
    rows = [
        SharedContent(digest=digest, bot_id=bot)
        for digest, having in found.items()
        if len({owners.get(bot) for bot in having}) > 1
        for bot in having
    ]
    with transaction.atomic():
        SharedContent.objects.all().delete()
        SharedContent.objects.bulk_create(rows, ignore_conflicts=True)
    return len({row.digest for row in rows})
