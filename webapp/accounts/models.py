"""The account of a person."""

from __future__ import annotations

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models.functions import Lower


class User(AbstractUser):
    """An author, a spectator or (``is_staff``) an organiser. The username is public, the e-mail address is not."""

    email = models.EmailField("e-mail address")

    class Meta(AbstractUser.Meta):
        constraints = [
            models.UniqueConstraint(Lower("username"), name="username_ignores_case"),
        ]
