"""What authors hand in: who may, how much, what is refused, and who sees what of it."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from django.utils.html import escape

from arena.games import GAMES
from arena.package import MOST_BYTES
from arena.starter import starter
from tests.webapp.making import make_bot, make_house_bot, make_match, make_organiser, make_user
from tests.webapp.moments import together
from tests.webapp.playing import PLAIN
from tests.webapp.zips import zipped
from webapp.accounts import keys
from webapp.accounts.models import ApiKey, User
from webapp.bots import services, uploads, versions
from webapp.bots.models import Bot, Upload, Version
from webapp.bots.services import NotAllowed, Refused
from webapp.celery import Priority
from webapp.live.news import own_channel
from webapp.matches import hosting, retention, verdicts
from webapp.matches.models import EntryLog, Match, Series, Worker
from webapp.matches.rulesets import ensure_rulesets

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _house() -> None:
    ensure_rulesets()
    for game in GAMES:
        for name in ("random", "honest"):
            make_house_bot(name, game=game)
    hosting.announce(name="here")


@pytest.fixture
def ada() -> User:
    return make_user("ada")


@pytest.fixture
def bob() -> User:
    return make_user("bob")


def signed_in(user: User, **how: Any) -> Client:
    client = Client(**how)
    client.force_login(user)
    return client


def submitted(owner: User, name: str = "Mine", source: str = PLAIN) -> Version:
    return uploads.submit_new(
        owner=owner, game="three_coins", name=name, content=source.encode(), filename="mine.py"
    ).version


def again(version: Version, source: str) -> Version:
    assert version.bot.owner is not None
    return uploads.submit(bot=version.bot, by=version.bot.owner, content=source.encode(), filename="mine.py").version


def passed(version: Version) -> Version:
    """As if its validation had gone well."""
    versions.passed(version)
    version.refresh_from_db()
    version.bot.refresh_from_db()
    return version


# ---- handing in ----------------------------------------------------------------------------------


def test_an_upload_is_named_by_its_content_and_waits_for_its_validation(ada: User) -> None:
    version = submitted(ada)
    assert (version.number, version.state, version.files, version.size) == (1, "validating", 1, len(PLAIN))
    assert bytes(version.source or b"") == PLAIN.encode()
    assert version.bot.kind == Bot.Kind.HOSTED
    assert version.bot.active_version is None
    series = version.validation
    assert series is not None
    assert (series.purpose, series.rated, series.planned, series.state) == ("validation", False, 3, "waiting")
    assert [seat.version.bot.name for seat in series.seats.order_by("seat")] == ["Mine", "random", "honest"]


def test_somebody_waits_for_a_validation_so_it_comes_first(
    ada: User, django_capture_on_commit_callbacks: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rung: list[int] = []
    from webapp.matches.tasks import play_series

    monkeypatch.setattr(play_series, "apply_async", lambda _args, *, priority, **_: rung.append(priority))
    with django_capture_on_commit_callbacks(execute=True):
        submitted(ada)
    assert rung == [Priority.PERSON]


def test_the_same_content_again_is_the_same_version(ada: User) -> None:
    first = submitted(ada)
    done = uploads.submit(bot=first.bot, by=ada, content=zipped({"x/bot.py": PLAIN.encode()}), filename="other.zip")
    assert (done.version, done.new) == (first, False)
    other = again(first, PLAIN + "# 2\n")
    assert (other.number, Version.objects.filter(bot=first.bot).count()) == (2, 2)
    assert uploads.submit(bot=first.bot, by=ada, content=PLAIN.encode(), filename="x.py").version == first


@pytest.mark.parametrize(
    ("content", "filename", "why"),
    [
        (b"def", "x.py", "bot.py:1: syntax error"),
        (b"(" * 3000 + b")" * 3000, "x.py", "syntax error|cannot be compiled"),
        (b"-" * 200_000 + b"1", "x.py", "syntax error|cannot be compiled"),
        (b"x" * (MOST_BYTES + 1), "x.py", "at most"),
        (b"x", "x.exe", "as a .py file or as a .zip"),
        (b"x", "x.zip", "cannot be read"),
        (zipped({"main.py": b""}), "x.zip", "no bot.py"),
        (zipped({"bot.py": b"", "../evil.py": b""}), "x.zip", "leads out"),
        (zipped({"bot.py": b"", "zeros": bytes(5 << 20)}), "x.zip", "more than 4,194,304 bytes"),
    ],
)
def test_what_is_refused_leaves_nothing_but_a_count(ada: User, content: bytes, filename: str, why: str) -> None:
    with pytest.raises(Refused, match=why):
        uploads.submit_new(owner=ada, game="three_coins", name="Mine", content=content, filename=filename)
    assert not Bot.objects.filter(owner=ada).exists()
    assert not Series.objects.exists()
    assert Upload.objects.filter(owner=ada).count() == 1


def test_a_name_that_is_taken_leaves_nothing(ada: User, bob: User) -> None:
    submitted(bob, "Mine")
    with pytest.raises(Refused, match="already a bot"):
        submitted(ada, "mine")
    assert not Bot.objects.filter(owner=ada).exists()
    assert Version.objects.filter(bot__house=False).count() == 1


def test_only_its_author_hands_in_for_a_bot(ada: User, bob: User) -> None:
    version = submitted(ada)
    for stranger in (bob, make_organiser()):
        with pytest.raises(NotAllowed, match="somebody else"):
            uploads.submit(bot=version.bot, by=stranger, content=b"x = 1\n", filename="x.py")
        for service in (versions.activate, versions.retire, uploads.try_again):
            with pytest.raises(NotAllowed):
                service(version=version, by=stranger)
        with pytest.raises(NotAllowed):
            uploads.own_source(version=version, by=stranger)
        with pytest.raises(NotAllowed):
            versions.set_auto_activate(bot=version.bot, by=stranger, on=False)
    assert Version.objects.filter(bot=version.bot).count() == 1


def test_who_cannot_hand_in(ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
    version = submitted(ada)
    with pytest.raises(Refused, match="dials in"):
        uploads.submit(bot=make_bot(ada, "Far"), by=ada, content=b"x = 1\n", filename="x.py")
    services.ban_bot(bot=version.bot, by=make_organiser(), reason="It cheats.")
    with pytest.raises(Refused, match=r"banned\. It cheats"):
        again(version, "x = 1\n")

    monkeypatch.setattr(settings, "ARENA_CONFIRMED_AUTHORS", True)
    with pytest.raises(NotAllowed, match="Confirm your e-mail address"):
        submitted(ada, "Other")
    EmailAddress.objects.create(user=ada, email=ada.email, verified=True, primary=True)
    submitted(ada, "Other")

    ada.is_active = False
    ada.save()
    with pytest.raises(NotAllowed, match="closed"):
        submitted(ada, "Third")


def test_without_a_wall_nothing_is_taken_and_the_organiser_reads_what_to_do(ada: User) -> None:
    Worker.objects.update(strong=False, why="Install bubblewrap.")
    with pytest.raises(Refused, match="takes no uploads"):
        submitted(ada)
    page = signed_in(ada).get("/my/bots/submit/").content.decode()
    assert "takes no uploads" in page
    assert "bubblewrap" not in page
    assert "Install bubblewrap." in signed_in(make_organiser()).get("/my/bots/submit/").content.decode()


# ---- quotas --------------------------------------------------------------------------------------


def test_uploads_an_hour(ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "UPLOADS_AN_HOUR", 3)
    version = submitted(ada)
    for _ in range(2):
        with pytest.raises(Refused, match="syntax"):
            again(version, "def")
    with pytest.raises(uploads.TooMany, match="3 times within an hour"):
        again(version, "x = 1\n")
    Upload.objects.update(created=timezone.now() - timedelta(minutes=61))
    again(version, "x = 1\n")
    assert uploads.forget_uploads() == 0
    Upload.objects.update(created=timezone.now() - timedelta(days=2))
    assert uploads.forget_uploads() == 4


def test_versions_a_day_and_validations_at_once(ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "NEW_VERSIONS_A_DAY", 4)
    version = submitted(ada)
    for number in range(2):
        again(version, f"x = {number}\n")
    with pytest.raises(uploads.TooMany, match="3 versions of yours are being validated"):
        submitted(ada, "Other")
    Version.objects.filter(bot=version.bot).update(state=Version.State.PASSED)
    again(version, "x = 2\n")
    with pytest.raises(uploads.TooMany, match="4 new versions within a day"):
        again(version, "x = 3\n")
    assert {quota.used for quota in uploads.quotas_of(bot=version.bot)} == {6, 4, 1}


@pytest.mark.django_db(transaction=True)
def test_two_at_once_are_one_version_or_two_numbers(ada: User) -> None:
    version = passed(submitted(ada))
    for sources, expected in ((["x = 1\n"] * 3, {2}), (["x = 2\n", "x = 3\n"], {3, 4})):
        numbers = together(*[lambda source=source: again(version, source).number for source in sources])
        assert set(numbers) == expected
        Version.objects.filter(bot=version.bot).update(state=Version.State.PASSED)


@pytest.mark.django_db(transaction=True)
def test_two_at_once_are_counted_twice(ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "UPLOADS_AN_HOUR", 1)

    def one(name: str) -> bool:
        try:
            submitted(ada, name)
        except uploads.TooMany:
            return False
        return True

    assert sorted(together(lambda: one("One"), lambda: one("Two"))) == [False, True]


# ---- what plays ----------------------------------------------------------------------------------


def test_its_author_chooses_among_versions_that_work(ada: User) -> None:
    first = passed(submitted(ada))
    second = passed(again(first, "x = 1\n"))
    third = again(first, "x = 2\n")
    bot = first.bot
    for service in (versions.activate, versions.retire):
        with pytest.raises(Refused, match="passed its validation"):
            service(version=third, by=ada)
    versions.activate(version=first, by=ada)
    bot.refresh_from_db()
    assert bot.active_version == first
    versions.retire(version=second, by=ada)
    bot.refresh_from_db()
    second.refresh_from_db()
    assert (second.state, bot.active_version) == ("retired", first)
    versions.retire(version=first, by=ada)
    bot.refresh_from_db()
    assert bot.active_version is None
    versions.activate(version=second, by=ada)
    second.refresh_from_db()
    bot.refresh_from_db()
    assert (second.state, bot.active_version) == ("passed", second)


def test_a_verdict_is_given_once(ada: User) -> None:
    version = submitted(ada)
    assert version.validation is not None
    Series.objects.filter(pk=version.validation.pk).update(state=Series.State.FINISHED)
    version.validation.refresh_from_db()
    verdicts.conclude(version.validation)
    versions.failed(version, "too late")
    version.refresh_from_db()
    assert (version.state, version.reason) == ("passed", "")


# ---- the pages -----------------------------------------------------------------------------------


@pytest.mark.parametrize("game", list(GAMES))
def test_the_editor_begins_with_a_bot_that_plays(ada: User, game: str) -> None:
    client = signed_in(ada)
    page = client.get(f"/my/bots/submit/?game={game}")
    assert f"game = &quot;{game}&quot;" in page.content.decode()
    typed = starter(game).replace("\n", "\r\n")
    answer = client.post(f"/my/bots/submit/?game={game}", {"name": "Typed", "source": typed})
    version = Version.objects.get(bot__name="Typed")
    assert answer.headers["Location"] == f"/my/bots/{version.bot_id}/versions/1/"
    assert bytes(version.source or b"").decode() == starter(game)
    assert "waits for a free worker" in client.get(answer.headers["Location"]).content.decode()
    part = client.get(answer.headers["Location"], headers={"HX-Request": "true"}).content.decode()
    assert part.lstrip().startswith("<div data-refresh")


def test_a_file_is_taken_before_the_editor(ada: User) -> None:
    client = signed_in(ada)
    file = SimpleUploadedFile("mine.zip", zipped({"bot.py": PLAIN.encode(), "more.py": b"X = 1\n"}))
    client.post("/my/bots/submit/?game=three_coins", {"name": "Zipped", "source": "nonsense", "file": file})
    version = Version.objects.get(bot__name="Zipped")
    assert (version.files, version.filename) == (2, "bot.zip")
    page = client.get(f"/my/bots/{version.bot_id}/submit/").content.decode()
    assert "class Mybot(Bot)" in page  # several files do not fit into the editor
    same = SimpleUploadedFile("again.zip", zipped({"more.py": b"X = 1\n", "bot.py": PLAIN.encode()}))
    answer = client.post(f"/my/bots/{version.bot_id}/submit/", {"file": same}, follow=True)
    assert "This very content is there already" in answer.content.decode()
    assert version.bot.versions.count() == 1


def test_what_is_wrong_is_said_beside_what_was_typed(ada: User) -> None:
    client = signed_in(ada)
    answer = client.post("/my/bots/submit/?game=three_coins", {"name": "Typed", "source": "def choose(view)\n"})
    assert answer.status_code == 422
    assert "bot.py:1: syntax error" in answer.content.decode()
    assert "def choose(view)" in answer.content.decode()
    empty = client.post("/my/bots/submit/?game=three_coins", {"name": "Typed", "source": " "})
    assert "Write a bot into the editor" in empty.content.decode()
    assert client.get("/my/bots/submit/?game=chess").status_code == 404
    assert not Bot.objects.filter(owner=ada).exists()


def test_while_it_is_validated_its_pages_are_told_by_a_name_that_nobody_can_guess(ada: User, settings: Any) -> None:
    settings.ARENA_LIVE_URL = "/live/"
    version = submitted(ada)
    assert version.validation_id is not None
    told = f'data-live="/live/{own_channel("series", version.validation_id)}"'
    page = f"/my/bots/{version.bot_id}/versions/1/"
    for address in (page, f"/series/{version.validation_id}/"):
        assert told in signed_in(ada).get(address).content.decode()
    passed(version)
    assert "data-live" not in signed_in(ada).get(page).content.decode()


def test_nobody_else_learns_whether_there_is_anything(ada: User, bob: User) -> None:
    first = passed(submitted(ada))
    again(first, "x = 1\n")
    own = f"/my/bots/{first.bot_id}"
    paths = [f"{own}/versions/1/", f"{own}/versions/1/source/", f"{own}/submit/", f"{own}/compare/?old=1&new=2"]
    posts = [f"{own}/versions/1/{what}/" for what in ("activate", "retire", "again")] + [f"{own}/auto-activate/"]
    for user in (bob, make_organiser()):
        client = signed_in(user)
        for path in paths:
            answer = client.get(path)
            other = path.replace(own, "/my/bots/999999")
            nothing = client.get(other)
            # the choice of the language leads back to the address that was asked for
            same = answer.content.decode().replace(escape(path), "") == nothing.content.decode().replace(
                escape(other), ""
            )
            assert (answer.status_code, same) == (nothing.status_code, True)
            assert answer.status_code == 404
        for path in posts:
            assert client.post(path).status_code == 404
    for path in [*paths, *posts]:
        assert Client().get(path).status_code in (302, 405)
    client = signed_in(ada)
    for path in paths:
        assert client.get(path).status_code == 200, path
    for missing in (
        "versions/9/",
        "versions/9/source/",
        "compare/?old=1&new=9",
        "compare/?old=1",
        "compare/?old=x&new=1",
    ):
        assert client.get(f"{own}/{missing}").status_code == 404


def test_every_form_needs_its_csrf_token(ada: User) -> None:
    version = passed(submitted(ada))
    client = signed_in(ada, enforce_csrf_checks=True)
    own = f"/my/bots/{version.bot_id}"
    for path in (
        "/my/bots/submit/",
        f"{own}/submit/",
        f"{own}/auto-activate/",
        f"{own}/versions/1/activate/",
        f"{own}/versions/1/retire/",
        f"{own}/versions/1/again/",
        "/my/account/keys/",
        "/my/account/keys/1/delete/",
    ):
        assert client.post(path, {"name": "X", "source": PLAIN}).status_code == 403, path
    assert Version.objects.filter(bot__owner=ada).count() == 1


def test_the_source_comes_back_as_it_was_handed_in(ada: User) -> None:
    version = submitted(ada, "My bot")
    answer = signed_in(ada).get(f"/my/bots/{version.bot_id}/versions/1/source/")
    assert answer.content == PLAIN.encode()
    assert answer.headers["Content-Disposition"] == 'attachment; filename="my-bot-1.py"'
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_two_versions_side_by_side(ada: User) -> None:
    first = passed(submitted(ada))
    again(first, PLAIN.replace("legal[0]", "legal[-1]") + "# <script>\n")
    page = signed_in(ada).get(f"/my/bots/{first.bot_id}/compare/?old=1&new=2").content.decode()
    assert '<span class="removed">-    return view.legal[0]</span>' in page
    assert '<span class="added">+    return view.legal[-1]</span>' in page
    assert "+# &lt;script&gt;" in page


def test_the_page_of_a_bot_that_runs_here(ada: User) -> None:
    first = passed(submitted(ada))
    again(first, "x = 1\n")
    client = signed_in(ada)
    page = client.get(f"/my/bots/{first.bot_id}/").content.decode()
    for words in ("plays now", "being validated", "2 of 30", "submit another one", "kept for 30 days"):
        assert words in page, words
    assert "Tokens" not in page
    client.post(f"/my/bots/{first.bot_id}/auto-activate/", {})
    first.bot.refresh_from_db()
    assert not first.bot.auto_activate
    client.post(f"/my/bots/{first.bot_id}/settings/", {"about": "It bids."})
    first.bot.refresh_from_db()
    assert first.bot.about == "It bids."
    assert "submit" in client.get("/my/bots/").content.decode()


def test_too_large_a_body_is_refused_before_it_is_read(ada: User) -> None:
    client = signed_in(ada)
    body = b"x" * (settings.ARENA_MOST_BODY_BYTES + 1)
    answer = client.post("/my/bots/submit/", body, content_type="multipart/form-data; boundary=x")
    assert answer.status_code == 413
    assert "at most 1024 KiB" in answer.content.decode()
    answer = client.post("/api/my/submit", body, content_type="application/octet-stream")
    assert answer.status_code == 413
    assert "at most 1024 KiB" in answer.json()["error"]


# ---- who sees a validation -----------------------------------------------------------------------


def test_a_validation_is_for_its_author_alone(ada: User, bob: User) -> None:
    version = submitted(ada)
    series = version.validation
    assert series is not None
    seats = [seat.version for seat in series.seats.order_by("seat")]
    match = make_match(seats, series=series)
    Match.objects.filter(pk=match.pk).update(rated=False)
    public = (
        "/",
        "/matches/",
        f"/bots/three_coins/{version.bot.name}/",
        "/api/matches",
        "/api/matches?bot=three_coins/Mine",
    )
    for path in public:
        assert match.name not in Client().get(path).content.decode(), path
    for path in (
        f"/matches/{match.name}/",
        f"/matches/{match.name}/step/0/",
        f"/matches/{match.name}/record.json",
        f"/series/{series.pk}/",
        f"/api/matches/{match.name}",
        f"/api/matches/{match.name}/record",
        f"/api/series/{series.pk}",
    ):
        for client in (Client(), signed_in(bob)):
            assert client.get(path).status_code == 404, path
        if not path.startswith("/api/"):
            assert signed_in(ada).get(path).status_code == 200, path
    assert json.loads(Client().get("/api/bots/three_coins/Mine").content)["versions"] == []
    assert "version 1" not in Client().get(f"/bots/three_coins/{version.bot.name}/").content.decode()


def test_a_log_stands_beside_the_replay_for_its_author(ada: User, bob: User) -> None:
    version = passed(submitted(ada))
    match = make_match([version, make_house_bot("random"), make_house_bot("honest")])
    entry = match.entries.get(version=version)
    EntryLog.objects.create(entry=entry, lines=[[1, "first thought"], [3, "<b>second</b>"]], text="printed")
    client = signed_in(ada)
    at = {step: client.get(f"/matches/{match.name}/step/{step}/").content.decode() for step in (1, 2, 3)}
    assert "first thought" in at[1]
    assert "Nothing at this step." in at[2]
    assert "&lt;b&gt;second&lt;/b&gt;" in at[3]
    log = client.get(f"/my/bots/{version.bot_id}/logs/{match.name}/0/").content.decode()
    assert f"/matches/{match.name}/step/3/?as=0" in log
    assert "printed" in log
    for other in (Client(), signed_in(bob), signed_in(make_organiser())):
        page = other.get(f"/matches/{match.name}/step/1/").content.decode()
        assert "first thought" not in page
        assert "Nothing at this step." not in page


def test_logs_are_forgotten_when_their_time_has_come(ada: User) -> None:
    version = passed(submitted(ada))
    old, new = (make_match([version, make_house_bot("random")]) for _ in range(2))
    for match, finished in ((old, timedelta(days=31)), (new, timedelta(days=29))):
        Match.objects.filter(pk=match.pk).update(finished=timezone.now() - finished)
        EntryLog.objects.create(entry=match.entries.get(version=version), text="printed")
    for match, days in ((old, 31), (new, 29)):
        Series.objects.filter(pk=match.series_id).update(finished=timezone.now() - timedelta(days=days))
        match.series.seats.update(output="printed")
    assert retention.forget_logs(older_than=timedelta(days=30)) == 3
    assert [log.entry.match for log in EntryLog.objects.all()] == [new]
    assert not old.series.seats.exclude(output="").exists()
    assert new.series.seats.exclude(output="").exists()
    assert Match.objects.count() == 2


def test_who_leaves_leaves_no_source_and_no_log(ada: User) -> None:
    version = passed(submitted(ada))
    match = make_match([version, make_house_bot("random")])
    EntryLog.objects.create(entry=match.entries.get(version=version), text="printed")
    services.abandon_bots(owner=ada)
    version.refresh_from_db()
    assert version.source is None
    assert version.digest
    assert not EntryLog.objects.exists()
    with pytest.raises(Refused, match="no source"):
        uploads.inspect_source(version=version, by=make_organiser())
    assert make_house_bot("random").source is not None


def test_an_organiser_reads_a_source_and_it_is_written_down(ada: User) -> None:
    version = passed(submitted(ada))
    olga = make_organiser()
    client = signed_in(olga)
    page = client.get(f"/admin/bots/bot/{version.bot_id}/change/").content.decode()
    assert "view.legal" not in page
    chosen = {"action": "read_source", "_selected_action": [version.bot_id]}
    answer = client.post("/admin/bots/bot/", chosen)
    assert answer.content == PLAIN.encode()
    line = LogEntry.objects.get(object_id=str(version.bot_id))
    assert (line.user, line.change_message) == (olga, "Read the source of version 1.")
    with pytest.raises(NotAllowed):
        uploads.inspect_source(version=version, by=ada)


# ---- keys, and the API ---------------------------------------------------------------------------


def asked(key: str, path: str, body: bytes | None = None, client: Client | None = None) -> Any:
    client = client or Client()
    headers = {"Authorization": f"Bearer {key}"}
    if body is None:
        return client.get(path, headers=headers)
    return client.post(path, body, content_type="application/octet-stream", headers=headers)


SUBMIT = "/api/my/submit?game=three_coins&name=Mine&filename=mine.py"


def test_a_key_is_shown_once_and_kept_as_a_hash(ada: User) -> None:
    client = signed_in(ada)
    page = client.post("/my/account/keys/").content.decode()
    key = page.split("<code>bk_")[1].split("<")[0]
    kept = ApiKey.objects.get(user=ada)
    assert key not in (kept.digest, kept.hint)
    assert key not in client.get("/my/account/").content.decode()
    assert asked(f"bk_{key}", "/api/my/me").json()["username"] == "ada"
    kept.refresh_from_db()
    assert kept.last_used is not None
    assert signed_in(make_user("bob")).post(f"/my/account/keys/{kept.pk}/delete/").status_code == 404
    assert client.post(f"/my/account/keys/{kept.pk}/delete/").status_code == 302
    assert asked(f"bk_{key}", "/api/my/me").status_code == 401
    assert client.get("/my/account/keys/").status_code == 302


def test_an_account_has_so_many_keys(ada: User) -> None:
    for _ in range(keys.MOST_KEYS):
        keys.make_key(user=ada)
    with pytest.raises(keys.KeyRefused, match="at most 5"):
        keys.make_key(user=ada)


def test_without_a_key_nothing_is_done(ada: User) -> None:
    key = keys.make_key(user=ada)
    for wrong in ("", "bk_nonsense", key[:-1], key + "x", "bk_" + "x" * 500, "bk_\udcff"):
        answer = asked(wrong.encode(errors="replace").decode(), SUBMIT, PLAIN.encode())
        assert answer.status_code == 401, wrong
        assert "needs a key" in answer.json()["error"]
    # being signed in in the browser is no key: another site could send such a request
    assert signed_in(ada).post(SUBMIT, PLAIN, content_type="application/octet-stream").status_code == 401
    ada.is_active = False
    ada.save()
    assert asked(key, SUBMIT, PLAIN.encode()).status_code == 401
    assert not Bot.objects.filter(owner=ada).exists()


def test_a_program_hands_in_and_asks_what_became_of_it(ada: User, bob: User) -> None:
    key = keys.make_key(user=ada)
    answer = asked(key, SUBMIT, PLAIN.encode())
    assert answer.status_code == 201
    state = answer.json()
    assert (state["state"], state["new"], state["waiting"], state["planned"]) == ("validating", True, True, 3)
    assert state["page"].endswith(f"/my/bots/{Bot.objects.get(name='Mine').pk}/versions/1/")
    assert asked(key, SUBMIT.replace("Mine", "mINE"), PLAIN.encode()).status_code == 200
    version = Version.objects.get(pk=state["id"])
    versions.failed(version, "It did not begin to play: gone")
    assert version.validation is not None
    seat = version.validation.seats.get(version=version)
    seat.removed, seat.output = "gone", "Traceback: oh dear\n"
    seat.save()
    state = asked(key, f"/api/my/versions/{version.pk}").json()
    assert (state["state"], state["reason"]) == ("failed", "It did not begin to play: gone")
    assert state["details"] == "It printed:\nTraceback: oh dear"
    other = keys.make_key(user=bob)
    assert asked(other, f"/api/my/versions/{version.pk}").status_code == 404
    assert asked(other, f"/api/my/versions/{2**63}").status_code == 404
    assert asked(other, SUBMIT, b"x = 1\n").status_code == 409
    assert version.bot.versions.count() == 1


def test_what_the_api_refuses(ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
    key = keys.make_key(user=ada)
    answer = asked(key, SUBMIT, b"def")
    assert (answer.status_code, "syntax error" in answer.json()["error"]) == (409, True)
    assert asked(key, SUBMIT.replace("three_coins", "chess"), b"x = 1\n").status_code == 409
    assert asked(key, SUBMIT.replace("Mine", "a%00b"), b"x = 1\n").status_code == 409
    assert asked(key, SUBMIT, b"#" * (MOST_BYTES + 1)).status_code == 413
    assert asked(key, "/api/my/submit", b"x = 1\n").status_code == 422
    monkeypatch.setattr(uploads, "UPLOADS_AN_HOUR", 0)
    assert asked(key, SUBMIT, b"x = 1\n").status_code == 429
    monkeypatch.setattr(settings, "ARENA_CONFIRMED_AUTHORS", True)
    assert asked(key, SUBMIT, b"x = 1\n").status_code == 403
    assert "Confirm" in asked(key, "/api/my/me").json()["closed"]
    assert not Bot.objects.filter(owner=ada).exists()


def test_what_has_no_length_is_not_taken_for_empty() -> None:
    answer = Client().post(
        "/api/my/submit?game=mia&name=xx&filename=a.py",
        headers={"Transfer-Encoding": "chunked"},
        data=b"",
        content_type="application/octet-stream",
    )
    assert answer.status_code == 411
    assert "Content-Length" in answer.json()["error"]


def test_an_empty_source_is_refused(ada: User) -> None:
    with pytest.raises(Refused, match="empty"):
        submitted(ada, source=" \n")
