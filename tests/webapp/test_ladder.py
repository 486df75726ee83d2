"""The ladder: who is seated, when, and when not."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.webapp.making import make_line, make_match, make_user
from tests.webapp.playing import GAME, PLAIN, hosted, house, remote, rules
from webapp.accounts.models import User
from webapp.bots.models import Bot, Connection, Version
from webapp.bots.services import ensure_house_bots
from webapp.matches import ladder
from webapp.matches.models import Entry, Match, Ruleset, Series
from webapp.matches.rulesets import ensure_rulesets
from webapp.ratings.services import refit

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_pause(settings: Any) -> None:
    settings.ARENA_LADDER_PAUSE = settings.ARENA_LADDER_PAUSE_SERVING = 0.0


def bot_of(owner: User, name: str) -> Version:
    """A hosted bot of an author, which needs no line."""
    version = hosted(name, PLAIN + f"# {name}\n")
    Bot.objects.filter(pk=version.bot_id).update(house=False, owner=owner)
    return Version.objects.select_related("bot").get(pk=version.pk)


def duel_only() -> Ruleset:
    """The only ruleset with a ladder."""
    row = rules("duel")
    Ruleset.objects.exclude(pk=row.pk).update(preset="")
    return row


def seat_of(series: Series) -> list[Version]:
    return [seat.version for seat in series.seats.select_related("version__bot").order_by("seat")]


def test_a_site_may_let_the_ladder_play_some_games_only(settings: Any) -> None:
    ensure_rulesets()
    ensure_house_bots()
    settings.ARENA_LADDER_GAMES = ["mia", "commerce"]
    assert {series.ruleset.game for series, _versions in tables(20, Random(1))} == {"mia", "commerce"}
    settings.ARENA_LADDER_GAMES = []
    assert {series.ruleset.game for series, _versions in tables(20, Random(1))} == {"mia", "commerce", "three_coins"}


def test_a_game_that_there_is_not_is_refused_at_the_start(tmp_path: Path) -> None:
    environment = {**os.environ, "ARENA_DATA": str(tmp_path), "ARENA_LADDER_GAMES": "mia,maja"}
    told = subprocess.run(
        [sys.executable, "-c", "import webapp.settings"], env=environment, capture_output=True, text=True, check=False
    )
    assert told.returncode == 1
    assert "ARENA_LADDER_GAMES names maja, which is no game; there are three_coins, mia, commerce." in told.stderr


def tables(count: int, dice: Random) -> list[tuple[Series, list[Version]]]:
    """So many tables one after the other, each taken by a worker as soon as it is made."""
    made = []
    for _ in range(count):
        series = ladder.tick(dice)
        assert series is not None
        made.append((series, seat_of(series)))
        Series.objects.filter(pk=series.pk).update(state=Series.State.CANCELLED)
    return made


def play(table: Sequence[Version], row: Ruleset) -> None:
    """One rated match of these versions."""
    match = make_match(table)
    Match.objects.filter(pk=match.pk).update(ruleset=row)
    Series.objects.filter(pk=match.series_id).update(ruleset=row)
    duel_only()  # which the maker of matches has undone


# ---- who -----------------------------------------------------------------------------------------


def test_the_house_plays_alone_when_nobody_else_is_there() -> None:
    rules()
    house("random", "honest", "calculator")
    series = ladder.tick(Random(1))
    assert series is not None
    table = seat_of(series)
    assert (series.purpose, series.rated, series.state) == ("ladder", True, "waiting")
    assert series.planned == len(table)
    assert series.duplicate
    assert all(version.bot.house for version in table)
    assert len(set(table)) == len(table)


def test_without_bots_without_rules_and_with_one_bot_nothing_happens() -> None:
    assert ladder.tick(Random(1)) is None
    rules()
    assert ladder.tick(Random(1)) is None
    hosted("lonely")
    assert ladder.tick(Random(1)) is None
    assert not Series.objects.exists()


def test_two_bots_of_one_author_never_meet() -> None:
    rules()
    ada, bob = make_user("ada"), make_user("bob")
    for number in range(4):
        bot_of(ada, f"a{number}")
    bot_of(bob, "b")
    hosted("near")
    for _series, table in tables(60, Random(2)):
        owners = Counter(version.bot.owner_id for version in table if version.bot.owner_id is not None)
        assert set(owners.values()) <= {1}, table
        assert len(table) >= 2


def test_the_bots_of_one_author_alone_are_not_seated() -> None:
    rules()
    ada = make_user("ada")
    bot_of(ada, "one")
    bot_of(ada, "other")
    assert ladder.tick(Random(1)) is None


def test_who_may_not_play_is_not_seated() -> None:
    rules()
    house("random", "honest")
    for state in Bot.State:
        if state != Bot.State.ACTIVE:
            Bot.objects.filter(pk=bot_of(make_user(state), state).bot_id).update(state=state)
    shut_out = bot_of(make_user("gone"), "gone").bot
    User.objects.filter(pk=shut_out.owner_id).update(is_active=False)
    orphan = bot_of(make_user("left"), "left").bot
    Bot.objects.filter(pk=orphan.pk).update(active_version=None)
    other_game = hosted("elsewhere").bot
    Bot.objects.filter(pk=other_game.pk).update(game="another")
    names = {version.bot.name for _series, table in tables(40, Random(3)) for version in table}
    assert {"random", "honest"} <= names
    assert not names & {*Bot.State, "gone", "left", "elsewhere"}


def test_a_remote_bot_is_seated_only_while_a_line_of_it_waits() -> None:
    rules()
    far, _token = remote("far")
    hosted("near")
    assert ladder.tick(Random(1)) is None
    line = make_line(far.bot)
    assert {far.bot.name, "near"} == {version.bot.name for version in tables(1, Random(1))[0][1]}
    Connection.objects.filter(pk=line.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    assert ladder.tick(Random(1)) is None
    elsewhere = Series.objects.get()
    Connection.objects.filter(pk=line.pk).update(
        lease_until=timezone.now() + timedelta(minutes=1), state="seated", series=elsewhere
    )
    assert ladder.tick(Random(1)) is None


def test_only_the_active_version_is_seated_and_only_if_its_line_plays_it() -> None:
    rules()
    far, _token = remote("far")
    hosted("near")
    make_line(far.bot)
    newer = Version.objects.create(bot=far.bot, digest="sha256:newer", number=2)
    Bot.objects.filter(pk=far.bot_id).update(active_version=newer)
    assert ladder.tick(Random(1)) is None


# ---- need ----------------------------------------------------------------------------------------


def test_a_newcomer_is_seated_at_once() -> None:
    row = duel_only()
    old = [hosted("random"), hosted("honest"), hosted("calculator")]
    for _ in range(4):
        play(old[:2], row)
        play(old[1:], row)
        play(old[::2], row)
    new = bot_of(make_user("ada"), "new")
    made = tables(40, Random(4))
    # half of them would be its share; a fifth is drawn, and who has waited for four tables goes first
    assert sum(new in table for _series, table in made) > 0.6 * len(made)


def test_matches_count_also_before_they_are_fitted() -> None:
    """Else the newcomer of a moment ago would sit at every table until the next fit."""
    row = duel_only()
    old = [hosted("random"), hosted("honest")]
    play(old, row)
    refit(ruleset=row)
    new = [bot_of(make_user(f"author{number}"), f"new{number}") for number in range(2)]
    for _ in range(20):
        play([new[0], old[0]], row)
    made = tables(30, Random(5))
    assert sum(new[1] in table for _series, table in made) > sum(new[0] in table for _series, table in made) + 5


def test_nobody_starves() -> None:
    """Real counts, real matches, and somebody who came late."""
    row = duel_only()
    versions = [hosted("near"), *(bot_of(make_user(f"author{n}"), f"bot{n}") for n in range(5))]
    dice = Random(6)
    for turn in range(60):
        if turn == 20:
            versions.append(bot_of(make_user("late"), "late"))
        for _series, table in tables(1, dice):
            play(table, row)
    counts = Counter(Entry.objects.values_list("version", flat=True))
    assert set(counts) == {version.pk for version in versions}
    assert min(counts.values()) >= 0.6 * 120 / 7, counts


def test_the_anchor_sits_at_its_share_of_the_tables() -> None:
    row = duel_only()
    anchor, honest = hosted("random"), hosted("honest")
    others = [bot_of(make_user(f"author{n}"), f"bot{n}") for n in range(12)]
    for _ in range(3):
        play([anchor, honest], row)  # it needs none
    for pair in zip(others[::2], others[1::2], strict=True):
        play(pair, row)
    made = tables(200, Random(7))
    assert sum(anchor in table for _series, table in made) >= 0.05 * len(made)


# ---- what ----------------------------------------------------------------------------------------


def test_every_preset_is_played_and_the_flagship_most() -> None:
    rules()
    house("random", "honest", "calculator", "observer")
    made = tables(120, Random(8))
    counts = Counter(series.ruleset.key for series, _table in made)
    assert set(counts) == set(Ruleset.objects.exclude(preset="").values_list("key", flat=True))
    flagships = [row.key for row in Ruleset.objects.filter(flagship=True)]
    assert 0.45 < sum(counts[key] for key in flagships) / len(made) < 0.75
    for key in flagships:
        assert counts[key] == max(count for other, count in counts.items() if other.split("/")[0] == key.split("/")[0])
    assert {len(table) for series, table in made if series.ruleset.preset == "duel"} == {2}
    assert {len(table) for series, table in made if series.ruleset.key == f"{GAME}/classic"} == {2, 3, 4}


def test_rulesets_of_ones_own_have_no_ladder() -> None:
    row = duel_only()
    Ruleset.objects.filter(pk=row.pk).update(preset="")
    house("random", "honest")
    assert ladder.tick(Random(1)) is None


def test_a_game_that_nobody_can_play_does_not_stop_the_others() -> None:
    row = rules("classic")
    house("random", "honest")
    Ruleset.objects.create(key="chess/ladder", game="chess", preset="ladder", options=row.options, flagship=True)
    assert GAME in {series.ruleset.game for series, _table in tables(20, Random(9))}  # and never without a table


# ---- when ----------------------------------------------------------------------------------------


def test_of_a_game_that_has_nobody_nothing_more_is_asked() -> None:
    ensure_rulesets()
    house("honest", "random")
    Bot.objects.exclude(game=GAME).update(state=Bot.State.RETIRED)
    empty = Ruleset.objects.exclude(preset="").exclude(game=GAME)
    assert empty.count() > 4
    for seed in range(8):
        with CaptureQueriesContext(connection) as asked:
            assert ladder.tick(Random(seed)) is not None
        Series.objects.update(state=Series.State.FINISHED)
        sql = [query["sql"] for query in asked.captured_queries]
        assert sum("matches_ladderturn" in one and one.startswith("SELECT") for one in sql) == 1


def test_the_ladder_leaves_places_to_others(settings: Any) -> None:
    settings.ARENA_LADDER_TABLES = 2
    rules()
    house("random", "honest")
    for _ in range(2):
        series = ladder.tick()
        assert series is not None
        Series.objects.filter(pk=series.pk).update(state="playing", lease_until=timezone.now() + timedelta(minutes=1))
    assert ladder.tick() is None
    Series.objects.filter(pk=series.pk).update(state="finished", lease_until=None)
    assert ladder.tick() is not None


def test_one_series_waits_at_most() -> None:
    rules()
    house("random", "honest")
    first = ladder.tick()
    assert first is not None
    assert ladder.tick() is None
    Series.objects.filter(pk=first.pk).update(state="playing", lease_until=timezone.now() + timedelta(minutes=1))
    assert ladder.tick() is not None
    assert ladder.tick() is None


def test_series_of_other_purposes_do_not_hold_the_ladder_up() -> None:
    row = rules()
    house("random", "honest")
    Series.objects.create(ruleset=row, planned=1, purpose=Series.Purpose.TOURNAMENT)
    assert ladder.tick() is not None


def test_the_house_alone_plays_slowly_and_authors_are_served_at_once(settings: Any) -> None:
    settings.ARENA_LADDER_PAUSE = 600.0
    settings.ARENA_LADDER_PAUSE_SERVING = 60.0
    rules()
    house("random", "honest")
    far, _token = remote("far")
    made = ladder.tick()
    assert made is not None
    Series.objects.filter(pk=made.pk).update(state="finished", created=timezone.now() - timedelta(seconds=300))
    assert ladder.tick() is None
    line = make_line(far.bot)
    assert ladder.tick() is not None
    Series.objects.filter(state="waiting").update(state="finished")
    assert ladder.tick() is None
    Series.objects.update(created=timezone.now() - timedelta(seconds=61))
    assert ladder.tick() is not None
    line.delete()
    Series.objects.update(state="finished", created=timezone.now() - timedelta(seconds=601))
    assert ladder.tick() is not None


@pytest.mark.django_db(transaction=True)
def test_several_schedulers_seat_no_more_than_one_table_each() -> None:
    rules()
    house("random", "honest")
    barrier = threading.Barrier(4)

    def ticking(_number: int) -> None:
        barrier.wait()
        try:
            for _ in range(10):
                ladder.tick()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(ticking, range(4)))
    assert 1 <= Series.objects.filter(state="waiting").count() <= 4
