"""Verification: honest records hold, every change is found where it was made, and frames show what a viewer saw."""

from __future__ import annotations

import contextlib
import copy
import json
import pickle
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import chance
from arena import record as records
from arena.games import find_game
from arena.games.three_coins import Hid, WentOut
from arena.record import DrawStep, Fairness, FaultStep, MovesStep, PlayerLine, Record, RecordError
from arena.rules import OMNISCIENT, PUBLIC, Outcome, at_seat, heard, ruleset
from arena.verify import NotYetRevealed, VerificationError, check_name, fold, frames, verify
from tests.breadth import often, share

FILES = sorted((Path(__file__).parents[1] / "data" / "records").glob("*.json"))
# three players: the lot, a forfeit of seat 2, two rounds of seats 0 and 1, a forfeit of seat 1
PLAIN = next(file for file in FILES if file.stem == "three_coins-preset-faults")

SEED = bytes(range(32))
COINS = find_game("three_coins")

Script = list[dict[int, str] | FaultStep]


def forfeit(seat: int) -> FaultStep:
    return FaultStep(seat, "late", "", "forfeit")


def default(seat: int) -> FaultStep:
    return FaultStep(seat, "illegal", "", "default")


def scripted(players: int, script: Script, **options: object) -> Record:
    """The record of a match of Three Coins, which seat 0 starts; its outcome is filled in if it has one."""
    rules = ruleset(COINS, None, {"first_starter": "seat"} | options)
    nonces = [bytes([seat]) * seat for seat in range(players)]
    record = Record(
        game=COINS.name,
        preset=rules.preset,
        options=rules.values,
        match="m-1",
        started=None,
        players=tuple(PlayerLine(seat, f"bot-{seat}", None) for seat in range(players)),
        fairness=Fairness(
            chance.digest(SEED).hex(),
            SEED.hex(),
            tuple(chance.digest(nonce).hex() for nonce in nonces),
            tuple(nonce.hex() for nonce in nonces),
        ),
        steps=tuple(step if isinstance(step, FaultStep) else MovesStep(step, None) for step in script),
        outcome=Outcome((1,) * players, "", (0,) * players),
    )
    state: Any = None
    try:
        for folded in fold(record):
            state = folded.state
    except VerificationError:
        return record
    return record._replace(outcome=COINS.outcome(state) or record.outcome)


# ---- honest records ------------------------------------------------------------------------------


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_published_records_hold(file: Path) -> None:
    record = records.read(file.read_bytes())
    verify(record)
    verify(records.read(records.canonical(record)))
    check_name(record, records.name(record))
    check_name(record, records.name(record).upper())


# ---- one change at a time ------------------------------------------------------------------------


def tampered(file: Path, *path: str | int, to: object) -> None:
    """Read and verify ``file`` with one value replaced."""
    tree = json.loads(file.read_text())
    at: Any = tree
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = to
    verify(records.read(json.dumps(tree)))


