// Plays Three Coins by counting: how likely is each total, if the others hide any number of their coins alike?
import { run } from "./arena.js";

const CALLED = 0.5; // how often a bid is called rather than topped, by and large

function choose({ view, legal, seat }) {
  if (view.phase === "THREE_COINS_PHASE_HIDING") return legal[Math.floor(Math.random() * legal.length)];
  const chances = totals(view, seat);
  const best = legal.map((move) => worth(move, view, chances)).reduce((a, b, n, all) => (b > all[a] ? n : a), 0);
  return legal[best];
}

/** The probability of each total of all fists: our own is known, those of the others are alike from none to all. */
function totals(view, seat) {
  let chances = Array(view.own_hand).fill(0).concat(1);
  for (const other of view.live.filter((one) => one !== seat)) {
    const hands = view.coins[other] + 1;
    const spread = Array(chances.length + hands - 1).fill(0);
    chances.forEach((chance, total) => {
      for (let hand = 0; hand < hands; hand += 1) spread[total + hand] += chance / hands;
    });
    chances = spread;
  }
  return chances;
}

/** The coins that a move can be expected to bring: who is right wins of the others, who is wrong pays one. */
function worth(move, view, chances) {
  const rivals = view.live.length - 1;
  const bid = move.bid ?? view.bid ?? 0;
  const reached = chances.slice(bid).reduce((sum, chance) => sum + chance, 0);
  if (move.move === "bid") return (reached / rivals - (1 - reached)) * CALLED;
  const [right, wins] = {
    THREE_COINS_WORD_CALL: [1 - reached, 1 / rivals],
    THREE_COINS_WORD_CLIFF: [chances[bid] ?? 0, 1],
    THREE_COINS_WORD_ZERO: [chances[0], 1],
    THREE_COINS_WORD_MAX: [chances[view.live.reduce((sum, one) => sum + view.coins[one], 0)] ?? 0, 0],
  }[move.word];
  return right * wins - (1 - right);
}

run({ game: "three_coins", choose });
