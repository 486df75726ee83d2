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
    gettext_noop("%(why)s The table waits until %(time)s UTC."),
    gettext_noop("Retired by its author."),
    gettext_noop("Retired by an organiser."),
    gettext_noop("Its author has left."),
    gettext_noop("Its author is banned."),
    gettext_noop("Its author was banned for a time."),
    gettext_noop("It was at fault in %(times)s series in a row; in the last one: %(why)s"),
    gettext_noop("It was at fault in %(times)s series in a row before it was retired."),
    gettext_noop("Banned by an organiser."),
    gettext_noop("Cancelled by an organiser."),
    gettext_noop("It did not begin %(times)s series in a row; the last time: %(why)s"),
    gettext_noop("The platform failed it %(times)s times in a row; at last: %(why)s"),
    # of a validation
    gettext_noop("It did not begin to play: %(why)s"),
    gettext_noop("Match %(number)s: %(why)s"),
    gettext_noop("The arena could not find out, through no fault of the bot. Validate it again. %(why)s"),
    gettext_noop("The arena could not find out, through no fault of the bot. Validate it again."),
    gettext_noop("It plays too slowly. It was not over within %(minutes)s minutes."),
    gettext_noop("It was not over within %(minutes)s minutes."),
    # of a series, and of the machines
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
    gettext_noop("illegal: %(why)s"),
    gettext_noop("late"),
    gettext_noop("gone"),
    gettext_noop("unreadable"),
    gettext_noop("illegal"),
    # of tournaments: what is played, who is out, and why it stands still
    gettext_noop("%(why)s, extra series"),
    gettext_noop("extra series for the first place"),
    gettext_noop("round %(number)s of %(all)s"),
    gettext_noop("stage %(number)s of %(all)s"),
    gettext_noop("stage %(number)s"),
    gettext_noop("final"),
    gettext_noop("groups, round %(number)s of %(all)s"),
    gettext_noop("groups, extra series"),
    gettext_noop("upper bracket, final"),
    gettext_noop("upper bracket, stage %(number)s of %(all)s"),
    gettext_noop("lower bracket, stage %(number)s"),
    gettext_noop("grand final"),
    gettext_noop("second grand final"),
    gettext_noop("It was withdrawn."),
    gettext_noop("It was banned."),
    gettext_noop("It is retired."),
    gettext_noop("It is quarantined."),
    gettext_noop("absent: it was not connected within %(seconds)s s"),
    gettext_noop("absent: %(bot)s is banned"),
    gettext_noop("absent: %(bot)s has no program any more"),
    gettext_noop("The platform failed these tables again and again: %(tables)s. Have them played again."),
    gettext_noop("It cannot go on: %(why)s."),
    gettext_noop("It could not start: %(why)s"),
    gettext_noop("this tournament needs at least %(least)s entrants"),
    gettext_noop("this knockout needs at least %(least)s entrants"),
    gettext_noop("this round robin needs at least %(least)s entrants"),
    gettext_noop("a Swiss tournament needs at least %(least)s entrants in its first round"),
    gettext_noop("a Swiss tournament has at least one round"),
    gettext_noop("a round robin has at least one round"),
    gettext_noop("a group has enough members for a table, at least one round, and at least one goes on"),
    gettext_noop("tables have 2 to %(most)s seats, the smallest not more than the largest"),
    gettext_noop("of a table of %(most)s, 1 to %(others)s can go on, not %(number)s"),
    gettext_noop(
        "%(count)s entrants cannot be brought down to one final table of %(least)s to %(most)s when %(number)s of each "
        "table go on; let the tables have fewer seats, or others go on"
    ),
    gettext_noop("double elimination ends with a duel, so that tables of two must be possible"),
    gettext_noop("nobody can enter this tournament after its first round"),
    gettext_noop("this tournament was begun by the rules %(old)s; this program has the rules %(new)s"),
    gettext_noop("a group would have %(size)s members, which is too few for %(number)s to go on"),
    # of tournaments: why one stands behind another
    gettext_noop("%(other)s came further than %(name)s"),
    gettext_noop("%(name)s came as far as %(other)s, but took a lower place at its last table"),
    gettext_noop("%(name)s took a lower place in its group than %(other)s in its own"),
    gettext_noop("%(name)s has %(points)s points, %(other)s %(others)s"),
    gettext_noop("%(name)s has 1 point, %(other)s %(others)s"),
    gettext_noop(
        "%(name)s and %(other)s have %(points)s points; in the meetings of all who have these, "
        "%(name)s scored %(among)s, %(other)s %(more)s"
    ),
    gettext_noop(
        "%(name)s and %(other)s have 1 point; in the meetings of all who have these, "
        "%(name)s scored %(among)s, %(other)s %(more)s"
    ),
    gettext_noop(
        "%(name)s and %(other)s have %(points)s points; those whom %(name)s met have fewer, by Buchholz cut 1: "
        "%(buchholz)s against %(bigger)s"
    ),
    gettext_noop(
        "%(name)s and %(other)s have 1 point; those whom %(name)s met have fewer, by Buchholz cut 1: "
        "%(buchholz)s against %(bigger)s"
    ),
    gettext_noop(
        "%(name)s and %(other)s have %(points)s points and the same Buchholz cut 1; those whom %(name)s beat "
        "have fewer, by Sonneborn-Berger: %(sonneborn)s against %(higher)s"
    ),
    gettext_noop(
        "%(name)s and %(other)s have 1 point and the same Buchholz cut 1; those whom %(name)s beat "
        "have fewer, by Sonneborn-Berger: %(sonneborn)s against %(higher)s"
    ),
    gettext_noop("%(name)s and %(other)s were level; %(other)s won the extra series"),
    gettext_noop("%(name)s and %(other)s were level, also after the extra series; %(other)s was seeded better"),
    # of a line, and of the process at its end
    gettext_noop("%(why)s, and it did not come back within %(seconds)s s"),
    gettext_noop("%(why)s, and it did not come back"),
    gettext_noop("it closed its stream"),
    gettext_noop("its stream broke (%(error)s)"),
    gettext_noop("its line was closed"),
    gettext_noop("its line was lost"),
    gettext_noop("its line is lost; %(why)s"),
    gettext_noop("its process ended before it said Hello (%(why)s)"),
    gettext_noop("its process said no Hello within %(seconds)s s"),
    gettext_noop("its process ended (%(why)s)"),
    gettext_noop("%(why)s: its memory was used up"),
    gettext_noop("killed together with its parent"),
    gettext_noop("exit status %(code)s"),
    gettext_noop("killed by %(signal)s (its processor time was used up)"),
    gettext_noop("killed by %(signal)s"),
    gettext_noop("a hosted bot could not be locked in: %(error)s"),
    gettext_noop("an answer to decision %(decision)s was due, not %(what)s"),
    gettext_noop("it answers decision %(decision)s, which was never asked; the last one is %(last)s"),
    gettext_noop("%(many)s answers to earlier decisions came instead of one to decision %(decision)s"),
    gettext_noop("%(many)s stale answers came instead of %(what)s"),
    gettext_noop("%(size)s bytes came that are no PlayRequest"),
    gettext_noop("%(due)s was due, not %(what)s"),
    gettext_noop("the answer has no move"),
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
    # of an upload
    gettext_noop("%(file)s has %(size)s bytes; at most %(most)s are taken"),
    gettext_noop("%(file)s has %(size)s bytes; a source has at most %(most)s"),
    gettext_noop("%(file)s: a bot is handed in as a .py file or as a .zip with bot.py in it"),
    gettext_noop("%(file)s is a zip; let its name end in .zip"),
    gettext_noop("%(file)s: this is not UTF-8; save the file in that encoding"),
    gettext_noop("%(file)s: syntax error: %(error)s"),
    gettext_noop("%(file)s: this cannot be compiled: %(error)s"),
    gettext_noop("%(file)s is empty"),
    gettext_noop("many uploads are being looked at just now; try again in a moment"),
    gettext_noop("its sources take more than %(seconds)s s to compile"),
    gettext_noop("its sources cannot be compiled: they take too much memory, or nest too deeply"),
    gettext_noop("%(file)s: this is an absolute path"),
    gettext_noop("%(file)s: a path has at most %(most)s characters"),
    gettext_noop("%(file)s: this path leads out of the package"),
    gettext_noop("%(file)s: names are made of letters from A to Z, digits, spaces and _ . , + - = @ ~ ( ) [ ]"),
    gettext_noop("%(file)s and %(other)s are in each other's way"),
    gettext_noop("this zip cannot be read: it is damaged"),
    gettext_noop("this zip cannot be read: %(error)s"),
    gettext_noop("%(file)s: this name has signs that no name has"),
    gettext_noop("%(file)s is in the zip twice"),
    gettext_noop("%(file)s is a link or a device; only files can be handed in"),
    gettext_noop("%(file)s is encrypted; hand it in without a password"),
    gettext_noop("%(file)s is compressed in a way that is not taken; use plain deflate"),
    gettext_noop("there are more than %(most)s files in the zip"),
    gettext_noop("%(file)s: its bytes belong to another file of the zip, too"),
    gettext_noop("the files in the zip have more than %(most)s bytes together"),
    gettext_noop("there is no bot.py at the root of the zip, nor in its only top folder"),
    # of options that make no ruleset
    gettext_noop("option %(option)s: %(value)s is not one of %(allowed)s"),
    gettext_noop("ante (%(ante)s) is above chips (%(chips)s): nobody could pay it"),
    gettext_noop("mode deck_out ends with the stock, which discard bottom would never let end"),
    gettext_noop("raise_rule = at_least allows no pass = %(value)s: the same value is announced after a roll"),
    gettext_noop("mixed = sum allows no joker_32 = reverse: 32 is announced as 5 points, like 41"),
    gettext_noop("coin_cap (%(cap)s) is below start_coins (%(start)s): nobody may own what everybody starts with"),
    # of a machine on which uploads are not run
    gettext_noop("uploaded bots run on Linux only"),
    gettext_noop("uploads are not supported on %(kind)s machines"),
    gettext_noop("bubblewrap is missing: %(advice)s"),
    gettext_noop("bubblewrap cannot make its namespaces (%(error)s): %(why)s"),
    gettext_noop("in a container, let it make namespaces (%(how)s)"),
    gettext_noop("allow user namespaces (%(how)s), or run the workers as root"),
    gettext_noop("a trial bot could not be run (%(error)s)"),
    gettext_noop("a trial bot broke out (%(how)s)"),
    gettext_noop("%(layer)s was left out"),
    # after all others that have a colon
    gettext_noop("%(move)s: %(why)s"),
)


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    def pattern(sentence: str) -> re.Pattern[str]:
        pieces = re.split(r"%\((\w+)\)s", sentence)
        named = []
        for odd, piece in enumerate(pieces):
            if not odd % 2:
                named.append(re.escape(piece))
            elif piece in pieces[1:odd:2]:
                named.append(f"(?P={piece})")  # who is named twice is the same
            else:
                named.append(f"(?P<{piece}>.+?)")  # as few as will do: what follows is a sentence, too
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
    pieces = text.split("; ")
    told = [stored(piece) for piece in pieces] if len(pieces) > 1 else []
    # of somebody's own words, a piece may happen to be one of ours
    known = bool(told) and all(one != piece for one, piece in zip(told, pieces, strict=True))
    return "; ".join(told) if known else text
