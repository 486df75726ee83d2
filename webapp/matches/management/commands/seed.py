"""``python -m webapp seed``: a database as large as one likes, for measurements."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from webapp.matches.made_up import SEATS, make_up
from webapp.matches.models import Match
from webapp.matches.rulesets import ensure_rulesets


class Command(BaseCommand):
    """Makes up bots and matches."""

    help = "Fill the database with made-up bots and matches, for measurements. Not for a site that people use."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--matches", type=int, default=1_000_000)
        parser.add_argument("--versions", type=int, default=1_000, help="how many bots, each with one version")
        parser.add_argument("--seed", type=int, default=1, help="what all that is random follows from")
        parser.add_argument("--force", action="store_true", help="also where there are matches already")

    def handle(self, *args: Any, matches: int, versions: int, seed: int, force: bool, **options: Any) -> None:
        if connection.vendor != "postgresql":
            raise CommandError("it is PostgreSQL that makes the rows up: set DATABASE_URL")
        if versions < SEATS or matches < 1:
            raise CommandError(f"there must be one match and {SEATS} versions at least")
        if Match.objects.exists() and not force:
            raise CommandError("there are matches in this database already; --force adds made-up ones to them")
        ensure_rulesets()
        make_up(matches=matches, versions=versions, seed=seed)
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
        self.stdout.write(f"{matches} matches among {versions} versions; `ratings rebuild` fits them")
