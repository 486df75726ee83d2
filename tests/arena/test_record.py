"""Records: what is written is read back, everything else is refused with its place, and the name is stable."""

from __future__ import annotations

import copy
import hashlib
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import record as records
from arena.record import DrawStep, Fairness, FaultStep, MovesStep, PlayerLine, Record, RecordError, place
from arena.rules import Outcome
from tests.breadth import often

FILES = sorted((Path(__file__).parents[1] / "data" / "records").glob("*.json"))

SMALL: dict[str, Any] = {
    "format": 1,
    "game": "three_coins",
    "preset": "classic",
    "options": {"start_coins": 3, "zero": "on"},
    "match": "m-1",
    "started": "2026-11-29T18:00:00Z",
    "players": [
        {"seat": 0, "bot": "honest", "version": "sha256:00"},
        {"seat": 1, "bot": "Дарина", "version": None},
    ],
    "fairness": {"commitment": "ab" * 32, "seed": None, "nonce_hashes": ["cd" * 32, "ef" * 32], "nonces": ["", "ff"]},
    "steps": [
        {"draw": "start/lot", "of": [2], "got": [1]},
        {"moves": {"0": "hide 3", "1": "hide 2"}, "ms": {"0": 1.5, "1": 2}},
        {"moves": {"1": "bid 4"}},
        {"fault": {"seat": 0, "kind": "late", "detail": "1000 ms", "then": "forfeit"}},
    ],
    "outcome": {"places": [2, 1], "reason": "last_left", "scores": [0, 3]},
}
RECORD = Record(
    game="three_coins",
    preset="classic",
    options={"start_coins": 3, "zero": "on"},
    match="m-1",
    started="2026-11-29T18:00:00Z",
    players=(PlayerLine(0, "honest", "sha256:00"), PlayerLine(1, "Дарина", None)),
    fairness=Fairness("ab" * 32, None, ("cd" * 32, "ef" * 32), ("", "ff")),
    steps=(
        DrawStep("start/lot", (2,), (1,)),
        MovesStep({0: "hide 3", 1: "hide 2"}, {0: 1.5, 1: 2.0}),
        MovesStep({1: "bid 4"}, None),
        FaultStep(0, "late", "1000 ms", "forfeit"),
    ),
    outcome=Outcome((2, 1), "last_left", (0, 3)),
)


def changed(*path: str | int, to: object) -> str:
    """The small record with one value replaced; a last key that is not there yet is added."""
    tree = copy.deepcopy(SMALL)
    at: Any = tree
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = to
    return json.dumps(tree)


# ---- round trips ---------------------------------------------------------------------------------


def test_reading() -> None:
    text = json.dumps(SMALL)
    assert records.read(text) == RECORD
    assert records.read(json.dumps(SMALL, ensure_ascii=False).encode()) == RECORD


def test_writing() -> None:
    text = records.write(RECORD)
    assert records.read(text) == RECORD
    assert json.loads(text) == SMALL
    assert list(json.loads(text)) == list(SMALL)
    assert '\n  {"moves": {"1": "bid 4"}},\n' in text  # a step a line
    assert "Дарина" in text


def test_a_record_without_steps() -> None:
    empty = RECORD._replace(steps=(), started=None)
    assert records.read(records.write(empty)) == empty
    assert "started" not in json.loads(records.write(empty))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_published_records(file: Path) -> None:
    record = records.read(file.read_bytes())
    assert json.loads(records.write(record)) == json.loads(file.read_text())


TEXTS = st.text(st.characters(codec="utf-8"), max_size=12)
HEX32 = st.binary(min_size=32, max_size=32).map(bytes.hex)


