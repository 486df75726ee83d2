"""A replay of Mia shows dice only to who has seen them, and says in words and shapes what was true."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from arena import record as records
from arena.games.mia import GAME, ROLLS, Acted, Dice, Options, RoundEnded, Showdown, bears_out, options_of, ranking
from arena.record import Record
from arena.rules import OMNISCIENT
from arena.verify import Folded, fold
from tests.breadth import often, share
from tests.webapp.factories import play
from tests.webapp.replays import at, check_pictures, pictures, renamed, told, with_draw
from webapp.matches import replay
from webapp.matches.drawing import mia
from webapp.matches.replay import Replay

TRACE = json.loads((Path(__file__).parents[1] / "data/traces/mia.json").read_text())
PRESETS = [preset.name for preset in GAME.presets]
KEYS = ("everything", "public", "0", "1", "2")


def got(dice: str) -> tuple[int, ...]:
    """As dice are drawn: from 0."""
    return tuple(int(digit) - 1 for digit in dice)


def scripted(names: str, script: str, dice: str, **options: object) -> Record:
    """A match that begins with ``0 roll, 0 say 52, ...`` on these dice, seat 0 starting."""
    moves = [text.strip().split(" ", 1) for text in script.split(",")]
    luck = {f"round/1/roll/{number}": got(pair) for number, pair in enumerate(dice.split(), 1)}
    return play(
        names.split(),
        match="m-1",
        game="mia",
        options={"first_starter": "seat", **options},
        luck=luck,
        script=[{int(seat): text} for seat, text in moves],
    )


@pytest.fixture(scope="module")
def document() -> Record:
    """The round of the document, A to D, and then anything."""
    seat = {name: number for number, name in enumerate(TRACE["seats"])}
    script, dice = [], []
    for event in TRACE["events"]:
        who = seat[event["who"]]
        if event["do"] == "roll":
            dice.append(event["dice"])
            script += [f"{who} roll", f"{who} say {event['say']}"]
        else:
            script.append(f"{who} {event['do']} {event['say']}" if "say" in event else f"{who} {event['do']}")
    return scripted(" ".join(TRACE["seats"]), ", ".join(script), " ".join(dice))


LAST = 10
"""The step of the document's challenge."""


# ---- words ---------------------------------------------------------------------------------------


def test_the_round_of_the_document_is_told(document: Record) -> None:
    shown = at(document, "everything", LAST)
    assert shown.caption == "B doubts A's 65, rightly: 43"
    assert shown.signature_title == "The ladder of lies, round 1"
    lines = shown.story[0].lines
    assert [(line.text, line.mark, line.mark_words) for line in lines[1:]] == [
        ("A rolls 31, says 52", "bluff", "bluff by 6 steps"),
        ("B rolls 43, says 65", "bluff", "forced bluff by 9 steps"),
        ("C passes at 65", "unseen", "did not look: 9 steps too high"),
        ("D passes at 65", "unseen", "did not look: 9 steps too high"),
        ("A passes at 65", "unseen", "did not look: 9 steps too high"),
        ("B does not believe it", "word", "right"),
    ]
    assert lines[2].notes == ("28\u00a0% of rolls reach it",)
    assert lines[-1].notes == (
        "Had seen the dice",
        "Under the cup: 43; A loses a life",
        "A's chance to win goes from 25\u00a0% to 12\u00a0%",
    )
    assert [line.step for line in lines] == [0, 3, 6, 7, 8, 9, 10]
    assert shown.story[0].summary == "B doubts A's 65, rightly: 43"


def test_a_roll_the_dice_and_what_is_said_are_one_line(document: Record) -> None:
    for step, words in ((4, "B rolls"), (5, "B rolls"), (6, "B rolls, says 65")):
        line = at(document, "public", step).story[0].lines[-1]
        assert (line.text, line.current, line.step) == (words, True, step)
    assert at(document, "1", 5).story[0].lines[-1].text == "B rolls 43"
    current = [line.current for line in at(document, "everything", 4).story[0].lines]
    assert current == [False, False, True, False, False, False, False]


