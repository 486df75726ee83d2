"""Somebody plays against the bots in the browser: by mouse, by keyboard alone, on a phone, without JavaScript."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.webapp.playing import Program, arena_environment, program, record_of
from webapp.bots.services import ensure_house_bots
from webapp.matches.models import Match, Series
from webapp.matches.rulesets import ensure_rulesets
from webapp.people.models import Sitting

# the database is made before the browser, whose event loop would be in its way
pytestmark = [
    pytest.mark.usefixtures("django_db_setup"),
    pytest.mark.django_db(transaction=True),
    pytest.mark.timeout(300),
]


@pytest.fixture
def dealer(tmp_path: Path, live_server: LiveServer, broker_url: str) -> Iterator[Program]:
    """The process that plays with people, and the bots that it plays with."""
    ensure_rulesets()
    ensure_house_bots()
    environment = arena_environment(tmp_path, BROKER_URL=broker_url)
    with program(sys.executable, "-m", "webapp", "people", **environment) as running:
        running.until("the tables for people are open")
        yield running


def sit_down(page: Page, url: str, game: str, preset: str, seats: int = 2) -> None:
    page.goto(f"{url}/play/?game={game}")
    page.get_by_label("Rules").select_option(preset)
    page.get_by_label("At the table").select_option(str(seats))
    page.get_by_role("button", name="Sit down").click()
    expect(page.locator("[data-table]")).to_be_visible()


STATES = "[data-state=asked], [data-state=over], [data-state=broken]"


def play_on(page: Page, press, most: int = 400) -> None:
    """Decide whatever is asked until the match is over; ``press`` chooses among the buttons."""
    dice = random.Random(5)
    for _ in range(most):
        page.wait_for_selector(STATES)
        if page.locator("[data-state=asked]").count() == 0:
            return
        written = page.locator("[data-table]").get_attribute("data-written")
        page.wait_for_timeout(360)  # a click so soon after a change is taken for the second half of a double click
        press(page, dice)
        page.wait_for_function(
            "old => (document.querySelector('[data-table]')?.dataset.written ?? old) !== old",
            arg=written,
        )
    raise AssertionError("the match does not end")


def by_mouse(page: Page, dice: random.Random) -> None:
    choices = page.locator("button.choice")
    choices.nth(dice.randrange(choices.count())).click()


def the_match() -> Match:
    match = Match.objects.select_related("series", "block").get()
    check_match_of_person(match)
    return match


def check_match_of_person(match: Match) -> None:
    record = record_of(match)
    assert not match.rated
    assert match.series.purpose == Series.Purpose.PERSON
    sitting = Sitting.objects.get(series=match.series)
    assert [(line.bot, line.version is None) for line in record.players][sitting.seat] == ("a person", True)
    assert sum(line.version is None for line in record.players) == 1
    assert match.faults == 0
    from arena.verify import verify

    verify(record)


def test_a_match_of_three_coins_by_mouse(live_server: LiveServer, dealer: Program, page: Page) -> None:
    sit_down(page, live_server.url, "three_coins", "classic", seats=3)
    play_on(page, by_mouse)
    expect(page.locator("[data-state=over]")).to_be_visible()
    the_match()