TAMPERED = [
    # a path to change in the plain record, its new value, how the error begins, words that it says
    (("game",), "ludo", "game", "there is no game 'ludo'"),
    (("preset",), "ladder", "preset", "no preset 'ladder'"),
    (("preset",), "duel", "preset", "duel has cliff = on, but the record plays with off"),
    (("preset",), "classic", "preset", "classic has cliff = on, but the record plays with off"),
    (("options", "start_coins"), 2, "preset", "start_coins"),
    (("options", "start_coins"), 0, "options.start_coins", "0 is not one of 1..9"),
    (("options", "start_coins"), "3", "options.start_coins", "'3' is not one of 1..9"),
    (("options", "start_coins"), "9" * 5000, "options.start_coins", "is not one of 1..9"),
    (("options", "start_coins"), 4, "options", "coin_cap (3) is below start_coins (4)"),
    (("options", "zero"), "maybe", "options.zero", "'maybe' is not one of on | off"),
    (("options", "speed"), 3, "options", "no option 'speed'"),
    (("fairness", "commitment"), "00" * 32, "fairness.commitment", "the seed's SHA-256 is"),
    (("fairness", "seed"), "00" * 32, "fairness.commitment", "the seed's SHA-256 is"),
    (("fairness", "nonce_hashes", 1), "00" * 32, "fairness.nonce_hashes[1]", "the nonce's SHA-256 is"),
    (("fairness", "nonces", 2), "0123", "fairness.nonce_hashes[2]", "the nonce's SHA-256 is"),
    (("steps", 0, "draw"), "start/lots", "step 1 (steps[0].draw)", "'start/lots' is drawn, but due is start/lot"),
    (("steps", 0, "of"), [4], "step 1 (steps[0].of)", "start/lot is drawn out of [3], not [4]"),
    (("steps", 2, "moves", "0"), "hide 9", "step 3 (steps[2].moves.0)", "illegal: hide 9: this seat owns 3"),
    (("steps", 2, "moves", "0"), "hide 03", "step 3 (steps[2].moves.0)", "'hide 03' is no move"),
    (("steps", 2, "moves", "0"), "call", "step 3 (steps[2].moves.0)", "illegal: call: coins are being hidden now"),
    (("steps", 3, "moves"), {"0": "zero", "1": "zero"}, "step 4 (steps[3].moves)", "but the moves are of [0, 1]"),
    (("steps", 2, "moves"), {"0": "hide 1", "1": "hide 1", "2": "hide 1"}, "step 3 (steps[2].moves)", "seats 0, 1 are"),
    (("steps", 1), {"moves": {"0": "hide 1"}}, "step 2 (steps[1].moves)", "seats 0, 1, 2 are asked"),
    (("steps", 1, "fault", "seat"), 1, "step 3 (steps[2].moves)", "seats 0, 2 are asked"),
    (("steps", 1, "fault", "then"), "default", "step 3 (steps[2].moves)", "seats 0, 1, 2 are asked"),
    (("steps", 12, "fault", "then"), "default", "steps", "the record ends after step 13, but seats 0, 1 are asked"),
    (("steps", 12, "fault", "seat"), 2, "step 13 (steps[12].fault.seat)", "seats 0, 1 are asked, not seat 2"),
    (("outcome", "reason"), "stall_rounds", "outcome.reason", "'stall_rounds', but the match ends with 'last_left'"),
    (("outcome", "scores"), [9, 9, 9], "outcome.scores", "[9, 9, 9], but the match ends with"),
    (("outcome", "places"), [1, 1, 1], "outcome.places", "[1, 1, 1], but the match ends with"),
]


@pytest.mark.parametrize(("path", "value", "begins", "says"), TAMPERED)
def test_a_change_is_named(path: tuple[str | int, ...], value: object, begins: str, says: str) -> None:
    with pytest.raises(VerificationError) as found:
        tampered(PLAIN, *path, to=value)
    text = str(found.value)
    assert text.startswith(f"{begins}: ")
    assert says in text
    text.encode()


def test_another_number_drawn() -> None:
    lot = json.loads(PLAIN.read_text())["steps"][0]["got"][0]
    with pytest.raises(VerificationError, match=rf"^step 1 \(steps\[0\]\.got\[0\]\): .* the table key gives {lot}$"):
        tampered(PLAIN, "steps", 0, "got", to=[(lot + 1) % 3])


def test_nonces_in_another_order_make_another_key() -> None:
    tree = json.loads(PLAIN.read_text())
    orders = [[1, 0, 2], [2, 1, 0], [0, 2, 1], [1, 2, 0], [2, 0, 1]]
    found = set()
    for order in orders:
        for field in ("nonces", "nonce_hashes"):
            given = json.loads(PLAIN.read_text())["fairness"][field]
            tree["fairness"][field] = [given[index] for index in order]
        try:
            verify(records.read(json.dumps(tree)))
        except VerificationError as error:
            found.add(error.where)
    # the key of another order may give the same lot out of three, but not each time
    assert found == {"steps[0].got[0]"}


def test_a_preset_for_fewer_players() -> None:
    duel = scripted(2, [], first_starter="lot")
    assert duel.preset == "classic"
    with pytest.raises(VerificationError, match=r"^steps: "):
        verify(duel._replace(preset="duel"))
    three = scripted(3, [], first_starter="lot")
    with pytest.raises(VerificationError, match=r"^players: three_coins \(duel\) is for 2 players, not for 3$"):
        verify(three._replace(preset="duel"))


def test_a_missing_option() -> None:
    tree = json.loads(PLAIN.read_text())
    del tree["options"]["stall_rounds"]
    with pytest.raises(VerificationError, match=r"^options.stall_rounds: this option has no value"):
        verify(records.read(json.dumps(tree)))


