"""What all tests share. Every process that runs tests has services and a data folder of its own."""

from __future__ import annotations

import os
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

import django  # noqa: E402
import environ  # noqa: E402
from asgiref.sync import SyncToAsync  # noqa: E402
from django.conf import settings  # noqa: E402
from django.core.cache import cache  # noqa: E402
from django.core.management.base import CommandError  # noqa: E402
from django.db import OperationalError, connections  # noqa: E402
from django.test import TransactionTestCase  # noqa: E402
from playwright.sync_api import Browser, Page, sync_playwright  # noqa: E402

from tests import services  # noqa: E402

settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # the others are slow, on purpose
settings.STORAGES = {
    **settings.STORAGES,
    # The real one wants the static files collected first.
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
django.setup()


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
    del connections["default"]
    connections.settings = connections.configure_settings(settings.DATABASES)


_empty_the_database: Callable[[TransactionTestCase], None] = vars(TransactionTestCase)["_fixture_teardown"]


def _empty_the_database_beside_others(test: TransactionTestCase) -> None:
    """Empties it once more where a process that outlives the test, such as a door, has just read several tables.

    Emptying locks all tables, in an order of its own: PostgreSQL ends such a deadlock by refusing one of the two.
    """
    for attempt in range(5):
        try:
            _empty_the_database(test)
        except CommandError as refusal:
            if attempt == 4 or not isinstance(refusal.__cause__, OperationalError):
                raise
        else:
            return


setattr(TransactionTestCase, "_fixture_teardown", _empty_the_database_beside_others)  # noqa: B010


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
                executable_path=services.chromium(), args=services.CHROMIUM_OPTIONS, chromium_sandbox=False
            )
            yield browser
            browser.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A tab with cookies of its own. A script that fails on it fails the test."""
    context = browser.new_context()
    context.set_default_timeout(10_000)
    page = context.new_page()
    failures: list[str] = []
    page.on("pageerror", lambda error: failures.append(str(error)))
    page.on("console", lambda said: failures.append(said.text) if said.type == "error" else None)
    yield page
    context.close()
    assert not failures, failures