@st.composite
def some_record(draw: st.DrawFn) -> Record:
    seats = draw(st.integers(2, 10))
    seat = st.integers(0, seats - 1)
    sizes = st.lists(st.integers(1, 60), max_size=4).map(tuple)
    moves = st.dictionaries(seat, TEXTS, min_size=1)
    times = st.floats(0, 1e9) | st.integers(0, 10**6).map(float)
    step = st.one_of(
        st.builds(
            lambda label, of, r: DrawStep(label, of, tuple(r.randrange(s) for s in of)), TEXTS, sizes, st.randoms()
        ),
        moves.flatmap(
            lambda m: st.none() | st.dictionaries(st.sampled_from(sorted(m)), times).map(lambda ms: MovesStep(m, ms))
        ).filter(bool),
        st.builds(MovesStep, moves, st.none()),
        st.builds(FaultStep, seat, TEXTS, TEXTS, st.sampled_from(["forfeit", "default"])),
    )
    each = {"min_size": seats, "max_size": seats}
    return Record(
        game=draw(TEXTS),
        preset=draw(st.none() | TEXTS),
        options=draw(st.dictionaries(TEXTS, TEXTS | st.integers(-(2**53) + 1, 2**53 - 1), max_size=4)),
        match=draw(TEXTS),
        started=draw(st.none() | TEXTS),
        players=tuple(PlayerLine(n, draw(TEXTS), draw(st.none() | TEXTS)) for n in range(seats)),
        fairness=Fairness(
            draw(HEX32),
            draw(st.none() | HEX32),
            tuple(draw(st.lists(HEX32, **each))),
            tuple(draw(st.lists(st.binary(max_size=32).map(bytes.hex), **each))),
        ),
        steps=tuple(draw(st.lists(step, max_size=5))),
        outcome=Outcome(
            tuple(draw(st.lists(st.integers(1, seats), **each))),
            draw(TEXTS),
            tuple(draw(st.lists(st.integers(-9, 99), **each))),
        ),
    )