@pytest.mark.parametrize(
    ("script", "dice", "options", "caption", "standing"),
    [
        ("0 roll, 0 say 64, 1 challenge", "43", {}, "b calls a's bluff on 64", "64 was a bluff"),
        ("0 roll, 0 say 64, 1 challenge", "65", {}, "b doubts a's 64, wrongly: 65", "64 was true"),
        ("0 roll blind, 0 say 64, 1 challenge", "43", {}, "b doubts a's 64, rightly: 43", "64 was too high"),
        ("0 roll, 0 say 21, 1 look", "43", {}, "b looks at a's Mia: it is 43", "Mia was a bluff"),
        ("0 roll, 0 say 21, 1 look", "21", {}, "b looks at a's Mia, and it is one", "looked, −2 lives"),
        ("0 roll, 0 say 21, 1 concede", "21", {}, "b gives in to a's Mia", "gave in, −1 life"),
        ("0 roll, 0 say 9p, 1 challenge", "63", {"mixed": "sum"}, "b doubts a's 9 points, wrongly: 63", "was true"),
        (
            "0 roll, 0 say 52, 1 roll, 1 say 52, 2 challenge",
            "52 52",
            {"must_beat_actual": "on", "raise_rule": "at_least", "pass": "off"},
            "c doubts b's 52, which had to be beaten",
            "52 had to be beaten",
        ),
        ("0 roll, 0 say 21, 1 concede", "43", {"penalty": "sip"}, "b gives in to a's Mia", "gave in, +1 hard sip"),
        ("0 roll, 0 say 64, 1 challenge", "43", {"penalty": "sip"}, "b calls a's bluff on 64", "+1 sip<"),
        ("0 roll, 0 say 64, 1 challenge", "43", {"lives": 1}, "b calls a's bluff on 64", "out, −1 life"),
        ("0 roll, 0 say 64, 1 challenge", "43", {"lives": 20}, "b calls a's bluff on 64", ">19<"),
    ],
)
def test_every_way_in_which_a_round_can_end(
    script: str, dice: str, options: Mapping[str, object], caption: str, standing: str
) -> None:
    record = scripted("a b c", script, dice, **options)
    step = next(folded.step for folded in fold(record) if any(isinstance(e, RoundEnded) for e in folded.events)) + 1
    shown = at(record, "everything", step)
    assert shown.caption == caption
    assert all(standing in table for table in shown.tables)
    assert all(caption in signature for signature in map(_unescaped, shown.signatures))


def _unescaped(text: str) -> str:
    return text.replace("&#x27;", "'")


@pytest.mark.parametrize(
    ("script", "dice", "options", "title"),
    [
        (
            "0 roll, 0 say 64, 1 challenge",
            "43",
            {"lives": 1},
            "b and c share the first place: 1 life left when b called",
        ),
        (
            "0 roll, 0 say 64, 1 challenge",
            "66",
            {"lives": 1},
            "a and c share the first place: 1 life left when b doubted",
        ),
        (
            "0 roll, 0 say 64, 1 challenge",
            "43",
            {"penalty": "sip", "rounds": 1},
            "share the first place: no sips after 1",
        ),
    ],
)
def test_the_title_says_who_won_and_how(script: str, dice: str, options: Mapping[str, object], title: str) -> None:
    assert title in at(scripted("a b c", script, dice, **options), "everything").title


def test_the_title_of_a_duel_is_what_the_winner_did() -> None:
    record = scripted("calculator mirror", "0 roll, 0 say 43, 1 roll, 1 say 65, 0 challenge", "43 52", lives=1)
    assert at(record, "everything").title == "calculator wins: called mirror's bluff on 65"
    left = play(["a", "b"], match="m-1", game="mia", leaves=1)
    assert at(left, "public").title.endswith("wins: nobody else was left at the table")
    assert at(left, "public").faults


def test_play_that_turns_round_is_shown() -> None:
    record = scripted("a b c", "0 roll, 0 say 32, 2 roll", "32", joker_32="reverse")
    for table in at(record, "public", 3).tables:
        assert "play goes counterclockwise" in table
    assert "play goes clockwise" in at(record, "public", 2).tables[0]
    assert "play goes" not in at(scripted("a b c", "0 roll, 0 say 32", "32"), "public", 3).tables[0]


# ---- who may see which dice ----------------------------------------------------------------------


def dice_on(shown: Replay) -> list[str | None]:
    """The dice on each of the drawings of the felt, by their digits."""
    found = [re.search(r'data-dice="(\d\d)"', table) for table in shown.tables]
    return [one[1] if one is not None else None for one in found]


def known(folded: Folded, before: Folded, key: str) -> str | None:
    """The dice that lie there and that this viewer has seen, from the state itself."""
    for event in folded.events:
        if isinstance(event, RoundEnded):
            dice = event.showdown.dice or (before.state.dice if key == "everything" else None)
            if dice is None and int(key.replace("public", "-1")) in before.state.seen:
                dice = before.state.dice
            return "{}{}".format(*dice) if dice else None
    state = folded.state
    sees = key == "everything" or (key != "public" and int(key) in state.seen)
    return "{}{}".format(*state.dice) if state.dice is not None and sees else None


