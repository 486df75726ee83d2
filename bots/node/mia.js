// Plays Mia: tells the truth where it can and the least lie where it cannot, and doubts what is hard to throw.
import { run } from "./arena.js";

// Of the 36 throws, those that are worth so much or more, by what is announced; 21 is Mia.
const ORDER = "31 32 41 42 43 51 52 53 54 61 62 63 64 65 11 22 33 44 55 66 21".split(" ");
const throws = (value) => (value[0] === value[1] ? 1 : 2);
const atLeast = (value) => ORDER.slice(ORDER.indexOf(value)).reduce((sum, one) => sum + throws(one), 0) / 36;

const HOPE = 1 / 3; // believes what at least so many throws bear out

function choose({ view, legal }) {
  const word = (name) => legal.find((move) => move.word === `MIA_WORD_${name}`);
  if (view.phase === "MIA_PHASE_ANNOUNCING") {
    const truth = [...view.dice].sort((a, b) => b - a).join("");
    return legal.find((move) => move.say === truth) ?? legal[0]; // the lowest value comes first
  }
  if (view.phase === "MIA_PHASE_MIA") return word("LOOK") ?? legal[0];
  // what is announced in no usual word (two dice added up, say) is believed
  const doubtful = ORDER.includes(view.announced) && atLeast(view.announced) < HOPE;
  return (doubtful && word("CHALLENGE")) || word("ROLL") || word("CHALLENGE") || legal[0];
}

run({ game: "mia", choose });
