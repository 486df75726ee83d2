"""A version shows that it works before anybody else meets it: for real, with processes, a database and a worker."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from arena.record import MovesStep
from tests.webapp.making import make_user
from tests.webapp.playing import PLAIN, hosted, house, record_of, series_of
from tests.webapp.zips import zipped
from webapp.bots import uploads, versions
from webapp.bots.models import Bot, Version
from webapp.bots.services import NotAllowed, Refused
from webapp.matches import hosting, organisers, services
from webapp.matches.ladder import tick
from webapp.matches.models import Entry, EntryLog, Series
from webapp.matches.rulesets import ensure_rulesets
from webapp.matches.runner import run_series

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("let_go_of_the_database")]


@pytest.fixture(autouse=True)
def _house() -> None:
    ensure_rulesets()
    house()
    hosting.announce(name="worker")


def submitted(source: str | bytes, filename: str = "mine.py", name: str = "Mine", game: str = "three_coins") -> Version:
    content = source if isinstance(source, bytes) else source.encode()
    owner = make_user(f"author-of-{name}")
    return uploads.submit_new(owner=owner, game=game, name=name, content=content, filename=filename).version


def validated(source: str | bytes, filename: str = "mine.py", game: str = "three_coins") -> Version:
    version = submitted(source, filename, game=game)
    assert version.state == Version.State.VALIDATING
    run(version)
    return version


def run(version: Version) -> None:
    assert version.validation is not None
    run_series(version.validation.pk, "worker")
    version.refresh_from_db()
    version.bot.refresh_from_db()


@pytest.mark.parametrize("game", ["three_coins", "mia", "commerce"])
def test_a_bot_that_works_passes_and_plays_from_then_on(game: str) -> None:
    version = validated(PLAIN.replace("three_coins", game), game=game)
    assert (version.state, version.reason) == (Version.State.PASSED, "")
    assert version.bot.active_version == version
    series = version.validation
    assert series is not None
    assert (series.purpose, series.rated, series.state) == ("validation", False, "finished")
    assert series.matches.count() == series.planned == 3
    assert {entry.seat for entry in Entry.objects.filter(version=version)} == {0, 1, 2}
    assert not Entry.objects.filter(match__series=series).exclude(fault="").exists()


def test_a_bot_of_several_files_works_as_at_home() -> None:
    source = (
        "from pathlib import Path\nimport helper\nfrom deep.down import pick\n"
        'GAME = "three_coins"\n\n\ndef choose(view):\n'
        '    assert Path(__file__).with_name("table.txt").read_text() == "42"\n    return pick(view.legal)\n'
    )
    files = {"bot.py": source, "helper.py": "X = 1\n", "deep/__init__.py": "", "table.txt": "42"}
    files["deep/down.py"] = "import helper\n\n\ndef pick(moves):\n    return moves[helper.X - 1]\n"
    version = validated(zipped({f"mine/{name}": text.encode() for name, text in files.items()}), "mine.zip")
    assert (version.state, version.reason) == (Version.State.PASSED, "")


@pytest.mark.parametrize(
    ("source", "reason", "output"),
    [
        ("import nonsense\n", "gone: its process ended before it said Hello", "No module named 'nonsense'"),
        ("x = 1\n", "its process ended", "there is no bot in this file"),
        (PLAIN.replace("three_coins", "mia"), "its process ended", "this bot plays mia, not three_coins"),
        ("print('hi')\nraise SystemExit(7)\n", "gone", "hi\n"),
        ("import os\nprint('bye', flush=True)\nos._exit(3)\n", "gone", "bye"),
    ],
)
def test_a_bot_that_does_not_load_fails_and_what_it_printed_is_kept(source: str, reason: str, output: str) -> None:
    version = validated(source)
    assert version.state == Version.State.FAILED
    assert version.reason.startswith("It did not begin to play: gone")
    assert reason in version.reason
    assert version.validation is not None
    seat = version.validation.seats.get(version=version)
    assert output in seat.output
    assert version.bot.active_version is None
    assert version.bot.state == Bot.State.ACTIVE


@pytest.mark.parametrize(
    ("choose", "reason", "line", "answered"),
    [
        ("raise RuntimeError('oh dear')", "Match 1: unreadable", "RuntimeError: oh dear", ""),
        ("return 'bid 999'", "Match 1: illegal", "", "bid 999"),
        ("import time; time.sleep(60)", "Match 1: late", "", ""),
    ],
)
def test_the_first_fault_ends_it_and_the_exchange_is_kept(
    choose: str, reason: str, line: str, answered: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = f'GAME = "three_coins"\n\n\ndef choose(view):\n    print("here")\n    {choose}\n'
    version = submitted(source)
    Series.objects.filter(pk=version.validation_id).update(bank_ms=200)
    run(version)
    assert version.state == Version.State.FAILED
    assert version.reason.startswith(reason)
    series = version.validation
    assert series is not None
    assert (series.state, series.matches.count()) == ("finished", 1)
    assert not series.blocks.exclude(state="closed").exists()
    log = EntryLog.objects.get(entry__match__series=series, entry__version=version)
    assert "here" in log.text
    assert line in "".join(text for _, text in log.lines)
    assert log.exchange is not None
    assert log.exchange["answered"] == answered
    assert "legal: " in log.exchange["asked"]


def test_log_lines_stand_at_their_steps() -> None:
    source = 'from arena.kit import Bot\n\n\nclass Mine(Bot):\n    game = "three_coins"\n    n = 0\n\n'
    source += '    def choose(self, view):\n        self.n += 1\n        self.log(f"decision {self.n}")\n'
    source += "        move = view.legal[0]\n        self.log(move)\n        return move\n"
    version = validated(source)
    assert version.state == Version.State.PASSED, version.reason
    for entry in Entry.objects.filter(version=version).select_related("log", "match"):
        steps = record_of(entry.match).steps
        own = [n for n, step in enumerate(steps, 1) if isinstance(step, MovesStep) and entry.seat in step.moves]
        assert [step for step, _ in entry.log.lines] == [n for n in own for _ in range(2)]
        assert [line for _, line in entry.log.lines][::2] == [f"decision {n + 1}" for n in range(len(own))]


def test_a_newer_version_is_not_pushed_aside_by_an_older_one_that_took_longer() -> None:
    first = submitted(PLAIN)
    owner = first.bot.owner
    assert owner is not None
    second = uploads.submit(bot=first.bot, by=owner, content=PLAIN.encode() + b"# 2\n", filename="x.py").version
    run(second)
    run(first)
    first.bot.refresh_from_db()
    assert (first.state, second.state) == ("passed", "passed")
    assert first.bot.active_version == second


def test_its_author_may_choose_what_plays() -> None:
    from webapp.bots import versions

    first = validated(PLAIN)
    owner = first.bot.owner
    assert owner is not None
    versions.set_auto_activate(bot=first.bot, by=owner, on=False)
    second = uploads.submit(bot=first.bot, by=owner, content=PLAIN.encode() + b"# 2\n", filename="x.py").version
    run(second)
    first.bot.refresh_from_db()
    assert (second.state, first.bot.active_version) == ("passed", first)


def test_a_quarantined_bot_is_let_out_by_a_version_that_works() -> None:
    first = validated(PLAIN)
    owner = first.bot.owner
    assert owner is not None
    Bot.objects.filter(pk=first.bot.pk).update(state=Bot.State.QUARANTINED, state_reason="It did not begin")
    run(uploads.submit(bot=first.bot, by=owner, content=PLAIN.encode() + b"# 2\n", filename="x.py").version)
    first.bot.refresh_from_db()
    assert (first.bot.state, first.bot.state_reason) == (Bot.State.ACTIVE, "")


def test_failing_again_and_again_quarantines_nobody() -> None:
    first = validated("import nonsense\n")
    owner = first.bot.owner
    assert owner is not None
    for number in range(3):
        source = f"import nonsense{number}\n".encode()
        run(uploads.submit(bot=first.bot, by=owner, content=source, filename="x.py").version)
    first.bot.refresh_from_db()
    assert first.bot.state == Bot.State.ACTIVE


def test_when_the_arena_fails_it_says_so_and_the_version_can_be_tried_again() -> None:
    version = submitted(PLAIN)
    series, owner = version.validation, version.bot.owner
    assert series is not None
    assert owner is not None
    for _ in range(services.MOST_BREAKS):
        claim = services.claim(series_id=series.pk, worker="w")
        assert claim is not None
        services.break_off(claim=claim, reason="the machine was lost")
    version.refresh_from_db()
    assert version.state == Version.State.FAILED
    assert "no fault of the bot" in version.reason
    assert "the machine was lost" in version.reason
    uploads.try_again(version=version, by=owner)
    version.refresh_from_db()
    assert version.state == Version.State.VALIDATING
    assert version.validation != series
    run(version)
    assert version.state == Version.State.PASSED
    with pytest.raises(Refused, match="Only a version that failed"):
        uploads.try_again(version=version, by=owner)


def test_an_organiser_who_cancels_it_leaves_no_version_in_between() -> None:
    version = submitted(PLAIN)
    assert version.validation is not None
    organiser = make_user("olga", is_staff=True)
    assert organisers.cancel_series(series=version.validation, by=organiser)
    version.refresh_from_db()
    assert version.state == Version.State.FAILED
    assert "Cancelled by an organiser" in version.reason


def test_what_a_bot_printed_before_it_was_taken_off_a_table_is_for_its_author() -> None:
    version = hosted("broken", "print('oh dear')\nraise SystemExit(3)\n", house=False)
    series = series_of([version, *house("random", "honest")], planned=3)
    run_series(series.pk, "worker")
    seat = series.seats.get(version=version)
    assert seat.removed.startswith("gone")
    assert seat.output.startswith("oh dear\n")
    owner = version.bot.owner
    assert owner is not None
    for user, sees in ((owner, True), (make_user("stranger"), False)):
        client = Client()
        client.force_login(user)
        assert ("oh dear" in client.get(f"/my/bots/{version.bot_id}/").content.decode()) is sees
        assert "oh dear" not in client.get(f"/series/{series.pk}/").content.decode()


def test_only_what_has_passed_is_seated_on_the_ladder() -> None:
    version = submitted(PLAIN)
    Series.objects.filter(purpose="ladder").delete()
    series = tick()
    assert series is not None
    assert not series.seats.filter(version=version).exists()


# ---- out of quarantine ---------------------------------------------------------------------------


def into_quarantine(version: Version) -> None:
    Bot.objects.filter(pk=version.bot_id).update(state=Bot.State.QUARANTINED, faulty_series=[1, 2, 3])
    version.bot.refresh_from_db()


def test_a_bot_in_quarantine_comes_back_by_showing_that_it_works() -> None:
    version = validated(PLAIN)
    owner = version.bot.owner
    assert owner is not None
    with pytest.raises(Refused, match="in no quarantine"):
        uploads.prove(bot=version.bot, by=owner)
    into_quarantine(version)
    with pytest.raises(NotAllowed):
        uploads.prove(bot=version.bot, by=make_user("eve"))
    client = Client()
    client.force_login(owner)
    assert "Let it show that it works" in client.get(f"/my/bots/{version.bot_id}/").content.decode()
    assert client.post(f"/my/bots/{version.bot_id}/prove/").status_code == 302
    version.refresh_from_db()
    assert version.state == Version.State.VALIDATING
    with pytest.raises(Refused, match="Only a version that failed"):
        uploads.prove(bot=version.bot, by=owner)
    run(version)
    assert (version.state, version.bot.state) == (Version.State.PASSED, Bot.State.ACTIVE)
    assert version.bot.active_version == version
    assert version.bot.faulty_series == []


def test_a_bot_in_quarantine_that_shows_that_it_does_not_work_stays_there_and_plays_no_more() -> None:
    version = validated(PLAIN)
    owner = version.bot.owner
    assert owner is not None
    into_quarantine(version)
    Version.objects.filter(pk=version.pk).update(source=b"raise SystemExit('no more')\n")
    uploads.prove(bot=version.bot, by=owner)
    version.refresh_from_db()
    run(version)
    assert (version.state, version.bot.state) == (Version.State.FAILED, Bot.State.QUARANTINED)
    assert version.bot.active_version is None


def test_another_version_that_works_but_does_not_play_lets_nobody_out() -> None:
    version = validated(PLAIN)
    owner = version.bot.owner
    assert owner is not None
    into_quarantine(version)
    versions.set_auto_activate(bot=version.bot, by=owner, on=False)
    other = uploads.submit(bot=version.bot, by=owner, content=(PLAIN + "# mended\n").encode(), filename="b.py").version
    run(other)
    assert (other.state, other.bot.state) == (Version.State.PASSED, Bot.State.QUARANTINED)
    uploads.submit(bot=version.bot, by=owner, content=(PLAIN + "# mended\n").encode(), filename="b.py")
    versions.set_auto_activate(bot=other.bot, by=owner, on=True)
    third = uploads.submit(bot=other.bot, by=owner, content=(PLAIN + "# 3\n").encode(), filename="b.py").version
    run(third)
    assert third.bot.state == Bot.State.ACTIVE


# ---- slow ones -----------------------------------------------------------------------------------

SLOW = PLAIN.replace("def choose(view):\n", "def choose(view):\n    import time; time.sleep(0.4)\n")


def test_a_validation_that_takes_too_long_is_the_bots_own_fault(settings: Any) -> None:
    settings.ARENA_VALIDATION_SECONDS = 2
    assert SLOW != PLAIN
    version = validated(SLOW)
    assert version.state == Version.State.FAILED
    assert version.reason.startswith("It plays too slowly. It was not over within")
    assert Series.objects.get(pk=version.validation_id).attempt == 1


def test_one_version_of_an_author_is_validated_at_a_time_and_so_many_in_all(settings: Any) -> None:
    settings.ARENA_VALIDATIONS = 2
    first = submitted(PLAIN)
    owner = first.bot.owner
    assert owner is not None
    second = uploads.submit(bot=first.bot, by=owner, content=(PLAIN + "# 2\n").encode(), filename="b.py").version
    others = [submitted(PLAIN, name=name) for name in ("Other", "Third")]
    claims = {}
    for version in (first, second, *others):
        assert version.validation_id is not None
        claims[version] = services.claim(series_id=version.validation_id, worker="w")
    assert claims[first] is not None
    assert claims[second] is None  # the author's other one is under way
    assert claims[others[0]] is not None
    assert claims[others[1]] is None  # two in all
    services.finish(claim=claims[first])
    assert second.validation_id is not None
    assert services.claim(series_id=second.validation_id, worker="w") is not None
