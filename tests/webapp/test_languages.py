"""The site in its languages: none of its texts is missing, and the reader chooses."""

from __future__ import annotations

import io
import random
import re
import shutil
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, get_args

import pytest
from babel.messages.catalog import Catalog, Message
from django.core import mail
from django.core.management import CommandError, call_command
from django.template import engines
from django.test import Client
from django.utils import translation
from django.utils.html import escape
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from arena import record as records
from arena import story, verify
from arena.games import GAMES, find_game
from arena.package import MOST_BYTES, MOST_FILES, MOST_SOURCE, MOST_UNPACKED, PackageError, read_package
from arena.pairing import Row, explain
from arena.pairing.model import Decision
from arena.rules import OMNISCIENT, RulesetError, ruleset
from tests.breadth import share
from tests.webapp.languages import LANGUAGES, english_in, furnish, states_of
from tests.webapp.zips import zipped
from webapp.matches.drawing import commerce, mia, three_coins
from webapp.matches.examples import example_replay
from webapp.pages.management.commands import messages
from webapp.pages.naming import game_title
from webapp.pages.stored import stored

RECORDS = sorted((Path(__file__).parents[1] / "data/records").glob("*.json"))
TITLES = {
    "three_coins": {"uk": "Три монети", "ru": "Три монеты"},
    "mia": {"uk": "Мія", "ru": "Мия"},
    "commerce": {"uk": "Торгівля", "ru": "Торговля"},
}


@pytest.fixture(autouse=True)
def _afterwards_english() -> Iterator[None]:
    """A request leaves its language to the thread that answered it, which here is that of all tests."""
    yield
    translation.deactivate()


def reader(language: str) -> Client:
    """Somebody whose browser asks for this language."""
    return Client(headers={"Accept-Language": language})


# ---- the catalogues ------------------------------------------------------------------------------


def test_every_text_is_translated() -> None:
    call_command("messages", "--check")


@pytest.fixture(scope="module")
def fresh() -> Catalog:
    """The texts of the site. To collect them takes seconds."""
    return messages.template()


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fresh: Catalog) -> Path:
    """A copy of the catalogues, which the command takes for the real ones; the Ukrainian file of it."""
    shutil.copytree(messages.FOLDER, tmp_path / "webapp/locale")
    monkeypatch.setattr(messages, "template", lambda: fresh)
    monkeypatch.setattr(messages, "FOLDER", tmp_path / "webapp/locale")
    monkeypatch.setattr(messages, "ROOT", tmp_path)
    return messages.path_of("uk")


@pytest.mark.parametrize(
    ("before", "after", "complaint"),
    [
        ('msgid "Sign in"\nmsgstr "Увійти"', 'msgid "Sign in"\nmsgstr ""', "'Sign in' is not translated"),
        ('msgid "Sign in"', 'msgid "Sign him in"', "is not what the texts of the site are now"),
        ('msgid "Sign in"', '#, fuzzy\nmsgid "Sign in"', "'Sign in' is marked as fuzzy"),
        ('msgstr "{who} бачить {dice}"', 'msgstr "{who} бачить {кубики}"', "has other placeholders"),
        ('msgstr "Раунд %(round)d"', 'msgstr "Раунд %(round)s"', "has other placeholders"),
        ('msgstr[2] "%(n)d ковтків"', 'msgstr[2] ""', "has not all its plural forms"),
        ('msgstr "Увійти"', 'msgstr "Зайти"', "is not what django.po says: run make messages"),
    ],
)
def test_the_check_finds_what_is_wrong(copied: Path, before: str, after: str, complaint: str) -> None:
    text = copied.read_text()
    assert before in text
    copied.write_text(text.replace(before, after, 1))
    with pytest.raises(CommandError, match=re.escape(complaint)):
        call_command("messages", "--check")


def test_collecting_keeps_translations_and_drops_what_is_gone(copied: Path) -> None:
    before = copied.read_text()
    copied.write_text(before.replace('msgid "Sign in"', 'msgid "Sign him in"', 1))
    said = io.StringIO()
    call_command("messages", stdout=said)
    assert copied.read_text() == before.replace('"Увійти"', '""', 1)
    assert "1 to translate or mend" in said.getvalue()


def test_placeholders_are_told_from_signs() -> None:
    assert messages.placeholders("{who} has %(n)d of %(share).3g %%") == ["%%", "%(n)d", "%(share).3g", "{who}"]
    assert list(messages.faults_of(Message("{who}", "{who"), 3))


# ---- the reader's choice -------------------------------------------------------------------------


