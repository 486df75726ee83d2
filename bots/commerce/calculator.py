"""Counts outs: buys when the chance of a combination is worth its price, and barters when it gains by it."""

from bisect import bisect_right
from itertools import combinations

from arena.games.commerce import DECK, Move, View, combination, strength
from arena.kit import Bot

ACCEPTED = 0.5  # how often a neighbour accepts an offer, by and large
HELPED = 0.8  # what a barter does for the neighbour, as a share of what it does for oneself
HOLDS = 0.25  # how often a rival holds a combination when a circle ends
LATER = 0.5  # what the chance to complete two cards in a later circle is worth, as a share of doing so now
BUYERS = 0.3  # how many of the others buy in a circle
EVERY = sorted(strength(found) for cards in combinations(DECK, 3) if (found := combination(cards)) is not None)


class Calculator(Bot):
    """Makes the move after which its hand, less what it pays, is worth most chips."""

    game = "commerce"

    def choose(self, view: View) -> Move:
        """The move that is worth most; of equal ones the last, which refuses or passes."""
        self.view, self.rivals = view, len(view.live) - 1
        self.hand = view.hands[view.asked[0]] or ()
        known = {*self.hand, view.offer, *(discard.card for discard in view.discards)}
        self.unseen = [card for card in DECK if card not in known]
        self.left = {sign: sum(sign in card for card in self.unseen) for sign in "23456789TJQKACDHS"}
        options = view.options
        to_banker = options.fee_to == "banker" and view.banker in view.live
        self.price = 0 if to_banker and view.banker == view.asked[0] else options.fee
        bought = view.stock / 2 if options.mode == "deck_out" else self.rivals * BUYERS + 1
        self.prize = view.pot + (0 if to_banker else bought * options.fee) + options.circle_ante * self.rivals
        self.holding = self.value(self.hand)
        self.drawn = {card: self.after(card) for card in self.hand}
        return max(reversed(view.legal), key=self.worth)

    def worth(self, move: Move) -> float:
        """The value of the hand after ``move``, less the price."""
        if move.kind == "buy":
            return self.drawn[move.card] - self.price
        if move.kind == "give":
            return self.shared(self.after(move.card, self.view.offer) if self.view.offer else self.drawn[move.card])
        if move.kind == "offer":
            accepted = 1.0 if self.view.options.barter_consent == "forced" else ACCEPTED
            instead = max((self.worth(other) for other in self.view.legal if other.kind != "offer"), default=0.0)
            return accepted * self.shared(self.drawn[move.card]) + (1 - accepted) * instead
        return self.holding

    def shared(self, value: float) -> float:
        """What a barter that leads to ``value`` is worth, since the neighbour gains from it too."""
        return value - HELPED * max(0.0, value - self.holding)

    def after(self, spare: str, card: str | None = None) -> float:
        """The value of the hand with ``card``, or on the average with an unseen one, in the place of ``spare``."""
        kept = tuple(own for own in self.hand if own != spare)
        cards = [card] if card else self.unseen
        return sum(self.value((*kept, one)) for one in cards) / len(cards)

    def value(self, hand: tuple[str, ...]) -> float:
        """Chips that ``hand`` can be expected to bring."""
        found, options = combination(hand), self.view.options
        if found is not None and options.mode == "deck_out":
            points = {"poen": options.points_poen, "terz": options.points_terz, "tricon": options.points_tricon}
            return self.prize * 0.3 * points[found.kind] / max(1, options.points_poen)
        if found is not None:
            better = 1 - bisect_right(EVERY, strength(found)) / len(EVERY)
            return self.prize * float((1 - HOLDS * better) ** self.rivals)
        chance = 0
        for one, other in combinations(hand, 2):
            if one[1] == other[1]:
                chance = max(chance, self.left[one[1]])
            elif one[0] == other[0]:
                chance = max(chance, self.left[one[0]])
        later = LATER * 0.3 if options.mode == "deck_out" else LATER
        return self.prize * later * chance / len(self.unseen)
