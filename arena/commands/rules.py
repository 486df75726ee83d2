"""``arena rules``: the games, their presets and their options."""

from __future__ import annotations

import json
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from arena.games import GAMES
from arena.rules import AnyGame, ruleset


@click.command("rules")
@click.argument("game", metavar="[GAME]", required=False, type=click.Choice(tuple(GAMES)))
@click.option("--json", "as_json", is_flag=True, help="Write JSON, for programs.")
def command(game: str | None, as_json: bool) -> None:
    """List the games, or the presets and options of GAME.

    An option is set with --set option=value in `arena play`.
    """
    chosen = [GAMES[game]] if game else list(GAMES.values())
    if as_json:
        trees = [_tree(one) for one in chosen]
        click.echo(json.dumps(trees[0] if game else trees, indent=1, ensure_ascii=False))
    elif game:
        _print(chosen[0])
    else:
        for one in chosen:
            presets = ", ".join(preset.name for preset in one.presets)
            click.echo(f"{one.name}: {one.title}, {_sizes(one.players)} players; presets {presets}")


def _print(game: AnyGame) -> None:
    console = Console(highlight=False)
    console.print(f"{game.title} ({game.name}), {_sizes(game.players)} players", markup=False)
    presets = Table("preset", "players", "what it is", "changes", box=None, pad_edge=False)
    for preset in game.presets:
        changes = ", ".join(f"{name}={value}" for name, value in preset.values.items()) or "nothing"
        presets.add_row(preset.name, _sizes(preset.players or game.players), preset.summary, changes)
    options = Table("option", "default", "allowed", "what it is", box=None, pad_edge=False)
    for option in game.options:
        options.add_row(option.name, str(option.default), option.allowed, option.meaning)
    console.print()
    console.print(presets)
    console.print()
    console.print(options)


def _sizes(players: range) -> str:
    low, high = players[0], players[-1]
    return str(low) if low == high else f"{low} to {high}"


def _tree(game: AnyGame) -> dict[str, Any]:
    return {
        "game": game.name,
        "title": game.title,
        "players": [game.players[0], game.players[-1]],
        "presets": [
            {
                "preset": preset.name,
                "summary": preset.summary,
                "players": [(preset.players or game.players)[0], (preset.players or game.players)[-1]],
                "options": dict(ruleset(game, preset.name).values),
            }
            for preset in game.presets
        ],
        "options": [
            {
                "option": option.name,
                "default": option.default,
                "meaning": option.meaning,
                "allowed": list(option.words) or {"low": option.low, "high": option.high},
            }
            for option in game.options
        ],
    }
