"""What the database must hold before anything can be played, and the migrations that make it."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import threading
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection

import bots as house
from arena.games import GAMES
from arena.rules import ruleset
from tests.webapp.making import make_bot, make_house_bot, make_match, make_user
from webapp.bots import services
from webapp.bots.models import Bot, Version
from webapp.matches.models import Ruleset
from webapp.matches.rulesets import ensure_rulesets

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of house bots of its own."""
    monkeypatch.setattr(house, "__file__", str(tmp_path / "__init__.py"))
    games = tmp_path / "three_coins"
    games.mkdir()
    (games / "__init__.py").touch()
    (games / "random.py").write_text('"""Any legal move."""\n')
    (games / "honest.py").write_text('"""Never bluffs."""\n')
    return games


def test_rulesets_are_the_presets() -> None:
    assert {row.key for row in ensure_rulesets()} == {row.key for row in Ruleset.objects.all()}
    for game in GAMES.values():
        rows = Ruleset.objects.filter(game=game.name)
        assert {row.preset for row in rows} == {preset.name for preset in game.presets}
        assert rows.filter(flagship=True).count() == 1
        for row in rows:
            assert row.options == ruleset(game, row.preset).values
    assert Ruleset.objects.get(key="three_coins/classic").flagship
    assert ensure_rulesets() == []


def test_a_new_option_is_added_and_a_changed_one_refused() -> None:
    ensure_rulesets()
    row = Ruleset.objects.get(key="three_coins/classic")
    wanted = dict(row.options)
    make_match([make_house_bot("random"), make_house_bot("honest")])
    Ruleset.objects.filter(pk=row.pk).update(options={k: v for k, v in wanted.items() if k != "stall_rounds"})
    assert [touched.key for touched in ensure_rulesets()] == ["three_coins/classic"]
    row.refresh_from_db()
    assert row.options == wanted
    Ruleset.objects.filter(pk=row.pk).update(options=wanted | {"start_coins": 2})
    with pytest.raises(CommandError, match="start_coins = 2, and the game now says 3"):
        call_command("prepare")


def test_rules_without_matches_may_change() -> None:
    ensure_rulesets()
    Ruleset.objects.update(options={"start_coins": 2})
    ensure_rulesets()
    assert Ruleset.objects.get(key="three_coins/classic").options["start_coins"] == 3


def test_the_house_moves_in() -> None:
    made = services.ensure_house_bots()
    assert "three_coins/random" in made.created
    assert services.ensure_house_bots() == services.HouseBots((), (), ())
    for game in GAMES:
        for name, path in house.house_bots(game).items():
            bot = Bot.objects.get(game=game, name=name)
            assert (bot.house, bot.owner, bot.kind) == (True, None, "hosted")
            version = bot.active_version
            assert version is not None
            assert bytes(version.source or b"") == path.read_bytes()
            assert version.digest == "sha256:" + hashlib.sha256(path.read_bytes()).hexdigest()
            assert (version.number, version.declared, version.filename) == (1, False, path.name)


def test_a_changed_file_is_a_new_version(folder: Path) -> None:
    assert services.ensure_house_bots().created == ("three_coins/honest", "three_coins/random")
    first = (folder / "honest.py").read_text()
    (folder / "honest.py").write_text(first + "# bolder\n")
    assert services.ensure_house_bots().updated == ("three_coins/honest",)
    bot = Bot.objects.get(name="honest")
    assert bot.about == "Never bluffs."
    assert bot.versions.count() == 2
    assert bot.active_version is not None
    assert bot.active_version.number == 2
    (folder / "honest.py").write_text(first)  # back to the old content: the old version, with its rating
    assert services.ensure_house_bots().updated == ("three_coins/honest",)
    bot.refresh_from_db()
    assert bot.active_version.number == 1
    assert bot.versions.count() == 2


