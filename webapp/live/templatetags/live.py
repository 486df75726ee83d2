"""What a page says about itself, for ``live.js``."""

from __future__ import annotations

from typing import Any

from django import template
from django.utils.html import format_html

from webapp.live.address import live_url

register = template.Library()


@register.simple_tag(takes_context=True)
def live(context: dict[str, Any], *name: object) -> str:
    """``{% live "series-" series.pk %}``: the attribute of an element that follows this channel.

    Its value is empty where nothing streams: then the page looks for itself, now and then.
    """
    found = live_url(context["request"])
    return format_html('data-live="{}"', f"{found}{''.join(map(str, name))}" if found else "")
