"""A replay of Commerce shows cards only to who knows them, and says in words and marks what was traded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple, cast

import pytest

from arena import record as records
from arena.chance import FRESH_DECK, shuffled
from arena.games.commerce import GAME, Bartered, Bought, HandEnded, OfferRefused, Passed, Scored, State
from arena.record import DrawStep, MovesStep, Record
from arena.rules import OMNISCIENT, PUBLIC, Viewer, at_seat, heard
from arena.verify import Folded, fold
from tests.arena.decks import draw_for, stacked
from tests.breadth import often
from tests.webapp.factories import play
from tests.webapp.replays import at, check_pictures, pictures, renamed, told
from webapp.matches import replay
from webapp.matches.drawing import trading
from webapp.matches.replay import Replay

PRESETS = [preset.name for preset in GAME.presets]
KEYS = ("everything", "public", "0", "1", "2")
TRADED = ("8H", "KD", "2D", "9H", "KH", "7S", "KC", "TH", "QS", "3S")
"""The deck of the rules' page: three rounds of a card each to seats 1, 2 and 0, then the stock."""
SCRIPT = "1 offer KC, 2 give TH, 2 pass, 0 buy 2D"


def scripted(names: str, script: str, deck: Sequence[str], **options: object) -> Record:
    """A match that begins with ``1 offer KC, 2 give TH, ...`` on this deck, seat 0 being the banker."""
    moves = [text.strip().split(" ", 1) for text in script.split(",") if text]
    return play(
        names.split(),
        match="m-1",
        game="commerce",
        options={"hands": 2, **options},
        luck={"start/lot": (0,), "hand/1/deck": draw_for(stacked(deck))},
        script=[{int(seat): text} for seat, text in moves],
    )


@cache
def traded() -> Record:
    """The hand of the rules' page."""
    return scripted("Daryna Orest Semen", SCRIPT, TRADED)


def plain(text: str) -> str:
    """Without the sign that keeps phones from drawing an emoji."""
    return text.replace("\ufe0e", "")


# ---- words ---------------------------------------------------------------------------------------


def test_a_hand_is_told() -> None:
    shown = at(traded(), "everything", 6)
    assert shown.caption == "Semen takes 4 with a tricon of kings"
    assert shown.signature_title == "The market, hand 1"
    lines = shown.story[0].lines
    assert [plain(line.text) for line in lines] == [
        "The match begins",
        "Daryna is the banker",
        "The cards are dealt",
        "Orest gives Semen K♣ for 10♥",
        "Semen passes",
        "Daryna buys 3♠ for 2♦",
    ]
    assert lines[1].notes == ("Everybody pays the ante: the pot holds 3",)
    assert [plain(note) for note in lines[2].notes] == ["Orest K♣ 8♥ 9♥ · Semen K♦ 10♥ K♥ · Daryna 2♦ 7♠ Q♠"]
    assert [plain(note) for note in lines[-1].notes] == [
        "That makes a combination · it was 22\u00a0% likely",
        "Orest shows 8♥ 9♥ 10♥, a terz of hearts",
        "Semen shows K♣ K♦ K♥, a tricon of kings",
        "Daryna shows 3♠ 7♠ Q♠, a poen of spades",
        "Semen takes 4 with a tricon of kings",
        "Semen's chance to win goes from 33\u00a0% to 100\u00a0%",
    ]
    assert [line.mark for line in lines] == ["plain"] * 5 + ["word"]
    assert [line.step for line in lines] == [0, 1, 2, 4, 5, 6]
    assert shown.story[0].summary == "Semen takes 4 with a tricon of kings"


def test_others_are_told_less() -> None:
    public = [plain(line.text) for line in at(traded(), "public", 6).story[0].lines]
    assert public[3:] == ["Orest barters with Semen", "Semen passes", "Daryna buys a card"]
    assert at(traded(), "public", 3).story[0].lines[-1].text == "Orest offers Semen a card"
    assert plain(at(traded(), "1", 3).story[0].lines[-1].text) == "Orest offers Semen K♣"
    assert at(traded(), "2", 3).caption == "Orest offers Semen a card"
    assert plain(at(traded(), "2", 4).caption) == "Orest gives Semen K♣ for 10♥"
    assert at(traded(), "0", 4).caption == "Orest barters with Semen"
    assert at(traded(), "0", 2).story[0].lines[-1].notes == ("Daryna 2♦\ufe0e 7♠\ufe0e Q♠\ufe0e",)


