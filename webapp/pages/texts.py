"""The English texts that pages take from `arena`, which knows no catalogues: all of them, so that none is forgotten.

Pages pass such a text through gettext where they show it; ``make messages`` finds it here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from arena import story
from arena.games import GAMES
from arena.insight import words as insight

OF_PACKAGES = (
    "Email",  # of allauth, whose Ukrainian catalogue does not have it
    "Login",  # the label of a field, which allauth's Russian catalogue takes for the button beside it
    "Remember Me",  # allauth's catalogues write it with two capitals
)
"""Texts of packages that their own catalogues leave in English, or say badly."""


class Text(NamedTuple):
    """A text to be translated."""

    where: str
    """The file that it stands in."""
    singular: str
    plural: str = ""
    """The same for several; empty where the text counts nothing."""


def texts() -> Iterator[Text]:
    """Every text of `arena` that a page may show, and what packages left untranslated."""
    for text in OF_PACKAGES:
        yield Text("webapp/pages/texts.py", text)
    for game in GAMES.values():
        where = f"arena/games/{game.name}.py"
        yield Text(where, game.title)
        for option in game.options:
            yield Text(where, option.meaning)
        for preset in game.presets:
            yield Text(where, preset.summary)
    told = [("arena/story.py", words) for words in story.WORDS.values()]
    for where, words in (*told, ("arena/insight/words.py", insight.WORDS)):
        for word in words.values():
            yield Text(where, *word) if isinstance(word, story.Counted) else Text(where, word)
