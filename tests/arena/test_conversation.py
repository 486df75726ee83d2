"""A bot's side of the conversation, without a line: messages in, replies out."""

from __future__ import annotations

from typing import Any

import pytest

from arena import chance, wire
from arena.conversation import Conversation, Report
from arena.kit import Bot, BotError
from arena.protocol.v1 import arena_pb2 as pb
from arena.rules import Outcome, ruleset
from arena.table import MatchEnd, MatchInfo, Player, Question
from tests.arena.playouts import GAME, playout

MATCH = playout(3, "duel", 2, {})
QUESTIONS = [question for seat, question in MATCH.asked if seat == 0]


class Recorder(Bot):
    """Plays the first legal move, and keeps what it is told."""

    game = "three_coins"
    made: list[Recorder] = []  # noqa: RUF012

    def __init__(self) -> None:
        self.heard: list[Any] = []
        self.asked = 0
        self.ends: list[MatchEnd] = []
        Recorder.made.append(self)

    def on_start(self, match: MatchInfo) -> None:
        self.match = match

    def on_event(self, event: Any) -> None:
        self.heard.append(event)

    def choose(self, view: Any) -> Any:
        self.asked += 1
        self.log("asked", self.asked)
        return view.legal[0]

    def on_end(self, end: MatchEnd) -> None:
        self.ends.append(end)


@pytest.fixture
def reports() -> list[Report]:
    Recorder.made = []
    return []


@pytest.fixture
def conversation(reports: list[Report]) -> Conversation:
    return Conversation(Recorder, game="three_coins", token="secret", version="7", tell=reports.append)


def start(so_far: tuple[Any, ...] = (), match: str = "m-1") -> pb.PlayResponse:
    info = MatchInfo(match, 0, (Player("a", None), Player("b", None)), ruleset(GAME, "duel"), None, "forfeit")
    return pb.PlayResponse(match_start=wire.match_start_to_proto(GAME, info, so_far))


def ask(question: Question) -> pb.PlayResponse:
    return pb.PlayResponse(question=wire.question_to_proto(GAME, question))


def end(end: MatchEnd) -> pb.PlayResponse:
    return pb.PlayResponse(match_end=wire.match_end_to_proto(GAME, end))


def told(reports: list[Report], kind: str) -> list[str]:
    return [report.text for report in reports if report.kind == kind]


def test_hello_says_who_is_there(conversation: Conversation) -> None:
    hello = conversation.hello().hello
    assert (hello.token, hello.game, hello.version, hello.resume) == ("secret", "three_coins", "7", "")
    assert hello.software.startswith("bluff-arena ")


def test_after_welcome_the_session_is_used_to_come_back(conversation: Conversation) -> None:
    conversation.receive(pb.PlayResponse(welcome=pb.Welcome(bot="mine", session="s-1")))
    assert conversation.hello().hello.resume == "s-1"
    conversation.forget_session()
    assert conversation.hello().hello.resume == ""


def test_a_message_of_an_unknown_kind_is_passed_over(conversation: Conversation) -> None:
    assert conversation.receive(pb.PlayResponse()) == []


def test_a_whole_match(conversation: Conversation, reports: list[Report]) -> None:
    assert [reply.WhichOneof("message") for reply in conversation.receive(start())] == ["ready"]
    for number, question in enumerate(QUESTIONS, start=1):
        (reply,) = conversation.receive(ask(question))
        assert reply.answer.decision == question.decision
        assert wire.answer_from_proto(GAME, reply.answer) == question.view.legal[0]
        assert list(reply.answer.log) == [f"asked {number}"]
    assert conversation.receive(end(MatchEnd("m-1", Outcome((1, 2), "last_left", (3, 0))))) == []
    (bot,) = Recorder.made
    assert bot.heard == [event for question in QUESTIONS for event in question.events]
    assert bot.match.seat == 0
    assert bot.ends == [MatchEnd("m-1", Outcome((1, 2), "last_left", (3, 0)))]
    assert told(reports, "end") == ["m-1: place 1 of 2"]
    assert conversation.matches == 1


def test_every_match_has_a_bot_of_its_own(conversation: Conversation) -> None:
    for match in ("m-1", "m-2"):
        conversation.receive(start(match=match))
        conversation.receive(end(MatchEnd(match, Outcome((1, 1), "max_rounds", (3, 3)))))
    assert [bot.match.match for bot in Recorder.made] == ["m-1", "m-2"]


