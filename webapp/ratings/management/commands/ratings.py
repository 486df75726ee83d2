"""``python -m webapp ratings rebuild [--check]``."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from webapp.matches.models import Ruleset
from webapp.ratings import services


class Command(BaseCommand):
    help = "Fits every leaderboard anew from the match table."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("action", choices=["rebuild"])
        parser.add_argument("--check", action="store_true", help="write nothing: only compare with what is stored")

    def handle(self, *args: Any, check: bool, **options: Any) -> None:
        problems = 0
        for ruleset in Ruleset.objects.exclude(preset="").order_by("key"):
            if check:
                found = services.check(ruleset=ruleset)
                problems += bool(found.problem)
                counted = f"{found.snapshot.matches} matches agree" if found.snapshot else "nothing to check"
                self.stdout.write(f"{ruleset.key}: {found.problem or counted}")
            else:
                snapshot = services.refit(ruleset=ruleset, force=True)
                self.stdout.write(
                    f"{ruleset.key}: " + (f"{snapshot.matches} matches" if snapshot else "nothing to fit")
                )
        if problems:
            raise CommandError(f"{problems} leaderboards are not what their matches give; `ratings rebuild` fits them")
