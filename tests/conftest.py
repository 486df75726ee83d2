"""What all tests share. Every process that runs tests has services and a data folder of its own."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

# Before anything reads the settings: tests see nothing of the environment of the person who runs them.
_data = tempfile.TemporaryDirectory(prefix="arena-data-")
for _name in ("DATABASE_URL", "BROKER_URL", "CACHE_URL", "EMAIL_URL", "ALLOWED_HOSTS", "DEBUG", "SECRET_KEY"):
    os.environ.pop(_name, None)
for _name in [name for name in os.environ if name.startswith("ARENA_")]:
    del os.environ[_name]
os.environ["ARENA_DATA"] = _data.name
Path(_data.name, "static").mkdir()
os.environ["DJANGO_SETTINGS_MODULE"] = "webapp.settings"
# The many processes that tests start find everything compiled, whatever the environment says.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# Several processes share the machine: the threads of one's linear algebra would take turns with the others' tests.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import django  # noqa: E402
import environ  # noqa: E402
import hypothesis  # noqa: E402
from asgiref.sync import SyncToAsync  # noqa: E402
from django.conf import settings  # noqa: E402
from django.core.cache import cache  # noqa: E402
from django.db import IntegrityError, OperationalError, connections, transaction  # noqa: E402
from django.db.backends.base.base import BaseDatabaseWrapper  # noqa: E402
from django.test import TransactionTestCase  # noqa: E402
from playwright.sync_api import Browser, Page, expect, sync_playwright  # noqa: E402
from xdist.scheduler.loadscope import LoadScopeScheduling  # type: ignore[import-untyped]  # noqa: E402

from tests import breadth, services  # noqa: E402
from tests.webapp.streaming import Listener  # noqa: E402

settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # the others are slow, on purpose
settings.STORAGES = {
    **settings.STORAGES,
    # The real one wants the static files collected first.
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
django.setup()

PATIENCE_MS = 30_000
"""How long the browser is waited for: on a busy machine a page that is well may take seconds."""

expect.set_options(timeout=PATIENCE_MS)

# How long an example takes is a matter of the machine, and of what else runs on it.
hypothesis.settings.register_profile("tests", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("tests")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--database",
        choices=["postgresql", "sqlite"],
        default="postgresql",
        help="what the tests that use the database run on (default: %(default)s)",
    )
    parser.addoption(
        "--pictures",
        default="screenshots",
        help="where tests/webapp/gallery.py puts its pictures (default: %(default)s)",
    )
    parser.addoption("--all", action="store_true", help="try everything that can be tried, not just enough of it")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--all"):
        breadth.widen()


LONG = ("test_end_to_end.py", "test_cluster.py", "test_submitting.py", "test_supervisor.py", "test_remote.py")
"""Modules whose tests take many seconds each, however fast the machine is."""


class OneSiteAtATime(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
    """A module stays in one process, which makes what it needs once; and those that run whole sites are one lot."""

    def _split_scope(self, nodeid: str) -> str:
        module = nodeid.partition("::")[0]
        return "sites" if Path(module).name in LONG else module


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> OneSiteAtATime:
    return OneSiteAtATime(config, log)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes long comes first, so that no process is left with it when the others are done."""
    items.sort(key=lambda item: item.path.name not in LONG)


@pytest.fixture(autouse=True)
def _nothing_counted_yet() -> None:
    """What one test has done often does not keep another one from doing it."""
    cache.clear()


# ---- real services ----------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def postgresql_url() -> Iterator[str]:
    """A PostgreSQL of this test process, with an empty database."""
    with services.postgresql_server() as url:
        yield url


@pytest.fixture(scope="session")
def _redis_server() -> Iterator[str]:
    with services.redis_server() as url:
        yield url


@pytest.fixture
def redis_url(_redis_server: str) -> str:
    """An empty Redis, as the redis package and Django's cache write its URL."""
    import redis

    with redis.Redis.from_url(_redis_server) as client:
        client.flushall()
    return _redis_server


@pytest.fixture
def live_redis(redis_url: str, settings: Any) -> Iterator[str]:
    """The same for what happens now: this process publishes there, and all it said arrives before the next test."""
    from webapp.live import channels

    settings.ARENA_LIVE_REDIS = redis_url
    yield redis_url
    channels.flush(20)


@pytest.fixture
def listen() -> Iterator[Callable[..., Listener]]:
    """Makes listeners to what happens now, and hangs all of them up."""
    made: list[Listener] = []

    def make(url: str, **options: str) -> Listener:
        made.append(Listener(url, **options))
        return made[-1]

    yield make
    for listener in made:
        listener.close()


@pytest.fixture
def broker_url(redis_url: str) -> str:
    """An empty Redis, as Celery writes its URL: ``BROKER_URL`` for processes that a test starts."""
    return redis_url.replace("unix://", "redis+socket://", 1)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    request: pytest.FixtureRequest, django_db_modify_db_settings_parallel_suffix: Any
) -> None:
    """Has pytest-django make its database on the real PostgreSQL, or in a file of SQLite."""
    if request.config.getoption("--database") == "postgresql":
        database = environ.Env.db_url_config(request.getfixturevalue("postgresql_url"))
    else:
        database = {**settings.DATABASES["default"], "TEST": {"NAME": str(Path(_data.name) / "test.sqlite3")}}
    settings.DATABASES = {"default": database}
    with contextlib.suppress(AttributeError):  # nobody has used it yet
        del connections["default"]
    connections.settings = connections.configure_settings(settings.DATABASES)


MADE_BY_MIGRATING = {"django_migrations", "django_content_type", "auth_permission"}


def _empty_the_database(_test: TransactionTestCase) -> None:
    """What a test has committed is taken away: the rows, where there are any, instead of Django's whole new start.

    Django truncates every table and then makes permissions anew, which takes ten times as long. It is done once more
    where a process that outlives the test, such as a door, has just written a row that belongs to one taken away.
    """
    for attempt in range(5):
        try:
            for connection in connections.all(initialized_only=True):
                _delete_all_rows(connection)
        except (IntegrityError, OperationalError):
            if attempt == 4:
                raise
        else:
            return


def _delete_all_rows(connection: BaseDatabaseWrapper) -> None:
    tables = set(connection.introspection.django_table_names(only_existing=True)) - MADE_BY_MIGRATING
    quote = connection.ops.quote_name
    filled = " UNION ALL ".join(f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM {quote(table)})" for table in tables)
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        cursor.execute(filled)
        for (table,) in cursor.fetchall():
            cursor.execute(f"DELETE FROM {quote(table)}")


setattr(TransactionTestCase, "_fixture_teardown", _empty_the_database)  # noqa: B010


@pytest.fixture
def let_go_of_the_database() -> Iterator[None]:
    """For tests in whose process a series is played: the event loop's thread for the database keeps its connection."""
    yield
    SyncToAsync.single_thread_executor.submit(connections.close_all).result()


# ---- a real browser ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A Chromium. It ends with the module: while it runs, no asyncio test can run in this process."""
    with pytest.MonkeyPatch.context() as patch:
        # Playwright's synchronous calls run inside an event loop, and Django takes that for a mistake.
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=services.chromium(),
                args=services.CHROMIUM_OPTIONS,
                chromium_sandbox=False,
                timeout=4 * PATIENCE_MS,
            )
            yield browser
            browser.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A tab with cookies of its own. A script that fails on it fails the test."""
    context = browser.new_context()
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    failures: list[str] = []
    page.on("pageerror", lambda error: failures.append(str(error)))
    page.on("console", lambda said: failures.append(said.text) if said.type == "error" else None)
    yield page
    context.close()
    assert not failures, failures
