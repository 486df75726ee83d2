"""The bot to begin with: the smallest one that plays."""

from __future__ import annotations

import re

from arena.games import find_game

_TEXT = '''\
"""A bot for {title}. Try it: arena play {game} {file} random"""

from arena.kit import Bot


class {name}(Bot):
    game = "{game}"

    def choose(self, view):
        # view is all that this seat may know, and view.legal all that it may do:
        # print(view) shows you both
        return self.random.choice(view.legal)
'''


def starter(game: str, file: str = "mybot.py") -> str:
    """The source of a bot for ``game`` that makes any legal move; ``file`` is the path that it will have.

    Raises:
        RulesError: there is no such game.
    """
    stem = file.rpartition("/")[2].removesuffix(".py")
    name = "".join(word.capitalize() for word in re.findall("[a-z0-9]+", stem.lower())).lstrip("0123456789")
    return _TEXT.format(
        title=find_game(game).title, game=game, file=file, name=name if name not in ("", "Bot") else "Mine"
    )
