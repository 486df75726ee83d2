"""Rulesets that are no preset: who makes them, what is refused and how that is told, and what is played with them."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from arena.games import GAMES, find_game
from arena.rules import AnyGame, RulesetError, Value, ruleset
from tests.webapp import factories
from tests.webapp.factories import make_match, make_ratings
from tests.webapp.making import make_bot, make_house_bot, make_line, make_organiser, make_user
from tests.webapp.test_match_services import at_once
from webapp.accounts.models import User
from webapp.bots.models import Bot
from webapp.matches import own_rulesets, selectors
from webapp.matches.models import Match, Ruleset, Series
from webapp.matches.organisers import NotAnOrganiser
from webapp.matches.own_forms import field_of
from webapp.matches.own_rulesets import Refused, RulesRefused, make_ruleset, start_exhibition, title_ruleset
from webapp.matches.rulesets import ensure_rulesets

pytestmark = pytest.mark.django_db

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES.keys())


@pytest.fixture
def olga() -> User:
    return make_organiser()


@pytest.fixture
def desk(olga: User) -> Client:
    client = Client()
    client.force_login(olga)
    return client


def five(by: User, **more: Any) -> own_rulesets.Made:
    """Three Coins with five coins each."""
    options = {"start_coins": 5, "coin_cap": "5"}
    return make_ruleset(**{"game": "three_coins", "preset": "call-only", "options": options, "by": by} | more)


def filled_in(game: AnyGame, preset: str | None = None, **options: Value) -> dict[str, object]:
    """The form as a browser sends it."""
    return {field_of(name): value for name, value in (ruleset(game, preset).values | options).items()} | {"title": ""}


def page_of(row: Ruleset) -> str:
    return reverse("own_ruleset", args=[row.game, row.digits])


def lines(row: object) -> list[str]:
    return list(LogEntry.objects.filter(object_id=row.pk).order_by("id").values_list("change_message", flat=True))  # type: ignore[attr-defined]


# ---- making --------------------------------------------------------------------------------------


def test_a_ruleset_is_named_by_its_options(olga: User) -> None:
    made = five(olga)
    assert made.new
    row = Ruleset.objects.get(pk=made.ruleset.pk)
    # SHA-256 of the options as JSON, in the order of their names and without spaces
    assert row.key == "three_coins/b2670f9ea614800f"
    assert row.options == dict(ruleset(find_game("three_coins"), "call-only", {"start_coins": 5, "coin_cap": 5}).values)
    assert (row.preset, row.flagship, row.title) == ("", False, "")
    assert lines(row) == ["Made: start_coins=5, coin_cap=5, cliff=off, zero=off, max=off."]


def test_the_same_options_are_the_same_ruleset(olga: User) -> None:
    first = five(olga)
    again = five(
        make_organiser("otto"),
        preset=None,
        options={"cliff": "off", "zero": "off", "max": "off", "coin_cap": 5, "start_coins": 5},
    )
    assert (again.ruleset, again.new) == (first.ruleset, False)
    assert len(lines(first.ruleset)) == 1
    assert five(olga, options={"start_coins": 4, "coin_cap": 4}).new


@every_game
def test_the_options_of_a_preset_are_that_preset(olga: User, game: AnyGame) -> None:
    ensure_rulesets()
    for preset in game.presets:
        made = make_ruleset(game=game.name, preset=preset.name, options={}, by=olga)
        assert (made.ruleset.key, made.new) == (f"{game.name}/{preset.name}", False)
        spelt_out = make_ruleset(game=game.name, preset=None, options=ruleset(game, preset.name).values, by=olga)
        assert spelt_out.ruleset.preset
        assert spelt_out.ruleset.options == made.ruleset.options
    assert not Ruleset.objects.filter(preset="").exists()
    assert not LogEntry.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_two_who_make_it_at_once_make_one(olga: User) -> None:
    made = at_once([lambda: five(olga) for _ in range(4)])
    assert len({one.ruleset.pk for one in made}) == Ruleset.objects.filter(preset="").count() == 1
    assert sorted(one.new for one in made) == [False, False, False, True]
    assert len(lines(made[0].ruleset)) == 1


@pytest.mark.parametrize("by", ["nobody special", "a former organiser"])
def test_organisers_alone_make_rulesets_and_call_exhibitions(olga: User, by: str) -> None:
    row = five(olga).ruleset
    person = make_user("ada", is_staff=by == "a former organiser", is_active=by != "a former organiser")
    bots = [make_house_bot("honest").bot, make_house_bot("random").bot]
    with pytest.raises(NotAnOrganiser):
        five(person, options={"start_coins": 4})
    with pytest.raises(NotAnOrganiser):
        title_ruleset(ruleset=row, title="mine", by=person)
    with pytest.raises(NotAnOrganiser):
        start_exhibition(ruleset=row, bots=bots, planned=1, by=person)
    assert Ruleset.objects.filter(preset="").count() == 1
    assert not Series.objects.exists()


# ---- what is refused -----------------------------------------------------------------------------

REFUSED: list[tuple[str, dict[str, object], set[str]]] = [
    ("three_coins", {"coin_cap": 2}, {"start_coins", "coin_cap"}),
    ("three_coins", {"start_coins": 0, "cliff": "perhaps"}, {"start_coins", "cliff"}),
    ("three_coins", {"start_coins": ""}, {"start_coins"}),
    ("mia", {"raise_rule": "at_least"}, {"raise_rule", "pass"}),
    ("mia", {"mixed": "sum", "joker_32": "reverse"}, {"mixed", "joker_32"}),
    ("commerce", {"ante": 21}, {"ante", "chips"}),
    ("commerce", {"mode": "deck_out", "discard": "bottom"}, {"mode", "discard"}),
]


@pytest.mark.parametrize(("game", "options", "about"), REFUSED)
def test_what_is_refused_is_said_of_the_options_it_is_about(
    olga: User, desk: Client, game: str, options: dict[str, Any], about: set[str]
) -> None:
    with pytest.raises(RulesRefused) as refused:
        make_ruleset(game=game, preset=None, options=options, by=olga)
    with pytest.raises(RulesetError) as reason:
        ruleset(find_game(game), None, options)
    assert str(refused.value) == str(reason.value)
    assert set(refused.value.reasons) == about
    answer = desk.post(reverse("own_ruleset_new", args=[game]), filled_in(find_game(game), **options))
    assert answer.status_code == 422
    form = answer.context["form"]
    assert set(form.errors) == {"__all__", *map(field_of, about)}
    assert form.errors["__all__"] == [str(reason.value)]
    assert not Ruleset.objects.filter(preset="").exists()
    assert not LogEntry.objects.exists()


@pytest.mark.parametrize(
    ("preset", "options", "says"),
    [("meyer", {}, "has no preset 'meyer'"), (None, {"lives": 6}, "has no option 'lives'")],
)
def test_what_the_game_does_not_know(olga: User, preset: str | None, options: dict[str, object], says: str) -> None:
    with pytest.raises(RulesRefused, match=says) as refused:
        five(olga, preset=preset, options=options)
    assert not refused.value.reasons


@pytest.mark.parametrize(
    ("title", "says"),
    [
        ("x" * 61, "at most 60 characters"),
        ("five\u202eevif", "that one can see"),
        ("five\u200bcoins", "that one can see"),
        ("...", "a letter or a digit"),
        ("Classic", "Classic is the name of a preset"),
    ],
)
def test_what_is_no_title(olga: User, title: str, says: str) -> None:
    with pytest.raises(Refused, match=says):
        five(olga, title=title)
    assert not Ruleset.objects.filter(preset="").exists()
    row = five(olga).ruleset
    with pytest.raises(Refused, match=says):
        title_ruleset(ruleset=row, title=title, by=olga)


def test_titles(olga: User) -> None:
    row = five(olga, title="  П'ять   монет ").ruleset
    assert row.title == "П'ять монет"
    assert five(olga, title="Five").ruleset.title == "П'ять монет"
    title_ruleset(ruleset=row, title="", by=olga)
    assert five(olga, title="Five").ruleset.title == "Five"
    assert lines(row)[1:] == ["Its title was taken away.", "Called “Five”."]
    ensure_rulesets()
    with pytest.raises(Refused, match="goes by its name"):
        title_ruleset(ruleset=Ruleset.objects.get(key="mia/classic"), title="Five", by=olga)
    with pytest.raises(Refused, match="chess"):
        five(olga, game="chess")


# ---- the pages -----------------------------------------------------------------------------------


@every_game
def test_the_form_has_every_option_and_starts_from_a_preset(desk: Client, game: AnyGame) -> None:
    preset = game.presets[-1]
    answer = desk.get(reverse("own_ruleset_new", args=[game.name]), {"preset": preset.name})
    assert {choice.option.name: choice.field.initial for choice in answer.context["choices"]} == ruleset(
        game, preset.name
    ).values
    page = answer.content.decode()
    for option in game.options:
        assert f'name="{field_of(option.name)}"' in page
    assert desk.get(reverse("own_ruleset_new", args=[game.name]), {"preset": "none"}).status_code == 404


def test_from_the_form_to_the_rulesets_own_page(desk: Client) -> None:
    game = find_game("mia")
    sent = filled_in(game, "meyer", mia_liar=2) | {"title": "Meyer <b>"}
    answer = desk.post(reverse("own_ruleset_new", args=["mia"]), sent, follow=True)
    row = Ruleset.objects.get(preset="")
    assert answer.redirect_chain == [(page_of(row), 302)]
    page = answer.content.decode()
    assert "<h1>Mia, Meyer &lt;b&gt;</h1>" in page
    assert row.key in page
    for option in game.options:
        assert f"<code>{option.name}</code>" in page
    assert "lives lost by who announced a Mia that is none, when one looks" in page
    # once more: it is there
    again = desk.post(reverse("own_ruleset_new", args=["mia"]), sent, follow=True).content.decode()
    assert "This ruleset was there already." in again
    # the rules' page leads to it, with what is changed
    rules = Client().get(reverse("rules", args=["mia"])).content.decode()
    assert page_of(row) in rules
    assert "mia_liar=2" in rules
    assert page_of(row) not in Client().get(reverse("rules", args=["commerce"])).content.decode()
    # a preset is a preset
    same = desk.post(reverse("own_ruleset_new", args=["mia"]), filled_in(game, "meyer"), follow=True)
    assert "These are the rules of the preset meyer." in same.content.decode()


def test_a_title_that_is_none_is_said_beside_it(desk: Client) -> None:
    sent = filled_in(find_game("mia"), lives=3) | {"title": "..."}
    answer = desk.post(reverse("own_ruleset_new", args=["mia"]), sent)
    assert answer.status_code == 422
    assert answer.context["form"].errors["title"] == ["A title has a letter or a digit in it."]


def test_for_everybody_else_there_is_no_such_form(olga: User) -> None:
    row = five(olga).ruleset
    stranger = Client()
    bob = Client()
    bob.force_login(make_user("bob"))
    for client in (stranger, bob):
        for name, arguments in (
            ("own_ruleset_new", [row.game]),
            ("own_ruleset_title", [row.game, row.digits]),
            ("own_ruleset_exhibition", [row.game, row.digits]),
        ):
            assert client.post(reverse(name, args=arguments), {"title": "mine"}).status_code == 404
        assert client.get(reverse("own_ruleset_new", args=[row.game])).status_code == 404
        page = client.get(page_of(row)).content.decode()
        assert page.count("<form") == 1  # the choice of the language
        assert "make one" not in client.get("/rules/three_coins/").content.decode()
    row.refresh_from_db()
    assert row.title == ""
    for address in ("/rules/chess/own/", "/rules/three_coins/own/0123456789abcdef/", f"/rules/mia/own/{row.digits}/"):
        assert stranger.get(address).status_code == 404


def test_a_preset_has_no_page_of_this_kind(client: Client) -> None:
    ensure_rulesets()
    assert client.get("/rules/three_coins/own/classic/").status_code == 404


def test_the_page_shows_what_was_played(olga: User) -> None:
    row = five(olga, title="Five").ruleset
    bots = [make_house_bot("honest").bot, make_house_bot("random").bot]
    for number in range(selectors.PAGE + 1):
        played = factories.play(
            [bot.name for bot in bots], match="m-1", preset="classic", options=row.options, seed=number
        )
        match = make_match(bots, ruleset=row, played=played, rated=False)
    page = Client().get(page_of(row)).content.decode()
    assert f"/matches/{match.name}/" in page
    assert page.count('<li class="match">') == selectors.PAGE
    first = Match.objects.order_by("id")[0]
    older = Client().get(page_of(row), {"before": Match.objects.order_by("id")[1].pk}).content.decode()
    assert f"/matches/{first.name}/" in older
    replay = Client().get(f"/matches/{match.name}/").content.decode()
    assert f'<a href="{page_of(row)}">Three Coins, Five</a>' in replay
    assert "not verified" not in replay
    assert "Ratings" not in page
    make_ratings(row, [(bots[0], 1200, 20)])
    assert "1200 ± 20" in Client().get(page_of(row)).content.decode()


# ---- exhibitions ---------------------------------------------------------------------------------


def test_an_exhibition_is_called_from_the_page(desk: Client, olga: User) -> None:
    row = five(olga).ruleset
    bots = [make_house_bot(name).bot for name in ("random", "honest", "calculator")]
    away = make_bot(make_user("ada"), "mirror")
    here = make_bot(make_user("bea"), "brave")
    make_line(here)
    page = desk.get(page_of(row)).content.decode()
    assert "mirror (not connected, or at another table)" in page
    assert "brave</label>" in page
    where = reverse("own_ruleset_exhibition", args=[row.game, row.digits])
    answer = desk.post(where, {"bots": [bots[0].pk, bots[2].pk], "planned": 4})
    series = Series.objects.get()
    assert answer["Location"] == f"/series/{series.pk}/"
    assert (series.ruleset, series.purpose, series.rated, series.planned) == (row, "exhibition", False, 4)
    assert [seat.version.bot for seat in series.seats.order_by("seat")] == [bots[2], bots[0]]
    assert lines(series) == ["Called as an exhibition: calculator, random."]
    shown = Client().get(page_of(row)).content.decode()
    assert f"/series/{series.pk}/" in shown
    assert "exhibition" in Client().get(f"/series/{series.pk}/").content.decode()
    for sent, says in (
        ({"bots": [bots[0].pk], "planned": 4}, "for 2 to 10 players, not for 1"),
        ({"bots": [bots[0].pk, away.pk], "planned": 0}, "greater than or equal to 1"),
        ({"planned": 4}, "This field is required"),
        ({"bots": [bots[0].pk, "9" * 20], "planned": 4}, "is not one of the available choices"),
    ):
        refused = desk.post(where, sent)
        assert refused.status_code == 422
        assert says in refused.content.decode()
    assert desk.get(where)["Location"] == page_of(row)
    assert Series.objects.count() == 1


def test_who_cannot_be_seated(olga: User) -> None:
    row = five(olga).ruleset
    honest, random = make_house_bot("honest").bot, make_house_bot("random").bot
    retired = make_bot(make_user("ada"), "mirror")
    Bot.objects.filter(pk=retired.pk).update(state=Bot.State.RETIRED)
    retired.refresh_from_db()
    other_game = make_house_bot("honest", game="mia").bot
    for bots, planned, says in (
        ([honest], 1, "for 2 to 10 players"),
        ([honest, honest], 1, "Each bot sits at a table once"),
        ([honest, retired], 1, "mirror is not active"),
        ([honest, other_game], 1, "honest plays another game"),
        ([honest, random], 0, "1 to 200 matches"),
        ([honest, random], 201, "1 to 200 matches"),
    ):
        with pytest.raises(Refused, match=says):
            start_exhibition(ruleset=row, bots=bots, planned=planned, by=olga)
    assert not Series.objects.exists()
    assert not LogEntry.objects.filter(content_type__model="series").exists()


# ---- the admin -----------------------------------------------------------------------------------


def test_the_admin_lists_them_and_leads_to_the_form(desk: Client, olga: User) -> None:
    ensure_rulesets()
    row = five(olga, title="Five").ruleset
    listed = desk.get(reverse("admin:matches_ruleset_changelist"), {"q": "Five"}).content.decode()
    assert row.key in listed
    assert page_of(row) in listed
    assert "mia/classic" not in listed
    add = reverse("admin:matches_ruleset_add")
    assert add in listed
    assert desk.get(add)["Location"] == reverse("own_ruleset_new", args=[next(iter(GAMES))])
    assert desk.get(add, {"game": "mia"})["Location"] == reverse("own_ruleset_new", args=["mia"])
    helper = Client()
    looker = make_user("lotte", is_staff=True)
    looker.user_permissions.add(Permission.objects.get(codename="view_ruleset"))
    helper.force_login(looker)
    assert helper.get(reverse("admin:matches_ruleset_changelist")).status_code == 200
    assert helper.get(add).status_code == 403