LEVEL = ("8H", "8C", "2D", "9H", "9C", "7S", "TH", "TC", "QS")
NOTHING = ("8H", "KD", "2D", "9H", "KH", "7S", "4C", "5D", "QC", "3S")


@pytest.mark.parametrize(
    ("script", "deck", "options", "caption", "words"),
    [
        (SCRIPT, TRADED, {}, "Semen takes 4 with a tricon of kings", ["tricon: +4", ">terz<", ">poen<", ">taken<"]),
        ("", ("8H", "KD", "2D", "9H", "KH", "7S", "TH", "4C", "QC"), {}, "Orest takes 3 with a terz of", ["terz: +3"]),
        ("", LEVEL, {}, "Orest and Semen tie with equal terzes, and the pot of 3 stays", ["terz, tied", "it stays"]),
        ("", LEVEL, {"tie": "split"}, "Orest and Semen share the pot, 1 each", ["terz: +1", ">shared<"]),
        ("", LEVEL, {"tie": "banker_left"}, "Orest takes 3 with a terz of hearts", ["terz: +3", ">terz<"]),
        ("1 pass, 2 pass, 0 pass, 1 pass, 2 pass, 0 pass", NOTHING, {}, "Nobody takes the pot of 3", [">it stays<"]),
        (
            "1 pass, 2 pass, 0 pass, 1 pass, 2 pass, 0 pass",
            (*LEVEL, "4C", "5D", "QC", "2S", "9D", "JH"),
            {"mode": "deck_out"},
            "Orest and Semen share the pot, 3 each, with 2 points",
            ["2 points: +3", ">7<"],
        ),
    ],
)
def test_every_way_in_which_a_hand_can_end(
    script: str, deck: Sequence[str], options: Mapping[str, object], caption: str, words: Sequence[str]
) -> None:
    record = scripted("Daryna Orest Semen", script, deck, **options)
    step = next(folded.step for folded in fold(record) if any(isinstance(e, HandEnded) for e in folded.events)) + 1
    for key in ("everything", "public"):
        shown = at(record, key, step)
        assert caption in shown.caption
        for table in shown.tables:
            assert all(word in table for word in words), words
        assert all(caption in picture for picture in shown.signatures)
    assert at(record, "everything", step).story[0].summary == shown.caption


def test_the_chips_of_a_hand_that_has_ended_are_those_before_the_next_ante() -> None:
    assert re.findall(r'class="f-count"[^>]*>(\d+)<', at(traded(), "public", 6).tables[0]) == ["18", "19", "23"]
    assert re.findall(r'class="f-count"[^>]*>(\d+)<', at(traded(), "public", 7).tables[0]) == ["17", "18", "22"]


def test_the_title_says_who_won_and_how() -> None:
    once = scripted("Daryna Orest Semen", SCRIPT, TRADED, hands=1)
    assert at(once, "everything").title == "Semen wins: 23 chips after 1 hand"
    poor = scripted("Daryna Orest Semen", SCRIPT, TRADED, chips=3, ante=2)
    assert at(poor, "everything").title.startswith("Semen wins: took the last 7 with a tricon of kings")
    left = play(["a", "b"], match="m-1", game="commerce", leaves=1)
    assert at(left, "public").title.endswith("wins: nobody else was left at the table")
    assert at(left, "public").faults


def test_others_are_not_told_how_it_goes_on() -> None:
    for key, title in (("public", "What the table saw in hand 1"), ("2", "What Semen knew in hand 1")):
        for step in (4, 6):
            shown = at(traded(), key, step)
            assert shown.title == title
            assert shown.story[0].lines[-1].current
            assert [bool(one.summary) for one in shown.story] == [step == 6]


# ---- who may see which cards ---------------------------------------------------------------------


def held_on(table: str) -> dict[int, str]:
    """The cards that lie before each seat, ``??`` for a back."""
    return {int(seat): cards for seat, cards in re.findall(r'data-seat="(\d+)" data-cards="([^"]*)"', table)}


def known(state: State, key: str) -> dict[int, str]:
    """What lies there for this viewer, from the state itself."""
    lying = {}
    for seat, cards in enumerate(state.hands):
        if cards is not None:
            own = [card for card in cards if not (seat == state.turn and card == state.offer)]
            sees = key in ("everything", str(seat))
            lying[seat] = " ".join(own if sees else ["??"] * len(own))
    return lying


def offer_known(state: State, key: str) -> list[str]:
    """The card on its way."""
    if state.offer is None:
        return []
    seers = {"everything", str(state.turn)}
    if state.options.offer_visible == "on":
        seers.add(str(state.offer_to))
    return [state.offer if key in seers else "??"]