@pytest.mark.parametrize("preset", PRESETS)
def test_a_viewer_sees_dice_that_he_has_seen_and_no_others(preset: str) -> None:
    record = play(["a", "b", "c"], match="m-1", game="mia", preset=preset, seed=3)
    steps = list(fold(record))
    hidden = 0
    moments = [*range(1, 12), *range(13, min(len(steps), 60), 3)]
    for index in share(moments, number=PRESETS.index(preset) % 3, of=3):
        for key in KEYS:
            right = known(steps[index], steps[index - 1], key)
            shown = at(record, key, index)
            assert dice_on(shown) == [right, right], (key, index)
            hidden += right is None and steps[index].state.dice is not None
            # the spots of dice are nowhere else, but where everybody rolls for the start
            starting = steps[index].state.round == 0 or steps[index - 1].state.round == 0
            assert starting or all(('class="spot"' in table) == (right is not None) for table in shown.tables)
    assert hidden > 5


def verdict(options: Options, showdown: Showdown | None, dice: Dice) -> bool:
    """What these dice come to where they are lifted, so that a twin with others goes on in the same way."""
    if showdown is None:
        return True
    if showdown.how == "look":
        return dice == (2, 1)
    return bears_out(options, dice, showdown.announced, showdown.to_beat)


class Cup(NamedTuple):
    """A roll under the cup."""

    fell: int
    """The frame in which it did."""
    hidden: int
    """The last frame before somebody lifted the cup; where nobody does, the last of all."""
    seen: tuple[int, ...]
    other: tuple[int, ...]
    """What could have been drawn instead."""


def cups(record: Record) -> Iterator[Cup]:
    """Every roll under the cup of a match."""
    steps = list(fold(record))
    ends = {
        e.showdown.round: (i, e.showdown)
        for i, step in enumerate(steps)
        for e in step.events
        if isinstance(e, RoundEnded)
    }
    for index, folded in enumerate(steps):
        state, dice = folded.state, folded.state.dice
        if state.phase != "announcing" or dice is None or steps[index - 1].state.phase != "rolling":
            continue
        end, showdown = ends.get(state.round, (len(steps), None))
        lifted = showdown is not None and showdown.dice is not None and steps[end - 1].state.rolls == state.rolls
        judged = showdown if lifted else None
        for other in ROLLS:
            if other != dice and verdict(state.options, judged, other) == verdict(state.options, judged, dice):
                yield Cup(index, end - 1 if lifted else len(steps) - 1, state.seen, got("{}{}".format(*other)))
                break


