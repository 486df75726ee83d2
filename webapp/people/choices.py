"""What a person can do now, as buttons: grouped, named, and with one line that says what the rules want.

Everything here follows from the person's own view.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.games import commerce, mia, three_coins
from arena.odds import Odds
from webapp.matches.drawing.commerce import SIGNS
from webapp.matches.drawing.mia import brief, digits, spoken


class Choice(NamedTuple):
    """One button."""

    move: str
    """The text of the move that it makes."""
    label: str
    said: str
    """The same for who does not see it, and knows nothing of the group."""
    chance: str = ""
    """How probable it is, where the person has asked for that."""
    red: bool = False
    """A card of a red suit."""


class Group(NamedTuple):
    """Buttons that belong together."""

    title: str
    kind: str
    """``words``, ``values`` or ``cards``."""
    choices: tuple[Choice, ...]


class Decision(NamedTuple):
    """What is asked of the person."""

    rule: str
    """What the rules want now, in one line."""
    groups: tuple[Group, ...]
    odds: str
    """What the probabilities count; empty where there are none."""


def decision(game: str, view: Any, names: Sequence[str], odds: Odds | None) -> Decision:
    """What is asked by this view; with ``odds`` beside the buttons."""
    rule, groups = _GAMES[game](view, names)
    if odds is None:
        return Decision(rule, groups, "")
    shown = tuple(
        group._replace(
            choices=tuple(
                one._replace(chance=_percent(odds[one.move])) if one.move in odds else one for one in group.choices
            )
        )
        for group in groups
    )
    return Decision(rule, shown, _counted(game) if odds else "")


def _percent(share: Fraction) -> str:
    """A share as people read it: what is only almost certain is not said to be."""
    percent = round(share * 100)
    if share and not percent:
        return _("< 1 %")
    return _("> 99 %") if share < 1 and percent == 100 else _("%(n)d %%") % {"n": percent}


def _counted(game: str) -> str:
    return {
        "three_coins": _(
            "The percentages say how likely it is right, if the others hid at random; what they said is up to you."
        ),
        "mia": _(
            "The percentages say how likely it is true, right or high enough by the dice alone; faces are up to you."
        ),
        "commerce": _(
            "The percentages say how likely you hold a combination afterwards, if every card that you do not know "
            "is equally likely."
        ),
    }[game]


# ---- Three Coins -----------------------------------------------------------------------------------


def _three_coins(view: three_coins.View, names: Sequence[str]) -> tuple[str, tuple[Group, ...]]:
    if view.phase == "hiding":
        own = view.coins[view.seat or 0]
        rule = ngettext(
            "Take no coin or your one into your fist. Nobody sees how many.",
            "Take 0 to %(n)d of your coins into your fist. Nobody sees how many.",
            own,
        ) % {"n": own}
        choices = tuple(
            Choice(
                str(move),
                str(move.number),
                ngettext("hide %(n)d coin", "hide %(n)d coins", move.number) % {"n": move.number},
            )
            for move in view.legal
        )
        return rule, (Group(_("Into your fist"), "values", choices),)
    hidden = view.hands[view.seat or 0] or 0
    fist = ngettext("You hide %(n)d coin.", "You hide %(n)d coins.", hidden) % {"n": hidden}
    bids = [move for move in view.legal if move.kind == "bid"]
    words = [move for move in view.legal if move.kind != "bid"]
    if view.bid is None:
        rule = _("Say how many coins are in all fists together, yours included: at least %(n)d.") % {
            "n": bids[0].number if bids else 0
        }
    elif bids:
        rule = _("Say more than %(bid)d, or end the round: call, if there are fewer than %(bid)d in all fists.") % {
            "bid": view.bid
        }
    else:
        rule = _("No higher bid is left. End the round: call, if there are fewer than %(bid)d in all fists.") % {
            "bid": view.bid
        }
    rule = f"{fist} {rule}"
    says = {
        "call": _("Call: fewer than %(bid)d") % {"bid": view.bid or 0},
        "cliff": _("Cliff: exactly %(bid)d") % {"bid": view.bid or 0},
        "zero": _("Zero: all fists are empty"),
        "max": _("Max: all %(n)d coins are in the fists") % {"n": view.in_play},
    }
    groups = []
    if words:
        title = _("End the round") if view.bid is not None else _("Or end it at once")
        ends = Group(title, "words", tuple(Choice(str(move), says[move.kind], says[move.kind]) for move in words))
        groups.append(ends)
    if bids:
        values = tuple(Choice(str(move), str(move.number), _("bid %(n)d") % {"n": move.number}) for move in bids)
        groups.insert(0, Group(_("Bid"), "values", values))
    return rule, tuple(groups)


# ---- Mia -------------------------------------------------------------------------------------------


def _cup_words() -> Mapping[str, str]:
    return {
        "roll": _("Roll and look"),
        "roll blind": _("Roll without looking"),
        "challenge": _("Doubt"),
        "concede": _("Give in"),
        "look": _("Look under the cup"),
    }


def _mia(view: mia.View, names: Sequence[str]) -> tuple[str, tuple[Group, ...]]:
    words = [move for move in view.legal if not move.value]
    values = [move for move in view.legal if move.value]
    said = brief(view.announced) if view.announced else ""
    whose = names[view.announcer] if view.announcer is not None else ""
    if view.phase == "announcing":
        seen = (
            _("You rolled %(dice)s.") % {"dice": _rolled(view)}
            if view.dice is not None
            else _("You do not know your dice.")
        )
        rule = (
            _("%(seen)s Say at least %(value)s, true or not: the next one believes you or doubts.")
            if view.announced
            else _("%(seen)s Say what you like from %(value)s up, true or not: the next one believes you or doubts.")
        ) % {"seen": seen, "value": brief(values[0].value)}
    elif view.phase == "opening":
        rule = _("You have the cup: roll. Then you say a value, and the next one believes you or doubts.")
    elif view.phase == "mia":
        rule = _("%(who)s says Mia. Look, and lose more if it is one; or give in without looking.") % {"who": whose}
    elif not values and len(words) == 1:
        rule = _("%(who)s says %(value)s. So much has been said in this round that you can only doubt.") % {
            "who": whose,
            "value": said,
        }
    else:
        rule = _("%(who)s says %(value)s. Doubt it, or believe it: then you roll, and have to say more.") % {
            "who": whose,
            "value": said,
        }
    labels = _cup_words()
    if view.phase == "answering":
        labels = {**labels, "challenge": _("Doubt %(value)s") % {"value": said}, "roll": _("Believe, roll and look")}
        labels["roll blind"] = _("Believe, roll blind")
    groups = []
    if words:
        choices = tuple(Choice(str(move), labels[move.kind], labels[move.kind]) for move in words)
        groups.append(Group(_("The cup"), "words", choices))
    if values:
        passing = values[0].kind == "pass"
        title = _("Or pass it on unrolled, as") if passing else _("Say")
        aloud = _("pass it on as %(value)s") if passing else _("say %(value)s")
        ladder = tuple(Choice(str(move), brief(move.value), aloud % {"value": spoken(move.value)}) for move in values)
        groups.append(Group(title, "values", ladder))
    return rule, tuple(groups)


def _rolled(view: mia.View) -> str:
    assert view.dice is not None
    called = mia.ranking(view.options).called[view.dice]
    return f"{digits(view.dice)} ({spoken(called)})" if called != digits(view.dice) else spoken(called)


# ---- Commerce --------------------------------------------------------------------------------------


def card(name: str) -> str:
    """A card as people write it: ``TD`` is 10♦."""
    return ("10" if name[0] == "T" else name[0]) + SIGNS[name[1]] if len(name) == 2 else name


def _commerce(view: commerce.View, names: Sequence[str]) -> tuple[str, tuple[Group, ...]]:
    kinds: dict[str, list[commerce.Move]] = {}
    for move in view.legal:
        kinds.setdefault(move.kind, []).append(move)
    if view.phase == "offered":
        who = names[view.turn] if view.turn is not None else ""
        shown = (
            _("%(who)s offers you %(card)s") % {"who": who, "card": card(view.offer)}
            if view.offer
            else _("%(who)s offers you a card, face down") % {"who": who}
        )
        rule = (
            _("%(offer)s. Give one of yours for it, or refuse.")
            if "refuse" in kinds
            else _("%(offer)s. You have to give one of yours for it.")
        ) % {"offer": shown}
    else:
        parts = []
        if "buy" in kinds:
            parts.append(
                ngettext(
                    "buy a card from the stock for %(n)d chip",
                    "buy a card from the stock for %(n)d chips",
                    view.options.fee,
                )
                % {"n": view.options.fee}
            )
        if "offer" in kinds:
            parts.append(_("offer one to your neighbour"))
        if "pass" in kinds:
            parts.append(_("pass"))
        ways = (
            _("%(some)s, or %(last)s") % {"some": ", ".join(parts[:-1]), "last": parts[-1]} if parts[1:] else parts[0]
        )
        rule = _("You can %(ways)s. Three of a suit, three in a row or three of a rank make a combination.") % {
            "ways": ways
        }
    titles = {
        "buy": _("Buy: which card goes?"),
        "offer": _("Offer your neighbour"),
        "give": _("Give for it"),
    }
    aloud = {
        "buy": _("buy a card and discard %(card)s"),
        "offer": _("offer %(card)s"),
        "give": _("give %(card)s"),
    }
    groups = [
        Group(
            titles[kind],
            "cards",
            tuple(
                Choice(str(move), card(move.card), aloud[kind] % {"card": card(move.card)}, red=move.card[1] in "DH")
                for move in kinds[kind]
            ),
        )
        for kind in ("buy", "offer", "give")
        if kind in kinds
    ]
    last = {"pass": _("Pass"), "refuse": _("Refuse: keep your cards")}
    others = tuple(Choice(kind, label, label) for kind, label in last.items() if kind in kinds)
    if others:
        groups.append(Group(_("Or"), "words", others))
    return rule, tuple(groups)


_GAMES: Mapping[str, Callable[[Any, Sequence[str]], tuple[str, tuple[Group, ...]]]] = {
    "three_coins": _three_coins,
    "mia": _mia,
    "commerce": _commerce,
}
