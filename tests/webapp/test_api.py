"""The API: what it says, and what never leaves it."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.core.signals import request_finished
from django.db import close_old_connections, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from arena import record as records
from tests.webapp.making import (
    classic,
    make_block,
    make_bot,
    make_house_bot,
    make_line,
    make_match,
    make_organiser,
    make_private,
    make_series,
    make_user,
    text_of,
)
from webapp.bots import services as bots
from webapp.bots.models import Bot, Version
from webapp.matches import downloads
from webapp.matches.models import Block, Match, Ruleset, Series
from webapp.ratings.services import refit

pytestmark = pytest.mark.django_db


def get(address: str, **headers: str) -> Any:
    return Client().get(address, headers=headers)


def read(address: str) -> Any:
    answer = get(address)
    assert answer.status_code == 200, answer.content
    assert answer["Content-Type"].startswith("application/json")
    return answer.json()


def error_of(address: str, status: int) -> str:
    answer = get(address)
    assert answer.status_code == status
    assert answer["Content-Type"].startswith("application/json")
    said = answer.json()
    assert set(said) == {"error"}
    return str(said["error"])


@pytest.fixture
def mirror() -> Version:
    version = make_bot(make_user("ada"), "Mirror 2").active_version
    assert version is not None
    return version


@pytest.fixture
def versions(mirror: Version) -> list[Version]:
    return [mirror, make_house_bot("random"), make_house_bot("honest")]


# ---- leaderboards and bots -----------------------------------------------------------------------


def test_leaderboards(versions: list[Version]) -> None:
    make_match(versions)
    snapshot = refit(ruleset=classic())
    assert snapshot is not None
    boards = {board["ruleset"]: board for board in read("/api/leaderboards")}
    assert set(boards) >= {"three_coins/classic", "three_coins/duel", "three_coins/call-only"}
    assert boards["three_coins/classic"]["matches"] == 1
    assert boards["three_coins/classic"]["flagship"] is True
    assert boards["three_coins/classic"]["options"]["start_coins"] == 3
    assert boards["three_coins/duel"]["matches"] == 0
    assert boards["three_coins/duel"]["updated"] is None


def test_a_leaderboard(versions: list[Version]) -> None:
    assert read("/api/leaderboards/three_coins/classic" if classic() else "")["rows"] == []
    for _ in range(3):
        make_match(versions)
    refit(ruleset=classic())
    board = read("/api/leaderboards/three_coins/classic")
    assert board["matches"] == 3
    best, middle, _ = board["rows"]
    assert best["bot"] == {"game": "three_coins", "name": "Mirror 2", "owner": "ada"}
    assert best["version"] == {"number": 1, "label": "1", "digest": versions[0].digest, "declared": True}
    assert best["rating"]["elo"] > 1000
    assert best["rating"]["provisional"] is True
    assert best["rating"]["rank_low"] == 1
    assert best["rating"]["matches"] == 3
    assert middle["bot"]["owner"] == "house"
    assert middle["rating"] | {"rank_low": 0, "rank_high": 0} == {
        "elo": 1000,
        "plus_minus": 0,
        "provisional": False,
        "matches": 3,
        "rank_low": 0,
        "rank_high": 0,
    }


def test_a_bot(versions: list[Version], mirror: Version) -> None:
    make_match(versions)
    refit(ruleset=classic())
    found = read("/api/bots/three_coins/mirror%202")
    assert (found["name"], found["owner"], found["kind"], found["state"]) == ("Mirror 2", "ada", "remote", "active")
    assert found["active_version"] == 1
    assert [version["digest"] for version in found["versions"]] == [mirror.digest]
    (rating,) = found["ratings"]
    assert (rating["ruleset"], rating["version"]) == ("three_coins/classic", 1)
    Bot.objects.filter(pk=mirror.bot_id).update(owner=None)
    assert read("/api/bots/three_coins/Mirror 2")["owner"] is None


# ---- matches -------------------------------------------------------------------------------------


def test_a_match(versions: list[Version]) -> None:
    match = make_match(versions, [2, 1, 2])
    found = read(f"/api/matches/{match.name}")
    assert found["ruleset"] == "three_coins/classic"
    assert found["started"] == "2026-01-01T00:00:00Z"
    assert found["record_sha256"] == match.record_name
    assert [(e["seat"], e["bot"], e["place"]) for e in found["entries"]] == [
        (0, "Mirror 2", 2),
        (1, "random", 1),
        (2, "honest", 2),
    ]
    assert found["entries"][0] == {
        "seat": 0,
        "bot": "Mirror 2",
        "version": versions[0].digest,
        "place": 2,
        "score": 0,
        "fault": None,
        "moves": 4,
        "thinking_ms": 8.5,
        "slowest_ms": 3.25,
    }


def names_of(found: Any) -> list[str]:
    return [match["name"] for match in found["matches"]]


def test_lists_are_paged_by_match(versions: list[Version]) -> None:
    made = [make_match(versions).name for _ in range(5)][::-1]
    first = read("/api/matches?limit=2")
    assert names_of(first) == made[:2]
    newest = make_match(versions)  # a page does not shift because something new came
    second = read(f"/api/matches?limit=2&before={first['before']}")
    third = read(f"/api/matches?limit=2&before={second['before']}")
    assert names_of(second) + names_of(third) == made[2:]
    assert third["before"] is None
    assert names_of(read("/api/matches"))[0] == newest.name


def test_lists_are_of_a_ruleset_and_of_a_bot(versions: list[Version]) -> None:
    mirror, anchor, honest = versions
    both = make_match([mirror, honest])
    house = make_match([anchor, honest])
    twice = make_match([anchor, mirror, mirror])
    duel = Ruleset.objects.get(key="three_coins/duel")
    Match.objects.filter(pk=house.pk).update(ruleset=duel)
    house.entries.update(listed=duel)
    assert names_of(read("/api/matches?ruleset=three_coins/classic")) == [twice.name, both.name]
    assert names_of(read("/api/matches?bot=three_coins/mirror 2")) == [twice.name, both.name]
    assert names_of(read("/api/matches?bot=three_coins/random&ruleset=three_coins/duel")) == [house.name]
    page = read("/api/matches?bot=three_coins/honest&limit=1")
    assert names_of(page) == [house.name]
    assert names_of(read(f"/api/matches?bot=three_coins/honest&limit=1&before={page['before']}")) == [both.name]
    make_private(twice.series)
    of_mirror = "/api/matches?bot=three_coins/mirror 2"
    for address in (of_mirror, f"{of_mirror}&ruleset=three_coins/classic", "/api/matches?ruleset=three_coins/classic"):
        assert names_of(read(address)) == [both.name]


def test_lists_cost_the_same_however_long(
    versions: list[Version], django_assert_num_queries: Callable[..., Any]
) -> None:
    for _ in range(8):
        make_match(versions)
    for address, queries in (("/api/matches?limit=2", 2), ("/api/matches?limit=8", 2)):
        with django_assert_num_queries(queries) as seen:
            read(address)
        for query in seen.captured_queries:
            assert not re.search(r'"(record|seed|nonces|source)"', query["sql"])


def test_a_bots_matches_in_a_ruleset_are_found_in_an_index_of_entries_alone(versions: list[Version]) -> None:
    """What a bot has played in other rulesets, or for its author alone, is not looked at, however much that is."""
    make_match(versions)
    with CaptureQueriesContext(connection) as seen:
        read(f"/api/matches?bot=three_coins/{versions[0].bot.name}&ruleset=three_coins/classic")
    [ids] = [query["sql"] for query in seen.captured_queries if "DISTINCT" in query["sql"]]
    assert "JOIN" not in ids
    assert '"listed_id" = ' in ids


# ---- records -------------------------------------------------------------------------------------


def test_a_record_has_its_name(versions: list[Version]) -> None:
    match = make_match(versions)
    answer = get(f"/api/matches/{match.name}/record")
    assert answer["Content-Type"] == "application/json"
    record = records.read(answer.content)
    assert records.name(record) == match.record_name == read(f"/api/matches/{match.name}")["record_sha256"]
    assert record.match == match.name
    assert "immutable" in answer["Cache-Control"]
    again = get(f"/api/matches/{match.name}/record", if_none_match=answer["ETag"])
    assert (again.status_code, again.content) == (304, b"")


def test_no_record_before_its_block_is_closed(versions: list[Version]) -> None:
    match = make_match(versions, block_state=Block.State.OPEN)
    address = f"/api/matches/{match.name}/record"
    assert "not published yet" in error_of(address, 409)
    assert get(address, if_none_match=f'"{match.record_name}"').status_code == 409
    Block.objects.update(state=Block.State.BROKEN)
    assert "broken off" in error_of(address, 409)
    Block.objects.update(state=Block.State.CLOSED)
    assert get(address).status_code == 200


# ---- series --------------------------------------------------------------------------------------


def test_a_series(versions: list[Version]) -> None:
    series = make_series(versions, state=Series.State.PLAYING, planned=3)
    match = make_match(versions, series=series)
    block = make_block(series, state=Block.State.OPEN)
    found = read(f"/api/series/{series.pk}")
    assert (found["ruleset"], found["state"], found["planned"]) == ("three_coins/classic", "playing", 3)
    assert [(seat["seat"], seat["bot"]) for seat in found["seats"]] == [(0, "Mirror 2"), (1, "random"), (2, "honest")]
    assert found["matches"] == [{"number": 1, "name": match.name}]
    now, before = found["blocks"]
    assert (now["commitment"], now["nonce_hashes"]) == (block.commitment, block.nonce_hashes)
    assert (now["seed"], now["nonces"]) == (None, None)
    assert (before["seed"], before["nonces"]) == (match.block.seed, match.block.nonces)


# ---- errors and conditions -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "status", "said"),
    [
        ("/api/leaderboards/three_coins/nothing", 404, "no leaderboard 'three_coins/nothing'"),
        ("/api/leaderboards/chess/classic", 404, "no leaderboard"),
        ("/api/bots/three_coins/nobody", 404, "no bot 'three_coins/nobody'"),
        ("/api/matches/m-0", 404, "no match 'm-0'"),
        ("/api/matches/m-0/record", 404, "no match 'm-0'"),
        ("/api/matches?before=m-0", 404, "no match 'm-0'"),
        ("/api/matches?bot=nobody", 404, "no bot"),
        ("/api/matches?ruleset=x", 404, "no leaderboard 'x'"),
        ("/api/matches?limit=101", 422, "limit: "),
        ("/api/matches?limit=0", 422, "limit: "),
        ("/api/matches?limit=many", 422, "limit: "),
        ("/api/series/0", 404, "no series 0"),
        ("/api/series/99999999999999999999999", 404, "no series"),
        ("/api/series/one", 422, "id: "),
        ("/api/nothing/at/all", 404, "openapi.json"),
        ("/api/bots/three_coins/%00", 404, "no bot"),
        ("/api/matches?ruleset=%00/", 404, "no leaderboard"),
        ("/api/matches/%00", 404, "no match"),
    ],
)
def test_errors_are_json_for_people(address: str, status: int, said: str) -> None:
    assert said in error_of(address, status)


def test_nothing_is_written_here() -> None:
    for address in ("/api/matches", "/api/leaderboards", "/api/nothing"):
        for method in ("post", "put", "patch", "delete"):
            assert getattr(Client(), method)(address).status_code == 405


def test_what_has_not_changed_is_not_sent_again(versions: list[Version]) -> None:
    match = make_match(versions)
    refit(ruleset=classic())
    for address in (
        "/api/leaderboards",
        "/api/leaderboards/three_coins/classic",
        "/api/bots/three_coins/random",
        f"/api/matches/{match.name}",
        f"/api/series/{match.series_id}",
    ):
        first = get(address)
        assert get(address, if_none_match=first["ETag"]).status_code == 304, address
    etag = get("/api/leaderboards/three_coins/classic")["ETag"]
    make_match(versions)
    refit(ruleset=classic())
    assert get("/api/leaderboards/three_coins/classic", if_none_match=etag).status_code == 200


def test_the_schema_names_every_address() -> None:
    schema = read("/api/openapi.json")
    assert set(schema["paths"]) == {
        "/api/leaderboards",
        "/api/leaderboards/{game}/{preset}",
        "/api/leaderboards/{game}/{preset}/csv",
        "/api/leaderboards/{game}/{preset}/records",
        "/api/bots/{game}/{name}",
        "/api/matches",
        "/api/matches/{name}",
        "/api/matches/{name}/record",
        "/api/series/{id}",
        "/api/tournaments",
        "/api/tournaments/{slug}",
        "/api/tournaments/{slug}/entries",
        "/api/my/me",
        "/api/my/submit",
        "/api/my/versions/{id}",
    }
    for path, how in schema["paths"].items():
        written = {"/api/my/submit": {"post"}, "/api/tournaments/{slug}/entries": {"post", "delete"}}
        assert set(how) == written.get(path, {"get"}), path
        # what is public needs no key, and what is one's own does
        own = path.startswith("/api/my/") or path in written
        assert all(bool(one.get("security")) == own for one in how.values()), path


def test_the_documentation_asks_nobody_else() -> None:
    page = get("/api/docs").content.decode()
    assert not re.search(r"(?:src|href)=.https?:", page)
    assert "<script>" not in page
    assert "<style" not in page


# ---- what never leaves the site ------------------------------------------------------------------


def test_secrets_appear_nowhere(versions: list[Version]) -> None:
    """Every public address, asked by nobody and by another author: none of it has what it must not have."""
    mirror, _, honest = versions
    ada = mirror.bot.owner
    assert ada is not None
    token = bots.issue_token(bot=mirror.bot, by=ada)
    olga = make_organiser("olga")
    line = make_line(mirror.bot)
    series = make_series([mirror, honest], state=Series.State.PLAYING, planned=2)
    closed = make_match([mirror, honest], series=series, log="my own thoughts")
    open_block = make_block(series, state=Block.State.OPEN)
    running = make_match([mirror, honest], series=series, block=open_block, log="my own thoughts")
    broken_block = make_block(make_series([mirror, honest]), state=Block.State.BROKEN)
    refit(ruleset=classic())

    addresses = [
        "/api/leaderboards",
        "/api/leaderboards/three_coins/classic",
        "/api/bots/three_coins/Mirror 2",
        "/api/bots/three_coins/honest",
        "/api/matches",
        "/api/matches?bot=three_coins/Mirror 2",
        *(f"/api/matches/{match.name}" for match in (closed, running)),
        *(f"/api/matches/{match.name}/record" for match in (closed, running)),
        f"/api/series/{series.pk}",
        f"/api/series/{broken_block.series_id}",
        "/api/openapi.json",
        "/",
        "/matches/",
        f"/matches/{closed.name}/",
        f"/matches/{running.name}/",
        f"/matches/{running.name}/record.json",
        f"/series/{series.pk}/",
        f"/series/{broken_block.series_id}/",
        "/leaderboards/",
        "/leaderboards/three_coins/classic/",
        "/bots/three_coins/Mirror 2/",
        "/bots/three_coins/honest/",
        "/status/",
    ]
    kept = mirror.bot.tokens.get()
    hidden = {
        "a token": token,
        "a token's hash": kept.digest,
        "a line's secret": line.session,
        "a door's address": line.door,
        "an author's e-mail address": ada.email,
        "an organiser's e-mail address": olga.email,
        "a password": ada.password,
        "an open block's seed": open_block.seed,
        "a broken block's seed": broken_block.seed,
        "a log": "my own thoughts",
        "a bot's source": "# honest",
        **{f"nonce {i} of an open block": nonce for i, nonce in enumerate(open_block.nonces)},
    }
    stranger = Client()
    stranger.force_login(make_user("bob"))
    for client in (Client(), stranger):
        for address in addresses:
            answer = client.get(address)
            assert answer.status_code in (200, 404, 409), address
            said = text_of(answer)
            for what, secret in hidden.items():
                assert secret not in said, f"{address} shows {what}"
            if running.name in address and "record" in address:
                assert answer.status_code in (404, 409)


def test_an_open_block_shows_no_name_of_its_records(versions: list[Version]) -> None:
    match = make_match(versions, block_state=Block.State.OPEN)
    assert read(f"/api/matches/{match.name}")["record_sha256"] is None
    assert match.record_name not in json.dumps(read("/api/matches"))


# ---- all records ---------------------------------------------------------------------------------


RECORDS = "/api/leaderboards/three_coins/classic/records"


def lines_of(answer: Any) -> list[dict[str, Any]]:
    assert answer.status_code == 200
    text = gzip.decompress(b"".join(answer.streaming_content)).decode()
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def three(mirror: Version) -> list[Match]:
    classic()
    return [make_match([make_house_bot("random"), mirror]) for _ in range(3)]


def test_all_records_are_one_download(three: list[Match], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(downloads, "AT_ONCE", 2)  # more than one query
    Match.objects.filter(pk=three[1].pk).update(voided=True)
    answer = get(RECORDS)
    assert answer["Content-Disposition"] == 'attachment; filename="three_coins-classic.jsonl.gz"'
    assert "Link" not in answer
    found = lines_of(answer)
    assert [(line["match"], line["rated"], line["voided"]) for line in found] == [
        (match.name, True, match == three[1]) for match in three
    ]
    for line, match in zip(found, three, strict=True):
        read_back = records.read(json.dumps(line["record"]))
        assert records.name(read_back) == line["record_sha256"] == match.record_name


def test_a_download_goes_on_where_the_last_one_ended(three: list[Match]) -> None:
    first = get(RECORDS + "?limit=2")
    assert [line["match"] for line in lines_of(first)] == [match.name for match in three[:2]]
    link = re.fullmatch('<(.+)>; rel="next"', first["Link"])
    assert link is not None
    rest = get(link[1])
    assert "Link" not in rest
    assert [line["match"] for line in lines_of(rest)] == [three[2].name]
    assert lines_of(get(f"{RECORDS}?after={three[2].name}")) == []
    assert "no match" in error_of(RECORDS + "?after=m-0", 404)
    assert "limit" in error_of(RECORDS + "?limit=100001", 422)
    assert "no leaderboard" in error_of("/api/leaderboards/three_coins/no/records", 404)


def test_a_download_ends_before_what_is_not_published(mirror: Version, three: list[Match]) -> None:
    """Else who goes on after its last match would never see the one that was published later."""
    Block.objects.filter(pk=three[1].block_id).update(state=Block.State.OPEN)
    assert [line["match"] for line in lines_of(get(RECORDS))] == [three[0].name]
    Block.objects.filter(pk=three[1].block_id).update(state=Block.State.BROKEN)
    assert [line["match"] for line in lines_of(get(RECORDS))] == [three[0].name, three[2].name]
    make_private(three[2].series)
    assert [line["match"] for line in lines_of(get(RECORDS))] == [three[0].name]


def test_a_download_is_not_made_again_where_nothing_has_changed(mirror: Version, three: list[Match]) -> None:
    answer = get(RECORDS)
    lines_of(answer)
    again = get(RECORDS, **{"If-None-Match": answer["ETag"]})
    assert again.status_code == 304
    Match.objects.filter(pk=three[0].pk).update(voided=True)
    assert get(RECORDS, **{"If-None-Match": answer["ETag"]})["ETag"] != answer["ETag"]


def test_few_downloads_at_the_same_time_and_few_a_day(three: list[Match], monkeypatch: pytest.MonkeyPatch) -> None:
    def get_from(number: int) -> Any:
        return Client(REMOTE_ADDR=f"203.0.113.{number}").get(RECORDS)

    under_way = [get_from(number) for number in range(downloads.AT_THE_SAME_TIME)]
    busy = get(RECORDS)
    assert (busy.status_code, busy["Retry-After"]) == (503, "60")
    assert len(lines_of(under_way[0])) == 3  # read to its end
    assert get_from(1).status_code == 503  # one to an address
    assert len(lines_of(get(RECORDS))) == 3
    request_finished.disconnect(close_old_connections)  # the test's own connection
    under_way[1].close()  # somebody went away
    request_finished.connect(close_old_connections)
    assert len(lines_of(get(RECORDS))) == 3
    monkeypatch.setattr(downloads, "A_DAY", downloads.A_DAY._replace(most=2))
    assert "too often" in error_of(RECORDS, 429)


def test_a_slow_download_is_cut_off_so_that_it_shows(three: list[Match], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(downloads, "LONGEST_SECONDS", -1)
    answer = get(RECORDS)
    data = b"".join(answer.streaming_content)
    with pytest.raises(EOFError):
        gzip.decompress(data)
