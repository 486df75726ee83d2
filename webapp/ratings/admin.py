"""Fits, for organisers. They follow from the matches: there is nothing to change here."""

from __future__ import annotations

from django.contrib import admin

from webapp.bots.admin import ReadOnly
from webapp.ratings.models import Snapshot


@admin.register(Snapshot)
class SnapshotAdmin(ReadOnly):
    list_display = ("ruleset", "created", "matches", "watermark", "algorithm")
    list_filter = ("ruleset",)
    list_select_related = ("ruleset",)
