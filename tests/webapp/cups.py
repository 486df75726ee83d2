"""Tournaments for tests: made, and their series played as if workers had played them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tests.webapp.making import make_block, make_house_bot, make_match, make_organiser
from tests.webapp.playing import rules
from webapp.accounts.models import User
from webapp.bots.models import Bot, Version
from webapp.matches.models import Series
from webapp.tournaments import services
from webapp.tournaments.models import Entrant, Pairing, Round, Tournament

NAMES = ("anna", "boris", "clara", "dmytro", "emma", "fedir", "greta", "hlib")


def organiser() -> User:
    return User.objects.filter(is_staff=True).first() or make_organiser()


def make_cup(
    form: str = "swiss", *, most: int = 2, preset: str = "classic", name: str = "Cup", **more: Any
) -> Tournament:
    """A draft."""
    row = rules(preset)
    options = {key: more.pop(key) for key in ("rounds", "advance", "size", "qualify") if key in more}
    if form == "swiss":
        options.setdefault("rounds", 3)
    made = services.make_form(form, most=most, ruleset=row, options=options)
    return services.create(by=organiser(), ruleset=row, form=made, name=name, **{"matches": 2, **more})


def begun(form: str = "swiss", *, bots: int = 4, **more: Any) -> Tournament:
    """One with bots of the house, whose first round is drawn."""
    row = make_cup(form, **more)
    enter(row, [make_house_bot(name) for name in NAMES[:bots]])
    services.start(tournament=row, by=organiser())
    row.refresh_from_db()
    return row


def enter(row: Tournament, versions: Sequence[Version]) -> list[Entrant]:
    return services.enter_by_hand(tournament=row, bots=[version.bot for version in versions], by=organiser())


def entrant(row: Tournament, name: str) -> Entrant:
    return row.entrants.get(bot__name=name)


def present(row: Tournament) -> list[Pairing]:
    """The tables of the round that is being played."""
    return list(Pairing.objects.filter(round__tournament=row, round__state=Round.State.PLAYING).order_by("position"))


def names_at(table: Pairing) -> list[str]:
    by_id = {one.pk: one.bot.name for one in table.tournament.entrants.select_related("bot")}
    return [by_id[pk] for pk in table.seats]


def alphabetical(names: Sequence[str]) -> list[int]:
    """The places of these bots, if the alphabet were the strength."""
    return [sorted(names).index(name) + 1 for name in names]


def finish(series: Series, places: Callable[[Sequence[str]], Sequence[int]] = alphabetical) -> None:
    """The series is over, as if a worker had played it."""
    seats = list(series.seats.filter(removed="").select_related("version__bot").order_by("seat"))
    versions = [seat.version for seat in seats]
    block = make_block(series)
    for _ in range(series.planned - series.matches.count()):
        make_match(versions, places([version.bot.name for version in versions]), series=series, block=block)
    Series.objects.filter(pk=series.pk).update(state=Series.State.FINISHED)


def finish_round(row: Tournament, places: Callable[[Sequence[str]], Sequence[int]] = alphabetical) -> None:
    for table in present(row):
        finish(table.series, places)


def bot_named(name: str) -> Bot:
    return Bot.objects.get(name=name)
