"""The account of a person."""

from __future__ import annotations

from django.contrib.auth.models import AbstractUser
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import models
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy as _

RESERVED_USERNAMES = frozenset(
    {"admin", "administrator", "anonymous", "arena", "house", "moderator", "nobody", "organiser", "organizer"}
    | {"root", "staff", "support", "system"}
)
"""Names that would speak for the site."""

username_form = RegexValidator(
    r"\A[A-Za-z0-9](?:[A-Za-z0-9._-]{0,28}[A-Za-z0-9])?\Z",
    _("A username has 1 to 30 letters from A to Z, digits and . _ - and begins and ends with a letter or a digit."),
)
"""No ``@``, so that nobody can bear another one's e-mail address, and no letters that look like other letters."""


def username_is_free_to_take(username: str) -> None:
    """Refuse the names that would speak for the site."""
    if username.lower() in RESERVED_USERNAMES:
        raise ValidationError(_("This username would speak for the site. Please choose another one."))


class User(AbstractUser):
    """An author, a spectator or (``is_staff``) an organiser. The username is public, the e-mail address is not."""

    # The sign-up form, the admin and createsuperuser all ask these validators.
    username = models.CharField(
        "username",
        max_length=30,
        unique=True,
        validators=[username_form, username_is_free_to_take],
        error_messages={"unique": _("A user with that username already exists.")},
    )
    email = models.EmailField("e-mail address")

    class Meta(AbstractUser.Meta):
        constraints = [
            models.UniqueConstraint(Lower("username"), name="username_ignores_case"),
        ]


class ApiKey(models.Model):
    """Lets a program do what its person may: hand in bots, and ask what became of them. Shown once, kept as a hash."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_keys")
    digest = models.CharField(max_length=64, unique=True)
    hint = models.CharField(max_length=8)
    """The last characters, so that its owner knows which one it is."""
    created = models.DateTimeField(auto_now_add=True)
    last_used = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"key …{self.hint} of {self.user.username}"
