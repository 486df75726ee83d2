"""A database that is made up: what stands in it is what the platform itself could have written."""

from __future__ import annotations

from collections import Counter

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models import Count
from django.test import Client

from arena import record, verify
from tests.webapp.making import make_house_bot, make_match
from webapp.bots.models import Bot, Version
from webapp.matches.models import Block, Entry, Match, Ruleset, Series, SeriesSeat
from webapp.matches.selectors import closed_record
from webapp.ratings.services import refit

pytestmark = pytest.mark.django_db(transaction=True)


def test_what_is_made_up_hangs_together() -> None:
    if connection.vendor != "postgresql":
        with pytest.raises(CommandError, match="DATABASE_URL"):
            call_command("seed", matches=203, versions=30)
        return
    call_command("seed", matches=203, versions=30)
    assert (Match.objects.count(), Series.objects.count(), Block.objects.count()) == (203, 51, 51)
    assert (Entry.objects.count(), SeriesSeat.objects.count()) == (203 * 4, 51 * 4)
    assert Version.objects.count() == Bot.objects.exclude(active_version=None).count() == 30
    assert set(Match.objects.annotate(n=Count("entries__bot", distinct=True)).values_list("n", flat=True)) == {4}
    for match in Match.objects.prefetch_related("entries__version"):
        assert sorted(entry.place for entry in match.entries.all()) == [1, 2, 3, 4]
        assert all(entry.bot_id == entry.version.bot_id for entry in match.entries.all())
        sitting = list(match.series.seats.order_by("seat").values_list("version_id", flat=True))
        assert [entry.version_id for entry in sorted(match.entries.all(), key=lambda e: e.seat)] == [
            sitting[(seat - match.number) % 4] for seat in range(4)
        ]
    assert Counter(Match.objects.values_list("number", flat=True)) == {1: 51, 2: 51, 3: 51, 4: 50}
    snapshot = refit(ruleset=Ruleset.objects.get(key="three_coins/classic"))
    assert snapshot is not None
    assert snapshot.matches == 203
    newest = Match.objects.latest("id")
    shown = closed_record(name=newest.name)
    assert shown is not None
    verify.verify(shown)
    assert record.name(shown) == newest.record_name
    for address in ("/", "/matches/", f"/matches/{newest.name}/", f"/series/{newest.series_id}/"):
        assert Client().get(address).status_code == 200
    make_match([make_house_bot("honest"), make_house_bot("observer")])  # the numbers go on behind those made up
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def test_matches_that_are_there_are_not_drowned() -> None:
    if connection.vendor != "postgresql":
        return  # the other test says what happens
    make_match([make_house_bot("honest"), make_house_bot("random")])
    with pytest.raises(CommandError, match="--force"):
        call_command("seed", matches=10, versions=5)
    assert Match.objects.count() == 1
    for wrong in ({"matches": 0, "versions": 5}, {"matches": 5, "versions": 3}):
        with pytest.raises(CommandError, match="at least"):
            call_command("seed", **wrong)
    call_command("seed", matches=10, versions=5, force=True)
    call_command("seed", matches=10, versions=5, seed=2, force=True)
    assert Match.objects.count() == 21
    assert Bot.objects.filter(name__startswith="seeded-").count() == 4
