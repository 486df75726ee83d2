"""What is told of how a bot plays: ratios of the sums that `arena.style` counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

LEAST = 20
"""Fewer than so many cases say nothing."""


class Measure(NamedTuple):
    """A ratio of two sums."""

    part: str
    whole: str
    name: object
    """What it is called, in the reader's language."""
    of: object
    """Of what, in words."""
    mean: bool = False
    """It is a mean number, and no share."""

    def of_sums(self, sums: Mapping[str, int]) -> float | None:
        """The ratio; None where there are too few cases."""
        whole = sums.get(self.whole, 0)
        return sums.get(self.part, 0) / whole if whole >= LEAST else None


MEASURES: Mapping[str, tuple[Measure, ...]] = {
    "mia": (
        Measure("bluffs", "claims", _("Bluffs"), _("announcements of dice that it has seen")),
        Measure("steps", "bluffs", _("Bluffs so far"), _("values above the dice, on the average"), mean=True),
        Measure("blind", "rolls", _("Rolls blind"), _("rolls at which it does not look")),
        Measure("doubts", "answers", _("Doubts"), _("announcements that it has to answer")),
        Measure("right", "doubts", _("Doubts rightly"), _("its doubts")),
    ),
    "three_coins": (
        Measure("hidden", "owned", _("Hides"), _("its coins, in the fist")),
        Measure("over", "bids", _("Bids too much"), _("bids above the coins in all fists")),
        Measure("steps", "over", _("Too much by"), _("coins above the total, on the average"), mean=True),
        Measure("calls", "answers", _("Ends the bidding"), _("its turns after a bid")),
        Measure("right", "calls", _("Ends it rightly"), _("biddings that it ends")),
    ),
    "commerce": (
        Measure("buys", "turns", _("Buys"), _("its turns")),
        Measure("offers", "turns", _("Offers"), _("its turns")),
        Measure("takes", "answers", _("Barters"), _("cards that it is offered")),
        Measure("shows", "hands", _("Shows a combination"), _("hands that it is dealt")),
    ),
}

SHARES: Mapping[str, tuple[tuple[str, str, object], ...]] = {
    "mia": (("open ", "opens", pgettext_lazy("style", "First announcement of a round")),),
    "three_coins": (
        ("hand ", "hands", pgettext_lazy("style", "Coins in the fist")),
        ("open ", "opens", pgettext_lazy("style", "First word of a round")),
    ),
    "commerce": (),
}
"""What is told as a list of the most frequent: the sums that begin so, the whole, and what they are called."""
