"""Accounts, for organisers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import UserChangeForm
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse

from webapp.accounts import services
from webapp.accounts.models import User
from webapp.moderation import organisers
from webapp.moderation.services import ModerationError


def organiser(request: HttpRequest) -> User:
    """Who asks: the admin lets nobody else in."""
    return cast(User, request.user)


class AccountForm(UserChangeForm):  # type: ignore[type-arg]
    """An account, as far as it is typed."""

    def clean(self) -> dict[str, Any]:
        """Refuses to take away the last superuser; the admin saves in the same transaction."""
        cleaned = super().clean() or self.cleaned_data
        stays = cleaned.get("is_superuser", True) and cleaned.get("is_active", True)
        if not stays and services.is_last_superuser(self.instance):
            raise ValidationError("This is the last superuser: make another one first.")
        return cleaned


@admin.register(User)
class AccountAdmin(UserAdmin):  # type: ignore[type-arg]
    form = AccountForm
    actions = ("ban", "unban")
    list_display = ("username", "email", "is_active", "banned", "is_staff", "date_joined")
    list_filter = ("is_active", ("banned", admin.EmptyFieldListFilter), "is_staff", "is_superuser")
    search_fields = ("username", "email")
    ordering = ("-date_joined",)
    readonly_fields = ("last_login", "date_joined")

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> tuple[str, ...]:
        """Only a superuser makes organisers, and nobody closes his own account or changes his own rights."""
        fields = tuple(super().get_readonly_fields(request, obj))
        rights = ("is_staff", "is_superuser", "groups", "user_permissions")
        if obj is not None and obj.pk == request.user.pk:
            return (*fields, "is_active", *rights)
        if obj is not None and obj.banned is not None:
            fields = (*fields, "is_active")  # a ban is more than that, and is taken back by the action
        return fields if request.user.is_superuser else (*fields, *rights)

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
        try:
            services.remove_account(user=obj, by=organiser(request))
        except PermissionError as error:
            raise PermissionDenied(str(error)) from error

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        for user in queryset:
            if user.is_staff and not request.user.is_superuser:
                messages.error(request, f"{user.username} is an organiser; only a superuser removes organisers.")
                continue
            try:
                services.remove_account(user=user, by=organiser(request))
            except PermissionError as error:
                messages.error(request, str(error))

    def view_on_site(self, obj: User) -> str:
        """The organisers' page about the person."""
        return reverse("moderation:person", args=[obj.username])

    @admin.action(description="Ban: shut the author out, with all bots", permissions=["change"])
    def ban(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        for person in queryset:
            self._try(request, organisers.ban_author, person, reason="Banned by an organiser.")

    @admin.action(description="Unban: let the author in again", permissions=["change"])
    def unban(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        for person in queryset:
            self._try(request, organisers.unban_author, person)

    def _try(self, request: HttpRequest, service: Callable[..., None], person: User, **how: str) -> None:
        try:
            service(person=person, by=organiser(request), **how)
        except ModerationError as error:
            messages.error(request, f"{person}: {error}")
        else:
            messages.success(request, f"{person} is changed.")
