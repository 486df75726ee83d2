"""What is told of matches of all games: it can be, it looks at nothing that comes later, and it is told in words."""

from __future__ import annotations

import time
from itertools import pairwise, product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import record as records
from arena.games import find_game
from arena.insight import Insight, Moment, Note, insight, marks, telling_moments
from arena.insight.words import WORDS, tell_moment, tell_note, tell_notes, tell_swing
from arena.record import FaultStep, Record
from arena.rules import OMNISCIENT, PUBLIC, Viewer, at_seat, ruleset
from arena.story import Counted
from arena.verify import Frame, frames
from tests.arena.insight.played import PRESETS, SHORT, match, names

FILES = sorted((Path(__file__).parents[2] / "data" / "records").glob("*.json"))


def seen_by(record: Record, viewer: Viewer) -> tuple[Frame, ...]:
    return tuple(frames(record, viewer))


def told(record: Record, viewer: Viewer = OMNISCIENT) -> Insight:
    return insight(record.game, seen_by(record, viewer), record.steps)


@st.composite
def matches(draw: st.DrawFn) -> Record:
    """Of any preset, at any table, with players who leave."""
    game, preset = draw(st.sampled_from(PRESETS))
    allowed = ruleset(find_game(game), preset).players
    players = draw(st.sampled_from([size for size in allowed if size <= 5]))
    values = dict(ruleset(find_game(game), preset).values) | SHORT[game]
    seed, leave = draw(st.integers(0, 2**32)), draw(st.sampled_from([0.0, 0.02]))
    return match(game, None, players, seed=seed, leave=leave, **values)


@settings(deadline=None, max_examples=40)
@given(matches(), st.data())
def test_chances_are_chances_whoever_looks(record: Record, data: st.DataObject) -> None:
    viewer = data.draw(st.sampled_from([OMNISCIENT, PUBLIC, *map(at_seat, range(len(record.players)))]))
    found = told(record, viewer)
    for note in found.notes:
        for chance in (note.own, note.heard, note.beaten):
            assert chance is None or 0 <= chance <= 1
        assert -1e-9 <= note.stake <= 1
        assert note.own is not None or viewer != OMNISCIENT
        # what somebody knows turns out so
        if note.kind == "doubt" and note.own in (0, 1) and note.truth != "given":
            assert (note.truth == "right") == (note.own == 1)
    for swing in found.swings:
        assert sum(swing.before) == pytest.approx(1)
        assert sum(swing.after) == pytest.approx(1)
        assert all(0 <= chance <= 1 for chance in (*swing.before, *swing.after))
    assert found.swings[-1].step == len(record.steps)
    first = [place == 1 for place in record.outcome.places]
    assert [chance > 0 for chance in found.swings[-1].after] == first
    for mark in found.marks:
        assert 0 <= mark.step <= len(record.steps)
        assert -1e-9 <= mark.weight <= 1


@settings(deadline=None, max_examples=25)
@given(matches(), st.data())
def test_notes_look_at_nothing_that_comes_later(record: Record, data: st.DataObject) -> None:
    viewer = data.draw(st.sampled_from([OMNISCIENT, PUBLIC, at_seat(0)]))
    seen = seen_by(record, viewer)
    whole = insight(record.game, seen, record.steps)
    end = data.draw(st.integers(1, len(seen)))
    part = insight(record.game, seen[:end], record.steps)
    assert part.notes == tuple(note for note in whole.notes if note.step < end)
    assert part.swings == tuple(swing for swing in whole.swings if swing.step < end)
    assert part.marks == tuple(mark for mark in whole.marks if mark.step < end)


@settings(deadline=None, max_examples=25)
@given(matches())
def test_who_sees_less_is_told_nothing_else(record: Record) -> None:
    """What a seat or the public is told agrees with what is told to who sees everything, and names no hidden truth."""
    everything = {(note.step, note.seat): note for note in told(record).notes}
    for viewer in (PUBLIC, at_seat(1)):
        for note in told(record, viewer).notes:
            whole = everything[note.step, note.seat]
            for field in ("truth", "by", "own", "beaten"):
                assert getattr(note, field) in (None, getattr(whole, field)), (field, note)
            assert note.stake == whole.stake


def test_marks_are_where_things_happened() -> None:
    record = match("mia", "ladder", 3, seed=5, leave=0.01)
    found = marks(record)
    assert found == tuple(sorted(found))
    assert {mark.kind for mark in found} <= {"lie", "challenge", "elimination", "fault"}
    seen = seen_by(record, OMNISCIENT)
    faults = [step for step, frame in enumerate(seen) if isinstance(record.steps[max(frame.step, 0)], FaultStep)]
    assert [mark.step for mark in found if mark.kind == "fault"] == faults
    gone = [step for step in range(1, len(seen)) if len(seen[step].view.live) < len(seen[step - 1].view.live)]
    assert [mark.step for mark in found if mark.kind == "elimination"] == gone
    lies = {note.step for note in told(record).notes if note.truth == "bluff"}
    assert {mark.step for mark in found if mark.kind == "lie"} == lies != set()


