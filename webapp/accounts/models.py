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
    banned = models.DateTimeField(null=True, blank=True, editable=False)
    """Since when an organiser has shut this person out; None for everybody else."""
    ban_reason = models.CharField(max_length=300, blank=True, editable=False)
    linked_to = models.ForeignKey(
        "self", null=True, blank=True, editable=False, on_delete=models.SET_NULL, related_name="linked"
    )
    """An organiser says that this is an account of the same person; always that person's first one, never a chain."""
    sessions_ended = models.PositiveIntegerField(default=0, editable=False)
    """Raised by one, it ends all sessions of the account, wherever they are kept."""

    class Meta(AbstractUser.Meta):
        constraints = [
            models.UniqueConstraint(Lower("username"), name="username_ignores_case"),
        ]

    @property
    def person(self) -> int:
        """Who stands behind the account: the number of this person's first account."""
        return self.linked_to_id or self.pk

    def is_of(self, other: User | None) -> bool:
        """Is it an account of the same person? Nobody judges what concerns another account of his own."""
        return other is not None and other.person == self.person

    def _get_session_auth_hash(self, secret: str | None = None) -> str:
        """What Django compares a session with: another password, or `sessions_ended`, makes it another one."""
        kept: str = super()._get_session_auth_hash(secret)  # type: ignore[misc]  # the stubs do not know it
        return f"{kept}:{self.sessions_ended}" if self.sessions_ended else kept


class BannedAddress(models.Model):
    """A verified e-mail address of somebody who is banned: only its keyed hash, to know it again."""

    digest = models.CharField(max_length=64, unique=True)
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"address {self.digest[:8]}…"


class PrintKey(models.Model):
    """The secret of a month that address prints are made with. When it is deleted, nobody can make one again."""

    month = models.CharField(max_length=7, unique=True)
    """``2026-11``."""
    key = models.CharField(max_length=64, editable=False)

    def __str__(self) -> str:
        return f"key of {self.month}"


class AddressPrint(models.Model):
    """That an account was signed in to from some network address in a month: a keyed hash, never the address."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="prints")
    month = models.CharField(max_length=7)
    digest = models.CharField(max_length=64)
    seen = models.DateTimeField()
    """The last time."""

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "month", "digest"], name="print_once_an_account")]
        indexes = [models.Index(fields=["digest"]), models.Index(fields=["seen"])]

    def __str__(self) -> str:
        return f"print of {self.month}"


class Notice(models.Model):
    """Something that a person is told by e-mail, once: written with what it tells of, sent after that is committed."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="notices")
    subject = models.CharField(max_length=150)
    text = models.TextField()
    created = models.DateTimeField(auto_now_add=True)
    sent = models.DateTimeField(null=True, blank=True)
    tries = models.PositiveSmallIntegerField(default=0)
    """How often the mail server has refused it."""

    class Meta:
        indexes = [models.Index(fields=["created"], condition=models.Q(sent=None), name="notices_unsent")]

    def __str__(self) -> str:
        return self.subject


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