@pytest.mark.parametrize("preset", [*PRESETS, "visible"])
def test_a_viewer_sees_cards_that_he_knows_and_no_others(preset: str) -> None:
    options = {"offer_visible": "on", "hands": 3} if preset == "visible" else {"hands": 3}
    name = "classic" if preset == "visible" else preset
    record = play(["a", "b", "c"], match="m-1", game="commerce", preset=name, options=options, seed=3)
    hidden = offers = 0
    for folded in list(fold(record))[2:60:4]:
        ended = any(isinstance(event, HandEnded) for event in folded.events)
        for key in KEYS:
            shown = at(record, key, folded.step + 1)
            for table in shown.tables:
                if ended:
                    continue
                assert held_on(table) == known(folded.state, key), (key, folded.step)
                assert re.findall(r'data-offer="([^"]*)"', table) == offer_known(folded.state, key)
                hidden += "??" in table
                offers += "data-offer" in table
    assert hidden > 5
    assert offers


@pytest.mark.parametrize("preset", PRESETS)
def test_when_a_hand_ends_only_combinations_are_shown(preset: str) -> None:
    record = play(["a", "b", "c"], match="m-1", game="commerce", preset=preset, options={"hands": 4}, seed=2)
    ends = 0
    for folded in fold(record):
        result = next((event.result for event in folded.events if isinstance(event, HandEnded)), None)
        if result is None:
            continue
        ends += 1
        opened = {one.seat: " ".join(one.cards) for one in result.shown}
        for key in ("public", "1"):
            for table in at(record, key, folded.step + 1).tables:
                for seat, cards in held_on(table).items():
                    if str(seat) != key:
                        assert cards == opened.get(seat, "?? ?? ??"), (key, seat)
                assert set(held_on(table)) >= set(opened)
        assert not any("??" in cards for cards in held_on(at(record, "everything", folded.step + 1).tables[0]).values())
    assert ends


class Twin(NamedTuple):
    """The same match in which two cards have changed places, as far as this viewer can know."""

    record: Record
    keys: tuple[str, ...]
    """The viewers for whom nothing is different."""


def viewers() -> Iterator[tuple[str, Viewer]]:
    yield "public", PUBLIC
    yield from ((str(seat), at_seat(seat)) for seat in range(3))


def swapped(text: str, one: str, other: str) -> str:
    return text.replace(one, "??").replace(other, one).replace("??", other)


def twins(record: Record, most: int) -> Iterator[Twin]:
    """Matches of one hand in which other cards were dealt to those whom a viewer cannot see."""
    steps = list(fold(record))
    draws = {step.label: step.got for step in record.steps if isinstance(step, DrawStep)}
    script = [step.moves for step in record.steps if isinstance(step, MovesStep)]
    deck = shuffled(FRESH_DECK, draws["hand/1/deck"])[::-1]
    told_to = {key: _heard(steps, viewer) for key, viewer in viewers()}
    found = 0
    for one, other in zip(deck[:9], deck[7:], strict=False):
        cards = list(deck)
        cards[deck.index(one)], cards[deck.index(other)] = other, one
        try:
            twin = play(
                [line.bot for line in record.players],
                match="m-1",
                game="commerce",
                preset=cast(str, record.preset),  # a ruleset of its own has none
                options=record.options,
                luck=draws | {"hand/1/deck": draw_for(stacked(cards))},
                script=[{seat: swapped(text, one, other) for seat, text in moves.items()} for moves in script],
            )
        except Exception:  # noqa: BLE001  # with these cards the hand goes on in another way
            continue
        keys = tuple(key for key, text in told_to.items() if one not in text and other not in text)
        if keys and _heard(list(fold(twin)), PUBLIC) == told_to["public"]:
            found += 1
            yield Twin(twin._replace(started=record.started), keys)
        if found == most:
            return


def _heard(steps: Sequence[Folded], viewer: Viewer) -> str:
    """All that a viewer is told in a match, as text: whatever card he knows of stands there."""
    return " ".join(str(event) for folded in steps for event in heard(folded.events, viewer))


def without_times(shown: Replay) -> Replay:
    """The twin's players think at random."""
    story = tuple(one._replace(lines=tuple(line._replace(time="") for line in one.lines)) for one in told(shown).story)
    return told(shown)._replace(story=story, clocks=())


