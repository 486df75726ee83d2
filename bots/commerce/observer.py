"""Remembers who barters, whose passing means a combination, and which cards it gave away itself."""

from arena.games.commerce import DECK, Bartered, HandEnded, Move, OfferRefused, Passed, Swapped, View, combination
from arena.kit import Bot
from arena.table import MatchInfo

UNKNOWN = 0.15  # how often a rival who trades holds a combination when the circle ends
WILLING = 0.15  # as rarely must a neighbour accept that he is not asked any more


class Observer(Bot):
    """Trades towards the nearest combination, but pays for it only as long as nobody seems to be ready."""

    game = "commerce"

    def on_start(self, match: MatchInfo) -> None:
        """Nothing is known of anybody yet: half of all offers are accepted, and a quarter of all passes are telling."""
        self.accepts = [[True, False] for _ in match.players]
        self.telling = [[True, False, False, False] for _ in match.players]
        self.passed: set[int] = set()
        self.gone: set[str] = set()

    def on_event(self, event: object) -> None:
        """Count answers and passes; where hands are shown, see which of the passes were those of a ready player."""
        if isinstance(event, Bartered | OfferRefused):
            self.accepts[event.to].append(isinstance(event, Bartered))
        elif isinstance(event, Swapped):
            self.gone = (self.gone | {event.gave}) - {event.got}
        elif isinstance(event, Passed):
            self.passed.add(event.seat)
        elif isinstance(event, HandEnded):
            for seat in self.passed:
                self.telling[seat].append(seat in [shown.seat for shown in event.result.shown])
            self.passed.clear()
            self.gone.clear()

    def choose(self, view: View) -> Move:
        """Keep a combination; else barter with who is willing, and buy if the chance is worth the price."""
        hand = view.hands[view.asked[0]] or ()
        spare = min(hand, key=lambda card: (-self.chance(view, hand, card), DECK.index(card) % 13))
        if combination(hand):
            wanted = [Move("refuse"), Move("pass")]
        else:
            wanted = [Move("give", spare), Move("offer", spare)] if self.willing(view) else [Move("give", spare)]
            wanted += [Move("buy", spare)] if self.worth_it(view, self.chance(view, hand, spare)) else []
        rest = (Move("pass"), *(Move(kind, spare) for kind in ("give", "offer", "buy")))
        return next(move for move in (*wanted, *rest) if move in view.legal)

    def chance(self, view: View, hand: tuple[str, ...], spare: str) -> float:
        """How likely is a combination, with a card in the place of ``spare`` that may still be in the stock?"""
        kept = tuple(card for card in hand if card != spare)
        seen = {*hand, *self.gone, *(discard.card for discard in view.discards)}
        unseen = [card for card in DECK if card not in seen]
        return sum(combination((*kept, card)) is not None for card in unseen) / max(1, len(unseen))

    def willing(self, view: View) -> bool:
        """Does the neighbour barter at all?"""
        step = 1 if view.options.barter_side == "left" else -1
        at = view.live.index(view.asked[0])
        answers = self.accepts[view.live[(at + step) % len(view.live)]]
        return sum(answers) / len(answers) >= WILLING

    def worth_it(self, view: View, chance: float) -> bool:
        """Is a card worth its fee? Who has passed may be ready already, the more so the oftener he was."""
        me, options = view.asked[0], view.options
        if options.mode == "deck_out":
            behind = max(view.points[seat] for seat in view.live) - view.points[me]
            return behind <= options.points_poen * (2 + view.stock / 4 / len(view.live))
        free = 1.0
        for seat in set(view.live) - {me}:
            free *= 1 - (sum(self.telling[seat]) / len(self.telling[seat]) if seat in self.passed else UNKNOWN)
        self.log(f"a combination comes with {chance:.2f}, and nobody else has one with {free:.2f}")
        # two cards that go together can be completed in a later circle, others have to be found first
        return chance == 0 or chance * (1 + free) / 2 * (view.pot + options.fee) > options.fee
