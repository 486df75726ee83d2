"""The player of a replay: its controls, the chunks that it plays from, what it tells to whom, and embedding."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.test import Client
from playwright.sync_api import Browser, Page, Response, Route, expect
from pytest_django.live_server_helper import LiveServer

from arena import record as records
from arena.games.commerce import HandEnded
from arena.record import FaultStep, MovesStep, Record
from arena.rules import OMNISCIENT, PUBLIC, at_seat
from arena.table import Limits
from arena.verify import fold
from tests.webapp.factories import make_bot, make_match, make_series, make_user, play
from tests.webapp.replays import at
from webapp.bots.models import Bot
from webapp.matches import chunks, clocks, limits, pages, replay
from webapp.matches.models import Match, Series

DATA = Path(__file__).parents[1] / "data/records"
GAMES = ("three_coins", "mia", "commerce")
BUDGET = 150_000
"""Bytes, compressed, of a page that is opened for the first time, with all that it needs."""


def given(name: str) -> Record:
    return records.read((DATA / f"{name}.json").read_bytes())


def recorded(record: Record) -> Match:
    bots = [
        Bot.objects.filter(game=record.game, name=line.bot).first() or make_bot(line.bot, game=record.game)
        for line in record.players
    ]
    return make_match(bots, played=record)


def frames_address(match: Match, key: str, number: int, *, edition: str = "", language: str = "en") -> str:
    return f"/matches/{match.name}/frames/{edition or chunks.edition()}/{language}/{key}/{number}.json"


# ---- chunks --------------------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.parametrize("game", GAMES)
def test_a_chunk_has_what_the_pages_of_its_steps_have(client: Client, game: str) -> None:
    record = given(f"{game}-preset")
    match = recorded(record)
    last = len(record.steps)
    for key in ("everything", "public", "1"):
        for number in (0, last // chunks.SIZE):
            answer = client.get(frames_address(match, key, number))
            body = json.loads(answer.content)
            assert body["first"] == number * chunks.SIZE
            assert len(body["steps"]) == min(chunks.SIZE, last + 1 - body["first"])
            parts: dict[str, str] = {}
            for step, changed in enumerate(body["steps"], body["first"]):
                parts |= changed
                if step % 5:
                    continue
                page = client.get(f"/matches/{match.name}/step/{step}/?as={key}").content.decode()
                for part in ("felt", "caption", "clocks", "kinds", "faults", "strip"):
                    assert parts[part] in page, (key, step, part)
    assert client.get(frames_address(match, "everything", last // chunks.SIZE + 1)).status_code == 404
    for key, language in (("9", "en"), ("nobody", "en"), ("public", "xx")):
        assert client.get(frames_address(match, key, 0, language=language)).status_code == 404


@pytest.mark.django_db
def test_a_chunk_is_kept_for_a_year_whoever_reads_it(client: Client) -> None:
    match = recorded(given("three_coins-preset"))
    answer = client.get(frames_address(match, "everything", 0), headers={"Cookie": "language=uk"})
    assert answer["Cache-Control"] == "public, max-age=31536000, immutable"
    assert "Cookie" not in answer.get("Vary", "")
    assert "Accept-Language" not in answer.get("Vary", "")
    assert answer["Content-Language"] == "en"
    assert not answer.cookies
    assert "step 0 of" in answer.content.decode()
    assert "step 0 of" not in client.get(frames_address(match, "everything", 0, language="uk")).content.decode()
    # a page that was opened before an upgrade still plays, and keeps nothing under the old name
    assert client.get(frames_address(match, "everything", 0, edition="older"))["Cache-Control"] == "no-store"


@pytest.mark.django_db
def test_chunks_are_for_whoever_may_see_the_match(client: Client) -> None:
    author = make_user("ada")
    bot = make_bot("mirror", owner=author)
    series = make_series([bot], state=Series.State.FINISHED)
    Series.objects.filter(pk=series.pk).update(purpose=Series.Purpose.VALIDATION)
    assert bot.active_version is not None
    bot.active_version.validation = series
    bot.active_version.save()
    match = make_match([bot, make_bot("shy")], series=series)
    addresses = [f"/matches/{match.name}/", frames_address(match, "public", 0)]
    for address in (*addresses, f"/embed/{match.name}/"):
        assert client.get(address).status_code == 404
    client.force_login(author)
    for address in addresses:
        assert client.get(address).status_code == 200
    assert client.get(addresses[1])["Cache-Control"].startswith("private")
    assert "/embed/" not in client.get(addresses[0]).content.decode()
    assert client.get(f"/embed/{match.name}/").status_code == 404


@pytest.mark.django_db
def test_nothing_of_a_match_is_given_before_its_block_is_closed(client: Client) -> None:
    match = make_match([make_bot("a"), make_bot("b")], state="open")
    assert client.get(frames_address(match, "public", 0)).status_code == 404
    assert client.get(f"/embed/{match.name}/").status_code == 404


@pytest.mark.django_db
@pytest.mark.parametrize("game", GAMES)
def test_the_first_view_is_light(client: Client, game: str) -> None:
    record = play([f"player-{seat}" for seat in range(10)], match="m-1", game=game, seed=3)
    match = recorded(record)
    answer = client.get(f"/matches/{match.name}/", headers={"Accept-Encoding": "gzip"})
    assert answer["Content-Encoding"] == "gzip"
    sizes = {"page": len(answer.content)}
    for name in re.findall(r'(?:src|href)="/static/([^"]+)"', gzip.decompress(answer.content).decode()):
        found = finders.find(name)
        assert isinstance(found, str)
        sizes[name] = len(gzip.compress(Path(found).read_bytes()))
    assert {"site/site.css", "site/replay/player.js", "site/replay/frames.js"} < set(sizes)
    assert sum(sizes.values()) < BUDGET, sizes


# ---- who may know what ---------------------------------------------------------------------------


def test_marks_are_those_that_the_viewer_knows_and_no_later_ones() -> None:
    record = given("mia-preset-faults")
    everything = at(record, "everything", 3)
    assert {mark.kind for mark in everything.marks} >= {"lie", "challenge", "fault"}
    assert max(mark.step for mark in everything.marks) > 3
    for key in ("public", "0"):
        for step in range(0, len(record.steps) + 1, 7):
            shown = at(record, key, step)
            assert all(mark.step <= step for mark in shown.marks)
            assert all(mark.step <= step for mark in shown.pinned)
    # a lie that nobody has seen through is none for the table
    lies = [mark.step for mark in everything.marks if mark.kind == "lie"]
    assert not any(mark.kind == "lie" for mark in at(record, "public", lies[0]).marks)


def test_each_kind_of_mark_has_a_shape_and_a_word_of_its_own() -> None:
    shown = at(given("mia-preset-faults"), "everything")
    assert len(shown.kinds) >= 3
    assert len({kind.shape for kind in shown.kinds}) == len({kind.words for kind in shown.kinds}) == len(shown.kinds)
    assert all(re.fullmatch(r"step \d+: (lie|challenge|out|fault)", mark.title) for mark in shown.pinned)


def test_others_learn_how_long_somebody_thought_when_the_match_is_over() -> None:
    record = given("three_coins-preset-faults")
    steps, last, names = record.steps, len(record.steps), [line.bot for line in record.players]
    timed = {(one.step, one.seat) for one in clocks.spent(steps, OMNISCIENT, last, ahead=True) if one.ms is not None}
    assert {seat for _step, seat in timed} > {0}
    assert any(one.ms is None for one in clocks.spent(steps, PUBLIC, last, ahead=False))
    for at_step in range(last):
        assert all(one.ms is None for one in clocks.spent(steps, PUBLIC, at_step, ahead=False))
        own = clocks.spent(steps, at_seat(0), at_step, ahead=False)
        assert all(one.step <= at_step and (one.ms is None or one.seat == 0) for one in own)
    for viewer in (PUBLIC, at_seat(0)):
        told = clocks.spent(steps, viewer, last, ahead=False)
        assert {(one.step, one.seat) for one in told if one.ms is not None} == timed
    for key, own in (("public", ""), ("0", names[0])):
        for at_step in range(last):
            lines = [line for part in at(record, key, at_step).story for line in part.lines if line.time]
            assert all(own and (own in line.text or line.text.startswith("The fists")) for line in lines)
        assert any(line.time for part in at(given("three_coins-preset"), key).story for line in part.lines)
    faults = [step for step, one in enumerate(steps, 1) if isinstance(one, FaultStep)]
    assert str(at(record, "everything").clocks.pictures[0]).count("c-fault") == len(faults)


def test_decisions_near_their_limit_are_marked_and_told() -> None:
    record = given("three_coins-preset")
    spent = [700.0, 850.0, 1_400.0, 2_550.0]  # within a move, near its end, out of the bank, and near the end of that
    steps = list(record.steps)
    alone = [(n, step) for n, step in enumerate(steps) if isinstance(step, MovesStep) and len(step.moves) == 1]
    seat = max(range(len(record.players)), key=lambda seat: sum(seat in step.moves for _n, step in alone))
    own = [(number, step) for number, step in alone if seat in step.moves][: len(spent)]
    assert len(own) == len(spent)
    for (number, step), ms in zip(own, spent, strict=True):
        steps[number] = step._replace(ms={seat: ms})
    late = record._replace(steps=tuple(steps))
    name = late.players[seat].bot

    def seen(key: str, time: Limits | None, step: int | None = None) -> clocks.Clocks:
        found = replay.replay(record=late, name="near", key=key, step=step, limits=time)
        return found.clocks

    given_time = Limits(move_ms=1_000, bank_ms=2_200)
    shown = seen("everything", given_time)
    assert shown.near == (
        f"step {own[1][0] + 1}: {name}: 850.0 of 1000 ms",
        f"step {own[3][0] + 1}: {name}: 2550.0 of 1000 ms, and the bank had 1800 ms left",
    )
    assert [kind for kind, _words in shown.key] == ["near", "bank"]
    picture = shown.pictures[0]
    assert (picture.count("c-near"), picture.count("c-bank")) == (2, 1)
    assert "2 decisions near their limit" in ET.fromstring(picture).attrib["aria-label"]
    # who may not know the times learns nothing of limits either
    assert seen("public", given_time, own[3][0] + 1) == clocks.Clocks()
    assert seen("public", given_time).near == shown.near
    without = seen("everything", None)
    assert (without.key, without.near) == ((), ())
    assert "c-near" not in without.pictures[0]


def test_a_bank_lasts_for_the_whole_match() -> None:
    steps = [MovesStep({0: "x", 1: "x"}, {0: ms, 1: 1.0}) for ms in (1_500.0, 900.0, 1_400.0, 1_100.0, 1_050.0)]
    found = limits.allowed(steps, Limits(move_ms=1_000, bank_ms=1_000))
    assert [found[step, 0].bank for step in range(1, 6)] == [1_000, 500, 500, 100, 0]
    assert {found[step, 1].bank for step in range(1, 6)} == {1_000}
    assert [found[step, 0].kind(step_.ms[0]) for step, step_ in enumerate(steps, 1) if step_.ms] == [
        "bank",
        "near",
        "near",
        "near",
        "near",
    ]


@pytest.mark.django_db
def test_the_page_of_a_match_knows_the_limits_of_its_series(client: Client) -> None:
    bots = [make_bot(name) for name in ("anna", "boris", "clara")]
    match = make_match(bots, seed=3)
    page = client.get(f"/matches/{match.name}/").content.decode()
    assert "Near the limit:" not in page
    Series.objects.filter(pk=match.series_id).update(move_ms=1, bank_ms=0)
    page = client.get(f"/matches/{match.name}/").content.decode()
    assert "Near the limit:" in page
    assert '<i class="mark mark-near"></i>near the limit' in page
    chunk = client.get(frames_address(match, "everything", 0)).content.decode()
    assert "Near the limit:" in chunk


# ---- without spoilers ----------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.parametrize("game", GAMES)
def test_a_link_without_spoilers_tells_nothing_of_the_end(client: Client, game: str) -> None:
    record = given(f"{game}-preset")
    match = recorded(record)
    end = at(record, "everything").title
    assert end in client.get(f"/matches/{match.name}/").content.decode().replace("&#x27;", "'")
    last = len(record.steps)
    for address in (f"/matches/{match.name}/", f"/embed/{match.name}/", f"/matches/{match.name}/step/{last - 1}/"):
        page = client.get(address, {"spoiler": "0"}).content.decode().replace("&#x27;", "'")
        assert end not in page
        assert ">Places" not in page
        assert "Telling moments" not in page
        assert "spoiler=0" in page
        assert (f"step {last - 1} of" if "step" in address else "step 0 of") in page
        # no mark, and no line of the story, stands after this step
        shown = last - 1 if "step" in address else 0
        assert all(int(step) <= shown for step in re.findall(r'data-step="(\d+)" href', page))
    over = client.get(f"/matches/{match.name}/step/{last}/?spoiler=0").content.decode().replace("&#x27;", "'")
    assert end in over
    assert ">Places" in over
    body = client.get(frames_address(match, "everything", 0) + "?spoiler=0").content.decode()
    steps = json.loads(body)["steps"]
    assert all(end not in str(step).replace("&#x27;", "'") for step in steps[:last])
    assert "b-lie" not in steps[0]["marks"]


# ---- embedded ------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_only_what_is_embedded_may_be_framed_and_it_knows_nobody(client: Client) -> None:
    match = recorded(given("three_coins-preset"))
    everywhere = ["/", f"/matches/{match.name}/", f"/matches/{match.name}/step/3/", frames_address(match, "public", 0)]
    for address in everywhere:
        answer = client.get(address)
        assert "frame-ancestors 'none'" in answer["Content-Security-Policy"]
        assert answer["X-Frame-Options"] == "DENY"
    client.force_login(make_user("ada"))
    strange = {"Cookie": f"language=uk; session={client.cookies['session'].value}", "Accept-Language": "en"}
    for address in (f"/embed/{match.name}/", f"/embed/{match.name}/step/3/?as=1"):
        plain = Client().get(address)
        answer = client.get(address, headers=strange)
        assert "frame-ancestors *;" in answer["Content-Security-Policy"] + ";"
        assert "script-src 'self'" in answer["Content-Security-Policy"]
        assert "X-Frame-Options" not in answer
        assert not answer.cookies
        assert "Cookie" not in answer["Vary"]
        assert answer.content == plain.content
        page = answer.content.decode()
        for word in ("csrf", "Sign in", "ada", 'class="top"', "<form", "Report"):
            assert word not in page
    spoken = client.get(f"/embed/{match.name}/?language=uk")
    assert spoken["Content-Language"] == "uk"
    assert '<html lang="uk">' in spoken.content.decode()
    assert client.get("/embed/m-nowhere/").status_code == 404
    assert client.get(f"/embed/{match.name}/step/999/").status_code == 404


@pytest.mark.django_db
def test_one_click_from_the_table_stands_what_was_proved(client: Client) -> None:
    match = recorded(given("mia-preset"))
    page = client.get(f"/matches/{match.name}/").content.decode()
    assert 'href="#proof">✓ verified' in page
    assert 'id="proof"' in page
    assert f"arena verify --name {match.record_name} {match.name}.json" in page
    for proved in ("follows from the seed", "Every move was legal", "outcome was computed again"):
        assert proved in page
    wrong = given("mia-preset")
    doubtful = recorded(wrong._replace(fairness=wrong.fairness._replace(seed="00" * 32)))
    page = client.get(f"/matches/{doubtful.name}/").content.decode()
    assert "✕ not verified" in page
    assert "Every move was legal" not in page


# ---- in a browser --------------------------------------------------------------------------------


@pytest.fixture
def mia() -> Record:
    return given("mia-preset-faults")


def step_of(page: Page) -> int:
    said = re.search(r"step (\d+) of", page.locator(".caption").inner_text())
    assert said is not None
    return int(said[1])


def reaches(page: Page, step: int) -> None:
    expect(page.locator(".caption")).to_contain_text(f"step {step} of")


@pytest.mark.django_db(transaction=True)
def test_it_plays_from_chunks_at_the_speed_that_was_chosen(live_server: LiveServer, page: Page, mia: Record) -> None:
    match = recorded(mia)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{live_server.url}/matches/{match.name}/step/0/")
    page.get_by_label("Speed").select_option("4")
    page.get_by_role("button", name="Play").click()
    expect(page.locator(".caption")).to_contain_text(re.compile("step [1-9][0-9] of"))
    page.get_by_role("button", name="Pause").click()
    reached = step_of(page)
    reaches(page, reached)
    expect(page).to_have_url(re.compile(rf"/step/{reached}/\?as=everything"))
    loaded = [url for url in asked if "/frames/" in url]
    assert len(loaded) <= reached // chunks.SIZE + 2
    assert len([url for url in asked if "/step/" in url]) == 1
    page.reload()
    expect(page.get_by_label("Speed")).to_have_value("4")
    # at the end playing begins again
    page.keyboard.press("End")
    reaches(page, len(mia.steps))
    page.keyboard.press(" ")
    expect(page.locator(".caption")).to_contain_text(re.compile(rf"step (?!(0|{len(mia.steps)}) )\d+ of"))
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Play")).to_be_visible()


@pytest.mark.django_db(transaction=True)
def test_who_pauses_while_a_step_is_on_its_way_stays_where_he_is(
    live_server: LiveServer, page: Page, mia: Record
) -> None:
    match = recorded(mia)
    last = chunks.SIZE - 1
    held: list[Route] = []
    page.route(re.compile(r"/frames/.*/1\.json"), lambda route: held.append(route))
    page.goto(f"{live_server.url}/matches/{match.name}/step/{last}/")
    page.get_by_label("Speed").select_option("4")
    page.get_by_role("button", name="Play").click()
    page.wait_for_timeout(1000)  # the next step is asked for, and does not come
    reaches(page, last)
    page.get_by_role("button", name="Pause").click()
    with page.expect_response(re.compile(r"/frames/.*/1\.json")) as answered:
        held[0].continue_()
    answered.value.finished()
    page.wait_for_timeout(300)  # what would be done with it is done
    reaches(page, last)
    page.keyboard.press("ArrowRight")
    reaches(page, last + 1)


@pytest.mark.django_db(transaction=True)
def test_keys_rounds_marks_and_help(live_server: LiveServer, page: Page, mia: Record) -> None:
    match = recorded(mia)
    shown = at(mia, "everything")
    marks = sorted({mark.step for mark in shown.marks})
    page.goto(f"{live_server.url}/matches/{match.name}/step/0/")
    page.keyboard.press("m")
    reaches(page, marks[0])
    page.keyboard.press("m")
    reaches(page, marks[1])
    page.keyboard.press("Shift+M")
    reaches(page, marks[0])
    page.keyboard.press("Home")
    reaches(page, 0)
    page.keyboard.press("Shift+ArrowRight")
    reaches(page, shown.starts[1])
    page.get_by_role("link", name="Round after").click()
    reaches(page, shown.starts[2])
    page.keyboard.press("Shift+ArrowLeft")
    reaches(page, shown.starts[1])
    page.get_by_role("link", name="Mark after").click()
    reaches(page, min(step for step in marks if step > shown.starts[1]))
    page.keyboard.press("+")
    expect(page.get_by_label("Speed")).to_have_value("2")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    before = step_of(page)
    page.keyboard.press("ArrowRight")
    assert step_of(page) == before
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Keys")).to_be_hidden()
    page.keyboard.press("ArrowRight")
    reaches(page, before + 1)
    page.keyboard.press("f")
    expect(page.locator("#replay:fullscreen")).to_be_visible()
    page.keyboard.press("f")
    expect(page.locator("#replay:fullscreen")).to_have_count(0)


@pytest.mark.django_db(transaction=True)
def test_the_bar_is_dragged_and_the_table_is_swiped(live_server: LiveServer, browser: Browser, mia: Record) -> None:
    match = recorded(mia)
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(f"{live_server.url}/matches/{match.name}/step/5/")
    slider = page.locator("[data-scrub]")
    expect(slider).to_be_visible()
    box = slider.bounding_box()
    assert box is not None
    # within the thumb's reach
    assert box["y"] > 844 * 0.7
    page.mouse.move(box["x"] + 12, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=6)
    page.mouse.up()
    middle = len(mia.steps) // 2
    expect(slider).to_have_value(re.compile("|".join(f"^{step}$" for step in range(middle - 2, middle + 3))))
    reaches(page, int(slider.input_value()))
    # the marks above it are part of the bar
    row = page.locator(".marks").bounding_box()
    assert row is not None
    page.mouse.click(row["x"] + row["width"] - 1, row["y"] + 1)
    reaches(page, len(mia.steps))
    felt = page.locator(".felt").bounding_box()
    assert felt is not None
    devtools = context.new_cdp_session(page)

    def swipe(start: float, end: float) -> None:
        y = felt["y"] + 60
        devtools.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": start, "y": y}]})
        for part in (0.3, 0.6, 1):
            x = start + (end - start) * part
            devtools.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{"x": x, "y": y}]})
        devtools.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    swipe(100, 300)
    reaches(page, len(mia.steps) - 1)
    swipe(300, 100)
    reaches(page, len(mia.steps))
    context.close()


@pytest.mark.django_db(transaction=True)
def test_nothing_moves_for_who_wants_no_motion_or_jumps(live_server: LiveServer, browser: Browser, mia: Record) -> None:
    match = recorded(mia)
    for motion in ("reduce", "no-preference"):
        context = browser.new_context(reduced_motion=motion)  # type: ignore[arg-type]
        page = context.new_page()
        page.goto(f"{live_server.url}/matches/{match.name}/step/2/")
        moving = """() => document.getAnimations().map((one) => one.effect.getTiming().duration)"""
        for _ in range(4):
            before = step_of(page)
            page.keyboard.press("ArrowRight")
            reaches(page, before + 1)
            durations = page.evaluate(moving)
            assert durations == [] if motion == "reduce" else all(150 <= one <= 250 for one in durations)
        page.keyboard.press("ArrowLeft")
        reaches(page, 5)
        assert page.evaluate(moving) == []
        context.close()


def cards_in(text: str) -> dict[int, set[str]]:
    """The cards that lie before each seat in any of the pictures; ``??`` for a back."""
    found: dict[int, set[str]] = {}
    for seat, cards in re.findall(r'data-seat="(\d+)" data-cards="([^"]*)"', text.replace('\\"', '"')):
        found.setdefault(int(seat), set()).add(cards)
    return found


@pytest.mark.django_db(transaction=True)
def test_a_seat_is_sent_nothing_of_anothers_hand(live_server: LiveServer, page: Page) -> None:
    record = play(["a", "b", "c"], match="m-1", game="commerce", options={"hands": 2}, seed=1)
    match = recorded(record)
    opened = {
        (one.seat, " ".join(one.cards))
        for folded in fold(record)
        for event in folded.events
        if isinstance(event, HandEnded)
        for one in event.result.shown
    }
    answers: list[Response] = []
    page.on("response", lambda answer: answers.append(answer))
    page.goto(f"{live_server.url}/matches/{match.name}/step/0/?as=0")
    for step in range(0, len(record.steps), chunks.SIZE):
        page.locator("[data-scrub]").fill(str(step))
        reaches(page, step)
    page.keyboard.press("End")
    reaches(page, len(record.steps))
    sent = [answer.text() for answer in answers if live_server.url in answer.url and "/static/" not in answer.url]
    assert len(sent) > len(record.steps) // chunks.SIZE
    seen = cards_in("".join(sent))
    assert any("??" not in cards for cards in seen[0])
    for seat in (1, 2):
        assert any("??" in cards for cards in seen[seat])
        assert all("??" in cards or (seat, cards) in opened or not cards for cards in seen[seat]), seen[seat]
    # who sees everything is sent them
    everything = Client().get(frames_address(match, "everything", 0)).content.decode()
    assert any("??" not in cards for cards in cards_in(everything)[1])


@pytest.mark.django_db(transaction=True)
def test_embedded_it_plays_and_leaves_no_cookie_and_no_trace(
    live_server: LiveServer, browser: Browser, mia: Record
) -> None:
    match = recorded(mia)
    context = browser.new_context()
    context.add_cookies([{"name": "language", "value": "uk", "url": live_server.url}])
    page = context.new_page()
    sent: list[str] = []
    page.on(
        "request", lambda request: sent.append(request.headers.get("cookie", "")) if "/frames/" in request.url else None
    )
    page.goto(f"{live_server.url}/embed/{match.name}/step/0/")
    page.get_by_role("link", name="Next step").click()
    reaches(page, 1)
    expect(page).to_have_url(re.compile(rf"/embed/{match.name}/step/1/"))
    assert page.evaluate("history.length") == 2
    page.get_by_label("Speed").select_option("4")
    assert page.evaluate("localStorage.length") == 0
    assert [cookie["name"] for cookie in context.cookies()] == ["language"]
    assert sent
    assert not any(sent)
    expect(page.get_by_role("link", name="on Bluff Arena")).to_have_attribute("href", re.compile("/step/1/"))
    context.close()


@pytest.mark.django_db(transaction=True)
def test_what_is_shared_is_the_step_that_is_shown(live_server: LiveServer, page: Page, mia: Record) -> None:
    match = recorded(mia)
    page.goto(f"{live_server.url}/matches/{match.name}/step/0/")
    page.keyboard.press("ArrowRight")
    reaches(page, 1)
    page.get_by_text("Share", exact=True).click()
    address = f"{settings.ARENA_BASE_URL}/matches/{match.name}/step/1/?as=everything"
    expect(page.locator('[data-share="step"]')).to_have_value(address)
    expect(page.locator('[data-share="embed"]')).to_have_value(
        re.compile(rf"/embed/{match.name}/step/1/\?as=everything")
    )
    free = page.locator('[data-share="spoiler-free"]').input_value()
    assert free == f"{settings.ARENA_BASE_URL}/matches/{match.name}/?spoiler=0"
    page.get_by_role("button", name="Copy", exact=True).first.click()


@pytest.mark.django_db(transaction=True)
def test_without_spoilers_the_end_is_told_at_the_end(live_server: LiveServer, page: Page, mia: Record) -> None:
    match = recorded(mia)
    end = at(mia, "everything").title
    page.goto(f"{live_server.url}/matches/{match.name}/?spoiler=0")
    reaches(page, 0)
    page.keyboard.press("ArrowRight")
    reaches(page, 1)
    expect(page).to_have_url(re.compile("spoiler=0"))
    assert end not in page.content()
    assert end not in page.title()
    expect(page.get_by_role("heading", name="Places")).to_have_count(0)
    page.keyboard.press("End")
    expect(page.get_by_role("heading", level=1)).to_have_text(end)
    expect(page.get_by_role("heading", name="Places")).to_be_visible()
    page.keyboard.press("Home")
    expect(page.get_by_role("heading", level=1)).not_to_have_text(end)
    expect(page.get_by_role("heading", name="Places")).to_have_count(0)


@pytest.mark.django_db(transaction=True)
def test_without_scripts_every_control_is_a_link(live_server: LiveServer, browser: Browser, mia: Record) -> None:
    match = recorded(mia)
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{live_server.url}/matches/{match.name}/step/0/")
    for name, step in (
        ("Next step", 1),
        ("Round after", at(mia, "everything").starts[1]),
        ("Last step", len(mia.steps)),
        ("Mark before", max(mark.step for mark in at(mia, "everything").marks if mark.step < len(mia.steps))),
        ("First step", 0),
    ):
        page.get_by_role("link", name=name).click()
        reaches(page, step)
    expect(page.get_by_role("button", name="Play")).to_have_count(0)
    expect(page.locator("[data-scrub]")).to_be_hidden()
    mark = at(mia, "everything").marks[0].step
    page.locator(f'.marks a[data-step="{mark}"]').first.click()
    reaches(page, mark)
    context.close()


def test_the_addresses_of_steps_say_when_nothing_may_be_told() -> None:
    assert pages.steps_of("match_step", "m-1", blind=True).at(3, "0") == "/matches/m-1/step/3/?as=0&spoiler=0"
    assert pages.steps_of("embed_step", "m-1").at(3, "public") == "/embed/m-1/step/3/?as=public"
