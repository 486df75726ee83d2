"""The organisers' desk in a browser, and what a reader sees meanwhile: brackets, crosstables, phones, paper."""

from __future__ import annotations

import re

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.webapp import cups
from tests.webapp.cups import begun, entrant, finish, finish_round, make_cup, organiser, present
from tests.webapp.making import make_bot, make_house_bot, make_user
from webapp.accounts.models import User
from webapp.matches.models import Series
from webapp.tournaments import running, services
from webapp.tournaments.models import Tournament


def signed_in(page: Page, server: LiveServer, person: User) -> None:
    client = Client()
    client.force_login(person)
    cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
    page.context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": server.url}])


def show(page: Page, server: LiveServer, row: Tournament) -> None:
    page.goto(f"{server.url}/tournaments/{row.slug}/")


def unfold(page: Page, title: str) -> None:
    page.locator("summary", has_text=title).click()


def end(row: Tournament) -> None:
    while row.state == Tournament.State.RUNNING:
        finish_round(row)
        running.tick()
        row.refresh_from_db()


@pytest.mark.django_db(transaction=True)
def test_an_organiser_does_at_the_desk_all_that_can_be_done(live_server: LiveServer, page: Page) -> None:
    for name in cups.NAMES[:6]:
        make_house_bot(name)
    signed_in(page, live_server, organiser())
    row = make_cup("swiss", rounds=3, name="Autumn Cup")
    show(page, live_server, row)
    unfold(page, "Enter bots")
    for name in cups.NAMES[:5]:
        page.get_by_label(re.compile(f"^{name}\\b")).check()
    page.get_by_role("button", name="Enter them").last.click()
    unfold(page, "Seed them")
    page.get_by_label("emma").fill("1")
    page.locator("details", has_text="Seed them").get_by_role("button", name="Keep it so").click()
    expect(page.get_by_text("seeded 1")).to_be_visible()
    page.get_by_role("button", name="Open for entries").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Autumn Cup is open for entries")
    page.get_by_role("button", name="Start now").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Autumn Cup has begun")
    assert entrant(row, "emma").rank == 1

    first = present(row)[0]
    finish(first.series)
    match = first.series.matches.first()
    assert match is not None
    unfold(page, "Let a match not count")
    page.get_by_label("Its name").fill(match.name)
    page.locator("#v-reason").fill("A leak.")
    page.get_by_role("button", name="Let it not count").click()
    match.refresh_from_db()
    assert match.voided
    unfold(page, "Play a table again")
    page.locator("#r-table").select_option(label=first.name)
    page.locator("#r-reason").fill("A leak of all.")
    page.get_by_role("button", name="Play it again").click()
    first.refresh_from_db()
    assert (len(first.earlier), first.series.state) == (1, Series.State.WAITING)
    unfold(page, "Enter bots late")
    page.get_by_label(re.compile(r"^fedir\b")).check()
    page.get_by_role("button", name="Enter them").click()
    assert (entrant(row, "fedir").since, entrant(row, "fedir").rank) == (2, 6)
    unfold(page, "Disqualify")
    page.locator("#d-entrant").select_option(label="anna")
    page.locator("#d-reason").fill("It talked to boris.")
    page.locator("details", has_text="Disqualify").get_by_role("button", name="Disqualify").click()
    unfold(page, "Withdraw a bot")
    page.locator("#w-entrant").select_option(label="boris")
    page.locator("details", has_text="Withdraw a bot").get_by_role("button", name="Withdraw").click()
    page.get_by_role("button", name="Hold after this round").click()
    expect(page.get_by_text("held by an organiser")).to_be_visible()
    page.get_by_role("button", name="Let it go on").click()
    unfold(page, "What was done")
    for line in (
        "Seeded by hand.",
        "Opened for entries.",
        "Started.",
        f"A match of table {first.name} does not count: {match.name}. A leak.",
        f"Table {first.name} is played again. A leak of all.",
        "Entered late: fedir.",
        "Disqualified: anna. It talked to boris.",
        "Withdrawn: boris.",
        "Held.",
    ):
        expect(page.get_by_text(line, exact=True)).to_be_visible()

    finish_round(row)
    running.tick()
    seated = {name for table in present(row) for name in cups.names_at(table)}
    assert "fedir" in seated
    assert not {"anna", "boris"} & seated
    page.reload()
    unfold(page, "Cancel the tournament")
    page.locator("#c-reason").fill("The hall burned down.")
    page.get_by_role("button", name="Cancel it").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Autumn Cup was called off")
    expect(page.get_by_text("The hall burned down.").first).to_be_visible()


@pytest.mark.django_db(transaction=True)
def test_an_author_enters_a_bot_in_the_browser_and_takes_it_out(live_server: LiveServer, page: Page) -> None:
    row, ada = make_cup(name="Cup"), make_user("ada")
    services.open_entries(tournament=row, by=organiser())
    make_bot(ada, "mirror")
    signed_in(page, live_server, ada)
    show(page, live_server, row)
    page.get_by_role("button", name="Take part").click()
    expect(page.get_by_role("status")).to_have_text("mirror takes part.")
    page.get_by_role("button", name="Withdraw").click()
    expect(page.get_by_role("status")).to_have_text("mirror is taken out.")
    assert not row.entrants.exists()


