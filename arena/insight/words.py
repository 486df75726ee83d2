"""Notes and moments in words. All templates stand in one table; a `Language` translates them, as in `arena.story`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from arena.insight.model import Moment, Note, Swing
from arena.story import ENGLISH, MIA, Counted, Language, Teller, Texts, mia_value

WORDS: Texts = {
    "seat": "seat {seat}",
    "and": "{most} and {last}",
    "mia": MIA["mia"],
    "points": MIA["points"],
    "poen": "a poen",
    "terz": "a terz",
    "tricon": "a tricon",
    "most_points": "the most points",
    "note_of": "{who}: {note}",
    # the truth of a claim
    "true": "true",
    "true_less": Counted("true, 1 step below the dice", "true, {number} steps below the dice"),
    "bluff": Counted("bluff by 1 step", "bluff by {number} steps"),
    "bluff_forced": Counted("forced bluff by 1 step", "forced bluff by {number} steps"),
    "unseen": "did not look",
    "unseen_true": "did not look, but it is true",
    "unseen_false": Counted("did not look: 1 step too high", "did not look: {number} steps too high"),
    "bid_true": "true to the coin",
    "bid_less": Counted("true, with 1 coin to spare", "true, with {number} coins to spare"),
    "bid_bluff": Counted("bluff by 1 coin", "bluff by {number} coins"),
    # of a doubt
    "right": "right",
    "wrong": "wrong",
    "given_true": "it is a Mia",
    "given_false": "the Mia is a bluff",
    # of a card
    "buy_made": "that makes a combination",
    "give_made": "that makes a combination",
    "refuse_made": "the card would have made a combination",
    "refuse_missed": "the card is of no use",
    "offer_own": "{other} held what {who} needed for a combination",
    "offer_theirs": "{other} needed that card for a combination",
    "offer_both": "a barter could make two combinations",
    # chances
    "reach": "{share} of rolls reach it",
    "beaten": "beaten by {share} of rolls",
    "fist": "{share} likely by {who}'s own fist",
    "likely": "{share} likely",
    "had": "had a chance of {share}",
    "no_mia": "{share} of rolls are no Mia",
    "knew_dice": "had seen the dice",
    "knew_card": "had seen the card",
    "hope": "a combination was {share} likely",
    "hope_offer": "by bartering, a combination was {share} likely",
    "hope_made": "it was {share} likely",
    "no_hope": "no combination was possible",
    "swing": "{who}'s chance to win goes from {before} to {after}",
    # moments
    "mia_caught": "{who}'s bluff on {what} was caught",
    "mia_unseen": "{who}'s {what} did not hold",
    "mia_wrong": "{who} doubted {other}'s {what}, wrongly",
    "mia_stood": "{other} gave in to {who}'s false Mia",
    "mia_given": "{other} gave in to {who}'s Mia",
    "say_stood": "{who}'s bluff on {what} stood",
    "pass_stood": "{who}'s bluff on {what} stood",
    "bid_stood": "{who}'s bid of {what}, too high, stood",
    "coins_caught": "{who}'s bid of {what}, too high, was called",
    "coins_call_wrong": "{who} called {other}'s bid of {what}, wrongly",
    "coins_cliff_right": "{who} said cliff on {what}: exactly that many",
    "coins_cliff_wrong": "{who} said cliff on {what}, wrongly",
    "coins_zero_right": "{who} said zero, rightly",
    "coins_zero_wrong": "{who} said zero, wrongly",
    "coins_max_right": "{who} said max, rightly",
    "coins_max_wrong": "{who} said max, wrongly",
    "pot_taken": "{who} took the pot with {what}",
    "pot_split": "{who} shared the pot",
    "left": "{who} left the table",
    "changed": "{told}: {change} chance",
    "changed_of": "{told}: {change} chance for {whose}",
    "staked": "{told}: {change} chance at stake",
}
"""The words of all games."""


class Said(NamedTuple):
    """A note in words. Each part is empty where there is nothing to say."""

    truth: str
    """What it was."""
    chance: str
    """How likely that was."""

    def __str__(self) -> str:
        """Both in one line."""
        return " · ".join(part for part in self if part)


def percent(chance: float) -> str:
    """A chance in percent, unbreakable; what is not quite impossible or certain is not called so.

    >>> [percent(chance).replace("\\u00a0", " ") for chance in (0, 0.001, 0.25, 0.999, 1)]
    ['0 %', '<1 %', '25 %', '>99 %', '100 %']
    """
    number = "<1" if 0 < chance < 0.005 else ">99" if 0.995 < chance < 1 else str(round(100 * chance))
    return f"{number}\u00a0%"


def signed(change: float) -> str:
    """A change of a chance, in percent.

    >>> [signed(change).replace("\\u00a0", " ") for change in (-0.18, 0.35)]
    ['−18 %', '+35 %']
    """
    return f"{'+' if change > 0 else '−'}{percent(abs(change))}"


def tell_note(game: str, note: Note, names: Sequence[str], language: Language = ENGLISH) -> Said:
    """What a note says of a step."""
    tell = Teller(WORDS, names, language)
    if game == "mia":
        return _mia(tell, note)
    return _coins(tell, note) if game == "three_coins" else _cards(tell, note)


def tell_notes(game: str, notes: Sequence[Note], names: Sequence[str], language: Language = ENGLISH) -> tuple[str, ...]:
    """Notes that belong together, a line each; of several each says whose it is."""
    tell = Teller(WORDS, names, language)
    lines = [(note, str(tell_note(game, note, names, language))) for note in notes]
    lines = [(note, line) for note, line in lines if line]
    if len(lines) < 2:
        return tuple(line for _, line in lines)
    return tuple(tell("note_of", who=tell.who(note.seat), note=line) for note, line in lines)


def tell_swing(swing: Swing, names: Sequence[str], language: Language = ENGLISH) -> str:
    """How the chance changed that changed most; empty where one would not see it."""
    tell, seat = Teller(WORDS, names, language), swing.seat
    before, after = percent(swing.before[seat]), percent(swing.after[seat])
    if before == after:
        return ""
    return tell("swing", who=tell.who(seat), before=before, after=after)


def tell_moment(moment: Moment, names: Sequence[str], language: Language = ENGLISH) -> str:
    """One of the moments that decided a match, in a line."""
    tell = Teller(WORDS, names, language)
    what = moment.what
    if moment.kind.startswith("pot_"):
        what = tell(what)
    elif moment.kind.startswith(("mia_", "say_", "pass_")):
        what = mia_value(tell, what)
    together = (moment.who, moment.other) if moment.kind == "pot_split" else (moment.who,)
    other = tell.who(moment.other) if moment.other >= 0 else ""
    told = tell(moment.kind, who=tell.who(*together), other=other, what=what)
    if moment.kind.endswith("_stood") and moment.kind != "mia_stood":
        return tell("staked", told=told, change=percent(moment.change))
    key = "changed" if moment.seat == moment.who else "changed_of"
    return tell(key, told=told, change=signed(moment.change), whose=tell.who(moment.seat))


def _mia(tell: Teller, note: Note) -> Said:
    by = note.by
    if note.kind == "doubt":
        chance = tell("knew_dice") if note.knew else ""
        if note.truth == "given":
            truth = "" if by is None else tell("given_false" if by > 0 else "given_true")
            return Said(truth, chance or _share(tell, "no_mia", note.own))
        return Said(tell(note.truth or ""), chance or _share(tell, "had", note.own))
    reach = _share(tell, "reach", note.heard)
    if note.truth is None or by is None:
        return Said(tell("unseen") if note.truth == "unseen" else "", reach)
    if note.truth == "unseen":
        return Said(tell("unseen_true") if by <= 0 else tell("unseen_false", by, number=by), reach)
    if note.truth == "bluff":
        return Said(tell("bluff_forced" if note.forced else "bluff", by, number=by), reach)
    truth = tell("true_less", -by, number=-by) if by else tell("true")
    return Said(truth, _share(tell, "beaten", note.beaten) if note.beaten else reach)


def _coins(tell: Teller, note: Note) -> Said:
    if note.kind == "doubt":
        return Said(tell(note.truth) if note.truth else "", _share(tell, "had", note.own))
    by, seat, chance = note.by, note.seat, note.own
    if chance is None:
        seat, chance = note.hearer, note.heard
    likely = _share(tell, "likely" if seat < 0 else "fist", chance, who=tell.who(seat) if seat >= 0 else "")
    if by is None:
        return Said("", likely)
    if by > 0:
        return Said(tell("bid_bluff", by, number=by), likely)
    return Said(tell("bid_less", -by, number=-by) if by else tell("bid_true"), likely)


def _cards(tell: Teller, note: Note) -> Said:
    other = tell.who(note.about) if note.about >= 0 else ""
    key = f"{note.kind}_{note.truth}"
    truth = tell(key, who=tell.who(note.seat), other=other) if key in WORDS else ""
    if note.knew:
        return Said(truth, tell("knew_card"))
    if note.kind == "offer":
        # who sees both hands sees what could come of it
        return Said(truth, _share(tell, "hope_offer", note.own) if note.truth is None and note.own else "")
    if not note.own:
        return Said(truth, tell("no_hope") if note.kind == "buy" else "")
    return Said(truth, _share(tell, "hope_made" if note.truth == "made" else "hope", note.own))


def _share(tell: Teller, key: str, chance: float | None, **values: object) -> str:
    return "" if chance is None else tell(key, share=percent(chance), **values)
