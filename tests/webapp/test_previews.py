"""Previews of links: words and a picture, of nothing that may not be known yet."""

from __future__ import annotations

import re
import struct
import threading
import zlib
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from arena import record as records
from arena.games import GAMES
from arena.insight import telling_moments
from tests.webapp.cups import begun, finish_round
from tests.webapp.factories import make_bot, make_match, make_ratings, make_ruleset, make_user
from tests.webapp.making import make_private
from webapp.bots.models import Bot
from webapp.matches import replay
from webapp.matches.models import Block, Match
from webapp.previews import picture, shelf, views
from webapp.previews.style import colours, felt_style
from webapp.tournaments import running

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_shelf(settings: Any, tmp_path: Path) -> None:
    settings.ARENA_DATA = tmp_path


@pytest.fixture
def match() -> Match:
    return make_match([make_bot(name) for name in ("honest", "mirror", "shy")])


def meta(address: str, client: Client | None = None) -> dict[str, str]:
    page = (client or Client()).get(address).content.decode()
    found = re.findall(r'<meta (?:property|name)="((?:og|twitter):[a-z:_]+|description)" content="([^"]*)"', page)
    assert len({name for name, _said in found}) == len(found), "each is said once"
    return {name: unescape(said) for name, said in found}


def size(answer: Any) -> tuple[int, int]:
    body = b"".join(answer) if answer.streaming else answer.content
    assert body.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", body[16:24])
    return width, height


@pytest.mark.parametrize("game", sorted(GAMES))
def test_every_game_has_a_picture(game: str) -> None:
    match = make_match([make_bot(name, game=game) for name in ("honest", "mirror", "shy")])
    said = meta(f"/matches/{match.name}/")
    assert said["og:image"] == f"http://127.0.0.1:8000/matches/{match.name}/preview.png"
    assert said["twitter:card"] == "summary_large_image"
    answer = Client().get(f"/matches/{match.name}/preview.png")
    assert answer["Content-Type"] == "image/png"
    assert size(answer) == (1200, 630)
    assert 15_000 < len(answer.content) < 300_000, "neither empty nor heavy"


def test_a_link_to_a_match_says_how_it_ended(match: Match) -> None:
    said = meta(f"/matches/{match.name}/")
    title = re.search("<h1[^>]*>(.*?)</h1>", Client().get(f"/matches/{match.name}/").content.decode())
    assert title is not None
    assert said["og:title"] == unescape(title[1])
    assert said["og:description"].startswith("Three Coins, classic")
    assert said["og:url"] == f"http://127.0.0.1:8000/matches/{match.name}/"
    assert said["og:site_name"] == "Bluff Arena"