@pytest.mark.django_db
def test_a_reader_chooses_a_language_and_keeps_the_page() -> None:
    client = reader("en")
    assert '<html lang="en">' in client.get("/rules/mia/?a=1").content.decode()
    answer = client.post("/language/", {"language": "uk", "next": "/rules/mia/?a=1"})
    assert (answer.status_code, answer["Location"]) == (302, "/rules/mia/?a=1")
    assert answer.cookies["language"]["httponly"]
    for address in ("/rules/mia/?a=1", "/status/"):
        page = client.get(address).content.decode()
        assert '<html lang="uk">' in page
        assert f'name="next" value="{address}"' in page
        assert 'value="uk" lang="uk" aria-current="true"' in page
    client.post("/language/", {"language": "en"})
    assert '<html lang="en">' in client.get("/status/").content.decode()


@pytest.mark.django_db
def test_the_choice_needs_no_token_leads_nowhere_else_and_knows_three_languages() -> None:
    client = Client(enforce_csrf_checks=True)
    answer = client.post("/language/", {"language": "uk", "next": "https://example.org/"})
    assert answer["Location"] == "/"
    client.post("/language/", {"language": "de", "next": "/status/"})
    assert '<html lang="en">' in client.get("/").content.decode()
    assert "csrftoken" not in client.get("/").cookies


@pytest.mark.django_db
def test_caches_keep_the_languages_apart() -> None:
    for address in ("/", "/rules/mia/", "/nowhere/"):
        varies = reader("uk").get(address)["Vary"]
        assert "Accept-Language" in varies
        assert "Cookie" in varies


@pytest.mark.django_db
def test_programs_and_organisers_are_spoken_to_in_english() -> None:
    client = reader("uk")
    answer = client.get("/api/matches/m-0")
    assert answer.status_code == 404
    assert answer["Content-Language"] == "en"
    assert "Accept-Language" not in answer.get("Vary", "")
    assert 'lang="en' in client.get("/admin/login/").content.decode()


# ---- pages ---------------------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_page_has_an_english_word_left(language: str) -> None:
    shown = furnish()
    client = reader(language)
    author = reader(language)
    author.force_login(shown.author)
    left = []
    organiser = reader(language)
    organiser.force_login(shown.organiser)
    for who, addresses in ((client, shown.public), (author, shown.own), (organiser, shown.desk)):
        for name, address in share([*addresses.items()], number=LANGUAGES.index(language), of=len(LANGUAGES)):
            answer = who.get(address)
            assert answer.status_code == (404 if name == "nowhere" else 200), (name, address)
            page = answer.content.decode()
            assert f'<html lang="{language}">' in page
            left += [(name, text) for text in english_in(page)]
    assert not left, [*{text: name for name, text in left}.items()]


@pytest.mark.django_db
@pytest.mark.parametrize("language", ["en", *LANGUAGES])
@pytest.mark.parametrize("game", GAMES)
def test_rules_are_told_in_every_language(game: str, language: str) -> None:
    page = reader(language).get(f"/rules/{game}/").content.decode()
    with translation.override(language):
        assert game_title(game) == TITLES[game].get(language, GAMES[game].title)
        meant = [translation.gettext(option.meaning) for option in GAMES[game].options]
        meant += [translation.gettext(preset.summary) for preset in GAMES[game].presets]
        assert escape(game_title(game)) in page
    for text in meant:
        assert escape(text) in page
        assert language == "en" or re.search("[а-яіїєґ]", text)


