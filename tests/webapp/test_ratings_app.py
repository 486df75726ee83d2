"""Fits of leaderboards in the database: what is counted, when, and what is shown of it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from random import Random

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.webapp.making import classic, make_block, make_bot, make_house_bot, make_match, make_organiser, make_user
from webapp.bots import services as bots
from webapp.bots.models import Bot, Version
from webapp.matches.models import Match, Ruleset
from webapp.matches.organisers import NotAnOrganiser, restore_matches, void_matches
from webapp.ratings import selectors, services
from webapp.ratings.models import Rating, Snapshot

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
        services._prune(Snapshot.objects.get(pk=snapshot.pk))
        assert not others.filter(created__gte=same_hour).exists()
    assert sorted(Snapshot.objects.values_list("pk", flat=True)) == [kept[2], kept[4], kept[6]]
    assert {rating.snapshot_id for rating in Rating.objects.all()} == {kept[2], kept[4], kept[6]}


# ---- what is shown -------------------------------------------------------------------------------


def test_a_leaderboard_has_each_bots_active_version(versions: list[Version], ruleset: Ruleset) -> None:
    play(versions, some_results(40))
    services.refit(ruleset=ruleset)
    rows = selectors.leaderboard(ruleset=ruleset)
    assert [row.elo for row in rows] == sorted((row.elo for row in rows), reverse=True)
    assert {(row.bot.name, row.owner) for row in rows} == {
        ("random", "house"),
        ("honest", "house"),
        ("observer", "house"),
        ("mirror", "ada"),
    }
    assert all(1 <= row.rank_low <= row.rank_high <= 4 for row in rows)

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


def test_a_rating_and_its_history(versions: list[Version], ruleset: Ruleset) -> None:
    assert selectors.rating_of(version=versions[3], ruleset=ruleset) is None
    assert selectors.history(ruleset=ruleset, versions=versions)[versions[3].pk] == []
    elos = []
    for hours_ago in (3, 2, 0):
        play(versions, some_results(5))
        snapshot = services.refit(ruleset=ruleset)
        assert snapshot is not None
        Snapshot.objects.filter(pk=snapshot.pk).update(created=snapshot.created - timedelta(hours=hours_ago))
        rating = selectors.rating_of(version=versions[3], ruleset=ruleset)
        assert rating is not None
        elos.append(rating.elo)
    found = selectors.history(ruleset=ruleset, versions=versions[3:])
    assert [elo for _, elo in found[versions[3].pk]] == elos
    assert [rating.elo for rating in selectors.ratings_of(bot=versions[3].bot)] == elos[-1:]


def test_counts_are_up_to_the_minute(versions: list[Version], ruleset: Ruleset) -> None:
    def counted() -> dict[int, int]:
        return selectors.match_counts(ruleset=ruleset, versions=[version.pk for version in versions])

    assert counted() == {}
    play(versions, some_results(6))
    assert counted() == {version.pk: n for version in versions if (n := version.entries.count())}
    services.refit(ruleset=ruleset)
    play(versions, some_results(5))
    assert counted() == {version.pk: n for version in versions if (n := version.entries.count())}


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
    results = services._read(ruleset)
    assert results.block.tolist() == [first.block_id, block.pk, block.pk, block.pk]
