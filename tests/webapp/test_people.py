"""Somebody plays against the bots in the browser: by mouse, by keyboard alone, on a phone."""

from __future__ import annotations

import contextlib
import random
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from arena.games import GAMES
from arena.record import FaultStep
from arena.verify import verify
from tests.breadth import crossed
from tests.webapp.playing import Program, arena_environment, program, record_of, until
from tests.webapp.seating import Seat, seated
from webapp.bots.models import Bot
from webapp.bots.services import ensure_house_bots
from webapp.matches import services as matches
from webapp.matches.models import Match, Series
from webapp.matches.rulesets import ensure_rulesets
from webapp.people import services
from webapp.people.models import Sitting

# the database is made before the browser, whose event loop would be in its way
pytestmark = [
    pytest.mark.usefixtures("django_db_setup"),
    pytest.mark.django_db(transaction=True),
    pytest.mark.timeout(300),
]


@contextlib.contextmanager
def dealing(data: Path, redis: str) -> Iterator[Program]:
    """The process that plays with people."""
    environment = arena_environment(data, BROKER_URL=redis.replace("unix://", "redis+socket://", 1))
    with program(sys.executable, "-m", "webapp", "people", **environment) as running:
        running.until("the tables for people are open", 120)
        yield running


@pytest.fixture(scope="module")
def a_dealer(tmp_path_factory: pytest.TempPathFactory, django_db_setup: None, _redis_server: str) -> Iterator[Program]:
    """One for all these tests: what it knows is in the database, which is emptied after each of them."""
    with dealing(tmp_path_factory.mktemp("people"), _redis_server) as running:
        yield running


@pytest.fixture
def dealer(live_server: LiveServer, a_dealer: Program) -> Program:
    """It, and the bots that it plays with."""
    ensure_rulesets()
    ensure_house_bots()
    return a_dealer


@pytest.fixture
def mortal(tmp_path: Path, live_server: LiveServer, _redis_server: str) -> Iterator[Program]:
    """One that may die."""
    with dealing(tmp_path, _redis_server) as running:
        yield running


STATES = "[data-state=asked], [data-state=over], [data-state=broken]"

STANDS_STILL = """states => {
    const table = document.getElementById("table");
    if (table && !window.seen) {
        window.seen = { at: performance.now() };
        new MutationObserver(() => { window.seen.at = performance.now(); }).observe(table, { childList: true });
    }
    return table && document.querySelector(states) && performance.now() - window.seen.at > 360;
}"""
"""A click so soon after a change is taken for the second half of a double click, by the browser's own clock."""


def stands_still(page: Page, states: str = "[data-state=asked]") -> None:
    """Wait until the page shows one of these states and a click on it counts."""
    page.wait_for_function(STANDS_STILL, arg=states)


def play_on(page: Page, press: Callable[[Page, random.Random], None], most: int = 400) -> None:
    """Decide whatever is asked until the match is over; ``press`` chooses among the buttons."""
    dice = random.Random(5)
    for _ in range(most):
        stands_still(page, STATES)
        if page.locator("[data-state=asked]").count() == 0:
            return
        written = page.locator("[data-table]").get_attribute("data-written")
        press(page, dice)
        page.wait_for_function(
            "old => (document.querySelector('[data-table]')?.dataset.written ?? old) !== old",
            arg=written,
        )
    raise AssertionError("the match does not end")


def by_mouse(page: Page, dice: random.Random) -> None:
    choices = page.locator("button.choice")
    choices.nth(dice.randrange(choices.count())).click()


def by_keys(page: Page, dice: random.Random) -> None:
    for _ in range(dice.randrange(page.locator("button.choice").count()) + 1):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")


def by_touch(page: Page, dice: random.Random) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    choices = page.locator("button.choice")
    box = choices.nth(choices.count() - 1).bounding_box()
    assert box is not None
    assert box["height"] >= 44
    assert box["y"] + box["height"] <= 844, "the choices lie within the thumb's reach"
    choices.nth(dice.randrange(choices.count())).tap()


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
    verify(record)


# these first: the dealer of the others would take their tables


def test_a_killed_process_breaks_the_table_off_and_says_so(live_server: LiveServer, mortal: Program) -> None:
    seat = seated("mia", "honest")
    until(lambda: seat.row.question > 0, 60)
    mortal.kill()
    Series.objects.update(lease_until="2000-01-01T00:00:00Z")
    assert matches.sweep() == 1
    page = told(seat)
    assert "This table was broken off" in page
    assert "Begin again" in page
    assert not Match.objects.exists()
    assert seat.client().post(seat.address + "again/").status_code == 302
    assert Series.objects.filter(state=Series.State.WAITING, purpose=Series.Purpose.PERSON).count() == 1


def test_a_process_that_is_told_to_end_breaks_its_tables_off(live_server: LiveServer, mortal: Program) -> None:
    seat = seated("mia", "honest")
    until(lambda: seat.row.question > 0, 60)
    mortal.process.terminate()
    assert mortal.process.wait(60) == 0
    assert "it is being restarted" in Series.objects.get().note
    assert "This table was broken off" in told(seat)


