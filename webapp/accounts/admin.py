"""Accounts, for organisers."""

from __future__ import annotations

from typing import cast

from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.db.models import QuerySet
from django.http import HttpRequest

from webapp.accounts import services
from webapp.accounts.models import User


def organiser(request: HttpRequest) -> User:
    """Who asks: the admin lets nobody else in."""
    return cast(User, request.user)


@admin.register(User)
class AccountAdmin(UserAdmin):  # type: ignore[type-arg]
    list_display = ("username", "email", "is_active", "is_staff", "date_joined")
    list_filter = ("is_active", "is_staff", "is_superuser")
    search_fields = ("username", "email")
    ordering = ("-date_joined",)
    readonly_fields = ("last_login", "date_joined")

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> tuple[str, ...]:
        """Only a superuser makes organisers, and changes their accounts."""
        fields = tuple(super().get_readonly_fields(request, obj))
        if request.user.is_superuser:
            return fields
        return (*fields, "is_staff", "is_superuser", "groups", "user_permissions")

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        if obj is not None and obj.is_staff and not request.user.is_superuser:
            return False
        return super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        if obj is not None and obj.is_staff and not request.user.is_superuser:
            return False
        return super().has_delete_permission(request, obj)

    def delete_model(self, request: HttpRequest, obj: User) -> None:
        """As the person itself would: the bots are retired first."""
        services.remove_account(user=obj, by=organiser(request))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        for user in queryset:
            if user.is_staff and not request.user.is_superuser:
                messages.error(request, f"{user.username} is an organiser; only a superuser removes organisers.")
            else:
                services.remove_account(user=user, by=organiser(request))
