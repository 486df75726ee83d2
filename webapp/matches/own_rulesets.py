"""Rulesets that are no preset: organisers make them, and let bots play them. Each act leaves a line in their log."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from django.db import transaction
from django.utils.translation import gettext as _

from arena import rules
from arena.games import find_game
from arena.rules import AnyGame, Option, RulesetError, Value, check_players, ruleset
from webapp.accounts.audit import write_down
from webapp.accounts.models import User
from webapp.bots.models import Bot
from webapp.matches.models import Ruleset, Series
from webapp.matches.organisers import check_organiser
from webapp.matches.rulesets import own_key, preset_of, rules_of
from webapp.matches.services import create_series

LONGEST_TITLE = 60
MOST_MATCHES = 200
"""How many matches an exhibition can have: a worker plays it in one sitting."""


class Refused(Exception):
    """It cannot be done like this. The message is written for the organiser who asked."""


class RulesRefused(Refused):
    """These options make no ruleset: ``reasons`` says why, by the options that it is about."""

    def __init__(self, reason: str, reasons: Mapping[str, str]) -> None:
        super().__init__(reason)
        self.reasons = reasons


class Made(NamedTuple):
    """A ruleset that was asked for."""

    ruleset: Ruleset
    new: bool
    """False where it was there already: another organiser's, one's own, or a preset."""


# ---- making --------------------------------------------------------------------------------------


def make_ruleset(*, game: str, preset: str | None, options: Mapping[str, object], title: str = "", by: User) -> Made:
    """The ruleset of ``game`` that takes ``preset`` and changes ``options``. The same options are the same ruleset.

    Where they are those of a preset, it is that preset's ruleset. A ruleset that has a title keeps it.

    Raises:
        NotAnOrganiser: it is not for this person to do.
        RulesRefused: the rules allow no such ruleset.
        Refused: the game is unknown, or the title is none.
    """
    check_organiser(by)
    try:
        played = find_game(game)
    except rules.RulesError as error:
        raise Refused(f"{error}.".capitalize()) from error
    made = _checked(played, preset, options)
    title = checked_title(title, played)
    same = made.preset or preset_of(played, made.values)
    if same is not None:
        row, _made = Ruleset.objects.get_or_create(
            key=f"{game}/{same}", defaults={"game": game, "preset": same, "options": dict(made.values)}
        )
        return Made(row, new=False)
    with transaction.atomic():
        # Two who make it at the same moment make one: the key is unique, and follows from the options.
        row, new = Ruleset.objects.get_or_create(
            key=own_key(made), defaults={"game": game, "title": title, "options": dict(made.values)}
        )
        if new:
            write_down(by=by, rows=[row], text=f"Made: {_changes(played, row)}.")
        elif title and not row.title:
            _entitle(row, title, by)
    return Made(row, new)


def title_ruleset(*, ruleset: Ruleset, title: str, by: User) -> None:
    """Call a ruleset of one's own something else, or by no title any more.

    Raises:
        NotAnOrganiser: it is not for this person to do.
        Refused: the title is none, or the ruleset is a preset's.
    """
    check_organiser(by)
    if ruleset.preset:
        raise Refused(_("A preset goes by its name."))
    title = checked_title(title, find_game(ruleset.game))
    with transaction.atomic():
        _entitle(ruleset, title, by)


def _entitle(row: Ruleset, title: str, by: User) -> None:
    row.title = title
    row.save(update_fields=["title"])
    write_down(by=by, rows=[row], text=f"Called “{title}”." if title else "Its title was taken away.")


def checked_title(title: str, game: AnyGame) -> str:
    """The title as it is kept: one line of visible characters, with single spaces.

    Raises:
        Refused: says what cannot be a title.
    """
    title = " ".join(unicodedata.normalize("NFC", title).split())
    if not title:
        return ""
    if len(title) > LONGEST_TITLE:
        raise Refused(_("A title has at most %(most)d characters.") % {"most": LONGEST_TITLE})
    # what is not seen, or turns the direction of writing, would let one title pass for another
    if any(unicodedata.category(sign).startswith("C") for sign in title):
        raise Refused(_("A title is made of characters that one can see."))
    if not any(sign.isalnum() for sign in title):
        raise Refused(_("A title has a letter or a digit in it."))
    if title.casefold() in (preset.name.casefold() for preset in game.presets):
        raise Refused(_("%(title)s is the name of a preset.") % {"title": title})
    return title


def _checked(game: AnyGame, preset: str | None, options: Mapping[str, object]) -> rules.Ruleset:
    """The ruleset. What is wrong with single options is all told at once, and only then what they say together."""
    values: dict[str, Value] = {}
    wrong: dict[str, str] = {}
    for option in game.options:
        if option.name in options:
            try:
                values[option.name] = option.read(options[option.name])
            except RulesetError as error:
                wrong[option.name] = str(error)
    if wrong:
        raise RulesRefused(next(iter(wrong.values())), wrong)
    try:
        values = {**ruleset(game, preset).values, **values}
        return ruleset(game, preset, options)
    except RulesetError as error:
        reason = str(error)
        # else it is about a preset or an option that there is not
        contradicts = len(values) == len(game.options) and game.contradiction(values) == reason
        raise RulesRefused(
            reason, dict.fromkeys(_about(game, values, reason) if contradicts else (), reason)
        ) from error


def _about(game: AnyGame, values: Mapping[str, Value], reason: str) -> list[str]:
    """The options of which the contradiction speaks: it names them, and another value of one would do away with it."""
    words = set(re.findall(r"\w+", reason))

    def helps(option: Option) -> bool:
        others: tuple[Value, ...] = option.words or (option.low, option.high)
        return any(game.contradiction({**values, option.name: other}) != reason for other in others)

    return [option.name for option in game.options if option.name in words and helps(option)]


def _changes(game: AnyGame, row: Ruleset) -> str:
    """What is not as usual, for the log."""
    changed = [o for o in game.options if row.options[o.name] != o.default]
    return ", ".join(f"{option.name}={row.options[option.name]}" for option in changed)


# ---- playing -------------------------------------------------------------------------------------


def start_exhibition(*, ruleset: Ruleset, bots: Sequence[Bot], planned: int, by: User) -> Series:
    """Let these bots, by seat, play ``planned`` unrated matches: where one fails, a default move is made for it.

    Raises:
        NotAnOrganiser: it is not for this person to do.
        Refused: too few bots or too many, or one that cannot sit down; or no such number of matches.
    """
    check_organiser(by)
    if not 1 <= planned <= MOST_MATCHES:
        raise Refused(_("An exhibition has 1 to %(most)d matches.") % {"most": MOST_MATCHES})
    if len({bot.pk for bot in bots}) < len(bots):
        raise Refused(_("Each bot sits at a table once."))
    for bot in bots:
        if bot.game != ruleset.game:
            raise Refused(_("%(bot)s plays another game.") % {"bot": bot.name})
        if bot.state != Bot.State.ACTIVE or bot.active_version is None:
            raise Refused(_("%(bot)s is not active.") % {"bot": bot.name})
    try:
        check_players(rules_of(ruleset), len(bots))
    except RulesetError as error:
        raise Refused(f"{error}.".capitalize()) from error
    with transaction.atomic():
        series = create_series(
            ruleset=ruleset,
            versions=[bot.active_version for bot in bots if bot.active_version is not None],
            planned=planned,
            purpose=Series.Purpose.EXHIBITION,
            rated=False,
        )
        names = ", ".join(bot.name for bot in bots)
        write_down(by=by, rows=[series], text=f"Called as an exhibition: {names}.")
    return series
