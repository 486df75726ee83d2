"""Sentences that are stored in English, for pages in the reader's language.

Workers and services write down why a bot does not play or a series was given up. They write English, which the API
gives to programs as it stands; pages look here whether they know how to say it otherwise. What they do not know (an
organiser's own words, the details of a fault) stays as it was written.
"""

from __future__ import annotations

import re
from functools import cache

from django.utils.translation import gettext, gettext_noop

SENTENCES = (
    gettext_noop("Retired by its author."),
    gettext_noop("Retired by an organiser."),
    gettext_noop("Its author has left."),
    gettext_noop("Banned by an organiser."),
    gettext_noop("Cancelled by an organiser."),
    gettext_noop("It did not begin %(times)s series in a row; the last time: %(why)s"),
    gettext_noop("The platform failed it %(times)s times in a row; at last: %(why)s"),
    gettext_noop("%(bots)s was not connected."),
    gettext_noop("%(bots)s were not connected."),
    gettext_noop("an error of the arena (%(error)s)"),
    gettext_noop("the worker %(worker)s fell silent"),
    gettext_noop("the door that held a bot's line failed (%(error)s)"),
    gettext_noop("a process for a hosted bot was not ready in %(seconds)s s"),
    gettext_noop("the process for a hosted bot is gone"),
    gettext_noop("a process for a hosted bot did not start: %(error)s"),
    gettext_noop("the runner stood still for %(ms)s ms while a bot was thinking"),
    gettext_noop("the runner stood still for %(ms)s ms while it waited for its nonce"),
    gettext_noop("the runner stood still for %(ms)s ms while it waited for the hash of its nonce"),
    gettext_noop("seat %(seat)s: %(why)s"),
    gettext_noop("late: %(why)s"),
    gettext_noop("gone: %(why)s"),
    gettext_noop("unreadable: %(why)s"),
    gettext_noop("its line is lost; %(why)s"),
    gettext_noop("its nonce did not come within %(seconds)s s"),
    gettext_noop("the hash of its nonce did not come within %(seconds)s s"),
    gettext_noop("its nonce does not fit the hash that it gave"),
    gettext_noop("the hash of its nonce is not 32 bytes long"),
)


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    def pattern(sentence: str) -> re.Pattern[str]:
        pieces = re.split(r"%\((\w+)\)s", sentence)
        named = (f"(?P<{piece}>.+)" if odd % 2 else re.escape(piece) for odd, piece in enumerate(pieces))
        return re.compile("".join(named), re.DOTALL)

    return tuple((pattern(sentence), sentence) for sentence in SENTENCES)


def stored(text: str) -> str:
    """A stored sentence in the language of the page; as it is where it is none of `SENTENCES`."""
    for pattern, sentence in _patterns():
        if (found := pattern.fullmatch(text)) is not None:
            values = found.groupdict()
            if "why" in values:
                values["why"] = stored(values["why"])
            return gettext(sentence) % values
    return text
