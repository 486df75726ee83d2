"""``python -m webapp prepare``: what the database must hold before anything can be played."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from webapp.bots.services import ensure_house_bots
from webapp.matches.rulesets import RulesetChanged, ensure_rulesets


class Command(BaseCommand):
    help = "Makes the rulesets and the house bots. Safe to run again, at every start."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            rulesets = ensure_rulesets()
        except RulesetChanged as error:
            raise CommandError(str(error)) from error
        if rulesets:
            self.stdout.write(f"rulesets: {', '.join(ruleset.key for ruleset in rulesets)}")
        bots = ensure_house_bots()
        if bots.created:
            self.stdout.write(f"new house bots: {', '.join(bots.created)}")
        if bots.updated:
            self.stdout.write(f"house bots with a new version: {', '.join(bots.updated)}")
        for warning in bots.warnings:
            self.stderr.write(f"warning: {warning}")
        if not (rulesets or bots.created or bots.updated or bots.warnings):
            self.stdout.write("rulesets and house bots are up to date")
