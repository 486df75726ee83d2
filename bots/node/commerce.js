// Plays Commerce: keeps the two cards that fit best and trades the third, until the three make a combination.
import { run } from "./arena.js";

function choose({ view, legal }) {
  const hand = view.own_hand;
  const word = (name) => legal.find((move) => move.word === `COMMERCE_WORD_${name}`);
  if (complete(hand)) return word("PASS") ?? word("REFUSE") ?? legal[0];
  const spare = hand.reduce((worst, card) => (fit(card, hand) < fit(worst, hand) ? card : worst));
  for (const kind of ["give", "offer", "buy"]) {
    const move = legal.find((one) => one[kind] === spare);
    if (move) return move;
  }
  return legal.at(-1);
}

const complete = (hand) => new Set(hand.map(([rank]) => rank)).size === 1 || new Set(hand.map(([, suit]) => suit)).size === 1;

/** How many of the other cards share this one's rank or suit. */
const fit = (card, hand) => hand.filter((other) => other !== card && (other[0] === card[0] || other[1] === card[1])).length;

run({ game: "commerce", choose });
