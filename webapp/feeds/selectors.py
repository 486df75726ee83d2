"""What feeds have in them. They are the same for everybody, so that they tell nothing that not everybody may know.

A result is told once its block is closed and its replay may be opened. No feed grows with the number of matches.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from django.db.models import Prefetch
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.pairing import Result, Table
from arena.pairing.scores import read_result
from arena.pairing.standings import in_decimals
from webapp.bots.models import Bot
from webapp.feeds.atom import MOST, Entry, Feed
from webapp.matches.models import Block, Match
from webapp.matches.models import Entry as Seat
from webapp.matches.selectors import outcome_words
from webapp.pages.naming import game_title
from webapp.pages.stored import stored
from webapp.pages.templatetags.arena import ruleset_title
from webapp.tournaments.models import Pairing, Round, Tournament

HIDDEN = (Bot.State.QUARANTINED, Bot.State.BANNED)
"""Bots that have no feed, and that no news praise."""

SITE_BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
"""When news of a site were changed that has none yet: any moment will do that stays the same."""


def of_bot(*, bot: Bot) -> Feed | None:
    """The newest results of a bot; None while it is shut out."""
    if bot.state in HIDDEN:
        return None
    return Feed(
        name=f"bot/{bot.pk}",
        title=_("Results of %(bot)s") % {"bot": bot.name},
        text=game_title(bot.game),
        address=reverse("bot", args=[bot.game, bot.name]),
        since=bot.created,
        entries=[_result(match, bot) for match in _results(bot)],
    )


def _results(bot: Bot) -> Sequence[Match]:
    seats = Seat.objects.filter(bot=bot, listed__isnull=False, match__block__state=Block.State.CLOSED)
    seats = seats.order_by("-match_id")
    # a bot may sit at a table twice
    ids = list(seats.values_list("match_id", flat=True).distinct()[:MOST])
    by_place = Seat.objects.select_related("bot").order_by("place", "seat")
    found = Match.objects.filter(id__in=ids).select_related("ruleset", "block").order_by("-id")
    return list(found.defer("record", "block__seed", "block__nonces").prefetch_related(Prefetch("entries", by_place)))


def _result(match: Match, bot: Bot) -> Entry:
    seats = list(match.entries.all())
    place = next(seat.place for seat in seats if seat.bot_id == bot.pk)
    said = [
        ruleset_title(match.ruleset),
        _("%(bot)s: place %(place)d of %(all)d") % {"bot": bot.name, "place": place, "all": len(seats)},
    ]
    if match.voided:
        said.append(_("voided: it does not count"))
    elif not match.rated:
        said.append(_("unrated"))
    return Entry(
        name=f"match/{match.name}",
        title=outcome_words(seats),
        address=reverse("match", args=[match.name]),
        text=" · ".join(said),
        when=match.block.closed or match.finished,
    )


def of_tournament(*, tournament: Tournament) -> Feed:
    """How a tournament goes: its start, every round that is over, its end."""
    made: list[Entry] = []
    base = f"tournament/{tournament.pk}"
    address = reverse("tournament", args=[tournament.slug])
    if (end := _end(tournament)) is not None:
        made.append(end)
    names = dict(tournament.entrants.values_list("pk", "bot__name"))
    over = tournament.rounds.filter(state=Round.State.OVER).order_by("-number").prefetch_related("pairings")
    for row in over[:MOST]:
        stage = stored(row.stage)
        tables = sorted(row.pairings.all(), key=lambda table: table.position)
        made.append(
            Entry(
                name=f"{base}/round/{row.number}",
                title=_("%(tournament)s: %(stage)s is over") % {"tournament": tournament.name, "stage": stage},
                address=address,
                text="; ".join(_table(table, names) for table in tables),
                when=row.finished or row.created,
            )
        )
    if tournament.started is not None:
        made.append(
            Entry(
                name=f"{base}/start",
                title=_("%(tournament)s has begun") % {"tournament": tournament.name},
                address=address,
                text=_players(tournament),
                when=tournament.started,
            )
        )
    title = ruleset_title(tournament.ruleset)
    return Feed(base, tournament.name, title, address, tournament.created, made[:MOST])


def _table(table: Pairing, names: Mapping[int, str]) -> str:
    """``anna 1.5, boris 0.5``: who sat at a table, by points."""
    drawn = Table(table.name, tuple(table.seats), table.extra)
    lines = read_result(Result(drawn, tuple(map(tuple, table.places or ()))))
    best_first = sorted(lines.items(), key=lambda line: (-line[1].points, names[line[0]]))
    return ", ".join(f"{names[pk]} {in_decimals(line.points)}" for pk, line in best_first)


def _end(tournament: Tournament) -> Entry | None:
    if tournament.state != Tournament.State.FINISHED or tournament.finished is None:
        return None
    champion = tournament.champion.bot if tournament.champion is not None else None
    if champion is not None and champion.state not in HIDDEN:
        title = _("%(bot)s has won %(tournament)s") % {"bot": champion.name, "tournament": tournament.name}
    else:
        title = _("%(tournament)s is over") % {"tournament": tournament.name}
    address = reverse("tournament", args=[tournament.slug])
    text = ruleset_title(tournament.ruleset)
    return Entry(f"tournament/{tournament.pk}/end", title, address, text, tournament.finished)


def _players(tournament: Tournament) -> str:
    count = tournament.entrants.count()
    return ngettext("%(n)d bot takes part", "%(n)d bots take part", count) % {"n": count}


def news() -> Feed:
    """What is new on the site: tournaments that take entries, and their champions."""
    shown = Tournament.objects.select_related("ruleset", "champion__bot").defer("secret", "result")
    over = shown.filter(state=Tournament.State.FINISHED).order_by("-id")[:MOST]
    made = [end for row in over if (end := _end(row)) is not None]
    for row in shown.filter(state=Tournament.State.OPEN).order_by("-id")[:MOST]:
        title = _("%(tournament)s is open for entries") % {"tournament": row.name}
        address = reverse("tournament", args=[row.slug])
        made.append(Entry(f"tournament/{row.pk}/open", title, address, ruleset_title(row.ruleset), row.created))
    made.sort(key=lambda entry: entry.when, reverse=True)
    first = Tournament.objects.order_by("id").values_list("created", flat=True).first()
    return Feed(
        name="news",
        title=_("News of Bluff Arena"),
        text=_("New champions, and tournaments that take entries"),
        address="/",
        since=first or SITE_BEGAN,
        entries=made[:MOST],
    )
