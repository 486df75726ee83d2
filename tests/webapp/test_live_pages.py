"""The page of a series in a browser, while a match of it is played."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect
from pytest_django.live_server_helper import LiveServer

from arena import record as records
from arena.games import find_game
from arena.record import Record
from arena.verify import fold
from tests.services import free_port
from tests.webapp.making import make_house_bot, make_series
from tests.webapp.streaming import streaming
from webapp.live import channels
from webapp.live.table import Teller
from webapp.matches.models import Series

DATA = Path(__file__).parents[1] / "data/records"


def teller(series: int, record: Record) -> Teller:
    bots = [line.bot for line in record.players]
    return Teller(series, game=find_game(record.game), match="m-1", number=1, planned=2, bots=bots)


@pytest.mark.django_db(transaction=True)
def test_the_page_of_a_series_moves_by_itself(
    live_server: LiveServer, browser: Browser, live_redis: str, settings: Any
) -> None:
    page = browser.new_context().new_page()  # a stream that is lost is an error in its console
    page.set_default_timeout(30_000)
    port = free_port()
    settings.ARENA_LIVE_URL = f":{port}"
    series = make_series([make_house_bot(name) for name in ("anna", "boris")], state=Series.State.PLAYING)
    record = records.read((DATA / "commerce-preset.json").read_bytes())
    steps = [(folded.state, folded.events) for folded in fold(record)]
    told = teller(series.pk, record)
    for step in steps[:2]:
        told.watch(*step)
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    with streaming(live_redis, port=port, ARENA_BASE_URL=live_server.url):
        page.goto(f"{live_server.url}/series/{series.pk}/")
        caption = page.locator(".live-table .caption")
        expect(caption).not_to_be_empty()
        before = caption.inner_text()
        page.evaluate("window.same = true")
        for step in steps[2:5]:
            told.watch(*step)
        expect(caption).not_to_have_text(before)
        Series.objects.filter(pk=series.pk).update(state=Series.State.FINISHED)
        channels.publish(f"series-{series.pk}", "changed")
        expect(page.locator("h1")).to_contain_text("have played")
        expect(caption).not_to_be_empty()  # the table stays
    assert page.evaluate("window.same")
    page.context.close()
    assert sum(url.endswith(f"/series/{series.pk}/") for url in requests) <= 5


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("how", ["ended", "killed"])
def test_a_page_moves_on_when_the_streaming_process_was_started_again(
    how: str, live_server: LiveServer, browser: Browser, live_redis: str, settings: Any
) -> None:
    page = browser.new_context().new_page()  # a stream that is lost is an error in its console
    port = free_port()
    settings.ARENA_LIVE_URL = f":{port}"
    series = make_series([make_house_bot(name) for name in ("anna", "boris")], state=Series.State.PLAYING)
    record = records.read((DATA / "commerce-preset.json").read_bytes())
    steps = iter([(folded.state, folded.events) for folded in fold(record)])
    told = teller(series.pk, record)
    told.watch(*next(steps))
    told.watch(*next(steps))
    caption = page.locator(".live-table .caption")
    with streaming(live_redis, port=port, kill=how == "killed", ARENA_BASE_URL=live_server.url):
        page.goto(f"{live_server.url}/series/{series.pk}/")
        expect(caption).not_to_be_empty()
    before = caption.inner_text()
    told.watch(*next(steps))  # nobody hears it yet
    page.wait_for_timeout(3000)  # the page finds nobody, and tries again
    with streaming(live_redis, port=port, ARENA_BASE_URL=live_server.url):
        expect(caption).not_to_have_text(before)
        before = caption.inner_text()
        told.watch(*next(steps))
        expect(caption).not_to_have_text(before)
    page.context.close()
