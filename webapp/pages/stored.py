"""Sentences that are stored in English, for pages in the reader's language.

Workers and services write down why a bot does not play or a series was given up, and records what was wrong with a
move. They write English, which the API gives to programs as it stands; pages look here whether they know how to say it
otherwise. What they do not know (an organiser's own words, the error that a bot's program raised) stays as it is.
"""

from __future__ import annotations

import re
from functools import cache

from django.utils.translation import gettext, gettext_noop

SENTENCES = (
    gettext_noop("%(why)s (after %(ms)s ms)"),  # before all others, which would take it for a part of their last words
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
    # of a fault: by the referee, and by the rules of the games
    gettext_noop("no answer; it had %(ms)s ms to move"),
    gettext_noop("no answer; it had %(ms)s ms to get ready"),
    gettext_noop("it is not this seat's turn"),
    gettext_noop("%(move)s is nothing that one can say"),
    gettext_noop("%(move)s is nothing that one can do"),
    gettext_noop("this ruleset plays without it"),
    gettext_noop("coins are being hidden now; say hide N"),
    gettext_noop("this seat owns %(coins)s"),
    gettext_noop("the fists are closed; bid, or end the bidding"),
    gettext_noop("the first bid is at least %(least)s"),
    gettext_noop("it must be above %(last)s"),
    gettext_noop("it must be at least %(last)s"),
    gettext_noop("only %(coins)s coins are in play"),
    gettext_noop("no bid goes above %(most)s"),
    gettext_noop("there is no bid yet"),
    gettext_noop("only who opens the round may say it"),
    gettext_noop("only who has said nothing this round may say it"),
    gettext_noop("it goes without a card"),
    gettext_noop("a card is offered; give one in return, or refuse"),
    gettext_noop("nobody has offered a card"),
    gettext_noop("this seat does not hold that card"),
    gettext_noop("a card costs %(fee)s, and this seat has %(chips)s"),
    gettext_noop("there is no card left to take"),
    gettext_noop("there is one offer a turn, and it was refused"),
    gettext_noop("only who can neither buy nor offer may pass"),
    gettext_noop("a Mia was announced; concede or look"),
    gettext_noop("that is for an announced Mia"),
    gettext_noop("the dice have fallen; say a value"),
    gettext_noop("roll first"),
    gettext_noop("after %(number)s announcements one can only challenge"),
    gettext_noop("the round begins with a roll"),
    gettext_noop("this ruleset is played with digits"),
    gettext_noop("this ruleset calls these rolls by their digits"),
    gettext_noop("this ruleset calls it %(value)s"),
    gettext_noop("this seat was the first to say %(value)s; roll, pass it on with a higher value or challenge"),
    gettext_noop("this seat was the first to say %(value)s; roll or challenge"),
    gettext_noop("the cup is passed on with %(value)s or not at all"),
    gettext_noop("%(move)s: %(why)s"),  # after all others that have a colon
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