def test_a_bot_that_fails_answers_with_its_traceback_and_no_move(reports: list[Report]) -> None:
    class Broken(Bot):
        game = "three_coins"

        def choose(self, view: Any) -> Any:
            raise ZeroDivisionError("oh no")

    conversation = Conversation(Broken, game="three_coins", token="", tell=reports.append)
    conversation.receive(start())
    (reply,) = conversation.receive(ask(QUESTIONS[0]))
    assert not reply.answer.HasField("move")
    assert "ZeroDivisionError: oh no" in reply.answer.log[0]
    assert "test_conversation.py" in reply.answer.log[0]
    assert "oh no" in told(reports, "bot-error")[0]


@pytest.mark.parametrize("hook", ["on_start", "on_event"])
def test_a_hook_that_fails_costs_the_next_decision_and_only_that(hook: str) -> None:
    class Fragile(Recorder):
        failed = False

    def fail(self: Any, _value: Any) -> None:
        if not Fragile.failed:
            Fragile.failed = True
            raise KeyError(hook)

    setattr(Fragile, hook, fail)
    conversation = Conversation(Fragile, game="three_coins", token="")
    conversation.receive(start())
    first, second = (conversation.receive(ask(question))[0].answer for question in QUESTIONS[:2])
    assert f"KeyError: '{hook}'" in first.log[0]
    assert not first.HasField("move")
    assert second.HasField("move")


def test_halves_of_characters_are_replaced_whatever_brings_them(reports: list[Report]) -> None:
    class Halves(Recorder):
        def choose(self, view: Any) -> Any:
            self.log("log \ud800")
            raise ValueError("error \ud800")

    conversation = Conversation(Halves, game="three_coins", token="", tell=reports.append)
    conversation.receive(start())
    (reply,) = conversation.receive(ask(QUESTIONS[0]))
    assert reply.SerializeToString()
    assert any("error ?" in line for line in reply.answer.log)
    assert "log ?" in reply.answer.log
    assert not any("\ud800" in report.text for report in reports)


def test_an_unreadable_choice_is_explained_in_the_log(reports: list[Report]) -> None:
    class Mute(Bot):
        game = "three_coins"

        def choose(self, view: Any) -> Any:
            return None

    conversation = Conversation(Mute, game="three_coins", token="", tell=reports.append)
    conversation.receive(start())
    (reply,) = conversation.receive(ask(QUESTIONS[0]))
    assert not reply.answer.HasField("move")
    assert "returned nothing (None)" in reply.answer.log[0]


def test_a_bot_that_cannot_be_made_is_ready_but_silent(reports: list[Report]) -> None:
    def make() -> Bot:
        raise BotError("mine.py:3: no coffee")

    conversation = Conversation(make, game="three_coins", token="", tell=reports.append)
    assert conversation.receive(start())[0].WhichOneof("message") == "ready"
    assert not conversation.receive(ask(QUESTIONS[0]))[0].answer.HasField("move")
    assert told(reports, "bot-error") == ["mine.py:3: no coffee"]


def test_a_question_that_cannot_be_understood_is_answered_without_a_move(conversation: Conversation) -> None:
    conversation.receive(start())
    (reply,) = conversation.receive(pb.PlayResponse(question=pb.Question(decision=4)))
    assert (reply.answer.decision, reply.answer.HasField("move")) == (4, False)
    assert "a view of no game" in reply.answer.log[0]


# ---- a lost line ---------------------------------------------------------------------------------


def test_asked_again_after_a_lost_line_the_bot_is_not_asked_again(conversation: Conversation) -> None:
    conversation.receive(start())
    first = conversation.receive(ask(QUESTIONS[0]))
    # what the arena does for a seat that is taken again: all that was perceived, then the question without events
    assert conversation.receive(start(so_far=QUESTIONS[0].events))[0].WhichOneof("message") == "ready"
    assert conversation.receive(ask(QUESTIONS[0]._replace(events=()))) == first
    (bot,) = Recorder.made
    assert bot.asked == 1
    assert bot.heard == list(QUESTIONS[0].events)


def test_a_question_that_was_lost_with_the_line_is_heard_through_what_happened_so_far(
    conversation: Conversation,
) -> None:
    conversation.receive(start())
    conversation.receive(ask(QUESTIONS[0]))
    conversation.receive(start(so_far=QUESTIONS[0].events + QUESTIONS[1].events))
    conversation.receive(ask(QUESTIONS[1]._replace(events=())))
    (bot,) = Recorder.made
    assert bot.heard == [*QUESTIONS[0].events, *QUESTIONS[1].events]
    assert bot.asked == 2