@pytest.mark.parametrize("preset", PRESETS)
def test_hidden_cards_change_nothing_that_others_are_shown(preset: str) -> None:
    compared = 0
    for seed in range(often(1, everything=3)):
        record = play(["a", "b", "c"], match="m-1", game="commerce", preset=preset, options={"hands": 1}, seed=seed)
        steps = len(record.steps)
        for twin in twins(record, 2):
            for key in twin.keys:
                for step in sorted({2, 3, 4, steps // 2, steps - 1, steps}):
                    one, other = at(record, key, step), at(twin.record, key, step)
                    assert without_times(one) == without_times(other), (key, step)
                    compared += 1
            seen = at(record, "everything", 2), at(twin.record, "everything", 2)
            assert without_times(seen[0]) != without_times(seen[1])
    assert compared > 5


# ---- the market ----------------------------------------------------------------------------------


def test_the_market_of_a_hand() -> None:
    for picture in at(traded(), "everything", 6).signatures:
        counts = {kind: picture.count(f'class="m-{kind}"') for kind in ("buy", "barter", "pass", "refused")}
        assert counts == {"buy": 1, "barter": 1, "pass": 1, "refused": 0}
        assert (picture.count("m-best"), picture.count("m-lesser")) == (1, 2)
        assert ">circle 1<" in picture or ">1<" in picture
        assert ">4 to<" in picture
        assert plain(picture).count("K♣") == 2  # bartered, and shown
    for key in ("public", "0"):
        assert "K♣" not in at(traded(), key, 4).signatures[0]
    assert "m-asked" in at(traded(), "public", 3).signatures[0]


@pytest.mark.parametrize("preset", PRESETS)
def test_the_market_has_every_act_of_a_hand(preset: str) -> None:
    record = play(["a", "b", "c"], match="m-1", game="commerce", preset=preset, options={"hands": 3}, seed=7)
    counted: dict[str, int] = {}
    kinds = {Bought: "buy", Bartered: "barter", OfferRefused: "refused", Passed: "pass", Scored: "scored"}
    compared = 0
    for folded in fold(record):
        for event in folded.events:
            if type(event) in kinds:
                counted[kinds[type(event)]] = counted.get(kinds[type(event)], 0) + 1
        if not any(isinstance(event, HandEnded) for event in folded.events):
            continue
        picture = at(record, "public", folded.step + 1).signatures[0]
        if "before<" not in picture:
            for kind in ("buy", "barter", "refused", "pass"):
                assert picture.count(f'class="m-{kind}"') == counted.get(kind, 0), kind
            compared += 1
        counted = {}
    assert compared or preset == "deck-out"


def test_the_key_has_the_marks() -> None:
    names = [kind for kind, _words in at(traded(), "public", 6).key]
    assert names == ["buy", "barter", "refused", "pass", "combination", "pot"]


@pytest.mark.parametrize("preset", PRESETS)
def test_the_small_picture_has_the_last_hands(preset: str) -> None:
    record = play(["a", "b", "c"], match="m-1", game="commerce", preset=preset, options={"hands": 5}, seed=5)
    frames = replay.frames(record, records.name(record), OMNISCIENT)
    ended = [hand for hand in trading.hands(frames) if hand.result is not None]
    picture = replay.strip(record)
    assert 1 <= picture.count("pot-band") <= len(ended)
    assert 'role="img"' in picture
    assert ("m-dot" in picture) == any(hand.winners for hand in ended)


def test_before_a_hand_is_over_there_is_no_small_picture() -> None:
    assert at(traded(), "public", 3).strip == ""
    assert at(traded(), "public", 6).strip != ""


@pytest.mark.parametrize("players", [2, 3, 4, 6, 10])
def test_pictures_are_well_formed_whatever_is_played(players: int) -> None:
    options = {"hands": 3, "barter_side": "right" if players == 4 else "left", "discard": "bottom", "chips": 9}
    record = play(["n"] * players, match="m-1", game="commerce", options=options, seed=players, leaves=9)
    evil = renamed(record, lambda name: f"<b>{name}&")
    for step in range(0, len(record.steps) + 1, max(5, len(record.steps) // often(5, everything=10))):
        check_pictures(record, step)
        check_pictures(evil, step)
    assert len(pictures(at(record, "public"))) >= 4


@pytest.mark.parametrize("name", ["custom", "custom-faults", "preset", "preset-faults"])
def test_given_records_are_shown(name: str) -> None:
    path = Path(__file__).parents[1] / f"data/records/commerce-{name}.json"
    record = records.read(path.read_bytes())
    for key in KEYS[: 2 + len(record.players)]:
        for step in (0, 1, 2, len(record.steps) // 2, len(record.steps)):
            shown = at(record, key, step)
            assert shown.title
            assert shown.caption
            assert shown.doubt == ""
    assert bool(shown.faults) == name.endswith("faults")
