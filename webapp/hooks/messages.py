"""What messages say: results by name and address, nothing that is not on the site's pages already."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db.models import Prefetch
from django.urls import reverse

from webapp.hooks.models import Happening, Hook
from webapp.matches.models import Entry, Match
from webapp.tournaments.models import Pairing, Tournament


def results(*, hook: Hook, happenings: Sequence[Happening], now: datetime) -> str:
    """The text of a message that tells of these."""
    if hook.bot is not None:
        named = {"game": hook.bot.game, "name": hook.bot.name}
        ids = [one.match_id for one in happenings if one.match_id is not None]
        data: dict[str, Any] = {"bot": named, "results": _matches(ids)}
        kind = "bot.results"
    else:
        assert hook.tournament is not None
        data = {"tournament": _tournament(hook.tournament), "rounds": [_round(one) for one in happenings if one.round]}
        kind = "tournament.progress"
    if hook.missed:
        data["missed"] = hook.missed
    return _text(kind, now, data)


def ping(*, hook: Hook, now: datetime) -> str:
    """The text of a message that tells of nothing."""
    return _text("ping", now, {"bot" if hook.bot is not None else "tournament": hook.about})


def _text(kind: str, now: datetime, data: dict[str, Any]) -> str:
    said = {"type": kind, "timestamp": now.isoformat(timespec="seconds"), "data": data}
    return json.dumps(said, ensure_ascii=False, separators=(",", ":"))


def _matches(ids: Sequence[int]) -> list[dict[str, Any]]:
    by_place = Entry.objects.select_related("bot").order_by("place", "seat")
    found = Match.objects.filter(pk__in=ids).select_related("ruleset").defer("record").order_by("id")
    return [
        {
            "match": row.name,
            "url": _address("match", row.name),
            "record_url": _address("match_record", row.name),
            "ruleset": row.ruleset.key,
            "rated": row.rated,
            "voided": row.voided,
            "finished": row.finished.isoformat(timespec="milliseconds"),
            "entries": [
                {"bot": one.bot.name, "seat": one.seat, "place": one.place, "score": one.score, "fault": one.fault}
                for one in row.entries.all()
            ],
        }
        for row in found.prefetch_related(Prefetch("entries", by_place))
    ]


def _tournament(row: Tournament) -> dict[str, Any]:
    return {
        "name": row.name,
        "slug": row.slug,
        "url": _address("tournament", row.slug),
        "state": row.state,
        "champion": row.champion.bot.name if row.champion is not None else None,
    }


def _round(one: Happening) -> dict[str, Any]:
    assert one.round is not None
    tables = Pairing.objects.filter(round=one.round).order_by("position")
    names = dict(one.round.tournament.entrants.values_list("pk", "bot__name"))
    return {
        "number": one.round.number,
        "stage": one.round.stage,
        "tables": [
            {
                "name": table.name,
                "series": table.series_id,
                "url": _address("series", table.series_id),
                "bots": [names[pk] for pk in table.seats],
                "places": table.places,
            }
            for table in tables
        ],
    }


def _address(name: str, *arguments: object) -> str:
    return f"{settings.ARENA_BASE_URL}{reverse(name, args=arguments)}"
