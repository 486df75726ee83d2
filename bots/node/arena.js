// A bot's side of the conversation with the arena (docs/protocol.md), for any game: `run` is all that a player needs.
//
// A lost line is dialled again with the session; what was promised and answered before outlives it.
import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import grpc from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";

const PROTOS = process.env.ARENA_PROTOS ?? join(dirname(fileURLToPath(import.meta.url)), "../../protos");
const LONGEST_WAIT = 60; // seconds between two attempts to reach the arena
const FINAL = ["UNAUTHENTICATED", "WRONG_GAME", "PROTOCOL", "NOT_ALLOWED", "REPLACED"]; // errors that dialling again does not mend
const CHANNEL = {
  // waiting for a table can take hours; the pings keep the line open and show when it is dead
  "grpc.keepalive_time_ms": 30_000,
  "grpc.keepalive_timeout_ms": 10_000,
  // the records of a long block come in one message
  "grpc.max_receive_message_length": 64 * 1024 * 1024,
};

const sha256 = (bytes) => createHash("sha256").update(bytes).digest();
const say = (text) => console.log(`${new Date().toISOString()} ${text}`);
const sleep = (seconds) => new Promise((done) => setTimeout(done, seconds * 1000));

/** Plays what `player` can: `{ game, choose }`, where `choose({ view, legal, seat, rules })` returns one of `legal`. */
export async function run(player) {
  const options = arguments_(player.game);
  const service = loadService();
  const table = (number) => playTable(service, player, options, number);
  try {
    const fair = await Promise.all(Array.from({ length: options.tables }, (_, number) => table(number)));
    process.exitCode = fair.every(Boolean) ? 0 : 1;
  } catch (error) {
    console.error(error.message);
    process.exit(1); // other tables may be waiting still
  }
}

function arguments_(game) {
  const launched = process.env.ARENA_TICKET !== undefined; // by `arena play`: one series, and no token
  const { values } = parseArgs({
    options: {
      server: { type: "string", default: process.env.ARENA_ADDRESS },
      token: { type: "string", default: process.env.ARENA_TICKET ?? process.env.ARENA_TOKEN },
      version: { type: "string", default: launched ? "" : "node 1" },
      tables: { type: "string", default: "1" },
      tls: { type: "boolean", default: false },
      ca: { type: "string" }, // a file with the certificates to trust instead of the system's
      once: { type: "boolean", default: launched },
    },
  });
  if (!values.server || !values.token) {
    console.error(`usage: node ${game}.js --server HOST:PORT --token TOKEN [--version LABEL] [--tables N] [--tls] [--once]`);
    process.exit(2);
  }
  return { ...values, tables: Number(values.tables) };
}

function loadService() {
  const file = join(PROTOS, "arena/protocol/v1/arena.proto");
  const loaded = loadSync(file, {
    includeDirs: [PROTOS],
    keepCase: true, // names as they stand in the protos
    enums: String,
    longs: Number,
    defaults: true, // 0 and "" are there, and lists are never missing; `optional` fields still are
    oneofs: true, // message.message says which message it is
  });
  return grpc.loadPackageDefinition(loaded).arena.protocol.v1.ArenaService;
}

function credentials(options) {
  if (!options.tls && !options.ca) return grpc.credentials.createInsecure();
  return grpc.credentials.createSsl(options.ca ? readFileSync(options.ca) : null);
}

/** Series after series at one table; whether all of it was fair. */
async function playTable(service, player, options, number) {
  const client = new service(options.server, credentials(options), CHANNEL);
  const label = options.tables > 1 ? `table ${number + 1}: ` : "";
  let fair = true;
  let conversation;
  const leave = () => {
    if (!conversation?.seated) process.exit(0);
    say(`${label}the series is played to its end first; Ctrl-C again leaves at once, and forfeits the match`);
    options.once = true;
    process.once("SIGINT", () => process.exit(130));
  };
  process.once("SIGINT", leave);
  do {
    conversation = new Conversation(player, options, (text) => say(label + text));
    await playSeries(client, conversation);
    fair = fair && conversation.fair;
  } while (!options.once);
  process.off("SIGINT", leave);
  client.close();
  return fair;
}

/** One series, over as many lines as it takes. */
async function playSeries(client, conversation) {
  for (let failures = 0; ; failures += 1) {
    const { error, details } = await carry(client, conversation);
    if (conversation.over) return;
    if (error && FINAL.includes(error.code.replace("ERROR_CODE_", ""))) {
      if (!conversation.session || conversation.welcomed) throw new Error(error.message);
      conversation.session = ""; // the old seat is lost for good: begin anew
      continue;
    }
    if (conversation.welcomed) failures = 0;
    const wait = Math.min(LONGEST_WAIT, 2 ** Math.min(failures, 16)) * (0.5 + Math.random() / 2);
    conversation.tell(`the line was lost (${error?.message || details}); dialling again in ${wait.toFixed(1)} s`);
    await sleep(wait);
  }
}

