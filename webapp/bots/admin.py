"""Bots, for organisers. Nothing is typed here: what organisers do to bots are actions, each with a line in the log."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from webapp.accounts.admin import organiser
from webapp.bots import services, uploads
from webapp.bots.models import Bot, Connection, Token, Version
from webapp.bots.quarantine import release_from_quarantine
from webapp.moderation import organisers
from webapp.moderation.services import ModerationError


class ReadOnly(admin.ModelAdmin):  # type: ignore[type-arg]
    """Rows that are the truth: looked at, never typed."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_act_permission(self, request: HttpRequest) -> bool:
        """Who may use the actions: those who may change such rows elsewhere."""
        meta = self.model._meta
        return request.user.has_perm(f"{meta.app_label}.change_{meta.model_name}")


class ReadOnlyLines(admin.TabularInline):  # type: ignore[type-arg]
    """Rows of another table below a row, in the same manner."""

    extra = 0
    can_delete = False

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> Any:
        return self.fields or ()

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class VersionLines(ReadOnlyLines):
    model = Version
    fk_name = "bot"
    fields = ("number", "label", "digest", "declared", "filename", "state", "reason", "created")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Version]:
        return super().get_queryset(request).defer("source")


class TokenLines(ReadOnlyLines):
    model = Token
    fields = ("hint", "created", "last_used", "revoked")


@admin.register(Bot)
class BotAdmin(ReadOnly):
    list_display = ("name", "game", "kind", "state", "owner", "active_version", "created")
    list_filter = ("game", "kind", "state", "house")
    search_fields = ("name", "owner__username")
    list_select_related = ("owner", "active_version__bot")
    inlines = (VersionLines, TokenLines)
    actions = ("ban", "retire", "reactivate", "release", "clear_about", "revoke_tokens", "read_source")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Bot]:
        return super().get_queryset(request).defer("active_version__source")

    @admin.action(description="Ban: shut the bot out", permissions=["act"])
    def ban(self, request: HttpRequest, queryset: QuerySet[Bot]) -> None:
        self._each(request, queryset, services.ban_bot, reason="Banned by an organiser.")

    @admin.action(description="Retire: off the tables and the leaderboards", permissions=["act"])
    def retire(self, request: HttpRequest, queryset: QuerySet[Bot]) -> None:
        self._each(request, queryset, services.retire_bot)

    @admin.action(description="Reactivate: out of ban, quarantine or retirement", permissions=["act"])
    def reactivate(self, request: HttpRequest, queryset: QuerySet[Bot]) -> None:
        self._each(request, queryset, services.reactivate_bot)

    @admin.action(description="Release from quarantine", permissions=["act"])
    def release(self, request: HttpRequest, queryset: QuerySet[Bot]) -> None:
        confined = queryset.filter(state=Bot.State.QUARANTINED)
        self._each(request, confined, release_from_quarantine, because="")

    @admin.action(description="Clear what their pages say about them", permissions=["act"])
    def clear_about(self, request: HttpRequest, queryset: QuerySet[Bot]) -> None:
        self._each(request, queryset, organisers.clear_about)

    def view_on_site(self, obj: Bot) -> str:
        """The organisers' page about the bot."""
        return reverse("moderation:bot", args=[obj.pk])

    @admin.action(description="Revoke all tokens", permissions=["act"])
    def revoke_tokens(self, request: HttpRequest, queryset: QuerySet[Bot]) -> None:
        tokens = Token.objects.filter(bot__in=queryset, revoked=None).select_related("bot")
        for token in tokens:
            services.revoke_token(token=token, by=organiser(request))
        messages.success(request, f"{len(tokens)} tokens revoked.")

    @admin.action(description="Read the source of the active version: leaves a line in the log", permissions=["act"])
    def read_source(self, request: HttpRequest, queryset: QuerySet[Bot]) -> HttpResponse | None:
        """One bot's, as a download: what somebody reads of strangers' sources is written down, bot by bot."""
        bots = list(queryset[:2])
        if len(bots) != 1 or bots[0].active_version is None:
            messages.error(request, "Choose one bot, with a version that plays.")
            return None
        version = bots[0].active_version
        try:
            package = uploads.inspect_source(version=version, by=organiser(request))
        except services.BotError as error:
            messages.error(request, str(error))
            return None
        name = f"bot-{bots[0].pk}-{version.number}.{package.filename.rpartition('.')[2]}"
        response = HttpResponse(package.content(), content_type="application/octet-stream")
        response["Content-Disposition"] = f'attachment; filename="{name}"'
        return response

    def _each(self, request: HttpRequest, bots: QuerySet[Bot], service: Any, **how: str) -> None:
        done = 0
        for bot in bots:
            try:
                service(bot=bot, by=organiser(request), **how)
                done += 1
            except (services.BotError, ModerationError) as error:
                messages.error(request, str(error))
        if done:
            messages.success(request, f"{done} bots changed.")


@admin.register(Connection)
class ConnectionAdmin(ReadOnly):
    list_display = ("bot", "version", "state", "series", "since", "lease_until", "software")
    list_filter = ("state", "bot__game")
    search_fields = ("bot__name",)
    list_select_related = ("bot", "version__bot", "series")
    fields = ("bot", "version", "state", "series", "since", "lease_until", "software", "door")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Connection]:
        return super().get_queryset(request).defer("session", "version__source")
