"""What pages say about themselves to those who show a link to them."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from django import template
from django.conf import settings
from django.template import Context
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from webapp.bots.models import Bot
from webapp.matches.models import Match, Ruleset
from webapp.matches.replay import Replay
from webapp.pages.naming import game_title
from webapp.pages.templatetags.arena import rank, ruleset_title
from webapp.previews.picture import HEIGHT, WIDTH
from webapp.previews.selectors import heading
from webapp.ratings.models import Rating, Snapshot
from webapp.tournaments.models import Entrant, Tournament

register = template.Library()
META = "previews/_meta.html"


@register.inclusion_tag(META, takes_context=True)
def page_preview(context: Context, title: str, text: str) -> dict[str, object]:
    """A page without a picture."""
    return _meta(context, title, text)


@register.inclusion_tag(META, takes_context=True)
def match_preview(context: Context, match: Match, replay: Replay) -> dict[str, object]:
    """A match: how it ended. A link to a step of it tells and shows that step, as its viewer saw it, and no more."""
    step = context["request"].resolver_match.kwargs.get("step")
    shown = heading(match=match, replay=replay, whole=step is None)
    if step is None:
        image = reverse("match_picture", args=[match.name])
    else:
        image = reverse("match_step_picture", args=[match.name, step]) + "?" + urlencode({"as": replay.viewer})
    return _meta(context, shown.title, f"{shown.line}. {shown.invitation}", image=image, alt=replay.caption)


@register.inclusion_tag(META, takes_context=True)
def bot_preview(context: Context, bot: Bot, best: Rating | str) -> dict[str, object]:
    """A bot: where it stands."""
    if isinstance(best, Rating) and best.half_width:
        told = {
            "elo": round(best.elo),
            "width": round(best.half_width),
            "board": ruleset_title(best.snapshot.ruleset),
            "rank": rank(best),
        }
        if best.provisional:
            text = _("%(elo)d ± %(width)d in %(board)s, provisionally") % told
        else:
            text = _("%(elo)d ± %(width)d in %(board)s, rank %(rank)s") % told
    else:
        text = _("A bot for %(game)s") % {"game": game_title(bot.game)}
    return _meta(context, bot.name, f"{text}. {bot.about}" if bot.about else text)


@register.inclusion_tag(META, takes_context=True)
def tournament_preview(
    context: Context, tournament: Tournament, form: str, entrants: Sequence[Entrant]
) -> dict[str, object]:
    """A tournament: who has won it, else what it is."""
    title = tournament.name
    if tournament.champion is not None:
        told = {"bot": tournament.champion.bot.name, "tournament": tournament.name}
        title = _("%(bot)s has won %(tournament)s") % told
    count = len(entrants)
    bots = ngettext("%(n)d bot", "%(n)d bots", count) % {"n": count}
    parts = (ruleset_title(tournament.ruleset), str(form), bots, tournament.get_state_display())
    return _meta(context, title, " · ".join(parts))


@register.inclusion_tag(META, takes_context=True)
def leaderboard_preview(
    context: Context, answer: str, ruleset: Ruleset, snapshot: Snapshot | None
) -> dict[str, object]:
    """A leaderboard: its answer."""
    text = ruleset_title(ruleset)
    if snapshot is not None:
        count = ngettext("%(n)d rated match", "%(n)d rated matches", snapshot.matches) % {"n": snapshot.matches}
        text = f"{text} · {count}"
    return _meta(context, answer, text)


def _meta(context: Context, title: str, text: str, *, image: str = "", alt: str = "") -> dict[str, object]:
    base = settings.ARENA_BASE_URL
    return {
        "title": title,
        "text": text,
        "url": base + context["request"].path,
        "image": base + image if image else "",
        "alt": alt,
        "width": WIDTH,
        "height": HEIGHT,
    }
