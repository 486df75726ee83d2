"""The house bots: one short file each, in a folder for each game, written with the same kit as everybody's.

They are there to be played against and to be copied.
"""

from __future__ import annotations

from pathlib import Path


def house_bots(game: str) -> dict[str, Path]:
    """The files of the house bots that play ``game``, by the name of the bot; empty for a game without any."""
    folder = Path(__file__).parent / game
    return {file.stem: file for file in sorted(folder.glob("[!_]*.py"))}