@pytest.mark.django_db
def test_what_was_stored_in_english_is_read_in_another_language() -> None:
    with translation.override("uk"):
        said = stored("The platform failed it 3 times in a row; at last: the worker w1 fell silent")
        assert said == "Збоїв арени поспіль: 3; останній: робочий процес w1 замовк"
        assert stored("Cheated at a tournament.") == "Cheated at a tournament."
    assert stored("Its author has left.") == "Its author has left."


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("sentence", "code"),
    [
        ("It was at fault in 3 series in a row; in the last one: late", ""),
        ("Match 2: illegal: roll blind: it must be above 52 (after 1.5 ms)", "roll blind"),
        ("It did not begin to play: gone: its process ended before it said Hello (exit status 1)", ""),
        ("Match 1: gone: its line is lost; its process ended (killed by SIGKILL: its memory was used up)", "SIGKILL"),
        ("Match 1: gone: its process ended (killed by SIGXCPU (its processor time was used up))", "SIGXCPU"),
        ("Match 1: gone: it closed its stream, and it did not come back within 30 s", ""),
        ("The arena could not find out, through no fault of the bot. Validate it again. bob was not connected.", "bob"),
        ("bubblewrap cannot make its namespaces (x): allow user namespaces (y), or run the workers as root", "root"),
        ("uploads are not supported on s390x machines; a trial bot broke out (read)", "s390x read"),
    ],
)
def test_what_workers_write_of_bots_and_of_machines_is_read_whole(sentence: str, code: str, language: str) -> None:
    with translation.override(language):
        told = stored(sentence)
    left = set(re.findall(r"[A-Za-z][A-Za-z0-9]+", told)) - {"bubblewrap", "Hello"}
    assert left == set(code.split()), told


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "sentence",
    [
        "round 2 of 5",
        "stage 1 of 3, extra series",
        "final",
        "groups, round 1 of 3",
        "upper bracket, stage 1 of 2, extra series",
        "second grand final",
        "It could not start: this knockout needs at least 2 entrants",
        "absent: it was not connected within 30 s",
    ],
)
def test_what_a_tournament_writes_is_read_whole(sentence: str, language: str) -> None:
    with translation.override(language):
        told = stored(sentence)
    assert not re.search("[A-Za-z]", told), told
    assert re.findall(r"\d+", told) == re.findall(r"\d+", sentence)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("points", [Fraction(1), Fraction(7, 2)])
@pytest.mark.parametrize("decision", get_args(Decision))
def test_why_one_stands_behind_another_is_read_whole(decision: Decision, points: Fraction, language: str) -> None:
    behind = Row(2, 2, points, Fraction(1, 2), Fraction(3), Fraction(2), 4, "in", decision, 1)
    ahead = Row(1, 1, points, Fraction(1), Fraction(5), Fraction(4), 4, "in", "", None)
    with translation.override(language):
        told = stored(explain(behind, ahead, {1: "Q-1", 2: "Q-2"}))
    assert not re.search("[A-PR-Za-z]", told), told


def test_of_somebodys_own_words_no_piece_is_changed() -> None:
    with translation.override("uk"):
        assert stored("It played badly; late") == "It played badly; late"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("content", "filename"),
    [
        (b"x = = 1", "bot.py"),
        (b"\xff", "bot.py"),
        (b"x" * (MOST_BYTES + 1), "bot.py"),
        (b"x" * (MOST_SOURCE + 1), "bot.py"),
        (b"", "bot.exe"),
        (b"PK\x03\x04", "bot.py"),
        (b"no zip", "bot.zip"),
        (zipped({"mine.py": b""}), "bot.zip"),
        (zipped({"bot.py": b"", "../up.py": b""}), "bot.zip"),
        (zipped({"bot.py": b"", "/root.py": b""}), "bot.zip"),
        (zipped({"bot.py": b"", "Bot.py": b""}), "bot.zip"),
        (zipped({"bot.py": b"", "x" * 200: b""}), "bot.zip"),
        (zipped({"bot.py": b"", "a*b": b""}), "bot.zip"),
        (zipped({"bot.py": b"", **{f"{n}.txt": b"" for n in range(MOST_FILES)}}), "bot.zip"),
        (zipped({"bot.py": b"", "big": bytes(MOST_UNPACKED + 1)}), "bot.zip"),
    ],
)
def test_what_is_wrong_with_an_upload_is_read_in_another_language(content: bytes, filename: str, language: str) -> None:
    with pytest.raises(PackageError) as refused:
        read_package(content, filename)
    said = str(refused.value)
    with translation.override(language):
        told = stored(said)
    assert told != said
    assert re.search("[а-яіїєґ]{4}", told)