/** Carries the conversation over one stream; how that ended. */
function carry(client, conversation) {
  return new Promise((done) => {
    const call = client.Play();
    conversation.refusal = undefined;
    call.on("data", (message) => {
      for (const reply of conversation.receive(message)) call.write(reply);
    });
    call.on("end", () => call.end());
    call.on("error", () => {}); // the status says the same
    call.on("status", ({ details }) => done({ error: conversation.refusal, details }));
    call.write(conversation.hello());
  });
}

/** What to answer to each message of the arena, over one series. */
class Conversation {
  session = ""; // takes the seat back after a lost line
  welcomed = false; // whether the present line was accepted
  seated = false;
  over = false;
  fair = true;
  refusal = undefined; // the last thing that the arena said on this line, if that was an error
  #nonces = new Map(); // by block
  #promises = new Map();
  #match = undefined;
  #answer = undefined; // the last one, in case it has to be given again after a lost line

  constructor(player, options, tell) {
    this.player = player;
    this.options = options;
    this.tell = tell;
  }

  hello() {
    this.welcomed = false;
    const { token, version } = this.options;
    const software = `node ${process.versions.node}`;
    return { hello: { token, game: this.player.game, version, software, resume: this.session } };
  }

  receive(message) {
    this.refusal = undefined;
    // kinds of message that are not known here are passed over
    return this[message.message]?.(message[message.message]) ?? [];
  }

  welcome({ bot, session, notice }) {
    const back = session === this.session ? " again, at the same table" : "";
    this.welcomed = true;
    this.session = session;
    this.tell(`connected${back} as ${bot}; waiting for a table`);
    if (notice) this.tell(notice);
  }

  series_start({ series, matches, players }) {
    this.seated = true;
    this.tell(`${series || "a table"}: ${matches} matches of ${players.map(({ bot }) => bot).join(", ")}`);
  }

  block_opening({ block }) {
    if (!this.#nonces.has(block)) this.#nonces.set(block, randomBytes(16));
    return [{ nonce_hash: { hash: sha256(this.#nonces.get(block)) } }];
  }

  block_commitment({ block, commitment, nonce_hashes, send_nonce }) {
    const nonce = this.#nonces.get(block) ?? Buffer.alloc(0);
    if (!this.#promises.has(block)) this.#promises.set(block, { commitment, nonce_hashes });
    const first = this.#promises.get(block);
    this.#check(block, first.commitment.equals(commitment), "its commitment was changed after it had been given");
    if (!send_nonce) return [];
    const own = sha256(nonce);
    this.#check(block, nonce_hashes.some((hash) => hash.equals(own)), "the hash of our nonce is not among the table's");
    return [{ nonce: { nonce } }];
  }

  match_start({ match, seat, players, ruleset }) {
    if (this.#match?.name !== match) {
      this.#match = { name: match, seat, rules: ruleset };
      this.#answer = undefined;
      this.tell(`${match} begins: ${players.map(({ bot }) => bot).join(", ")}; we have seat ${seat}`);
    }
    return [{ ready: { match } }];
  }

  question({ decision, view, legal }) {
    // asked once more after a lost line, it is the same answer
    if (this.#answer?.decision !== decision) this.#answer = { decision, ...this.#choose(view, legal) };
    return [{ answer: this.#answer }];
  }

  match_end({ match, places, faults, voided }) {
    const said = faults.map(({ kind, detail }) => `; ${kind}: ${detail}`).join("");
    const place = places.length ? `place ${places[this.#match?.seat]} of ${places.length}` : "we are off the table";
    this.tell(`${match}: ${voided ? `broken off, and counts for nobody: ${voided}` : place}${said}`);
    this.#match = undefined;
  }

  block_reveal({ block, seed, nonces }) {
    const promise = this.#promises.get(block);
    if (!promise) return;
    const hashes = nonces.map(sha256);
    const kept = hashes.length === promise.nonce_hashes.length && hashes.every((hash, n) => hash.equals(promise.nonce_hashes[n]));
    this.#check(block, sha256(seed).equals(promise.commitment), "its seed is not the one that was committed to");
    this.#check(block, kept, "its nonces are not the ones that were committed to");
    this.#promises.delete(block);
    this.#nonces.delete(block);
    if (this.fair) this.tell(`${block}: seed and nonces are as committed to; arena verify redoes the draws themselves`);
  }

  series_end({ message }) {
    this.over = true;
    this.seated = false;
    this.tell(message || "the series is over");
  }

  error({ code, message }) {
    this.tell(message);
    this.refusal = { code, message };
  }

  #choose(view, legal) {
    const { seat, rules } = this.#match;
    const { game } = this.player;
    try {
      const move = this.player.choose({ view: view[game], legal: legal.map((one) => one[game]), seat, rules });
      return { move: { [game]: move } };
    } catch (error) {
      this.tell(error.stack);
      return { log: [error.stack] }; // an answer without a move is a fault, and its author reads why
    }
  }

  #check(block, holds, otherwise) {
    if (holds) return;
    this.fair = false;
    this.tell(`NOT FAIR: ${block}: ${otherwise}`);
  }
}