@pytest.mark.django_db(transaction=True)
def test_a_bracket_is_drawn_and_leads_to_the_series(live_server: LiveServer, page: Page) -> None:
    row = begun("single", bots=6, name="Autumn Cup")
    show(page, live_server, row)
    bracket = page.get_by_role("region", name="Knockout")
    expect(bracket.locator("li")).to_have_count(3)
    expect(bracket.locator("li.now h3")).to_have_text("Stage 1 of 3")
    end(row)
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text("anna has won Autumn Cup")
    expect(bracket.locator("text.cup-won[text-anchor=start]").last).to_have_text("anna")
    assert bracket.locator(".cup-way-won").count() == 2, "the way of the champion"
    final = row.pairings.get(name="K3.1")
    bracket.get_by_role("link", name=re.compile("Table K3.1: anna")).click()
    assert page.url.endswith(f"/series/{final.series_id}/")


@pytest.mark.django_db(transaction=True)
def test_on_a_phone_a_bracket_moves_inside_its_own_box(live_server: LiveServer, page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    for form in ("double", "groups", "round-robin"):
        row = begun(form, bots=8, name=form)
        finish_round(row)
        running.tick()
        show(page, live_server, row)
        wider = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wider == 0, form
    row = Tournament.objects.get(name="double")
    show(page, live_server, row)
    box = page.locator("#bracket-upper")
    assert box.evaluate("one => one.scrollWidth > one.clientWidth")
    assert box.evaluate("one => getComputedStyle(one).scrollSnapType").startswith("x")


@pytest.mark.django_db(transaction=True)
def test_what_a_reader_has_opened_and_moved_stays_when_the_page_renews_itself(
    live_server: LiveServer, page: Page
) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    row = begun("double", bots=8)
    finish_round(row)
    running.tick()
    show(page, live_server, row)
    unfold(page, "Why in this order")
    page.evaluate("document.querySelector('#bracket-upper').scrollLeft = 150")
    left = page.evaluate("document.querySelector('#bracket-upper').scrollLeft")
    page.evaluate("document.activeElement.blur()")
    # nothing is streamed here, so the page looks by itself
    with page.expect_response(lambda told: "seen=" in told.url, timeout=30_000) as unchanged:
        pass
    assert unchanged.value.status == 204, "nothing has changed, so nothing is sent"
    finish(present(row)[0].series)
    expect(page.get_by_text("1 of 2 tables are over").first).to_be_visible(timeout=30_000)
    assert page.evaluate("document.querySelector('#why').open")
    assert abs(page.evaluate("document.querySelector('#bracket-upper').scrollLeft") - left) < 2


@pytest.mark.django_db
def test_a_crosstable_has_its_scores_as_filled_cells_that_lead_to_the_series() -> None:
    row = begun("round-robin", bots=4)
    end(row)
    text = Client().get(f"/tournaments/{row.slug}/").content.decode()
    cells = re.findall(r'<td class="(s\d|self|)">(?:<a href="/series/(\d+)/">([^<]*)</a>)?</td>', text)
    assert [(kind, score) for kind, _, score in cells] == [
        *[("self", ""), ("s4", "1"), ("s4", "1"), ("s4", "1")],
        *[("s0", "0"), ("self", ""), ("s4", "1"), ("s4", "1")],
        *[("s0", "0"), ("s0", "0"), ("self", ""), ("s4", "1")],
        *[("s0", "0"), ("s0", "0"), ("s0", "0"), ("self", "")],
    ]
    assert {int(series) for _, series, _ in cells if series} == set(row.pairings.values_list("series", flat=True))


@pytest.mark.django_db
def test_each_group_has_a_crosstable_also_when_the_knockout_is_played() -> None:
    row = begun("groups", bots=8)
    end(row)
    text = Client().get(f"/tournaments/{row.slug}/").content.decode()
    assert [text.count(f"Group {letter}<") for letter in "ABC"] == [1, 1, 0]
    assert text.count('class="self"') == 8


@pytest.mark.django_db
def test_the_result_of_a_series_is_shown_before_the_round_is_over() -> None:
    row = begun(bots=4)
    finish(present(row)[0].series)
    text = Client().get(f"/tournaments/{row.slug}/").content.decode()
    best = min(cups.names_at(present(row)[0]))
    assert re.search(rf'<span class="name">{best}</span> <span class="name">1</span>', text)
    told = Client().get(f"/api/tournaments/{row.slug}").json()
    assert [table["places"] for table in told["rounds"][0]["tables"]] == [None, None], "it does not count yet"


@pytest.mark.django_db
def test_the_index_tells_what_runs_what_comes_and_who_has_won() -> None:
    end(begun(bots=2, rounds=1, name="Spring Cup"))
    begun(bots=4, name="Summer Cup")
    coming = make_cup(name="Winter Cup")
    services.open_entries(tournament=coming, by=organiser())
    text = Client().get("/tournaments/").content.decode()
    assert "Summer Cup is being played" in text
    assert [text.index(name) for name in ("Summer Cup</a>", "Winter Cup</a>", "Spring Cup</a>")] == sorted(
        text.index(name) for name in ("Summer Cup</a>", "Winter Cup</a>", "Spring Cup</a>")
    )
    assert "won by anna" in text
    assert "open for entries" in text
    home = Client().get("/").content.decode()
    assert "Winter Cup" in home
    assert "Spring Cup" in home
    assert "Summer Cup" not in home


@pytest.mark.django_db
def test_one_that_has_been_running_for_long_is_not_pushed_off_the_index(monkeypatch: pytest.MonkeyPatch) -> None:
    from webapp.tournaments import overview

    monkeypatch.setattr(overview, "A_PAGE", 2)
    begun(bots=2, name="Marathon")
    for number in range(3):
        end(begun(bots=2, rounds=1, name=f"Sprint {number}"))
    text = Client().get("/tournaments/").content.decode()
    assert "Marathon" in text
    assert "Sprint 0" not in text
    older = re.search(r'href="(\?before=\d+)"', text)
    assert older is not None
    assert "Sprint 0" in Client().get(f"/tournaments/{older[1]}").content.decode()