def test_a_match_of_three_coins_by_mouse(live_server: LiveServer, dealer: Program, page: Page) -> None:
    said: list[str] = []
    page.on("response", lambda response: said.append(response.text()) if "/play/" in response.url else None)
    page.goto(live_server.url)
    page.get_by_role("link", name="Play", exact=True).click()
    page.get_by_label("Rules").select_option("duel")
    page.get_by_label("At the table").select_option("2")
    page.get_by_role("button", name="Sit down").click()
    play_on(page, by_mouse)
    expect(page.get_by_role("heading", name=re.compile("You (win|lose|share)"))).to_be_visible()
    match = the_match()
    bidding = [text for text in said if "<legend>Bid</legend>" in text or "End the round" in text]
    assert bidding
    own = Sitting.objects.get().seat
    for text in bidding:
        fists = dict(re.findall(r'<g class="fist" data-seat="(\d+)"( data-coins="\d*")?', text))
        assert fists
        assert all(not coins for seat, coins in fists.items() if int(seat) != own), "the other fist is closed"
    page.get_by_role("link", name="Follow it again, as you saw it").click()
    expect(page.get_by_role("link", name="as a person")).to_have_attribute("aria-current", "true")
    expect(page.get_by_text("unrated").first).to_be_visible()
    page.goto(f"{live_server.url}/matches/")
    expect(page.get_by_text(re.compile("a person")).first).to_be_visible()
    assert match.name in page.content()


@pytest.mark.parametrize(
    ("game", "press"),
    [case for case in crossed(GAMES, (by_mouse, by_keys, by_touch)) if case != ("three_coins", by_mouse)],
)
def test_a_match_to_its_end(
    live_server: LiveServer, dealer: Program, browser: Browser, game: str, press: Callable[[Page, random.Random], None]
) -> None:
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    context = browser.new_context(**phone if press is by_touch else {})
    page = context.new_page()
    seated(game, "observer" if game == "commerce" else "honest").open(page, live_server.url)
    play_on(page, press)
    the_match()
    context.close()


def test_a_digit_chooses_a_value(live_server: LiveServer, dealer: Program, page: Page) -> None:
    seated("three_coins", "honest").open(page, live_server.url)
    page.wait_for_selector("[data-state=asked]")
    page.keyboard.press("2")
    expect(page.get_by_role("button", name="hide 2 coins")).to_be_focused()
    page.get_by_text("Show the odds").click()
    expect(page.get_by_text("Hide the odds")).to_be_visible()
    stands_still(page)
    page.get_by_role("button", name="hide 2 coins").click()
    page.wait_for_selector("button.choice small")
    expect(page.get_by_text("if the others hid at random")).to_be_visible()
    expect(page.get_by_text("You hide 2 coins")).to_be_visible()


def test_two_windows_of_one_person_show_the_same(live_server: LiveServer, dealer: Program, page: Page) -> None:
    seat = seated("three_coins", "honest")
    seat.open(page, live_server.url)
    other = page.context.new_page()
    other.goto(live_server.url + seat.address)
    for tab in (other, page):
        stands_still(tab)
    page.get_by_role("button", name="hide 1 coin").click()
    expect(other.get_by_text("You hide 1 coin").or_(other.get_by_text("Take 0 to"))).to_be_visible()
    expect(other.get_by_role("button", name="hide 1 coin")).to_have_count(0)


def test_who_lets_the_time_run_out_twice_has_left(
    live_server: LiveServer, dealer: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(services.PACES, "easy", 1)
    seat = seated("three_coins", "honest")
    until(lambda: Series.objects.get().state == Series.State.FINISHED, 60)
    match = Match.objects.get()
    sitting = seat.row
    mine = match.entries.get(seat=sitting.seat)
    assert (mine.fault, mine.bot.name, match.entries.exclude(seat=sitting.seat).get().fault) == ("late", "a person", "")
    kinds = [step.kind for step in record_of(match).steps if isinstance(step, FaultStep)]
    assert kinds[:2] == ["late", "late"]
    assert set(kinds[2:]) <= {"gone"}, "the table does not wait for who has left"
    assert "at place" in told(seat) or "You" in told(seat)
    assert Bot.objects.get(game="three_coins", kind=Bot.Kind.PERSON).state == Bot.State.ACTIVE


def test_who_leaves_ends_the_table_at_once(live_server: LiveServer, dealer: Program) -> None:
    seat = seated("commerce", "observer", "honest")
    until(lambda: seat.row.question > 0, 60)
    assert seat.client().post(seat.address + "leave/").status_code == 302
    until(lambda: Series.objects.get().state == Series.State.FINISHED, 60)
    assert told(seat)
    assert seat.client().get(f"/matches/{Match.objects.get().name}/?as={seat.row.seat}").status_code == 200


def told(seat: Seat) -> str:
    answer = seat.client().get(seat.address)
    assert answer.status_code == 200
    return answer.content.decode()