def test_a_new_process_that_takes_a_seat_hears_all_that_happened(conversation: Conversation) -> None:
    conversation.receive(start(so_far=QUESTIONS[0].events))
    assert Recorder.made[0].heard == list(QUESTIONS[0].events)


# ---- the luck of a block -------------------------------------------------------------------------


def exchange(conversation: Conversation, block: str = "b-1") -> tuple[bytes, bytes]:
    """The bot's hash and nonce, as it gives them."""
    (committed,) = conversation.receive(pb.PlayResponse(block_opening=pb.BlockOpening(block=block)))
    hashed = committed.nonce_hash.hash
    told = pb.BlockCommitment(block=block, commitment=b"c" * 32, nonce_hashes=[hashed, b"x" * 32], send_nonce=True)
    (revealed,) = conversation.receive(pb.PlayResponse(block_commitment=told))
    return hashed, revealed.nonce.nonce


def test_the_nonce_fits_the_hash_that_was_given_before(conversation: Conversation) -> None:
    hashed, nonce = exchange(conversation)
    assert len(nonce) == 16
    assert chance.digest(nonce) == hashed
    assert exchange(conversation, "b-2")[1] != nonce


def test_asked_again_for_the_same_block_it_is_the_same_nonce(conversation: Conversation) -> None:
    assert exchange(conversation) == exchange(conversation)
    assert conversation.unfair == []


def test_a_nonce_that_is_not_asked_for_is_kept(conversation: Conversation) -> None:
    told = pb.BlockCommitment(block="b-1", commitment=b"c" * 32, nonce_hashes=[b"x" * 32])
    assert conversation.receive(pb.PlayResponse(block_commitment=told)) == []
    assert conversation.unfair == []


def test_a_hash_that_is_missing_from_the_table_is_reported(conversation: Conversation, reports: list[Report]) -> None:
    conversation.receive(pb.PlayResponse(block_opening=pb.BlockOpening(block="b-1")))
    told_ = pb.BlockCommitment(block="b-1", commitment=b"c" * 32, nonce_hashes=[b"x" * 32], send_nonce=True)
    conversation.receive(pb.PlayResponse(block_commitment=told_))
    assert "not among those of the table" in told(reports, "unfair")[0]
    assert len(conversation.unfair) == 1


def test_a_commitment_that_changes_is_reported(conversation: Conversation) -> None:
    for commitment in (b"c" * 32, b"d" * 32):
        told = pb.BlockCommitment(block="b-1", commitment=commitment, nonce_hashes=[b"x" * 32])
        conversation.receive(pb.PlayResponse(block_commitment=told))
    assert "was changed" in conversation.unfair[0]


def test_a_false_seed_is_reported(conversation: Conversation, reports: list[Report]) -> None:
    _, nonce = exchange(conversation)
    conversation.receive(pb.PlayResponse(block_reveal=pb.BlockReveal(block="b-1", seed=b"s" * 32, nonces=[nonce, b""])))
    assert any("the seed is not the one" in text for text in told(reports, "unfair"))
    assert any("the nonces are not those" in text for text in told(reports, "unfair"))


def test_a_voided_match_is_not_missed_at_the_end(conversation: Conversation) -> None:
    _, nonce = exchange(conversation)
    conversation.receive(start())
    conversation.receive(ask(QUESTIONS[0]))
    conversation.receive(end(MatchEnd("m-1", None, voided="a worker was lost")))
    conversation.receive(pb.PlayResponse(block_reveal=pb.BlockReveal(block="b-1", seed=b"s" * 32, nonces=[nonce])))
    assert not any("m-1" in text for text in conversation.unfair)


def test_errors_and_the_end_are_told(conversation: Conversation, reports: list[Report]) -> None:
    conversation.receive(pb.PlayResponse(error=pb.Error(code=pb.ERROR_CODE_TOO_MANY, message="too many")))
    assert conversation.error is not None
    assert conversation.error.code == pb.ERROR_CODE_TOO_MANY
    conversation.receive(pb.PlayResponse(series_end=pb.SeriesEnd(message="well played")))
    assert conversation.error is None
    assert conversation.over
    assert [report.kind for report in reports] == ["error", "series-end"]
