"""Reports and signs in the admin: looked at, and resolved by an action or on the organisers' page."""

from __future__ import annotations

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse

from webapp.accounts.admin import organiser
from webapp.bots.admin import ReadOnly
from webapp.moderation import services
from webapp.moderation.models import PairSigns, Report


@admin.register(Report)
class ReportAdmin(ReadOnly):
    list_display = ("id", "category", "state", "bot", "author", "match", "created", "resolved_by")
    list_filter = ("state", "category")
    search_fields = ("bot__name", "author__username", "=match__name")
    list_select_related = ("bot", "author", "match", "resolved_by")
    actions = ("dismiss",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Report]:
        return super().get_queryset(request).defer("match__record")

    def view_on_site(self, obj: Report) -> str:
        """Where a note can be written."""
        return reverse("moderation:report", args=[obj.pk])

    @admin.action(description="Dismiss: looked at, and left as it is", permissions=["act"])
    def dismiss(self, request: HttpRequest, queryset: QuerySet[Report]) -> None:
        for report in queryset:
            try:
                services.resolve(
                    report=report, by=organiser(request), state=Report.State.DISMISSED, note="Dismissed in the admin."
                )
            except services.ModerationError as error:
                messages.error(request, f"{report}: {error}")
            else:
                messages.success(request, f"{report} is resolved.")


@admin.register(PairSigns)
class PairSignsAdmin(ReadOnly):
    list_display = (
        "one",
        "other",
        "ruleset",
        "n",
        "together_z",
        "together_sign",
        "chances",
        "sparing_z",
        "sparing_sign",
    )
    list_filter = ("together_sign", "sparing_sign", "ruleset")
    search_fields = ("one__name", "other__name")
    list_select_related = ("one", "other", "ruleset")
    show_full_result_count = False
