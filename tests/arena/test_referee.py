"""The referee on a clock that moves only when it is told to: deadlines, faults and whose they are, and the record."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.clock import FakeClock
from arena.games import GAMES
from arena.record import MovesStep, Record, read, write
from arena.referee import Gone, PlatformFailure, SeatFault, Unreadable
from arena.rules import PUBLIC, AnyGame, RulesetError, at_seat, heard, ruleset
from arena.seats import ScriptedSeat
from arena.seats.scripted import never
from arena.table import Limits, Penalty, Question
from arena.verify import fold, verify
from tests.arena.tables import GAME, LIMITS, RULES, after, failing, faults, kinds, moves, others, playing, scripted
from tests.breadth import often


async def finish(clock: FakeClock, match: Coroutine[Any, Any, Record], seconds: float = 0) -> Record:
    """The record of a match, in which the clock moves on by so many seconds."""
    task = asyncio.ensure_future(match)
    if seconds:
        await clock.advance(seconds)
    async with asyncio.timeout(60):
        record = await task
    assert not others()
    verify(record)
    assert read(write(record)) == record
    return record


# ---- time ----------------------------------------------------------------------------------------


async def test_thinking_times_are_recorded_and_what_goes_beyond_a_move_comes_out_of_the_bank() -> None:
    clock = FakeClock()
    seats = scripted(
        [
            after(clock, 0.25, "hide 3"),
            after(clock, 1.5, "bid 1"),
            after(clock, 2.25, "call"),
            after(clock, 0, "hide 0"),
        ],
        [after(clock, 0.75, "hide 3"), after(clock, 1.0, "bid 2")],
    )
    record = await finish(clock, playing(clock, seats), 10)
    assert [step.ms for step in moves(record)][:4] == [{0: 250.0, 1: 750.0}, {0: 1500.0}, {1: 1000.0}, {0: 2250.0}]
    assert [(q.deadline_ms, q.bank_ms) for q in seats[0].questions[:4]] == [
        (3000, 2000),
        (3000, 2000),
        (2500, 1500),
        (1250, 250),
    ]
    assert [(q.deadline_ms, q.bank_ms) for q in seats[1].questions[:3]] == [(3000, 2000)] * 3


async def test_an_answer_in_the_last_moment_counts_and_one_after_it_is_late() -> None:
    clock = FakeClock()
    record = await finish(clock, playing(clock, scripted([after(clock, 2.999, "hide 1"), "bid 1"], [])), 5)
    assert not faults(record)
    assert moves(record)[0].ms == {0: 2999.0, 1: 0.0}
    record = await finish(clock, playing(clock, scripted([after(clock, 3.001, "hide 1")], [])), 5)
    assert kinds(record) == [(0, "late", "forfeit")]
    assert faults(record)[0].detail == "no answer; it had 3000 ms to move (after 3000.0 ms)"


async def test_the_deadline_is_enforced_while_waiting() -> None:
    clock = FakeClock()
    match = asyncio.ensure_future(playing(clock, scripted([never], [])))
    await clock.advance(2.999)
    assert not match.done()
    await clock.advance(0.002)
    assert match.done()
    assert kinds(match.result()) == [(0, "late", "forfeit")]


async def test_an_exhausted_bank_leaves_the_time_of_a_move() -> None:
    clock = FakeClock()
    seats = scripted([never, never, never], [])
    match = asyncio.ensure_future(playing(clock, seats, penalty="default"))
    await clock.advance(3.5)
    assert [(q.deadline_ms, q.bank_ms) for q in seats[0].questions] == [(3000, 2000), (1000, 0)]
    await clock.advance(0.4)  # together 3.9 s: the second is still within its time
    assert len(seats[0].questions) == 2
    await clock.advance(0.2)
    assert len(seats[0].questions) == 3
    record = await finish(clock, _same(match), 1)
    assert kinds(record) == [(0, "late", "default")] * 3
    assert [step.ms[0] for step in moves(record) if step.ms and 0 in step.ms][:3] == [3000.0, 1000.0, 1000.0]
    assert "it had 1000 ms to move" in faults(record)[1].detail


async def _same(task: asyncio.Task[Record]) -> Record:
    return await task


async def test_the_clock_of_one_seat_is_not_stopped_by_another() -> None:
    """Asked together, each has its own deadline: that of seat 1 ends first, for it has used its bank."""
    clock = FakeClock()
    seats = scripted(
        [after(clock, 0, "hide 3"), after(clock, 0, "bid 1"), after(clock, 0, "call"), after(clock, 2.5, "hide 1")],
        [after(clock, 2.9, "hide 3"), after(clock, 0.5, "bid 2"), never],
    )
    record = await finish(clock, playing(clock, seats, penalty="default"), 20)
    assert kinds(record)[0] == (1, "late", "default")
    assert faults(record)[0].detail == "no answer; it had 1100 ms to move (after 1100.0 ms)"
    third = moves(record)[4]
    assert third.moves == {0: "hide 1", 1: "hide 0"}
    assert third.ms == {0: 2500.0, 1: 1100.0}


async def test_without_limits_nothing_is_late() -> None:
    clock = FakeClock()
    seats = scripted([after(clock, 100_000, "hide 3")], [])
    record = await finish(clock, playing(clock, seats, limits=None), 200_000)
    assert not faults(record)
    assert seats[0].questions[0].deadline_ms is None


async def test_what_had_arrived_when_the_time_was_up_is_read_before_it_is_judged() -> None:
    clock = FakeClock()
    arrived: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    class Sluggish(FakeClock):
        """Hands over what has arrived only when it is drained after the deadline."""

        async def drain(self) -> None:
            if self.now() >= 3 and not arrived.done():
                arrived.set_result("hide 2")
            await super().drain()

    async def act(_question: Question) -> Any:
        return GAME.parse(await arrived)

    clock = Sluggish()
    waiting = asyncio.ensure_future(playing(clock, scripted([act], [])))
    await FakeClock.drain(clock)
    clock._now = 3.0
    clock._wake()  # the time is up, and the answer has not been handed over
    record = await finish(clock, _same(waiting))
    assert not faults(record)
    assert moves(record)[0].moves[0] == "hide 2"


# ---- our own lag ---------------------------------------------------------------------------------


async def test_an_answer_within_the_time_that_our_stall_took_breaks_the_match_off() -> None:
    clock = FakeClock()
    seats = scripted([after(clock, 3.06, "hide 1")], [])
    match = asyncio.ensure_future(playing(clock, seats))
    await clock.drain()
    clock.stall(0.075)
    await clock.advance(5)
    with pytest.raises(PlatformFailure, match="stood still for 75 ms"):
        await match
    assert [len(seat.ends) for seat in seats] == [1, 1]
    assert all("stood still for 75 ms" in seat.ends[0].voided for seat in seats)
    assert all(seat.ends[0].outcome is None and not seat.ends[0].faults for seat in seats)
    assert not others()


@pytest.mark.parametrize("answer", [3.08, 1000.0])
async def test_no_answer_within_the_time_given_back_is_late(answer: float) -> None:
    clock = FakeClock()
    match = asyncio.ensure_future(playing(clock, scripted([after(clock, answer, "hide 1")], [])))
    await clock.drain()
    clock.stall(0.075)
    record = await finish(clock, _same(match), 5)
    assert faults(record)[0].kind == "late"
    assert faults(record)[0].detail.endswith(" (after 3075.0 ms)")


async def test_a_short_stall_is_no_excuse() -> None:
    clock = FakeClock()
    match = asyncio.ensure_future(playing(clock, scripted([after(clock, 3.01, "hide 1")], [])))
    await clock.drain()
    clock.stall(0.05)
    assert kinds(await finish(clock, _same(match), 5)) == [(0, "late", "forfeit")]


async def test_a_stall_before_the_question_is_no_excuse_for_it() -> None:
    clock = FakeClock()
    clock.stall(1.0)
    record = await finish(clock, playing(clock, scripted([after(clock, 3.01, "hide 1")], [])), 5)
    assert kinds(record) == [(0, "late", "forfeit")]


async def test_a_fault_that_comes_within_the_time_given_back_stays_a_fault() -> None:
    """It would have been one in time as well: otherwise whoever is losing would wait for a stall, and send garbage."""
    clock = FakeClock()

    async def garbage(_question: Question) -> Any:
        await clock.sleep(3.06)
        raise Unreadable("garbage")

    match = asyncio.ensure_future(playing(clock, scripted([garbage], [])))
    await clock.drain()
    clock.stall(0.075)
    record = await finish(clock, _same(match), 5)
    assert kinds(record) == [(0, "unreadable", "forfeit")]
    assert faults(record)[0].detail == "garbage (after 3060.0 ms)"


async def test_an_answer_that_arrived_during_a_stall_is_an_answer() -> None:
    clock = FakeClock()
    match = asyncio.ensure_future(playing(clock, scripted([after(clock, 2.9, "hide 1")], [])))
    await clock.drain()
    clock.stall(5)
    record = await finish(clock, _same(match), 5)
    assert not faults(record)
    assert moves(record)[0].moves[0] == "hide 1"


# ---- faults --------------------------------------------------------------------------------------


class Absent(ScriptedSeat):
    """A seat whose line is lost."""

    present = False


async def test_late_illegal_unreadable_and_gone_are_told_apart() -> None:
    clock = FakeClock()

    async def slowly_illegal(_question: Question) -> Any:
        await clock.sleep(0.0125)
        return GAME.parse("hide 7")

    seats = [
        ScriptedSeat(GAME, [never], immediate=False),
        ScriptedSeat(GAME, [slowly_illegal], immediate=False),
        ScriptedSeat(GAME, [failing(Unreadable("3 bytes of nothing"))], immediate=False),
        Absent(GAME, [never], immediate=False),
        ScriptedSeat(GAME, [failing(Gone("its process ended (exit status 3)"))], immediate=False),
        ScriptedSeat(GAME, immediate=False),
    ]
    record = await finish(clock, playing(clock, seats), 5)
    assert [(step.kind, step.detail) for step in faults(record)] == [
        ("late", "no answer; it had 3000 ms to move (after 3000.0 ms)"),
        ("illegal", "hide 7: this seat owns 3 (after 12.5 ms)"),
        ("unreadable", "3 bytes of nothing (after 0.0 ms)"),
        ("gone", "its line is lost; no answer; it had 3000 ms to move (after 3000.0 ms)"),
        ("gone", "its process ended (exit status 3) (after 0.0 ms)"),
    ]
    assert record.outcome.places == (2, 2, 2, 2, 2, 1)
    assert not moves(record)
    assert [step.seat for step in faults(record)] == [0, 1, 2, 3, 4]


async def test_faults_of_one_choice_leave_together_and_the_others_play_on() -> None:
    clock = FakeClock()
    seats = scripted(["hide 1"], [failing(Unreadable("x"))], ["hide 2"], ["hide 9"])
    record = await finish(clock, playing(clock, seats))
    assert kinds(record) == [(1, "unreadable", "forfeit"), (3, "illegal", "forfeit")]
    assert record.steps[2] == MovesStep({0: "hide 1", 2: "hide 2"}, {0: 0.0, 2: 0.0})
    assert record.outcome.places[1] == record.outcome.places[3] == 3
    for seat in (1, 3):
        assert len(seats[seat].questions) == 1
        (end,) = seats[seat].ends
        assert end.outcome is None
        assert [fault.seat for fault in end.faults] == [seat]
    assert all(seat.ends[0].outcome == record.outcome for seat in (seats[0], seats[2]))


async def test_everybody_at_fault_at_once_shares_the_first_place() -> None:
    clock = FakeClock()
    record = await finish(clock, playing(clock, scripted(["call"], ["hide 4"])))
    assert record.outcome.places == (1, 1)
    assert record.outcome.reason == "last_left"


async def test_a_forfeiter_hears_nothing_more() -> None:
    clock = FakeClock()
    seats = scripted(["hide 1", "hide 1"], ["hide 1"], ["hide 1"])
    record = await finish(clock, playing(clock, seats))
    assert kinds(record) == [(0, "illegal", "forfeit")]
    assert [len(seats[0].questions), len(seats[0].ends)] == [2, 1]
    assert len(moves(record)) > 3
    for event in (*seats[0].questions[-1].events, *seats[0].ends[0].events):
        assert type(event).__name__ != "MatchEnded"


async def test_in_practice_the_default_move_is_made_and_the_match_goes_on() -> None:
    clock = FakeClock()
    seats = scripted(["hide 9", failing(Unreadable("x")), "hide 1"], ["hide 1", "bid 0"])
    record = await finish(clock, playing(clock, seats, penalty="default"))
    assert kinds(record)[:3] == [(0, "illegal", "default"), (0, "unreadable", "default"), (1, "illegal", "default")]
    assert [step.moves for step in moves(record)[:3]] == [{0: "hide 0", 1: "hide 1"}, {0: "bid 1"}, {1: "call"}]
    assert list(moves(record)[0].moves) == [0, 1], "in the order of the seats"
    assert seats[0].ends[0].outcome == record.outcome
    assert [fault.kind for fault in seats[0].ends[0].faults][:2] == ["illegal", "unreadable"]
    assert all(fault.seat == 1 for fault in seats[1].ends[0].faults)


async def test_the_first_fault_of_a_decision_is_final() -> None:
    """A legal answer after an illegal one, in time, changes nothing: it is asked once and judged once."""
    clock = FakeClock()
    seats = scripted(["hide 9", "hide 1"], [])
    record = await finish(clock, playing(clock, seats))
    assert kinds(record) == [(0, "illegal", "forfeit")]
    assert seats[0].script == ["hide 1"]


async def test_the_words_of_a_stranger_are_cut_and_made_legible() -> None:
    clock = FakeClock()
    nasty = "\x1b[31m\0\ud800line\nnext " + "x" * 1000
    record = await finish(clock, playing(clock, scripted([failing(Unreadable(nasty))], []), limits=None))
    detail = faults(record)[0].detail
    assert detail.isprintable()
    assert "\0" not in detail
    assert "line next xxx" in detail
    assert len(detail) == 300


async def test_without_a_time_limit_a_fault_has_no_time_in_it_so_that_the_record_can_be_repeated() -> None:
    clock = FakeClock()
    record = await finish(clock, playing(clock, scripted(["hide 9"], []), limits=None))
    assert faults(record)[0].detail == "hide 9: this seat owns 3"


# ---- getting ready -------------------------------------------------------------------------------


class Starting(ScriptedSeat):
    """A seat that does something when it is told of the match."""

    def __init__(self, act: Callable[[], Awaitable[None]], *, present: bool = True, immediate: bool = False) -> None:
        super().__init__(GAME, immediate=immediate)
        self.act = act
        self.present = present

    async def start(self, info: Any) -> None:
        await super().start(info)
        await self.act()


async def _for_ever() -> None:
    await asyncio.Event().wait()


async def test_who_does_not_get_ready_is_at_fault_when_he_is_first_asked() -> None:
    clock = FakeClock()
    seats = [Starting(_for_ever), Starting(_for_ever, present=False), *scripted([], [])]
    record = await finish(clock, playing(clock, seats, rules=ruleset(GAME, "classic")), 11)
    assert type(record.steps[0]).__name__ == "DrawStep", "the lot comes first: at that point nobody is asked"
    assert [(step.kind, step.detail) for step in faults(record)] == [
        ("late", "no answer; it had 10000 ms to get ready (after 10000.0 ms)"),
        ("gone", "its line is lost; no answer; it had 10000 ms to get ready (after 10000.0 ms)"),
    ]
    assert not seats[0].questions
    assert record.outcome.places[:2] == (3, 3)


async def test_in_practice_who_gets_ready_late_plays_from_his_second_question_on() -> None:
    clock = FakeClock()
    seats = [Starting(_for_ever), *scripted(["hide 1"])]
    record = await finish(clock, playing(clock, seats, penalty="default"), 11)
    assert kinds(record) == [(0, "late", "default")]
    assert moves(record)[0].moves == {0: "hide 0", 1: "hide 1"}
    first = seats[0].questions[0]
    assert [type(event).__name__ for event in first.events] == ["RoundBegan", "Hid", "FistsClosed"]


@pytest.mark.parametrize("limits", [LIMITS, None])
async def test_a_failure_at_the_start_is_told_as_it_is(limits: Limits | None) -> None:
    async def fail() -> None:
        raise Gone("it fell over")

    clock = FakeClock()
    seats = [Starting(fail, immediate=True), ScriptedSeat(GAME), ScriptedSeat(GAME)]
    record = await finish(clock, playing(clock, seats, limits=limits), 1)
    assert kinds(record) == [(0, "gone", "forfeit")]
    assert faults(record)[0].detail.startswith("it fell over")


# ---- our own failures ----------------------------------------------------------------------------


@pytest.mark.parametrize("immediate", [True, False])
async def test_a_failure_of_the_platform_is_nobodys_fault_and_everybody_is_told(immediate: bool) -> None:
    clock = FakeClock()
    scripts: list[list[Any]] = [["hide 1", never], ["hide 1"], ["hide 1"]]
    seats = [ScriptedSeat(GAME, script, immediate=immediate) for script in scripts]
    broken = ScriptedSeat(GAME, [failing(PlatformFailure("the door was lost"))], immediate=immediate)
    limits = None if immediate else LIMITS
    with pytest.raises(PlatformFailure, match="the door was lost"):
        await finish(clock, playing(clock, [*seats, broken], limits=limits))
    for seat in (*seats, broken):
        (end,) = seat.ends
        assert (end.voided, end.outcome, end.faults) == ("the door was lost", None, ())
    assert not others()


async def test_a_failure_at_the_start_breaks_the_match_off_too() -> None:
    async def fail() -> None:
        raise PlatformFailure("no door")

    clock, seats = FakeClock(), [Starting(fail), Starting(_for_ever)]
    with pytest.raises(PlatformFailure):
        await playing(clock, seats)
    assert [seat.ends[0].voided for seat in seats] == ["no door"] * 2
    assert not others()


async def test_a_mistake_of_ours_voids_too_and_says_nothing_of_itself() -> None:
    clock, seats = FakeClock(), scripted([failing(ValueError("secret"))], [])
    with pytest.raises(ValueError, match="secret"):
        await playing(clock, seats)
    assert [seat.ends[0].voided for seat in seats] == ["an error of the arena"] * 2
    assert not others()


async def test_who_forfeited_before_is_not_told_that_the_match_is_void() -> None:
    clock = FakeClock()
    seats = scripted(["hide 9"], ["hide 1", failing(PlatformFailure("x"))], [])
    with pytest.raises(PlatformFailure):
        await playing(clock, seats)
    assert len(seats[0].ends) == 1
    assert not seats[0].ends[0].voided


async def test_a_cancelled_match_leaves_nothing_running() -> None:
    clock = FakeClock()
    match = asyncio.ensure_future(playing(clock, scripted([never], [never])))
    await clock.drain()
    assert len(others()) > 2
    match.cancel()
    with pytest.raises(asyncio.CancelledError):
        await match
    assert not others()


async def test_a_seat_that_is_slow_to_hear_the_end_does_not_hold_up_the_others() -> None:
    clock = FakeClock()

    class Slow(ScriptedSeat):
        async def end(self, end: Any) -> None:
            await clock.sleep(1.0)
            await super().end(end)

    seats = [Slow(GAME, ["hide 9"], immediate=False) for _ in range(3)]
    match = asyncio.ensure_future(playing(clock, seats))
    await clock.advance(1.0)
    assert match.done(), "three farewells of a second each take a second"


async def test_a_table_of_a_wrong_size_is_refused_before_anybody_hears_of_it() -> None:
    seats = scripted([])
    with pytest.raises(RulesetError):
        await playing(FakeClock(), seats)
    assert not seats[0].infos
    assert not seats[0].ends


# ---- what each seat hears, and what is written ------------------------------------------------------


async def test_each_seat_hears_its_own_events_and_each_once() -> None:
    clock = FakeClock()
    seats = scripted(["hide 2", "bid 1"], ["hide 3", "bid 3"], ["hide 0", "hide 7"], ["hide 1"])
    seen: list[Any] = []
    watched: list[Any] = []

    def watch(state: Any, events: Sequence[Any]) -> None:
        watched.append(GAME.view(state, PUBLIC))
        seen.extend(events)

    from arena import chance
    from arena.referee import Luck, play
    from tests.arena.tables import terms

    luck = Luck(chance.digest(b"x"), (b"",) * 4)
    record = await finish(clock, play(GAME, terms(4), seats, luck, clock=clock, watch=watch))
    assert kinds(record) == [(2, "illegal", "forfeit")]
    folded = [event for step in fold(record) for event in step.events]
    assert seen == folded
    assert len(watched) >= len(moves(record))
    for number, seat in enumerate(seats):
        told = [event for question in seat.questions for event in question.events] + list(seat.ends[0].events)
        everything = list(heard(folded, at_seat(number)))
        assert told == everything[: len(told)]
        assert (told == everything) == (number != 2), "all of it, but for who left"
        assert [question.decision for question in seat.questions] == list(range(1, len(seat.questions) + 1))
        assert all(question.view.seat == number for question in seat.questions)


FAULTS: list[Callable[[], SeatFault]] = [lambda: Unreadable("x"), lambda: Gone("y")]
PRESETS = [(game, preset.name) for game in GAMES.values() for preset in game.presets]


ILLEGAL = {"three_coins": ("bid 99", "hide 9"), "mia": ("look", "concede"), "commerce": ("give 2C", "refuse")}
"""Moves that the rules refuse in nearly every position."""


class Wild(ScriptedSeat):
    """Plays the move with the given number out of the legal ones; each of the numbers from 95 up is another fault."""

    def __init__(self, game: AnyGame, numbers: Sequence[int], clock: FakeClock, *, immediate: bool) -> None:
        super().__init__(game, immediate=immediate)
        self.numbers = list(numbers)
        self.clock = clock

    async def ask(self, question: Question) -> Any:
        self.questions.append(question)
        number = self.numbers[len(self.questions) % len(self.numbers)]
        if number == 99 and not self.immediate:
            await never(question)
        if number in (97, 98):
            raise FAULTS[number - 97]()
        if number in (95, 96):
            return self.game.parse(ILLEGAL[self.game.name][number - 95])
        if not self.immediate:
            await self.clock.sleep(number / 100)
        return question.view.legal[number % len(question.view.legal)]


@settings(max_examples=often(25, everything=240), deadline=None)
@given(
    chosen=st.sampled_from(PRESETS),
    players=st.integers(2, 6),
    penalty=st.sampled_from(["forfeit", "default"]),
    limits=st.sampled_from([None, LIMITS]),
    data=st.data(),
)
def test_every_record_verifies(
    chosen: tuple[AnyGame, str], players: int, penalty: Penalty, limits: Limits | None, data: st.DataObject
) -> None:
    game, preset = chosen
    rules = ruleset(game, preset, {"max_rounds": 6} if game.name == "three_coins" else {})
    if players not in ruleset(game, preset).players:
        players = ruleset(game, preset).players[0]
    often = data.draw(st.booleans())
    numbers = st.lists(st.integers(0, 94) | st.integers(90 if often else 0, 99), min_size=1, max_size=12)
    scripts = [data.draw(numbers) for _ in range(players)]

    async def run() -> tuple[Record, list[Wild]]:
        clock = FakeClock()
        seats = [Wild(game, script, clock, immediate=limits is None) for script in scripts]
        match = asyncio.ensure_future(
            playing(clock, seats, game=game, rules=rules, penalty=penalty, limits=limits, match="m-w")
        )
        while not match.done():
            await clock.advance(0.5)
        return await match, seats

    record, seats = asyncio.run(run())
    verify(record)
    assert all(list(step.moves) == sorted(step.moves) for step in moves(record))
    assert read(write(record)) == record
    folded = [event for step in fold(record) for event in step.events]
    forfeited = {step.seat for step in faults(record) if step.then == "forfeit"}
    for number, seat in enumerate(seats):
        (end,) = seat.ends
        told = [event for question in seat.questions for event in question.events] + list(end.events)
        assert told == list(heard(folded, at_seat(number)))[: len(told)]
        assert (end.outcome is None) == (number in forfeited)
        own = [(step.kind, step.detail) for step in faults(record) if step.seat == number]
        assert [(fault.kind, fault.detail) for fault in end.faults] == own
        if number not in forfeited:
            assert told == list(heard(folded, at_seat(number)))


def test_the_rules_used_here_begin_with_seat_0() -> None:
    assert RULES.values["first_starter"] == "seat"
