"""Fits of leaderboards in the database: what is counted, when, and what is shown of it."""

from __future__ import annotations

import math
import statistics
import struct
import threading
from collections.abc import Callable
from datetime import timedelta
from random import Random

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from arena.influence import Influences
from arena.ratings import QUANTILE_95
from tests.webapp.making import classic, make_block, make_bot, make_house_bot, make_match, make_organiser, make_user
from webapp.bots import services as bots
from webapp.bots.models import Bot, Version
from webapp.matches.models import Match, Ruleset
from webapp.matches.organisers import NotAnOrganiser, restore_matches, void_matches
from webapp.matches.selectors import matches_of_bot
from webapp.ratings import influence, rows, selectors, services, thinning
from webapp.ratings.course import course
from webapp.ratings.models import HeadToHead, Rating, Snapshot

pytestmark = pytest.mark.django_db

Results = list[tuple[list[int], list[int]]]
"""For each match: which of the versions sat there, and the places."""


@pytest.fixture
def versions() -> list[Version]:
    """The anchor, two other house bots, and one of an author."""
    mine = make_bot(make_user("ada"), "mirror").active_version
    assert mine is not None
    return [make_house_bot("random"), make_house_bot("honest"), make_house_bot("observer"), mine]


@pytest.fixture
def ruleset() -> Ruleset:
    return classic()


def some_results(count: int = 24) -> Results:
    dice = Random(7)
    return [
        (seats := dice.sample(range(4), dice.choice([2, 3, 4])), dice.sample(range(1, len(seats) + 1), len(seats)))
        for _ in range(count)
    ]


def play(versions: list[Version], results: Results) -> list[Match]:
    return [make_match([versions[i] for i in seats], places) for seats, places in results]


def numbers(snapshot: Snapshot | None) -> list[tuple[object, ...]]:
    assert snapshot is not None
    fields = ("version_id", "elo", "half_width", "provisional", "rank_low", "rank_high", "matches")
    return list(snapshot.ratings.order_by("version_id").values_list(*fields))


# ---- fits ----------------------------------------------------------------------------------------


def test_a_fit_counts_every_match(versions: list[Version], ruleset: Ruleset) -> None:
    matches = play(versions, some_results())
    snapshot = services.refit(ruleset=ruleset)
    assert snapshot is not None
    assert (snapshot.matches, snapshot.watermark) == (24, matches[-1].pk)
    rated = {rating.version_id: rating for rating in snapshot.ratings.all()}
    assert set(rated) == {version.pk for version in versions}
    assert rated[versions[0].pk].elo == 1000
    assert rated[versions[0].pk].half_width == 0
    for version in versions:
        assert rated[version.pk].matches == version.entries.count()


def test_nothing_new_nothing_done(versions: list[Version], ruleset: Ruleset) -> None:
    assert services.refit(ruleset=ruleset) is None
    play(versions, some_results(3))
    first = services.refit(ruleset=ruleset)
    assert services.refit(ruleset=ruleset) is None
    play(versions, some_results(1))
    second = services.refit(ruleset=ruleset)
    assert first is not None
    assert second is not None
    assert second.matches == 4


def test_without_the_anchor_nothing_is_fitted(ruleset: Ruleset, caplog: pytest.LogCaptureFixture) -> None:
    assert services.refit(ruleset=ruleset) is None
    assert not caplog.records
    make_match([make_house_bot("honest"), make_house_bot("observer")])
    assert services.refit(ruleset=ruleset) is None
    assert "run prepare" in caplog.text


def test_the_anchor_is_the_first_version(versions: list[Version], ruleset: Ruleset) -> None:
    newer = Version.objects.create(bot=versions[0].bot, digest="sha256:newer", number=2)
    Bot.objects.filter(pk=newer.bot_id).update(active_version=newer)
    make_match([newer, versions[1]], [1, 2])
    make_match([versions[0], versions[1]], [2, 1])
    rated = {version: elo for version, elo, *_ in numbers(services.refit(ruleset=ruleset))}
    assert rated[versions[0].pk] == 1000
    assert rated[newer.pk] != 1000


