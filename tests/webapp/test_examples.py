"""The worked examples: played by the rules move by move, and shown as replays on the rules' pages."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from arena.chance import FRESH_DECK, shuffled
from arena.games import GAMES, find_game
from arena.record import DrawStep, MovesStep
from arena.rules import OMNISCIENT, PUBLIC, AnyGame, Moved, RulesError, at_seat
from webapp.matches import examples
from webapp.matches.examples import Example, example, example_replay
from webapp.matches.replay import NoSuchStep

TRACES = Path(__file__).parents[1] / "data/traces"

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES.keys())


def written(game: str) -> dict[str, Any]:
    return dict(json.loads((files(examples) / f"{game}.json").read_bytes()))


def example_of(game: str) -> Example:
    found = example(game)
    assert found is not None
    return found


def moves_of(found: Example) -> list[Mapping[int, str]]:
    return [step.moves for step in found.steps if isinstance(step, MovesStep)]


# ---- what is played ------------------------------------------------------------------------------


@every_game
def test_every_game_has_one_and_every_move_of_it_is_legal(game: AnyGame) -> None:
    found = example_of(game.name)
    assert found == examples.read(json.dumps(written(game.name)))
    assert len(found.folded) == len(found.steps) + 1
    for before, step in zip(found.folded, found.steps, strict=False):
        due, asked = game.due(before.state), game.asked(before.state)
        if isinstance(step, DrawStep):
            assert due is not None
            assert (step.label, step.of) == due
            continue
        assert isinstance(step, MovesStep)
        assert due is None
        assert tuple(sorted(step.moves)) == asked
        for seat, text in step.moves.items():
            assert game.write(game.parse(text)) == text
            assert game.refusal(before.state, seat, game.parse(text)) is None
            assert game.parse(text) in game.legal(before.state, seat)
    assert 0 < found.opens_at <= len(found.steps)


def test_three_coins_is_the_whole_game_of_its_description() -> None:
    trace = json.loads((TRACES / "three_coins.json").read_text())
    seat = {name: number for number, name in enumerate(trace["seats"])}
    told: list[Mapping[int, str]] = []
    for played in trace["rounds"]:
        told.append({seat[name]: f"hide {coins}" for name, coins in played["hide"].items()})
        told += [{seat[name]: f"bid {said}" if isinstance(said, int) else said} for name, said in played["says"]]
    found = example_of("three_coins")
    assert moves_of(found) == told
    outcome = find_game("three_coins").outcome(found.folded[-1].state)
    assert outcome is not None
    assert {name: outcome.places[seat[name]] for name in seat} == trace["places"]
    assert [name[0] for name in found.names] == trace["seats"]


def test_mia_is_the_round_of_its_description() -> None:
    trace = json.loads((TRACES / "mia.json").read_text())
    seat = {name: number for number, name in enumerate(trace["seats"])}
    found = example_of("mia")
    assert found.names == tuple(trace["seats"])
    assert {name: found.rules.values[name] for name in trace["ruleset"]} == trace["ruleset"]
    assert found.rules.values["lives"] == trace["lives"]
    told: list[tuple[int, str]] = []
    for event in trace["events"]:
        what = f"{event['do']} {event['say']}" if event["do"] == "pass" else event["do"]
        told += [(seat[event["who"]], what)]
        told += [(seat[event["who"]], f"say {event['say']}")] if event["do"] == "roll" else []
    assert [next(iter(moves.items())) for moves in moves_of(found)] == told
    fallen = ["".join(str(die + 1) for die in step.got) for step in found.steps if isinstance(step, DrawStep)]
    assert fallen == [event["dice"] for event in trace["events"] if event["do"] == "roll"]
    state = found.folded[-1].state
    assert state.lives == tuple(trace["result"]["lives"][name] for name in seat)
    assert state.starter == seat[trace["result"]["next"]]


def test_commerce_shows_every_way_of_trading_and_a_tricon_that_wins() -> None:
    found = example_of("commerce")
    deck = next(step for step in found.steps if isinstance(step, DrawStep) and step.label == "hand/1/deck")
    assert shuffled(FRESH_DECK, deck.got)[::-1][:10] == ("8H", "KD", "2D", "9H", "KH", "7S", "KC", "TH", "QS", "3S")
    kinds = {text.partition(" ")[0] for moves in moves_of(found) for text in moves.values()}
    assert kinds == {"buy", "offer", "give", "pass"}
    last = found.folded[-1].state.last
    assert [(shown.seat, shown.combination.kind) for shown in last.shown] == [(1, "terz"), (2, "tricon"), (0, "poen")]
    assert last.gains == (0, 0, 4)


@pytest.mark.parametrize(
    ("game", "change", "says"),
    [
        ("mia", {"options": {"first_starter": "seat", "pass": "off"}}, "pass 65: this ruleset plays without it"),
        ("mia", {"draws": {}}, "step 2: round/1/roll/1 is due"),
        ("mia", {"draws": {**written("mia")["draws"], "hand/1/deck": [1]}}, "never due: hand/1/deck"),
        ("mia", {"draws": {"round/1/roll/1": [6, 0]}}, r"no draw that could give \[6, 0\] is due"),
        ("mia", {"moves": [{"1": "roll"}]}, "asked are"),
        ("mia", {"moves": [{"0": "rolls"}]}, "is no move of Mia"),
        ("mia", {"players": ["A"]}, "for 2 to 10 players"),
        ("three_coins", {"moves": [{"0": "hide 4", "1": "hide 0", "2": "hide 0"}]}, "hide 4"),
    ],
)
def test_what_the_rules_refuse_is_no_example(game: str, change: dict[str, object], says: str) -> None:
    with pytest.raises(RulesError, match=says):
        examples.read(json.dumps(written(game) | change))


def test_b_passing_65_on_once_more_is_no_example() -> None:
    moves = written("mia")["moves"]
    assert moves[-1] == {"1": "challenge"}
    with pytest.raises(RulesError, match="pass 65: this seat was the first to say 65"):
        examples.read(json.dumps(written("mia") | {"moves": [*moves[:-1], {"1": "pass 65"}]}))


# ---- what is shown -------------------------------------------------------------------------------


@every_game
def test_every_step_is_what_the_viewer_saw(game: AnyGame) -> None:
    found = example_of(game.name)
    for viewer in (OMNISCIENT, PUBLIC, *map(at_seat, range(len(found.names)))):
        frames = examples._frames(game.name, viewer)
        assert examples._frames(game.name, viewer) is frames  # made once
        assert [frame.step for frame in frames] == list(range(-1, len(found.steps)))
        for frame, folded in zip(frames, found.folded, strict=True):
            assert frame.view == game.view(folded.state, viewer)
    for step in range(len(found.steps) + 1):
        shown = example_replay(game=game.name, step=step)
        assert (shown.step, shown.last, shown.doubt) == (step, len(found.steps), "")
        assert shown.caption
    with pytest.raises(NoSuchStep):
        example_replay(game=game.name, step=len(found.steps) + 1)
    with pytest.raises(NoSuchStep):
        example_replay(game=game.name, key=str(len(found.names)))
    with pytest.raises(NoSuchStep):
        example_replay(game="chess")


def test_the_cup_hides_what_is_under_it() -> None:
    viewers = (OMNISCIENT, PUBLIC, at_seat(1), at_seat(2))
    assert [examples._frames("mia", viewer)[5].view.dice for viewer in viewers] == [(4, 3), None, (4, 3), None]
    assert "43" not in "".join(example_replay(game="mia", key="public", step=5).caption)


@pytest.mark.django_db
@every_game
def test_the_rules_page_holds_the_example_and_it_can_be_stepped_without_scripts(client: Client, game: AnyGame) -> None:
    found = example_of(game.name)
    page = client.get(f"/rules/{game.name}/").content.decode()
    assert f"step {found.opens_at} of {len(found.steps)}" in page
    assert 'id="replay"' in page
    assert "follow from no seed" in page
    assert f'href="?step={found.opens_at - 1}&amp;as=everything#example"' in page
    assert f'href="/rules/{game.name}/example/"' in page
    first = client.get(f"/rules/{game.name}/", {"step": 0, "as": "public"}).content.decode()
    assert f"step 0 of {len(found.steps)}" in first
    assert 'href="?step=1&amp;as=public#example"' in first
    for wrong in ({"step": len(found.steps) + 1}, {"step": "x"}, {"step": 1, "as": "9"}):
        assert client.get(f"/rules/{game.name}/", wrong).status_code == 404


@pytest.mark.django_db
@every_game
def test_the_whole_example_has_a_page_with_its_story(client: Client, game: AnyGame) -> None:
    found = example_of(game.name)
    for step in range(len(found.steps) + 1):
        page = client.get(f"/rules/{game.name}/example/step/{step}/").content.decode()
        assert f"step {step} of {len(found.steps)}" in page
        assert 'class="frame story"' in page
        assert "follow from no seed" in page
        assert "verified" not in page
    assert client.get(f"/rules/{game.name}/example/").status_code == 200
    assert client.get(f"/rules/{game.name}/example/step/{len(found.steps) + 1}/").status_code == 404
    assert client.get(f"/rules/{game.name}/example/step/1/?as=nobody").status_code == 404
    assert client.get("/rules/chess/example/").status_code == 404


@pytest.mark.django_db(transaction=True)
def test_the_embedded_example_is_stepped_in_place(live_server: LiveServer, page: Page) -> None:
    page.goto(f"{live_server.url}/rules/mia/")
    title = page.title()
    caption = page.locator("#replay .caption")
    page.locator('#replay a[data-go="previous"]').click()
    expect(caption).to_contain_text("step 9 of 10")
    assert page.title() == title
    assert page.url.endswith("/rules/mia/?step=9&as=everything#example")
    page.locator('#replay a[data-viewer="public"]').click()
    expect(page.locator('#replay a[data-viewer="public"]')).to_have_attribute("aria-current", "true")
    page.keyboard.press("ArrowLeft")
    expect(caption).to_contain_text("step 8 of 10")
    # the keys belong to the page as long as nothing in the example is chosen
    page.locator("h1").click()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("ArrowLeft")
    expect(caption).to_contain_text("step 8 of 10")
    page.locator("#replay input[type=range]").evaluate(
        "(e) => { e.value = 3; e.dispatchEvent(new Event('input', {bubbles: true})) }"
    )
    expect(caption).to_contain_text("step 3 of 10")


def test_moves_are_made_together() -> None:
    """Three Coins hides at the same moment, in the example too."""
    found = example_of("three_coins")
    assert moves_of(found)[0] == {0: "hide 3", 1: "hide 2", 2: "hide 0"}
    game = find_game("three_coins")
    with pytest.raises(RulesError):
        game.step(found.folded[0].state, Moved({0: game.parse("hide 3")}))