def test_options_without_a_preset() -> None:
    tampered(PLAIN, "preset", to=None)  # claims less than it could, and nothing false
    record = scripted(2, [forfeit(0)], coin_cap=5)
    assert record.preset is None
    verify(record)


def leaves(tree: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    if isinstance(tree, dict | list):
        for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
            yield from leaves(value, (*path, key))
    else:
        yield path, tree


def another(value: Any) -> Any:
    """A value of the same type that is not ``value``."""
    if isinstance(value, str):
        return ("1" if value[0] == "0" else "0") + value[1:] if value else "00"
    return 7 if value is None else value + 1


ONLY_THE_NAME = ("match", "bot", "version", "kind", "detail")
NOTHING = ("ms", "started")


def verify_and_name(text: str, name: str) -> None:
    record = records.read(text)
    verify(record)
    check_name(record, name)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_leaf_of_a_record_counts(file: Path) -> None:
    """Each single value of each record, changed: found where it stands, or by the name, or free to change."""
    tree = json.loads(file.read_text())
    name = records.name(records.read(file.read_text()))
    kinds = set()
    every = list(leaves(tree))
    in_steps = [leaf for leaf in every if leaf[0][0] == "steps"]
    for path, value in [leaf for leaf in every if leaf[0][0] != "steps"] + list(share(in_steps, number=1, of=5)):
        at: Any = tree
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = another(value)
        text = json.dumps(tree)
        at[path[-1]] = value
        kinds.add(path[0])
        if any(key in NOTHING for key in path):
            verify(records.read(text))
            check_name(records.read(text), name)
        elif any(key in ONLY_THE_NAME for key in path):
            verify(records.read(text))
            with pytest.raises(VerificationError, match=r"^name: "):
                check_name(records.read(text), name)
        elif path[0] == "options" and tree["preset"] is None:
            # another rule need not have made a difference to this match
            with pytest.raises((VerificationError, RecordError)):
                verify_and_name(text, name)
        else:
            with pytest.raises((VerificationError, RecordError)) as found:
                verify(records.read(text))
            if path[0] == "steps":
                assert f"step {int(path[1]) + 1} (steps[{path[1]}]" in str(found.value)
            elif path[0] in ("fairness", "outcome"):
                assert str(found.value).startswith(f"{path[0]}.")
    assert kinds >= {"game", "options", "fairness", "steps", "outcome", "players"}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_step_lost_or_added_is_found(file: Path) -> None:
    record = records.read(file.read_bytes())
    steps = record.steps
    for index in range(len(steps)):
        with pytest.raises(VerificationError, match=r"^(step \d+ |steps: |outcome)"):
            verify(record._replace(steps=steps[: index + 1] + steps[index:]))
        lost = record._replace(steps=steps[:index] + steps[index + 1 :])
        if isinstance(steps[index], MovesStep) and isinstance(steps[min(index + 1, len(steps) - 1)], FaultStep):
            # who forfeits one step earlier may end the match alike: another honest match, with another name
            assert records.name(lost) != records.name(record)
            continue
        with pytest.raises(VerificationError, match=r"^(step \d+ |steps: |outcome)"):
            verify(lost)


def test_a_record_cut_short() -> None:
    record = records.read(PLAIN.read_bytes())
    with pytest.raises(
        VerificationError, match=r"^steps: the record ends after step 0, but the draw start/lot is due$"
    ):
        verify(record._replace(steps=()))
    with pytest.raises(VerificationError, match=r"^steps: the record ends after step 1, but seats 0, 1, 2 are asked$"):
        verify(record._replace(steps=record.steps[:1]))
    last = len(record.steps) - 1
    with pytest.raises(
        VerificationError, match=rf"^steps: the record ends after step {last}, but seats 0, 1 are asked$"
    ):
        verify(record._replace(steps=record.steps[:-1]))


def test_nothing_after_the_end() -> None:
    record = scripted(2, [forfeit(1)])
    verify(record)
    for more in (MovesStep({0: "hide 0"}, None), DrawStep("start/lot", (2,), (0,))):
        with pytest.raises(VerificationError, match=r"^step 2 \(steps\[1\]\): the match is over"):
            verify(record._replace(steps=(*record.steps, more)))
    # one more forfeit of the same decision is not after the end, but it changes it
    with pytest.raises(VerificationError, match=r"^outcome\.places: "):
        verify(scripted(2, [forfeit(0)])._replace(steps=(forfeit(0), forfeit(1))))


def test_draws_out_of_place() -> None:
    record = records.read(PLAIN.read_bytes())
    lot, *others = record.steps
    with pytest.raises(VerificationError, match=r"^step 1 \(steps\[0\]\): the draw start/lot is due before anything"):
        verify(record._replace(steps=(*others,)))
    with pytest.raises(VerificationError, match=r"^step 1 .*: the draw start/lot is due before anything"):
        verify(record._replace(steps=(forfeit(0), lot, *others)))
    with pytest.raises(VerificationError, match=r"^step 2 \(steps\[1\]\.draw\): 'start/lot' is drawn, but no draw is"):
        verify(record._replace(steps=(lot, lot, *others)))


def test_an_equally_good_move_is_caught_by_the_name_alone() -> None:
    record = records.read(PLAIN.read_bytes())
    name = records.name(record)
    passed = []
    for index, step in enumerate(record.steps):
        if not isinstance(step, MovesStep):
            continue
        for seat, move in step.moves.items():
            for other in (f"{move.partition(' ')[0]} {n}" for n in range(10)):
                swapped = step._replace(moves={**step.moves, seat: other})
                changed = record._replace(steps=(*record.steps[:index], swapped, *record.steps[index + 1 :]))
                try:
                    verify(changed)
                except VerificationError:
                    continue
                if other != move:
                    passed.append((index, other))
                    with pytest.raises(VerificationError, match=r"^name: this record is [0-9a-f]{64}, not '"):
                        check_name(changed, name)
    assert passed


def test_a_hidden_seed() -> None:
    with pytest.raises(NotYetRevealed, match="nothing can be verified yet"):
        tampered(PLAIN, "fairness", "seed", to=None)
    hidden = copy.deepcopy(json.loads(PLAIN.read_text()))
    hidden["fairness"]["seed"] = None
    assert len(list(frames(records.read(json.dumps(hidden)), PUBLIC))) == len(hidden["steps"]) + 1


def test_errors_travel_between_processes() -> None:
    error = pickle.loads(pickle.dumps(NotYetRevealed("steps[4]", "no")))
    assert isinstance(error, NotYetRevealed)
    assert str(error) == "step 5 (steps[4]): no"


# ---- faults --------------------------------------------------------------------------------------

OPENS: Script = [{0: "hide 1", 1: "hide 1", 2: "hide 1"}]
ENDS: Script = [forfeit(0), forfeit(1)]  # of three players who are hiding
ENDS_OF_TWO: Script = [forfeit(1), forfeit(2)]


def test_forfeits_of_one_decision_are_one() -> None:
    record = scripted(4, [forfeit(1), forfeit(3), {0: "hide 0", 2: "hide 1"}, forfeit(0)])
    verify(record)
    assert record.outcome == Outcome((2, 3, 1, 3), "last_left", (0, 0, 3, 0))
    start, first, second, hidden, _ = fold(record)
    assert first == (0, start.state, ())
    assert second.step == 1
    assert second.events == (WentOut((1, 3), forfeit=True),)
    assert [type(event) for event in hidden.events[:2]] == [Hid, Hid]


def test_all_forfeit_at_once() -> None:
    record = scripted(3, [forfeit(0), forfeit(1), forfeit(2)])
    verify(record)
    assert record.outcome == Outcome((1, 1, 1), "last_left", (0, 0, 0))


def test_forfeits_one_after_the_other() -> None:
    record = scripted(3, [*OPENS, forfeit(0), {1: "hide 0", 2: "hide 0"}, forfeit(1)])
    verify(record)
    assert record.outcome.places == (3, 2, 1)


def test_the_hands_of_exactly_the_others() -> None:
    for hands in ({0: "hide 0", 1: "hide 0", 2: "hide 0"}, {2: "hide 0"}):
        with pytest.raises(VerificationError, match=r"^step 2 \(steps\[1\]\.moves\): seats 0, 2 are asked"):
            verify(scripted(3, [forfeit(1), hands]))


@pytest.mark.parametrize("then", ["forfeit", "default"])
def test_a_fault_is_of_a_seat_that_is_asked(then: str) -> None:
    fault = FaultStep(2, "gone", "", then)
    with pytest.raises(VerificationError, match=r"^step 2 \(steps\[1\]\.fault\.seat\): seat 0 is asked, not seat 2"):
        verify(scripted(3, [*OPENS, fault]))
    hands = {0: "hide 0", 1: "hide 0"}
    with pytest.raises(VerificationError, match=r"^step 3 \(steps\[2\]\.fault\.seat\): seat 0 is asked, not seat 2"):
        verify(scripted(3, [forfeit(2), hands, fault]))


def test_the_first_fault_is_final() -> None:
    for first, again in ((forfeit, forfeit), (forfeit, default), (default, forfeit), (default, default)):
        with pytest.raises(VerificationError, match=r"^step 2 .* the first fault of seat 1 at this decision was final"):
            verify(scripted(3, [first(1), again(1), {0: "hide 0", 2: "hide 0"}]))
    with pytest.raises(VerificationError, match=r"^step 3 .* the first fault of seat 0 at this decision was final"):
        verify(scripted(3, [*OPENS, default(0), default(0)]))


def test_faults_stand_in_the_order_of_the_seats() -> None:
    for first, second in ((forfeit, forfeit), (default, default), (forfeit, default), (default, forfeit)):
        with pytest.raises(VerificationError, match=r"^step 2 .* in the order of the seats"):
            verify(scripted(3, [first(2), second(0)]))


def test_default_moves() -> None:
    hiding = [default(0), default(2), {0: "hide 0", 1: "hide 2", 2: "hide 0"}]
    record = scripted(3, [*hiding, default(0), {0: "bid 1"}, default(1), {1: "call"}, *ENDS])
    verify(record)
    assert record.outcome == Outcome((2, 2, 1), "last_left", (0, 0, 3))
    assert [folded.events for folded in fold(record)][1:3] == [(), ()]


def test_defaults_and_forfeits_of_one_decision() -> None:
    for faults in ([default(0), forfeit(1)], [forfeit(1), default(2)], [default(0), forfeit(1), default(2)]):
        record = scripted(3, [*faults, {0: "hide 0", 2: "hide 0"}, forfeit(0)])
        verify(record)
        assert record.outcome.places == (2, 3, 1)
    # where the forfeits end the match nobody hides any more
    verify(scripted(2, [default(0), forfeit(1)]))
    verify(scripted(3, [forfeit(0), forfeit(1), default(2)]))


@pytest.mark.parametrize(
    ("script", "where"),
    [
        ([default(1), {0: "hide 0", 1: "hide 1", 2: "hide 0"}], r"step 2 \(steps\[1\]\.moves\.1\)"),
        ([forfeit(0), default(1), {1: "hide 1", 2: "hide 0"}], r"step 3 \(steps\[2\]\.moves\.1\)"),
        ([*OPENS, default(0), {0: "bid 2"}], r"step 3 \(steps\[2\]\.moves\.0\)"),
        ([*OPENS, {0: "bid 1"}, default(1), {1: "bid 2"}], r"step 4 \(steps\[3\]\.moves\.1\)"),
    ],
)
def test_after_a_default_fault_comes_the_default_move(script: Script, where: str) -> None:
    with pytest.raises(VerificationError, match=rf"^{where}: after the fault the default move '.*' is made, not '"):
        verify(scripted(3, script))


def test_a_default_fault_binds_one_decision_only() -> None:
    verify(
        scripted(3, [*OPENS, default(0), {0: "bid 1"}, {1: "bid 2"}, {2: "bid 3"}, {0: "bid 5"}, {1: "call"}, *ENDS])
    )


def test_a_default_move_that_never_came() -> None:
    with pytest.raises(VerificationError, match="the record ends after step 2, but seat 0 is asked"):
        verify(scripted(3, [*OPENS, default(0)]))
    with pytest.raises(VerificationError, match=r"step 2 \(steps\[1\]\.moves\): seats 0, 1, 2 are asked"):
        verify(scripted(3, [default(0), {1: "hide 0", 2: "hide 0"}]))


def test_a_move_is_written_in_its_one_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if a game could read more texts than it writes."""

    class Lax(type(COINS)):  # type: ignore[misc]
        def parse(self, text: str) -> Any:
            return super().parse(text.strip())

    record = scripted(2, [{0: "hide 1", 1: " hide 1"}])
    monkeypatch.setattr("arena.verify.find_game", lambda _: Lax())
    with pytest.raises(VerificationError, match=r"^step 1 \(steps\[0\]\.moves\.1\): ' hide 1' is written 'hide 1'$"):
        verify(record)


def test_a_faulty_move_is_no_move() -> None:
    with pytest.raises(VerificationError, match=r"^step 3 \(steps\[2\]\.moves\)"):
        verify(scripted(3, [*OPENS, forfeit(0), {0: "bid 1"}]))


# ---- frames --------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
@pytest.mark.parametrize("viewer", [PUBLIC, OMNISCIENT, at_seat(0)], ids=str)
def test_frames_are_the_fold_through_one_pair_of_eyes(file: Path, viewer: Any) -> None:
    record = records.read(file.read_bytes())
    folded = list(fold(record))
    assert [one.step for one in folded] == list(range(-1, len(record.steps)))
    seen = list(frames(record, viewer))
    game = find_game(record.game)
    assert seen == [(one.step, game.view(one.state, viewer), heard(one.events, viewer)) for one in folded]


def test_frames_show_a_seat_its_own_fist_only() -> None:
    record = scripted(3, [*OPENS, forfeit(0), *ENDS_OF_TWO])
    own = list(frames(record, at_seat(1)))[1]
    assert own.view.hands == (None, 1, None)
    assert [event.seat for event in own.events if isinstance(event, Hid)] == [1]
    public = list(frames(record, PUBLIC))[1]
    assert public.view.hands == (None, None, None)
    assert not [event for event in public.events if isinstance(event, Hid)]
    assert list(frames(record, OMNISCIENT))[1].view.hands == (1, 1, 1)


def test_frames_go_as_far_as_the_rules_do() -> None:
    seen = frames(scripted(3, [*OPENS, {0: "bid 10"}]), PUBLIC)
    assert [next(seen).step, next(seen).step] == [-1, 0]
    with pytest.raises(VerificationError, match=r"^step 2 "):
        next(seen)


# ---- malice --------------------------------------------------------------------------------------


def test_a_million_steps_too_many() -> None:
    record = scripted(2, [forfeit(0)])
    flood = record._replace(steps=record.steps * 1_000_000)
    began = time.process_time()
    with pytest.raises(VerificationError, match="step 2 "):
        verify(flood)
    assert time.process_time() - began < 2


def test_a_long_match_is_folded_without_being_kept() -> None:
    """Thousands of rounds in which nothing moves: the fold runs on, each step in little time."""
    rounds = 3000
    still: Script = [{0: "hide 1", 1: "hide 1"}, {0: "max"}] * rounds
    record = scripted(2, still, start_coins=1, max_rounds=rounds, stall_rounds=1_000_000)
    verify(record)
    assert record.outcome == Outcome((1, 1), "max_rounds", (1, 1))


STEPS = st.lists(
    st.one_of(
        st.builds(DrawStep, st.sampled_from(["start/lot", "x"]), st.just((3,)), st.tuples(st.integers(0, 2))),
        st.builds(
            MovesStep,
            st.dictionaries(
                st.integers(0, 2),
                st.sampled_from(["hide 0", "hide 1", "bid 1", "bid 2", "bid 99", "call", "cliff", "zero", "max", "é"]),
                min_size=1,
            ),
            st.none(),
        ),
        st.builds(FaultStep, st.integers(0, 2), st.just("late"), st.just(""), st.sampled_from(["forfeit", "default"])),
    ),
    max_size=8,
)


@settings(max_examples=often(60, everything=800), deadline=None)
@given(STEPS, st.sampled_from(["lot", "seat"]))
def test_fuzz_steps(steps: list[Any], first_starter: str) -> None:
    """Whatever steps a record has, it holds or a `VerificationError` says why not."""
    record = scripted(3, [], first_starter=first_starter)._replace(steps=tuple(steps))
    with contextlib.suppress(VerificationError):
        verify(record)


def test_errors_can_be_printed() -> None:
    with pytest.raises(VerificationError) as found:
        verify(scripted(2, [{0: "hide 1", 1: "hide 1"}, {0: "bid 1\x1b[2J\ud800"}]))
    assert "\x1b" not in str(found.value)
    str(found.value).encode()
