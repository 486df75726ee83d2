"""Which rows of rulesets there are: one for every preset of every game, and what one's own are called."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from arena import rules
from arena.games import GAMES, find_game
from arena.rules import AnyGame, Value, ruleset
from webapp.matches.models import Ruleset

FLAGSHIPS = {"three_coins": "classic", "mia": "ladder", "commerce": "classic"}
"""The preset of each game that gets most of its ladder tables."""


class RulesetChanged(Exception):
    """A preset has other values than the matches on its leaderboard were played with. For an organiser."""


def flagship(game: AnyGame) -> str:
    """The name of the game's flagship preset: its first one, where none is named above."""
    names = [preset.name for preset in game.presets]
    named = FLAGSHIPS.get(game.name)
    return named if named in names else names[0]


def rules_of(row: Ruleset) -> rules.Ruleset:
    """The rules that a row stands for.

    Raises:
        RulesError: there are none: the game is gone, or its options have changed.
    """
    return ruleset(find_game(row.game), row.preset or None, row.options)


def own_key(made: rules.Ruleset) -> str:
    """The key of a ruleset that is no preset: the game, and what follows from its options and nothing else."""
    text = json.dumps(dict(made.values), sort_keys=True, separators=(",", ":"))
    return f"{made.game}/{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def preset_of(game: AnyGame, values: Mapping[str, Value]) -> str | None:
    """The first preset with exactly these values, or None."""
    same = (preset.name for preset in game.presets if ruleset(game, preset.name).values == values)
    return next(same, None)


def ensure_rulesets() -> list[Ruleset]:
    """One row for every preset, made or brought up to date; returns those that were. Safe to run again, and twice.

    Raises:
        RulesetChanged: a value of a preset is another than its leaderboard's matches were played with.
    """
    touched = []
    for game in GAMES.values():
        for preset in game.presets:
            options = dict(ruleset(game, preset.name).values)
            wanted = {
                "game": game.name,
                "preset": preset.name,
                "options": options,
                "flagship": preset.name == flagship(game),
            }
            row, made = Ruleset.objects.get_or_create(key=f"{game.name}/{preset.name}", defaults=wanted)
            if not made:
                if all(getattr(row, field) == value for field, value in wanted.items()):
                    continue
                _refuse_other_rules(row, options)
                for field, value in wanted.items():
                    setattr(row, field, value)
                row.save(update_fields=list(wanted))
            touched.append(row)
    return touched


def _refuse_other_rules(row: Ruleset, options: dict[str, Value]) -> None:
    """New options are welcome, at the value that the game always had. An old one keeps its value."""
    changed = [name for name, value in row.options.items() if options.get(name) != value]
    if changed and row.matches.exists():
        name = changed[0]
        raise RulesetChanged(
            f"{row.key} was played with {name} = {row.options[name]}, and the game now says "
            f"{options.get(name, 'nothing of it')}. Ratings of different rules do not mix: "
            "give the new rules a preset name of their own."
        )
