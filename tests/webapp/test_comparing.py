"""Is my new version better? Played for real, told to its author, and counted for nothing else."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from arena.compare import sample
from tests.webapp.making import make_user
from tests.webapp.playing import PLAIN, house, rules
from tests.webapp.streaming import said_in
from webapp.accounts.models import User
from webapp.bots.models import Bot, Version
from webapp.bots.services import BotError, NotAllowed
from webapp.celery import Priority
from webapp.comparing import services
from webapp.comparing.models import Comparison
from webapp.comparing.picture import draw
from webapp.live.news import own_channel
from webapp.matches import feed, hosting, selectors, tasks
from webapp.matches import services as matches
from webapp.matches.models import Match, Ruleset, Series
from webapp.matches.runner import run_series

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("let_go_of_the_database")]

BROKEN = 'GAME = "three_coins"\n\n\ndef choose(view):\n    raise RuntimeError\n'


@pytest.fixture
def bot() -> Bot:
    """A bot with two versions that have passed, of which the old one is at fault in every match."""
    hosting.announce(name="worker")
    made = Bot.objects.create(name="Mine", game="three_coins", owner=make_user("ada"), kind=Bot.Kind.HOSTED)
    for number, source in enumerate((BROKEN, PLAIN), 1):
        made.active_version = Version.objects.create(
            bot=made, number=number, digest=f"sha256:{number:064x}", source=source.encode(), filename="bot.py"
        )
    made.save()
    return made


def version(bot: Bot, number: int) -> Version:
    return bot.versions.select_related("bot").get(number=number)


def started(bot: Bot, **more: Any) -> Comparison:
    assert bot.owner is not None
    values = {"new": version(bot, 2), "old": version(bot, 1), "ruleset": rules("classic"), "by": bot.owner} | more
    return services.start(**values)


def signed_in(user: User | None) -> Client:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


def play(comparison: Comparison) -> Series:
    """What a worker does with the present series."""
    assert comparison.series is not None
    series = comparison.series
    run_series(series.pk, "worker")
    series.refresh_from_db()
    assert series.state == Series.State.FINISHED, series.note
    return series


def test_a_better_version_is_found_and_nothing_else_happens(bot: Bot) -> None:
    house("random")
    comparison = started(bot)
    first = comparison.series
    assert first is not None
    assert (first.purpose, first.rated, first.duplicate, first.planned) == ("comparison", False, True, 20)
    while comparison.state == Comparison.State.RUNNING:
        series = play(comparison)
        services.tick()
        comparison.refresh_from_db()
    assert comparison.state == Comparison.State.BETTER
    assert comparison.matches == 2 * comparison.blocks > 20
    assert comparison.sample == sample([1.0] * comparison.blocks)
    assert comparison.path[-1] == [comparison.matches, round(comparison.sample.llr(comparison.question), 3)]
    assert comparison.path[-1][1] >= comparison.question.upper > comparison.path[-2][1]
    assert (comparison.faults_new, comparison.faults_old) == (0, comparison.matches)
    assert comparison.finished is not None
    played = Match.objects.filter(series__purpose="comparison")
    # on each luck the two sit on each seat once, and each luck is used for that alone
    for block in {match.block_id for match in played}:
        orders = [
            tuple(match.entries.order_by("seat").values_list("version", flat=True))
            for match in played.filter(block=block)
        ]
        assert len(orders) == 2
        assert orders[0] == orders[1][::-1]
    # it is no match of the ladder's, and faults in it concern nobody
    assert not played.filter(rated=True).exists()
    bot.refresh_from_db()
    assert (bot.state, bot.faulty_series) == (Bot.State.ACTIVE, [])
    _private(bot, series, played)


def _private(bot: Bot, series: Series, played: Any) -> None:
    """Of all of it only its author learns."""
    assert selectors.match_page().rows == ()
    assert selectors.matches_of_bot(bot=bot).rows == ()
    assert feed.feed(bot=bot, size=10) == feed.feed(size=10) == []
    one = played.first()
    pages = (f"/series/{series.pk}/", f"/matches/{one.name}/", reverse("match_record", args=[one.name]))
    for page in pages:
        assert signed_in(bot.owner).get(page).status_code == 200, page
        for user in (None, make_user(f"eve{len(page)}"), User.objects.create_user(f"o{len(page)}", is_staff=True)):
            assert signed_in(user).get(page).status_code == 404, page
    for page in (f"/api/matches/{one.name}", f"/api/matches/{one.name}/record", f"/api/series/{series.pk}"):
        assert signed_in(bot.owner).get(page).status_code == 404, page


def test_a_lost_worker_costs_nothing_and_nothing_is_counted_twice(bot: Bot) -> None:
    comparison = started(bot)
    assert comparison.series is not None
    assert matches.claim(series_id=comparison.series.pk, worker="dead") is not None
    Series.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    services.tick()
    assert matches.sweep() == 1
    play(comparison)
    for _ in range(3):
        services.advance(comparison.pk)
    comparison.refresh_from_db()
    assert comparison.matches == 20
    assert comparison.blocks == len(comparison.path) == 10
    assert comparison.series is not None
    assert comparison.series.state == Series.State.WAITING
    assert comparison.counted == 0
    assert Series.objects.count() == 2


def test_it_goes_on_while_its_series_is_played(bot: Bot) -> None:
    comparison = started(bot)
    series = play(comparison)
    Series.objects.filter(pk=series.pk).update(state=Series.State.PLAYING, lease_until=timezone.now())
    late = series.matches.get(number=7)
    type(late.block).objects.filter(pk=late.block_id).update(state="open")
    services.tick()
    comparison.refresh_from_db()
    # neither a block that is not closed is counted, nor what comes after it
    assert (comparison.matches, comparison.counted) == (6, 6)
    type(late.block).objects.filter(pk=late.block_id).update(state="closed")
    services.tick()
    comparison.refresh_from_db()
    assert (comparison.matches, comparison.counted, comparison.series) == (20, 20, series)


def test_it_ends_undecided(bot: Bot) -> None:
    comparison = started(bot)
    Comparison.objects.update(most=4)
    Series.objects.update(planned=4)
    play(comparison)
    services.tick()
    comparison.refresh_from_db()
    assert (comparison.state, comparison.matches) == (Comparison.State.UNDECIDED, 4)
    assert services.tick() == 0


def test_one_that_fails_does_not_keep_the_others(bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    first = started(bot)
    bot.owner = make_user("bea")
    bot.save()
    other = started(bot)
    for comparison in (first, other):
        assert comparison.series is not None
        matches.withdraw(series_id=comparison.series.pk, note="Away.")
    advance = services.advance

    def fails(pk: int) -> None:
        if pk == first.pk:
            raise KeyError(pk)
        advance(pk)

    monkeypatch.setattr(services, "advance", fails)
    services.tick()
    other.refresh_from_db()
    assert other.state == Comparison.State.FAILED


def test_what_cannot_be_played_fails_with_its_reason(bot: Bot) -> None:
    comparison = started(bot)
    assert comparison.series is not None
    matches.withdraw(series_id=comparison.series.pk, note="Only Mine was left at the table.")
    services.tick()
    comparison.refresh_from_db()
    assert (comparison.state, comparison.note) == (Comparison.State.FAILED, "Only Mine was left at the table.")


@pytest.mark.parametrize("state", [Bot.State.QUARANTINED, Bot.State.BANNED, Bot.State.RETIRED])
def test_it_does_not_go_on_with_a_bot_that_does_not_play(bot: Bot, state: str) -> None:
    comparison = started(bot)
    Series.objects.update(state=Series.State.FINISHED)
    Bot.objects.update(state=state)
    services.tick()
    comparison.refresh_from_db()
    assert comparison.state == Comparison.State.FAILED
    with pytest.raises(BotError):
        started(bot)


def test_cancelling_takes_the_series_from_its_worker(bot: Bot) -> None:
    comparison = started(bot)
    assert comparison.series is not None
    claim = matches.claim(series_id=comparison.series.pk, worker="w")
    assert claim is not None
    assert bot.owner is not None
    with pytest.raises(NotAllowed):
        services.cancel(comparison=comparison, by=make_user("eve"))
    services.cancel(comparison=comparison, by=bot.owner)
    assert not matches.renew(claim=claim)
    with pytest.raises(matches.ClaimLost):
        matches.finish(claim=claim)
    comparison.refresh_from_db()
    assert comparison.state == Comparison.State.CANCELLED
    with pytest.raises(BotError, match="over"):
        services.cancel(comparison=comparison, by=bot.owner)
    started(bot)  # and there is room for another one


def test_limits(bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "A_DAY", services.A_DAY._replace(name="comparisons-here", most=2))
    first = started(bot)
    with pytest.raises(BotError, match="running"):
        started(bot)
    for _ in range(2):
        Comparison.objects.update(state=Comparison.State.CANCELLED)
        if _ == 0:
            started(bot)
    with pytest.raises(BotError, match="2 times in a day"):
        started(bot)
    assert Comparison.objects.count() == 2
    assert first.state == Comparison.State.RUNNING


def test_what_is_not_compared(bot: Bot) -> None:
    eve = make_user("eve")
    with pytest.raises(NotAllowed):
        started(bot, by=eve)
    with pytest.raises(BotError, match="another one"):
        started(bot, old=version(bot, 2))
    other = Bot.objects.create(name="Other", game="three_coins", owner=bot.owner, kind=Bot.Kind.HOSTED)
    foreign = Version.objects.create(bot=other, number=1, digest="sha256:" + "f" * 64, source=b"", filename="bot.py")
    with pytest.raises(BotError, match="of one bot"):
        started(bot, old=foreign)
    with pytest.raises(BotError, match="these rules"):
        started(bot, ruleset=Ruleset.objects.filter(game="mia").first())
    with pytest.raises(BotError, match="difference"):
        started(bot, elo1=0.001)
    for state in (Version.State.FAILED, Version.State.VALIDATING):
        Version.objects.filter(bot=bot, number=1).update(state=state)
        with pytest.raises(BotError, match="work"):
            started(bot)
    Bot.objects.filter(pk=bot.pk).update(kind=Bot.Kind.REMOTE)
    with pytest.raises(BotError, match="hosted"):
        started(bot)
    assert not Comparison.objects.exists()


def test_everybody_else_goes_first(bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    rung: list[int] = []
    monkeypatch.setattr(tasks.play_series, "apply_async", lambda args, priority, **_: rung.append(priority))
    comparison = started(bot)
    assert comparison.series is not None
    comparison.series.broken = 1
    matches.ring(comparison.series)
    assert rung == [Priority.COMPARING] * 2
    assert max(Priority) == Priority.COMPARING


def test_the_pages_are_its_authors(bot: Bot) -> None:
    rules()
    everything, mine = f"/my/bots/{bot.pk}/comparisons/", signed_in(bot.owner)
    asked = {"new": version(bot, 2).pk, "old": version(bot, 1).pk, "ruleset": rules("classic").pk, "elo1": "20"}
    eve = signed_in(make_user("eve"))
    assert Client().post(everything, asked).status_code == 302  # to the page of signing in
    assert eve.post(everything, asked).status_code == eve.get(everything).status_code == 404
    assert not Comparison.objects.exists()
    answer = mine.post(everything, asked)
    comparison = Comparison.objects.get()
    page = f"{everything}{comparison.pk}/"
    assert answer["Location"] == page
    assert mine.post(everything, asked).status_code == 422
    assert "about to meet" in mine.get(page).content.decode()
    assert "about to meet" in mine.get(everything).content.decode()
    part = mine.get(page, headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in part
    assert "hx-get" in part
    assert mine.get(f"{everything}?new=2&old=1").status_code == mine.get(f"{everything}?new=x&old=9").status_code == 200
    for user in (None, make_user("mallory"), User.objects.create_user("org", is_staff=True)):
        client = signed_in(user)
        assert client.get(page).status_code in (302, 404)
        assert client.post(f"{page}cancel/").status_code in (302, 404)
    assert Comparison.objects.get().state == Comparison.State.RUNNING
    mine.post(f"{page}cancel/")
    assert Comparison.objects.get().state == Comparison.State.CANCELLED
    # whoever has the bot next does not see what was asked before
    Bot.objects.update(owner=User.objects.get(username="eve"))
    assert eve.get(page).status_code == 404
    assert "about to meet" not in eve.get(everything).content.decode()


def test_its_page_is_told_on_a_channel_that_nobody_can_guess(bot: Bot, live_redis: str, settings: Any) -> None:
    settings.ARENA_LIVE_URL = "/live/"
    house("random")
    comparison = started(bot)
    public = said_in(live_redis, "home")
    series = play(comparison)
    assert said_in(live_redis, own_channel("comparison", comparison.pk)) == []
    services.tick()
    own = own_channel("comparison", comparison.pk)
    assert set(said_in(live_redis, own)) == {("changed", b"")}
    assert set(said_in(live_redis, own_channel("series", series.pk))) == {("changed", b"")}
    assert said_in(live_redis, f"series-{series.pk}") == []
    assert said_in(live_redis, "home") == public
    page = signed_in(bot.owner).get(f"/my/bots/{bot.pk}/comparisons/{comparison.pk}/").content.decode()
    assert f'data-live="/live/{own}"' in page


def test_a_foreign_version_cannot_be_slipped_in(bot: Bot) -> None:
    other = Bot.objects.create(name="Other", game="three_coins", owner=make_user("eve"), kind=Bot.Kind.HOSTED)
    foreign = Version.objects.create(bot=other, number=1, digest="sha256:" + "f" * 64, source=b"", filename="bot.py")
    asked = {"new": version(bot, 2).pk, "old": foreign.pk, "ruleset": rules("classic").pk, "elo1": "20"}
    assert signed_in(bot.owner).post(f"/my/bots/{bot.pk}/comparisons/", asked).status_code == 422
    assert not Comparison.objects.exists()


def test_a_long_path_is_thinned_and_keeps_its_ends() -> None:
    path: list[list[float]] = []
    for number in range(1, 2_001):
        path = services.thinned([*path, [2.0 * number, 0.001 * number]])
        assert path[0] == [2.0, 0.001]
        assert path[-1] == [2.0 * number, 0.001 * number]
        assert len(path) <= services.MOST_POINTS
    assert [point[0] for point in path] == sorted(point[0] for point in path)


def test_the_picture_has_both_bounds_and_where_it_is(bot: Bot) -> None:
    comparison = started(bot)
    comparison.path = [[2, 0.5], [4, 1.25]]
    drawn = draw(comparison)
    assert "LLR 1.25, between -2.94 and 2.94" in drawn
    assert "bound-better" in drawn
    assert "bound-not" in drawn