@pytest.mark.parametrize("preset", PRESETS)
def test_hidden_dice_change_nothing_that_others_are_shown(preset: str) -> None:
    record = play(["a", "b", "c"], match="m-1", game="mia", preset=preset, options={"lives": 2}, seed=2)
    compared = blind = 0
    for cup in list(cups(record))[: often(3, everything=6)]:
        twin = with_draw(record, cup.fell - 1, cup.other)
        for key in ["public", *(str(seat) for seat in range(3) if seat not in cup.seen)]:
            for step in sorted({cup.fell, (cup.fell + cup.hidden) // 2, cup.hidden}):
                assert told(at(record, key, step)) == told(at(twin, key, step)), (key, step)
                compared += 1
        blind += not cup.seen
        for key in ("everything", *map(str, cup.seen)):
            assert told(at(record, key, cup.fell)) != told(at(twin, key, cup.fell))
    assert compared > 20
    assert blind


def test_others_are_not_told_how_it_goes_on(document: Record) -> None:
    for key, title in (("public", "What the table saw in round 1"), ("2", "What C knew in round 1")):
        for step in (6, LAST):
            shown = at(document, key, step)
            assert shown.title == title
            assert shown.story[0].lines[-1].current
            assert [bool(one.summary) for one in shown.story] == [step == LAST]


def test_only_what_is_known_is_marked(document: Record) -> None:
    for key in ("public", "2"):
        picture = at(document, key, 9).signatures[0]
        assert not re.search("m-true|m-bluff|m-dice|m-join|m-under", picture)
        assert (picture.count("m-said"), picture.count("m-unseen")) == (2, 3)
    own = at(document, "1", 9).signatures[0]
    assert (own.count("m-bluff"), own.count("m-said")) == (1, 1)


# ---- the ladder ----------------------------------------------------------------------------------


def heights(picture: str, kind: str) -> list[float]:
    """How low the marks of this kind stand: the higher, the smaller."""
    return [
        float(y)
        for y in re.findall(
            rf'<(?:circle|path)[^>]*?(?:cy="|d="M[\d.]+ )([\d.]+)[^>]*class="{kind}(?: [^"]*)?"', picture
        )
    ]


def test_the_ladder_of_the_document(document: Record) -> None:
    for picture in at(document, "everything", LAST).signatures:
        assert (picture.count("m-bluff"), picture.count("m-unseen")) == (2, 3)
        assert len(heights(picture, "m-dice")) == 2
        assert picture.count("m-join-lie") == 2
        assert picture.count("m-end") == picture.count("m-under") == 1
        for said, dice in zip(heights(picture, "m-bluff"), heights(picture, "m-dice"), strict=True):
            assert said < dice
        assert ">A −1<" in picture
        assert ">doubts<" in picture
    public = at(document, "public", LAST).signatures[0]
    assert (public.count("m-said"), public.count("m-bluff"), len(heights(public, "m-dice"))) == (1, 1, 1)


def test_the_key_has_the_marks_that_can_be_there(document: Record) -> None:
    names = [kind for kind, _words in at(document, "everything", LAST).key]
    assert names == ["true", "bluff", "unseen", "dice"]
    assert "said" in [kind for kind, _words in at(document, "public", LAST).key]


@pytest.mark.parametrize("options", [{}, {"doubles": "ascending"}, {"little_mia": "on"}, {"joker_32": "third_best"}])
@pytest.mark.parametrize("mixed", ["digits", "sum"])
def test_values_stand_in_their_order(options: dict[str, object], mixed: str) -> None:
    values = scripted("a b", "0 roll", "43", mixed=mixed, **options).options
    own = ranking(options_of(values))
    scale = mia.Scale(options_of(values), 0, 200)
    heights = [scale.up(value) for value in own.values]
    assert heights == sorted(heights, reverse=True)
    assert (heights[0], heights[-1]) == pytest.approx((200, 0))
    ticks = [scale.up(value) for value in scale.ticks()]
    assert len(ticks) >= 5
    assert all(abs(one - other) >= 17 for one in ticks for other in ticks if one != other)


@pytest.mark.parametrize("preset", PRESETS)
def test_the_small_picture_has_what_was_said_in_its_rounds(preset: str) -> None:
    record = play(["a", "b", "c"], match="m-1", game="mia", preset=preset, seed=5)
    frames = replay.frames(record, records.name(record), OMNISCIENT)
    last = [one for one in mia.rounds(frames) if one.over][-1]
    picture = replay.strip(record)
    marks = sum(picture.count(f'class="m-{kind}"') for kind in ("true", "bluff", "unseen", "said"))
    assert len(last.said) <= marks <= 32
    assert 'role="img"' in picture
    said = sum(isinstance(event, Acted) and bool(event.move.value) for frame in frames for event in frame.events)
    assert said == sum(len(one.said) for one in mia.rounds(frames))


def test_a_long_round_is_cut_to_its_end() -> None:
    names = [f"bot{seat}" for seat in range(10)]
    script = "0 roll, 0 say 31, " + ", ".join(f"{seat % 10} pass 31" for seat in range(1, 40)) + ", 0 challenge"
    record = scripted(" ".join(names), script, "31", pass_return="free", end="last_standing")
    shown = at(record, "everything", 43)
    assert shown.signatures[0].count("m-unseen") < 12
    assert "announcements before" in shown.signatures[0]
    assert replay.strip(record).count("<rect") < 40


@pytest.mark.parametrize("players", [2, 3, 4, 6, 10])
def test_pictures_are_well_formed_whatever_is_played(players: int) -> None:
    options = {"end": "last_standing", "joker_32": "reverse", "penalty": "sip" if players == 3 else "life", "rounds": 6}
    record = play(["n"] * players, match="m-1", game="mia", options=options, seed=players, leaves=9)
    evil = renamed(record, lambda name: f"<b>{name}&")
    for step in range(0, len(record.steps) + 1, max(4 * players - 5, len(record.steps) // often(6, everything=100))):
        check_pictures(record, step)
        check_pictures(evil, step)
    assert len(pictures(at(record, "public"))) >= 4


@pytest.mark.parametrize("name", ["custom", "custom-faults", "preset", "preset-faults"])
def test_given_records_are_shown(name: str) -> None:
    path = Path(__file__).parents[1] / f"data/records/mia-{name}.json"
    record = records.read(path.read_bytes())
    for key in KEYS[: 2 + len(record.players)]:
        for step in (0, 1, len(record.steps) // 2, len(record.steps)):
            shown = at(record, key, step)
            assert shown.title
            assert shown.caption
            assert shown.doubt == ""
    assert bool(shown.faults) == name.endswith("faults")