@settings(max_examples=often(25, everything=240), deadline=None)
@given(some_record())
def test_every_record_is_read_back(record: Record) -> None:
    assert records.read(records.write(record)) == record
    assert records.read(records.write(record).encode()) == record
    canonical = records.canonical(record)
    bare = json.loads(canonical)
    assert canonical == json.dumps(bare, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    assert records.name(records.read(canonical)) == records.name(record)


# ---- the canonical form and the name -------------------------------------------------------------


def test_canonical_form() -> None:
    nobody = '"fairness":{"commitment":"' + "ab" * 32 + '","nonce_hashes":["' + "cd" * 32 + '","' + "ef" * 32 + '"]'
    expected = (
        "{" + nobody + ',"nonces":["","ff"],"seed":null},"format":1,"game":"three_coins","match":"m-1",'
        '"options":{"start_coins":3,"zero":"on"},"outcome":{"places":[2,1],"reason":"last_left","scores":[0,3]},'
        '"players":[{"bot":"honest","seat":0,"version":"sha256:00"},{"bot":"Дарина","seat":1,"version":null}],'
        '"preset":"classic","steps":[{"draw":"start/lot","got":[1],"of":[2]},'
        '{"moves":{"0":"hide 3","1":"hide 2"}},{"moves":{"1":"bid 4"}},'
        '{"fault":{"detail":"1000 ms","kind":"late","seat":0,"then":"forfeit"}}]}'
    )
    assert records.canonical(RECORD) == expected.encode()
    assert records.name(RECORD) == hashlib.sha256(expected.encode()).hexdigest()


def test_keys_are_sorted_as_text() -> None:
    ten = RECORD._replace(steps=(MovesStep({10: "a", 2: "b"}, None),))
    assert b'{"10":"a","2":"b"}' in records.canonical(ten)


def test_the_name_stands_for_the_content_alone() -> None:
    name = records.name(RECORD)
    spaced = json.dumps(SMALL, indent=3)
    backwards = json.dumps(dict(reversed(SMALL.items())))
    upper = changed("fairness", "commitment", to="AB" * 32)
    for text in (spaced, backwards, upper, changed("started", to="later"), changed("steps", 1, "ms", to={})):
        assert records.name(records.read(text)) == name
    for text in (
        changed("match", to="m-2"),
        changed("players", 1, "bot", to="Daryna"),
        changed("players", 1, "version", to="1"),
        changed("steps", 3, "fault", "detail", to=""),
        changed("steps", 2, "moves", to={"1": "bid 5"}),
        changed("outcome", "scores", to=[0, 2]),
    ):
        assert records.name(records.read(text)) != name


# ---- refusals ------------------------------------------------------------------------------------

HASHES = ["cd" * 32, "ef" * 32]
NO_PLACE = ""

REFUSED = [
    # a path to change, its new value, the place that the error names, words that it says
    (("format",), 2, "format", "version 2"),
    (("format",), True, "format", "true is not a whole number"),
    (("format",), 1.0, "format", "1.0 is not a whole number"),
    (("format",), "1", "format", "'1' is not a whole number"),
    (("game",), 3, "game", "not a text"),
    (("game",), None, "game", "null is not a text"),
    (("preset",), 1, "preset", "not a text"),
    (("options",), [], "options", "a list is not an object"),
    (("options", "zero"), None, "options.zero", "null"),
    (("options", "zero"), 1.5, "options.zero", "1.5"),
    (("options", "zero"), True, "options.zero", "true"),
    (("options", "two words"), [], "options.'two words'", "a list"),
    (("match",), 17, "match", "17 is not a text"),
    (("started",), None, "started", "null is not a text"),
    (("extra",), 1, NO_PLACE, "no key 'extra'"),
    (("players",), {}, "players", "an object is not a list"),
    (("players",), [], "players", "0 players"),
    (("players",), SMALL["players"][:1], "players", "1 players; a table has 2 to 10"),
    (("players",), [{"seat": n, "bot": "b", "version": None} for n in range(11)], "players", "11 players"),
    (("players", 1), 5, "players[1]", "5 is not an object"),
    (("players", 1), {"seat": 1, "bot": "x"}, "players[1].version", "missing"),
    (("players", 1, "name"), "x", "players[1]", "no key 'name'"),
    (("players", 1, "seat"), 0, "players[1].seat", "seat 0 stands where seat 1 belongs"),
    (("players", 1, "seat"), True, "players[1].seat", "true"),
    (("players", 1, "bot"), None, "players[1].bot", "null"),
    (("players", 1, "version"), 3, "players[1].version", "3"),
    (("fairness",), None, "fairness", "null is not an object"),
    (("fairness", "salt"), "", "fairness", "no key 'salt'"),
    (("fairness", "seed"), "00", "fairness.seed", "1 bytes where 32 belong"),
    (("fairness", "seed"), "zz" * 32, "fairness.seed", "not hex"),
    (("fairness", "seed"), "0" * 63, "fairness.seed", "not hex"),
    (("fairness", "commitment"), None, "fairness.commitment", "null is not a text"),
    (("fairness", "commitment"), "ab" * 31 + "\n" + "a", "fairness.commitment", "not hex"),
    (("fairness", "commitment"), "ab " * 32, "fairness.commitment", "not hex"),
    (("fairness", "commitment"), "٣" * 64, "fairness.commitment", "not hex"),
    (("fairness", "nonce_hashes"), HASHES[:1], "fairness.nonce_hashes", "1 entries where 2 belong"),
    (("fairness", "nonce_hashes"), [*HASHES, HASHES[0]], "fairness.nonce_hashes", "3 entries"),
    (("fairness", "nonce_hashes", 1), "cd", "fairness.nonce_hashes[1]", "1 bytes"),
    (("fairness", "nonces"), ["", "", ""], "fairness.nonces", "3 entries where 2 belong"),
    (("fairness", "nonces", 1), "00" * 33, "fairness.nonces[1]", "33 bytes where 0 to 32 belong"),
    (("fairness", "nonces", 0), None, "fairness.nonces[0]", "null"),
    (("steps",), {}, "steps", "not a list"),
    (("steps", 0), [], "steps[0]", "draw, moves or fault"),
    (("steps", 0), {}, "steps[0]", "draw, moves or fault"),
    (("steps", 0, "moves"), {}, "steps[0]", "no key 'moves'"),
    (("steps", 0, "draw"), 1, "steps[0].draw", "not a text"),
    (("steps", 0, "of"), 2, "steps[0].of", "not a list"),
    (("steps", 0, "of"), [0], "steps[0].of[0]", "0 is out of range; it is at least 1"),
    (("steps", 0, "of"), ["2"], "steps[0].of[0]", "'2' is not a whole number"),
    (("steps", 0, "got"), [], "steps[0].got", "0 entries where 1 belong"),
    (("steps", 0, "got"), [2], "steps[0].got[0]", "2 cannot be drawn out of 2"),
    (("steps", 0, "got"), [-1], "steps[0].got[0]", "-1 is out of range"),
    (("steps", 0, "got"), [False], "steps[0].got[0]", "false is not a whole number"),
    (("steps", 0), {"draw": "x", "of": []}, "steps[0].got", "missing"),
    (("steps", 1, "moves"), {}, "steps[1].moves", "nobody"),
    (("steps", 1, "moves"), [], "steps[1].moves", "not an object"),
    (("steps", 1, "moves"), {"2": "call"}, "steps[1].moves", "'2' is none of the seats 0 to 1"),
    (("steps", 1, "moves"), {"00": "call"}, "steps[1].moves", "'00' is none"),
    (("steps", 1, "moves"), {"١": "call"}, "steps[1].moves", "none of the seats"),
    (("steps", 1, "moves", "0"), None, "steps[1].moves.0", "null is not a text"),
    (("steps", 1, "who"), 1, "steps[1]", "no key 'who'"),
    (("steps", 1, "ms"), None, "steps[1].ms", "null is not an object"),
    (("steps", 1, "ms", "0"), "1", "steps[1].ms.0", "not a number of milliseconds"),
    (("steps", 1, "ms", "0"), True, "steps[1].ms.0", "true is not a number"),
    (("steps", 1, "ms", "0"), -0.5, "steps[1].ms.0", "less than no time"),
    (("steps", 2, "ms"), {"0": 1}, "steps[2].ms.0", "seat 0 made no move"),
    (("steps", 3, "fault"), [], "steps[3].fault", "not an object"),
    (("steps", 3, "fault", "ms"), 1, "steps[3].fault", "no key 'ms'"),
    (("steps", 3, "fault", "seat"), 2, "steps[3].fault.seat", "2 is out of range; it is 0 to 1"),
    (("steps", 3, "fault", "seat"), -1, "steps[3].fault.seat", "-1 is out of range"),
    (("steps", 3, "fault", "kind"), None, "steps[3].fault.kind", "null"),
    (("steps", 3, "fault", "detail"), None, "steps[3].fault.detail", "null"),
    (("steps", 3, "fault", "then"), "pardon", "steps[3].fault.then", "'pardon' is neither"),
    (("steps", 3, "fault"), {"seat": 0, "kind": "late", "then": "forfeit"}, "steps[3].fault.detail", "missing"),
    (("outcome",), "won", "outcome", "not an object"),
    (("outcome", "winner"), 1, "outcome", "no key 'winner'"),
    (("outcome", "places"), [1], "outcome.places", "1 entries where 2 belong"),
    (("outcome", "places"), [0, 1], "outcome.places[0]", "0 is out of range; it is 1 to 2"),
    (("outcome", "places"), [1, 3], "outcome.places[1]", "3 is out of range"),
    (("outcome", "reason"), None, "outcome.reason", "null"),
    (("outcome", "scores"), [1, 2, 3], "outcome.scores", "3 entries"),
    (("outcome", "scores"), [1, 2.0], "outcome.scores[1]", "2.0 is not a whole number"),
    (("outcome", "scores"), [1, 2**53], NO_PLACE, "out of range"),
]


@pytest.mark.parametrize(("path", "value", "where", "says"), REFUSED)
def test_refused(path: tuple[str | int, ...], value: object, where: str, says: str) -> None:
    with pytest.raises(RecordError) as refused:
        records.read(changed(*path, to=value))
    assert refused.value.where == where
    assert says in refused.value.message
    assert str(refused.value) == (f"{place(where)}: {refused.value.message}" if where else refused.value.message)


@pytest.mark.parametrize("key", [key for key in SMALL if key != "started"])
def test_every_key_must_be_there(key: str) -> None:
    tree = {k: v for k, v in SMALL.items() if k != key}
    with pytest.raises(RecordError, match=f"^{key}: this is missing$"):
        records.read(json.dumps(tree))


def test_steps_are_named_by_their_number_too() -> None:
    with pytest.raises(RecordError, match=r"^step 4 \(steps\[3\]\.fault\.then\): 'pardon' is neither"):
        records.read(changed("steps", 3, "fault", "then", to="pardon"))


def test_any_word_is_a_kind_of_fault() -> None:
    step = records.read(changed("steps", 3, "fault", "kind", to="asleep")).steps[3]
    assert isinstance(step, FaultStep)
    assert step.kind == "asleep"


def text_with(old: str, new: str) -> str:
    text = json.dumps(SMALL)
    assert old in text
    return text.replace(old, new, 1)


HOSTILE: list[tuple[str, str | bytes, str]] = [
    ("empty", "", "not JSON"),
    ("nothing", "null", "null is not an object"),
    ("number", "1", "not an object"),
    ("list", "[]", "not an object"),
    ("cut", json.dumps(SMALL)[:-1], "not JSON"),
    ("more", json.dumps(SMALL) + "{}", "not JSON"),
    ("bom", "\ufeff" + json.dumps(SMALL), "not JSON"),
    ("bytes", b"\xff\xfe{}", "not UTF-8: invalid start byte at byte 0"),
    ("half a character", json.dumps(SMALL).encode().replace(b"honest", b"\xd0"), "not UTF-8"),
    ("surrogate bytes", json.dumps(SMALL).encode().replace(b"honest", b"\xed\xa0\x80"), "not UTF-8"),
    ("surrogate text", text_with("honest", "\ud800"), "lone surrogate"),
    ("surrogate escape", text_with("honest", "\\ud800"), "lone surrogate"),
    ("surrogate option", text_with('"zero"', '"\\ud800"'), "lone surrogate"),
    ("surrogate key", text_with('"match"', '"\\udfff"'), r"'\udfff'"),
    ("surrogate move", text_with("bid 4", "bid \\udc00"), "lone surrogate"),
    ("duplicate", text_with('"game"', '"match": "m-2", "game"'), "'match' stands twice"),
    ("duplicate move", text_with('{"1": "bid 4"}', '{"1": "bid 4", "1": "call"}'), "'1' stands twice"),
    ("nan", text_with("1.5", "NaN"), "NaN is not a number"),
    ("infinity", text_with("1.5", "-Infinity"), "-Infinity is not a number"),
    ("overflow", text_with("1.5", "1e999"), "out of range"),
    ("huge whole number", text_with("1.5", "9" * 5000), "out of range"),
    ("huge score", text_with("[0, 3]", "[0, 1" + "0" * 400 + "]"), "out of range"),
    ("exponent", text_with('"format": 1', '"format": 1E0'), "not a whole number"),
    ("deep list", "[" * 1_000_000, "nested far deeper"),
    ("deep object", '{"a":' * 200_000, "nested far deeper"),
    ("deep inside", text_with("[0, 3]", "[" * 100_000 + "]" * 100_000), "nested far deeper"),
    ("control character", text_with("honest", "ho\nnest"), "not JSON"),
    ("comment", "// " + json.dumps(SMALL), "not JSON"),
    ("long word", changed("format", to="x" * 100_000), "is not a whole number"),
]


@pytest.mark.parametrize(("text", "says"), [h[1:] for h in HOSTILE], ids=[h[0] for h in HOSTILE])
def test_hostile(text: str | bytes, says: str) -> None:
    with pytest.raises(RecordError) as refused:
        records.read(text)
    assert says in str(refused.value)
    assert len(str(refused.value)) < 300
    str(refused.value).encode()  # it can be printed


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def spots(tree: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The path of everything inside ``tree``."""
    inner = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    found = [path] if path else []
    for key, value in inner:
        found += spots(value, (*path, key))
    return found


def reads_or_refuses(text: str | bytes) -> None:
    """Nothing but a record or a `RecordError` comes of ``text``; and a record can be written again."""
    try:
        record = records.read(text)
    except RecordError as refused:
        str(refused).encode()
    else:
        assert records.read(records.write(record)) == record


@settings(max_examples=often(50, everything=600), deadline=None)
@given(st.sampled_from(spots(SMALL)), JSON)
def test_fuzz_values(path: tuple[str | int, ...], value: object) -> None:
    reads_or_refuses(changed(*path, to=value))


@settings(max_examples=often(40, everything=400), deadline=None)
@given(st.data())
def test_fuzz_bytes(data: st.DataObject) -> None:
    text = records.write(RECORD).encode()
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 6)))
    reads_or_refuses(text[:start] + data.draw(st.binary(max_size=6)) + text[end:])


@settings(max_examples=often(25, everything=200), deadline=None)
@given(st.text() | st.binary())
def test_fuzz_anything(text: str | bytes) -> None:
    reads_or_refuses(text)


@pytest.mark.parametrize("make", [records.write, records.canonical, records.name])
def test_what_cannot_be_read_is_not_written(make: Callable[[Record], object]) -> None:
    with pytest.raises(RecordError, match="cannot be written"):
        make(RECORD._replace(match="\ud800"))


def test_a_time_that_is_no_number_is_not_written() -> None:
    with pytest.raises(RecordError, match="cannot be written"):
        records.write(RECORD._replace(steps=(MovesStep({0: "call"}, {0: float("nan")}),)))


def test_errors_travel_between_processes() -> None:
    error = RecordError("steps[0]", "no")
    copied = pickle.loads(pickle.dumps(error))
    assert (copied.where, copied.message, str(copied)) == ("steps[0]", "no", "step 1 (steps[0]): no")
