"""Series and matches, for organisers. The rows are the truth and are only looked at; the actions leave a line each.

Nobody sees the seed or the nonces of an open block here: an organiser may have a bot too.
"""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.html import format_html

from arena.games import GAMES
from webapp.accounts.admin import organiser
from webapp.bots.admin import ReadOnly, ReadOnlyLines
from webapp.matches import organisers
from webapp.matches.models import Block, Entry, Match, Ruleset, Series, SeriesSeat


class SeatLines(ReadOnlyLines):
    model = SeriesSeat
    # never what it printed, which is its author's
    fields = ("seat", "version", "removed")

    def get_queryset(self, request: HttpRequest) -> QuerySet[SeriesSeat]:
        return super().get_queryset(request).select_related("version__bot").defer("version__source", "output")


class BlockLines(ReadOnlyLines):
    model = Block
    fields = ("number", "state", "reason", "commitment", "created", "closed")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Block]:
        return super().get_queryset(request).defer("seed", "nonces")


class EntryLines(ReadOnlyLines):
    model = Entry
    fields = ("seat", "version", "place", "score", "fault", "moves", "thinking_ms", "slowest_ms")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Entry]:
        return super().get_queryset(request).select_related("version__bot").defer("version__source")


@admin.register(Ruleset)
class RulesetAdmin(ReadOnly):
    list_display = ("key", "game", "preset", "title", "flagship", "page")
    list_filter = ("game", "flagship", ("preset", admin.EmptyFieldListFilter))
    search_fields = ("key", "title")

    def has_add_permission(self, request: HttpRequest) -> bool:
        """The admin's button leads to the site's own page, where the rules say what can be."""
        return self.has_act_permission(request)

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: object = None) -> HttpResponse:
        if not self.has_add_permission(request):
            raise PermissionDenied
        game = request.GET.get("game", "")
        return redirect("own_ruleset_new", game if game in GAMES else next(iter(GAMES)))

    @admin.display(description="its page")
    def page(self, ruleset: Ruleset) -> str:
        where = ("leaderboard", ruleset.preset) if ruleset.preset else ("own_ruleset", ruleset.digits)
        return format_html('<a href="{}">{}</a>', reverse(where[0], args=[ruleset.game, where[1]]), "see")


@admin.register(Series)
class SeriesAdmin(ReadOnly):
    list_display = ("id", "ruleset", "purpose", "rated", "state", "planned", "created", "worker", "note")
    list_filter = ("state", "purpose", "rated", "ruleset")
    search_fields = ("=id", "seats__version__bot__name")
    list_select_related = ("ruleset",)
    inlines = (SeatLines, BlockLines)
    actions = ("cancel",)
    show_full_result_count = False

    @admin.action(description="Cancel: those that wait or were put off", permissions=["act"])
    def cancel(self, request: HttpRequest, queryset: QuerySet[Series]) -> None:
        for series in queryset:
            if organisers.cancel_series(series=series, by=organiser(request)):
                messages.success(request, f"{series} is cancelled.")
            else:
                messages.error(request, f"{series} is {series.get_state_display()} and cannot be cancelled.")


@admin.register(Match)
class MatchAdmin(ReadOnly):
    list_display = ("name", "ruleset", "finished", "reason", "faults", "rated", "voided")
    list_filter = ("rated", "voided", "ruleset", "finished")
    search_fields = ("=name", "entries__bot__name")
    list_select_related = ("ruleset",)
    inlines = (EntryLines,)
    exclude = ("record",)
    actions = ("void", "restore")
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Match]:
        return super().get_queryset(request).defer("record")

    @admin.action(description="Void: take the matches out of the ratings", permissions=["act"])
    def void(self, request: HttpRequest, queryset: QuerySet[Match]) -> None:
        # there it is asked what has been drawn from them
        if queryset.filter(series__purpose=Series.Purpose.TOURNAMENT).exists():
            messages.error(request, "Nothing is voided: matches of tournaments are voided on the tournament's page.")
            return
        _judge(request, queryset, organisers.void_matches, "matches voided. The next fit does not count them.")

    @admin.action(description="Restore: let voided matches count again", permissions=["act"])
    def restore(self, request: HttpRequest, queryset: QuerySet[Match]) -> None:
        _judge(request, queryset, organisers.restore_matches, "matches restored. The next fit counts them.")


def _judge(request: HttpRequest, matches: QuerySet[Match], service: Callable[..., int], done: str) -> None:
    """Have the service change what the matches are worth, and say of how many it did, or why of none."""
    try:
        changed = service(matches=matches, by=organiser(request))
    except organisers.NotImpartial as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"{changed} {done}")


@admin.register(Block)
class BlockAdmin(ReadOnly):
    list_display = ("series", "number", "state", "reason", "commitment", "created", "closed")
    list_filter = ("state",)
    search_fields = ("=series__id", "=commitment")
    list_select_related = ("series",)
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Block]:
        return super().get_queryset(request).defer("seed", "nonces")

    def get_fields(self, request: HttpRequest, obj: Block | None = None) -> tuple[str, ...]:
        shown = ("series", "number", "state", "reason", "commitment", "nonce_hashes", "seating", "created", "closed")
        return (*shown, "seed", "nonces") if obj is not None and obj.state == Block.State.CLOSED else shown
