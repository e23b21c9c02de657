// Lets datc-check ask your engine: JSON-RPC on standard input and output, one message a line.
//
// datc-check starts this program as `datc.toml` says. Fill in `initialize` and `adjudicate` where it says TODO; the
// rest can stay. `datc-check schema protocol` prints the schema of all messages.

import { createInterface } from "node:readline";

// Standard output belongs to the protocol: what the engine prints goes to standard error.
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);

// const { myEngine } = await import("./src/index.js");

/** Answers a request with an error. The code -32004 says "unsupported": the engine cannot do that. */
class RpcError extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** Say who answers, and what it can do. */
function initialize(_params) {
  // What your engine loads when it is first used is best loaded here, for example by playing a phase:
  // the time limit of this answer is that of the start, longer than that of the others.
  return {
    protocol: 1,
    engine: { name: "my-engine", version: "0.1.0", url: "" }, // TODO: name your engine
    capabilities: {
      phases: ["movement"], // TODO: add "retreat" and "adjustment" when you answer them, too
      maps: ["standard"],
      orders: ["structured"], // add "text" if your engine reads the text of the orders itself
    },
  };
}

/** Play one phase. Each request has its own position: keep nothing from one to the next. */
async function adjudicate(params) {
  // What is asked:
  //   params.phase      "movement", "retreat" or "adjustment"
  //   params.map        the map, such as "standard": only those that "maps" lists are asked
  //   params.season     "spring", "autumn" or "winter"; params.year is a number, such as 1901
  //   params.units      the units on the board, those without an order, too:
  //                       { power: "FRANCE", type: "A", location: "PAR" }
  //                       { power: "RUSSIA", type: "F", location: "STP/SC" }
  //   params.orders     the orders, each as text and in parts; `order` is missing where only `text` can tell:
  //                       { power: "FRANCE", text: "A Paris - Burgundy", order: { type: "move",
  //                         unit: { type: "A", location: "PAR" }, to: "BUR", via_convoy: false } }
  //                     An order may be impossible, and `type` may be missing in its unit: it stays as written.
  //                       hold     unit
  //                       move     unit, to, via_convoy, and path where it names the seas of its convoy
  //                       support  unit, supported (a unit), and to: missing where a hold is supported
  //                       convoy   unit, convoyed (a unit), to
  //   params.ruleset    the rules in force: { choices: { "4.A.1": "all-routes", ... }, ... }
  //   In a retreat phase:
  //   params.dislodged  the units that must retreat, not in params.units; as you answered them
  //   params.state      as you answered it
  //   params.orders       retreat  unit, to
  //                       disband  unit
  //   In an adjustment phase:
  //   params.centers    who owns what: { FRANCE: ["BRE", "MAR", "PAR"], ... }
  //   params.orders       build    unit
  //                       remove   unit
  //                       waive
  //
  // What to answer:
  //   units      the units after the phase, as in params.units, but for those in `dislodged`
  //   dislodged  after a movement phase, the units that were dislodged; `from` is where the attacker came from:
  //                { power: "FRANCE", type: "A", location: "BUR", from: "MUN", retreats: ["GAS", "PIC"] }
  //   orders     may be left out: what became of each of params.orders, in the same order; null if unknown:
  //                { outcome: "succeeds" } or { outcome: "fails", reason: "bounced" }
  //   state      may be left out: what you need again in the retreat phase, such as where units bounced
  //
  // TODO: ask your engine, and answer what it says. If all units held, whatever they were ordered, that would be:
  // return { units: params.units, dislodged: [] };
  throw new RpcError(-32004, `no ${params.phase} phase yet`);
}

const methods = new Map(Object.entries({ initialize, adjudicate }));

/** Read a message, which can be anything. */
function readRequest(line) {
  let request;
  try {
    request = JSON.parse(line);
  } catch (error) {
    throw new RpcError(-32700, `not JSON: ${error.message}`);
  }
  if (typeof request?.method !== "string") throw new RpcError(-32600, "not a request");
  return request;
}

/** Answer a request, whatever happens. */
async function respond(line) {
  let id = null;
  try {
    const request = readRequest(line);
    id = request.id ?? null;
    const method = methods.get(request.method);
    if (!method) throw new RpcError(-32601, `no method ${request.method}`);
    return JSON.stringify({ jsonrpc: "2.0", id, result: await method(request.params ?? {}) });
  } catch (error) {
    if (!(error instanceof RpcError)) console.error(error);
    const code = error instanceof RpcError ? error.code : -32603;
    return JSON.stringify({ jsonrpc: "2.0", id, error: { code, message: String(error?.message ?? error) } });
  }
}

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  if (line.trim()) write(`${await respond(line)}\n`);
}