@pytest.mark.parametrize("game", ["mia", "three_coins"])
def test_the_picture_of_a_match_is_of_the_moment_that_told_most(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    bots = [make_bot(name, game=game) for name in ("honest", "mirror", "shy")]
    for seed in range(9):  # until it is not the last one
        match = make_match(bots, seed=seed)
        record = records.read(zlib.decompress(bytes(match.record)))
        first = telling_moments(record)[0]
        if first.step < len(record.steps):
            break
    then, end = (
        replay.replay(record=record, name=match.record_name, key="everything", step=step).tables[0]
        for step in (first.step, None)
    )
    drawn: list[str] = []
    monkeypatch.setattr(picture, "draw", lambda title, line, table: drawn.append(table) or table)
    monkeypatch.setattr(picture, "png", lambda svg: b"")
    Client().get(f"/matches/{match.name}/preview.png")
    assert drawn == [then]
    assert then != end
    front = Client().get("/").content.decode()
    assert f'href="/matches/{match.name}/step/{first.step}/"' in front


def test_a_link_to_a_step_says_nothing_of_how_it_goes_on(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = meta(f"/matches/{match.name}/")
    said = meta(f"/matches/{match.name}/step/2/?as=public")
    assert said["og:title"] == "honest, mirror and shy"
    assert said["og:image"].endswith(f"/matches/{match.name}/step/2/preview.png?as=public")
    assert whole["og:title"] not in "".join(said.values())
    drawn: list[str] = []
    monkeypatch.setattr(picture, "png", lambda svg: drawn.append(svg) or b"")
    for viewer in ("public", "everything", "0"):
        assert Client().get(f"/matches/{match.name}/step/2/preview.png?as={viewer}").status_code == 200
    assert len(set(drawn)) == 3
    assert not any(whole["og:title"] in svg for svg in drawn)


@pytest.mark.parametrize("state", [Block.State.OPEN, Block.State.BROKEN])
def test_a_match_whose_replay_is_not_open_has_no_picture(match: Match, state: str) -> None:
    address = f"/matches/{match.name}/preview.png"
    assert Client().get(address).status_code == 200, "now it is kept"
    Block.objects.update(state=state)
    assert Client().get(address).status_code == 404
    assert Client().get(f"/matches/{match.name}/step/1/preview.png").status_code == 404
    said = meta(f"/matches/{match.name}/")
    assert "og:image" not in said
    assert said["twitter:card"] == "summary"


def test_validations_have_none(match: Match) -> None:
    make_private(match.series)
    assert Client().get(f"/matches/{match.name}/preview.png").status_code == 404


@pytest.mark.parametrize("address", ["step/9999/preview.png", "step/1/preview.png?as=7", "step/1/preview.png?as=%00"])
def test_there_is_no_such_step_or_viewer(match: Match, address: str) -> None:
    assert Client().get(f"/matches/{match.name}/{address}").status_code == 404
    assert Client().get("/matches/m-0/preview.png").status_code == 404


def test_a_picture_is_drawn_once(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    address = f"/matches/{match.name}/preview.png"
    first = Client().get(address)
    monkeypatch.setattr(picture, "png", lambda _svg: pytest.fail("it is drawn again"))
    again = Client().get(address)
    assert again.content == first.content
    assert "public" in first["Cache-Control"]
    assert Client().get(address, headers={"If-None-Match": first["ETag"]}).status_code == 304


def test_pictures_speak_the_readers_language(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []
    monkeypatch.setattr(picture, "png", lambda svg: drawn.append(svg) or b"")
    for language in ("en", "uk"):
        answer = Client(headers={"Accept-Language": language}).get(f"/matches/{match.name}/preview.png")
        assert "Accept-Language" in answer["Vary"]
    assert drawn[0] != drawn[1]


def test_the_shelf_has_a_bound(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(shelf, "MOST", 20)
    for number in range(50):
        shelf.keep(f"{number}.png", b"x")
        assert shelf.find(f"{number}.png") == b"x"
    assert len(list((tmp_path / "previews").iterdir())) <= 20


def test_who_asks_for_too_many_is_told_so(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "DRAWINGS", views.DRAWINGS._replace(most=2))
    monkeypatch.setattr(picture, "png", lambda _svg: b"x")
    steps = [Client().get(f"/matches/{match.name}/step/{step}/preview.png").status_code for step in (0, 1, 2, 1)]
    assert steps == [200, 200, 429, 200]


def test_only_so_many_are_drawn_at_the_same_time(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "_drawing", threading.BoundedSemaphore(1))
    monkeypatch.setattr(views, "_PATIENCE_SECONDS", 0.01)
    with views._drawing:
        answer = Client().get(f"/matches/{match.name}/preview.png")
    assert answer.status_code == 503
    assert answer["Retry-After"]
    assert Client().get(f"/matches/{match.name}/preview.png").status_code == 200


def test_what_people_write_is_text(monkeypatch: pytest.MonkeyPatch) -> None:
    svg = picture.draw(title='<image href="file:///etc/passwd"/>&"', line="</text><script>", table=picture.Svg(TABLE))
    assert "<image" not in svg
    assert "<script" not in svg
    assert picture.png(svg).startswith(b"\x89PNG")
    bot = make_bot("mirror", owner=make_user("ada"))
    Bot.objects.filter(pk=bot.pk).update(about='"><script>alert(1)</script>')
    page = Client().get(reverse("bot", args=["three_coins", "mirror"])).content.decode()
    assert "<script>alert" not in page


TABLE = '<svg viewBox="0 0 10 10" xmlns="http://www.w3.org/2000/svg"></svg>'


@pytest.mark.parametrize(
    ("title", "rows"),
    [
        ("anna beats boris", ["anna beats boris"]),
        ("player-0 wins: player-1 gave in to player-0's Mia", ["player-0 wins: player-1", "gave in to player-0's Mia"]),
        ("x" * 200, 2),
        ("word " * 60, 2),
    ],
)
def test_long_titles_take_two_lines(title: str, rows: object) -> None:
    found = picture._wrapped(title, 1088)
    assert found == rows or len(found) == rows
    assert all(len(row) <= 46 for row in found)


def test_the_pictures_style_is_the_sites() -> None:
    assert "var(" not in felt_style()
    assert ".bubble" in felt_style()
    assert colours()["felt-in"] == "#22523f"


def test_bots_tournaments_and_leaderboards_say_in_words_what_they_are() -> None:
    bots = [make_bot(name) for name in ("random", "mirror")]
    make_ratings(make_ruleset(), [(bots[0], 1000, 0), (bots[1], 1271, 14)])
    said = meta(reverse("bot", args=["three_coins", "mirror"]))
    assert said["og:title"] == "mirror"
    assert said["og:description"] == "1271 ± 14 in Three Coins, classic, rank 1"
    assert said["twitter:card"] == "summary"
    assert meta(reverse("bot", args=["three_coins", "random"]))["og:description"] == "A bot for Three Coins"
    board = meta("/leaderboards/three_coins/classic/")
    assert board["og:title"].startswith("mirror leads")
    assert board["og:description"] == "Three Coins, classic · 400 rated matches"


def test_a_tournament_says_who_has_won() -> None:
    row = begun(bots=2, rounds=1)
    address = reverse("tournament", args=[row.slug])
    assert meta(address)["og:title"] == "Cup"
    finish_round(row)
    running.tick()
    said = meta(address)
    assert said["og:title"] == "anna has won Cup"
    assert "2 bots" in said["og:description"]
