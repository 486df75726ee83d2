"""Writes down what hooks have to tell, in the transaction in which it happens. Who plays pays one query for it."""

from __future__ import annotations

from django.db.models import F

from webapp.hooks.models import Happening, Hook
from webapp.matches.models import Block, Entry
from webapp.tournaments.models import Round, Tournament


def note_block(block: Block) -> None:
    """A block is closed, so its matches may be told of."""
    hooks = Hook.objects.filter(
        state=Hook.State.ON, bot__versions__series_seats__series=block.series_id, bot__owner=F("owner")
    )
    by_bot: dict[int | None, list[Hook]] = {}
    for hook in hooks.distinct():
        by_bot.setdefault(hook.bot_id, []).append(hook)
    if not by_bot or block.series.private:
        return
    played = Entry.objects.filter(match__block=block, bot__in=list(by_bot))
    pairs = played.order_by("match_id").values_list("match_id", "bot_id").distinct()
    Happening.objects.bulk_create(
        Happening(hook=hook, kind=Happening.Kind.MATCH, match_id=match) for match, bot in pairs for hook in by_bot[bot]
    )


def note_round(row: Round) -> None:
    """A round of a tournament is over."""
    Happening.objects.bulk_create(
        Happening(hook=hook, kind=Happening.Kind.ROUND, round=row) for hook in _listening(row.tournament_id)
    )


def note_end(row: Tournament) -> None:
    """A tournament is over."""
    Happening.objects.bulk_create(Happening(hook=hook, kind=Happening.Kind.END) for hook in _listening(row.pk))


def _listening(tournament: int) -> list[Hook]:
    return list(Hook.objects.filter(state=Hook.State.ON, tournament=tournament))