def test_only_what_counts_is_counted(versions: list[Version], ruleset: Ruleset) -> None:
    play(versions, some_results(4))
    before = numbers(services.refit(ruleset=ruleset))
    unrated = make_match(versions[:2])
    Match.objects.filter(pk=unrated.pk).update(rated=False)
    elsewhere = make_match(versions[:2])
    Match.objects.filter(pk=elsewhere.pk).update(ruleset=Ruleset.objects.get(key="three_coins/duel"))
    assert services.refit(ruleset=ruleset) is None
    assert numbers(services.refit(ruleset=ruleset, force=True)) == before


def test_the_order_of_matches_changes_nothing(versions: list[Version], ruleset: Ruleset) -> None:
    """Not a bit: what is stored is compared as it is, without a tolerance."""
    results = some_results(30)
    matches = play(versions, results)
    first = numbers(services.refit(ruleset=ruleset))
    Snapshot.objects.all().delete()
    # The same results at other ids, which come to the fit in another order.
    shuffled = Random(3).sample(results, len(results))
    for match, (seats, places) in zip(matches, shuffled, strict=True):
        match.entries.all().delete()
        make_entries(match, [versions[i] for i in seats], places)
    assert [row[1:2] + row[3:] for row in numbers(services.refit(ruleset=ruleset))] == [
        row[1:2] + row[3:] for row in first
    ]


def make_entries(match: Match, versions: list[Version], places: list[int]) -> None:
    for seat, (version, place) in enumerate(zip(versions, places, strict=True)):
        match.entries.create(
            seat=seat, version=version, bot=version.bot, place=place, score=0, moves=1, thinking_ms=1, slowest_ms=1
        )


def test_step_by_step_is_all_at_once(versions: list[Version], ruleset: Ruleset) -> None:
    last = None
    for results in some_results(12):
        play(versions, [results])
        last = services.refit(ruleset=ruleset)
    assert last is not None
    stepwise = numbers(last)
    rebuilt = services.refit(ruleset=ruleset, force=True)
    assert rebuilt is not None
    assert (numbers(rebuilt), rebuilt.rows_sha256) == (stepwise, last.rows_sha256)


def test_a_step_reads_only_what_is_new(versions: list[Version], ruleset: Ruleset) -> None:
    matches = play(versions, some_results(12))
    services.refit(ruleset=ruleset)
    watermark = matches[-1].pk
    play(versions, some_results(1))
    with CaptureQueriesContext(connection) as seen:
        services.refit(ruleset=ruleset)
    (reading,) = (q["sql"] for q in seen.captured_queries if "thinking" not in q["sql"] and '"place"' in q["sql"])
    assert f'"match_id" > {watermark}' in reading


def test_a_match_that_comes_late_is_counted(versions: list[Version], ruleset: Ruleset) -> None:
    """Its number was given out early, its transaction ended late, and others were counted in between."""
    late, *_ = play(versions, some_results(5))
    Match.objects.filter(pk=late.pk).update(rated=False)  # as good as not there yet
    services.refit(ruleset=ruleset)
    Match.objects.filter(pk=late.pk).update(rated=True)
    snapshot = services.refit(ruleset=ruleset)
    assert snapshot is not None
    assert snapshot.matches == 5
    stepwise = numbers(snapshot)
    assert numbers(services.refit(ruleset=ruleset, force=True)) == stepwise


# ---- voiding -------------------------------------------------------------------------------------


