"""What the public pages' templates need."""

from __future__ import annotations

from datetime import datetime, timedelta

from django import template
from django.template import Context
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.games import GAMES
from arena.rules import Option, Preset, Value
from webapp.bots.models import Bot
from webapp.matches.models import Ruleset
from webapp.matches.replay import Steps
from webapp.pages import naming
from webapp.pages.stored import stored

register = template.Library()
register.filter(stored)


@register.filter
def game_title(game: str) -> str:
    """``three_coins`` as people read it."""
    return naming.game_title(game)


@register.filter
def bot_link(bot: Bot) -> SafeString:
    """A bot's name that leads to its page; a person has none."""
    name = naming.shown_name(bot)
    if bot.is_person:
        return format_html('<span class="name">{}</span>', name)
    return format_html('<a class="name" href="{}">{}</a>', reverse("bot", args=[bot.game, bot.name]), name)


@register.filter
def shown_name(bot: Bot) -> str:
    """A bot's name, or that it is a person."""
    return naming.shown_name(bot)


@register.filter
def ruleset_title(ruleset: Ruleset) -> str:
    """``Three Coins, classic``; a ruleset that is no preset goes by its title, where it has one."""
    title, name = naming.game_title(ruleset.game), ruleset.preset or ruleset.title
    return f"{title}, {name}" if name else _("%(game)s, rules of its own") % {"game": title}


@register.filter
def ruleset_link(ruleset: Ruleset) -> SafeString:
    """The same; for a ruleset that is no preset it leads to what it says."""
    title = ruleset_title(ruleset)
    if ruleset.preset:
        return SafeString(escape(title))
    return format_html('<a href="{}">{}</a>', reverse("own_ruleset", args=[ruleset.game, ruleset.digits]), title)


@register.filter
def changes(ruleset: Ruleset) -> list[tuple[str, Value]]:
    """The options of a ruleset that are not as usual, with their values."""
    game = GAMES.get(ruleset.game)
    usual = {option.name: option.default for option in game.options} if game is not None else {}
    return [(name, ruleset.options[name]) for name in usual if ruleset.options.get(name, usual[name]) != usual[name]]


@register.filter
def fault_words(kind: str) -> str:
    """A kind of fault as people read it."""
    words = {"unreadable": _("unreadable"), "illegal": _("illegal"), "late": _("late"), "gone": _("gone")}
    return words.get(kind, kind)


@register.filter
def percent(share: float) -> str:
    """A share as people read it; one that is almost certain is not said to be certain."""
    if 0 < share < 0.005:
        return "< 1 %"
    return "> 99 %" if 0.995 <= share < 1 else f"{100 * share:.0f} %"


@register.filter
def signed(value: float, digits: int = 1) -> str:
    """A number with its sign, and a minus that is as wide as the plus."""
    return f"{value:+.{digits}f}".replace("-", "\N{MINUS SIGN}")


@register.filter
def moved(elo: float) -> str:
    """What a match moved, to two digits: of many matches each moves little."""
    return signed(elo, 0 if abs(elo) >= 9.95 else 1 if abs(elo) >= 0.95 else 2)


@register.filter
def ago(moment: datetime | None) -> SafeString:
    """How long ago, in the largest unit, with the exact time one hover away."""
    if moment is None:
        return SafeString("")
    passed = timezone.now() - moment
    seconds = max(0, int(passed.total_seconds()))
    if passed < timedelta(minutes=1):
        words = _("just now")
    elif passed < timedelta(hours=1):
        words = ngettext("%(n)d minute ago", "%(n)d minutes ago", seconds // 60) % {"n": seconds // 60}
    elif passed < timedelta(days=1):
        words = ngettext("%(n)d hour ago", "%(n)d hours ago", seconds // 3600) % {"n": seconds // 3600}
    elif passed < timedelta(days=30):
        words = ngettext("%(n)d day ago", "%(n)d days ago", seconds // 86400) % {"n": seconds // 86400}
    else:
        words = date_format(moment, "j E Y")
    exact = f"{moment.astimezone(timezone.get_default_timezone()):%Y-%m-%d %H:%M:%S} UTC"
    return format_html('<time datetime="{}" title="{}">{}</time>', moment.isoformat(), exact, words)


@register.filter
def rank(row: object) -> str:
    """A rank as the interval that it is."""
    low, high = getattr(row, "rank_low", 0), getattr(row, "rank_high", 0)
    return str(low) if low == high else f"{low}–{high}"


@register.simple_tag(takes_context=True)
def step_address(context: Context, step: int | str, key: str | None = None) -> str:
    """Where a step of the ``replay`` that a page shows is, seen by ``key`` or by whom it is shown for.

    The page says in ``steps`` how its addresses are made.
    """
    made: Steps = context["steps"]
    return made.at(step, key or context["replay"].viewer)


@register.filter
def value_in(preset: Preset, option: Option) -> Value:
    """The value that a preset gives to an option."""
    return preset.values.get(option.name, option.default)
