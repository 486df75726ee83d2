"""What the public pages' templates need."""

from __future__ import annotations

from datetime import datetime, timedelta

from django import template
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.rules import Option, Preset, Value
from webapp.matches.models import Ruleset
from webapp.pages import naming
from webapp.pages.stored import stored

register = template.Library()
register.filter(stored)


@register.filter
def game_title(game: str) -> str:
    """``three_coins`` as people read it."""
    return naming.game_title(game)


@register.filter
def ruleset_title(ruleset: Ruleset) -> str:
    """``Three Coins, classic``."""
    title = naming.game_title(ruleset.game)
    return f"{title}, {ruleset.preset}" if ruleset.preset else _("%(game)s, rules of its own") % {"game": title}


@register.filter
def fault_words(kind: str) -> str:
    """A kind of fault as people read it."""
    words = {"unreadable": _("unreadable"), "illegal": _("illegal"), "late": _("late"), "gone": _("gone")}
    return words.get(kind, kind)


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


@register.filter
def value_in(preset: Preset, option: Option) -> Value:
    """The value that a preset gives to an option."""
    return preset.values.get(option.name, option.default)