def test_voiding_refits_and_restoring_gives_back(versions: list[Version], ruleset: Ruleset) -> None:
    olga = make_organiser()
    matches = play(versions, some_results(10))
    before = numbers(services.refit(ruleset=ruleset))
    assert void_matches(matches=[matches[4]], by=olga) == 1
    assert void_matches(matches=[matches[4]], by=olga) == 0
    after = services.refit(ruleset=ruleset)
    assert after is not None
    assert after.matches == 9
    without_one = numbers(after)
    assert without_one != before
    # As many, and the same newest one: yet another set of matches.
    restore_matches(matches=[matches[4]], by=olga)
    void_matches(matches=[matches[5]], by=olga)
    assert numbers(services.refit(ruleset=ruleset)) != without_one
    restore_matches(matches=[matches[5]], by=olga)
    assert numbers(services.refit(ruleset=ruleset)) == before


def test_voiding_is_for_organisers(versions: list[Version]) -> None:
    match = make_match(versions[:2])
    for write in (void_matches, restore_matches):
        with pytest.raises(NotAnOrganiser):
            write(matches=[match], by=make_user(f"u-{write.__name__[:4]}"))
    match.refresh_from_db()
    assert not match.voided


# ---- two at once ---------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_two_fits_at_once_store_one(versions: list[Version], ruleset: Ruleset) -> None:
    play(versions, some_results(6))
    found: list[Snapshot | None] = []
    together = threading.Barrier(4)

    def fit() -> None:
        try:
            together.wait()
            found.append(services.refit(ruleset=ruleset))
        finally:
            connection.close()

    threads = [threading.Thread(target=fit) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert [snapshot for snapshot in found if snapshot is not None] == [Snapshot.objects.get()]


# ---- pruning -------------------------------------------------------------------------------------


def test_one_snapshot_an_hour_is_kept(versions: list[Version], ruleset: Ruleset) -> None:
    kept = []
    for hours_ago in (5, 5, 5, 2, 2, 0, 0):
        play(versions, some_results(1))
        snapshot = services.refit(ruleset=ruleset)
        assert snapshot is not None
        kept.append(snapshot.pk)
        others = Snapshot.objects.exclude(pk=snapshot.pk)
        newest_moment = snapshot.created - timedelta(hours=hours_ago)
        Snapshot.objects.filter(pk=snapshot.pk).update(created=newest_moment)
        same_hour = newest_moment.replace(minute=0, second=0, microsecond=0)
        thinning.prune_hour(Snapshot.objects.get(pk=snapshot.pk))
        assert not others.filter(created__gte=same_hour).exists()
    assert sorted(Snapshot.objects.values_list("pk", flat=True)) == [kept[2], kept[4], kept[6]]
    assert {rating.snapshot_id for rating in Rating.objects.all()} == {kept[2], kept[4], kept[6]}


# ---- what is shown -------------------------------------------------------------------------------


def test_a_leaderboard_has_each_bots_active_version(versions: list[Version], ruleset: Ruleset) -> None:
    play(versions, some_results(40))
    services.refit(ruleset=ruleset)
    shown = selectors.leaderboard(ruleset=ruleset)
    assert [row.elo for row in shown] == sorted((row.elo for row in shown), reverse=True)
    assert {(row.bot.name, row.owner) for row in shown} == {
        ("random", "house"),
        ("honest", "house"),
        ("observer", "house"),
        ("mirror", "ada"),
    }
    assert all(1 <= row.rank_low <= row.rank_high <= 4 for row in shown)

    bots.declare_version(bot=versions[3].bot, label="2")
    assert "mirror" not in {row.bot.name for row in selectors.leaderboard(ruleset=ruleset)}  # "2" has not played
    assert services.refit(ruleset=ruleset) is not None  # the ranks are those among who is shown
    assert all(row.rank_high <= 3 for row in selectors.leaderboard(ruleset=ruleset))
    bots.declare_version(bot=versions[3].bot, label="1")
    services.refit(ruleset=ruleset)
    assert len(selectors.leaderboard(ruleset=ruleset)) == 4
    bots.retire_bot(bot=versions[3].bot, by=versions[3].bot.owner)  # type: ignore[arg-type]
    assert len(selectors.leaderboard(ruleset=ruleset)) == 3


def test_a_leaderboard_is_one_query(
    versions: list[Version], ruleset: Ruleset, django_assert_num_queries: Callable[..., object]
) -> None:
    play(versions, some_results(10))
    services.refit(ruleset=ruleset)
    with django_assert_num_queries(1) as seen:  # type: ignore[attr-defined]
        for row in selectors.leaderboard(ruleset=ruleset):
            assert row.owner
            assert row.version.digest
            assert row.bot.name
    assert "source" not in seen.captured_queries[0]["sql"]


def test_a_rating_and_how_it_went(versions: list[Version], ruleset: Ruleset) -> None:
    mine = versions[3]
    assert selectors.rating_of(version=mine, ruleset=ruleset) is None
    assert course(bot=mine.bot, ruleset=ruleset) is None
    elos = []
    for days_ago in (3, 2, 1):
        play(versions, some_results(5))
        snapshot = services.refit(ruleset=ruleset)
        assert snapshot is not None
        Snapshot.objects.filter(pk=snapshot.pk).update(created=snapshot.created - timedelta(days=days_ago))
        rating = selectors.rating_of(version=mine, ruleset=ruleset)
        assert rating is not None
        elos.append(rating.elo)
    assert [rating.elo for rating in selectors.ratings_of(bot=mine.bot)] == elos[-1:]
    found = course(bot=mine.bot, ruleset=ruleset)
    assert found is not None
    assert [day.point.elo for day in found.days] == elos[::-1]
    assert found.picture.count("<polyline") == 1
    assert "version-line" not in found.picture

    bots.declare_version(bot=mine.bot, label="<2>")
    new = Version.objects.select_related("bot").get(bot=mine.bot, number=2)
    play([*versions[:3], new], some_results(5))
    services.refit(ruleset=ruleset)
    found = course(bot=mine.bot, ruleset=ruleset)
    assert found is not None
    assert [day.version.number for day in found.days] == [2, 1, 1, 1]  # the old one has a rating today, too
    assert found.picture.count("version-line") == 2  # where each of the versions begins
    assert "&lt;2&gt;" in found.picture


def test_standings_are_up_to_the_minute(versions: list[Version], ruleset: Ruleset) -> None:
    def counted() -> dict[int, int]:
        known = selectors.standings_of(ruleset=ruleset, versions=versions)
        return {version: standing.matches for version, standing in known.items()}

    assert set(counted().values()) == {0}
    play(versions, some_results(6))
    assert counted() == {version.pk: version.entries.count() for version in versions}
    services.refit(ruleset=ruleset)
    before = selectors.standings_of(ruleset=ruleset, versions=versions)
    play(versions, some_results(5))
    assert counted() == {version.pk: version.entries.count() for version in versions}
    after = selectors.standings_of(ruleset=ruleset, versions=versions)
    assert all(after[version.pk].error < before[version.pk].error for version in versions[1:])


def test_a_new_version_is_guessed_to_be_what_its_forerunner_was(versions: list[Version], ruleset: Ruleset) -> None:
    """For the matchmaking alone: it is as unknown as any newcomer."""
    play(versions, some_results(30))
    services.refit(ruleset=ruleset)
    old = selectors.rating_of(version=versions[3], ruleset=ruleset)
    assert old is not None
    bots.declare_version(bot=versions[3].bot, label="2")
    new = Version.objects.get(bot=versions[3].bot, number=2)
    stranger = make_bot(make_user("bob"), "stranger").active_version
    assert stranger is not None
    known = selectors.standings_of(ruleset=ruleset, versions=[*versions[:3], new, stranger])
    assert known[new.pk] == (old.elo, math.inf, 0)
    assert known[stranger.pk] == (statistics.median(known[version.pk].elo for version in versions[:3]), math.inf, 0)
    services.refit(ruleset=ruleset)
    assert new.pk not in {row.version.pk for row in selectors.leaderboard(ruleset=ruleset)}


def test_how_surely_two_are_told_apart_is_kept(versions: list[Version], ruleset: Ruleset) -> None:
    assert selectors.deviations_from(ruleset=ruleset, version=versions[1].pk) == {}
    play(versions, some_results(30))
    snapshot = services.refit(ruleset=ruleset)
    assert snapshot is not None
    rated = {rating.version_id: rating for rating in snapshot.ratings.all()}
    anchor, one, other, mine = (version.pk for version in versions)
    from_anchor = selectors.deviations_from(ruleset=ruleset, version=anchor)
    assert set(from_anchor) == set(rated)
    for version, deviation in from_anchor.items():
        assert deviation == pytest.approx(rated[version].half_width / QUANTILE_95, rel=1e-6)
    assert selectors.deviations_from(ruleset=ruleset, version=one)[mine] == pytest.approx(
        selectors.deviations_from(ruleset=ruleset, version=mine)[one], rel=1e-6
    )
    assert selectors.deviations_from(ruleset=ruleset, version=10**9) == {}
    bots.retire_bot(bot=versions[3].bot, by=versions[3].bot.owner)  # type: ignore[arg-type]
    services.refit(ruleset=ruleset)
    assert set(selectors.deviations_from(ruleset=ruleset, version=other)) == {anchor, one, other}


# ---- what a fit costs ------------------------------------------------------------------------------


def test_looking_for_something_new_reads_only_the_end(
    versions: list[Version], ruleset: Ruleset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many matches there are, those that are settled are not counted again."""
    monkeypatch.setattr(services, "LATE", 4)
    matches = play(versions, some_results(12))
    snapshot = services.refit(ruleset=ruleset)
    assert snapshot is not None
    assert (snapshot.settled_below, snapshot.settled) == (matches[-1].pk - 4, 8)
    with CaptureQueriesContext(connection) as seen:
        assert services.refit(ruleset=ruleset) is None
    counts = [q["sql"] for q in seen.captured_queries if "COUNT(" in q["sql"]]
    assert counts
    assert all(f'"id" > {snapshot.settled_below}' in sql for sql in counts)
    play(versions, some_results(3))
    again = services.refit(ruleset=ruleset)
    assert again is not None
    assert again.matches == 15
    stepwise = numbers(again)
    assert numbers(services.refit(ruleset=ruleset, force=True)) == stepwise


def test_rows_are_read_alike_by_copy_and_one_by_one(versions: list[Version], ruleset: Ruleset) -> None:
    play(versions, some_results(20))
    found = rows.read(ruleset)
    one_by_one = pytest.MonkeyPatch()
    with one_by_one.context() as patch:
        patch.setattr(rows, "_copied", rows._iterated)
        assert rows.read(ruleset).row_hash() == found.row_hash()
    assert rows.read(ruleset, after=10**9).match.size == 0
    half = int(found.match[9])
    parts = rows.read(ruleset, up_to=half), rows.read(ruleset, after=half)
    assert [part.match.size for part in parts] == [10, 10]
    assert parts[0].add(parts[1]).row_hash() == found.row_hash()


# ---- who against whom ------------------------------------------------------------------------------


def test_who_against_whom_is_kept_up(versions: list[Version], ruleset: Ruleset) -> None:
    services._kept.clear()
    assert services.keep_up_meetings(ruleset=ruleset) == 0
    play(versions, [([0, 3], [1, 2])] * 6 + [([1, 3], [2, 1])] * 8 + [([0, 1], [2, 1])] * 4)
    services.refit(ruleset=ruleset)
    assert services.keep_up_meetings(ruleset=ruleset) == 3
    assert services.keep_up_meetings(ruleset=ruleset) == 0  # nothing has changed
    found = HeadToHead.objects.get(version=versions[3])
    assert (found.matches, found.opponents) == (14, 2)
    assert [(row[0], row[1], row[2]) for row in found.rows] == [(versions[1].pk, 8, 1.0), (versions[0].pk, 6, 0.0)]
    assert found.nemesis[0] == versions[0].pk
    assert found.nemesis[1] < 0 < found.nemesis[2] < 1
    play(versions, [([0, 3], [1, 2])])
    services.refit(ruleset=ruleset)
    assert services.keep_up_meetings(ruleset=ruleset) == 2  # those who have played
    found.refresh_from_db()
    assert found.matches == 15


def test_what_matches_moved_is_kept_with_it(versions: list[Version], ruleset: Ruleset) -> None:
    one_by_one = [([0, 3], [1, 2]), ([1, 3], [2, 1]), ([1, 3], [1, 2]), ([0, 1, 3], [3, 1, 2]), ([1, 3], [2, 1])]
    matches = play(versions, one_by_one * 2)
    services.refit(ruleset=ruleset)
    services.keep_up_meetings(ruleset=ruleset)
    rated = services._kept[ruleset.pk].ratings
    mine, anchor = versions[3], versions[0]
    moved = {
        match.pk: float(rated.influence([versions[i].pk for i in seats], places)[seats.index(3)])
        for match, (seats, places) in zip(matches, one_by_one * 2, strict=True)
    }
    [head] = influence.heads_of(versions=[mine.pk])
    rows = influence.moved_rows(bot=mine.bot_id, rows=matches_of_bot(bot=mine.bot).rows, heads=[head])
    assert {row.row.match.pk: row.elo for row in rows} == pytest.approx(moved)
    known = Version.objects.select_related("bot").in_bulk()
    assert {*influence.at_their_tables(head)} <= {*known}
    found = influence.best_and_worst(head, known)
    assert found is not None
    told = [one.elo for one in found.best], [one.elo for one in found.worst]
    ordered = sorted(moved.values())
    assert told == (pytest.approx(ordered[:-4:-1], abs=1e-3), pytest.approx(ordered[:3], abs=1e-3))
    assert ordered[0] < 0 < ordered[-1]
    assert found.best[0].title == "mirror beats honest"

    worst = Match.objects.get(name=found.worst[0].name)
    void_matches(matches=[worst], by=make_organiser())
    services.refit(ruleset=ruleset)
    services.keep_up_meetings(ruleset=ruleset)
    [head] = influence.heads_of(versions=[mine.pk])
    found = influence.best_and_worst(head, known)
    assert found is not None
    assert worst.name not in [one.name for one in found.worst]
    rows = influence.moved_rows(bot=mine.bot_id, rows=matches_of_bot(bot=mine.bot).rows, heads=[head])
    assert {row.row.match.pk for row in rows if row.elo is None} == {worst.pk}

    [head] = influence.heads_of(versions=[anchor.pk])
    assert influence.best_and_worst(head, known) is None  # it is 1000 by definition
    assert all(
        row.elo is None
        for row in influence.moved_rows(bot=anchor.bot_id, rows=matches_of_bot(bot=anchor.bot).rows, heads=[head])
    )


def test_of_many_matches_the_newest_are_kept() -> None:
    many = Influences(np.arange(1, 2 * influence.NEWEST), np.linspace(-9, 5, 2 * influence.NEWEST - 1))
    kept = list(struct.iter_unpack("<qf", influence.pack(many)))
    assert [match for match, _elo in kept] == list(range(influence.NEWEST, 2 * influence.NEWEST))
    assert kept[-1][1] == 5
    best_first = influence.extremes(many)
    assert [match for match, _elo in best_first] == [999, 998, 997, 3, 2, 1]
    few = influence.extremes(Influences(np.array([7, 8]), np.array([1.0, 2.0])))
    assert few == [(8, 2.0), (7, 1.0)]


def test_who_against_whom_takes_turns_when_time_is_short(versions: list[Version], ruleset: Ruleset) -> None:
    play(versions, [([0, 1, 2, 3], [1, 2, 3, 4])])
    services.refit(ruleset=ruleset)
    assert [services.keep_up_meetings(ruleset=ruleset, seconds=0) for _ in range(5)] == [1, 1, 1, 1, 0]
    play(versions, [([0, 1, 2, 3], [1, 2, 3, 4])])
    services.refit(ruleset=ruleset)
    order = []
    for _ in range(4):
        services.keep_up_meetings(ruleset=ruleset, seconds=0)
        order.append(HeadToHead.objects.latest("computed").version_id)
    assert sorted(order) == sorted(version.pk for version in versions)


# ---- how long fits are kept ------------------------------------------------------------------------


def test_after_a_week_one_fit_a_day_is_kept(versions: list[Version], ruleset: Ruleset) -> None:
    play(versions, some_results(2))
    now = timezone.now()
    other = Ruleset.objects.get(key="three_coins/duel")
    made = {}
    for board in (ruleset, other):
        for hours in range(0, 24 * 10, 3):
            snapshot = Snapshot.objects.create(
                ruleset=board, algorithm="x", watermark=1, matches=1, rows_sha256="", inputs_sha256=""
            )
            Rating.objects.create(
                snapshot=snapshot, version=versions[0], elo=1, half_width=1, provisional=False, rank_low=1,
                rank_high=1, matches=1,
            )  # fmt: skip
            made[snapshot.pk] = now - timedelta(days=10) + timedelta(hours=hours)
            Snapshot.objects.filter(pk=snapshot.pk).update(created=made[snapshot.pk])
    border = now.replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=7)
    gone = thinning.thin()
    assert gone > 0
    assert thinning.thin() == 0
    for board in (ruleset, other):
        left = list(Snapshot.objects.filter(ruleset=board).order_by("id"))
        old = [snapshot.created for snapshot in left if snapshot.created < border]
        assert len({moment.date() for moment in old}) == len(old) in (3, 4)
        before = {moment.date(): moment for moment in sorted(made.values()) if moment < border}  # of a day the last
        assert old == sorted(before.values())
        assert len(left) - len(old) == sum(moment >= border for moment in made.values()) / 2
    assert Rating.objects.count() == Snapshot.objects.count()


# ---- the command ---------------------------------------------------------------------------------


def test_rebuilding_changes_nothing(
    versions: list[Version], ruleset: Ruleset, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("ratings", "rebuild", "--check")
    play(versions, some_results(8))
    first = services.refit(ruleset=ruleset)
    stored = numbers(first)
    call_command("ratings", "rebuild", "--check")
    assert "three_coins/classic: 8 matches agree" in capsys.readouterr().out
    assert Snapshot.objects.get() == first
    call_command("ratings", "rebuild")
    assert numbers(Snapshot.objects.get()) == stored


def test_the_check_finds_what_is_wrong(
    versions: list[Version], ruleset: Ruleset, capsys: pytest.CaptureFixture[str]
) -> None:
    matches = play(versions, some_results(8))
    services.refit(ruleset=ruleset)
    play(versions, some_results(2))
    call_command("ratings", "rebuild", "--check")  # newer matches are no error
    rating = Rating.objects.filter(version=versions[3]).get()
    Rating.objects.filter(pk=rating.pk).update(elo=rating.elo + 1e-9)
    with pytest.raises(CommandError, match="1 leaderboards"):
        call_command("ratings", "rebuild", "--check")
    assert f"version {versions[3].pk} is stored as" in capsys.readouterr().out
    Rating.objects.filter(pk=rating.pk).update(elo=rating.elo)
    Match.objects.filter(pk=matches[0].pk).update(voided=True)
    with pytest.raises(CommandError):
        call_command("ratings", "rebuild", "--check")
    assert "voided" in capsys.readouterr().out
    call_command("ratings", "rebuild")
    call_command("ratings", "rebuild", "--check")


def test_matches_on_one_luck_are_one_block(versions: list[Version], ruleset: Ruleset) -> None:
    """A block is what the intervals are made of, so it must come from the database as it is."""
    first = make_match(versions)
    block = make_block(first.series)
    for _ in range(3):
        make_match(versions, series=first.series, block=block)
    results = rows.read(ruleset)
    assert results.block.tolist() == [first.block_id, block.pk, block.pk, block.pk]