@pytest.mark.parametrize("language", LANGUAGES)
def test_why_options_make_no_ruleset_is_read_in_another_language(language: str) -> None:
    dice = random.Random(1)
    said = set()
    for game in GAMES.values():
        usual = {option.name: option.default for option in game.options}
        with pytest.raises(RulesetError) as refused:
            ruleset(game, None, {game.options[0].name: "nothing"})
        said.add(str(refused.value))
        for _ in range(400):
            chosen = {option.name: dice.choice(option.words or (option.low, option.high)) for option in game.options}
            if (reason := game.contradiction(usual | chosen)) is not None:
                said.add(reason)
    assert len(said) >= 2 * len(GAMES)
    with translation.override(language):
        for reason in said:
            assert stored(reason) != reason


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_people_in_an_example_have_names_of_the_language(game: str, language: str) -> None:
    with translation.override(language):
        shown = example_replay(game=game)
    names = [seat.label.split()[-1] for seat in shown.viewers if seat.key.isdigit()]
    assert names
    assert all(re.fullmatch("[А-ЯІЇЄҐ][а-яёіїєґ]*", name) for name in names), names


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", GAMES)
def test_every_refusal_of_a_move_is_read_in_another_language(name: str, language: str) -> None:
    game = find_game(name)
    said: set[str] = set()
    moves: set[Any] = set()
    for seed in range(40):
        for state in states_of(game, seed):
            asked = game.asked(state)
            moves.update(move for seat in asked for move in game.legal(state, seat))
            said.update(
                f"{reason} (after 1.5 ms)"
                for seat in range(2)
                for move in moves
                if (reason := game.refusal(state, seat, move)) is not None
            )
    assert len(said) > 40
    with translation.override(language):
        for reason in said:
            told = stored(reason)
            assert told.endswith("мс)"), told
            _move, colon, why = told.removesuffix(" мс)").partition(": ")
            why = re.sub(r"\b(hide|concede|look)\b", "", why if colon else told)
            assert not re.search(r"[A-Za-z]{3,}", why), (reason, told)


@pytest.mark.django_db
def test_mail_comes_in_the_language_of_the_page() -> None:
    shown = furnish()
    answer = reader("uk").post("/accounts/password/reset/", {"email": shown.author.email})
    assert answer.status_code == 302
    assert "пароль" in mail.outbox[0].subject.lower() + mail.outbox[0].body.lower()


# ---- stories -------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_a_record_is_told_in_every_language(path: Path, language: str) -> None:
    record = records.read(path.read_bytes())
    names = ["Орест", "Семен", "Дарина", "Яна", "Лев", "Ян", "Ада", "Ед", "Ід", "Ия"][: len(record.players)]
    game = find_game(record.game)
    with translation.override(language):
        told = [
            story.tell(game, event, names, translation)
            for frame in verify.frames(record, OMNISCIENT)
            for event in frame.events
        ]
    assert told
    for line in told:
        assert line
        assert not re.search(r"[{}%]|None", line)
        assert not re.search(r"[A-Za-z]{2,}", re.sub(r"\b[2-9TJQKA][CDHS]\b", "", line)), line


def test_numbers_have_the_forms_that_they_need() -> None:
    numbers = (1, 2, 5, 11, 21)
    with translation.override("uk"):
        assert [three_coins.coins(n) for n in numbers] == ["1 монета", "2 монети", "5 монет", "11 монет", "21 монета"]
        assert [commerce._chips(n) for n in numbers] == ["1 фішка", "2 фішки", "5 фішок", "11 фішок", "21 фішка"]
        assert [mia.spoken(f"{n}p") for n in (4, 5, 11)] == ["4 очки", "5 очок", "11 очок"]
    with translation.override("ru"):
        assert [three_coins.coins(n) for n in numbers] == ["1 монета", "2 монеты", "5 монет", "11 монет", "21 монета"]
        assert [commerce._chips(n) for n in numbers] == ["1 фишка", "2 фишки", "5 фишек", "11 фишек", "21 фишка"]
        assert [mia.spoken(f"{n}p") for n in (4, 5, 11)] == ["4 очка", "5 очков", "11 очков"]
    assert [three_coins.coins(n) for n in numbers] == ["one coin", "2 coins", "5 coins", "11 coins", "21 coins"]


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", "1 match 2 matches 5 matches 11 matches 21 matches "),
        ("uk", "1 матч 2 матчі 5 матчів 11 матчів 21 матч "),
        ("ru", "1 матч 2 матча 5 матчей 11 матчей 21 матч "),
    ],
)
def test_templates_count_too(language: str, told: str) -> None:
    template = engines["django"].from_string(
        "{% load i18n %}{% for n in numbers %}"
        "{% blocktranslate count n=n %}{{ n }} match{% plural %}{{ n }} matches{% endblocktranslate %} {% endfor %}"
    )
    with translation.override(language):
        assert template.render({"numbers": (1, 2, 5, 11, 21)}) == told


# ---- a browser -----------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_the_language_is_chosen_in_the_foot_of_a_page_without_scripts(live_server: LiveServer, page: Page) -> None:
    page.goto(f"{live_server.url}/rules/mia/")
    page.get_by_role("button", name="Українська").click()
    expect(page).to_have_url(f"{live_server.url}/rules/mia/")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Кидайте під стаканчиком")
    page.get_by_role("link", name="Стан").first.click()
    expect(page.locator("html")).to_have_attribute("lang", "uk")