def test_a_lie_that_was_caught_comes_before_a_doubt_that_was_wrong() -> None:
    """Both cost a life, from the same position."""
    script = "0 roll, 0 say 65, 1 challenge"
    luck = {"round/1/roll/1": (0, 2)}
    options: dict[str, object] = {"first_starter": "seat", "lives": 1, "end": "first_out"}
    (caught, *_) = telling_moments(match("mia", None, 3, luck=luck, script=script, **options))
    (wrong, *_) = telling_moments(match("mia", None, 3, luck={"round/1/roll/1": (5, 4)}, script=script, **options))
    assert (caught.kind, caught.who, caught.step) == ("mia_caught", 0, 4)
    assert (wrong.kind, wrong.who, wrong.step) == ("mia_wrong", 1, 4)
    assert abs(caught.change) == pytest.approx(abs(wrong.change))
    assert caught.weight > wrong.weight
    assert tell_moment(caught, ["a", "b", "c"]) == "a's bluff on 65 was caught: −33\u00a0% chance"
    assert tell_moment(wrong, ["a", "b", "c"]) == "b doubted a's 65, wrongly: −33\u00a0% chance"


def test_a_lie_that_stood_is_told_by_what_was_at_stake() -> None:
    script = "0 roll, 0 say 65, 1 roll, 1 say 21, 2 concede"
    luck = {"round/1/roll/1": (0, 2), "round/1/roll/2": (1, 0)}
    record = match("mia", None, 3, luck=luck, script=script, first_starter="seat", lives=1)
    moments = telling_moments(record)
    assert [(one.step, one.kind) for one in moments] == [(7, "mia_given"), (3, "say_stood")]
    assert tell_moment(moments[0], names(record)) == "c gave in to b's Mia: −33\u00a0% chance for c"
    assert tell_moment(moments[1], names(record)) == "a's bluff on 65 stood: 33\u00a0% chance at stake"


def test_moments_come_in_their_order() -> None:
    for game, preset in PRESETS:
        record = match(game, preset, seed=2, **({"hands": 6} if game == "commerce" else {}))
        moments = telling_moments(record)
        assert 0 < len(moments) <= 3
        assert [one.weight for one in moments] == sorted((one.weight for one in moments), reverse=True)


class Listener:
    """English, which knows what it was asked for."""

    def __init__(self) -> None:
        self.used: set[str | Counted] = set()

    def gettext(self, message: str, /) -> str:
        self.used.add(message)
        return message

    def ngettext(self, singular: str, plural: str, number: int, /) -> str:
        self.used.add(Counted(singular, plural))
        return singular if number == 1 else plural


MOMENTS = [key for key in WORDS if key.startswith(("mia_", "coins_", "pot_", "say_", "pass_", "bid_stood", "left"))]


def test_every_word_is_used_and_every_note_has_its_words() -> None:
    listener = Listener()
    for (game, preset), seed in product(PRESETS, range(6)):
        more: dict[str, object] = {"offer_visible": "on"} if game == "commerce" and seed == 1 else {}
        record = match(game, preset, seed=seed, leave=0.005, **SHORT[game] | more)
        called = ["Darina", *names(record)[1:-1], ""]
        for viewer in (OMNISCIENT, PUBLIC, at_seat(0)):
            found = told(record, viewer)
            for note in found.notes:
                assert "{" not in str(tell_note(record.game, note, called, listener))
            for two in pairwise(found.notes):
                tell_notes(record.game, two, called, listener)
            for swing in found.swings:
                tell_swing(swing, called, listener)
            for moment in found.moments:
                assert moment.kind in MOMENTS
                assert "{" not in tell_moment(moment, called, listener)
    for kind, combination in product(MOMENTS, ("poen", "terz", "tricon", "most_points")):  # the rare ones, too
        what = combination if kind.startswith("pot_") else "65"
        moment = Moment(1, kind, 0, 1, what, 1, 0.25, 0.25)
        assert "{" not in tell_moment(moment, ["Darina", ""], listener)
    for kind, truth in (("refuse", "made"), ("offer", "both")):
        tell_note("commerce", Note(1, 0, kind, kind, truth, own=0.1, about=1), ["Darina", ""], listener)
    assert [key for key, word in WORDS.items() if word not in listener.used] == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_published_records_are_told(file: Path) -> None:
    record = records.read(file.read_bytes())
    assert marks(record)
    for moment in telling_moments(record):
        assert tell_moment(moment, names(record))


@pytest.mark.parametrize(("game", "preset"), [("mia", "ladder"), ("three_coins", "classic"), ("commerce", "classic")])
def test_a_long_record_is_told_quickly(game: str, preset: str) -> None:
    """500 steps take some 10 to 30 ms here."""
    record = max((match(game, preset, 4, seed=seed) for seed in range(3)), key=lambda one: len(one.steps))
    seen = seen_by(record, OMNISCIENT)
    best = float("inf")
    for _ in range(5):
        began = time.process_time()
        insight(record.game, seen, record.steps)
        best = min(best, time.process_time() - began)
    assert best < 0.1 * max(1.0, len(record.steps) / 500)
