"""The pages of tournaments: what they show to whom, and that the secret is nowhere before the end."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import reverse

from arena import record as records
from arena.pairing import Entrant, Played, Result, Table, read_format
from tests.webapp import cups
from tests.webapp.cups import begun, entrant, finish, finish_round, make_cup, organiser, present
from tests.webapp.making import make_block, make_bot, make_house_bot, make_match, make_user, text_of
from webapp.accounts.models import User
from webapp.matches.models import Block
from webapp.tournaments import running, services
from webapp.tournaments.models import Tournament

pytestmark = pytest.mark.django_db


def signed_in(person: User) -> Client:
    client = Client()
    client.force_login(person)
    return client


@pytest.fixture
def desk() -> Client:
    return signed_in(organiser())


def page(row: Tournament, client: Client | None = None, name: str = "tournament") -> str:
    response = (client or Client()).get(reverse(name, args=[row.slug]))
    assert response.status_code == 200
    return b"".join(response).decode(errors="replace")


def do(client: Client, row: Tournament, deed: str, **said: object) -> str:
    return client.post(reverse("tournament_do", args=[row.slug, deed]), said, follow=True).content.decode()


def end(row: Tournament) -> None:
    for _ in range(30):
        finish_round(row)
        running.tick()
        row.refresh_from_db()
        if row.state == Tournament.State.FINISHED:
            return
    raise AssertionError("it does not end")


ADDRESSES = ("tournament", "tournament_csv", "tournament_luck", "tournament_zip", "api:tournament")


def everything(row: Tournament, client: Client) -> Iterator[str]:
    for name in ADDRESSES:
        response = client.get(reverse(name, args=[row.slug]))
        body = b"".join(response)
        if name == "tournament_zip":
            with zipfile.ZipFile(io.BytesIO(body)) as archive:
                yield from (archive.read(one).decode() for one in archive.namelist())
        else:
            yield body.decode()
    yield client.get(reverse("tournaments")).content.decode()
    for table in row.pairings.all():
        yield client.get(reverse("series", args=[table.series_id])).content.decode()
        yield client.get(f"/api/series/{table.series_id}").content.decode()


def test_the_secret_is_nowhere_before_the_end_and_everywhere_after_it(desk: Client) -> None:
    row = begun(bots=4, rounds=1)
    assert row.secret is not None
    secret = bytes(row.secret).hex()
    finish(present(row)[0].series)
    for client in (Client(), desk, signed_in(make_user("ada"))):
        for text in everything(row, client):
            assert secret not in text
            assert secret.upper() not in text
    assert row.commitment in page(row)
    end(row)
    assert secret in page(row)
    assert Client().get(reverse("api:tournament", args=[row.slug])).json()["secret"] == secret


def test_a_cancelled_one_reveals_its_secret_when_nothing_is_played_any_more(desk: Client) -> None:
    row = begun(bots=4)
    assert row.secret is not None
    secret = bytes(row.secret).hex()
    table = present(row)[0]
    from webapp.matches.services import claim
    from webapp.matches.services import finish as end_series

    held = claim(series_id=table.series_id, worker="w")
    assert held is not None
    do(desk, row, "cancel", reason="Fire.")
    assert secret not in page(row)
    end_series(claim=held)
    assert secret in page(row)


def test_drafts_are_for_organisers(desk: Client) -> None:
    row = make_cup(name="Secret cup")
    assert "Secret cup" in page(row, desk)
    for client in (Client(), signed_in(make_user("ada"))):
        for name in ADDRESSES:
            assert client.get(reverse(name, args=[row.slug])).status_code == 404
        assert "Secret cup" not in client.get(reverse("tournaments")).content.decode()
    assert json.loads(desk.get("/api/tournaments").content) == []


def test_an_organiser_prepares_one_and_lets_it_begin(desk: Client) -> None:
    said = {
        "name": "Autumn cup",
        "ruleset": cups.rules("classic").pk,
        "form": "swiss",
        "most": 4,
        "rounds": 3,
        "matches": 4,
        "move_ms": 1000,
        "bank_ms": 5000,
        "patience_s": 60,
        "most_each": 1,
        "fill_top": 0,
        "starts_at": "2030-05-01T18:00",
    }
    refused = desk.post(reverse("tournament_new"), {**said, "most": 6, "rounds": ""})
    assert refused.status_code == 422
    assert not Tournament.objects.exists()
    desk.post(reverse("tournament_new"), said)
    row = Tournament.objects.get()
    assert (row.slug, row.form["rounds"], row.form["most"]) == ("autumn-cup", 3, 4)
    assert "2030-05-01T18:00" in page(row, desk, "tournament_edit")
    desk.post(reverse("tournament_edit", args=[row.slug]), {**said, "matches": 6})
    bots = [make_house_bot(name).bot for name in cups.NAMES[:4]]
    do(desk, row, "enter", bots=[bot.pk for bot in bots])
    do(desk, row, "open")
    do(desk, row, "start")
    row.refresh_from_db()
    assert (row.state, row.matches, row.pairings.count()) == (Tournament.State.RUNNING, 6, 1)


def test_an_organiser_intervenes(desk: Client) -> None:
    row = begun(bots=6)
    finish(present(row)[0].series)
    match = present(row)[0].series.matches.first()
    assert match is not None
    do(desk, row, "void", match=match.name, reason="A leak.")
    match.refresh_from_db()
    assert match.voided
    do(desk, row, "replay", pairing=present(row)[0].pk, reason="A leak.")
    assert len(present(row)[0].earlier) == 1
    do(desk, row, "disqualify", entrant=entrant(row, "anna").pk, reason="It cheated.")
    assert "It cheated." in page(row) or entrant(row, "anna").reason == "It cheated."
    do(desk, row, "withdraw", entrant=entrant(row, "boris").pk)
    do(desk, row, "hold")
    assert "held by an organiser" in page(row)
    do(desk, row, "go-on")
    assert "There is no such thing" in do(desk, row, "withdraw", entrant="x")
    assert desk.post(reverse("tournament_do", args=[row.slug, "burn"])).status_code == 404


def test_nobody_else_finds_the_organisers_pages() -> None:
    row = begun(bots=4)
    for client in (Client(), signed_in(make_user("ada"))):
        assert client.get(reverse("tournament_new")).status_code == 404
        assert client.get(reverse("tournament_edit", args=[row.slug])).status_code == 404
        assert client.post(reverse("tournament_do", args=[row.slug, "hold"])).status_code == 404
        assert "For organisers" not in page(row, client)
    row.refresh_from_db()
    assert not row.held


def test_an_author_takes_part_and_leaves() -> None:
    row = make_cup()
    services.open_entries(tournament=row, by=organiser())
    ada = make_user("ada")
    bot = make_bot(ada, "mirror")
    other = make_bot(make_user("eve"), "foreign")
    client = signed_in(ada)
    assert "Take part" in page(row, client)
    assert "Sign in to take part" in page(row)
    client.post(reverse("tournament_enter", args=[row.slug]), {"bot": other.pk})
    assert not row.entrants.exists()
    client.post(reverse("tournament_enter", args=[row.slug]), {"bot": bot.pk})
    mine = row.entrants.get()
    signed_in(make_user("bea")).post(reverse("tournament_leave", args=[row.slug]), {"entrant": mine.pk})
    assert row.entrants.exists()
    assert "Withdraw" in page(row, client)
    client.post(reverse("tournament_leave", args=[row.slug]), {"entrant": mine.pk})
    assert not row.entrants.exists()


def test_the_page_shows_rounds_standings_and_why(desk: Client) -> None:
    row = begun(bots=4, rounds=2, form="swiss")
    finish_round(row)
    running.tick()
    text = page(row)
    assert "round 2 of 2" in text
    assert "S1.1" in text
    assert re.search(r"(anna|boris|clara|dmytro) has 0 points, (anna|boris|clara|dmytro) 1", text)
    end(row)
    assert "anna has won Cup" in page(row)


def test_a_round_robin_has_a_crosstable() -> None:
    row = begun("round-robin", bots=4)
    end(row)
    assert "Who against whom" in page(row)
    assert "Who against whom" not in page(begun(bots=4, name="Swiss"))


def test_many_groups_are_called_as_their_tables_are() -> None:
    row = make_cup("groups", size=2, qualify=1)
    cups.enter(row, [make_house_bot(f"bot {number}") for number in range(54)])
    services.start(tournament=row, by=organiser())
    row.refresh_from_db()
    assert "GAA1.1" in page(row)
    assert "Group AA<" in page(row)
    assert "Group [<" not in page(row)


@pytest.mark.parametrize("form", ["single", "double", "groups"])
def test_the_page_of_each_form_opens_at_every_moment(form: str) -> None:
    row = begun(form, bots=6)
    while row.state == Tournament.State.RUNNING:
        page(row)
        finish_round(row)
        running.tick()
        row.refresh_from_db()
    assert "anna has won" in page(row)


def test_from_the_api_the_draws_and_the_standings_can_be_computed_again() -> None:
    row = begun(bots=6)
    end(row)
    told = Client().get(reverse("api:tournament", args=[row.slug])).json()
    form = read_format(told["form"])
    entrants = [Entrant(one["id"], one["rank"], until=one["until"]) for one in told["entrants"]]
    played: list[Played] = []
    for one in reversed(told["rounds"]):
        drawn = form.next_round(entrants, played, told["draw_seed"])
        assert [(table.name, list(table.seats)) for table in drawn.tables] == [
            (table["name"], table["seats"]) for table in one["tables"]
        ]
        results = tuple(
            Result(Table(t["name"], tuple(t["seats"]), t["extra"]), tuple(map(tuple, t["places"])))
            for t in one["tables"]
        )
        played.append(Played(results, tuple(one["byes"])))
    rows = form.standings(entrants, played)
    assert [(str(one.points), one.entrant) for one in rows] == [
        (one["points"], one["entrant"]) for one in told["standings"]
    ]


def test_the_exports_hold_the_standings_and_only_closed_records() -> None:
    row = begun(bots=4, rounds=1, matches=1)
    first, second = present(row)
    finish(first.series)
    versions = [seat.version for seat in second.series.seats.order_by("seat")]
    open_match = make_match(versions, series=second.series, block=make_block(second.series, state=Block.State.OPEN))
    response = Client().get(reverse("tournament_zip", args=[row.slug]))
    assert response.streaming
    with zipfile.ZipFile(io.BytesIO(b"".join(response))) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        [name] = [one for one in names if one.endswith(".json")]
        assert name.startswith(f"{first.name}/001-m-")
        records.read(archive.read(name))
        assert not any(open_match.name in one for one in names)
        luck = list(csv.DictReader(io.StringIO(archive.read("luck.csv").decode())))
    assert [(one["table"], bool(one["seed"])) for one in luck] == [(first.name, True), (second.name, False)]
    Block.objects.update(state=Block.State.CLOSED)
    end(row)
    lines = list(csv.DictReader(io.StringIO(page(row, name="tournament_csv"))))
    assert {one["bot"] for one in lines} == set(cups.NAMES[:4])
    assert lines[0]["place"] == "1"
    assert text_of(response)
