"""What a person at a table may see and do, and nobody else: the page, the answers, the names."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.db.models.functions import Now
from django.test import Client

from arena.chance import shuffle_sizes
from arena.games import GAMES
from arena.games.commerce import DECK
from arena.record import DrawStep, FaultStep, MovesStep, Step
from arena.rules import OMNISCIENT, ruleset
from arena.verify import so_far
from tests.webapp.making import make_block, make_user
from tests.webapp.moments import at_once
from tests.webapp.seating import Seat, bots, dealt, own_rules, seated
from webapp.bots import quarantine
from webapp.bots import services as bot_services
from webapp.bots.models import Bot, Version
from webapp.limits import TooOften
from webapp.matches import ladder
from webapp.matches import services as matches
from webapp.matches.management.commands.scheduler import DUTIES
from webapp.matches.models import Block, Series
from webapp.matches.rulesets import ensure_rulesets
from webapp.people import services
from webapp.people.models import Sitting
from webapp.people.services import Refused

pytestmark = pytest.mark.django_db


def put(seat: Seat, at: int) -> Seat:
    """The same person on this seat, whatever was drawn."""
    row = seat.row
    seats = list(row.series.seats.order_by("seat"))
    if row.seat != at:
        mine, other = seats[row.seat], seats[at]
        mine.version, other.version = other.version, mine.version
        mine.save()
        other.save()
        Sitting.objects.filter(pk=row.pk).update(seat=at)
    return seat


def shown(seat: Seat) -> str:
    """Everything that the page sends, without the tokens that differ every time."""
    client = seat.client()
    sent = "".join(
        client.get(seat.address + query, headers=head).content.decode()
        for query in ("", "?odds=1", "now/")
        for head in ({}, {"HX-Request": "true"})
    )
    different = r'token" value="\w+"|seconds="[\d.]+"|value="[\d.]+" aria-hidden|\d+ s left'
    return re.sub(different, "", sent)


def fists(own: str, other: str) -> list[Step]:
    said = [MovesStep({0: "bid 1"}, None), MovesStep({1: "bid 2"}, None)]
    return [DrawStep("start/lot", (2,), (0,)), MovesStep({0: own, 1: other}, None), *said]


def dice(hidden: tuple[int, int]) -> list[Step]:
    return [
        DrawStep("start/lot", (2,), (1,)),
        MovesStep({1: "roll"}, None),
        DrawStep("round/1/roll/1", (6, 6), hidden),
        MovesStep({1: "say 51"}, None),
    ]


def cards() -> tuple[list[Step], list[Step]]:
    """Two deals after which somebody is asked; in the second, seat 1 holds one other card, out of the stock."""
    dice = random.Random(2)
    while True:
        deck = dice.sample(DECK, len(DECK))
        other = [deck[-1], *deck[1:-1], deck[0]]  # the top card goes to the banker's left
        found = [[DrawStep("start/lot", (2,), (0,)), _shuffle(one)] for one in (deck, other)]
        rules = ruleset(GAMES["commerce"], None, {"hands": 2})
        views = [list(so_far(rules, 2, steps, OMNISCIENT))[-1].view for steps in found]
        if all(view.phase == "trading" for view in views):
            assert views[0].hands[0] == views[1].hands[0]
            assert views[0].hands[1] != views[1].hands[1]
            return found[0], found[1]


def _shuffle(wanted: list[str]) -> DrawStep:
    """The draw that brings the deck into this order."""
    deck, got = list(DECK), []
    for last in range(len(deck) - 1, 0, -1):
        other = deck.index(wanted[last])
        got.append(other)
        deck[last], deck[other] = deck[other], deck[last]
    return DrawStep("hand/1/deck", shuffle_sizes(len(deck)), tuple(got))


def twins(game: str) -> tuple[list[Step], list[Step]]:
    """Two matches that differ in what is hidden from seat 0, and in nothing else."""
    if game == "three_coins":
        return fists("hide 1", "hide 0"), fists("hide 1", "hide 3")
    if game == "mia":
        return dice((0, 0)), dice((5, 4))
    return cards()


@pytest.mark.parametrize("game", list(GAMES))
def test_what_is_hidden_changes_nothing_that_is_sent(game: str) -> None:
    options = {"mia": {"first_starter": "lot"}, "commerce": {"hands": 2}, "three_coins": {}}[game]
    seat = dealt(put(seated(game, "calculator", options=options), 0), [])
    row = seat.row
    pages = []
    for steps in twins(game):
        Sitting.objects.filter(pk=row.pk).update(steps=services.write_steps(steps))
        pages.append(shown(seat))
    assert pages[0] == pages[1]
    assert "Your turn" in pages[0] or "thinks" in pages[0]


def test_nobody_else_sees_a_seat_or_answers_for_it() -> None:
    seat = dealt(put(seated("three_coins", "honest"), 0), [DrawStep("start/lot", (2,), (0,))])
    thief = seated("mia", "honest", address="203.0.113.8").client()  # somebody with a seat of their own
    for client in (Client(), thief):
        for path in ("", "now/"):
            assert client.get(seat.address + path).status_code == 404
        for path, said in (("", {"question": 1, "move": "hide 3"}), ("leave/", {}), ("again/", {})):
            assert client.post(seat.address + path, said).status_code == 404
    row = seat.row
    assert (row.answered, row.left) == (0, False)
    assert seat.token not in str(Sitting.objects.filter(pk=row.pk).values().get())
    assert seat.client().get("/play/x/").status_code == 404


def test_an_answer_from_another_site_is_refused() -> None:
    seat = dealt(put(seated("three_coins", "honest"), 0), [DrawStep("start/lot", (2,), (0,))])
    client = seat.client(enforce_csrf_checks=True)
    for path in ("", "leave/", "again/"):
        assert client.post(seat.address + path, {"question": 1, "move": "hide 3"}).status_code == 403
    assert client.post("/play/", {"game": "mia"}).status_code == 403
    assert seat.row.answered == 0


def answers(seat: Seat, question: object, move: str) -> str:
    said = {"question": question, "move": move}
    return seat.client().post(seat.address, said, headers={"HX-Request": "true"}).content.decode()


def test_answers_count_once_and_only_while_they_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webapp.people.views.PATIENCE_SECONDS", 0.0)
    seat = dealt(put(seated("three_coins", "honest"), 0), [DrawStep("start/lot", (2,), (0,))], question=4)
    for move in ("hide 9", "bid 3", "nonsense", "", "hide 1\0", "х" * 500):
        page = answers(seat, 4, move)
        assert "the clock runs on" in page, move
        assert "Your turn" in page
        assert seat.row.answered == 0
    for question in (3, 5, "", "-4", "4444444444444444444444", "٤"):
        assert "has been answered already" in answers(seat, question, "hide 1")
    assert "has been answered" not in answers(seat, 4, "hide 1")
    assert (seat.row.answered, seat.row.answer) == (4, "hide 1")
    written = seat.row.written
    assert "has been answered" not in answers(seat, 4, "hide 1"), "a second click does no harm"
    assert "has been answered" in answers(seat, 4, "hide 2"), "and an old window changes nothing"
    assert (seat.row.answer, seat.row.written) == ("hide 1", written)


def test_an_answer_after_the_time_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webapp.people.views.PATIENCE_SECONDS", 0.0)
    seat = dealt(put(seated("three_coins", "honest"), 0), [DrawStep("start/lot", (2,), (0,))])
    Sitting.objects.update(until=Now() - timedelta(seconds=1))
    page = answers(seat, 1, "hide 1")
    assert "The time for that was up" in page
    assert '<h1 tabindex="-1">The time is up' in page
    assert seat.row.answered == 0


def test_a_missed_decision_is_told_in_words() -> None:
    steps = [
        DrawStep("start/lot", (2,), (0,)),
        FaultStep(0, "late", "no answer", "default"),
        MovesStep({0: "hide 0", 1: "hide 1"}, None),
    ]
    seat = dealt(put(seated("three_coins", "honest"), 0), steps, question=2)
    page = seat.client().get(seat.address).content.decode()
    assert "Your time was up, so the usual move was made for you." in page
    assert "You hide 0 coins." in page


def test_it_works_without_a_script() -> None:
    seat = dealt(put(seated("three_coins", "honest"), 0), [DrawStep("start/lot", (2,), (0,))])
    client = seat.client()
    answer = client.post(seat.address, {"question": 1, "move": "hide 7"}, follow=True)
    assert answer.redirect_chain
    assert "The rules do not allow that now." in answer.content.decode()
    client.post(seat.address, {"question": 1, "move": "hide 2"})
    assert seat.row.answer == "hide 2"


def test_the_page_says_on_whose_word_the_luck_rests() -> None:
    seat = dealt(put(seated("three_coins", "honest"), 0), [DrawStep("start/lot", (2,), (0,))])
    block = make_block(seat.row.series, state=Block.State.OPEN)
    page = seat.client().get(seat.address).content.decode()
    assert block.commitment in page
    assert "shares of the luck are drawn by programs of this site, yours too" in page
    assert block.seed not in page
    assert not any(nonce in page for nonce in block.nonces)


def test_tables_are_limited_for_a_visitor_an_address_and_all(settings, monkeypatch: pytest.MonkeyPatch) -> None:
    row, versions = own_rules("mia", {}), bots("mia", "honest")

    def sit(visitor: str, address: str = "203.0.113.9") -> None:
        services.sit_down(row=row, opponents=versions, pace="easy", visitor=visitor, address=address)

    sit("a")
    with pytest.raises(Refused, match="at a table already"):
        sit("a")
    settings.ARENA_PEOPLE_ADDRESS_TABLES = 1
    with pytest.raises(Refused, match="from where you are"):
        sit("b")
    settings.ARENA_PEOPLE_TABLES = 2
    sit("b", "203.0.113.12")
    with pytest.raises(Refused, match="All tables are taken"):
        sit("c")
    monkeypatch.setattr(services, "NEW_TABLES", services.NEW_TABLES._replace(most=1, name="people_tables_test"))
    settings.ARENA_PEOPLE_TABLES, settings.ARENA_PEOPLE_ADDRESS_TABLES = 9, 0
    sit("d", "203.0.113.10")
    with pytest.raises(TooOften):
        sit("e", "203.0.113.10")
    with pytest.raises(Refused, match="so many"):
        services.sit_down(row=row, opponents=versions * 9, pace="easy", visitor="f", address="203.0.113.11")
    with pytest.raises(Refused, match="No bot"):
        services.sit_down(row=row, opponents=[], pace="easy", visitor="f", address="203.0.113.11")


@pytest.mark.django_db(transaction=True)
def test_nobody_sits_down_at_two_tables_at_the_same_moment() -> None:
    def sitting(game: str) -> Callable[[], object]:
        table = {"row": own_rules(game, {}), "opponents": bots(game, "calculator"), "pace": "easy"}
        bot_services.person_version(game=game)
        return lambda: services.sit_down(**table, visitor="a", address="203.0.113.9")

    said = at_once(*map(sitting, GAMES), refused=Refused)
    assert len(said) == len(GAMES) - 1
    assert Sitting.objects.count() == 1


def test_where_a_table_was_opened_from_is_forgotten_with_its_end() -> None:
    seat = seated("mia", "honest", address="203.0.113.9")
    services.forget_origins()
    assert len(seat.row.origin) == 64
    services.leave(sitting=seat.row)
    services.forget_origins()
    assert seat.row.origin == ""


def test_who_gets_no_table_leaves_no_session_behind(settings) -> None:
    ensure_rulesets()
    bot_services.ensure_house_bots()
    settings.ARENA_PEOPLE_TABLES = 0
    said = {"game": "mia", "preset": "classic", "seats": "3", "opponent": "", "pace": "quick"}
    assert "All tables are taken" in Client().post("/play/", said).content.decode()
    assert not Session.objects.exists()


def test_sessions_that_are_over_are_forgotten() -> None:
    there, over = seated("mia", "honest").session, seated("commerce").session
    over.set_expiry(-1)
    over.save()
    next(duty for duty in DUTIES if duty.name == "forget").do()
    assert list(Session.objects.values_list("pk", flat=True)) == [there.session_key]


def test_answers_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "ANSWERS", services.ANSWERS._replace(most=2, name="people_answers_test"))
    monkeypatch.setattr("webapp.people.views.PATIENCE_SECONDS", 0.0)
    seat = dealt(put(seated("three_coins", "honest"), 0), [DrawStep("start/lot", (2,), (0,))])
    pages = [answers(seat, 1, "nonsense") for _ in range(3)]
    assert "That was too often" not in pages[1]
    assert "That was too often" in pages[2]


@pytest.mark.parametrize("name", ["a person", "A Person", "a-person", "a.person", "Person", "human", "You"])
def test_no_bot_passes_for_a_person(name: str) -> None:
    with pytest.raises(bot_services.Refused, match="kept for the house"):
        bot_services.create_bot(owner=make_user("olena"), game="mia", name=name)
    with pytest.raises(bot_services.Refused):
        bot_services.create_bot(owner=make_user("bohdan"), game="mia", name="mybot", kind=Bot.Kind.PERSON)


def test_workers_and_the_ladder_know_no_people(settings) -> None:
    seat = seated("mia", "honest")
    series = seat.row.series
    assert matches.claim(series_id=series.pk, worker="worker") is None
    assert (series.rated, series.duplicate, series.planned) == (False, False, 1)
    person = Version.objects.get(bot__kind=Bot.Kind.PERSON, bot__game="mia")
    assert person not in ladder._available("mia")
    assert person.bot.active_version is None
    assert Client().get("/bots/mia/a person/").status_code == 404
    assert matches.claim(series_id=series.pk, worker="people", people=True) is not None
    other = matches.create_series(ruleset=series.ruleset, versions=bots("mia", "honest", "random"), planned=1)
    assert matches.claim(series_id=other.pk, worker="people", people=True) is None


def test_what_bots_do_at_such_a_table_is_not_held_against_them() -> None:
    stranger = Bot.objects.create(game="mia", name="stranger", kind=Bot.Kind.HOSTED, owner=make_user("olena"))
    series = seated("mia", "honest").row.series
    quarantine.judge_removal(series=series, reasons={stranger.pk: "gone"})
    stranger.refresh_from_db()
    assert stranger.faulty_series == []


def test_a_table_that_nobody_deals_is_given_up() -> None:
    seat = seated("mia", "honest")
    assert services.give_up_unclaimed() == 0
    Series.objects.update(created="2000-01-01T00:00:00Z")
    assert services.give_up_unclaimed() == 1
    page = seat.client().get(seat.address).content.decode()
    assert "This table was broken off" in page
    assert "does not run" in page


@pytest.mark.parametrize("game", list(GAMES))
def test_who_chooses_a_table_sits_down(game: str) -> None:
    ensure_rulesets()
    bot_services.ensure_house_bots()
    client = Client()
    assert client.get(f"/play/?game={game}").status_code == 200
    preset = GAMES[game].presets[0].name
    said = {"game": game, "preset": preset, "seats": "3", "opponent": "", "pace": "quick"}
    assert client.post("/play/", {**said, "seats": "99"}).status_code == 422
    answer = client.post("/play/", said)
    assert answer.status_code == 302
    assert "The others sit down" in client.get(answer["Location"]).content.decode()
    series = Series.objects.get()
    assert (series.purpose, series.move_ms, series.bank_ms) == (Series.Purpose.PERSON, 31_000, 0)
    assert series.seats.count() == 3
    assert answer["Location"] in client.get("/play/").content.decode()
    assert client.get("/play/?game=chess").status_code == 404
