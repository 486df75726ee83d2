"""Mia: notes against the ladder as the rules' page writes it, counted roll by roll."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from arena.games.mia import GAME, VALUED, Acted, options_of
from arena.insight import insight, mia
from arena.insight.model import Note
from arena.insight.words import tell_note
from arena.record import Record
from arena.rules import OMNISCIENT, PUBLIC, Viewer, at_seat, ruleset
from arena.verify import Folded, fold, frames
from tests.arena.insight.played import match, names

ROLLS = [f"{max(a, b)}{min(a, b)}" for a in range(1, 7) for b in range(1, 7)]
DOWN = "21 66 55 44 33 22 11 65 64 63 62 61 54 53 52 51 43 42 41 32 31".split()  # noqa: SIM905  # as the page has it
LADDERS = {
    "classic": DOWN[::-1],
    "meyer": ["32", *DOWN[-3:0:-1], "31", "21"],
    "sum": [*(f"{points}p" for points in range(4, 12)), "11", "22", "33", "44", "55", "66", "21"],
}
"""From the lowest value up."""


def called(roll: str, ladder: list[str]) -> str:
    return roll if roll in ladder else f"{int(roll[0]) + int(roll[1])}p"


def place(roll: str, ladder: list[str]) -> int:
    return ladder.index(called(roll, ladder))


def notes(record: Record, viewer: Viewer = OMNISCIENT) -> tuple[Note, ...]:
    return insight("mia", tuple(frames(record, viewer)), record.steps).notes


def scripted(script: str, dice: str, **options: object) -> Record:
    """A match that seat 0 starts, on these dice."""
    luck = {f"round/1/roll/{number}": [int(digit) - 1 for digit in pair] for number, pair in enumerate(dice.split(), 1)}
    return match("mia", luck=luck, script=script, **{"first_starter": "seat", **options})


CLASSIC, SUMS = (options_of(ruleset(GAME, preset).values) for preset in ("classic", "sum"))


# the figures of docs/rules/mia.md, in rolls of 36
@pytest.mark.parametrize(
    ("value", "reached", "above"), [("55", 4, 3), ("54", 20, 18), ("62", 16, 14), ("21", 2, 0), ("31", 36, 34)]
)
def test_the_chances_of_the_rules_page(value: str, reached: int, above: int) -> None:
    assert mia.reach(CLASSIC, value) == pytest.approx(reached / 36)
    assert mia.beaten(CLASSIC, value) == pytest.approx(above / 36)


@pytest.mark.parametrize(
    ("points", "above"), [(11, 22.2), (10, 27.8), (9, 33.3), (8, 44.4), (7, 55.6), (6, 72.2), (5, 83.3), (4, 94.4)]
)
def test_the_chances_of_sums(points: int, above: float) -> None:
    assert 100 * mia.beaten(SUMS, f"{points}p") == pytest.approx(above, abs=0.05)


def test_what_is_told_of_a_round() -> None:
    record = scripted("0 roll, 0 say 52, 1 roll, 1 say 65, 2 pass 65, 0 challenge", "52 41")
    said = [(note.step, str(tell_note("mia", note, names(record))).replace("\u00a0", " ")) for note in notes(record)]
    assert said[:4] == [
        (3, "true · beaten by 61 % of rolls"),
        (6, "forced bluff by 11 steps · 28 % of rolls reach it"),
        (7, "did not look: 11 steps too high · 28 % of rolls reach it"),
        (8, "right · had a chance of 72 %"),
    ]


def test_a_bluff_without_need_is_not_forced() -> None:
    (free,) = [note for note in notes(scripted("0 roll, 0 say 65, 1 challenge", "52")) if note.step == 3]
    assert (free.truth, free.by, free.forced) == ("bluff", 7, False)
    record = scripted("0 roll, 0 say 52, 1 roll, 1 say 65, 2 challenge", "52 53")
    (other,) = [note for note in notes(record) if note.step == 6]
    assert (other.by, other.forced) == (6, False)


def test_who_had_seen_the_dice_knew() -> None:
    record = scripted("0 roll, 0 say 64, 1 pass 65, 0 challenge", "64", players=2)
    doubt = next(note for note in notes(record) if note.kind == "doubt")
    assert (doubt.truth, doubt.own, doubt.knew) == ("right", 1.0, True)
    assert str(tell_note("mia", doubt, names(record))) == "right · had seen the dice"


def test_nobody_sees_the_dice_of_a_mia_that_is_believed() -> None:
    record = scripted("0 roll, 0 say 21, 1 concede", "43")
    for viewer, truth in ((OMNISCIENT, "the Mia is a bluff"), (at_seat(0), "the Mia is a bluff"), (PUBLIC, "")):
        doubt = next(note for note in notes(record, viewer) if note.kind == "doubt")
        said = tell_note("mia", doubt, names(record))
        assert (said.truth, said.chance.replace("\u00a0", " ")) == (truth, "94 % of rolls are no Mia")


def claims(record: Record) -> Iterator[tuple[int, Folded, Folded, Acted]]:
    folded: list[Any] = list(fold(record))
    for step, one in enumerate(folded):
        for event in one.events:
            if isinstance(event, Acted) and event.move.kind in VALUED:
                yield step, folded[step - 1], one, event


@pytest.mark.parametrize("preset", [preset.name for preset in GAME.presets])
def test_every_announcement_is_counted_roll_by_roll(preset: str) -> None:
    ladder = LADDERS.get(preset, LADDERS["classic"])
    record = match("mia", preset, 4, seed=7)
    found = {note.step: note for note in notes(record)}
    seen = 0
    for step, before, after, event in claims(record):
        note, value = found[step], ladder.index(event.move.value)
        dice = "{}{}".format(*after.state.dice)
        assert note.by == value - place(dice, ladder)
        assert note.heard == pytest.approx(sum(place(roll, ladder) >= value for roll in ROLLS) / 36)
        assert note.beaten == pytest.approx(sum(place(roll, ladder) > value for roll in ROLLS) / 36)
        if event.move.kind == "say" and after.state.seen:
            stood = before.state.announced
            assert note.forced == (stood is not None and place(dice, ladder) <= ladder.index(stood))
        seen += 1
    assert seen > 10


@pytest.mark.parametrize("preset", [preset.name for preset in GAME.presets])
def test_every_doubt_is_counted_roll_by_roll(preset: str) -> None:
    ladder = LADDERS.get(preset, LADDERS["classic"])
    record = match("mia", preset, 4, seed=3)
    folded: list[Any] = list(fold(record))
    doubts = [note for note in notes(record) if note.kind == "doubt"]
    assert len(doubts) > 3
    for doubt in doubts:
        before = folded[doubt.step - 1].state
        value = ladder.index(before.announced)
        false = [place(roll, ladder) < value for roll in ROLLS]
        is_false = place("{}{}".format(*before.dice), ladder) < value
        assert doubt.own == pytest.approx(float(is_false) if doubt.seat in before.seen else sum(false) / 36)
        assert doubt.truth == ("given" if doubt.what == "concede" else "right" if is_false else "wrong")
        assert doubt.about == before.announcer


def test_what_must_be_beaten_counts_too() -> None:
    options = {"must_beat_actual": "on", "raise_rule": "at_least", "pass": "off"}
    record = scripted("0 roll, 0 say 52, 1 roll, 1 say 52, 2 challenge", "52 52", **options)
    claim, doubt = (note for note in notes(record) if note.step in (6, 7))
    assert (claim.truth, claim.by, claim.own) == ("true", 0, 0.0)
    assert claim.heard == pytest.approx(22 / 36)
    assert (doubt.truth, doubt.own) == ("right", pytest.approx(14 / 36))
