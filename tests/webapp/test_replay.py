"""A replay shows a match step by step, and to each viewer only what he knew."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from django.test import Client
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from arena import record as records
from arena.games import GAMES
from arena.record import Record
from arena.rules import OMNISCIENT, PUBLIC
from tests.webapp.factories import make_bot, make_match, play
from tests.webapp.replays import at, check_pictures, renamed, told, with_move
from webapp.matches import replay, selectors
from webapp.matches.drawing import DRAWINGS, three_coins

TRACE = json.loads((Path(__file__).parents[1] / "data/traces/three_coins.json").read_text())
NAMES = ("Daryna", "Orest", "Semen")


@pytest.fixture(scope="module")
def document() -> Record:
    """The match of the document: Daryna, Orest and Semen, nine rounds."""
    seat = {name: number for number, name in enumerate(TRACE["seats"])}
    script: list[Mapping[int, str]] = []
    for round_ in TRACE["rounds"]:
        script.append({seat[name]: f"hide {coins}" for name, coins in round_["hide"].items()})
        script += [{seat[name]: f"bid {said}" if isinstance(said, int) else said} for name, said in round_["says"]]
    for seed in range(50):  # until the lot falls on the first seat, as it did there
        try:
            return play(NAMES, match="m-0", script=script, seed=seed)
        except Exception:  # noqa: BLE001  # another starter makes the script senseless
            continue
    raise AssertionError("the lot never fell on the first seat")


def fists(shown: replay.Replay) -> list[dict[int, int | None]]:
    """The fists in each of the drawings of the felt: coins by seat, None for a closed one."""
    return [
        {
            int(seat): None if not coins else int(coins)
            for seat, coins in re.findall(r'<g class="fist" data-seat="(\d+)"(?: data-coins="(\d+)")?>', table)
        }
        for table in shown.tables
    ]


def test_the_title_says_who_won_and_how(document: Record) -> None:
    shown = at(document, "everything")
    assert shown.title == "Semen wins: called Orest's 2 over one coin"
    assert (shown.step, shown.round, shown.rounds) == (shown.last, 9, 9)
    assert shown.doubt == ""
    assert [one.summary for one in shown.story[:3]] == [
        "Semen calls Orest's 6 over 5 coins",
        "Daryna calls Semen's 4, wrongly: 5 coins",
        "Orest says cliff on 3, exactly",
    ]


def test_bids_are_marked_as_true_or_bluff_for_who_sees_everything(document: Record) -> None:
    lines = at(document, "everything", 3).story[0].lines
    assert [(line.text, line.mark) for line in lines[3:5]] == [("Daryna bids 4", "true"), ("Orest bids 6", "bluff")]
    assert "a bluff" in at(document, "everything", 4).caption
    for key in ("public", "0", "1", "2"):
        shown = at(document, key, 4)
        assert {line.mark for line in shown.story[0].lines} == {"plain"}
        assert not re.search("m-true|m-bluff|total-line", "".join(shown.signatures))


@pytest.mark.parametrize("players", [2, 3, 6, 10])
def test_a_viewer_sees_no_fist_but_his_own_before_they_open(players: int) -> None:
    record = play([f"bot{seat}" for seat in range(players)], match="m-1", seed=players)
    frames = replay.frames(record, records.name(record), OMNISCIENT)
    closed = 0
    for step, frame in enumerate(frames):
        if frame.view.phase != "bidding" or (players > 3 and step % 3):
            continue
        closed += 1
        live = frame.view.live
        assert fists(at(record, "everything", step)) == [{seat: frame.view.hands[seat] for seat in live}] * 2
        assert fists(at(record, "public", step)) == [dict.fromkeys(live)] * 2
        for seat in (0, players - 1):
            known = {other: frame.view.hands[other] if other == seat else None for other in live}
            assert fists(at(record, str(seat), step)) == [known] * 2
    assert closed > 5


def test_a_hidden_coin_changes_nothing_that_others_are_shown() -> None:
    # Whoever starts says max every time, and is wrong whatever the other one hides short of everything.
    for starter in (0, 1):
        other = 1 - starter
        script: list[Mapping[int, str]] = [{0: "hide 1", 1: "hide 1"}, {starter: "max"}] * 2
        script += [{0: "hide 1", 1: "hide 1"}, {starter: "max"}]
        record = next(played for seed in range(40) if (played := _played(script, seed)) is not None)
        twin = with_move(record, 3, other, "hide 2")
        for step in (3, 4):  # before the fists close, and when they are closed
            for key in ("public", str(starter)):
                assert told(at(record, key, step)) == told(at(twin, key, step)), (key, step)
        assert told(at(record, "everything", 4)) != told(at(twin, "everything", 4))
        assert told(at(record, str(other), 4)) != told(at(twin, str(other), 4))
        assert told(at(record, "public", 5)) != told(at(twin, "public", 5))


def _played(script: list[Mapping[int, str]], seed: int) -> Record | None:
    try:
        return play(["a", "b"], match="m-2", script=script, seed=seed)
    except Exception:  # noqa: BLE001  # the lot fell on the other seat
        return None


def test_others_are_not_told_how_it_goes_on(document: Record) -> None:
    for key in ("public", "1"):
        shown = at(document, key, 10)
        assert shown.title == ("What the table saw in round 2" if key == "public" else "What Orest knew in round 2")
        # that there is a third round, and how the second one ends, they learn when it is so
        assert [bool(one.summary) for one in shown.story] == [True, False]
        assert (shown.rounds, shown.starts[2] > 10) == (9, True)
        assert shown.story[1].lines[-1].current
        assert at(document, key).title.startswith("Semen wins")


def test_a_fault_is_shown_with_its_time() -> None:
    record = play(NAMES, match="m-3", seed=5, leaves=4)
    assert (
        at(record, "everything")
        .faults[0]
        .endswith("too late (no answer; it had 1000 ms to move (after 1000.7 ms)), and forfeits")
    )
    who = next(step.seat for step in record.steps if isinstance(step, records.FaultStep))
    assert "1000.7" in at(record, str(who)).faults[0]
    assert "1000.7" not in at(record, "public").faults[0]


def test_a_record_that_does_not_follow_from_its_luck_is_called_so(document: Record) -> None:
    wrong = document._replace(fairness=document.fairness._replace(seed="00" * 32))
    assert "fairness.commitment" in at(wrong, "everything").doubt


def test_a_name_twice_at_a_table_is_told_apart() -> None:
    record = play(["a", "b", "a"], match="m-4", seed=1)
    assert replay.seat_names(record) == ("a (1)", "b", "a (2)")


@pytest.mark.parametrize("key", ["2", "01", "-1", "omniscient", "", "٣"])
def test_there_are_only_so_many_viewers(document: Record, key: str) -> None:
    if key == "2":
        assert at(document, key).viewer == "2"
    else:
        with pytest.raises(replay.NoSuchStep):
            at(document, key)


def test_the_small_picture_has_every_bid_of_its_rounds(document: Record) -> None:
    picture = replay.strip(document)
    rounds = three_coins.rounds(
        event for frame in replay.frames(document, records.name(document), PUBLIC) for event in frame.events
    )
    assert picture.count("m-true") + picture.count("m-bluff") == sum(len(line.bids) for line in rounds)
    assert picture.count('class="total-line"') == len(rounds) == 9
    assert picture.count("m-end") == 1  # the round that was opened with zero
    assert 'role="img"' in picture


def test_pictures_are_well_formed_and_have_no_markup_in_their_words(document: Record) -> None:
    for record in (document, renamed(document, lambda name: f"<b>{name}&")):
        for step in range(len(record.steps) + 1):
            check_pictures(record, step)


def test_every_game_is_drawn() -> None:
    assert set(DRAWINGS) == set(GAMES)


# ---- over http -----------------------------------------------------------------------------------


@pytest.mark.django_db
def test_each_step_has_an_address_and_its_links_lead_on(client: Client, document: Record) -> None:
    match = make_match([make_bot(name) for name in NAMES], played=document)
    seen = []
    address = f"/matches/{match.name}/step/0/?as=everything"
    for _ in range(100):
        answer = client.get(address)
        assert answer.status_code == 200
        page = str(answer.content, "utf-8")
        seen.append(address)
        following = re.search(r'data-go="next" rel="next" href="([^"]+)"', page)
        if following is None:
            break
        address = following[1]
    assert len(seen) == len(document.steps) + 1
    assert "arena verify --name" in page
    assert match.record_name in page
    links = set(re.findall(r'href="(/[^"#]*)"', page))
    assert len(links) > 15
    for link in sorted(link for link in links if not link.startswith("/static/")):
        assert client.get(link, follow=True).status_code == 200, link
    for wrong in (f"step/{len(document.steps) + 1}/", "step/0/?as=3", "step/0/?as=nobody", "step/x/"):
        assert client.get(f"/matches/{match.name}/{wrong}").status_code == 404


@pytest.mark.django_db
def test_a_page_costs_few_queries(client: Client, document: Record, django_assert_max_num_queries) -> None:  # type: ignore[no-untyped-def]
    match = make_match([make_bot(name) for name in NAMES], played=document)
    with django_assert_max_num_queries(4):
        client.get(f"/matches/{match.name}/step/4/")


@pytest.mark.django_db(transaction=True)
def test_in_a_browser_it_plays_without_reloading(live_server: LiveServer, page: Page, document: Record) -> None:
    match = make_match([make_bot(name) for name in NAMES], played=document)
    assert selectors.closed_record(name=match.name) is not None
    page.goto(f"{live_server.url}/matches/{match.name}/step/0/")
    page.evaluate("window.stayed = true")
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"/step/1/"))
    page.get_by_role("link", name="Next step").click()
    expect(page).to_have_url(re.compile(r"/step/2/"))
    expect(page.get_by_role("link", name="Next step")).to_be_focused()
    page.get_by_role("link", name="as Orest").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("What Orest knew in round 1")
    page.get_by_label("Speed").select_option("4")
    page.get_by_role("button", name="Play").click()
    expect(page).to_have_url(re.compile(r"/step/([4-9]|[123]\d)/\?as=1"))
    page.get_by_role("button", name="Pause").click()
    page.go_back()
    expect(page).to_have_url(re.compile(r"/step/2/\?as=everything"))
    expect(page.locator(".story a[aria-current]")).to_contain_text("opens the bidding")
    page.keyboard.press("End")
    expect(page.get_by_role("heading", level=1)).to_have_text("Semen wins: called Orest's 2 over one coin")
    assert page.evaluate("window.stayed") is True
