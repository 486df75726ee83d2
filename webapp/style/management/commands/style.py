"""``python -m webapp style rebuild [--check]``."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from webapp.style import services


class Command(BaseCommand):
    help = "Counts anew how bots play, from the records of all matches."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("action", choices=["rebuild"])
        parser.add_argument("--check", action="store_true", help="write nothing: only compare with what is stored")

    def handle(self, *args: Any, check: bool, **options: Any) -> None:
        if not check:
            self.stdout.write(f"{services.rebuild()} blocks counted")
            return
        problems = services.check()
        if problems:
            raise CommandError(
                f"{len(problems)} sums are not what their matches give, the first: {problems[0]}; "
                "`style rebuild` counts them anew"
            )
        self.stdout.write("all sums agree with their matches")