def test_the_anchor_stays_what_it_is(folder: Path) -> None:
    services.ensure_house_bots()
    before = Bot.objects.get(name="random").active_version
    (folder / "random.py").write_text('"""Any legal move, but better."""\n')
    done = services.ensure_house_bots()
    assert done.updated == ()
    assert "three_coins/random" in done.warnings[0]
    assert Bot.objects.get(name="random").active_version == before
    assert before is not None
    assert before.bot.versions.count() == 1


def test_an_author_keeps_a_name_that_the_house_wants(folder: Path) -> None:
    mine = make_bot(make_user("ada"), "Mirror")
    (folder / "mirror.py").write_text("x = 1\n")
    done = services.ensure_house_bots()
    assert "three_coins/mirror" in done.warnings[0]
    mine.refresh_from_db()
    assert (mine.house, mine.versions.count()) == (False, 1)


def test_a_retired_house_bot_stays_retired(folder: Path) -> None:
    services.ensure_house_bots()
    Bot.objects.filter(name="honest").update(state="retired")
    services.ensure_house_bots()
    assert Bot.objects.get(name="honest").state == "retired"


@pytest.mark.django_db(transaction=True)
def test_two_start_at_once(folder: Path) -> None:
    together = threading.Barrier(4)
    failures: list[BaseException] = []

    def start() -> None:
        try:
            together.wait()
            ensure_rulesets()
            services.ensure_house_bots()
        except BaseException as error:  # noqa: BLE001  # told by the test, not by the thread
            failures.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=start) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert sorted(Bot.objects.values_list("name", flat=True)) == ["honest", "random"]
    assert Version.objects.count() == 2
    assert all(bot.active_version for bot in Bot.objects.select_related("active_version"))
    assert Ruleset.objects.count() == sum(len(game.presets) for game in GAMES.values())


def test_the_command_says_what_it_did(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("prepare")
    said = capsys.readouterr().out
    assert "three_coins/classic" in said
    assert "three_coins/random" in said
    call_command("prepare")
    assert "up to date" in capsys.readouterr().out


# ---- migrations ----------------------------------------------------------------------------------


def test_the_migrations_are_what_the_models_say() -> None:
    call_command("makemigrations", "--check", "--dry-run", verbosity=0)


def test_the_tables_are_made_on_sqlite_too(tmp_path: Path) -> None:
    environment = {**os.environ, "ARENA_DATA": str(tmp_path), "DATABASE_URL": f"sqlite:///{tmp_path}/db.sqlite3"}
    for command in (["migrate", "-v0"], ["prepare"], ["prepare"]):
        done = subprocess.run(
            [sys.executable, "-m", "webapp", *command], env=environment, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stderr
    assert "up to date" in done.stdout


SHAPE = {
    "columns": "SELECT table_name, column_name, data_type, character_maximum_length, is_nullable, column_default,"
    " is_identity FROM information_schema.columns WHERE table_schema = 'public'",
    "indexes": "SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'",
    "constraints": "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint"
    " WHERE connamespace = 'public'::regnamespace",
}

NOT_OURS = ("django_migrations", "auth_group_permissions")
"""The ids of the second, which nobody uses, are smaller when Django makes it from its model."""


@pytest.mark.skipif("config.getoption('--database') == 'sqlite'", reason="it compares two databases of PostgreSQL")
def test_migrating_makes_the_very_tables_that_the_tests_use(postgresql_url: str, tmp_path: Path) -> None:
    """The tests make theirs from the models, which is much faster."""
    with psycopg.connect(postgresql_url, autocommit=True) as server:
        server.execute("CREATE DATABASE migrated")
    migrated = urlsplit(postgresql_url)._replace(path="/migrated").geturl()
    environment = {**os.environ, "ARENA_DATA": str(tmp_path), "DATABASE_URL": migrated}
    done = subprocess.run(
        [sys.executable, "-m", "webapp", "migrate", "-v0"], env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    with psycopg.connect(migrated) as other, connection.cursor() as ours:
        for what, query in SHAPE.items():
            ours.execute(query)
            made, found = set(ours.fetchall()), set(other.execute(query.encode()).fetchall())
            assert {row for row in made ^ found if row[0] not in NOT_OURS} == set(), what
            assert len(made & found) > 40
